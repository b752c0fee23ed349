package ts

import (
	"slices"

	"assay/internal/logic/term"
)

// This file leaves out the arithmetic that bit-level engines cannot do: products of
// variables, quotients and remainders, and sums and products with them. Nothing is left of them but that they are
// functions: equal operands have equal results.
//
// A bit-level engine has no functions, but it has states. An application f(a, b) whose
// operands are terms over the state becomes a state variable of its own, its *ghost* g
// with the meaning g = f(a, b). The next value of the ghost is f of the next values of
// the operands. Those are choices by conditions of the step, in most cases between
// constants and the values of before, and f of a choice is the choice of the results:
//
//	f(ite(c, x, y), b) = ite(c, f(x, b), f(y, b)),
//
// where f(x, b) is an application again, with a ghost that there may be already: this
// ends where a program changes operands by assigning constants or other variables to
// them. What else is computed (or comes in too late, see the limits) is an input: it
// may be anything, the same for equal applications in one step.
//
//	(1) In a run of the system every ghost can be given its meaning, and every input the
//	    value of its application. So there is a run of the weakened system with the
//	    same states.
//	(2) Let I(s, g) be inductive for the weakened system, for states s and ghosts g. Then
//	    I(s, f(a, b)) is inductive for the system, by (1) for a single step: Invariant.
//	(3) A run of the weakened system says nothing.
//
// This is Ackermann's reduction of uninterpreted functions [KroeningStrichman16 §4.2.1],
// over time: it is exact as long as operands are only moved around.

// hardWidth is the least width of arithmetic that is left out.
const hardWidth = 16

// Limits of the ghosts: how many there are, and how many steps lead to them.
const (
	maxGhosts      = 16
	maxGenerations = 4
)

// hard says whether a term is arithmetic to leave out.
func hard(s *term.Store, t term.ID) bool {
	if s.Width(t) < hardWidth {
		return false
	}
	switch s.Op(t) {
	case term.OpMul:
		return s.Op(s.Arg(t, 0)) != term.OpConst && s.Op(s.Arg(t, 1)) != term.OpConst
	case term.OpUDiv, term.OpURem, term.OpSDiv, term.OpSRem:
		return true
	}
	return false
}

// unknowable returns hard arithmetic and sums and products with it: what is unknown of a
// product is unknown of the sum x*y + z, and that one is a function of x, y and z
// says more to an engine than an adder.
func unknowable(s *term.Store) func(t term.ID) bool {
	known := map[term.ID]bool{}
	var is func(t term.ID) bool
	is = func(t term.ID) bool {
		r, ok := known[t]
		if ok || s.Width(t) < hardWidth {
			return r
		}
		switch s.Op(t) {
		case term.OpIte: // one of its cases
			r = is(s.Arg(t, 1)) || is(s.Arg(t, 2))
		case term.OpAdd, term.OpMul:
			r = hard(s, t) || is(s.Arg(t, 0)) || is(s.Arg(t, 1))
		case term.OpNeg:
			r = is(s.Arg(t, 0))
		default:
			r = hard(s, t)
		}
		known[t] = r
		return r
	}
	return func(t term.ID) bool { return s.Op(t) != term.OpIte && is(t) }
}

// Weakened is a system without hard arithmetic. Its first states are those of the
// system, in the same order; the properties are the same, too.
type Weakened struct {
	*System
	meanings []term.ID // of the ghosts, which are the other states
	left     []term.ID // the applications that the last inputs stand for
}

// Invariant is an invariant of the system, from one of the weakened system that has
// clauses only. It adds terms to the store.
func (w *Weakened) Invariant(inv *Invariant) *Invariant {
	first := len(w.States) - len(w.meanings)
	st := w.Store
	out := *inv
	out.Clauses, out.Formulas = nil, slices.Clone(inv.Formulas)
	for _, c := range inv.Clauses {
		if !slices.ContainsFunc(c, func(l Literal) bool { return int(l.State) >= first }) {
			out.Clauses = append(out.Clauses, c)
			continue
		}
		holds := st.False()
		for _, l := range c {
			t := w.States[l.State].Term
			if int(l.State) >= first {
				t = w.meanings[int(l.State)-first]
			}
			if st.Sort(t).Kind == term.SortBV {
				t = st.BVToBool(st.Extract(t, l.Bit, l.Bit))
			}
			if l.Negated {
				t = st.Not(t)
			}
			holds = st.Or(holds, t)
		}
		out.Formulas = append(out.Formulas, holds)
	}
	return &out
}

// weakening is the work under way.
type weakening struct {
	s, weak    *System
	st         *term.Store
	states     map[term.ID]int
	ghosts     []ghost
	left       []term.ID
	generation int // of the ghosts that are made now
}

type ghost struct {
	variable, meaning term.ID
	generation        int
}

// Weaken is the system without hard arithmetic, nil if it has none. It adds terms to
// the store.
func (s *System) Weaken() *Weakened {
	weak := *s
	w := &weakening{s: s, weak: &weak, st: s.Store, states: map[term.ID]int{}}
	weak.Inputs = slices.Clone(s.Inputs)
	for i, v := range s.States {
		w.states[v.Term] = i
	}
	applications := term.NewApplications(s.Store, unknowable(s.Store), w.name)
	var roots []term.ID // where terms are, and the terms
	var places []*term.ID
	add := func(at *term.ID) {
		if *at != 0 {
			places = append(places, at)
			roots = append(roots, *at)
		}
	}
	for _, list := range []*[]term.ID{&weak.Init, &weak.Constraints, &weak.Transitions} {
		*list = slices.Clone(*list)
		for i := range *list {
			add(&(*list)[i])
		}
	}
	weak.States, weak.Bad = slices.Clone(s.States), slices.Clone(s.Bad)
	for i := range weak.States {
		add(&weak.States[i].Init)
		add(&weak.States[i].Next)
	}
	for i := range weak.Bad {
		add(&weak.Bad[i].Term)
	}
	for i, t := range applications.All(roots) {
		*places[i] = t
	}
	weak.Justice, weak.Fair = nil, nil
	if !applications.Some() {
		return nil
	}
	out := &Weakened{System: &weak}
	for i := 0; i < len(w.ghosts); i++ {
		g := w.ghosts[i]
		w.generation = g.generation + 1
		weak.States = append(weak.States, State{Term: g.variable, Init: w.first(g.meaning), Next: applications.One(w.next(g.meaning)), Name: w.st.VarName(g.variable)})
		out.meanings = append(out.meanings, g.meaning)
	}
	out.left = w.left
	return out
}

// next is a term over the states in the next step.
func (w *weakening) next(t term.ID) term.ID {
	after := map[term.ID]term.ID{}
	for _, v := range w.st.Vars(t) {
		after[v] = w.s.States[w.states[v]].Next
	}
	return w.st.Substitute(t, after)
}

// first is the initial value of a term over the states, 0 if it is not constant.
func (w *weakening) first(t term.ID) term.ID {
	before := map[term.ID]term.ID{}
	for _, v := range w.st.Vars(t) {
		if before[v] = w.s.States[w.states[v]].Init; before[v] == 0 {
			return 0
		}
	}
	if x := w.st.Substitute(t, before); w.st.IsConst(x) {
		return x
	}
	return 0
}

// name makes the variable for an application.
func (w *weakening) name(t term.ID) term.ID {
	st := w.st
	overStates := !slices.ContainsFunc(st.Vars(t), func(v term.ID) bool { _, ok := w.states[v]; return !ok })
	x := st.Fresh("arithmetic", st.Sort(t))
	if overStates && len(w.ghosts) < maxGhosts && w.generation < maxGenerations {
		w.ghosts = append(w.ghosts, ghost{x, t, w.generation})
	} else {
		w.weak.Inputs = append(w.weak.Inputs, Input{Term: x, Name: st.VarName(x)})
		w.left = append(w.left, t)
	}
	return x
}
