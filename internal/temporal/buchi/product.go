package buchi

import (
	"slices"

	"assay/internal/temporal/ltl"
)

// This file makes products: automata that accept what two accept.

// over is the automaton with these atoms, which must have all of its own.
func (a *Automaton) over(atoms []ltl.Atom) *Automaton {
	if slices.Equal(a.Atoms, atoms) {
		return a
	}
	move := func(bits uint64) (moved uint64) {
		for i, atom := range a.Atoms {
			if bits>>i&1 != 0 {
				moved |= 1 << slices.Index(atoms, atom)
			}
		}
		return moved
	}
	b := &Automaton{Atoms: atoms, Initial: a.Initial, Accepting: a.Accepting}
	for _, es := range a.Edges {
		var edges []Edge
		for _, e := range es {
			edges = append(edges, Edge{Cube{move(e.Label.Pos), move(e.Label.Neg)}, e.To})
		}
		b.Edges = append(b.Edges, edges)
	}
	return b
}

// Together are two automata over the atoms of both.
func Together(a, b *Automaton) (*Automaton, *Automaton) {
	atoms := slices.Clone(a.Atoms)
	for _, atom := range b.Atoms {
		if !slices.Contains(atoms, atom) {
			atoms = append(atoms, atom)
		}
	}
	return a.over(atoms), b.over(atoms)
}

// Intersect accepts what a and b both accept. A state is one of each, and whose turn
// it is to accept: the product waits for a accepting state of a, then for one of b.
func Intersect(a, b *Automaton) *Automaton {
	a, b = Together(a, b)
	type triple struct {
		q, p int
		turn int // 0: a is to accept; 1: b is; 2: both have, which accepts
	}
	c := &Automaton{Atoms: a.Atoms}
	number := map[triple]int{}
	var states []triple
	get := func(t triple) int {
		n, ok := number[t]
		if !ok {
			n = len(states)
			number[t] = n
			states = append(states, t)
		}
		return n
	}
	get(triple{a.Initial, b.Initial, 0})
	for i := 0; i < len(states); i++ {
		s := states[i]
		c.Accepting = append(c.Accepting, s.turn == 2)
		turn := s.turn % 2
		if s.turn == 2 {
			turn = 0
		}
		if turn == 0 && a.Accepting[s.q] {
			turn = 1
		}
		if turn == 1 && b.Accepting[s.p] {
			turn = 2
		}
		var edges []Edge
		for _, e := range a.Edges[s.q] {
			for _, f := range b.Edges[s.p] {
				if label, ok := e.Label.And(f.Label); ok {
					edges = append(edges, Edge{label, get(triple{e.To, f.To, turn})})
				}
			}
		}
		c.Edges = append(c.Edges, edges)
	}
	return c
}
