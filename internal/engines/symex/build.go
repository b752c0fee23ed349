package symex

import (
	"maps"
	"slices"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
	"assay/internal/logic/polyhedra"
)

// build grows the graph until nothing changes, and goes through it once more to
// collect its edges. Nodes are explored youngest first, so inner loops are stable
// before what comes after them is looked at again.
func (x *explorer) build(root *state) {
	n := &node{state: *root, key: "root"}
	x.nodes = append(x.nodes, n)
	x.push(n)
	for x.obstacle == nil && !x.again {
		for len(x.dirty) > 0 && x.obstacle == nil && !x.again {
			n := x.dirty[len(x.dirty)-1]
			x.dirty = x.dirty[:len(x.dirty)-1]
			n.isDirty = false
			x.explore(n)
		}
		if x.obstacle != nil || x.again {
			return
		}
		x.final, x.suspects = true, nil
		if x.o.Drawing > 0 {
			x.pen = newPen(x.o.Drawing)
		}
		for _, n := range x.nodes {
			n.reached, n.edges = false, nil
		}
		x.collect(n)
		x.final = false
		if len(x.dirty) == 0 {
			return
		}
	}
}

// collect explores what is reachable from n.
func (x *explorer) collect(n *node) {
	work := []*node{n}
	n.reached = true
	for len(work) > 0 && x.obstacle == nil && len(x.dirty) == 0 && !x.again {
		n := work[0]
		work = work[1:]
		x.explore(n)
		for _, e := range n.edges {
			if !e.to.reached {
				e.to.reached = true
				work = append(work, e.to)
			}
		}
	}
}

func (x *explorer) push(n *node) {
	if !n.isDirty {
		n.isDirty = true
		x.dirty = append(x.dirty, n)
	}
}

// explore follows all paths from a node to the next ones.
func (x *explorer) explore(n *node) {
	if n.isReturn {
		return
	}
	x.now, x.stopped, x.tossed, x.picked = n, false, nil, 0
	x.k = x.newKnowledge(x.ctx, n.state.Constraints)
	if x.k.broken != 0 {
		return
	}
	s := clone(&n.state)
	x.saturate(s)
	x.pen.begin(n)
	x.run(s)
}

// arrive is the end of a path at a loop head.
func (x *explorer) arrive(s *state) {
	x.tidy(s)
	x.normalize(s)
	if x.putStringsBack(s) {
		x.tidy(s)
	}
	x.loosen(s)
	if x.partition != nil {
		x.thin(s)
	}
	if x.discover(s) {
		x.again, x.stopped = true, true
		return
	}
	shape := x.shape || len(x.kinds) > 0
	if shape && !x.fold(s) {
		x.stopped = true
		return
	}
	k := key(s, shape, x.trees)
	if x.fine {
		k += x.constants(s)
	}
	if x.partition != nil {
		text, ok := x.part(s, k)
		if !ok {
			x.again, x.stopped = true, true
			return
		}
		k += text
	}
	n := x.table[k]
	if n == nil {
		x.newNode(s, k)
		if x.final {
			x.stopped = true
		}
		return
	}
	if j := x.instance(n, s); j != nil && (n != x.now || x.final || n.joins >= maxNaming || !j.names(&n.state, s)) {
		if x.final {
			x.edge(n, j)
			x.pen.arrived(s, x.k.facts, x.prepare(top(s).Func), n, j.bound)
		}
		return
	}
	x.join(n, s)
	x.push(n)
	if n == x.now || x.final {
		x.stopped = true
	}
}

// newNode is a node with the state s of the path under way.
func (x *explorer) newNode(s *state, key string) *node {
	n := &node{state: *s, key: key, index: len(x.nodes)}
	n.state.Constraints = x.project(x.k.facts, x.symbolsOf(s))
	x.table[key] = n
	x.nodes = append(x.nodes, n)
	x.push(n)
	return n
}

// instance says how s is an instance of a node, nil if it is none.
func (x *explorer) instance(n *node, s *state) *joiner {
	j := &joiner{x: x, node: n, second: x.k, bound: map[linear.Var]linear.Form{}}
	c := j.states(&n.state, s)
	if !j.fails {
		j.facts(&n.state, s, c, nil)
	}
	if j.fails {
		return nil
	}
	for _, c := range n.state.Constraints {
		if !x.k.entails(linear.Constraint{Form: j.image(c.Form), Equality: c.Equality}) {
			return nil
		}
	}
	return j
}

// maxNaming is up to which join the cells get names that a loop leaves behind.
const maxNaming = 3

// join makes the state of a node include s.
func (x *explorer) join(n *node, s *state) {
	x.stats.Joins++
	n.joins++
	if n.relaxes == nil {
		n.relaxes = map[string]int{}
	}
	j := &joiner{x: x, node: n, second: x.k, bound: map[linear.Var]linear.Form{}, plain: n.joins > maxWiden, late: n.joins > maxHulls, steady: n.isReturn && n.joins <= maxSteady, naming: n == x.now && n.joins <= maxNaming, relaxes: n.relaxes}
	j.first = n.knows(x)
	c := j.states(&n.state, s)
	x.loosen(c)
	used := x.symbolsOf(c)
	j.facts(&n.state, s, c, used)
	known := j.renamed(n.state.Constraints, used)
	if n.joins <= maxWiden { // what is about symbols that are gone may say something of others
		known = x.project(known, used)
	}
	if x.patient && n.joins <= maxWiden {
		known = j.seconds(known, x.project(x.k.facts, x.symbolsOf(s)), used)
	}
	c.Constraints = j.constraints(c, known, used, n.joins <= maxWiden)
	n.state, n.known = *c, nil
}

// normalize brings the integers among the locals and cells into the signed or the
// unsigned range of their type; where it is not known how, nothing is kept of the
// value but the type.
func (x *explorer) normalize(s *state) {
	one := func(v *value, bits uint32, signed bool) {
		for _, sign := range []bool{signed, !signed} {
			if g, ok := x.fits(v.Form, bits, sign); ok {
				v.Form = g
				return
			}
		}
		v.Form = x.freshInt(bits, signed).Form
	}
	for i := range s.Frames {
		f := &s.Frames[i]
		p := x.prepare(f.Func)
		for v := range f.Values {
			if w := &f.Values[v]; w.Kind >= symgraph.Int && !(w.Kind == symgraph.Pointer && w.Form.IsConstant()) {
				one(w, f.Func.Values[v].Type.Bits, p.signed[v] && w.Kind == symgraph.Int)
			}
		}
	}
	for i := range s.Objects {
		for k := range s.Objects[i].Cells {
			if c := &s.Objects[i].Cells[k]; c.Value.Kind == symgraph.Int && s.Objects[i].List == nil {
				one(&c.Value, c.Type.Bits, true)
			}
		}
	}
}

// project gives consequences of facts that are about the used symbols only.
func (x *explorer) project(facts []linear.Constraint, used map[linear.Var]bool) []linear.Constraint {
	other := map[linear.Var]bool{}
	var kept, mixed []linear.Constraint
	for _, c := range facts {
		foreign := false
		for _, t := range c.Form.Terms {
			if !used[t.Var] {
				foreign = true
				other[t.Var] = true
			}
		}
		if foreign {
			mixed = append(mixed, c)
		} else {
			kept = append(kept, c)
		}
	}
	if len(mixed) > 0 {
		for _, v := range slices.Sorted(maps.Keys(other)) {
			s := &x.symbols[v]
			f := linear.Variable(v)
			mixed = append(mixed, linear.Constraint{Form: f.Plus(s.low.Neg())})
			if !s.open {
				mixed = append(mixed, linear.Constraint{Form: f.Neg().Plus(s.high)})
			}
		}
		p := polyhedra.Of(x.ctx, mixed...).Project(x.ctx, func(v linear.Var) bool { return !used[v] })
		if p.IsEmpty() {
			return []linear.Constraint{linear.False()}
		}
		for _, c := range p.Constraints() {
			if x.k.rough(c.Form).Sign() < 0 || c.Equality {
				kept = append(kept, c.Tighten())
			}
		}
	}
	return linear.Simplify(kept)
}
