// Package heap turns heap objects that loops make without bound into elements of
// arrays: all objects of a class of allocation sites become a pool, a pointer to
// one its number, and each of their fields an array over the numbers.
//
//	p = malloc(16)      p = count; count = count + 1
//	p->next = q         check 0 < p < count; next[p] = q
//	p == 0              p == 0
//
// After that, lists and trees of any size are integers and arrays, and what holds
// for all their nodes is a predicate that is quantified over an index. This is
// the abstract dynamic object of [2LS §4.1] with all objects of a site kept apart.
//
// # What is turned
//
// A class of places (class.go) is turned if all of it are allocations of one
// constant size; its places are only read and written as scalars, each always in
// the same way, at constant offsets from the start of an object; pointers
// to it go only to the start of an object, and are only stored, passed on and compared for equality.
// None of the objects is freed.
//
// # Why it is sound
//
// The program and the one it is turned into run in step:
//
//	(T1) Objects are numbered in the order in which they are made, from 1; null is 0.
//	     A pointer of a class is in the new program the number of the object it
//	     points to, for a pointer always points to the start. Numbers are equal
//	     iff pointers are, for no object is freed, and all have bytes.
//	(T2) Field f of object n is element n of the array of f. Both begin arbitrary.
//	     Nothing else is in the arrays: fields do not overlap, and each is always
//	     accessed with its own width.
//	(T3) A pointer that was never written, or is read from a place that holds
//	     no pointer, is an arbitrary number. Before each access the new
//	     program checks that the pointer is the number of an object. If the check can
//	     fail nothing is proved. If it cannot, no access of the program
//	     goes through such a pointer, for else some run would access object n with
//	     0 >= n or n >= count.
//	(T4) The new program ends where it has made as many objects as have a place in memory. There
//	     is no such run of the program, for all objects are alive.
//
// So a run of the program that violates something is one of the new program, if
// no check of (T3) fails. The converse holds, too, but is not needed. What is
// still allocated at the end cannot be seen: leaks are not to be asked for.
package heap

import (
	"errors"
	"fmt"

	"assay/internal/program/ir"
	"assay/internal/transform"
)

// ErrNothing: there is no class of objects to turn.
var ErrNothing = errors.New("no allocation is of the kind that becomes a pool")

// pooled is a class of objects in arrays, one for each field (ir.Global.Counter says which
// global counts the objects).
type pooled struct {
	name     string
	counter  string
	class    *class
	fields   map[int64]string
	capacity uint64
}

type turning struct {
	*analysis
	out   *ir.Module
	pools map[*class]*pooled
	order []*pooled
}

// Turn turns what it can; the module is a copy. An invalid access may go to another object
// there, and leaks cannot be seen. With few, pools have room for few objects and runs end where
// there are more: such a program is for looking at runs, and differs in nothing else.
func Turn(m *ir.Module, few bool) (*transform.Program, error) {
	t := &turning{analysis: analyze(m), pools: map[*class]*pooled{}}
	t.choose()
	if len(t.order) == 0 {
		return nil, ErrNothing
	}
	t.out = m.Clone()
	for _, p := range t.order {
		// No program has more objects alive.
		space := uint64(1) << 47
		if m.PointerBits == 32 {
			space = 1 << 32
		}
		p.capacity = space / p.class.size
		if few {
			p.capacity = 1 << 10
		}
		word := uint64(m.PointerBits / 8)
		one := make([]byte, word)
		one[0] = 1
		t.out.Globals = append(t.out.Globals, &ir.Global{Name: p.counter, Size: word, Align: word, Init: one, Layout: ir.Layout{Cell: word}})
		for _, off := range sorted(p.class.access) {
			n := p.class.access[off].size
			pointers := p.class.access[off].kind == ir.Ptr && t.poolOf(p.class.at(off)) == nil
			p.fields[off] = fmt.Sprintf("%s.%d", p.name, off)
			t.out.Globals = append(t.out.Globals, &ir.Global{
				Name: p.fields[off], Size: p.capacity * n, Align: n, External: true, Layout: ir.Layout{Stride: n, Cell: n, Pointers: pointers}, Counter: p.counter,
			})
		}
	}
	for i, f := range m.Funcs {
		t.function(f, t.out.Funcs[i])
	}
	if err := ir.Verify(t.out); err != nil {
		panic("heap: the program is malformed: " + err.Error())
	}
	p := &transform.Program{
		From: m, Module: t.out, Runs: transform.More,
		Needs: []ir.CheckKind{ir.InvalidDeref, ir.InvalidFree}, Blind: []ir.CheckKind{ir.MemTrack, ir.MemCleanup},
	}
	if few {
		p.Runs = transform.Other
	}
	return p, nil
}

// choose finds the classes to turn.
func (t *turning) choose() {
	word := uint64(t.m.PointerBits / 8)
	// Pointers that are also read as something else cannot be numbers.
	for _, c := range t.all() {
		for _, off := range sorted(c.content) {
			if c.mixed(off) {
				c.content[off].spoil("pointers to it are also read as something else")
			}
		}
	}
	for _, g := range t.m.Globals {
		c := t.globals[g.Name]
		if c == nil || g.Init == nil {
			continue
		}
		for i, b := range g.Init {
			if b == 0 {
				continue
			}
			c := c.find()
			for _, off := range sorted(c.content) {
				if c.collapsed || int64(i) >= off && int64(i) < off+int64(word) {
					c.content[off].spoil("initialised with a number")
				}
			}
		}
	}
	for _, c := range t.all() {
		if c.sites == 0 || c.bad != "" || c.size == 0 {
			continue
		}
		end, ok := int64(0), len(c.access) > 0
		for _, off := range sorted(c.access) {
			x := c.access[off]
			ok = ok && off >= end && (x.size == 1 || x.size == 2 || x.size == 4 || x.size == 8) && x.kind != ir.Void
			end = off + int64(x.size)
		}
		if !ok || end > int64(c.size) {
			continue
		}
		name := fmt.Sprint("assay.heap", len(t.order))
		p := &pooled{name: name, counter: name + ".count", class: c, fields: map[int64]string{}}
		t.pools[c] = p
		t.order = append(t.order, p)
	}
}

// all are the classes, each once, in an order that depends on the program only.
func (t *turning) all() []*class {
	seen := map[*class]bool{}
	var out []*class
	var visit func(c *class)
	visit = func(c *class) {
		if c = c.find(); seen[c] {
			return
		}
		seen[c] = true
		out = append(out, c)
		for _, off := range sorted(c.content) {
			visit(c.content[off])
		}
	}
	for _, c := range t.classes {
		visit(c)
	}
	return out
}

// pool is the pool that a pointer points into, nil if it points elsewhere.
func (t *turning) pool(f *ir.Func, v ir.Value) *pooled {
	if c := t.of(f, v); c != nil {
		return t.pools[c.find()]
	}
	return nil
}

func (t *turning) poolOf(c *class) *pooled {
	if c == nil {
		return nil
	}
	return t.pools[c.find()]
}

// base is the value that a pointer is made of by adding offsets.
func base(f *ir.Func, v ir.Value) ir.Value {
	for f.Def(v).Op == ir.PtrAdd || f.Def(v).Op == ir.Freeze {
		v = f.Def(v).Args[0]
	}
	return v
}

// rewriter turns one function.
type rewriter struct {
	*turning
	*ir.Editor                     // of the new function
	old        *ir.Func            // to which the classes belong
	address    map[string]ir.Value // of arrays and counters
	zero       ir.Value
}

// function turns one function; f is the old one, to which the classes belong.
func (t *turning) function(f, g *ir.Func) {
	if f.IsDecl() {
		return
	}
	r := &rewriter{turning: t, Editor: &ir.Editor{Module: t.out, Func: g}, old: f, address: map[string]ir.Value{}}
	r.signature()
	// Every function knows the arrays and counters: predicates speak of them.
	for v := 1; v < len(g.Values); v++ {
		if d := g.Def(ir.Value(v)); d.Op == ir.GlobalAddr {
			r.address[d.Sym] = ir.Value(v)
		}
	}
	for _, p := range t.order {
		for _, name := range append([]string{p.counter}, fields(p)...) {
			r.address[name] = r.Global(name)
		}
	}
	r.zero = r.number(0)
	for b := 1; b < len(g.Blocks); b++ {
		instrs := g.Blocks[b].Instrs
		g.Blocks[b].Instrs = nil
		r.At = ir.BlockID(b)
		for _, v := range instrs {
			r.Pos = f.Def(v).Pos
			r.instruction(v)
		}
	}
}

// signature makes numbers of parameters and results that are pointers to objects of pools.
func (r *rewriter) signature() {
	for i, p := range r.old.Params {
		if r.pool(r.old, p) != nil {
			r.Func.Def(r.Func.Params[i]).Type = r.m.WordType()
		}
	}
	for i := range r.old.Results {
		if c := r.results[result{r.old, i}]; c != nil && r.poolOf(c) != nil {
			r.Func.Results[i] = r.m.WordType()
		}
	}
}

func (r *rewriter) number(n uint64) ir.Value { return r.Number(r.m.PointerBits, n) }

// null is an operand of which p is the pool: 0 for the null pointer.
func (r *rewriter) null(v ir.Value, p *pooled) ir.Value {
	if p != nil && r.old.Def(v).Op == ir.Null {
		return r.zero
	}
	return v
}

// instruction appends what becomes of one.
func (r *rewriter) instruction(v ir.Value) {
	d, was := r.Func.Def(v), r.old.Def(v)
	own, word := r.pool(r.old, v), r.m.WordType()
	switch was.Op {
	case ir.Malloc:
		if own != nil {
			d.Sym = "" // an object of a harness has no name as an element
			r.malloc(v, own)
			return
		}
	case ir.PtrAdd, ir.Freeze:
		if own != nil {
			*d = ir.Def{Op: ir.Freeze, Type: word, Args: []ir.Value{d.Args[0]}, Block: d.Block, Pos: d.Pos}
		}
	case ir.Load:
		if own != nil {
			d.Type = word
		}
		r.access(d.Args, was, 0, "invalid read")
	case ir.Store:
		if c := r.of(r.old, was.Args[1]); c != nil && r.old.Type(was.Args[0]).Kind == ir.Ptr {
			off, _ := offset(r.old, was.Args[1])
			d.Args[0] = r.null(d.Args[0], r.poolOf(c.at(off)))
		}
		r.access(d.Args, was, 1, "invalid write")
	case ir.Phi, ir.Select:
		if own == nil {
			break
		}
		d.Type = word
		for i := range d.Args {
			if was.Op == ir.Phi || i > 0 {
				d.Args[i] = r.null(d.Args[i], own)
			}
		}
	case ir.Eq, ir.Ne:
		p := r.pool(r.old, was.Args[0])
		if p == nil {
			p = r.pool(r.old, was.Args[1])
		}
		for i := range d.Args {
			d.Args[i] = r.null(d.Args[i], p)
		}
	case ir.Call:
		if own != nil {
			d.Type = word
		}
		if callee := r.byName[was.Sym]; callee != nil && !callee.IsDecl() {
			for i := range d.Args {
				if i < len(callee.Params) {
					d.Args[i] = r.null(d.Args[i], r.pool(callee, callee.Params[i]))
				}
			}
		}
	case ir.Ret:
		for i := range d.Args {
			d.Args[i] = r.null(d.Args[i], r.poolOf(r.results[result{r.old, i}]))
		}
	}
	r.Append(v)
}

// malloc makes the next number of v (T1), if there is room (T4).
func (r *rewriter) malloc(v ir.Value, p *pooled) {
	d, word, counter := r.Func.Def(v), r.m.WordType(), r.address[p.counter]
	d.Op, d.Type, d.Args, d.Layout, d.Aux = ir.Load, word, []ir.Value{counter}, ir.Layout{}, 0
	r.Append(v)
	r.Op(ir.Assume, ir.Type{}, r.Op(ir.ULt, ir.BoolType, v, r.number(p.capacity-1)))
	r.Op(ir.Store, ir.Type{}, r.Op(ir.Add, word, v, r.number(1)), counter)
}

// access leads one, by the operand with index at, to the array of the field, if the object is one of
// a pool (T2), with the check of (T3).
func (r *rewriter) access(args []ir.Value, was *ir.Def, at int, text string) {
	p := r.pool(r.old, was.Args[at])
	if p == nil {
		return
	}
	word := r.m.WordType()
	off, _ := offset(r.old, was.Args[at])
	n := base(r.old, was.Args[at])
	count := r.Op(ir.Load, word, r.address[p.counter])
	ok := r.Op(ir.And, ir.BoolType, r.Op(ir.Ne, ir.BoolType, n, r.zero), r.Op(ir.ULt, ir.BoolType, n, count))
	r.Emit(ir.Def{Op: ir.Check, Args: []ir.Value{ok}, Aux: int64(ir.InvalidDeref), Sym: text})
	place := r.Op(ir.Mul, word, n, r.number(p.class.access[off].size))
	args[at] = r.Op(ir.PtrAdd, r.m.PtrType(), r.address[p.fields[off]], place)
}

func fields(p *pooled) []string {
	var out []string
	for _, off := range sorted(p.class.access) {
		out = append(out, p.fields[off])
	}
	return out
}
