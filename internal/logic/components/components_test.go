package components

import (
	"math/rand/v2"
	"testing"
)

// TestRandom compares the components of random graphs with reachability: two nodes are in
// one if each can be reached from the other, and no edge leads to a greater number.
func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	several, cycles := 0, 0
	for range 2000 {
		n := 1 + rng.IntN(8)
		var edges [][2]int
		for range rng.IntN(2 * n) {
			edges = append(edges, [2]int{rng.IntN(n), rng.IntN(n)})
		}
		reach := make([][]bool, n) // by one edge or more
		for i := range reach {
			reach[i] = make([]bool, n)
		}
		for _, e := range edges {
			reach[e[0]][e[1]] = true
		}
		for k := range n {
			for i := range n {
				for j := range n {
					reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
				}
			}
		}
		g := FromEdges(n, edges)
		roots := []int{}
		if rng.IntN(2) == 0 {
			roots = append(roots, rng.IntN(n))
		}
		c := Of(g, roots...)
		cyclic := c.Cyclic(g)
		seen := func(v int) bool { return len(roots) == 0 || v == roots[0] || reach[roots[0]][v] }
		for i := range n {
			if (c.Of[i] >= 0) != seen(i) {
				t.Fatalf("%d, %v, from %v: component %d of %d", n, edges, roots, c.Of[i], i)
			}
			if c.Of[i] >= 0 && cyclic[c.Of[i]] != reach[i][i] {
				t.Fatalf("%d, %v: the cycle through %d", n, edges, i)
			}
			for j := range n {
				if seen(i) && seen(j) && (c.Of[i] == c.Of[j]) != (i == j || reach[i][j] && reach[j][i]) {
					t.Fatalf("%d, %v: %d and %d: %v", n, edges, i, j, c.Of)
				}
			}
		}
		for k, nodes := range c.Nodes {
			for _, v := range nodes {
				if c.Of[v] != k {
					t.Fatalf("node %d is listed in %d and lies in %d", v, k, c.Of[v])
				}
				g.Next(v, func(to int) {
					if c.Of[to] > k {
						t.Fatalf("%d, %v: an edge from %d to %d", n, edges, k, c.Of[to])
					}
				})
			}
			if len(nodes) > 1 {
				several++
			}
			if cyclic[k] {
				cycles++
			}
		}
	}
	if several == 0 || cycles == several {
		t.Errorf("%d components of several nodes, %d with cycles", several, cycles)
	}
}

// TestDeep: a path of 200,000 nodes needs no deep recursion.
func TestDeep(t *testing.T) {
	const n = 200_000
	g := Graph{n, func(v int, visit func(int)) {
		if v+1 < n {
			visit(v + 1)
		}
	}}
	if c := Of(g); len(c.Nodes) != n || c.Of[0] != n-1 || c.Of[n-1] != 0 {
		t.Errorf("%d components", len(c.Nodes))
	}
}
