package complexity

import (
	"slices"

	"assay/internal/integers/bound"
	"assay/internal/logic/linear"
)

// This file finds levels that are halved at least, where a loop divides: how often that happens is
// a logarithm (bound.Halved). That f >= 1 and 2·f(x') <= f(x) on a block is linear, so Farkas' lemma finds f as it
// finds other levels.

// divides says whether a block gives a variable the value of a temporary, as divisions do.
func (a *analysis) divides(b int) bool {
	return slices.ContainsFunc(a.blocks[b].update, func(f linear.Form) bool { return int(f.MaxVar()) >= a.variables })
}

// halved is a claim about some of the open blocks of a question, or none: one of them at a time.
func (a *analysis) halved(q question) (best *bound.Runs) {
	for _, chosen := range q.open {
		if !a.divides(chosen) || a.ctx.Err() != nil {
			continue
		}
		t := a.template(a.ends(q.open, q.kept), 1)
		for _, b := range slices.Concat(q.open, q.kept) {
			t.change(b, 0, linear.Form{})
		}
		t.atLeast(chosen, 0, unit)
		var twice linear.Parametric
		t.before(&twice, a.blocks[chosen].from, 0, 1)
		t.after(&twice, chosen, 0, -2)
		t.f.Require(a.blocks[chosen].known, twice)
		if _, st := t.f.Solve(linear.Form{}); st != linear.Feasible {
			continue
		}
		level := t.level(linear.Int(1))
		c, rule := bound.Runs{Blocks: []int{chosen}}, bound.Halved{}
		inside := make([]bool, len(a.blocks))
		for _, b := range slices.Concat(q.open, q.kept) {
			if inside[b] = true; b != chosen {
				rule.Inside = append(rule.Inside, b)
			}
		}
		for u := range a.nodes {
			if l, ok := level[u]; ok {
				rule.Levels = append(rule.Levels, bound.NodeLevel{Node: u, Level: l})
			}
		}
		ok := true
		for i, b := range a.blocks {
			if inside[i] || level[b.to] == nil {
				continue
			}
			m, bounded := a.amount(i, a.behind(i, level[b.to][0]))
			if ok = ok && bounded && a.runs[i] >= 0; !ok {
				break
			}
			rule.Entries = append(rule.Entries, bound.Charge{Block: i, Runs: a.runs[i], Amounts: []bound.Amount{m}})
		}
		if !ok {
			continue
		}
		c.Rule, c.Bound = rule, a.groups(rule.Entries, bound.HalvedRuns)
		if c.Bound.Size() <= maxTerms && (best == nil || better(c.Bound, best.Bound)) {
			best = &c
		}
	}
	return best
}
