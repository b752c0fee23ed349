package floats

import "assay/internal/logic/term"

// This file converts from integers: the magnitude is normalised, which gives
// the exponent, and rounded as any result. An integer is never subnormal, and
// it overflows only in formats with a small exponent.

// FromSI is the signed integer a in format f.
func FromSI(store *term.Store, f Format, a term.ID) term.ID {
	c := circuit{store}
	sign := c.top(a)
	return c.Concat(c.BoolToBV(sign), c.fromInteger(f, c.negateIf(sign, a)))
}

// FromUI is the unsigned integer a in format f.
func FromUI(store *term.Store, f Format, a term.ID) term.ID {
	c := circuit{store}
	return c.widen(c.fromInteger(f, a), f.Width())
}

func (c circuit) fromInteger(f Format, a term.ID) term.ID {
	width := int64(c.Width(a))
	significand, places := a, c.integer(0)
	if width > 1 {
		significand, places = c.normalise(a)
	}
	e := c.minus(c.integer(width-1+f.bias()), places)
	return c.pack(f, c.within(e, f.bias(), e.hi), significand, c.False())
}
