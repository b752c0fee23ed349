package verdict

import (
	"context"

	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// Claim is what an engine says of a program, with the evidence for it. It is not an
// answer: somebody has to accept it first.
type Claim struct {
	Program *ir.Module
	// Evidence is an *Unwinding, an *Induction, a *Ranking, a *SymbolicGraph, a
	// *RecurrentSet, or a *MadeJump.
	Evidence Evidence
	// Targets are the kinds of events that must not happen.
	Targets []ir.CheckKind
	// Ends says of a *SymbolicGraph that every run ends, too.
	Ends bool
	// Fair says of a *Ranking, and of a *RecurrentSet, that it is about runs that execute
	// ir.Accept infinitely often.
	Fair bool
	// Label is the C label that ir.ErrorLabel means; ERROR if empty.
	Label string
	// All says that a run goes on after a violation; else it ends there.
	All bool
	// Excluded are the checks for which nothing is claimed.
	Excluded []Site
	// Solver is the one with which the evidence was found: CaDiCaL, Z3 or Both. Another
	// one is asked whether it is right, so it has to be said.
	Solver string
}

// The solvers.
const (
	CaDiCaL = "cadical"
	Z3      = "z3"
	Both    = "both"
)

// Site is a check of a kind at an instruction.
type Site struct {
	Func  string
	Value ir.Value
	Kind  ir.CheckKind
}

// Evidence is what a Claim rests on.
type Evidence interface{ isEvidence() }

// MadeJump is the evidence that a run may jump over iterations of a loop: the jump, and
// the state in which the run makes it.
type MadeJump struct {
	Jump  *ir.Jump
	State interp.State
}

func (*Unwinding) isEvidence()     {}
func (*Induction) isEvidence()     {}
func (*Ranking) isEvidence()       {}
func (*SymbolicGraph) isEvidence() {}
func (*RecurrentSet) isEvidence()  {}
func (*MadeJump) isEvidence()      {}

// Accept asks an independent checker about a claim. The string names who accepted. The
// error is a *Refused, or the context's.
type Accept func(ctx context.Context, c *Claim) (checker string, err error)

// Refused says why a claim was not accepted.
type Refused struct {
	// Wrong says that there is a run that the claim excludes: then the engine that made
	// it has a bug, or the checker. Else it could not be judged.
	Wrong bool
	// Where, if it is known.
	Func string
	Pos  ir.Pos
	Err  error
}

func (r *Refused) Error() string { return r.Err.Error() }

// Unwrap is what the checker said.
func (r *Refused) Unwrap() error { return r.Err }
