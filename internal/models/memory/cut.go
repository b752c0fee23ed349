// This file serves the checker of inductions, which cuts loops at their heads:
// it finds out what an iteration changes, and makes that arbitrary.
//
// What is made arbitrary must have been plain bits before: a pointer is an
// object and an offset, and a bare address means less than that (it cannot be
// one past the end of an object while another begins there, for example). So
// here is also what says whether a content may keep pointers.
package memory

import (
	"strings"

	"assay/internal/logic/term"
)

// Range is a range of bytes of an object.
type Range struct{ Offset, Size uint32 }

// Difference says how an object is other in a second state than in a first.
type Difference struct {
	Born  bool // it does not exist in the first
	Gone  bool // it does not exist in the second
	Dead  bool // it has surely ended in the second only; its content is not compared then
	Alive bool // it is alive under another condition
	Whole bool // the content differs
	// Cells are where it differs, if not as a whole; they may overlap.
	Cells []Range
}

// Differences visits the objects in which b may differ from s.
func (s *State) Differences(b *State, f func(ObjectID, Difference)) {
	sp := s.space
	st := sp.Store
	diff(&s.objs, &b.objs, func(k uint32, x *Content, okx bool, y *Content, oky bool) {
		var d Difference
		switch {
		case x == y:
			return
		case !okx:
			d.Born = true
		case !oky:
			d.Gone = true
		case st.IsFalse(y.alive):
			d.Dead = !st.IsFalse(x.alive)
		default:
			d.Alive = x.alive != y.alive
			d.Whole, d.Cells = sp.contentDiffers(ObjectID(k), x, y)
		}
		if d.Born || d.Gone || d.Dead || d.Alive || d.Whole || len(d.Cells) > 0 {
			f(ObjectID(k), d)
		}
	})
}

func (sp *Space) contentDiffers(o ObjectID, x, y *Content) (whole bool, cells []Range) {
	if x.array != 0 || y.array != 0 {
		// An access at a symbolic offset makes an array of what stays the same.
		a, b := *x, *y
		a.cells.owner, b.cells.owner = newOwner(), newOwner()
		sp.toArray(o, &a, 1)
		sp.toArray(o, &b, 1)
		return a.array != b.array || a.objects != b.objects, nil
	}
	if x.origin != y.origin {
		return true, nil
	}
	diff(&x.cells, &y.cells, func(k uint32, a cell, oka bool, b cell, okb bool) {
		if oka && okb && a == b {
			return
		}
		if oka {
			cells = append(cells, Range{k, a.n})
		}
		if okb && (!oka || a.n != b.n) {
			cells = append(cells, Range{k, b.n})
		}
	})
	return false, cells
}

// Cell is the value of a range of an object of constant offsets; ok is false for others.
func (s *State) Cell(o ObjectID, r Range) (v Value, ok bool) {
	c := s.get(o)
	if ob := &s.space.objects[o]; c == nil || c.array != 0 || ob.Sized && uint64(r.Offset)+uint64(r.Size) > ob.ConstSize {
		return Value{}, false
	}
	return s.space.readCells(o, c, uint64(r.Offset), r.Size), true
}

// Piece is the value of a range of an object that holds it; elements of arrays
// are pieces, too. It is a pointer exactly if these bytes are one pointer.
func (s *State) Piece(o ObjectID, r Range) Value {
	sp := s.space
	c := s.get(o)
	if c.array == 0 {
		return sp.readCells(o, c, uint64(r.Offset), r.Size)
	}
	pointers := c.objects != 0 && 8*r.Size == sp.PointerBits
	return sp.readArray(o, c, sp.word(uint64(r.Offset)), r.Size, pointers, sp.Store.True())
}

// Element is the size in bytes of the elements into which the content of an
// object is cut where it is not known better.
func (sp *Space) Element(o ObjectID) uint32 { return sp.elem(o, 1) }

// SetCell sets what Cell gives.
func (s *State) SetCell(o ObjectID, r Range, v Value) {
	s.space.writeCells(s.space.Store.True(), o, s.own(o), uint64(r.Offset), r.Size, v)
}

// ForgetContent gives an object the arbitrary content of a generation where cond holds.
func (s *State) ForgetContent(o ObjectID, cond term.ID, gen Generation) {
	c := s.own(o)
	old := *c
	old.cells.owner = newOwner()
	fresh := Content{owner: newOwner(), alive: c.alive, origin: origin{kind: originArbitrary, gen: gen}}
	c.origin, c.cells, c.array, c.objects = fresh.origin, pmap[cell]{owner: newOwner()}, 0, 0
	s.space.joinContent(cond, o, c, &fresh, &old)
}

// ForgetAlive makes an object alive iff alive, where cond holds; guard says
// where this is reached.
func (s *State) ForgetAlive(o ObjectID, cond, alive, guard term.ID) {
	st := s.space.Store
	s.die(o, st.And(cond, st.Not(alive)))
	if born := st.And(cond, alive); !st.IsFalse(born) && !st.IsTrue(s.Alive(o)) {
		s.birth(o, born, guard)
		c := s.own(o)
		c.alive = st.Or(c.alive, born)
	}
}

// End ends the life of an object where cond holds.
func (s *State) End(o ObjectID, cond term.ID) { s.die(o, cond) }

// KeepsPointers says whether a content may keep pointers to objects, or parts
// of them.
func (s *State) KeepsPointers(o ObjectID) bool {
	sp := s.space
	c := s.get(o)
	if c == nil {
		return false
	}
	if c.array != 0 {
		if c.objects != 0 && sp.namesPointers(c.objects) {
			return true
		}
		return sp.IsPointer(Value{Bits: c.array})
	}
	if c.origin.kind == originGlobal {
		for _, r := range sp.objects[o].Global.Relocs {
			if r.Target != "" {
				return true
			}
		}
	}
	keeps := false
	c.cells.each(func(_ uint32, x cell) { keeps = keeps || sp.IsPointer(x.v) })
	return keeps
}

// namesPointers says that an array is one of objects, some of which may be more than none.
func (sp *Space) namesPointers(array term.ID) bool {
	sort := sp.Store.Sort(array)
	if sort != term.Array(sp.PointerBits, ObjectBits) {
		return false
	}
	found := map[ObjectID]bool{}
	return !sp.namesOf(array, found) || len(found) != 1 || !found[0]
}

// IsPointer says whether a value may point to an object, or be bits that are
// made of the address of one. Truth values carry no address.
func (sp *Space) IsPointer(v Value) bool {
	st := sp.Store
	t := v.Bits
	if v.IsPointer() {
		if v.Object != sp.name(0) {
			return true
		}
		t = v.Offset
	}
	if sp.plain == nil {
		sp.plain = map[term.ID]bool{}
	}
	var walk func(t term.ID) bool
	walk = func(t term.ID) bool {
		if sp.plain[t] || st.Sort(t) == term.Bool() {
			return false
		}
		if st.Op(t) == term.OpVar {
			if _, base := sp.byBase[t]; base || strings.HasPrefix(st.VarName(t), addressOfRead) {
				return true
			}
			for _, part := range sp.parts[t] {
				if part != 0 && (sp.namesPointers(part) || walk(part)) {
					return true
				}
			}
		}
		for i := range st.NumArgs(t) {
			if walk(st.Arg(t, i)) {
				return true
			}
		}
		sp.plain[t] = true
		return false
	}
	return walk(t)
}
