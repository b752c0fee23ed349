package chc

import (
	"fmt"

	"assay/internal/logic/term"
)

// This file finds the state variable that says where a program is: its next value
// is a choice between constants, and a predicate for each of them spares the solver
// from finding out that most facts hold at one place only.

// maxLocations bounds the values of the control state.
const maxLocations = 64

// split chooses, among the states that only take constants, the one that takes the
// most, and makes a location of each of its values.
func (p *Problem) split() {
	for i := range p.s.States {
		values := p.values(i)
		if len(values) < 2 || len(values) > maxLocations || p.control >= 0 && len(values) <= len(p.locations) {
			continue
		}
		p.control = i
		p.locations = p.locations[:0]
		for k, v := range values {
			p.locations = append(p.locations, location{fmt.Sprintf("Reach%d", k), v})
		}
	}
}

// values are the constants that a state may take, or nil if it may take others.
func (p *Problem) values(state int) []term.ID {
	s := p.s.Store
	v := p.s.States[state]
	if v.Init == 0 || s.Sort(v.Term).Kind != term.SortBV {
		return nil
	}
	var out []term.ID
	seen := map[term.ID]bool{v.Term: true}
	constant := true
	var leaves func(t term.ID)
	leaves = func(t term.ID) {
		if seen[t] || !constant {
			return
		}
		seen[t] = true
		switch s.Op(t) {
		case term.OpConst:
			out = append(out, t)
		case term.OpIte:
			leaves(s.Arg(t, 1))
			leaves(s.Arg(t, 2))
		default:
			constant = false
		}
	}
	leaves(v.Init)
	leaves(v.Next)
	if !constant {
		return nil
	}
	return out
}

// System formulas: at is "the control state is at this location".
func (p *Problem) at(l location) term.ID {
	s := p.s.Store
	if l.value == 0 {
		return s.True()
	}
	return s.Eq(p.s.States[p.control].Term, l.value)
}
