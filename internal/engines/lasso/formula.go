package lasso

import (
	"context"
	"fmt"
	"slices"

	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// This file asks bounded model checking for a run that comes back to a state, where
// guessing inputs does not help [2LS §6.3]. The question becomes an assertion: at each
// loop head the program chooses whether to remember the state, once, and fails a check
// when it is there again. A violation is a candidate only; Confirm decides.
//
// The state is that of the phis of the loop and the loops around it, of small
// globals and local variables, and of what the loop reads through pointers that it does not
// change; what is remembered ends when the function is left or an outer loop goes
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

// cell is a part of the state: a value at the head, or the content of a global or of a place.
type cell struct {
	v    ir.Value // or
	from *ir.Global
	at   place // or of a place
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
	e := q.edit(f)
	always := e.Number(1, 1)
	for v := range f.Values {
		if d := &f.Values[v]; d.Op == ir.Check && ir.CheckKind(d.Aux) == Target {
			d.Args = []ir.Value{always}
		}
	}
	w, dom := ir.NewWTO(f), ir.Dominators(f)
	memory := findPlaces(old, w, dom)
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
		cells = append(cells, memory.of(h)...)
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
	e.Before(e.AfterPhis(1), func() {
		for _, h := range w.Blocks {
			if w.IsHead(h) {
				e.store(e.Number(8, 0), q.global(flag(f, h), 1))
			}
		}
	})
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
	e := q.edit(f)
	for b := range old.Blocks {
		for _, v := range old.Blocks[b].Instrs {
			if f.Def(v).Op == ir.Accept {
				e.After(v, func() { e.store(e.Number(8, 1), q.global(acceptedName, 1)) })
			}
		}
	}
	return f
}

func flag(f *ir.Func, h ir.BlockID) string { return fmt.Sprint(lassoName, f.Name, ".", h) }

// head adds the question for one loop.
func (q *Question) head(f *ir.Func, h ir.BlockID, cells []cell, inner []ir.BlockID) {
	e := q.edit(f)
	e.Before(e.AfterPhis(h), func() { q.ask(e, h, cells, inner) })
}

// ask appends the question for the loop with head h.
func (q *Question) ask(e *inserter, h ir.BlockID, cells []cell, inner []ir.BlockID) {
	f := e.Func
	name := flag(f, h)
	boolean, byte8 := ir.IntType(1), ir.IntType(8)
	choice := e.Op(ir.Nondet, boolean)
	f.Values[choice].Sym, f.Values[choice].Aux = name, int64(ir.NondetInput)
	q.remember[name] = site{f, choice}
	address := q.global(name, 1)
	old := e.Op(ir.Load, byte8, e.Global(address))
	saved := e.Op(ir.Ne, boolean, old, e.Number(8, 0))
	take := e.Op(ir.And, boolean, choice, e.Not(saved))
	same := saved
	for i, c := range cells {
		t, now := c.t, c.v
		if c.from != nil {
			now = e.Op(ir.Load, t, e.Global(c.from.Name))
		} else if c.at.base != 0 {
			now = e.Op(ir.Load, t, e.at(c.at))
		} else if t.Kind == ir.Float {
			t = ir.IntType(t.Bits)
			now = e.Op(ir.BitCast, t, now)
		}
		place := q.global(fmt.Sprint(name, ".", i), t.Size())
		before := e.Op(ir.Load, t, e.Global(place))
		same = e.Op(ir.And, boolean, same, e.Op(ir.Eq, boolean, now, before))
		e.store(e.Op(ir.Select, t, take, now, before), place)
	}
	if q.fair {
		accepted := q.global(acceptedName, 1)
		set := e.Op(ir.Load, byte8, e.Global(accepted))
		same = e.Op(ir.And, boolean, same, e.Op(ir.Ne, boolean, set, e.Number(8, 0)))
		e.store(e.Op(ir.Select, byte8, take, e.Number(8, 0), set), accepted)
	}
	check := e.Op(ir.Check, ir.Type{}, e.Not(same))
	f.Values[check].Aux, f.Values[check].Sym = int64(Target), name
	e.store(e.Op(ir.Select, byte8, take, e.Number(8, 1), old), address)
	for _, b := range inner {
		e.store(e.Number(8, 0), q.global(flag(f, b), 1))
	}
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

// inserter adds instructions that read and write what the question remembers.
type inserter struct{ ir.Editor }

func (q *Question) edit(f *ir.Func) *inserter {
	return &inserter{ir.Editor{Module: q.Module, Func: f}}
}

// at is a pointer to a place.
func (e *inserter) at(p place) ir.Value {
	if p.offset == 0 {
		return p.base
	}
	return e.Op(ir.PtrAdd, e.Module.PtrType(), p.base, e.Number(e.Module.PointerBits, p.offset))
}

func (e *inserter) store(x ir.Value, name string) { e.Op(ir.Store, ir.Type{}, x, e.Global(name)) }

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
