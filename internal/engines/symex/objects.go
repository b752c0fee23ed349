package symex

import (
	"slices"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// This file has the instructions that make objects, end them, fill them, and ask about them.

// memoryStep is step for instructions that have to do with memory.
func (x *explorer) memoryStep(s *state, f *frame, v ir.Value, d *ir.Def) control {
	switch d.Op {
	case ir.Alloca:
		return x.allocate(s, f, v, d, symgraph.Stack)
	case ir.Malloc:
		return x.allocate(s, f, v, d, symgraph.Heap)
	case ir.Load:
		return x.load(s, f, v, d)
	case ir.Store:
		return x.store(s, f, v, d)
	case ir.PtrAdd:
		p := x.operand(s, f, d.Args[0])
		if p.Kind == symgraph.Pointer {
			p.Form = p.Form.Add(x.operand(s, f, d.Args[1]).Form)
		}
		return set(f, v, p)
	case ir.PtrToInt:
		return x.address(s, f, v, d)
	case ir.IntToPtr:
		g := x.operand(s, f, d.Args[0]).Form
		if n, small := g.Const.Int64(); g.IsConstant() && small && n >= 0 && n < firstPage {
			return set(f, v, pointer(symgraph.Null, g))
		}
		return set(f, v, value{Kind: symgraph.Any})
	case ir.Free:
		return x.free(s, f, v, d)
	case ir.MemSet, ir.Havoc, ir.MemCpy:
		return x.fill(s, f, v, d)
	case ir.LifetimeStart, ir.LifetimeEnd:
		return x.lifetime(s, f, d)
	case ir.StackSave:
		return set(f, v, pointer(symgraph.Token, linear.Constant(linear.Int(int64(len(s.Objects))))))
	case ir.StackRestore:
		return x.stackRestore(s, f, d)
	}
	return x.unmodelled(f, d)
}

// firstPage is below the addresses that objects may have: numbers in it make pointers to nothing (SIG_IGN is 1).
const firstPage = 4096

// allocate makes an object of the size that operand a has.
func (x *explorer) allocate(s *state, f *frame, v ir.Value, d *ir.Def, kind symgraph.ObjectKind) control {
	n, ok := x.view(s, f, d.Args[0], false)
	if !ok {
		return forked
	}
	most := x.o.MaxObjects
	if len(x.kinds) > 0 {
		most = min(most, maxListObjects)
	}
	if len(s.Objects) > most+len(x.m.Globals)+len(x.m.Funcs) {
		return x.cannot(f, d, "more objects are alive at once than the graph may have")
	}
	s.Objects = append(slices.Clip(s.Objects), object{Kind: kind, Frame: len(s.Frames) - 1, Size: n})
	f.Values[v] = pointer(int32(len(s.Objects)-1), linear.Form{})
	return next
}

// lifetime begins or ends that of a stack object.
func (x *explorer) lifetime(s *state, f *frame, d *ir.Def) control {
	p := x.operand(s, f, d.Args[0])
	if p.Kind != symgraph.Pointer || p.Object < 0 {
		return x.cannot(f, d, "the lifetime of an unknown object changes")
	}
	o := &s.Objects[p.Object]
	if o.Kind != symgraph.Stack || o.Frame == symgraph.NoFrame {
		return next
	}
	x.spill(s, o)
	o.Dead, o.Cells, o.HasBase = d.Op == ir.LifetimeEnd, nil, o.HasBase && d.Op == ir.LifetimeEnd
	return next
}

// stackRestore ends the objects of the frame that were made since the token.
func (x *explorer) stackRestore(s *state, f *frame, d *ir.Def) control {
	p := x.operand(s, f, d.Args[0])
	from := int64(0) // of an unknown token, all objects of the frame may die
	if p.Kind == symgraph.Pointer && p.Object == symgraph.Token {
		from, _ = p.Form.Const.Int64()
	}
	for i := int(from); i < len(s.Objects); i++ {
		if o := &s.Objects[i]; o.Kind == symgraph.Stack && o.Frame == len(s.Frames)-1 {
			x.spill(s, o)
			o.Dead, o.Cells, o.Frame = true, nil, symgraph.NoFrame
		}
	}
	return next
}

// free ends a heap object.
func (x *explorer) free(s *state, f *frame, v ir.Value, d *ir.Def) control {
	p := x.operand(s, f, d.Args[0])
	if p.Kind == symgraph.Pointer && p.Object == symgraph.Null && p.Form.IsConstant() && p.Form.Const.IsZero() {
		return next
	}
	if p.Kind == symgraph.Pointer && p.Object >= 0 {
		if o := &s.Objects[p.Object]; o.Kind == symgraph.Heap && !o.Dead && x.k.isZero(x.offset(p)) {
			x.spill(s, o)
			o.Dead, o.Cells = true, nil
			return next
		}
	}
	x.suspect(f, v, d, ir.InvalidFree, "the pointer may not be the start of a live heap object")
	if x.target[ir.InvalidFree] {
		return stop
	}
	return x.cannot(f, d, "a pointer is freed that may not be the start of a live heap object")
}

// fill is memset, havoc and memcpy. Cells that are copied as a whole are kept.
func (x *explorer) fill(s *state, f *frame, v ir.Value, d *ir.Def) control {
	last := d.Args[len(d.Args)-1]
	n, ok := x.view(s, f, last, false)
	if !ok {
		return forked
	}
	empty, ok := x.decideZero(n)
	if !ok {
		return forked
	}
	if empty {
		return next
	}
	p := x.operand(s, f, d.Args[0])
	var copied []cell
	if d.Op == ir.MemCpy {
		q := x.operand(s, f, d.Args[1])
		o, off, inside := x.access(s, f, v, d, q, n, false)
		if !inside && x.target[ir.InvalidDeref] {
			return stop
		}
		if inside && p.Kind == symgraph.Pointer {
			to := x.offset(p)
			for _, c := range s.Objects[o].Cells {
				at := c.Offset.Sub(off)
				if x.k.atLeast(at, linear.Number{}) && x.k.atLeast(n.Sub(at).Sub(size(c.Type)), linear.Number{}) {
					c.Offset = to.Add(at)
					copied = append(copied, c)
				}
			}
			copied = append(copied, x.initialCells(s, o, off, to, n)...)
		}
	}
	o, off, inside := x.access(s, f, v, d, p, n, true)
	if !inside {
		if x.target[ir.InvalidDeref] {
			return stop
		}
		x.weaken(s, p, n)
		return next
	}
	x.forget(s, o, off, n, false)
	s.Objects[o].Cells = append(s.Objects[o].Cells, copied...)
	if d.Op == ir.MemSet && x.operand(s, f, d.Args[1]).Form.Equal(linear.Form{}) {
		s.Objects[o].Cells = append(s.Objects[o].Cells, cleared(off, n)...)
	}
	return next
}

// objectStep is step for questions about objects.
func (x *explorer) objectStep(s *state, f *frame, v ir.Value, d *ir.Def) control {
	set := func(r value) control { return set(f, v, r) }
	truth := func(t, ok bool) control { return setTruth(f, v, t, ok) }
	p := x.operand(s, f, d.Args[0])
	unknown := func() control { return set(x.arbitrary(d.Type, false)) }
	if d.Op == ir.ValidRange {
		return x.validRange(s, f, v, d, p)
	}
	if p.Kind != symgraph.Pointer {
		return unknown()
	}
	if p.Object < 0 {
		if d.Op == ir.ObjectSize && p.Object == symgraph.Null && p.Form.IsConstant() {
			return set(constant(0))
		}
		return unknown()
	}
	o := &s.Objects[p.Object]
	switch d.Op {
	case ir.ObjectSize:
		if o.Kind == symgraph.Function {
			return unknown()
		}
		return set(integer(o.Size))
	case ir.ObjectOffset:
		return set(integer(p.Form))
	case ir.IsHeapStart:
		switch {
		case o.Kind != symgraph.Heap:
			return set(constant(0))
		case o.Dead:
			return unknown()
		}
		return truth(x.decideZero(x.offset(p)))
	case ir.SameObject:
		q := x.operand(s, f, d.Args[1])
		if q.Kind != symgraph.Pointer || q.Object < 0 {
			return unknown()
		}
		return truth(p.Object == q.Object, true)
	}
	return x.unmodelled(f, d)
}

// validRange decides whether a range from p is empty, or within a live object.
func (x *explorer) validRange(s *state, f *frame, v ir.Value, d *ir.Def, p value) control {
	truth := func(t, ok bool) control { return setTruth(f, v, t, ok) }
	unknown := func() control { return set(f, v, x.freshInt(1, false)) }
	if p.Kind != symgraph.Pointer {
		return unknown()
	}
	n, ok := x.view(s, f, d.Args[1], false)
	if !ok {
		return forked
	}
	if empty, ok := x.decideZero(n); !ok || empty {
		return truth(true, ok)
	}
	if p.Object < 0 && !p.Form.IsConstant() {
		return unknown() // a bare address
	}
	if p.Object < 0 {
		return set(f, v, constant(0))
	}
	if s.Objects[p.Object].Dead || s.Objects[p.Object].Kind == symgraph.Function {
		return unknown()
	}
	off := x.offset(p)
	if t, ok := x.decide(off); !ok || !t {
		return truth(t, ok)
	}
	return truth(x.decide(s.Objects[p.Object].Size.Sub(off).Sub(n)))
}
