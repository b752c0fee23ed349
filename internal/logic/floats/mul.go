package floats

import "assay/internal/logic/term"

// This file multiplies [Muller18]. Both significands are
// normalised, so their product, of twice the precision, is in [1, 4), and one
// conditional shift by one place normalises it. The integer multiplication is
// nearly the whole cost: about 8·precision² and-gates, while normalising an
// operand first costs 3·precision·log2(precision).

// Mul is a × b.
func Mul(store *term.Store, f Format, a, b term.ID) term.ID {
	c := circuit{store}
	x, y := c.decode(f, a), c.decode(f, b)
	ex, sx := c.normalised(x)
	ey, sy := c.normalised(y)

	product := c.product(f, sx, sy)
	large := c.top(product) // in [2, 4)
	e := c.plus(c.plus(ex, ey), c.either(large, 1-f.bias(), -f.bias()))
	significand := c.condense(product, f.precision()+2)
	w := c.Width(significand)
	significand = c.Ite(large, significand, c.padRight(c.Extract(significand, w-2, 0), 1))

	nan := c.Or(c.Or(x.nan, y.nan), c.Or(c.And(x.inf, y.zero), c.And(x.zero, y.inf)))
	sign := c.Xor(x.sign, y.sign)
	return c.finish(f, nan, sign, c.encode(f, e, significand, c.Or(x.inf, y.inf)))
}

// product is the product of two significands in twice the precision.
func (c circuit) product(f Format, x, y term.ID) term.ID {
	w := 2 * f.precision()
	return c.Mul(c.ZExt(x, w), c.ZExt(y, w))
}
