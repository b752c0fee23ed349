package product

import (
	"fmt"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/temporal/buchi"
)

// This file appends what the automaton does at observations and ends (P2, P3, P5).

// dead ends a run that is none.
func (c *copier) dead() {
	c.b.Assume(c.boolean(false))
	c.b.Unreachable()
	c.values.edges(c.b.Current())
}

// violation fails the check of (P5).
func (c *copier) violation(pos ir.Pos) {
	c.b.SetPos(pos)
	c.b.Check(ir.Assertion, c.boolean(false), c.q.Violation)
}

// holds is the conjunction of the atoms of a cube, 0 if it is always true.
func (c *copier) holds(l buchi.Cube, atoms []ir.Value) ir.Value {
	var all ir.Value
	for i := range c.automaton.Atoms {
		bit := uint64(1) << i
		if (l.Pos|l.Neg)&bit == 0 {
			continue
		}
		v := c.values.emit(ir.Def{Op: ir.Freeze, Type: ir.BoolType, Args: []ir.Value{atoms[i]}})
		if l.Neg&bit != 0 {
			v = c.b.Op(ir.Xor, ir.BoolType, v, c.boolean(true))
		}
		if all == 0 {
			all = v
		} else {
			all = c.b.Op(ir.And, ir.BoolType, all, v)
		}
	}
	return all
}

// any is the disjunction of cubes.
func (c *copier) any(ls []buchi.Cube, atoms []ir.Value) ir.Value {
	any := c.boolean(false)
	for i, l := range ls {
		h := c.holds(l, atoms)
		switch {
		case h == 0:
			return c.boolean(true)
		case i == 0:
			any = h
		default:
			any = c.b.Op(ir.Or, ir.BoolType, any, h)
		}
	}
	return any
}

// split calls f for each state of a part, in a block of its own.
func (c *copier) split(part int, f func(state int)) {
	states := c.states(part)
	if len(states) == 1 {
		f(states[0])
		return
	}
	b := c.b
	here := b.Current()
	def := ir.Def{Op: ir.Switch, Args: []ir.Value{c.state}}
	var blocks []ir.BlockID
	for i, q := range states {
		blocks = append(blocks, b.Block(fmt.Sprint("state", q)))
		if i > 0 {
			def.Cases = append(def.Cases, bv.New(stateBits, uint64(q)))
		}
	}
	def.Succs = blocks
	c.values.emit(def)
	c.values.edges(here, make([]edge, len(blocks))...)
	for i, q := range states {
		b.At(blocks[i])
		f(q)
	}
}

// step chooses the edge of the automaton at an observation in a state; n is the place behind
// it, in the part before it.
func (c *copier) step(n node, state int, d *ir.Def) {
	b := c.b
	edges := c.automaton.Edges[state]
	var order []int // edges to sinks first
	for _, first := range []bool{true, false} {
		for i, e := range edges {
			if c.sink[e.To] == first {
				order = append(order, i)
			}
		}
	}
	for i, k := range order {
		e := edges[k]
		// Whether there is a choice between this edge and a later one.
		choice := false
		for _, l := range order[i+1:] {
			_, both := e.Label.And(edges[l].Label)
			choice = choice || both && !c.sink[e.To]
		}
		take := c.holds(e.Label, d.Args)
		if choice {
			chosen := b.Nondet(ir.BoolType, ir.NondetInput, Choice)
			if take == 0 {
				take = chosen
			} else {
				take = b.Op(ir.And, ir.BoolType, take, chosen)
			}
		}
		last := i == len(edges)-1
		var rest ir.BlockID
		switch {
		case last && take != 0:
			b.Assume(take)
		case take != 0:
			on, here := b.Block("edge"), b.Current()
			rest = b.Block("choice")
			b.CondBr(take, on, rest)
			c.values.edges(here, edge{}, edge{})
			b.At(on)
		}
		if c.sink[e.To] {
			c.violation(d.Pos)
		}
		if c.automaton.Accepting[e.To] {
			b.Emit(ir.Def{Op: ir.Accept, Pos: d.Pos})
		}
		if c.quiet && !c.sink[e.To] {
			c.values.define(c.stay, c.any(c.lasts[state][k], d.Args))
		}
		c.arrive(e.To)
		to := node{n.block, n.cut, c.parts.Of[e.To], n.phase}
		if to.part != n.part {
			to.phase = len(c.wto.Heads[n.block])
		}
		c.jump(to, edge{})
		if rest == 0 {
			return // this edge is taken if no other one was
		}
		b.At(rest)
	}
	if len(edges) == 0 {
		c.dead()
	}
}

// end repeats the last state of the program for ever, if the automaton accepts that.
func (c *copier) end(state int, d *ir.Def) {
	b := c.b
	if !c.sink[state] {
		b.Assume(c.any(c.stuttering[state], d.Args))
		c.violation(d.Pos)
	}
	here := b.Current()
	if c.forever == 0 {
		c.forever = b.Block("ended")
		b.At(c.forever)
		b.Emit(ir.Def{Op: ir.Accept})
		b.Br(c.forever)
		c.values.edges(c.forever, edge{})
		b.At(here)
	}
	b.Br(c.forever)
	c.values.edges(here, edge{})
}
