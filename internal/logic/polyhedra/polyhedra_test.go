package polyhedra

import (
	"context"
	"math/rand/v2"
	"testing"

	"assay/internal/logic/linear"
)

const box = 4

// points calls f with every integer point of the box.
func points(vars int, f func(p []int64)) {
	p := make([]int64, vars)
	var rec func(i int)
	rec = func(i int) {
		if i == vars {
			f(p)
			return
		}
		for p[i] = -box; p[i] <= box; p[i]++ {
			rec(i + 1)
		}
	}
	rec(0)
}

func contains(p Polyhedron, x []int64) bool {
	for _, c := range p.Constraints() {
		if !c.Holds(func(v linear.Var) linear.Number { return linear.Int(x[v]) }) {
			return false
		}
	}
	return true
}

func randomForm(r *rand.Rand, vars int) linear.Form {
	var ts []linear.Term
	for v := range vars {
		if r.IntN(2) == 0 {
			ts = append(ts, linear.Term{Var: linear.Var(v), Coef: linear.Int(r.Int64N(5) - 2)})
		}
	}
	return linear.NewForm(linear.Int(r.Int64N(9)-4), ts...)
}

func random(ctx context.Context, r *rand.Rand, vars int) Polyhedron {
	var cs []linear.Constraint
	for range r.IntN(5) {
		cs = append(cs, linear.Constraint{Form: randomForm(r, vars), Equality: r.IntN(4) == 0})
	}
	return Of(ctx, cs...)
}

// TestAgainstPoints compares every operation with the integer points of a box:
// all over-approximate, and those that are exact there are equal.
func TestAgainstPoints(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(1, 1))
	const vars = 3
	directions := Octagonal([]linear.Var{0, 1, 2}, [][2]linear.Var{{0, 1}, {1, 2}})
	for range 250 {
		p, q := random(ctx, r, vars), random(ctx, r, vars)
		c := linear.Constraint{Form: randomForm(r, vars)}
		meet := p.Meet(ctx, q.Constraints()...)
		join := p.Join(ctx, q, directions)
		projected := p.Project(ctx, func(v linear.Var) bool { return v == 1 })
		wide := p.Widen(ctx, join, []linear.Constraint{c})
		entails, within := p.Entails(ctx, c), p.Within(ctx, q)
		guard := []linear.Constraint{{Form: randomForm(r, vars)}}
		update := []linear.Form{randomForm(r, vars), randomForm(r, vars), linear.Variable(2)}
		image := p.Image(ctx, 2, guard, update[:2]) // variable 2 is a temporary
		points(vars, func(x []int64) {
			inP, inQ := contains(p, x), contains(q, x)
			if contains(meet, x) != (inP && inQ) {
				t.Fatalf("meet of %v and %v at %v", p, q, x)
			}
			if (inP || inQ) && !contains(join, x) {
				t.Fatalf("join of %v and %v is %v: misses %v", p, q, join, x)
			}
			if contains(join, x) && !contains(wide, x) {
				t.Fatalf("widening of %v by %v: misses %v", p, join, x)
			}
			if inP && !contains(projected, x) {
				t.Fatalf("projection of %v is %v: misses %v", p, projected, x)
			}
			if inP && entails && !c.Holds(func(v linear.Var) linear.Number { return linear.Int(x[v]) }) {
				t.Fatalf("%v does not entail %v", p, c)
			}
			if inP && within && !inQ {
				t.Fatalf("%v is not within %v", p, q)
			}
			at := func(v linear.Var) linear.Number { return linear.Int(x[v]) }
			if inP && guard[0].Holds(at) {
				y := []linear.Number{update[0].Eval(at), update[1].Eval(at)}
				for _, c := range image.Constraints() {
					if !c.Holds(func(v linear.Var) linear.Number { return y[v] }) {
						t.Fatalf("image of %v under %v, %v is %v: misses %v", p, guard, update, image, y)
					}
				}
			}
		})
	}
}

// TestJoinFindsEqualities: the affine hull of two points is their line.
func TestJoinFindsEqualities(t *testing.T) {
	ctx := context.Background()
	x, y := linear.Variable(0), linear.Variable(1)
	at := func(a, b int64) Polyhedron {
		return Of(ctx, linear.Equals(x, linear.Constant(linear.Int(a))), linear.Equals(y, linear.Constant(linear.Int(b))))
	}
	j := at(0, 0).Join(ctx, at(3, 6), nil)
	if !j.Entails(ctx, linear.Equals(y, x.Scale(linear.Int(2)))) || !j.Entails(ctx, linear.AtMost(x, linear.Constant(linear.Int(3)))) {
		t.Error(j.Format(func(v linear.Var) string { return string(rune('x' + v)) }))
	}
}

// TestWideningEnds counts x up with y = 2x: bounds go, the equality stays.
func TestWideningEnds(t *testing.T) {
	ctx := context.Background()
	x, y := linear.Variable(0), linear.Variable(1)
	one := linear.Int(1)
	start := Of(ctx, linear.Equals(x, linear.Form{}), linear.Equals(y, linear.Form{}))
	upTo := []linear.Constraint{linear.AtMost(x, linear.Constant(linear.Int(10)))}
	p := start
	for range 10 {
		q := p.Image(ctx, 2, []linear.Constraint{linear.Less(x, linear.Constant(linear.Int(10)))}, []linear.Form{x.Plus(one), y.Plus(linear.Int(2))})
		next := p.Widen(ctx, p.Join(ctx, q, nil), upTo)
		if next.Within(ctx, p) && p.Within(ctx, next) {
			break
		}
		p = next
	}
	for _, c := range []linear.Constraint{linear.Equals(y, x.Scale(linear.Int(2))), upTo[0], linear.AtLeast(x, linear.Form{})} {
		if !p.Entails(ctx, c) {
			t.Errorf("%v does not entail %v", p, c)
		}
	}
}
