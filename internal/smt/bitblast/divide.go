package bitblast

import "assay/internal/sat"

// This file has the restoring divider, which yields quotient and remainder at
// once. Row k brings down the k-th bit of the dividend from the top; the partial
// remainder then has k bits, so that row k is a subtraction of k bits, and any
// higher bit of the divisor makes the quotient bit 0.
//
// Division by zero needs no case of its own: every subtraction of 0 succeeds,
// so the quotient is all ones and the remainder is the dividend, as SMT-LIB
// has it.

// divide is the quotient and the remainder of x and y as unsigned numbers.
func (c circuit) divide(x, y word) (quotient, remainder word) {
	width := len(x)
	if k, ok := powerOfTwo(y); ok {
		quotient, remainder = make(word, width), make(word, width)
		copy(quotient, x[k:])
		copy(remainder, x[:k])
		return quotient, remainder
	}
	quotient = make(word, width)
	// above[k] says that y has a bit at position k or higher.
	above := make(word, width+1)
	for k := width - 1; k >= 0; k-- {
		above[k] = c.g.Or(above[k+1], y[k])
	}
	partial := make(word, 0, width)
	shifted := make(word, 0, width)
	difference := make(word, 0, width)
	for k := 1; k <= width; k++ {
		shifted = append(append(shifted[:0], x[width-k]), partial...)
		fits := c.g.And(above[k].Not(), c.borrow(shifted, y[:k], sat.False).Not())
		quotient[width-k] = fits
		difference = c.sub(difference[:0], shifted, y[:k])
		partial = c.ite(partial[:0], fits, difference, shifted)
	}
	return quotient, partial
}

// powerOfTwo is the exponent of the constant y if it is a power of two.
func powerOfTwo(y word) (exponent int, ok bool) {
	for i, l := range y {
		switch {
		case !l.IsConstant(), l == sat.True && ok:
			return 0, false
		case l == sat.True:
			exponent, ok = i, true
		}
	}
	return exponent, ok
}

// signedDivide is the quotient rounded to zero and the remainder with the sign
// of the dividend, from the division of the absolute values.
func (c circuit) signedDivide(x, y word) (quotient, remainder word) {
	width := len(x)
	signX, signY := x[width-1], y[width-1]
	q, r := c.divide(c.negIf(make(word, 0, width), x, signX), c.negIf(make(word, 0, width), y, signY))
	quotient = c.negIf(make(word, 0, width), q, c.g.Xor(signX, signY))
	remainder = c.negIf(make(word, 0, width), r, signX)
	return quotient, remainder
}
