package linear

import (
	"math/rand/v2"
	"testing"
)

// TestDrop closes levels, and removes what they made: everything that is left has the bounds that it has in a
// program in which the levels never were, and the tableau keeps its invariants.
func TestDrop(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		s, plain := NewSimplex(t.Context()), NewSimplex(t.Context())
		number := func() Number { return Int(int64(r.IntN(11) - 5)) }
		form := func(vars Var) (f Form) {
			for range 1 + r.IntN(3) {
				f = f.AddScaled(number(), Variable(Var(r.IntN(int(vars)))))
			}
			return f.Plus(number())
		}
		variable := func(s *Simplex) {
			v := s.NewVar()
			s.AssertLower(v, Int(-20), 0)
			s.AssertUpper(v, Int(20), 0)
		}
		const vars = 4
		for range vars {
			variable(s)
			variable(plain)
		}
		broken := false
		for range 3 {
			c := Constraint{Form: form(vars), Equality: r.IntN(4) == 0}
			if !s.Assert(c, 0) || s.Check() != Feasible {
				broken = true
			}
			plain.Assert(c, 0)
		}
		if broken {
			continue
		}
		for range 3 {
			before := s.Vars()
			s.Push()
			for range r.IntN(3) {
				variable(s)
			}
			for range r.IntN(4) {
				if !s.Assert(Constraint{Form: form(s.Vars()), Equality: r.IntN(4) == 0}, 0) || s.Check() != Feasible {
					break
				}
				if r.IntN(2) == 0 {
					s.Minimize(form(s.Vars()))
				}
			}
			s.Pop()
			s.Drop(before)
			s.check()
			if s.Vars() != before {
				t.Fatalf("seed %d: %d variables are left of %d", seed, s.Vars(), before)
			}
			f := form(vars)
			f.Const = Number{}
			if x, ok := s.Sample(f); !ok {
				t.Fatalf("seed %d: no valuation is left", seed)
			} else if least, _ := plain.Minimize(f); x.Cmp(least) < 0 {
				t.Fatalf("seed %d: a valuation where the form is %v, the least is %v", seed, x, least)
			}
			n, st := s.Minimize(f)
			if m, want := plain.Minimize(f); st != want || st == Feasible && !n.Equal(m) {
				t.Fatalf("seed %d: the least is %v (%v), and without the level %v (%v)", seed, n, st, m, want)
			}
		}
	}
}
