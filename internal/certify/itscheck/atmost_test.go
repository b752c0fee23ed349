package itscheck

import (
	"testing"

	"assay/internal/integers/bound"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// TestAtMost compares expressions: what holds for all values is proved, what does not is rejected.
func TestAtMost(t *testing.T) {
	s := &its.System{Variables: []string{"n", "m"}}
	parse := func(text string) bound.Expression {
		e, err := bound.Parse(text, func(name string) (linear.Var, bool) {
			for v, n := range s.Variables {
				if n == name {
					return linear.Var(v), true
				}
			}
			return 0, false
		})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for _, c := range []struct {
		e, limit string
		holds    bool
	}{
		{"max(0, n) + 2", "max(0, n) + 2", true},
		{"max(0, n) + 2", "max(0, n) + 1", false},
		{"max(0, n) + 2", "n + 2", false},
		{"n", "max(0, n)", true},
		{"1/2*max(0, n)", "max(0, n)", true},
		{"-n", "max(0, -n)", true},
		{"max(0, n)*max(0, m) + max(0, n)", "max(0, n)*max(0, m + 1)", false}, // for m = -2
		{"max(0, n)*max(0, m) + max(0, n)", "max(0, n)*(max(0, m) + 1)", true},
		{"max(0, n)*max(0, m)", "max(n, m, 0)^2", true},
		{"max(0, n)^2", "100*max(0, n) + 20", false},
	} {
		if err := AtMost(t.Context(), s, parse(c.e), parse(c.limit)); (err == nil) != c.holds {
			t.Errorf("%s <= %s: %v", c.e, c.limit, err)
		}
	}
}
