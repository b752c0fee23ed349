package dimspec

// This file finds definitions among the clauses. A formula is made by translating
// gates to clauses; where the gates are found again, the transition relation is a
// function again, which is what IC3 generalises best.
//
//   - a next value: the clauses (p' ∨ ¬l) and (¬p' ∨ l), or the unit p' or ¬p', of
//     section t;
//   - a gate: z ↔ (x1 ∧ ... ∧ xn), for a literal z of a variable that is neither a
//     state variable nor mentioned in a next state, by n+1 clauses of section u;
//     or of section t, if no other section mentions z.
//
// A gate of section t may be taken for true in the last step, too, where it is not
// required: nothing there depends on z.

// gate is the definition of a variable: literal is the conjunction of operands.
type gate struct {
	literal  int32
	operands []int32
	clauses  []int // indices in the section
	inT      bool
}

// definitions are what was found.
type definitions struct {
	next    []int32 // by variable: the literal that is its next value, or 0
	isConst []int8  // by variable: 1 or -1 if the next value is a constant
	gates   []gate  // operands first
	// Clauses that are no longer needed, by index.
	universal, transition map[int]bool
}

// clausesOf cuts a section into clauses.
func clausesOf(flat []int32) [][]int32 {
	var out [][]int32
	start := 0
	for i, l := range flat {
		if l == 0 {
			out = append(out, flat[start:i])
			start = i + 1
		}
	}
	return out
}

func variable(l int32) int32 { return max(l, -l) }

// section is a section of clauses, with the indices of those of two literals.
type section struct {
	clauses [][]int32
	pairs   map[[2]int32]int
	isT     bool
}

func newSection(flat []int32, isT bool) *section {
	s := &section{clauses: clausesOf(flat), pairs: map[[2]int32]int{}, isT: isT}
	for i, c := range s.clauses {
		if len(c) == 2 {
			s.pairs[[2]int32{min(c[0], c[1]), max(c[0], c[1])}] = i
		}
	}
	return s
}

// find looks for the clause (a ∨ b).
func (s *section) find(a, b int32) (index int, ok bool) {
	index, ok = s.pairs[[2]int32{min(a, b), max(a, b)}]
	return index, ok
}

// define finds the definitions. isState and isPrimed are by variable.
func (f *Formula) define(isState, isPrimed func(v int32) bool) *definitions {
	n := int32(f.Variables)
	d := &definitions{
		next: make([]int32, n+1), isConst: make([]int8, n+1),
		universal: map[int]bool{}, transition: map[int]bool{},
	}
	u, t := newSection(f.Universal, false), newSection(f.Transition, true)
	d.findNext(t, n, isState)
	g := &gates{n: n, by: make([]int32, n+1), elsewhere: make([]bool, n+1), fixed: func(v int32) bool { return isState(v) || isPrimed(v) }}
	for _, flat := range [][]int32{f.Initial, f.Universal, f.Goal} {
		for _, l := range flat {
			g.elsewhere[variable(l)] = true
		}
	}
	g.find(u)
	g.find(t)
	d.order(g)
	return d
}

// findNext finds next values.
func (d *definitions) findNext(t *section, n int32, isState func(v int32) bool) {
	undefined := func(v int32) bool { return isState(v) && d.next[v] == 0 && d.isConst[v] == 0 }
	for i, c := range t.clauses {
		switch {
		case len(c) == 1 && variable(c[0]) > n:
			if v := variable(c[0]) - n; undefined(v) {
				d.isConst[v] = 1
				if c[0] < 0 {
					d.isConst[v] = -1
				}
				d.transition[i] = true
			}
		case len(c) == 2:
			p, l := c[0], c[1]
			if variable(p) <= n {
				p, l = l, p
			}
			if variable(p) <= n || variable(l) > n {
				continue
			}
			v := variable(p) - n
			j, ok := t.find(-p, -l)
			if !ok || !undefined(v) {
				continue
			}
			// p is ¬l.
			d.next[v] = -l
			if p < 0 {
				d.next[v] = l
			}
			d.transition[i], d.transition[j] = true, true
		}
	}
}

// gates are those that were found, one for each variable, the first that is found.
type gates struct {
	n         int32
	found     []gate
	by        []int32            // by variable: index + 1 in found
	elsewhere []bool             // by variable: sections other than t mention it
	fixed     func(v int32) bool // v is no gate: a state, or mentioned in a next state
}

// find finds those of a section.
func (x *gates) find(s *section) {
	for i, c := range s.clauses {
		if len(c) < 2 {
			continue
		}
		for _, z := range c {
			if g, ok := x.gateOf(s, i, z); ok {
				x.found = append(x.found, g)
				x.by[variable(z)] = int32(len(x.found))
				break
			}
		}
	}
}

// gateOf is the gate z of which clause i of a section is the long one.
func (x *gates) gateOf(s *section, i int, z int32) (g gate, ok bool) {
	v, c := variable(z), s.clauses[i]
	if v > x.n || x.fixed(v) || x.by[v] != 0 || s.isT && x.elsewhere[v] {
		return gate{}, false
	}
	g = gate{literal: z, clauses: []int{i}, inT: s.isT}
	for _, y := range c {
		if y == z {
			continue
		}
		j, ok := s.find(-z, -y)
		if !ok || variable(y) > x.n || variable(y) == v {
			return gate{}, false
		}
		g.operands = append(g.operands, -y)
		g.clauses = append(g.clauses, j)
	}
	return g, len(g.operands) == len(c)-1
}

// order takes the gates without a cycle, operands first. A gate that would close one stays
// an input, and keeps its clauses; so does one whose clauses another gate has used.
func (d *definitions) order(x *gates) {
	const white, grey, black = 0, 1, 2
	color := make([]uint8, len(x.found))
	drop := make([]bool, len(x.found))
	type frame struct {
		gate int
		next int
	}
	for root := range x.found {
		if color[root] != white {
			continue
		}
		color[root] = grey
		stack := []frame{{root, 0}}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			g := &x.found[top.gate]
			if top.next == len(g.operands) {
				color[top.gate] = black
				if !drop[top.gate] {
					d.accept(*g)
				}
				stack = stack[:len(stack)-1]
				continue
			}
			k := int(x.by[variable(g.operands[top.next])]) - 1
			top.next++
			switch {
			case k < 0 || color[k] == black:
			case color[k] == grey:
				drop[top.gate] = true
			default:
				color[k] = grey
				stack = append(stack, frame{k, 0})
			}
		}
	}
}

// accept takes a gate unless one of its clauses already serves another.
func (d *definitions) accept(g gate) {
	used := d.universal
	if g.inT {
		used = d.transition
	}
	for _, i := range g.clauses {
		if used[i] {
			return
		}
	}
	for _, i := range g.clauses {
		used[i] = true
	}
	d.gates = append(d.gates, g)
}
