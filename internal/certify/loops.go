package certify

import (
	"slices"

	"assay/internal/program/ir"
)

// This file finds the loops of a function: its components, nested, and for
// each an order in which one iteration of its body can be swept.
//
// A component is a maximal strongly connected set of blocks. Its head is the
// block of it that a depth-first search from the entry, taking successors in
// their order, meets first; in a reducible graph that is the only block by which
// it can be entered. Without the edges to the head the body of the component has
// smaller components, searched from the head. This is how the heads of
// Bourdoncle's weak topological order are chosen, so that the bounds of a
// certificate name the same loops; a test compares the two.

// region is the body of a loop, or of the function.
type region struct {
	head  ir.BlockID // 0 for the function
	outer *region
	depth int32
	// nodes in a topological order of the body without the edges to the head:
	// an edge of the body leads from a node to a later one.
	nodes []node
	// entries are the blocks that have a predecessor outside.
	entries []ir.BlockID
}

// node is a block, or a loop as a whole.
type node struct {
	block ir.BlockID
	inner *region
}

// hop says what an edge of the graph is: for the region at a depth, the next
// iteration (back), or a step to a later node.
type hop struct {
	depth int32
	back  bool
	node  int32 // the position of the target in the region, if not back
}

// forest are the loops of a function.
type forest struct {
	f    *ir.Func
	body *region
	in   []*region    // the innermost region of each block; nil if unreachable
	at   [][]int32    // for each block, its position in each region around it, outermost first
	hops [][]hop      // for each block, its edges in the order of successors
	rpo  []ir.BlockID // of the whole function
}

func newForest(f *ir.Func) *forest {
	n := len(f.Blocks)
	l := &forest{f: f, in: make([]*region, n), at: make([][]int32, n), hops: make([][]hop, n)}
	all := make([]bool, n)
	for b := range all {
		all[b] = true
	}
	search := l.search(1, all, 0)
	l.rpo = search.rpo()
	l.body = &region{}
	l.fill(l.body, search)
	for _, b := range l.rpo {
		for _, to := range f.Succs(b) {
			l.hops[b] = append(l.hops[b], l.hop(b, to))
		}
	}
	l.findEntries()
	return l
}

// search is a depth-first search: the blocks in the order of discovery and of
// completion.
type search struct {
	found, done []ir.BlockID
}

func (s *search) rpo() []ir.BlockID {
	r := slices.Clone(s.done)
	slices.Reverse(r)
	return r
}

// search goes from a block over the blocks of a set, never to head.
func (l *forest) search(from ir.BlockID, set []bool, head ir.BlockID) *search {
	type visit struct {
		b    ir.BlockID
		next int
	}
	s := &search{}
	seen := make([]bool, len(set))
	stack := []visit{{b: from}}
	seen[from] = true
	s.found = append(s.found, from)
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		succs := l.f.Succs(top.b)
		if top.next == len(succs) {
			s.done = append(s.done, top.b)
			stack = stack[:len(stack)-1]
			continue
		}
		to := succs[top.next]
		top.next++
		if set[to] && to != head && !seen[to] {
			seen[to] = true
			s.found = append(s.found, to)
			stack = append(stack, visit{b: to})
		}
	}
	return s
}

// fill gives a region its nodes; s is the search over its body.
func (l *forest) fill(r *region, s *search) {
	inside := make([]bool, len(l.in))
	for _, b := range s.found {
		inside[b] = true
		l.in[b] = r
	}
	// Components: floods against the edges, from the blocks in reverse order of
	// completion (Kosaraju, Sharir).
	component := make([]int32, len(l.in)) // from 1
	var members [][]ir.BlockID
	for _, b := range s.rpo() {
		if component[b] != 0 {
			continue
		}
		id := int32(len(members) + 1)
		component[b] = id
		flood := []ir.BlockID{b}
		for i := 0; i < len(flood); i++ {
			if flood[i] == r.head {
				continue // the edges to the head are cut
			}
			for _, p := range l.f.Blocks[flood[i]].Preds {
				if inside[p] && component[p] == 0 {
					component[p] = id
					flood = append(flood, p)
				}
			}
		}
		members = append(members, flood)
	}
	l.sort(r, s, component, members)
	for i := range r.nodes {
		if inner := r.nodes[i].inner; inner != nil {
			l.fillInner(inner, members[component[inner.head]-1], int32(i))
		} else {
			l.at[r.nodes[i].block] = append(l.at[r.nodes[i].block], int32(i))
		}
	}
}

// fillInner gives the component at a position of the outer region its nodes.
func (l *forest) fillInner(r *region, blocks []ir.BlockID, position int32) {
	set := make([]bool, len(l.in))
	for _, b := range blocks {
		set[b] = true
		l.at[b] = append(l.at[b], position)
	}
	l.fill(r, l.search(r.head, set, r.head))
}

// sort orders the components of a region by Kahn's algorithm: a node is taken
// when all nodes with edges to it are; of several the one found first.
func (l *forest) sort(r *region, s *search, component []int32, members [][]ir.BlockID) {
	n := len(members)
	waits := make([]int32, n)
	loop := make([]bool, n)
	each := func(f func(from, to int32, self bool)) {
		for _, b := range s.found {
			for _, to := range l.f.Succs(b) {
				if c := component[to]; c != 0 && to != r.head {
					f(component[b]-1, c-1, b == to)
				}
			}
		}
	}
	each(func(from, to int32, self bool) {
		if from != to {
			waits[to]++
		}
		loop[to] = loop[to] || self
	})
	first := make([]ir.BlockID, n) // the block of each found first
	var order []int32
	for _, b := range s.found {
		if c := component[b] - 1; first[c] == 0 {
			first[c] = b
			order = append(order, c)
		}
	}
	succs := make([][]int32, n)
	each(func(from, to int32, _ bool) {
		if from != to {
			succs[from] = append(succs[from], to)
		}
	})
	rank := make([]int32, n)
	for i, c := range order {
		rank[c] = int32(i)
	}
	var ready []int32 // by descending rank
	push := func(c int32) {
		i, _ := slices.BinarySearchFunc(ready, rank[c], func(x, k int32) int { return int(k - rank[x]) })
		ready = slices.Insert(ready, i, c)
	}
	for c := range n {
		if waits[c] == 0 {
			push(int32(c))
		}
	}
	for len(ready) > 0 {
		c := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		if len(members[c]) > 1 || loop[c] {
			r.nodes = append(r.nodes, node{inner: &region{head: first[c], outer: r, depth: r.depth + 1}})
		} else {
			r.nodes = append(r.nodes, node{block: first[c]})
		}
		for _, to := range succs[c] {
			if waits[to]--; waits[to] == 0 {
				push(to)
			}
		}
	}
	if len(r.nodes) != n {
		panic("certify: the components of " + l.f.Name + " have no order")
	}
}

// hop classifies an edge.
func (l *forest) hop(from, to ir.BlockID) hop {
	u, v := l.in[from], l.in[to]
	for r := u; r.outer != nil; r = r.outer {
		if r.head == to {
			return hop{depth: r.depth, back: true}
		}
	}
	for u.depth > v.depth {
		u = u.outer
	}
	for v.depth > u.depth {
		v = v.outer
	}
	for u != v {
		u, v = u.outer, v.outer
	}
	return hop{depth: u.depth, node: l.at[to][u.depth]}
}

// findEntries finds the blocks by which each loop is entered.
func (l *forest) findEntries() {
	for _, b := range l.rpo {
		for i, to := range l.f.Succs(b) {
			h := l.hops[b][i]
			if h.back {
				continue
			}
			for r := l.in[to]; r.depth > h.depth; r = r.outer {
				if !slices.Contains(r.entries, to) {
					r.entries = append(r.entries, to)
				}
			}
		}
	}
}
