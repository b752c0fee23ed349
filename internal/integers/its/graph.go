package its

import "assay/internal/logic/components"

// Components are the strongly connected components of a graph with nodes 0..n-1
// and the given edges, numbered such that every edge leads to the same or a
// smaller number.
func Components(n int, edges [][2]int) (component []int, count int) {
	c := components.Of(components.FromEdges(n, edges))
	return c.Of, len(c.Nodes)
}

// Components of a system: see the function of that name. A transition is within
// a component if both ends have its number; a component is fair if one of those
// transitions is.
func (s *System) Components() (component []int, fair []bool) {
	edges := make([][2]int, len(s.Transitions))
	for i, t := range s.Transitions {
		edges[i] = [2]int{int(t.From), int(t.To)}
	}
	component, n := Components(len(s.Locations), edges)
	fair = make([]bool, n)
	for _, t := range s.Transitions {
		if component[t.From] == component[t.To] && t.Fair {
			fair[component[t.From]] = true
		}
	}
	return component, fair
}

// Reachable marks the locations to which the graph has a path from the initial
// one.
func (s *System) Reachable() []bool {
	seen := make([]bool, len(s.Locations))
	out := s.Outgoing()
	work := []Location{s.Initial}
	seen[s.Initial] = true
	for len(work) > 0 {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range out[l] {
			if to := s.Transitions[i].To; !seen[to] {
				seen[to] = true
				work = append(work, to)
			}
		}
	}
	return seen
}
