// Package flat makes a program of one function, in which locals are values: calls are replaced by
// bodies (package inline), and what structs hold that functions hand to each other by their
// addresses (streams, parsers, buffers with lengths) becomes variables of this function
// (promote.go), as the front end does it with locals that stay in their function. Loops then
// change variables where they wrote through pointers, which is what induction needs to cut
// them, and what invariants are guessed of.
//
//	(V1) Calls of functions that are recursive, variadic or without body stay calls, and so do
//	     calls through pointers, unless the pointer is the address of a function. These are often
//	     known only when locals are values: both steps are repeated.
//	(V2) Stack objects of a body die where it returns: those that its entry block makes by
//	     LifetimeEnd, others by a StackSave around the body. The latter need a body that gives
//	     nothing back but by its returns, as all do.
//	(V3) Instructions of library models stand at the place of the call that led into them.
//
// Each run of the program is one of the flat program, with the same checks in the same order, but
// for those of accesses that are valid always; so a proof carries over. Not so for memory that is
// lost (MemTrack): the one frame keeps what bodies knew that are over, and cells that led to other
// objects are no memory any more. This step is trusted, and tested by runs of both.
package flat

import (
	"maps"
	"slices"

	"assay/internal/program/inline"
	"assay/internal/program/ir"
	"assay/internal/transform"
)

// maxValues bounds the flat function; more is not worth it.
const maxValues = 12000

// maxRounds bounds how often calls are replaced and locals promoted.
const maxRounds = 4

// Make is the flat program; unchanged if there is none, or nothing is gained.
func Make(m *ir.Module) *transform.Program {
	entry := m.Func(m.Entry)
	if entry == nil || entry.IsDecl() || len(entry.Params) > 0 {
		return transform.Unchanged(m)
	}
	now, gained := m, false
	var needs []ir.CheckKind
	for range maxRounds {
		next := inlined(now)
		if next == nil {
			return transform.Unchanged(m)
		}
		f := next.Func(next.Entry)
		promoted := false
		simplify(f)
		for {
			done, halves := promote(next, f)
			if halves {
				needs = []ir.CheckKind{ir.InvalidDeref}
			}
			if !done {
				break
			}
			promoted = true
			simplify(f)
		}
		now, gained = next, gained || promoted
		if !promoted {
			break
		}
	}
	if !gained {
		return transform.Unchanged(m)
	}
	if err := ir.Verify(now); err != nil {
		panic("flat: the flat program is malformed: " + err.Error())
	}
	return &transform.Program{From: m, Module: now, Runs: transform.More, Needs: needs, Blind: []ir.CheckKind{ir.MemTrack}, About: "the program with its calls replaced by the bodies of functions, and locals as values"}
}

// flattener replaces calls.
type flattener struct {
	b      *ir.Builder
	in     *inline.Inliner
	byName map[string]*ir.Func
	called map[string]bool            // these stay calls (V1)
	vars   map[*inline.Activation]int // where the variables of an activation begin
	made   map[*inline.Activation][]ir.Value
	locals map[ir.Pos]ir.Var
	saves  map[*ir.Func]bool
}

// inlined is the program with the calls in its entry function replaced; nil if it would be too large.
func inlined(m *ir.Module) *ir.Module {
	out := *m
	out.Funcs = nil
	entry := m.Func(m.Entry)
	x := &flattener{
		b: ir.NewFunc(&out, m.Entry, entry.Results...), byName: m.Index().Funcs, called: inline.Recursive(m),
		vars: map[*inline.Activation]int{}, made: map[*inline.Activation][]ir.Value{}, locals: map[ir.Pos]ir.Var{}, saves: map[*ir.Func]bool{},
	}
	if x.called[m.Entry] {
		return nil
	}
	for _, f := range m.Funcs {
		x.called[f.Name] = x.called[f.Name] || f.Variadic
	}
	x.b.Func.Pos = entry.Pos
	x.b.At(x.b.Block("entry"))
	x.in = inline.New(x.b, maxValues, x.instruction)
	results, returns, err := x.in.Inline(nil, 0, entry, nil)
	if err != nil {
		return nil
	}
	if returns {
		x.b.Ret(results...)
	} else {
		x.b.Unreachable()
	}
	f := x.in.Done().Func
	for v := range f.Values { // others may share the operands
		f.Values[v].Args = slices.Clone(f.Values[v].Args)
	}
	f.Locals = x.locals
	out.Funcs = append([]*ir.Func{f}, needed(m, f)...)
	out.Constructors = nil
	for _, name := range m.Constructors { // the others are part of the entry
		if out.Func(name) != nil {
			out.Constructors = append(out.Constructors, name)
		}
	}
	return &out
}

// needed are the functions of m, but for the entry, that the flat function, globals and what these
// need name.
func needed(m *ir.Module, f *ir.Func) (out []*ir.Func) {
	named := map[string]bool{}
	for _, g := range m.Globals {
		for _, r := range g.Relocs {
			named[r.Target] = true
		}
	}
	byName := m.Index().Funcs
	work := []*ir.Func{f}
	name := func(sym string) {
		if g := byName[sym]; g != nil && !named[sym] {
			named[sym] = true
			work = append(work, g)
		}
	}
	for _, g := range m.Funcs {
		if named[g.Name] {
			work = append(work, g)
		}
	}
	for len(work) > 0 {
		g := work[len(work)-1]
		work = work[:len(work)-1]
		for v := range g.Values {
			if d := &g.Values[v]; d.Op == ir.Call || d.Op == ir.FuncAddr {
				name(d.Sym)
			}
		}
	}
	for _, g := range m.Funcs {
		if named[g.Name] && g.Name != m.Entry {
			out = append(out, g)
		}
	}
	return out
}

// instruction is the rule of the inliner.
func (x *flattener) instruction(a *inline.Activation, v ir.Value, d *ir.Def) (replaced bool, err error) {
	x.b.SetPos(userPos(a, d.Pos))
	d.Pos = userPos(a, d.Pos)
	switch d.Op {
	case ir.Dbg:
		if a.Func.Model {
			return true, nil
		}
		first, ok := x.vars[a]
		if !ok {
			first = len(x.b.Func.Vars)
			x.vars[a] = first
			x.b.Func.Vars = append(x.b.Func.Vars, a.Func.Vars...)
			maps.Copy(x.locals, a.Func.Locals)
		}
		d.Aux += int64(first)
	case ir.Alloca:
		if a.Caller != nil && once(a.Func, v) {
			x.made[a] = append(x.made[a], x.in.Copy(a, v, *d))
			return true, nil
		}
	case ir.Call:
		g, skip := x.callee(a, d)
		if g == nil {
			return false, nil
		}
		d.Args = d.Args[skip:]
		if x.keeps(g) {
			token := x.b.Op(ir.StackSave, x.b.Func.Type(x.b.Null()))
			if _, err := x.in.Call(a, v, d, g); err != nil {
				return true, err
			}
			x.b.Op(ir.StackRestore, ir.Type{}, token)
			return true, nil
		}
		_, err := x.in.Call(a, v, d, g)
		return true, err
	case ir.Ret:
		for _, o := range x.made[a] {
			x.b.Op(ir.LifetimeEnd, ir.Type{}, o)
		}
	}
	return false, nil
}

// callee is the function whose body takes the place of a call, and how many operands come before
// the arguments; nil if the call stays.
func (x *flattener) callee(a *inline.Activation, d *ir.Def) (g *ir.Func, skip int) {
	name := d.Sym
	if name == "" {
		p := x.b.Func.Def(x.in.Operand(a, d.Args[0]))
		if p.Op != ir.FuncAddr {
			return nil, 0
		}
		name, skip = p.Sym, 1
	}
	g = x.byName[name]
	if g == nil || g.IsDecl() || x.called[name] || a.Within(g) || len(d.Args)-skip != len(g.Params) {
		return nil, 0
	}
	if skip == 1 { // of a pointer to a function of another type
		for i, p := range g.Params {
			if x.b.Func.Type(x.in.Operand(a, d.Args[i+1])) != g.Type(p) {
				return nil, 0
			}
		}
		if len(g.Results) == 0 && d.Type.Kind != ir.Void || len(g.Results) > 0 && d.Type.Kind != ir.Void && g.Results[0] != d.Type {
			return nil, 0
		}
	}
	return g, skip
}

// userPos is a position, or for a library model that of the call that led into it (V3).
func userPos(a *inline.Activation, pos ir.Pos) ir.Pos {
	for a.Func.Model && a.Caller != nil {
		pos = a.Caller.Func.Def(a.Call).Pos
		a = a.Caller
	}
	return pos
}

// once says whether a stack object is made once in an activation, with a constant size.
func once(f *ir.Func, v ir.Value) bool {
	d := f.Def(v)
	return d.Block == 1 && len(f.Blocks[1].Preds) == 0 && f.Def(d.Args[0]).Op == ir.Const
}

// keeps says whether a body makes stack objects that need a StackSave around it (V2).
func (x *flattener) keeps(g *ir.Func) bool {
	k, ok := x.saves[g]
	if !ok {
		k = slices.ContainsFunc(g.Blocks, func(b ir.Block) bool {
			return slices.ContainsFunc(b.Instrs, func(v ir.Value) bool { return g.Def(v).Op == ir.Alloca && !once(g, v) })
		})
		x.saves[g] = k
	}
	return k
}
