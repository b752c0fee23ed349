package its

import (
	"context"
	"math/big"

	"assay/internal/logic/linear"
)

// This file has the evidence for answers, in terms of the system that was asked
// about. A checker that shares nothing else with the engines re-checks it.

// RankingArgument proves that a system fair-terminates. Its nodes are cutpoints
// of the system with regions: a run that is at the location of some node is in
// the region of one of them. Between visits of nodes, the levels of the rank are
// a lexicographic argument:
// a level never increases until one before it has decreased; each time, some level
// decreases, or no fair transition has been taken.
type RankingArgument struct {
	Nodes []RankNode
	// Monomials are products of variables, by their factors: of n variables of the system, monomial k is the variable n+k
	// of regions and ranks.
	Monomials [][]linear.Var
}

// RankNode is a location with a region and the value of the rank there.
type RankNode struct {
	Location Location
	Region   []linear.Constraint
	Rank     []Level // missing levels at the end are 0
}

// Level is one component of a lexicographic rank: integral forms f_1 … f_d, one
// in simple cases. It does not increase if no f_k does. It decreases on a step
// from x to x' if [LeikeHeizmann15, Def. 4.1]
//
//	f_1(x') <= f_1(x) - 1, f_k(x') <= f_k(x) + f_{k-1}(x) - 1 for k > 1, and f_d(x) >= 0.
type Level []linear.Form

// Recurrence proves that a system does not fair-terminate: a run that reaches a
// state of a recurrent set, and moves from every state of the set back into it.
type Recurrence struct {
	Stem Stem
	Sets []RecurrentSet
	// Entry is the set that the stem reaches, with these values of its parameters.
	Entry      int
	Parameters []*big.Int
}

// Stem is a run from the initial location.
type Stem struct {
	State []*big.Int // initial, by variable
	Steps []Move
}

// Move is a transition of the system and the values of its temporaries (those
// of products are computed, and not looked at).
type Move struct {
	Transition int
	Inputs     []*big.Int
}

// RecurrentSet is a set of states at a location, described by integer parameters
// 0..k-1 that satisfy constraints. Variables for which Known is false may have any
// value. From every state of the set, one of the moves is possible.
type RecurrentSet struct {
	Location    Location
	Parameters  int
	Constraints []linear.Constraint // over the parameters
	Known       []bool              // by variable
	State       []linear.Form       // by variable, over the parameters
	Moves       []SetMove
}

// SetMove is a path of transitions, with the values of their temporaries as
// forms over the parameters, to a set whose parameters are then Next. If Next is
// nil, each parameter of the target is the value of a variable there.
type SetMove struct {
	Path   []int
	Inputs [][]linear.Form // by step and temporary
	Target int             // of the Sets
	Next   []linear.Form
}

// Evidence is a RankingArgument, a proof that the system fair-terminates, or a Recurrence,
// one that it does not.
type Evidence interface{ isEvidence() }

func (RankingArgument) isEvidence() {}
func (Recurrence) isEvidence()      {}

// Rejected says what is wrong with a piece of evidence.
type Rejected struct{ Reason string }

func (e *Rejected) Error() string { return "the evidence was rejected: " + e.Reason }

// Accept is a checker of evidence. A *Rejected says why it is none, other errors that this
// could not be decided.
type Accept func(ctx context.Context, s *System, e Evidence) error
