package refutation

import (
	"slices"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// This file accelerates loops, for stems: a loop without inputs whose updates add
// constants is taken n times at once, for an input n >= 1. Its guard is convex, so
// that it holds in all rounds if it does in the first and in the last. A variable
// that the loop sets to a form over unchanged ones must have that value already,
// which it has after one round.

type acceleratedLoop struct {
	t    its.Transition // Path is the negative number of the loop, Inputs is n
	path []int          // of one round, in the original system
}

// maxStemSteps bounds the length of a stem.
const maxStemSteps = 200_000

// accelerate returns the accelerated loops of the simplified system.
func (r *refuter) accelerate() []its.Transition {
	var out []its.Transition
	relevant := r.simple.Relevant(false)
	for i := range r.simple.Transitions {
		u := &r.simple.Transitions[i]
		if u.From != u.To || !u.Exact || u.Path[0] < 0 {
			continue
		}
		one := r.compose(u.Path)
		if one.Temps > 0 || !r.noInputs(u.Path) {
			continue
		}
		t, ok := r.accelerateLoop(one, relevant)
		if !ok {
			continue
		}
		t.From, t.To, t.Exact, t.Fair = u.From, u.To, true, u.Fair
		r.accelerated = append(r.accelerated, acceleratedLoop{path: u.Path})
		last := len(r.accelerated) - 1
		t.Path = []int{-1 - last}
		r.accelerated[last].t = t
		out = append(out, t)
	}
	return out
}

// noInputs says whether no step of the path chooses anything.
func (r *refuter) noInputs(path []int) bool {
	return !slices.ContainsFunc(path, func(i int) bool { return r.s.Transitions[i].Temps > 0 })
}

func (r *refuter) accelerateLoop(one its.Transition, relevant []bool) (its.Transition, bool) {
	n := len(r.s.Variables)
	rounds := linear.Variable(r.s.Temp(0))
	step := make([]linear.Number, n)
	constant := make([]bool, n) // changes by a constant, perhaps 0
	for v, u := range one.Update {
		if d := u.Sub(linear.Variable(linear.Var(v))); d.IsConstant() {
			step[v], constant[v] = d.Const, true
		}
	}
	t := its.Transition{Temps: 1, Update: r.s.Identity(), Inputs: []linear.Form{rounds}}
	for v, u := range one.Update {
		switch {
		case constant[v]:
			t.Update[v] = linear.Variable(linear.Var(v)).AddScaled(step[v], rounds)
		case !relevant[v]:
			// Its value is not looked at.
		case slices.ContainsFunc(u.Terms, func(m linear.Term) bool { return !constant[m.Var] || !step[m.Var].IsZero() }):
			return t, false
		default:
			t.Guard = append(t.Guard, linear.Equals(linear.Variable(linear.Var(v)), u))
		}
	}
	for _, c := range one.Guard {
		var change linear.Number
		for _, m := range c.Form.Terms {
			if !constant[m.Var] {
				continue // has the value that it gets
			}
			change = change.Add(m.Coef.Mul(step[m.Var]))
		}
		t.Guard = append(t.Guard, c)
		if c.Equality && !change.IsZero() {
			return t, false
		}
		if change.Sign() < 0 {
			t.Guard = append(t.Guard, linear.Constraint{Form: c.Form.AddScaled(change, rounds).Plus(change.Neg())})
		}
	}
	t.Guard = append(t.Guard, linear.AtLeast(rounds, linear.Constant(linear.Int(1))))
	return t, true
}
