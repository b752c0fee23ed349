package refutation

import (
	"math/big"
	"slices"

	"assay/internal/integers/forward"
	"assay/internal/integers/its"
	"assay/internal/logic/conjunction"
	"assay/internal/logic/linear"
	"assay/internal/logic/polyhedra"
	"assay/internal/logic/smt"
)

// This file finds recurrent sets that span a component: one polyhedron for each
// location. The inputs are fixed as forms over the state, a stem gives a state at
// some location, and the forward analysis of the component alone, from that state,
// gives polyhedra that no transition of the component leaves. They are recurrent if
// in every state of each some transition of the component is possible. This covers
// inner loops and branches, where single loops do not suffice.

// maxComponentTries bounds the choices of inputs.
const maxComponentTries = 4

func (r *refuter) component(transitions []int) (its.Recurrence, bool) {
	sub := &its.System{Variables: r.s.Variables, Locations: r.simple.Locations}
	var loops []*loop
	for _, i := range transitions {
		t := &r.simple.Transitions[i]
		if !t.Exact || !r.exact(t.Path) {
			continue
		}
		u := r.compose(t.Path)
		if len(u.Products) > 0 {
			continue
		}
		u.From, u.To = t.From, t.To
		loops = append(loops, &loop{at: t.From, path: t.Path, t: u})
	}
	loops = withoutUnfairCycles(len(sub.Locations), loops)
	all := make([]bool, len(r.s.Variables))
	for grew := true; grew; {
		grew = false
		for _, l := range loops {
			// What one transition needs after it, others must keep.
			l.needed = needed(r.s, &l.t)
			for v := range all {
				if l.needed[v] && !all[v] {
					all[v], grew = true, true
				}
				if all[v] {
					for _, m := range l.t.Update[v].Terms {
						if int(m.Var) < len(all) && !all[m.Var] {
							all[m.Var], grew = true, true
						}
					}
				}
			}
		}
	}
	for _, l := range loops {
		l.needed = all
	}
	for try := range maxComponentTries {
		inputs := make([][]linear.Form, len(loops))
		sub.Transitions = nil
		differs := try == 0
		for k, l := range loops {
			options := r.choices(l)
			differs = differs || try < len(options)
			inputs[k] = options[min(try, len(options)-1)]
			sub.Transitions = append(sub.Transitions, r.fixed(l, inputs[k]))
		}
		if !differs {
			break
		}
		tried := map[its.Location]bool{}
		for _, l := range loops {
			if tried[l.at] || r.ctx.Err() != nil {
				continue
			}
			tried[l.at] = true
			if e, ok := r.componentFrom(sub, loops, inputs, l); ok {
				return e, true
			}
		}
	}
	return its.Recurrence{}, false
}

// withoutUnfairCycles drops unfair transitions that form cycles with each other: a
// run might take only these.
func withoutUnfairCycles(locations int, loops []*loop) []*loop {
	var edges [][2]int
	for _, l := range loops {
		if !l.t.Fair {
			edges = append(edges, [2]int{int(l.t.From), int(l.t.To)})
		}
	}
	component, _ := its.Components(locations, edges)
	return slices.DeleteFunc(loops, func(l *loop) bool { return !l.t.Fair && component[l.t.From] == component[l.t.To] })
}

// fixed is the transition of a loop with its inputs fixed, and variables that are
// not needed frozen.
func (r *refuter) fixed(l *loop, inputs []linear.Form) its.Transition {
	n := linear.Var(len(r.s.Variables))
	fix := func(f linear.Form) linear.Form {
		return f.Substitute(func(v linear.Var) (linear.Form, bool) {
			if v < n {
				return linear.Form{}, false
			}
			return inputs[v-n], true
		})
	}
	t := its.Transition{From: l.t.From, To: l.t.To, Update: r.s.Identity(), Path: l.path, Fair: l.t.Fair, Exact: true}
	for _, c := range l.t.Guard {
		t.Guard = append(t.Guard, linear.Constraint{Form: fix(c.Form), Equality: c.Equality}.Tighten())
	}
	for v, u := range l.t.Update {
		if l.needed[v] {
			t.Update[v] = fix(u)
		}
	}
	return t
}

// componentFrom tries states at the location of the loop.
func (r *refuter) componentFrom(sub *its.System, loops []*loop, inputs [][]linear.Form, l *loop) (its.Recurrence, bool) {
	n := len(r.s.Variables)
	sub.Initial = l.at
	for k := range sub.Transitions {
		t := &sub.Transitions[k]
		if t.From != l.at {
			continue
		}
		// Begin where some transition is possible.
		stem, values, found := r.reach(l, n, t.Guard, nil)
		if !found {
			continue
		}
		var at []linear.Constraint
		for v := range n {
			if l.needed[v] {
				at = append(at, linear.Equals(linear.Variable(linear.Var(v)), linear.Constant(values[v])))
			}
		}
		inv := forward.Invariants(r.ctx, sub, polyhedra.Of(r.ctx, at...))
		if r.ctx.Err() != nil || !r.covered(sub, inv) {
			continue
		}
		return r.componentEvidence(sub, loops, inputs, inv, l, stem, values), true
	}
	return its.Recurrence{}, false
}

// covered says whether in every state of the sets some transition is possible.
func (r *refuter) covered(sub *its.System, inv []polyhedra.Polyhedron) bool {
	for l := range sub.Locations {
		if inv[l].IsEmpty() {
			continue
		}
		q := conjunction.Query{Variables: len(sub.Variables), Constraints: inv[l].Constraints()}
		for i := range sub.Transitions {
			t := &sub.Transitions[i]
			if int(t.From) != l {
				continue
			}
			var clause []linear.Constraint
			for _, c := range t.Guard {
				clause = append(clause, c.Negations()...)
			}
			q.Clauses = append(q.Clauses, clause)
		}
		if status, _, err := r.z.Solve(r.ctx, q); err != nil || status != smt.Unsat {
			return false
		}
	}
	return true
}

func (r *refuter) componentEvidence(sub *its.System, loops []*loop, inputs [][]linear.Form, inv []polyhedra.Polyhedron, entry *loop, stem its.Stem, values []linear.Number) its.Recurrence {
	n := len(r.s.Variables)
	number := make([]linear.Var, n)
	count := 0
	for v := range n {
		if entry.needed[v] {
			number[v] = linear.Var(count)
			count++
		}
	}
	over := func(f linear.Form) linear.Form {
		return f.Rename(func(v linear.Var) linear.Var { return number[v] })
	}
	e := its.Recurrence{Stem: stem}
	for v := range n {
		if entry.needed[v] {
			e.Parameters = append(e.Parameters, new(big.Int).Set(values[v].BigInt()))
		}
	}
	index := map[its.Location]int{}
	for l := range sub.Locations {
		if inv[l].IsEmpty() {
			continue
		}
		set := its.RecurrentSet{Parameters: count, Known: slices.Clone(entry.needed)}
		for _, c := range inv[l].Constraints() {
			set.Constraints = append(set.Constraints, linear.Constraint{Form: over(c.Form), Equality: c.Equality})
		}
		for v := range n {
			f := linear.Form{}
			if entry.needed[v] {
				f = linear.Variable(number[v])
			}
			set.State = append(set.State, f)
		}
		index[its.Location(l)] = len(e.Sets)
		e.Sets = append(e.Sets, set)
	}
	e.Entry = index[entry.at]
	for k, l := range loops {
		t := &sub.Transitions[k]
		if inv[t.From].IsEmpty() || inv[t.To].IsEmpty() {
			continue
		}
		set := &e.Sets[index[t.From]]
		set.Location = r.s.Transitions[l.path[0]].From
		fix := func(f linear.Form) linear.Form {
			return over(f.Substitute(func(v linear.Var) (linear.Form, bool) {
				if int(v) < n {
					return linear.Form{}, false
				}
				return inputs[k][int(v)-n], true
			}))
		}
		var next []linear.Form
		for v := range n {
			if entry.needed[v] {
				next = append(next, over(t.Update[v]))
			}
		}
		m := r.setMove(&l.t, fix, next)
		m.Target = index[t.To]
		set.Moves = append(set.Moves, m)
	}
	return e
}
