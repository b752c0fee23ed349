package inference

import (
	"context"
	"slices"

	"assay/internal/engines/guess"
	"assay/internal/evidence/invariant"
	"assay/internal/logic/smt"
	"assay/internal/transform/cut"
)

// This file is generic strategy iteration [2LS Fig. 12]: an element of a domain
// is given to each loop head, and to each condition that splits it (guards.go); it
// begins with the states that real runs were seen in. While a model leads from
// states that the elements allow to one that they do not, that one is joined.
// The elements only grow, and what is reached at the end is inductive: the
// least elements that are, up to what was given up for its cost.

// element is the value of the affine domain for a loop, under a condition.
type element struct {
	loop      *cut.Loop
	condition []invariant.Comparison
	// columns are indices into the places of the loop.
	columns []int
	value   *guess.Affine
	rules   []*rule
	// lost is an element that was given up: it says nothing.
	lost bool
}

// Limits of strategy iteration.
const (
	maxRounds         = 400
	maxAffine         = 24 // integers in one equation
	strategyConflicts = 3000
)

// affine finds the equations of the loop heads.
func (p *Search) affine(ctx context.Context, f *formula, on []*rule) ([]*rule, error) {
	return p.iterate(ctx, f, on, p.elements(f, func(*cut.Loop) [][]invariant.Comparison { return [][]invariant.Comparison{nil} }))
}

// affineByCases finds equations that hold under conditions.
func (p *Search) affineByCases(ctx context.Context, f *formula, on []*rule) ([]*rule, error) {
	return p.iterate(ctx, f, on, p.elements(f, func(l *cut.Loop) (out [][]invariant.Comparison) {
		for _, c := range p.conditions(l) {
			out = append(out, []invariant.Comparison{c}, []invariant.Comparison{negation(c)})
		}
		return out
	}))
}

// isAffine says that affine finds a predicate, or a stronger one.
func isAffine(q invariant.Predicate) bool {
	p, ok := q.(invariant.Comparison)
	if !ok || p.Relation != invariant.Congruent || len(p.Terms) == 0 {
		return false
	}
	w := p.Terms[0].Bits
	for _, t := range p.Terms {
		if t.Bits != w {
			return false
		}
	}
	m := p.Mod()
	return slices.Contains(widths, w) && m.BitLen() == int(m.TrailingZeroBits())+1 && m.BitLen() <= int(w)+1
}

// widths are those of the integers in equations.
var widths = []uint32{8, 16, 32, 64}

// elements are the elements to begin with, under the conditions of a loop.
func (p *Search) elements(f *formula, conditions func(*cut.Loop) [][]invariant.Comparison) []*element {
	var elements []*element
	for _, l := range slices.Concat(p.loops, p.contracts) {
		if len(f.visits[l]) == 0 {
			continue
		}
		for _, w := range widths {
			var columns []int
			for i, x := range p.places[l] {
				if x.Bits == w && !x.Float && len(columns) < maxAffine {
					columns = append(columns, i)
				}
			}
			if len(columns) == 0 {
				continue
			}
			for _, c := range conditions(l) {
				e := &element{loop: l, condition: c, columns: columns, value: guess.NewAffine(w, len(columns))}
				for _, row := range p.at[l].Rows {
					if e.applies(p.places[l], row) {
						e.join(row)
					}
				}
				elements = append(elements, e)
			}
		}
	}
	return elements
}

// applies says whether a state satisfies the condition.
func (e *element) applies(places []cut.Place, row []uint64) bool {
	for i := range e.condition {
		if !guess.Evaluate(e.condition[i], places, row) {
			return false
		}
	}
	return true
}

func (e *element) join(row []uint64) {
	state := make([]uint64, len(e.columns))
	for k, i := range e.columns {
		state[k] = row[i]
	}
	e.value.Join(state)
}

// update puts the equations of the element into the formula.
func (e *element) update(f *formula) {
	for _, r := range e.rules {
		f.retire(r)
	}
	e.rules = nil
	if e.lost {
		return
	}
	places := make([]cut.Place, len(e.columns))
	for k, i := range e.columns {
		places[k] = f.places[e.loop][i]
	}
	for _, p := range e.value.Predicates(places) {
		e.rules = append(e.rules, f.add(cut.Candidate{Loop: e.loop, Predicate: invariant.When(e.condition, p)}))
	}
}

// iterate lets the elements grow until they are inductive, together with the
// rules that are on.
func (p *Search) iterate(ctx context.Context, f *formula, on []*rule, elements []*element) ([]*rule, error) {
	for _, e := range elements {
		e.update(f)
	}
	all := func() []*rule {
		out := slices.Clone(on)
		for _, e := range elements {
			out = append(out, e.rules...)
		}
		return out
	}
	defer f.solver.SetConflictLimit(0)
	for round := 0; ; round++ {
		p.stats.Rounds++
		rules := all()
		f.solver.SetConflictLimit(strategyConflicts)
		status, err := f.checkLoosely(ctx, append(f.given(rules, f.held), f.any(rules[len(on):]))...)
		if err != nil && !limited(err) {
			return nil, err
		}
		if status == smt.Unsat {
			return rules, nil
		}
		var changed []*element
		if status != smt.Sat { // ask about each; what costs too much is given up
			for _, e := range slices.Backward(elements) {
				status, err = f.checkLoosely(ctx, append(f.given(rules, f.held), f.any(e.rules))...)
				if err != nil && !limited(err) {
					return nil, err
				}
				if status == smt.Sat {
					break
				}
				if status != smt.Unsat {
					e.lost = true
					changed = append(changed, e)
				}
			}
			if len(changed) == 0 && status == smt.Unsat {
				return rules, nil
			}
		}
		if status == smt.Sat {
			for _, e := range elements {
				if !slices.ContainsFunc(e.rules, func(r *rule) bool { return f.isTrue(r.broken) }) {
					continue
				}
				changed = append(changed, e)
				if round >= maxRounds {
					e.lost = true
				}
				e.joinModel(f)
			}
		}
		for _, e := range changed {
			e.update(f)
		}
	}
}

// joinModel joins the states of the model at the visits that are not early.
func (e *element) joinModel(f *formula) {
	for _, v := range f.visits[e.loop] {
		if !f.isTrue(v.guard) || f.isTrue(v.early) {
			continue
		}
		row := make([]uint64, len(v.values))
		for i, t := range v.values {
			row[i] = f.solver.Value(t).Uint64()
		}
		if e.applies(f.places[e.loop], row) {
			e.join(row)
		}
	}
}
