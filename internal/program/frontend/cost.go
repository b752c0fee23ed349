package frontend

import (
	"slices"

	"assay/internal/program/ir"
)

// CostFunction is the function by which a program says what it costs.
const CostFunction = "__assay_cost"

// cost is a call of it: one of a function without body, if anybody wants to know.
func (f *function) cost(c *externalCall) []ir.Value {
	if !f.im.opts.Costs {
		return nil
	}
	m := f.im.m
	if !slices.ContainsFunc(m.Funcs, func(g *ir.Func) bool { return g.Name == CostFunction }) {
		g := ir.NewFunc(m, CostFunction)
		g.Param(m.WordType())
		g.Done()
	}
	f.b.Call(ir.Type{}, CostFunction, f.word(c, 0))
	return nil
}
