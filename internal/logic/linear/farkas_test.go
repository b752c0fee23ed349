package linear

import (
	"context"
	"math/rand/v2"
	"testing"
)

// TestFarkas looks for the greatest constant d such that f - d is not negative on
// a polyhedron: by strong duality the minimum of f, which Solver knows, too. The
// solution is checked at integer points.
func TestFarkas(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(21, 22))
	bounded, empty := 0, 0
	for range 400 {
		cs := randomConstraints(r, 3, 1+r.IntN(5))
		f := randomForm(r, 3, 3)
		p := Farkas{Simplex: NewSimplex(ctx)}
		d := p.NewVar()
		var q Parametric
		q.Add(Constant(Int(1)), f)
		q.Add(Variable(d).Neg(), Constant(Int(1)))
		p.Require(cs, q)
		got, st := p.Solve(Variable(d))
		want, primal := NewSolver(ctx, 3, cs).Minimize(f)
		switch primal {
		case Feasible:
			bounded++
			if st != Feasible || !got.Equal(want) {
				t.Fatalf("minimum of %v under %v: %v, by Farkas %v (%v)", f, cs, want, got, st)
			}
			points(3, 2, func(x []int64) {
				if holdAll(cs, x) && f.Eval(at(x)).Cmp(got) < 0 {
					t.Fatalf("%v under %v at %v is below %v", f, cs, x, got)
				}
			})
		case Unbounded:
			if st == Feasible {
				t.Fatalf("a bound %v of the unbounded %v under %v", got, f, cs)
			}
		case Infeasible:
			empty++
		}
	}
	if bounded < 50 || empty < 10 {
		t.Error("too few cases:", bounded, empty)
	}
}

// TestConflict: the reasons of an infeasible program are contradictory on their own.
func TestConflict(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(5, 5))
	found := 0
	for range 500 {
		cs := randomConstraints(r, 3, 6)
		s := NewSimplex(ctx)
		for range 3 {
			s.NewVar()
		}
		feasible := true
		for i, c := range cs {
			if feasible = s.Assert(c, int32(i)); !feasible {
				break
			}
		}
		if feasible {
			feasible = s.Check() != Infeasible
		}
		if feasible {
			continue
		}
		found++
		var core []Constraint
		for _, reason := range s.Conflict() {
			core = append(core, cs[reason.ID])
			if reason.Multiplier.Sign() <= 0 {
				t.Fatal("a multiplier that is not positive")
			}
		}
		if IsFeasible(ctx, core) {
			t.Fatalf("the conflict %v of %v has a point", core, cs)
		}
	}
	if found < 100 {
		t.Error("only", found)
	}
}

// BenchmarkIrredundant drops redundant constraints of boxes with diagonals.
func BenchmarkIrredundant(b *testing.B) {
	var cs []Constraint
	for v := range Var(20) {
		x := Variable(v)
		cs = append(cs, AtLeast(x, Form{}), AtMost(x, Constant(Int(100))))
		if v > 0 {
			y := Variable(v - 1)
			cs = append(cs, AtMost(x.Sub(y), Constant(Int(100))), AtMost(x.Add(y), Constant(Int(150))))
		}
	}
	for b.Loop() {
		if n := len(Irredundant(context.Background(), cs)); n != 59 {
			b.Fatal(n)
		}
	}
}
