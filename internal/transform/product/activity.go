package product

import (
	"slices"

	"assay/internal/program/ir"
	"assay/internal/temporal/ltl"
)

// This file knows what atoms read, what may change it, and which functions cannot be left as
// calls.

// reads is what the atoms read.
type reads struct {
	observer map[string]bool
	all      bool // through pointers, or everything counts
	globals  map[string]bool
	locals   bool // some locals, whose objects have a name
}

func readsOf(q *Question, byName map[string]*ir.Func) *reads {
	r := &reads{observer: map[string]bool{}, all: q.Next, globals: map[string]bool{}}
	for _, o := range q.Observers {
		if o.Func == "" {
			continue
		}
		r.observer[o.Func] = true
		r.locals = r.locals || len(o.Locals) > 0
		f := byName[o.Func]
		for v := range f.Values {
			if d := &f.Values[v]; d.Op == ir.Load {
				switch base := f.Def(base(f, d.Args[0])); base.Op {
				case ir.GlobalAddr:
					r.globals[base.Sym] = true
				case ir.Param:
				default:
					r.all = true
				}
			}
		}
	}
	return r
}

// base follows additions to a pointer.
func base(f *ir.Func, p ir.Value) ir.Value {
	for f.Def(p).Op == ir.PtrAdd || f.Def(p).Op == ir.Freeze {
		p = f.Def(p).Args[0]
	}
	return p
}

// changes says that an instruction may change the truth of an atom. Additional observations
// say nothing new, so that yes is always right.
func (r *reads) changes(f *ir.Func, v ir.Value) bool {
	d := f.Def(v)
	var p ir.Value
	switch d.Op {
	case ir.Store:
		p = d.Args[1]
	case ir.MemCpy, ir.MemSet, ir.Havoc:
		p = d.Args[0]
	case ir.Free:
		return r.all
	case ir.LifetimeEnd:
		return named(f, d.Args[0])
	default: // what is called and not inlined changes nothing, see forbids
		return false
	}
	if r.all {
		return true
	}
	switch b := f.Def(base(f, p)); b.Op {
	case ir.GlobalAddr:
		return r.globals[b.Sym]
	case ir.Alloca:
		return named(f, p)
	}
	return len(r.globals) > 0 || r.locals
}

// named says that a pointer is to a local that an atom reads.
func named(f *ir.Func, p ir.Value) bool {
	d := f.Def(base(f, p))
	return d.Op == ir.Alloca && d.Sym != ""
}

// hasNamed says that a function has locals that an atom reads.
func hasNamed(f *ir.Func) bool {
	return slices.ContainsFunc(f.Values, func(d ir.Def) bool { return d.Op == ir.Alloca && d.Sym != "" })
}

// unnamed says that a write is none of the source: one of an argument to its parameter, or one to
// an object of the compiler (what is returned, a temporary), which has no name and so no
// column. Without positions all writes are taken for those of the source.
func unnamed(f *ir.Func, v ir.Value) bool {
	if f.Pos.Line == 0 {
		return false
	}
	target := func(u ir.Value) ir.Value {
		switch d := f.Def(u); d.Op {
		case ir.Store:
			return base(f, d.Args[1])
		case ir.MemCpy, ir.MemSet, ir.Havoc:
			return base(f, d.Args[0])
		}
		return 0
	}
	// given says that u stores an argument, or a part of one, in an object.
	given := func(object, u ir.Value) bool {
		return f.Def(u).Op == ir.Store && target(u) == object && slices.Contains(f.Params, f.Def(u).Args[0])
	}
	some := func(is func(u ir.Value) bool) bool { return slices.ContainsFunc(f.Blocks[1].Instrs, is) }
	// passed says that u gives an argument to an object, perhaps by one into which its parts
	// were put.
	passed := func(object, u ir.Value) bool {
		if f.Def(u).Op != ir.MemCpy || target(u) != object {
			return given(object, u)
		}
		from := base(f, f.Def(u).Args[1])
		return slices.Contains(f.Params, from) || f.Def(from).Op == ir.Alloca && f.Def(from).Pos.Col == 0 && some(func(u ir.Value) bool { return given(from, u) })
	}
	object := target(v)
	if f.Def(object).Op != ir.Alloca {
		return false
	}
	parameter := some(func(u ir.Value) bool { return passed(object, u) })
	return f.Def(v).Block == 1 && passed(object, v) || f.Def(object).Pos.Col == 0 && !parameter
}

// writes says that a function may itself change what atoms read.
func (r *reads) writes(f *ir.Func) bool {
	for b := range f.Blocks {
		for _, v := range f.Blocks[b].Instrs {
			if r.changes(f, v) {
				return true
			}
		}
	}
	return false
}

// activity are the functions that cannot be left as calls: they, or what they call, may
// observe, loop, end the program, recurse, or have locals that atoms read.
func (x *flattener) activity() map[string]bool {
	active := map[string]bool{}
	for _, f := range x.q.Program.Funcs {
		if !f.IsDecl() && x.restless(f) {
			active[f.Name] = true
		}
	}
	for grew := true; grew; {
		grew = false
		for _, f := range x.q.Program.Funcs {
			if active[f.Name] {
				continue
			}
			for v := range f.Values {
				if d := &f.Values[v]; d.Op == ir.Call && active[d.Sym] {
					active[f.Name], grew = true, true
					break
				}
			}
		}
	}
	return active
}

// restless says that a function itself may observe, loop or end the program, or calls through pointers.
func (x *flattener) restless(f *ir.Func) bool {
	if hasNamed(f) {
		return true
	}
	for b := ir.BlockID(1); int(b) < len(f.Blocks); b++ {
		for _, v := range f.Blocks[b].Instrs {
			d := f.Def(v)
			switch d.Op {
			case ir.Halt, ir.Unreachable, ir.Unsupported, ir.Label:
				return true
			case ir.Check:
				if ir.CheckKind(d.Aux) == ir.Assertion {
					return true
				}
			case ir.Call:
				if d.Sym == "" || x.recursive[d.Sym] {
					return true
				}
			default:
				if x.reads.changes(f, v) {
					return true
				}
			}
		}
	}
	if slices.ContainsFunc(x.q.Automaton.Atoms, func(a ltl.Atom) bool { return a.Kind != ltl.CAtom && a.Kind != ltl.AtAtom && a.Text == f.Name }) {
		return true
	}
	w := ir.NewWTO(f)
	return slices.ContainsFunc(w.Blocks, w.IsHead)
}

// forbids says why a call cannot be left, "" if it can.
func (x *flattener) forbids(d *ir.Def) string {
	switch g := x.byName[d.Sym]; {
	case d.Sym == "":
		for _, name := range addressed(x.q.Program) {
			if x.active[name] {
				return "a call through a pointer, perhaps of " + name + ", which may write what atoms read, loop or end the program"
			}
		}
	case g != nil && !g.IsDecl() && (x.active[g.Name] || x.recursive[d.Sym]):
		return "the recursive function " + g.Name + ", or one with variable arguments, that may write what atoms read, or loop"
	}
	return ""
}

// addressed are the functions whose address is taken.
func addressed(m *ir.Module) (names []string) {
	for _, f := range m.Funcs {
		for v := range f.Values {
			if d := &f.Values[v]; d.Op == ir.FuncAddr && !slices.Contains(names, d.Sym) {
				names = append(names, d.Sym)
			}
		}
	}
	for _, g := range m.Globals {
		for _, r := range g.Relocs {
			if m.Func(r.Target) != nil && !slices.Contains(names, r.Target) {
				names = append(names, r.Target)
			}
		}
	}
	return names
}
