// Package equations rewrites conditions with products as linear ones that are equal to them in all
// states that runs reach: dual rewriting [Liu §5.2] by calculation. There the pair of formulas that
// replaces a condition and its negation is learned from runs and validated by a prover; here it
// comes out of equations between products that the loops keep.
//
//	(E0) Transitions are split by constraints with products that are about one variable
//	     (intervals.go).
//	(E1) Equations are, by location, polynomials over the variables that are 0 in the states of sampled
//	     runs (package walk). They are candidates.
//	(E2) An equation is kept if it is, behind each transition into its location, a combination of the
//	     equations before it and those of the guard: a polynomial identity. What is not kept is
//	     dropped until nothing changes. The initial location has none. So all hold in every run.
//	(E3) A constraint, or an update, with products is replaced by a linear form if their difference is
//	     such a combination: in reachable states both have the same value. Then the new system has
//	     exactly the runs of the old one, and what is decided of it, true or false, is so of the
//	     other.
//	     A comparison of odd powers is one of their bases (powers.go).
//	(E4) Constraints that squares are not negative are dropped. Variables that only served to compute
//	     what is replaced are left alone: in all others the runs are the same.
//
// Where equations only hold if divisions are exact, facts.go says why they are.
//
// In the program of the paper's example, 3*n*n + 3*n + 1 <= k becomes y <= k, for y is
// 3*n*n + 3*n + 1 there. The identities are the certificate (package itscheck).
package equations

import (
	"context"
	"slices"

	"assay/internal/integers/its"
	"assay/internal/integers/walk"
	"assay/internal/logic/conjunction"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
)

// Certificate shows that two systems have the same runs. Hypotheses of a transition are the
// equations of the location that it leaves, and then those constraints of its guard that are equations,
// in their order, with products as polynomials. (For a constraint that is an equation itself they are the
// equations of the location only.)
type Certificate struct {
	// Equations are, by location, polynomials over the variables that are 0 there.
	Equations [][]rational.Polynomial
	// Kept are, by transition and equation of its target, cofactors of the hypotheses of which the
	// equation, after the update, is the sum.
	Kept [][][]rational.Polynomial
	// Facts are, by location, what else holds there, and Implied, by transition, forms that are 0 whenever it is taken, over its
	// variables, temporaries, and those of facts (facts.go). Both are hypotheses of equations behind it and of its updates, too, after the
	// others: first the multiples, in their order. nil is none.
	Facts   [][]Fact
	Implied [][]linear.Form
	// Guards and Updates are, by transition, those that are replaced.
	Guards, Updates [][]Change
	// Frozen are, by variable, those that nothing depends on any more, and that are not observed: they
	// are not updated.
	Frozen []bool
	// Splits are made before all of that, one after the other: what is said above is about the system in
	// which transitions are split.
	Splits []Split
}

// Change replaces a form, of a constraint or of an update.
type Change struct {
	Index int // in the guard, or the variable
	By    linear.Form
	// Cofactors of the hypotheses: the form minus By is their sum.
	Cofactors []rational.Polynomial
	// Root, if not nil, says of an inequality that its form is at least By, which is not negative, for their
	// difference is a positive multiple of the square of Root.
	Root *linear.Form
	// Powers, if not nil, says that not the form minus By, but the form minus the powers is that sum: By compares their
	// bases (powers.go).
	Powers *Powers
}

// Result is a system with the same runs as another one.
type Result struct {
	System      *its.System
	Certificate *Certificate
	// Products is the number of transitions that had products, Left of those that have some still.
	Products, Left int
}

// Accept asks an independent checker whether the new system has the runs of the old one.
type Accept func(ctx context.Context, old, new *its.System, observed []bool, c *Certificate) error

// Linear is the rewritten system, if there is one that is accepted, and what was replaced; else the system
// itself.
func Linear(ctx context.Context, s *its.System, initial []linear.Constraint, observed []bool, accept Accept) (*its.System, []Replaced) {
	r := Rewrite(ctx, s, initial, observed)
	if r == nil || accept(ctx, s, r.System, observed, r.Certificate) != nil {
		return s, nil
	}
	return r.System, r.replaced(s)
}

// limits of the equations that are looked for.
const (
	maxColumns = 230
	maxDegree  = 6
	maxNumber  = 10000 // of a variable or temporary
	maxQueries = 1100  // about facts, after which no further equations are looked for
)

// Rewrite replaces what it can; nil if there are no products, if nothing is replaced, or if the context ends.
// Runs begin in states that satisfy the constraints. Variables that are observed, nil is none, stay.
func Rewrite(ctx context.Context, s *its.System, initial []linear.Constraint, observed []bool) *Result {
	had := 0
	for i := range s.Transitions {
		if len(s.Transitions[i].Products) > 0 {
			had++
		}
	}
	if had == 0 || slices.ContainsFunc(s.Transitions, func(t its.Transition) bool { return len(s.Variables)+t.Temps > maxNumber }) {
		return nil
	}
	s, splits := split(ctx, s)
	expanded := make([]expansion, len(s.Transitions))
	for i := range s.Transitions {
		expanded[i] = expand(s, &s.Transitions[i])
	}
	// Without equations, first: perhaps nothing is left to do.
	x := &rewriting{s: s, observed: observed, expanded: expanded, equations: make([][]rational.Polynomial, len(s.Locations))}
	if !x.keep(ctx) {
		return nil
	}
	best := x.result()
	best.Products, best.Certificate.Splits = had, splits
	if best.Left > 0 {
		states := walk.States(ctx, s, initial)
		var solver conjunction.Solver
		defer solver.Close()
		solver.Timeout = questionTimeout
		rests, divisors := x.divisions()
		for _, divides := range []bool{false, true} {
			if divides && (len(divisors) == 0 || len(s.Transitions) > maxTransitions) {
				break
			}
			tried, columns := 0, 0 // the degree and the number of monomials of the last attempt; lists of variables are parts of each other
			for _, kind := range kinds(s) {
				monomials := rational.MonomialsUpTo(kind.variables, kind.degree)
				if len(monomials) > maxColumns || best.Left == 0 || solver.Queries > maxQueries || kind.degree == tried && len(monomials) == columns {
					continue
				}
				tried, columns = kind.degree, len(monomials)
				x := &rewriting{s: s, observed: observed, expanded: expanded, states: states, solver: &solver, rests: rests}
				x.candidates(monomials)
				if divides {
					x.guess(ctx, initial, divisors)
				}
				if !x.keep(ctx) {
					return nil
				}
				if r := x.result(); r.Left < best.Left || r.Left == best.Left && r.changes() > best.changes() {
					best = r
					best.Products, best.Certificate.Splits = had, splits
				}
			}
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	if best.changes() == 0 {
		return nil
	}
	return best
}

// kind is where equations are looked for.
type kind struct {
	variables []linear.Var
	degree    int
}

// kinds are those that are tried, one after the other.
func kinds(s *its.System) []kind {
	few := related(s)
	many := with(few, counters(s))
	own := slices.DeleteFunc(slices.Clone(few), func(v linear.Var) bool { return overwritten(s, int(v)) })
	return []kind{{few, 2}, {many, 2}, {own, 3}, {few, 3}, {many, 3}, {own, 4}, {few, 4}, {own, 5}, {few, 5}, {few, maxDegree}}
}

// changes is how much is replaced.
func (r *Result) changes() int {
	n := len(r.Certificate.Splits)
	for i := range r.Certificate.Guards {
		n += len(r.Certificate.Guards[i]) + len(r.Certificate.Updates[i])
	}
	return n
}
