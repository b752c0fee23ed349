package inclusion

import (
	"slices"

	"assay/internal/temporal/buchi"
	"assay/internal/temporal/ltl"
	"assay/internal/temporal/tableau"
)

// counted is a tableau with one mark instead of many: a state counts how many marks
// were met in their order, and an edge is accepting if it completes the round. States
// from which nothing is accepted are left out, but for the initial one, 0.
type counted struct {
	atoms []ltl.Atom
	edges [][]countedEdge
}

type countedEdge struct {
	label     buchi.Cube
	to        int
	accepting bool
}

// count makes it.
func count(t *tableau.Automaton) *counted {
	type state struct{ s, met int }
	c := &counted{atoms: t.Atoms}
	number := map[state]int{{0, 0}: 0}
	states := []state{{0, 0}}
	for i := 0; i < len(states); i++ {
		s := states[i]
		var edges []countedEdge
		for _, e := range t.Edges[s.s] {
			to := state{e.To, s.met}
			for to.met < t.Marks && e.Marks>>to.met&1 != 0 {
				to.met++
			}
			round := to.met == t.Marks
			if round {
				to.met = 0
			}
			n, ok := number[to]
			if !ok {
				n = len(states)
				number[to] = n
				states = append(states, to)
			}
			edges = append(edges, countedEdge{buchi.Cube{Pos: e.Label.True, Neg: e.Label.False}, n, round})
		}
		c.edges = append(c.edges, edges)
	}
	return c.live()
}

// live takes out the edges after which nothing is accepted.
func (c *counted) live() *counted {
	components := buchi.Graph{N: len(c.edges), Next: func(q int, visit func(int)) {
		for _, e := range c.edges[q] {
			visit(e.to)
		}
	}}.Components()
	live := make([]bool, len(components.States))
	for k, states := range components.States {
		for _, q := range states {
			for _, e := range c.edges[q] {
				to := components.Of[e.to]
				live[k] = live[k] || to == k && e.accepting || to != k && live[to]
			}
		}
	}
	for q, es := range c.edges {
		c.edges[q] = slices.DeleteFunc(es, func(e countedEdge) bool { return !live[components.Of[e.to]] })
	}
	return c
}

// empty says that nothing is accepted.
func (c *counted) empty() bool { return len(c.edges[0]) == 0 }

// Automaton is a tableau as a Büchi automaton, which accepts the same words.
func Automaton(t *tableau.Automaton) *buchi.Automaton {
	c := count(t)
	// A state is one of the tableau, and whether the edge to it was accepting.
	n := len(c.edges)
	a := &buchi.Automaton{Atoms: c.atoms, Edges: make([][]buchi.Edge, 2*n), Accepting: make([]bool, 2*n)}
	for q, es := range c.edges {
		for _, e := range es {
			to := e.to
			if e.accepting {
				to += n
			}
			a.Edges[q] = append(a.Edges[q], buchi.Edge{Label: e.label, To: to})
		}
		a.Edges[q+n] = a.Edges[q]
		a.Accepting[q+n] = true
	}
	return a.Trim()
}
