package irtest

import (
	"fmt"
	"math/rand/v2"

	"assay/internal/program/ir"
)

// The modules of Random hardly ever use memory as C programs do. The modules made here do: locals and globals in memory, arrays with indices mostly in
// bounds, pointers to all of them in variables, lifetimes, blocks of the heap in
// loops, byte copies, bounded recursion, values that are loaded, compared and loaded
// again.

type programmer struct {
	*rand.Rand
	m     *ir.Module
	b     *ir.Builder
	index int
	depth int
	// Of the current function: addresses of variables of 4 bytes, of pointers,
	// and arrays with their lengths; values of 32 bits that dominate.
	ints, ptrs []ir.Value
	arrays     []arrayVar
	values     []ir.Value
	locals     []ir.Value
	strings    []ir.Value
	budget     int
	recursion  bool
	narrow     bool       // see narrow.go
	records    []ir.Value // structures
}

type arrayVar struct {
	p ir.Value
	n uint64
}

var i32 = ir.IntType(32)

// Structured makes a module that uses memory as C programs do; with recursion, its functions
// may call themselves, a bounded number of times.
func Structured(seed uint64, recursion bool) *ir.Module {
	return structured(&programmer{recursion: recursion, Rand: rand.New(rand.NewPCG(seed, 99))})
}

// Narrow makes a module as Structured does, in which there are integers of 8 and 16 bits, conversions between them,
// shifts and all divisions, and a structure with members of several widths; see narrow.go.
func Narrow(seed uint64) *ir.Module {
	return structured(&programmer{narrow: true, Rand: rand.New(rand.NewPCG(seed, 98))})
}

func structured(g *programmer) *ir.Module {
	g.m = &ir.Module{PointerBits: 64, Entry: "main", Files: []string{"a.c"}}
	for i := range 3 {
		x := &ir.Global{Name: fmt.Sprintf("v%d", i), Size: 4, Align: 4}
		if i == 1 {
			x.Init = []byte{byte(g.IntN(20)), 0, 0, 0}
		}
		g.m.Globals = append(g.m.Globals, x)
	}
	for i := range 2 {
		x := &ir.Global{Name: fmt.Sprintf("a%d", i), Size: 32, Align: 4, Layout: ir.Layout{Stride: 4, Cell: 4}}
		if i == 1 {
			x.Init = make([]byte, 32)
			for j := range 8 {
				x.Init[4*j] = byte(g.IntN(50))
			}
			x.Constant = g.IntN(3) == 0
		}
		g.m.Globals = append(g.m.Globals, x)
	}
	g.m.Globals = append(g.m.Globals, &ir.Global{Name: "s0", Size: 8, Align: 1, Init: []byte("ab\000d\001\002\003\000"), Layout: ir.Layout{Stride: 1, Cell: 1}})
	g.m.Globals = append(g.m.Globals, &ir.Global{Name: "p0", Size: 8, Align: 8}, &ir.Global{Name: "p1", Size: 8, Align: 8, Init: make([]byte, 8), Relocs: []ir.Reloc{{Target: "a0", Addend: 4}}})
	const functions = 3
	for i := range functions {
		g.b = ir.NewFunc(g.m, fmt.Sprintf("f%d", i), i32)
		g.index = i
		n := g.b.Param(i32)
		p := g.b.Param(g.m.PtrType())
		g.function(n, p)
	}
	g.b = ir.NewFunc(g.m, "main")
	g.index = functions
	g.function(0, 0)
	return g.m
}

func (g *programmer) word(v ir.Value) ir.Value { return g.b.Op(ir.ZExt, g.m.WordType(), v) }

func (g *programmer) function(n, p ir.Value) {
	b := g.b
	b.At(b.Block("entry"))
	g.ints, g.ptrs, g.arrays, g.values, g.locals = nil, nil, nil, nil, nil
	g.budget = 14
	for i := range 3 {
		g.ints = append(g.ints, b.GlobalAddr(fmt.Sprintf("v%d", i)))
	}
	for i := range 2 {
		g.arrays = append(g.arrays, arrayVar{b.GlobalAddr(fmt.Sprintf("a%d", i)), 8})
		g.ptrs = append(g.ptrs, b.GlobalAddr(fmt.Sprintf("p%d", i)))
	}
	for range 1 + g.IntN(2) {
		x := b.Alloca(4, 4)
		g.ints, g.locals = append(g.ints, x), append(g.locals, x)
		if g.IntN(2) == 0 {
			b.Store(g.constant(), x)
		}
	}
	length := uint64(1 + g.IntN(6))
	x := b.Emit(ir.Def{Op: ir.Alloca, Type: g.m.PtrType(), Args: []ir.Value{b.Word(4 * length)}, Aux: 4, Layout: ir.Layout{Stride: 4, Cell: 4}})
	g.arrays, g.locals = append(g.arrays, arrayVar{x, length}), append(g.locals, x)
	if g.IntN(2) == 0 {
		b.Op(ir.MemSet, ir.Type{}, x, b.Const(8, uint64(g.IntN(2))), b.Word(4*length))
	}
	s := b.Emit(ir.Def{Op: ir.Alloca, Type: g.m.PtrType(), Args: []ir.Value{b.Word(8)}, Aux: 1, Layout: ir.Layout{Stride: 1, Cell: 1}})
	b.Op(ir.MemSet, ir.Type{}, s, b.Const(8, uint64(g.IntN(3))), b.Word(8))
	g.strings = []ir.Value{s, b.GlobalAddr("s0")}
	if g.narrow {
		g.record()
	}
	y := b.Alloca(8, 8)
	g.ptrs = append(g.ptrs, y)
	b.Store(g.pointer(), y)
	if n != 0 {
		g.values = append(g.values, n)
		b.Store(p, y)
	}
	g.statements(4)
	if n != 0 {
		b.Ret(g.expr(1))
	} else {
		b.Ret()
	}
	b.Done()
}

func (g *programmer) constant() ir.Value { return g.b.Const(32, uint64(g.IntN(12))) }

func (g *programmer) expr(depth int) ir.Value {
	b := g.b
	if g.narrow && depth > 0 && g.IntN(3) == 0 {
		return g.narrowed(depth)
	}
	switch k := g.IntN(12); {
	case k < 3 || depth == 0 && k > 6:
		return b.Load(i32, pickOne(g, g.ints))
	case k < 5 && len(g.values) > 0:
		return pickOne(g, g.values)
	case k < 6:
		return g.constant()
	case k < 7:
		return b.Bin(ir.And, b.Nondet(i32, ir.NondetInput, ""), b.Const(32, 15))
	case k < 9:
		return b.Load(i32, g.element())
	case k < 10:
		return b.Load(i32, b.Load(g.m.PtrType(), pickOne(g, g.ptrs)))
	}
	op := []ir.Op{ir.Add, ir.Sub, ir.Mul, ir.And, ir.Or, ir.Xor, ir.URem, ir.SDiv, ir.LShr}[g.IntN(9)]
	return b.Bin(op, g.expr(depth-1), g.expr(0))
}

func pickOne[T any](g *programmer, list []T) T { return list[g.IntN(len(list))] }

// element is the address of an element of an array, mostly in bounds.
func (g *programmer) element() ir.Value {
	a := pickOne(g, g.arrays)
	i := g.expr(0)
	switch g.IntN(6) {
	case 0:
		i = g.b.Const(32, g.Uint64N(a.n))
	case 1:
		i = g.b.Bin(ir.And, i, g.b.Const(32, 7))
	default:
		i = g.b.Bin(ir.URem, i, g.b.Const(32, a.n))
	}
	return g.b.PtrAdd(a.p, g.b.Bin(ir.Mul, g.word(i), g.b.Word(4)))
}

func (g *programmer) pointer() ir.Value {
	switch g.IntN(7) {
	case 6: // a bare address
		if g.IntN(4) > 0 {
			break
		}
		n := g.b.Op(ir.PtrToInt, g.m.WordType(), pickOne(g, g.ints))
		if g.IntN(2) == 0 {
			return g.b.Op(ir.IntToPtr, g.m.PtrType(), n)
		}
		return g.b.PtrAdd(g.b.Null(), n)
	case 0:
		return g.b.Null()
	case 1:
		return g.element()
	case 2:
		return g.b.Load(g.m.PtrType(), pickOne(g, g.ptrs))
	}
	return pickOne(g, g.ints)
}

func (g *programmer) cond() ir.Value {
	op := []ir.Op{ir.Eq, ir.Ne, ir.ULt, ir.ULe, ir.SLt, ir.SLe}[g.IntN(6)]
	if g.IntN(5) == 0 {
		return g.b.Cmp(ir.Ne, g.b.Load(g.m.PtrType(), pickOne(g, g.ptrs)), g.b.Null())
	}
	x, y := g.expr(1), g.constant()
	if g.IntN(2) == 0 {
		x, y = y, x
	}
	return g.b.Cmp(op, x, y)
}

// inside runs f for a nested block; what is defined there is not used outside.
func (g *programmer) inside(block ir.BlockID, f func()) {
	g.b.At(block)
	values := len(g.values)
	f()
	g.values = g.values[:values]
}

func (g *programmer) statements(n int) {
	for range 1 + g.IntN(n) {
		g.statement()
	}
}

func (g *programmer) statement() {
	b := g.b
	if g.budget--; g.budget < 0 {
		b.Store(g.expr(1), pickOne(g, g.ints))
		return
	}
	if g.narrow && g.IntN(6) == 0 {
		g.setMember()
		return
	}
	switch g.IntN(21) {
	case 0, 1, 2:
		b.Store(g.expr(2), pickOne(g, g.ints))
	case 3, 4:
		b.Store(g.expr(1), g.element())
	case 5, 6:
		b.Store(g.pointer(), pickOne(g, g.ptrs))
	case 7:
		b.Store(g.expr(1), b.Load(g.m.PtrType(), pickOne(g, g.ptrs)))
	case 8:
		b.Store(b.Const(8, uint64(g.IntN(4))), b.PtrAdd(pickOne(g, g.ints), b.Word(uint64(g.IntN(5)))))
	case 9: // load, compare, use again in the branch
		x := pickOne(g, g.ints)
		v := b.Load(i32, x)
		if g.IntN(3) == 0 {
			b.Store(g.expr(0), pickOne(g, g.ints))
		}
		then, join := b.Block("then"), b.Block("join")
		b.CondBr(b.Cmp(ir.ULt, v, g.constant()), then, join)
		g.inside(then, func() {
			w := b.Load(i32, x)
			b.Store(b.Bin(ir.Add, w, v), pickOne(g, g.ints))
			b.Br(join)
		})
		b.At(join)
	case 10, 11:
		then, els, join := b.Block("then"), b.Block("else"), b.Block("join")
		b.CondBr(g.cond(), then, els)
		g.inside(then, func() { g.statements(2); b.Br(join) })
		g.inside(els, func() { g.statements(2); b.Br(join) })
		b.At(join)
	case 12, 13, 14:
		g.loop()
	case 15:
		g.call()
	case 16: // often enough that an object is made again while pointers to the last one are left
		g.repeat(func() {
			if g.IntN(2) == 0 {
				g.call()
				return
			}
			x := b.Op(ir.Malloc, g.m.PtrType(), b.Word(4))
			b.Store(g.constant(), x)
			b.Store(b.Load(g.m.PtrType(), g.ptrs[0]), g.ptrs[1])
			b.Store(x, g.ptrs[0])
			b.Store(g.expr(0), b.Load(g.m.PtrType(), g.ptrs[1]))
			b.Store(b.Load(i32, x), pickOne(g, g.ints))
		})
	case 17:
		x := pickOne(g, g.locals)
		b.Op(ir.LifetimeEnd, ir.Type{}, x)
		if g.IntN(2) == 0 {
			g.statement()
		}
		b.Op(ir.LifetimeStart, ir.Type{}, x)
	case 18:
		x := b.Op(ir.Malloc, g.m.PtrType(), b.Word(4))
		y := pickOne(g, g.ptrs)
		b.Store(x, y)
		b.Store(g.expr(0), x)
		g.statement()
		if g.IntN(2) == 0 {
			b.Op(ir.Free, ir.Type{}, b.Load(g.m.PtrType(), y))
		}
	case 19:
		g.bytes()
	default:
		x, y := pickOne(g, g.arrays), pickOne(g, g.arrays)
		switch g.IntN(3) {
		case 0:
			b.Op(ir.MemCpy, ir.Type{}, x.p, y.p, b.Word(4*min(x.n, y.n)))
		case 1:
			b.Op(ir.MemCpy, ir.Type{}, g.element(), g.element(), b.Word(uint64(1<<g.IntN(3))))
		default:
			i := b.Bin(ir.And, g.expr(0), b.Const(32, 15))
			b.Op(ir.MemCpy, ir.Type{}, b.PtrAdd(x.p, g.word(i)), b.PtrAdd(y.p, g.word(b.Bin(ir.URem, i, b.Const(32, 4*y.n)))), b.Word(1))
		}
	}
	if g.IntN(6) == 0 {
		b.Check(ir.Assertion, g.cond(), "")
	}
}

// loop is for (i = first; i < limit; i += step) with a phi, or with a counter in
// memory that the body may change.
func (g *programmer) loop() {
	b := g.b
	head, body, after := b.Block("head"), b.Block("body"), b.Block("after")
	first, limit, step := g.constant(), b.Const(32, uint64(g.IntN(20))), b.Const(32, uint64(1+g.IntN(3)))
	if g.IntN(3) > 0 {
		from := b.Current()
		b.Br(head)
		b.At(head)
		i := b.Phi(i32)
		b.AddIncoming(i, first, from)
		b.CondBr(b.Cmp(ir.SLt, i, limit), body, after)
		g.inside(body, func() {
			g.values = append(g.values, i)
			g.statements(3)
			b.AddIncoming(i, b.Bin(ir.Add, i, step), b.Current())
			b.Br(head)
		})
	} else {
		x := pickOne(g, g.ints)
		b.Store(first, x)
		b.Br(head)
		b.At(head)
		b.CondBr(b.Cmp(ir.ULt, b.Load(i32, x), limit), body, after)
		g.inside(body, func() {
			g.statements(2)
			b.Store(b.Bin(ir.Add, b.Load(i32, x), step), x)
			b.Br(head)
		})
	}
	b.At(after)
}

// repeat repeats statements up to three times.
func (g *programmer) repeat(f func()) {
	b := g.b
	from, head, body, after := b.Current(), b.Block("again"), b.Block("repeated"), b.Block("enough")
	b.Br(head)
	b.At(head)
	i := b.Phi(i32)
	b.AddIncoming(i, b.Const(32, 0), from)
	b.CondBr(b.Cmp(ir.ULt, i, b.Const(32, uint64(2+g.IntN(2)))), body, after)
	g.inside(body, func() {
		f()
		b.AddIncoming(i, b.Bin(ir.Add, i, b.Const(32, 1)), b.Current())
		b.Br(head)
	})
	b.At(after)
}

// bytes works on strings: arrays of bytes that are copied and filled one by one.
func (g *programmer) bytes() {
	b := g.b
	at := func(s ir.Value) ir.Value {
		return b.PtrAdd(s, g.word(b.Bin(ir.URem, g.expr(0), b.Const(32, 8))))
	}
	s, u := pickOne(g, g.strings), pickOne(g, g.strings)
	switch g.IntN(4) {
	case 0:
		b.Op(ir.MemCpy, ir.Type{}, at(s), at(u), b.Word(1))
	case 1:
		b.Store(b.Op(ir.Trunc, ir.IntType(8), g.expr(0)), at(s))
	case 2:
		b.Op(ir.MemSet, ir.Type{}, s, b.Const(8, uint64(g.IntN(3))), g.word(b.Bin(ir.And, g.expr(0), b.Const(32, 7))))
	default:
		b.Store(b.Op(ir.ZExt, i32, b.Load(ir.IntType(8), at(s))), pickOne(g, g.ints))
	}
}

// call calls a function made before, or the current one with a smaller argument.
func (g *programmer) call() {
	b := g.b
	if g.index > 0 && g.IntN(3) > 0 || len(g.b.Func.Params) == 0 {
		v := b.Call(i32, fmt.Sprintf("f%d", g.IntN(max(1, g.index))), g.expr(0), g.pointer())
		b.Store(v, pickOne(g, g.ints))
		return
	}
	if !g.recursion {
		return
	}
	n := b.Bin(ir.And, b.Func.Params[0], b.Const(32, 7))
	deeper, join := b.Block("deeper"), b.Block("join")
	b.CondBr(b.Cmp(ir.ULt, b.Const(32, 0), n), deeper, join)
	g.inside(deeper, func() {
		v := b.Call(i32, b.Func.Name, b.Bin(ir.Sub, n, b.Const(32, 1)), g.pointer())
		b.Store(v, pickOne(g, g.ints))
		b.Br(join)
	})
	b.At(join)
}
