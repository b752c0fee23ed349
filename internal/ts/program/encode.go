// Package program turns a program into a transition system over bit-vectors
// [LLUMC §3], in two ways: one step a block, as in the paper, or one step for all
// that happens between two loop heads.
//
// # From a program to a step
//
// Calls are inlined (flatten.go). The function that is left is cut into pieces
// without loops, and the pieces are put together to one function, the step
// (step.go). Package ssa encodes it, so that instructions mean exactly what they
// mean in bounded search, and the terms of its results are the next state.
//
// # What the state is
//
// The location, the values that a location needs, and of memory what a step
// changes. The latter is found by encoding: memory that is not part of the state has
// its initial content at the start of a step; what differs from that at the end
// becomes part of the state, and the step is encoded again, until nothing is added
// [2LS §2.1 would call it the havocked state]. What a pointer may point to is found
// in the same way.
//
//	(S1) A value of w bits is a variable of w bits; a pointer is an offset, and the
//	     number of its target among those found.
//	(S2) Memory is a variable for each cell, and one for each object whose life
//	     begins or ends.
//	(S3) Addresses, and contents that were there at the start and that nobody
//	     changes, are variables that keep their first value.
//
// # What is exact
//
// A run of the program is a run of the system. The converse fails where addresses
// matter (facts that package memory adds on demand are missing here, so that a
// pointer made from an integer may point anywhere), and where the encoding of a
// step gives up or leaves the finite: recursion beyond a few activations, objects
// that are made in a loop and live on, and pointers to them. These places are a
// property of their own (System.Obstacle): as long as it is not proved, there is
// no proof; runs end there. Objects of which one stands for many (flatten.go, F2) make the system
// neither more nor less; proofs are therefore checked on the program (package
// certify), and runs replayed there.
package program

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"assay/internal/invariant"
	"assay/internal/ir"
	"assay/internal/memory"
	"assay/internal/ssa"
	"assay/internal/term"
	"assay/internal/ts"
	"assay/internal/verdict"
)

// Options say what to encode.
type Options struct {
	// Targets are the kinds of events that the property excludes.
	Targets []ir.CheckKind
	// Label is the C label that ErrorLabel means; ERROR if empty.
	Label string
	// Small asks for the small-block encoding: a step is one block.
	Small bool
	// Facts hold at loop heads in every run without violation. They become
	// constraints of the large-block system, as far as it can say them, and part of
	// every certificate.
	Facts []invariant.Head
	// Endless adds a justice property, which infinite runs violate: the run is at a
	// location, and not at its end, infinitely often.
	Endless bool
}

// Labels and names in the step function.
const (
	startLabel = "assay.start"
	objectName = "assay.object."
)

// Limits of a system.
const (
	maxRounds = 40
	maxCells  = 2048
	maxBits   = 1 << 15
	leftOver  = 4 // activations of functions that are not inlined
)

// candidate is what a pointer may point to: a symbol, a stack object, or nothing.
type candidate struct {
	symbol string
	object int // index in flat.objects, -1 for none
}

var nothing = candidate{object: -1}

// variableKey names a variable of the state through all rounds.
type variableKey struct {
	value  ir.Value // of the flat function, or
	place  place    // memory
	offset uint32
}

// aliveBit is an object whose life is part of the state.
type aliveBit struct {
	object int // index in layout.places
	term   int
}

// layout is what the state is made of, as far as it is known.
type layout struct {
	m         *ir.Module
	flat      *flat
	small     bool
	locations []location
	variables []variable
	byValue   map[ir.Value]int
	places    []place
	cells     []cell
	alive     []aliveBit
	// candidates are what pointers may point to.
	candidates map[variableKey][]candidate
}

func (l *layout) pcBits() uint32 { return uint32(bits.Len(uint(len(l.locations)))) }

// halted is the number of the location where runs end.
func (l *layout) halted() uint64 { return uint64(len(l.locations)) }

func (l *layout) isLocation(b ir.BlockID) bool {
	return slices.ContainsFunc(l.locations[1:], func(x location) bool { return x.block == b })
}

func (l *layout) locationOf(b, pred ir.BlockID) int {
	for i, x := range l.locations {
		if i > 0 && x.block == b && (x.pred == 0 || x.pred == pred) {
			return i
		}
	}
	panic("program: no location")
}

// targetBits is the width of the number of one of n candidates.
func targetBits(n int) uint32 { return uint32(bits.Len(uint(n - 1))) }

func (l *layout) keyOf(v *variable) variableKey {
	if v.value != 0 {
		return variableKey{value: v.value}
	}
	for _, c := range l.cells {
		if &l.variables[c.term] == v {
			return variableKey{place: l.places[c.object], offset: c.Offset}
		}
	}
	panic("program: a pointer that is no value and no cell")
}

// newLayout starts with the values of the locations.
func newLayout(f *flat, small bool) *layout {
	l := &layout{m: f.m, flat: f, small: small, locations: locations(f.f, small), byValue: map[ir.Value]int{}, candidates: map[variableKey][]candidate{}}
	for _, at := range l.locations {
		for _, v := range at.values {
			if _, ok := l.byValue[v]; ok {
				continue
			}
			d := f.f.Def(v)
			l.byValue[v] = len(l.variables)
			l.variables = append(l.variables, variable{value: v, typ: d.Type, pos: d.Pos})
			if d.Type.Kind == ir.Ptr {
				l.candidates[variableKey{value: v}] = []candidate{nothing}
			}
		}
	}
	return l
}

// add makes a variable for memory.
func (l *layout) add(t ir.Type, pos ir.Pos) int {
	l.variables = append(l.variables, variable{typ: t, pos: pos, result: -1})
	return len(l.variables) - 1
}

func (l *layout) placeIndex(p place) int {
	if i := slices.Index(l.places, p); i >= 0 {
		return i
	}
	l.places = append(l.places, p)
	return len(l.places) - 1
}

// site is a place of the step where an object of the flat function was made.
type site struct {
	object  int
	guard   term.ID
	choices int // made before
}

// round is one encoding of the step.
type round struct {
	*stepper
	st      *term.Store
	u       *ssa.Unwinder
	f       *ssa.Formula
	initial *memory.State
	sites   []site
	bits    map[ir.Value]term.ID // by Nondet of the step function
	numbers map[memory.ObjectID]place
}

// Encode makes the transition system of a program. The error is the context's or
// an *ErrUnsupported.
func Encode(ctx context.Context, m *ir.Module, o Options) (*System, error) {
	f, err := flatten(m)
	if err != nil {
		return nil, err
	}
	l := newLayout(f, o.Small)
	for range maxRounds {
		r, err := l.round(ctx, o)
		if err != nil {
			return nil, err
		}
		grown, err := r.grow()
		if err != nil {
			return nil, err
		}
		if !grown {
			return r.system(o)
		}
	}
	return nil, &ErrUnsupported{Why: fmt.Sprintf("the state of the program is not known after %d encodings of its steps", maxRounds)}
}

// round encodes the step with the state that is known.
func (l *layout) round(ctx context.Context, o Options) (*round, error) {
	m := *l.flat.m
	m.Funcs = slices.Clone(m.Funcs)
	l.m = &m
	for i := range l.variables {
		if l.variables[i].value == 0 {
			l.variables[i].result = -1
		} else {
			l.variables[i].result = 0
		}
	}
	s, err := l.build(&m)
	if err != nil {
		return nil, err
	}
	m.Entry = stepName
	r := &round{stepper: s, st: term.NewStore(), bits: map[ir.Value]term.ID{}, numbers: map[memory.ObjectID]place{}}
	r.u = ssa.New(&m, r.st, ssa.Options{Targets: o.Targets, Label: o.Label, Observe: func(label string, guard term.ID, mem *memory.State, choices int) {
		if label == startLabel {
			r.initial = mem
		}
		var k int
		if n, _ := fmt.Sscanf(label, siteLabel+"%d", &k); n == 1 {
			r.sites = append(r.sites, site{k, guard, choices})
		}
	}})
	r.u.Default = leftOver
	if r.f, err = r.u.Encode(ctx); err != nil {
		return nil, err
	}
	objects := map[ir.Value]int{}
	for k, v := range s.addr {
		objects[v] = k
	}
	for _, c := range r.f.Choices {
		if c.Func != stepName {
			continue
		}
		if c.Bits != 0 {
			r.bits[c.Value] = c.Bits
		} else if k, ok := objects[c.Value]; ok && c.Object != 0 {
			r.numbers[c.Object] = place{object: k}
		}
	}
	for _, g := range m.Globals {
		if o, ok := r.u.Space().Symbol(g.Name); ok {
			r.numbers[o] = place{global: g}
		}
	}
	return r, nil
}

// grow adds to the state what the step changes, and to the candidates of
// pointers what they point to.
func (r *round) grow() (grown bool, err error) {
	if r.f.Returns == 0 {
		return false, nil
	}
	for i := range r.variables {
		if v := &r.variables[i]; v.result >= 0 && v.typ.Kind == ir.Ptr {
			grown = r.targets(v, r.f.Results[v.result]) || grown
		}
	}
	have := map[int][]memory.Range{}
	for _, c := range r.cells {
		have[c.object] = append(have[c.object], c.Range)
	}
	living := map[int]bool{}
	for _, a := range r.alive {
		living[a.object] = true
	}
	total := len(r.cells)
	type change struct {
		place int
		d     memory.Difference
		o     memory.ObjectID
	}
	var changes []change
	r.initial.Differences(r.f.Memory, func(o memory.ObjectID, d memory.Difference) {
		if p, ok := r.numbers[o]; ok && !d.Born && !d.Gone {
			changes = append(changes, change{r.placeIndex(p), d, o})
		}
	})
	for _, c := range changes {
		if (c.d.Alive || c.d.Dead) && !living[c.place] {
			r.layout.alive = append(r.layout.alive, aliveBit{c.place, r.add(ir.IntType(1), ir.Pos{})})
			grown = true
		}
		if c.d.Dead {
			continue
		}
		ranges := r.ranges(c.o, have[c.place], c.d)
		if slices.Equal(ranges, have[c.place]) {
			continue
		}
		grown = true
		total += len(ranges) - len(have[c.place])
		if total > maxCells {
			return false, r.tooMuch(c.place)
		}
		r.replace(c.place, ranges, c.o)
	}
	// Cells that hold pointers, and what these point to.
	for i := range r.cells {
		c := &r.cells[i]
		o := r.number(c.object)
		if !r.f.Memory.Has(o) {
			continue
		}
		v := r.f.Memory.Piece(o, c.Range)
		if v.IsPointer() && !c.pointer && 8*c.Size == r.m.PointerBits {
			c.pointer, grown = true, true
			x := &r.variables[c.term]
			x.typ = r.m.PtrType()
			if k := r.keyOf(x); r.candidates[k] == nil {
				r.candidates[k] = []candidate{nothing}
			}
		}
		if c.pointer && v.IsPointer() {
			grown = r.targets(&r.variables[c.term], v) || grown
		}
	}
	return grown, nil
}

// number is the object of a place.
func (r *round) number(k int) memory.ObjectID {
	for o, p := range r.numbers {
		if p == r.places[k] {
			return o
		}
	}
	return 0
}

func (r *round) tooMuch(k int) error {
	p := r.places[k]
	e := &ErrUnsupported{Why: fmt.Sprintf("the program changes more than %d cells of memory", maxCells)}
	if p.global != nil {
		e.Pos, e.Func = p.global.Pos, p.global.Name
	} else {
		e.Pos, e.Func = r.flat.objects[p.object].def.Pos, r.flat.objects[p.object].origin.fn.Name
	}
	return e
}

// ranges are the pieces of an object that belong to the state.
func (r *round) ranges(o memory.ObjectID, have []memory.Range, d memory.Difference) []memory.Range {
	if !d.Whole {
		all := slices.Clone(have)
		for _, c := range d.Cells {
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
		slices.SortFunc(all, func(a, b memory.Range) int { return int(a.Offset) - int(b.Offset) })
		overlap := false
		for i := range all {
			if i > 0 && all[i-1].Offset+all[i-1].Size > all[i].Offset {
				overlap = true
			}
		}
		if !overlap {
			return all
		}
	}
	ob := r.u.Space().Object(o)
	e := r.u.Space().Element(o)
	if ob.Layout.Pointers && ob.ConstSize%uint64(r.m.PointerBits/8) == 0 && ob.Layout.Cell >= uint64(r.m.PointerBits/8) {
		e = r.m.PointerBits / 8
	}
	var all []memory.Range
	for k := uint64(0); k < ob.ConstSize && len(all) <= maxCells; k += uint64(e) {
		all = append(all, memory.Range{Offset: uint32(k), Size: e})
	}
	return all
}

// replace gives an object other pieces. The variables of old ones are dropped.
func (r *round) replace(k int, ranges []memory.Range, o memory.ObjectID) {
	l := r.layout
	type old struct {
		c   cell
		v   variable
		key variableKey
	}
	kept := map[memory.Range]old{}
	var cells []cell
	var drop []int
	for _, c := range l.cells {
		if c.object != k {
			cells = append(cells, c)
			continue
		}
		kept[c.Range] = old{c: c}
		if !slices.Contains(ranges, c.Range) {
			drop = append(drop, c.term)
		}
	}
	for _, x := range ranges {
		if y, ok := kept[x]; ok {
			cells = append(cells, y.c)
			continue
		}
		pos := ir.Pos{}
		cells = append(cells, cell{object: k, Range: x, term: l.add(ir.IntType(8*x.Size), pos)})
	}
	l.cells = cells
	if len(drop) > 0 {
		l.compact(drop)
	}
}

// compact removes variables of memory.
func (l *layout) compact(drop []int) {
	to := make([]int, len(l.variables))
	var left []variable
	for i, v := range l.variables {
		if slices.Contains(drop, i) {
			to[i] = -1
			continue
		}
		to[i] = len(left)
		left = append(left, v)
	}
	l.variables = left
	for i := range l.cells {
		l.cells[i].term = to[l.cells[i].term]
	}
	for i := range l.alive {
		l.alive[i].term = to[l.alive[i].term]
	}
	for v, i := range l.byValue {
		l.byValue[v] = to[i]
	}
}

// targets adds what a value points to to the candidates of a variable.
func (r *round) targets(v *variable, x memory.Value) (grown bool) {
	key := r.keyOf(v)
	for _, o := range r.names(x.Object) {
		c, ok := r.candidate(o)
		if ok && !slices.Contains(r.candidates[key], c) {
			r.candidates[key] = append(r.candidates[key], c)
			grown = true
		}
	}
	return grown
}

func (r *round) candidate(o memory.ObjectID) (candidate, bool) {
	if o == 0 {
		return nothing, true
	}
	if p, ok := r.numbers[o]; ok {
		if p.global != nil {
			return candidate{symbol: p.global.Name, object: -1}, true
		}
		return candidate{object: p.object}, true
	}
	if ob := r.u.Space().Object(o); ob.Kind == memory.FunctionObject {
		return candidate{symbol: ob.Name, object: -1}, true
	}
	return candidate{}, false
}

// names are the constants among which a term chooses; others are left out.
func (r *round) names(t term.ID) []memory.ObjectID {
	var out []memory.ObjectID
	seen := map[term.ID]bool{}
	var walk func(t term.ID)
	walk = func(t term.ID) {
		if seen[t] {
			return
		}
		seen[t] = true
		if k, ok := r.st.ConstUint64(t); ok {
			out = append(out, memory.ObjectID(k))
			return
		}
		if r.st.Op(t) == term.OpIte {
			walk(r.st.Arg(t, 1))
			walk(r.st.Arg(t, 2))
		}
	}
	walk(t)
	return out
}

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
	names := r.names2()
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
