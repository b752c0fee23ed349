package certify

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/big"
	"math/rand"
	"testing"
	"time"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// This file tests Induction with random programs and certificates: whatever is
// accepted must be true, the claim and every predicate, on all runs up to some
// length (or as many as time allows).

var inductions = flag.Int("inductions", 100, "random programs with loops to check inductions of")

var inductionSeed = flag.Int64("inductionseed", 0, "seed of the first of them")

// looping generates programs over three variables of 3 bits, in which most
// loops do not end by themselves.
type looping struct {
	*program
	vars  [3]ir.Value
	loops []*loopEnds
	local ir.Value // an object for a local variable
	// callees are functions that may be called, with a number and a pointer.
	callees []string
}

// loopEnds are the ways out of a loop under construction.
type loopEnds struct {
	latch, exit         ir.BlockID
	latchPhis, exitPhis [3]ir.Value
}

var i3 = ir.IntType(3)

const bytesOfM = 8

func loopModule(seed int64) *ir.Module {
	p := &looping{program: &program{rng: rand.New(rand.NewSource(seed))}}
	p.m = &ir.Module{PointerBits: 64, Entry: "main", Files: []string{"random.c"}}
	p.m.Globals = append(p.m.Globals,
		&ir.Global{Name: "m", Size: bytesOfM, Align: 8, Layout: ir.Layout{Cell: 1}},
		&ir.Global{Name: "big", Size: 128, Align: 8, Layout: ir.Layout{Cell: 1}},
		&ir.Global{Name: "table", Size: 128, Align: 8, Constant: true, Init: make([]byte, 128), Layout: ir.Layout{Cell: 1}},
	)
	if p.rng.Intn(2) == 0 {
		b := ir.NewFunc(p.m, "f", i3)
		p.b = b
		x, q := b.Param(i3), b.Param(p.m.PtrType())
		b.At(b.Block("entry"))
		p.vars = [3]ir.Value{x, b.Const(3, 0), b.Const(3, 1)}
		p.mems = []ir.Value{q, b.GlobalAddr("m")}
		p.size = 3 + p.rng.Intn(4)
		p.body()
		b.Ret(p.vars[p.rng.Intn(3)])
		b.Done()
		p.callees = append(p.callees, "f")
	}
	p.main()
	return p.m
}

// main adds the entry function.
func (p *looping) main() {
	b := ir.NewFunc(p.m, "main")
	p.b = b
	b.At(b.Block("entry"))
	p.vars = [3]ir.Value{b.Const(3, 0), b.Const(3, uint64(p.rng.Intn(8))), b.Const(3, 0)}
	if p.rng.Intn(3) == 0 {
		p.vars[2] = b.Nondet(i3, ir.NondetInput, "n")
	}
	a := b.Alloca(bytesOfM, 8)
	b.Emit(ir.Def{Op: ir.MemSet, Args: []ir.Value{a, b.Const(8, 0), b.Word(bytesOfM)}})
	p.mems = []ir.Value{a, b.GlobalAddr("m")}
	p.local = b.Alloca(1, 1)
	p.size = 6 + p.rng.Intn(12)
	p.loop()
	p.body()
	p.check()
	b.Halt(ir.HaltExit)
	b.Done()
}

func (p *looping) body() {
	for n := 1 + p.rng.Intn(4); n > 0 && p.size > 0; n-- {
		p.size--
		p.statement()
	}
}

func (p *looping) any() ir.Value { return p.vars[p.rng.Intn(3)] }

func (p *looping) operand() ir.Value {
	if p.rng.Intn(2) == 0 {
		return p.b.Const(3, uint64(p.rng.Intn(8)))
	}
	return p.any()
}

func (p *looping) cond() ir.Value {
	if p.rng.Intn(2) == 0 {
		return p.b.Nondet(i1, ir.NondetInput, "c")
	}
	return p.b.Cmp([]ir.Op{ir.Eq, ir.Ne, ir.ULt, ir.SLe}[p.rng.Intn(4)], p.any(), p.operand())
}

func (p *looping) check() {
	b := p.b
	b.SetPos(ir.Pos{File: 0, Line: 1000, Col: 1})
	b.Check(ir.Assertion, b.Cmp([]ir.Op{ir.Ne, ir.Ne, ir.Ne, ir.ULe, ir.Eq}[p.rng.Intn(5)], p.any(), p.operand()), "random")
	b.SetPos(ir.Pos{})
}

func (p *looping) place() ir.Value {
	b := p.b
	q := p.mems[p.rng.Intn(len(p.mems))]
	switch p.rng.Intn(4) {
	case 0:
		return b.PtrAdd(q, b.Op(ir.ZExt, i64, p.any()))
	case 1:
		return b.PtrAdd(b.Select(p.cond(), q, p.mems[p.rng.Intn(len(p.mems))]), b.Word(uint64(p.rng.Intn(2))))
	}
	return b.PtrAdd(q, b.Word(uint64(p.rng.Intn(3))))
}

func (p *looping) statement() {
	b := p.b
	k := p.rng.Intn(3)
	switch p.rng.Intn(20) {
	case 0, 1, 2:
		p.vars[k] = b.Bin([]ir.Op{ir.Add, ir.Add, ir.Sub, ir.Xor, ir.And, ir.Or}[p.rng.Intn(6)], p.any(), p.operand())
	case 3:
		p.vars[k] = b.Bin(ir.Add, p.vars[k], b.Const(3, 2))
	case 4, 5:
		b.Store(b.Op(ir.ZExt, i8, p.any()), p.place())
	case 6, 7:
		p.vars[k] = b.Op(ir.Trunc, i3, b.Load(i8, p.place()))
	case 8:
		b.Emit(ir.Def{Op: ir.MemCpy, Args: []ir.Value{p.place(), p.place(), b.Word(uint64(1 + p.rng.Intn(3)))}})
	case 9, 10:
		p.check()
	case 11, 12:
		p.loop()
	case 13, 14:
		p.branch()
	case 15: // leave or continue a loop around
		if len(p.loops) > 0 {
			p.jump(p.loops[p.rng.Intn(len(p.loops))], p.rng.Intn(2) == 0)
		}
	case 16:
		if len(p.callees) > 0 {
			p.vars[k] = b.Call(i3, p.callees[p.rng.Intn(len(p.callees))], p.any(), p.mems[p.rng.Intn(len(p.mems))])
		}
	case 17: // large arrays
		at := b.Op(ir.ZExt, i64, b.Bin(ir.And, b.Nondet(i8, ir.NondetInput, "at"), b.Const(8, 127)))
		switch p.rng.Intn(3) {
		case 0:
			b.Store(b.Op(ir.ZExt, i8, p.any()), b.PtrAdd(b.GlobalAddr("big"), at))
		case 1:
			p.vars[k] = b.Op(ir.Trunc, i3, b.Load(i8, b.PtrAdd(b.GlobalAddr("big"), at)))
		default:
			p.vars[k] = b.Op(ir.Trunc, i3, b.Load(i8, b.PtrAdd(b.GlobalAddr("table"), at)))
		}
	case 18: // a local variable of the block
		o := p.local
		if o == 0 {
			return
		}
		b.Op(ir.LifetimeStart, ir.Type{}, o)
		b.Store(b.Op(ir.ZExt, i8, p.any()), o)
		p.vars[k] = b.Op(ir.Trunc, i3, b.Load(i8, o))
		if p.rng.Intn(3) > 0 {
			b.Op(ir.LifetimeEnd, ir.Type{}, o)
		}
	case 19: // a pointer in memory, or a block of the heap
		if p.rng.Intn(2) == 0 {
			o := b.Emit(ir.Def{Op: ir.Malloc, Type: p.m.PtrType(), Args: []ir.Value{b.Word(bytesOfM)}})
			b.Store(b.Op(ir.ZExt, i8, p.any()), o)
			p.vars[k] = b.Op(ir.Trunc, i3, b.Load(i8, o))
			if p.rng.Intn(4) > 0 {
				b.Op(ir.Free, ir.Type{}, o)
			}
		} else {
			b.Assume(b.Cmp(ir.Ne, p.any(), p.operand()))
		}
	}
}

func (p *looping) branch() {
	b := p.b
	then, els, join := b.Block("then"), b.Block("else"), b.Block("join")
	b.CondBr(p.cond(), then, els)
	before := p.vars
	b.At(then)
	p.body()
	x, from := p.vars, b.Current()
	b.Br(join)
	b.At(els)
	p.vars = before
	p.body()
	y, other := p.vars, b.Current()
	b.Br(join)
	b.At(join)
	for i := range p.vars {
		p.vars[i] = b.Phi(i3)
		b.AddIncoming(p.vars[i], x[i], from)
		b.AddIncoming(p.vars[i], y[i], other)
	}
}

func (p *looping) phis() (v [3]ir.Value) {
	for i := range v {
		v[i] = p.b.Phi(i3)
	}
	return v
}

func (p *looping) incoming(phis [3]ir.Value) {
	for i, v := range phis {
		p.b.AddIncoming(v, p.vars[i], p.b.Current())
	}
}

// jump goes to the latch or the exit of a loop, or goes on.
func (p *looping) jump(l *loopEnds, leave bool) {
	b := p.b
	away, on := b.Block("away"), b.Block("on")
	b.CondBr(p.cond(), away, on)
	b.At(away)
	if leave {
		p.incoming(l.exitPhis)
		b.Br(l.exit)
	} else {
		p.incoming(l.latchPhis)
		b.Br(l.latch)
	}
	b.At(on)
}

func (p *looping) loop() {
	b := p.b
	if len(p.loops) > 1 {
		return
	}
	l := &loopEnds{}
	head := b.Block("head")
	l.latch, l.exit = b.Block("latch"), b.Block("exit")
	before := p.b.Current()
	b.At(l.latch)
	l.latchPhis = p.phis()
	b.At(l.exit)
	l.exitPhis = p.phis()
	b.At(before)
	b.Br(head)
	b.At(head)
	b.SetPos(ir.Pos{File: 0, Line: int32(head), Col: 1})
	phis := p.phis()
	b.SetPos(ir.Pos{})
	for i, v := range phis {
		b.AddIncoming(v, p.vars[i], before)
	}
	p.vars = phis
	p.loops = append(p.loops, l)
	if p.rng.Intn(4) > 0 {
		p.jump(l, true)
	}
	p.body()
	p.incoming(l.latchPhis)
	b.Br(l.latch)
	b.At(l.latch)
	p.vars = l.latchPhis
	p.loops = p.loops[:len(p.loops)-1]
	for i, v := range phis {
		b.AddIncoming(v, p.vars[i], l.latch)
	}
	for i, v := range l.exitPhis {
		b.AddIncoming(v, p.vars[i], l.latch)
	}
	b.CondBr(b.Nondet(i1, ir.NondetInput, "again"), head, l.exit)
	b.At(l.exit)
	p.vars = l.exitPhis
}

// randomHeads makes up predicates for all loop heads.
func randomHeads(rng *rand.Rand, m *ir.Module, most int) (heads []invariant.Head) {
	for _, f := range m.Funcs {
		if f.IsDecl() {
			continue
		}
		l := newForest(f)
		for b := range f.Blocks {
			if b == 0 || !l.isHead(ir.BlockID(b)) {
				continue
			}
			h := invariant.Head{Func: f.Name, Head: ir.BlockID(b)}
			for range rng.Intn(most + 1) {
				h.Predicates = append(h.Predicates, randomPredicate(rng, f, ir.BlockID(b)))
			}
			if call := callOf(rng, m, f); call != 0 && rng.Intn(2) == 0 {
				h.Calls = []invariant.Call{{Func: m.Entry, Value: call}}
			}
			for range rng.Intn(most + 1) {
				h.Clauses = append(h.Clauses, randomClause(rng, m, f, ir.BlockID(b), h.Calls))
			}
			heads = append(heads, h)
		}
	}
	return heads
}

func randomPredicate(rng *rand.Rand, f *ir.Func, head ir.BlockID) invariant.Predicate {
	p := invariant.Comparison{Relation: invariant.Relation(rng.Intn(3))}
	if p.Relation == invariant.Congruent {
		p.Modulus = uint64(2 + rng.Intn(3))
	}
	for range 1 + rng.Intn(2) {
		t := invariant.Term{Coeff: int64(rng.Intn(5) - 2), Signed: rng.Intn(2) == 0}
		if v := cellOf(rng, f); v != 0 && rng.Intn(3) == 0 {
			t.Value, t.Cell, t.Offset, t.Bits = v, true, uint64(rng.Intn(3)), 8
		} else {
			t.Value = f.Blocks[head].Instrs[rng.Intn(3)]
			if f.Values[t.Value].Type.Kind != ir.Int {
				continue
			}
			t.Bits = f.Values[t.Value].Type.Bits
		}
		p.Terms = append(p.Terms, t)
	}
	p.Bound = big.NewInt(int64(rng.Intn(14) - 5))
	if array := cellOf(rng, f); array != 0 && rng.Intn(3) == 0 {
		// Elements of a range, which depends on the same values.
		bound := func() invariant.Sum {
			s := invariant.Sum{Const: big.NewInt(int64(rng.Intn(5) - 1))}
			if len(p.Terms) > 0 && rng.Intn(2) == 0 {
				s.Terms = append(s.Terms, p.Terms[rng.Intn(len(p.Terms))])
			}
			return s
		}
		all := invariant.ForAll{Range: invariant.Range{From: bound(), To: bound()}}
		e := invariant.Term{Coeff: int64(rng.Intn(3) - 1), Value: array, Cell: true, Bits: 8, Stride: uint64(1 + rng.Intn(2)), Offset: uint64(rng.Intn(3)), Signed: rng.Intn(2) == 0}
		p.Terms = append(p.Terms[:rng.Intn(len(p.Terms)+1):len(p.Terms)], e)
		if rng.Intn(2) == 0 {
			p.Terms = append(p.Terms, invariant.Term{Coeff: int64(rng.Intn(3) - 1), Index: true, Bits: 64, Signed: true})
		}
		all.Body = p
		return all
	}
	return p
}

// callOf is a call of f in the entry function, 0 if there is none.
func callOf(rng *rand.Rand, m *ir.Module, f *ir.Func) ir.Value {
	var list []ir.Value
	for v, d := range m.Func(m.Entry).Values {
		if d.Op == ir.Call && d.Sym == f.Name {
			list = append(list, ir.Value(v))
		}
	}
	if len(list) == 0 {
		return 0
	}
	return list[rng.Intn(len(list))]
}

// randomClause makes up a clause, with values of the caller if the call is known.
func randomClause(rng *rand.Rand, m *ir.Module, f *ir.Func, head ir.BlockID, calls []invariant.Call) (c invariant.Clause) {
	for range 1 + rng.Intn(3) {
		l := invariant.Literal{Negated: rng.Intn(3) > 0}
		if v := cellOf(rng, f); v != 0 && rng.Intn(3) == 0 {
			l.Term = invariant.Term{Value: v, Cell: true, Offset: uint64(rng.Intn(3)), Bits: 8}
		} else if g := m.Func(m.Entry); len(calls) > 0 && rng.Intn(2) == 0 {
			dom := ir.Dominators(g)
			var known []ir.Value
			for v := range g.Values {
				d := &g.Values[v]
				if d.Type == i3 && d.Op != ir.OpInvalid && definedAt(g, dom, d, g.Def(calls[0].Value).Block, calls[0].Value) {
					known = append(known, ir.Value(v))
				}
			}
			if len(known) == 0 {
				continue
			}
			l.Term = invariant.Term{Value: known[rng.Intn(len(known))], Bits: 3, Up: 1}
		} else {
			v := f.Blocks[head].Instrs[rng.Intn(3)]
			if f.Values[v].Type.Kind != ir.Int {
				continue
			}
			l.Term = invariant.Term{Value: v, Bits: f.Values[v].Type.Bits}
		}
		l.Bit = uint32(rng.Intn(int(min(l.Term.Bits, 3))))
		c = append(c, l)
	}
	return c
}

// cellOf is the address of a global, or the alloca of the entry block.
func cellOf(rng *rand.Rand, f *ir.Func) ir.Value {
	var list []ir.Value
	for v := range f.Values {
		if d := &f.Values[v]; d.Op == ir.GlobalAddr && d.Sym != "table" || d.Op == ir.Alloca && d.Block == 1 {
			list = append(list, ir.Value(v))
		}
	}
	if len(list) == 0 {
		return 0
	}
	return list[rng.Intn(len(list))]
}

// thin takes predicates out of a certificate until it is accepted or rejected for
// another reason.
func thin(ctx context.Context, m *ir.Module, o Options, cert *verdict.Induction) error {
	for {
		_, err := Induction(ctx, m, o, cert)
		var r ErrRejected
		n := 0
		if !errors.As(err, &r) {
			return err
		}
		if k, _ := fmt.Sscanf(r.What, "invariant: clause %d", &n); k == 1 {
			for i := range cert.Heads {
				h := &cert.Heads[i]
				if h.Func == r.Func && int32(h.Head) == r.Pos.Line && n <= len(h.Clauses) {
					h.Clauses = append(h.Clauses[:n-1:n-1], h.Clauses[n:]...)
				}
			}
			continue
		}
		if loosen(cert, r.What) {
			continue
		}
		if k, _ := fmt.Sscanf(r.What, "invariant: predicate %d", &n); k != 1 {
			return err
		}
		for i := range cert.Heads {
			if h := &cert.Heads[i]; h.Func == r.Func && int32(h.Head) == r.Pos.Line {
				if n > len(h.Predicates) {
					return fmt.Errorf("no predicate %d", n)
				}
				h.Predicates = append(h.Predicates[:n-1:n-1], h.Predicates[n:]...)
			}
		}
	}
}

// choices decides runs one after the other so that all are made in the end: the
// last decision that has another choice is changed.
type choices struct {
	rng   *rand.Rand // if set, decisions beyond the prefix are random
	taken []int
	of    []int
	at    int
}

func (c *choices) Global(string, uint64) ir.GlobalChoice { return ir.GlobalChoice{} }

func (c *choices) Next(r interp.Request) (ir.Choice, error) {
	x := ir.Choice{Func: r.Func.Name, Value: r.Value}
	if r.Kind != interp.WantValue {
		return x, nil
	}
	n := 8
	if r.Type.Bits < 3 {
		n = 1 << r.Type.Bits
	}
	if c.at == len(c.taken) {
		k := 0
		if c.rng != nil {
			k = c.rng.Intn(n)
		}
		c.taken, c.of = append(c.taken, k), append(c.of, n)
	}
	x.Bits = bv.New(r.Type.Bits, uint64(c.taken[c.at]))
	c.at++
	return x, nil
}

// next prepares the next run; false if there is none.
func (c *choices) next() bool {
	c.at = 0
	for n := len(c.taken); n > 0; n-- {
		if c.taken[n-1]++; c.taken[n-1] < c.of[n-1] {
			c.taken, c.of = c.taken[:n], c.of[:n]
			return true
		}
	}
	return false
}

// rangeHolds evaluates a quantified predicate.
func rangeHolds(p invariant.ForAll, s interp.State) bool {
	sum := func(ts []invariant.Term, k int64) (n *big.Int, there bool) {
		n, there = new(big.Int), true
		for _, t := range ts {
			x := bv.New(64, uint64(k))
			if !t.Index {
				x = s.Value(t.Value)
			}
			if t.Cell {
				bytes, ok := s.Memory(x.Uint64()+t.Offset+t.Stride*uint64(k), uint64(t.Bits+7)/8)
				if !ok {
					return n, false
				}
				x = bv.FromBytes(bytes).Extract(t.Bits-1, 0)
			}
			y := x.Unsigned()
			if t.Signed {
				y = x.Signed()
			}
			n.Add(n, y.Mul(y, big.NewInt(t.Coeff)))
		}
		return n, there
	}
	from, ok := sum(p.Range.From.Terms, 0)
	to, ok2 := sum(p.Range.To.Terms, 0)
	if !ok || !ok2 {
		return true
	}
	from, to = from.Add(from, p.Range.From.Const), to.Add(to, p.Range.To.Const)
	for k := from.Int64(); k < to.Int64(); k++ {
		if n, there := sum(p.Body.Terms, k); there && !p.Body.Compare(n) {
			return false
		}
	}
	return true
}

// refute looks for a run that an accepted certificate excludes.
func refute(t *testing.T, m *ir.Module, o Options, cert *verdict.Induction, runs int, seed int64) string {
	t.Helper()
	target := map[ir.CheckKind]bool{}
	for _, k := range o.Targets {
		target[k] = true
	}
	heads := map[headKey][]invariant.Predicate{}
	for _, h := range cert.Heads {
		heads[headKey{h.Func, h.Head}] = append(heads[headKey{h.Func, h.Head}], h.Predicates...)
	}
	clauses := map[headKey][]invariant.Head{}
	for _, h := range cert.Heads {
		clauses[headKey{h.Func, h.Head}] = append(clauses[headKey{h.Func, h.Head}], h)
	}
	broken := ""
	var begun []begun
	observe := func(e interp.Event) bool {
		switch e.Kind {
		case interp.Enter, interp.Leave:
			begun = exchanged(cert, begun, e, &broken)
		case interp.Violation:
			if target[e.Check] {
				broken = fmt.Sprintf("%s at %%%d of %s", e.Check, e.Value, e.Func.Name)
			}
		case interp.BlockEntered:
			for _, h := range clauses[headKey{e.Func.Name, e.Block}] {
				if len(h.Calls) > 0 && e.State.CallSite() != h.Calls[0].Value {
					continue
				}
				for i, c := range h.Clauses {
					if !clauseHolds(e.State, c) {
						broken = fmt.Sprintf("clause %d of block %d of %s", i+1, e.Block, e.Func.Name)
					}
				}
			}
			for i, p := range heads[headKey{e.Func.Name, e.Block}] {
				if all, ok := p.(invariant.ForAll); ok {
					if !rangeHolds(all, e.State) {
						broken = fmt.Sprintf("predicate %d of block %d of %s", i+1, e.Block, e.Func.Name)
					}
					continue
				}
				holds := invariant.Holds(p, func(x invariant.Term, _ int64) (bv.BV, bool) {
					v := e.State.Value(x.Value)
					if !x.Cell {
						return v, true
					}
					bytes, ok := e.State.Memory(v.Uint64()+x.Offset, uint64(x.Bits+7)/8)
					if !ok {
						return v, false
					}
					return bv.FromBytes(bytes).Extract(x.Bits-1, 0), true
				}, 0)
				if !holds {
					broken = fmt.Sprintf("predicate %d of block %d of %s", i+1, e.Block, e.Func.Name)
				}
			}
		}
		return broken != ""
	}
	program, err := interp.Compile(m)
	if err != nil {
		t.Fatal(err)
	}
	all, random := &choices{}, rand.New(rand.NewSource(seed))
	for n := range runs {
		c := all
		if n%2 == 1 {
			c = &choices{rng: random}
		}
		begun = begun[:0]
		if _, err := program.Run(context.Background(), interp.Options{Oracle: c, MaxSteps: 400, Blocks: true, StopAt: observe}); err != nil {
			t.Fatal(err)
		}
		if broken != "" {
			return fmt.Sprintf("%s with the choices %v", broken, c.taken)
		}
		if n%2 == 0 && !all.next() {
			return ""
		}
	}
	return ""
}

// clauseHolds evaluates a clause at a head.
func clauseHolds(s interp.State, c invariant.Clause) bool {
	for _, l := range c {
		var v bv.BV
		if l.Term.Up > 0 {
			v = s.CallerValue(l.Term.Value)
		} else {
			v = s.Value(l.Term.Value)
		}
		if l.Term.Cell {
			bytes, ok := s.Memory(v.Uint64()+l.Term.Offset, 1)
			if !ok {
				return true
			}
			v = bv.FromBytes(bytes)
		}
		if v.Bit(l.Bit) != l.Negated {
			return true
		}
	}
	return false
}

// TestInductionRandom has random certificates of random programs thinned out
// until they are accepted, and looks for runs that refute them.
func TestInductionRandom(t *testing.T) {
	accepted, predicates, incomplete := 0, 0, map[string]int{}
	for n := range int64(*inductions) {
		seed := *inductionSeed + n
		m := loopModule(seed)
		if err := ir.Verify(m); err != nil {
			t.Fatalf("%d: %v\n%s", seed, err, ir.Print(m))
		}
		rng := rand.New(rand.NewSource(seed))
		o := Options{Targets: []ir.CheckKind{ir.Assertion}, All: rng.Intn(4) == 0, Engine: []string{"", "z3"}[rng.Intn(2)]}
		if rng.Intn(3) == 0 {
			o.Targets = []ir.CheckKind{ir.InvalidDeref, ir.InvalidFree, ir.MemCleanup}[:2+rng.Intn(2)]
		}
		if seed%2 == 0 {
			o.pieces = []int{5, 25}
		}
		cert := &verdict.Induction{K: rng.Intn(4), Heads: randomHeads(rng, m, 6)}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		err := thin(ctx, m, o, cert)
		late := ctx.Err() != nil
		cancel()
		var r ErrRejected
		var i ErrIncomplete
		switch {
		case err == nil:
			accepted++
			for _, h := range cert.Heads {
				predicates += len(h.Predicates) + len(h.Clauses)
			}
			if why := refute(t, m, o, cert, 200, seed); why != "" {
				t.Errorf("%d: accepted with k %d, but %s\n%+v\n%s", seed, cert.K, why, cert.Heads, ir.Print(m))
			}
		case late:
			incomplete["late"]++
		case errors.As(err, &i):
			incomplete[i.Why[:min(len(i.Why), 40)]]++
		case !errors.As(err, &r):
			t.Errorf("%d: %v", seed, err)
		}
	}
	t.Logf("%d of %d accepted, with %d predicates; %v", accepted, *inductions, predicates, incomplete)
	if *inductions >= 100 && accepted < *inductions/20 {
		t.Error("too few are accepted for this test to mean anything")
	}
}
