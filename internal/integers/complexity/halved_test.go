package complexity_test

import (
	"slices"
	"testing"

	"assay/internal/certify/accept"
	"assay/internal/integers/bound"
	"assay/internal/integers/complexity"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// TestHalved: what is halved has a logarithmic bound; a certificate with an error is rejected, and no run costs more.
func TestHalved(t *testing.T) {
	for _, rules := range []string{
		"f(x,y) -> g(x,y)\n g(x,y) -> g(z,y) :|: x >= 2 && 2*z <= x && 2*z >= x - 1",
		"f(x,y) -> g(x,y)\n g(x,y) -> g(z,y+1) :|: x - y >= 1 && 2*z <= x + y + 2 && 2*z >= x + y + 1",
		"f(x,y) -> g(x,y)\n g(x,y) -> h(x,y) :|: x >= 1\n h(x,y) -> h(x,y-1) :|: y > 0\n h(x,y) -> g(z,y) :|: 3*z <= x && 3*z >= x - 2",
	} {
		s, err := its.ReadKoAT("f.koat", header+rules+"\n)")
		if err != nil {
			t.Fatal(err)
		}
		f, ok := complexity.Upper(t.Context(), s).(complexity.Found)
		if !ok {
			t.Errorf("no bound of %s", rules)
			continue
		}
		if err := accept.Bound(t.Context(), s, &f.Certificate); err != nil {
			t.Error(err)
		}
		at := slices.IndexFunc(f.Certificate.Claims, func(c bound.Claim) bool {
			runs, ok := c.(bound.Runs)
			_, halved := runs.Rule.(bound.Halved)
			return ok && halved
		})
		if at < 0 {
			t.Errorf("%s: nothing is halved in %s", rules, f.Certificate.Bound.Format(s.VarName))
			continue
		}
		if _, wrong := exceed(s, f.Certificate.Bound, []int64{-2, 0, 1, 2, 5, 9}); wrong != "" {
			t.Error(wrong)
		}
		for _, change := range []func(*bound.Runs, *bound.Halved){
			func(c *bound.Runs, r *bound.Halved) { c.Bound = c.Bound.Sub(bound.Int(1)) },
			func(c *bound.Runs, r *bound.Halved) { r.Entries = nil },
			func(c *bound.Runs, r *bound.Halved) { r.Levels[0].Level[0] = r.Levels[0].Level[0].Plus(linear.Int(-2)) },
			func(c *bound.Runs, r *bound.Halved) { r.Levels[0].Level[0] = r.Levels[0].Level[0].Plus(linear.Int(2)) },
			func(c *bound.Runs, r *bound.Halved) { r.Levels = r.Levels[1:] },
		} {
			c := f.Certificate
			c.Claims = slices.Clone(c.Claims)
			runs := c.Claims[at].(bound.Runs)
			rule := runs.Rule.(bound.Halved)
			rule.Levels = slices.Clone(rule.Levels)
			for i := range rule.Levels {
				rule.Levels[i].Level = slices.Clone(rule.Levels[i].Level)
			}
			change(&runs, &rule)
			runs.Rule = rule
			c.Claims[at] = runs
			if accept.Bound(t.Context(), s, &c) == nil {
				t.Errorf("%s: a certificate with an error was accepted", rules)
			}
		}
	}
}
