package product

import (
	"slices"

	"assay/internal/program/ir"
	"assay/internal/temporal/buchi"
)

// This file prepares what is said of runs that observe nothing any more (P4): which loops may
// be without observations, and which observations may be the last one.

// findSilence finds the loops that may observe nothing: those of the graph without the blocks that
// observe.
func (c *copier) findSilence() {
	n := len(c.flat.Blocks)
	observes := make([]bool, n)
	for b := range c.flat.Blocks {
		observes[b] = slices.ContainsFunc(c.flat.Blocks[b].Instrs, func(v ir.Value) bool {
			d := c.flat.Def(v)
			return d.Op == ir.Label && d.Sym == observeLabel
		})
	}
	// A block without observation is in such a loop if it reaches itself by such blocks. Every
	// loop has a head of a component or comes through one; marking all heads in cyclic
	// components without observation marks one in each loop.
	g := buchi.Graph{N: n, Next: func(b int, visit func(int)) {
		if b == 0 || observes[b] {
			return
		}
		for _, s := range c.flat.Succs(ir.BlockID(b)) {
			if !observes[s] {
				visit(int(s))
			}
		}
	}}
	components := g.Components()
	for k, states := range components.States {
		if !components.Cyclic[k] {
			continue
		}
		c.quiet = true
		for _, b := range states {
			if c.wto.Order[b] >= 0 && c.wto.IsHead(ir.BlockID(b)) {
				c.silence[b] = true
			}
		}
	}
}

// findLasts finds the observations that may be the last ones. Where an edge to a sink could be
// taken, it is.
func (c *copier) findLasts() {
	c.falls = make([]bool, len(c.automaton.Edges))
	for _, es := range c.automaton.Edges {
		var lasts [][]buchi.Cube
		for _, e := range es {
			var cubes []buchi.Cube
			for _, l := range c.stuttering[e.To] {
				if l, ok := l.And(e.Label); ok {
					cubes = append(cubes, l)
				}
			}
			for _, s := range es {
				if !c.sink[s.To] {
					continue
				}
				var rest []buchi.Cube
				for _, l := range cubes {
					rest = append(rest, l.Without(s.Label)...)
				}
				cubes = rest
			}
			lasts = append(lasts, cubes)
			c.falls[e.To] = c.falls[e.To] || len(cubes) > 0
		}
		c.lasts = append(c.lasts, lasts)
	}
}
