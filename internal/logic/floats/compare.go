package floats

import "assay/internal/logic/term"

// This file compares. Patterns of positive numbers are ordered as the numbers,
// those of negative numbers the other way, and positive ones as unsigned
// numbers are below negative ones. What remains are NaNs, which are neither
// equal nor less, and the two zeros, which are equal.

// comparable says whether neither operand is a NaN.
func (c circuit) comparable(x, y operand) term.ID {
	return c.And(c.Not(x.nan), c.Not(y.nan))
}

// Eq is a = b as a Bool.
func Eq(store *term.Store, f Format, a, b term.ID) term.ID {
	c := circuit{store}
	x, y := c.decode(f, a), c.decode(f, b)
	return c.And(c.comparable(x, y), c.Or(c.Eq(a, b), c.And(x.zero, y.zero)))
}

// Lt is a < b as a Bool.
func Lt(store *term.Store, f Format, a, b term.ID) term.ID {
	c := circuit{store}
	x, y := c.decode(f, a), c.decode(f, b)
	sameSign := c.Ite(x.sign, c.ULt(b, a), c.ULt(a, b))
	otherSign := c.And(x.sign, c.Not(c.And(x.zero, y.zero)))
	return c.And(c.comparable(x, y), c.Ite(c.Xor(x.sign, y.sign), otherSign, sameSign))
}

// Le is a <= b as a Bool.
func Le(store *term.Store, f Format, a, b term.ID) term.ID {
	c := circuit{store}
	x, y := c.decode(f, a), c.decode(f, b)
	sameSign := c.Ite(x.sign, c.ULe(b, a), c.ULe(a, b))
	otherSign := c.Or(x.sign, c.And(x.zero, y.zero))
	return c.And(c.comparable(x, y), c.Ite(c.Xor(x.sign, y.sign), otherSign, sameSign))
}
