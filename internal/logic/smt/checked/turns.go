package checked

import (
	"context"
	"fmt"
	"slices"

	"assay/internal/logic/sat/cadical"
	"assay/internal/logic/sat/clausal"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
)

// This file decides a disjunction with one disjunct after the other, in the order in which their terms were
// made. Those that certificates ask about are "some claim fails", and claims come in the order of the program:
// what excludes one is most of what excludes the next. A solver that is asked about all of them at once works
// on all of them at once, and needs ten times the conflicts; asked in turn it is asked about small
// formulas first, and knows of each claim that was refuted that it holds. The clauses of a disjunct are made when it
// comes, and so are facts about arrays.
//
// # Soundness
//
// To (1) to (4) in checked.go. A clause says that a disjunct, or a few together, are false. It is no clause of the formula: it
// must follow by unit propagation from the clauses and the part of the proof before it, and is a step of the proof then.
// When there is one for each disjunct, the disjunction is false in every model of the rest.
//
// Nothing is deleted while the proof is checked: CaDiCaL brings clauses back that it had eliminated when
// later ones have their variables, and its proof does not say so. They follow still.

const (
	// inTurnConflicts is the greatest limit with which formulas are decided in turn: a hard formula is better
	// prepared as a whole.
	inTurnConflicts = 20_000
	maxTurns        = 64
)

// divide chooses among the roots the disjunction with the most disjuncts, which are given in their order.
func (s *Solver) divide(roots []term.ID) (others, goals []term.ID) {
	chosen := -1
	for i, r := range roots {
		if s.store.Op(r) != term.OpOr {
			continue
		}
		if some := s.disjuncts(r); len(some) > len(goals) {
			chosen, goals = i, some
		}
	}
	if chosen < 0 {
		return roots, nil
	}
	slices.Sort(goals)
	return slices.Concat(roots[:chosen], roots[chosen+1:]), goals
}

// disjuncts are those of a nested disjunction, each once.
func (s *Solver) disjuncts(root term.ID) (found []term.ID) {
	stack, seen := []term.ID{root}, map[term.ID]bool{root: true}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if s.store.Op(x) != term.OpOr {
			found = append(found, x)
			continue
		}
		for i := range s.store.NumArgs(x) {
			if a := s.store.Arg(x, i); !seen[a] {
				seen[a] = true
				stack = append(stack, a)
			}
		}
	}
	return found
}

// turn is a literal that was refuted, when the proof had so many bytes.
type turn struct {
	proof   int
	refuted int32
}

// inTurn decides whether one of the goals can be true with the others.
func (s *Solver) inTurn(ctx context.Context, others, goals []term.ID) (smt.Status, error) {
	if err := s.t.assert(others); err != nil {
		return smt.Unknown, err
	}
	search := newSearch(s.t)
	defer search.Close()
	var turns []turn
	budget := s.limit
	for batch := range slices.Chunk(goals, (len(goals)+maxTurns-1)/maxTurns) {
		some, err := s.t.any(batch)
		if err != nil {
			return smt.Unknown, err
		}
		if some == no {
			continue
		}
		for {
			before := search.Learned()
			search.Assume(some)
			r, err := search.solve(ctx, true, budget)
			s.stats.Conflicts += search.Learned() - before
			budget = max(0, budget-(search.Learned()-before))
			if err != nil {
				return smt.Unknown, err
			}
			if r == cadical.Unknown {
				return smt.Unknown, smt.ErrLimit{Conflicts: s.limit}
			}
			if r == cadical.Unsat {
				break
			}
			added, err := s.refine(search)
			if err != nil {
				return smt.Unknown, err
			}
			if added == 0 {
				return smt.Sat, nil
			}
		}
		turns = append(turns, turn{search.ProofSize(), -some})
		search.AddClauses([]int32{-some, 0})
	}
	return s.confirmTurns(ctx, search.Proof(), turns)
}

// confirmTurns checks the proof up to each turn, and that the turn follows.
func (s *Solver) confirmTurns(ctx context.Context, proof []byte, turns []turn) (smt.Status, error) {
	c := clausal.NewKeeping()
	c.AddClauses(s.t.clauses)
	begin := 0
	for _, x := range turns {
		if err := c.Read(ctx, proof[begin:x.proof]); err != nil {
			if ctx.Err() != nil {
				return smt.Unknown, ctx.Err()
			}
			return smt.Unknown, fmt.Errorf("the proof of CaDiCaL: %w", err)
		}
		if !c.Derive(x.refuted) {
			return smt.Unknown, fmt.Errorf("the proof of CaDiCaL: what was refuted does not follow")
		}
		begin = x.proof
	}
	return smt.Unsat, nil
}
