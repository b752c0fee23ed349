package equations

import (
	"slices"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// This file freezes variables that nothing depends on, where numbers wrap, and drops the constraints that only bring their values
// into range (M2). Which variables are frozen is a greatest fixed point: all that are not observed are so at first.
//
// The constraints of a range, F + c*t - low >= 0 and -F - c*t + high >= 0 with high - low at least |c| - 1, can be satisfied by t
// whatever the integer F is. So they are dropped if t occurs in nothing that stays, and F in no temporary that is chosen after t: in those
// with smaller numbers only.

// free does that.
func free(s *its.System, observed []bool, facts [][]linear.Constraint) (*its.System, *Freed) {
	step := &Freed{Frozen: make([]bool, len(s.Variables)), Free: make([][]linear.Var, len(s.Transitions)), Dropped: make([][]int, len(s.Transitions))}
	for v := range step.Frozen {
		step.Frozen[v] = v >= len(observed) || !observed[v]
	}
	out := make([]its.Transition, len(s.Transitions))
	for changed := true; changed; {
		changed = false
		for i := range s.Transitions {
			out[i], step.Free[i], step.Dropped[i] = freed(s, &s.Transitions[i], step.Frozen, facts[i])
			mark := func(f linear.Form) {
				for _, m := range f.Terms {
					if int(m.Var) < len(step.Frozen) && step.Frozen[m.Var] {
						step.Frozen[m.Var], changed = false, true
					}
				}
			}
			t := &out[i]
			for _, c := range t.Guard {
				mark(c.Form)
			}
			for v, f := range t.Update {
				if !step.Frozen[v] {
					mark(f)
				}
			}
			mark(t.Cost)
			for _, p := range t.Products {
				mark(p.A)
				mark(p.B)
			}
		}
	}
	return renewed(s, out), step
}

// freed is a transition with what is dropped if some variables are frozen.
func freed(s *its.System, t *its.Transition, frozen []bool, facts []linear.Constraint) (u its.Transition, free []linear.Var, dropped []int) {
	u = *t
	u.Update = slices.Clone(t.Update)
	for v := range u.Update {
		if frozen[v] {
			u.Update[v] = linear.Variable(linear.Var(v))
		}
	}
	gone := make([]bool, len(t.Guard))
	ranges := single(t.Guard)
	for k, c := range t.Guard {
		if len(c.Form.Terms) != 1 {
			continue
		}
		for _, p := range t.Products {
			gone[k] = gone[k] || p.Temp == c.Form.Terms[0].Var && satisfied(c, productOf(p, ranges))
		}
		if int(c.Form.Terms[0].Var) < len(frozen) && frozen[c.Form.Terms[0].Var] {
			gone[k] = implied(facts, c)
		}
	}
	left := func() {
		u.Guard = nil
		for k, c := range t.Guard {
			if !gone[k] {
				u.Guard = append(u.Guard, c)
			}
		}
		u.Products = t.Products
		u.Products = used(&u)
	}
	left()
	for n := t.Temps - 1; n >= 0; n-- { // the last first: the others occur in what it brings into range
		v := s.Temp(n)
		if slices.ContainsFunc(t.Products, func(p its.Product) bool { return p.Temp == v || p.A.Has(v) || p.B.Has(v) }) {
			continue
		}
		if u.Cost.Has(v) || slices.ContainsFunc(u.Update, func(f linear.Form) bool { return f.Has(v) }) {
			continue
		}
		var pair []int
		for k, c := range t.Guard {
			if !gone[k] && c.Form.Has(v) {
				pair = append(pair, k)
			}
		}
		if len(pair) != 2 || !coversAll(t.Guard[pair[0]], t.Guard[pair[1]], v) {
			continue
		}
		gone[pair[0]], gone[pair[1]] = true, true
		free = append(free, v)
		left()
	}
	for k := range gone {
		if gone[k] {
			dropped = append(dropped, k)
		}
	}
	slices.Reverse(free)
	return u, free, dropped
}

// implied says that some fact implies a constraint on a single variable.
func implied(facts []linear.Constraint, c linear.Constraint) bool {
	return slices.ContainsFunc(facts, func(b linear.Constraint) bool {
		return !c.Equality && !b.Equality && b.Form.SameTerms(c.Form) && b.Form.Const.Cmp(c.Form.Const) <= 0
	})
}

// coversAll says that two constraints are those of a range that a temporary can reach whatever the other numbers are.
func coversAll(a, b linear.Constraint, v linear.Var) bool {
	sum := a.Form.Add(b.Form)
	coefficient := a.Form.Coef(v).Abs()
	return !a.Equality && !b.Equality && a.Form.IsIntegral() && b.Form.IsIntegral() && a.Form.MaxVar() == v &&
		sum.IsConstant() && sum.Const.Cmp(coefficient.Add(linear.Int(-1))) >= 0
}
