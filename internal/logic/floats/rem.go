package floats

import "assay/internal/logic/term"

// This file has the remainder with the sign of the dividend, C's fmod. It is
// exact [Muller18].
//
// Let X·2^m = |x| and Y·2^n = |y| with integers X, Y of the precision, and m >=
// n; else x is the result. Then |x| mod |y| = (X·2^(m-n) mod Y)·2^n. The number
// X·2^(m-n) is long, but only its remainder is needed: the digits are brought
// down one by one and Y is subtracted from the remainder when possible. No
// operand has to be normalised: m = n if x is subnormal, and the remainder
// is a multiple of y's unit in any case.
//
// That is one subtraction for each digit, of the precision's width: as many as
//
//	2^(exponent bits) - 3 + precision
//
// for half 40, for single 277, for double 2098 subtractions; about 10·precision
// and-gates each, so 67 thousand for single and 1.1 million for double.
//
// Tried on paper and dropped: 2^(m-n) mod Y by repeated squaring needs about
// 1200 rows of adders for double, mostly in multiplications, against 2098; that
// is not worth a formula that is much harder for a SAT solver.

// Rem is fmod(a, b).
func Rem(store *term.Store, f Format, a, b term.ID) term.ID {
	c := circuit{store}
	x, y := c.decode(f, a), c.decode(f, b)
	nan := c.Or(c.Or(x.nan, y.nan), c.Or(x.inf, y.zero))
	if store.IsTrue(x.zero) { // as in a check of the sign of fmod(-0.0, b)
		return c.finish(f, nan, x.sign, x.magnitude)
	}
	p := f.precision()
	distance := c.minus(x.exponent, y.exponent)

	// long is X·2^(m-n), shifted left by growing stages.
	long := x.significand
	for k := range f.Exponent {
		n := uint32(1) << k
		long = c.Ite(c.bit(distance.bits, k), c.padRight(long, n), c.ZExt(long, c.Width(long)+n))
	}
	digits := uint32(f.special()) - 2 + p
	_, rest := c.subtractIfAtMost(c.Extract(long, digits-1, digits-1), y.significand, 1)
	for i := digits - 1; i > 0; i-- {
		rest = c.Concat(rest, c.Extract(long, i-1, i-1))
		_, rest = c.subtractIfAtMost(rest, y.significand, min(c.Width(rest), p))
	}

	// A place for the carry that does not happen; the shift by at least one
	// place leaves a zero on the right.
	significand, e := c.normaliseSum(c.ZExt(rest, p+1), y.exponent)
	magnitude := c.pack(f, c.within(e, 1, f.special()-1), c.Extract(significand, p, 1), c.False())

	same := c.Or(y.inf, c.top(distance.bits))
	magnitude = c.Ite(same, x.magnitude, magnitude)
	return c.finish(f, nan, x.sign, magnitude)
}
