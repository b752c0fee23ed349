package floats

import "assay/internal/logic/term"

// This file takes square roots digit by digit, as one does by hand, in base 2
// [Muller18].
//
// The radicand is the significand, doubled if the exponent is odd, so it is in
// [1, 4) and the root is in [1, 2) with half of the exponent. For the n highest
// digits Q of the root and the remainder R of the radicand's first 2n digits,
//
//	R = radicand - Q²   and   0 <= R <= 2·Q,
//
// and the next digit is 1 exactly if 4·R + (next two digits) >= 4·Q + 1, which
// is then subtracted. So R has n+1 bits, and the subtractions are only half as
// wide as the root on average. precision+1 digits give the significand and the
// guard, and the sticky bit is whether R is not 0. The root of a number of f
// is never subnormal, and never overflows, for all formats but the smallest
// ones; the bounds of the exponent know.

// Sqrt is the square root of a.
func Sqrt(store *term.Store, f Format, a term.ID) term.ID {
	c := circuit{store}
	x := c.decode(f, a)
	ex, sx := c.normalised(x)
	p := f.precision()

	// The bias is odd: the exponent without bias is odd if ex is even.
	odd := c.Not(c.bit(ex.bits, 0))
	biased := c.plus(ex, c.integer(f.bias()))
	w := c.Width(biased.bits)
	e := exponent{c.SExt(c.Extract(biased.bits, w-1, 1), w), biased.lo >> 1, biased.hi >> 1}
	e = c.within(e, e.lo, e.hi)

	radicand := c.Ite(odd, c.padRight(sx, 1), c.ZExt(sx, p+1))
	radicand = c.padRight(radicand, p+1) // 2(p+1) digits
	next := 2*(p+1) - 2
	// The first digit of the root is 1.
	rest := c.Sub(c.Extract(radicand, next+1, next), c.ConstU(2, 1))
	root := c.ones(1)
	for n := uint32(1); n <= p; n++ {
		next -= 2
		rest = c.Concat(rest, c.Extract(radicand, next+1, next))
		var digit term.ID
		digit, rest = c.subtractIfAtMost(rest, c.Concat(root, c.ConstU(2, 1)), n+2)
		root = c.Concat(root, c.BoolToBV(digit))
	}
	significand := c.Concat(root, c.BoolToBV(c.any(rest)))

	nan := c.Or(x.nan, c.And(x.sign, c.Not(x.zero)))
	result := c.ZExt(c.encode(f, e, significand, c.False()), f.Width())
	// The roots of +0, -0 and of the infinity are these themselves.
	result = c.Ite(c.Or(x.zero, x.inf), x.bits, result)
	return c.Ite(nan, f.nan(c), result)
}
