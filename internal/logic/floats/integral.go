package floats

import "assay/internal/logic/term"

// This file rounds to an integral value, in the format: floor, ceil, trunc,
// round, rint.
//
// For |x| >= 1 the bits of the fraction that weigh less than 1 are a mask of
// ones, as long as the exponent is small. In the pattern of the magnitude, as
// an integer, the bit above the mask weighs 1, and a carry into the exponent
// field is right (see encode.go). So rounding is adding a number below the bit
// that weighs 1, and clearing the bits of the mask:
//
//	to zero          0
//	away from zero   mask                  up and down, for one of the signs
//	nearest, away    half = mask/2 + 1/2
//	nearest, even    half - 1, or half if the bit that weighs 1 is set
//
// This needs no shifter but the one that makes the mask, which is cheap because
// it shifts a constant. Below 1 the result is 0 or 1.

// Round is a rounded to an integral value. The sign stays, on zeros as well.
func Round(store *term.Store, f Format, mode term.RoundMode, a term.ID) term.ID {
	c := circuit{store}
	x := c.decode(f, a)
	bias := c.ConstU(f.Exponent, uint64(f.bias()))
	mask := c.shiftRight(c.ones(f.Significand), c.Sub(x.field, bias))

	// Below 1, the order of patterns tells on which side of 1/2 a number is.
	below := c.ULt(x.field, bias)
	half := c.half(f)
	addend, carry, one := c.zeros(f.Significand), c.False(), c.False()
	away := func(condition term.ID) {
		addend = c.Ite(condition, mask, addend)
		one = c.And(condition, c.Not(x.zero))
	}
	switch mode {
	case term.RoundNearestEven, term.RoundNearestAway:
		addend = c.Concat(c.zeros(1), mask)
		addend = c.Extract(addend, f.Significand, 1)
		carry, one = c.bit(mask, 0), c.ULe(half, x.magnitude)
		if mode == term.RoundNearestEven {
			unit := c.BVAnd(c.Concat(mask, c.ones(1)), c.BVNot(c.ZExt(mask, f.precision())))
			odd := c.any(c.BVAnd(unit, c.Concat(c.ones(1), x.fraction)))
			carry, one = c.And(carry, odd), c.ULt(half, x.magnitude)
		}
	case term.RoundTowardZero:
	case term.RoundUp:
		away(c.Not(x.sign))
	case term.RoundDown:
		away(x.sign)
	default:
		panic("floats: rounding mode out of range")
	}
	w := f.Exponent + f.Significand
	sum := c.addWithCarry(x.magnitude, c.ZExt(addend, w), carry)
	magnitude := c.BVAnd(sum, c.BVNot(c.ZExt(mask, w)))
	least := c.Ite(one, c.padRight(bias, f.Significand), c.zeros(w))
	return c.finish(f, x.nan, x.sign, c.Ite(below, least, magnitude))
}

// half is the magnitude of 1/2, which is subnormal if the bias is 1.
func (c circuit) half(f Format) term.ID {
	if f.bias() == 1 {
		return c.widen(c.padRight(c.ones(1), f.Significand-1), f.Exponent+f.Significand)
	}
	return c.padRight(c.ConstU(f.Exponent, uint64(f.bias()-1)), f.Significand)
}
