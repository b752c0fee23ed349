package ir

// Orders and facts of a function's control-flow graph: reverse postorder,
// dominators, liveness. Blocks that the entry does not reach take no part:
// they are in no order, dominate nothing, and nothing is live in them.
//
// Cited papers:
//
//	[CHK01]    K. D. Cooper, T. J. Harvey, K. Kennedy. A Simple, Fast Dominance
//	           Algorithm. Rice University, 2001.
//	[Brandner11] F. Brandner, B. Boissinot, A. Darte, B. Dupont de Dinechin,
//	           F. Rastello. Computing Liveness Sets for SSA-Form Programs.
//	           INRIA RR-7503, 2011.

import "slices"

// RPO is the reverse postorder of the blocks reachable from the entry: every
// block comes before its successors, except over the back edges of the
// depth-first search that visits successors in their order.
func RPO(f *Func) []BlockID {
	if f.IsDecl() {
		return nil
	}
	type visit struct {
		b    BlockID
		next int // successors looked at
	}
	seen := make([]bool, len(f.Blocks))
	order := make([]BlockID, 0, len(f.Blocks)-1)
	stack := []visit{{b: 1}}
	seen[1] = true
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if succs := f.Succs(top.b); top.next < len(succs) {
			s := succs[top.next]
			top.next++
			if !seen[s] {
				seen[s] = true
				stack = append(stack, visit{b: s})
			}
			continue
		}
		order = append(order, top.b)
		stack = stack[:len(stack)-1]
	}
	slices.Reverse(order)
	return order
}

// DomTree is the tree of immediate dominators.
type DomTree struct {
	// Idom is the immediate dominator of each block, 0 for the entry and for
	// unreachable blocks.
	Idom []BlockID
	// Children are the blocks immediately dominated, in reverse postorder.
	Children [][]BlockID
	// pre and post number the blocks on the way down and up the tree, so that
	// an ancestor is an enclosing interval; 0 for unreachable blocks.
	pre, post []int32
}

// Dominators computes the dominator tree by iteration in reverse postorder
// [CHK01, Fig. 3].
func Dominators(f *Func) *DomTree {
	n := len(f.Blocks)
	t := &DomTree{Idom: make([]BlockID, n), Children: make([][]BlockID, n), pre: make([]int32, n), post: make([]int32, n)}
	order := RPO(f)
	if len(order) == 0 {
		return t
	}
	index := make([]int32, n) // position in order, +1; 0 is unreachable
	for i, b := range order {
		index[b] = int32(i) + 1
	}
	intersect := func(a, b BlockID) BlockID {
		for a != b {
			for index[a] > index[b] {
				a = t.Idom[a]
			}
			for index[b] > index[a] {
				b = t.Idom[b]
			}
		}
		return a
	}
	t.Idom[1] = 1 // while iterating only
	for changed := true; changed; {
		changed = false
		for _, b := range order[1:] {
			var idom BlockID
			for _, p := range f.Blocks[b].Preds {
				if index[p] == 0 || t.Idom[p] == 0 {
					continue
				}
				if idom == 0 {
					idom = p
				} else {
					idom = intersect(idom, p)
				}
			}
			if t.Idom[b] != idom {
				t.Idom[b] = idom
				changed = true
			}
		}
	}
	t.Idom[1] = 0
	for _, b := range order[1:] {
		t.Children[t.Idom[b]] = append(t.Children[t.Idom[b]], b)
	}
	t.number(order)
	return t
}

// number sets pre and post. In reverse postorder a block comes after its
// dominators, so subtree sizes can be summed backwards, and intervals handed
// out forwards, without recursion.
func (t *DomTree) number(order []BlockID) {
	size := make([]int32, len(t.Idom))
	for _, b := range slices.Backward(order) {
		size[b]++
		size[t.Idom[b]] += size[b]
	}
	t.pre[order[0]] = 1
	for _, b := range order {
		t.post[b] = t.pre[b] + size[b]
		next := t.pre[b] + 1
		for _, c := range t.Children[b] {
			t.pre[c] = next
			next += size[c]
		}
	}
}

// Reachable says whether the entry reaches b.
func (t *DomTree) Reachable(b BlockID) bool { return t.pre[b] != 0 }

// Dominates says whether every path from the entry to b contains a. A block
// dominates itself. False if either is unreachable.
func (t *DomTree) Dominates(a, b BlockID) bool {
	return t.pre[a] != 0 && t.pre[a] <= t.pre[b] && t.pre[b] < t.post[a]
}

// LiveIn computes, for each block, the values that are live at its start, in
// ascending order: those defined before (parameters included) and used in the
// block or after it. Constants and addresses (IsConst) are left out, they need
// no storage. The results of the block's phis are not live at its start, for
// they are defined there; the arguments of a phi are uses at the end of the
// corresponding predecessors.
//
// It walks backwards from each use to the definition [Brandner11, Alg. 6 and
// 7]; the time is proportional to the number of uses plus the size of the result.
func LiveIn(f *Func) [][]Value { return LiveInOf(f, func(Value) bool { return true }) }

// LiveInOf is LiveIn where only those instructions use their arguments for which uses is true.
func LiveInOf(f *Func, uses func(v Value) bool) [][]Value {
	live := make([][]Value, len(f.Blocks))
	if f.IsDecl() {
		return live
	}
	reachable := make([]bool, len(f.Blocks))
	order := RPO(f)
	for _, b := range order {
		reachable[b] = true
	}
	// Uses of one value come together if the outer loop is over values, and
	// then a mark for each block suffices instead of a set.
	users := blockUses(f, order, uses)
	mark := make([]Value, len(f.Blocks))
	var work []BlockID
	for v := Value(1); int(v) < len(f.Values); v++ {
		def := f.Values[v].Block // 0 for a parameter: live from the entry on
		liveAt := func(b BlockID) {
			if b != def && reachable[b] && mark[b] != v {
				mark[b] = v
				live[b] = append(live[b], v)
				work = append(work, b)
			}
		}
		for _, b := range users[v] {
			liveAt(b)
		}
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			for _, p := range f.Blocks[b].Preds {
				liveAt(p)
			}
		}
	}
	return live
}

// blockUses lists, for each value that needs storage, the blocks that use it,
// not counting uses by phis as uses in the phi's own block, nor those by instructions for which counts is false.
func blockUses(f *Func, order []BlockID, counts func(v Value) bool) [][]BlockID {
	uses := make([][]BlockID, len(f.Values))
	use := func(v Value, b BlockID) {
		if IsConst(f.Values[v].Op) {
			return
		}
		if n := len(uses[v]); n == 0 || uses[v][n-1] != b {
			uses[v] = append(uses[v], b)
		}
	}
	for _, b := range order {
		for _, i := range f.Blocks[b].Instrs {
			if !counts(i) {
				continue
			}
			d := &f.Values[i]
			for k, a := range d.Args {
				if d.Op == Phi {
					use(a, f.Blocks[b].Preds[k])
				} else {
					use(a, b)
				}
			}
		}
	}
	return uses
}
