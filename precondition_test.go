package assay

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestPrecondition: conditions under which programs end that do not for all inputs.
func TestPrecondition(t *testing.T) {
	for name, test := range map[string]struct {
		source, function string
		semantics        Semantics
		answer           Answer
		want             string   // one that must be found, "" for none at all
		never            []string // none of these may be
	}{
		"step": {
			source: `void f(int x, int y) { while (x > 0) x = x - y; }`, function: "f", answer: False,
			want: "y >= 1", never: []string{"y >= 0", "y <= 0", "x >= 0", "x != 0"},
		},
		"greatest number": {
			source: `unsigned f(unsigned x) { unsigned i = 0; while (i <= x) i++; return i; }`, function: "f", answer: False,
			want: "x <= 4294967294",
		},
		"overflow": {
			source: `int main(void) { int n = __VERIFIER_nondet_int(); for (int i = 1; i <= n; i++) ; return 0; }`, answer: Unknown,
			want: "n <= 2147483646",
		},
		"wrapping": {
			source: `int main(void) { int x = __VERIFIER_nondet_int(); while (x > 0) x++; return 0; }`, answer: Unknown,
			want: "x <= 0", never: []string{"x <= 1", "x >= 0", "x != 0", "x <= 2147483646"},
		},
		"recursion": {
			source: `int g(int x) { return x == 0 ? 0 : g(x - 1); }`, function: "g", answer: Unknown,
			want: "x >= 0", never: []string{"x <= 0", "x <= -1"},
		},
		"integers": {
			source: `void f(int x, int y) { while (x != y) x++; }`, function: "f", semantics: SemanticsIntegers, answer: False,
			want: "x <= y", never: []string{"x >= y", "x > y"},
		},
		"an input of every iteration": {
			source: `int main(void) { for (;;) { int x = __VERIFIER_nondet_int(); if (x > 0) return 0; } }`, answer: False,
		},
		"no input matters": {
			source: `int main(void) { int x = __VERIFIER_nondet_int(); for (;;) x = 1; }`, answer: False,
		},
		"read twice": {
			source: `int in(void) { int x = __VERIFIER_nondet_int(); return x; } int main(void) { int a = in(); while (in() > 0) ; return a; }`, answer: False,
			never: []string{"x <= 0", "a <= 0"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := checkTermination(t, test.source, func(t *Task) {
				t.Program.Function, t.Program.Semantics, t.Engine.Precondition = test.function, test.semantics, true
				t.Engine.Deterministic, t.Timeout = true, 6*time.Second // of work: some searches for an answer end by the limit
			})
			if r.Answer != test.answer {
				t.Fatalf("got %s, reasons %v", r.Line(), r.Reasons)
			}
			var found []string
			for _, p := range r.TerminatesWhen {
				found = append(found, strings.Join(p.Condition, " && "))
				if p.Certificate == nil || p.Certificate.Checker == "" || len(p.Inputs) == 0 {
					t.Errorf("%v: no certificate, or no inputs", p)
				}
			}
			switch {
			case test.want == "" && test.never == nil && len(found) > 0, test.want != "" && len(found) == 0:
				t.Errorf("got %q, want %q", found, test.want)
			case test.want != "" && !slices.Contains(found, test.want):
				t.Logf("got %q, which are right, but not %q", found, test.want)
			}
			for _, bad := range test.never {
				if slices.Contains(found, bad) || bad == test.want {
					t.Errorf("%q is not enough", bad)
				}
			}
		})
	}
}

// TestNoPrecondition: nobody looks for one if nobody asked, or if every run ends.
func TestNoPrecondition(t *testing.T) {
	const endless = `int main(void) { int x = __VERIFIER_nondet_int(); while (x > 0) ; return 0; }`
	if r := checkTermination(t, endless, nil); r.Answer != False || r.TerminatesWhen != nil {
		t.Error(r.Line(), r.TerminatesWhen)
	}
	const ends = `int main(void) { int x = __VERIFIER_nondet_int(); while (x > 0) x--; return 0; }`
	if r := checkTermination(t, ends, func(t *Task) { t.Engine.Precondition = true }); r.Answer != True || r.TerminatesWhen != nil {
		t.Error(r.Line(), r.TerminatesWhen)
	}
}
