package refutation

import (
	"slices"

	"assay/internal/integers/its"
	"assay/internal/logic/conjunction"
	"assay/internal/logic/linear"
	"assay/internal/logic/smt"
)

// This file finds closed sets for loops with products, where linear reasoning does
// not reach: of simple bounds and comparisons that hold in a state that a stem
// reaches, those are kept that a round of the loop keeps if all of them hold before
// it [FlanaganLeino01]; they have to keep the guard, too. Z3 decides the rounds.

// maxGuesses bounds the conditions that are tried together.
const maxGuesses = 40

func (r *refuter) houdini(l *loop) (its.Recurrence, bool) {
	if len(l.t.Products) == 0 {
		return its.Recurrence{}, false
	}
	n := len(r.s.Variables)
	for _, inputs := range r.choices(l)[:1] {
		// Inputs are fixed; the temporaries of products keep their definition.
		t := r.withInputs(l, inputs)
		var guard []linear.Constraint
		for _, c := range t.Guard {
			if int(c.Form.MaxVar()) < n {
				guard = append(guard, c)
			}
		}
		for _, small := range []int64{1, 2, 0} {
			// A state well inside: the variables that matter are at least small.
			start := slices.Clone(guard)
			for v := range n {
				if l.needed[v] && small > 0 {
					start = append(start, linear.AtLeast(linear.Variable(linear.Var(v)), linear.Constant(linear.Int(small))))
				}
			}
			_, values, found := r.reach(l, n, start, nil)
			if !found && small > 0 {
				_, values, found = r.reach(l, n, guard, nil)
			}
			if !found {
				continue
			}
			set, ok := r.keep(&t, guard, r.guesses(l, values))
			if !ok {
				continue
			}
			if e, ok := r.closedEvidence(l, inputs, set); ok {
				return e, true
			}
		}
	}
	return its.Recurrence{}, false
}

// withInputs is the loop with inputs that are no products fixed.
func (r *refuter) withInputs(l *loop, inputs []linear.Form) its.Transition {
	n := len(r.s.Variables)
	t := l.t
	product := func(v linear.Var) bool {
		return slices.ContainsFunc(t.Products, func(p its.Product) bool { return p.Temp == v })
	}
	t.Guard = slices.Clone(t.Guard)
	for k, f := range inputs {
		if v := r.s.Temp(k); !product(v) {
			t.Guard = append(t.Guard, linear.Equals(linear.Variable(linear.Var(n+k)), f))
		}
	}
	return t
}

// guesses are conditions that hold at a state.
func (r *refuter) guesses(l *loop, state []linear.Number) []linear.Constraint {
	var vars []linear.Var
	for v, need := range l.needed {
		if need {
			vars = append(vars, linear.Var(v))
		}
	}
	var out []linear.Constraint
	add := func(f linear.Form) {
		c := linear.Constraint{Form: f}
		if len(out) < maxGuesses && c.Holds(func(v linear.Var) linear.Number { return state[v] }) {
			out = append(out, c)
		}
	}
	for _, v := range vars {
		x := linear.Variable(v)
		for _, k := range []int64{0, 1, 2} {
			add(x.Plus(linear.Int(-k)))
			add(x.Neg().Plus(linear.Int(-k)))
		}
	}
	for _, v := range vars {
		for _, w := range vars {
			if v != w {
				add(linear.Variable(v).Sub(linear.Variable(w)))
				add(linear.Variable(v).Sub(linear.Variable(w)).Plus(linear.Int(-1)))
			}
		}
	}
	return out
}

// keep drops guesses until a round keeps the rest and the guard.
func (r *refuter) keep(t *its.Transition, guard, guesses []linear.Constraint) ([]linear.Constraint, bool) {
	n := len(r.s.Variables)
	ps := products(t, func(f linear.Form) linear.Form { return f })
	after := func(c linear.Constraint) linear.Constraint {
		return linear.Constraint{Form: c.Form.Substitute(func(v linear.Var) (linear.Form, bool) {
			if int(v) < n {
				return t.Update[v], true
			}
			return linear.Form{}, false
		}), Equality: c.Equality}
	}
	// What the guard says about products has to follow from the set as well.
	definitions := func() []linear.Constraint {
		var out []linear.Constraint
		for _, c := range t.Guard {
			if int(c.Form.MaxVar()) >= n && c.Equality {
				out = append(out, c)
			}
		}
		return out
	}()
	kept := func(c linear.Constraint) bool {
		q := conjunction.Query{Variables: n + t.Temps, Products: ps}
		q.Constraints = append(append(slices.Clone(guard), guesses...), definitions...)
		q.Clauses = [][]linear.Constraint{c.Negations()}
		status, _, err := r.z.Solve(r.ctx, q)
		return err == nil && status == smt.Unsat
	}
	for {
		rest := slices.DeleteFunc(slices.Clone(guesses), func(c linear.Constraint) bool { return !kept(after(c)) })
		if r.ctx.Err() != nil {
			return nil, false
		}
		if len(rest) == len(guesses) {
			break
		}
		guesses = rest
	}
	for _, c := range t.Guard {
		if int(c.Form.MaxVar()) < n && !kept(after(c)) || int(c.Form.MaxVar()) >= n && !c.Equality && !kept(c) {
			return nil, false
		}
	}
	return linear.Irredundant(r.ctx, append(slices.Clone(guard), guesses...)), true
}
