package program

// This file puts a transition system together from the terms of the last encoding
// of the step: states, next states, bad states, and what is assumed at the start.

import (
	"fmt"
	"slices"

	"assay/internal/invariant"
	"assay/internal/ir"
	"assay/internal/memory"
	"assay/internal/term"
	"assay/internal/ts"
	"assay/internal/verdict"
)

// System is the transition system of a program.
type System struct {
	*ts.System
	layout *layout
	r      *round
	lower  *lowerer
	// Violation and Obstacle are the numbers of the bad states: an event that the
	// property excludes, and a place where the system is not exact.
	Violation, Obstacle int
	// Inexact says why not, for each obstacle; conds when.
	Inexact []verdict.Reason
	conds   []term.ID
	// Unclean are guards outside of the property with their conditions.
	Unclean []verdict.Guard
	unclean []term.ID
	// index gives for each variable of the layout the states: bits or offset, and
	// target (-1 if none).
	index  [][2]int
	pc     int
	guards []term.ID // lowered, by choice
	values []term.ID // lowered, by choice; 0 for contents
	marks  []term.ID // lowered guards, by site
	facts  []invariant.Head
}

// system puts the terms of the last round together.
func (r *round) system(o Options) (*System, error) {
	st, f := r.st, r.f
	s := &System{System: &ts.System{Store: st}, layout: r.layout, r: r}
	returns := f.Returns
	if returns == 0 {
		returns = st.False()
	}
	var obstacles []term.ID
	give := func(cond term.ID, reason verdict.Reason) {
		if !st.IsFalse(cond) {
			obstacles = append(obstacles, cond)
			s.Inexact = append(s.Inexact, reason)
		}
	}
	for _, x := range f.Obstacles {
		if !x.OverApproximated {
			give(x.Cond, x.Reason)
		}
	}
	for _, x := range f.Limits {
		give(x.Cond, verdict.Reason{Cause: verdict.CauseUnwinding, Func: x.Loop.Func, Pos: x.Pos, Text: "the recursion is deeper than the transition system can follow"})
	}
	kept := func(what string, pos ir.Pos) verdict.Reason {
		return verdict.Reason{Cause: verdict.CauseUnsupported, Pos: pos, Text: what + ", which a transition system has no room for"}
	}
	// The variables, their initial and next values.
	type state struct {
		bits, init, next term.ID
		name             string
	}
	var states []state
	zero := func(t term.ID) term.ID { return st.ConstU(st.Width(t), 0) }
	add := func(chosen ir.Value, next term.ID, name string) int {
		b := r.bits[chosen]
		states = append(states, state{b, zero(b), next, name})
		return len(states) - 1
	}
	pc := st.ConstU(r.pcBits(), r.halted())
	if f.Returns != 0 {
		pc = st.Ite(returns, f.Results[0].Bits, pc)
	}
	s.pc = add(r.pc, pc, "location")
	names := r.variableNames()
	s.index = make([][2]int, len(r.variables))
	for i := range r.variables {
		v := &r.variables[i]
		var x memory.Value
		switch {
		case f.Returns == 0:
		case v.result >= 0:
			x = f.Results[v.result]
		default:
			x = r.memoryValue(i)
		}
		s.index[i] = [2]int{0, -1}
		if x == (memory.Value{}) {
			s.index[i][0] = add(v.chosen, zero(r.bits[v.chosen]), names[i])
			if v.target != 0 {
				s.index[i][1] = add(v.target, zero(r.bits[v.target]), names[i]+".target")
			}
			continue
		}
		if v.typ.Kind != ir.Ptr {
			b := x.Bits
			if x.IsPointer() {
				b = r.u.Space().PtrToInt(x)
			}
			s.index[i][0] = add(v.chosen, st.Ite(returns, b, zero(b)), names[i])
			continue
		}
		if !x.IsPointer() {
			x = r.u.Space().IntToPtr(x.Bits)
		}
		s.index[i][0] = add(v.chosen, st.Ite(returns, x.Offset, zero(x.Offset)), names[i])
		candidates := r.candidates[r.keyOf(v)]
		known := st.False()
		number := st.ConstU(max(1, targetBits(len(candidates))), 0)
		for k, c := range candidates {
			is := st.Eq(x.Object, st.ConstU(memory.ObjectBits, uint64(r.objectOf(c))))
			known = st.Or(known, is)
			number = st.Ite(is, st.ConstU(st.Width(number), uint64(k)), number)
		}
		give(st.And(returns, st.Not(known)), kept("a pointer keeps an object that was made in a loop, or was made from an integer", v.pos))
		if v.target != 0 {
			s.index[i][1] = add(v.target, st.Ite(returns, number, zero(number)), names[i]+".target")
		}
	}
	if f.Returns != 0 {
		r.initial.Differences(f.Memory, func(o memory.ObjectID, d memory.Difference) {
			if d.Born && r.u.Space().Object(o).Kind == memory.HeapObject {
				give(st.And(returns, f.Memory.Alive(o)), kept("a heap object lives on from one iteration of a loop to the next", ir.Pos{}))
			}
		})
	}
	some := func(ts []term.ID) term.ID {
		t := st.False()
		for _, x := range ts {
			t = st.Or(t, x)
		}
		return t
	}
	// Runs end where the system is not exact.
	states[s.pc].next = st.Ite(some(obstacles), st.ConstU(r.pcBits(), r.halted()), states[s.pc].next)
	var violations []term.ID
	for _, x := range f.Violations {
		violations = append(violations, x.Cond)
	}
	for _, x := range f.Unclean {
		s.Unclean = append(s.Unclean, r.located(x))
		s.unclean = append(s.unclean, x.Cond)
	}
	facts := append(slices.Clone(f.Facts), r.u.Space().Facts()...)
	facts = append(facts, r.apart()...)
	s.facts = o.Facts
	facts = append(facts, r.known(o.Facts)...)
	// Everything is lowered together.
	var roots []term.ID
	for _, x := range states {
		roots = append(roots, x.next)
	}
	first := len(roots)
	roots = append(append(append(append(roots, some(violations), some(obstacles)), obstacles...), s.unclean...), facts...)
	second := len(roots)
	for _, c := range f.Choices {
		roots = append(roots, c.Guard)
	}
	for _, c := range f.Choices {
		if c.Bits != 0 {
			roots = append(roots, c.Bits)
		}
	}
	for _, x := range r.sites {
		roots = append(roots, x.guard)
	}
	s.lower = newLowerer(st, r.arraySizes(), r.mostElements())
	low, err := s.lower.all(roots)
	if err != nil {
		return nil, err
	}
	total := uint32(0)
	isState := map[term.ID]bool{}
	for i, x := range states {
		s.States = append(s.States, ts.State{Term: x.bits, Init: x.init, Next: low[i], Name: x.name})
		isState[x.bits] = true
		total += st.Width(x.bits)
	}
	if total > maxBits {
		return nil, &ErrUnsupported{Why: fmt.Sprintf("the state of the program has more than %d bits", maxBits)}
	}
	s.Violation, s.Obstacle = 0, 1
	s.Bad = []ts.Property{{Term: low[first], Name: "violation"}, {Term: low[first+1], Name: "obstacle"}}
	at := first + 2
	s.conds = low[at : at+len(obstacles)]
	at += len(obstacles)
	s.unclean = low[at : at+len(s.unclean)]
	at += len(s.unclean)
	s.Constraints = low[at : at+len(facts)]
	at = second
	s.guards = low[at : at+len(f.Choices)]
	at += len(f.Choices)
	for _, c := range f.Choices {
		if c.Bits == 0 {
			s.values = append(s.values, 0)
			continue
		}
		s.values = append(s.values, low[at])
		at++
	}
	s.marks = low[at:]
	s.freeze(isState)
	// What is left are inputs. Choices come first, in the order of execution.
	used := map[term.ID]bool{}
	all := append(append([]term.ID{low[first], low[first+1]}, s.Constraints...), low[:first]...)
	for _, t := range st.Vars(append(all, low[second:]...)...) {
		used[t] = true
	}
	input := func(t term.ID, name string) {
		if used[t] && !isState[t] {
			isState[t] = true
			s.Inputs = append(s.Inputs, ts.Input{Term: t, Name: name})
		}
	}
	for i, c := range f.Choices {
		if s.values[i] != 0 && st.Op(s.values[i]) == term.OpVar {
			input(s.values[i], r.choiceName(c))
		}
	}
	for _, t := range st.Vars(append(all, low[second:]...)...) {
		input(t, st.VarName(t))
	}
	if o.Endless {
		goes := st.Not(st.Eq(s.States[s.pc].Term, st.ConstU(r.pcBits(), r.halted())))
		s.Justice = []ts.Justice{{Terms: []term.ID{goes}, Name: "endless"}}
	}
	if err := s.Check(); err != nil {
		panic("program: " + err.Error())
	}
	return s, nil
}

// maxApart bounds the objects of which is said that they do not overlap.
const maxApart = 40

// apart says that globals and functions, which live all the time, do not overlap.
func (r *round) apart() []term.ID {
	st, sp := r.st, r.u.Space()
	var all []*memory.Object
	for o := 1; o <= sp.Objects(); o++ {
		ob := sp.Object(memory.ObjectID(o))
		if (ob.Kind == memory.GlobalObject || ob.Kind == memory.FunctionObject) && sp.BaseVariable(ob.ID) != 0 && len(all) < maxApart {
			all = append(all, ob)
		}
	}
	var facts []term.ID
	for i, a := range all {
		for _, b := range all[:i] {
			x, y := sp.BaseVariable(a.ID), sp.BaseVariable(b.ID)
			end := func(o *memory.Object, base term.ID) term.ID {
				return st.Add(base, st.ConstU(r.m.PointerBits, max(o.ConstSize, 1)))
			}
			facts = append(facts, st.Or(st.ULe(end(a, x), y), st.ULe(end(b, y), x)))
		}
	}
	return facts
}

// objectOf is the object of a candidate.
func (r *round) objectOf(c candidate) memory.ObjectID {
	if c == nothing {
		return 0
	}
	if c.symbol != "" {
		o, _ := r.u.Space().Symbol(c.symbol)
		return o
	}
	for o, p := range r.numbers {
		if p.global == nil && p.object == c.object {
			return o
		}
	}
	panic("program: a candidate without object")
}

// memoryValue is the next value of variable i, which is one of memory.
func (r *round) memoryValue(i int) memory.Value {
	for _, c := range r.cells {
		if c.term == i {
			if o := r.number(c.object); r.f.Memory.Has(o) {
				return r.f.Memory.Piece(o, c.Range)
			}
			return memory.Value{}
		}
	}
	for _, a := range r.alive {
		if a.term == i {
			return memory.Value{Bits: r.st.BoolToBV(r.f.Memory.Alive(r.number(a.object)))}
		}
	}
	panic("program: a variable of nothing")
}

// freeze makes states of the variables that keep their first value: addresses
// and initial contents.
func (s *System) freeze(isState map[term.ID]bool) {
	st, sp := s.Store, s.r.u.Space()
	keep := func(t term.ID, name string) {
		if !isState[t] {
			isState[t] = true
			s.States = append(s.States, ts.State{Term: t, Next: t, Name: name})
		}
	}
	for o := 1; o <= sp.Objects(); o++ {
		if b := sp.BaseVariable(memory.ObjectID(o)); b != 0 {
			if _, ok := s.r.numbers[memory.ObjectID(o)]; ok || sp.Object(memory.ObjectID(o)).Kind == memory.FunctionObject {
				keep(b, st.VarName(b))
			}
		}
	}
	array := map[term.ID]string{}
	for _, c := range s.r.u.Externals() {
		if a, _, _, ok := sp.Contents(c.Content); ok {
			array[a] = c.Func
		}
	}
	for _, c := range s.r.f.Choices {
		if c.Func != stepName || c.Object == 0 || c.Bits != 0 {
			continue
		}
		if p, ok := s.r.numbers[c.Object]; ok && slices.Contains(s.r.addr, c.Value) {
			if a, _, _, ok := sp.Contents(c.Content); ok {
				array[a] = s.r.placeName(p)
			}
		}
	}
	var keys []elementKey
	for k := range s.lower.elements {
		if _, ok := array[k.array]; ok && st.Op(k.array) == term.OpVar {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b elementKey) int {
		if a.array != b.array {
			return int(a.array) - int(b.array)
		}
		return int(a.index) - int(b.index)
	})
	for _, k := range keys {
		keep(s.lower.elements[k], fmt.Sprintf("%s[%d] at the start", array[k.array], k.index))
	}
}

// arraySizes gives the number of elements of the arrays of contents.
func (r *round) arraySizes() func(term.ID) (uint64, bool) {
	sp := r.u.Space()
	sizes := map[term.ID]uint64{}
	note := func(g memory.Generation) {
		if a, e, n, ok := sp.Contents(g); ok {
			sizes[a] = (n + uint64(e) - 1) / uint64(e)
		}
	}
	for _, c := range r.f.Choices {
		if c.Bits == 0 {
			note(c.Content)
		}
	}
	for _, c := range r.u.Externals() {
		note(c.Content)
	}
	return func(a term.ID) (uint64, bool) { n, ok := sizes[a]; return n, ok }
}

// mostElements is the greatest number of elements of an object, by their width.
func (r *round) mostElements() map[uint32]uint64 {
	sp := r.u.Space()
	out := map[uint32]uint64{}
	for o := 1; o <= sp.Objects(); o++ {
		ob := sp.Object(memory.ObjectID(o))
		if ob.Kind == memory.FunctionObject || !ob.Sized {
			continue
		}
		for _, e := range []uint32{1, 2, 4, 8} {
			// Any element size is possible for an object whose scalars have no
			// common one; more elements than there are do no harm.
			if e == sp.Element(ob.ID) {
				out[8*e] = max(out[8*e], (ob.ConstSize+uint64(e)-1)/uint64(e))
				if 8*e == r.m.PointerBits {
					out[memory.ObjectBits] = max(out[memory.ObjectBits], ob.ConstSize/uint64(e))
				}
			}
		}
	}
	return out
}
