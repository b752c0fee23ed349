package placement

import (
	"math/rand/v2"
	"slices"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// This file makes random programs that Explore can explore completely, most of the time.

// Program is a random program.
type Program struct {
	Module *ir.Module
	Unit   uint64
}

// generator makes a program.
type generator struct {
	*rand.Rand
	m       *ir.Module
	b       *ir.Builder
	unit    uint64
	objects int // that may still be made
	numbers int // arbitrary numbers that may still be chosen

	pointers []moved
	words    []moved
	bytes    []ir.Value
	truths   []ir.Value
	callees  []*ir.Func
	size     map[ir.Value]uint64
}

// moved is an address, moved by so many units from where an object starts.
type moved struct {
	v     ir.Value
	units int
}

// fixed are the units of an address of which that is not known; it is not moved again.
const fixed = 99

// Random makes a program.
func Random(rng *rand.Rand) Program {
	g := &generator{Rand: rng, m: &ir.Module{PointerBits: wordBits, Entry: "main"}}
	g.unit = []uint64{1, 4, 4, 8}[g.IntN(4)]
	g.objects, g.numbers = 2+g.IntN(3), 1
	for range g.IntN(3) {
		g.callee()
	}
	g.b = ir.NewFunc(g.m, "main")
	g.b.At(g.b.Block("entry"))
	g.pointers, g.words, g.bytes, g.truths = nil, nil, nil, nil
	if g.IntN(3) == 0 {
		g.objects--
		g.m.Globals = append(g.m.Globals, &ir.Global{Name: "g", Size: g.objectSize(), Align: g.unit, Constant: g.IntN(6) == 0})
		g.pointers = append(g.pointers, moved{g.b.GlobalAddr("g"), 0})
	}
	g.steps(6 + g.IntN(14))
	for range 1 + g.IntN(2) {
		g.check()
	}
	g.b.Ret()
	g.b.Done()
	if err := ir.Verify(g.m); err != nil {
		panic("placement: the random program is malformed: " + err.Error())
	}
	return Program{g.m, g.unit}
}

// callee makes a function with an object of its own, whose address it may return.
func (g *generator) callee() {
	result := []ir.Type{g.m.WordType(), g.m.PtrType()}[g.IntN(2)]
	g.b = ir.NewFunc(g.m, []string{"f", "h"}[len(g.callees)], result)
	p := g.b.Param(g.m.PtrType())
	g.b.At(g.b.Block("entry"))
	g.pointers, g.words, g.bytes, g.truths = []moved{{p, fixed}}, nil, nil, nil
	own := g.b.Alloca(g.objectSize(), g.unit)
	g.pointers = append(g.pointers, moved{own, 0})
	objects := g.objects
	g.objects = 0
	for range g.IntN(4) {
		g.step()
	}
	g.objects = objects
	q := []ir.Value{p, own, own}[g.IntN(3)]
	if result.Kind == ir.Int {
		q = g.b.Op(ir.PtrToInt, result, q)
	}
	g.b.Ret(q)
	g.callees = append(g.callees, g.b.Done())
}

func (g *generator) objectSize() uint64 {
	if g.IntN(3) == 0 {
		return 2 * max(g.unit, wordBytes)
	}
	return []uint64{g.unit, wordBytes, wordBytes, 2 * g.unit}[g.IntN(4)]
}

func (g *generator) steps(n int) {
	for range n {
		if g.IntN(9) == 0 && len(g.truths) > 0 {
			g.diamond(1 + g.IntN(3))
		} else {
			g.step()
		}
	}
}

// diamond makes steps under a condition; what they compute is not used behind them.
func (g *generator) diamond(n int) {
	pointers, words, bytes, truths := len(g.pointers), len(g.words), len(g.bytes), len(g.truths)
	then, join := g.b.Block("then"), g.b.Block("join")
	g.b.CondBr(g.last(g.truths), then, join)
	g.b.At(then)
	for range n {
		g.step()
	}
	g.b.Br(join)
	g.b.At(join)
	g.pointers, g.words, g.bytes, g.truths = g.pointers[:pointers], g.words[:words], g.bytes[:bytes], g.truths[:truths]
}

// last is one of some values, and likely one of the last.
func (g *generator) last(of []ir.Value) ir.Value {
	return of[max(0, len(of)-1-min(g.IntN(len(of)), g.IntN(len(of))))]
}

func (g *generator) pointer() (moved, bool) {
	if len(g.pointers) == 0 {
		return moved{}, false
	}
	if g.IntN(20) == 0 {
		return moved{g.b.Null(), fixed}, true
	}
	return g.pointers[max(0, len(g.pointers)-1-min(g.IntN(len(g.pointers)), g.IntN(len(g.pointers))))], true
}

func (g *generator) address() (moved, bool) {
	if len(g.words) == 0 {
		return moved{}, false
	}
	return g.words[g.IntN(len(g.words))], true
}

// comparison compares two pointers or two addresses. One may be a number of the first
// page: what lies there is seen by comparisons only, an access there is a violation
// whatever lies there [docs/soundness.md, I10], and so such a number is used for nothing
// else. It is not ordered with others, for the machine places objects at one such number.
func (g *generator) comparison() {
	p, havePointer := g.pointer()
	q, _ := g.pointer()
	a, haveWord := g.address()
	c, _ := g.address()
	x, y, kind := a.v, c.v, g.m.WordType()
	switch {
	case havePointer && (g.IntN(2) == 0 || !haveWord):
		x, y, kind = p.v, q.v, g.m.PtrType()
	case !haveWord:
		return
	}
	ops := []ir.Op{ir.Eq, ir.Eq, ir.Ne, ir.ULt, ir.ULe}
	if g.IntN(25) == 0 {
		ops = ops[:3]
		if y = g.b.Word(pageNumber); kind.Kind == ir.Ptr {
			y = g.b.Op(ir.IntToPtr, kind, y)
		}
	}
	g.truths = append(g.truths, g.b.Cmp(ops[g.IntN(len(ops))], x, y))
}

// step makes an instruction or a few, or none if there is nothing to work on.
func (g *generator) step() {
	b, word, ptr, byteType := g.b, g.m.WordType(), g.m.PtrType(), ir.IntType(8)
	addPointer := func(v ir.Value, units int) { g.pointers = append(g.pointers, moved{v, units}) }
	addWord := func(v ir.Value, units int) { g.words = append(g.words, moved{v, units}) }
	p, havePointer := g.pointer()
	q, _ := g.pointer()
	a, haveWord := g.address()
	switch k := g.IntN(26); k {
	case 0, 1, 2:
		if g.objects == 0 {
			return
		}
		g.objects--
		if g.IntN(2) == 0 {
			addPointer(b.Op(ir.Malloc, ptr, b.Word(g.objectSize())), 0)
		} else {
			addPointer(b.Alloca(g.objectSize(), g.unit), 0)
		}
	case 3, 4:
		if havePointer {
			addWord(b.Op(ir.PtrToInt, word, p.v), p.units)
		}
	case 5, 6:
		if haveWord {
			addPointer(b.Op(ir.IntToPtr, ptr, a.v), a.units)
		}
	case 7:
		if units := g.IntN(4) - 1; havePointer && -1 <= p.units+units && p.units+units <= 2 {
			addPointer(b.PtrAdd(p.v, b.Word(uint64(units)*g.unit)), p.units+units)
		}
	case 8:
		if units := g.IntN(4) - 1; haveWord && -1 <= a.units+units && a.units+units <= 2 {
			addWord(b.Bin(ir.Add, a.v, b.Word(uint64(units)*g.unit)), a.units+units)
		}
	case 9, 10:
		if havePointer {
			g.release(p)
		}
	case 11, 12, 13:
		if !havePointer {
			return
		}
		switch n := g.IntN(6); {
		case n < 2:
			b.Store(g.byte(), p.v)
		case n < 4:
			b.Store(q.v, p.v)
		case haveWord:
			b.Store(a.v, p.v)
		}
	case 14, 15, 16:
		if !havePointer {
			return
		}
		switch n := g.IntN(6); {
		case n < 3:
			g.bytes = append(g.bytes, b.Load(byteType, p.v))
		case n < 5:
			addPointer(b.Load(ptr, p.v), fixed)
		default:
			addWord(b.Load(word, p.v), fixed)
		}
	case 17:
		if havePointer {
			g.writeMany(p, q)
		}
	case 18: // a copy by bytes, which leaves a number
		if havePointer && g.IntN(3) == 0 {
			for i := range uint64(wordBytes) {
				b.Store(b.Load(byteType, b.PtrAdd(q.v, b.Word(i))), b.PtrAdd(p.v, b.Word(i)))
			}
		}
	case 19, 20:
		g.comparison()
	case 21:
		g.truths = append(g.truths, b.Cmp([]ir.Op{ir.Eq, ir.Ne}[g.IntN(2)], g.byte(), g.byte()))
	case 22:
		if havePointer {
			g.truths = append(g.truths, b.Cmp(ir.ValidRange, p.v, b.Word(1)))
		}
	case 23:
		if havePointer && len(g.callees) > 0 && g.objects > 0 {
			g.objects--
			f := g.callees[g.IntN(len(g.callees))]
			if v := b.Call(f.Results[0], f.Name, p.v); f.Results[0].Kind == ir.Ptr {
				addPointer(v, fixed)
			} else {
				addWord(v, fixed)
			}
		}
	case 24:
		if len(g.truths) == 0 {
			return
		}
		if g.IntN(2) == 0 {
			b.Assume(g.last(g.truths))
		} else if havePointer {
			addPointer(b.Select(g.last(g.truths), p.v, q.v), fixed)
		}
	case 25:
		if g.numbers > 0 && g.IntN(2) == 0 {
			g.numbers--
			if g.IntN(2) == 0 {
				addWord(b.Nondet(word, ir.NondetInput, "__VERIFIER_nondet_uint"), 0)
			} else {
				addPointer(b.Nondet(ptr, ir.NondetInput, "__VERIFIER_nondet_pointer"), 0)
			}
		} else {
			g.bytes = append(g.bytes, b.Nondet(byteType, ir.NondetInput, "__VERIFIER_nondet_uchar"))
		}
	}
}

// release frees what a pointer points to, or does what realloc does.
func (g *generator) release(p moved) {
	b := g.b
	if g.objects == 0 || g.IntN(3) != 0 {
		b.Op(ir.Free, ir.Type{}, p.v)
		return
	}
	g.objects--
	ptr := g.m.PtrType()
	old := b.Emit(ir.Def{Op: ir.Freeze, Type: ptr, Args: []ir.Value{p.v}, Aux: ir.Cede})
	size := max(g.objectSize(), wordBytes)
	next := b.Op(ir.Malloc, ptr, b.Word(size))
	b.Op(ir.MemCpy, ir.Type{}, next, old, b.Word([]uint64{wordBytes, wordBytes, 1}[g.IntN(3)]))
	b.Op(ir.Free, ir.Type{}, old)
	g.pointers = append(g.pointers, moved{next, 0})
}

// writeMany sets, copies or makes arbitrary some bytes.
func (g *generator) writeMany(p, q moved) {
	b := g.b
	switch n := b.Word([]uint64{wordBytes, wordBytes, 1, g.unit}[g.IntN(4)]); g.IntN(5) {
	case 0:
		b.Op(ir.MemSet, ir.Type{}, p.v, b.Const(8, uint64(g.IntN(2))), n)
	case 1:
		b.Op(ir.Havoc, ir.Type{}, p.v, n)
	default:
		b.Op(ir.MemCpy, ir.Type{}, p.v, q.v, n)
	}
}

// byte is a byte.
func (g *generator) byte() ir.Value {
	if len(g.bytes) > 0 && g.IntN(2) == 0 {
		return g.last(g.bytes)
	}
	return g.b.Const(8, uint64(g.IntN(3)))
}

// check asserts something.
func (g *generator) check() {
	b := g.b
	var v ir.Value
	switch p, ok := g.pointer(); {
	case len(g.truths) > 0 && g.IntN(3) != 0:
		v = g.last(g.truths)
	case len(g.bytes) > 0 && g.IntN(2) == 0:
		v = b.Cmp(ir.Eq, g.last(g.bytes), g.byte())
	case ok:
		q, _ := g.pointer()
		v = b.Cmp(ir.Eq, p.v, q.v)
	default:
		v = b.Cmp(ir.Eq, g.byte(), g.byte())
	}
	if g.IntN(2) == 0 {
		v = b.Bin(ir.Xor, v, b.Const(1, 1))
	}
	b.Check(ir.Assertion, v, "assertion")
}

// Without is the program without an instruction, nil if that is no program.
func (p Program) Without(fn string, v ir.Value) *Program {
	m := p.Module.Clone()
	f := m.Func(fn)
	d := f.Def(v)
	if d.Block == 0 || d.Succs != nil || d.Op == ir.Ret || d.Op == ir.Phi {
		return nil
	}
	if d.HasResult() {
		for u := range f.Values {
			if slices.Contains(f.Values[u].Args, v) {
				return nil
			}
		}
	}
	b := &f.Blocks[d.Block]
	b.Instrs = slices.DeleteFunc(b.Instrs, func(u ir.Value) bool { return u == v })
	*d = ir.Def{Op: ir.Const, Type: ir.IntType(8), Const: bv.New(8, 0)}
	return &Program{m, p.Unit}
}
