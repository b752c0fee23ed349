package translation

import (
	"context"
	"fmt"

	"assay/internal/temporal/buchi"
)

// This file makes a generalised Büchi automaton, with marks on edges, of the
// alternating one [GastinOddoux01]. Its states are sets of states of the
// alternating automaton, that all have to accept. There is a mark for each until f:
// an edge has it unless f is in its target, and the edge has no move of f in it that
// leaves it. A run is accepting if it has each mark infinitely often.
//
// Departures from the paper: moves carry which untils they leave, also where those are
// operands of the state that moves. And a state that another one of the set takes along
// (as G F a does with F a, of whose moves one is in each of its own) is left out of
// the target, after the marks are found. The set has the same moves without it. So the
// conjunction of n formulas G F a has one state, not 2^n that are merged later.

// markedEdge is an edge of a generalised automaton.
type markedEdge struct {
	label buchi.Cube
	to    int
	marks uint64
}

// generalized is a Büchi automaton with marks 0 to count-1 on its edges.
type generalized struct {
	initial int
	edges   [][]markedEdge
	count   int
}

// all are the marks that an accepting run needs.
func (g *generalized) all() uint64 { return uint64(1)<<g.count - 1 }

// maxGeneralized bounds the states, and maxMoves the edges of one.
const (
	maxGeneralized = 1 << 14
	maxMoves       = 1 << 14
)

// generalize makes the automaton of a formula, given by its disjunctive normal form.
func (v *alternating) generalize(ctx context.Context, initial []set) (*generalized, error) {
	g := &generalized{}
	number := map[set]int{}
	var states []set
	get := func(s set) int {
		i, ok := number[s]
		if !ok {
			i = len(states)
			number[s] = i
			states = append(states, s)
		}
		return i
	}
	if len(initial) == 1 {
		get(v.reduced(initial[0]))
	} else {
		// A state of its own, which is no set: it has the moves of all.
		states = append(states, set{})
	}
	for i := 0; i < len(states); i++ {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(states) > maxGeneralized {
			return nil, fmt.Errorf("the automaton has more than %d states", maxGeneralized)
		}
		from := []set{states[i]}
		if i == 0 && len(initial) != 1 {
			from = initial
		}
		var moves []marked
		for _, s := range from {
			m, err := v.joint(s)
			if err != nil {
				return nil, err
			}
			moves = append(moves, m...)
		}
		var edges []markedEdge
		for _, m := range leastMarked(moves) {
			edges = append(edges, markedEdge{m.label, get(v.reduced(m.to)), m.marks})
		}
		g.edges = append(g.edges, edges)
	}
	g.count = len(v.untils)
	for _, es := range g.edges {
		for k := range es {
			es[k].marks &= g.all()
		}
	}
	return g, nil
}

// marked is a move with the marks of its edge.
type marked struct {
	move
	marks uint64
}

// joint are the moves that make one of each state of the set, with their marks.
func (v *alternating) joint(s set) (all []marked, err error) {
	moves := []move{{}}
	s.members(func(q int) {
		if moves = both(moves, v.of(q)); len(moves) > maxMoves {
			err = fmt.Errorf("a state has more than %d edges", maxMoves)
			moves = moves[:1]
		}
	})
	for _, m := range moves {
		// Untils that are not met yet do not occur in it.
		marks := m.left | ^uint64(0)<<len(v.untils)
		for k, q := range v.untils {
			if !m.to.has(q) {
				marks |= 1 << k
			}
		}
		all = append(all, marked{move{label: m.label, to: m.to}, marks})
	}
	return all, err
}

// reduced leaves out what other states of the set take along.
func (v *alternating) reduced(s set) set {
	out := set{}
	s.members(func(i int) { out = out.union(v.within[i]) })
	for i := range s {
		s[i] &^= out[i]
	}
	return s
}

// leastMarked takes moves out that another makes needless: with more letters and
// marks, to fewer states.
func leastMarked(moves []marked) []marked {
	var all []marked
next:
	for i, m := range moves {
		for j, n := range moves {
			if i != j && m.label.Implies(n.label) && n.to.subset(m.to) && m.marks&^n.marks == 0 && (m != n || j < i) {
				continue next
			}
		}
		all = append(all, m)
	}
	return all
}
