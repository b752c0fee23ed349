package cut

import (
	"assay/internal/evidence/invariant"
	"assay/internal/program/ir"
)

// Place is an integer at a loop head: a value, or a scalar in memory, Offset bytes behind
// where the value points.
type Place struct {
	Value  ir.Value
	Cell   bool
	Bits   uint32
	Float  bool   // a floating-point number; see float.go
	Global string // in contracts
	Old    bool
	Offset uint64 // of a cell
}

// kind is the type of the number.
func (p Place) kind() ir.Type {
	if p.Float {
		return ir.FloatType(p.Bits)
	}
	return ir.IntType(p.Bits)
}

// Term is the place as a summand, read as a signed or unsigned integer.
func (p Place) Term(coeff int64, signed bool) invariant.Term {
	return invariant.Term{Coeff: coeff, Value: p.Value, Cell: p.Cell, Bits: p.Bits, Signed: signed || p.Float, Float: p.Float, Global: p.Global, Old: p.Old, Offset: p.Offset}
}

// PlaceOf is the place that a summand reads.
func PlaceOf(t invariant.Term) Place {
	return Place{t.Value, t.Cell, t.Bits, t.Float, t.Global, t.Old, t.Offset}
}
