package complexity

import (
	"slices"

	"assay/internal/integers/bound"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/run/pause"
)

// This file bounds how often the blocks of a component are executed. What has no bound yet
// falls into components of its own, the inner loops; for each of them, levels are asked for with
// several choices of what may happen in between (question), and the claim of the finest class
// is taken:
//
//	nothing in the component increases the level: it is entered from outside only;
//	bounded blocks increase it, by constants that they are charged (amortised);
//	bounded blocks may do anything: each execution of them enters the loop anew.

// runsOf bounds the blocks of a component. What it cannot bound it returns.
func (a *analysis) runsOf(component int) []int {
	var open []int
	for i, b := range a.blocks {
		if a.component[b.from] == component && a.component[b.to] == component {
			open = append(open, i)
		}
	}
	all := slices.Clone(open)
	for len(open) > 0 {
		pause.Wait(a.ctx)
		if a.ctx.Err() != nil || !a.progress(all, open) {
			return open
		}
		open = slices.DeleteFunc(open, func(b int) bool { return a.runs[b] >= 0 })
	}
	return nil
}

// progress makes one claim about open blocks, or none.
func (a *analysis) progress(all, open []int) bool {
	edges := make([][2]int, len(open))
	for i, b := range open {
		edges[i] = [2]int{a.blocks[b].from, a.blocks[b].to}
	}
	component, count := its.Components(len(a.nodes), edges)
	for _, b := range open {
		if component[a.blocks[b].from] != component[a.blocks[b].to] && a.inflow(b) {
			return true
		}
	}
	for c := count - 1; c >= 0; c-- {
		inner := slices.DeleteFunc(slices.Clone(open), func(b int) bool {
			return component[a.blocks[b].from] != c || component[a.blocks[b].to] != c
		})
		if len(inner) > 0 && a.loop(all, open, inner) {
			return true
		}
	}
	return false
}

// inflow bounds a block by those that lead to it.
func (a *analysis) inflow(b int) bool {
	var r bound.Inflow
	for i, k := range a.blocks {
		if k.to != a.blocks[b].from {
			continue
		}
		if a.runs[i] < 0 {
			return false
		}
		r.Entries = append(r.Entries, bound.Charge{Block: i, Runs: a.runs[i], Amounts: []bound.Amount{one}})
	}
	a.add(bound.Runs{Blocks: []int{b}, Bound: a.charges(r.Entries), Rule: r})
	return true
}

// loop makes a claim about some of the inner blocks, or none. open are those of the component
// all that have no bound yet.
func (a *analysis) loop(all, open, inner []int) bool {
	var bounded, others []int
	for _, b := range all {
		switch {
		case a.runs[b] >= 0:
			bounded = append(bounded, b)
		case !slices.Contains(inner, b):
			others = append(others, b)
		}
	}
	var best *bound.Runs
	try := func(q question) {
		for _, r := range a.ranked(q) {
			if best == nil || better(r.Bound, best.Bound) {
				best = &r
			}
		}
	}
	try(question{open: inner, kept: append(slices.Clone(others), bounded...)})
	if len(bounded) > 0 && !(best != nil && best.Bound.ClassWithRanges(bound.ShortRange).Compare(bound.Class{Degree: 1}) <= 0) {
		try(question{open: inner, kept: others, charged: bounded})
		if !a.entersOpen(inner) {
			try(question{open: inner})
			try(a.greedy(question{open: inner}, bounded))
		}
	}
	for _, q := range []question{{open: inner, kept: append(slices.Clone(others), bounded...)}, {open: inner}} {
		if len(q.kept) > 0 || !a.entersOpen(inner) {
			if r := a.halved(q); r != nil && (best == nil || better(r.Bound, best.Bound)) {
				best = r
			}
		}
	}
	if best == nil {
		for depth := 2; depth <= maxDepth && best == nil; depth++ {
			for _, q := range []question{{open: inner, kept: append(slices.Clone(others), bounded...)}, {open: inner}} {
				if len(q.kept) == 0 || !a.entersOpen(inner) {
					for _, r := range a.multiphase(q, depth) {
						if best == nil || better(r.Bound, best.Bound) {
							best = &r
						}
					}
				}
			}
		}
	}
	if best == nil || best.Bound.ClassWithRanges(bound.ShortRange).Compare(bound.Class{Degree: 1}) > 0 {
		for _, blocks := range [][]int{inner, a.withTwins(inner)} {
			if r, ok := a.closed(blocks); ok && (best == nil || better(r.Bound, best.Bound)) {
				best = &r
			}
		}
	}
	if best == nil {
		return false
	}
	a.add(*best)
	return true
}

// maxDepth is the greatest depth of nested levels.
const maxDepth = 3

// entersOpen says whether a block without bound leads to the inner ones from outside.
func (a *analysis) entersOpen(inner []int) bool {
	ends := a.ends(inner)
	for i, b := range a.blocks {
		if a.runs[i] < 0 && slices.Contains(ends, b.to) && !slices.Contains(inner, i) {
			return true
		}
	}
	return false
}

// greedy adds as many bounded blocks as possible to those that are charged.
func (a *analysis) greedy(q question, bounded []int) question {
	for _, b := range bounded {
		more := q
		more.charged = append(slices.Clone(q.charged), b)
		if a.together(more) != nil {
			q = more
		}
	}
	return q
}

// ranked are claims that answer a question.
func (a *analysis) ranked(q question) (out []bound.Runs) {
	take := func(level map[int]its.Level) {
		if level == nil {
			return
		}
		if r, ok := a.claimOf(q, level); ok {
			out = append(out, r)
		}
	}
	take(a.together(q))
	if len(out) > 0 && out[0].Bound.ClassWithRanges(bound.ShortRange).Compare(bound.Class{Degree: 1}) <= 0 {
		return out
	}
	if len(q.open) > 1 {
		for _, b := range q.open {
			if a.ctx.Err() != nil {
				break
			}
			take(a.one(q, b, 1))
		}
	}
	return out
}

func (a *analysis) multiphase(q question, depth int) (out []bound.Runs) {
	take := func(level map[int]its.Level) {
		if level == nil {
			return
		}
		if r, ok := a.claimOf(q, level); ok {
			out = append(out, r)
		}
	}
	take(a.all(q, depth))
	if len(q.open) > 1 && out == nil {
		for _, b := range q.open {
			if a.ctx.Err() != nil {
				break
			}
			take(a.one(q, b, depth))
		}
	}
	return out
}

// claimOf is the claim that a level gives, if all sizes it needs have bounds.
func (a *analysis) claimOf(q question, level map[int]its.Level) (bound.Runs, bool) {
	var r bound.Ranked
	var c bound.Runs
	depth := 0
	for u := range a.nodes {
		if l, ok := level[u]; ok {
			r.Levels = append(r.Levels, bound.NodeLevel{Node: u, Level: l})
			depth = len(l)
		}
	}
	inside := make([]bool, len(a.blocks))
	for _, b := range q.open {
		inside[b] = true
		if a.decreases(b, level) {
			c.Blocks = append(c.Blocks, b)
		} else {
			r.Inside = append(r.Inside, b)
		}
	}
	if len(c.Blocks) == 0 {
		return c, false
	}
	for _, b := range slices.Concat(q.kept, q.charged) {
		inside[b] = true
		n, ok := a.maximum(b, a.behind(b, level[a.blocks[b].to][0]).Sub(level[a.blocks[b].from][0]))
		switch {
		case depth > 1 || ok && n.Sign() <= 0:
			r.Inside = append(r.Inside, b)
		case !ok || a.runs[b] < 0:
			return c, false
		default:
			r.Increments = append(r.Increments, bound.Charge{Block: b, Runs: a.runs[b], Amounts: []bound.Amount{{Form: linear.Constant(n)}}})
		}
	}
	for i, b := range a.blocks {
		if inside[i] || level[b.to] == nil {
			continue
		}
		if a.runs[i] < 0 {
			return c, false
		}
		x := bound.Charge{Block: i, Runs: a.runs[i]}
		for _, f := range level[b.to] {
			m, ok := a.amount(i, a.behind(i, f))
			if !ok {
				return c, false
			}
			x.Amounts = append(x.Amounts, m)
		}
		r.Entries = append(r.Entries, x)
	}
	c.Rule = r
	c.Bound = a.groups(r.Entries, func(most bound.Expression) bound.Expression {
		if depth > 1 {
			return bound.MultiphaseRuns(depth, most)
		}
		return most
	}).Add(a.charges(r.Increments))
	return c, c.Bound.Size() <= maxTerms
}

// decreases says whether a level decreases on a block.
func (a *analysis) decreases(b int, level map[int]its.Level) bool {
	from, to := level[a.blocks[b].from], level[a.blocks[b].to]
	s := a.solvers[b]
	holds := func(f linear.Form) bool { return s.Entails(linear.Constraint{Form: f}) }
	minus := linear.Int(-1)
	if len(from) == 1 {
		if !holds(from[0].Plus(minus)) {
			return false
		}
	} else if !holds(from[len(from)-1]) {
		return false
	}
	for d := range from {
		f := from[d].Sub(a.behind(b, to[d])).Plus(minus)
		if d > 0 {
			f = f.Add(from[d-1])
		}
		if !holds(f) {
			return false
		}
	}
	return true
}
