// This file holds the content of objects whose accesses have constant offsets:
// non-overlapping cells of a few bytes over an initial content. Most C objects
// (scalars, structs, small arrays) never need more; reading back what was
// written costs a lookup and no term at all [2LS §4.1.1].
package memory

import (
	"slices"

	"assay/internal/logic/bv"
	"assay/internal/logic/term"
	"assay/internal/program/ir"
)

// maxCell is the size in bytes of the largest cell; wider values are cut.
const maxCell = 16

func sortUnique(s *[]uint32) {
	slices.Sort(*s)
	*s = slices.Compact(*s)
}

// find gives the cell that covers byte k, and its offset.
func (c *Content) find(k uint32) (at uint32, x cell, ok bool) {
	for d := uint32(0); d < maxCell && d <= k; d++ {
		if x, ok := c.cells.get(k - d); ok {
			return k - d, x, x.n > d
		}
	}
	return 0, cell{}, false
}

func (sp *Space) covers(c *Content, k uint32) bool {
	_, _, ok := c.find(k)
	return ok
}

// bits is a value as a bit-vector: pointers become addresses.
func (sp *Space) bits(v Value) term.ID {
	if v.IsPointer() {
		return sp.PtrToInt(v)
	}
	return v.Bits
}

// clear makes room for [k, k+n): cells that overlap it are cut.
func (sp *Space) clear(c *Content, o ObjectID, k, n uint32) {
	for i := k; i < k+n; {
		at, x, ok := c.find(i)
		if !ok {
			i++
			continue
		}
		c.cells.delete(at)
		if at < k || at+x.n > k+n {
			b := sp.bits(x.v)
			if at < k {
				c.cells.set(at, cell{k - at, Value{Bits: sp.Store.Extract(b, 8*(k-at)-1, 0)}})
			}
			if at+x.n > k+n {
				c.cells.set(k+n, cell{at + x.n - (k + n), Value{Bits: sp.Store.Extract(b, 8*x.n-1, 8*(k+n-at))}})
			}
		}
		i = at + x.n
	}
}

// readCells reads n bytes at a constant offset. It gives a pointer exactly if
// these bytes are one pointer.
func (sp *Space) readCells(o ObjectID, c *Content, off uint64, n uint32) Value {
	if c.array != 0 {
		return sp.readArray(o, c, sp.word(off), n, false, sp.Store.False())
	}
	k := uint32(off)
	if x, ok := c.cells.get(k); ok && x.n == n {
		return x.v
	}
	st := sp.Store
	var acc term.ID // bytes read so far, low part
	for i := k; i < k+n; {
		var piece term.ID
		var m uint32
		if at, x, ok := c.find(i); ok {
			m = min(at+x.n, k+n) - i
			piece = st.Extract(sp.bits(x.v), 8*(i+m-at)-1, 8*(i-at))
		} else {
			m = 1
			for i+m < k+n && !sp.covers(c, i+m) {
				m++
			}
			v := sp.readOrigin(o, c.origin, i, m)
			if m == n {
				return v
			}
			piece = sp.bits(v)
		}
		if acc == 0 {
			acc = piece
		} else {
			acc = st.Concat(piece, acc)
		}
		i += m
	}
	return Value{Bits: acc}
}

// readOrigin reads n bytes of an initial content.
func (sp *Space) readOrigin(o ObjectID, from origin, k, n uint32) Value {
	st := sp.Store
	switch from.kind {
	case originZero:
		return Value{Bits: st.ConstU(8*n, 0)}
	case originGlobal:
		return sp.readInitialiser(o, uint64(k), n)
	}
	return Value{Bits: sp.readGeneration(from.gen, sp.elem(o, n), uint64(k), n)}
}

// readGeneration reads n bytes of an arbitrary content; elem is the element
// size of its array if it has none yet.
func (sp *Space) readGeneration(gen Generation, elem uint32, k uint64, n uint32) term.ID {
	st := sp.Store
	array, e32 := sp.arrayOf(gen, elem)
	e, end := uint64(e32), k+uint64(n)
	var acc term.ID
	for i := k; i < end; {
		at := i / e * e
		m := min(at+e, end) - i
		piece := st.Extract(st.Select(array, sp.word(at/e)), uint32(8*(i+m-at)-1), uint32(8*(i-at)))
		if acc == 0 {
			acc = piece
		} else {
			acc = st.Concat(piece, acc)
		}
		i += m
	}
	return acc
}

// readInitialiser reads n bytes of a global's initialiser.
func (sp *Space) readInitialiser(o ObjectID, k uint64, n uint32) Value {
	g := sp.objects[o].Global
	st := sp.Store
	word, end := uint64(sp.PointerBits/8), k+uint64(n)
	var acc term.ID
	push := func(piece term.ID) {
		if acc == 0 {
			acc = piece
		} else {
			acc = st.Concat(piece, acc)
		}
	}
	i := k
	for _, r := range g.Relocs {
		at := r.Offset
		if at+word <= i {
			continue
		}
		if at >= end {
			break
		}
		if i < at {
			push(sp.initialBytes(g, i, at))
			i = at
		}
		p := sp.symbolAddress(r.Target, r.Addend)
		if i == k && at == k && uint64(n) == word {
			return p
		}
		m := min(at+word, end) - i
		push(st.Extract(sp.PtrToInt(p), uint32(8*(i+m-at)-1), uint32(8*(i-at))))
		i += m
	}
	if i < end {
		push(sp.initialBytes(g, i, end))
	}
	return Value{Bits: acc}
}

// initialBytes are the bytes [from, to) of an initialiser, without pointers; an
// initialiser without bytes is all zero.
func (sp *Space) initialBytes(g *ir.Global, from, to uint64) term.ID {
	if g.Init == nil {
		return sp.Store.ConstU(uint32(8*(to-from)), 0)
	}
	return sp.Store.Const(bv.FromBytes(g.Init[from:to]))
}

// symbolAddress is the pointer that a relocation stands for.
func (sp *Space) symbolAddress(target string, addend int64) Value {
	off := sp.word(uint64(addend))
	if target == "" {
		return sp.IntToPtr(off)
	}
	o, ok := sp.bySymbol[target]
	if !ok {
		panic("memory: relocation to unknown symbol " + target)
	}
	return sp.Pointer(o, off)
}

// writeCells writes n bytes at a constant offset where cond holds.
func (sp *Space) writeCells(cond term.ID, o ObjectID, c *Content, off uint64, n uint32, v Value) {
	st := sp.Store
	if n > maxCell {
		b := sp.bits(v)
		for i := uint32(0); i < n; i += 8 {
			m := min(8, n-i)
			sp.writeCells(cond, o, c, off+uint64(i), m, Value{Bits: st.Extract(b, 8*(i+m)-1, 8*i)})
		}
		return
	}
	k := uint32(off)
	if !st.IsTrue(cond) {
		if st.IsFalse(cond) {
			return
		}
		v = sp.Ite(cond, v, sp.readCells(o, c, off, n))
	}
	if x, ok := c.cells.get(k); !ok || x.n != n {
		sp.clear(c, o, k, n)
	}
	c.cells.set(k, cell{n, v})
}
