// Package inclusion proves that a Büchi automaton accepts every word that a formula is
// true of. A checker needs it: an engine that found no run of a program with its
// automaton for the negation of a property has proved the property if the automaton
// accepts at least the negation.
//
// Inclusion of automata needs a complement in general. Here the formula's automaton
// is the tableau of package tableau, whose runs know the truth of the claims that they
// make. So it is enough to follow such a run step by step with a run of the other
// automaton: a fair simulation [EtessamiWilkeSchuller01]. The proof is a table of
// ranks. A pair of a state s of the tableau and a state p of the automaton has a rank if
// for each edge of s and each letter of it there is an edge of p with the letter so
// that the pair of the targets has a rank that is
//
//	any      if p accepts;
//	less     if p does not, and the edge of s is accepting;
//	no more  otherwise.
//
// Let the pair of the initial states have a rank. Then a run of the tableau is followed
// by one of the automaton along pairs with ranks, for ever. If the tableau's has
// accepting edges infinitely often, so has the other accepting states: else from some
// point on ranks would never grow and become less infinitely often. These are
// progress measures [Jurdzinski00] for a game with three priorities.
//
// Check verifies a table by these three lines; Prove finds one. An automaton that is
// made of the formula's parts has to guess no more than what the tableau knows. But a
// translation simplifies the formula first, and the parts of the simpler one may be
// others. So the translation says which formula it started from, as a hint, and the proof
// has two steps: the tableau of f && !hint is empty, so f implies the hint; and the
// automaton accepts all that the hint is true of.
//
// That Prove finds a table is not certain; it did for all formulas of the tests. A
// checker that gets none can have the engine use the tableau itself, see Automaton.
package inclusion

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"assay/internal/temporal/buchi"
	"assay/internal/temporal/ltl"
	"assay/internal/temporal/tableau"
)

// Pair is a state of the counted tableau and one of the automaton.
type Pair struct{ Claims, State int }

// Proof gives pairs their ranks.
type Proof struct{ Ranks map[Pair]int }

// ErrNone says that no proof was found. The inclusion may hold all the same.
var ErrNone = errors.New("the automaton could not be shown to accept all that the formula is true of")

// Accepts proves that the automaton accepts all words that the formula is true of.
// The hint is the formula that the automaton was made of, nil if it is not known.
func Accepts(ctx context.Context, a *buchi.Automaton, f, hint ltl.Formula) error {
	if hint != nil && hint != f {
		if err := Implies(f, hint); err != nil {
			return err
		}
		f = hint
	}
	t, err := tableau.New(f)
	if err != nil {
		return fmt.Errorf("the tableau of the formula has %w", err)
	}
	p, err := Prove(ctx, t, a)
	if err != nil {
		return err
	}
	return Check(t, a, p)
}

// Implies proves that where f is true, g is: no word is accepted by the tableau of
// f && !g.
func Implies(f, g ltl.Formula) error {
	t, err := tableau.New(ltl.And(f, ltl.Not(g)))
	if err != nil {
		return fmt.Errorf("the tableau of the difference has %w", err)
	}
	if !count(t).empty() {
		return fmt.Errorf("%v does not imply %v", f, g)
	}
	return nil
}

// over are the edges of the automaton with its atoms numbered as in the tableau. Atoms
// that the tableau does not have get bits beyond its own.
func over(t *tableau.Automaton, a *buchi.Automaton) (*buchi.Automaton, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	_, b := buchi.Together(&buchi.Automaton{Atoms: t.Atoms}, a)
	if len(b.Atoms) > buchi.MaxAtoms {
		return nil, fmt.Errorf("%d atoms, more than %d", len(b.Atoms), buchi.MaxAtoms)
	}
	return b, nil
}

// answered says that every letter of an edge of the tableau has an answer: an edge
// from p to a pair that good admits.
func answered(e countedEdge, edges []buchi.Edge, good func(Pair) bool) bool {
	var answers []buchi.Cube
	for _, f := range edges {
		if _, ok := e.label.And(f.Label); ok && good(Pair{e.to, f.To}) {
			if e.label.Implies(f.Label) {
				return true
			}
			answers = append(answers, f.Label)
		}
	}
	return e.label.Covered(answers)
}

// Check verifies a proof.
func Check(t *tableau.Automaton, a *buchi.Automaton, p *Proof) error {
	b, err := over(t, a)
	if err != nil {
		return err
	}
	c := count(t)
	if c.empty() {
		return nil // the formula is true of nothing
	}
	if _, ok := p.Ranks[Pair{0, b.Initial}]; !ok {
		return errors.New("the initial states have no rank")
	}
	for pair, rank := range p.Ranks {
		if pair.Claims < 0 || pair.Claims >= len(c.edges) || pair.State < 0 || pair.State >= len(b.Edges) || rank < 0 {
			return fmt.Errorf("the pair %v with rank %d does not exist", pair, rank)
		}
		for _, e := range c.edges[pair.Claims] {
			ok := answered(e, b.Edges[pair.State], func(to Pair) bool {
				next, ranked := p.Ranks[to]
				switch {
				case !ranked:
					return false
				case b.Accepting[pair.State]:
					return true
				case e.accepting:
					return next < rank
				}
				return next <= rank
			})
			if !ok {
				return fmt.Errorf("the pair %v has a letter that is not answered", pair)
			}
		}
	}
	return nil
}

// Prove finds a proof, with ranks up to 2, then 8, then 64: they count how often the
// tableau may accept while the automaton does not.
func Prove(ctx context.Context, t *tableau.Automaton, a *buchi.Automaton) (*Proof, error) {
	b, err := over(t, a)
	if err != nil {
		return nil, err
	}
	c := count(t)
	if c.empty() {
		return &Proof{}, nil
	}
	for _, greatest := range []int{2, 8, 64} {
		p, err := lift(ctx, c, b, greatest)
		if err != nil || p != nil {
			return p, err
		}
	}
	return nil, ErrNone
}

// lift computes the least ranks, from 0 up. A pair that would need more than the
// greatest has none.
func lift(ctx context.Context, c *counted, b *buchi.Automaton, greatest int) (*Proof, error) {
	n := len(b.Edges)
	index := func(p Pair) int { return p.Claims*n + p.State }
	start := Pair{0, b.Initial}
	ranks := make([]int, len(c.edges)*n)
	before := make([][]Pair, len(ranks)) // the pairs from which a pair is reached
	queued := make([]bool, len(ranks))   // at first: whether the pair is reached
	queued[index(start)] = true
	order := []Pair{start}
	for i := 0; i < len(order); i++ {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, e := range c.edges[order[i].Claims] {
			for _, f := range b.Edges[order[i].State] {
				if _, ok := e.label.And(f.Label); !ok {
					continue
				}
				to := Pair{e.to, f.To}
				k := index(to)
				if !queued[k] {
					queued[k] = true
					order = append(order, to)
				}
				if m := len(before[k]); m == 0 || before[k][m-1] != order[i] {
					before[k] = append(before[k], order[i])
				}
			}
		}
	}
	todo := slices.Clone(order)
	for steps := 0; len(todo) > 0; steps++ {
		if steps%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		// Pairs that were reached last first: ranks come from the ends.
		pair := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		k := index(pair)
		queued[k] = false
		rank := ranks[k]
		for ; rank <= greatest; rank++ {
			ok := true
			for _, e := range c.edges[pair.Claims] {
				bound := rank
				if b.Accepting[pair.State] {
					bound = greatest
				} else if e.accepting {
					bound = rank - 1
				}
				if ok = answered(e, b.Edges[pair.State], func(to Pair) bool { return ranks[index(to)] <= bound }); !ok {
					break
				}
			}
			if ok {
				break
			}
		}
		if rank == ranks[k] {
			continue
		}
		ranks[k] = rank
		if pair == start && rank > greatest {
			return nil, nil
		}
		for _, p := range before[k] {
			if j := index(p); !queued[j] && ranks[j] <= greatest {
				queued[j] = true
				todo = append(todo, p)
			}
		}
	}
	proof := &Proof{map[Pair]int{}}
	for _, p := range order {
		if r := ranks[index(p)]; r <= greatest {
			proof.Ranks[p] = r
		}
	}
	return proof, nil
}
