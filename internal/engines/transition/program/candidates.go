package program

import (
	"math/big"

	"assay/internal/evidence/invariant"
	"assay/internal/finite/ts"
	"assay/internal/program/ir"
)

// This file makes predicates of loop heads of clauses over bits: bits that are known
// at a location are a remainder modulo a power of two, if they are the lowest, and
// bounds, if they are the highest. Callers prove them again.

// Candidates are the predicates that clauses suggest. They are about the integers of
// the heads' own functions.
func (s *System) Candidates(inv *ts.Invariant) []invariant.Head {
	var out []invariant.Head
	names := newNamer(s)
	for i, at := range s.layout.locations {
		if i == 0 {
			continue
		}
		zeros, ones := s.knownBits(i, inv.Clauses)
		o := s.layout.flat.Blocks[at.block]
		h := invariant.Head{Func: o.Activation.Func.Name, Head: o.Block, Pos: headPos(o.Activation.Func, o.Block)}
		for k := range s.States {
			if zeros[k]|ones[k] == 0 {
				continue
			}
			t, ok := names.term(i, int32(k))
			if ok && t.Up == 0 && t.Bits <= 64 && (t.Cell || o.Activation.Func.Def(t.Value).Type.Kind == ir.Int) {
				h.Predicates = append(h.Predicates, ofBits(t, zeros[k], ones[k])...)
			}
		}
		if len(h.Predicates) > 0 {
			out = append(out, h)
		}
	}
	return out
}

// knownBits are the bits of the states that clauses of one literal fix at a location.
func (s *System) knownBits(location int, clauses [][]ts.Literal) (zeros, ones []uint64) {
	zeros, ones = make([]uint64, len(s.States)), make([]uint64, len(s.States))
next:
	for _, c := range clauses {
		var unit ts.Literal
		n := 0
		for _, l := range c {
			switch value, known := s.constantAt(location, l); {
			case known && value:
				continue next
			case !known:
				unit = l
				n++
			}
		}
		switch {
		case n != 1 || unit.Bit > 63:
		case unit.Negated:
			zeros[unit.State] |= 1 << unit.Bit
		default:
			ones[unit.State] |= 1 << unit.Bit
		}
	}
	return zeros, ones
}

// ofBits are predicates of an integer with known bits.
func ofBits(t invariant.Term, zeros, ones uint64) (out []invariant.Predicate) {
	all := ^uint64(0) >> (64 - t.Bits)
	if zeros&ones != 0 {
		return nil
	}
	add := func(coeff int64, signed bool, r invariant.Relation, bound *big.Int, modulus uint64) {
		x := t
		x.Coeff, x.Signed = coeff, signed
		out = append(out, invariant.Comparison{Terms: []invariant.Term{x}, Relation: r, Bound: bound, Modulus: modulus})
	}
	known := (zeros | ones) & all
	low := uint(0)
	for low < uint(t.Bits) && known>>low&1 == 1 {
		low++
	}
	if low > 0 && low < uint(t.Bits) {
		mask := uint64(1)<<low - 1
		add(1, false, invariant.Congruent, new(big.Int).SetUint64(ones&mask), mask+1)
	}
	if known>>(t.Bits-1)&1 == 0 {
		return out
	}
	least, most := ones&all, all&^zeros
	add(1, false, invariant.AtMost, new(big.Int).SetUint64(most), 0)
	add(-1, false, invariant.AtMost, new(big.Int).Neg(new(big.Int).SetUint64(least)), 0)
	size := new(big.Int).Lsh(big.NewInt(1), uint(t.Bits))
	number := func(v uint64) *big.Int { // as signed
		n := new(big.Int).SetUint64(v)
		if v>>(t.Bits-1)&1 == 1 {
			n.Sub(n, size)
		}
		return n
	}
	add(1, true, invariant.AtMost, number(most), 0)
	add(-1, true, invariant.AtMost, new(big.Int).Neg(number(least)), 0)
	return out
}
