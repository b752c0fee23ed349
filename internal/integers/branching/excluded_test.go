package branching

import (
	"math/rand/v2"
	"testing"

	"assay/internal/temporal/ctl"
)

// graph is a finite structure: successors, and the states in which p, and x, are true.
type graph struct {
	next [][]int
	p, x []bool
}

// holds is where a formula is true.
func (g *graph) holds(f ctl.Formula) []bool {
	out := make([]bool, len(g.next))
	set := func(of func(s int) bool) []bool {
		for s := range out {
			out[s] = of(s)
		}
		return out
	}
	step := func(q ctl.Quantifier, in []bool, s int) bool {
		for _, t := range g.next[s] {
			if in[t] != bool(q) {
				return in[t]
			}
		}
		return bool(q)
	}
	fixpoint := func(q ctl.Quantifier, a, b []bool, begin bool) []bool {
		set(func(int) bool { return begin })
		for changed := true; changed; {
			changed = false
			for s := range out {
				if is := b[s] || a[s] && step(q, out, s); is != out[s] {
					out[s], changed = is, true
				}
			}
		}
		return out
	}
	switch f := f.(type) {
	case ctl.Constant:
		return set(func(int) bool { return bool(f) })
	case ctl.Atom:
		if f.Text == "x" {
			return g.x
		}
		return g.p
	case ctl.Not:
		a := g.holds(f.F)
		return set(func(s int) bool { return !a[s] })
	case ctl.And:
		a, b := g.holds(f.F), g.holds(f.G)
		return set(func(s int) bool { return a[s] && b[s] })
	case ctl.Or:
		a, b := g.holds(f.F), g.holds(f.G)
		return set(func(s int) bool { return a[s] || b[s] })
	case ctl.Next:
		a := g.holds(f.F)
		return set(func(s int) bool { return step(f.Q, a, s) })
	case ctl.Until:
		return fixpoint(f.Q, g.holds(f.F), g.holds(f.G), false)
	case ctl.Weak:
		return fixpoint(f.Q, g.holds(f.F), g.holds(f.G), true)
	}
	panic("unexpected formula")
}

// randomFormula is one over the atom p.
func randomFormula(r *rand.Rand, depth int) ctl.Formula {
	if depth == 0 {
		return ctl.Atom{Text: "p"}
	}
	f := func() ctl.Formula {
		if r.IntN(6) == 0 {
			return ctl.Constant(r.IntN(2) == 0)
		}
		return randomFormula(r, depth-1)
	}
	q := ctl.Quantifier(r.IntN(2) == 0)
	switch r.IntN(7) {
	case 0:
		return ctl.Not{F: f()}
	case 1:
		return ctl.And{F: f(), G: f()}
	case 2:
		return ctl.Or{F: f(), G: f()}
	case 3:
		return ctl.Next{Q: q, F: f()}
	case 4:
		return ctl.Weak{Q: q, F: f(), G: f()}
	}
	return ctl.Until{Q: q, F: f(), G: f()}
}

// TestWithout: in states that have a run that is not excluded, a formula without the excluded runs is true where the formula is of
// the structure from which everything is taken that is in no other run.
func TestWithout(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 8))
	x := ctl.Atom{Text: "x"}
	compared := 0
	for range 4000 {
		n := 2 + r.IntN(5)
		g := &graph{next: make([][]int, n), p: make([]bool, n), x: make([]bool, n)}
		for s := range n {
			g.p[s], g.x[s] = r.IntN(2) == 0, s > 0 && r.IntN(4) == 0
			for range 1 + r.IntN(2) {
				g.next[s] = append(g.next[s], r.IntN(n))
			}
			if g.x[s] { // such a run ends there
				g.next[s] = []int{s}
			}
		}
		lasting := g.holds(lasts(x))
		f := randomFormula(r, 1+r.IntN(3))
		less := &graph{next: make([][]int, n), p: g.p, x: g.x}
		for s := range n {
			for _, u := range g.next[s] {
				if lasting[s] && lasting[u] {
					less.next[s] = append(less.next[s], u)
				}
			}
		}
		want, got := less.holds(f), g.holds(without(ctl.Normal(f), x))
		against := g.holds(ctl.Negation(without(ctl.Normal(f), x)))
		for s := range n {
			if lasting[s] && (want[s] != got[s] || against[s] == got[s]) {
				t.Fatalf("%v in state %d of %+v: %v, but %v is %v", f, s, g, want[s], without(ctl.Normal(f), x), got[s])
			}
			if lasting[s] {
				compared++
			}
		}
	}
	if compared < 5000 {
		t.Errorf("only %d states were compared", compared)
	}
}
