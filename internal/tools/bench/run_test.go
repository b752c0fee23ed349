package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// built is the folder of the checker, if it was built.
var built string

// checker builds the program that stands for assay, once.
var checker = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "assay-bench-test-")
	if err != nil {
		return "", err
	}
	built = folder
	program := filepath.Join(folder, "checker")
	output, err := exec.Command("go", "build", "-o", program, "./testdata/checker").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, output)
	}
	return program, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if built != "" {
		_ = os.RemoveAll(built)
	}
	os.Exit(code)
}

// fake are the options of a run with the fake checker.
func fake(t *testing.T) Options {
	t.Helper()
	program, err := checker()
	if err != nil {
		t.Fatal(err)
	}
	return Options{Assay: program, Limit: 5 * time.Second, Parallel: 2, Temporary: t.TempDir()}
}

// behave is a task of the fake checker.
func behave(id, set, behaviour, expected string) Task {
	return Task{ID: id, Set: set, File: behaviour + ".c", Paths: []string{behaviour + ".c"}, Property: "unreach-call", Expected: expected}
}

func brieflyAll(results []Result) string {
	var parts []string
	for _, r := range results {
		parts = append(parts, fmt.Sprintf("%s %s %s", r.Task.ID, r.Answer, r.Correct))
	}
	return strings.Join(parts, ";")
}

func TestRun(t *testing.T) {
	o := fake(t)
	tasks := []Task{
		behave("a1", "one", "good", "true"), behave("a2", "one", "bad", "true"), behave("x/a3", "two", "bad", "false"),
		behave("a4", "two", "unsure", "true"), behave("a5", "two", "dead", "true"), behave("a6", "two", "memory", "unknown"),
		behave("a7", "two", "talk", "true"), behave("b1", "two", "good", "true"),
	}
	skip := behave("a8", "two", "good", "true")
	skip.Property = "no-data-race"
	tasks = append(tasks, skip)
	o.Only = "a?"
	var last Progress
	o.Progress = func(p Progress) { last = p }
	results, err := Run(t.Context(), tasks, o)
	if err != nil {
		t.Fatal(err)
	}
	want := "a1 true yes;a2 false(no-overflow) NO;x/a3 false(no-overflow) yes;a4 true (uncertified) yes;a5 crash ;a6 true ?;a7 crash ;a8 skipped "
	if got := brieflyAll(results); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if last.Done != 8 || last.Total != 8 || last.Solved != 2 || last.Wrong != 1 || last.Crashed != 2 || last.Skipped != 1 {
		t.Errorf("got %+v", last)
	}
	if m := results[5].Memory; m < 64<<20 || m > 512<<20 {
		t.Errorf("peak memory %d", m)
	}
	if !AnyWrong(results) {
		t.Error("the wrong answer is not seen")
	}
	var b strings.Builder
	WriteSummary(&b, results, o)
	out := b.String()
	for _, want := range []string{
		"solved", "one", "two", "all", "\nskipped: 1 (property no-data-race)\n",
		"DECIDED WITHOUT", "memory.c: true", "CRASHES", "dead.c: crash, expected true: unreach-call signal 9 (killed): about to crash",
		"\n    " + o.Command(tasks[4]), "WRONG ANSWERS", "bad.c: false(no-overflow), expected true", "\n    " + o.Command(tasks[1]) + "\n",
	} {
		i := strings.Index(out, want)
		if i < 0 {
			t.Fatalf("%q is missing or too early in:\n%s", want, b.String())
		}
		out = out[i:]
	}
	// Of the 7 tasks that ran: 2 solved (+2 +1), 1 wrong false (-16).
	if got := strings.Join(countTable(results)[3][:14], " "); got != "all 7 2 (28%) 1 1 1 1 1 0 0 0 2 0 -13" {
		t.Errorf("got %s", got)
	}
}

// TestWitnesses: the witness of each answer is judged by a process of its own.
func TestWitnesses(t *testing.T) {
	o := fake(t)
	o.Witnesses = true
	temporal := behave("a5", "two", "good", "true")
	temporal.Property = "ltl:G \"x > 0\""
	results, err := Run(t.Context(), []Task{
		behave("a1", "one", "good", "true"), behave("a2", "one", "bad", "false"), behave("a3", "two", "unsure", "true"), behave("a4", "two", "memory", "true"), temporal,
	}, o)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range results {
		got = append(got, r.Task.ID+" "+r.Witness)
	}
	if want := "a1 confirmed;a2 none;a3 unknown;a4 error;a5 "; strings.Join(got, ";") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if results[2].Validation < 200*time.Millisecond {
		t.Errorf("the validation took %v", results[2].Validation)
	}
	var b strings.Builder
	WriteSummary(&b, results, o)
	for _, want := range []string{"WITNESSES", "in 3 times the time", "bad.c: false(no-overflow): witness none", "unsure.c: true (uncertified): witness unknown"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "good.c: true") {
		t.Errorf("what is confirmed is listed:\n%s", b.String())
	}
	var row strings.Builder
	writeRow(&row, resultColumns)
	writeRow(&row, fields(results[2], Provenance{}))
	if back, err := parseResults("r.csv", strings.NewReader(row.String())); err != nil || back[0].Witness != "unknown" || back[0].Validation < 200*time.Millisecond {
		t.Errorf("%+v %v", back, err)
	}
}

// TestProcessorTimeOfTheGroup: what a descendant used counts, although nobody
// waited for it and it had to be killed.
func TestProcessorTimeOfTheGroup(t *testing.T) {
	results, err := Run(t.Context(), []Task{behave("a", "s", "burn", "true")}, fake(t))
	if err != nil || brieflyAll(results) != "a true yes" || results[0].CPU < 300*time.Millisecond {
		t.Errorf("got %+v, %v", results, err)
	}
}

// TestNothingIsLeft runs a thousand tasks of all kinds in a row: no process,
// zombie, descriptor, goroutine, file or memory may be left.
func TestNothingIsLeft(t *testing.T) {
	n := 1000
	if testing.Short() {
		n = 100
	}
	o := fake(t)
	o.Parallel = 4
	var tasks []Task
	for i := range n {
		behaviour := []string{"good", "bad", "unsure", "grandchild", "dead", "session", "good", "bad", "good", "good"}[i%10]
		if i%250 == 77 {
			behaviour = "talk"
		}
		tasks = append(tasks, behave(fmt.Sprint(i), "s", behaviour, "true"))
	}
	// A first run starts the threads and opens the descriptors of the run-time.
	if _, err := Run(t.Context(), tasks[:8], o); err != nil {
		t.Fatal(err)
	}
	before := measure(t)
	results, err := Run(t.Context(), tasks, o)
	if err != nil || len(results) != n {
		t.Fatalf("%d results, %v", len(results), err)
	}
	for i, r := range results {
		want := map[string]string{"good": "true", "bad": "false(no-overflow)", "unsure": "true (uncertified)", "dead": "crash", "talk": "crash"}
		behaviour := strings.TrimSuffix(r.Task.File, ".c")
		if w, ok := want[behaviour]; ok && r.Answer != w || r.Task.ID != fmt.Sprint(i) {
			t.Fatalf("task %d (%s): got %s: %s", i, behaviour, r.Answer, r.Reason)
		}
	}
	after := measure(t)
	if after.descriptors > before.descriptors || after.goroutines > before.goroutines {
		t.Errorf("before %+v, after %+v", before, after)
	}
	if after.heap > before.heap+8<<20 {
		t.Errorf("the heap grew from %d to %d bytes", before.heap, after.heap)
	}
	if left := foreignChildren(); len(left) > 0 {
		t.Errorf("children are left: %v", left)
	}
	if left := marked(t); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
	if left, _ := os.ReadDir(o.Temporary); len(left) > 0 {
		t.Errorf("%d files are left, such as %s", len(left), left[0].Name())
	}
}

// usage of this process.
type usage struct {
	descriptors, goroutines int
	heap                    uint64
}

func measure(t *testing.T) usage {
	t.Helper()
	runtime.GC()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return usage{len(entries), runtime.NumGoroutine(), m.HeapAlloc}
}

// marked are the processes of the machine that a task of ours started.
func marked(t *testing.T) (out []string) {
	t.Helper()
	paths, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range paths {
		text, _ := os.ReadFile(path)
		if strings.Contains(string(text), fmt.Sprintf("%s=%d.", taskVariable, os.Getpid())) {
			out = append(out, path)
		}
	}
	return out
}

func TestInterruptEndsTheRun(t *testing.T) {
	o := fake(t)
	o.Limit = time.Minute
	ctx, cancel := context.WithCancel(t.Context())
	var start time.Time
	o.Progress = func(Progress) {
		start = time.Now()
		time.AfterFunc(200*time.Millisecond, cancel)
	}
	tasks := []Task{behave("a", "s", "good", "true"), behave("b", "s", "hang", "true"), behave("c", "s", "hang", "true"), behave("d", "s", "good", "true")}
	results, err := Run(ctx, tasks, o)
	if err != nil || brieflyAll(results) != "a true yes" || time.Since(start) > 10*time.Second {
		t.Errorf("got %v, %v after %s", results, err, time.Since(start))
	}
	if left := append(marked(t), fmt.Sprint(foreignChildren())); len(left) != 1 || left[0] != "[]" {
		t.Errorf("processes are left: %v", left)
	}
}

// TestRecordFails: a full disk ends the run.
func TestRecordFails(t *testing.T) {
	o := fake(t)
	full := errors.New("disk full")
	o.Parallel = 1
	n := 0
	o.Record = func(Result) error {
		if n++; n == 2 {
			return full
		}
		return nil
	}
	var tasks []Task
	for i := range 10 {
		tasks = append(tasks, behave(fmt.Sprint(i), "s", "good", "true"))
	}
	results, err := Run(t.Context(), tasks, o)
	if !errors.Is(err, full) || len(results) != 1 || n != 2 {
		t.Errorf("got %d results after %d, %v", len(results), n, err)
	}
}

// TestCapture keeps both ends.
func TestCapture(t *testing.T) {
	c := capture{limit: 4}
	var all strings.Builder
	for i := range 20 {
		word := strings.Repeat(string(rune('a'+i)), 1+i%3)
		all.WriteString(word)
		if n, err := c.Write([]byte(word)); n != len(word) || err != nil {
			t.Fatalf("got %d, %v", n, err)
		}
		got := string(c.bytes())
		if !c.truncated && got != all.String() {
			t.Errorf("got %q of %q", got, all.String())
		}
		if c.truncated && (!strings.HasPrefix(all.String(), got[:4]) || !strings.HasSuffix(all.String(), got[4:]) || len(got) > 4+8) {
			t.Errorf("got %q of %q", got, all.String())
		}
	}
	if !c.truncated {
		t.Error("nothing was cut")
	}
}
