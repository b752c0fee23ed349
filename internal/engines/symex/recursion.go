package symex

// Recursive functions [AProVE-Ptr §2.3 generalises call stacks; this is a departure].
//
// A state has the whole call stack, which grows for ever if a function calls itself.
// So a call of a recursive function (one on a cycle of direct calls) is cut. It has
// two kinds of successors:
//
//	(1) the *entry*: a node whose one frame is the new activation. The frames of the
//	    callers are hidden, and with them the objects that neither an argument nor a
//	    global leads to. All calls whose states have one shape share an entry; a path
//	    from the node of the caller to the entry is an edge.
//	(2) for each node where an activation that began at this entry *returns*, the state
//	    after the call: that of the caller, with the objects that the activation could
//	    reach as they are in the returning state.
//
// The states of an activation remember how it began: State.Arguments are the values that
// its parameters had, and pointers to all objects that were there, kept through all
// nodes like values of locals. (2) equates them with what they are in the caller, so a
// returning state is a relation between the symbols of the entry and its own: a summary.
// A list that the caller has may come back longer, shorter, as single nodes or not at
// all: the pointer to its beginning says where. The state of an entry is folded like one at a
// loop head, so that lists may grow from call to call; the caller's pointers to objects
// that became the middle of a list point anywhere behind the call.
//
// Invariants. 1. The callee writes to listed objects only: a write through an unknown
// pointer is an obstacle where something is hidden. 2. When a returning node is new or
// grows, all nodes that call its entry are explored again.
//
// Termination: an infinite run has either infinitely many nested activations that do not
// return, or one that visits nodes for ever; both are infinite paths over edges
// between nodes and entries, for calls that return are part of paths by (2).

import (
	"slices"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// resumeSteps is what going on after a call costs in instructions, about.
const resumeSteps = 20

// maxSteady is how often a returning node takes different constants for different cases,
// before it takes them for a counter that will move on.
const maxSteady = 4

// recursiveFunctions are the functions on cycles of direct calls.
func recursiveFunctions(index *ir.Index, m *ir.Module) map[*ir.Func]bool {
	r := map[*ir.Func]bool{}
	for _, f := range m.Funcs {
		seen := map[*ir.Func]bool{}
		for work := []*ir.Func{f}; len(work) > 0 && !r[f]; {
			g := work[len(work)-1]
			work = work[:len(work)-1]
			for v := range g.Values {
				if d := &g.Values[v]; d.Op == ir.Call && d.Sym != "" {
					h := index.Funcs[d.Sym]
					r[f] = r[f] || h == f
					if h != nil && !seen[h] {
						seen[h] = true
						work = append(work, h)
					}
				}
			}
		}
	}
	return r
}

// recur executes a call of a recursive function.
func (x *explorer) recur(s *state, f *frame, d *ir.Def, callee *ir.Func, args []ir.Value) control {
	x.settle(s)
	f = top(s)
	values := make([]value, len(callee.Values))
	for i, p := range callee.Params {
		values[p] = x.operand(s, f, args[i])
	}
	e := x.activation(s, callee, values)
	if x.discover(e) { // not in s: a node that is under way may look like one of another kind
		x.again, x.stopped = true, true
		return stop
	}
	lists := x.shape || len(x.kinds) > 0
	seen := origins(e)
	if lists {
		if !x.fold(e) {
			x.stopped = true
			return stop
		}
		if e.Lost { // what a list does not say of its nodes
			e.Lost, s.Lost = false, true
		}
	}
	inputs := origins(e)
	n, j := x.land(e, "entry "+key(e, lists, x.trees))
	if n == nil {
		return stop
	}
	if n.state.Entry == 0 { // it is new
		n.state.Entry = int32(n.index)
		n.state.Arguments = nil
		for _, p := range callee.Params {
			n.state.Arguments = append(n.state.Arguments, n.state.Frames[0].Values[p])
		}
		for i := len(e.Objects) - len(inputs); i < len(e.Objects); i++ {
			n.state.Arguments = append(n.state.Arguments, pointer(int32(i), linear.Form{}))
		}
	}
	if !slices.Contains(n.callers, x.now) {
		n.callers = append(n.callers, x.now)
	}
	if x.final {
		x.edge(n, j)
		x.pen.arrived(e, x.k.facts, x.prepare(callee), n, j.bound)
	}
	at := x.pen.where()
	for _, r := range slices.Clone(n.returns) {
		if x.stats.Steps += resumeSteps; x.ctx.Err() != nil {
			x.obstacle = &Obstacle{Text: "the time limit was reached", Stopped: true}
			return stop
		}
		x.k.push()
		if t := x.resume(s, n, j, seen, inputs, r); t != nil {
			x.saturate(t)
			if x.k.broken == 0 {
				x.pen.split(at, alternative{})
				x.run(t)
			}
		}
		x.k.pop()
		if x.stopped || x.obstacle != nil {
			break
		}
	}
	return stop
}

// activation is the state in which a callee begins, without its callers. The origins
// of its objects are those of s.
func (x *explorer) activation(s *state, callee *ir.Func, values []value) *state {
	e := clone(s)
	e.Frames = []frame{{Func: callee, Block: 1, Values: values}}
	e.Entry, e.Arguments = 0, nil
	for i := range e.Objects {
		o := &e.Objects[i]
		o.Origin = int32(i)
		o.Strings = nil // they are on the stack of the first frame
		if o.Kind == symgraph.Stack && o.Frame >= 0 {
			o.Frame = symgraph.HiddenFrame
		}
	}
	x.tidy(e)
	e.Lost = false // what only the callers reach is hidden
	x.normalize(e)
	for i := range len(x.m.Globals) + len(x.m.Funcs) {
		e.Objects[i].Origin = -1
	}
	return e
}

// origins are those of the objects that are no globals or functions.
func origins(s *state) (os []int32) {
	for i := range s.Objects {
		if o := &s.Objects[i]; o.Kind < symgraph.Global {
			os = append(os, o.Origin)
		}
	}
	return os
}

// land finds the node at key of which s is an instance, making it or making it more
// general; nil if the path has to be explored anew.
func (x *explorer) land(s *state, key string) (*node, *joiner) {
	n := x.table[key]
	if n == nil {
		n = x.newNode(s, key)
		if x.final {
			x.stopped = true
		}
		return n, x.instance(n, s)
	}
	if j := x.instance(n, s); j != nil {
		return n, j
	}
	x.join(n, s)
	x.push(n)
	x.changed(n)
	if n == x.now || x.final {
		x.stopped = true
		return nil, nil
	}
	j := x.instance(n, s)
	if j == nil {
		x.push(x.now)
		return nil, nil
	}
	return n, j
}

// changed has the nodes explored again that depend on a returning node.
func (x *explorer) changed(n *node) {
	if !n.isReturn {
		return
	}
	for _, c := range x.nodes[n.state.Entry].callers {
		x.push(c)
	}
}

// goBack is the end of an activation whose callers are hidden.
func (x *explorer) goBack(s *state, f *frame) control {
	for i := range s.Objects {
		if o := &s.Objects[i]; o.Kind == symgraph.Stack && o.Frame == 0 {
			x.spill(s, o)
			o.Dead, o.Cells, o.Frame = true, nil, symgraph.NoFrame
		}
	}
	x.tidy(s)
	x.normalize(s)
	if x.discover(s) {
		x.again, x.stopped = true, true
		return stop
	}
	lists := x.shape || len(x.kinds) > 0
	if lists && !x.fold(s) {
		x.stopped = true
		return stop
	}
	known := len(x.nodes)
	n, j := x.land(s, "return "+key(s, lists, x.trees))
	if n == nil {
		return stop
	}
	if len(x.nodes) > known {
		n.isReturn = true
		entry := x.nodes[s.Entry]
		entry.returns = append(entry.returns, n)
		x.changed(n)
	}
	if x.final {
		x.edge(n, j)
		x.pen.arrived(s, x.k.facts, x.prepare(top(s).Func), n, j.bound)
	}
	return stop
}

// resume is the state after a call, from the state s before it, which the entry n
// describes as j says, and the state r that returns; nil if they do not go together. The
// activation has seen some objects of s: those where its inputs begin, and such as became
// part of a list that begins elsewhere.
func (x *explorer) resume(s *state, n *node, j *joiner, seen, inputs []int32, r *node) *state {
	names := map[linear.Var]linear.Var{}
	rename := func(v linear.Var) linear.Var {
		w, ok := names[v]
		if !ok {
			w = linear.Var(len(x.symbols))
			x.symbols = append(x.symbols, x.symbols[v])
			names[v] = w
		}
		return w
	}
	back := x.renamed(&r.state, rename, rename)
	for _, c := range back.Constraints {
		if !x.k.assert(c) {
			return nil
		}
	}
	equal := func(f, g linear.Form) bool { return x.k.assert(linear.Equals(f, g)) }
	for i, a := range n.state.Arguments {
		b := back.Arguments[i]
		if a.Kind < symgraph.Int || b.Kind != a.Kind {
			continue
		}
		if !equal(b.Form, j.image(a.Form)) {
			return nil
		}
	}
	t := clone(s)
	fixed := len(x.m.Globals) + len(x.m.Funcs)
	params := len(n.state.Arguments) - len(inputs)
	to := make([]int32, len(back.Objects)) // by object of back
	for i := range to {
		to[i] = -1
		if i < fixed {
			to[i] = int32(i)
		}
	}
	// An object has its place if the pointer to it still is one to an object.
	for k, o := range inputs {
		v := &back.Arguments[params+k]
		if v.Kind == symgraph.Pointer && int(v.Object) >= fixed && !v.Last && v.Form.Equal(linear.Form{}) && to[v.Object] < 0 {
			to[v.Object] = o
		}
	}
	for i := range to {
		if to[i] < 0 {
			to[i] = int32(len(t.Objects))
			t.Objects = append(t.Objects, gone)
		}
	}
	move := func(v value) value {
		if v.Kind == symgraph.Pointer && v.Object >= 0 {
			v.Object = to[v.Object]
		}
		return v
	}
	// The callers' pointers to objects of the activation.
	is := map[int32]value{}
	for _, o := range seen {
		is[o], t.Objects[o] = value{Kind: symgraph.Any}, gone
	}
	for k, o := range inputs {
		is[o] = move(back.Arguments[params+k])
	}
	replace(t, func(v value) value {
		w, changed := is[v.Object]
		switch {
		case !changed || v.Object < 0:
			return v
		case v.Last || w.Kind != symgraph.Pointer || w.Last:
			return value{Kind: symgraph.Any}
		}
		w.Form = w.Form.Add(v.Form)
		return w
	})
	for i := range back.Objects {
		o := back.Objects[i]
		if k := slices.Index(inputs, to[i]); i >= fixed && k >= 0 {
			was := &s.Objects[to[i]]
			if o.List == nil && was.List == nil {
				if !equal(o.Size, was.Size) || o.HasBase && was.HasBase && !equal(o.Base, was.Base) {
					return nil
				}
				if was.HasBase && !o.HasBase {
					o.HasBase, o.Base = true, was.Base
				}
				o.Size = was.Size
			}
			if o.Frame == symgraph.HiddenFrame {
				o.Frame = was.Frame
			}
		}
		for k := range o.Cells {
			o.Cells[k].Value = move(o.Cells[k].Value)
		}
		if o.List != nil {
			o.List.Tail, o.List.Before = move(o.List.Tail), move(o.List.Before)
		}
		t.Objects[to[i]] = o
	}
	t.Lost = s.Lost || back.Lost
	g := &back.Frames[0]
	ret := g.Func.Def(g.Func.Blocks[g.Block].Instrs[g.Index])
	results := make([]value, len(ret.Args))
	for i, a := range ret.Args {
		results[i] = move(x.operand(back, g, a))
	}
	x.resumeCaller(t, results)
	return t
}
