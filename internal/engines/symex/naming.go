package symex

// Names for what a loop leaves in memory. while (a[j] > 0) a[j]--; ends because of the
// value of one cell, of which nothing is known where the loop begins. So when a path comes
// back to the node where it began, and knows a cell in a place that is the same in both
// states, the cell becomes part of the node, with a symbol that may be anything at
// first. Later states need no such cell to be instances (Cell.Named).
//
// Only places whose offset has symbols are named, in the first joins of a node.

import (
	"slices"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// nameable says whether a cell of the second state is one of which the first knows
// nothing, in a place that is the same in both: a loop may change what is there, and end
// by it.
func (j *joiner) nameable(o *object, q *cell) bool {
	if q.Type.Kind != ir.Int || q.Type.Bits%8 != 0 || q.Value.Kind != symgraph.Int || o.Pristine || q.Offset.IsConstant() {
		return false
	}
	for _, t := range q.Offset.Terms {
		if f, bound := j.bound[t.Var]; !bound || !f.Equal(linear.Variable(t.Var)) {
			return false
		}
	}
	return !slices.ContainsFunc(o.Cells, func(n cell) bool { return n.Type == q.Type && n.Offset.Equal(q.Offset) })
}

// name gives the value of such a cell a symbol: in the first state it is any value.
func (j *joiner) name(o *object, q *cell) {
	g, ok := j.x.fits(q.Value.Form, q.Type.Bits, true)
	if !ok {
		return
	}
	low, high := rangeOf(q.Type.Bits, true)
	a, v := j.x.fresh(low, high), j.x.fresh(low, high)
	n, _ := v.IsVariable()
	j.pairs = append(j.pairs, pair{a: a, b: g, symbol: n, fresh: true})
	j.bound[n] = g
	o.Cells = append(o.Cells, cell{Offset: q.Offset, Type: q.Type, Value: integer(v), Named: true})
}

// names says whether the state b, an instance of a, knows such cells.
func (j *joiner) names(a, b *state) bool {
	for i := range a.Objects {
		if o := &a.Objects[i]; o.List == nil && (o.Global == nil || !o.Global.Constant) {
			if slices.ContainsFunc(b.Objects[i].Cells, func(q cell) bool { return j.nameable(o, &q) }) {
				return true
			}
		}
	}
	return false
}
