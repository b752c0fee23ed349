package lasso

import (
	"context"
	"fmt"
	"slices"

	"assay/internal/bv"
	"assay/internal/ir"
	"assay/internal/verdict"
)

// This file asks bounded model checking for a run that comes back to a state, where
// guessing inputs does not help [2LS §6.3]. The question becomes an assertion: at each
// loop head the program chooses whether to remember the state, once, and fails a check
// when it is there again. A violation is a candidate only; Confirm decides.
//
// The state is that of the phis of the loop and the loops around it, and of small
// globals; what is remembered ends when the function is left or an outer loop goes
// around. More memory is not compared: if it matters, the candidate fails.

// lassoName begins the names of what is added.
const lassoName = "assay.lasso."

// Question is the program with the assertions.
type Question struct {
	Module *ir.Module
	m      *ir.Module
	// remember are the instructions that choose to remember the state, by the text
	// of the check.
	remember map[string]site
	fair     bool
}

// Target is the kind of the assertions.
const Target = ir.Assertion

// cell is a part of the state: a value at the head, or the content of a global.
type cell struct {
	v    ir.Value // or
	from *ir.Global
	t    ir.Type
}

// Ask builds the question for a program.
func Ask(m *ir.Module) *Question { return ask(m, false) }

// AskFair asks for a run that executes ir.Accept since the state was remembered: a byte in
// memory says so, which the instruction sets and the head clears when it remembers.
func AskFair(m *ir.Module) *Question { return ask(m, true) }

func ask(m *ir.Module, fair bool) *Question {
	c := *m
	c.Globals = slices.Clone(m.Globals)
	c.Funcs = slices.Clone(m.Funcs)
	q := &Question{Module: &c, m: m, remember: map[string]site{}, fair: fair}
	for i, f := range m.Funcs {
		if !f.IsDecl() {
			c.Funcs[i] = q.function(f)
		}
		if fair {
			c.Funcs[i] = q.accepting(c.Funcs[i])
		}
	}
	return q
}

// function adds the questions for the loops of a function.
func (q *Question) function(old *ir.Func) *ir.Func {
	g := *old
	f := &g
	f.Values = slices.Clone(old.Values)
	f.Blocks = slices.Clone(old.Blocks)
	always := q.define(f, ir.Def{Op: ir.Const, Type: ir.IntType(1), Const: bv.New(1, 1)})
	for v := range f.Values {
		if d := &f.Values[v]; d.Op == ir.Check && ir.CheckKind(d.Aux) == Target {
			d.Args = []ir.Value{always}
		}
	}
	w, dom := ir.NewWTO(f), ir.Dominators(f)
	for _, h := range w.Blocks {
		if !w.IsHead(h) {
			continue
		}
		var cells []cell
		for _, outer := range w.Heads[h] {
			if !dom.Dominates(outer, h) {
				continue
			}
			for _, v := range f.Blocks[outer].Instrs {
				if f.Def(v).Op != ir.Phi {
					break
				}
				cells = append(cells, cell{v: v, t: f.Def(v).Type})
			}
		}
		for _, x := range q.m.Globals {
			if n := x.Size; !x.Constant && !x.Layout.Pointers && (n == 1 || n == 2 || n == 4 || n == 8) {
				cells = append(cells, cell{from: x, t: ir.IntType(uint32(8 * n))})
			}
		}
		var inner []ir.BlockID
		for _, b := range w.Component(h) {
			if b != h && w.IsHead(b) {
				inner = append(inner, b)
			}
		}
		q.head(f, h, cells, inner)
	}
	e := &inserter{q: q, f: f, b: 1}
	for _, h := range w.Blocks {
		if w.IsHead(h) {
			e.store(e.number(8, 0), q.global(flag(f, h), 1))
		}
	}
	e.done()
	return f
}

// acceptedName is the byte that Accept sets.
const acceptedName = lassoName + "accepted"

// accepting lets each Accept of a function set the byte.
func (q *Question) accepting(old *ir.Func) *ir.Func {
	g := *old
	f := &g
	f.Values = slices.Clone(old.Values)
	f.Blocks = slices.Clone(old.Blocks)
	for b := range f.Blocks {
		var list []ir.Value
		for _, v := range f.Blocks[b].Instrs {
			list = append(list, v)
			if f.Def(v).Op == ir.Accept {
				e := &inserter{q: q, f: f, b: ir.BlockID(b)}
				e.store(e.number(8, 1), q.global(acceptedName, 1))
				list = append(list, e.new...)
			}
		}
		f.Blocks[b].Instrs = list
	}
	return f
}

func flag(f *ir.Func, h ir.BlockID) string { return fmt.Sprint(lassoName, f.Name, ".", h) }

// head adds the question for one loop.
func (q *Question) head(f *ir.Func, h ir.BlockID, cells []cell, inner []ir.BlockID) {
	name := flag(f, h)
	e := &inserter{q: q, f: f, b: h}
	boolean, byte8 := ir.IntType(1), ir.IntType(8)
	choice := e.op(ir.Nondet, boolean)
	f.Values[choice].Sym, f.Values[choice].Aux = name, int64(ir.NondetInput)
	q.remember[name] = site{f, choice}
	address := q.global(name, 1)
	old := e.op(ir.Load, byte8, e.global(address))
	saved := e.op(ir.Ne, boolean, old, e.number(8, 0))
	not := func(x ir.Value) ir.Value { return e.op(ir.Xor, boolean, x, e.number(1, 1)) }
	take := e.op(ir.And, boolean, choice, not(saved))
	same := saved
	for i, c := range cells {
		t, now := c.t, c.v
		if c.from != nil {
			now = e.op(ir.Load, t, e.global(c.from.Name))
		} else if t.Kind == ir.Float {
			t = ir.IntType(t.Bits)
			now = e.op(ir.BitCast, t, now)
		}
		place := q.global(fmt.Sprint(name, ".", i), t.Size())
		before := e.op(ir.Load, t, e.global(place))
		same = e.op(ir.And, boolean, same, e.op(ir.Eq, boolean, now, before))
		e.store(e.op(ir.Select, t, take, now, before), place)
	}
	if q.fair {
		accepted := q.global(acceptedName, 1)
		set := e.op(ir.Load, byte8, e.global(accepted))
		same = e.op(ir.And, boolean, same, e.op(ir.Ne, boolean, set, e.number(8, 0)))
		e.store(e.op(ir.Select, byte8, take, e.number(8, 0), set), accepted)
	}
	check := e.op(ir.Check, ir.Type{}, not(same))
	f.Values[check].Aux, f.Values[check].Sym = int64(Target), name
	e.store(e.op(ir.Select, byte8, take, e.number(8, 1), old), address)
	for _, b := range inner {
		e.store(e.number(8, 0), q.global(flag(f, b), 1))
	}
	e.done()
}

// define adds a value.
func (q *Question) define(f *ir.Func, d ir.Def) ir.Value {
	f.Values = append(f.Values, d)
	return ir.Value(len(f.Values) - 1)
}

// global names a global variable, which is made if it is not there.
func (q *Question) global(name string, size uint64) string {
	for _, g := range q.Module.Globals {
		if g.Name == name {
			return name
		}
	}
	q.Module.Globals = append(q.Module.Globals, &ir.Global{Name: name, Size: size, Align: size})
	return name
}

// inserter collects instructions to stand after the phis of a block.
type inserter struct {
	q   *Question
	f   *ir.Func
	b   ir.BlockID
	new []ir.Value
}

func (e *inserter) op(op ir.Op, t ir.Type, args ...ir.Value) ir.Value {
	v := e.q.define(e.f, ir.Def{Op: op, Type: t, Args: args, Block: e.b})
	e.new = append(e.new, v)
	return v
}

func (e *inserter) number(bits uint32, n uint64) ir.Value {
	return e.q.define(e.f, ir.Def{Op: ir.Const, Type: ir.IntType(bits), Const: bv.New(bits, n)})
}

func (e *inserter) global(name string) ir.Value {
	return e.q.define(e.f, ir.Def{Op: ir.GlobalAddr, Type: e.q.m.PtrType(), Sym: name})
}

func (e *inserter) store(x ir.Value, name string) { e.op(ir.Store, ir.Type{}, x, e.global(name)) }

// done puts the instructions into the block.
func (e *inserter) done() {
	b := &e.f.Blocks[e.b]
	i := 0
	for e.f.Def(b.Instrs[i]).Op == ir.Phi {
		i++
	}
	b.Instrs = slices.Concat(b.Instrs[:i], e.new, b.Instrs[i:])
}

const (
	// The decisions of a period are repeated, so that the interpreter, which saves states
	// at powers of two, sees the state come back: at least minRepetitions times, and three
	// times as long as the stem, but at most maxRepetitions times.
	minRepetitions = 8
	maxRepetitions = 1 << 10
	// maxPeriods bounds the places where the period of an answer may begin.
	maxPeriods = 16
)

// Answer turns a violation of the question into a run of the program that comes back to
// a state. The error is that of the context.
func (q *Question) Answer(ctx context.Context, v verdict.False) (e *verdict.False, why string, err error) {
	remember, ok := q.remember[v.Violation.Text]
	if !ok {
		return nil, "the answer is to another question", nil
	}
	in := ir.Input{Globals: map[string]ir.GlobalChoice{}}
	for name, g := range v.Input.Globals {
		if q.m.Global(name) != nil && g.Bytes != nil {
			in.Globals[name] = ir.GlobalChoice{Bytes: g.Bytes}
		}
	}
	var starts []int
	for _, c := range v.Input.Choices {
		if f := q.m.Func(c.Func); int(c.Value) < len(f.Values) {
			c.Base = 0
			in.Choices = append(in.Choices, c)
		} else if c.Func == remember.f.Name && c.Value == remember.v && c.Bits.IsTrue() {
			starts = append(starts, len(in.Choices))
		}
	}
	why = "no state comes back"
	if len(starts) > maxPeriods {
		starts = starts[:maxPeriods]
	}
	for _, at := range starts {
		long, period := in, in.Choices[at:]
		long.Choices = slices.Clone(in.Choices)
		for range min(minRepetitions+3*at/max(1, len(period)), maxRepetitions) {
			long.Choices = append(long.Choices, period...)
		}
		if e, why, err = confirm(ctx, q.m, long, q.fair); e != nil || err != nil {
			return e, why, err
		}
	}
	return nil, why, nil
}
