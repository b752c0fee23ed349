package floats

import (
	"math/bits"

	"assay/internal/logic/term"
)

// This file computes with exponents. An exponent is a two's complement term
// with bounds known when the circuit is built. From the bounds follow the
// number of bits that a sum needs, the number of stages that a shift needs,
// and whether a result can overflow or underflow at all.
//
// Exponents are biased as in the format that they belong to, but not limited to
// its range: a normal number of format f has an exponent in [1, f.special()-1].

// exponent is a term whose value, as a signed number, lies in [lo, hi]. The
// bounds need not hold where the significand is 0 or the number is special: the
// bits are then arbitrary, and its users must not depend on them.
type exponent struct {
	bits   term.ID
	lo, hi int64
}

// signedWidth is the number of bits for all of [lo, hi] in two's complement.
func signedWidth(lo, hi int64) uint32 {
	magnitude := max(hi, -lo-1, 0)
	return uint32(bits.Len64(uint64(magnitude))) + 1
}

// unsigned makes an exponent of a field without sign.
func (c circuit) unsigned(field term.ID, lo, hi int64) exponent {
	w := signedWidth(lo, hi)
	if w <= c.Width(field) {
		return exponent{c.Extract(field, w-1, 0), lo, hi}
	}
	return exponent{c.ZExt(field, w), lo, hi}
}

// integer is a constant.
func (c circuit) integer(v int64) exponent {
	w := signedWidth(v, v)
	return exponent{c.ConstU(w, uint64(v)&(1<<w-1)), v, v}
}

// either is one of two constants. It costs no gates.
func (c circuit) either(condition term.ID, v, w int64) exponent {
	lo, hi := min(v, w), max(v, w)
	width := signedWidth(lo, hi)
	return exponent{c.Ite(condition, c.resize(c.integer(v), width), c.resize(c.integer(w), width)), lo, hi}
}

// resize is the bits of e in the given width: with more sign bits, or the
// lowest bits only.
func (c circuit) resize(e exponent, width uint32) term.ID {
	switch w := c.Width(e.bits); {
	case w < width:
		return c.SExt(e.bits, width)
	case w > width:
		return c.Extract(e.bits, width-1, 0)
	}
	return e.bits
}

// plus is a + b.
func (c circuit) plus(a, b exponent) exponent {
	lo, hi := a.lo+b.lo, a.hi+b.hi
	w := signedWidth(lo, hi)
	return exponent{c.Add(c.resize(a, w), c.resize(b, w)), lo, hi}
}

// minus is a - b.
func (c circuit) minus(a, b exponent) exponent {
	lo, hi := a.lo-b.hi, a.hi-b.lo
	w := signedWidth(lo, hi)
	return exponent{c.subtract(c.resize(a, w), c.resize(b, w)), lo, hi}
}

// within is e with tighter bounds that the caller knows.
func (c circuit) within(e exponent, lo, hi int64) exponent {
	lo, hi = max(lo, e.lo), min(hi, e.hi)
	return exponent{c.resize(e, signedWidth(lo, hi)), lo, hi}
}

// atLeast says whether e >= v.
func (c circuit) atLeast(e exponent, v int64) term.ID {
	switch {
	case e.lo >= v:
		return c.True()
	case e.hi < v:
		return c.False()
	}
	w := c.Width(e.bits)
	return c.SLe(c.resize(c.integer(v), w), e.bits)
}
