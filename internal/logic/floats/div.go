package floats

import "assay/internal/logic/term"

// This file divides by restoring division [Muller18], one digit of
// the quotient and one subtraction of precision+1 bits at a time.
//
// With both significands in [1, 2) the quotient is in (1/2, 2). If it is below
// 1, the dividend is doubled and the exponent reduced by 1. So the first digit
// is 1, precision more digits make the rest of the significand and the guard,
// and the sticky bit is whether the last remainder is not 0.
//
// Tried on paper and dropped: bit-vector division of the significands, widened
// to twice the precision, does twice as many steps that are twice as wide;
// non-restoring division replaces a multiplexer a bit by an exclusive or a bit,
// which is no smaller.

// Div is a / b.
func Div(store *term.Store, f Format, a, b term.ID) term.ID {
	c := circuit{store}
	x, y := c.decode(f, a), c.decode(f, b)
	ex, sx := c.normalised(x)
	ey, sy := c.normalised(y)
	p := f.precision()

	less := c.ULt(sx, sy)
	e := c.plus(c.minus(ex, ey), c.either(less, f.bias()-1, f.bias()))
	dividend := c.Ite(less, c.padRight(sx, 1), c.ZExt(sx, p+1))
	// The remainder is below the divisor from here on.
	rest := c.Extract(c.subtract(dividend, c.ZExt(sy, p+1)), p-1, 0)
	quotient := c.ones(1)
	for range p {
		var digit term.ID
		digit, rest = c.subtractIfAtMost(c.padRight(rest, 1), sy, p)
		quotient = c.Concat(quotient, c.BoolToBV(digit))
	}
	significand := c.Concat(quotient, c.BoolToBV(c.any(rest)))

	nan := c.Or(c.Or(x.nan, y.nan), c.Or(c.And(x.inf, y.inf), c.And(x.zero, y.zero)))
	sign := c.Xor(x.sign, y.sign)
	magnitude := c.encode(f, e, significand, c.Or(x.inf, y.zero))
	magnitude = c.Ite(c.Or(x.zero, y.inf), c.zeros(c.Width(magnitude)), magnitude)
	return c.finish(f, nan, sign, magnitude)
}
