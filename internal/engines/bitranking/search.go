package bitranking

import (
	"context"
	"errors"
	"slices"

	"assay/internal/engines/inference"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
)

// This file searches the functions of one loop. Let S be the pairs that the functions
// chosen so far leave equal. The next function must not increase on S, and decrease on
// some of S. Choosing any such function never spoils anything: what ranked S before
// ranks what is left of it. Pairs without an Accept may stay equal to the end. So a greedy search is complete for the functions that are
// tried [BMS05; ADFG10, Thm. 1].

// Limits of the search.
const (
	maxFunctions   = 8
	queryConflicts = 6000
	maxQueries     = 400 // for one loop
	maxHard        = 4   // of these, that reached the limit of conflicts
)

// search is the work on one loop.
type search struct {
	p      *program
	loop   int
	s      *inference.Session
	places []place
	marks  []mark
	pairs  []pair
	chosen []function
	pool   []function
	left   int // queries
	hard   int // queries without an answer
}

// search finds functions for loop i, false if it does not.
func (p *program) search(ctx context.Context, s *inference.Session, i int, marks []mark) (bool, error) {
	r := &p.ranked[i]
	x := &search{p: p, loop: i, s: s, places: r.places, marks: marks, pairs: append([]pair(nil), r.seen...), left: maxQueries}
	s.Solver().SetConflictLimit(queryConflicts)
	defer s.Solver().SetConflictLimit(0)
	ok := false
	var err error
	if p.stage.hints {
		ok, err = x.try(ctx, r.hinted)
	}
	if err == nil && !ok && (p.stage.guess || !p.stage.hints) {
		ok, err = x.run(ctx, func() []function {
			all := pool(p.original[i], r.places, r.fixed)
			if p.stage.hints {
				all = append(slices.Concat(r.hinted...), all...)
			}
			return all
		})
	}
	if ok {
		r.functions, r.done = x.chosen, true
	}
	return ok, err
}

func (x *search) run(ctx context.Context, pool func() []function) (bool, error) {
	for {
		live := x.live()
		if !open(live) {
			status, err := x.ask(ctx, func(k *mark) term.ID { return k.accepted })
			if err != nil || status == smt.Unsat {
				return status == smt.Unsat, err
			}
			if status != smt.Sat {
				return false, nil
			}
			if live = x.live(); !open(live) {
				panic("bitranking: a model has a pair, but none")
			}
		}
		if len(x.chosen) == maxFunctions {
			return false, nil
		}
		if x.pool == nil {
			x.pool = pool()
		}
		done, found, err := x.next(ctx)
		if done || err != nil {
			return done, err
		}
		if !found {
			return false, nil
		}
	}
}

// live are the pairs that the functions chosen leave equal.
func (x *search) live() []pair {
	var out []pair
	for _, q := range x.pairs {
		equal := true
		for _, f := range x.chosen {
			equal = equal && f.change(x.places, q) == 0
		}
		if equal {
			out = append(out, q)
		}
	}
	return out
}

// open says whether some pair must not stay equal.
func open(pairs []pair) bool {
	return slices.ContainsFunc(pairs, func(q pair) bool { return q.accepted })
}

// ask asks for a pair that the functions chosen leave equal, with a condition.
// The pairs of a model are kept. Unknown means that the limit was reached.
func (x *search) ask(ctx context.Context, condition func(k *mark) term.ID) (smt.Status, error) {
	st := x.s.Store()
	some := st.False()
	for i := range x.marks {
		k := &x.marks[i]
		t := st.And(k.cond, condition(k))
		for _, f := range x.chosen {
			t = st.And(t, f.equal(st, x.places, k.now, k.before))
		}
		some = st.Or(some, t)
	}
	x.left--
	status, err := x.s.Check(ctx, some)
	var limit smt.ErrLimit
	if errors.As(err, &limit) {
		if x.hard++; x.hard == maxHard {
			x.left = 0 // the others will be as hard
		}
		return smt.Unknown, nil
	}
	if status == smt.Sat {
		x.pairs = append(x.pairs, pairsInModel(x.s, x.marks)...)
	}
	return status, err
}

// fits says whether a function increases on no pair and decreases on one, or on
// all.
func (x *search) fits(f function, live []pair, all bool) bool {
	some := false
	for _, q := range live {
		switch c := f.change(x.places, q); {
		case c > 0, all && c == 0 && q.accepted:
			return false
		case c < 0:
			some = true
		}
	}
	return some
}

// next chooses one more function. It is done if nothing is left then.
func (x *search) next(ctx context.Context) (done, found bool, err error) {
	for _, all := range []bool{true, false} {
		live := x.live()
		for _, f := range x.pool {
			if x.left <= 0 {
				return false, false, nil
			}
			if !x.fits(f, live, all) {
				continue
			}
			status, err := x.choose(ctx, f, all)
			if err != nil {
				return false, false, err
			}
			if status == smt.Unsat {
				return all, true, nil
			}
			live = x.live()
		}
		// A linear program on the pairs seen.
		for range maxGuesses {
			f := guessLinear(ctx, x.places, x.p.ranked[x.loop].fixed, x.live(), all)
			if f == nil || x.left <= 0 {
				break
			}
			status, err := x.choose(ctx, f, all)
			if err != nil {
				return false, false, err
			}
			if status == smt.Unsat {
				return all, true, nil
			}
			if status != smt.Sat {
				break
			}
		}
		for _, f := range vanishing(x.places, x.p.ranked[x.loop].fixed, x.live(), all) {
			if x.left <= 0 || !x.fits(f, x.live(), all) {
				continue
			}
			status, err := x.choose(ctx, f, all)
			if err != nil {
				return false, false, err
			}
			if status == smt.Unsat {
				return all, true, nil
			}
		}
	}
	return false, false, nil
}

// choose asks for a pair of states on which a function increases, or, for all, does not
// decrease, and takes it if there is none.
func (x *search) choose(ctx context.Context, f function, all bool) (smt.Status, error) {
	st := x.s.Store()
	status, err := x.ask(ctx, func(k *mark) term.ID {
		if all {
			return st.Not(st.Or(f.less(st, x.places, k.now, k.before), st.And(st.Not(k.accepted), f.equal(st, x.places, k.now, k.before))))
		}
		return f.less(st, x.places, k.before, k.now)
	})
	if err == nil && status == smt.Unsat {
		x.chosen = append(x.chosen, f)
	}
	return status, err
}
