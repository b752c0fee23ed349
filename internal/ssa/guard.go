package ssa

import "assay/internal/term"

// guard is the condition under which a point of the unwound program is
// reached: the conjunction of the conditions on the way from the entry. Guards
// form a tree, so that where paths meet again the common part is found by
// walking up: the join of g ∧ c and g ∧ ¬c is g itself, and a value that
// differs between them is chosen by c alone [2LS §4.2.2, without the
// equations: guards are terms, hash-consed].
type guard struct {
	parent *guard
	depth  int32
	cond   term.ID // the last conjunct
	all    term.ID // the conjunction
}

func root(st *term.Store) *guard { return &guard{cond: st.True(), all: st.True()} }

// and strengthens a guard.
func (g *guard) and(st *term.Store, c term.ID) *guard {
	if st.IsTrue(c) {
		return g
	}
	return &guard{parent: g, depth: g.depth + 1, cond: c, all: st.And(g.all, c)}
}

// meet is the deepest common ancestor of two guards.
func meet(a, b *guard) *guard {
	for a != b {
		if a.depth >= b.depth {
			a = a.parent
		} else {
			b = b.parent
		}
	}
	return a
}

// since is the conjunction of the conditions from the ancestor top down to g.
func (g *guard) since(st *term.Store, top *guard) term.ID {
	c := st.True()
	for ; g != top; g = g.parent {
		c = st.And(g.cond, c)
	}
	return c
}

// joinGuards gives the guard of a point that is reached by a or by b (which
// exclude each other), and the condition that tells a from b there.
func joinGuards(st *term.Store, a, b *guard) (*guard, term.ID) {
	top := meet(a, b)
	ca, cb := a.since(st, top), b.since(st, top)
	either := st.Or(ca, cb)
	return top.and(st, either), ca
}
