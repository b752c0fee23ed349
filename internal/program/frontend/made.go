package frontend

import (
	"assay/internal/program/harness"
	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file lets functions of the program make what an argument points to (harness.Made): one of the constructors, then the functions that
// change the object, each of which is called or not. A constructor that returns null, or leaves it where it should put the object, has made
// nothing, and one that fills an object in and returns a negative number has failed: such runs are left out, and so are those after which the object is none any more. What a constructor fills in is zeros before.

// made makes the object, and is the pointer to it.
func (p *planned) made(m *harness.Made, name string) ir.Value {
	b := p.f.b
	done := b.Block("made")
	var values []ir.Value
	var from []ir.BlockID
	for k, c := range m.Makers {
		next := ir.BlockID(0)
		last := k == len(m.Makers)-1
		if !last {
			on := b.Block("make")
			next = b.Block("otherwise")
			b.CondBr(b.Nondet(ir.BoolType, ir.NondetInput, c.Function+" makes "+name), on, next)
			p.f.at(on)
		}
		v := p.make(&c, m.Object, name)
		values, from = append(values, v), append(from, b.Current())
		b.Br(done)
		if !last {
			p.f.at(next)
		}
	}
	p.f.at(done)
	v := b.Phi(p.f.im.m.PtrType())
	for k := range values {
		b.AddIncoming(v, values[k], from[k])
	}
	for _, c := range m.Changers {
		if c.Always {
			p.succeeds(&c, p.step(&c, v))
			continue
		}
		on, after := b.Block("change"), b.Block("changed")
		b.CondBr(b.Nondet(ir.BoolType, ir.NondetInput, c.Function+" changes "+name), on, after)
		p.f.at(on)
		p.step(&c, v)
		b.Br(after)
		p.f.at(after)
	}
	size := uint64(1)
	if m.Object != nil {
		size = m.Object.Size
	}
	b.Assume(b.Cmp(ir.ValidRange, v, b.Word(size)))
	return v
}

// succeeds assumes that a step has succeeded, as far as its result tells: not null, true, the first of an enumeration.
func (p *planned) succeeds(c *harness.Call, result ir.Value) {
	if result == 0 {
		return
	}
	b := p.f.b
	fn := p.f.im.p.Function(c.Function)
	var t *llvm.CType
	if len(fn.CTypes) == len(fn.Params)+1 {
		t = fn.CTypes[0].Strip()
	}
	switch {
	case t == nil:
	case t.Kind == llvm.CPointer:
		b.Assume(b.Cmp(ir.Ne, result, b.Null()))
	case t.Kind == llvm.CBool:
		b.Assume(b.Cmp(ir.Ne, result, p.f.zero(b.Func.Type(result))))
	case t.Kind == llvm.CEnum:
		b.Assume(b.Cmp(ir.Eq, result, p.f.zero(b.Func.Type(result))))
	}
}

// make calls a constructor.
func (p *planned) make(c *harness.Call, o *harness.Object, name string) ir.Value {
	b := p.f.b
	if c.Into == harness.Returned {
		v := p.step(c, 0)
		b.Assume(b.Cmp(ir.Ne, v, b.Null()))
		return v
	}
	if c.Handed {
		word := uint64(p.f.im.p.PointerBits / 8)
		place := b.Alloca(word, word)
		b.Store(b.Null(), place)
		p.step(c, place)
		v := b.Load(p.f.im.m.PtrType(), place)
		b.Assume(b.Cmp(ir.Ne, v, b.Null()))
		return v
	}
	object := b.Emit(ir.Def{Op: ir.Malloc, Type: p.f.im.m.PtrType(), Args: []ir.Value{b.Word(o.Size)}, Sym: name, Layout: layoutOfC(o, p.f.im.p.PointerBits)})
	b.Op(ir.MemSet, ir.Type{}, object, b.Const(8, 0), b.Word(o.Size))
	result := p.step(c, object)
	if c.Succeeds {
		b.Assume(b.Cmp(ir.SLe, p.f.zero(b.Func.Type(result)), result))
	}
	return object
}

// step calls a function with the object, and is its result, 0 if it has none.
func (p *planned) step(c *harness.Call, object ir.Value) ir.Value {
	f := p.f
	fn := f.im.p.Function(c.Function)
	inner := &planned{f: f, temporary: true, same: p.same, limit: harness.OrdinaryLimit, scalars: map[string]ir.Value{}, signed: map[string]bool{}}
	return f.emitCall(fn, inner.arguments(fn, c.Parameters, c.Into, object))
}
