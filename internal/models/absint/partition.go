package absint

// Partitions: in a loop around a state machine, or with a flag, what holds depends on the value of one variable, and
// a join over all values forgets it. Here the states of such a loop are kept apart by that value: a partition of
// the states by control, as in [RivalMauborgne07], with values of a variable as tokens.
//
// The variable is a phi of the loop's head, and what it becomes: the phis of the loop that feed it, as long as all that
// they are given are constants, each other, or choices between those (keyedBy): then it is always one of these
// constants, the keys. A node of the analysis is a block with a key:
//
//	(1) A state that arrives at a block with a phi of the variable goes to the node of each key that the phi may
//	    have there, with the phi restricted to it.
//	(2) At other blocks a state keeps its key.
//	(3) The state of a node covers all states that arrive, and at heads of loops it grows by widening, so that
//	    no state changes after some rounds: each cycle of nodes has a head in it. Two rounds go down again.
//
// So the nodes of a block cover together what arrives there. The blocks of loops inside are nodes as well.

import (
	"slices"

	"assay/internal/logic/absdomain"
	"assay/internal/program/ir"
)

// Limits of partitions.
const (
	maxKeys       = 12
	maxKeyedSize  = 300 // blocks of a loop
	maxKeyedRound = 60
)

// keyed is a loop whose states are kept apart by a variable.
type keyed struct {
	phis map[ir.Value]bool // that are the variable
	keys []uint64
	// at has the phi that is the variable behind the phis of a block, 0 if that depends on the way; own is
	// whether it is one of the block.
	at  map[ir.BlockID]ir.Value
	own map[ir.BlockID]bool
}

// part is the state of a block for a key.
type part struct {
	value ir.Value // that has the key; 0 if that depends on the way
	key   uint64
	s     state
}

// Partitions says whether there is a loop whose states Options.Partition keeps apart.
func Partitions(m *ir.Module) bool {
	for _, f := range m.Funcs {
		if f.IsDecl() {
			continue
		}
		w := ir.NewWTO(f)
		for _, b := range w.Blocks {
			if w.IsHead(b) && keyedBy(f, w, b) != nil {
				return true
			}
		}
	}
	return false
}

// keyedBy chooses the variable of a loop: the one that is compared with constants most often. nil if there is none.
func keyedBy(f *ir.Func, w *ir.WTO, h ir.BlockID) *keyed {
	blocks := w.Component(h)
	if len(blocks) > maxKeyedSize {
		return nil
	}
	for _, b := range blocks {
		for _, p := range f.Blocks[b].Preds {
			if b != h && !w.Contains(h, p) {
				return nil // it has several entries
			}
		}
	}
	var best *keyed
	most := 0
	for _, v := range f.Blocks[h].Instrs {
		d := f.Def(v)
		if d.Op != ir.Phi {
			break
		}
		if d.Type.Kind != ir.Int || d.Type.Bits > 64 {
			continue
		}
		k := &keyed{phis: map[ir.Value]bool{}}
		if !k.collect(f, w, h, v) || len(k.keys) < 2 {
			continue
		}
		if n := k.uses(f, blocks); n > most {
			best, most = k, n
			k.place(f, w, h, v)
		}
	}
	return best
}

// collect adds what a value can be.
func (k *keyed) collect(f *ir.Func, w *ir.WTO, h ir.BlockID, v ir.Value) bool {
	add := func(x uint64) {
		if !slices.Contains(k.keys, x) {
			k.keys = append(k.keys, x)
		}
	}
	switch d := f.Def(v); {
	case len(k.keys) > maxKeys:
		return false
	case k.phis[v]:
	case d.Op == ir.Const:
		add(d.Const.Uint64())
	case d.Op == ir.Phi && w.Contains(h, d.Block):
		k.phis[v] = true
		for _, x := range d.Args {
			if !k.collect(f, w, h, x) {
				return false
			}
		}
	case d.Op == ir.Select:
		return k.collect(f, w, h, d.Args[1]) && k.collect(f, w, h, d.Args[2])
	case d.Op == ir.ZExt && f.Type(d.Args[0]) == ir.BoolType:
		add(0)
		add(1)
	default:
		return false
	}
	return true
}

// uses counts the comparisons of the variable with constants, and the switches over it.
func (k *keyed) uses(f *ir.Func, blocks []ir.BlockID) (n int) {
	for _, b := range blocks {
		for _, v := range f.Blocks[b].Instrs {
			switch d := f.Def(v); d.Op {
			case ir.Switch, ir.CondBr, ir.Trunc:
				if k.phis[d.Args[0]] {
					n += max(1, len(d.Cases))
				}
			case ir.Eq, ir.Ne, ir.ULt, ir.ULe, ir.SLt, ir.SLe:
				if k.phis[d.Args[0]] && f.Def(d.Args[1]).Op == ir.Const || k.phis[d.Args[1]] && f.Def(d.Args[0]).Op == ir.Const {
					n++
				}
			}
		}
	}
	return n
}

// place finds out which phi is the variable at each block.
func (k *keyed) place(f *ir.Func, w *ir.WTO, h ir.BlockID, first ir.Value) {
	k.at, k.own = map[ir.BlockID]ir.Value{h: first}, map[ir.BlockID]bool{h: true}
	for _, b := range w.Component(h)[1:] {
		for _, v := range f.Blocks[b].Instrs {
			if f.Def(v).Op != ir.Phi {
				break
			}
			if k.phis[v] && !k.own[b] {
				k.at[b], k.own[b] = v, true
			}
		}
		if k.own[b] {
			continue
		}
		// A block is behind its predecessors in the order, but for those of edges that go back, at heads
		// without a phi of the variable: it does not change in the loop of such a head, or it is dead there.
		for i, p := range f.Blocks[b].Preds {
			if w.IsFeedback(p, b) {
				continue
			}
			if i == 0 || k.at[b] == 0 {
				k.at[b] = k.at[p]
			} else if k.at[b] != k.at[p] {
				k.at[b] = 0
				break
			}
		}
	}
}

// keyedHead is the partition of the loop of a head, nil if there is none.
func (a *analysis) keyedHead(fn *function, h ir.BlockID) *keyed {
	if !a.opts.Partition {
		return nil
	}
	k, known := fn.keyed[h]
	if !known {
		if fn.keyed == nil {
			fn.keyed = map[ir.BlockID]*keyed{}
		}
		k = keyedBy(fn.f, fn.wto, h)
		fn.keyed[h] = k
	}
	return k
}

// partitioned is the work on one loop.
type partitioned struct {
	a     *analysis
	c     *callContext
	k     *keyed
	h     ir.BlockID
	start int
	nodes int // of a block: one for each key
	in    []state
	grown []int
	out   map[int32][]state // of edges, by node
}

// partition iterates the loop of h with its states kept apart; false if it takes too long.
func (a *analysis) partition(c *callContext, h ir.BlockID, k *keyed) bool {
	w := c.fn.wto
	blocks := w.Component(h)
	p := &partitioned{a: a, c: c, k: k, h: h, start: int(w.Order[h]), nodes: len(k.keys), out: map[int32][]state{}}
	p.in, p.grown = make([]state, len(blocks)*p.nodes), make([]int, len(blocks)*p.nodes)
	for _, b := range blocks {
		for _, e := range c.fn.outEdges[b] {
			p.out[e] = make([]state, p.nodes)
		}
	}
	for round := 0; p.up(blocks); round++ {
		if round > maxKeyedRound {
			return false
		}
	}
	for range narrowRounds {
		p.down(blocks)
	}
	p.finish(blocks)
	return true
}

// node is the number of a block with a key.
func (p *partitioned) node(b ir.BlockID, key int) int {
	return (int(p.c.fn.wto.Order[b])-p.start)*p.nodes + key
}

// up is a round up; false if nothing has changed.
func (p *partitioned) up(blocks []ir.BlockID) (changed bool) {
	for _, b := range blocks {
		for key := range p.nodes {
			next, i := p.next(b, key), p.node(b, key)
			if p.a.stateLeq(&next, &p.in[i]) {
				continue
			}
			if p.in[i].reached && p.c.fn.wto.IsHead(b) {
				next = p.a.grow(p.c.fn, b, p.in[i], next, p.grown[i])
				p.grown[i]++
			}
			p.in[i] = next
			p.execute(b, key)
			changed = true
		}
	}
	return changed
}

// down is a round down.
func (p *partitioned) down(blocks []ir.BlockID) {
	for _, b := range blocks {
		for key := range p.nodes {
			i := p.node(b, key)
			if !p.in[i].reached {
				continue
			}
			next := p.next(b, key)
			if p.c.fn.wto.IsHead(b) {
				next = p.a.meetStates(p.in[i], next)
			}
			p.in[i] = next
			p.execute(b, key)
		}
	}
}

// execute visits a block in the state of a node.
func (p *partitioned) execute(b ir.BlockID, key int) {
	c := p.c
	s := &p.in[p.node(b, key)]
	for _, e := range c.fn.outEdges[b] {
		c.edges[e].reached = false
	}
	if s.reached {
		p.a.execute(c, b, s)
	}
	for _, e := range c.fn.outEdges[b] {
		x := c.edges[e]
		x.vals = slices.Clone(x.vals)
		p.out[e][key] = x
	}
}

// next is what arrives at a node.
func (p *partitioned) next(b ir.BlockID, key int) (s state) {
	c := p.c
	for k, e := range c.fn.inEdges[b] {
		if from := c.fn.f.Blocks[b].Preds[k]; !c.fn.wto.Contains(p.h, from) {
			p.arrive(&s, b, key, key, &c.edges[e]) // it is the head, where (1) holds
			continue
		}
		for before := range p.nodes {
			p.arrive(&s, b, key, before, &p.out[e][before])
		}
	}
	return s
}

// arrive joins a state with a key before to that of a node, if it goes there: (1), (2).
func (p *partitioned) arrive(s *state, b ir.BlockID, key, before int, x *state) {
	if !x.reached {
		return
	}
	if !p.k.own[b] {
		if key == before {
			p.join(s, x)
		}
		return
	}
	i := slices.Index(p.c.fn.slots[b], p.k.at[b])
	v := x.vals[i].Int
	if v.Has(p.k.keys[key]) {
		y := *x
		y.vals = slices.Clone(x.vals)
		y.vals[i] = intValue(absdomain.Const(uint32(v.Width), p.k.keys[key]))
		p.join(s, &y)
	}
}

// join makes s an upper bound of itself and x.
func (p *partitioned) join(s, x *state) {
	if !s.reached {
		*s = state{reached: true, vals: slices.Clone(x.vals), mem: x.mem}
		return
	}
	for i := range s.vals {
		if s.vals[i] != x.vals[i] {
			s.vals[i] = p.a.sets.join(&s.vals[i], &x.vals[i])
		}
	}
	s.mem = p.a.joinMemory(s.mem, x.mem)
}

// finish leaves the states for those who look at blocks and edges as if there were no partition.
func (p *partitioned) finish(blocks []ir.BlockID) {
	c := p.c
	if c.parts == nil {
		c.parts = map[ir.BlockID][]part{}
	}
	for _, b := range blocks {
		var all state
		var parts []part
		for key := range p.nodes {
			if s := &p.in[p.node(b, key)]; s.reached {
				p.join(&all, s)
				parts = append(parts, part{p.k.at[b], p.k.keys[key], *s})
			}
		}
		c.in[b], c.parts[b] = all, parts
		for _, e := range c.fn.outEdges[b] {
			var all state
			for key := range p.nodes {
				if x := &p.out[e][key]; x.reached {
					p.join(&all, x)
				}
			}
			c.edges[e] = all
		}
	}
}

// Case is what holds at a block when a value is a certain one.
type Case struct {
	Value ir.Value
	Key   uint64
	Invariant
}

// Cases are the cases of a block in the context, of which one holds each time; none if it was not partitioned.
func (c *Context) Cases(b ir.BlockID) (out []Case) {
	parts := c.c.parts[b]
	if slices.ContainsFunc(parts, func(p part) bool { return p.value == 0 }) {
		return nil
	}
	for i := range parts {
		out = append(out, Case{parts[i].value, parts[i].key, c.invariant(b, &parts[i].s)})
	}
	return out
}
