// Package branching has questions about formulas of computation tree logic on integer transition
// systems, and what a proof consists of. Package branching/search finds proofs, package
// branchcheck checks them, and says what has to hold of each part.
package branching

import (
	"math/big"

	"assay/internal/integers/its"
	"assay/internal/integers/region"
	"assay/internal/logic/linear"
	"assay/internal/logic/polyhedra"
	"assay/internal/temporal/ctl"
)

// Problem is a question.
type Problem struct {
	System  *its.System
	Formula ctl.Formula
	// Initial is the set of initial states, at the initial location. What is observed begins Before
	// steps later: until then variables only get their initial values.
	Initial region.Region
	Before  int
	// Adversary says that E does not choose the values of the initial state, and those of the first of the
	// steps Before: they are arbitrary against the claim.
	Adversary bool
	// Excluded is an atom that is true where runs are that do not exist, nil if all do (excluded.go).
	Excluded ctl.Formula
	// Known are constraints that hold in every state, and say nothing new to a reader.
	Known region.Region
	// Facts are, by transition, constraints on variables that hold in the states in which a run of the program takes it; nil is none.
	Facts [][]linear.Constraint
	// Atom is the set of states at a location in which an atom is true.
	Atom func(l its.Location, a ctl.Atom) (region.Region, error)
}

// Proof shows that a formula is true, or false, of a system. The values of variables in the
// initial state are chosen like inputs: what begins with E is about some of the initial states,
// what begins with A, or is an atom, about all of them (package branching/search, Root).
type Proof struct {
	// Invariants hold, by location, in all states that runs from the initial ones reach. All that
	// is claimed is about such states.
	Invariants []polyhedra.Polyhedron
	// Enabled are, by location, choices that are possible: states outside of them may be stuck.
	Enabled [][]region.Choice
	// Parts together show the formula.
	Parts []Part
}

// Part says that a formula is true in all initial states, or in one.
type Part struct {
	Claim *Claim
	Of    ctl.Quantifier
	// State is an initial state in which it is true, by variable, if it is about some.
	State []*big.Int
}

// Claim says that a formula, in negation normal form, is true in the states of Holds.
type Claim struct {
	Formula ctl.Formula
	Holds   []region.Region // by location
	// Below are the claims of the formula's children.
	Below []*Claim
	// Next are, for EX and EW, steps that lead to where they have to, by location.
	Next [][]region.Choice
	// Layers are, for EU, steps that lead to where the formula is known to be true by
	// the layers before, or by Within.
	Layers [][][]region.Choice
	Within *Claim // the same formula for all runs, for EU and EW; may be nil
	// Descents are, for AU, sets of states from which all runs get to the second operand; for Settles, such that all runs get to the
	// first operand, or stay in the second from some time on.
	Descents []Descent
	// Again are, for Often, states to which a run comes again and again: Within says of them, and of Holds, that it comes
	// there in at least a step from where the second operand holds (Return).
	Again []region.Region
}

// Return is what is claimed within a claim of Often: by steps in which the first operand holds a run comes to where the second one
// holds, and then to a state of Again, which the atom stands for.
func Return(f ctl.Often) (g ctl.Formula, again ctl.Atom) {
	again = ctl.Atom{Text: "again", Label: f.String()}
	goal := ctl.And{F: f.G, G: ctl.Next{Q: ctl.Some, F: again}}
	if f.F != ctl.Constant(true) {
		goal = ctl.And{F: f.F, G: goal}
	}
	return ctl.Until{Q: ctl.Some, F: f.F, G: goal}, again
}

// Descent says that all runs from the states get to where the second operand of AU holds, and
// that the first holds until then.
type Descent struct {
	From     []region.Region // by location
	Argument its.RankingArgument
}
