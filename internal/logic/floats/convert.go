package floats

import "assay/internal/logic/term"

// This file converts between formats. The exponent gets the other bias, and the
// rest is rounding, or nothing at all if the result has the larger precision
// and range. The source has to be normalised only if its subnormal numbers are
// neither subnormal in the result in the same way (same exponent width), nor
// below half of the smallest number of the result.

// Convert is a of one format in another.
func Convert(store *term.Store, from, to Format, a term.ID) term.ID {
	c := circuit{store}
	x := c.decode(from, a)
	bias := to.bias() - from.bias()
	e, significand := x.exponent, x.significand
	if bias != 0 && bias > -int64(to.precision())-1 {
		e, significand = c.normalised(x)
	}
	e = c.plus(e, c.integer(bias))
	return c.finish(to, x.nan, x.sign, c.encode(to, e, significand, x.inf))
}
