package induction

import (
	"assay/internal/invariant"
	"assay/internal/ir"
)

// place is an integer at a loop head: a value, or a scalar in memory, to which
// the value points.
type place struct {
	value  ir.Value
	cell   bool
	bits   uint32
	float  bool   // a floating-point number; see float.go
	global string // in contracts
	old    bool
}

// kind is the type of the number.
func (p place) kind() ir.Type {
	if p.float {
		return ir.FloatType(p.bits)
	}
	return ir.IntType(p.bits)
}

func (p place) term(coeff int64, signed bool) invariant.Term {
	return invariant.Term{Coeff: coeff, Value: p.value, Cell: p.cell, Bits: p.bits, Signed: signed || p.float, Float: p.float, Global: p.global, Old: p.old}
}

func placeOf(t invariant.Term) place {
	return place{t.Value, t.Cell, t.Bits, t.Float, t.Global, t.Old}
}
