package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/internal/run/process"
)

func TestJudgeAndPoints(t *testing.T) {
	for _, test := range []struct {
		expected, answer string
		want             correctness
		points           int
	}{
		{"true", "true", correct, 2},
		{"true", "true (uncertified)", correct, 0},
		{"true", "false(unreach-call)", wrong, -16},
		{"false", "false(no-overflow)", correct, 1},
		{"false", "true", wrong, -32},
		{"false", "true (uncertified)", wrong, -32},
		{"valid-deref", "false(valid-deref)", correct, 1},
		{"valid-deref", "false(valid-free)", wrong, 0},
		{"valid-free", "true", wrong, -32},
		{"unknown", "true", unjudged, 0},
		{"", "false(no-overflow)", unjudged, 0},
		{"true", "unknown", undecided, 0},
		{"false", "timeout", undecided, 0},
	} {
		r := Result{Task: Task{Expected: test.expected}, Answer: test.answer}
		r.Correct = r.Task.judge(r.Answer)
		if r.Correct != test.want || r.Points() != test.points {
			t.Errorf("expected %s, answer %s: got %q and %d points, want %q and %d", test.expected, test.answer, r.Correct, r.Points(), test.want, test.points)
		}
	}
}

func TestClassify(t *testing.T) {
	for _, test := range []struct {
		outcome        process.Outcome
		stdout, stderr string
		answer, reason string
	}{
		{process.Outcome{}, `{"result":"true"}`, "", "true", ""},
		{process.Outcome{ExitCode: 1}, `{"result":"false(valid-free)"}`, "", "false(valid-free)", ""},
		{process.Outcome{ExitCode: 1}, `{"result":"false(no-overflow)","replayed":["native"],"undefined_behaviour_on_the_way":[{"text":"x","position":{"line":3}}]}`,
			"", "false(no-overflow)", "replayed natively; passes through undefined behaviour: x (line 3)"},
		{process.Outcome{ExitCode: 2}, `{"result":"unknown","reasons":[{"cause":"unsupported","text":"asm","position":{"line":4}}]}`, "", "unknown", "unsupported: asm (line 4)"},
		{process.Outcome{ExitCode: 2}, `{"result":"unknown","reasons":[{"cause":"memory","text":"limit"}]}`, "", "memory", "memory: limit"},
		{process.Outcome{ExitCode: 2}, `{"result":"unknown","reasons":[{"cause":"internal error","text":"replay"}]}`, "", "crash", "internal error: replay"},
		{process.Outcome{ExitCode: 3}, "", "f.c:1: error: x\nmore", "error", "f.c:1: error: x"},
		{process.Outcome{ExitCode: 4}, "", "assay: internal error", "crash", "exit code 4: assay: internal error"},
		{process.Outcome{ExitCode: 0}, "", "", "crash", "exit code 0: "},
		{process.Outcome{ExitCode: -1, Signal: syscall.SIGSEGV}, "", "a\nb", "crash", "signal 11 (segmentation fault): b"},
		{process.Outcome{ExitCode: -1, Signal: syscall.SIGKILL, TimedOut: true}, "", "", "timeout", "killed at the limit"},
	} {
		answer, reason := classify(test.outcome, []byte(test.stdout), test.stderr)
		if answer != test.answer || reason != test.reason {
			t.Errorf("%+v: got %s, %s", test, answer, reason)
		}
	}
}

// at writes files below a new folder, which it returns.
func at(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// spec reads property files in tests: what is not termination is decidable.
func spec(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), "F end") {
		return nil, err
	}
	return []string{"F end"}, nil
}

// outline is a task in a line.
func outline(dir string, tasks []Task) string {
	var b strings.Builder
	for _, t := range tasks {
		var paths []string
		for _, p := range t.Paths {
			rel, _ := filepath.Rel(dir, p)
			paths = append(paths, rel)
		}
		fmt.Fprintf(&b, "%s %s %s %s %s %s %s\n", t.Set, t.ID, t.Property, t.Expected, t.DataModel, strings.Join(paths, "+"), t.skipReason())
	}
	return b.String()
}

func TestTaskDefinitions(t *testing.T) {
	dir := at(t, map[string]string{
		"properties/unreach-call.prp":    "CHECK( init(main()), LTL(G ! call(reach_error())) )",
		"properties/valid-memsafety.prp": "CHECK( init(main()), LTL(G valid-free) )",
		"properties/termination.prp":     "CHECK( init(main()), LTL(F end) )",
		"loops[1]/a.c":                   "", "loops[1]/b.c": "", "loops[1]/b2.c": "", "java/M.java": "",
		"loops[1]/a.yml": `format_version: '2.0'
input_files: 'a.c'
properties:
  - property_file: ../properties/unreach-call.prp
    expected_verdict: true
  - property_file: ../properties/termination.prp
options: &o
  language: C
  data_model: ILP32
additional_information: {verdict: [1, 2]}
`,
		"loops[1]/b.yml": `format_version: 2.1
input_files: [b*.c]
properties:
- property_file: ../properties/valid-mem*.prp
  expected_verdict: false
  subproperty: valid-deref
- {property_file: ../properties/unreach-call.prp, expected_verdict: false}
`,
		"java/j.yml": `format_version: "2.0"
input_files: M.java
properties: [{property_file: ../properties/unreach-call.prp}]
options: {language: Java, data_model: LP64}
`,
		"Loops.set": "# a comment\nloops[[]1]/*.yml\n\nloops[[]1]/a.yml\njava/*.yml\n",
	})
	tasks, err := ReadTasks([]string{filepath.Join(dir, "Loops.set"), filepath.Join(dir, "Loops.set"), filepath.Join(dir, "loops[1]/b.yml")}, spec)
	if err != nil {
		t.Fatal(err)
	}
	want := `Loops loops[1]/a.yml unreach-call true ILP32 loops[1]/a.c 
Loops loops[1]/a.yml termination unknown ILP32 loops[1]/a.c property termination
Loops loops[1]/b.yml valid-memsafety valid-deref  loops[1]/b.c+loops[1]/b2.c 
Loops loops[1]/b.yml unreach-call false  loops[1]/b.c+loops[1]/b2.c 
Loops java/j.yml unreach-call unknown LP64 java/M.java language Java
loops[1] b.yml valid-memsafety valid-deref  loops[1]/b.c+loops[1]/b2.c 
loops[1] b.yml unreach-call false  loops[1]/b.c+loops[1]/b2.c 
`
	if got := outline(dir, tasks); got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
	o := Options{Assay: "/bin/my assay", Limit: 2500 * time.Millisecond, Memory: "1GB", CheckFlags: []string{"--unwind=3"}}
	command := o.Command(tasks[2])
	want = fmt.Sprintf("'/bin/my assay' check --spec %[1]s/properties/valid-memsafety.prp --timeout 2.5s --memory 1GB --unwind=3 '%[1]s/loops[1]/b.c' '%[1]s/loops[1]/b2.c'", dir)
	if command != want {
		t.Errorf("got  %s\nwant %s", command, want)
	}
}

// TestBadDefinitions: every mistake has its file and line.
func TestBadDefinitions(t *testing.T) {
	const good = "format_version: '2.0'\ninput_files: a.c\n"
	for text, want := range map[string]string{
		"":                                    ":1: the task definition is empty",
		"- a\n":                               ":1: a task definition must be a list of",
		"a: b: c":                             ":1: not YAML: mapping values are not allowed",
		"format_version: '2.0'\n\tx: 1\n":     ":2: not YAML: found character that cannot start any token",
		"format_version: '2.0'\n":             ":1: the key input_files is missing",
		"input_files: a.c\n":                  ":1: the key format_version is missing",
		"format_version: 7\ninput_files: a.c": `:1: format_version "7" is not one of`,
		"format_version: '2.0'\n\ninput_files: []\n":                         ":3: input_files names no file",
		"format_version: '2.0'\n\ninput_files: [a.c, {}]\n":                  ":3: an input file must be a text",
		"format_version: '2.0'\ninput_files: b*.c\nproperties: []":           ":2: no file matches b*.c",
		"format_version: '2.0'\ninput_files: '[a'\n":                         ":2: [a: syntax error in pattern",
		good + "input_files: b.c\n":                                          ":3: the key input_files is there twice",
		good + "properties: x\n":                                             ":3: properties is not a list",
		good + "properties:\n- x\n":                                          ":4: a property must be a list of",
		good + "properties:\n- expected_verdict: true\n":                     ":4: the key property_file is missing",
		good + "properties:\n- property_file: q.prp\n":                       ":4: no file matches q.prp",
		good + "properties:\n- property_file: '*.prp'\n":                     ":4: 2 files match *.prp, there must be one",
		good + "properties:\n- property_file: p.prp\n- property_file: p.prp": ":5: the property p is there twice",
		good + "properties:\n- property_file: p.prp\n  expected_verdict: 1":  `:5: expected_verdict "1" is neither true nor false`,
		good + "properties:\n- property_file: p.prp\n  subproperty: x":       ":5: a subproperty without expected_verdict: false",
		good + "options: [1]":                                                ":3: options must be a list of",
		good + "options:\n  language: C\n  data_model: ILP64":                `:5: the data_model "ILP64" is neither`,
	} {
		dir := at(t, map[string]string{"a.c": "", "p.prp": "", "r.prp": "", "t.yml": text})
		path := filepath.Join(dir, "t.yml")
		if _, err := ReadTasks([]string{path}, spec); err == nil || !strings.HasPrefix(err.Error(), path+want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"# nothing\n":  ": the set names no task",
		"\n\nx/*.yml":  ":3: no file matches x/*.yml",
		"a.c\n":        ": a.c is no task definition (.yml)",
		"t.yml\n[\n\n": ":2: [: syntax error in pattern",
	} {
		dir := at(t, map[string]string{"a.c": "", "p.prp": "", "t.yml": good + "properties: [{property_file: p.prp}]", "s.set": text})
		path := filepath.Join(dir, "s.set")
		_, err := ReadTasks([]string{path}, spec)
		if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), dir+"/", ""), strings.Replace(want, ": a.c", ":1: a.c", 1)) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestBadTables(t *testing.T) {
	const header = "id,set,file,property,expected,data_model\n"
	for text, want := range map[string]string{
		"":                         ":1: the file is empty",
		"id,set,file\n":            `:1: the column "property" is missing`,
		"id,id,file\n":             `:1: the column "id" is there twice`,
		header + "a,b,c,d,e,f,g\n": ":2: 7 fields, but the header has 6",
		header + "\na,b,,d,e,f\n":  `:3: the column "file" is empty`,
		header + "a,b,c.c,no-overflow,TRUE,LP64\n":                                    `:2: the expected verdict "TRUE" is neither`,
		header + "a,b,c.c,no-overflow,true,x64\n":                                     `:2: the data model "x64" is neither`,
		header + "a,b,c.c,no-overflow,true,LP64\na,b,c.c,no-overflow,false,LP64\n":    ":3: the task a with this property is in line 2 already",
		header + "a,b,c.c,\"no-overflow,true,x64\n":                                   ":2:31: extraneous or missing",
		header + "a,b,c.c,unreach-call,true,LP64\na,b,c.c,no-o\"verflow,false,LP64\n": ":3:13: bare",
	} {
		dir := at(t, map[string]string{"t.csv": text})
		path := filepath.Join(dir, "t.csv")
		if _, err := ReadTasks([]string{path}, spec); err == nil || !strings.HasPrefix(err.Error(), path+want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	for _, path := range []string{"/no/such.csv", "/no/such.yml", "/no/such.set", "x.xml"} {
		if _, err := ReadTasks([]string{path}, spec); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v", path, err)
		}
	}
	tasks := []Task{{ID: "a", Set: "s"}}
	for _, o := range []Options{{Sets: []string{"none"}}, {Properties: []string{"none"}}, {Only: "x"}, {Only: "["}} {
		if _, err := Run(t.Context(), tasks, o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

func FuzzDefinition(f *testing.F) {
	f.Add("format_version: '2.0'\ninput_files: [a.c, 'b*.c']\nproperties:\n- property_file: p.prp\n  expected_verdict: false\n  subproperty: valid-deref\noptions: {language: C, data_model: LP64}\n")
	f.Add("a: &x [*x]\n")
	f.Add("format_version: &v '2.0'\ninput_files: *v\n? {a: b}\n: c\n")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := parseDefinition("t.yml", []byte(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "t.yml:") {
				t.Errorf("an error without its position: %v", err)
			}
			return
		}
		if len(d.inputs) == 0 {
			t.Error("no input file")
		}
		lines := 1 + strings.Count(text, "\n") + strings.Count(text, "\r")
		for _, p := range d.properties {
			if p.file.glob == "" || p.file.line < 1 || p.file.line > lines || p.expected == "" {
				t.Errorf("got %+v", p)
			}
		}
		_ = parseSet(text)
	})
}

func FuzzTable(f *testing.F) {
	f.Add("id,set,file,property,expected,data_model\na,b,c.c,no-overflow,true,LP64\n")
	f.Add("id,tool,correct,wall_s\na,b,yes,1\n")
	f.Add("id,expected,answer,correct,cpu_s\na,true,true,yes,1e3\n")
	f.Fuzz(func(t *testing.T, text string) {
		tasks, err1 := parseTable("t.csv", strings.NewReader(text))
		_, err2 := parsePeers("t.csv", strings.NewReader(text))
		_, err3 := parseResults("t.csv", strings.NewReader(text))
		for _, err := range []error{err1, err2, err3} {
			if err != nil && !strings.HasPrefix(err.Error(), "t.csv:") {
				t.Errorf("an error without its position: %v", err)
			}
		}
		for _, task := range tasks {
			if task.ID == "" || task.Property == "" {
				t.Errorf("got %+v", task)
			}
		}
	})
}
