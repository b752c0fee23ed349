package branching

import "assay/internal/temporal/ctl"

// This file says what a formula means of the initial states. Inputs and initial values are chosen
// alike, so E and A range over both:
//
//   - what begins with A, and an atom, is about all initial states;
//   - what begins with E is about one;
//   - of f && g and f || g, parts that are about all are about the same state, and so in a negation are those
//     that are about one; others are taken one by one.

// Root is what a normal form says of the initial states: Whole, Each or One.
type Root interface{ isRoot() }

// Whole is a formula that is true in all initial states, or in one.
type Whole struct {
	Formula ctl.Formula
	Of      ctl.Quantifier
}

// Each holds if all do, One if one does.
type (
	Each []Root
	One  []Root
)

func (Whole) isRoot() {}
func (Each) isRoot()  {}
func (One) isRoot()   {}

// RootOf is the meaning of a formula in normal form; negated says that it is the negation of the
// one that was asked.
func RootOf(f ctl.Formula, negated bool) Root {
	all := !negated // joins of parts about all states are about the same state
	join := func(a, b ctl.Formula, and bool) Root {
		x, y := RootOf(a, negated), RootOf(b, negated)
		p, isWhole := x.(Whole)
		q, areWhole := y.(Whole)
		if isWhole && areWhole && p.Of == q.Of {
			// For all: a && b is separable, a || b is so only if E chooses; for one the other way round.
			if bool(p.Of) == all || and == bool(p.Of) {
				return Whole{f, p.Of}
			}
		}
		if and {
			return Each{x, y}
		}
		return One{x, y}
	}
	switch g := f.(type) {
	case ctl.And:
		return join(g.F, g.G, true)
	case ctl.Or:
		return join(g.F, g.G, false)
	case ctl.Next:
		return Whole{f, g.Q}
	case ctl.Until:
		return Whole{f, g.Q}
	case ctl.Weak:
		return Whole{f, g.Q}
	case ctl.Often:
		return Whole{f, ctl.Some}
	case ctl.Settles:
		return Whole{f, ctl.All}
	}
	return Whole{f, ctl.Quantifier(all)}
}

// Shown is the formula of a part as it is shown: after the steps that only give variables their
// values, and of runs that exist.
func (p *Problem) Shown(w Whole) ctl.Formula {
	f := w.Formula
	switch {
	case p.Excluded != nil && w.Of == ctl.All:
		f = ctl.Or{F: f, G: ctl.Finally(ctl.All, p.Excluded)}
	case p.Excluded != nil:
		f = ctl.And{F: f, G: lasts(p.Excluded)}
	}
	for step := range p.Before {
		q := w.Of
		if step == p.Before-1 {
			q = p.Over(w)
		}
		f = ctl.Next{Q: q, F: f}
	}
	return f
}

// Over says of which initial states a part has to be shown.
func (p *Problem) Over(w Whole) ctl.Quantifier {
	if p.Adversary {
		return ctl.All
	}
	return w.Of
}

// Complete says whether parts show what the root says, if each of them is right.
func (p *Problem) Complete(r Root, parts []Part) bool {
	switch r := r.(type) {
	case Whole:
		for _, part := range parts {
			if part.Claim.Formula == p.Shown(r) && part.Of == p.Over(r) {
				return true
			}
		}
		return false
	case Each:
		for _, s := range r {
			if !p.Complete(s, parts) {
				return false
			}
		}
		return true
	case One:
		for _, s := range r {
			if p.Complete(s, parts) {
				return true
			}
		}
		return false
	}
	panic("branching: unexpected root")
}
