package floats

import (
	"math/bits"

	"assay/internal/logic/term"
)

// This file converts to integers, toward zero, with one shift to the right. The
// significand is put at the top of a register that is wide enough for it and
// for the integers; shifted right by what the exponent lacks to the weight of
// the top bit, the register holds the integral part, and what falls out is the
// fraction. Numbers below 1 fall out altogether, so that the hidden bit may be
// taken as 1 even for subnormal ones.

// ToSI is a as a signed integer of the given width, rounded toward zero; 0 if
// that is out of range or a is a NaN.
func ToSI(store *term.Store, f Format, a term.ID, width uint32) term.ID {
	c := circuit{store}
	x := c.decode(f, a)
	magnitude, small := c.integralPart(f, x, width)
	signed := c.negateIf(x.sign, magnitude)
	// The sign bit is right exactly if the value is in range, or is 0.
	inRange := c.And(small, c.Eq(c.top(signed), x.sign))
	return c.Ite(inRange, signed, c.zeros(width))
}

// ToUI is a as an unsigned integer of the given width, rounded toward zero; 0
// if that is out of range or a is a NaN.
func ToUI(store *term.Store, f Format, a term.ID, width uint32) term.ID {
	c := circuit{store}
	x := c.decode(f, a)
	magnitude, small := c.integralPart(f, x, width)
	// A negative number is out of range, or it becomes 0.
	return c.Ite(c.And(small, c.Not(x.sign)), magnitude, c.zeros(width))
}

// integralPart is the integral part of |x|, if small: it is below 2^width.
func (c circuit) integralPart(f Format, x operand, width uint32) (magnitude, small term.ID) {
	bias := f.bias()
	small = c.Not(c.ULe(c.ConstU(f.Exponent, uint64(min(bias+int64(width), f.special()))), x.field))

	// No finite number has more than bias+1 bits before the point.
	integer := uint32(min(int64(width), bias+1))
	register := max(f.precision(), integer)
	value := c.padRight(c.Concat(c.ones(1), x.fraction), register-f.precision())
	most := int64(register) - 1 + bias
	lack := c.minus(c.integer(most), c.unsigned(x.field, 0, f.special()))
	amount := c.resize(lack, uint32(bits.Len64(uint64(most))))
	value = c.shiftRight(value, amount)
	return c.widen(c.Extract(value, integer-1, 0), width), small
}
