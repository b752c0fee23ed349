package program

import (
	"fmt"
	"slices"

	"assay/internal/evidence/verdict"
	"assay/internal/finite/ts"
	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/program/ir"
)

// This file puts a transition system together from the terms of the last encoding
// of the step: states, next states, bad states, and what is assumed at the start.

// assembly is a system in the making.
type assembly struct {
	*round
	s         *System
	returns   term.ID // the step comes to a location
	states    []stateTerms
	obstacles []term.ID // when the system is not exact; System.Inexact says why
}

// stateTerms are a state of the system, with its initial and next value.
type stateTerms struct {
	bits, init, next term.ID
	name             string
}

// parts are the terms of a system by what they are for.
type parts struct {
	next      []term.ID // by state
	bad       []term.ID // Violation, Obstacle
	obstacles []term.ID
	unclean   []term.ID
	facts     []term.ID
	guards    []term.ID // by choice
	bits      []term.ID // of the choices that have some
	marks     []term.ID // by site
}

// lower lowers all terms together.
func (p *parts) lower(l *lowerer) error {
	groups := []*[]term.ID{&p.next, &p.bad, &p.obstacles, &p.unclean, &p.facts, &p.guards, &p.bits, &p.marks}
	var roots []term.ID
	for _, g := range groups {
		roots = append(roots, *g...)
	}
	low, err := l.all(roots)
	if err != nil {
		return err
	}
	for _, g := range groups {
		n := len(*g)
		*g, low = low[:n:n], low[n:]
	}
	return nil
}

// system puts the terms of the last round together.
func (r *round) system(o Options) (*System, error) {
	a := &assembly{round: r, s: &System{System: &ts.System{Store: r.st}, layout: r.layout, r: r, facts: o.Facts}, returns: r.f.Returns}
	if a.returns == 0 {
		a.returns = r.st.False()
	}
	a.limits()
	a.variables()
	a.heapObjects()
	p := a.parts(o)
	s := a.s
	s.lower = newLowerer(r.st, r.arraySizes(), r.mostElements())
	if err := p.lower(s.lower); err != nil {
		return nil, err
	}
	isState, err := a.declareStates(p)
	if err != nil {
		return nil, err
	}
	s.Violation, s.Obstacle = 0, 1
	s.Bad = []ts.Property{{Term: p.bad[0], Name: "violation"}, {Term: p.bad[1], Name: "obstacle"}}
	s.conds, s.unclean, s.Constraints, s.guards, s.marks = p.obstacles, p.unclean, p.facts, p.guards, p.marks
	bits := p.bits
	for _, c := range r.f.Choices {
		if c.Bits == 0 {
			s.values = append(s.values, 0)
			continue
		}
		s.values, bits = append(s.values, bits[0]), bits[1:]
	}
	s.freeze(isState)
	a.declareInputs(p, isState)
	if o.Endless {
		goes := r.st.Not(r.st.Eq(s.States[s.pc].Term, r.st.ConstU(r.pcBits(), r.halted())))
		s.Justice = []ts.Justice{{Terms: []term.ID{goes}, Name: "endless"}}
	}
	if err := s.Check(); err != nil {
		panic("program: " + err.Error())
	}
	return s, nil
}

// inexact says that the system is not exact under a condition.
func (a *assembly) inexact(cond term.ID, reason verdict.Reason) {
	if !a.st.IsFalse(cond) {
		a.obstacles = append(a.obstacles, cond)
		a.s.Inexact = append(a.s.Inexact, reason)
	}
}

// limits are the places where the formula of the step is not exact.
func (a *assembly) limits() {
	for _, x := range a.f.Obstacles {
		if !x.OverApproximated {
			a.inexact(x.Cond, x.Reason)
		}
	}
	for _, x := range a.f.Limits {
		a.inexact(x.Cond, verdict.Reason{Cause: verdict.CauseUnwinding, Func: x.Loop.Func, Pos: x.Pos, Text: "the recursion is deeper than the transition system can follow"})
	}
}

func (a *assembly) zero(t term.ID) term.ID { return a.st.ConstU(a.st.Width(t), 0) }

// state adds a state, which the step function chooses, and returns its number.
func (a *assembly) state(chosen ir.Value, next term.ID, name string) int {
	b := a.bits[chosen]
	a.states = append(a.states, stateTerms{b, a.zero(b), next, name})
	return len(a.states) - 1
}

// variables adds the states of the location and of the variables, with their next values,
// which are 0 if the step does not come to a location.
func (a *assembly) variables() {
	r, st := a.round, a.st
	pc := st.ConstU(r.pcBits(), r.halted())
	if r.f.Returns != 0 {
		pc = st.Ite(a.returns, r.f.Results[0].Bits, pc)
	}
	a.s.pc = a.state(r.pc, pc, "location")
	names := r.variableNames()
	a.s.index = make([][2]int, len(r.layout.variables))
	for i := range r.layout.variables {
		v := &r.layout.variables[i]
		index := &a.s.index[i]
		*index = [2]int{0, -1}
		x := a.nextValue(i)
		switch {
		case x == (memory.Value{}):
			index[0] = a.state(v.chosen, a.zero(r.bits[v.chosen]), names[i])
			if v.target != 0 {
				index[1] = a.state(v.target, a.zero(r.bits[v.target]), names[i]+".target")
			}
		case v.typ.Kind == ir.Ptr:
			if !x.IsPointer() {
				x = r.u.Space().IntToPtr(x.Bits)
			}
			a.pointer(i, index, x, names[i])
		default:
			b := x.Bits
			if x.IsPointer() {
				b = r.u.Space().PtrToInt(x)
			}
			index[0] = a.state(v.chosen, st.Ite(a.returns, b, a.zero(b)), names[i])
		}
	}
}

// nextValue is the next value of a variable, zero if there is none.
func (a *assembly) nextValue(i int) memory.Value {
	switch v := &a.layout.variables[i]; {
	case a.f.Returns == 0:
		return memory.Value{}
	case v.result >= 0:
		return a.f.Results[v.result]
	}
	return a.memoryValue(i)
}

// pointer adds the states of a pointer: its offset, and the number of what it points into.
func (a *assembly) pointer(i int, index *[2]int, x memory.Value, name string) {
	st, v := a.st, &a.layout.variables[i]
	index[0] = a.state(v.chosen, st.Ite(a.returns, x.Offset, a.zero(x.Offset)), name)
	candidates := a.candidates[a.keyOf(v)]
	known := st.False()
	number := st.ConstU(max(1, targetBits(len(candidates))), 0)
	for k, c := range candidates {
		is := st.Eq(x.Object, st.ConstU(memory.ObjectBits, uint64(a.objectOf(c))))
		known = st.Or(known, is)
		number = st.Ite(is, st.ConstU(st.Width(number), uint64(k)), number)
	}
	if lost := st.And(a.returns, st.Not(known)); !st.IsFalse(lost) {
		a.inexact(lost, a.keptPointer(i, x))
	}
	if v.target != 0 {
		index[1] = a.state(v.target, st.Ite(a.returns, number, a.zero(number)), name+".target")
	}
}

// heapObjects says that the system is not exact where one that the step makes lives on.
func (a *assembly) heapObjects() {
	f := a.f
	if f.Returns == 0 {
		return
	}
	a.initial.Differences(f.Memory, func(o memory.ObjectID, d memory.Difference) {
		if d.Born && a.u.Space().Object(o).Kind == memory.HeapObject {
			a.inexact(a.st.And(a.returns, f.Memory.Alive(o)), a.keptObject(o))
		}
	})
}

// some is the disjunction.
func (a *assembly) some(terms []term.ID) term.ID {
	t := a.st.False()
	for _, x := range terms {
		t = a.st.Or(t, x)
	}
	return t
}

// parts are the terms of the system; runs end where it is not exact.
func (a *assembly) parts(o Options) *parts {
	f, s := a.f, a.s
	pc := &a.states[s.pc].next
	*pc = a.st.Ite(a.some(a.obstacles), a.st.ConstU(a.pcBits(), a.halted()), *pc)
	var violations []term.ID
	for _, x := range f.Violations {
		violations = append(violations, x.Cond)
	}
	p := &parts{obstacles: a.obstacles, facts: append(slices.Clone(f.Facts), a.u.Space().Facts()...)}
	for _, x := range f.Unclean {
		s.Unclean = append(s.Unclean, a.located(x))
		p.unclean = append(p.unclean, x.Cond)
	}
	p.facts = append(append(p.facts, a.apart()...), a.known(o.Facts)...)
	for _, x := range a.states {
		p.next = append(p.next, x.next)
	}
	p.bad = []term.ID{a.some(violations), a.some(a.obstacles)}
	for _, c := range f.Choices {
		p.guards = append(p.guards, c.Guard)
		if c.Bits != 0 {
			p.bits = append(p.bits, c.Bits)
		}
	}
	for _, x := range a.sites {
		p.marks = append(p.marks, x.guard)
	}
	return p
}

// declareStates adds the states to the system, and returns the set of them.
func (a *assembly) declareStates(p *parts) (map[term.ID]bool, error) {
	total := uint32(0)
	isState := map[term.ID]bool{}
	for i, x := range a.states {
		a.s.States = append(a.s.States, ts.State{Term: x.bits, Init: x.init, Next: p.next[i], Name: x.name})
		isState[x.bits] = true
		total += a.st.Width(x.bits)
	}
	if total > maxBits {
		return nil, &ErrUnsupported{Why: fmt.Sprintf("the state of the program has more than %d bits", maxBits)}
	}
	return isState, nil
}

// declareInputs makes inputs of the variables that are no states. Choices come first, in the
// order of execution.
func (a *assembly) declareInputs(p *parts, isState map[term.ID]bool) {
	s, st := a.s, a.st
	vars := st.Vars(slices.Concat(p.bad, p.facts, p.next, p.guards, p.bits, p.marks)...)
	used := map[term.ID]bool{}
	for _, t := range vars {
		used[t] = true
	}
	input := func(t term.ID, name string) {
		if used[t] && !isState[t] {
			isState[t] = true
			s.Inputs = append(s.Inputs, ts.Input{Term: t, Name: name})
		}
	}
	for i, c := range a.f.Choices {
		if s.values[i] != 0 && st.Op(s.values[i]) == term.OpVar {
			input(s.values[i], a.choiceName(c))
		}
	}
	for _, t := range vars {
		input(t, st.VarName(t))
	}
}
