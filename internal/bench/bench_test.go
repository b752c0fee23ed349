package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/internal/process"
)

func TestJudge(t *testing.T) {
	for _, test := range []struct {
		expected, answer string
		want             correctness
	}{
		{"true", "true", correct},
		{"true", "true (uncertified)", correct},
		{"true", "false(unreach-call)", wrong},
		{"false", "false(no-overflow)", correct},
		{"false", "true", wrong},
		{"valid-deref", "false(valid-deref)", correct},
		{"valid-deref", "false(valid-free)", wrong},
		{"valid-free", "true", wrong},
		{"unknown", "true", unjudged},
		{"true", "unknown", undecided},
		{"false", "timeout", undecided},
	} {
		if got := (Task{Expected: test.expected}).judge(test.answer); got != test.want {
			t.Errorf("expected %s, answer %s: got %q, want %q", test.expected, test.answer, got, test.want)
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

// table writes a table of tasks and a fake assay that answers by file name.
func fixture(t *testing.T) (tasks, assay string) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tasks = write("tasks.csv", `id,set,file,property,expected,data_model,semantics,lines
a1,one,p/good.c,unreach-call,true,ILP32,,3
a2,one,p/bad.c,unreach-call,true,ILP32,,3
a3,two,p/slow.c,no-overflow,false,LP64,,3
a4,two,p/bad.c,no-overflow,false,LP64,,3
a5,two,p/good.c,termination,true,LP64,,3
a6,two,p/good.c,unreach-call,true,LP64,integers,3
a7,two,p/dead.c,unreach-call,true,LP64,,3
`, 0o644)
	write("peers.csv", "id,set,tool,limit_s,answer,correct,wall_s\na1,one,2ls,10,true,yes,0.1\na2,one,2ls,10,unknown,,0.1\na3,two,cbmc,10,false,yes,0.1\n", 0o644)
	assay = write("assay", `#!/bin/sh
for last; do :; done
case "$last" in
*good.c) echo '{"result":"true"}' ;;
*bad.c) echo '{"result":"false(no-overflow)"}'; exit 1 ;;
*slow.c) sleep 60 & wait ;;
*dead.c) kill -SEGV $$ ;;
esac
`, 0o755)
	return tasks, assay
}

func TestRun(t *testing.T) {
	path, assay := fixture(t)
	tasks, err := ReadTasks(path)
	if err != nil {
		t.Fatal(err)
	}
	// The wall limit is far above the processor limit; the context ends the slow one.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := Options{Assay: assay, Limit: time.Second, Parallel: 2, Only: "a[124567]"}
	results, err := Run(ctx, tasks, o)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range results {
		got = append(got, fmt.Sprintf("%s %s %s", r.Task.ID, r.Answer, r.Correct))
	}
	want := "a1 true yes;a2 false(no-overflow) NO;a4 false(no-overflow) yes;a5 skipped ;a6 skipped ;a7 crash "
	if s := strings.Join(got, ";"); s != want {
		t.Errorf("got %s\nwant %s", s, want)
	}
	if !AnyWrong(results) {
		t.Error("the wrong answer is not seen")
	}

	var b strings.Builder
	WriteSummary(&b, results)
	if err := WritePeers(&b, path, results); err != nil {
		t.Fatal(err)
	}
	out := b.String()
	order := []string{"WRONG ANSWERS", "p/bad.c", "CRASHES", "p/dead.c", "solved", "one", "two", "all", "skipped: 1 (property termination), 1 (unbounded integers)", "assay : 2ls", "1 : 1"}
	for _, want := range order {
		i := strings.Index(out, want)
		if i < 0 {
			t.Fatalf("%q is missing or too early in:\n%s", want, b.String())
		}
		out = out[i:]
	}
	csv := filepath.Join(t.TempDir(), "out.csv")
	if err := WriteCSV(csv, results); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(csv)
	if !strings.HasPrefix(string(data), "id,set,file,property,expected,answer,correct,cpu_s,wall_s,reason\na1,one,p/good.c,unreach-call,true,true,yes,") {
		t.Errorf("got:\n%s", data)
	}
}

func TestInterruptEndsTheRun(t *testing.T) {
	path, assay := fixture(t)
	tasks, err := ReadTasks(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	start := time.Now()
	results, err := Run(ctx, tasks, Options{Assay: assay, Limit: time.Minute, Only: "a3"})
	if err != nil || len(results) != 0 || time.Since(start) > 10*time.Second {
		t.Errorf("got %v, %v after %s", results, err, time.Since(start))
	}
}

func TestBadTables(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		"":              "reading the header line",
		"id,set,file\n": `column "property" is missing`,
		"id,set,file,property,expected,data_model\na,b,c,d,e,f,g\n": "more fields than the header has",
	} {
		path := filepath.Join(dir, "t.csv")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadTasks(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v", text, err)
		}
	}
	tasks := []Task{{ID: "a", Set: "s"}}
	for _, o := range []Options{{Sets: []string{"none"}}, {Only: "x"}, {Only: "["}} {
		if _, err := Run(t.Context(), tasks, o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}
