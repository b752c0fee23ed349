package absdomain

// Sums, differences and products.
//
// A sum is computed in each part by itself. An interval of sums survives a wrap
// if all sums wrap the same number of times. Known bits follow from the least and
// the greatest carry into each position, as in [VishwanathanSNN22, Fig. 2] and
// LLVM's KnownBits. A congruence survives if the number of wraps is known.

import "math/bits"

// Not is the bitwise complement.
func (x Int) Not() Int {
	if x.Width == 0 || x.IsBottom() {
		return x
	}
	mask := maskOf(x.Width)
	r := Int{
		Width: x.Width, ULo: mask - x.UHi, UHi: mask - x.ULo, SLo: -1 - x.SHi, SHi: -1 - x.SLo,
		Zeros: x.Ones, Ones: x.Zeros, Mod: x.Mod,
	}
	if r.Mod == 0 {
		r.Rem = mask - x.Rem
	} else {
		r.Rem = (mask%r.Mod + r.Mod - x.Rem) % r.Mod
		if r.Mod > 1<<63 {
			r.Mod, r.Rem = 1, 0 // the sum may wrap; not worth the care
		}
	}
	return r.reduce()
}

// Add is x + y modulo 2^Width.
func (x Int) Add(y Int) Int { return addCarry(x, y, 0) }

// Sub is x - y modulo 2^Width.
func (x Int) Sub(y Int) Int { return addCarry(x, y.Not(), 1) }

// Neg is -x modulo 2^Width.
func (x Int) Neg() Int {
	if x.Width == 0 {
		return x
	}
	return Const(uint32(x.Width), 0).Sub(x)
}

// either is the result of an operation one of whose operands is wide or empty;
// ok is false if neither is.
func either(x, y Int) (Int, bool) {
	switch {
	case x.Width == 0 || y.Width == 0:
		return Int{}, true
	case x.IsBottom():
		return x, true
	case y.IsBottom():
		return y, true
	}
	return Int{}, false
}

// addCarry is x + y + carry; a difference is x + ^y + 1.
func addCarry(x, y Int, carry uint64) Int {
	if r, ok := either(x, y); ok {
		return r
	}
	w := x.Width
	mask := maskOf(w)
	r := Top(uint32(w))
	wraps := -1 // how often every unsigned sum wraps, -1 unknown
	lo, c1 := addUnsigned(x.ULo, y.ULo, carry, w)
	hi, c2 := addUnsigned(x.UHi, y.UHi, carry, w)
	if c1 == c2 {
		r.ULo, r.UHi, wraps = lo, hi, int(c1)
	}
	slo, d1 := addSigned(x.SLo, y.SLo, int64(carry), w)
	shi, d2 := addSigned(x.SHi, y.SHi, int64(carry), w)
	if d1 == d2 {
		r.SLo, r.SHi = slo, shi
	}
	most := ^x.Zeros + ^y.Zeros + carry
	least := x.Ones + y.Ones + carry
	carryZero := ^(most ^ x.Zeros ^ y.Zeros)
	carryOne := least ^ x.Ones ^ y.Ones
	known := (x.Zeros | x.Ones) & (y.Zeros | y.Ones) & (carryZero | carryOne) & mask
	r.Zeros, r.Ones = ^most&known, least&known
	if g := gcd(x.Mod, y.Mod); wraps >= 0 && g != 1 && g>>62 == 0 {
		if g == 0 {
			return Const(uint32(w), x.Rem+y.Rem+carry)
		}
		sum := x.Rem%g + y.Rem%g + carry
		if wraps == 1 {
			sum += g - (mask%g+1)%g
		}
		r.Mod, r.Rem = g, sum%g
	}
	return r.reduce()
}

// addUnsigned is the sum modulo 2^w and the carry out.
func addUnsigned(a, b, carry uint64, w uint8) (sum, over uint64) {
	sum, over = bits.Add64(a, b, carry)
	if w < 64 {
		sum, over = sum&maskOf(w), sum>>w
	}
	return sum, over
}

// addSigned is the sum modulo 2^w and on which side it leaves the type.
func addSigned(a, b, carry int64, w uint8) (sum int64, side int) {
	if w < 64 {
		exact := a + b + carry
		sum = signed(uint64(exact), w)
		switch {
		case sum < exact:
			return sum, 1
		case sum > exact:
			return sum, -1
		}
		return sum, 0
	}
	sum = a + b + carry
	// With the carry, a + b alone may leave the type where the sum does not.
	switch {
	case a >= 0 && b >= 0 && sum < 0:
		return sum, 1
	case a < 0 && b < 0 && sum >= 0:
		return sum, -1
	}
	return sum, 0
}

// mulSigned is the product and whether it fits w bits.
func mulSigned(a, b int64, w uint8) (int64, bool) {
	p := a * b
	if w <= 32 {
		return p, signed(uint64(p), w) == p
	}
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if a < 0 {
		hi -= uint64(b)
	}
	if b < 0 {
		hi -= uint64(a)
	}
	return p, uint64(int64(lo)>>63) == hi && signed(lo, w) == int64(lo)
}

// Mul is x * y modulo 2^Width.
func (x Int) Mul(y Int) Int {
	if r, ok := either(x, y); ok {
		return r
	}
	w := x.Width
	mask := maskOf(w)
	r := Top(uint32(w))
	if over, hi := bits.Mul64(x.UHi, y.UHi); over == 0 && hi <= mask {
		r.ULo, r.UHi = x.ULo*y.ULo, hi
		r.Mod, r.Rem = mulCongruence(x, y)
	}
	if lo, hi, ok := productRange(x, y); ok {
		r.SLo, r.SHi = lo, hi
	}
	// The lowest bits: x = 2^i (a + 2^k ...), y = 2^j (b + 2^l ...) give
	// 2^(i+j) (a b + 2^min(k,l) ...).
	i, j := trailingZeros(x), trailingZeros(y)
	n := min(i+j+min(trailingKnown(x)-i, trailingKnown(y)-j), int(w))
	if i+j >= int(w) {
		n = int(w)
	}
	product := x.Ones * y.Ones
	r.Zeros, r.Ones = low(n)&mask&^product, low(n)&mask&product
	return r.reduce()
}

// trailingZeros is the number of low bits known to be 0.
func trailingZeros(x Int) int { return min(bits.TrailingZeros64(^x.Zeros), int(x.Width)) }

// productRange is the range of the exact signed products, if they all fit.
func productRange(x, y Int) (lo, hi int64, ok bool) {
	for i, a := range [2]int64{x.SLo, x.SHi} {
		for j, b := range [2]int64{y.SLo, y.SHi} {
			p, fits := mulSigned(a, b, x.Width)
			if !fits {
				return 0, 0, false
			}
			if i+j == 0 {
				lo, hi = p, p
			}
			lo, hi = min(lo, p), max(hi, p)
		}
	}
	return lo, hi, true
}

// mulCongruence is the congruence of products that do not wrap:
// (a m + r)(b n + s) = ab mn + as m + br n + rs.
func mulCongruence(x, y Int) (mod, rem uint64) {
	mul := func(a, b uint64) uint64 {
		if over, p := bits.Mul64(a, b); over == 0 {
			return p
		}
		return 1
	}
	g := gcd(gcd(mul(x.Mod, y.Mod), mul(x.Mod, y.Rem)), mul(y.Mod, x.Rem))
	if g == 0 { // both are constants
		return 0, x.Rem * y.Rem
	}
	if g>>32 != 0 {
		return 1, 0
	}
	return oddCongruence(g, x.Rem%g*(y.Rem%g))
}
