// Package irtest makes random modules for tests: of the text form, of the
// interpreter, and of everything that must agree with it.
package irtest

import (
	"fmt"
	"math/rand/v2"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// Options shape random modules. The zero value makes small modules of all kinds
// of instructions.
type Options struct {
	Funcs  int // functions with a body beside the entry; 0 means 3
	Blocks int // of each function, at most; 0 means 8
	Instrs int // of each block, at most; 0 means 8
	// Acyclic forbids loops and recursion.
	Acyclic bool
	// Only, if not nil, selects the operations to use. Terminators are not asked about.
	Only func(ir.Op) bool
	// PointerBits is 32 or 64; 0 means 64.
	PointerBits uint32
}

// Random makes a module that satisfies ir.Verify. What it does when it runs is
// anything: it may loop, and its accesses are valid more often than not.
func Random(rng *rand.Rand, o Options) *ir.Module {
	set := func(x *int, def int) {
		if *x == 0 {
			*x = def
		}
	}
	set(&o.Funcs, 3)
	set(&o.Blocks, 8)
	set(&o.Instrs, 8)
	if o.PointerBits == 0 {
		o.PointerBits = 64
	}
	g := &generator{Rand: rng, o: o, m: &ir.Module{PointerBits: o.PointerBits, Entry: "main", Files: []string{"a.c", "b.h"}}}
	g.module()
	return g.m
}

type generator struct {
	*rand.Rand
	o Options
	m *ir.Module

	// The function being filled.
	b         *ir.Builder
	index     int // in Module.Funcs
	available []ir.Value
	varCount  int
}

// types are those of random values; pointers come up by themselves.
func (g *generator) types() []ir.Type {
	return []ir.Type{ir.BoolType, ir.BoolType, ir.IntType(3), ir.IntType(8), ir.IntType(16), ir.IntType(32), ir.IntType(32), ir.IntType(32),
		ir.IntType(33), ir.IntType(64), ir.IntType(64), ir.IntType(128), ir.FloatType(16), ir.FloatType(32), ir.FloatType(64), g.m.PtrType()}
}

func pick[T any](g *generator, xs []T) T { return xs[g.IntN(len(xs))] }

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func (g *generator) intType() ir.Type {
	for {
		if t := pick(g, g.types()); t.Kind == ir.Int {
			return t
		}
	}
}

func (g *generator) floatType() ir.Type { return ir.FloatType(pick(g, []uint32{16, 32, 64})) }

func (g *generator) pos() ir.Pos {
	if g.chance(50) {
		return ir.Pos{}
	}
	return ir.Pos{File: int32(g.IntN(2)), Line: int32(g.IntN(100)), Col: int32(g.IntN(80))}
}

func (g *generator) module() {
	for i := range 4 {
		x := &ir.Global{Name: fmt.Sprintf("g%d", i), Size: uint64(g.IntN(40)), Align: 1 << g.IntN(5), Pos: g.pos(), Constant: g.chance(15)}
		switch {
		case g.chance(20):
			x.External = true
		case g.chance(70):
			x.Init = make([]byte, x.Size)
			for j := range x.Init {
				if g.chance(60) {
					x.Init[j] = byte(g.Uint32())
				}
			}
		}
		if g.chance(50) {
			x.Counter = pick(g, []string{"", "g0", "g3"})
			x.CName = pick(g, []string{"x", "arr", "odd \"name\"\n"})
			x.Layout = ir.Layout{Stride: uint64(g.IntN(3) * 4), Cell: 1 << g.IntN(4), Pointers: g.chance(50)}
		}
		g.m.Globals = append(g.m.Globals, x)
	}
	declared := g.o.Funcs + 2
	var builders []*ir.Builder
	for i := range declared {
		b := ir.NewFunc(g.m, fmt.Sprintf("f%d", i))
		builders = append(builders, b)
		if i == declared-1 {
			b.Func.Name = "main"
			break
		}
		b.Func.Variadic = g.chance(20)
		b.Func.Model = g.chance(10)
		b.Func.Pos = g.pos()
		for range g.IntN(4) {
			b.SetPos(g.pos())
			b.Param(pick(g, g.types()))
		}
		for range g.IntN(3) {
			b.Func.Results = append(b.Func.Results, pick(g, g.types()))
		}
	}
	g.relocations()
	for i, b := range builders {
		if i > 0 { // the first stays a declaration
			g.function(b, i)
		}
	}
}

func (g *generator) relocations() {
	word := uint64(g.o.PointerBits / 8)
	for _, x := range g.m.Globals {
		for at := uint64(0); !x.External && at+word <= x.Size; at += word {
			if !g.chance(40) {
				continue
			}
			r := ir.Reloc{Offset: at, Addend: int64(g.IntN(8)) - 2}
			switch g.IntN(3) {
			case 0:
				r.Target = pick(g, g.m.Globals).Name
			case 1:
				r.Target = pick(g, g.m.Funcs).Name
			}
			if x.Init != nil {
				clear(x.Init[at : at+word])
			}
			x.Relocs = append(x.Relocs, r)
		}
	}
}

// function fills in a body. The graph comes first, so that dominators tell
// which values may be used where.
func (g *generator) function(b *ir.Builder, index int) {
	g.b, g.index = b, index
	f := b.Func
	g.varCount = g.IntN(3)
	for i := range g.varCount {
		b.Var(ir.Var{Name: fmt.Sprintf("v%d", i), Pos: g.pos(), Type: ir.CType{Name: "unsigned int", Bits: 32, Signed: g.chance(50), Bool: g.chance(10)}})
	}
	n := 1 + g.IntN(g.o.Blocks)
	graph := g.graph(n)
	dom := ir.Dominators(graph)
	for i := range n {
		b.Block(pick(g, []string{"", "", "loop", "if.then", "odd \"name", fmt.Sprintf("b%d", i)}))
	}
	params := append([]ir.Value(nil), f.Params...)
	values := make([][]ir.Value, n+1) // available at the end of each block
	order := ir.RPO(graph)
	var phis []ir.Value
	for _, blk := range order {
		g.available = append([]ir.Value(nil), params...)
		if d := dom.Idom[blk]; d != 0 {
			g.available = append([]ir.Value(nil), values[d]...)
		}
		b.At(blk)
		for range g.IntN(3) {
			if len(graph.Blocks[blk].Preds) > 0 {
				b.SetPos(g.pos())
				phi := b.Phi(pick(g, g.types()))
				phis = append(phis, phi)
				g.available = append(g.available, phi)
			}
		}
		for range g.IntN(g.o.Instrs + 1) {
			g.instr()
		}
		g.terminator(graph.Terminator(blk))
		values[blk] = g.available
	}
	for blk := ir.BlockID(1); int(blk) <= n; blk++ { // unreachable ones
		if !dom.Reachable(blk) {
			b.At(blk)
			g.available = nil
			g.terminator(graph.Terminator(blk))
		}
	}
	for _, phi := range phis {
		d := f.Def(phi)
		typ := d.Type
		for _, p := range graph.Blocks[d.Block].Preds {
			g.available = values[p]
			b.AddIncoming(phi, g.value(typ), p)
		}
	}
	b.Done()
}

// graph makes a function of terminators only.
func (g *generator) graph(n int) *ir.Func {
	b := ir.NewFunc(&ir.Module{PointerBits: 64}, "graph")
	for range n {
		b.Block("")
	}
	c := b.Const(1, 0)
	for i := 1; i <= n; i++ {
		b.At(ir.BlockID(i))
		next := func() ir.BlockID {
			if g.o.Acyclic {
				return ir.BlockID(i + 1 + g.IntN(n-i))
			}
			return ir.BlockID(2 + g.IntN(n-1))
		}
		switch k := g.IntN(10); {
		case i == n && (g.o.Acyclic || n == 1 || k < 5), k == 0:
			b.Ret()
		case k < 4:
			b.Br(next())
		case k < 9:
			b.CondBr(c, next(), next())
		default:
			var succs []ir.BlockID
			for range 1 + g.IntN(4) {
				succs = append(succs, next())
			}
			b.Switch(c, next(), make([]bv.BV, len(succs)), succs)
		}
	}
	return b.Done()
}

// value is an available value of that type, or a constant.
func (g *generator) value(t ir.Type) ir.Value {
	var fit []ir.Value
	for _, v := range g.available {
		if g.b.Func.Type(v) == t {
			fit = append(fit, v)
		}
	}
	if len(fit) > 0 && g.chance(80) {
		return fit[len(fit)-1-min(g.IntN(len(fit)), g.IntN(len(fit)))] // rather a late one
	}
	switch {
	case t.Kind == ir.Ptr && g.chance(15):
		return g.b.Null()
	case t.Kind == ir.Ptr && g.chance(15):
		return g.b.FuncAddr(pick(g, g.m.Funcs).Name)
	case t.Kind == ir.Ptr:
		return g.b.GlobalAddr(pick(g, g.m.Globals).Name)
	}
	return g.b.ConstBV(t, g.bits(t))
}

func (g *generator) bits(t ir.Type) bv.BV {
	switch g.IntN(4) {
	case 0:
		return bv.NewSigned(t.Bits, int64(g.IntN(9))-4)
	case 1:
		one := bv.New(t.Bits, 1)
		return one.Shl(bv.New(t.Bits, g.Uint64N(uint64(t.Bits)))).Sub(bv.New(t.Bits, g.Uint64N(2)))
	case 2:
		if t.Bits > 64 {
			return bv.New(t.Bits, g.Uint64()).Shl(bv.New(t.Bits, 60))
		}
	}
	return bv.New(t.Bits, g.Uint64()>>g.IntN(64))
}

// small is a pointer-wide constant, mostly a size or offset that fits the globals.
func (g *generator) small() ir.Value {
	n := g.IntN(17)
	if g.chance(60) {
		n &^= 7
	}
	return g.b.Word(uint64(n))
}

func (g *generator) ptr() ir.Value { return g.value(g.m.PtrType()) }

func (g *generator) terminator(t *ir.Def) {
	g.b.SetPos(g.pos())
	switch t.Op {
	case ir.Br:
		g.b.Br(t.Succs[0])
	case ir.CondBr:
		g.b.CondBr(g.value(ir.BoolType), t.Succs[0], t.Succs[1])
	case ir.Switch:
		typ := ir.IntType(pick(g, []uint32{8, 32, 128}))
		v := g.value(typ)
		var cases []bv.BV
		for i := range t.Cases {
			cases = append(cases, bv.NewSigned(typ.Bits, int64(i*(1+g.IntN(3)*4)-2)))
			for j := range cases[:i] {
				if cases[j].Equal(cases[i]) {
					cases[i] = bv.New(typ.Bits, uint64(100+i))
				}
			}
		}
		g.b.Switch(v, t.Succs[0], cases, t.Succs[1:])
	default:
		g.exit()
	}
}

func (g *generator) exit() {
	switch k := g.IntN(20); k {
	case 0:
		g.b.Halt(ir.HaltExit)
	case 1:
		g.b.Halt(ir.HaltAbort)
	case 2:
		g.b.Unreachable()
	case 3:
		g.b.Emit(ir.Def{Op: ir.Unsupported, Sym: "inline \"assembly\""})
	default:
		var rs []ir.Value
		for _, t := range g.b.Func.Results {
			rs = append(rs, g.value(t))
		}
		g.b.Ret(rs...)
	}
}
