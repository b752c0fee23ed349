package ic3

import (
	"container/heap"

	"assay/internal/finite/ic3/cdcl"
	"assay/internal/finite/ts"
	"assay/internal/run/pause"
)

// This file blocks proof obligations.

// obligation is a cube all of whose states reach a bad state: with its inputs in
// one step a state of next, or, without next, badness itself. It is to be shown
// unreachable in frame steps.
type obligation struct {
	cube    cube
	frame   int
	depth   int    // number of steps to the bad state
	inputs  []bool // of the circuit
	next    *obligation
	serial  int
	blocked int // how often it was blocked by a new lemma
}

// queue has the obligation of the lowest frame on top, among these the deepest,
// and then the latest.
type queue struct{ items []*obligation }

func (q *queue) Len() int      { return len(q.items) }
func (q *queue) Swap(i, j int) { q.items[i], q.items[j] = q.items[j], q.items[i] }
func (q *queue) Push(x any)    { q.items = append(q.items, x.(*obligation)) }
func (q *queue) Less(i, j int) bool {
	a, b := q.items[i], q.items[j]
	if a.frame != b.frame {
		return a.frame < b.frame
	}
	if a.depth != b.depth {
		return a.depth > b.depth
	}
	return a.serial > b.serial
}

func (q *queue) Pop() any {
	o := q.items[len(q.items)-1]
	q.items = q.items[:len(q.items)-1]
	return o
}

func (e *engine) push(o *obligation) {
	e.stats.Obligations++
	o.serial = e.stats.Obligations
	heap.Push(&e.queue, o)
}

// badState is an obligation for a bad state of the last frame, or nil.
func (e *engine) badState() (*obligation, error) {
	pause.Wait(e.ctx)
	if err := e.ctx.Err(); err != nil {
		return nil, err
	}
	k := e.last()
	e.assumed = append(append(e.assumed[:0], e.active(k)...), e.bad)
	switch e.solvers[k].Solve(e.assumed, nil) {
	case cdcl.Unknown:
		return nil, e.ctx.Err()
	case cdcl.Unsat:
		return nil, nil
	}
	c, inputs := e.lift(e.solvers[k], nil)
	return &obligation{cube: c, frame: k, inputs: inputs}, nil
}

// block makes the obligation's states, and all predecessors met on the way,
// unreachable within their frames, or returns an obligation that contains an
// initial state.
func (e *engine) block(first *obligation) (*obligation, error) {
	if first.frame == 0 || e.initial(first.cube) {
		return first, nil
	}
	e.push(first)
	for e.queue.Len() > 0 {
		o := heap.Pop(&e.queue).(*obligation)
		if e.blocked(o.cube, o.frame) {
			e.later(o)
			continue
		}
		r, err := e.step(o.frame-1, o.cube, true)
		if err != nil {
			return nil, err
		}
		if r == cdcl.Sat {
			c, inputs := e.lift(e.solvers[o.frame-1], o.cube)
			p := &obligation{cube: c, frame: o.frame - 1, depth: o.depth + 1, inputs: inputs, next: o}
			if p.frame == 0 || e.initial(c) {
				return p, nil
			}
			e.push(o)
			e.push(p)
			continue
		}
		c, err := e.generalise(e.core(o.frame-1, o.cube), o.frame, e.effort(o), 0)
		if err != nil {
			return nil, err
		}
		level, err := e.forward(c, o.frame, e.last())
		if err != nil {
			return nil, err
		}
		forever := false
		if level == e.last() {
			if forever, err = e.tryForever(c); err != nil {
				return nil, err
			}
		}
		if !forever {
			e.add(c, level, 0)
		}
		o.blocked++
		o.frame = level
		e.later(o)
	}
	return nil, nil
}

// later asks for the obligation again, one frame later.
func (e *engine) later(o *obligation) {
	if o.frame < e.last() {
		o.frame++
		e.push(o)
	}
}

// forward is the highest level, up to most, at which the lemma ¬c holds, which
// holds at the given one.
func (e *engine) forward(c cube, level, most int) (int, error) {
	for level < most {
		r, err := e.step(level, c, true)
		if err != nil {
			return 0, err
		}
		if r != cdcl.Unsat {
			break
		}
		level++
	}
	return level, nil
}

// counterexample is the run from an initial state in o.
func (e *engine) counterexample(o *obligation) *ts.Run {
	r := &ts.Run{Latches: make([]bool, len(e.c.Latches))}
	for i, reset := range e.reset {
		r.Latches[i] = reset == 1
	}
	for _, l := range o.cube {
		r.Latches[l.latch()] = l&1 == 0
	}
	for ; o != nil; o = o.next {
		r.Inputs = append(r.Inputs, o.inputs)
	}
	return r
}
