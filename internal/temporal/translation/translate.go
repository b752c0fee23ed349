// Package translation makes Büchi automata of formulas of linear temporal logic:
//
//	formula -> simplified normal form        (package ltl)
//	        -> very weak alternating automaton       alternating.go
//	        -> generalised Büchi automaton           generalized.go, reduce.go
//	        -> Büchi automaton                       degeneralize.go
//	        -> smaller one                           simulation.go
//
// This is the way of [GastinOddoux01], with the reductions by simulation of
// [SomenziBloem00] and [EtessamiWilkeSchuller01]. Nothing that is proved with an
// automaton rests on it: package tableau makes another one in another way, and
// package inclusion compares the two.
package translation

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"assay/internal/temporal/buchi"
	"assay/internal/temporal/ltl"
)

// maxNormal bounds the size of formulas in normal form.
const maxNormal = 20000

// maxDelayed bounds the states of automata that are reduced by delayed simulation,
// and maxVariants those of automata of which several variants are made.
const (
	maxDelayed  = 60
	maxVariants = 60
)

// Stats are the sizes of the automata on the way.
type Stats struct {
	Formula     ltl.Formula // in normal form, simplified
	Alternating int         // states
	Generalized Size
	Marks       int  // acceptance sets of the generalised automaton
	Buchi       Size // before it was made smaller
	Final       Size
}

// Size is that of an automaton. Transitions are pairs of states with an edge.
type Size struct{ States, Transitions int }

// size is the size of an automaton.
func size(a *buchi.Automaton) Size {
	states, _, pairs := a.Size()
	return Size{states, pairs}
}

// Translate makes an automaton that accepts what the formula is true of. The error
// is that of the context, or says which bound the formula exceeds.
func Translate(ctx context.Context, f ltl.Formula) (a *buchi.Automaton, stats *Stats, err error) {
	if ltl.NormalSize(f, maxNormal) == maxNormal {
		return nil, nil, errors.New("the formula is too large in negation normal form: nested equivalences double it")
	}
	g := ltl.Simplify(f)
	stats = &Stats{Formula: g}
	used := ltl.Atoms(g)
	var atoms []ltl.Atom
	for _, atom := range ltl.Atoms(f) {
		if slices.Contains(used, atom) {
			atoms = append(atoms, atom)
		}
	}
	if len(atoms) > buchi.MaxAtoms {
		return nil, nil, fmt.Errorf("the formula has %d atoms, more than %d", len(atoms), buchi.MaxAtoms)
	}
	defer func() {
		if p := recover(); p != nil {
			large, ok := p.(tooLarge)
			if !ok {
				panic(p)
			}
			a, stats, err = nil, nil, errors.New("the formula has "+large.text)
		}
	}()
	v := newAlternating(atoms)
	gba, err := v.generalize(ctx, v.sets(g))
	if err != nil {
		return nil, nil, err
	}
	stats.Alternating = len(v.states)
	if gba = gba.prune(); len(gba.edges) <= 512 {
		gba = gba.quotient().prune()
	}
	stats.Generalized, stats.Marks = gba.size(), gba.count
	for _, order := range orders(gba.count) {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		for _, top := range []bool{true, false} {
			b := gba.ordered(order).degeneralize(top)
			b.Atoms = atoms
			before := size(b)
			if a != nil && before.States > maxVariants {
				continue
			}
			if b = reduce(b); a == nil || smaller(b, a) {
				a, stats.Buchi = b, before
			}
		}
	}
	stats.Final = size(a)
	return a, stats, nil
}

// reduce makes an automaton smaller until nothing changes.
func reduce(a *buchi.Automaton) *buchi.Automaton {
	for {
		before := size(a)
		a = normalize(a)
		if a.Tidy(); len(a.Edges) > 512 {
			return a
		}
		if a = direct(a); len(a.Edges) <= maxDelayed {
			a = normalize(delayed(normalize(a)))
		}
		if size(a) == before {
			return sharpen(direct(a)).Restrict(func(int) bool { return true })
		}
	}
}

// smaller compares automata: by states, then by transitions.
func smaller(a, b *buchi.Automaton) bool {
	s, t := size(a), size(b)
	return s.States < t.States || s.States == t.States && s.Transitions < t.Transitions
}

// size is the size of a generalised automaton.
func (g *generalized) size() Size {
	pairs := map[[2]int]bool{}
	for q, es := range g.edges {
		for _, e := range es {
			pairs[[2]int{q, e.to}] = true
		}
	}
	return Size{len(g.edges), len(pairs)}
}

// orders are orders in which marks are waited for: all of few marks, two of many.
func orders(count int) [][]int {
	order := make([]int, count)
	for i := range order {
		order[i] = i
	}
	if count > 3 {
		back := slices.Clone(order)
		slices.Reverse(back)
		return [][]int{order, back}
	}
	var all [][]int
	var permute func(k int)
	permute = func(k int) {
		if k >= count {
			all = append(all, slices.Clone(order))
			return
		}
		for i := k; i < count; i++ {
			order[k], order[i] = order[i], order[k]
			permute(k + 1)
			order[k], order[i] = order[i], order[k]
		}
	}
	permute(0)
	return all
}

// ordered renumbers the marks: mark order[i] becomes i.
func (g *generalized) ordered(order []int) *generalized {
	h := &generalized{initial: g.initial, count: g.count}
	for _, es := range g.edges {
		edges := slices.Clone(es)
		for k, e := range es {
			edges[k].marks = 0
			for i, m := range order {
				edges[k].marks |= e.marks >> m & 1 << i
			}
		}
		h.edges = append(h.edges, edges)
	}
	return h
}
