// Package buchi has Büchi automata over the atoms of linear temporal logic: what they
// are, their lassos, products, strong components, kinds, and pictures of them. How
// they are made of formulas is the matter of other packages.
//
// An automaton reads an infinite row of letters, one along each edge, and accepts it
// if some run is in accepting states infinitely often. Labels of edges are cubes; a
// label that is a disjunction is several edges. There is one initial state. A state
// without an edge for a letter rejects what comes.
package buchi

import (
	"fmt"
	"slices"

	"assay/internal/temporal/ltl"
)

// Automaton is a Büchi automaton. Its states are 0 to len(Edges)-1.
type Automaton struct {
	Atoms     []ltl.Atom // atom i is bit i of letters
	Initial   int
	Edges     [][]Edge
	Accepting []bool
}

// Edge goes to a state with the letters of its label.
type Edge struct {
	Label Cube
	To    int
}

// Empty is the automaton that accepts nothing.
func Empty(atoms []ltl.Atom) *Automaton {
	return &Automaton{Atoms: atoms, Edges: make([][]Edge, 1), Accepting: make([]bool, 1)}
}

// Check says what is wrong with the automaton, if anything is.
func (a *Automaton) Check() error {
	n := len(a.Edges)
	switch {
	case len(a.Atoms) > MaxAtoms:
		return fmt.Errorf("%d atoms, more than %d", len(a.Atoms), MaxAtoms)
	case len(a.Accepting) != n:
		return fmt.Errorf("%d states, acceptance of %d", n, len(a.Accepting))
	case a.Initial < 0 || a.Initial >= n:
		return fmt.Errorf("initial state %d of %d", a.Initial, n)
	}
	known := uint64(1)<<len(a.Atoms) - 1
	for q, edges := range a.Edges {
		for _, e := range edges {
			if e.To < 0 || e.To >= n {
				return fmt.Errorf("state %d has an edge to %d of %d", q, e.To, n)
			}
			if e.Label.Pos&e.Label.Neg != 0 || (e.Label.Pos|e.Label.Neg)&^known != 0 {
				return fmt.Errorf("state %d has an edge with label %v", q, e.Label)
			}
		}
	}
	return nil
}

// Index is the place of an atom, -1 if the automaton does not speak about it.
func (a *Automaton) Index(atom ltl.Atom) int { return slices.Index(a.Atoms, atom) }

// Size is the number of states, of edges, and of pairs of states with an edge.
func (a *Automaton) Size() (states, edges, pairs int) {
	for _, es := range a.Edges {
		edges += len(es)
		to := map[int]bool{}
		for _, e := range es {
			to[e.To] = true
		}
		pairs += len(to)
	}
	return len(a.Edges), edges, pairs
}

// Tidy takes out edges that others between the same states imply, merges what is one
// cube, and orders the edges.
func (a *Automaton) Tidy() {
	for q, es := range a.Edges {
		byTarget := map[int][]Cube{}
		for _, e := range es {
			byTarget[e.To] = append(byTarget[e.To], e.Label)
		}
		var tidy []Edge
		for to, cubes := range byTarget {
			for _, c := range minimise(cubes) {
				tidy = append(tidy, Edge{c, to})
			}
		}
		slices.SortFunc(tidy, compareEdges)
		a.Edges[q] = tidy
	}
}

func compareEdges(e, f Edge) int {
	for _, d := range [3][2]uint64{{uint64(e.To), uint64(f.To)}, {e.Label.Pos, f.Label.Pos}, {e.Label.Neg, f.Label.Neg}} {
		if d[0] < d[1] {
			return -1
		}
		if d[0] > d[1] {
			return 1
		}
	}
	return 0
}

// Restrict keeps the states that keep says and that the initial state reaches
// through such, in the order of a search from it. The initial state is kept anyway.
func (a *Automaton) Restrict(keep func(int) bool) *Automaton {
	b := &Automaton{Atoms: a.Atoms}
	number := map[int]int{}
	var order []int
	visit := func(q int) {
		if _, ok := number[q]; !ok {
			number[q] = len(order)
			order = append(order, q)
		}
	}
	visit(a.Initial)
	for i := 0; i < len(order); i++ {
		q := order[i]
		b.Accepting = append(b.Accepting, a.Accepting[q])
		var edges []Edge
		for _, e := range a.Edges[q] {
			if keep(e.To) {
				visit(e.To)
				edges = append(edges, Edge{e.Label, number[e.To]})
			}
		}
		b.Edges = append(b.Edges, edges)
	}
	return b
}

// Trim keeps the states that the initial state reaches and from which some row of
// letters is accepted.
func (a *Automaton) Trim() *Automaton {
	live := a.Live()
	if !live[a.Initial] {
		return Empty(a.Atoms)
	}
	return a.Restrict(func(q int) bool { return live[q] })
}
