package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay"
)

// write shows a result as text or JSON.
func write(t *testing.T, r *assay.Result, o Options) string {
	t.Helper()
	var b strings.Builder
	if err := Write(t.Context(), &b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func proof() *assay.Result {
	return &assay.Result{
		Answer: assay.True, Properties: []assay.Property{assay.UnreachCall}, Files: []string{"f.c"},
		Certificate: &assay.Certificate{Checker: "z3", Bounds: []assay.Bound{
			{Pos: assay.Position{File: "f.c", Line: 5, Col: 3}, Func: "main", N: 10},
			{Pos: assay.Position{File: "f.c", Line: 9}, Func: "fact", Recursion: true, N: 7},
		}},
		Unclean:     []assay.Place{{Pos: assay.Position{File: "f.c", Line: 9}, Kind: "signed overflow", Text: "signed overflow: addition"}},
		Assumptions: []assay.Assumption{{Pos: assay.Position{File: "f.c", Line: 2}, Text: "g has no body"}},
		Stats:       assay.Stats{Checks: 3, Total: time.Second},
	}
}

func TestTrue(t *testing.T) {
	got := write(t, proof(), Options{})
	want := `proved: no run violates unreach-call (3 checks)
unwound completely:
  f.c:5:3: loop, 10 times
  f.c:9: recursion of fact, 7 times
certificate: accepted by z3
undefined behaviour that was not excluded (the proof holds for the meaning in docs/soundness.md):
  f.c:9: signed overflow: addition
assumptions:
  f.c:2: g has no body
RESULT: true
`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestUncertified(t *testing.T) {
	r := proof()
	r.Certificate = &assay.Certificate{Unchecked: "--certify=off"}
	if got := write(t, r, Options{Quiet: true}); got != "RESULT: true (uncertified)\n" {
		t.Errorf("got %q", got)
	}
}

func TestUnknown(t *testing.T) {
	got := write(t, &assay.Result{
		Answer: assay.Unknown,
		Reasons: []assay.Reason{
			{Cause: "unwinding", Text: "the loop was not unwound completely", Pos: assay.Position{File: "f.c", Line: 4}, Hint: "raise --unwind"},
			{Cause: "timeout", Text: "the time limit was reached", Hint: "raise --unwind", Proved: 3, Searched: 2, Open: []assay.Place{{Pos: assay.Position{File: "f.c", Line: 9}}}},
		},
		Stats: assay.Stats{Depth: 12},
	}, Options{})
	want := `no answer:
  f.c:4: unwinding: the loop was not unwound completely
      hint: raise --unwind
  timeout: the time limit was reached
      proved: 3 of 6 checks; searched, without a certificate: 2, before every loop, no violation; open: f.c:9
no violation was found up to unwinding depth 12
RESULT: unknown
`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestChecksTable(t *testing.T) {
	r := proof()
	r.Checks = []assay.CheckResult{
		{Place: assay.Place{Pos: assay.Position{File: "f.c", Line: 3}, Func: "main", Text: "x > 0"}, Property: assay.UnreachCall, Answer: assay.True},
		{Place: assay.Place{Pos: assay.Position{File: "f.c", Line: 8}, Func: "g", Text: "y"}, Property: assay.DivByZero, Answer: assay.False},
	}
	got := write(t, r, Options{})
	for _, want := range []string{"1: true   unreach-call  main      f.c:3  x > 0", "2: FALSE  div-by-zero", "2 checks: 1 true, 1 false, 0 unknown"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in:\n%s", want, got)
		}
	}
}

func TestJSON(t *testing.T) {
	for _, r := range []*assay.Result{proof(), {Answer: assay.Unknown, Reasons: []assay.Reason{{Cause: "memory", Text: "x"}}}} {
		var got map[string]any
		out := write(t, r, Options{JSON: true})
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatalf("%v in:\n%s", err, out)
		}
		if got["verdict"] != string(r.Answer) || got["result"] != r.Line() || got["tool"] != "assay" {
			t.Errorf("got %v", got)
		}
		for _, list := range []string{"assumptions", "files", "properties"} {
			if _, ok := got[list].([]any); !ok {
				t.Errorf("%s is no list: %v", list, got[list])
			}
		}
	}
}

// record feeds steps to a tracer and returns what it prints.
func record(t *testing.T, full bool, steps []assay.Step) string {
	t.Helper()
	var b strings.Builder
	w := bufio.NewWriter(&b)
	tr := newTracer(&text{w: w, sources: Sources{}}, full).short
	for _, s := range steps {
		tr.Add(s)
	}
	tr.Close()
	w.Flush()
	return b.String()
}

func TestTraceLeavesOutTheMiddleOfLoops(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f.c")
	if err := os.WriteFile(file, []byte("int main(void) {\n  for (int i = 0; i < 50; i++)\n    sum += i;\n  assert(sum == 0);\n}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	at := func(line int) assay.Position { return assay.Position{File: file, Line: line} }
	var steps []assay.Step
	for i := range 50 {
		steps = append(steps,
			assay.Step{Kind: assay.StepAssign, Func: "main", Pos: at(2), Var: "i", Value: fmt.Sprint(i)},
			assay.Step{Kind: assay.StepAssign, Func: "main", Pos: at(3), Var: "sum", Value: fmt.Sprint(i * (i + 1) / 2)})
	}
	steps = append(steps, assay.Step{Kind: assay.StepViolation, Func: "main", Pos: at(4), Text: "assertion sum == 0"})
	got := record(t, false, steps)
	want := `  in main (FILE):
    2 | for (int i = 0; i < 50; i++)                  i = 0
    3 | sum += i;                                     sum = 0
    2 | for (int i = 0; i < 50; i++)                  i = 1
    3 | sum += i;                                     sum = 1
      … 94 steps of this loop left out (--trace shows all) …
    2 | for (int i = 0; i < 50; i++)                  i = 49
    3 | sum += i;                                     sum = 1225
    4 | assert(sum == 0);                             violation: assertion sum == 0
`
	if got = strings.ReplaceAll(got, file, "FILE"); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if full := record(t, true, steps); strings.Count(full, "\n") != 102 {
		t.Errorf("the full trace has %d lines:\n%s", strings.Count(full, "\n"), full)
	}
}

func TestTraceMemoryIsBounded(t *testing.T) {
	tr := newTracer(&text{w: bufio.NewWriter(&strings.Builder{}), sources: Sources{}}, false).short
	for i := range 100000 {
		tr.Add(assay.Step{Kind: assay.StepAssign, Func: "f", Pos: assay.Position{File: "f.c", Line: i % 7}, Var: "x"})
	}
	if len(tr.pending) > 200 {
		t.Errorf("%d steps are pending", len(tr.pending))
	}
}

func TestSourceMark(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f.c")
	if err := os.WriteFile(file, []byte("\ta[i] = 1;\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	Sources{}.show(&b, assay.Position{File: file, Line: 1, Col: 7})
	if want := "    1 |     a[i] = 1;\n      |          ^\n"; b.String() != want {
		t.Errorf("got:\n%swant:\n%s", b.String(), want)
	}
	Sources{}.show(&b, assay.Position{File: file, Line: 9})
	Sources{}.show(&b, assay.Position{File: "/no/such", Line: 1})
}

// TestLongTrace: both ends of a trace without repetitions are shown, and how much is between them.
func TestLongTrace(t *testing.T) {
	var steps []assay.Step
	for i := range 20000 {
		steps = append(steps, assay.Step{Kind: assay.StepAssign, Func: "f", Pos: assay.Position{File: "f.c", Line: i + 1}, Var: "x", Value: fmt.Sprint(i)})
	}
	got := record(t, false, steps)
	if n := strings.Count(got, "\n"); n != shownSteps+2 {
		t.Errorf("%d lines", n)
	}
	for _, want := range []string{"x = 0\n", "x = 2499\n", "… 15000 steps left out (--trace shows all) …\n", "x = 17500\n", "x = 19999\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if full := record(t, true, steps); strings.Count(full, "\n") != 20001 {
		t.Errorf("%d lines of the full trace", strings.Count(full, "\n"))
	}
}
