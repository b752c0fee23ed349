// Package components finds the strongly connected components of graphs. Engines share it;
// the checkers have algorithms of their own.
package components

import "slices"

// Graph is a graph on the nodes 0 to N-1. Next calls visit for the successors of a node, in
// the same order each time.
type Graph struct {
	N    int
	Next func(node int, visit func(to int))
}

// FromEdges is the graph with these edges.
func FromEdges(n int, edges [][2]int) Graph {
	out := make([][]int32, n)
	for _, e := range edges {
		out[e[0]] = append(out[e[0]], int32(e[1]))
	}
	return Graph{n, func(node int, visit func(int)) {
		for _, to := range out[node] {
			visit(int(to))
		}
	}}
}

// Components are the strongly connected components of a graph, numbered such that every
// edge leads to the same or a smaller number.
type Components struct {
	Of    []int   // the number of a node's component; -1 if it was not reached
	Nodes [][]int // the nodes of a component, the first one that was found last
}

// Of finds the components [Tarjan72], of what can be reached from the roots, or of all of
// the graph if there are none. The search keeps its stack on the heap, for graphs may be
// deep.
func Of(g Graph, roots ...int) *Components {
	c := &Components{Of: make([]int, g.N)}
	for i := range c.Of {
		c.Of[i] = -1
	}
	t := &search{g: g, c: c, index: make([]int, g.N), low: make([]int, g.N)}
	if len(roots) == 0 {
		for root := range g.N {
			t.from(root)
		}
	}
	for _, root := range roots {
		t.from(root)
	}
	return c
}

// search is the state of the algorithm. A node with an index and without component is on
// the stack.
type search struct {
	g     Graph
	c     *Components
	index []int // from 1; 0 is not visited
	low   []int
	count int
	stack []int
}

// frame is a node on the path of the search, with successors still to be looked at.
type frame struct {
	node int
	rest []int
}

func (t *search) enter(v int) frame {
	t.count++
	t.index[v], t.low[v] = t.count, t.count
	t.stack = append(t.stack, v)
	f := frame{node: v}
	t.g.Next(v, func(to int) { f.rest = append(f.rest, to) })
	return f
}

func (t *search) from(root int) {
	if t.index[root] != 0 {
		return
	}
	path := []frame{t.enter(root)}
	for len(path) > 0 {
		f := &path[len(path)-1]
		v := f.node
		if len(f.rest) > 0 {
			to := f.rest[0]
			f.rest = f.rest[1:]
			switch {
			case t.index[to] == 0:
				path = append(path, t.enter(to))
			case t.c.Of[to] < 0:
				t.low[v] = min(t.low[v], t.index[to])
			}
			continue
		}
		path = path[:len(path)-1]
		if len(path) > 0 {
			p := path[len(path)-1].node
			t.low[p] = min(t.low[p], t.low[v])
		}
		if t.low[v] == t.index[v] {
			t.close(v)
		}
	}
}

// close makes a component of what is on the stack down to its first node.
func (t *search) close(first int) {
	at := len(t.stack) - 1
	for t.stack[at] != first {
		at--
	}
	nodes := slices.Clone(t.stack[at:])
	slices.Reverse(nodes)
	t.stack = t.stack[:at]
	for _, v := range nodes {
		t.c.Of[v] = len(t.c.Nodes)
	}
	t.c.Nodes = append(t.c.Nodes, nodes)
}

// Cyclic says of each component whether it has an edge within it.
func (c *Components) Cyclic(g Graph) []bool {
	cyclic := make([]bool, len(c.Nodes))
	for k, nodes := range c.Nodes {
		for _, v := range nodes {
			g.Next(v, func(to int) { cyclic[k] = cyclic[k] || c.Of[to] == k })
		}
	}
	return cyclic
}
