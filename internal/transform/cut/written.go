package cut

import (
	"cmp"
	"maps"
	"slices"

	"assay/internal/program/ir"
)

// This file finds out which objects a piece of code may write: globals, and
// stack objects of the function around it. Pointers are followed back to where
// they come from, through arithmetic and choices, and for parameters to the
// arguments of calls. What comes from memory may point anywhere; then, and where
// objects are made or freed, there is no answer.

// ErrUncut says that a loop, or a recursion, cannot be cut.
type ErrUncut struct {
	Func string
	Pos  ir.Pos
	What string // "the loop" if empty
	Why  string
}

// Error says what cannot be cut, and why.
func (e *ErrUncut) Error() string {
	return cmp.Or(e.What, "the loop") + " cannot be cut: " + e.Why
}

// Effects are what a call of a function may write: globals, and what its parameters (by index)
// point to.
type Effects struct {
	Globals map[string]bool
	Params  map[int]bool
	// wild says why they are not known, if not empty.
	wild string
}

// Writes finds out what the functions of a module may write.
type Writes struct {
	m     *ir.Module
	funcs map[string]*ir.Func
	Of    map[string]*Effects // by function, as far as it was asked for
	// params says which pointer parameters are solid.
	params map[param]bool
	// loop, if set, is the loop that is looked at: a pointer of which it is not known where it comes from
	// is a root itself if it is from before the loop (bases).
	loop  *Loop
	bases map[ir.Value]bool
}

// NewWrites knows nothing so far of the functions of m; see Complete.
func NewWrites(m *ir.Module) *Writes {
	w := &Writes{m: m, funcs: map[string]*ir.Func{}, Of: map[string]*Effects{}, params: map[param]bool{}}
	for _, f := range m.Funcs {
		w.funcs[f.Name] = f
	}
	return w
}

// roots collects what p may point into: values with the operations GlobalAddr,
// Alloca, Malloc, Param and Null; false if it may come from
// elsewhere.
func (w *Writes) roots(f *ir.Func, p ir.Value, seen map[ir.Value]bool) bool {
	if seen[p] {
		return true
	}
	if l := w.loop; l != nil && l.Func == f && !l.Blocks[f.Def(p).Block] {
		further := maps.Clone(seen)
		w.loop = nil
		known := w.roots(f, p, further)
		w.loop = l
		if known {
			maps.Copy(seen, further)
		} else {
			seen[p], w.bases[p] = true, true
		}
		return true
	}
	seen[p] = true
	switch d := f.Def(p); d.Op {
	case ir.GlobalAddr, ir.Alloca, ir.Malloc, ir.Null:
		return true
	case ir.Param:
		return w.solid(f, p)
	case ir.PtrAdd:
		if f.Def(d.Args[0]).Op == ir.Null && f.Def(d.Args[1]).Op != ir.Const {
			return false // any address
		}
		return w.roots(f, d.Args[0], seen)
	case ir.Freeze:
		return w.roots(f, d.Args[0], seen)
	case ir.Select:
		return w.roots(f, d.Args[1], seen) && w.roots(f, d.Args[2], seen)
	case ir.Phi:
		for _, a := range d.Args {
			if !w.roots(f, a, seen) {
				return false
			}
		}
		return true
	}
	return false
}

// solid says that every call gives a pointer parameter a pointer that was made
// from no integer: then it moves within one object.
func (w *Writes) solid(f *ir.Func, p ir.Value) bool {
	key := param{f.Name, p}
	if ok, known := w.params[key]; known {
		return ok
	}
	w.params[key] = true // for recursion; what is wrong shows elsewhere
	index := slices.Index(f.Params, p)
	ok := f.Name != w.m.Entry
	for _, g := range w.m.Globals {
		for _, r := range g.Relocs {
			ok = ok && r.Target != f.Name
		}
	}
	for _, g := range w.m.Funcs {
		for v := 1; v < len(g.Values); v++ {
			d := g.Def(ir.Value(v))
			switch {
			case d.Op == ir.FuncAddr && d.Sym == f.Name:
				ok = false
			case d.Op == ir.Call && d.Sym == f.Name:
				ok = ok && index < len(d.Args) && w.roots(g, d.Args[index], map[ir.Value]bool{})
			}
		}
	}
	w.params[key] = ok
	return ok
}

type param struct {
	function string
	value    ir.Value
}

// function is what a call of f may write. Recursion starts from nothing and is
// iterated by its callers until nothing new comes.
func (w *Writes) function(f *ir.Func) *Effects {
	if e, ok := w.Of[f.Name]; ok {
		return e
	}
	e := &Effects{Globals: map[string]bool{}, Params: map[int]bool{}}
	w.Of[f.Name] = e
	for {
		before := len(e.Globals) + len(e.Params) + len(e.wild)
		w.collect(f, e)
		if len(e.Globals)+len(e.Params)+len(e.wild) == before {
			return e
		}
	}
}

// collect adds to e what the instructions of f may write.
func (w *Writes) collect(f *ir.Func, e *Effects) {
	for b := 1; b < len(f.Blocks); b++ {
		for _, v := range f.Blocks[b].Instrs {
			w.Instruction(f, v, e, func(root ir.Value) {
				switch d := f.Def(root); d.Op {
				case ir.GlobalAddr:
					e.Globals[d.Sym] = true
				case ir.Param:
					for i, p := range f.Params {
						if p == root {
							e.Params[i] = true
						}
					}
				}
			})
		}
	}
}

// inWords is a function as a person knows it.
func (w *Writes) inWords(f *ir.Func) string {
	switch {
	case f.Name == w.m.Entry && f.Pos.Line == 0:
		return "it"
	case f.Model:
		return "a library function in it"
	}
	return ir.NameInC(f.Name)
}

// Instruction reports the roots of what an instruction may write.
func (w *Writes) Instruction(f *ir.Func, v ir.Value, e *Effects, write func(root ir.Value)) {
	through := func(p ir.Value) {
		seen := map[ir.Value]bool{}
		if !w.roots(f, p, seen) {
			e.wild = w.inWords(f) + " writes through a pointer that is read from memory"
			return
		}
		for r := range seen {
			write(r)
		}
	}
	d := f.Def(v)
	switch d.Op {
	case ir.Store:
		through(d.Args[1])
	case ir.MemCpy, ir.MemSet, ir.Havoc, ir.LifetimeStart, ir.VaStart:
		through(d.Args[0])
	case ir.Malloc, ir.Free:
		e.wild = w.inWords(f) + " allocates or frees memory"
	case ir.StackSave, ir.StackRestore:
		e.wild = w.inWords(f) + " has arrays of variable length"
	case ir.Call:
		if d.Sym == "" {
			e.wild = w.inWords(f) + " calls through a pointer"
			return
		}
		g := w.funcs[d.Sym]
		if g == nil || len(g.Blocks) == 0 {
			e.wild = d.Sym + " has no body"
			return
		}
		in := w.function(g)
		if in.wild != "" {
			e.wild = in.wild
		}
		for name := range in.Globals {
			if r := w.Address(f, name); r != 0 {
				write(r)
			} else {
				e.Globals[name] = true
			}
		}
		for i := range in.Params {
			if i < len(d.Args) {
				through(d.Args[i])
			}
		}
	}
}

// Address is the value for a global's address in f, 0 if there is none.
func (w *Writes) Address(f *ir.Func, name string) ir.Value {
	for v := 1; v < len(f.Values); v++ {
		if d := f.Def(ir.Value(v)); d.Op == ir.GlobalAddr && d.Sym == name {
			return ir.Value(v)
		}
	}
	return 0
}
