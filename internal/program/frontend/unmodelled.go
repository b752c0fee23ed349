package frontend

import (
	"fmt"
	"slices"

	"assay/internal/program/ir"
)

// This file gives calls of functions with neither body nor model their effect on memory:
// all that such a function may reach is arbitrary afterwards. What that is says escape.go,
// for the whole program: the same objects for each such call.
//
// A call becomes one of a function that is made here and that makes the objects
// arbitrary, one after the other. Globals have names. For each place that makes objects
// that escape, and whose objects are not at hand at the calls (frames.go), there is a
// slot, a global that points to the last one; if one is made
// while the one before still lives, there are objects that no slot points to, and from
// then on such a call is unsupported. All is written in ir, so that every engine and
// every checker sees the same; the content is marked (ir.Havoc with a name), so that no
// violation depends on it.
//
// A slot keeps a block reachable that the program has lost. At the end of the program
// each is emptied, or not: a leak counts as proved absent only if it is absent
// without slots, and as found only if the function could not have kept a pointer.

// unmodelledCall is a call of a function without body.
type unmodelledCall struct {
	name string
	f    *ir.Func
	// call is a placeholder: a call of the function that is made here.
	call     ir.Value
	args     [][]ir.Value // the scalars of each
	results  []ir.Value
	variadic bool
}

// changesName is the function that changes what name may change.
func changesName(name string) string { return "assay.changes." + name }

// effects completes the calls.
func (im *importer) effects() {
	if len(im.unmodelled) == 0 {
		return
	}
	e := newEscapes(im.m)
	e.run()
	for _, c := range im.unmodelled {
		returnsPointer := false
		for _, x := range c.results {
			e.unify(e.value(c.f, x), e.outside)
			returnsPointer = returnsPointer || c.f.Type(x).Kind == ir.Ptr
		}
		for k, kind := range im.pointees(c) {
			for _, x := range c.args[k] {
				switch {
				case kind == written:
					e.unify(e.value(c.f, x), e.outside)
				case kind == followed || returnsPointer: // what it returns may lead there
					e.unify(e.content(e.value(c.f, x)), e.outside)
				}
			}
		}
	}
	constant := map[string]bool{}
	for _, g := range im.p.Globals {
		name := im.symbol(g)
		constant[name] = g.Constant
		ours := g.CName == "" && modelIndex()[name] != "" && name != errnoObject
		if !g.Local && !g.Constant && !ours {
			e.unify(e.object(name), e.outside)
		}
	}
	w := &unmodelledWriter{im: im, slots: map[site]*slot{}, below: map[*ir.Func]map[*ir.Func]bool{}}
	for _, g := range im.m.Globals {
		if !constant[g.Name] && !g.Constant && g.Size > 0 && e.escaped(e.objects[g.Name]) {
			w.globals = append(w.globals, g)
		}
	}
	for _, f := range im.m.Funcs {
		w.place(f, e)
	}
	for _, s := range w.frames {
		w.change(s)
	}
	if len(w.globals)+len(w.order) == 0 {
		for _, c := range im.unmodelled {
			remove(c.f, c.call)
		}
		return
	}
	made := map[string]bool{}
	for _, c := range im.unmodelled {
		if !made[c.name] {
			made[c.name] = true
			w.changes(c.name)
		}
	}
	w.forget()
}

// errnoObject is the model's errno, which any function may set.
const errnoObject = "__assay_errno"

// remove takes an instruction out of its block.
func remove(f *ir.Func, v ir.Value) {
	block := &f.Blocks[f.Values[v].Block]
	block.Instrs = slices.DeleteFunc(block.Instrs, func(x ir.Value) bool { return x == v })
}

// slot is a global that points to the last object that a place has made.
type slot struct {
	name, many string // many is the global that is 1 once two live at the same time
	note       string // the function that sets them
	pos        ir.Pos
	heap       bool
}

// unmodelledWriter writes the functions.
type unmodelledWriter struct {
	im      *importer
	globals []*ir.Global
	slots   map[site]*slot
	order   []*slot
	// frames are the objects that need no slot, and below the functions that calls in a
	// function lead to.
	frames []site
	sink   *ir.Global
	below  map[*ir.Func]map[*ir.Func]bool
}

// place makes the slots of a function's objects, and the calls that fill them: where the
// objects are made, and where they come to life again.
func (w *unmodelledWriter) place(f *ir.Func, e *escapes) {
	for b := range f.Blocks {
		var list []ir.Value
		for _, v := range f.Blocks[b].Instrs {
			list = append(list, v)
			d := f.Def(v)
			made := v
			if d.Op == ir.LifetimeStart {
				made = d.Args[0]
			} else if d.Op != ir.Alloca && d.Op != ir.Malloc {
				continue
			}
			s := site{f, made}
			if !e.escaped(e.sites[s]) {
				continue
			}
			if w.slots[s] == nil && w.inFrame(s, e) {
				w.frames = append(w.frames, s)
				continue
			}
			if w.slots[s] == nil {
				w.slots[s] = w.slot(f.Def(made))
			}
			note := ir.Value(len(f.Values))
			f.Values = append(f.Values, ir.Def{Op: ir.Call, Sym: w.slots[s].note, Args: []ir.Value{made}, Block: ir.BlockID(b), Pos: d.Pos})
			list = append(list, note)
		}
		f.Blocks[b].Instrs = list
	}
}

// change makes an object arbitrary at the calls in its function, where it lives.
func (w *unmodelledWriter) change(s site) {
	m, f := w.im.m, s.f
	lives := w.lives(s)
	for _, c := range w.im.unmodelled {
		if c.f != f || lives[c.call]&alive == 0 {
			continue
		}
		call := *f.Def(c.call)
		var list []ir.Value
		emit := func(d ir.Def) ir.Value {
			d.Block, d.Pos = call.Block, call.Pos
			f.Values = append(f.Values, d)
			list = append(list, ir.Value(len(f.Values)-1))
			return list[len(list)-1]
		}
		p, size := s.v, f.Def(s.v).Args[0]
		if lives[c.call] != alive {
			valid := emit(ir.Def{Op: ir.ValidRange, Type: ir.BoolType, Args: []ir.Value{p, size}})
			f.Values = append(f.Values, ir.Def{Op: ir.GlobalAddr, Type: m.PtrType(), Sym: w.sinkOf(f.Def(size).Const.Uint64())})
			p = emit(ir.Def{Op: ir.Select, Type: m.PtrType(), Args: []ir.Value{valid, p, ir.Value(len(f.Values) - 1)}})
		}
		emit(ir.Def{Op: ir.Havoc, Args: []ir.Value{p, size}, Sym: c.name})
		block := &f.Blocks[call.Block]
		block.Instrs = slices.Insert(block.Instrs, slices.Index(block.Instrs, c.call), list...)
	}
}

// sinkOf is an object of at least so many bytes that is never read.
func (w *unmodelledWriter) sinkOf(size uint64) string {
	if w.sink == nil {
		w.sink = &ir.Global{Name: "assay.sink", Align: 1}
		w.im.m.Globals = append(w.im.m.Globals, w.sink)
	}
	w.sink.Size = max(w.sink.Size, size)
	return w.sink.Name
}

// slot makes the globals of a place, and the function that sets them.
func (w *unmodelledWriter) slot(d *ir.Def) *slot {
	m := w.im.m
	n := len(w.order)
	s := &slot{
		name: fmt.Sprintf("assay.escaped.%d", n), many: fmt.Sprintf("assay.several.%d", n), note: fmt.Sprintf("assay.escapes.%d", n),
		pos: d.Pos, heap: d.Op == ir.Malloc,
	}
	w.order = append(w.order, s)
	word := uint64(m.PointerBits / 8)
	m.Globals = append(m.Globals,
		&ir.Global{Name: s.name, Size: word, Align: word, Layout: ir.Layout{Cell: word, Pointers: true}},
		&ir.Global{Name: s.many, Size: 1, Align: 1, Layout: ir.Layout{Cell: 1}})
	b := ir.NewFunc(m, s.note)
	b.Func.Model = true
	p := b.Param(m.PtrType())
	entry, several, done := b.Block("entry"), b.Block("several"), b.Block("done")
	b.At(entry)
	old := b.Load(m.PtrType(), b.GlobalAddr(s.name))
	lives := b.Cmp(ir.ValidRange, old, b.Word(1))
	other := b.Bin(ir.Xor, b.Cmp(ir.SameObject, old, p), b.Const(1, 1))
	b.CondBr(b.Cmp(ir.And, lives, other), several, done)
	b.At(several)
	b.Store(b.Const(8, 1), b.GlobalAddr(s.many))
	b.Br(done)
	b.At(done)
	b.Store(p, b.GlobalAddr(s.name))
	b.Ret()
	b.Done()
	return s
}

// changes writes the function that makes everything arbitrary that name may change.
func (w *unmodelledWriter) changes(name string) {
	m := w.im.m
	b := ir.NewFunc(m, changesName(name))
	b.Func.Model = true
	b.At(b.Block("entry"))
	for _, g := range w.globals {
		b.Emit(ir.Def{Op: ir.Havoc, Args: []ir.Value{b.GlobalAddr(g.Name), b.Word(g.Size)}, Sym: name})
	}
	for _, s := range w.order {
		one, several, write, next := b.Block("one"), b.Block("several"), b.Block("write"), b.Block("next")
		b.CondBr(b.Cmp(ir.Eq, b.Load(ir.IntType(8), b.GlobalAddr(s.many)), b.Const(8, 0)), one, several)
		b.At(several)
		b.Emit(ir.Def{Op: ir.Unsupported, Pos: s.pos, Sym: fmt.Sprintf("%s, which has no body: it may change objects that were made at line %d, and several of them live", name, s.pos.Line)})
		b.At(one)
		p := b.Load(m.PtrType(), b.GlobalAddr(s.name))
		b.CondBr(b.Cmp(ir.ValidRange, p, b.Word(1)), write, next)
		b.At(write)
		b.Emit(ir.Def{Op: ir.Havoc, Args: []ir.Value{p, b.Op(ir.ObjectSize, m.WordType(), p)}, Sym: name})
		b.Br(next)
		b.At(next)
	}
	b.Ret()
	b.Done()
}

// forget empties slots of heap objects, or not, before each end of the program.
func (w *unmodelledWriter) forget() {
	m := w.im.m
	heap := slices.DeleteFunc(slices.Clone(w.order), func(s *slot) bool { return !s.heap })
	if len(heap) == 0 {
		return
	}
	const name = "assay.forgets"
	ends := slices.Clone(m.Funcs)
	b := ir.NewFunc(m, name)
	b.Func.Model = true
	b.At(b.Block("entry"))
	for _, s := range heap {
		kept := b.Nondet(ir.BoolType, ir.NondetApproximate, w.im.unmodelled[0].name)
		p := b.GlobalAddr(s.name)
		b.Store(b.Select(kept, b.Load(m.PtrType(), p), b.Null()), p)
	}
	b.Ret()
	b.Done()
	for _, f := range ends {
		for k := range f.Blocks {
			list := f.Blocks[k].Instrs
			if len(list) == 0 {
				continue
			}
			last := list[len(list)-1]
			if d := f.Def(last); d.Op != ir.Halt || ir.HaltKind(d.Aux) != ir.HaltExit {
				continue
			}
			call := ir.Value(len(f.Values))
			f.Values = append(f.Values, ir.Def{Op: ir.Call, Sym: name, Block: ir.BlockID(k), Pos: f.Def(last).Pos})
			f.Blocks[k].Instrs = append(list[:len(list)-1:len(list)-1], call, last)
		}
	}
}

// recordUnmodelled records a call of a function without body.
func (f *function) recordUnmodelled(c *externalCall) {
	f.im.unmodelled = append(f.im.unmodelled, unmodelledCall{
		name: c.name, f: f.b.Func, call: f.b.Call(ir.Type{}, changesName(c.name)), args: c.args, variadic: c.callee.Type.Variadic,
	})
}
