// Package smt is the one interface behind which the solvers stand: bitblast
// (terms to and-inverter graph to CNF to CaDiCaL) and z3.
//
// A solver is incremental: assertions are permanent, assumptions last for one
// check, nothing is ever rebuilt. It belongs to one goroutine at a time.
package smt

import (
	"context"
	"errors"
	"fmt"

	"assay/internal/logic/bv"
	"assay/internal/logic/term"
)

// Status is the outcome of a check.
type Status uint8

// The outcomes.
const (
	Unknown Status = iota
	Sat
	Unsat
)

func (s Status) String() string { return [...]string{"unknown", "sat", "unsat"}[s] }

// Solver decides conjunctions of terms of one term.Store.
type Solver interface {
	// Assert adds a Bool term for good.
	Assert(t term.ID)
	// Check decides the assertions together with the assumptions. The status is
	// Unknown exactly if err is not nil; the error is then the context's, an
	// ErrLimit, an ErrUnsupported, or ErrMemory.
	Check(ctx context.Context, assumptions ...term.ID) (Status, error)
	// Value is the value of a Bool (width 1) or bit-vector term in the model of
	// the last Check, which must have been Sat. Terms that the solver has not
	// seen are evaluated with unseen variables as 0.
	Value(t term.ID) bv.BV
	// ArrayValue is the value of an array variable in that model: the elements
	// that matter by index, and the element of all others.
	ArrayValue(t term.ID) (elements map[uint64]bv.BV, other bv.BV)
	// Core is a subset of the assumptions of the last Check, which must have
	// been Unsat, that is already contradictory with the assertions.
	Core() []term.ID
	// SetConflictLimit bounds the work of the next checks, in conflicts; 0 is no limit.
	SetConflictLimit(n int64)
	// Stats counts the work so far.
	Stats() Stats
	// Close frees the solver; it is idempotent.
	Close()
}

// Stats are deterministic work counters and sizes.
type Stats struct {
	Checks    int64
	Conflicts int64
	Variables int64 // of the CNF
	Clauses   int64
	Gates     int64 // and-gates of the and-inverter graph
	Lemmas    int64 // array lemmas added on demand
	Bytes     int64 // memory of the formula, as far as we know it
}

// ErrMemory says that memory ran out. The solver can only be closed.
var ErrMemory = errors.New("solver out of memory")

// ErrLimit says that a limit ended a check: of conflicts, or of the clauses of a formula; the other is 0.
type ErrLimit struct{ Conflicts, Clauses int64 }

func (e ErrLimit) Error() string {
	if e.Clauses > 0 {
		return fmt.Sprintf("more than %d clauses", e.Clauses)
	}
	return fmt.Sprintf("conflict limit %d reached", e.Conflicts)
}

// ErrUnsupported says that the solver cannot treat a term.
type ErrUnsupported struct{ What string }

func (e ErrUnsupported) Error() string { return "unsupported by the solver: " + e.What }
