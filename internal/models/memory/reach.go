// This file says which heap objects the program can still get at, for
// valid-memtrack: those that pointers in globals, live stack objects or
// reachable heap objects point to, wherever in the object.
//
// Two relations are computed. An object is surely reached through pointers
// that are kept as such, at known places. It is perhaps reached through anything
// else that may keep it: integers that are addresses, elements of large arrays,
// registers of the functions that are still active. What is not even perhaps
// reached is lost; between the two, nothing is claimed.
package memory

import "assay/internal/logic/term"

// maxReached bounds the heap objects, maxElements the elements of an array,
// whose pointers are followed one by one.
const (
	maxReached  = 128
	maxElements = 256
)

// edge says that under cond a pointer to the object is kept.
type reachEdge struct {
	to   ObjectID
	cond term.ID
	sure bool
}

// Lost says whether some live heap object is lost, and whether some is neither
// lost nor surely reached. registers are pointers in active functions.
func (s *State) Lost(registers []Value) (lost, vague term.ID) {
	sp := s.space
	st := sp.Store
	lost, vague = st.False(), st.False()
	var heap []ObjectID
	index := map[ObjectID]int{}
	s.Each(func(o ObjectID) {
		if sp.objects[o].Kind == HeapObject && !st.IsFalse(s.Alive(o)) {
			index[o] = len(heap)
			heap = append(heap, o)
		}
	})
	if len(heap) > maxReached {
		for _, o := range heap {
			vague = st.Or(vague, s.Alive(o))
		}
		return lost, vague
	}
	sure, perhaps := make([]term.ID, len(heap)), make([]term.ID, len(heap))
	for i := range heap {
		sure[i], perhaps[i] = st.False(), st.False()
	}
	follow := func(edges []reachEdge, fromSure, fromPerhaps term.ID) {
		for _, e := range edges {
			i, ok := index[e.to]
			if !ok {
				continue
			}
			if e.sure {
				sure[i] = st.Or(sure[i], st.And(fromSure, e.cond))
			}
			perhaps[i] = st.Or(perhaps[i], st.And(fromPerhaps, e.cond))
		}
	}
	s.Each(func(o ObjectID) {
		if k := sp.objects[o].Kind; k == GlobalObject || k == StackObject {
			if a := s.Alive(o); !st.IsFalse(a) {
				follow(s.edges(o), a, a)
			}
		}
	})
	for _, p := range registers {
		follow(s.pointerEdges(p, false), st.True(), st.True())
	}
	edges := make([][]reachEdge, len(heap))
	for i, o := range heap {
		edges[i] = s.edges(o)
	}
	before := make([]term.ID, 2*len(heap))
	for range heap {
		copy(before, sure)
		copy(before[len(heap):], perhaps)
		for i, o := range heap {
			a := s.Alive(o)
			follow(edges[i], st.And(a, before[i]), st.And(a, before[len(heap)+i]))
		}
		changed := false
		for i := range heap {
			changed = changed || sure[i] != before[i] || perhaps[i] != before[len(heap)+i]
		}
		if !changed {
			break
		}
	}
	for i, o := range heap {
		a := s.Alive(o)
		lost = st.Or(lost, st.And(a, st.Not(perhaps[i])))
		vague = st.Or(vague, st.AndAll(a, perhaps[i], st.Not(sure[i])))
	}
	return lost, vague
}

// edges lists the objects that the content of o keeps.
func (s *State) edges(o ObjectID) []reachEdge {
	sp := s.space
	st := sp.Store
	c := s.get(o)
	if c.array == 0 {
		var es []reachEdge
		c.cells.each(func(_ uint32, x cell) { es = append(es, s.pointerEdges(x.v, true)...) })
		return es
	}
	if c.objects == 0 {
		return nil // integers
	}
	e := uint64(st.Sort(c.array).Width / 8)
	if ob := &sp.objects[o]; ob.Sized && ob.ConstSize/e <= maxElements {
		var es []reachEdge
		for i := range ob.ConstSize / e {
			k := sp.word(i)
			es = append(es, s.pointerEdges(Value{Object: sp.element(c.objects, k), Offset: sp.element(c.array, k)}, true)...)
		}
		return es
	}
	found := map[ObjectID]bool{}
	all := !sp.namesOf(c.objects, found)
	var es []reachEdge
	s.Each(func(o ObjectID) {
		if all || found[o] {
			es = append(es, reachEdge{o, st.True(), false})
		}
	})
	return es
}

// pointerEdges lists what a value keeps.
func (s *State) pointerEdges(v Value, sure bool) []reachEdge {
	sp := s.space
	st := sp.Store
	if !v.IsPointer() {
		if st.Width(v.Bits) != sp.PointerBits {
			return nil
		}
		if p := sp.known(sp.IntToPtr(v.Bits)); p.Object != sp.name(0) {
			return s.pointerEdges(p, false)
		}
		return nil
	}
	if p := sp.known(v); p != v {
		v, sure = p, false
	}
	ps := s.choicesOf(v, st.False())
	var es []reachEdge
	for _, t := range ps.certain {
		if t.o != 0 {
			es = append(es, reachEdge{t.o, t.cond, sure})
		}
	}
	if !st.IsFalse(ps.cond) {
		s.Each(func(o ObjectID) {
			if sp.objects[o].base != 0 {
				es = append(es, reachEdge{o, ps.cond, false})
			}
		})
	}
	return es
}
