package translation

import "assay/internal/temporal/buchi"

// This file makes a Büchi automaton of a generalised one [GastinOddoux01]:
// a state gets a level, which says how many marks were met in their order since it
// was accepting last. An edge goes up by all the marks in row that it has.
//
// Departures: levels exist in accepting components only; marks that all edges of a
// component have are no levels there. A run may enter a component at any level, as it
// does so finitely often: at the bottom or at the top, whichever makes the smaller
// automaton.

// degeneralize makes the automaton. The order of the marks is that of the numbers;
// top says at which level components are entered.
func (g *generalized) degeneralize(top bool) *buchi.Automaton {
	c := g.graph().Components()
	// The marks that count in a component, in order.
	order := make([][]int, len(c.States))
	accepting := make([]bool, len(c.States))
	for k, states := range c.States {
		every, some := g.all(), uint64(0)
		for _, q := range states {
			for _, e := range g.edges[q] {
				if c.Of[e.to] == k {
					every &= e.marks
					some |= e.marks
				}
			}
		}
		accepting[k] = c.Cyclic[k] && some == g.all()
		for m := range g.count {
			if accepting[k] && every>>m&1 == 0 {
				order[k] = append(order[k], m)
			}
		}
	}
	type leveled struct{ q, level int }
	a := &buchi.Automaton{}
	number := map[leveled]int{}
	var states []leveled
	get := func(s leveled) int {
		i, ok := number[s]
		if !ok {
			i = len(states)
			number[s] = i
			states = append(states, s)
		}
		return i
	}
	entry := func(q int) leveled {
		if top {
			return leveled{q, len(order[c.Of[q]])}
		}
		return leveled{q, 0}
	}
	get(entry(g.initial))
	for i := 0; i < len(states); i++ {
		s := states[i]
		k := c.Of[s.q]
		last := len(order[k])
		a.Accepting = append(a.Accepting, accepting[k] && s.level == last)
		var edges []buchi.Edge
		for _, e := range g.edges[s.q] {
			to := entry(e.to)
			if c.Of[e.to] == k && accepting[k] {
				if to.level = s.level; to.level == last {
					to.level = 0
				}
				for to.level < last && e.marks>>order[k][to.level]&1 != 0 {
					to.level++
				}
			}
			edges = append(edges, buchi.Edge{Label: e.label, To: get(to)})
		}
		a.Edges = append(a.Edges, edges)
	}
	return a
}
