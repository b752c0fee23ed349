// Package checked decides bit-vector and array terms with a SAT solver that need not be trusted:
// an answer unsat is given only after the solver's proof was checked (package clausal).
//
// It is made for the checkers of certificates. It shares with package bitblast, which the engines
// use, the terms and CaDiCaL, whose proofs are checked; not the circuits, which are textbook ones
// and become clauses one by one (gates.go, words.go, divide.go), not the and-inverter graph with
// its rewriting, not the code for arrays (arrays.go). An answer sat is not checked: a
// checker that is told so accepts nothing.
//
// # Soundness
//
// A refutation rests on four things:
//
//	(1) Each clause is one of a gate's definition, of a fact about a read (arrays.go), or says that a
//	    root is true. The new variable of a gate is a function of others, so every model
//	    of the roots extends to one of the clauses.
//	(2) Quotients and remainders are new variables with the equations that
//	    define them, which have exactly one solution (divide.go).
//	(3) Facts about reads hold in the theory of arrays. Which are added does not matter for
//	    soundness: any set of them will do.
//	(4) The clauses are unsatisfiable, as the proof shows; or they are with each of several terms of
//	    which one is to be true (turns.go).
//
// A solver starts anew at each check: there is one formula, and one proof.
package checked

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"assay/internal/logic/bv"
	"assay/internal/logic/sat/cadical"
	"assay/internal/logic/sat/clausal"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
)

// Solver implements smt.Solver.
type Solver struct {
	store    *term.Store
	asserted []term.ID
	limit    int64 // of conflicts
	clauses  int64 // of the formula; 0 is no limit
	stats    smt.Stats
	state    smt.Status // of the last check
	core     []term.ID
	t        *translation
	closed   bool
}

var _ smt.Solver = (*Solver)(nil)

// New is a solver without assertions for terms of the store. Floating-point terms are unsupported.
func New(store *term.Store) *Solver { return &Solver{store: store} }

// Assert implements smt.Solver.
func (s *Solver) Assert(t term.ID) {
	if s.store.Sort(t).Kind != term.SortBool {
		panic("checked: assertion of a non-Bool")
	}
	s.asserted = append(s.asserted, t)
}

// SetConflictLimit implements smt.Solver. The search for the proof of what was found
// unsatisfiable has no limit.
func (s *Solver) SetConflictLimit(n int64) { s.limit = n }

// SetClauseLimit ends checks of formulas that have more clauses, or terms and clauses, with an smt.ErrLimit; 0 is no limit.
func (s *Solver) SetClauseLimit(n int64) { s.clauses = n }

// Check implements smt.Solver.
func (s *Solver) Check(ctx context.Context, assumptions ...term.ID) (smt.Status, error) {
	if s.closed {
		panic("checked: use of a closed solver")
	}
	s.stats.Checks++
	s.state, s.core = smt.Unknown, append(s.core[:0], assumptions...)
	s.t = newTranslation(ctx, s.store)
	s.t.limit = s.clauses
	status, err := s.start(ctx, assumptions)
	s.stats.Variables, s.stats.Clauses = int64(s.t.variables), s.t.count
	s.stats.Bytes = int64(cap(s.t.clauses)) * 4
	s.state = status
	return status, err
}

// start chooses how to search.
func (s *Solver) start(ctx context.Context, assumptions []term.ID) (smt.Status, error) {
	roots := slices.Concat(s.asserted, assumptions)
	if s.limit > 0 && s.limit <= inTurnConflicts {
		if others, goals := s.divide(roots); len(goals) > 1 {
			return s.inTurn(ctx, others, goals)
		}
	}
	if err := s.t.assert(roots); err != nil {
		return smt.Unknown, err
	}
	return s.decide(ctx)
}

// decide searches, adding what the assignments found contradict about reads, and checks
// the proof.
func (s *Solver) decide(ctx context.Context) (smt.Status, error) {
	search := newSearch(s.t)
	defer search.Close()
	budget := s.limit
	for lemmas := false; ; lemmas = true {
		before := search.Learned()
		r, err := search.solve(ctx, s.limit > 0, budget)
		s.stats.Conflicts += search.Learned() - before
		budget = max(0, budget-(search.Learned()-before))
		switch {
		case err != nil:
			return smt.Unknown, err
		case r == cadical.Unknown:
			return smt.Unknown, smt.ErrLimit{Conflicts: s.limit}
		case r == cadical.Unsat:
			return s.confirm(ctx, search, lemmas)
		}
		added, err := s.refine(search)
		if err != nil {
			return smt.Unknown, err
		}
		if added == 0 {
			return smt.Sat, nil
		}
	}
}

// refine adds the facts about reads that the assignment contradicts.
func (s *Solver) refine(search *search) (added int, err error) {
	s.t.values = make([]int8, s.t.variables)
	search.Values(1, s.t.values)
	if added, err = s.t.refine(); err == nil && added > 0 {
		s.stats.Lemmas += int64(added)
		err = s.t.tooLarge()
	}
	return added, err
}

// confirm checks the proof. If clauses were added between searches, CaDiCaL's proof may
// use some that it had dropped before; then it is asked for another one of the whole formula.
func (s *Solver) confirm(ctx context.Context, first *search, lemmas bool) (smt.Status, error) {
	proof := first.Proof()
	if lemmas {
		second := newSearch(s.t)
		defer second.Close()
		switch r, err := second.solve(ctx, false, 0); {
		case err != nil:
			return smt.Unknown, err
		case r != cadical.Unsat:
			panic("checked: CaDiCaL contradicts itself")
		}
		proof = second.Proof()
	}
	c := clausal.New()
	c.AddClauses(s.t.clauses)
	if err := c.Check(ctx, proof); err != nil {
		if ctx.Err() != nil {
			return smt.Unknown, ctx.Err()
		}
		return smt.Unknown, fmt.Errorf("the proof of CaDiCaL: %w", err)
	}
	return smt.Unsat, nil
}

// search is CaDiCaL with the clauses so far.
type search struct {
	*cadical.Solver
	t    *translation
	told int // of t.clauses
}

func newSearch(t *translation) *search {
	s := &search{Solver: cadical.New(), t: t}
	s.Trace()
	return s
}

func (s *search) solve(ctx context.Context, limited bool, budget int64) (cadical.Result, error) {
	s.AddClauses(s.t.clauses[s.told:])
	s.told = len(s.t.clauses)
	s.SetConflictLimit(-1)
	if limited {
		s.SetConflictLimit(budget)
	}
	r, err := s.Solve(ctx)
	if errors.Is(err, cadical.ErrMemory) {
		err = smt.ErrMemory
	}
	return r, err
}

// Core implements smt.Solver: all assumptions.
func (s *Solver) Core() []term.ID {
	if s.state != smt.Unsat {
		panic("checked: Core without unsatisfiability")
	}
	return append([]term.ID(nil), s.core...)
}

// Value implements smt.Solver.
func (s *Solver) Value(t term.ID) bv.BV { return s.model().evaluator().Value(t) }

// ArrayValue implements smt.Solver. The elements are those that were read.
func (s *Solver) ArrayValue(t term.ID) (elements map[uint64]bv.BV, other bv.BV) {
	if s.store.Sort(t).Kind != term.SortArray || s.store.Op(t) != term.OpVar {
		panic(fmt.Sprintf("checked: ArrayValue of %s", s.store.String(t)))
	}
	return s.model().array(t), bv.New(s.store.Width(t), 0)
}

func (s *Solver) model() *translation {
	if s.state != smt.Sat {
		panic("checked: a value without a model")
	}
	return s.t
}

// Stats implements smt.Solver.
func (s *Solver) Stats() smt.Stats { return s.stats }

// Close implements smt.Solver.
func (s *Solver) Close() { s.closed, s.t = true, nil }
