package dimspec

import (
	"strconv"

	"assay/internal/finite/ts"
	"assay/internal/logic/term"
)

// This file makes a transition system of a formula.

// Model is a formula as a transition system.
//
// A variable that t mentions in the next state, and some section other than i in
// a state, is a state variable, whose next value is an input unless clauses define
// it. Other variables are inputs or gates; see define.go. What remains of section t
// is a condition on steps; section g is the bad state.
type Model struct {
	Formula *Formula
	System  *ts.System
	// By variable, from 1: the index of the state, input, or next value, or -1.
	state, input, next []int
	gates              []gate // operands first
}

// modeller makes the system of a formula.
type modeller struct {
	*Model
	found *definitions
	terms []term.ID // by variable: of gates, 0 for others
}

// Model makes the system.
func (f *Formula) Model() *Model {
	n := f.Variables
	used, primed := make([]bool, n+1), make([]bool, n+1)
	for i, s := range f.sections() {
		for _, l := range *s {
			switch v := variable(l); {
			case int(v) > n:
				primed[int(v)-n] = true
			case i > 0:
				used[v] = true
			}
		}
	}
	isState := func(v int32) bool { return primed[v] && used[v] }
	x := &modeller{
		Model: &Model{Formula: f, System: &ts.System{Store: term.NewRawStore()}},
		found: f.define(isState, func(v int32) bool { return primed[v] }),
		terms: make([]term.ID, n+1),
	}
	x.gates = x.found.gates
	x.declare(isState, primed)
	x.define()
	x.initialise()
	s := x.System
	s.Constraints, s.Transitions = x.clauses(f.Universal, x.found.universal), x.clauses(f.Transition, x.found.transition)
	s.Bad = []ts.Property{{Term: s.Store.AndAll(x.clauses(f.Goal, nil)...), Name: "goal"}}
	return x.Model
}

func (x *modeller) newInput(name string, nextOf int) int {
	s := x.System
	s.Inputs = append(s.Inputs, ts.Input{Term: s.Store.Var(name, term.Bool()), Name: name, NextOf: nextOf})
	return len(s.Inputs) - 1
}

// declare makes states and inputs of the variables that are no gates.
func (x *modeller) declare(isState func(v int32) bool, primed []bool) {
	n, s := x.Formula.Variables, x.System
	x.state, x.input, x.next = make([]int, n+1), make([]int, n+1), make([]int, n+1)
	for v := range n + 1 {
		x.state[v], x.input[v], x.next[v] = -1, -1, -1
	}
	isGate := make([]bool, n+1)
	for _, g := range x.gates {
		isGate[variable(g.literal)] = true
	}
	for v := 1; v <= n; v++ {
		name := "x" + strconv.Itoa(v)
		switch {
		case isGate[v]:
		case isState(int32(v)):
			x.state[v] = len(s.States)
			s.States = append(s.States, ts.State{Term: s.Store.Var(name, term.Bool()), Name: name})
			if x.found.next[v] == 0 && x.found.isConst[v] == 0 {
				x.next[v] = x.newInput(name+"'", x.state[v]+1)
				s.States[x.state[v]].Next = s.Inputs[x.next[v]].Term
			}
		default:
			x.input[v] = x.newInput(name, 0)
			if primed[v] {
				x.next[v] = x.newInput(name+"'", 0)
			}
		}
	}
}

// define makes the terms of gates and next values.
func (x *modeller) define() {
	s := x.System
	for _, g := range x.gates {
		t := x.literal(g.operands[0])
		for _, l := range g.operands[1:] {
			t = s.Store.And(t, x.literal(l))
		}
		if g.literal < 0 {
			t = s.Store.Not(t)
		}
		x.terms[variable(g.literal)] = t
	}
	for v := 1; v <= x.Formula.Variables; v++ {
		switch {
		case x.found.next[v] != 0:
			s.States[x.state[v]].Next = x.literal(x.found.next[v])
		case x.found.isConst[v] != 0:
			s.States[x.state[v]].Next = s.Store.Bool(x.found.isConst[v] > 0)
		}
	}
}

// literal is the term of a literal.
func (x *modeller) literal(l int32) term.ID {
	n, v, s := x.Formula.Variables, int(variable(l)), x.System
	var t term.ID
	switch {
	case v > n && x.next[v-n] < 0:
		t = s.States[x.state[v-n]].Next // defined
	case v > n:
		t = s.Inputs[x.next[v-n]].Term
	case x.terms[v] != 0:
		t = x.terms[v]
	case x.state[v] >= 0:
		t = s.States[x.state[v]].Term
	default:
		t = s.Inputs[x.input[v]].Term
	}
	if l < 0 {
		return s.Store.Not(t)
	}
	return t
}

// clauses are the terms of the clauses of a section, but for some.
func (x *modeller) clauses(flat []int32, without map[int]bool) []term.ID {
	var out []term.ID
	for i, c := range clausesOf(flat) {
		if !without[i] {
			out = append(out, x.clause(c))
		}
	}
	return out
}

func (x *modeller) clause(literals []int32) term.ID {
	c := x.System.Store.False()
	for i, l := range literals {
		if i == 0 {
			c = x.literal(l)
		} else {
			c = x.System.Store.Or(c, x.literal(l))
		}
	}
	return c
}

// initialise makes initial values of the units of section i, and conditions of its other
// clauses: a reset is cheaper than a condition.
func (x *modeller) initialise() {
	s := x.System
	for _, c := range clausesOf(x.Formula.Initial) {
		if len(c) == 1 {
			if st := x.state[variable(c[0])]; st >= 0 && s.States[st].Init == 0 {
				s.States[st].Init = s.Store.Bool(c[0] > 0)
				continue
			}
		}
		s.Init = append(s.Init, x.clause(c))
	}
}
