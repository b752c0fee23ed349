package equations

import (
	"context"
	"slices"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
)

// This file, and congruences.go, free.go and cases.go, make conditions with products linear where numbers wrap. There a sum P with
// products is brought into the range of its type as P - 2^w*t, with a temporary t that is chosen such that it lies there. An
// equation between products that holds over the integers as long as nothing wraps holds for ever as a congruence modulo 2^w:
// machines compute in that ring. So if P is congruent to a linear L, P - 2^w*t is L - 2^w*t' for t' = t + (L - P)/2^w, which is an
// integer. Three steps, each from a system to one with the same runs, and each with what shows it:
//
//	(M1) Shifted: congruences, by location, are inductive as equations are (E2), but modulo 2^w; temporaries are shifted
//	     by what they say is a multiple of 2^w. The temporary ranges over all integers before and after it.
//	(M2) Freed: variables that nothing depends on are not updated any more (E4). A temporary that only serves to bring
//	     a value into a range that is as wide as its coefficient can do so whatever the value is: the two constraints of the range
//	     are dropped.
//	(M3) Cased: a temporary that has few values, by the ranges of the variables, gets each of them in a transition of its own.
//
// Facts are, by transition, constraints on variables that hold in the states in which a run of the program takes it, as whoever made the
// system knows: (M2) drops them where they are about variables that nothing else depends on. What the guard says of a product alone is dropped
// if intervals imply it.

// Step is one of these: Shifted, Freed or Cased.
type Step interface{ isStep() }

// Shifted is (M1). Hypotheses of a transition are the congruences of the location that it leaves, and then those constraints of its
// guard that are equations, in their order. All polynomials have integers as coefficients.
type Shifted struct {
	Width uint32
	// Equations are, by location, polynomials over the variables that are multiples of 2^Width there; none at the initial one.
	Equations [][]rational.Polynomial
	// Kept are, by transition and congruence of its target, cofactors of the hypotheses: the congruence, after the update, is their sum
	// modulo 2^Width.
	Kept [][][]rational.Polynomial
	// Shifts are, by transition, made one after the other.
	Shifts [][]Shift
}

// Shift puts Temp + By/2^w in the place of Temp.
type Shift struct {
	Temp linear.Var
	By   rational.Polynomial // not about Temp
	// Cofactors of the hypotheses: By is their sum modulo 2^w.
	Cofactors []rational.Polynomial
	// Before and After are what the temporary brings into range, for people.
	Before rational.Polynomial
	After  linear.Form
}

// Freed is (M2): by variable, transition and transition.
type Freed struct {
	Frozen  []bool
	Free    [][]linear.Var // temporaries, in ascending order
	Dropped [][]int        // constraints of the guard, in ascending order
}

// Cased is (M3): cases are made one after the other.
type Cased struct{ Cases []Case }

// Case replaces a transition by one for each value of a temporary.
type Case struct {
	Transition int
	Temp       linear.Var
	Low, High  int64
}

func (*Shifted) isStep() {}
func (*Freed) isStep()   {}
func (*Cased) isStep()   {}

// AcceptStep asks an independent checker whether the new system has the runs of the old one that satisfy the facts.
type AcceptStep func(ctx context.Context, old, new *its.System, observed []bool, facts [][]linear.Constraint, step Step) error

// Modular rewrites a system in which sums with products have temporaries as numbers of wraps; false if some products are left, or if
// something is not accepted.
func Modular(ctx context.Context, s *its.System, initial []linear.Constraint, observed []bool, facts [][]linear.Constraint, accept AcceptStep) (*its.System, []Replaced, bool) {
	if slices.ContainsFunc(s.Transitions, func(t its.Transition) bool { return len(s.Variables)+t.Temps > maxNumber }) {
		return nil, nil, false
	}
	var replaced []Replaced
	take := func(next *its.System, step Step) bool {
		if next == nil || ctx.Err() != nil || accept(ctx, s, next, observed, facts, step) != nil {
			return false
		}
		s = next
		return true
	}
	for _, width := range []uint32{8, 16, 32, 64} {
		next, step := shift(ctx, s, initial, observed, width)
		if next == nil {
			continue
		}
		before := s
		if !take(next, step) {
			return nil, nil, false
		}
		replaced = append(replaced, step.replaced(before)...)
	}
	next, freed := free(s, observed, facts)
	if !take(next, freed) || slices.ContainsFunc(s.Transitions, func(t its.Transition) bool { return len(t.Products) > 0 }) {
		return nil, nil, false
	}
	if next, cased := cases(s); cased != nil && !take(next, cased) {
		return nil, nil, false
	}
	return s, replaced, true
}

// renewed is a system of changed transitions, as original ones.
func renewed(s *its.System, transitions []its.Transition) *its.System {
	out := s.Clone()
	out.Transitions = nil
	for _, t := range transitions {
		out.Add(t)
	}
	return out
}
