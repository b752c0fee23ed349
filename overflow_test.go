package assay

import (
	"slices"
	"testing"

	"assay/internal/evidence/verdict"
)

// TestTerminationUpToOverflow: answers for C that rest on the absence of an overflow, or
// not, through all engines.
func TestTerminationUpToOverflow(t *testing.T) {
	for _, c := range []struct {
		name, source string
		want         Answer
	}{
		{"bounded sum", `extern int nondet(void); int main(void) { int n = nondet(), s = 0; if (n > 1000) return 0; for (int i = 0; i < n; i++) { s += i; if (s < 0) for (;;); } return 0; }`, True},
		{"only by wrapping", `extern int nondet(void); int main(void) { int x = nondet(); if (x < 1) return 0; while (x > 0) x = x + x; return 0; }`, Unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := checkTermination(t, c.source, nil)
			if r.Answer != c.want {
				t.Errorf("%s, %v, want %v", r.Line(), r.Reasons, c.want)
			}
			if c.want == Unknown && !slices.ContainsFunc(r.Reasons, func(x Reason) bool { return x.Cause == verdict.CauseOverflow.String() }) {
				t.Errorf("%v does not name the overflow", r.Reasons)
			}
		})
	}
}
