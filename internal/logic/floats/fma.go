package floats

import (
	"math/bits"

	"assay/internal/logic/term"
)

// This file multiplies and adds with a single rounding [Muller18]. It is the
// multiplication of mul.go followed by the addition of add.go in a window of
// 2·precision + 2 bits, with these differences.
//
// The product, not normalised, is in [1, 4). It is put into the window with the
// place of 2 at the top, so it may have one leading zero; its exponent is that
// of the top place. The addend is not normalised either; its exponent is at
// least 1. The one with the larger exponent stays, the other one is shifted
// right with a sticky bit:
//
//   - Nothing is lost by a shift of at most 2, since neither has more than
//     2·precision bits.
//   - By a shift of 3 or more the one shifted is below 1/4 of the window's top,
//     and the one that stays is at least 1/2, unless it is a subnormal addend.
//     So the result has at most two leading zeros, and there are a guard and a
//     sticky bit below its precision.
//   - If a subnormal addend stays, the exponent is 1 and the result is not
//     shifted left at all, so guard and sticky bit are there as well.
//
// The larger exponent need not belong to the larger number, so a difference may
// be negative and is negated then. The exponent that stays is at least 1 as in
// addition, and the sum is normalised and packed in the same way.

// FMA is a × b + d, rounded once.
func FMA(store *term.Store, f Format, a, b, d term.ID) term.ID {
	c := circuit{store}
	x, y, z := c.decode(f, a), c.decode(f, b), c.decode(f, d)
	ex, sx := c.normalised(x)
	ey, sy := c.normalised(y)
	p := f.precision()
	window := 2*p + 2

	e := c.plus(c.plus(ex, ey), c.integer(1-f.bias()))
	product := c.padRight(c.product(f, sx, sy), 2)
	addend := c.padRight(z.significand, p+2)
	productSign := c.Xor(x.sign, y.sign)
	productZero := c.Or(x.zero, y.zero)

	distance := c.minus(e, z.exponent)
	negative := c.Not(c.atLeast(distance, 0))
	// The exponent of a product that is 0 means nothing: the addend stays.
	stays := c.Or(negative, productZero)
	large, small := c.Ite(stays, addend, product), c.Ite(stays, product, addend)
	amount := c.resize(distance, uint32(bits.Len64(uint64(max(distance.hi, -distance.lo)))))
	shifted := c.shiftRightSticky(small, c.negateIf(negative, amount))
	top := exponent{
		c.Ite(stays, c.resize(z.exponent, signedWidth(1, e.hi)), c.resize(e, signedWidth(1, e.hi))),
		1, e.hi,
	}

	// One more place for the carry, and one for the sign of a difference.
	subtract := c.Xor(productSign, z.sign)
	sum := c.addOrSubtract(subtract, c.ZExt(large, window+2), c.ZExt(shifted, window+2))
	under := c.And(subtract, c.top(sum))
	sum = c.negateIf(under, c.Extract(sum, window, 0))
	significand, e := c.normaliseSum(sum, top)

	productInf := c.Or(x.inf, y.inf)
	// A sum that is exactly 0 is -0 only if both parts are.
	sign := c.Xor(c.Ite(stays, z.sign, productSign), under)
	sign = c.Ite(c.none(sum), c.And(productSign, z.sign), sign)
	sign = c.Ite(productInf, productSign, c.Ite(z.inf, z.sign, sign))
	nan := c.Or(c.Or(x.nan, y.nan), z.nan)
	nan = c.Or(nan, c.And(productInf, productZero))
	nan = c.Or(nan, c.And(c.And(productInf, z.inf), subtract))
	return c.finish(f, nan, sign, c.pack(f, e, significand, c.Or(productInf, z.inf)))
}
