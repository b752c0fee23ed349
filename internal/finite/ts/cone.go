package ts

import (
	"slices"

	"assay/internal/logic/bv"
	"assay/internal/logic/term"
)

// This file leaves out what no condition of a system depends on: the cone of influence
// of its conditions is what they mention, and what the initial and next values of
// states in it mention. It is done on terms: a product of
// words that are outside of it is never made of gates.
//
// Conditions are the bad states, justice and fairness, and what says which runs there
// are: Init, Constraints and Transitions. So the runs of the cone are the runs of
// the system, restricted to its variables: a run of the cone becomes one of the
// system when the other states get their initial and next values, with any inputs.

// Influence is a system without what its conditions do not depend on.
type Influence struct {
	System *System // the whole one, if nothing is left out
	whole  *System
	// states and inputs are the indices that those of System have in the whole one.
	states, inputs []int
}

// Influence is the cone of influence of all conditions.
func (s *System) Influence() *Influence {
	c := &Influence{System: s, whole: s}
	roots := slices.Concat(s.Init, s.Constraints, s.Transitions, s.Fair)
	for _, b := range s.Bad {
		roots = append(roots, b.Term)
	}
	for _, j := range s.Justice {
		roots = append(roots, j.Terms...)
	}
	of := map[term.ID]int{} // one more than the index of a state
	for i, v := range s.States {
		of[v.Term] = i + 1
	}
	in := map[term.ID]bool{}
	for len(roots) > 0 {
		vars := s.Store.Vars(roots...)
		roots = roots[:0]
		for _, v := range vars {
			if in[v] {
				continue
			}
			in[v] = true
			if i := of[v]; i > 0 {
				roots = append(roots, s.States[i-1].Next)
				if init := s.States[i-1].Init; init != 0 {
					roots = append(roots, init)
				}
			}
		}
	}
	if len(in) == len(s.States)+len(s.Inputs) {
		return c
	}
	small := *s
	small.States, small.Inputs = nil, nil
	at := make([]int, len(s.States))
	for i, v := range s.States {
		if in[v.Term] {
			c.states = append(c.states, i)
			small.States = append(small.States, v)
			at[i] = len(small.States)
		}
	}
	for i, v := range s.Inputs {
		if in[v.Term] {
			if v.NextOf > 0 {
				v.NextOf = at[v.NextOf-1]
			}
			c.inputs = append(c.inputs, i)
			small.Inputs = append(small.Inputs, v)
		}
	}
	c.System = &small
	return c
}

// Trace is a run of the cone as one of the whole system, for a bad state.
func (c *Influence) Trace(t *Trace) *Trace {
	if c.System == c.whole {
		return t
	}
	out := *t
	out.Initial = make([]bv.BV, len(c.whole.States))
	for i, v := range c.whole.States {
		out.Initial[i] = bv.New(c.whole.Width(v.Term), 0)
	}
	for k, i := range c.states {
		out.Initial[i] = t.Initial[k]
	}
	out.Inputs = nil
	for _, step := range t.Inputs {
		all := make([]bv.BV, len(c.whole.Inputs))
		for i, v := range c.whole.Inputs {
			all[i] = bv.New(c.whole.Width(v.Term), 0)
		}
		for k, i := range c.inputs {
			all[i] = step[k]
		}
		out.Inputs = append(out.Inputs, all)
	}
	c.whole.Complete(&out)
	return &out
}

// Invariant is an invariant of the cone as one of the whole system.
func (c *Influence) Invariant(inv *Invariant) *Invariant {
	if c.System == c.whole || inv == nil {
		return inv
	}
	out := *inv
	renamed := func(lists [][]Literal) [][]Literal {
		lists = slices.Clone(lists)
		for i, l := range lists {
			l = slices.Clone(l)
			for j := range l {
				l[j].State = int32(c.states[l[j].State])
			}
			lists[i] = l
		}
		return lists
	}
	out.Clauses, out.Cubes = renamed(inv.Clauses), renamed(inv.Cubes)
	out.Bits = slices.Clone(inv.Bits)
	for i := range out.Bits {
		out.Bits[i].Index = int32(c.states[out.Bits[i].Index])
	}
	return &out
}
