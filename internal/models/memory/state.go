package memory

import "assay/internal/logic/term"

// State is the memory at one point of one path (or of several joined paths):
// the objects made so far with their contents. Fork it with Fork.
type State struct {
	space *Space
	objs  pmap[*Content]
	// epoch names the conditions under which objects are alive; see epoch.go.
	epoch uint32
	// Excludes, if set, says of a condition that it cannot hold on the path at
	// hand; pointers then have fewer targets.
	Excludes func(cond term.ID) bool
	// functions makes unknown pointers range over functions, not data.
	functions bool
}

// Content is the changing part of an object. A content is written in place
// only by the state whose owner mark it carries.
type Content struct {
	owner uint64
	// alive says that the object exists and was not freed or left.
	alive term.ID
	// origin gives the bytes that no cell covers.
	origin origin
	// cells are pieces of constant offset and size that were written (or read
	// before); they do not overlap.
	cells pmap[cell]
	// array, if not 0, replaces origin and cells: elements of Object.elem bytes
	// by index. objects, if not 0, says for each element which object it points
	// to: the element is then the offset; see array.go.
	array   term.ID
	objects term.ID
}

// cell is a value of n bytes.
type cell struct {
	n uint32
	v Value
}

// origin is the initial content of an object.
type origin struct {
	kind originKind
	gen  Generation
}

type originKind uint8

const (
	originArbitrary originKind = iota // generation gen
	originGlobal                      // the initialiser of the object's global
	originZero
)

// NewState is the state without objects.
func NewState(space *Space) *State {
	s := &State{space: space}
	s.objs.owner = newOwner()
	return s
}

// Fork is an independent copy; it costs O(1).
func (s *State) Fork() *State {
	return &State{space: s.space, objs: s.objs.clone(), epoch: s.epoch}
}

// get is the content of an object for reading, nil if it does not exist here.
func (s *State) get(o ObjectID) *Content {
	c, _ := s.objs.get(uint32(o))
	return c
}

// own is the content of an object for writing.
func (s *State) own(o ObjectID) *Content {
	c, ok := s.objs.get(uint32(o))
	if !ok {
		return nil
	}
	if c.owner == s.objs.owner {
		return c
	}
	n := &Content{owner: s.objs.owner, alive: c.alive, origin: c.origin, cells: c.cells, array: c.array, objects: c.objects}
	n.cells.owner = newOwner()
	s.objs.set(uint32(o), n)
	return n
}

// create adds an object that is alive; where it was not before, guard says
// where this is reached.
func (s *State) create(o ObjectID, from origin, guard term.ID) {
	if st := s.space.Store; !st.IsTrue(s.Alive(o)) {
		s.birth(o, st.True(), guard)
	}
	s.objs.set(uint32(o), &Content{owner: s.objs.owner, alive: s.space.Store.True(), origin: from})
}

// CreateGlobal adds the object of a global with its initial content.
func (s *State) CreateGlobal(o ObjectID, external bool, gen Generation) {
	switch g := s.space.objects[o].Global; {
	case external:
		s.create(o, origin{kind: originArbitrary, gen: gen}, s.space.Store.True())
	case g == nil || g.Init == nil && len(g.Relocs) == 0:
		s.create(o, origin{kind: originZero}, s.space.Store.True())
	default:
		s.create(o, origin{kind: originGlobal}, s.space.Store.True())
	}
}

// CreateArbitrary adds an object of arbitrary content; guard says where this is
// reached.
func (s *State) CreateArbitrary(o ObjectID, gen Generation, guard term.ID) {
	s.create(o, origin{kind: originArbitrary, gen: gen}, guard)
}

// Remove ends the life of an object and forgets it.
func (s *State) Remove(o ObjectID) {
	if s.Has(o) {
		s.die(o, s.space.Store.True())
		s.objs.delete(uint32(o))
	}
}

// Has says whether the object exists here.
func (s *State) Has(o ObjectID) bool { return s.get(o) != nil }

// Alive says under which condition the object lives.
func (s *State) Alive(o ObjectID) term.ID {
	if c := s.get(o); c != nil {
		return c.alive
	}
	return s.space.Store.False()
}

// Each visits the objects by ascending name.
func (s *State) Each(f func(ObjectID)) {
	s.objs.each(func(k uint32, _ *Content) { f(ObjectID(k)) })
}

// Join is the state that is a where cond holds and b elsewhere; guard says when
// it is reached at all. Both states are given up to it.
func Join(cond term.ID, a, b *State) *State {
	j := a.Fork()
	sp := a.space
	st := sp.Store
	if a.epoch != b.epoch {
		j.epoch = sp.nextEpoch(epochKey{joined, a.epoch, b.epoch, uint32(cond)})
	}
	diff(&a.objs, &b.objs, func(k uint32, ca *Content, oka bool, cb *Content, okb bool) {
		switch {
		case ca == cb:
		case !okb:
			c := j.own(ObjectID(k))
			c.alive = st.And(cond, ca.alive)
		case !oka:
			j.objs.set(k, cb)
			c := j.own(ObjectID(k))
			c.alive = st.And(st.Not(cond), cb.alive)
		default:
			c := j.own(ObjectID(k))
			sp.joinContent(cond, ObjectID(k), c, ca, cb)
		}
	})
	return j
}

// joinContent makes c, a copy of a, the join of a and b.
func (sp *Space) joinContent(cond term.ID, o ObjectID, c, a, b *Content) {
	st := sp.Store
	alive := st.Ite(cond, a.alive, b.alive)
	switch {
	case st.IsFalse(a.alive): // the content of a dead object cannot be read
		c.origin, c.cells, c.array, c.objects = b.origin, b.cells, b.array, b.objects
		c.cells.owner = newOwner()
	case st.IsFalse(b.alive):
	case a.array != 0 || b.array != 0 || a.origin != b.origin && !sp.small(o):
		ca, cb := *a, *b
		ca.cells.owner, cb.cells.owner = newOwner(), newOwner()
		sp.toArray(o, &ca, 1)
		sp.toArray(o, &cb, 1)
		c.array = sp.joinArrays(cond, ca.array, cb.array)
		c.cells, c.origin = pmap[cell]{owner: newOwner()}, origin{}
		if ca.objects != 0 || cb.objects != 0 {
			c.objects = sp.joinArrays(cond, sp.objectsArray(&ca), sp.objectsArray(&cb))
		}
	default:
		sp.joinCells(cond, o, c, a, b)
	}
	c.alive = alive
}

// small says whether an object may be cut into all its elements.
func (sp *Space) small(o ObjectID) bool {
	ob := &sp.objects[o]
	return ob.Sized && ob.ConstSize <= maxSplit*uint64(sp.elem(o, sp.PointerBits/8))
}

// joinCells joins contents of the same origin or of a small object: the pieces that differ are cut
// to a common refinement and chosen by cond.
func (sp *Space) joinCells(cond term.ID, o ObjectID, c, a, b *Content) {
	// Pieces of the union of what differs, by ascending offset.
	var cuts []uint32
	var spans [][2]uint32 // maximal ranges of such pieces
	mark := func(k, n uint32) {
		cuts = append(cuts, k, k+n)
		if i := len(spans) - 1; i >= 0 && k <= spans[i][1] {
			spans[i][1] = max(spans[i][1], k+n)
		} else {
			spans = append(spans, [2]uint32{k, k + n})
		}
	}
	diff(&a.cells, &b.cells, func(k uint32, va cell, oka bool, vb cell, okb bool) {
		if oka && okb && va == vb {
			return
		}
		if oka {
			mark(k, va.n)
		}
		if okb {
			mark(k, vb.n)
		}
	})
	if a.origin != b.origin {
		e := sp.elem(o, sp.PointerBits/8)
		spans = [][2]uint32{{0, uint32(sp.objects[o].ConstSize)}}
		for k := uint32(0); k <= uint32(sp.objects[o].ConstSize); k += e {
			cuts = append(cuts, k)
		}
		everywhere := func(k uint32, x cell) { mark(k, x.n) }
		a.cells.each(everywhere)
		b.cells.each(everywhere)
	}
	if len(cuts) == 0 {
		return
	}
	sortUnique(&cuts)
	type piece struct {
		k, n uint32
		v    Value
	}
	var pieces []piece
	span := 0
	for i := 0; i+1 < len(cuts); i++ {
		k, n := cuts[i], cuts[i+1]-cuts[i]
		for k >= spans[span][1] && span+1 < len(spans) {
			span++
		}
		if k < spans[span][0] || k >= spans[span][1] {
			continue
		}
		if a.origin == b.origin && !sp.covers(a, k) && !sp.covers(b, k) {
			continue
		}
		va, vb := sp.readCells(o, a, uint64(k), n), sp.readCells(o, b, uint64(k), n)
		pieces = append(pieces, piece{k, n, sp.Ite(cond, va, vb)})
	}
	for _, p := range pieces {
		sp.clear(c, o, p.k, p.n)
	}
	for _, p := range pieces {
		c.cells.set(p.k, cell{p.n, p.v})
	}
}

// Ite chooses between two values; a pointer and a scalar of its width meet as pointers.
func (sp *Space) Ite(cond term.ID, a, b Value) Value {
	st := sp.Store
	if a == b {
		return a
	}
	if a.IsPointer() || b.IsPointer() {
		if !a.IsPointer() {
			a = sp.IntToPtr(a.Bits)
		}
		if !b.IsPointer() {
			b = sp.IntToPtr(b.Bits)
		}
		return Value{Object: st.Ite(cond, a.Object, b.Object), Offset: st.Ite(cond, a.Offset, b.Offset)}
	}
	return Value{Bits: st.Ite(cond, a.Bits, b.Bits)}
}
