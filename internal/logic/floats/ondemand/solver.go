package ondemand

import (
	"context"

	"assay/internal/logic/bv"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
)

// This file lets a solver refine its models. A check is then several of its
// checks, which share the conflict limit.

// Solver is another solver, of which checks are refined.
type Solver struct {
	smt.Solver
	ops   *Operations
	limit int64
}

var _ smt.Solver = (*Solver)(nil)

// NewSolver refines the checks of a solver that asks lower what to solve in the
// place of floating-point terms.
func NewSolver(st *term.Store, solver func(lower func(*term.Store, term.ID) term.ID) smt.Solver) *Solver {
	s := &Solver{ops: New(st)}
	s.Solver = solver(s.ops.Lower)
	return s
}

// SetConflictLimit bounds the next checks, in conflicts; 0 is no limit.
func (s *Solver) SetConflictLimit(n int64) { s.limit = n }

// Check implements smt.Solver.
func (s *Solver) Check(ctx context.Context, assumptions ...term.ID) (smt.Status, error) {
	return s.check(ctx, s.ops.Refine, assumptions)
}

// CheckLoosely is Check, but that no lemma of the coarsest level is broken is enough
// for Sat: the results of operations in the model may be wrong. So it is cheap where a
// model is no answer, but only says what not to try.
func (s *Solver) CheckLoosely(ctx context.Context, assumptions ...term.ID) (smt.Status, error) {
	return s.check(ctx, s.ops.refineCoarsely, assumptions)
}

// CheckWithoutCircuits is the same with lemmas of all levels.
func (s *Solver) CheckWithoutCircuits(ctx context.Context, assumptions ...term.ID) (smt.Status, error) {
	return s.check(ctx, s.ops.refineFinely, assumptions)
}

func (s *Solver) check(ctx context.Context, refine func(func(term.ID) bv.BV) []term.ID, assumptions []term.ID) (smt.Status, error) {
	s.ops.Restart()
	begin := s.Solver.Stats().Conflicts
	s.Solver.SetConflictLimit(s.limit)
	for {
		status, err := s.Solver.Check(ctx, assumptions...)
		if status != smt.Sat {
			return status, err
		}
		lemmas := refine(s.value)
		if len(lemmas) == 0 {
			return smt.Sat, nil
		}
		for _, l := range lemmas {
			s.Solver.Assert(l)
		}
		if s.limit > 0 {
			left := s.limit - (s.Solver.Stats().Conflicts - begin)
			if left <= 0 {
				return smt.Unknown, smt.ErrLimit{Conflicts: s.limit}
			}
			s.Solver.SetConflictLimit(left)
		}
	}
}

func (s *Solver) value(t term.ID) bv.BV { return s.Solver.Value(t) }

// Stats implements smt.Solver.
func (s *Solver) Stats() smt.Stats {
	x := s.Solver.Stats()
	x.Lemmas += int64(s.ops.lemmas)
	return x
}
