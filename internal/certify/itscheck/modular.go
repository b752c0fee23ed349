package itscheck

import (
	"slices"

	"assay/internal/integers/equations"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// This file checks the steps by which conditions with products become linear where numbers wrap (equations/modular.go). Each makes a
// system with the same runs as the one before, as far as these satisfy the facts: constraints that
// hold in the states in which a run of the program takes a transition.
//
//	(K1) At the initial location no congruence is claimed.
//	(K2) A congruence of a location is a multiple of 2^w behind each transition into it: after the update it is the sum of the products of
//	     cofactors and hypotheses, which are multiples of 2^w before, and of a polynomial whose coefficients are multiples of 2^w. All
//	     polynomials have integers as coefficients, and all variables and temporaries are integers.
//	(K3) By of a shift is such a sum, too, and not about the temporary, which is no product and no part of one, or of the cost. Then the
//	     temporary plus By/2^w takes all integers if the temporary does. All forms of the new transition are those of the old one
//	     with that in its place, as polynomials.
//	(K4) What nothing depends on may be frozen, as in (R5). A dropped constraint is implied by a fact, or is about a product and implied by
//	     intervals, or is one of two between which a
//	     free temporary finds a place: they say of the same form F, over integers, that it is between two numbers, which are at least
//	     the coefficient of the temporary less 1 apart. Free temporaries are chosen in ascending order: F is about no later one.
//	     A product has a greater number than what it is made of, so it is known when what is made of it is looked at. No free one occurs in what stays.
//	(K5) Of a temporary that gets cases, the values are between the bounds that intervals give, and each of them gets a transition.
//	(K6) Nothing else differs. Paths and names say nothing of runs: the new system stands for itself.

// Modular checks a step; nil means yes.
func Modular(old, new *its.System, observed []bool, facts [][]linear.Constraint, step equations.Step) error {
	if !slices.Equal(old.Variables, new.Variables) || !slices.Equal(old.Locations, new.Locations) || old.Initial != new.Initial || old.Branching != new.Branching {
		return reject("the rewritten system has another shape")
	}
	if err := new.Check(); err != nil {
		return reject("the rewritten system: %v", err)
	}
	if cased, ok := step.(*equations.Cased); ok {
		if err := checkCases(old, new, cased); err != nil {
			return reject("cases: %v", err)
		}
		return nil
	}
	if len(old.Transitions) != len(new.Transitions) {
		return reject("the rewritten system has another shape")
	}
	switch step := step.(type) {
	case *equations.Shifted:
		return checkShifted(old, new, step)
	case *equations.Freed:
		return checkFreed(old, new, observed, facts, step)
	}
	return reject("an unknown step: %T", step)
}
