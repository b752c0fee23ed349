// This file gives pointers their meaning: which objects a pointer may point to
// (the points-to sets of the encoding are read off the terms and are therefore
// flow- and path-sensitive), and comparisons.
//
// Addresses are symbolic and introduced only for objects whose pointers are
// cast or compared in a way that depends on them. These facts about them hold
// in every run; (A1) and (A2) are stated when an address is introduced, the others
// only where a model breaks them (correct.go):
//
//	(A1) an object is not at address 0, does not touch the last page, nor wraps
//	     around; a function does not touch the first page either;
//	(A2) its base is aligned;
//	(A3) objects that are alive at the same time do not overlap, and one
//	     without bytes still has an address of its own;
//	(A4) a bare address points, where it is used, into the live object that
//	     holds it (the end excluded), and to nothing if none does.
package memory

import (
	"assay/internal/logic/term"
)

// target is one object that a pointer may point to: under cond it does, at off.
// The conditions of a target list exclude each other and cover all cases.
type target struct {
	o    ObjectID
	cond term.ID
	off  term.ID
}

// maxTargets bounds the case split over an unknown pointer.
const maxTargets = 400

// targets lists the objects p may point to in s; guard says where it matters.
// Object 0 is none: where it is chosen, p is null or points to what is no more.
func (s *State) targets(p Value, guard term.ID) []target {
	st := s.space.Store
	ps := s.split(p, guard)
	if st.IsFalse(ps.cond) {
		return ps.certain
	}
	w := s.wildTargets(s.resolve(ps.wild, guard), guard, map[Value][]target{})
	return joinTargets(st, ps.cond, w, ps.certain)
}

// joinTargets merges two lists, ascending by object, for cond and its negation.
func joinTargets(st *term.Store, c term.ID, a, b []target) []target {
	out := make([]target, 0, len(a)+len(b))
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].o < b[0].o:
			out = append(out, target{a[0].o, st.And(c, a[0].cond), a[0].off})
			a = a[1:]
		case len(a) == 0 || b[0].o < a[0].o:
			out = append(out, target{b[0].o, st.And(st.Not(c), b[0].cond), b[0].off})
			b = b[1:]
		default:
			out = append(out, target{a[0].o, st.Ite(c, a[0].cond, b[0].cond), st.Ite(c, a[0].off, b[0].off)})
			a, b = a[1:], b[1:]
		}
	}
	return out
}

// elementTargets lists what a pointer read from an array of pointers may point
// to, but for plain integers (object 0).
func (s *State) elementTargets(ob, off, guard term.ID) []target {
	found := map[ObjectID]bool{}
	if !s.space.namesOf(ob, found) {
		return s.anyTargets(ob, off, guard)
	}
	var candidates []ObjectID
	for o := range found {
		candidates = append(candidates, o)
	}
	sortObjects(candidates)
	return s.among(candidates, ob, off, guard)
}

// anyTargets lists all objects of s.
func (s *State) anyTargets(ob, off, guard term.ID) []target {
	var candidates []ObjectID
	s.Each(func(o ObjectID) { candidates = append(candidates, o) })
	if s.functions {
		for _, r := range s.space.functionNames() {
			for o := r[0]; o <= r[1]; o++ {
				candidates = append(candidates, o)
			}
		}
		sortObjects(candidates)
	}
	return s.among(candidates, ob, off, guard)
}

// among lists the candidates; object 0 stands for any other.
func (s *State) among(candidates []ObjectID, ob, off, guard term.ID) []target {
	sp := s.space
	st := sp.Store
	if len(candidates) > maxTargets {
		sp.giveUp(guard, "a pointer of unknown target among %d objects", len(candidates))
		return []target{{0, st.True(), off}}
	}
	none := st.True()
	ts := []target{{}}
	for _, o := range candidates {
		if is := st.Eq(ob, sp.name(o)); o != 0 && !st.IsFalse(is) {
			none = st.And(none, st.Not(is))
			ts = append(ts, target{o, is, off})
		}
	}
	ts[0] = target{0, none, off}
	return ts
}

// namesOf collects the objects named by an element of an array of objects;
// false if one of them is not a constant choice.
func (sp *Space) namesOf(element term.ID, found map[ObjectID]bool) bool {
	seen := map[term.ID]bool{}
	st := sp.Store
	stack := []term.ID{element}
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[t] {
			continue
		}
		seen[t] = true
		switch st.Op(t) {
		case term.OpStore:
			stack = append(stack, st.Arg(t, 0), st.Arg(t, 2))
		case term.OpIte:
			stack = append(stack, st.Arg(t, 1), st.Arg(t, 2))
		case term.OpConstArray:
			stack = append(stack, st.Arg(t, 0))
		case term.OpSelect:
			stack = append(stack, st.Arg(t, 0))
		case term.OpConst:
			o, _ := st.ConstUint64(t)
			found[ObjectID(o)] = true
		default:
			return false
		}
	}
	return true
}

// Add moves a pointer by a pointer-wide number of bytes.
func (sp *Space) Add(p Value, n term.ID) Value {
	return Value{Object: p.Object, Offset: sp.Store.Add(p.Offset, n)}
}

// inside says whether p is null or points into a live object, the end
// excluded: then its address differs from that of every other such pointer
// into another object.
func (s *State) inside(ts []target) term.ID {
	sp := s.space
	st := sp.Store
	bad := st.False()
	for _, t := range ts {
		var ok term.ID
		if t.o == 0 {
			ok = st.Eq(t.off, sp.word(0))
		} else {
			ok = s.holds(t.o, t.off)
		}
		bad = st.Or(bad, st.And(t.cond, st.Not(ok)))
	}
	return st.Not(bad)
}

// awayFrom says, for a constant address q of the first page, that every object
// among the targets is pointed into or to its end, and that q is not there by
// (A1) or (A2), whether the object lives or not.
func (s *State) awayFrom(ts []target, q Value) term.ID {
	sp := s.space
	st := sp.Store
	a, ok := st.ConstUint64(q.Offset)
	if !ok || a >= page || q.Object != sp.name(0) {
		return st.False()
	}
	bad := st.False()
	for _, t := range ts {
		if t.o == 0 { // bare addresses are compared as offsets of object 0
			continue
		}
		away := st.ULe(t.off, sp.objects[t.o].Size)
		if align := sp.alignment(t.o); a != 0 && sp.low && sp.objects[t.o].Kind != FunctionObject {
			if off, fixed := st.ConstUint64(t.off); !fixed || (a-off)%align == 0 {
				away = st.False()
			}
		}
		bad = st.Or(bad, st.And(t.cond, st.Not(away)))
	}
	return st.Not(bad)
}

// holds says that an object lives and has the byte at an offset; one without
// bytes has its base.
func (s *State) holds(o ObjectID, off term.ID) term.ID {
	return s.space.Store.And(s.aliveOrFunction(o), s.space.Store.ULt(off, s.space.extent(o)))
}

func (s *State) aliveOrFunction(o ObjectID) term.ID {
	if s.space.objects[o].Kind == FunctionObject {
		return s.space.Store.True()
	}
	return s.Alive(o)
}

// Equal compares two pointers by address.
func (s *State) Equal(p, q Value, guard term.ID) term.ID {
	sp := s.space
	st := sp.Store
	p, q = sp.known(p), sp.known(q) // the addresses are all that counts
	same := st.Eq(p.Object, q.Object)
	offsets := st.Eq(p.Offset, q.Offset)
	if st.IsTrue(same) {
		return offsets
	}
	// Pointers made from integers are compared by their addresses alone.
	cp, cq := s.choicesOf(p, guard), s.choicesOf(q, guard)
	wild := st.Or(cp.cond, cq.cond)
	if st.IsTrue(wild) {
		return st.Eq(sp.PtrToInt(p), sp.PtrToInt(q))
	}
	tp, tq := cp.certain, cq.certain
	apart := st.Or(st.And(s.inside(tp), s.inside(tq)), st.Or(s.awayFrom(tp, q), s.awayFrom(tq, p)))
	differ := st.False()
	if !st.IsTrue(apart) {
		differ = st.And(st.Not(apart), st.Eq(sp.PtrToInt(p), sp.PtrToInt(q)))
	}
	eq := st.Or(st.And(same, offsets), st.And(st.Not(same), differ))
	if st.IsFalse(wild) {
		return eq
	}
	return st.Ite(wild, st.Eq(sp.PtrToInt(p), sp.PtrToInt(q)), eq)
}

// Less compares addresses: p < q, or p <= q.
func (s *State) Less(p, q Value, orEqual bool, guard term.ID) term.ID {
	sp := s.space
	st := sp.Store
	cmp := st.ULt
	if orEqual {
		cmp = st.ULe
	}
	p, q = sp.known(p), sp.known(q)
	byAddress := func() term.ID { return cmp(sp.PtrToInt(p), sp.PtrToInt(q)) }
	same := st.Eq(p.Object, q.Object)
	if st.IsFalse(same) {
		return byAddress()
	}
	within := st.Under(guard, st.AndAll(same, s.within(p, guard), s.within(q, guard)))
	switch {
	case st.IsTrue(within):
		return cmp(p.Offset, q.Offset)
	case st.IsFalse(within):
		return byAddress()
	}
	return st.Ite(within, cmp(p.Offset, q.Offset), byAddress())
}

// within says that the offset of p is one of a place in its object, or at its end, or that p has none: such places of one
// object are in the order of their offsets, since no object wraps around (A1).
func (s *State) within(p Value, guard term.ID) term.ID {
	sp := s.space
	st := sp.Store
	ps := s.choicesOf(p, guard)
	bad := ps.cond
	for _, t := range ps.certain {
		ok := st.Eq(p.Object, sp.name(0)) // or an object that is no more
		if t.o != 0 {
			ok = st.ULe(t.off, sp.objects[t.o].Size)
		}
		bad = st.Or(bad, st.And(t.cond, st.Not(ok)))
	}
	return st.Not(bad)
}
