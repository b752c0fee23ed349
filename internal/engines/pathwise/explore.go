package pathwise

import (
	"slices"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/term"
	"assay/internal/models/ssa"
	"assay/internal/program/ir"
	"assay/internal/run/work"
)

// workOfSteps is the work of 1,024 instructions.
const workOfSteps = 256

// follow advances a path until it is divided, or comes to its end.
func (e *explorer) follow(s *state) {
	e.wait()
	for e.found == nil {
		stop := s.p.Advance(func(d *ir.Def, v ir.Value) bool {
			e.stats.Steps++
			if e.stats.Steps&1023 == 0 {
				if work.Charge(e.ctx, workOfSteps); e.ctx.Err() != nil {
					e.st.Abandon(e.ctx.Err())
				}
			}
			return e.divides(s, d)
		})
		e.take(s)
		switch stop {
		case ssa.AtEnd:
			e.stats.Paths++
			return
		case ssa.AtInstruction:
			if e.divide(s) {
				return
			}
		case ssa.AtWays:
			if e.ways(s) {
				return
			}
		}
	}
}

// take looks at what happened on a path since it was looked at last.
func (e *explorer) take(s *state) {
	f := e.u.Drain()
	for _, t := range f.Facts {
		e.c.state(t)
	}
	if len(f.Choices) > 0 {
		s.choices = &choices{s.choices, f.Choices}
		e.source(f.Choices)
	}
	for i := range f.Violations {
		e.violation(s, &f.Violations[i])
	}
	for i := range f.Unclean {
		e.noteUnclean(&f.Unclean[i])
	}
	for i := range f.Obstacles {
		e.obstacle(&f.Obstacles[i])
	}
}

// feasible says whether a condition may hold under a guard.
func (e *explorer) feasible(under *ssa.Guard, t term.ID) bool {
	return e.c.with(e.ctx, e.c.at(e.ctx, under), t).feasible
}

// noteUnclean notes undefined behaviour outside of the property.
func (e *explorer) noteUnclean(x *ssa.Event) {
	at := site{x.Guard.Func, x.Value, x.Guard.Kind}
	if _, ok := e.unclean[at]; ok || !e.feasible(x.Under, x.If) {
		return
	}
	e.unclean[at] = x.Guard
	e.order = append(e.order, at)
	if slices.Contains(e.opts.Disputed, x.Guard.Kind) {
		e.reason(verdict.Reason{
			Cause: verdict.CauseInexact, Func: x.Guard.Func, Pos: x.Guard.Pos,
			Text: x.Guard.Text + " is possible; tools differ on whether it violates the property",
			Hint: "say whether it counts: no-overflow:shift or no-overflow:noshift",
		})
	}
}

// obstacle notes a place that is not exact, if a run may come there.
func (e *explorer) obstacle(o *ssa.Obstacle) {
	if o.OverApproximated || slices.Contains(e.reasons, o.Reason) || !e.feasible(o.Under, o.If) {
		return
	}
	e.reason(o.Reason)
}

// maxReasons bounds the reasons.
const maxReasons = 8

func (e *explorer) reason(r verdict.Reason) {
	if len(e.reasons) < maxReasons && !slices.Contains(e.reasons, r) {
		e.reasons = append(e.reasons, r)
	}
}

// ways decides what is done at the end of a block; it says whether the path is divided, or over.
func (e *explorer) ways(s *state) bool {
	p := s.p
	e.prune(s)
	ways := p.Ways()
	for n := len(s.regions); n > 0 && s.regions[n-1].serial > p.Serial(); n-- {
		s.regions = s.regions[:n-1] // of an activation that is over
	}
	if len(ways) == 0 {
		return false // Advance goes on with the callers, or says that this is the end
	}
	together := s.region()
	met := func() bool {
		return together != nil && !slices.ContainsFunc(ways, func(w ssa.Way) bool { return w.To != together.end })
	}
	joined := met()
	answer := together != nil && together.answer
	if answer && p.Taken > together.until {
		joined, answer, together = true, false, nil // it stays, so that none begins again
	} else if joined {
		s.regions, together = s.regions[:len(s.regions)-1], nil
	}
	if len(ways) == 1 {
		p.Take(func(*ssa.Way) bool { return true })
		return false
	}
	if r, ok := e.meeting(p, ways, together == nil && !joined); ok {
		s.regions = append(slices.Clip(s.regions), r)
		together, answer = s.region(), r.answer
		if met() {
			s.regions, together = s.regions[:len(s.regions)-1], nil
		}
	}
	there := ways
	if together != nil {
		// The first block in the order, whose ways are all there.
		to := ir.BlockID(-1)
		for _, w := range ways {
			if w.To != together.end && (to < 0 || p.Order(w.To) < p.Order(to)) {
				to = w.To
			}
		}
		there = nil
		for _, w := range ways {
			if w.To == to {
				there = append(there, w)
			}
		}
	}
	if w := e.shortCircuit(p, ways); w != nil && together == nil && !joined {
		id := idOf(w)
		e.move(s, false, []verdict.PathWay{id})
		p.Take(func(w *ssa.Way) bool { return idOf(w) == id })
		return false
	}
	groups := e.groups(p, there, answer)
	if len(groups) > 1 {
		if together != nil {
			groups[0] = nil // it keeps the others, too
		}
		e.split(s, groups)
		return true
	}
	e.move(s, false, groups[0])
	p.Take(func(w *ssa.Way) bool { return slices.Contains(groups[0], idOf(w)) })
	return false
}

// meeting is the region that begins at a branch, if its ways should be kept together and none are.
func (e *explorer) meeting(p *ssa.Path, ways []ssa.Way, free bool) (region, bool) {
	switch {
	case !free:
	case e.answers.asked(p):
		return region{serial: p.Serial(), answer: true, until: p.Taken + maxAnswer}, true
	case e.meetsSoon(p, ways):
		end, _ := p.PostDominator(ways[0].From)
		return region{serial: p.Serial(), end: end}, true
	}
	return region{}, false
}

// region is the region of the top activation, if its ways are kept together.
func (s *state) region() *region {
	if n := len(s.regions); n > 0 && s.regions[n-1].serial == s.p.Serial() {
		return &s.regions[n-1]
	}
	return nil
}

func idOf(w *ssa.Way) verdict.PathWay { return verdict.PathWay(w.WayID) }

// prune drops the ways on which no run is.
func (e *explorer) prune(s *state) {
	var gone []verdict.PathWay
	ways := s.p.Ways()
	for i := range ways {
		w := &ways[i]
		if w.Known {
			continue
		}
		w.Known = true
		if e.st.IsFalse(w.Guard().All()) || !e.c.at(e.ctx, w.Guard()).feasible {
			gone = append(gone, idOf(w))
		}
	}
	if len(gone) == 0 {
		return
	}
	e.move(s, true, gone)
	s.p.Keep(func(w *ssa.Way) bool { return !slices.Contains(gone, idOf(w)) })
}

// move writes down what is done with ways.
func (e *explorer) move(s *state, drop bool, ways []verdict.PathWay) {
	s.node.Moves = append(s.node.Moves, verdict.PathMove{Step: s.p.Steps, Drop: drop, Ways: ways})
}

// groups divides ways such that those of a group can be joined. They may be those of an activation that answers a question.
func (e *explorer) groups(p *ssa.Path, ways []ssa.Way, answer bool) [][]verdict.PathWay {
	mergeable := func(a, b *ssa.Way) bool { return p.Mergeable(a, b, false) }
	if answer && e.answers.tail(p.Func(), ways[0].To) {
		mergeable = func(a, b *ssa.Way) bool { return p.Mergeable(a, b, true) && e.c.aboutOne(a.Guard(), b.Guard()) }
	}
	var groups [][]verdict.PathWay
	var firsts []*ssa.Way
next:
	for i := range ways {
		w := &ways[i]
		for k, f := range firsts {
			if f.To == w.To && mergeable(f, w) {
				groups[k] = append(groups[k], idOf(w))
				continue next
			}
		}
		firsts = append(firsts, w)
		groups = append(groups, []verdict.PathWay{idOf(w)})
	}
	return groups
}

// split divides a path by its ways: each group is one of its own, and taken. The first keeps
// what no other has: nothing is taken if it is nil.
func (e *explorer) split(s *state, groups [][]verdict.PathWay) {
	n := s.node
	n.End = s.p.Steps
	rest := map[verdict.PathWay]bool{}
	for _, g := range groups[1:] {
		for _, w := range g {
			rest[w] = true
		}
	}
	var parts []*state
	for _, g := range groups[1:] {
		q := &state{p: s.p.Fork(), node: &verdict.PathNode{Operand: -1}, choices: s.choices}
		q.p.Keep(func(w *ssa.Way) bool { return slices.Contains(g, idOf(w)) })
		q.p.Take(func(*ssa.Way) bool { return true })
		parts = append(parts, q)
	}
	first := &state{p: s.p, node: &verdict.PathNode{Operand: -1}, choices: s.choices, regions: s.regions}
	s.p.Keep(func(w *ssa.Way) bool { return !rest[idOf(w)] })
	s.p.Restart()
	n.Parts = append(n.Parts, verdict.PathPart{Node: first.node})
	if groups[0] != nil {
		e.move(first, false, groups[0])
		s.p.Take(func(w *ssa.Way) bool { return slices.Contains(groups[0], idOf(w)) })
	}
	for i, q := range parts {
		n.Parts = append(n.Parts, verdict.PathPart{Ways: groups[i+1], Node: q.node})
	}
	e.add(first)
	for _, q := range parts {
		e.add(q)
	}
}

// shortCircuit finds a way into a block that is another test of a condition of several: it has no other
// predecessor and no effect, and one of its successors is the target of another way. Taken now,
// it adds a way that can be joined with that one, though all ways together meet nowhere near.
func (e *explorer) shortCircuit(p *ssa.Path, ways []ssa.Way) *ssa.Way {
	f := p.Func()
	for i := range ways {
		w := &ways[i]
		if w.To == 0 || len(f.Blocks[w.To].Preds) != 1 || len(f.Succs(w.To)) < 2 || !e.tests(f, w.To) {
			continue
		}
		for _, to := range f.Succs(w.To) {
			if slices.ContainsFunc(ways, func(x ssa.Way) bool { return x.To == to }) {
				return w
			}
		}
	}
	return nil
}

// maxTest bounds the instructions of a block that is a test.
const maxTest = 24

// tests says whether a block only computes a condition.
func (e *explorer) tests(f *ir.Func, b ir.BlockID) bool {
	instrs := f.Blocks[b].Instrs
	if len(instrs) > maxTest {
		return false
	}
	for _, v := range instrs {
		switch d := f.Def(v); d.Op {
		case ir.Call:
			if callee := e.m.Func(d.Sym); callee == nil || !callee.Model {
				return false
			}
		case ir.Store, ir.MemCpy, ir.MemSet, ir.Havoc, ir.Alloca, ir.Malloc, ir.Free, ir.LifetimeStart, ir.LifetimeEnd,
			ir.StackSave, ir.StackRestore, ir.VaStart, ir.Assume, ir.Nondet:
			return false
		}
	}
	return true
}

// maxRegion bounds the blocks of a region.
const maxRegion = 40

// meetsSoon says whether all ways behind a branch meet at its postdominator, with few blocks
// and no loop before.
func (e *explorer) meetsSoon(p *ssa.Path, ways []ssa.Way) bool {
	from := ways[0].From
	for _, w := range ways {
		if w.From != from || !p.Returns(w.To) {
			return false
		}
	}
	end, ok := p.PostDominator(from)
	if !ok {
		return false
	}
	f := p.Func()
	seen := map[ir.BlockID]bool{}
	var stack []ir.BlockID
	push := func(from, to ir.BlockID) bool {
		if to == end {
			return true
		}
		if to == 0 || p.Order(to) <= p.Order(from) {
			return false
		}
		if !seen[to] {
			seen[to] = true
			stack = append(stack, to)
		}
		return len(seen) <= maxRegion
	}
	for _, w := range ways {
		if !push(from, w.To) {
			return false
		}
	}
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, to := range f.Succs(b) {
			if p.Returns(to) && !push(b, to) {
				return false
			}
		}
	}
	return true
}
