package ssa

import "assay/internal/logic/term"

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
	// Note is for who walks paths: what it knows of the condition.
	Note any
}

func root(st *term.Store) *guard { return &guard{cond: st.True(), all: st.True()} }

// and strengthens a guard.
func (g *guard) and(st *term.Store, c term.ID) *guard {
	if st.IsTrue(c) {
		return g
	}
	return &guard{parent: g, depth: g.depth + 1, cond: c, all: st.And(g.all, c)}
}

// Meet is the deepest common ancestor of two guards.
func Meet(a, b *Guard) *Guard { return meet(a, b) }

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

// How far excludes looks: up the tree of guards, and into a condition.
const (
	maxGuardSteps = 96
	maxCondDepth  = 4
)

// excludes says whether t is false wherever g holds, as far as that can be read
// off the conditions on the way.
func (g *guard) excludes(st *term.Store, t term.ID) bool { return g.refutes(st, t, maxCondDepth) }

func (g *guard) refutes(st *term.Store, t term.ID, depth int) bool {
	if st.IsFalse(t) {
		return true
	}
	not := st.Not(t)
	for p, n := g, 0; p != nil && n < maxGuardSteps; p, n = p.parent, n+1 {
		if implies(st, p.cond, not, maxCondDepth) {
			return true
		}
	}
	if depth == 0 {
		return false
	}
	switch st.Op(t) {
	case term.OpAnd:
		return g.refutes(st, st.Arg(t, 0), depth-1) || g.refutes(st, st.Arg(t, 1), depth-1)
	case term.OpOr:
		return g.refutes(st, st.Arg(t, 0), depth-1) && g.refutes(st, st.Arg(t, 1), depth-1)
	}
	return false
}

// implies says whether t is a conjunct of c.
func implies(st *term.Store, c, t term.ID, depth int) bool {
	if c == t {
		return true
	}
	return depth > 0 && st.Op(c) == term.OpAnd && (implies(st, st.Arg(c, 0), t, depth-1) || implies(st, st.Arg(c, 1), t, depth-1))
}
