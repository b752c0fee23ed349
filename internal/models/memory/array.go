// This file holds the content of objects that are accessed at symbolic
// offsets and are too large for a case split over their cells: one array term
// of elements of Object.elem bytes. Accesses of another size or alignment are
// composed of parts of elements, so every access is exact.
//
// Pointers: if an element has the size of a pointer, a second array names the
// object for each element, and the element itself is the offset; object 0
// stands for plain integers. Otherwise pointers are stored as their addresses.
package memory

import (
	"math/bits"

	"assay/internal/logic/term"
)

// toArray makes c an array content.
func (sp *Space) toArray(o ObjectID, c *Content, access uint32) {
	if c.array != 0 {
		return
	}
	st := sp.Store
	e := sp.elem(o, access)
	switch c.origin.kind {
	case originZero:
		c.array = st.ConstArray(term.Array(sp.PointerBits, 8*e), st.ConstU(8*e, 0))
	case originGlobal:
		c.array = st.ConstArray(term.Array(sp.PointerBits, 8*e), st.ConstU(8*e, 0))
		g := sp.objects[o].Global
		next, wide := 0, uint64(e)
		for k := uint64(0); k < g.Size && (g.Init != nil || next < len(g.Relocs)); k += wide {
			zero := true
			for i := k; i < k+wide && g.Init != nil; i++ {
				zero = zero && g.Init[i] == 0
			}
			for next < len(g.Relocs) && g.Relocs[next].Offset+uint64(sp.PointerBits/8) <= k {
				next++
			}
			if zero && (next == len(g.Relocs) || g.Relocs[next].Offset >= k+wide) {
				continue
			}
			sp.storeElement(c, sp.word(k/wide), sp.readInitialiser(o, k, e))
		}
	default:
		c.array, e = sp.arrayOf(c.origin.gen, e)
	}
	cells := c.cells
	c.cells = pmap[cell]{owner: newOwner()}
	old := *c
	old.cells, old.array, old.objects = cells, 0, 0
	done := ^uint32(0)
	cells.each(func(k uint32, x cell) {
		for i := k / e; i <= (k+x.n-1)/e; i++ {
			if i != done {
				sp.storeElement(c, sp.word(uint64(i)), sp.readCells(o, &old, uint64(i)*uint64(e), e))
				done = i
			}
		}
	})
	c.origin = origin{}
}

// Elements is the array of the elements of e bytes of an object that has too many for
// cells; ok is false if the object is not held so.
func (s *State) Elements(o ObjectID, e uint32) (a term.ID, ok bool) {
	c, sp := s.get(o), s.space
	if c == nil {
		return 0, false
	}
	if c.array == 0 {
		if n, fixed := sp.Store.ConstUint64(sp.objects[o].Size); fixed && n <= maxElementCells {
			return 0, false
		}
		c = s.own(o)
		sp.toArray(o, c, e)
	}
	return c.array, sp.Store.Sort(c.array).Width == 8*e && c.objects == 0
}

// maxElementCells bounds the size of objects that Elements leaves as they are.
const maxElementCells = 64

// objectsArray is the array of objects pointed to.
func (sp *Space) objectsArray(c *Content) term.ID {
	if c.objects != 0 {
		return c.objects
	}
	return sp.Store.ConstArray(term.Array(sp.PointerBits, ObjectBits), sp.name(0))
}

// storeElement writes one element.
func (sp *Space) storeElement(c *Content, index term.ID, v Value) {
	st := sp.Store
	if v.IsPointer() && st.Sort(c.array).Width == sp.PointerBits {
		c.objects = st.StoreArray(sp.objectsArray(c), index, v.Object)
		c.array = st.StoreArray(c.array, index, v.Offset)
		return
	}
	c.array = st.StoreArray(c.array, index, sp.bits(v))
	if c.objects != 0 {
		c.objects = st.StoreArray(c.objects, index, sp.name(0))
	}
}

// loadElement reads one element; cond is where the result matters.
func (sp *Space) loadElement(c *Content, index term.ID, pointer bool, cond term.ID) Value {
	st := sp.Store
	b := sp.element(c.array, index)
	if c.objects == 0 {
		if pointer && st.Width(b) == sp.PointerBits {
			return sp.IntToPtr(b)
		}
		return Value{Bits: b}
	}
	ob := sp.element(c.objects, index)
	if pointer {
		return Value{Object: ob, Offset: b}
	}
	none := st.Eq(ob, sp.name(0))
	switch {
	case st.IsTrue(none):
		return Value{Bits: b}
	case st.IsFalse(none):
		return Value{Object: ob, Offset: b}
	}
	return Value{Bits: st.Ite(none, b, sp.PtrToInt(Value{Object: ob, Offset: b}))}
}

func log2(e uint32) uint32 { return uint32(bits.TrailingZeros32(e)) }

// readArray reads n bytes at a symbolic offset.
func (sp *Space) readArray(o ObjectID, c *Content, off term.ID, n uint32, pointer bool, cond term.ID) Value {
	st := sp.Store
	e := st.Sort(c.array).Width / 8
	align := st.TrailingZeros(off)
	switch {
	case n == e && align >= log2(e):
		return sp.loadElement(c, sp.index(off, e), pointer, cond)
	case n%e == 0 && align >= log2(e):
		var acc term.ID
		for i := uint32(0); i < n; i += e {
			b := sp.bits(sp.loadElement(c, sp.index(st.Add(off, sp.word(uint64(i))), e), false, cond))
			if acc == 0 {
				acc = b
			} else {
				acc = st.Concat(b, acc)
			}
		}
		return sp.asWanted(acc, pointer)
	case n < e && align >= log2(n) && n&(n-1) == 0:
		word := sp.bits(sp.loadElement(c, sp.index(off, e), false, cond))
		return sp.asWanted(st.Extract(st.LShr(word, sp.bitOffset(off, e)), 8*n-1, 0), pointer)
	}
	var acc term.ID
	for i := uint32(0); i < n; i++ {
		at := st.Add(off, sp.word(uint64(i)))
		word := sp.bits(sp.loadElement(c, sp.index(at, e), false, cond))
		b := word
		if e > 1 {
			b = st.Extract(st.LShr(word, sp.bitOffset(at, e)), 7, 0)
		}
		if acc == 0 {
			acc = b
		} else {
			acc = st.Concat(b, acc)
		}
	}
	return sp.asWanted(acc, pointer)
}

func (sp *Space) asWanted(b term.ID, pointer bool) Value {
	if pointer && sp.Store.Width(b) == sp.PointerBits {
		return sp.IntToPtr(b)
	}
	return Value{Bits: b}
}

// index is the element that holds the byte at off.
func (sp *Space) index(off term.ID, e uint32) term.ID {
	return sp.Store.LShr(off, sp.word(uint64(log2(e))))
}

// bitOffset is where the byte at off begins in its element, as wide as an element.
func (sp *Space) bitOffset(off term.ID, e uint32) term.ID {
	st := sp.Store
	l := log2(e)
	return st.ZExt(st.Concat(st.Extract(off, l-1, 0), st.ConstU(3, 0)), 8*e)
}

// writeArray writes n bytes at a symbolic offset where cond holds.
func (sp *Space) writeArray(cond term.ID, o ObjectID, c *Content, off term.ID, n uint32, v Value) {
	st := sp.Store
	e := st.Sort(c.array).Width / 8
	align := st.TrailingZeros(off)
	put := func(index term.ID, v Value) {
		if !st.IsTrue(cond) {
			v = sp.Ite(cond, v, sp.loadElement(c, index, false, cond))
		}
		sp.storeElement(c, index, v)
	}
	switch {
	case n == e && align >= log2(e):
		put(sp.index(off, e), v)
		return
	case n%e == 0 && align >= log2(e):
		b := sp.bits(v)
		for i := uint32(0); i < n; i += e {
			put(sp.index(st.Add(off, sp.word(uint64(i))), e), Value{Bits: st.Extract(b, 8*(i+e)-1, 8*i)})
		}
		return
	}
	b := sp.bits(v)
	part := func(at term.ID, b term.ID, bytes uint32) {
		index := sp.index(at, e)
		if bytes == e {
			put(index, Value{Bits: b})
			return
		}
		shift := sp.bitOffset(at, e)
		old := sp.bits(sp.loadElement(c, index, false, cond))
		mask := st.Shl(st.ZExt(st.BVNot(st.ConstU(8*bytes, 0)), 8*e), shift)
		put(index, Value{Bits: st.BVOr(st.BVAnd(old, st.BVNot(mask)), st.Shl(st.ZExt(b, 8*e), shift))})
	}
	if n < e && align >= log2(n) && n&(n-1) == 0 {
		part(off, b, n)
		return
	}
	for i := uint32(0); i < n; i++ {
		part(st.Add(off, sp.word(uint64(i))), st.Extract(b, 8*i+7, 8*i), 1)
	}
}
