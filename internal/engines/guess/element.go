package guess

import (
	"math/big"

	"assay/internal/evidence/invariant"
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// This file evaluates predicates with ranges in states of runs. There are many
// candidates, visits and indices: nearly all are evaluated with 64 bits, and the
// elements of an array are read at once; the others by package invariant.

// maxEvaluated bounds the indices for which a predicate is evaluated at each end of
// its range.
const maxEvaluated = 100

// rangeHolds evaluates a predicate with a range in a state of a run, for the
// first and the last indices of the range. What is not there counts as true.
func rangeHolds(m *ir.Module, p invariant.ForAll, s interp.State) bool {
	from, ok := boundOf(m, &p.Range.From, s)
	to, ok2 := boundOf(m, &p.Range.To, s)
	if !ok || !ok2 || from >= to {
		return true
	}
	if !fits(&p.Body) || from <= -1<<40 || to >= 1<<40 {
		return invariant.Holds(p, func(t invariant.Term, k int64) (bv.BV, bool) { return valueOf(m, &t, s, k) }, maxEvaluated)
	}
	e := evaluation{m: m, p: &p.Body, s: s}
	if to-from <= 2*maxEvaluated {
		return e.quickly(from, to)
	}
	return e.quickly(from, from+maxEvaluated) && e.quickly(to-maxEvaluated, to)
}

// boundOf is a bound of a range; ok is false if it is not there, or has more than 64 bits.
func boundOf(m *ir.Module, x *invariant.Sum, s interp.State) (n int64, ok bool) {
	small := x.Const.BitLen() < 62
	for i := range x.Terms {
		small = small && narrow(&x.Terms[i])
	}
	if small {
		n = x.Const.Int64()
		for i := range x.Terms {
			v, ok := scalarOf(m, &x.Terms[i], s)
			if !ok {
				return 0, false
			}
			n += x.Terms[i].Coeff * v
		}
		return n, true
	}
	sum := new(big.Int).Set(x.Const)
	for i := range x.Terms {
		v, ok := valueOf(m, &x.Terms[i], s, 0)
		if !ok {
			return 0, false
		}
		y := v.Unsigned()
		if x.Terms[i].Signed {
			y = v.Signed()
		}
		sum.Add(sum, y.Mul(y, big.NewInt(x.Terms[i].Coeff)))
	}
	return sum.Int64(), sum.IsInt64()
}

// narrow says that a few summands like this have a sum of less than 63 bits.
func narrow(t *invariant.Term) bool { return t.Bits <= 32 && Magnitude(t.Coeff) < 1<<20 }

// fits says that the sums of a predicate have less than 63 bits for indices of 40.
func fits(p *invariant.Comparison) bool {
	if p.Bound.BitLen() > 60 || p.Relation == invariant.Congruent && (p.Modulus == 0 || p.Modulus > 1<<60) {
		return false
	}
	for i := range p.Terms {
		t := &p.Terms[i]
		if !t.Index && !narrow(t) || Magnitude(t.Coeff) >= 1<<20 {
			return false
		}
	}
	return true
}

// evaluation is that of one predicate in one state.
type evaluation struct {
	m *ir.Module
	p *invariant.Comparison
	s interp.State
}

// quickly evaluates the predicate for the indices from lo up to hi.
func (e evaluation) quickly(lo, hi int64) bool {
	n := int(hi - lo)
	var few [2 * maxEvaluated]int64
	var missing [2 * maxEvaluated]bool
	sums := few[:n]
	for i := range sums {
		sums[i] = -e.p.Bound.Int64()
	}
	for i := range e.p.Terms {
		t := &e.p.Terms[i]
		switch {
		case t.Index:
			for k := range sums {
				x := lo + int64(k)
				if t.Square { // modulo a power of two
					x *= x
				}
				sums[k] += t.Coeff * x
			}
		case t.Stride == 0:
			v, ok := scalarOf(e.m, t, e.s)
			if !ok {
				return true
			}
			for k := range sums {
				sums[k] += t.Coeff * v
			}
		default:
			size := uint64(t.Bits / 8)
			at := e.s.Value(t.Value).Uint64() + t.Offset + t.Stride*uint64(lo)
			all, together := e.s.Memory(e.address(at), t.Stride*uint64(n-1)+size)
			for k := range sums {
				var b []byte
				ok := together
				if together {
					b = all[t.Stride*uint64(k):][:size]
				} else {
					b, ok = e.s.Memory(e.address(at+t.Stride*uint64(k)), size)
				}
				if !ok {
					missing[k] = true
					continue
				}
				x := uint64(0)
				for j := len(b) - 1; j >= 0; j-- {
					x = x<<8 | uint64(b[j])
				}
				sums[k] += t.Coeff * Number(x, t.Bits, t.Signed)
			}
		}
	}
	for k, sum := range sums {
		if missing[k] {
			continue
		}
		switch e.p.Relation {
		case invariant.AtMost:
			if sum > 0 {
				return false
			}
		case invariant.NotEqual:
			if sum == 0 {
				return false
			}
		default:
			if sum%int64(e.p.Modulus) != 0 {
				return false
			}
		}
	}
	return true
}

func (e evaluation) address(a uint64) uint64 { return addressOf(e.m, a) }

// addressOf is an address that may have left the address space.
func addressOf(m *ir.Module, a uint64) uint64 {
	if m.PointerBits < 64 {
		a &= 1<<m.PointerBits - 1
	}
	return a
}

// scalarOf is the integer of a narrow summand that is no element.
func scalarOf(m *ir.Module, t *invariant.Term, s interp.State) (n int64, ok bool) {
	x := s.Value(t.Value).Uint64()
	if t.Cell {
		b, ok := s.Memory(addressOf(m, x+t.Offset), uint64(t.Bits/8))
		if !ok {
			return 0, false
		}
		x = bv.FromBytes(b).Uint64()
	}
	return Number(x, t.Bits, t.Signed), true
}

// valueOf is the value of a term; ok is false if it is not there.
func valueOf(m *ir.Module, t *invariant.Term, s interp.State, k int64) (x bv.BV, ok bool) {
	x = s.Value(t.Value)
	if t.Cell {
		b, ok := s.Memory(addressOf(m, x.Uint64()+t.Offset+t.Stride*uint64(k)), uint64(t.Bits/8))
		if !ok {
			return x, false
		}
		x = bv.FromBytes(b)
	}
	return x, true
}
