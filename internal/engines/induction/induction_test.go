package induction

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/internal/engines/guess"
	"assay/internal/engines/inference"
	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/transform/cut"
)

// loopPrograms is the number of random programs; thousands are worth while
// after a change of the transformation.
var loopPrograms = flag.Int("programs", 60, "random programs with loops to prove")

// maker makes random programs over variables of three bits: loops in sequence
// and nested, with breaks, a global that is written directly and by a function, an
// array, and checks in the loops, after them and in a function.
type maker struct {
	*rand.Rand
	m *ir.Module
	b *ir.Builder
	// vars are the values of the variables here.
	vars []ir.Value
}

const width = 3

func (g *maker) constant() ir.Value { return g.b.Const(width, g.Uint64N(1<<width)) }

func (g *maker) operand() ir.Value {
	if g.IntN(3) == 0 {
		return g.constant()
	}
	return g.vars[g.IntN(len(g.vars))]
}

func (g *maker) condition() ir.Value {
	ops := []ir.Op{ir.ULt, ir.SLt, ir.Ne, ir.ULe, ir.Eq}
	return g.b.Cmp(ops[g.IntN(len(ops))], g.operand(), g.operand())
}

// memory is a place in the global or the array.
func (g *maker) memory() ir.Value {
	p := g.b.GlobalAddr("g")
	if g.IntN(2) == 0 {
		p = g.b.PtrAdd(g.b.GlobalAddr("a"), g.b.Op(ir.ZExt, g.m.WordType(), g.operand()))
	}
	return p
}

func (g *maker) statement(depth int) {
	b := g.b
	switch n := g.IntN(12); {
	case n < 5:
		ops := []ir.Op{ir.Add, ir.Add, ir.Sub, ir.And, ir.Xor}
		g.vars[g.IntN(len(g.vars))] = b.Bin(ops[g.IntN(len(ops))], g.operand(), g.operand())
	case n < 6:
		x := b.Load(ir.IntType(8), g.memory())
		g.vars[g.IntN(len(g.vars))] = b.Op(ir.Trunc, ir.IntType(width), x)
	case n < 7:
		b.Store(b.Op(ir.ZExt, ir.IntType(8), g.operand()), g.memory())
	case n < 8:
		b.Call(ir.Type{}, "set", g.operand())
	case n < 9:
		b.Call(ir.Type{}, "verify", g.condition())
	case n < 10:
		b.Check(ir.Assertion, g.condition(), "random")
	case n < 11:
		b.Assume(g.condition())
	default:
		if depth < 2 {
			g.loop(depth)
		}
	}
}

func (g *maker) body(depth int) {
	for range 1 + g.IntN(3) {
		g.statement(depth)
	}
}

// loop is head: if (condition) { body; if (condition) break; body } rest.
func (g *maker) loop(depth int) {
	b := g.b
	before := b.Current()
	head, body, on, out := b.Block("head"), b.Block("body"), b.Block("on"), b.Block("out")
	b.Br(head)
	b.At(head)
	phis := make([]ir.Value, len(g.vars))
	for i, x := range g.vars {
		phis[i] = b.Phi(ir.IntType(width))
		b.AddIncoming(phis[i], x, before)
	}
	copy(g.vars, phis)
	b.CondBr(g.condition(), body, out)
	atHead := append([]ir.Value(nil), g.vars...)
	b.At(body)
	g.body(depth + 1)
	leave := g.IntN(3) == 0
	breaks := append([]ir.Value(nil), g.vars...)
	from := b.Current()
	if leave {
		b.CondBr(g.condition(), out, on)
	} else {
		b.Br(on)
	}
	b.At(on)
	g.body(depth + 1)
	for i, phi := range phis {
		b.AddIncoming(phi, g.vars[i], b.Current())
	}
	b.Br(head)
	b.At(out)
	for i := range g.vars {
		y := b.Phi(ir.IntType(width))
		b.AddIncoming(y, atHead[i], head)
		if leave {
			b.AddIncoming(y, breaks[i], from)
		}
		g.vars[i] = y
	}
}

func loopProgram(seed uint64) *ir.Module {
	m := &ir.Module{PointerBits: 64, Entry: "main", Globals: []*ir.Global{{Name: "g", Size: 1, Align: 1}, {Name: "a", Size: 8, Align: 1}}}
	g := &maker{Rand: rand.New(rand.NewPCG(seed, 5)), m: m}
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
	g.b = ir.NewFunc(m, "main")
	g.b.At(g.b.Block("entry"))
	g.vars = []ir.Value{
		g.b.Nondet(ir.IntType(width), ir.NondetInput, "in"), g.b.Nondet(ir.IntType(width), ir.NondetInput, "in"), g.b.Const(width, g.Uint64N(3)),
	}
	for range 1 + g.IntN(2) {
		g.loop(0)
		g.body(2)
	}
	g.b.Check(ir.Assertion, g.condition(), "at the end")
	g.b.Halt(ir.HaltExit)
	g.b.Done()
	return m
}

// violated runs a program on all inputs.
func violated(t *testing.T, m *ir.Module, kind ir.CheckKind) bool {
	t.Helper()
	for in := range uint64(1 << (2 * width)) {
		found := false
		_, err := interp.Run(context.Background(), m, interp.Options{
			Oracle: inputs{in: in, n: new(int)}, MaxSteps: 20000,
			StopAt: func(e interp.Event) bool {
				found = found || e.Kind == interp.Violation && e.Check == kind
				return found
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if found {
			return true
		}
	}
	return false
}

// inputs answers with the digits of a number.
type inputs struct {
	in uint64
	n  *int
}

func (i inputs) Global(string, uint64) ir.GlobalChoice { return ir.GlobalChoice{} }

func (i inputs) Next(r interp.Request) (ir.Choice, error) {
	c := ir.Choice{Func: r.Func.Name, Value: r.Value}
	if r.Kind == interp.WantValue {
		c.Bits = bv.New(r.Type.Bits, i.in>>(width**i.n))
		*i.n++
	}
	return c, nil
}

// TestRandom has random programs proved, and runs them: no proof may be wrong.
func TestRandom(t *testing.T) {
	proofs, holds, rich := 0, 0, 0
	for seed := range uint64(*loopPrograms) {
		m := loopProgram(seed)
		if err := ir.Verify(m); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, ir.Print(m))
		}
		kind := ir.Assertion
		if seed%4 == 0 {
			kind = ir.InvalidDeref
		}
		r := Prove(t.Context(), m, inference.Options{Targets: []ir.CheckKind{kind}, MaxK: 3})
		bad := violated(t, m, kind)
		if !bad {
			holds++
		}
		if r.Proof == nil {
			continue
		}
		proofs++
		if r.Stats.Kept > 0 || r.Proof.K > 1 {
			rich++
		}
		if bad {
			t.Fatalf("seed %d: proved with k = %d, %v, but a run violates it\n%s", seed, r.Proof.K, r.Proof.Heads, ir.Print(m))
		}
	}
	t.Logf("%d of %d programs hold, %d proved, %d of them with predicates or k > 1", holds, *loopPrograms, proofs, rich)
	if rich < *loopPrograms/50 {
		t.Errorf("only %d proofs need anything", rich)
	}
}

// fill is a program that sets the elements of an array of n bytes, in steps of one, and
// checks one of them; first is where it begins, so that 0 makes the check hold.
func fill(first uint64) *ir.Module {
	m := &ir.Module{PointerBits: 64, Entry: "main"}
	b := ir.NewFunc(m, "main")
	w := m.WordType()
	b.At(b.Block("entry"))
	n := b.Op(ir.ZExt, w, b.Nondet(ir.IntType(32), ir.NondetInput, "in"))
	a := b.Op(ir.Alloca, m.PtrType(), n)
	head, body, out, in, end := b.Block("head"), b.Block("body"), b.Block("out"), b.Block("in"), b.Block("end")
	before := b.Current()
	b.Br(head)
	b.At(head)
	i := b.Phi(w)
	b.AddIncoming(i, b.Const(64, first), before)
	b.CondBr(b.Cmp(ir.ULt, i, n), body, out)
	b.At(body)
	b.Store(b.Const(8, 42), b.PtrAdd(a, i))
	b.AddIncoming(i, b.Bin(ir.Add, i, b.Const(64, 1)), body)
	b.Br(head)
	b.At(out)
	k := b.Op(ir.ZExt, w, b.Nondet(ir.IntType(32), ir.NondetInput, "in"))
	b.CondBr(b.Cmp(ir.ULt, k, n), in, end)
	b.At(in)
	b.Check(ir.Assertion, b.Cmp(ir.Eq, b.Load(ir.IntType(8), b.PtrAdd(a, k)), b.Const(8, 42)), "element")
	b.Br(end)
	b.At(end)
	b.Halt(ir.HaltExit)
	b.Done()
	return m
}

// TestRange: what a loop stores is proved of all elements, unless it leaves one out.
func TestRange(t *testing.T) {
	for first := range uint64(2) {
		m := fill(first)
		if err := ir.Verify(m); err != nil {
			t.Fatal(err)
		}
		r := Prove(t.Context(), m, inference.Options{Targets: []ir.CheckKind{ir.Assertion}, MaxK: 2})
		if (r.Proof != nil) != (first == 0) {
			t.Fatalf("from %d: proof %v, %v", first, r.Proof, r.Why)
		}
		ranged := func(p invariant.Predicate) bool { _, ok := p.(invariant.ForAll); return ok }
		if first == 0 && !slices.ContainsFunc(r.Proof.Heads[0].Predicates, ranged) {
			t.Errorf("the proof needs no range: %+v", r.Proof.Heads[0])
		}
	}
}

// TestEachRandom has the checks of random programs proved on their own.
func TestEachRandom(t *testing.T) {
	proofs, holds, mixed := 0, 0, 0
	programs := *loopPrograms / 4
	for seed := range uint64(programs) {
		m := loopProgram(seed)
		r := ProveEach(t.Context(), m, inference.Options{Targets: []ir.CheckKind{ir.Assertion}, MaxK: 3})
		violated := map[verdict.Site]bool{}
		for in := range uint64(1 << (2 * width)) {
			_, err := interp.Run(context.Background(), m, interp.Options{
				Oracle: inputs{in: in, n: new(int)}, MaxSteps: 20000,
				Observe: func(e interp.Event) {
					if e.Kind == interp.Violation && e.Check == ir.Assertion {
						violated[verdict.Site{Func: e.Func.Name, Value: e.Value, Kind: e.Check}] = true
					}
				},
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		proved := 0
		for _, p := range r.Proofs {
			proved += len(p.Proved)
			for _, x := range p.Proved {
				if violated[x] {
					t.Fatalf("seed %d: proved with k = %d, %v, but a run violates %v\n%s", seed, p.Proof.K, p.Proof.Heads, x, ir.Print(m))
				}
			}
		}
		if proved > 0 && len(violated) > 0 {
			mixed++
		}
		proofs += proved
		for _, x := range r.Open {
			if !violated[x] {
				holds++
			}
		}
	}
	t.Logf("%d proved, %d open that hold, %d programs with both answers", proofs, holds, mixed)
	if mixed < programs/10 {
		t.Errorf("only %d programs with both answers", mixed)
	}
}

// TestCutRuns: a run of a program is a run of the cut one, in which no loop is
// made arbitrary and which has iterations enough.
func TestCutRuns(t *testing.T) {
	for seed := range uint64(60) {
		m := loopProgram(seed)
		loops, err := cut.Loops(m)
		if err != nil {
			t.Fatal(err)
		}
		places := map[*cut.Loop][]cut.Place{}
		for _, c := range guess.Candidates(m, loops) {
			c.Predicate.Each(func(t invariant.Term) { places[c.Loop] = append(places[c.Loop], cut.PlaceOf(t)) })
		}
		program, err := cut.Cut(m, loops, 3, places, nil, []ir.CheckKind{ir.Assertion}, "")
		if err != nil {
			t.Fatal(err)
		}
		cut := program.Module
		if err := ir.Verify(cut); err != nil {
			t.Fatalf("%v\n%s", err, ir.Print(cut))
		}
		for in := range uint64(8) {
			trace := func(m *ir.Module) (s string, end interp.End) {
				out, err := interp.Run(context.Background(), m, interp.Options{Oracle: plain{inputs{in: in * 11, n: new(int)}}, MaxSteps: 400, Observe: func(e interp.Event) {
					if e.Kind == interp.Violation && e.Check == ir.Assertion {
						s += fmt.Sprintln(e.Func.Name, e.Text, e.Value)
					}
				}})
				if err != nil {
					t.Fatal(err)
				}
				return s, out.End
			}
			want, end := trace(m)
			got, cutEnd := trace(cut)
			if end == interp.Halted && cutEnd == interp.Halted && got != want {
				t.Fatalf("seed %d, input %d: the cut program violates\n%swant\n%s", seed, in, got, want)
			}
			if len(got) > len(want) && end == interp.Halted {
				t.Fatalf("seed %d, input %d: the cut program violates\n%smore than\n%s", seed, in, got, want)
			}
		}
	}
}

// plain answers the choices of the program, and makes no loop arbitrary.
type plain struct{ inner inputs }

func (p plain) Global(n string, s uint64) ir.GlobalChoice { return p.inner.Global(n, s) }

func (p plain) Next(r interp.Request) (ir.Choice, error) {
	if r.Kind == interp.WantValue && r.Func.Def(r.Value).Sym != "in" {
		return ir.Choice{Func: r.Func.Name, Value: r.Value, Bits: bv.New(r.Type.Bits, 0)}, nil
	}
	return p.inner.Next(r)
}
