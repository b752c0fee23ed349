package certify

import (
	"fmt"
	"math/rand"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// This file generates random programs: structured code with loops that end
// soon, over small integers, memory, calls, recursion and floats.

var (
	i1  = ir.BoolType
	i8  = ir.IntType(8)
	i32 = ir.IntType(32)
	i64 = ir.IntType(64)
	f32 = ir.FloatType(32)
)

// program generates one module.
type program struct {
	rng   *rand.Rand
	m     *ir.Module
	b     *ir.Builder
	scope []ir.Value // values that dominate the current place
	mems  []ir.Value // objects of at least objectSize bytes, dominating
	depth int
	size  int
	funcs []*ir.Func // that may be called
}

const objectSize = 24

func randomModule(seed int64) *ir.Module {
	p := &program{rng: rand.New(rand.NewSource(seed))}
	p.m = &ir.Module{PointerBits: []uint32{32, 64}[p.rng.Intn(2)], Entry: "main"}
	p.m.Globals = append(p.m.Globals,
		&ir.Global{Name: "g", Size: objectSize, Align: 8, Layout: ir.Layout{Cell: 1 << p.rng.Intn(4)}},
		&ir.Global{Name: "c", Size: objectSize, Align: 8, Constant: true, Init: []byte("abcdefghijklmnopqrstuvwx")},
		&ir.Global{Name: "table", Size: objectSize, Align: 8, Layout: ir.Layout{Pointers: true}, Relocs: []ir.Reloc{
			{Offset: 0, Target: "leaf0"}, {Offset: uint64(p.m.PointerBits / 8), Target: "leaf1"},
		}, Init: make([]byte, objectSize)},
		&ir.Global{Name: "x", Size: objectSize, Align: 8, External: true},
	)
	for i := range 2 {
		p.leaf(fmt.Sprintf("leaf%d", i))
	}
	p.recursive()
	p.b = ir.NewFunc(p.m, "main")
	p.function(10 + p.rng.Intn(30))
	p.b.Halt(ir.HaltExit)
	p.b.Done()
	return p.m
}

// function begins a body.
func (p *program) function(size int) {
	p.scope, p.mems = append([]ir.Value{}, p.b.Func.Params...), nil
	p.b.At(p.b.Block("entry"))
	p.scope = append(p.scope, p.b.Const(8, 3), p.b.Nondet(i8, ir.NondetInput, "n"))
	p.mems = append(p.mems, p.b.GlobalAddr("g"), p.b.GlobalAddr("x"), p.b.Alloca(objectSize, 8))
	if p.rng.Intn(3) == 0 {
		p.mems = append(p.mems, p.b.GlobalAddr("c"))
	}
	p.size, p.depth = size, 0
	p.statements()
	if p.rng.Intn(2) == 0 {
		p.check()
	}
}

// leaf is a function of two parameters with two results.
func (p *program) leaf(name string) {
	p.b = ir.NewFunc(p.m, name, i8, i8)
	p.b.Param(i8)
	p.b.Param(i8)
	p.function(3)
	p.b.Ret(p.pick(), p.pick())
	p.funcs = append(p.funcs, p.b.Done())
}

// recursive calls itself with a smaller first argument, at most 4 deep.
func (p *program) recursive() {
	b := ir.NewFunc(p.m, "deep", i8, i8)
	p.b = b
	n, x := b.Param(i8), b.Param(i8)
	entry, more, done := b.Block("entry"), b.Block("more"), b.Block("done")
	b.At(entry)
	m := b.Bin(ir.And, n, b.Const(8, 3))
	b.CondBr(b.Cmp(ir.Eq, m, b.Const(8, 0)), done, more)
	b.At(more)
	o := b.Alloca(objectSize, 8)
	b.Store(x, o)
	r := b.Call(i8, "deep", b.Bin(ir.Sub, m, b.Const(8, 1)), b.Bin(ir.Add, x, n))
	s := b.Extract(i8, r, 1)
	b.Ret(b.Bin(ir.Xor, r, b.Load(i8, o)), b.Bin(ir.Add, s, b.Const(8, 1)))
	b.At(done)
	b.Ret(x, n)
	p.funcs = append(p.funcs, b.Done())
}

// pick is a value of type i8 in scope.
func (p *program) pick() ir.Value {
	if p.rng.Intn(6) == 0 {
		return p.b.Const(8, uint64(p.rng.Intn(6)))
	}
	return p.scope[p.rng.Intn(len(p.scope))]
}

func (p *program) add(v ir.Value) { p.scope = append(p.scope, v) }

func (p *program) cond() ir.Value {
	op := []ir.Op{ir.Eq, ir.Ne, ir.ULt, ir.SLe}[p.rng.Intn(4)]
	if p.rng.Intn(4) == 0 {
		return p.b.Cmp(op, p.b.Nondet(i8, ir.NondetInput, "c"), p.b.Const(8, uint64(p.rng.Intn(3))))
	}
	return p.b.Cmp(op, p.pick(), p.pick())
}

// place is a pointer into an object, seldom out of it.
func (p *program) place(n uint64) ir.Value {
	o := p.mems[p.rng.Intn(len(p.mems))]
	b := p.b
	switch p.rng.Intn(6) {
	case 0: // anywhere inside
		x := b.Op(ir.ZExt, p.m.WordType(), p.pick())
		return b.PtrAdd(o, b.Bin(ir.URem, x, b.Word(objectSize-n+1)))
	case 1: // an element
		x := b.Op(ir.ZExt, p.m.WordType(), b.Bin(ir.And, p.pick(), b.Const(8, 1)))
		return b.PtrAdd(o, b.Bin(ir.Mul, x, b.Word(8)))
	case 2:
		return b.Select(p.cond(), o, p.mems[p.rng.Intn(len(p.mems))])
	case 3:
		if p.rng.Intn(12) == 0 {
			return b.PtrAdd(o, b.Word(objectSize-n+1))
		}
	}
	return b.PtrAdd(o, b.Word(uint64(p.rng.Intn(objectSize/8))*8))
}

func (p *program) statements() {
	most := 4
	if p.depth == 0 {
		most = max(1, p.size)
	}
	for n := 1 + p.rng.Intn(most); n > 0 && p.size > 0; n-- {
		p.size--
		p.statement()
	}
}

func (p *program) statement() {
	b := p.b
	switch p.rng.Intn(26) {
	case 0, 1, 2:
		op := []ir.Op{ir.Add, ir.Sub, ir.Mul, ir.And, ir.Or, ir.Xor}[p.rng.Intn(6)]
		p.add(b.Bin(op, p.pick(), p.pick()))
	case 3:
		op := []ir.Op{ir.UDiv, ir.SDiv, ir.URem, ir.SRem, ir.Shl, ir.AShr}[p.rng.Intn(6)]
		p.add(b.Bin(op, p.pick(), p.pick()))
	case 4:
		p.add(b.Nondet(i8, ir.NondetInput, "n"))
	case 5, 6:
		b.Store(p.pick(), p.place(1))
	case 7, 8:
		p.add(b.Load(i8, p.place(1)))
	case 9: // four bytes at once
		q := p.place(4)
		if p.rng.Intn(2) == 0 {
			b.Store(b.Op(ir.ZExt, i32, p.pick()), q)
		} else {
			p.add(b.Op(ir.Trunc, i8, b.Load(i32, q)))
		}
	case 10, 11, 12:
		p.branch()
	case 13, 14:
		p.loop()
	case 15, 16:
		p.call()
	case 17:
		p.choice()
	case 18, 24, 25:
		p.check()
	case 19:
		p.heap()
	case 20:
		b.Emit(ir.Def{Op: ir.MemCpy, Args: []ir.Value{p.place(8), p.place(8), b.Word(uint64(p.rng.Intn(9)))}})
	case 21:
		p.pointers()
	case 22:
		p.floats()
	case 23:
		p.stack()
	}
}

// check is an assertion that holds more often than not.
func (p *program) check() {
	b := p.b
	var cond ir.Value
	switch p.rng.Intn(4) {
	case 0:
		cond = b.Cmp(ir.Ne, p.pick(), b.Const(8, uint64(100+p.rng.Intn(100))))
	case 1:
		cond = b.Cmp(ir.ULe, b.Bin(ir.And, p.pick(), b.Const(8, 15)), b.Const(8, uint64(14+p.rng.Intn(2))))
	case 2:
		x := p.pick()
		cond = b.Cmp(ir.Eq, b.Bin(ir.Sub, b.Bin(ir.Add, x, p.pick()), x), p.pick())
	default:
		cond = b.Cmp(ir.ULe, p.pick(), b.Const(8, 254))
	}
	if p.rng.Intn(4) == 0 {
		b.Assume(cond)
		return
	}
	b.Check(ir.Assertion, cond, "random")
}

// nested runs f in a new scope.
func (p *program) nested(f func()) {
	scope, mems := len(p.scope), len(p.mems)
	p.depth++
	f()
	p.depth--
	p.scope, p.mems = p.scope[:scope], p.mems[:mems]
}

func (p *program) branch() {
	b := p.b
	if p.depth > 3 {
		return
	}
	then, els, join := b.Block("then"), b.Block("else"), b.Block("join")
	b.CondBr(p.cond(), then, els)
	var x, y ir.Value
	p.nested(func() {
		b.At(then)
		p.statements()
		x = p.pick()
		then = b.Current()
		b.Br(join)
	})
	ends := p.rng.Intn(8) == 0
	p.nested(func() {
		b.At(els)
		p.statements()
		y = p.pick()
		els = b.Current()
		switch {
		case ends && p.rng.Intn(2) == 0:
			b.Halt(ir.HaltAbort)
		case ends:
			b.Unreachable()
		default:
			b.Br(join)
		}
	})
	b.At(join)
	v := b.Phi(i8)
	b.AddIncoming(v, x, then)
	if !ends {
		b.AddIncoming(v, y, els)
	}
	p.add(v)
}

// loop makes at most 3 rounds, with a value that is carried and one that is
// taken out.
func (p *program) loop() {
	b := p.b
	if p.depth > 2 {
		return
	}
	start := p.pick()
	limit := b.Const(8, uint64(p.rng.Intn(4)))
	if p.rng.Intn(2) == 0 {
		limit = b.Bin(ir.And, p.pick(), b.Const(8, 3))
	}
	before := b.Current()
	head, body, next, exit := b.Block("head"), b.Block("body"), b.Block("next"), b.Block("exit")
	b.Br(head)
	b.At(head)
	i, carried := b.Phi(i8), b.Phi(i8)
	b.AddIncoming(i, b.Const(8, 0), before)
	b.AddIncoming(carried, start, before)
	var inner ir.Value
	bottom := p.rng.Intn(2) == 0 // the exit is at the end of the body
	if bottom {
		b.Br(body)
	} else {
		b.CondBr(b.Cmp(ir.ULt, i, limit), body, exit)
	}
	scope := len(p.scope)
	p.add(i)
	p.add(carried)
	p.nested(func() {
		b.At(body)
		p.statements()
		inner = p.pick()
		if p.rng.Intn(3) == 0 {
			b.CondBr(p.cond(), next, exit)
		} else {
			b.Br(next)
		}
		b.At(next)
		p.statements()
		j := b.Bin(ir.Add, i, b.Const(8, 1))
		b.AddIncoming(i, j, b.Current())
		b.AddIncoming(carried, inner, b.Current())
		if bottom {
			b.CondBr(b.Cmp(ir.ULt, j, limit), head, exit)
		} else {
			b.Br(head)
		}
	})
	b.At(exit)
	p.scope = p.scope[:scope]
	p.add(i)
	p.add(carried)
	if bottom {
		p.add(inner) // is defined on every way
	}
}

func (p *program) call() {
	if len(p.funcs) == 0 {
		return
	}
	b := p.b
	var r ir.Value
	switch p.rng.Intn(3) {
	case 0:
		q := b.Select(p.cond(), b.FuncAddr("leaf0"), b.FuncAddr(p.funcs[p.rng.Intn(len(p.funcs))].Name))
		r = b.CallPtr(i8, q, p.pick(), p.pick())
	case 1:
		if p.m.Func("leaf1") == nil {
			return
		}
		x := b.Op(ir.ZExt, p.m.WordType(), b.Bin(ir.And, p.pick(), b.Const(8, uint64(1+2*p.rng.Intn(2)))))
		q := b.PtrAdd(b.GlobalAddr("table"), b.Bin(ir.Mul, x, b.Word(uint64(p.m.PointerBits/8))))
		r = b.CallPtr(i8, b.Load(p.m.PtrType(), q), p.pick(), p.pick())
	default:
		r = b.Call(i8, p.funcs[p.rng.Intn(len(p.funcs))].Name, p.pick(), p.pick())
	}
	p.add(r)
	if p.rng.Intn(2) == 0 {
		p.statements()
	}
	p.add(b.Extract(i8, r, 1))
}

// choice is a switch, with two cases that go to one block.
func (p *program) choice() {
	b := p.b
	if p.depth > 3 {
		return
	}
	x := p.pick()
	one, two, join := b.Block("one"), b.Block("two"), b.Block("join")
	before := b.Current()
	b.Switch(x, join, []bv.BV{bv.New(8, 0), bv.New(8, 1), bv.New(8, 2), bv.New(8, 7)}, []ir.BlockID{one, two, one, join})
	values := []ir.Value{p.pick(), p.pick()}
	b.At(join)
	v := b.Phi(i8)
	b.AddIncoming(v, values[0], before)
	b.AddIncoming(v, values[1], before)
	for _, at := range []ir.BlockID{one, two} {
		p.nested(func() {
			b.At(at)
			p.statements()
			b.AddIncoming(v, p.pick(), b.Current())
			b.Br(join)
		})
	}
	b.At(join)
	p.add(v)
}

func (p *program) heap() {
	b := p.b
	if p.depth > 0 && p.rng.Intn(2) == 0 {
		return
	}
	o := b.Emit(ir.Def{Op: ir.Malloc, Type: p.m.PtrType(), Args: []ir.Value{b.Word(objectSize)}})
	b.Emit(ir.Def{Op: ir.MemSet, Args: []ir.Value{o, p.pick(), b.Word(uint64(p.rng.Intn(objectSize + 1)))}})
	p.nested(func() {
		p.mems = append(p.mems, o)
		p.statements()
	})
	if p.rng.Intn(5) != 0 {
		b.Op(ir.Free, ir.Type{}, o)
	}
	if p.rng.Intn(8) == 0 {
		p.mems = append(p.mems, o) // perhaps dangling
	}
}

// pointers stores a pointer, and gets it back by way of an integer or a copy.
func (p *program) pointers() {
	b := p.b
	ptr := p.m.PtrType()
	o := p.mems[p.rng.Intn(len(p.mems))]
	other := p.mems[p.rng.Intn(len(p.mems))]
	slot := b.Alloca(objectSize, 8)
	b.Store(b.PtrAdd(o, b.Word(8)), slot)
	var q ir.Value
	switch p.rng.Intn(3) {
	case 0:
		q = b.Load(ptr, slot)
	case 1:
		b.Emit(ir.Def{Op: ir.MemCpy, Args: []ir.Value{b.PtrAdd(slot, b.Word(8)), slot, b.Word(8)}})
		q = b.Load(ptr, b.PtrAdd(slot, b.Word(8)))
	default:
		x := b.Load(p.m.WordType(), slot)
		q = b.Op(ir.IntToPtr, ptr, b.Bin(ir.Add, x, b.Word(8)))
	}
	p.add(b.Load(i8, q))
	eq := b.Cmp(ir.Eq, q, b.PtrAdd(other, b.Word(16)))
	p.add(b.Op(ir.ZExt, i8, eq))
	if p.rng.Intn(3) == 0 {
		p.add(b.Op(ir.ZExt, i8, b.Cmp(ir.ULt, o, other)))
	}
}

func (p *program) floats() {
	b := p.b
	x := b.Op(ir.SIToF, f32, p.pick())
	y := b.Op(ir.SIToF, f32, p.pick())
	z := b.Bin([]ir.Op{ir.FAdd, ir.FDiv, ir.FMul}[p.rng.Intn(3)], x, y)
	switch p.rng.Intn(4) {
	case 0:
		z = b.Bin(ir.FNeg, z)
	case 1:
		z = b.Bin(ir.FCopySign, x, z)
	}
	switch p.rng.Intn(3) {
	case 0:
		p.add(b.Op(ir.FToSI, i8, z))
	case 1:
		p.add(b.Op(ir.ZExt, i8, b.Cmp(ir.FLe, z, y)))
	default:
		q := p.place(4)
		b.Store(z, q)
		p.add(b.Load(i8, b.PtrAdd(q, b.Word(3))))
	}
}

// stack makes objects with shorter lives.
func (p *program) stack() {
	b := p.b
	ptr := p.m.PtrType()
	if p.rng.Intn(2) == 0 {
		o := b.Alloca(objectSize, 8)
		b.Op(ir.LifetimeEnd, ir.Type{}, o)
		b.Op(ir.LifetimeStart, ir.Type{}, o)
		p.nested(func() {
			p.mems = append(p.mems, o)
			p.statements()
		})
		b.Op(ir.LifetimeEnd, ir.Type{}, o)
		if p.rng.Intn(8) == 0 {
			p.mems = append(p.mems, o)
		}
		return
	}
	token := b.Op(ir.StackSave, ptr)
	p.nested(func() {
		size := b.Op(ir.ZExt, p.m.WordType(), p.pick())
		p.mems = append(p.mems, b.Emit(ir.Def{Op: ir.Alloca, Type: ptr, Args: []ir.Value{b.Bin(ir.Add, size, b.Word(objectSize))}, Aux: 8}))
		p.statements()
	})
	b.Op(ir.StackRestore, ir.Type{}, token)
}
