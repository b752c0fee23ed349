// Package polyhedra has convex polyhedra over the integers as an abstract domain
// [CousotHalbwachs78], kept as constraints only: entailment and bounds are linear
// programs, projection is Fourier-Motzkin elimination after Gauss, the hull is
// approximated by bounds in given directions.
//
// A polyhedron stands for its integer points: every constraint is tightened, and
// operations may drop points that are no integers.
//
// Departures from the paper: no generators, so no exact convex hull. Join bounds
// both arguments in the directions of all their constraints and of those that the
// caller names (intervals and octagons [Mine06] are such sets of directions), and
// adds the affine hull of both [Karr76]: the least polyhedron of that shape.
package polyhedra

import (
	"context"
	"slices"
	"strings"

	"assay/internal/logic/linear"
)

// Polyhedron is a set of points; it is a value and never changes. The zero value
// is the set of all points.
type Polyhedron struct {
	cs    []linear.Constraint // tightened, irredundant
	empty bool
}

// Empty is the polyhedron without points.
func Empty() Polyhedron { return Polyhedron{empty: true} }

// Of is the polyhedron of the constraints.
func Of(ctx context.Context, cs ...linear.Constraint) Polyhedron {
	cs = linear.Irredundant(ctx, cs)
	if len(cs) == 1 && cs[0].IsFalse() {
		return Empty()
	}
	return Polyhedron{cs: cs}
}

// IsEmpty says whether there is no point; there may be none even if it is false,
// when the polyhedron has rational points only.
func (p Polyhedron) IsEmpty() bool { return p.empty }

// IsAll says whether there is no constraint.
func (p Polyhedron) IsAll() bool { return !p.empty && len(p.cs) == 0 }

// Constraints are what holds for all points; one False if there are none. They
// must not be changed.
func (p Polyhedron) Constraints() []linear.Constraint {
	if p.empty {
		return []linear.Constraint{linear.False()}
	}
	return p.cs
}

// Meet adds constraints.
func (p Polyhedron) Meet(ctx context.Context, cs ...linear.Constraint) Polyhedron {
	if p.empty || len(cs) == 0 {
		return p
	}
	return Of(ctx, append(slices.Clone(p.cs), cs...)...)
}

func (p Polyhedron) solver(ctx context.Context, more ...Polyhedron) *linear.Solver {
	n := linear.MaxVar(p.cs)
	for _, q := range more {
		n = max(n, linear.MaxVar(q.cs))
	}
	return linear.NewSolver(ctx, int(n)+1, p.cs)
}

// Entails says whether c holds for all points; false may mean that it does so
// for integer points only.
func (p Polyhedron) Entails(ctx context.Context, c linear.Constraint) bool {
	return p.Within(ctx, Polyhedron{cs: []linear.Constraint{c}})
}

// Within says whether all points of p are points of q, as Entails does.
func (p Polyhedron) Within(ctx context.Context, q Polyhedron) bool {
	if p.empty {
		return true
	}
	if q.empty {
		return false
	}
	s := p.solver(ctx, q)
	for _, c := range q.cs {
		if !p.has(c) && !s.Entails(c) {
			return false
		}
	}
	return true
}

func (p Polyhedron) has(c linear.Constraint) bool {
	return slices.ContainsFunc(p.cs, c.Equal)
}

// Rename maps the variables; the map must be injective.
func (p Polyhedron) Rename(to func(linear.Var) linear.Var) Polyhedron {
	if p.empty {
		return p
	}
	cs := make([]linear.Constraint, len(p.cs))
	for i, c := range p.cs {
		cs[i] = linear.Constraint{Form: c.Form.Rename(to), Equality: c.Equality}
	}
	return Polyhedron{cs: cs}
}

// Join includes both, and is bounded as they are in the directions of their
// constraints and the given ones.
func (p Polyhedron) Join(ctx context.Context, q Polyhedron, directions []linear.Form) Polyhedron {
	switch {
	case p.empty:
		return q
	case q.empty:
		return p
	}
	n := int(max(linear.MaxVar(p.cs), linear.MaxVar(q.cs))) + 1
	for _, f := range directions {
		n = max(n, int(f.MaxVar())+1)
	}
	// What both have stays. Directions matter only where the arguments differ.
	var out []linear.Constraint
	differ := make([]bool, n)
	same := true
	mark := func(c linear.Constraint) {
		for _, t := range c.Form.Terms {
			differ[t.Var] = true
		}
		same = false
	}
	for _, c := range p.cs {
		if q.has(c) {
			out = append(out, c)
		} else {
			mark(c)
		}
	}
	for _, c := range q.cs {
		if !p.has(c) {
			mark(c)
		}
	}
	if same {
		return p
	}
	sp, sq := linear.NewSolver(ctx, n, p.cs), linear.NewSolver(ctx, n, q.cs)
	out = append(out, affineHull(p, q)...)
	bound := func(f linear.Form) {
		f.Const = linear.Number{}
		for _, c := range out {
			if c.Form.SameTerms(f) {
				return
			}
		}
		a, st := sp.Minimize(f)
		if st != linear.Feasible {
			return
		}
		b, st := sq.Minimize(f)
		if st != linear.Feasible {
			return
		}
		if b.Cmp(a) < 0 {
			a = b
		}
		out = append(out, linear.Constraint{Form: f.Plus(a.Neg())}.Tighten())
	}
	for _, cs := range [][]linear.Constraint{p.cs, q.cs} {
		for _, c := range cs {
			for _, f := range c.Inequalities() {
				bound(f)
			}
		}
	}
	for _, f := range directions {
		if slices.ContainsFunc(f.Terms, func(t linear.Term) bool { return differ[t.Var] }) {
			bound(f)
		}
	}
	return Of(ctx, out...)
}

// Widen keeps of the constraints of p, which q must include, those that hold in
// q, and adds all equalities of q and those of upTo that hold in q. A sequence of
// widenings with the same upTo is finite: the affine hull can grow only as often as
// there are variables, and in between no new inequality appears
// [CousotHalbwachs78, Sec. 4; HPR97, Sec. 3.1 for upTo].
func (p Polyhedron) Widen(ctx context.Context, q Polyhedron, upTo []linear.Constraint) Polyhedron {
	switch {
	case p.empty:
		return q
	case q.empty:
		return p
	}
	candidates := make([]linear.Constraint, 0, len(p.cs)+len(upTo))
	for _, c := range p.cs {
		if c.Equality && !q.has(c) {
			for _, f := range c.Inequalities() {
				candidates = append(candidates, linear.Constraint{Form: f})
			}
			continue
		}
		candidates = append(candidates, c)
	}
	for _, c := range q.cs {
		if c.Equality {
			candidates = append(candidates, c)
		}
	}
	candidates = append(candidates, upTo...)
	s := q.solver(ctx, Polyhedron{cs: candidates})
	var out []linear.Constraint
	for _, c := range candidates {
		if q.has(c) || s.Entails(c) {
			out = append(out, c)
		}
	}
	return Of(ctx, out...)
}

// Format prints the constraints with the names of the variables.
func (p Polyhedron) Format(name func(linear.Var) string) string {
	if p.empty {
		return "false"
	}
	var parts []string
	for _, c := range p.cs {
		parts = append(parts, c.Format(name))
	}
	if parts == nil {
		return "true"
	}
	return strings.Join(parts, " && ")
}

// Octagonal are the directions ±x and ±x±y for the pairs.
func Octagonal(vars []linear.Var, pairs [][2]linear.Var) []linear.Form {
	var out []linear.Form
	for _, v := range vars {
		f := linear.Variable(v)
		out = append(out, f, f.Neg())
	}
	for _, p := range pairs {
		f, g := linear.Variable(p[0]), linear.Variable(p[1])
		out = append(out, f.Sub(g), g.Sub(f), f.Add(g), f.Add(g).Neg())
	}
	return out
}
