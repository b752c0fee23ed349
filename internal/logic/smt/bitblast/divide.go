package bitblast

import "assay/internal/logic/sat"

// This file has the restoring divider, which yields quotient and remainder at
// once. Each row brings down one bit of the dividend, from the top, and
// subtracts the divisor from the partial remainder if it fits.
//
// Invariants after the row for dividend bit i, for a divisor y of m significant
// bits (those above are the constant 0):
//
//	(1) quotient bits from i up are final;
//	(2) if y != 0 then partial < y, so it has at most m bits; and it has at most
//	    as many bits as there were rows.
//
// So a row has at most m+1 bits, which makes division by small constants cheap,
// and leading zeros of the dividend need no rows. Division by zero needs no case
// of its own where (2) cuts nothing off: every subtraction of 0 succeeds, so the
// quotient is all ones and the remainder is the dividend, as SMT-LIB has it.

// divide is the quotient and the remainder of x and y as unsigned numbers.
func (c circuit) divide(x, y word) (quotient, remainder word) {
	width := len(x)
	if k, ok := powerOfTwo(y); ok {
		quotient, remainder = make(word, width), make(word, width)
		copy(quotient, x[k:])
		copy(remainder, x[:k])
		return quotient, remainder
	}
	n, m := unsigned(x), unsigned(y)
	// above[k] says that y has a bit at position k or higher.
	above := make(word, width+1)
	for k := m - 1; k >= 0; k-- {
		above[k] = c.g.Or(above[k+1], y[k])
	}
	zero := above[0].Not()
	quotient = make(word, width)
	for i := n; i < width; i++ {
		quotient[i] = zero
	}
	partial := make(word, 0, width)
	shifted := make(word, 0, width)
	difference := make(word, 0, width)
	for i := n - 1; i >= 0; i-- {
		c.look()
		shifted = append(append(shifted[:0], x[i]), partial...)
		k := len(shifted)
		fits := c.g.And(above[k].Not(), c.borrow(shifted, y[:k], sat.False).Not())
		difference = c.sub(difference[:0], shifted, y[:k])
		k = min(k, m)
		partial = c.ite(partial[:0], fits, difference[:k], shifted[:k])
		quotient[i] = fits
	}
	for len(partial) < width {
		partial = append(partial, sat.False)
	}
	if m < n {
		return quotient, c.ite(make(word, 0, width), zero, x, partial)
	}
	return quotient, partial
}

// unsigned is the least number of low bits above which x is the constant 0.
func unsigned(x word) int {
	n := len(x)
	for n > 0 && x[n-1] == sat.False {
		n--
	}
	return n
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
