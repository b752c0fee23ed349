package linear

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// numbers are the interesting ones: around overflow, and small fractions.
func randomNumber(r *rand.Rand) Number {
	pick := func() int64 {
		switch r.IntN(4) {
		case 0:
			return r.Int64N(7) - 3
		case 1:
			return math.MaxInt64 - r.Int64N(3)
		case 2:
			return math.MinInt64 + r.Int64N(3)
		}
		return r.Int64() >> r.IntN(63)
	}
	d := pick()
	if d == 0 || r.IntN(2) == 0 {
		d = 1
	}
	return FromBig(new(big.Rat).SetFrac(big.NewInt(pick()), big.NewInt(d)))
}

func TestNumbersAgainstBig(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50000 {
		x, y := randomNumber(r), randomNumber(r)
		check := func(op string, got Number, want *big.Rat) {
			t.Helper()
			if got.Big().Cmp(want) != 0 || !got.Equal(FromBig(want)) || got.String() != want.RatString() {
				t.Fatalf("%v %s %v: got %v, want %v", x, op, y, got, want.RatString())
			}
			if got.b == nil && (got.n == math.MinInt64 || got.d == 1 || got.d < 0 || got.d > 1 && gcd(got.n, got.d) != 1) {
				t.Fatalf("%v %s %v is not normal: %#v", x, op, y, got)
			}
		}
		check("+", x.Add(y), new(big.Rat).Add(x.Big(), y.Big()))
		check("-", x.Sub(y), new(big.Rat).Sub(x.Big(), y.Big()))
		check("*", x.Mul(y), new(big.Rat).Mul(x.Big(), y.Big()))
		if !y.IsZero() {
			check("/", x.Div(y), new(big.Rat).Quo(x.Big(), y.Big()))
		}
		if x.Cmp(y) != x.Big().Cmp(y.Big()) {
			t.Fatalf("cmp %v %v", x, y)
		}
		f := x.Floor()
		if d := x.Sub(f); !f.IsInt() || d.Sign() < 0 || d.Cmp(Int(1)) >= 0 {
			t.Fatalf("floor %v = %v", x, f)
		}
	}
}

func randomForm(r *rand.Rand, vars int, size int64) Form {
	var ts []Term
	for v := range vars {
		if c := r.Int64N(2*size+1) - size; c != 0 && r.IntN(3) > 0 {
			ts = append(ts, Term{Var(v), Int(c)})
		}
	}
	return NewForm(Int(r.Int64N(4*size+1)-2*size), ts...)
}

func randomConstraints(r *rand.Rand, vars, n int) []Constraint {
	var cs []Constraint
	for range n {
		cs = append(cs, Constraint{randomForm(r, vars, 3), r.IntN(5) == 0})
	}
	return cs
}

// points calls f with every integer point of the box [-k,k]^vars.
func points(vars int, k int64, f func(p []int64)) {
	p := make([]int64, vars)
	var rec func(i int)
	rec = func(i int) {
		if i == vars {
			f(p)
			return
		}
		for p[i] = -k; p[i] <= k; p[i]++ {
			rec(i + 1)
		}
	}
	rec(0)
}

func at(p []int64) func(Var) Number {
	return func(v Var) Number { return Int(p[v]) }
}

func holdAll(cs []Constraint, p []int64) bool {
	for _, c := range cs {
		if !c.Holds(at(p)) {
			return false
		}
	}
	return true
}

// TestTighten: the same integer points, and the negation is the complement.
func TestTighten(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		c := Constraint{randomForm(r, 2, 4).Scale(Fraction(1+r.Int64N(3), 1+r.Int64N(3))).Plus(Fraction(r.Int64N(5), 3)), r.IntN(3) == 0}
		d := c.Tighten()
		points(2, 4, func(p []int64) {
			if c.Holds(at(p)) != d.Holds(at(p)) {
				t.Fatalf("%v: %v tightened to %v", p, c, d)
			}
			negated := false
			for _, n := range c.Negations() {
				negated = negated || n.Holds(at(p))
			}
			if negated == c.Holds(at(p)) {
				t.Fatalf("%v: the negation of %v", p, c)
			}
		})
	}
}

func TestSimplify(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	ctx := context.Background()
	for range 500 {
		cs := randomConstraints(r, 2, 1+r.IntN(5))
		a, b := Simplify(cs), Irredundant(ctx, cs)
		points(2, 4, func(p []int64) {
			want := holdAll(cs, p)
			if holdAll(a, p) != want || holdAll(b, p) != want {
				t.Fatalf("%v: %v simplified to %v and %v", p, cs, a, b)
			}
		})
	}
}

// TestSimplex compares with points of a box: bounds are bounds, points found are
// points, and conflicts are Farkas combinations.
func TestSimplex(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	ctx := context.Background()
	counts := map[Status]int{}
	for range 300 {
		vars := 1 + r.IntN(3)
		s := NewSolver(ctx, vars, nil)
		stack := [][]Constraint{randomConstraints(r, vars, 1+r.IntN(4))}
		for _, c := range stack[0] {
			s.Assert(c)
		}
		for range 6 {
			switch {
			case r.IntN(3) > 0:
				more := randomConstraints(r, vars, 1+r.IntN(2))
				s.Push()
				for _, c := range more {
					s.Assert(c)
				}
				stack = append(stack, more)
			case len(stack) > 1:
				s.Pop()
				stack = stack[:len(stack)-1]
			}
			var all []Constraint
			for _, cs := range stack {
				all = append(all, cs...)
			}
			f := randomForm(r, vars, 3)
			n, st := s.Minimize(f)
			counts[st]++
			if !s.broken[len(s.broken)-1] {
				s.s.check()
			}
			if st == Feasible {
				for _, c := range all {
					if !c.Holds(s.Value) {
						t.Fatalf("%v does not hold at the point", c)
					}
				}
				if !f.Eval(s.Value).Equal(n) {
					t.Fatal("the optimum is not attained")
				}
			}
			points(vars, 3, func(p []int64) {
				if !holdAll(all, p) {
					return
				}
				if st == Infeasible || st == Feasible && f.Eval(at(p)).Cmp(n) < 0 {
					t.Fatalf("%v: %v, status %v, minimum of %v is %v", p, all, st, f, n)
				}
			})
		}
	}
	for _, st := range []Status{Feasible, Infeasible, Unbounded} {
		if counts[st] < 50 {
			t.Errorf("only %d of status %d", counts[st], st)
		}
	}
}
