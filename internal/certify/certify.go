// Package certify checks certificates: evidence for an answer true that an
// engine hands over, judged by another traversal of the program and another
// solver.
//
// # The certificate of a complete unwinding
//
// It is a table of bounds: how many back edges any execution of each loop
// takes, and how many activations of each recursive function are around an
// activation of it. Unwinding accepts it iff no run of the program
//
//	(V) violates a target,
//	(L) takes one back edge or one activation more than the table allows, or
//	(O) reaches a place that this encoding does not cover.
//
// # Soundness
//
// The checker lays out the unwound program as an acyclic graph of instances: a
// block in a call string and in an iteration of each loop around it. Claim:
// every run is a path of that graph, or meets an event of (L) or (O). A run
// starts at the entry, and each step of it either follows an edge that is laid
// out, with a guard that its choices make true, or ends at an instruction that
// ends runs, or meets an event. Four things are needed, and none of them rests
// on an analysis of the program alone:
//
//	(1) All edges into an instance are known when it is encoded. The sweep
//	    (machine.go) checks this at each edge: one that points behind the sweep
//	    is a panic, whatever loops.go computed.
//	(2) The guards of the edges into an instance exclude each other. A run
//	    visits an instance at most once, for the graph is acyclic by (1).
//	(3) Values that an instance uses are those of this run. An operand that was
//	    not carried into the instance or defined in it is a panic, whatever
//	    liveness.go computed. An operand is simplified under the guard of the
//	    instance (term.Under), which holds in this run.
//	(4) The facts of package memory hold in every run.
//
// So the loop structure and the liveness are hints: wrong ones cost an
// acceptance, never let a wrong certificate pass.
//
// # What is shared with the engine, what is not
//
// Shared with package ssa: the meaning of single instructions (package encode,
// and package memory for objects, pointers and contents), the simplifier of
// package term, and the representation itself. These have oracles of their own:
// the interpreter, plain bytes, and exhaustive checks at small widths.
//
// Not shared: loops (components by two depth-first searches, their order by
// Kahn's algorithm, where the engine has Bourdoncle's order), liveness (an
// equation system, where the engine walks back from uses), the order of
// encoding (sweeps over loop bodies under an explicit stack, where the engine
// has a queue of instances and recurses at calls), guards (plain path
// conditions, where the engine has a tree), names (one counter, where the engine
// interns them for all depths), the treatment of undefined behaviour, NaNs,
// variable arguments and the end of the program, and the solver: Z3, or CaDiCaL
// if the engine used Z3.
//
// # Cost
//
// A branch that constants decide costs the simplifier a lookup; loops of a
// hundred thousand such iterations run there. If everything folds, no solver is
// made. Loops whose bound is large elsewhere, but which are short where their
// exit is a choice, are cut early by asking the solver at powers of two.
package certify

import (
	"context"
	"fmt"

	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// Options say what the certificate is claimed for.
type Options struct {
	// Targets are the kinds of events that must not happen.
	Targets []ir.CheckKind
	// Label is the C label that ErrorLabel means; ERROR if empty.
	Label string
	// All says that the run goes on after a violation; else it ends there.
	All bool
	// Excluded are the checks for which nothing is claimed.
	Excluded []Place
	// Engine is the solver with which the claim was found: CaDiCaL, also if empty, Z3,
	// or Both. The checker asks Z3; of what Z3 alone found it asks CaDiCaL. Callers
	// always say it.
	Engine string
	// Strict makes terms without the simplifier, which the engine uses, too, and
	// evaluates the predicates of an accepted induction on runs (observe.go).
	Strict bool
	// Fair asks Ranking whether no run executes ir.Accept infinitely often, and Endless whether
	// one does.
	Fair bool
	// Script, if set, receives the questions of an accepted certificate.
	Script *Script
	// pieces are the sizes of pieces for formulas of any size, for tests; nil is pieceSizes
	// for big ones.
	pieces []int
}

// The values of Options.Engine.
const (
	CaDiCaL = "cadical"
	Z3      = "z3"
	Both    = "both"
)

// Place is a check of a kind at an instruction.
type Place struct {
	Func  string
	Value ir.Value
	Kind  ir.CheckKind
}

// ErrRejected says that the certificate is wrong: there is a run that the
// claim excludes. The engine that made the claim has a bug, or this package.
type ErrRejected struct {
	// What the run does.
	What string
	// Func is the function in which it does it, At the position as text.
	Func string
	At   string
	Pos  ir.Pos
}

func (e ErrRejected) Error() string {
	return fmt.Sprintf("%s, in %s at %s", e.What, e.Func, e.At)
}

// ErrIncomplete says that the certificate could not be judged.
type ErrIncomplete struct {
	Why string
	// Err is the cause, if there is one.
	Err error
}

func (e ErrIncomplete) Error() string {
	if e.Err != nil {
		return e.Why + ": " + e.Err.Error()
	}
	return e.Why
}

func (e ErrIncomplete) Unwrap() error { return e.Err }

// Unwinding checks the certificate of a proof by complete unwinding: with each
// loop iterated, and each function reactivated, as often as its bound says, no
// run violates a target and none needs more. Loops and functions without bound
// have the bound 0. The string names who accepted.
//
// The error is nil, the context's, an ErrRejected or an ErrIncomplete.
func Unwinding(ctx context.Context, m *ir.Module, o Options, bounds []verdict.Bound) (checker string, err error) {
	entry := m.Func(m.Entry)
	if entry == nil || entry.IsDecl() {
		return "", ErrIncomplete{Why: fmt.Sprintf("the entry function %q has no body", m.Entry)}
	}
	c := newChecker(ctx, m, o, bounds)
	defer c.close()
	if err := c.unwind(entry); err != nil {
		return "", err
	}
	return c.judge()
}
