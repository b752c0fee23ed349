package ranges

import "math/bits"

// interval is a set of bit vectors of one width of at most 64 bits: those whose value is
// in [lo, hi] as an unsigned number and in [least, most] as a signed one.
type interval struct {
	lo, hi      uint64
	least, most int64
}

// maxWidth is the greatest width that has intervals.
const maxWidth = 64

func mask(width uint32) uint64 { return ^uint64(0) >> (maxWidth - width) }

// signed is the number that a bit vector is as a signed one.
func signed(v uint64, width uint32) int64 {
	return int64(v<<(maxWidth-width)) >> (maxWidth - width)
}

// all are the bit vectors of a width.
func all(width uint32) interval {
	most := int64(mask(width) >> 1)
	return interval{0, mask(width), -most - 1, most}
}

func constant(v uint64, width uint32) interval {
	return interval{v, v, signed(v, width), signed(v, width)}
}

// between are those in a range of unsigned numbers.
func between(lo, hi uint64, width uint32) interval {
	x := all(width)
	x.lo, x.hi = lo, hi
	return x.reduce(width)
}

// within are those in a range of signed numbers.
func within(least, most int64, width uint32) interval {
	x := all(width)
	x.least, x.most = least, most
	return x.reduce(width)
}

func (x interval) empty() bool { return x.lo > x.hi || x.least > x.most }

// single says whether there is one value only.
func (x interval) single() bool { return x.lo == x.hi }

// reduce takes from each range what the other one says: where one has values of one
// sign only, signed and unsigned numbers have the same order.
func (x interval) reduce(width uint32) interval {
	for range 2 {
		if x.empty() {
			return x
		}
		if x.hi>>(width-1) == x.lo>>(width-1) {
			x.least, x.most = max(x.least, signed(x.lo, width)), min(x.most, signed(x.hi, width))
		}
		if x.least >= 0 || x.most < 0 {
			x.lo, x.hi = max(x.lo, uint64(x.least)&mask(width)), min(x.hi, uint64(x.most)&mask(width))
		}
	}
	return x
}

// meet are the values of both.
func (x interval) meet(y interval, width uint32) interval {
	return interval{max(x.lo, y.lo), min(x.hi, y.hi), max(x.least, y.least), min(x.most, y.most)}.reduce(width)
}

// join has the values of both.
func (x interval) join(y interval) interval {
	switch {
	case x.empty():
		return y
	case y.empty():
		return x
	}
	return interval{min(x.lo, y.lo), max(x.hi, y.hi), min(x.least, y.least), max(x.most, y.most)}
}

// without removes a value from the ends.
func (x interval) without(v uint64, width uint32) interval {
	switch {
	case x.empty():
		return x
	case x.single() && x.lo == v:
		return interval{lo: 1}
	}
	// No overflow: lo < hi, and least < most, if there are two values.
	if x.lo == v {
		x.lo++
	}
	if x.hi == v {
		x.hi--
	}
	if x.least == signed(v, width) && x.least < x.most {
		x.least++
	}
	if x.most == signed(v, width) && x.least < x.most {
		x.most--
	}
	return x.reduce(width)
}

// add has the sums: a range of sums that all wrap around, or none of which does, is a range.
func add(x, y interval, width uint32) interval {
	r := all(width)
	lo, carryLo := bits.Add64(x.lo, y.lo, 0)
	hi, carryHi := bits.Add64(x.hi, y.hi, 0)
	if width < maxWidth {
		carryLo, carryHi = lo>>width, hi>>width
	}
	if carryLo == carryHi {
		r.lo, r.hi = lo&mask(width), hi&mask(width)
	}
	least, okLeast := sum(x.least, y.least, width)
	most, okMost := sum(x.most, y.most, width)
	if okLeast && okMost {
		r.least, r.most = least, most
	}
	return r.reduce(width)
}

// sum is the sum of two signed numbers, if it is one of the width.
func sum(a, b int64, width uint32) (c int64, ok bool) {
	c = a + b
	return c, (c > a) == (b > 0) && c == signed(uint64(c), width)
}

func negate(x interval, width uint32) interval {
	if least := all(width).least; x.least == least {
		return all(width)
	}
	return within(-x.most, -x.least, width)
}

func multiply(x, y interval, width uint32) interval {
	if over, hi := bits.Mul64(x.hi, y.hi); over == 0 && hi <= mask(width) {
		return between(x.lo*y.lo, hi, width)
	}
	r := all(width)
	var least, most int64
	for i, p := range [4][2]int64{{x.least, y.least}, {x.least, y.most}, {x.most, y.least}, {x.most, y.most}} {
		v, ok := product(p[0], p[1], width)
		if !ok {
			return r
		}
		if i == 0 {
			least, most = v, v
		}
		least, most = min(least, v), max(most, v)
	}
	return within(least, most, width)
}

// product is the product of two signed numbers, if it is one of the width.
func product(a, b int64, width uint32) (c int64, ok bool) {
	magnitude := func(v int64) uint64 {
		if v < 0 {
			return -uint64(v)
		}
		return uint64(v)
	}
	over, low := bits.Mul64(magnitude(a), magnitude(b))
	c = int64(low)
	if a < 0 != (b < 0) {
		c = -c
	}
	return c, over == 0 && low <= mask(width)>>1 // -2^(width-1) is left out
}

// divide, remainder and those of signed numbers have results where nothing is divided by 0,
// which SMT-LIB defines.
func divide(x, y interval, width uint32) interval {
	if y.lo == 0 {
		return all(width)
	}
	return between(x.lo/y.hi, x.hi/y.lo, width)
}

func remainder(x, y interval, width uint32) interval {
	hi := x.hi
	if y.lo > 0 {
		hi = min(hi, y.hi-1)
	}
	return between(0, hi, width)
}

func signedDivide(x, y interval, width uint32) interval {
	if y.least <= 0 {
		return all(width)
	}
	r := within(min(x.least/y.least, x.least/y.most), max(x.most/y.least, x.most/y.most), width)
	return r
}

func signedRemainder(x, y interval, width uint32) interval {
	least, most := min(x.least, 0), max(x.most, 0) // the sign of the dividend; not more than it
	if y.least > 0 {
		least, most = max(least, 1-y.most), min(most, y.most-1)
	}
	return within(least, most, width)
}

func shiftLeft(x, y interval, width uint32) interval {
	if !y.single() || y.lo >= uint64(width) || x.hi > mask(width)>>y.lo {
		return all(width)
	}
	return between(x.lo<<y.lo, x.hi<<y.lo, width)
}

func shiftRight(x, y interval, width uint32) interval {
	last := uint64(width) - 1
	if y.lo > last {
		return constant(0, width)
	}
	lo := uint64(0)
	if y.hi <= last {
		lo = x.lo >> y.hi
	}
	return between(lo, x.hi>>y.lo, width)
}

func arithmeticShiftRight(x, y interval, width uint32) interval {
	// Bits that are shifted out behind the last one are as that one.
	last := uint64(width) - 1
	from, to := min(y.lo, last), min(y.hi, last)
	return within(min(x.least>>from, x.least>>to), max(x.most>>from, x.most>>to), width)
}

func complement(x interval, width uint32) interval {
	return interval{^x.hi & mask(width), ^x.lo & mask(width), ^x.most, ^x.least}
}

func and(x, y interval, width uint32) interval { return between(0, min(x.hi, y.hi), width) }

func or(x, y interval, width uint32) interval {
	return between(max(x.lo, y.lo), upTo(x.hi|y.hi), width)
}

func xor(x, y interval, width uint32) interval { return between(0, upTo(x.hi|y.hi), width) }

// upTo has all bits up to the highest one of v.
func upTo(v uint64) uint64 { return 1<<bits.Len64(v) - 1 }

func concatenate(high, low interval, lowWidth, width uint32) interval {
	return between(high.lo<<lowWidth|low.lo, high.hi<<lowWidth|low.hi, width)
}

// extract has the bits from a place on.
func extract(x interval, from, width uint32) interval {
	lo, hi := x.lo>>from, x.hi>>from
	if lo&^mask(width) != hi&^mask(width) {
		return all(width)
	}
	return between(lo&mask(width), hi&mask(width), width)
}

func extendSigned(x interval, width uint32) interval { return within(x.least, x.most, width) }

// less says whether all values of x are less than all of y, or none: as unsigned numbers or
// as signed ones, strictly or not.
func less(x, y interval, asSigned, strictly bool) truth {
	switch {
	case x.empty() || y.empty():
		return unknown
	case asSigned:
		return order(x.least, x.most, y.least, y.most, strictly)
	}
	return order(x.lo, x.hi, y.lo, y.hi, strictly)
}

func order[T int64 | uint64](least, most, otherLeast, otherMost T, strictly bool) truth {
	switch {
	case most < otherLeast, !strictly && most == otherLeast:
		return yes
	case least > otherMost, strictly && least == otherMost:
		return no
	}
	return unknown
}

// same says whether the values are the same, or never.
func same(x, y interval) truth {
	switch {
	case x.empty() || y.empty():
		return unknown
	case x.single() && y.single() && x.lo == y.lo:
		return yes
	case x.hi < y.lo, y.hi < x.lo, x.most < y.least, y.most < x.least:
		return no
	}
	return unknown
}

// truth is what is known of a condition.
type truth int8

const (
	unknown truth = iota
	yes
	no
)

func (v truth) not() truth {
	switch v {
	case yes:
		return no
	case no:
		return yes
	}
	return unknown
}
