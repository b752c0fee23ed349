package absint

// Summaries: with Options.Summaries a function that is a part (Parts) is analysed once for all of its calls, by what holds
// at its entry and at its return, as a proof function by function claims it (certify/parts.go) [SharirPnueli81, §3].
//
// The entry of a part is the join over its calls: arguments, and the content of the globals that the part has to do
// with. The other objects do not exist in it: a part is a function that cannot reach them. Its exit is the results, and
// the content of the globals that it may write; all other memory is after a call what it was before.
//
//	(1) The program is analysed in passes. In a pass a part is analysed when it is called first, and again when
//	    a call is not covered by its entry, which grows then, by widening after some calls.
//	(2) The passes end with one in which no entry grows: in it, all calls of a part were given the same exit, which is that
//	    of the entry that covers all of them. So what was found is inductive function by function.
//	(3) A call of a part that is under way gives its summary so far, as in call.go.

import (
	"maps"
	"slices"

	"assay/internal/program/ir"
)

// Limits of summaries.
const (
	leastPart  = 25 // instructions that a part has, with what it calls
	maxInlined = 1 << 40
	maxPasses  = 12
	joined     = 6  // times that an entry grows before it is widened
	stepped    = 40 // then by thresholds
)

// Part is a function that can be analysed once for all of its calls.
type Part struct {
	Func *ir.Func
	// Globals are those that it has to do with, Written those of them that it may write; by name.
	Globals, Written map[string]bool
}

// Division is a program as parts.
type Division struct {
	Parts map[*ir.Func]*Part
	// Inlined is the number of instructions of the program with each call replaced by the body, Size the same
	// with parts counted once.
	Inlined, Size int64
	// Recursive is a function that calls itself, perhaps through others, but not through a part; nil if there
	// is none. Cut says that a part does. Calls through pointers are left out.
	Recursive *ir.Func
	Cut       bool
}

// reach is what a function and those that it calls may do.
type reach struct {
	other            bool // they may reach what is neither a global nor their own
	globals, written map[string]bool
}

// Parts are the functions to be analysed once for all of their calls: those that reach no other objects than globals and
// their own, and that are called from several places, or by themselves.
func Parts(m *ir.Module) (out Division) {
	byName := map[string]*ir.Func{}
	sites := map[string]int{}
	for _, f := range m.Funcs {
		byName[f.Name] = f
		for v := range f.Values {
			if d := &f.Values[v]; d.Op == ir.Call && d.Sym != "" && d.Block != 0 {
				sites[d.Sym]++
			}
		}
	}
	effects := map[*ir.Func]*reach{}
	for _, f := range m.Funcs {
		effects[f] = effectsOf(f)
	}
	for again := true; again; { // callers have the effects of those that they call
		again = false
		for _, f := range m.Funcs {
			x := effects[f]
			for v := range f.Values {
				d := &f.Values[v]
				if d.Op != ir.Call || d.Block == 0 || d.Sym == "" {
					continue
				}
				g := byName[d.Sym]
				if g == nil || g.IsDecl() {
					again = again || !x.other
					x.other = true
					continue
				}
				y, before := effects[g], len(x.globals)+len(x.written)
				again = again || y.other && !x.other
				x.other = x.other || y.other
				maps.Copy(x.globals, y.globals)
				maps.Copy(x.written, y.written)
				again = again || len(x.globals)+len(x.written) > before
			}
		}
	}
	parts := map[*ir.Func]*Part{}
	out.Parts = parts
	full, counted, under := map[*ir.Func]int64{}, map[*ir.Func]int64{}, map[*ir.Func]bool{}
	recursive := map[*ir.Func]bool{}
	var visit func(f *ir.Func)
	visit = func(f *ir.Func) {
		if _, done := full[f]; done || f.IsDecl() {
			return
		}
		under[f] = true
		var n, k int64
		for b := 1; b < len(f.Blocks); b++ {
			for _, v := range f.Blocks[b].Instrs {
				n, k = n+1, k+1
				d := &f.Values[v]
				if d.Op != ir.Call || d.Sym == "" {
					continue
				}
				g := byName[d.Sym]
				switch {
				case g == nil || g.IsDecl():
					continue
				case under[g]:
					recursive[g] = true
					continue
				}
				visit(g)
				n = min(maxInlined, n+full[g])
				if parts[g] == nil {
					k += counted[g]
				}
			}
		}
		delete(under, f)
		full[f], counted[f] = n, k
		if x := effects[f]; f.Name != m.Entry && !x.other && separate(f) && (recursive[f] || sites[f.Name] > 1 && k >= leastPart) {
			parts[f] = &Part{f, x.globals, x.written}
			out.Size += k
		}
	}
	entry := byName[m.Entry]
	if entry == nil || entry.IsDecl() {
		return Division{}
	}
	visit(entry)
	for _, f := range m.Funcs { // in each cycle there is one of these
		if recursive[f] && parts[f] == nil {
			out.Recursive = f
		}
		out.Cut = out.Cut || recursive[f]
	}
	out.Inlined, out.Size = full[entry], out.Size+counted[entry]
	return out
}

// separate says that no pointers go into a function or out of it.
func separate(f *ir.Func) bool {
	pointer := func(t ir.Type) bool { return t.Kind == ir.Ptr }
	return !f.Variadic && !slices.ContainsFunc(f.Params, func(p ir.Value) bool { return pointer(f.Type(p)) }) && !slices.ContainsFunc(f.Results, pointer)
}

// effectsOf is what the instructions of a function may do themselves.
func effectsOf(f *ir.Func) *reach {
	x := &reach{globals: map[string]bool{}, written: map[string]bool{}}
	// only is whether a pointer is only read through.
	uses := map[ir.Value][]ir.Value{}
	for b := 1; b < len(f.Blocks); b++ {
		for _, v := range f.Blocks[b].Instrs {
			for _, a := range f.Values[v].Args {
				uses[a] = append(uses[a], v)
			}
		}
	}
	var only func(p ir.Value, depth int) bool
	only = func(p ir.Value, depth int) bool {
		return depth < 8 && !slices.ContainsFunc(uses[p], func(v ir.Value) bool {
			switch d := &f.Values[v]; d.Op {
			case ir.Load, ir.Dbg, ir.ValidRange, ir.ObjectSize, ir.ObjectOffset:
				return false
			case ir.PtrAdd:
				return !only(v, depth+1)
			}
			return true
		})
	}
	// own is whether a pointer is to an object that f makes.
	own := func(p ir.Value) bool {
		for f.Values[p].Op == ir.PtrAdd {
			p = f.Values[p].Args[0]
		}
		return f.Values[p].Op == ir.Alloca
	}
	for v := range f.Values {
		d := &f.Values[v]
		if d.Op == ir.GlobalAddr {
			x.globals[d.Sym] = true
			if !only(ir.Value(v), 0) {
				x.written[d.Sym] = true
			}
			continue
		}
		if d.Block == 0 {
			continue
		}
		switch d.Op {
		case ir.Load:
			x.other = x.other || d.Type.Kind == ir.Ptr && !own(d.Args[0])
		case ir.Store:
			x.other = x.other || f.Type(d.Args[0]).Kind == ir.Ptr && !own(d.Args[1])
		case ir.PtrAdd:
			x.other = x.other || f.Values[d.Args[0]].Op == ir.Null
		case ir.Nondet:
			x.other = x.other || d.Type.Kind == ir.Ptr
		case ir.Call:
			x.other = x.other || d.Sym == ""
		case ir.IntToPtr, ir.Malloc, ir.Free, ir.VaStart, ir.StackSave, ir.StackRestore, ir.Unsupported:
			x.other = true
		}
	}
	return x
}

// summarise gives each part a context.
func (a *analysis) summarise() {
	parts := Parts(a.m).Parts
	a.parts = map[int]*callContext{}
	for i, f := range a.m.Funcs {
		if p := parts[f]; p != nil {
			c := a.newContext(nil, 0, a.function(i))
			c.part = p
			a.parts[i] = c
		}
	}
}

// passes analyses the program from its root until no entry of a part grows.
func (a *analysis) passes(root *callContext, memory store) {
	for a.pass = 1; ; a.pass++ {
		a.grew = false
		a.analyze(root, nil, memory)
		switch {
		case !a.grew:
			a.settled = true
			return
		case a.pass == maxPasses:
			panic(giveUp{reason: "the entries of functions were not stable"})
		}
	}
}

// within is what of a memory the entry of a part has.
func (a *analysis) within(p *Part, m store) (out store) {
	for _, name := range slices.Sorted(maps.Keys(p.Globals)) {
		obj := &a.objects[a.symbols[name]]
		for _, c := range append([]cellID{obj.life, obj.size, obj.pristine, obj.smash}, obj.data...) {
			out = out.set(c, m.get(c))
		}
	}
	return out
}

// callPart executes a call of a part with the entry e.
func (a *analysis) callPart(k *callContext, e entry) exit {
	before := e.mem
	e.mem = a.within(k.part, e.mem)
	covered := k.analyzed && a.entryLeq(&e, &k.entry)
	if !covered && a.settled {
		panic(giveUp{reason: "a call of " + k.fn.f.Name + " was not stable"})
	}
	switch {
	case k.running:
		for i := len(a.active) - 1; i >= 0; i-- {
			if a.active[i] == k {
				for _, c := range a.active[i+1:] {
					c.depends = true
				}
			}
		}
		k.recursive = true
		if !covered {
			a.growPart(k, e)
			k.grew = true
			a.epoch++
		}
		return a.after(k, before, k.summary)
	case a.recording:
		if !k.recorded {
			a.pending = append(a.pending, k)
		}
		return a.after(k, before, k.exit)
	case covered && k.pass == a.pass && (!k.depends || k.epoch == a.epoch):
		return a.after(k, before, k.exit)
	case !k.analyzed:
		k.entry = e
		a.grew = true
	case !covered:
		a.growPart(k, e)
	}
	k.pass = a.pass
	a.fixpoint(k)
	return a.after(k, before, k.exit)
}

// growPart makes the entry of a part cover another.
func (a *analysis) growPart(k *callContext, e entry) {
	k.growths++
	a.grew = true
	if k.growths <= joined {
		k.entry = a.joinEntry(k.fn, k.entry, e, false)
		return
	}
	stage := 0
	if k.growths > stepped {
		stage = 1
	}
	out := entry{args: make([]Value, len(e.args)), mem: a.widenMemory(k.entry.mem, e.mem, a.limits, stage)}
	for i := range out.args {
		out.args[i] = a.sets.widen(&k.entry.args[i], &e.args[i], a.limits, stage)
	}
	k.entry = out
}

// after is what a call of a part gives: the memory before it, but for the globals that it may write.
func (a *analysis) after(k *callContext, before store, x exit) exit {
	if !x.reached {
		return x
	}
	mem := before
	for _, name := range slices.Sorted(maps.Keys(k.part.Written)) {
		obj := &a.objects[a.symbols[name]]
		for _, c := range append([]cellID{obj.pristine, obj.smash}, obj.data...) {
			mem = mem.set(c, x.mem.get(c))
		}
	}
	return exit{reached: true, results: x.results, mem: mem}
}

// content is what is known of all cells of globals, those among them that nobody has written, too.
func (a *analysis) content(names map[string]bool, mem store) (out []CellFact) {
	for _, name := range slices.Sorted(maps.Keys(names)) {
		o := a.symbols[name]
		for _, id := range a.objects[o].data {
			c := &a.cells[id]
			v := a.loadCell(mem, c)
			if t := ir.IntType(8 * uint32(c.size)); v.Kind == ir.Int && c.size <= 8 && !v.Int.IsTop() {
				out = append(out, CellFact{a.describe(o), c.offset, uint64(c.size), Fact{v, t, a}})
			}
		}
	}
	return out
}

// PartFacts are what holds at the ends of a part.
type PartFacts struct {
	*Part
	Context *Context
	// Params are what is known of the parameters, Results of the results.
	Params, Results []Fact
	// Before and After are what is known of globals at the entry, and at the return of those that it may
	// write.
	Before, After []CellFact
	// Returns says that a call may return.
	Returns bool
}

// Parts are the parts that were analysed, in the order of the module.
func (f *Facts) Parts() (out []PartFacts) {
	if f.Incomplete != "" {
		return nil
	}
	for _, x := range f.Contexts {
		k := x.c
		if k.part == nil {
			continue
		}
		p := PartFacts{Part: k.part, Context: x, Returns: k.exit.reached}
		for i, v := range k.fn.f.Params {
			p.Params = append(p.Params, Fact{k.entry.args[i], k.fn.f.Type(v), f.a})
		}
		for i, t := range k.fn.f.Results {
			if k.exit.reached && i < len(k.exit.results) {
				p.Results = append(p.Results, Fact{k.exit.results[i], t, f.a})
			}
		}
		p.Before = f.a.content(k.part.Globals, k.entry.mem)
		if k.exit.reached {
			p.After = f.a.content(k.part.Written, k.exit.mem)
		}
		out = append(out, p)
	}
	return out
}
