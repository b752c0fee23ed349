package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// result builds a result of a task of the set s.
func result(id, expected, answer string, cpu time.Duration) Result {
	r := Result{Task: Task{ID: id, Set: "s", File: id + ".c", Paths: []string{id + ".c"}, Property: "unreach-call", Expected: expected}, Answer: answer, CPU: cpu}
	r.Correct = r.Task.judge(answer)
	return r
}

func TestResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.csv")
	p := Provenance{"--timeout 10s", "1.0"}
	log, found, err := ResumeLog(path, p)
	if err != nil || len(found.Known) != 0 {
		t.Fatalf("got %+v, %v", found, err)
	}
	a := result("a", "true", "true", 1500*time.Millisecond)
	a.Reason, a.Memory, a.Wall = "two\nlines, \"quoted\"", 3<<20, 2*time.Second
	for _, r := range []Result{a, result("b", "false", "false(unreach-call)", time.Second)} {
		if err := log.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	log.Close()
	// The machine goes down while a row is written.
	appendText(t, path, "c,s,c.c,unreach-call,tr")

	log, found, err = ResumeLog(path, p)
	if err != nil || len(found.Known) != 2 || found.Dropped != 0 {
		t.Fatalf("got %+v, %v", found, err)
	}
	got := found.Known[a.Task.Key()]
	if got.Answer != "true" || got.CPU != a.CPU || got.Wall != a.Wall || got.Memory != a.Memory || got.Reason != `two lines, "quoted"` {
		t.Errorf("got %+v", got)
	}
	if err := log.Append(result("c", "true", "unknown", 0)); err != nil {
		t.Fatal(err)
	}
	log.Close()
	results, err := ReadResults(path)
	if err != nil || brieflyAll(results) != "a true yes;b false(unreach-call) yes;c unknown " {
		t.Errorf("got %s, %v", brieflyAll(results), err)
	}

	// Known tasks do not run again, and do not get a second row.
	o := fake(t)
	o.Known = found.Known
	o.Record = func(r Result) error { t.Errorf("recorded %+v", r); return nil }
	known := a.Task
	known.Expected = "false" // the label was corrected meanwhile
	results, err = Run(t.Context(), []Task{known}, o)
	if err != nil || brieflyAll(results) != "a true NO" {
		t.Errorf("got %s, %v", brieflyAll(results), err)
	}

	// Another version knows nothing; the old rows are kept aside.
	log, found, err = ResumeLog(path, Provenance{"--timeout 10s", "1.1"})
	if err != nil || len(found.Known) != 0 || found.Dropped != 3 {
		t.Fatalf("got %+v, %v", found, err)
	}
	log.Close()
	if results, err = ReadResults(found.Backup); err != nil || len(results) != 3 {
		t.Errorf("got %v, %v", results, err)
	}
	if results, err = ReadResults(path); err != nil || len(results) != 0 {
		t.Errorf("got %v, %v", results, err)
	}
	if _, err := os.Stat(path + ".tmp"); err == nil {
		t.Error("a temporary file is left")
	}
}

// appendText adds text to a file.
func appendText(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func TestBadResults(t *testing.T) {
	const header = "id,expected,answer,correct,cpu_s\n"
	for text, want := range map[string]string{
		"id\n":                                     `:1: the column "expected" is missing`,
		header + ",true,true,yes,1\n":              ":2: the id or the answer is empty",
		header + "a,true,true,maybe,1\n":           `:2: the column correct holds "maybe"`,
		header + "a,true,true,yes,-1\n":            `:2: the column cpu_s holds "-1"`,
		header + "a,true,true,yes,NaN\n":           `:2: the column cpu_s holds "NaN"`,
		header + "a,true,true,yes,1\na,,true,,1\n": ":3: the task a with this property is in line 2 already",
	} {
		if _, err := parseResults("r.csv", strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), "r.csv"+want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	path := filepath.Join(at(t, map[string]string{"r.csv": header + "a,true,true,yes,1\n"}), "r.csv")
	if _, _, err := ResumeLog(path, Provenance{}); err == nil || !strings.Contains(err.Error(), "column") {
		t.Errorf("a table without the columns of a resumable run: got %v", err)
	}
}

// FuzzRow: what is written is read back, in one line.
func FuzzRow(f *testing.F) {
	f.Add("a", "true", "reason", "--limit 1", int64(12), int64(1<<20))
	f.Add(" a\"", "false(x)", "a,\"b\"\r\nc", "", int64(0), int64(0))
	f.Fuzz(func(t *testing.T, id, answer, reason, settings string, milliseconds, memory int64) {
		milliseconds = min(max(milliseconds, 0), 1e11)
		memory = min(max(memory, 0), 1<<44)
		r := Result{Task: Task{ID: id, Property: "p"}, Answer: answer, Reason: reason, CPU: time.Duration(milliseconds) * time.Millisecond, Memory: memory}
		var b strings.Builder
		writeRow(&b, resultColumns)
		writeRow(&b, fields(r, Provenance{Settings: settings}))
		if n := strings.Count(b.String(), "\n"); n != 2 {
			t.Fatalf("%d lines", n)
		}
		results, err := parseResults("r.csv", strings.NewReader(b.String()))
		if err != nil {
			if lineBreaks.Replace(id) == "" || lineBreaks.Replace(answer) == "" {
				return
			}
			t.Fatal(err)
		}
		got := results[0]
		if got.Task.ID != lineBreaks.Replace(id) || got.Answer != lineBreaks.Replace(answer) || got.Reason != lineBreaks.Replace(reason) {
			t.Errorf("got %+v, want %+v", got, r)
		}
		if d := got.CPU - r.CPU; d > time.Millisecond || d < -time.Millisecond || got.Memory-memory > 1<<17 || memory-got.Memory > 1<<17 {
			t.Errorf("got %s and %d, want %s and %d", got.CPU, got.Memory, r.CPU, memory)
		}
	})
}

func TestCompare(t *testing.T) {
	old := []Result{
		result("gained", "true", "unknown", time.Second), result("lost", "true", "true", time.Second),
		result("uncertified", "true", "true", time.Second),
		result("wrong", "false", "timeout", 0), result("still", "false", "true", 0), result("healed", "false", "true", 0),
		result("fast", "true", "true", 3*time.Second), result("slow", "true", "true", time.Second),
		result("same", "true", "true", 100*time.Millisecond), result("gone", "true", "true", 0),
		result("skipped", "true", "skipped", 0), result("crash", "true", "unknown", 0),
	}
	now := []Result{
		result("gained", "true", "true", time.Second), result("lost", "true", "timeout", time.Second),
		result("uncertified", "true", "true (uncertified)", time.Second),
		result("wrong", "false", "true", 0), result("still", "false", "true", 0), result("healed", "false", "unknown", 0),
		result("fast", "true", "true", time.Second), result("slow", "true", "true", 2*time.Second),
		result("same", "true", "true", 200*time.Millisecond), result("new", "true", "false(unreach-call)", 0),
		result("skipped", "true", "true", 0), result("crash", "true", "crash", 0),
	}
	c := Compare(old, now, Threshold{1.5, 500 * time.Millisecond})
	names := func(changes []Change) string {
		var out []string
		for _, d := range changes {
			out = append(out, d.New.Task.ID)
		}
		return strings.Join(out, " ")
	}
	for _, test := range []struct {
		changes []Change
		want    string
	}{
		{c.BecameWrong, "wrong new"}, {c.StillWrong, "still"}, {c.NoLongerWrong, "healed"}, {c.BecameCrash, "crash"},
		{c.Lost, "lost uncertified"}, {c.Gained, "gained"}, {c.Faster, "fast"}, {c.Slower, "slow"},
	} {
		if got := names(test.changes); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
	if c.Common != 10 || c.OnlyOld != 1 || c.OnlyNew != 2 || c.OldSolved != 5 || c.NewSolved != 4 || c.BothSolved != 3 ||
		c.OldCPU != 4100*time.Millisecond || c.NewCPU != 3200*time.Millisecond || c.OldPoints != 10-64 || c.NewPoints != 8-64 {
		t.Errorf("got %+v", c)
	}
	var b strings.Builder
	c.Write(&b)
	for _, want := range []string{"solved of 10 tasks in both", "lost: 2", "BECAME WRONG: 2", "(not run) -> false(unreach-call) 0.000 s"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, b.String())
		}
	}
}
