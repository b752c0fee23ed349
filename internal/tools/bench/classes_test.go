package bench

import (
	"strings"
	"testing"
)

func TestClasses(t *testing.T) {
	order := []string{"O(1)", "O(log n)", "O(n)", "O(n^2)", "O(n^4)", "EXP"}
	for i, c := range order {
		if class("bound("+c+")") != c || class(c) != c {
			t.Errorf("the class of %s", c)
		}
		for j, d := range order {
			if (growth(c) < growth(d)) != (i < j) {
				t.Errorf("%s and %s", c, d)
			}
		}
	}
	for _, none := range []string{"unknown", "unbounded", "timeout", "Omega(n)", "MAYBE"} {
		if class(none) != "" {
			t.Errorf("%s has a class", none)
		}
	}
	task := func(id string) Task { return Task{ID: id, Set: "costs", Property: "complexity", Integers: true} }
	results := []Result{
		{Task: task("a"), Answer: "bound(O(n))"}, {Task: task("b"), Answer: "bound(O(n^2))"}, {Task: task("c"), Answer: "unbounded"},
		{Task: task("d"), Answer: "unknown"}, {Task: task("e"), Answer: "bound(O(n))"},
	}
	var b strings.Builder
	writeClasses(&b, results)
	if got := strings.Join(strings.Fields(b.String()), " "); got != "BOUNDS BY CLASS set O(n) O(n^2) unbounded none costs 2 1 1 1" {
		t.Error(got)
	}
	p := &Peers{}
	for i, answer := range []string{"O(n^2)", "O(n)", "unknown", "O(1)", "unknown"} {
		p.runs = append(p.runs, peerRun{tool: "other", our: results[i], answer: answer})
	}
	b.Reset()
	p.WriteClasses(&b)
	if got := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(got, "other 1 0 1 1 1 b: O(n^2), other: O(n)") {
		t.Error(got)
	}
}

// TestCTLTasks: programs are asked with `check --ctl`, with what the note says of the start; systems with
// `solve --ctl`.
func TestCTLTasks(t *testing.T) {
	x := Task{ID: "a", Property: "ctl:[EF](p == 0)", Expected: "false", Paths: []string{"a.c"}, Integers: true, Precondition: "x == 1"}
	want := "check --json --ctl [EF](p == 0) --unmodelled pure --assume x == 1 --havoc-uninitialised --semantics integers --timeout 0s a.c"
	if got := strings.Join(Options{}.arguments(x, "--json"), " "); got != want || x.skipReason() != "" {
		t.Errorf("got %q, %q", got, x.skipReason())
	}
	if x.judge("false(ctl)") != correct || x.judge("true") != wrong || x.judge("unknown") != undecided {
		t.Error("the answers are judged otherwise")
	}
	x.Paths, x.Precondition = []string{"a.t2"}, ""
	if got := strings.Join(Options{}.arguments(x, "--json"), " "); got != "solve --json --ctl [EF](p == 0) --timeout 0s a.t2" || x.skipReason() != "" {
		t.Errorf("got %q, %q", got, x.skipReason())
	}
}

// TestComplexityTasks: they run `assay bound`, also on integer transition systems.
func TestComplexityTasks(t *testing.T) {
	x := Task{ID: "a", Property: "complexity", Expected: "unknown", Paths: []string{"a.koat"}, Integers: true}
	if why := x.skipReason(); why != "" {
		t.Error(why)
	}
	if got := strings.Join(Options{}.arguments(x, "--json"), " "); !strings.HasPrefix(got, "bound --json") || !strings.Contains(got, "--semantics integers") {
		t.Error(got)
	}
	if x.judge("bound(O(n))") != unjudged || x.judge("unknown") != undecided {
		t.Error("a bound without a label")
	}
	x.Expected = "O(n)"
	if x.judge("bound(O(n))") != correct || x.judge("bound(O(n^2))") != undecided || x.judge("unbounded") != wrong {
		t.Error("a bound with a label")
	}
}
