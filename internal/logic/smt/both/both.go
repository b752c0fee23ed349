// Package both runs two solvers on the same queries and insists that they
// agree: a differential test in the disguise of a solver.
package both

import (
	"context"
	"fmt"

	"assay/internal/logic/bv"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
)

// Solver answers with the first solver and checks it by the second.
type Solver struct {
	first, second smt.Solver
}

// New pairs two solvers of one store.
func New(first, second smt.Solver) *Solver { return &Solver{first, second} }

// ErrDisagree says that the two solvers contradict each other: one has a bug.
type ErrDisagree struct{ First, Second smt.Status }

func (e ErrDisagree) Error() string {
	return fmt.Sprintf("the solvers disagree: %v and %v", e.First, e.Second)
}

// Assert adds a term to both.
func (s *Solver) Assert(t term.ID) {
	s.first.Assert(t)
	s.second.Assert(t)
}

// Check asks both; an answer that only one of them has is taken, a
// contradiction is an ErrDisagree.
func (s *Solver) Check(ctx context.Context, assumptions ...term.ID) (smt.Status, error) {
	a, err := s.first.Check(ctx, assumptions...)
	if err != nil {
		return a, err
	}
	b, err := s.second.Check(ctx, assumptions...)
	if err == nil && a != b {
		return smt.Unknown, ErrDisagree{a, b}
	}
	return a, nil
}

// Value is that of the first solver's model.
func (s *Solver) Value(t term.ID) bv.BV { return s.first.Value(t) }

// ArrayValue is that of the first solver's model.
func (s *Solver) ArrayValue(t term.ID) (map[uint64]bv.BV, bv.BV) { return s.first.ArrayValue(t) }

// Core is that of the first solver.
func (s *Solver) Core() []term.ID { return s.first.Core() }

// SetConflictLimit limits both.
func (s *Solver) SetConflictLimit(n int64) {
	s.first.SetConflictLimit(n)
	s.second.SetConflictLimit(n)
}

// Stats are those of the first solver.
func (s *Solver) Stats() smt.Stats { return s.first.Stats() }

// Close frees both.
func (s *Solver) Close() {
	s.first.Close()
	s.second.Close()
}
