package program

// This file has the system, and what is true of its states: objects apart from each other,
// addresses and contents that do not change.

import (
	"fmt"
	"slices"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/finite/ts"
	"assay/internal/logic/term"
	"assay/internal/models/memory"
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
