package equations

import (
	"slices"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// This file gives temporaries with few values each of them (M3). What they may be follows from the constraints on single variables of the
// guard by interval arithmetic.

// Limits of the cases.
const (
	maxValues    = 3 // of a temporary
	maxSuccessor = 2000
)

// cases makes them; nil if there are none.
func cases(s *its.System) (*its.System, *Cased) {
	step := &Cased{}
	list := slices.Clone(s.Transitions)
	for i := 0; i < len(list); {
		one, ok := nextCase(s, &list[i], i)
		if !ok || len(list)+maxValues > maxSuccessor {
			i++
			continue
		}
		step.Cases = append(step.Cases, one)
		list = slices.Replace(list, i, i+1, one.Apply(list[i])...)
	}
	if len(step.Cases) == 0 {
		return nil, nil
	}
	return renewed(s, list), step
}

// nextCase is about some temporary of a transition.
func nextCase(s *its.System, t *its.Transition, i int) (Case, bool) {
	for n := range t.Temps {
		v := s.Temp(n)
		r := valuesOf(t, v)
		low, small := r.low.Int64()
		high, also := r.high.Int64()
		if r.hasLow && r.hasHigh && small && also && high-low < maxValues {
			return Case{i, v, low, high}, true
		}
	}
	return Case{}, false
}

// Apply are the transitions of the values.
func (x Case) Apply(t its.Transition) (list []its.Transition) {
	for n := x.Low; n <= x.High; n++ {
		u := t
		put := func(f linear.Form) linear.Form { return f.SubstituteVar(x.Temp, linear.Constant(linear.Int(n))) }
		u.Guard, u.Update, u.Products = nil, nil, nil
		for _, c := range t.Guard {
			u.Guard = append(u.Guard, linear.Constraint{Form: put(c.Form), Equality: c.Equality})
		}
		for _, f := range t.Update {
			u.Update = append(u.Update, put(f))
		}
		for _, p := range t.Products {
			u.Products = append(u.Products, its.Product{Temp: p.Temp, A: put(p.A), B: put(p.B)})
		}
		u.Cost = put(t.Cost)
		list = append(list, u)
	}
	return list
}

// bracket is a range of integers, perhaps without an end.
type bracket struct {
	low, high       linear.Number
	hasLow, hasHigh bool
}

// atLeast cuts by c*v + rest >= 0, where rest is at most a number.
func (r *bracket) atLeast(c, most linear.Number) {
	n := most.Neg().Div(c)
	if c.Sign() > 0 {
		if n = n.Ceil(); !r.hasLow || n.Cmp(r.low) > 0 {
			r.low, r.hasLow = n, true
		}
	} else if n = n.Floor(); !r.hasHigh || n.Cmp(r.high) < 0 {
		r.high, r.hasHigh = n, true
	}
}

// single are the brackets of the variables by the constraints that are about one.
func single(guard []linear.Constraint) map[linear.Var]bracket {
	out := map[linear.Var]bracket{}
	for _, c := range guard {
		for _, f := range c.Inequalities() {
			if len(f.Terms) == 1 {
				r := out[f.Terms[0].Var]
				r.atLeast(f.Terms[0].Coef, f.Const)
				out[f.Terms[0].Var] = r
			}
		}
	}
	return out
}

// formOf is the bracket of a form.
func formOf(f linear.Form, of map[linear.Var]bracket) bracket {
	r := bracket{f.Const, f.Const, true, true}
	for _, m := range f.Terms {
		o := of[m.Var]
		if m.Coef.Sign() < 0 {
			o = bracket{o.high, o.low, o.hasHigh, o.hasLow}
		}
		r = bracket{r.low.Add(m.Coef.Mul(o.low)), r.high.Add(m.Coef.Mul(o.high)), r.hasLow && o.hasLow, r.hasHigh && o.hasHigh}
	}
	return r
}

// productOf is the bracket of a product.
func productOf(p its.Product, of map[linear.Var]bracket) (r bracket) {
	a, b := formOf(p.A, of), formOf(p.B, of)
	if a.hasLow && a.hasHigh && b.hasLow && b.hasHigh {
		corners := []linear.Number{a.low.Mul(b.low), a.low.Mul(b.high), a.high.Mul(b.low), a.high.Mul(b.high)}
		r = bracket{slices.MinFunc(corners, linear.Number.Cmp), slices.MaxFunc(corners, linear.Number.Cmp), true, true}
	}
	if p.A.Equal(p.B) && (!r.hasLow || r.low.Sign() < 0) {
		r.low, r.hasLow = linear.Int(0), true
	}
	return r
}

// satisfied says that a constraint on a single number holds for all in a bracket.
func satisfied(c linear.Constraint, r bracket) bool {
	m := c.Form.Terms[0]
	least, bounded := r.low, r.hasLow
	if m.Coef.Sign() < 0 {
		least, bounded = r.high, r.hasHigh
	}
	return !c.Equality && bounded && m.Coef.Mul(least).Add(c.Form.Const).Sign() >= 0
}

// valuesOf is the bracket of a temporary, which occurs in some constraint.
func valuesOf(t *its.Transition, v linear.Var) bracket {
	others := single(t.Guard)
	r := others[v]
	for _, c := range t.Guard {
		for _, f := range c.Inequalities() {
			own := f.Coef(v)
			if own.IsZero() {
				continue
			}
			most, bounded := f.Const, true
			for _, m := range f.Terms {
				o := others[m.Var]
				switch {
				case m.Var == v:
				case m.Coef.Sign() > 0 && o.hasHigh:
					most = most.Add(m.Coef.Mul(o.high))
				case m.Coef.Sign() < 0 && o.hasLow:
					most = most.Add(m.Coef.Mul(o.low))
				default:
					bounded = false
				}
			}
			if bounded {
				r.atLeast(own, most)
			}
		}
	}
	return r
}
