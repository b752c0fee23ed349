// Package reducible makes the loops of programs such that they are entered at their heads
// only, by splitting nodes [Hecht77 Sec. 6.4; JanssenCorporaal97].
//
// The arguments for loops (induction, ranking) are about heads. Programs with goto, and
// machines with states in their control, enter loops in the middle.
//
// # The splitting
//
// Let C be strongly connected, in the flow graph without the heads of the loops around it,
// and be entered from outside at several nodes. One of these becomes the head h. Of what can be reached from
// the others in C without passing h, a copy is made; what enters C elsewhere than at h,
// enters the copy. Edges of the copy that lead to h, or out of C, lead there. Then C is
// entered at h only, and the copy has fewer nodes than C; so this ends.
// The head is the one for which least is copied.
//
// (1) Each path of the new graph is one of the old graph, if copies are taken for what
// they are copies of, and each old path is one of exactly one new path. So the runs are
// the same.
//
// (2) A value whose block has copies has several definitions. A use of it takes the one
// that reaches it; where several meet, there is a phi [BraunEtAl13].
package reducible

import (
	"maps"
	"slices"

	"assay/internal/logic/components"
	"assay/internal/program/ir"
	"assay/internal/transform"
)

// A function may grow by a factor, and by a number of blocks.
const (
	maxFactor = 3
	maxMore   = 300
)

// Make is the program with loops that are entered at their heads; unchanged if it is like that.
// Functions that would grow too much are left as they are; blocks that are not reached go where
// nodes are split.
func Make(m *ir.Module) *transform.Program {
	var out *ir.Module
	for i, f := range m.Funcs {
		if f.IsDecl() {
			continue
		}
		g := newGraph(f)
		if !g.split() {
			continue
		}
		h := rebuild(f, g)
		if h == nil {
			continue
		}
		if out == nil {
			c := *m
			c.Funcs = slices.Clone(m.Funcs)
			out = &c
		}
		out.Funcs[i] = h
	}
	if out == nil {
		return transform.Unchanged(m)
	}
	if err := ir.Verify(out); err != nil {
		panic("reducible: the program with split nodes is malformed: " + err.Error())
	}
	return &transform.Program{From: m, Module: out, Runs: transform.Same}
}

// graph is a flow graph in which blocks may have copies. Nodes begin at 1, the entry; those up to
// the number of blocks are the blocks.
type graph struct {
	of   []ir.BlockID // the block that a node is a copy of
	next [][]int      // by successor of the block's terminator
}

func newGraph(f *ir.Func) *graph {
	g := &graph{}
	for b := range f.Blocks {
		g.of = append(g.of, ir.BlockID(b))
		var next []int
		if b > 0 {
			for _, s := range f.Succs(ir.BlockID(b)) {
				next = append(next, int(s))
			}
		}
		g.next = append(g.next, next)
	}
	return g
}

// reached marks the nodes to which paths lead from the entry.
func (g *graph) reached() []bool {
	seen := make([]bool, len(g.of))
	work := []int{1}
	seen[1] = true
	for len(work) > 0 {
		u := work[len(work)-1]
		work = work[:len(work)-1]
		for _, v := range g.next[u] {
			if !seen[v] {
				seen[v] = true
				work = append(work, v)
			}
		}
	}
	return seen
}

// split splits nodes until all loops are entered at one node; false if there was nothing to
// do, or too much.
func (g *graph) split() bool {
	limit := maxFactor*len(g.of) + maxMore
	for changed := false; ; changed = true {
		c, entries := g.irreducible()
		if c == nil {
			return changed
		}
		g.copyBeside(c, entries)
		if len(g.of) > limit {
			return false
		}
	}
}

// irreducible finds a strongly connected set of nodes, without the heads of the loops
// around it, that is entered at several nodes; nil if there is none.
func (g *graph) irreducible() (c map[int]bool, entries []int) {
	reached := g.reached()
	into := make([][]int, len(g.of))
	all := map[int]bool{}
	for u := range g.of {
		if u == 0 || !reached[u] {
			continue
		}
		all[u] = true
		for _, v := range g.next[u] {
			into[v] = append(into[v], u)
		}
	}
	for work := []map[int]bool{all}; len(work) > 0; {
		nodes := work[len(work)-1]
		work = work[:len(work)-1]
		for _, c := range g.components(nodes) {
			var entries []int
			for v := range c {
				if v == 1 || slices.ContainsFunc(into[v], func(u int) bool { return !c[u] }) {
					entries = append(entries, v)
				}
			}
			if len(entries) > 1 {
				slices.Sort(entries)
				return c, entries
			}
			delete(c, entries[0])
			work = append(work, c)
		}
	}
	return nil, nil
}

// components are the strongly connected components with an edge of a part of the graph.
func (g *graph) components(nodes map[int]bool) (out []map[int]bool) {
	if len(nodes) == 0 {
		return nil
	}
	part := components.Graph{N: len(g.of), Next: func(u int, visit func(int)) {
		for _, v := range g.next[u] {
			if nodes[v] {
				visit(v)
			}
		}
	}}
	found := components.Of(part, slices.Sorted(maps.Keys(nodes))...)
	cyclic := found.Cyclic(part)
	for k, set := range found.Nodes {
		if !cyclic[k] {
			continue
		}
		c := map[int]bool{}
		for _, v := range set {
			c[v] = true
		}
		out = append(out, c)
	}
	return out
}

// copyBeside chooses a head of c, and lets the other ways into c enter a copy.
func (g *graph) copyBeside(c map[int]bool, entries []int) {
	var least []int
	head := 0
	for _, h := range entries {
		if part := g.without(c, entries, h); head == 0 || len(part) < len(least) {
			head, least = h, part
		}
	}
	copies := map[int]int{}
	for _, u := range least {
		copies[u] = len(g.of)
		g.of = append(g.of, g.of[u])
		g.next = append(g.next, slices.Clone(g.next[u]))
	}
	redirect := func(u int) {
		for k, v := range g.next[u] {
			if w, ok := copies[v]; ok {
				g.next[u][k] = w
			}
		}
	}
	for u := 1; u < len(g.of); u++ {
		if !c[u] { // a node outside, or a copy
			redirect(u)
		}
	}
}

// without lists what can be reached in c from entries other than h without passing h.
func (g *graph) without(c map[int]bool, entries []int, h int) (out []int) {
	seen := map[int]bool{h: true}
	var visit func(u int)
	visit = func(u int) {
		if seen[u] || !c[u] {
			return
		}
		seen[u] = true
		out = append(out, u)
		for _, v := range g.next[u] {
			visit(v)
		}
	}
	for _, e := range entries {
		visit(e)
	}
	slices.Sort(out)
	return out
}
