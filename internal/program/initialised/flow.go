package initialised

import (
	"strings"

	"assay/internal/program/ir"
)

// This file finds which values and which memory may be garbage, whatever the order of execution. Memory is
// divided into the stack objects and globals whose addresses go nowhere but into accesses, and all the rest.

// flow is what is found of a module.
type flow struct {
	m         *ir.Module
	functions map[string]*functionFacts
	addressed map[string]bool // functions whose address is taken
	escaped   map[string]bool // globals that belong to the rest
	globals   map[string]bool // those in which garbage may be
	rest      bool            // garbage may be in the rest
	// indirect are the variables for shadows that go through calls by pointers (indirectGhost).
	indirect map[string]bool
	changed  bool
}

// functionFacts is what is found of a function.
type functionFacts struct {
	f     *ir.Func
	order []ir.BlockID // of the reachable blocks: definitions come before uses
	// garbage are the values that may be; origin the instructions that make memory that is.
	garbage, origin []bool
	results         map[int]bool
	private         map[ir.Value]bool // stack objects that do not belong to the rest: whether garbage may be in them
}

func flowOf(m *ir.Module) *flow {
	fl := &flow{m: m, functions: map[string]*functionFacts{}, addressed: map[string]bool{}, escaped: map[string]bool{}, globals: map[string]bool{}, indirect: map[string]bool{}}
	for _, g := range m.Globals {
		for _, r := range g.Relocs {
			fl.addressed[r.Target], fl.escaped[r.Target] = true, true
		}
	}
	for _, f := range m.Funcs {
		if f.IsDecl() {
			continue
		}
		x := &functionFacts{f: f, garbage: make([]bool, len(f.Values)), origin: make([]bool, len(f.Values)), results: map[int]bool{}, private: map[ir.Value]bool{}}
		x.order = reversePostorder(f)
		fl.functions[f.Name] = x
		fl.escapes(x)
	}
	for _, x := range fl.functions {
		fl.origins(x)
	}
	for fl.changed = true; fl.changed; {
		fl.changed = false
		for _, f := range m.Funcs {
			if x := fl.functions[f.Name]; x != nil {
				fl.pass(x)
			}
		}
	}
	return fl
}

func reversePostorder(f *ir.Func) []ir.BlockID {
	seen := make([]bool, len(f.Blocks))
	var post []ir.BlockID
	type frame struct {
		b ir.BlockID
		i int
	}
	stack := []frame{{b: 1}}
	seen[1] = true
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if succs := f.Succs(top.b); top.i < len(succs) {
			to := succs[top.i]
			top.i++
			if !seen[to] {
				seen[to] = true
				stack = append(stack, frame{b: to})
			}
			continue
		}
		post = append(post, top.b)
		stack = stack[:len(stack)-1]
	}
	for i, j := 0, len(post)-1; i < j; i, j = i+1, j-1 {
		post[i], post[j] = post[j], post[i]
	}
	return post
}

// root is the stack object or global that a pointer is an offset from, the pointer itself if it is something else.
func root(f *ir.Func, p ir.Value) ir.Value {
	for {
		switch d := f.Def(p); d.Op {
		case ir.PtrAdd:
			p = d.Args[0]
		case ir.Freeze:
			if d.Aux == ir.Cede {
				return p
			}
			p = d.Args[0]
		default:
			return p
		}
	}
}

// escapes finds the objects of the function whose addresses go somewhere.
func (fl *flow) escapes(x *functionFacts) {
	f := x.f
	for i := range f.Values {
		switch d := &f.Values[i]; d.Op {
		case ir.Alloca:
			x.private[ir.Value(i)] = false
		case ir.FuncAddr:
			fl.addressed[d.Sym] = true
		}
	}
	for _, b := range x.order {
		for _, v := range f.Blocks[b].Instrs {
			d := f.Def(v)
			for i, a := range d.Args {
				if f.Type(a).Kind != ir.Ptr || accesses(d, i) {
					continue
				}
				switch r := root(f, a); f.Def(r).Op {
				case ir.Alloca:
					delete(x.private, r)
				case ir.GlobalAddr:
					fl.escaped[f.Def(r).Sym] = true
				}
			}
		}
	}
}

// accesses says that operand i of an instruction is a pointer that is only used for an access, or passed on to root.
func accesses(d *ir.Def, i int) bool {
	switch d.Op {
	case ir.Load, ir.PtrAdd, ir.MemCpy, ir.MemSet, ir.Havoc, ir.LifetimeStart, ir.LifetimeEnd, ir.Free, ir.Dbg, ir.VaStart,
		ir.ObjectSize, ir.ObjectOffset, ir.ValidRange, ir.IsHeapStart, ir.SameObject, ir.Eq, ir.Ne:
		return true
	case ir.Freeze:
		return d.Aux != ir.Cede
	case ir.Store:
		return i == 1
	case ir.Call:
		return d.Sym == Output
	}
	return false
}

// allocators are the models whose heap blocks are garbage; those that other models make have content.
var allocators = map[string]bool{
	"malloc": true, "realloc": true, "reallocarray": true, "aligned_alloc": true, "memalign": true, "posix_memalign": true, "valloc": true, "pvalloc": true,
}

// reserved begins the names of functions that the front end makes.
const reserved = "assay."

// origins notes where memory is made that is garbage.
func (fl *flow) origins(x *functionFacts) {
	f := x.f
	if f.Name == fl.m.Entry || strings.HasPrefix(f.Name, reserved) { // made by the front end
		return
	}
	for _, b := range x.order {
		for _, v := range f.Blocks[b].Instrs {
			switch d := f.Def(v); d.Op {
			case ir.Alloca:
				x.origin[v] = true
				fl.soil(x, v)
			case ir.LifetimeStart:
				x.origin[v] = true
				fl.soil(x, d.Args[0])
			case ir.Malloc:
				if d.Sym == "" && (!f.Model || allocators[f.Name]) {
					x.origin[v] = true
					fl.soil(x, v)
				}
			case ir.Havoc:
				if d.Aux == ir.Indeterminate {
					x.origin[v] = true
					fl.soil(x, d.Args[0])
				}
			}
		}
	}
}

// soil notes that garbage may be where p points.
func (fl *flow) soil(x *functionFacts, p ir.Value) {
	r := root(x.f, p)
	switch d := x.f.Def(r); {
	case d.Op == ir.Alloca:
		if dirty, private := x.private[r]; private {
			if !dirty {
				x.private[r], fl.changed = true, true
			}
			return
		}
	case d.Op == ir.GlobalAddr && !fl.escaped[d.Sym]:
		if !fl.globals[d.Sym] {
			fl.globals[d.Sym], fl.changed = true, true
		}
		return
	}
	if !fl.rest {
		fl.rest, fl.changed = true, true
	}
}

// dirty says whether garbage may be where p points.
func (fl *flow) dirty(f *ir.Func, x *functionFacts, p ir.Value) bool {
	r := root(f, p)
	switch d := f.Def(r); {
	case d.Op == ir.Alloca:
		if dirty, private := x.private[r]; private {
			return dirty
		}
	case d.Op == ir.GlobalAddr && !fl.escaped[d.Sym]:
		return fl.globals[d.Sym]
	case d.Op == ir.GlobalAddr:
		if g := fl.m.Global(d.Sym); g != nil && g.Constant {
			return false
		}
	}
	return fl.rest
}

// pass goes once over a function.
func (fl *flow) pass(x *functionFacts) {
	f := x.f
	mark := func(v ir.Value) {
		if !x.garbage[v] {
			x.garbage[v], fl.changed = true, true
		}
	}
	for i, p := range f.Params {
		if fl.addressed[f.Name] && fl.indirect[indirectGhost("argument", i, shadowType(f.Type(p)))] {
			mark(p)
		}
	}
	for _, b := range x.order {
		for _, v := range f.Blocks[b].Instrs {
			d := f.Def(v)
			if x.garbage[v] && d.Op != ir.Call {
				continue
			}
			switch d.Op {
			case ir.Nondet:
				if k := ir.NondetKind(d.Aux); k == ir.NondetUninit || k == ir.NondetUndef {
					mark(v)
				}
			case ir.Load:
				if fl.dirty(f, x, d.Args[0]) {
					mark(v)
				}
			case ir.Store:
				if x.garbage[d.Args[0]] {
					fl.soil(x, d.Args[1])
				}
			case ir.MemSet:
				if x.garbage[d.Args[1]] {
					fl.soil(x, d.Args[0])
				}
			case ir.MemCpy:
				if fl.dirty(f, x, d.Args[1]) {
					fl.soil(x, d.Args[0])
				}
			case ir.Call:
				fl.call(x, v, d, mark)
			case ir.Extract:
				if fl.returns(f.Def(d.Args[0]), int(d.Aux), f.Type(v)) {
					mark(v)
				}
			case ir.Ret:
				for i, a := range d.Args {
					if !x.garbage[a] {
						continue
					}
					if !x.results[i] {
						x.results[i], fl.changed = true, true
					}
					if name := indirectGhost("result", i, shadowType(f.Type(a))); fl.addressed[f.Name] && !fl.indirect[name] {
						fl.indirect[name], fl.changed = true, true
					}
				}
			case ir.Malloc, ir.Alloca, ir.Check, ir.Assume, ir.Dbg:
			default:
				if d.Type.Kind == ir.Void {
					continue
				}
				for _, a := range d.Args {
					if x.garbage[a] {
						mark(v)
						break
					}
				}
			}
		}
	}
}

// call notes what goes into a call and comes back.
func (fl *flow) call(x *functionFacts, v ir.Value, d *ir.Def, mark func(ir.Value)) {
	if d.Sym == "" {
		for i, a := range d.Args[1:] {
			if name := indirectGhost("argument", i, shadowType(x.f.Type(a))); x.garbage[a] && !fl.indirect[name] {
				fl.indirect[name], fl.changed = true, true
			}
		}
	} else if callee := fl.functions[d.Sym]; callee != nil {
		for i, a := range d.Args {
			if i < len(callee.f.Params) && x.garbage[a] && !callee.garbage[callee.f.Params[i]] {
				callee.garbage[callee.f.Params[i]], fl.changed = true, true
			}
		}
	}
	if d.Type.Kind != ir.Void && fl.returns(d, 0, d.Type) {
		mark(v)
	}
}

// returns says whether result i of a call may be garbage.
func (fl *flow) returns(d *ir.Def, i int, t ir.Type) bool {
	if d.Sym == "" {
		return fl.indirect[indirectGhost("result", i, shadowType(t))]
	}
	callee := fl.functions[d.Sym]
	return callee != nil && callee.results[i]
}
