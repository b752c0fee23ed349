package graph

import (
	"fmt"
	"slices"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// Calls of recursive functions. A node whose one frame is at the beginning of a function
// and whose State.Entry is itself is an entry. What is claimed of it:
//
//	Whenever an activation of the function begins in a state that the entry describes
//	with some values of its symbols, and returns, a node that Returns to this
//	entry describes the state then, with values of its own symbols for which the
//	arguments of both nodes are the same integers, or pointers to the same objects.
//
// Behind those of the function, an entry has an argument for each of its objects, which is
// a pointer to it. By induction over the length of runs: the nodes of the activation keep
// the arguments (match.go), which is checked as for all else that a node says; calls
// within are shorter. What the entry does not list is neither read nor written in the activation,
// for it has no pointer there; a write through a pointer to anywhere is rejected while
// something is hidden.
//
// So from a call that an entry describes, a path goes on as this claim says: once for each
// returning node, with values of its symbols that are new, but equal where the claim has
// it. For termination a transition to the entry describes the call (its entry is a node
// like others): a run that does not come back is followed there.

// activation says what is wrong with what node i says of the beginning of its activation.
func (c *checkerState) activation(i int) string {
	n := &c.g.Nodes[i]
	s := &n.State
	e := int(s.Entry)
	switch {
	case e < 0 || e >= len(c.g.Nodes):
		return "its entry is not there"
	case e == 0 && (n.Returns || len(s.Arguments) > 0):
		return "it returns to nowhere"
	}
	if e == 0 {
		return ""
	}
	entry := &c.g.Nodes[e].State
	if int(entry.Entry) != e || c.g.Nodes[e].Returns || len(entry.Frames) != 1 || entry.Frames[0].Func != s.Frames[0].Func ||
		entry.Frames[0].Block != 1 || entry.Frames[0].Index != 0 {
		return "its entry is none"
	}
	f := &s.Frames[0]
	if n.Returns && (len(s.Frames) != 1 || f.Func.Def(f.Func.Blocks[f.Block].Instrs[f.Index]).Op != ir.Ret) {
		return "it does not return"
	}
	fixed, params := len(c.m.Globals)+len(c.m.Funcs), len(f.Func.Params)
	if len(entry.Objects) < fixed || len(s.Arguments) != params+len(entry.Objects)-fixed {
		return "arguments are missing"
	}
	if i != e {
		return ""
	}
	for k, a := range s.Arguments[params:] {
		if a.Kind != symgraph.Pointer || int(a.Object) != fixed+k || a.Last || !a.Form.Equal(linear.Form{}) {
			return "an entry without a pointer to each object"
		}
	}
	return ""
}

// entries are the entries at which activations of f may begin.
func (c *checkerState) entries(f *ir.Func) []int {
	return c.positions[position([]symgraph.Frame{{Func: f, Block: 1}}, beginning)]
}

// summary goes on after a call of a recursive function with these arguments.
func (c *checkerState) summary(s *state, callee *ir.Func, args []ir.Value, entries []int) {
	if c.lists {
		c.settle(s)
	}
	e := s.clone()
	g := frame{f: callee, block: 1, values: make([]value, len(callee.Values))}
	for i, p := range callee.Params {
		g.values[p] = c.operand(s, args[i])
	}
	e.frames = []frame{g}
	e.entry, e.arguments = beginning, nil
	for i := range e.objects {
		if o := &e.objects[i]; o.kind == symgraph.Stack && o.frame >= 0 {
			o.frame = symgraph.HiddenFrame
		}
		e.objects[i].strings = nil // they are on the stack of the first frame
	}
	why := ""
	for _, i := range entries {
		c.push()
		m := c.newMatch(e, i)
		ok := m.run(i)
		if ok {
			c.afterwards(s, i, m)
		}
		c.pop()
		if ok || c.failure != nil {
			return
		}
		why = m.fails
	}
	c.reject(s, "no entry describes the call: %s", why)
}

// afterwards goes on with the states in which an activation may return that began at
// the entry i, as m says.
func (c *checkerState) afterwards(s *state, i int, m *match) {
	entry := &c.g.Nodes[i].State
	params := len(entry.Frames[0].Func.Params)
	for _, r := range c.returns[i] {
		c.push()
		if back := c.loadState(r, map[linear.Var]number{}); back != nil && c.failure == nil {
			for k, a := range entry.Arguments[:params] {
				if a.Kind < symgraph.Int || back.arguments[k].kind != a.Kind {
					continue
				}
				if t, ok := form(a.Form, m.term); ok {
					c.assert(fmt.Sprintf("(= %s %s)", t.t, back.arguments[k].n.t))
				}
			}
			c.nulls(back, m, params)
			if t := c.resume(s, back, m, params); c.possible("true") {
				c.walk(t)
			}
		}
		c.pop()
		if c.failure != nil {
			return
		}
	}
}

// nulls says of the returning state that a list of the entry which began at null had no
// nodes: the pointer to its beginning is null still.
func (c *checkerState) nulls(back *state, m *match, params int) {
	fixed := len(c.m.Globals) + len(c.m.Funcs)
	for k := fixed; k < len(m.object); k++ {
		v := back.arguments[params+k-fixed]
		if !m.started[k] || m.object[k] != symgraph.Null || v.kind != symgraph.Pointer || v.last || int(v.object) < fixed {
			continue
		}
		if l := back.objects[v.object].list; l != nil {
			c.assert("(= 0 " + l.length.t + ")")
		} else {
			c.assert("false")
		}
	}
}

// resume is the state after the call. What the objects hold that the entry describes
// is what the returning state says, and a pointer to the start of one is what that state
// says of it; of other pointers to them nothing is known. All else is as it was.
func (c *checkerState) resume(s, back *state, m *match, params int) *state {
	t := s.clone()
	fixed := len(c.m.Globals) + len(c.m.Funcs)
	// starts are the arguments that are pointers to objects of the caller.
	starts := map[int32]int{}
	for k := fixed; k < len(m.object); k++ {
		p := m.object[k]
		if _, twice := starts[p]; p >= 0 && m.taken[p] && (!twice || m.n.State.Objects[k].List == nil) {
			starts[p] = params + k - fixed
		}
	}
	to := make([]int32, len(back.objects))
	for i := range to {
		to[i] = -1
		if i < fixed {
			to[i] = int32(i)
		}
	}
	for p := range int32(len(s.objects)) {
		k, ok := starts[p]
		if !ok || int(p) < fixed {
			continue
		}
		if v := back.arguments[k]; v.kind == symgraph.Pointer && int(v.object) >= fixed && !v.last && v.n.isConst() && v.n.low.Sign() == 0 && to[v.object] < 0 {
			to[v.object] = p // the object has its place still
		}
	}
	for i := range to {
		if to[i] < 0 {
			to[i] = int32(len(t.objects))
			t.objects = append(t.objects, object{})
		}
	}
	move := func(v value) value {
		if v.kind == symgraph.Pointer && v.object >= 0 {
			v.object = to[v.object]
		}
		return v
	}
	// Pointers of the callers.
	t.pointers(func(p int32, last bool) (symgraph.Kind, int32, bool) {
		if int(p) < fixed || !m.taken[p] {
			return symgraph.Pointer, p, last
		}
		k, ok := starts[p]
		if !ok || last {
			return symgraph.Any, 0, false
		}
		v := move(back.arguments[k])
		if v.kind != symgraph.Pointer || v.last || !v.n.isConst() || v.n.low.Sign() != 0 {
			return symgraph.Any, 0, false
		}
		return symgraph.Pointer, v.object, false
	})
	for p := range s.objects {
		if p >= fixed && m.taken[p] {
			t.objects[p] = object{kind: symgraph.Stack, dead: true, frame: symgraph.NoFrame, size: small0}
		}
	}
	for i := range back.objects {
		o := back.objects[i]
		if p := int(to[i]); i >= fixed && p < len(s.objects) {
			was := &s.objects[p]
			if o.list == nil && was.list == nil {
				c.assert(fmt.Sprintf("(= %s %s)", o.size.t, was.size.t))
				o.size = was.size
				if was.based {
					if o.based {
						c.assert(fmt.Sprintf("(= %s %s)", o.base.t, was.base.t))
					}
					o.based, o.base = true, was.base
				}
			}
			if o.frame == symgraph.HiddenFrame {
				o.frame = was.frame
			}
		}
		cells := make([]cell, len(o.cells))
		for k, x := range o.cells {
			x.v = move(x.v)
			cells[k] = x
		}
		o.cells = cells
		if o.list != nil {
			l := *o.list
			l.tail, l.before = move(l.tail), move(l.before)
			l.cells = slices.Clone(l.cells)
			for k := range l.cells {
				if v := &l.cells[k].Value; v.Kind == symgraph.Pointer && v.Object >= 0 {
					v.Object = to[v.Object]
				}
			}
			o.list = &l
		}
		t.objects[to[i]] = o
	}
	t.lost = s.lost || back.lost
	g := back.top()
	ret := g.f.Def(g.f.Blocks[g.block].Instrs[g.index])
	results := make([]value, len(ret.Args))
	for i, a := range ret.Args {
		results[i] = move(c.operand(back, a))
	}
	resumeCaller(t, results)
	return t
}

// goBack is the end of an activation whose callers are hidden.
func (c *checkerState) goBack(s *state) {
	for i := range s.objects {
		if o := &s.objects[i]; o.kind == symgraph.Stack && o.frame == 0 {
			c.spill(s, o)
			o.dead, o.cells, o.frame = true, nil, symgraph.NoFrame
		}
	}
	c.described(s, c.positions[c.positionOf(s)+"return"])
}
