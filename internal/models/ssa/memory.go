package ssa

import (
	"fmt"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/program/ir"
)

func bytesOf(t ir.Type) uint32 { return (t.Bits + 7) / 8 }

// memory encodes the memory instructions; false if d is none.
func (s *step) memory(d *ir.Def, v ir.Value) bool {
	u, st, sp, fr := s.u, s.u.st, s.u.sp, s.fr
	switch d.Op {
	case ir.Alloca, ir.Malloc:
		s.allocate(d, v)
	case ir.Load:
		s.load(d, v)
	case ir.Store:
		s.store(d, v)
	case ir.MemCpy:
		s.copy(d, v)
	case ir.MemSet:
		p, b, n := s.arg(d, 0), s.bits(d, 1), s.word(d, 2)
		var ok term.ID
		if c, isConst := st.ConstUint64(b); isConst && c == 0 {
			ok = s.mem.Zero(p, n, s.g.all)
		} else {
			ok = s.mem.Fill(p, b, n, s.g.all)
		}
		s.access(p, st.Not(ok), ir.InvalidDeref, "invalid write in a fill", v)
	case ir.Havoc:
		n := s.word(d, 1)
		ok := s.mem.Havoc(s.arg(d, 0), n, s.content(v, 0, n, 0, st.True()), s.g.all)
		s.access(s.arg(d, 0), st.Not(ok), ir.InvalidDeref, "invalid write", v)
	case ir.LifetimeStart, ir.LifetimeEnd:
		s.mem.SetAlive(s.arg(d, 0), d.Op == ir.LifetimeStart, func(o memory.ObjectID) memory.Generation {
			return s.content(v, int32(o), sp.Object(o).Size, 0, st.True())
		}, s.g.all)
	case ir.StackSave:
		fr.env[v] = sp.Pointer(0, st.ConstU(u.m.PointerBits, uint64(len(fr.objects))))
	case ir.StackRestore:
		if n, ok := st.ConstUint64(s.arg(d, 0).Offset); ok {
			for _, o := range fr.objects[n:] {
				s.mem.Kill(o)
			}
		} else {
			u.obstacle(fr, s.g, st.True(), false, verdict.CauseUnsupported, v, "stack restored to different places")
		}
	case ir.Free:
		ok := s.mem.Free(s.arg(d, 0), s.g.all)
		s.access(s.arg(d, 0), st.Not(ok), ir.InvalidFree, "free of a pointer that is not the start of an allocated block", v)
	case ir.ObjectSize:
		fr.env[v] = memory.Value{Bits: st.ZExtOrTrunc(s.mem.Size(s.arg(d, 0), s.g.all), d.Type.Bits)}
	case ir.ObjectOffset:
		fr.env[v] = memory.Value{Bits: st.ZExtOrTrunc(s.mem.Offset(s.arg(d, 0), s.g.all), d.Type.Bits)}
	case ir.ValidRange:
		fr.env[v] = memory.Value{Bits: st.BoolToBV(s.mem.Valid(s.arg(d, 0), s.word(d, 1), false, s.g.all))}
	case ir.IsHeapStart:
		fr.env[v] = memory.Value{Bits: st.BoolToBV(s.mem.IsHeapStart(s.arg(d, 0), s.g.all))}
	case ir.SameObject:
		fr.env[v] = memory.Value{Bits: st.BoolToBV(s.mem.SameObject(s.arg(d, 0), s.arg(d, 1), s.g.all))}
	case ir.VaStart:
		s.vaStart(d, v)
	default:
		return false
	}
	s.gaveUp(v)
	return true
}

// copy encodes MemCpy. What is read where no object is, is arbitrary.
func (s *step) copy(d *ir.Def, v ir.Value) {
	st := s.u.st
	to, from, n := s.arg(d, 0), s.arg(d, 1), s.word(d, 2)
	okTo, okFrom := s.mem.Copy(to, from, n, s.g.all)
	s.access(from, st.Not(okFrom), ir.InvalidDeref, "invalid read in a copy", v)
	s.access(to, st.Not(okTo), ir.InvalidDeref, "invalid write in a copy", v)
	arbitrary := st.And(okTo, st.Not(okFrom))
	if s.ends(ir.InvalidDeref) || s.excludes(arbitrary) {
		return
	}
	other := s.mem.Fork()
	other.Havoc(to, n, s.content(v, 0, n, 0, arbitrary), st.And(s.g.all, arbitrary))
	s.mem = memory.Join(arbitrary, other, s.mem)
}

// allocate makes a stack or heap object.
func (s *step) allocate(d *ir.Def, v ir.Value) {
	u, st := s.u, s.u.st
	size := s.word(d, 0)
	kind, align := memory.StackObject, uint64(d.Aux)
	if d.Op == ir.Malloc {
		kind, align = memory.HeapObject, 2*uint64(u.m.PointerBits/8)
	}
	o := u.sp.Allocation(u.key(s.fr, v), kind, u.m.PosString(d.Pos), size, align, d.Layout)
	s.mem.CreateArbitrary(o, s.content(v, int32(o), size, o, st.True()), s.g.all)
	if kind == memory.StackObject {
		s.fr.objects = append(s.fr.objects, o)
	}
	s.fr.env[v] = u.sp.Pointer(o, st.ConstU(u.m.PointerBits, 0))
}

func (s *step) load(d *ir.Def, v ir.Value) {
	st := s.u.st
	n := bytesOf(d.Type)
	pointer := d.Type.Kind == ir.Ptr
	x, valid := s.mem.Load(s.u.key(s.fr, v), s.arg(d, 0), n, pointer, s.g.all)
	invalid := st.Not(valid)
	s.access(s.arg(d, 0), invalid, ir.InvalidDeref, "invalid read", v)
	if !pointer && 8*n != d.Type.Bits {
		x.Bits = st.Extract(x.Bits, d.Type.Bits-1, 0)
	}
	// Where the run has ended by now the value does not matter.
	if s.ends(ir.InvalidDeref) || s.excludes(invalid) {
		s.fr.env[v] = x
		return
	}
	s.fr.env[v] = s.u.sp.Ite(invalid, s.choose(v, 1, d.Type, invalid), x)
}

// ends says whether an event of this kind ends the run.
func (s *step) ends(kind ir.CheckKind) bool { return s.u.target[kind] && !s.u.opts.All }

func (s *step) store(d *ir.Def, v ir.Value) {
	st := s.u.st
	t := s.fr.fn.f.Values[d.Args[0]].Type
	x := s.arg(d, 0)
	n := bytesOf(t)
	if t.Kind == ir.Float {
		x.Bits = s.visible(x.Bits, d.Args[0], v)
	}
	if !x.IsPointer() && 8*n != t.Bits {
		x.Bits = st.ZExt(x.Bits, 8*n)
	}
	valid := s.mem.StoreTo(s.arg(d, 1), x, n, s.g.all)
	s.access(s.arg(d, 1), st.Not(valid), ir.InvalidDeref, "invalid write", v)
}

// vaStart fills a va_list as the x86 ABIs do: all arguments are in memory, and
// on x86-64 the register areas are marked as used up.
func (s *step) vaStart(d *ir.Def, v ir.Value) {
	u, st, sp := s.u, s.u.st, s.u.sp
	word := u.m.PointerBits / 8
	var offsets []uint32
	size := uint32(0)
	for _, t := range s.fr.varTypes {
		if word == 8 && bytesOf(t) > 8 {
			size = (size + 15) &^ 15
		}
		offsets = append(offsets, size)
		size += (bytesOf(t) + word - 1) / word * word
	}
	length := st.ConstU(u.m.PointerBits, uint64(size))
	o := sp.Allocation(u.key(s.fr, v), memory.StackObject, fmt.Sprintf("variable arguments of %s", s.fr.fn.f.Name), length, 16, ir.Layout{Stride: uint64(word), Cell: 4})
	// The interpreter makes this object without a choice: it begins as zeros.
	s.mem.CreateArbitrary(o, sp.Generation(u.key(s.fr, v), uint64(size)), s.g.all)
	s.fr.objects = append(s.fr.objects, o)
	at := func(off uint32) memory.Value { return sp.Pointer(o, st.ConstU(u.m.PointerBits, uint64(off))) }
	s.mem.Zero(at(0), length, s.g.all)
	for i, t := range s.fr.varTypes {
		x := s.fr.varargs[i]
		if !x.IsPointer() && 8*bytesOf(t) != t.Bits {
			x.Bits = st.ZExt(x.Bits, 8*bytesOf(t))
		}
		s.mem.StoreTo(at(offsets[i]), x, bytesOf(t), s.g.all)
	}
	list := s.arg(d, 0)
	put := func(off uint32, x memory.Value, n uint32) {
		ok := s.mem.StoreTo(sp.Add(list, st.ConstU(u.m.PointerBits, uint64(off))), x, n, s.g.all)
		s.event(st.Not(ok), ir.InvalidDeref, "invalid va_list", v)
	}
	if word == 4 {
		put(0, at(0), 4)
		return
	}
	put(0, memory.Value{Bits: st.ConstU(32, 48)}, 4)
	put(4, memory.Value{Bits: st.ConstU(32, 176)}, 4)
	put(8, at(0), 8)
	put(16, sp.Null(), 8)
}
