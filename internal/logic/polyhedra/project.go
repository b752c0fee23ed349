package polyhedra

import (
	"context"
	"slices"

	"assay/internal/logic/linear"
)

// This file projects: it eliminates variables by equalities where there are some,
// and by Fourier-Motzkin elimination else. The result includes the projection;
// over the rationals it is exact while the number of constraints stays small.

// maxGrowth is how many constraints one elimination may add. Beyond it, the
// variable's constraints are dropped.
const maxGrowth = 60

// Project forgets the values of the variables for which eliminate is true.
func (p Polyhedron) Project(ctx context.Context, eliminate func(linear.Var) bool) Polyhedron {
	if p.empty {
		return p
	}
	cs, ok := project(ctx, p.cs, eliminate)
	if !ok {
		return Empty()
	}
	return Of(ctx, cs...)
}

// project is the projection, false if it is empty.
func project(ctx context.Context, cs []linear.Constraint, eliminate func(linear.Var) bool) ([]linear.Constraint, bool) {
	cs = linear.Simplify(cs)
	for {
		if len(cs) == 1 && cs[0].IsFalse() {
			return nil, false
		}
		v, e := nextVariable(cs, eliminate)
		switch {
		case v < 0:
			return cs, true
		case e >= 0:
			cs = linear.Simplify(eliminateByEquality(cs, v, e))
		default:
			before := len(cs)
			cs = linear.Simplify(fourierMotzkin(cs, v))
			if len(cs) > before {
				cs = linear.Irredundant(ctx, cs)
			}
		}
	}
}

// nextVariable chooses what to eliminate: a variable of an equality e, with a
// coefficient of least size, or else one for which elimination adds the least.
func nextVariable(cs []linear.Constraint, eliminate func(linear.Var) bool) (linear.Var, int) {
	best, equality := linear.Var(-1), -1
	var size linear.Number
	for i, c := range cs {
		if !c.Equality {
			continue
		}
		for _, t := range c.Form.Terms {
			if a := t.Coef.Abs(); eliminate(t.Var) && (best < 0 || a.Cmp(size) < 0) {
				best, equality, size = t.Var, i, a
			}
		}
	}
	if best >= 0 {
		return best, equality
	}
	signs := map[linear.Var]*[2]int{}
	for _, c := range cs {
		for _, t := range c.Form.Terms {
			if !eliminate(t.Var) {
				continue
			}
			s := signs[t.Var]
			if s == nil {
				s = new([2]int)
				signs[t.Var] = s
			}
			s[(t.Coef.Sign()+1)/2]++
		}
	}
	least := 0
	for v, s := range signs {
		g := s[0]*s[1] - s[0] - s[1]
		if best < 0 || g < least || g == least && v < best {
			best, least = v, g
		}
	}
	return best, -1
}

func eliminateByEquality(cs []linear.Constraint, v linear.Var, e int) []linear.Constraint {
	pivot := cs[e].Form
	k := pivot.Coef(v)
	out := make([]linear.Constraint, 0, len(cs)-1)
	for i, c := range cs {
		if i == e {
			continue
		}
		if a := c.Form.Coef(v); !a.IsZero() {
			c = linear.Constraint{Form: c.Form.AddScaled(a.Div(k).Neg(), pivot), Equality: c.Equality}
		}
		out = append(out, c)
	}
	return out
}

// fourierMotzkin eliminates a variable that occurs in inequalities only.
func fourierMotzkin(cs []linear.Constraint, v linear.Var) []linear.Constraint {
	var lower, upper, out []linear.Constraint
	for _, c := range cs {
		switch c.Form.Coef(v).Sign() {
		case 1:
			lower = append(lower, c)
		case -1:
			upper = append(upper, c)
		default:
			out = append(out, c)
		}
	}
	if len(lower)*len(upper) > maxGrowth+len(lower)+len(upper) {
		return out
	}
	for _, l := range lower {
		for _, u := range upper {
			f := l.Form.Scale(u.Form.Coef(v).Neg()).AddScaled(l.Form.Coef(v), u.Form)
			out = append(out, linear.Constraint{Form: f})
		}
	}
	return out
}

// Image is the set of states after a simultaneous update of the variables below
// n, from states of p with temporaries beyond n, for which the guard holds.
func (p Polyhedron) Image(ctx context.Context, n int, guard []linear.Constraint, update []linear.Form) Polyhedron {
	if p.empty {
		return p
	}
	cs := append(slices.Clone(p.cs), guard...)
	next := linear.MaxVar(cs)
	for _, u := range update {
		next = max(next, u.MaxVar())
	}
	next = max(next, linear.Var(n-1)) + 1
	changed := map[linear.Var]linear.Var{} // old variable to new one
	for v, u := range update {
		if w, ok := u.IsVariable(); ok && w == linear.Var(v) {
			continue
		}
		primed := next + linear.Var(v)
		changed[linear.Var(v)] = primed
		cs = append(cs, linear.Equals(linear.Variable(primed), u).Tighten())
	}
	out, ok := project(ctx, cs, func(v linear.Var) bool {
		_, old := changed[v]
		return old || v >= linear.Var(n) && v < next
	})
	if !ok {
		return Empty()
	}
	for i, c := range out {
		out[i].Form = c.Form.Rename(func(v linear.Var) linear.Var {
			if v >= next {
				return v - next
			}
			return v
		})
	}
	return Of(ctx, out...)
}
