package translation

import (
	"assay/internal/temporal/buchi"
)

// This file makes generalised automata smaller: by strong components, and by direct
// simulation.

// graph is the graph of the edges.
func (g *generalized) graph() buchi.Graph {
	return buchi.Graph{N: len(g.edges), Next: func(q int, visit func(int)) {
		for _, e := range g.edges[q] {
			visit(e.to)
		}
	}}
}

// prune takes out states and edges from which nothing is accepted, and what the
// initial state does not reach. Marks count within accepting components only: other
// edges lose theirs. A component all of whose edges have all marks but for some that
// no cycle needs is left as it is.
func (g *generalized) prune() *generalized {
	c := g.graph().Components()
	accepting := make([]bool, len(c.States))
	live := make([]bool, len(c.States))
	for k, states := range c.States {
		var marks uint64
		for _, q := range states {
			for _, e := range g.edges[q] {
				if c.Of[e.to] == k {
					marks |= e.marks
				}
				live[k] = live[k] || live[c.Of[e.to]]
			}
		}
		accepting[k] = c.Cyclic[k] && marks == g.all()
		live[k] = live[k] || accepting[k]
	}
	h := &generalized{count: g.count}
	number := map[int]int{g.initial: 0}
	order := []int{g.initial}
	for i := 0; i < len(order); i++ {
		q := order[i]
		var edges []markedEdge
		for _, e := range g.edges[q] {
			if !live[c.Of[e.to]] {
				continue
			}
			if _, ok := number[e.to]; !ok {
				number[e.to] = len(order)
				order = append(order, e.to)
			}
			if c.Of[e.to] != c.Of[q] || !accepting[c.Of[q]] {
				e.marks = 0
			}
			e.to = number[e.to]
			edges = append(edges, e)
		}
		h.edges = append(h.edges, edges)
	}
	return h
}

// simulate computes direct simulation: sim[q][p] says that p can answer each edge of
// q, for each letter, by an edge with at least its marks to a state that can go on so
// [SomenziBloem00].
func (g *generalized) simulate() [][]bool {
	n := len(g.edges)
	sim := make([][]bool, n)
	for q := range sim {
		sim[q] = make([]bool, n)
		for p := range sim[q] {
			sim[q][p] = true
		}
	}
	var answers []buchi.Cube
	for changed := true; changed; {
		changed = false
		for q := range n {
			for p := range n {
				if !sim[q][p] || q == p {
					continue
				}
				for _, e := range g.edges[q] {
					answers = answers[:0]
					for _, f := range g.edges[p] {
						if sim[e.to][f.to] && e.marks&^f.marks == 0 {
							answers = append(answers, f.label)
						}
					}
					if !e.label.Covered(answers) {
						sim[q][p], changed = false, true
						break
					}
				}
			}
		}
	}
	return sim
}

// quotient merges states that simulate each other, and takes out edges that another
// edge of the same state makes needless: with more letters and marks, to a state that
// simulates the target.
func (g *generalized) quotient() *generalized {
	sim := g.simulate()
	class := make([]int, len(g.edges))
	h := &generalized{count: g.count}
	var first []int
	for q := range class {
		class[q] = -1
		for k, p := range first {
			if sim[q][p] && sim[p][q] {
				class[q] = k
				break
			}
		}
		if class[q] < 0 {
			class[q] = len(first)
			first = append(first, q)
		}
	}
	h.initial = class[g.initial]
	for _, q := range first {
		var edges []markedEdge
	next:
		for i, e := range g.edges[q] {
			for j, f := range g.edges[q] {
				if i == j || !e.label.Implies(f.label) || e.marks&^f.marks != 0 || !sim[e.to][f.to] {
					continue
				}
				// Of two that make each other needless the first stays.
				if mutual := f.label == e.label && f.marks == e.marks && sim[f.to][e.to]; !mutual || j < i {
					continue next
				}
			}
			e.to = class[e.to]
			edges = append(edges, e)
		}
		h.edges = append(h.edges, edges)
	}
	return h
}
