package buchi

// This file is about lassos: whether an automaton accepts one, and one that it accepts.

// Word is an infinite row of letters: the first ones, then for ever those of the loop.
type Word struct{ Stem, Loop []Letter }

// Accepts says whether the automaton accepts the word: whether the product with it
// has a cycle through an accepting state that the initial state reaches.
func (a *Automaton) Accepts(w Word) bool {
	letters := append(append([]Letter{}, w.Stem...), w.Loop...)
	if len(w.Loop) == 0 {
		panic("a word without a loop")
	}
	next := func(at int) int {
		if at+1 == len(letters) {
			return len(w.Stem)
		}
		return at + 1
	}
	n := len(letters)
	p := Graph{n * len(a.Edges), func(v int, visit func(int)) {
		q, at := v/n, v%n
		for _, e := range a.Edges[q] {
			if e.Label.Holds(letters[at]) {
				visit(e.To*n + next(at))
			}
		}
	}}
	_, ok := p.search(a.Initial*n, []func(int) bool{func(v int) bool { return a.Accepting[v/n] }})
	return ok
}

// path is a lasso in a graph: nodes, the last of which has an edge back to one.
type path struct {
	nodes []int
	loop  int
}

// search finds a lasso from a node whose loop has a node of each set.
func (g Graph) search(from int, sets []func(int) bool) (path, bool) {
	reached := g.reach(from)
	restricted := Graph{g.N, func(q int, visit func(int)) {
		if reached[q] {
			g.Next(q, visit)
		}
	}}
	c := restricted.Components()
component:
	for k, states := range c.States {
		if !c.Cyclic[k] || !reached[states[0]] {
			continue
		}
		var through []int
		for _, set := range sets {
			found := -1
			for _, q := range states {
				if set(q) {
					found = q
					break
				}
			}
			if found < 0 {
				continue component
			}
			through = append(through, found)
		}
		if len(through) == 0 {
			through = append(through, states[0])
		}
		// To the first, through all others, and back to the first.
		within := func(q int) bool { return c.Of[q] == k }
		nodes := g.shortest(from, through[0], func(int) bool { return true }, true)
		loop := len(nodes)
		at := through[0]
		for _, to := range append(append([]int{}, through[1:]...), through[0]) {
			if to == at && to != through[0] {
				continue
			}
			nodes = append(nodes, g.shortest(at, to, within, false)...)
			at = to
		}
		// The last node is the first of the loop again.
		return path{nodes[:len(nodes)-1], loop - 1}, true
	}
	return path{}, false
}

// reach says which nodes a node reaches.
func (g Graph) reach(from int) []bool {
	reached := make([]bool, g.N)
	reached[from] = true
	for todo := []int{from}; len(todo) > 0; {
		q := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		g.Next(q, func(to int) {
			if !reached[to] {
				reached[to] = true
				todo = append(todo, to)
			}
		})
	}
	return reached
}

// shortest is a shortest path of at least one edge between nodes, through nodes that
// within admits: all nodes but the first. With first, the first is among them and no
// edge is needed.
func (g Graph) shortest(from, to int, within func(int) bool, first bool) []int {
	if first && from == to {
		return []int{from}
	}
	before := map[int]int{}
	found := false
	for todo := []int{from}; len(todo) > 0 && !found; todo = todo[1:] {
		q := todo[0]
		g.Next(q, func(n int) {
			if _, seen := before[n]; !seen && within(n) {
				before[n] = q
				todo = append(todo, n)
				found = found || n == to
			}
		})
	}
	var back []int
	for q := to; ; q = before[q] {
		back = append(back, q)
		if before[q] == from {
			break
		}
	}
	if first {
		back = append(back, from)
	}
	for i, j := 0, len(back)-1; i < j; i, j = i+1, j-1 {
		back[i], back[j] = back[j], back[i]
	}
	return back
}

// Witness is a word that the automaton accepts, ok says that there is one.
func (a *Automaton) Witness() (w Word, ok bool) {
	p, ok := a.Graph().search(a.Initial, []func(int) bool{func(q int) bool { return a.Accepting[q] }})
	if !ok {
		return Word{}, false
	}
	for i, q := range p.nodes {
		to := p.nodes[p.loop]
		if i+1 < len(p.nodes) {
			to = p.nodes[i+1]
		}
		for _, e := range a.Edges[q] {
			if e.To == to {
				if i < p.loop {
					w.Stem = append(w.Stem, e.Label.Letter())
				} else {
					w.Loop = append(w.Loop, e.Label.Letter())
				}
				break
			}
		}
	}
	return w, true
}
