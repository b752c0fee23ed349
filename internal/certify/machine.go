package certify

import (
	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/program/ir"
)

// This file drives the encoding: a machine with an explicit stack that lays
// out and encodes the unwound program in one sweep.
//
// An activation of a function is a frame. In it, the body of the function is
// swept once, node by node in the order of loops.go; a node that is a loop is
// swept as often as back edges arrive at its head. A call is an edge into the
// entry of a new frame, its returns are edges back to the instruction after it:
//
//	frame of main          frame of f
//	  ...                    ...
//	  node: block 3 ──call──▶ node: block 1
//	  node: loop 4            node: loop 2, iteration 7
//	                            node: block 3          ◀── the machine is here
//
// Nothing is taken from the top frame's callers before it is done, and within
// a frame nothing from an outer region before the inner one is, so the order of
// encoding is topological if each region's is. An edge that points to a node
// already passed would break that; deliver refuses it.

// edge is a way into an instance, or out of a call.
type edge struct {
	guard  term.ID
	mem    *memory.State
	values []value // of the target's phis, then of its live slots; or results
}

// sweep is a region in the course of being encoded.
type sweep struct {
	region *region
	at     int32
	// count is the number of back edges taken in this execution of the loop,
	// entered the guard with which it began.
	count   int
	entered term.ID
	next    []edge
	selected
}

// frame is one activation of a function.
type frame struct {
	fn     *function
	caller *frame
	env    []value
	stamp  []uint32 // the instance that set env
	now    uint32
	// arrivals are the edges into blocks that are not encoded yet.
	arrivals [][]edge
	sweeps   []sweep
	returns  []edge
	variadic []argument
	// stack are the stack objects made by this activation, on any path.
	stack []stackObject
	// The block under way: 0 if none. pc is the index of its next instruction.
	block ir.BlockID
	pc    int
	guard term.ID
	mem   *memory.State
	// The call under way.
	call *pendingCall
	// entered is the guard with which the activation began.
	entered term.ID
	// context numbers the call string, in inductions.
	context int32
	// nest is the recursion around, activation is set in a recursive function;
	// see recursion.go.
	nest       *nest
	activation *activation
}

// always is the stamp of values that belong to the whole activation.
const always = ^uint32(0)

// argument is a variable argument.
type argument struct {
	value
	t ir.Type
}

type stackObject struct {
	object memory.ObjectID
	number uint64 // in the order of creation of all stack objects
}

// run encodes everything that the stack of frames holds.
func (c *checker) run() error {
	for c.top != nil {
		fr := c.top
		if fr.call != nil {
			if err := c.resume(fr); err != nil {
				return err
			}
			continue
		}
		if fr.block != 0 {
			if err := c.execute(fr); err != nil {
				return err
			}
			continue
		}
		s := &fr.sweeps[len(fr.sweeps)-1]
		s.at++
		switch {
		case int(s.at) < len(s.region.nodes):
			n := s.region.nodes[s.at]
			if n.inner == nil {
				c.begin(fr, n.block)
			} else if edges := fr.arrived(n.inner); len(edges) > 0 && c.induction != nil {
				c.enterLoop(fr, n.inner, edges)
			} else if len(edges) > 0 {
				fr.sweeps = append(fr.sweeps, sweep{region: n.inner, at: -1, entered: c.either(edges)})
			}
		case len(s.next) > 0:
			if err := c.iterate(fr, s); err != nil {
				return err
			}
		case len(fr.sweeps) > 1:
			fr.sweeps = fr.sweeps[:len(fr.sweeps)-1]
		default:
			c.leave(fr)
		}
	}
	return nil
}

// arrived lists the edges that have arrived at the entries of a loop.
func (fr *frame) arrived(r *region) []edge {
	if len(r.entries) == 1 {
		return fr.arrivals[r.entries[0]]
	}
	var all []edge
	for _, b := range r.entries {
		all = append(all, fr.arrivals[b]...)
	}
	return all
}

// iterate starts the next iteration of a loop, or stops at its bound.
func (c *checker) iterate(fr *frame, s *sweep) error {
	head := s.region.head
	edges := s.next
	s.next = nil
	s.count++
	if c.induction != nil {
		c.nextVisit(fr, edges)
		return nil
	}
	if bound := fr.fn.bounds[head]; s.count > bound {
		c.claim(limit, fr, c.either(edges), c.blockValue(fr.fn, head), "the loop takes more than %d back edges", bound)
		return nil
	}
	feasible, err := c.worthwhile(s.count, fr.fn.bounds[head], s.entered, edges)
	if err != nil || !feasible {
		return err
	}
	fr.arrivals[head] = edges
	s.at = -1
	return nil
}

// begin takes up a block at which edges have arrived.
func (c *checker) begin(fr *frame, b ir.BlockID) {
	edges := fr.arrivals[b]
	if len(edges) == 0 {
		return
	}
	fr.arrivals[b] = nil
	c.start(fr, b, c.join(edges))
}

// start begins a block with what an edge carries.
func (c *checker) start(fr *frame, b ir.BlockID, in edge) {
	if c.st.IsFalse(in.guard) {
		return
	}
	fr.now++
	phis := fr.fn.phis[b]
	for i, v := range phis {
		fr.set(v, in.values[i])
	}
	for i, v := range fr.fn.live[b] {
		fr.set(v, in.values[len(phis)+i])
	}
	fr.block, fr.pc = b, len(phis)
	fr.guard, fr.mem = in.guard, in.mem
}

func (fr *frame) set(v slot, x value) {
	fr.env[v] = x
	fr.stamp[v] = fr.now
}

// get is the value of an operand in the instance under way.
func (fr *frame) get(v slot) value {
	if int(v) < len(fr.fn.isConstant) && fr.fn.isConstant[v] {
		return fr.fn.constants[v]
	}
	if s := fr.stamp[v]; s != fr.now && s != always {
		panic("certify: a value of " + fr.fn.f.Name + " is used where it was not carried to")
	}
	return fr.env[v]
}

// deliver adds an edge from the block under way to its successor number i.
func (c *checker) deliver(fr *frame, i int, guard term.ID, mem *memory.State) {
	fn := fr.fn
	from, to := fr.block, fn.f.Succs(fr.block)[i]
	h := fn.loops.hops[from][i]
	if c.induction != nil {
		for _, s := range fr.sweeps[h.depth+1:] {
			guard = c.st.And(guard, c.st.Not(s.skipped))
		}
		if c.st.IsFalse(guard) {
			return
		}
	}
	phis, live := fn.phis[to], fn.live[to]
	e := edge{guard: guard, mem: mem, values: c.values(len(phis) + len(live))}
	if len(phis) > 0 {
		p := predecessor(fn.f, from, to, i)
		for k, v := range phis {
			e.values[k] = fr.get(fn.f.Values[v].Args[p])
		}
	}
	for k, v := range live {
		e.values[len(phis)+k] = fr.get(v)
	}
	s := &fr.sweeps[h.depth]
	switch {
	case h.back:
		s.next = append(s.next, e)
	case h.node <= s.at:
		panic("certify: an edge of " + fn.f.Name + " points behind the sweep")
	default:
		fr.arrivals[to] = append(fr.arrivals[to], e)
	}
}

// predecessor is the position, among the predecessors of a block, of the edge
// that is successor number i of another: of several edges between the two, the
// first comes first in both lists.
func predecessor(f *ir.Func, from, to ir.BlockID, i int) int {
	earlier := 0
	for _, s := range f.Succs(from)[:i] {
		if s == to {
			earlier++
		}
	}
	for p, b := range f.Blocks[to].Preds {
		if b == from {
			if earlier == 0 {
				return p
			}
			earlier--
		}
	}
	panic("certify: the predecessors of " + f.Name + " do not match its successors")
}

// values is a slice for the values of an edge; edges live shortly, so many
// share an allocation.
func (c *checker) values(n int) []value {
	if n > len(c.slab) {
		c.slab = make([]value, max(n, 1024))
	}
	v := c.slab[:n:n]
	c.slab = c.slab[n:]
	return v
}

// either is the condition that one of the edges is taken.
func (c *checker) either(edges []edge) term.ID {
	g := edges[len(edges)-1].guard
	for i := len(edges) - 2; i >= 0; i-- {
		g, _ = c.union(edges[i].guard, g)
	}
	return g
}

// join makes one way of several, whose guards exclude each other. The last is
// joined first: it is the one that has come farthest, and shares most with its
// neighbour.
func (c *checker) join(edges []edge) edge {
	acc := edges[len(edges)-1]
	for i := len(edges) - 2; i >= 0; i-- {
		e := edges[i]
		both, cond := c.union(e.guard, acc.guard)
		values := c.values(len(acc.values))
		for k, x := range e.values {
			values[k] = c.choose(cond, x, acc.values[k])
		}
		if e.mem != acc.mem {
			acc.mem = memory.Join(cond, e.mem, acc.mem)
		}
		acc.guard, acc.values = both, values
	}
	return acc
}

// choose is x where cond holds, y elsewhere.
func (c *checker) choose(cond term.ID, x, y value) value {
	if x == y {
		return x
	}
	return value{Value: c.sp.Ite(cond, x.Value, y.Value), loose: x.loose || y.loose}
}
