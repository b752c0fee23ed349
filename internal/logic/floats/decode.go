package floats

import (
	"fmt"

	"assay/internal/logic/term"
)

// This file takes numbers apart [Muller18].
//
// A finite number of format f with exponent field e and fraction F is
//
//	normal:    e >= 1    1.F × 2^(e - bias)
//	subnormal: e == 0    0.F × 2^(1 - bias)
//
// so with e' = max(e, 1) and the hidden bit h = (e >= 1) both are h.F × 2^(e' -
// bias). That is enough for addition. Multiplication, division and square root
// want h = 1, which normalised gets by shifting, at the price of a wider
// exponent.

// operand is a number in parts. Its significand, of precision bits, is meant
// with one bit before the point.
type operand struct {
	bits        term.ID // the pattern
	sign        term.ID // Bool
	magnitude   term.ID // the pattern without the sign
	field       term.ID // exponent field
	fraction    term.ID
	exponent    exponent // max(field, 1)
	significand term.ID  // with the hidden bit
	nan         term.ID  // Bool
	inf         term.ID  // Bool
	zero        term.ID  // Bool
}

func (c circuit) decode(f Format, x term.ID) operand {
	if c.Width(x) != f.Width() || f.Exponent < 2 || f.Exponent > 30 || f.Significand < 1 {
		panic(fmt.Sprintf("floats: %d bits as %v", c.Width(x), f))
	}
	e, s := f.Exponent, f.Significand
	o := operand{
		bits:      x,
		sign:      c.bit(x, e+s),
		magnitude: c.Extract(x, e+s-1, 0),
		field:     c.Extract(x, e+s-1, s),
		fraction:  c.Extract(x, s-1, 0),
	}
	special := c.Eq(o.field, c.ones(e))
	small := c.none(o.field)
	whole := c.none(o.fraction)
	o.nan = c.And(special, c.Not(whole))
	o.inf = c.And(special, whole)
	o.zero = c.And(small, whole)
	least := c.BVOr(o.field, c.widen(c.BoolToBV(small), e))
	o.exponent = c.unsigned(least, 1, f.special())
	o.significand = c.Concat(c.BoolToBV(c.Not(small)), o.fraction)
	return o
}

// normalised is a significand whose top bit is 1, unless x is 0, and the
// exponent for it, which is below 1 for subnormal x.
func (c circuit) normalised(x operand) (exponent, term.ID) {
	significand, zeros := c.normalise(x.significand)
	return c.minus(x.exponent, zeros), significand
}
