package frontend

import "assay/internal/program/ir"

// This file finds the objects that a function without body may reach: an analysis of the
// whole module by unification [Steensgaard96], which looks neither at the order of
// instructions nor at fields, nor tells activations of a function apart.
//
// A class is a set of objects: globals, and the places where objects are made. Each
// value points into one class, and so does what is in the objects of a class. An
// instruction unifies the classes of what flows together; all values count, since
// integers carry addresses, too. The outside is a class that contains what it points to:
// into it go the arguments of all functions without body, what these return, and the
// objects that other translation units can name.

// class is an index of escapes.parent; 0 is none.
type class int

// site is an instruction that makes objects.
type site struct {
	f *ir.Func
	v ir.Value
}

// escapes is the state of the analysis.
type escapes struct {
	m        *ir.Module
	parent   []class
	contents []class
	values   map[*ir.Func][]class
	results  map[*ir.Func][]class // one for each result
	objects  map[string]class     // of globals: the class that the object is in
	sites    map[site]class
	funcs    map[string]*ir.Func
	// pointed are the functions that a call through a pointer may reach.
	pointed map[string]bool
	// variadic holds the arguments that va_arg reads.
	variadic, outside class
}

func newEscapes(m *ir.Module) *escapes {
	e := &escapes{
		m: m, parent: make([]class, 1), contents: make([]class, 1), values: map[*ir.Func][]class{}, results: map[*ir.Func][]class{},
		objects: map[string]class{}, sites: map[site]class{}, funcs: map[string]*ir.Func{}, pointed: map[string]bool{},
	}
	e.variadic, e.outside = e.fresh(), e.fresh()
	e.contents[e.variadic], e.contents[e.outside] = e.variadic, e.outside
	for _, f := range m.Funcs {
		e.funcs[f.Name] = f
		e.values[f] = make([]class, len(f.Values))
		e.results[f] = make([]class, len(f.Results))
	}
	return e
}

func (e *escapes) fresh() class {
	c := class(len(e.parent))
	e.parent = append(e.parent, c)
	e.contents = append(e.contents, 0)
	return c
}

func (e *escapes) find(c class) class {
	for e.parent[c] != c {
		e.parent[c] = e.parent[e.parent[c]]
		c = e.parent[c]
	}
	return c
}

// unify makes one class of two, and of what they contain.
func (e *escapes) unify(a, b class) {
	for {
		a, b = e.find(a), e.find(b)
		if a == b {
			return
		}
		x, y := e.contents[a], e.contents[b]
		e.parent[b] = a
		if x == 0 || y == 0 {
			e.contents[a] = x + y
			return
		}
		a, b = x, y
	}
}

// content is the class that the objects of a class point into.
func (e *escapes) content(c class) class {
	c = e.find(c)
	if e.contents[c] == 0 {
		inner := e.fresh()
		e.contents[c] = inner
	}
	return e.contents[c]
}

// slot is a class of a table, made when it is needed.
func (e *escapes) slot(table []class, k int) class {
	if table[k] == 0 {
		table[k] = e.fresh()
	}
	return table[k]
}

func (e *escapes) value(f *ir.Func, v ir.Value) class { return e.slot(e.values[f], int(v)) }

// object is the class that a global or a function is in.
func (e *escapes) object(name string) class {
	if e.objects[name] == 0 {
		e.objects[name] = e.fresh()
	}
	return e.objects[name]
}

// run looks at all initialisers and instructions.
func (e *escapes) run() {
	for _, g := range e.m.Globals {
		for _, r := range g.Relocs {
			if r.Target == "" {
				continue
			}
			e.unify(e.content(e.object(g.Name)), e.object(r.Target))
			e.pointed[r.Target] = true
		}
	}
	for _, f := range e.m.Funcs {
		for v := range f.Values {
			switch d := &f.Values[v]; d.Op {
			case ir.FuncAddr:
				e.pointed[d.Sym] = true
				e.unify(e.value(f, ir.Value(v)), e.object(d.Sym))
			case ir.GlobalAddr:
				e.unify(e.value(f, ir.Value(v)), e.object(d.Sym))
			}
		}
	}
	for _, f := range e.m.Funcs {
		for b := range f.Blocks {
			for _, v := range f.Blocks[b].Instrs {
				e.instruction(f, v)
			}
		}
	}
}

func (e *escapes) instruction(f *ir.Func, v ir.Value) {
	d := f.Def(v)
	arg := func(k int) class { return e.value(f, d.Args[k]) }
	switch d.Op {
	case ir.Alloca, ir.Malloc:
		s := site{f, v}
		e.sites[s] = e.value(f, v)
	case ir.Load:
		e.unify(e.value(f, v), e.content(arg(0)))
	case ir.Store:
		e.unify(arg(0), e.content(arg(1)))
	case ir.MemCpy:
		e.unify(e.content(arg(0)), e.content(arg(1)))
	case ir.VaStart:
		e.unify(e.content(arg(0)), e.variadic)
	case ir.Call:
		if d.Sym != "" {
			if callee := e.funcs[d.Sym]; callee != nil {
				e.call(f, v, d.Args, callee)
			}
			return
		}
		for name := range e.pointed {
			if callee := e.funcs[name]; callee != nil {
				e.call(f, v, d.Args[1:], callee)
			}
		}
	case ir.Extract:
		call := f.Def(d.Args[0])
		for name, callee := range e.funcs {
			if (call.Sym == name || call.Sym == "" && e.pointed[name]) && int(d.Aux) < len(callee.Results) {
				e.unify(e.value(f, v), e.slot(e.results[callee], int(d.Aux)))
			}
		}
	case ir.Ret:
		for k, x := range d.Args {
			if k < len(f.Results) {
				e.unify(e.value(f, x), e.slot(e.results[f], k))
			}
		}
	case ir.MemSet, ir.Havoc, ir.Free, ir.ObjectSize, ir.ObjectOffset, ir.ValidRange, ir.IsHeapStart, ir.SameObject,
		ir.LifetimeStart, ir.LifetimeEnd, ir.StackSave, ir.StackRestore, ir.Nondet, ir.Check, ir.Assume, ir.Dbg:
	default:
		if d.Type.Kind == ir.Void || d.Type == ir.BoolType {
			return
		}
		for k, x := range d.Args {
			if f.Type(x) != ir.BoolType {
				e.unify(e.value(f, v), arg(k))
			}
		}
	}
}

// call passes arguments, and what is returned.
func (e *escapes) call(f *ir.Func, v ir.Value, args []ir.Value, callee *ir.Func) {
	for k, x := range args {
		if k < len(callee.Params) {
			e.unify(e.value(f, x), e.value(callee, callee.Params[k]))
		} else {
			e.unify(e.value(f, x), e.variadic)
		}
	}
	if len(callee.Results) > 0 && f.Type(v).Kind != ir.Void {
		e.unify(e.value(f, v), e.slot(e.results[callee], 0))
	}
}

// escaped says whether a class is the outside.
func (e *escapes) escaped(c class) bool { return c != 0 && e.find(c) == e.find(e.outside) }
