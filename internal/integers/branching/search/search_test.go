package search_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"assay/internal/certify/branchcheck"
	"assay/internal/certify/itscheck"
	"assay/internal/integers/branching"
	"assay/internal/integers/branching/search"
	"assay/internal/integers/equations"
	"assay/internal/integers/its"
	"assay/internal/integers/region"
	"assay/internal/logic/linear"
	"assay/internal/logic/polyhedra"
	"assay/internal/temporal/ctl"
)

var random = flag.Int("random", 60, "how many random pairs of a system and a formula")

// size is how many values a variable of a random system has.
const size = 4

var x, y = linear.Variable(0), linear.Variable(1)

func number(n int) linear.Form { return linear.Constant(linear.Int(int64(n))) }

// system is a random system whose variables stay between 0 and size-1; with products, transitions may have
// some in conditions and updates.
func system(r *rand.Rand, products bool) *its.System {
	s := its.NewSystem("x", "y")
	for range 1 + r.IntN(3) {
		s.AddLocation(fmt.Sprint("l", len(s.Locations)))
	}
	for range 2 + r.IntN(5) {
		b := s.Build(its.Location(r.IntN(len(s.Locations))), its.Location(r.IntN(len(s.Locations))))
		for range r.IntN(3) {
			v := []linear.Form{x, y, x.Sub(y)}[r.IntN(3)]
			switch n := number(r.IntN(size)); r.IntN(3) {
			case 0:
				b.Assume(linear.AtLeast(v, n))
			case 1:
				b.Assume(linear.AtMost(v, n))
			default:
				b.Assume(linear.Equals(v, n))
			}
		}
		if products {
			multiply(r, b)
		}
		for v := range linear.Var(2) {
			switch r.IntN(5) {
			case 0:
				b.Assign(v, number(r.IntN(size)))
			case 1:
				b.Assign(v, linear.Variable(v).Plus(linear.Int(int64(1-2*r.IntN(2)))))
			case 2:
				b.Assign(v, linear.Variable(1-v))
			case 3:
				b.Havoc(v)
			}
			b.Assume(linear.AtLeast(linear.Variable(v), number(0))).Assume(linear.AtMost(linear.Variable(v), number(size-1)))
		}
		b.Add()
	}
	return s
}

// multiply adds a condition, or an update, with a product.
func multiply(r *rand.Rand, b *its.Builder) {
	f, g := []linear.Form{x, y, x.Sub(y)}[r.IntN(3)], []linear.Form{x, y}[r.IntN(2)]
	switch n := number(r.IntN(size * size)); r.IntN(5) {
	case 0:
		b.Assume(linear.AtLeast(b.Product(f, g), n))
	case 1:
		b.Assume(linear.AtMost(b.Product(f, f), n))
	case 2:
		b.Assume(linear.Equals(b.Product(f, g), n))
	case 3:
		b.Assign(linear.Var(r.IntN(2)), b.Product(f, g))
	}
}

// atoms are the conditions of random formulas.
var atoms = map[string]linear.Constraint{
	"x == 0": linear.Equals(x, number(0)), "x >= 2": linear.AtLeast(x, number(2)),
	"y <= 1": linear.AtMost(y, number(1)), "x < y": linear.Less(x, y),
}

var atomNames = []string{"x == 0", "x >= 2", "y <= 1", "x < y"}

func formula(r *rand.Rand, depth int) ctl.Formula {
	if depth == 0 || r.IntN(6) == 0 {
		return ctl.Atom{Text: atomNames[r.IntN(len(atomNames))]}
	}
	f := func() ctl.Formula { return formula(r, depth-1) }
	q := ctl.Quantifier(r.IntN(2) == 0)
	if r.IntN(6) == 0 {
		if q == ctl.All {
			return ctl.Settles{F: ctl.Constant(false), G: f()}
		}
		switch r.IntN(3) {
		case 0:
			return ctl.Settles{F: f(), G: f()}
		case 1:
			return ctl.Often{F: f(), G: f()}
		}
		return ctl.Often{F: ctl.Constant(true), G: f()}
	}
	switch r.IntN(9) {
	case 0:
		return ctl.Not{F: f()}
	case 1:
		return ctl.And{F: f(), G: f()}
	case 2:
		return ctl.Or{F: f(), G: f()}
	case 3:
		return ctl.Next{Q: q, F: f()}
	case 4, 5:
		return ctl.Finally(q, f())
	case 6:
		return ctl.Globally(q, f())
	case 7:
		return ctl.Until{Q: q, F: f(), G: f()}
	}
	return ctl.Weak{Q: q, F: f(), G: f()}
}

// state is a state of a system that is explored.
type state struct {
	l    int
	x, y int
}

// explicit decides formulas by listing all states.
type explicit struct {
	next map[state][]state
	all  []state
}

func explore(s *its.System) *explicit {
	e := &explicit{next: map[state][]state{}}
	for l := range s.Locations {
		for a := range size {
			for b := range size {
				e.all = append(e.all, state{l, a, b})
			}
		}
	}
	for _, from := range e.all {
		for i := range s.Transitions {
			t := &s.Transitions[i]
			if int(t.From) != from.l {
				continue
			}
			for choice := range size * size {
				chosen := 0 // temporaries that are no product
				values := []linear.Number{linear.Int(int64(from.x)), linear.Int(int64(from.y))}
				value := func(v linear.Var) linear.Number { return values[v] }
				for k := range t.Temps {
					at := slices.IndexFunc(t.Products, func(p its.Product) bool { return p.Temp == s.Temp(k) })
					if at >= 0 {
						values = append(values, t.Products[at].A.Eval(value).Mul(t.Products[at].B.Eval(value)))
						continue
					}
					values = append(values, linear.Int(int64([]int{choice % size, choice / size}[chosen])))
					chosen++
				}
				possible := true
				for _, c := range t.Guard {
					possible = possible && c.Holds(value)
				}
				if possible {
					a, _ := t.Update[0].Eval(value).Int64()
					b, _ := t.Update[1].Eval(value).Int64()
					e.next[from] = append(e.next[from], state{int(t.To), int(a), int(b)})
				}
			}
		}
		if len(e.next[from]) == 0 {
			e.next[from] = []state{from}
		}
	}
	return e
}

// holds are the states in which a formula is true, by the definition of the operators.
func (e *explicit) holds(f ctl.Formula) map[state]bool {
	out := map[state]bool{}
	set := func(of func(s state) bool) map[state]bool {
		for _, s := range e.all {
			out[s] = of(s)
		}
		return out
	}
	step := func(q ctl.Quantifier, s state, in map[state]bool) bool {
		for _, t := range e.next[s] {
			if in[t] != bool(q) {
				return in[t]
			}
		}
		return bool(q)
	}
	fixpoint := func(q ctl.Quantifier, a, b map[state]bool, begin bool) map[state]bool {
		set(func(state) bool { return begin })
		for changed := true; changed; {
			changed = false
			for _, s := range e.all {
				if v := b[s] || a[s] && step(q, s, out); v != out[s] {
					out[s], changed = v, true
				}
			}
		}
		return out
	}
	switch f := f.(type) {
	case ctl.Constant:
		return set(func(state) bool { return bool(f) })
	case ctl.Atom:
		return set(func(s state) bool {
			return atoms[f.Text].Holds(func(v linear.Var) linear.Number { return linear.Int(int64([]int{s.x, s.y}[v])) })
		})
	case ctl.Not:
		a := e.holds(f.F)
		return set(func(s state) bool { return !a[s] })
	case ctl.And:
		a, b := e.holds(f.F), e.holds(f.G)
		return set(func(s state) bool { return a[s] && b[s] })
	case ctl.Or:
		a, b := e.holds(f.F), e.holds(f.G)
		return set(func(s state) bool { return a[s] || b[s] })
	case ctl.Next:
		a := e.holds(f.F)
		return set(func(s state) bool { return step(f.Q, s, a) })
	case ctl.Until:
		return fixpoint(f.Q, e.holds(f.F), e.holds(f.G), false)
	case ctl.Weak:
		return fixpoint(f.Q, e.holds(f.F), e.holds(f.G), true)
	case ctl.Often:
		a, b := e.holds(f.F), e.holds(f.G)
		again := a
		for {
			goal := map[state]bool{}
			for _, s := range e.all {
				goal[s] = a[s] && b[s] && step(ctl.Some, s, again)
			}
			out = map[state]bool{}
			fixpoint(ctl.Some, a, goal, false)
			if maps.Equal(out, again) {
				return out
			}
			again = out
		}
	case ctl.Settles:
		often := e.holds(ctl.Often{F: ctl.Not{F: f.F}, G: ctl.Not{F: f.G}})
		return set(func(s state) bool { return !often[s] })
	}
	panic("unexpected formula")
}

// problem is a question about a random system with one initial state.
func problem(s *its.System, f ctl.Formula, a, b int) branching.Problem {
	return branching.Problem{
		System: s, Formula: f,
		Initial: region.Of(context.Background(), linear.Equals(x, number(a)), linear.Equals(y, number(b))),
		Atom: func(_ its.Location, a ctl.Atom) (region.Region, error) {
			return region.Region{polyhedra.Of(context.Background(), atoms[a.Text])}, nil
		},
	}
}

// TestRandom compares answers about random systems and formulas with explicit search. -random 2000
// takes more.
func TestRandom(t *testing.T) { testRandom(t, false, 9) }

// TestRandomProducts does so for systems with products, which are rewritten first.
func TestRandomProducts(t *testing.T) { testRandom(t, true, 7) }

// testRandom wants so many of ten decided.
func testRandom(t *testing.T, products bool, wanted int) {
	decided := 0
	for seed := range *random {
		r := rand.New(rand.NewPCG(uint64(seed), 18))
		s := system(r, products)
		f := formula(r, 1+r.IntN(3))
		a, b := r.IntN(size), r.IntN(size)
		want := explore(s).holds(f)[state{int(s.Initial), a, b}]
		ctx, stop := context.WithTimeout(t.Context(), 3*time.Second)
		p := problem(s, f, a, b)
		if products {
			observed, err := p.Observed()
			if err != nil {
				t.Fatal(err)
			}
			accept := func(_ context.Context, old, new *its.System, observed []bool, c *equations.Certificate) error {
				err := itscheck.Rewritten(t.Context(), old, new, observed, c)
				if err != nil {
					t.Errorf("seed %d: the rewriting is not accepted: %v\n%s", seed, err, its.WriteT2(s))
				}
				return err
			}
			p.System, _ = equations.Linear(ctx, s, p.Initial[0].Constraints(), observed, accept)
		}
		answer, err := search.Decide(ctx, p, branchcheck.Check)
		stop()
		if err != nil && ctx.Err() == nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		switch answer := answer.(type) {
		case search.Holds:
			decided++
			if !want {
				t.Errorf("seed %d: %v is proved, and false\n%s", seed, f, its.WriteT2(s))
			}
		case search.Fails:
			decided++
			if want {
				t.Errorf("seed %d: %v is refuted, and true\n%s", seed, f, its.WriteT2(s))
			}
		case search.Open:
			t.Logf("seed %d: %v is open: %s", seed, f, answer.Reason)
		}
	}
	t.Logf("%d of %d decided", decided, *random)
	if decided < *random*wanted/10 {
		t.Errorf("%d of %d are decided", decided, *random)
	}
}
