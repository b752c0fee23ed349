package certify

import "assay/internal/logic/term"

// This file joins path conditions. A path condition is a term and nothing more:
// a conjunction of conjunctions, one conjunct for each branch on the way. Where
// two ways meet, what they have in common is read off the terms:
//
//	p ∧ a  or  p ∧ b   is   p ∧ (a ∨ b)
//
// and a alone tells the first from the second there, since they exclude each
// other. With a = c and b = ¬c this is p again; at the exits of a loop, with
// a = ¬c and b = c ∧ x, it is p ∧ (¬c ∨ x).

// Limits of what is looked at; beyond them conditions are only less compact.
const (
	maxCandidates = 12
	maxStrips     = 48
)

// union is the disjunction of two conditions that exclude each other, and a term
// that, where it holds, says whether the first does.
func (c *checker) union(a, b term.ID) (both, first term.ID) {
	st := c.st
	var few [maxCandidates]term.ID
	for _, p := range c.conjuncts(few[:0], a) {
		budget := maxStrips
		restB, ok := c.strip(b, p, &budget)
		if !ok {
			continue
		}
		budget = maxStrips
		if restA, ok := c.strip(a, p, &budget); ok {
			return st.And(p, st.Or(restA, restB)), restA
		}
	}
	return st.Or(a, b), a
}

// conjuncts lists the conjunctions that t is built of, and its conjuncts, larger
// ones first, up to a limit.
func (c *checker) conjuncts(list []term.ID, t term.ID) []term.ID {
	st := c.st
	list = append(list, t)
	for i := 0; i < len(list) && len(list)+2 <= cap(list); i++ {
		if t := list[i]; st.Op(t) == term.OpAnd {
			x, y := st.Arg(t, 0), st.Arg(t, 1)
			list = append(list, max(x, y), min(x, y))
		}
	}
	return list
}

// strip is t without its conjunct p, if it has it. Arguments are older than what
// uses them, so a term older than p has no part p.
func (c *checker) strip(t, p term.ID, budget *int) (rest term.ID, ok bool) {
	st := c.st
	if t == p {
		return st.True(), true
	}
	if *budget--; *budget < 0 || t < p || st.Op(t) != term.OpAnd {
		return 0, false
	}
	x, y := st.Arg(t, 0), st.Arg(t, 1)
	if x < y {
		x, y = y, x
	}
	if r, ok := c.strip(x, p, budget); ok {
		return st.And(r, y), true
	}
	if r, ok := c.strip(y, p, budget); ok {
		return st.And(x, r), true
	}
	return 0, false
}
