package itscheck

import (
	"context"
	"math/big"

	"assay/internal/integers/bound"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// Family checks that the runs of a family exist for every n, and that each round of the loop costs at
// least 1. All conditions are linear in the parameters: a + b·n is not negative for all n >= 0 if and
// only if a and b are not, and what depends on k, too, is not for all n >= k >= 1 if and only if that is
// so after k = 1 + j and n = 1 + j + i. Some of the runs are executed, besides.
func Family(ctx context.Context, s *its.System, f *bound.Family) error {
	if err := s.Check(); err != nil {
		return err
	}
	if len(f.Initial) != len(s.Variables) || len(f.State) != len(s.Variables) || len(f.Known) != len(s.Variables) || len(f.Loop) == 0 {
		return reject("a family of wrong shape")
	}
	begin := make([]*linear.Form, len(s.Variables))
	for v, g := range f.Initial {
		if !g.IsIntegral() || g.MaxVar() > bound.ParameterN {
			return reject("an initial value that is not an integer, or depends on more than n")
		}
		begin[v] = &f.Initial[v]
	}
	c := &familyChecker{s: s, positive: forAll}
	at, state, _, err := c.path(s.Initial, begin, f.Stem)
	if err != nil {
		return err
	}
	head := at
	for v, g := range f.State {
		if !f.Known[v] {
			continue
		}
		entry := g.SubstituteVar(bound.ParameterK, linear.Variable(bound.ParameterN))
		if !g.IsIntegral() || g.MaxVar() > bound.ParameterK || state[v] == nil || !state[v].Equal(entry) {
			return reject("the stem does not lead to the state of the loop")
		}
	}
	c.positive = forRounds
	round := make([]*linear.Form, len(s.Variables))
	for v := range f.State {
		if f.Known[v] {
			round[v] = &f.State[v]
		}
	}
	at, state, cost, err := c.path(head, round, f.Loop)
	if err != nil {
		return err
	}
	less := linear.Variable(bound.ParameterK).Plus(linear.Int(-1))
	for v, g := range f.State {
		if f.Known[v] && (state[v] == nil || !state[v].Equal(g.SubstituteVar(bound.ParameterK, less))) {
			return reject("the loop does not lead to its next state")
		}
	}
	if at != head || cost.Cmp(linear.Int(1)) < 0 {
		return reject("the loop does not come back, or costs nothing")
	}
	for _, n := range []int64{0, 1, 2, 4, 16} {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := execute(s, f, n); err != nil {
			return reject("the run for n = %d: %v", n, err)
		}
	}
	return nil
}

type familyChecker struct {
	s        *its.System
	positive func(linear.Form) bool // whether a form is never negative
}

// forAll says whether a form is not negative for all n >= 0; it must not depend on k.
func forAll(f linear.Form) bool {
	return f.Const.Sign() >= 0 && f.Coef(bound.ParameterN).Sign() >= 0 && f.MaxVar() <= bound.ParameterN
}

// forRounds says whether a form is not negative for all n >= k >= 1.
func forRounds(f linear.Form) bool {
	n, k := f.Coef(bound.ParameterN), f.Coef(bound.ParameterK)
	return n.Sign() >= 0 && n.Add(k).Sign() >= 0 && f.Const.Add(n).Add(k).Sign() >= 0 && f.MaxVar() <= bound.ParameterK
}

// path executes transitions on forms over the parameters; nil is an unknown value. The cost is
// the sum of the costs, which must be constant and not negative.
func (c *familyChecker) path(at its.Location, state []*linear.Form, steps []bound.FamilyStep) (its.Location, []*linear.Form, linear.Number, error) {
	cost := linear.Number{}
	for _, step := range steps {
		if step.Transition < 0 || step.Transition >= len(c.s.Transitions) {
			return at, nil, cost, reject("a transition that does not exist")
		}
		t := &c.s.Transitions[step.Transition]
		if t.From != at || len(step.Inputs) != t.Temps {
			return at, nil, cost, reject("a path that is none")
		}
		if !t.Exact || !t.Cost.IsConstant() || t.Cost.Const.Sign() < 0 {
			return at, nil, cost, reject("a transition that over-approximates the program, or has no constant cost")
		}
		cost = cost.Add(t.Cost.Const)
		values := append(make([]*linear.Form, 0, len(state)+t.Temps), state...)
		for i := range step.Inputs {
			if !step.Inputs[i].IsIntegral() {
				return at, nil, cost, reject("an input that is no integer")
			}
			values = append(values, &step.Inputs[i])
		}
		for _, p := range t.Products {
			a, b := valueOf(p.A, values), valueOf(p.B, values)
			switch {
			case a == nil || b == nil:
				values[p.Temp] = nil
			case a.IsConstant():
				x := b.Scale(a.Const)
				values[p.Temp] = &x
			case b.IsConstant():
				x := a.Scale(b.Const)
				values[p.Temp] = &x
			default:
				values[p.Temp] = nil
			}
		}
		for _, g := range t.Guard {
			for _, f := range g.Inequalities() {
				if x := valueOf(f, values); x == nil || !c.positive(*x) {
					return at, nil, cost, reject("a guard that does not hold for all parameters")
				}
			}
		}
		next := make([]*linear.Form, len(state))
		for v, u := range t.Update {
			next[v] = valueOf(u, values)
		}
		at, state = t.To, next
	}
	return at, state, cost, nil
}

// valueOf is a form over values, nil if one of them is unknown.
func valueOf(f linear.Form, values []*linear.Form) *linear.Form {
	out := linear.Constant(f.Const)
	for _, t := range f.Terms {
		if values[t.Var] == nil {
			return nil
		}
		out = out.AddScaled(t.Coef, *values[t.Var])
	}
	return &out
}

// execute makes the run of a family for n.
func execute(s *its.System, f *bound.Family, n int64) error {
	state := make([]*big.Int, len(f.Initial))
	for v, g := range f.Initial {
		state[v] = g.Eval(func(linear.Var) linear.Number { return linear.Int(n) }).BigInt()
	}
	step := func(x bound.FamilyStep, k int64) error {
		inputs := make([]*big.Int, len(x.Inputs))
		for i, g := range x.Inputs {
			inputs[i] = g.Eval(func(v linear.Var) linear.Number {
				if v == bound.ParameterN {
					return linear.Int(n)
				}
				return linear.Int(k)
			}).BigInt()
		}
		next, err := s.Step(&s.Transitions[x.Transition], state, inputs)
		state = next
		return err
	}
	for _, x := range f.Stem {
		if err := step(x, 0); err != nil {
			return err
		}
	}
	for k := n; k > 0; k-- {
		for _, x := range f.Loop {
			if err := step(x, k); err != nil {
				return err
			}
		}
	}
	return nil
}
