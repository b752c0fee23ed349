package symex

// The transition system of a graph [AProVE-BV Def. 7]: a location for each node,
// a variable for each symbol of one, a transition for each path. What a path
// makes of its symbols is projected to those of the node where it starts and the
// values of those where it ends.

import (
	"fmt"
	"maps"
	"slices"

	"assay/internal/evidence/symgraph"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// edge notes that the path under way ends at n.
func (x *explorer) edge(n *node, j *joiner) {
	x.stats.Edges++
	values := map[linear.Var]linear.Form{}
	for v := range x.symbolsOf(&n.state) {
		if f, bound := j.bound[v]; bound {
			values[v] = f
		} else {
			values[v] = linear.Variable(v)
		}
	}
	x.now.edges = append(x.now.edges, edge{n, values, slices.Clone(x.k.facts)})
}

// graph is the certificate.
func (x *explorer) graph() *symgraph.Graph {
	g := &symgraph.Graph{Targets: x.o.Targets}
	symbols := map[linear.Var]linear.Var{} // to variables
	var names []string
	rename := func(v linear.Var) linear.Var {
		n, ok := symbols[v]
		if !ok {
			n = linear.Var(len(names))
			symbols[v] = n
			names = append(names, fmt.Sprintf("x%d", n))
		}
		return n
	}
	var used []map[linear.Var]bool
	var nodes []*node
	for _, n := range x.nodes {
		if !n.reached {
			continue
		}
		n.number = len(nodes)
		nodes = append(nodes, n)
		x.sweep(n)
		set := x.symbolsOf(&n.state)
		for _, c := range n.state.Constraints {
			for _, t := range c.Form.Terms {
				set[t.Var] = true
			}
		}
		used = append(used, set)
		for _, v := range slices.Sorted(maps.Keys(set)) {
			rename(v)
		}
	}
	x.stats.Nodes = len(nodes)
	owned := map[linear.Var]linear.Var{} // own symbols of segments: behind the variables
	private := func(v linear.Var) linear.Var {
		n, ok := owned[v]
		if !ok {
			n = linear.Var(len(names) + len(owned))
			owned[v] = n
		}
		return n
	}
	for i, n := range nodes {
		var vars []linear.Var
		s := x.renamed(&n.state, rename, private)
		for _, v := range slices.Sorted(maps.Keys(used[i])) {
			vars = append(vars, rename(v))
			d := &x.symbols[v]
			f := linear.Variable(rename(v))
			s.Constraints = append(s.Constraints, linear.Constraint{Form: f.Plus(d.low.Neg())})
			if !d.open {
				s.Constraints = append(s.Constraints, linear.Constraint{Form: f.Neg().Plus(d.high)})
			}
		}
		if s.Entry != 0 {
			s.Entry = int32(x.nodes[s.Entry].number)
		}
		g.Nodes = append(g.Nodes, symgraph.Node{State: *s, Location: its.Location(i), Symbols: vars, Returns: n.isReturn})
	}
	if !x.o.System {
		return g
	}
	sys := its.NewSystem(names...)
	for i := 1; i < len(nodes); i++ {
		f := top(&nodes[i].state)
		sys.AddLocation(fmt.Sprintf("%s:%d", f.Func.Name, f.Block))
	}
	for i, n := range nodes {
		for k := range n.edges {
			e := &n.edges[k]
			if e.to.isReturn {
				continue
			}
			if t, ok := x.transition(sys, used[i], used[e.to.number], e, rename); ok {
				t.From, t.To = its.Location(i), its.Location(e.to.number)
				sys.Add(t)
			}
		}
	}
	g.System = sys
	return g
}

// renamed gives the symbols of a state other names; own are those of segments.
func (x *explorer) renamed(s *state, to, own func(linear.Var) linear.Var) *state {
	c := *s
	c.Frames = slices.Clone(s.Frames)
	for i := range c.Frames {
		vs := slices.Clone(c.Frames[i].Values)
		for v := range vs {
			vs[v].Form = vs[v].Form.Rename(to)
		}
		c.Frames[i].Values = vs
	}
	c.Arguments = slices.Clone(s.Arguments)
	for i := range c.Arguments {
		c.Arguments[i].Form = c.Arguments[i].Form.Rename(to)
	}
	c.Objects = slices.Clone(s.Objects)
	for i := range c.Objects {
		o := &c.Objects[i]
		o.Size, o.Base = o.Size.Rename(to), o.Base.Rename(to)
		o.Cells = slices.Clone(o.Cells)
		if o.List != nil {
			x.renamedSegment(o, to, own)
			continue
		}
		if o.Slots != nil {
			l := *o.Slots
			l.Nulls, l.From, l.To = l.Nulls.Rename(to), l.From.Rename(to), l.To.Rename(to)
			l.Out = slices.Clone(l.Out)
			for k := range l.Out {
				l.Out[k] = l.Out[k].Rename(to)
			}
			l.Owned = x.renamedOwner(l.Owned, to, own)
			o.Slots = &l
		}
		if o.Strings != nil {
			l := *o.Strings
			l.From, l.To = l.From.Rename(to), l.To.Rename(to)
			l.Out = slices.Clone(l.Out)
			for k := range l.Out {
				l.Out[k] = l.Out[k].Rename(to)
			}
			o.Strings = &l
		}
		for k := range o.Cells {
			o.Cells[k].Offset = o.Cells[k].Offset.Rename(to)
			o.Cells[k].Value.Form = o.Cells[k].Value.Form.Rename(to)
		}
	}
	c.Constraints = nil
	for _, f := range s.Constraints {
		c.Constraints = append(c.Constraints, linear.Constraint{Form: f.Form.Rename(to), Equality: f.Equality})
	}
	return &c
}

// transition is that of one path.
func (x *explorer) transition(sys *its.System, from, to map[linear.Var]bool, e *edge, rename func(linear.Var) linear.Var) (its.Transition, bool) {
	t := its.Transition{Update: make([]linear.Form, len(sys.Variables)), Cost: linear.Constant(linear.Int(1)), Fair: true, Exact: false}
	// A new value that is no form over the old symbols is a symbol of its own.
	keep := maps.Clone(from)
	facts := e.facts
	base := linear.Var(len(x.symbols))
	temps := map[linear.Var]linear.Var{}
	name := func(v linear.Var) linear.Var {
		if k, ok := temps[v]; ok {
			return k
		}
		return rename(v)
	}
	for _, v := range slices.Sorted(maps.Keys(to)) {
		f, ok := e.values[v]
		if ok && !slices.ContainsFunc(f.Terms, func(m linear.Term) bool { return !from[m.Var] }) {
			t.Update[rename(v)] = f.Rename(rename)
			continue
		}
		n := base + linear.Var(t.Temps)
		k := sys.Temp(t.Temps)
		t.Temps++
		temps[n], keep[n] = k, true
		t.Update[rename(v)] = linear.Variable(k)
		if ok {
			facts = append(slices.Clip(facts), linear.Equals(linear.Variable(n), f))
		}
	}
	// The ranges of temporaries do not matter to project.
	for range t.Temps {
		x.symbols = append(x.symbols, symbol{low: two(80).Neg(), high: two(80)})
	}
	guard := x.project(facts, keep)
	x.symbols = x.symbols[:base]
	for _, c := range guard {
		c = linear.Constraint{Form: c.Form.Rename(name), Equality: c.Equality}
		if c.IsFalse() {
			return t, false
		}
		t.Guard = append(t.Guard, c)
	}
	for _, v := range slices.Sorted(maps.Keys(from)) {
		d := &x.symbols[v]
		f := linear.Variable(rename(v))
		t.Guard = append(t.Guard, linear.Constraint{Form: f.Plus(d.low.Neg())})
		if !d.open {
			t.Guard = append(t.Guard, linear.Constraint{Form: f.Neg().Plus(d.high)})
		}
	}
	return t, true
}

// renamedSegment is renamed for a segment; the ranges of its own symbols become facts.
func (x *explorer) renamedSegment(o *object, to, own func(linear.Var) linear.Var) {
	l := *o.List
	both := func(v linear.Var) linear.Var {
		if slices.Contains(o.List.Own, v) {
			return own(v)
		}
		return to(v)
	}
	l.Length = l.Length.Rename(to)
	l.Own, l.Facts = nil, nil
	for _, u := range o.List.Own {
		l.Own = append(l.Own, own(u))
		f := linear.Variable(own(u))
		l.Facts = append(l.Facts, linear.Constraint{Form: f.Plus(x.symbols[u].low.Neg())}, linear.Constraint{Form: f.Neg().Plus(x.symbols[u].high)})
	}
	for _, c := range o.List.Facts {
		l.Facts = append(l.Facts, linear.Constraint{Form: c.Form.Rename(both), Equality: c.Equality})
	}
	for k := range o.Cells {
		o.Cells[k].Value.Form = o.Cells[k].Value.Form.Rename(both)
	}
	l.Owned = slices.Clone(l.Owned)
	for k := range l.Owned {
		l.Owned[k] = x.renamedOwner(l.Owned[k], to, own)
	}
	o.List = &l
}

// renamedOwner is renamed for a segment that is owned.
func (x *explorer) renamedOwner(w symgraph.Owned, to, own func(linear.Var) linear.Var) symgraph.Owned {
	n := *w.Nodes
	n.Cells = slices.Clone(n.Cells)
	x.renamedSegment(&n, to, own)
	w.Nodes = &n
	return w
}

// sweep takes the objects out of a finished node to which no pointer leads: joins have dropped those that did.
// A system has its variables already, and heap objects would be lost.
func (x *explorer) sweep(n *node) {
	if x.o.System {
		return
	}
	s := clone(&n.state)
	x.tidy(s)
	if len(s.Objects) == len(n.state.Objects) || s.Lost != n.state.Lost {
		return
	}
	s.Constraints = x.project(s.Constraints, x.symbolsOf(s))
	n.state = *s
}
