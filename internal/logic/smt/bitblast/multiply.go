package bitblast

import "assay/internal/logic/sat"

// This file has multiplication: rows of partial products, added one after the
// other by ripple-carry adders. (Carry-save and Wallace trees are shallower, but
// equations of products took twice to ten times as long with them.) Products with constants are recoded to the
// non-adjacent form, which has the fewest non-zero digits of all signed binary
// forms [Reitwiesner60: G. W. Reitwiesner. Binary Arithmetic. Advances in
// Computers 1, 1960], so that 15·x is 16·x - x.

// mul appends x · y modulo 2^len(x).
func (c circuit) mul(dst, x, y word) word {
	switch {
	case isConstant(y):
		return c.mulConstant(dst, x, y)
	case isConstant(x):
		return c.mulConstant(dst, y, x)
	}
	// Rows of zeros cost nothing: y is the operand with fewer rows.
	if rows(x) < rows(y) {
		x, y = y, x
	}
	return append(dst, c.mulRows(x, y)...)
}

// rows is the number of rows that mulRows has for the factor y.
func rows(y word) int {
	n := 0
	for _, l := range y[:signed(y)] {
		if l != sat.False {
			n++
		}
	}
	return n
}

// signed is the least number of low bits of which x is the sign extension.
func signed(x word) int {
	n := len(x)
	for n > 1 && x[n-1] == x[n-2] {
		n--
	}
	return n
}

// mulRows is the sum of x·y[i]·2^i. If y is the sign extension of m bits, then
// the last of these has the weight -2^(m-1), and the others above it none.
func (c circuit) mulRows(x, y word) word {
	width := len(x)
	m := signed(y)
	sum := make(word, width)
	row := make(word, width)
	next := make(word, 0, width)
	for i, digit := range y[:m] {
		if digit == sat.False {
			continue
		}
		c.look()
		for j := range width - i {
			row[j] = c.g.And(x[j], digit)
		}
		if i == m-1 {
			next = c.sub(next[:0], sum[i:], row[:width-i])
		} else {
			next = c.add(next[:0], sum[i:], row[:width-i], sat.False)
		}
		copy(sum[i:], next)
	}
	return sum
}

// mulConstant appends x · k, where all bits of k are constants.
func (c circuit) mulConstant(dst, x, k word) word {
	width := len(x)
	sum := make(word, width)
	next := make(word, 0, width)
	for i, d := range nonAdjacent(k) {
		switch d {
		case 1:
			next = c.add(next[:0], sum[i:], x[:width-i], sat.False)
		case -1:
			next = c.sub(next[:0], sum[i:], x[:width-i])
		default:
			continue
		}
		copy(sum[i:], next)
	}
	return append(dst, sum...)
}

// nonAdjacent is the constant k, modulo 2^len(k), as digits -1, 0 and 1 of
// which no two neighbours are both non-zero.
func nonAdjacent(k word) []int8 {
	digits := make([]int8, len(k))
	carry := 0
	for i, l := range k {
		bit := carry
		if l == sat.True {
			bit++
		}
		next := i+1 < len(k) && k[i+1] == sat.True
		switch {
		case bit == 1 && next:
			digits[i], carry = -1, 1
		case bit == 1:
			digits[i], carry = 1, 0
		default:
			carry = bit / 2
		}
	}
	return digits
}
