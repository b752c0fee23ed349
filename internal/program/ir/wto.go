package ir

// This file computes a weak topological order of a function's control-flow
// graph.
//
// Cited paper:
//
//	[Bourdoncle93] F. Bourdoncle. Efficient Chaotic Iteration Strategies with
//	               Widenings. FMPA 1993, LNCS 735.
//
// A hierarchical order is a well-parenthesised permutation of the blocks, such
// as 1 2 (3 4 (5 6) 7) 8. The blocks between a pair of parentheses are a
// component, the first of them is its head. Write u < v if u stands before v,
// and w(v) for the heads of the components that contain v (a head is in its own
// component). The order is a weak topological order if for every edge u -> v
//
//	either u < v and v is not in w(u), or v <= u and v is in w(u)
//
// [Bourdoncle93, Def. 1 and 2]: an edge goes forward, or back to the head of a
// component around its source. The latter are the feedback edges. Cutting them
// leaves an acyclic graph, of irreducible graphs too (where a component may
// also be entered elsewhere than at its head).
//
// The unwound graph. Let c1 ... ck be the heads w(v), outermost first. An
// instance of v is v with one counter for each: (v; i1 ... ik). Taking a
// feedback edge to cj adds one to ij and drops the counters behind it; entering
// a component starts its counter at 0; leaving it drops the counter. Compare
// instances lexicographically by the sequence
//
//	Order(c1), i1, Order(c2), i2, ..., Order(ck), ik, Order(v)
//
// This is a topological order of the unwound graph. Components are intervals of
// the order, and two of them are nested or disjoint. Take an edge from an
// instance of u to one of v, and let c1 ... cm be the heads that u and v share. If
// u < v, then the first 2m entries agree. The next entry is, for each of the two,
// the start of an interval that contains it and not the other one: its outermost
// other component, or itself. Disjoint intervals compare as u and v do. If v <= u,
// then v is cj for some j <= m, the entries before ij agree, and ij grows by one.

import "slices"

// WTO is a weak topological order of the blocks reachable from the entry.
// The slices are indexed by BlockID where not said otherwise.
type WTO struct {
	// Blocks are the reachable blocks in the order.
	Blocks []BlockID
	// Order is the position in Blocks, -1 for unreachable blocks.
	Order []int32
	// Heads are the heads of the components that contain the block, outermost
	// first: its loops. For a head, the last is the block itself. Blocks share
	// the slices; do not modify them.
	Heads [][]BlockID
	// End is, for a head, the position after the last block of its component;
	// 0 for other blocks.
	End []int32
}

// IsHead says whether b is the head of a component.
func (w *WTO) IsHead(b BlockID) bool { return w.End[b] != 0 }

// IsFeedback says whether an edge from u to v, of the function, goes back to
// the head of a component around u.
func (w *WTO) IsFeedback(u, v BlockID) bool { return w.Order[v] <= w.Order[u] }

// Component are the blocks of the component of head h, in the order.
func (w *WTO) Component(h BlockID) []BlockID { return w.Blocks[w.Order[h]:w.End[h]] }

// Contains says whether the component of head h contains b.
func (w *WTO) Contains(h, b BlockID) bool {
	return w.Order[h] <= w.Order[b] && w.Order[b] < w.End[h]
}

// NewWTO computes the order by nested depth-first searches for strongly
// connected components, in time proportional to the edges times the depth of
// nesting [Bourdoncle93, Fig. 4]. The result depends on the order of successors
// only.
func NewWTO(f *Func) *WTO {
	n := len(f.Blocks)
	s := &wtoSearch{f: f, number: make([]int32, n), head: make([]bool, n), end: make([]BlockID, n)}
	w := &WTO{Order: make([]int32, n), Heads: make([][]BlockID, n), End: make([]int32, n)}
	if f.IsDecl() {
		return w
	}
	s.visit(1)
	slices.Reverse(s.reversed)
	w.Blocks = s.reversed
	for b := range w.Order {
		w.Order[b] = -1
	}
	for i, b := range w.Blocks {
		w.Order[b] = int32(i)
	}
	var open []BlockID // heads of the components around the current position
	for i, b := range w.Blocks {
		for len(open) > 0 && int32(i) >= w.End[open[len(open)-1]] {
			open = slices.Clip(open[:len(open)-1])
		}
		if s.head[b] {
			open = append(slices.Clip(open), b)
			w.End[b] = w.Order[s.end[b]] + 1
		}
		w.Heads[b] = open
	}
	return w
}

// done is the number of a block that is placed in the order for good.
const done = int32(1<<31 - 1)

// wtoSearch is the state of the algorithm. The paper prepends to a list of
// vertices and components; here blocks are appended to reversed, and a component
// is known by its head and its last block.
type wtoSearch struct {
	f        *Func
	count    int32
	number   []int32 // the depth-first number; 0 unvisited
	stack    []BlockID
	reversed []BlockID
	head     []bool
	end      []BlockID // for a head, the last block of its component
}

// visit is the function of that name in the paper: it returns the least number
// that is reachable on the stack. Go's stacks grow, so recursion is deep safely.
func (s *wtoSearch) visit(b BlockID) int32 {
	s.stack = append(s.stack, b)
	s.count++
	least, loop := s.count, false
	s.number[b] = s.count
	for _, c := range s.f.Succs(b) {
		min := s.number[c]
		if min == 0 {
			min = s.visit(c)
		}
		if min <= least {
			least, loop = min, true
		}
	}
	if least != s.number[b] {
		return least
	}
	s.number[b] = done
	top := s.pop()
	if !loop {
		s.reversed = append(s.reversed, b)
		return least
	}
	// The component is b and what was above it. Those blocks become
	// unvisited again, and a search below b orders them without the edges to b,
	// which is done.
	for ; top != b; top = s.pop() {
		s.number[top] = 0
	}
	s.component(b)
	return least
}

func (s *wtoSearch) pop() BlockID {
	top := s.stack[len(s.stack)-1]
	s.stack = s.stack[:len(s.stack)-1]
	return top
}

// component orders the component of head b.
func (s *wtoSearch) component(b BlockID) {
	first := len(s.reversed)
	for _, c := range s.f.Succs(b) {
		if s.number[c] == 0 {
			s.visit(c)
		}
	}
	s.reversed = append(s.reversed, b)
	s.head[b], s.end[b] = true, s.reversed[first]
}
