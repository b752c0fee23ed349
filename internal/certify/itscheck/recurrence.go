package itscheck

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// Recurrence checks that the evidence proves that the system does not
// fair-terminate: the stem is executed, and Z3 has to agree that from every state
// of every set one of its moves leads into its target. nil means yes; an *its.Rejected
// says why not, other errors that it could not be decided.
func Recurrence(ctx context.Context, s *its.System, r its.Recurrence) error {
	if err := s.Check(); err != nil {
		return err
	}
	for i := range r.Sets {
		if err := wellFormed(s, &r, &r.Sets[i]); err != nil {
			return err
		}
	}
	if err := stem(s, r); err != nil {
		return err
	}
	if err := fairness(s, r); err != nil {
		return err
	}
	q, err := newQuery(ctx, s)
	if err != nil {
		return err
	}
	defer q.close()
	for i := range r.Sets {
		if err := closed(q, r, &r.Sets[i]); err != nil {
			return err
		}
	}
	return nil
}

// wellFormed checks sizes, numbers, and that paths are paths of exact transitions.
func wellFormed(s *its.System, r *its.Recurrence, set *its.RecurrentSet) error {
	integral := func(fs []linear.Form) bool {
		for _, f := range fs {
			if !f.IsIntegral() || int(f.MaxVar()) >= set.Parameters {
				return false
			}
		}
		return true
	}
	n := len(s.Variables)
	if set.Location < 0 || int(set.Location) >= len(s.Locations) || len(set.Known) != n || len(set.State) != n || !integral(set.State) {
		return reject("a recurrent set of wrong shape")
	}
	for _, c := range set.Constraints {
		if int(c.Form.MaxVar()) >= set.Parameters {
			return reject("a recurrent set with unknown parameters")
		}
	}
	for _, m := range set.Moves {
		if m.Target < 0 || m.Target >= len(r.Sets) || len(m.Path) == 0 || len(m.Inputs) != len(m.Path) ||
			m.Next != nil && (len(m.Next) != r.Sets[m.Target].Parameters || !integral(m.Next)) {
			return reject("a move of wrong shape")
		}
		if m.Next == nil && slices.Contains(parameterVariables(&r.Sets[m.Target]), -1) {
			return reject("a move does not say what the parameters are afterwards")
		}
		at := set.Location
		for k, i := range m.Path {
			if i < 0 || i >= len(s.Transitions) || s.Transitions[i].From != at || len(m.Inputs[k]) != s.Transitions[i].Temps || !integral(m.Inputs[k]) {
				return reject("the path of a move is no path")
			}
			if !s.Transitions[i].Exact {
				return reject("a move takes a transition that over-approximates the program")
			}
			at = s.Transitions[i].To
		}
		if at != r.Sets[m.Target].Location {
			return reject("the path of a move ends elsewhere")
		}
	}
	return nil
}

// parameterVariables are variables whose values are the parameters, -1 for none.
func parameterVariables(set *its.RecurrentSet) []int {
	out := make([]int, set.Parameters)
	for i := range out {
		out[i] = slices.IndexFunc(set.State, func(f linear.Form) bool {
			v, ok := f.IsVariable()
			return ok && int(v) == i
		})
		if v := out[i]; v >= len(set.Known) || v >= 0 && !set.Known[v] {
			out[i] = -1
		}
	}
	return out
}

// stem executes the stem.
func stem(s *its.System, r its.Recurrence) error {
	if r.Entry < 0 || r.Entry >= len(r.Sets) {
		return reject("the stem leads to no set")
	}
	set := &r.Sets[r.Entry]
	at, state := s.Initial, r.Stem.State
	for _, m := range r.Stem.Steps {
		if m.Transition < 0 || m.Transition >= len(s.Transitions) || s.Transitions[m.Transition].From != at {
			return reject("the stem is no path")
		}
		t := &s.Transitions[m.Transition]
		if !t.Exact {
			return reject("the stem takes a transition that over-approximates the program")
		}
		next, err := s.Step(t, state, m.Inputs)
		if err != nil {
			return reject("the stem cannot be executed: %v", err)
		}
		at, state = t.To, next
	}
	if at != set.Location || len(state) != len(s.Variables) || len(r.Parameters) != set.Parameters {
		return reject("the stem ends elsewhere")
	}
	value := func(v linear.Var) linear.Number { return linear.FromBigInt(r.Parameters[v]) }
	for _, c := range set.Constraints {
		if !c.Holds(value) {
			return reject("the stem ends outside of the recurrent set")
		}
	}
	for v, f := range set.State {
		if set.Known[v] && !f.Eval(value).Equal(linear.FromBigInt(new(big.Int).Set(state[v]))) {
			return reject("the stem ends in a state that is not the one of its parameters")
		}
	}
	return nil
}

// fairness checks that moves without fair transitions form no cycle.
func fairness(s *its.System, r its.Recurrence) error {
	successors := make([][]int, len(r.Sets))
	for i, set := range r.Sets {
		for _, m := range set.Moves {
			fair := false
			for _, t := range m.Path {
				fair = fair || s.Transitions[t].Fair
			}
			if !fair {
				successors[i] = append(successors[i], m.Target)
			}
		}
	}
	for i := range r.Sets {
		for _, m := range successors[i] {
			if closure(successors, m)[i] {
				return reject("the run might take no fair transition any more")
			}
		}
	}
	return nil
}

// closed asks Z3 whether some state of the set allows none of its moves.
func closed(q *query, r its.Recurrence, set *its.RecurrentSet) error {
	q.push()
	defer q.pop()
	params := make(environment, set.Parameters)
	for i := range params {
		params[i] = q.declare()
	}
	q.assert(constraints(set.Constraints, params))
	state := make(environment, len(set.State))
	for v, f := range set.State {
		if set.Known[v] {
			state[v] = term(f, params)
		} else {
			state[v] = q.declare()
		}
	}
	possible := make([]string, len(set.Moves))
	for i, m := range set.Moves {
		possible[i] = move(q, r, m, params, state)
	}
	ok, err := q.refuted("(not " + disjunction(possible) + ")")
	if err != nil {
		return err
	}
	if !ok {
		return reject("from some state of the set at %s no move leads back", q.s.Locations[set.Location])
	}
	return nil
}

// move is the condition under which a move is possible and ends in its target.
func move(q *query, r its.Recurrence, m its.SetMove, params, state environment) string {
	var conditions []string
	for k, i := range m.Path {
		t := &q.s.Transitions[i]
		at := append(make(environment, 0, len(state)+t.Temps), state...)
		for _, f := range m.Inputs[k] {
			at = append(at, term(f, params))
		}
		for _, p := range t.Products {
			at[p.Temp] = q.define(fmt.Sprintf("(* %s %s)", term(p.A, at), term(p.B, at)))
		}
		for _, c := range t.Guard {
			conditions = append(conditions, formula(c, at))
		}
		next := make(environment, len(state))
		for v, u := range t.Update {
			next[v] = term(u, at)
			if len(next[v]) > 40 && !strings.HasPrefix(next[v], "k") {
				next[v] = q.define(next[v])
			}
		}
		state = next
	}
	target := &r.Sets[m.Target]
	next := make(environment, target.Parameters)
	if m.Next == nil {
		for i, v := range parameterVariables(target) {
			next[i] = state[v]
		}
	}
	for i, f := range m.Next {
		next[i] = q.define(term(f, params))
	}
	conditions = append(conditions, constraints(target.Constraints, next))
	for v, f := range target.State {
		if target.Known[v] {
			conditions = append(conditions, "(= "+state[v]+" "+term(f, next)+")")
		}
	}
	return conjunction(conditions)
}
