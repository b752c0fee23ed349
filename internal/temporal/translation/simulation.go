package translation

import "assay/internal/temporal/buchi"

// This file makes Büchi automata smaller: acceptance that does not matter is set as
// suits best, and states are merged that simulate each other, directly or with delay.

// normalize returns the automaton trimmed, with acceptance set by component: a state
// on no cycle does not accept; all states of a component accept if each of its cycles
// has an accepting state. So automata become weak that can.
func normalize(a *buchi.Automaton) *buchi.Automaton {
	a = a.Trim()
	c := a.Graph().Components()
	for k, states := range c.States {
		accepts := false
		for _, q := range states {
			a.Accepting[q] = a.Accepting[q] && c.Cyclic[k]
			accepts = accepts || a.Accepting[q]
		}
		if !accepts || !c.Cyclic[k] {
			continue
		}
		// Is there a cycle among the others?
		rest := buchi.Graph{N: len(a.Edges), Next: func(q int, visit func(int)) {
			for _, e := range a.Edges[q] {
				if c.Of[q] == k && c.Of[e.To] == k && !a.Accepting[q] && !a.Accepting[e.To] {
					visit(e.To)
				}
			}
		}}.Components()
		weak := true
		for _, q := range states {
			weak = weak && (a.Accepting[q] || !rest.Cyclic[rest.Of[q]])
		}
		for _, q := range states {
			a.Accepting[q] = a.Accepting[q] || weak
		}
	}
	return a
}

// direct merges states that simulate each other directly: the edges of an accepting
// state have a mark.
func direct(a *buchi.Automaton) *buchi.Automaton {
	g := markStates(a).quotient()
	b := &buchi.Automaton{Atoms: a.Atoms, Initial: g.initial}
	for _, es := range g.edges {
		// All edges of a state have the mark, or none has.
		b.Accepting = append(b.Accepting, len(es) > 0 && es[0].marks == 1)
		var edges []buchi.Edge
		for _, e := range es {
			edges = append(edges, buchi.Edge{Label: e.label, To: e.to})
		}
		b.Edges = append(b.Edges, edges)
	}
	b = b.Trim()
	b.Tidy()
	return b
}

// sharpen takes letters from edges where another edge of the same state has them to a
// state that simulates the target directly: fewer runs, the same words. After direct,
// no two states simulate each other.
func sharpen(a *buchi.Automaton) *buchi.Automaton {
	sim := markStates(a).simulate()
	b := &buchi.Automaton{Atoms: a.Atoms, Initial: a.Initial, Accepting: a.Accepting}
	for _, es := range a.Edges {
		var edges []buchi.Edge
		for _, e := range es {
			rest := []buchi.Cube{e.Label}
			for _, f := range es {
				if f.To == e.To || !sim[e.To][f.To] || sim[f.To][e.To] {
					continue
				}
				var left []buchi.Cube
				for _, c := range rest {
					left = append(left, c.Without(f.Label)...)
				}
				if rest = left; len(rest) > maxSharp {
					break
				}
			}
			if len(rest) > maxSharp {
				rest = []buchi.Cube{e.Label}
			}
			for _, c := range rest {
				edges = append(edges, buchi.Edge{Label: c, To: e.To})
			}
		}
		b.Edges = append(b.Edges, edges)
	}
	b = b.Trim()
	b.Tidy()
	return b
}

// maxSharp bounds into how many edges one is split.
const maxSharp = 16

// markStates is the automaton with a mark on the edges of accepting states.
func markStates(a *buchi.Automaton) *generalized {
	g := &generalized{initial: a.Initial, count: 1}
	for q, es := range a.Edges {
		var edges []markedEdge
		for _, e := range es {
			m := markedEdge{label: e.Label, to: e.To}
			if a.Accepting[q] {
				m.marks = 1
			}
			edges = append(edges, m)
		}
		g.edges = append(g.edges, edges)
	}
	return g
}

// delayed merges states that simulate each other with delay [EtessamiWilkeSchuller01]:
// where one accepts, the other does so then or later. A class accepts if one of its
// states does, and has the edges of all.
func delayed(a *buchi.Automaton) *buchi.Automaton {
	n := len(a.Edges)
	// A position of the game: spoiler in q, duplicator in p, and whether the latter
	// still has to accept.
	type position = int
	at := func(q, p int, owes bool) position {
		if a.Accepting[p] {
			owes = false
		} else if a.Accepting[q] {
			owes = true
		}
		v := (q*n + p) * 2
		if owes {
			v++
		}
		return v
	}
	wins := make([]bool, 2*n*n)
	for v := range wins {
		wins[v] = true
	}
	var answers []buchi.Cube
	for {
		// The positions from which duplicator comes to one of wins that owes nothing.
		comes := make([]bool, len(wins))
		for changed := true; changed; {
			changed = false
			for v := range comes {
				if comes[v] || !wins[v] {
					continue
				}
				q, p, owes := v/2/n, v/2%n, v%2 == 1
				answered := true
				for _, e := range a.Edges[q] {
					answers = answers[:0]
					for _, f := range a.Edges[p] {
						if to := at(e.To, f.To, owes); comes[to] || to%2 == 0 && wins[to] {
							answers = append(answers, f.Label)
						}
					}
					if answered = e.Label.Covered(answers); !answered {
						break
					}
				}
				if answered {
					comes[v], changed = true, true
				}
			}
		}
		same := true
		for v := range wins {
			same = same && wins[v] == comes[v]
		}
		if wins = comes; same {
			break
		}
	}
	class := make([]int, n)
	var first []int
	for q := range class {
		class[q] = -1
		for k, p := range first {
			if wins[at(q, p, false)] && wins[at(p, q, false)] {
				class[q] = k
				break
			}
		}
		if class[q] < 0 {
			class[q] = len(first)
			first = append(first, q)
		}
	}
	b := &buchi.Automaton{Atoms: a.Atoms, Initial: class[a.Initial], Edges: make([][]buchi.Edge, len(first)), Accepting: make([]bool, len(first))}
	for q, k := range class {
		b.Accepting[k] = b.Accepting[k] || a.Accepting[q]
		for _, e := range a.Edges[q] {
			b.Edges[k] = append(b.Edges[k], buchi.Edge{Label: e.Label, To: class[e.To]})
		}
	}
	b.Tidy()
	return b
}
