package refutation

import (
	"math/big"
	"slices"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// This file finds closed polyhedra for a loop: the inputs of a round are fixed as
// forms over the state, which makes the loop deterministic, and then constraints
// are added to its guard until one round keeps them all. A constraint c that a round
// may lose is replaced by one of
//
//	c after the round (the greatest fixed point, if that is finite), or
//	c does not shrink in the round (which then has to be kept itself).
//
// Invariant: every set tried is included in the guard, so that a set that one
// round keeps is recurrent.

const (
	maxChoices  = 24 // of inputs, for one loop
	maxRounds   = 8
	maxInclosed = 60 // constraints
)

func (r *refuter) closed(l *loop) (its.Recurrence, bool) {
	if len(l.t.Products) > 0 {
		return its.Recurrence{}, false
	}
	for _, inputs := range r.choices(l) {
		if r.ctx.Err() != nil {
			break
		}
		for _, mode := range []growth{after, steady, afterThenSteady} {
			set, ok := r.fixedPoint(l, inputs, mode)
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

// choices are forms over the state for the temporaries of the loop.
func (r *refuter) choices(l *loop) [][]linear.Form {
	n := linear.Var(len(r.s.Variables))
	t := &l.t
	options := make([][]linear.Form, t.Temps)
	add := func(k int, f linear.Form) {
		if f.IsIntegral() && !slices.ContainsFunc(options[k], f.Equal) && f.MaxVar() < n {
			options[k] = append(options[k], f)
		}
	}
	for k := range options {
		y := n + linear.Var(k)
		for v, u := range t.Update { // nothing changes
			if c := u.Coef(y); l.needed[v] && c.Abs().IsOne() {
				add(k, linear.Variable(linear.Var(v)).Sub(u.AddScaled(c.Neg(), linear.Variable(y))).Scale(c))
			}
		}
		for _, c := range t.Guard { // at a bound
			if a := c.Form.Coef(y); a.Abs().IsOne() {
				add(k, c.Form.AddScaled(a.Neg(), linear.Variable(y)).Scale(a.Neg()))
			}
		}
		for _, i := range []int64{0, 1, -1} {
			add(k, linear.Constant(linear.Int(i)))
		}
	}
	out := [][]linear.Form{nil}
	for _, o := range options {
		var next [][]linear.Form
		for _, prefix := range out {
			for _, f := range o {
				if len(next) < maxChoices {
					next = append(next, append(prefix[:len(prefix):len(prefix)], f))
				}
			}
		}
		out = next
	}
	return out
}

type growth uint8

const (
	after growth = iota
	steady
	afterThenSteady
)

// fixedPoint strengthens the guard until one round keeps it.
func (r *refuter) fixedPoint(l *loop, inputs []linear.Form, mode growth) ([]linear.Constraint, bool) {
	n := linear.Var(len(r.s.Variables))
	fix := func(v linear.Var) (linear.Form, bool) {
		if v < n {
			return linear.Form{}, false
		}
		return inputs[v-n], true
	}
	update := make([]linear.Form, n)
	for v, u := range l.t.Update {
		update[v] = u.Substitute(fix)
	}
	round := func(f linear.Form) linear.Form {
		return f.Substitute(func(v linear.Var) (linear.Form, bool) { return update[v], true })
	}
	set := make([]linear.Constraint, len(l.t.Guard))
	for i, c := range l.t.Guard {
		set[i] = linear.Constraint{Form: c.Form.Substitute(fix), Equality: c.Equality}
	}
	for k := range maxRounds {
		set = linear.Irredundant(r.ctx, set)
		if len(set) == 1 && set[0].IsFalse() || len(set) > maxInclosed || r.ctx.Err() != nil {
			return nil, false
		}
		s := linear.NewSolver(r.ctx, int(n), set)
		var more []linear.Constraint
		for _, c := range set {
			next := linear.Constraint{Form: round(c.Form), Equality: c.Equality}
			if s.Entails(next) {
				continue
			}
			if mode == steady || mode == afterThenSteady && k > 0 {
				next.Form = next.Form.Sub(c.Form)
			}
			more = append(more, next)
		}
		if more == nil {
			return set, true
		}
		set = append(slices.Clone(set), more...)
	}
	return nil, false
}

// closedEvidence looks for a stem into the set.
func (r *refuter) closedEvidence(l *loop, inputs []linear.Form, constraints []linear.Constraint) (its.Recurrence, bool) {
	n := len(r.s.Variables)
	stem, values, found := r.reach(l, n, constraints, nil)
	if !found {
		return its.Recurrence{}, false
	}
	// The parameters are the variables that matter.
	number := make([]linear.Var, n)
	set := its.RecurrentSet{Location: r.s.Transitions[l.t.Path[0]].From, Known: slices.Clone(l.needed)}
	var parameters []*big.Int
	for v := range n {
		f := linear.Form{}
		if l.needed[v] {
			number[v] = linear.Var(set.Parameters)
			f = linear.Variable(number[v])
			parameters = append(parameters, values[v].BigInt())
			set.Parameters++
		}
		set.State = append(set.State, f)
	}
	over := func(f linear.Form) linear.Form {
		return f.Substitute(func(v linear.Var) (linear.Form, bool) {
			if int(v) < n {
				return linear.Form{}, false
			}
			return inputs[int(v)-n], true
		}).Rename(func(v linear.Var) linear.Var { return number[v] })
	}
	for _, c := range constraints {
		set.Constraints = append(set.Constraints, linear.Constraint{Form: over(c.Form), Equality: c.Equality})
	}
	var next []linear.Form
	for v := range n {
		if l.needed[v] {
			next = append(next, over(l.t.Update[v]))
		}
	}
	if len(l.t.Products) > 0 {
		next = nil // no linear forms
	}
	set.Moves = []its.SetMove{r.setMove(&l.t, over, next)}
	return its.Recurrence{Stem: stem, Sets: []its.RecurrentSet{set}, Parameters: parameters}, true
}
