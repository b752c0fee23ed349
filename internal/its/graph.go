package its

// Components are the strongly connected components of a graph with nodes 0..n-1
// and the given edges, numbered such that every edge leads to the same or a
// smaller number [Tarjan72].
func Components(n int, edges [][2]int) (component []int, count int) {
	out := make([][]int32, n)
	for _, e := range edges {
		out[e[0]] = append(out[e[0]], int32(e[1]))
	}
	component = make([]int, n)
	index := make([]int, n) // from 1; 0 is unvisited
	low := make([]int, n)
	onStack := make([]bool, n)
	var stack []int
	type frame struct{ node, next int }
	next := 1
	for root := range n {
		if index[root] != 0 {
			continue
		}
		frames := []frame{{root, 0}}
		index[root], low[root] = next, next
		next++
		stack, onStack[root] = append(stack, root), true
		for len(frames) > 0 {
			f := &frames[len(frames)-1]
			if f.next < len(out[f.node]) {
				m := int(out[f.node][f.next])
				f.next++
				if index[m] == 0 {
					index[m], low[m] = next, next
					next++
					stack, onStack[m] = append(stack, m), true
					frames = append(frames, frame{m, 0})
				} else if onStack[m] {
					low[f.node] = min(low[f.node], index[m])
				}
				continue
			}
			v := f.node
			frames = frames[:len(frames)-1]
			if len(frames) > 0 {
				p := frames[len(frames)-1].node
				low[p] = min(low[p], low[v])
			}
			if low[v] == index[v] {
				for {
					w := stack[len(stack)-1]
					stack, onStack[w] = stack[:len(stack)-1], false
					component[w] = count
					if w == v {
						break
					}
				}
				count++
			}
		}
	}
	return component, count
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
