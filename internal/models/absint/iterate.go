package absint

// The fixpoint of one function in one context.
//
// States are kept on edges: the values that the target needs (its phis and what
// is live there) and the memory. The state at a block is the join of its incoming
// edges. Components of the weak topological order are iterated recursively
// [Bourdoncle93, §4]: the state at the head grows with every round, from the third
// round on by widening, until the join of its edges is no longer larger. Then
// two rounds go down again: the state at the head becomes what its edges say,
// met with what it was. Each state of that descent contains the least fixpoint,
// because the least fixpoint's image is itself. In these rounds the components
// inside start anew, so that what widening lost in them is regained. In the rounds up
// they go on from the state that they had, which is most often what they come to again:
// else the work would multiply with each level of nested loops.

import (
	"slices"

	"assay/internal/logic/absdomain"
	"assay/internal/program/ir"
)

// state is what is known at a point of a function. Values correspond to the
// slots of a block.
type state struct {
	reached bool
	vals    []Value
	mem     store
}

const (
	joinRounds   = 2  // at a head, before widening
	steppedUntil = 8  // then the thresholds are those of the loop alone (limits.go)
	nearUntil    = 10 // then widening without thresholds
	stableUntil  = 17 // then giving up what still changes
	narrowRounds = 2
)

// run iterates the body of c to a fixpoint, from c.entry.
func (a *analysis) run(c *callContext) {
	fn := c.fn
	for e := range c.edges {
		c.edges[e].reached = false
	}
	c.exit = exit{}
	fr := fn.newFrame()
	saved := c.frame
	c.frame = fr
	a.sequence(c, 0, len(fn.wto.Blocks), false)
	c.frame = saved
	fn.free = append(fn.free, fr)
}

// sequence visits the blocks of the order from i up to end; with again, the states of
// the components in it may be those of the visit before.
func (a *analysis) sequence(c *callContext, i, end int, again bool) {
	w := c.fn.wto
	for i < end {
		b := w.Blocks[i]
		if w.IsHead(b) {
			a.component(c, b, again)
			i = int(w.End[b])
			continue
		}
		a.block(c, b)
		i++
	}
}

// component iterates the component of head h, from what it was or anew.
func (a *analysis) component(c *callContext, h ir.BlockID, again bool) {
	if k := a.keyedHead(c.fn, h); k != nil && a.partition(c, h, k) {
		return
	}
	w := c.fn.wto
	start, end := int(w.Order[h]), int(w.End[h])
	for _, b := range w.Blocks[start:end] {
		delete(c.parts, b)
	}
	if !again {
		// Nothing has come back yet.
		for k, p := range c.fn.f.Blocks[h].Preds {
			if w.Order[p] >= 0 && w.IsFeedback(p, h) {
				c.edges[c.fn.inEdges[h][k]].reached = false
			}
		}
	}
	in := a.joinEdges(c, h)
	in.vals = slices.Clone(in.vals)
	if again && in.reached && c.in[h].reached {
		in = a.grow(c.fn, h, c.in[h], in, 0)
	}
	for round := 0; ; round++ {
		c.in[h] = in
		if !in.reached {
			// The body must forget what an earlier visit has left on its edges,
			// unless it is entered elsewhere; those edges are from outside.
			a.clear(c, start, end)
		}
		a.visitHead(c, h)
		a.sequence(c, start+1, end, again || round > 0)
		next := a.joinEdges(c, h)
		if a.stateLeq(&next, &in) {
			break
		}
		in = a.grow(c.fn, h, in, next, round)
	}
	for range narrowRounds {
		next := a.joinEdges(c, h)
		lower := a.meetStates(in, next)
		if !lower.reached || a.stateLeq(&in, &lower) {
			break
		}
		in = lower
		c.in[h] = in
		a.visitHead(c, h)
		a.sequence(c, start+1, end, false)
	}
}

// clear marks the edges that leave the blocks of a part of the order unreached.
func (a *analysis) clear(c *callContext, start, end int) {
	for _, b := range c.fn.wto.Blocks[start:end] {
		for _, e := range c.fn.outEdges[b] {
			c.edges[e].reached = false
		}
	}
}

// visitHead runs the head from c.in.
func (a *analysis) visitHead(c *callContext, h ir.BlockID) {
	if c.in[h].reached {
		a.execute(c, h, &c.in[h])
	}
}

// block visits a block that is no head.
func (a *analysis) block(c *callContext, b ir.BlockID) {
	c.in[b] = a.joinEdges(c, b)
	if !c.in[b].reached {
		for _, e := range c.fn.outEdges[b] {
			c.edges[e].reached = false
		}
		return
	}
	a.execute(c, b, &c.in[b])
}

// joinEdges is the state at b by its incoming edges. The entry block has no
// predecessors; its state is that of the entry.
func (a *analysis) joinEdges(c *callContext, b ir.BlockID) state {
	fn := c.fn
	if b == 1 {
		s := state{reached: true, mem: c.entry.mem, vals: make([]Value, len(fn.slots[b]))}
		for i, v := range fn.slots[b] {
			s.vals[i] = c.param(v)
		}
		return s
	}
	var s state
	owned := false
	for _, e := range fn.inEdges[b] {
		x := &c.edges[e]
		switch {
		case !x.reached:
		case !s.reached:
			s = *x
		default:
			if !owned {
				s.vals = append([]Value(nil), s.vals...)
				owned = true
			}
			for i := range s.vals {
				if s.vals[i] != x.vals[i] {
					s.vals[i] = a.sets.join(&s.vals[i], &x.vals[i])
				}
			}
			s.mem = a.joinMemory(s.mem, x.mem)
		}
	}
	return s
}

// grow is an upper bound of in and next, for round number round at the head h.
func (a *analysis) grow(fn *function, h ir.BlockID, in, next state, round int) state {
	if !in.reached {
		next.vals = slices.Clone(next.vals)
		return next
	}
	out := state{reached: true, vals: make([]Value, len(in.vals))}
	if round < joinRounds {
		for i := range in.vals {
			out.vals[i] = in.vals[i]
			if in.vals[i] != next.vals[i] {
				out.vals[i] = a.sets.join(&in.vals[i], &next.vals[i])
			}
		}
		out.mem = a.joinMemory(in.mem, next.mem)
		return out
	}
	stage, limits := 0, a.limits
	switch {
	case round >= stableUntil:
		stage = 2
	case round >= nearUntil:
		stage = 1
	case round >= steppedUntil:
		limits = a.near(fn, h)
	}
	for i := range in.vals {
		out.vals[i] = in.vals[i]
		if in.vals[i] != next.vals[i] {
			out.vals[i] = a.sets.widen(&in.vals[i], &next.vals[i], limits, stage)
		}
	}
	out.mem = a.widenMemory(in.mem, next.mem, limits, stage)
	return out
}

// meetStates is next met with in.
func (a *analysis) meetStates(in, next state) state {
	if !next.reached {
		return next
	}
	out := state{reached: true, mem: next.mem, vals: make([]Value, len(in.vals))}
	for i := range in.vals {
		out.vals[i] = a.sets.meet(&next.vals[i], &in.vals[i])
		if out.vals[i].isBottom() {
			return state{}
		}
	}
	if !a.memoryLeq(next.mem, in.mem) {
		out.mem = in.mem
	}
	return out
}

func (a *analysis) stateLeq(x, y *state) bool {
	if !x.reached {
		return true
	}
	if !y.reached {
		return false
	}
	for i := range x.vals {
		if !a.sets.valueLeq(&x.vals[i], &y.vals[i]) {
			return false
		}
	}
	return a.memoryLeq(x.mem, y.mem)
}

// joinMemory is an upper bound of two memories.
func (a *analysis) joinMemory(x, y store) store {
	return merge(x, y, func(c cellID, v, w *Value) *Value { return a.mergeCell(x, y, c, v, w, a.sets.join) })
}

func (a *analysis) widenMemory(x, y store, t *absdomain.Thresholds, stage int) store {
	return merge(x, y, func(c cellID, v, w *Value) *Value {
		return a.mergeCell(x, y, c, v, w, func(v, w *Value) Value { return a.sets.widen(v, w, t, stage) })
	})
}

// mergeCell merges one cell of two memories; see object.go for what a missing
// one means.
func (a *analysis) mergeCell(x, y store, c cellID, v, w *Value, combine func(v, w *Value) Value) *Value {
	cl := &a.cells[c]
	switch cl.role {
	case lifeCell, sizeCell:
		if v == nil {
			return w
		}
		if w == nil {
			return v
		}
	case pristineCell, smashCell:
		// An object that does not exist in one of them is as in the other.
		life := a.objects[cl.object].life
		if x.get(life) == nil {
			return w
		}
		if y.get(life) == nil {
			return v
		}
		if cl.role == smashCell {
			v, w = a.smashOf(x, cl.object), a.smashOf(y, cl.object)
		}
		if v == nil || w == nil {
			return nil
		}
	case dataCell:
		life := a.objects[cl.object].life
		if x.get(life) == nil {
			return w
		}
		if y.get(life) == nil {
			return v
		}
		if v == nil {
			l := a.loadCell(x, cl)
			v = &l
		}
		if w == nil {
			l := a.loadCell(y, cl)
			w = &l
		}
	}
	if *v == *w {
		return v
	}
	r := combine(v, w)
	if r.Kind == ir.Void && (cl.role == smashCell || cl.role == pristineCell) {
		return nil
	}
	if r == *v {
		return v
	}
	if r == *w {
		return w
	}
	return &r
}

// memoryLeq says whether y knows no more than x.
func (a *analysis) memoryLeq(x, y store) bool {
	return differ(x, y, func(c cellID, v, w *Value) bool {
		cl := &a.cells[c]
		switch cl.role {
		case lifeCell, sizeCell:
			if v == nil || w == nil {
				return v == nil
			}
			return a.sets.valueLeq(v, w)
		}
		life := a.objects[cl.object].life
		if x.get(life) == nil {
			return true
		}
		switch cl.role {
		case pristineCell:
			return w == nil || v != nil
		case smashCell:
			if w == nil || y.get(a.objects[cl.object].pristine) != nil {
				return true // nothing is claimed, or by pristine
			}
			v = a.smashOf(x, cl.object)
			return v != nil && a.sets.valueLeq(v, w)
		}
		if v == nil {
			l := a.loadCell(x, cl)
			v = &l
		}
		if w == nil {
			l := a.loadCell(y, cl)
			w = &l
		}
		return a.sets.valueLeq(v, w)
	})
}
