package initialised

import "assay/internal/program/ir"

// This file has what memory does to the token.

// token are its variables, as they are.
type token struct{ object, offset, mask ir.Value }

func (w *weaver) load() token {
	word := w.Module.WordType()
	return token{
		w.Op(ir.Load, w.Module.PtrType(), w.ghost(TokenObject, uint64(word.Bits/8))),
		w.Op(ir.Load, word, w.ghost(TokenOffset, uint64(word.Bits/8))),
		w.Op(ir.Load, ir.IntType(8), w.ghost(tokenMask, 1)),
	}
}

// place puts the token on the byte k behind p, if c, with a mask; else offset is its new offset.
func (w *weaver) place(c ir.Value, t token, p, k, mask, offset ir.Value) {
	word := w.Module.WordType()
	at := w.bin(ir.Add, w.Op(ir.ObjectOffset, word, p), k)
	size := uint64(word.Bits / 8)
	w.Op(ir.Store, ir.Type{}, w.choose(c, p, t.object), w.ghost(TokenObject, size))
	w.Op(ir.Store, ir.Type{}, w.choose(c, at, offset), w.ghost(TokenOffset, size))
	w.Op(ir.Store, ir.Type{}, w.choose(c, mask, t.mask), w.ghost(tokenMask, 1))
}

// nowhere is the offset of no token.
func (w *weaver) nowhere() ir.Value { return w.ones(w.Module.PointerBits) }

// removed is the offset of a token that is removed, if in.
func (w *weaver) removed(in ir.Value, t token) ir.Value { return w.choose(in, w.nowhere(), t.offset) }

// within says whether the token lies in n bytes at p, and how far from p.
func (w *weaver) within(t token, p, n ir.Value) (in, distance ir.Value) {
	distance = w.bin(ir.Sub, t.offset, w.Op(ir.ObjectOffset, w.Module.WordType(), p))
	return w.bin(ir.And, w.cmp(ir.SameObject, t.object, p), w.cmp(ir.ULt, distance, n)), distance
}

// sized is a size as wide as a pointer.
func (w *weaver) sized(n ir.Value) ir.Value {
	switch bits := w.old.Type(n).Bits; {
	case bits < w.Module.PointerBits:
		return w.Op(ir.ZExt, w.Module.WordType(), n)
	case bits > w.Module.PointerBits:
		return w.Op(ir.Trunc, w.Module.WordType(), n)
	}
	return n
}

// born is the making of n bytes at p: the token may lie on one of them.
func (w *weaver) born(p, n ir.Value) {
	t := w.load()
	k := w.choice(w.Module.WordType(), "")
	c := w.bin(ir.And, w.choice(ir.BoolType, "never written"), w.cmp(ir.ULt, k, n))
	w.place(c, t, p, k, w.number(8, 0xff), t.offset)
}

// clear is the writing of n bytes at p that are not garbage.
func (w *weaver) clear(p, n ir.Value) {
	if !w.x.dirty(w.old, w.facts, p) {
		return
	}
	t := w.load()
	in, _ := w.within(t, p, n)
	w.Op(ir.Store, ir.Type{}, w.removed(in, t), w.ghost(TokenOffset, uint64(w.Module.PointerBits/8)))
}

// write is a store of v at p.
func (w *weaver) write(v, p ir.Value) {
	n := w.word(w.old.Type(v).Size())
	if w.shadow[v] == 0 {
		w.clear(p, n)
		return
	}
	t := w.load()
	in, _ := w.within(t, p, n)
	k := w.choice(w.Module.WordType(), "")
	there := w.byteOf(w.shadow[v], k)
	c := w.bin(ir.And, w.choice(ir.BoolType, "written"), w.bin(ir.And, w.cmp(ir.ULt, k, n), w.cmp(ir.Ne, there, w.number(8, 0))))
	w.place(c, t, p, k, there, w.removed(in, t))
}

// byteOf is byte k of a shadow as memory has it.
func (w *weaver) byteOf(s, k ir.Value) ir.Value {
	t, byteType := w.Func.Type(s), ir.IntType(8)
	switch {
	case t.Bits == 1: // of a truth value, a pointer or a float
		return w.Op(ir.SExt, byteType, s)
	case t.Bits == 8:
		return s
	case t.Bits < 8:
		return w.Op(ir.ZExt, byteType, s)
	}
	shift := w.resized(w.bin(ir.Shl, w.bin(ir.And, k, w.word(0xff)), w.word(3)), t.Bits)
	return w.Op(ir.Trunc, byteType, w.Op(ir.FShr, t, w.number(t.Bits, 0), s, shift))
}

// resized is a number as wide as asked.
func (w *weaver) resized(n ir.Value, bits uint32) ir.Value {
	switch have := w.Func.Type(n).Bits; {
	case have < bits:
		return w.Op(ir.ZExt, ir.IntType(bits), n)
	case have > bits:
		return w.Op(ir.Trunc, ir.IntType(bits), n)
	}
	return n
}

// read is the shadow of what a load reads.
func (w *weaver) read(d *ir.Def) ir.Value {
	t := w.load()
	in, distance := w.within(t, d.Args[0], w.word(d.Type.Size()))
	bits := d.Type.Bits
	switch {
	case d.Type.Kind != ir.Int:
		return in
	case bits <= 8:
		return w.choose(in, w.resized(t.mask, bits), w.number(bits, 0))
	}
	wide := ir.IntType(uint32(8 * d.Type.Size()))
	shift := w.resized(w.bin(ir.Shl, distance, w.word(3)), wide.Bits)
	s := w.Op(ir.FShl, wide, w.Op(ir.ZExt, wide, t.mask), w.number(wide.Bits, 0), shift)
	return w.choose(in, w.resized(s, bits), w.number(bits, 0))
}

// fill is memset.
func (w *weaver) fill(d *ir.Def) {
	p, s, n := d.Args[0], w.shadow[d.Args[1]], w.sized(d.Args[2])
	if s == 0 {
		w.clear(p, n)
		return
	}
	t := w.load()
	in, _ := w.within(t, p, n)
	k := w.choice(w.Module.WordType(), "")
	c := w.bin(ir.And, w.choice(ir.BoolType, "written"), w.bin(ir.And, w.cmp(ir.ULt, k, n), w.some(s)))
	w.place(c, t, p, k, s, w.removed(in, t))
}

// copied is memcpy: of a token that lies in the source there are two then, of which the run goes on with
// one. If the destination covers the source, too, the one that was copied is left.
func (w *weaver) copied(d *ir.Def) {
	to, from, n := d.Args[0], d.Args[1], w.sized(d.Args[2])
	if !w.x.dirty(w.old, w.facts, from) {
		w.clear(to, n)
		return
	}
	t := w.load()
	source, distance := w.within(t, from, n)
	target, _ := w.within(t, to, n)
	c := w.bin(ir.And, source, w.bin(ir.Or, target, w.choice(ir.BoolType, "copied")))
	w.place(c, t, to, distance, t.mask, w.removed(target, t))
}
