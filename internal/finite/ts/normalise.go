package ts

import "assay/internal/logic/sat"

// This file brings circuits into the form that the engines want.

// Normalise is an equivalent circuit in a new graph, restricted to the cone of
// influence of the properties that keep selects (nil keeps all bad states), in
// which Init is empty and every latch has a constant reset or none.
//
// Where there is an initial condition, or a reset that is a function, a latch
// `initialised` is added, false exactly in step 0: conditions are constraints
// guarded by it, and a latch l with a function r for a reset is read as
// ite(initialised, l, r) everywhere, with its own reset 0. So in step 0 the
// latches with a function have their value under another name, and runs and
// invariants that the engines find speak of the latches in the steps after it:
// see LiftClauses.
func (c *Circuit) Normalise(keep *Selection) *Circuit {
	d := &Circuit{Graph: sat.NewGraph()}
	roots := append(append(append([]sat.Lit{}, c.Constraints...), c.Transitions...), c.Init...)
	bad, justice := c.Bad, c.Justice
	if keep != nil {
		bad, justice = nil, nil
		for _, i := range keep.Bad {
			bad = append(bad, c.Bad[i])
		}
		for _, i := range keep.Justice {
			justice = append(justice, c.Justice[i])
		}
	}
	roots = append(roots, bad...)
	for _, j := range justice {
		roots = append(roots, j...)
	}
	if len(justice) > 0 {
		roots = append(roots, c.Fair...)
	}
	needed, latches := c.influence(roots)

	special := len(c.Init) > 0
	for i, l := range c.Latches {
		if latches[i] && !l.Arbitrary() && !l.Reset.IsConstant() {
			special = true
		}
	}
	copier := NewCopier(c.Graph, d.Graph)
	initialised := sat.True
	if special {
		initialised = d.Graph.Input()
		d.Latches = append(d.Latches, Latch{Lit: initialised, Next: sat.True, Reset: sat.False})
		d.LatchBits = append(d.LatchBits, Bit{Index: Initialised})
	}
	for i, l := range c.Inputs {
		if needed[l.Node()] {
			in := d.Graph.Input()
			copier.Set(l, in)
			d.Inputs = append(d.Inputs, in)
			d.InputBits = append(d.InputBits, c.InputBits[i])
		}
	}
	first := len(d.Latches)
	var order []int
	for i, l := range c.Latches {
		if !latches[i] {
			continue
		}
		in := d.Graph.Input()
		reset := sat.False
		switch {
		case l.Arbitrary():
			reset = in
		case l.Reset.IsConstant():
			reset = l.Reset
		}
		if l.Arbitrary() || l.Reset.IsConstant() {
			copier.Set(l.Lit, in)
		}
		order = append(order, i)
		d.Latches = append(d.Latches, Latch{Lit: in, Reset: reset})
		d.LatchBits = append(d.LatchBits, c.LatchBits[i])
	}
	if special {
		c.functions(copier, d, order, first, initialised)
	}
	for k, i := range order {
		d.Latches[first+k].Next = copier.Lit(c.Latches[i].Next)
	}
	d.Constraints = copier.Lits(c.Constraints)
	for _, l := range c.Init {
		d.Constraints = append(d.Constraints, d.Graph.Or(initialised, copier.Lit(l)))
	}
	d.Constraints = simplifyConjunction(d.Constraints)
	d.Transitions = simplifyConjunction(copier.Lits(c.Transitions))
	d.Bad = copier.Lits(bad)
	for _, j := range justice {
		d.Justice = append(d.Justice, copier.Lits(j))
	}
	if len(justice) > 0 {
		d.Fair = copier.Lits(c.Fair)
	}
	return d
}

// Selection is the properties that matter.
type Selection struct{ Bad, Justice []int }

func simplifyConjunction(ls []sat.Lit) []sat.Lit {
	var out []sat.Lit
	seen := map[sat.Lit]bool{}
	for _, l := range ls {
		if l != sat.True && !seen[l] {
			seen[l] = true
			out = append(out, l)
		}
	}
	return out
}

// functions sets the image of the latches whose reset is a function, in an order
// in which each comes after those that its reset mentions.
func (c *Circuit) functions(copier *Copier, d *Circuit, order []int, first int, initialised sat.Lit) {
	position := map[int32]int{} // in order, by node
	for k, i := range order {
		position[c.Latches[i].Lit.Node()] = k
	}
	var set func(k int)
	set = func(k int) {
		l := c.Latches[order[k]]
		if copier.Has(l.Lit) {
			return
		}
		for _, n := range Cone(c.Graph, []sat.Lit{l.Reset}) {
			if p, ok := position[n]; ok && !copier.Has(sat.Lit(2*n)) {
				set(p)
			}
		}
		copier.Set(l.Lit, d.Graph.Ite(initialised, d.Latches[first+k].Lit, copier.Lit(l.Reset)))
	}
	for k := range order {
		set(k)
	}
}

// influence says which nodes and which latches the roots depend on, over time.
func (c *Circuit) influence(roots []sat.Lit) (nodes, latches []bool) {
	g := c.Graph
	nodes, latches = make([]bool, g.Len()), make([]bool, len(c.Latches))
	latchOf := make([]int32, g.Len())
	for i, l := range c.Latches {
		latchOf[l.Lit.Node()] = int32(i + 1)
	}
	var stack []int32
	visit := func(l sat.Lit) {
		if n := l.Node(); !nodes[n] {
			nodes[n] = true
			stack = append(stack, n)
		}
	}
	for _, l := range roots {
		visit(l)
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if g.IsAnd(n) {
			a, b := g.Children(n)
			visit(a)
			visit(b)
		} else if k := latchOf[n]; k > 0 {
			latches[k-1] = true
			visit(c.Latches[k-1].Next)
			visit(c.Latches[k-1].Reset)
		}
	}
	return nodes, latches
}
