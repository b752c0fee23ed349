// Package contrib tests what is in the folder contrib, as far as that goes without the services that it is for.
package contrib

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"assay"
)

// folder holds the program under test.
var folder string

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "assay-contrib"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

var build = sync.OnceValues(func() ([]byte, error) {
	return exec.Command("go", "build", "-o", filepath.Join(folder, "bin", "assay"), "assay/cmd/assay").CombinedOutput()
})

// program builds assay, once.
func program(t *testing.T) string {
	t.Helper()
	if out, err := build(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(folder, "bin", "assay")
}

// tool is a program that a test needs, or the test is skipped.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	return path
}

func contrib(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../../../contrib", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// benchTask is a task of drive.py.
type benchTask struct {
	Files     []string       `json:"files"`
	Property  string         `json:"property,omitempty"`
	Options   map[string]any `json:"options,omitempty"`
	Arguments []string       `json:"arguments,omitempty"`
	CPUTime   float64        `json:"cputime,omitempty"`
	WallTime  float64        `json:"walltime,omitempty"`
	Memory    int            `json:"memory,omitempty"`
	Run       bool           `json:"run,omitempty"`
	Output    string         `json:"output,omitempty"`
	Exit      int            `json:"exit,omitempty"`
	Signal    int            `json:"signal,omitempty"`
	Timeout   bool           `json:"timeout,omitempty"`
}

// benchAnswer is what drive.py says of one.
type benchAnswer struct {
	Command []string
	Result  string
	Value   string
}

// drive runs the tool-info module with the real BenchExec, if that is installed, or with the stub.
func drive(t *testing.T, assay string, tasks []benchTask) (version string, answers []benchAnswer) {
	t.Helper()
	python := tool(t, "python3")
	input, err := json.Marshal(tasks)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "testdata/drive.py", contrib(t, "benchexec/assay.py"), assay)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	if exec.Command(python, "-c", "import benchexec").Run() != nil {
		cmd.Env = append(cmd.Env, "PYTHONPATH=testdata/stub")
	}
	var words bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &words
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, words.String())
	}
	var all struct {
		Name, Version string
		Tasks         []benchAnswer
	}
	if err := json.Unmarshal(out, &all); err != nil || all.Name != "assay" || len(all.Tasks) != len(tasks) {
		t.Fatalf("%v in %s", err, out)
	}
	return all.Version, all.Tasks
}

func TestBenchExecCommands(t *testing.T) {
	bin := program(t)
	c := map[string]any{"language": "C", "data_model": "ILP32"}
	version, got := drive(t, bin, []benchTask{
		{Files: []string{"a.c"}, Property: "p.prp", Options: c, CPUTime: 900, WallTime: 960, Memory: 15_000_000_000},
		{Files: []string{"a.c", "b.c"}, Property: "p.prp", Options: map[string]any{"language": "C", "data_model": "LP64"}, Arguments: []string{"--timeout", "5s"}, CPUTime: 900},
		{Files: []string{"a.c", "w/witness.yml"}, Property: "p.prp", Options: map[string]any{"language": "C", "witness_input_file": "witness.yml"}},
		{Files: []string{"a.c"}, Arguments: []string{"-m64"}, Options: c},
	})
	if !strings.HasPrefix(version, assay.Release) {
		t.Errorf("version %q", version)
	}
	for i, want := range []string{
		"check -m32 --spec p.prp --timeout 900s --memory 13589MiB a.c",
		"check --timeout 5s -m64 --spec p.prp a.c b.c",
		"validate --spec p.prp --witness w/witness.yml a.c",
		"check -m64 a.c",
	} {
		if line := strings.Join(got[i].Command, " "); line != want {
			t.Errorf("got %s\nwant %s", line, want)
		}
	}
}

// TestBenchExecOutput: what each end of a run means.
func TestBenchExecOutput(t *testing.T) {
	tests := []struct {
		task   benchTask
		result string
		value  string
	}{
		{benchTask{Output: "proved\ncertificate: accepted by Z3\nRESULT: true\n"}, "true", "accepted by Z3"},
		{benchTask{Output: "RESULT: true (uncertified)\n"}, "true", ""},
		{benchTask{Output: "RESULT: false(valid-deref)\n", Exit: 1}, "false(valid-deref)", ""},
		{benchTask{Output: "RESULT: unknown\nstderr of a library\n", Exit: 2}, "unknown", ""},
		{benchTask{Output: "f.c:1: error: x\n", Exit: 3}, "ERROR (input)", ""},
		{benchTask{Output: "assay: internal error\n", Exit: 4}, "ERROR (bug of assay)", ""},
		{benchTask{Output: "out of memory\n", Signal: 6}, "KILLED BY SIGNAL 6", ""},
		{benchTask{Output: "no answer\n", Signal: 9, Timeout: true}, "TIMEOUT", ""},
		{benchTask{Output: "x\n", Exit: 77}, "ERROR", ""},
	}
	dir := t.TempDir()
	for _, x := range []struct{ name, entry, output, result string }{
		{"c.yml", "invariant_set", "RESULT: confirmed\n", "true"},
		{"c.yml", "invariant_set", "RESULT: rejected\n", "false"},
		{"v.yml", "violation_sequence", "in function main, property valid-deref\nRESULT: confirmed\n", "false(valid-deref)"},
		{"v.yml", "violation_sequence", "RESULT: rejected\n", "true"},
		{"v.yml", "violation_sequence", "RESULT: unknown\n", "unknown"},
	} {
		witness := filepath.Join(dir, x.name)
		if err := os.WriteFile(witness, []byte("- entry_type: "+x.entry+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		tests = append(tests, struct {
			task   benchTask
			result string
			value  string
		}{benchTask{Files: []string{"a.c", witness}, Options: map[string]any{"language": "C", "witness_input_file": x.name}, Output: x.output}, x.result, ""})
	}
	var tasks []benchTask
	for _, x := range tests {
		if x.task.Files == nil {
			x.task.Files = []string{"a.c"}
		}
		tasks = append(tasks, x.task)
	}
	_, got := drive(t, "/bin/true", tasks)
	for i, x := range tests {
		if got[i].Result != x.result || got[i].Value != x.value {
			t.Errorf("%q: got %q, %q", x.task.Output, got[i].Result, got[i].Value)
		}
	}
}

// TestBenchExecRuns: property files decide what is asked, as the rules of the competition say.
func TestBenchExecRuns(t *testing.T) {
	bin, dir := program(t), t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	declarations := "#include <stdlib.h>\n#include <assert.h>\nint __VERIFIER_nondet_int(void);\nvoid reach_error(void) { assert(0); }\n"
	tests := []struct{ property, body, want string }{
		{"G ! call(reach_error())", "if (x == 3) reach_error();", "false(unreach-call)"},
		{"G ! call(reach_error())", "assert(x != 3);", "true"}, // ends the run
		{"G ! call(__VERIFIER_error())", "assert(x != 3);", "true"},
		{"G ! overflow", "x++;", "false(no-overflow)"},
		{"G ! overflow", "unsigned y = x; y++;", "true"},
		{"G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\nCHECK( init(main()), LTL(G valid-memtrack", "int *p = malloc(4); *p = x;", "false(valid-memtrack)"},
		{"G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\nCHECK( init(main()), LTL(G valid-memtrack", "int *p = malloc(4); p[x & 1] = x; free(p);", "false(valid-deref)"},
		{"G valid-memcleanup", "static int *p; p = malloc(4); *p = x;", "false(valid-memcleanup)"},
		{"G valid-memcleanup", "static int *p; p = malloc(4); *p = x; free(p);", "true"},
		{"F end", "while (x > 0) x--;", "true"},
		{"F end", "while (x > 0) ;", "false(termination)"},
		{"G ! data-race", "", "unknown"},
		{"G def-behavior", "", "unknown"},
	}
	var tasks []benchTask
	for i, x := range tests {
		name := string(rune('a' + i))
		tasks = append(tasks, benchTask{
			Files:    []string{file(name+".c", declarations+"int main(void) {\n  int x = __VERIFIER_nondet_int();\n  "+x.body+"\n  return 0;\n}\n")},
			Property: file(name+".prp", "CHECK( init(main()), LTL("+x.property+") )\n"),
			Options:  map[string]any{"language": "C", "data_model": "LP64"}, WallTime: 60, Run: true,
		})
	}
	_, got := drive(t, bin, tasks)
	for i, x := range tests {
		if got[i].Result != x.want {
			t.Errorf("%s of %q: %s, want %s", x.property, x.body, got[i].Result, x.want)
		}
	}
}

// TestBenchmarkDefinition: the definition is well-formed, every option is one that `assay check` has, and no
// category is there twice.
func TestBenchmarkDefinition(t *testing.T) {
	file, err := os.Open(contrib(t, "benchexec/assay.xml"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	help, err := exec.Command(program(t), "check", "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	var rundefinition string
	names := map[string][]string{}
	for d := xml.NewDecoder(file); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		attribute := func(name string) string {
			for _, a := range e.Attr {
				if a.Name.Local == name {
					return a.Value
				}
			}
			return ""
		}
		switch e.Name.Local {
		case "rundefinition":
			rundefinition = attribute("name")
		case "tasks":
			if name := attribute("name"); name == "" || slices.Contains(names[rundefinition], name) {
				t.Errorf("tasks %q of %s: no name, or twice", name, rundefinition)
			} else {
				names[rundefinition] = append(names[rundefinition], name)
			}
		case "option":
			if o := attribute("name"); !bytes.Contains(help, []byte(o+" ")) {
				t.Errorf("assay check has no option %s", o)
			}
		}
	}
	if len(names) < 5 || !reflect.DeepEqual(names["SV-COMP_no-data-race"], []string{"NoDataRace-Main"}) {
		t.Errorf("%v", names)
	}
}
