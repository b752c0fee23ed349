// Package verdict holds what an engine may answer. Each answer carries its
// evidence: a True cannot be made without a certificate (or the reason why it
// was not checked), a False not without the run.
package verdict

import (
	"context"
	"errors"
	"fmt"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/symgraph"
	"assay/internal/program/ir"
)

// Verdict is True, False or Unknown.
type Verdict interface{ isVerdict() }

// True says that no run violates the property.
type True struct {
	Certificate Certificate
	// Unclean are guards of undefined behaviour, outside of the property, that
	// were not proved impossible: the proof holds for the meaning that
	// docs/soundness.md gives to them.
	Unclean []Guard
}

// False says that a run violates the property.
type False struct {
	// Violation is the first guard of the property that the run breaks.
	Violation Guard
	// Input determines the run. If it jumps over iterations of loops, JumpChecker proved
	// each jump, for the state where the run makes it.
	Input       ir.Input
	JumpChecker string
	// Passes lists undefined behaviour on the run before the violation.
	Passes []Guard
	// Replayed says in which ways the run was confirmed.
	Replayed []string // "interpreter", "native"
	// Endless is set, and Violation is not, if the property is termination: then
	// Passes is the undefined behaviour on the run.
	Endless *Endless
	// OverIntegers is set if it is the program over the mathematical integers that does
	// not end: then there is no run on machine integers, and Violation is where.
	OverIntegers *OverIntegers
}

// Unknown says why there is no answer.
type Unknown struct {
	Reasons []Reason
}

func (True) isVerdict()    {}
func (False) isVerdict()   {}
func (Unknown) isVerdict() {}

// Guard is one place where something must not happen.
type Guard struct {
	Kind ir.CheckKind
	Text string // the message of the check, e.g. "assertion x > 0"
	Func string
	Pos  ir.Pos
}

// Doubt says why a run past the guard refutes nothing, "" if it may.
func (g Guard) Doubt() string {
	switch {
	case g.traps():
		return "a run that divides the least integer by -1, where some machines end it"
	case g.Kind == ir.Incompatible && g.Text == ir.MistypedCall:
		return "a run that calls a function through a pointer to another type, whose effect is not defined (U9)"
	}
	return ""
}

// traps says whether the guard is one of a division that overflows: INT_MIN / -1 and
// INT_MIN % -1 wrap (U1), but there are machines on which they end the run, so a run
// past one refutes nothing.
func (g Guard) traps() bool {
	return g.Kind == ir.Overflow && (g.Text == ir.OverflowIn("/") || g.Text == ir.OverflowIn("%"))
}

// Cause classifies a Reason.
type Cause uint8

// The causes of an Unknown.
const (
	CauseUnsupported Cause = iota // a construct that is not modelled, and reachable
	CauseUnwinding                // a loop or recursion could not be unwound completely
	CauseTimeout
	CauseMemory
	CauseInterrupt
	CauseMissingBody // a violation that depends on a function without body
	CauseInexact     // an over-approximation prevents a counterexample
	CauseUncertified // the certificate could not be checked in time
	CauseSolver      // a solver gave up
	CauseUnranked    // no argument was found that a loop ends
	CauseOverflow    // the answer depends on signed overflow
	CauseInternal    // replay or certificate disagreed: a bug of assay
)

func (c Cause) String() string {
	return [...]string{"unsupported", "unwinding", "timeout", "memory", "interrupted", "missing body", "inexact", "uncertified", "solver", "no ranking", "overflow", "internal error"}[c]
}

// CauseOf is the cause with a name.
func CauseOf(name string) Cause {
	for c := CauseUnsupported; c < CauseInternal; c++ {
		if c.String() == name {
			return c
		}
	}
	return CauseInternal
}

// Reason is one obstacle, with its place.
type Reason struct {
	Cause Cause
	Text  string
	Func  string
	Pos   ir.Pos
	// Hint is what the user could do about it, empty if nothing is known.
	Hint string
	// Checks are those that the engine proved and did not, nil if it does not say.
	Checks *CheckCount
	// Known is what is proved at the loop around the place, nil if nothing is.
	Known *invariant.Head
}

// CheckCount says how far a proof came.
type CheckCount struct {
	Proved int
	// Searched are those that bounded search has decided: it found no violation, and no loop comes before.
	Searched int
	Open     []Guard // in the order of the program
}

// Stopped is the reason of an engine whose context has ended: by its time, or because
// somebody (a user, or another engine) ended it.
func Stopped(ctx context.Context, engine string) Reason {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return Reason{Cause: CauseTimeout, Text: engine + ": the time limit was reached"}
	}
	return Reason{Cause: CauseInterrupt, Text: engine + ": interrupted"}
}

func (r Reason) String() string { return fmt.Sprintf("%s: %s", r.Cause, r.Text) }

// Certificate is what an independent checker accepted: *Unwinding, *Induction,
// *SymbolicGraph, *Ranking, *Several, *OverIntegers or Unchecked.
type Certificate interface{ isCertificate() }

// Unwinding certifies a proof by complete unwinding: with these bounds every
// loop and recursion is unwound completely and no violation exists.
type Unwinding struct {
	// Bounds are the unwindings used, for each loop head and recursive function.
	Bounds []Bound
	// Checker names the checker and the solver that accepted.
	Checker string
}

// Bound is the number of unwindings of one loop (Head != 0) or of a recursive
// function (Head == 0).
type Bound struct {
	Func string
	Head ir.BlockID
	Pos  ir.Pos
	N    int
}

// Induction certifies a proof by k-induction with invariants [2LS §2.1]: from
// any state at a loop head that satisfies the head's predicates, and from which K
// iterations violate nothing, the next violates nothing either, and satisfies
// them again; and so do the first ones. All loops at once. If K is 0, the predicates are
// inductive by themselves [Floyd67]: from any state at a head that satisfies them, and not
// more, what follows up to the next head violates nothing, and satisfies those there.
//
// Recursive functions keep contracts: from any parameters and globals that satisfy
// its precondition, a function violates nothing and satisfies its postcondition,
// if the calls of recursive functions Depth activations below do.
type Induction struct {
	K         int
	Heads     []invariant.Head
	Depth     int // at least 1 if a recursive function can be called
	Contracts []invariant.Contract
	// Algebraic says that the proof is about products, by calculation with polynomials:
	// how to ask, not what.
	Algebraic bool
	// Module is the program that was proved, if it is not the one that was asked
	// about: the one that package heap makes of it.
	Module *ir.Module
	// Checker names the checker and the solver that accepted.
	Checker string
}

// SymbolicGraph certifies a proof by a symbolic execution graph: its nodes are
// states at loop heads that describe all runs, and no path between them violates the
// property; if termination was asked, its transition system terminates.
type SymbolicGraph struct {
	Graph *symgraph.Graph
	// Checker names the checker and the solver that accepted.
	Checker string
}

// Ranking certifies that every run ends. Each loop has functions of the values at
// its head; whenever an execution of it takes a back edge that is not its first, the
// functions have gone down since the back edge before, in lexicographic order: one has
// become smaller, and those before it have not become greater. They range over the
// integers, but numbers of a bounded width have finitely many values, so this
// cannot go on for ever. A loop without functions takes no second back edge. The predicates
// of the heads are what the proof needs, by k-induction with K.
type Ranking struct {
	// Program is what the loops are those of: the program asked about, in which
	// recursive functions may have been turned into loops.
	Program *ir.Module
	Loops   []RankedLoop
	K       int
	Heads   []invariant.Head
	// Fair says that the argument is one that no run executes ir.Accept infinitely often.
	Fair bool
	// Checker names the checker and the solver that accepted.
	Checker string
}

// RankedLoop is a loop with its functions.
type RankedLoop struct {
	Func      string
	Head      ir.BlockID
	Pos       ir.Pos
	Functions []RankingFunction
	// Recursion says that the loop stands for recursive calls of the function.
	Recursion bool
}

// RankingFunction is the first of its cases whose predicates all hold; the
// last one has none.
type RankingFunction []RankingCase

// RankingCase is an affine function. A term whose value is a pointer, and no
// cell, is its offset in its object.
type RankingCase struct {
	When     []invariant.Comparison
	Terms    []invariant.Term
	Constant int64
}

// Several certifies a proof in parts: each is one of some checks, in runs that go on behind violations of the
// others, and together they are about all checks.
type Several struct{ Parts []Part }

// Part is a proof of some checks of a program; Program is that in which the others are not asked about.
type Part struct {
	Program     *ir.Module
	Certificate Certificate
}

// OverIntegers is the argument, or the infinite run, in the integer program that a
// program is over the mathematical integers.
type OverIntegers struct {
	// Text is the evidence as text.
	Text string
	// Checker is who accepted it, empty if no checker was asked.
	Checker string
}

// Unchecked is the absence of a check, at the user's wish.
type Unchecked struct{ Why string }

func (*Unwinding) isCertificate()     {}
func (*Induction) isCertificate()     {}
func (*SymbolicGraph) isCertificate() {}
func (*Ranking) isCertificate()       {}
func (*Several) isCertificate()       {}
func (*OverIntegers) isCertificate()  {}
func (Unchecked) isCertificate()      {}
