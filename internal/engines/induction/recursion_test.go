package induction

import (
	"flag"
	"math/rand/v2"
	"testing"

	"assay/internal/certify"
	"assay/internal/engines/inference"
	"assay/internal/program/ir"
	"assay/internal/transform/cut"
)

var recursivePrograms = flag.Int("recursions", 12, "random recursive programs to prove")

// recursiveProgram has functions that call themselves and each other, around loops
// and in loops.
func recursiveProgram(seed uint64) *ir.Module {
	m := &ir.Module{PointerBits: 64, Entry: "main", Globals: []*ir.Global{{Name: "g", Size: 1, Align: 1, Layout: ir.Layout{Cell: 1}}, {Name: "a", Size: 8, Align: 1}}}
	g := &maker{Rand: rand.New(rand.NewPCG(seed, 6)), m: m}
	v := ir.NewFunc(m, "verify")
	c := v.Param(ir.BoolType)
	v.At(v.Block("entry"))
	v.Check(ir.Assertion, c, "verify")
	v.Ret()
	v.Done()
	s := ir.NewFunc(m, "set")
	x := s.Param(ir.IntType(width))
	s.At(s.Block("entry"))
	s.Store(s.Op(ir.ZExt, ir.IntType(8), x), s.GlobalAddr("g"))
	s.Ret()
	s.Done()
	names := []string{"r", "q"}[:1+g.IntN(2)]
	t := ir.IntType(width)
	for _, name := range names {
		g.b = ir.NewFunc(m, name, t)
		b := g.b
		x, y := b.Param(t), b.Param(t)
		b.At(b.Block("entry"))
		g.vars = []ir.Value{x, y, b.Const(width, g.Uint64N(3))}
		end, on := b.Block("end"), b.Block("on")
		b.CondBr(b.Cmp(ir.ULe, x, b.Const(width, g.Uint64N(2))), end, on)
		b.At(end)
		b.Ret(g.operand())
		b.At(on)
		if g.IntN(2) == 0 {
			g.statement(1)
		}
		for range 1 + g.IntN(2) {
			g.vars[g.IntN(3)] = b.Call(t, names[g.IntN(len(names))], b.Bin(ir.Sub, x, b.Const(width, 1+g.Uint64N(2))), g.operand())
			g.statement(1)
		}
		b.Ret(g.operand())
		b.Done()
	}
	g.b = ir.NewFunc(m, "main")
	b := g.b
	b.At(b.Block("entry"))
	g.vars = []ir.Value{b.Nondet(t, ir.NondetInput, "in"), b.Nondet(t, ir.NondetInput, "in"), b.Const(width, g.Uint64N(3))}
	g.vars[2] = b.Call(t, names[0], g.operand(), g.operand())
	if g.IntN(3) == 0 {
		g.loop(1)
	}
	b.Check(ir.Assertion, g.condition(), "at the end")
	b.Halt(ir.HaltExit)
	b.Done()
	return m
}

// TestRandomRecursion has random recursive programs proved, and runs them: no
// proof may be wrong. The checker must not reject any.
func TestRandomRecursion(t *testing.T) {
	proofs, rich, holds, accepted := 0, 0, 0, 0
	for seed := range uint64(*recursivePrograms) {
		m := recursiveProgram(seed)
		if err := ir.Verify(m); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, ir.Print(m))
		}
		targets := []ir.CheckKind{ir.Assertion}
		r := Prove(t.Context(), m, inference.Options{Targets: targets, MaxK: 2})
		bad := violated(t, m, ir.Assertion)
		if !bad {
			holds++
		}
		if r.Proof == nil {
			continue
		}
		proofs++
		if len(r.Proof.Contracts) > 0 {
			rich++
		}
		if bad {
			t.Fatalf("seed %d: proved with %+v, but a run violates it\n%s", seed, *r.Proof, ir.Print(m))
		}
		_, err := certify.Induction(t.Context(), m, certify.Options{Targets: targets}, r.Proof)
		switch err.(type) {
		case nil:
			accepted++
		case certify.ErrRejected:
			t.Errorf("seed %d: %v; %+v\n%s", seed, err, *r.Proof, ir.Print(m))
		}
	}
	t.Logf("%d of %d programs hold, %d proved, %d of them with contracts, %d accepted", holds, *recursivePrograms, proofs, rich, accepted)
	if rich < *recursivePrograms/30 {
		t.Errorf("only %d proofs need contracts", rich)
	}
}

// TestComponents says which recursions are refused.
func TestComponents(t *testing.T) {
	module := func(body func(b *ir.Builder, p ir.Value)) *ir.Module {
		m := &ir.Module{PointerBits: 64, Entry: "main", Globals: []*ir.Global{{Name: "g", Size: 8, Align: 8}}}
		b := ir.NewFunc(m, "f")
		p := b.Param(m.PtrType())
		b.At(b.Block("entry"))
		body(b, p)
		b.Ret()
		b.Done()
		b = ir.NewFunc(m, "main")
		b.At(b.Block("entry"))
		b.Call(ir.Type{}, "f", b.GlobalAddr("g"))
		b.Halt(ir.HaltExit)
		b.Done()
		return m
	}
	for name, c := range map[string]struct {
		body func(b *ir.Builder, p ir.Value)
		why  string
	}{
		"the same pointer": {func(b *ir.Builder, p ir.Value) { b.Call(ir.Type{}, "f", b.PtrAdd(p, b.Word(1))) }, ""},
		"a local": {func(b *ir.Builder, p ir.Value) { b.Call(ir.Type{}, "f", b.Alloca(8, 8)) },
			"the recursion of f cannot be cut: a pointer that is passed to it may point to another object each time"},
		"a pointer in memory": {func(b *ir.Builder, p ir.Value) {
			b.Store(p, b.GlobalAddr("g"))
			b.Call(ir.Type{}, "f", p)
		}, "the recursion of f cannot be cut: it writes pointers to memory"},
	} {
		_, err := cut.RecursiveComponents(module(c.body))
		if got := ""; err != nil {
			got = err.Error()
			if got != c.why {
				t.Errorf("%s: %s, want %s", name, got, c.why)
			}
		} else if c.why != "" {
			t.Errorf("%s: not refused", name)
		}
	}
}
