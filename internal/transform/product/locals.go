package product

import (
	"slices"

	"assay/internal/program/inline"
	"assay/internal/program/ir"
)

// This file evaluates atoms, those over locals among them. An atom is false where one of its locals does not
// live. Of several activations of a function the innermost counts; which one that is is known where an
// observation is made, for recursive functions with such locals are unsupported.
//
// A local lives, for atoms, from its first value on: from the first write on, if that comes before all other uses
// of it, as initialisers do. Another one may be used without a value, and lives from the entry of its
// block on; its content is arbitrary. As the writes of a function dominate what comes behind them, that is
// known where an observation is made. The end of the life of a local in a block is not: the object itself says
// whether it lives.

// truth appends the evaluation of an atom.
func (x *flattener) truth(a *inline.Activation, o Observer) (ir.Value, error) {
	b := x.b
	var objects []ir.Value
	var lives ir.Value // 0 if they do
	for _, l := range o.Locals {
		in, object := x.object(a, l)
		if object == 0 {
			return b.Const(1, 0), nil
		}
		flat := in.Values[object]
		objects = append(objects, flat)
		if !marked(in.Func, object) {
			continue
		}
		live := b.Cmp(ir.ValidRange, flat, x.in.Operand(in, in.Func.Def(object).Args[0]))
		if lives != 0 {
			live = b.Op(ir.And, ir.BoolType, lives, live)
		}
		lives = live
	}
	on, off, join := ir.BlockID(0), ir.BlockID(0), ir.BlockID(0)
	if lives != 0 {
		on, off, join = b.Block("lives"), b.Block("dead"), b.Block("atom")
		b.CondBr(lives, on, off)
		b.At(on)
	}
	results, _, err := x.inline(a, x.byName[o.Func], objects)
	if err != nil {
		return 0, err
	}
	b.SetPos(x.at)
	v := b.Cmp(ir.Ne, results[0], b.Const(b.Func.Type(results[0]).Bits, 0))
	if lives == 0 {
		return v, nil
	}
	on = b.Current()
	b.Br(join)
	b.At(off)
	b.Br(join)
	b.At(join)
	p := b.Phi(ir.BoolType)
	b.AddIncoming(p, v, on)
	b.AddIncoming(p, b.Const(1, 0), off)
	return p, nil
}

// object is the stack object of a local in the innermost activation of its function, 0 if it is not made.
func (x *flattener) object(a *inline.Activation, l Local) (*inline.Activation, ir.Value) {
	for ; a != nil; a = a.Caller {
		if a.Func.Name != l.Func {
			continue
		}
		for v := range a.Func.Values {
			d := &a.Func.Values[v]
			if d.Op == ir.Alloca && d.Sym == l.Name && d.Block != 0 && x.begun(a, ir.Value(v)) {
				return a, ir.Value(v)
			}
		}
		return a, 0
	}
	return nil, 0
}

// begun says that the activation is behind the begin of a local's life.
func (x *flattener) begun(a *inline.Activation, object ir.Value) bool {
	f, fr := a.Func, x.frames[a]
	if x.begins[f] == nil {
		x.begins[f] = map[ir.Value]ir.Value{}
	}
	begin := x.begins[f][object]
	if begin == 0 {
		begin = beginOf(f, object)
		x.begins[f][object] = begin
	}
	return dominates(f, begin, fr.at) || begin == fr.at && fr.behind
}

// dominates says that v stands in front of w on all ways.
func dominates(f *ir.Func, v, w ir.Value) bool {
	b, c := f.Def(v).Block, f.Def(w).Block
	if b != c {
		return ir.Dominators(f).Dominates(b, c)
	}
	instrs := f.Blocks[b].Instrs
	return slices.Index(instrs, v) < slices.Index(instrs, w)
}

// beginOf is the write that gives an object its first value, or the object itself.
func beginOf(f *ir.Func, object ir.Value) ir.Value {
	var uses, writes []ir.Value
	for _, b := range ir.RPO(f) {
		for _, v := range f.Blocks[b].Instrs {
			d := f.Def(v)
			switch d.Op {
			case ir.PtrAdd, ir.Freeze, ir.LifetimeStart, ir.LifetimeEnd, ir.Dbg:
				continue
			}
			if !slices.ContainsFunc(d.Args, func(a ir.Value) bool { return base(f, a) == object }) || indeterminate(f, v) {
				continue
			}
			uses = append(uses, v)
			if d.Op == ir.Store && base(f, d.Args[1]) == object || (d.Op == ir.MemCpy || d.Op == ir.MemSet) && base(f, d.Args[0]) == object {
				writes = append(writes, v)
			}
		}
	}
	for _, w := range writes {
		if !slices.ContainsFunc(uses, func(u ir.Value) bool { return u != w && !dominates(f, w, u) }) {
			return w
		}
	}
	return object
}

// indeterminate says that an instruction gives a local the content that it has without a value.
func indeterminate(f *ir.Func, v ir.Value) bool {
	switch d := f.Def(v); d.Op {
	case ir.Store:
		n := f.Def(d.Args[0])
		return n.Op == ir.Nondet && ir.NondetKind(n.Aux) == ir.NondetUninit && f.Def(base(f, d.Args[1])).Op == ir.Alloca
	case ir.Havoc:
		return f.Def(base(f, d.Args[0])).Op == ir.Alloca
	}
	return false
}

// marked says that the life of an object has marks.
func marked(f *ir.Func, object ir.Value) bool {
	for v := range f.Values {
		if d := &f.Values[v]; (d.Op == ir.LifetimeStart || d.Op == ir.LifetimeEnd) && d.Args[0] == object {
			return true
		}
	}
	return false
}

// inside says that a pointer of the flat function is to a global, or to an object of constant size that has as
// much as a type takes. Atoms with an index out of the bounds of a global are so, too.
func (x *flattener) inside(p ir.Value, t ir.Type) bool {
	d := x.b.Func.Def(p)
	if d.Op == ir.Alloca {
		size := x.b.Func.Def(d.Args[0])
		return size.Op == ir.Const && t.Size() <= size.Const.Uint64()
	}
	return d.Op == ir.GlobalAddr
}
