package buchi

import "assay/internal/logic/components"

// This file finds strongly connected components, and what they tell of an
// automaton: the states from which something is accepted, and its kind.

// Graph is a graph on the states 0 to N-1.
type Graph struct {
	N    int
	Next func(q int, visit func(to int))
}

// Graph is the graph of the edges.
func (a *Automaton) Graph() Graph {
	return Graph{len(a.Edges), func(q int, visit func(int)) {
		for _, e := range a.Edges[q] {
			visit(e.To)
		}
	}}
}

// Components are the strongly connected components of a graph.
type Components struct {
	Of     []int   // the component of a state; edges go to components with the same number or a smaller one
	States [][]int // the states of a component
	Cyclic []bool  // whether it has an edge within it
}

// Components finds the strongly connected components.
func (g Graph) Components() *Components {
	h := components.Graph(g)
	c := components.Of(h)
	return &Components{c.Of, c.Nodes, c.Cyclic(h)}
}

// Live says of each state whether some row of letters is accepted from it.
func (a *Automaton) Live() []bool {
	c := a.Graph().Components()
	liveComponent := make([]bool, len(c.States))
	live := make([]bool, len(a.Edges))
	// Components come after those that they lead to.
	for k, states := range c.States {
		for _, q := range states {
			if c.Cyclic[k] && a.Accepting[q] {
				liveComponent[k] = true
			}
			for _, e := range a.Edges[q] {
				if liveComponent[c.Of[e.To]] {
					liveComponent[k] = true
				}
			}
		}
		for _, q := range states {
			live[q] = liveComponent[k]
		}
	}
	return live
}

// Kind says how simple acceptance is.
type Kind int

// The kinds, from the most general. Each is a case of the one before.
const (
	General  Kind = iota
	Weak          // the states of each component that has a cycle accept all, or none
	Terminal      // weak, and an accepting state accepts whatever comes
)

// String is the name of the kind.
func (k Kind) String() string { return [...]string{"general", "weak", "terminal"}[k] }

// Kind is the kind of the automaton. That of a guarantee is terminal: it is about
// reaching a state.
func (a *Automaton) Kind() Kind {
	c := a.Graph().Components()
	kind := Terminal
	for k, states := range c.States {
		if !c.Cyclic[k] {
			continue
		}
		for _, q := range states {
			if a.Accepting[q] != a.Accepting[states[0]] {
				return General
			}
			if a.Accepting[q] {
				// Every letter must lead on, within accepting cycles.
				var labels []Cube
				for _, e := range a.Edges[q] {
					if c.Cyclic[c.Of[e.To]] && a.Accepting[e.To] {
						labels = append(labels, e.Label)
					}
				}
				if !(Cube{}).Covered(labels) {
					kind = Weak
				}
			}
		}
	}
	return kind
}

// Deterministic says that no letter has two edges from a state.
func (a *Automaton) Deterministic() bool {
	for _, es := range a.Edges {
		for i, e := range es {
			for _, f := range es[:i] {
				if _, ok := e.Label.And(f.Label); ok && e.To != f.To {
					return false
				}
			}
		}
	}
	return true
}

// Complete says that every letter has an edge from every state.
func (a *Automaton) Complete() bool {
	for _, es := range a.Edges {
		var labels []Cube
		for _, e := range es {
			labels = append(labels, e.Label)
		}
		if !(Cube{}).Covered(labels) {
			return false
		}
	}
	return true
}
