package certify

import (
	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/program/ir"
)

// memory encodes the instructions on memory; false if d is none. An access that
// is not valid is undefined behaviour: a read yields any value, a write has no
// effect (package memory sees to the latter).
func (c *checker) memory(fr *frame, d *ir.Def, v ir.Value) bool {
	st, sp, mem := c.st, c.sp, fr.mem
	pointer := func(i int) memory.Value { return c.operand(fr, d, i).Value }
	truth := func(t term.ID) { fr.set(v, bitsValue(st.BoolToBV(t))) }
	invalid := func(valid term.ID, kind ir.CheckKind, text string) {
		c.gaveUp(fr, v)
		c.undefined(fr, v, kind, st.Not(valid), text)
	}
	switch d.Op {
	case ir.Alloca:
		o := c.object(fr, v, memory.StackObject, c.size(fr, d, 0), uint64(d.Aux), d.Layout)
		fr.set(v, value{Value: sp.Pointer(o, c.word(0))})
	case ir.Malloc:
		o := c.object(fr, v, memory.HeapObject, c.size(fr, d, 0), c.m.HeapAlign(), d.Layout)
		fr.set(v, value{Value: sp.Pointer(o, c.word(0))})
	case ir.Load:
		c.load(fr, d, v)
	case ir.Store:
		t := fr.typeOf(d.Args[0])
		x := c.stored(c.operand(fr, d, 0), t)
		invalid(mem.StoreTo(pointer(1), x, uint32(t.Size()), fr.guard), ir.InvalidDeref, "invalid write")
	case ir.MemCpy:
		c.copies(fr, d, v)
	case ir.MemSet:
		var valid term.ID
		if b, n := c.bits(fr, d, 1), c.size(fr, d, 2); b == st.ConstU(8, 0) {
			valid = mem.Zero(pointer(0), n, fr.guard)
		} else {
			valid = mem.Fill(pointer(0), b, n, fr.guard)
		}
		invalid(valid, ir.InvalidDeref, "invalid write in a fill")
	case ir.Havoc:
		n := c.size(fr, d, 1)
		invalid(mem.Havoc(pointer(0), n, c.content(v, n), fr.guard), ir.InvalidDeref, "invalid write")
	case ir.LifetimeStart, ir.LifetimeEnd:
		mem.SetAlive(pointer(0), d.Op == ir.LifetimeStart, func(o memory.ObjectID) memory.Generation {
			return c.content(v, sp.Object(o).Size)
		}, fr.guard)
	case ir.StackSave:
		fr.set(v, value{Value: sp.Pointer(0, c.word(c.stacked))})
	case ir.StackRestore:
		c.restore(fr, pointer(0), v)
	case ir.Free:
		invalid(mem.Free(pointer(0), fr.guard), ir.InvalidFree, "free of what is not the start of an allocated block")
	case ir.ObjectSize:
		fr.set(v, bitsValue(mem.Size(pointer(0), fr.guard)))
	case ir.ObjectOffset:
		fr.set(v, bitsValue(mem.Offset(pointer(0), fr.guard)))
	case ir.ValidRange:
		truth(mem.Valid(pointer(0), c.size(fr, d, 1), false, fr.guard))
	case ir.IsHeapStart:
		truth(mem.IsHeapStart(pointer(0), fr.guard))
	case ir.SameObject:
		truth(mem.SameObject(pointer(0), pointer(1), fr.guard))
	case ir.VaStart:
		c.vaStart(fr, d, v)
	default:
		return false
	}
	c.gaveUp(fr, v)
	return true
}

// content is a new arbitrary content of some number of bytes.
func (c *checker) content(v ir.Value, size term.ID) memory.Generation {
	n, _ := c.st.ConstUint64(size)
	return c.sp.Generation(c.key(v), n)
}

// object makes an object of arbitrary content.
func (c *checker) object(fr *frame, v ir.Value, kind memory.ObjectKind, size term.ID, align uint64, layout ir.Layout) memory.ObjectID {
	o := c.sp.Allocation(c.key(v), kind, "", size, align, layout)
	c.made(o, site{fr.context, v})
	fr.mem.CreateArbitrary(o, c.content(v, size), fr.guard)
	if kind == memory.StackObject {
		c.stacked++
		fr.stack = append(fr.stack, stackObject{o, c.stacked})
	}
	return o
}

// restore ends the lives of the stack objects made since the token was. The
// token is the number of the last object then; on every path from there to
// here, what this activation made has a greater one, and nothing made before
// has.
func (c *checker) restore(fr *frame, token memory.Value, v ir.Value) {
	n, ok := c.st.ConstUint64(token.Offset)
	if !ok || token.Object != c.sp.Null().Object {
		c.claim(uncovered, fr, fr.guard, v, "the stack is restored to one of several places")
		return
	}
	for _, s := range fr.stack {
		if s.number > n {
			fr.mem.Kill(s.object)
		}
	}
}

func (c *checker) load(fr *frame, d *ir.Def, v ir.Value) {
	st := c.st
	n := uint32(d.Type.Size())
	pointer := d.Type.Kind == ir.Ptr
	x, valid := fr.mem.Load(c.key(v), c.operand(fr, d, 0).Value, n, pointer, fr.guard)
	c.gaveUp(fr, v)
	if _, constant := st.ConstUint64(c.operand(fr, d, 0).Offset); !constant && !pointer {
		c.noteRead(elementRead{at: c.operand(fr, d, 0).Value})
	}
	if !pointer && 8*n != d.Type.Bits {
		x.Bits = st.Extract(x.Bits, d.Type.Bits-1, 0)
	}
	invalid := st.Not(valid)
	c.undefined(fr, v, ir.InvalidDeref, invalid, "invalid read")
	y := value{Value: x}
	if !st.IsFalse(invalid) && !c.stops(ir.InvalidDeref) {
		y = c.choose(invalid, c.arbitrary(d.Type), y)
	}
	fr.set(v, y)
	c.known(fr, v)
}

// copies encodes MemCpy. What is read where no object is, is arbitrary.
func (c *checker) copies(fr *frame, d *ir.Def, v ir.Value) {
	st := c.st
	to, from, n := c.operand(fr, d, 0).Value, c.operand(fr, d, 1).Value, c.size(fr, d, 2)
	write, read := fr.mem.Copy(to, from, n, fr.guard)
	c.gaveUp(fr, v)
	c.undefined(fr, v, ir.InvalidDeref, st.Not(write), "invalid write in a copy")
	c.undefined(fr, v, ir.InvalidDeref, st.Not(read), "invalid read in a copy")
	if wild := st.And(write, st.Not(read)); !c.stops(ir.InvalidDeref) && !st.IsFalse(st.And(fr.guard, wild)) {
		other := fr.mem.Fork()
		other.Havoc(to, n, c.content(v, n), st.And(fr.guard, wild))
		c.gaveUp(fr, v)
		fr.mem = memory.Join(wild, other, fr.mem)
	}
}

// stored is a value as it is written to memory: in whole bytes, visible.
func (c *checker) stored(x value, t ir.Type) memory.Value {
	y := c.visible(x).Value
	if n := 8 * uint32(t.Size()); t.Kind == ir.Int && n != t.Bits {
		y.Bits = c.st.ZExt(y.Bits, n)
	}
	return y
}

// vaStart fills a va_list as the x86 ABIs have it when all registers for
// arguments are used up: all variable arguments lie in one area, in slots of a
// word, those of 16 bytes on even slots of x86-64.
//
//	x86-64: gp_offset 48, fp_offset 176, overflow_arg_area, reg_save_area
//	i386:   a pointer to the area
func (c *checker) vaStart(fr *frame, d *ir.Def, v ir.Value) {
	word := uint64(c.m.PointerBits / 8)
	end := uint64(0)
	at := make([]uint64, len(fr.variadic))
	for i, a := range fr.variadic {
		n := a.t.Size()
		if word == 8 && n > 8 {
			end = (end + 15) &^ 15
		}
		at[i] = end
		end += (n + word - 1) &^ (word - 1)
	}
	area := c.object(fr, v, memory.StackObject, c.word(end), 16, ir.Layout{Stride: word, Cell: 4})
	place := func(n uint64) memory.Value { return c.sp.Pointer(area, c.word(n)) }
	for i, a := range fr.variadic {
		fr.mem.StoreTo(place(at[i]), c.stored(a.value, a.t), uint32(a.t.Size()), fr.guard)
	}
	list := c.operand(fr, d, 0).Value
	put := func(off uint64, x memory.Value, n uint32) {
		valid := fr.mem.StoreTo(c.sp.Add(list, c.word(off)), x, n, fr.guard)
		c.gaveUp(fr, v)
		c.undefined(fr, v, ir.InvalidDeref, c.st.Not(valid), "invalid va_list")
	}
	if word == 4 {
		put(0, place(0), 4)
		return
	}
	put(0, memory.Value{Bits: c.st.ConstU(32, 48)}, 4)
	put(4, memory.Value{Bits: c.st.ConstU(32, 176)}, 4)
	put(8, place(0), 8)
	put(16, c.sp.Null(), 8)
}
