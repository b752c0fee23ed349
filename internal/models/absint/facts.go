package absint

// The results.

import (
	"assay/internal/logic/absdomain"
	"assay/internal/logic/term"
	"assay/internal/program/ir"
)

// Facts is what the analysis found; it must not be changed. A fact about a function holds in all its
// contexts; Root has the contexts one by one.
type Facts struct {
	Module *ir.Module
	// Asked are the kinds whose violation ends a run (Options.Asked): the facts
	// hold up to and including the first such violation.
	Asked []ir.CheckKind
	// Incomplete says why nothing is known; empty if the analysis was finished.
	Incomplete string
	// Root is the context of the entry function; nil if Incomplete.
	Root *Context
	// Contexts are all contexts, Root first.
	Contexts []*Context
	// Steps is the number of instructions analysed.
	Steps int64

	funcs []funcFacts
	a     *analysis
}

// Context is a function in a chain of calls. When there are too many, or for
// recursion, one stands for several chains; then Parent is nil, or calls that go
// back to it are not among Calls.
type Context struct {
	Func   *ir.Func
	Parent *Context // nil for Root and for shared contexts
	Site   ir.Value // the call in Parent
	Calls  []*Context
	// Recursive says that calls inside return to this context.
	Recursive bool

	c *callContext
	a *analysis
}

// funcFacts are the facts of a function, merged over its contexts.
type funcFacts struct {
	reached  []bool   // by block
	possible []uint64 // by instruction
	values   []Value
}

// record executes the final states once more and notes what they say.
func (a *analysis) record(root *callContext) {
	a.recording = true
	a.pending = append(a.pending, root)
	for len(a.pending) > 0 {
		c := a.pending[len(a.pending)-1]
		a.pending = a.pending[:len(a.pending)-1]
		if c.recorded {
			continue
		}
		c.recorded = true
		if c.reached == nil {
			c.reached = make([]bool, len(c.fn.f.Blocks))
			c.possible = make([]uint64, len(c.fn.f.Values))
			c.values = make([]Value, len(c.fn.f.Values))
		}
		// Recursive calls find their contexts among the callers.
		a.active = a.active[:0]
		for p := c; p != nil; p = p.parent {
			a.active = append([]*callContext{p}, a.active...)
		}
		fr := c.fn.newFrame()
		c.frame = fr
		for _, v := range c.fn.f.Params {
			fr.vals[v] = c.param(v)
			a.noteValue(c, v)
		}
		for _, b := range c.fn.wto.Blocks {
			if parts := c.parts[b]; len(parts) > 0 {
				for i := range parts {
					a.execute(c, b, &parts[i].s)
				}
			} else if c.in[b].reached {
				a.execute(c, b, &c.in[b])
			}
		}
		c.frame = nil
		c.fn.free = append(c.fn.free, fr)
	}
	a.active = nil
}

// facts makes the results of what was recorded.
func (a *analysis) facts() *Facts {
	for i := range a.objects { // leaks are reported where the block was made
		if o := &a.objects[i]; o.leaks && o.maker.recorded {
			o.maker.possible[o.value] |= 1<<ir.MemTrack | 1<<ir.MemCleanup
		}
	}
	out := &Facts{Module: a.m, Asked: a.opts.Asked, Steps: a.steps, funcs: make([]funcFacts, len(a.m.Funcs)), a: a}
	byContext := map[*callContext]*Context{}
	for _, c := range a.contexts {
		if !c.recorded {
			continue
		}
		x := &Context{Func: c.fn.f, Site: c.site, Recursive: c.recursive, c: c, a: a}
		byContext[c] = x
		out.Contexts = append(out.Contexts, x)
		if p := byContext[c.parent]; c.parent != nil && p != nil {
			x.Parent = p
			p.Calls = append(p.Calls, x)
		}
		f := &out.funcs[c.fn.index]
		if f.reached == nil {
			f.reached = make([]bool, len(c.reached))
			f.possible = make([]uint64, len(c.possible))
			f.values = make([]Value, len(c.values))
		}
		for b, r := range c.reached {
			f.reached[b] = f.reached[b] || r
		}
		for v := range c.values {
			f.possible[v] |= c.possible[v]
			switch {
			case c.values[v].Kind == ir.Void:
			case f.values[v].Kind == ir.Void:
				f.values[v] = c.values[v]
			default:
				f.values[v] = a.sets.join(&f.values[v], &c.values[v])
			}
		}
	}
	out.Root = out.Contexts[0]
	return out
}

// incomplete are the facts of an analysis that was given up.
func (a *analysis) incomplete(reason string) *Facts {
	return &Facts{Module: a.m, Asked: a.opts.Asked, Incomplete: reason, Steps: a.steps, a: a}
}

// Reached says whether a run may enter block b of the function with that index
// in Module.Funcs; false is a proof that none does.
func (f *Facts) Reached(fn int, b ir.BlockID) bool {
	return f.Incomplete != "" || f.funcs[fn].reached != nil && f.funcs[fn].reached[b]
}

// Executed says whether a run may get to instruction v and compute it. False for
// an instruction without result is decided by its block.
func (f *Facts) Executed(fn int, v ir.Value) bool {
	d := f.Module.Funcs[fn].Def(v)
	if d.Type.Kind != ir.Void && f.Incomplete == "" {
		return f.funcs[fn].values != nil && f.funcs[fn].values[v].Kind != ir.Void
	}
	return f.Reached(fn, d.Block)
}

// MayViolate says whether the check or guard of that kind at instruction v may
// be violated; false is a proof that it is not. MemTrack and MemCleanup belong to
// the Malloc that makes the block, and to the end of the program.
func (f *Facts) MayViolate(fn int, v ir.Value, kind ir.CheckKind) bool {
	return f.Incomplete != "" || f.funcs[fn].possible != nil && f.funcs[fn].possible[v]>>kind&1 == 1
}

// MayLeak says whether a block of the heap may be lost or left at the end.
func (f *Facts) MayLeak() bool { return f.Incomplete != "" || f.a.leaks }

// Value is what is known of value v of the function, on all runs.
func (f *Facts) Value(fn int, v ir.Value) Fact {
	t := f.Module.Funcs[fn].Def(v).Type
	if f.Incomplete != "" {
		return Fact{topOf(t), t, f.a}
	}
	if f.funcs[fn].values == nil || f.funcs[fn].values[v].Kind == ir.Void {
		return Fact{a: f.a, t: t, v: f.a.fixed(fn, v, t)}
	}
	return Fact{f.funcs[fn].values[v], t, f.a}
}

// fixed is a value that is not computed in any block: a constant, or one that is
// never computed. It changes nothing, for goroutines share facts: of the pointers in a
// function that was never analysed it knows nothing.
func (a *analysis) fixed(fn int, v ir.Value, t ir.Type) Value {
	if d := a.m.Funcs[fn].Def(v); ir.IsConst(d.Op) {
		switch {
		case a.funcs[fn] != nil:
			return a.funcs[fn].constants[v]
		case d.Op == ir.Const:
			return constant(d)
		}
		return topOf(t)
	}
	switch t.Kind {
	case ir.Int:
		if t.Bits <= 64 {
			return intValue(absdomain.Bottom(t.Bits))
		}
	case ir.Ptr:
		return Value{Kind: ir.Ptr, Targets: nowhere, Int: absdomain.Top(t.Bits)}
	case ir.Float:
		return floatValue(absdomain.FloatBottom(t.Bits))
	}
	return topOf(t)
}

// Reached, MayViolate and Value are as those of Facts, in this context alone.
func (c *Context) Reached(b ir.BlockID) bool { return c.c.reached[b] }

// MayViolate says whether the check or guard of that kind at v may be violated.
func (c *Context) MayViolate(v ir.Value, kind ir.CheckKind) bool {
	return c.c.possible[v]>>kind&1 == 1
}

// Value is what is known of v.
func (c *Context) Value(v ir.Value) Fact {
	t := c.Func.Def(v).Type
	if c.c.values[v].Kind == ir.Void {
		return Fact{a: c.a, t: t, v: c.a.fixed(c.c.fn.index, v, t)}
	}
	return Fact{c.c.values[v], t, c.a}
}

// Invariant is what holds whenever a run enters a block, behind its phis.
type Invariant struct {
	Block ir.BlockID
	// Values are the phis of the block and what is live there, with what is known.
	Values []ValueFact
	// Cells are places in memory with what is known of their content; only
	// objects that are certain to be one object, at known offsets.
	Cells []CellFact
}

// ValueFact is a fact about a value.
type ValueFact struct {
	Value ir.Value
	Fact  Fact
}

// CellFact is a fact about Size bytes at Offset of an object, read as a number or
// a pointer.
type CellFact struct {
	Object Object
	Offset uint64
	Size   uint64
	Fact   Fact
}

// Object names an object of the program: a global, a function, or what an
// instruction makes in a context.
type Object struct {
	Global  *ir.Global
	Func    *ir.Func // of a function's address
	Context *Context // where Site makes it; nil for globals and functions
	Site    ir.Value
	Heap    bool
	// Null stands for the null pointer, Bare for addresses without an object (null
	// perhaps among them): an access looks up what lives there.
	Null, Bare bool
}

// Same says whether both are the same object.
func (o *Object) Same(p *Object) bool {
	if o.Global != nil || p.Global != nil || o.Context == nil || p.Context == nil {
		return o.Global == p.Global && o.Func == p.Func && o.Context == p.Context && o.Null == p.Null && o.Bare == p.Bare
	}
	return o.Context.Same(p.Context) && o.Site == p.Site && o.Heap == p.Heap
}

// At is the invariant of block b in the context; ok is false if no run enters it.
func (c *Context) At(b ir.BlockID) (inv Invariant, ok bool) {
	s := &c.c.in[b]
	if !s.reached {
		return inv, false
	}
	return c.invariant(b, s), true
}

// invariant is what a state at a block says.
func (c *Context) invariant(b ir.BlockID, s *state) (inv Invariant) {
	inv.Block = b
	for i, v := range c.c.fn.slots[b] {
		if x := (Fact{s.vals[i], c.Func.Def(v).Type, c.a}); !x.IsTop() {
			inv.Values = append(inv.Values, ValueFact{v, x})
		}
	}
	inv.Cells = c.cells(s.mem)
	return inv
}

// cells are what a memory says of places.
func (c *Context) cells(mem store) (out []CellFact) {
	mem.each(func(id cellID, v *Value) {
		cl := &c.a.cells[id]
		if cl.role != dataCell || v.Kind == ir.Void || !c.a.unique(mem, cl.object) || !c.a.mustLive(mem, cl.object) {
			return
		}
		t := ir.IntType(8 * uint32(cl.size))
		switch v.Kind {
		case ir.Ptr:
			t = c.a.m.PtrType()
		case ir.Float:
			t = ir.FloatType(uint32(v.Float.Bits))
		}
		if x := (Fact{*v, t, c.a}); !x.IsTop() {
			out = append(out, CellFact{c.a.describe(cl.object), cl.offset, uint64(cl.size), x})
		}
	})
	return out
}

// Same says whether both are the same context; those of objects are made anew each time.
func (c *Context) Same(d *Context) bool { return c.c == d.c }

// Heads are the invariants at the heads of the loops of the context's function,
// in the weak topological order.
func (c *Context) Heads() (out []Invariant) {
	w := c.c.fn.wto
	for _, b := range w.Blocks {
		if w.IsHead(b) {
			if inv, ok := c.At(b); ok {
				out = append(out, inv)
			}
		}
	}
	return out
}

func (a *analysis) describe(o objectID) Object {
	obj := &a.objects[o]
	switch {
	case o == objNull:
		return Object{Null: true}
	case o == objBare:
		return Object{Bare: true}
	case obj.kind == functionObject:
		return Object{Func: a.m.Funcs[obj.fn]}
	case obj.kind == globalObject:
		return Object{Global: obj.global}
	}
	return Object{Context: &Context{Func: obj.maker.fn.f, c: obj.maker, a: a, Site: obj.maker.site}, Site: obj.value, Heap: obj.kind == heapObject}
}

// Fact is what is known of one value.
type Fact struct {
	v Value
	t ir.Type
	a *analysis
}

// Type is the type of the value.
func (f Fact) Type() ir.Type { return f.t }

// Int is what is known of an integer, or of the offset of a pointer that points
// into an object.
func (f Fact) Int() absdomain.Int { return f.v.Int }

// Float is what is known of a floating-point number.
func (f Fact) Float() absdomain.Float { return f.v.Float }

// Targets are the objects that a pointer may point into; ok is false if it may be
// any.
func (f Fact) Targets() (list []Object, ok bool) {
	if f.v.Kind != ir.Ptr || f.v.Targets == anything {
		return nil, false
	}
	for _, o := range f.a.sets.list[f.v.Targets] {
		list = append(list, f.a.describe(o))
	}
	return list, true
}

// IsTop says that nothing is known.
func (f Fact) IsTop() bool {
	switch f.v.Kind {
	case ir.Int:
		return f.v.Int.IsTop()
	case ir.Float:
		return f.v.Float.IsTop()
	case ir.Ptr:
		return f.v.Targets == anything && f.v.Int.IsTop()
	}
	return true
}

// IsBottom says that there is no value: no run comes here.
func (f Fact) IsBottom() bool { return f.v.isBottom() }

// Term says in a Bool term that t has the value: an integer as a bit-vector; of a
// pointer, t is the offset, and the statement holds if it points into an object;
// of a float only what its caller makes of Float, so it is true.
func (f Fact) Term(s *term.Store, t term.ID) term.ID {
	switch f.v.Kind {
	case ir.Int, ir.Ptr:
		return f.v.Int.Term(s, t)
	}
	return s.True()
}

// String is for messages.
func (f Fact) String() string { return f.a.sets.text(&f.v) }
