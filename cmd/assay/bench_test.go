package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// benchTasks writes a table over the bundled examples, and a task definition.
func benchTasks(t *testing.T, rows ...string) string {
	t.Helper()
	dir := t.TempDir()
	examples, err := filepath.Abs(example)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"tasks.csv":        "id,set,file,property,expected,data_model\n" + strings.Join(rows, "\n") + "\n",
		"no-overflow.prp":  "CHECK( init(main()), LTL(G ! overflow) )\n",
		"no-data-race.prp": "CHECK( init(main()), LTL(G ! data-race) )\n",
		"m.yml": `format_version: '2.0'
input_files: examples/midpoint.c
properties:
  - {property_file: no-overflow.prp, expected_verdict: false}
  - {property_file: no-data-race.prp, expected_verdict: true}
options: {language: C, data_model: LP64}
`,
		"all.set":   "*.yml\n",
		"peers.csv": "id,tool,correct,wall_s\nwrap,other,yes,0.5\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(examples, filepath.Join(dir, "examples")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// has fails the test unless the text has all the parts, in this order.
func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, part := range parts {
		i := strings.Index(rest, part)
		if i < 0 {
			t.Fatalf("%q is missing or too early in:\n%s", part, text)
		}
		rest = rest[i+len(part):]
	}
}

// TestBench runs a table and a set, resumes, and compares.
func TestBench(t *testing.T) {
	dir := benchTasks(t, "wrap,one,examples/wrap.c,unreach-call,false,LP64")
	out, page := filepath.Join(dir, "out.csv"), filepath.Join(dir, "out.html")
	args := []string{"bench", dir + "/tasks.csv", dir + "/all.set", "--limit=20", "--out", out, "--html", page}
	o := invoke(t, args...)
	if o.code != exitTrue {
		t.Fatalf("exit code %d:\n%s%s", o.code, o.stdout, o.stderr)
	}
	has(t, o.stdout, "one  other", "1", "set", "all  ", "one  ", "all", "skipped: 1 (property no-data-race)")
	has(t, o.stderr, "[1/3] yes", "false(unreach-call)  wrap", "false(no-overflow)  m.yml no-overflow", "skipped  m.yml no-data-race")
	html, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(html), "m.yml") {
		t.Errorf("the page: %v", err)
	}

	// Nothing runs again.
	o = invoke(t, append(args, "--resume")...)
	if o.code != exitTrue || !strings.Contains(o.stderr, "3 results of this version") || strings.Contains(o.stderr, "[") {
		t.Errorf("exit code %d:\n%s", o.code, o.stderr)
	}
	// Other options: everything runs again.
	o = invoke(t, append(args, "--resume", "--property=no-data-race", "--", "--unwind=3")...)
	if o.code != exitTrue || !strings.Contains(o.stderr, "3 results of another version or with other options") {
		t.Errorf("exit code %d:\n%s", o.code, o.stderr)
	}

	// A label that contradicts a replayed run.
	wrong := benchTasks(t, "wrap,one,examples/wrap.c,unreach-call,true,LP64")
	o = invoke(t, "bench", wrong+"/tasks.csv", "--limit=20", "--out", wrong+"/out.csv")
	if o.code != exitFalse {
		t.Errorf("exit code %d", o.code)
	}
	has(t, o.stdout, "WRONG ANSWERS", "examples/wrap.c: false(unreach-call), expected true", " check --property unreach-call --unmodelled pure --data-model lp64 --timeout 20s")

	o = invoke(t, "bench", "compare", out+".old", wrong+"/out.csv")
	if o.code != exitFalse {
		t.Errorf("exit code %d", o.code)
	}
	has(t, o.stdout, "solved of 1 tasks in both", "lost: 1", "BECAME WRONG: 1", "wrap")
	if o = invoke(t, "bench", "compare", wrong+"/out.csv", wrong+"/out.csv"); o.code != exitTrue || !strings.Contains(o.stdout, "still wrong: 1") {
		t.Errorf("exit code %d:\n%s", o.code, o.stdout)
	}
}

// TestBenchInterrupt: the first signal ends the run in order, a second one at
// once; either way nothing runs on, and the file of results can be resumed.
func TestBenchInterrupt(t *testing.T) {
	dir := benchTasks(t, "wrap,one,examples/wrap.c,unreach-call,false,LP64", "forever,one,examples/forever.c,unreach-call,true,LP64")
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	out := dir + "/out.csv"
	for _, signals := range []int{1, 2} {
		cmd, stdout, stderr := command(context.Background(), "bench", dir+"/tasks.csv", "--limit=60", "--out", out, "--resume")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitFor(t, "the first row", func() bool {
			text, _ := os.ReadFile(out)
			return strings.Count(string(text), "\n") == 2
		})
		waitFor(t, "the second task", func() bool { return len(started(dir)) > 0 })
		start := time.Now()
		for range signals {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
		}
		o := finish(t, cmd, stdout, stderr)
		if o.code != exitUnknown || time.Since(start) > 8*time.Second {
			t.Errorf("exit code %d after %s:\n%s%s", o.code, time.Since(start), o.stdout, o.stderr)
		}
		if signals == 1 {
			has(t, o.stdout, "one", "1 (100%)")
			has(t, o.stderr, "interrupted with 1 results")
		}
		waitFor(t, "the tasks to end", func() bool { return len(started(dir)) == 0 })
		if left, _ := os.ReadDir(temporary); len(left) > 0 {
			t.Errorf("%d temporary files are left, such as %s", len(left), left[0].Name())
		}
	}
}

// waitFor waits until a condition holds.
func waitFor(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for range 600 {
		if condition() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("waited in vain for %s", what)
}

// started are the running processes that check the program forever.c below dir.
func started(dir string) (out []string) {
	paths, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range paths {
		if text, _ := os.ReadFile(path); strings.Contains(string(text), dir+"/examples/forever.c") {
			out = append(out, path)
		}
	}
	return out
}
