package floats

import "assay/internal/logic/term"

// This file adds [Muller18], with one shifter to the right and one to the left.
//
// Let |x| >= |y|. The significand of y is shifted right by the distance of the
// exponents, and added to that of x or subtracted from it. Three more places on
// the right are enough: if the distance is at least 2, the difference loses at
// most one leading bit, so a guard and a sticky bit remain below the precision;
// if it is less, the third place has caught everything. A place on the left
// takes the carry.
//
// No operand needs to be normalised, and no result needs to be shifted right
// again because it is subnormal: the exponent of x is at least 1 and only goes
// down as far as that. (A subnormal sum is exact [Muller18].)

// Add is a + b.
func Add(store *term.Store, f Format, a, b term.ID) term.ID {
	c := circuit{store}
	magnitude := func(t term.ID) term.ID { return c.Extract(t, f.Width()-2, 0) }
	swap := c.ULt(magnitude(a), magnitude(b))
	x := c.decode(f, c.Ite(swap, b, a))
	y := c.decode(f, c.Ite(swap, a, b))
	subtract := c.Xor(x.sign, y.sign)

	distance := c.subtract(c.resize(x.exponent, f.Exponent), c.resize(y.exponent, f.Exponent))
	wide := f.precision() + 4
	shifted := c.shiftRightSticky(c.padRight(y.significand, 3), distance)
	sum := c.addOrSubtract(subtract, c.widen(c.padRight(x.significand, 3), wide), c.widen(shifted, wide))
	significand, e := c.normaliseSum(sum, x.exponent)

	// The sum of equal magnitudes is a zero if the signs differ, and this zero
	// is +0. In any other case x has the sign.
	sign := c.Ite(c.Eq(magnitude(a), magnitude(b)), c.And(x.sign, y.sign), x.sign)
	// NaNs are above infinities in magnitude, so x is one if any is.
	nan := c.Or(x.nan, c.And(c.And(x.inf, y.inf), subtract))
	return c.finish(f, nan, sign, c.pack(f, e, significand, x.inf))
}
