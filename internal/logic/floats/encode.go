package floats

import (
	"math/bits"

	"assay/internal/logic/term"
)

// This file rounds exact results to nearest even and packs them [Muller18].
//
// An exact result is given as a significand of any width with the point after
// its top bit, and an exponent. Bits that do not fit the precision are guard,
// the first one, and sticky, the disjunction of the others:
//
//	1 . f f f f f  g  s s s s
//	    fraction   |  any -> sticky
//
// The result goes up to the next number if guard ∧ (sticky ∨ lowest f). The
// patterns of the numbers of one sign are ordered as the numbers are, so going
// up is adding 1 to exponent and fraction as one integer: the carry makes a
// normal number of the largest subnormal one, the next power of two, or an
// infinity, as it should be.

// encode is the magnitude nearest to the significand × 2^(e - bias), where the
// top bit of the significand is 1, or all of it is 0; an infinity if the
// condition holds. A number below the normal ones is first shifted right to
// exponent 1.
func (c circuit) encode(f Format, e exponent, significand, infinite term.ID) term.ID {
	significand = c.condense(significand, f.precision()+1)
	if e.lo < 1 {
		// A subnormal number needs a guard and a sticky bit in any case.
		if w := c.Width(significand); w < f.precision()+2 {
			significand = c.padRight(significand, f.precision()+2-w)
		}
		small := c.Not(c.atLeast(e, 1))
		missing := c.minus(c.integer(1), e)
		w := uint32(bits.Len64(uint64(missing.hi)))
		amount := c.Ite(small, c.resize(missing, w), c.zeros(w))
		significand = c.shiftRightSticky(significand, amount)
	}
	return c.pack(f, e, significand, infinite)
}

// pack is encode for a significand whose top bit is 1 exactly if the number is
// normal; e is then at least 1. If it is 0, e is not looked at and the bits are
// those of a subnormal number, in units of exponent 1.
func (c circuit) pack(f Format, e exponent, significand, infinite term.ID) term.ID {
	p := f.precision()
	if w := c.Width(significand); w < p {
		significand = c.padRight(significand, p-w)
	}
	w := c.Width(significand)
	normal := c.top(significand)
	field := c.Ite(normal, c.resize(e, f.Exponent), c.zeros(f.Exponent))
	magnitude := c.Concat(field, c.Extract(significand, w-2, w-p))
	if w > p {
		guard := c.bit(significand, w-p-1)
		up := c.bit(significand, w-p)
		if w > p+1 {
			up = c.Or(up, c.any(c.Extract(significand, w-p-2, 0)))
		}
		one := c.BoolToBV(c.And(guard, up))
		magnitude = c.Add(magnitude, c.widen(one, f.Exponent+f.Significand))
	}
	if e.hi >= f.special() {
		infinite = c.Or(infinite, c.And(normal, c.atLeast(e, f.special())))
	}
	return c.Ite(infinite, f.infinity(c), magnitude)
}
