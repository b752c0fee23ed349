package absdomain

// Quotients and remainders. Where package ir says "arbitrary", so that the
// result is Top: a divisor that may be 0; for the signed ones a quotient that may
// overflow.

import "math/bits"

// UDiv is the unsigned quotient.
func (x Int) UDiv(y Int) Int {
	if r, ok := either(x, y); ok {
		return r
	}
	if y.ULo == 0 {
		return Top(uint32(x.Width))
	}
	if d, ok := y.Value(); ok && d&(d-1) == 0 {
		return lshrBy(x, uint8(bits.TrailingZeros64(d)))
	}
	return Range(uint32(x.Width), x.ULo/y.UHi, x.UHi/y.ULo)
}

// URem is the unsigned remainder.
func (x Int) URem(y Int) Int {
	if r, ok := either(x, y); ok {
		return r
	}
	if y.ULo == 0 {
		return Top(uint32(x.Width))
	}
	if x.UHi < y.ULo {
		return x
	}
	if d, ok := y.Value(); ok {
		return uremBy(x, d)
	}
	return Range(uint32(x.Width), 0, min(x.UHi, y.UHi-1))
}

func uremBy(x Int, d uint64) Int {
	if d&(d-1) == 0 {
		return x.And(Const(uint32(x.Width), d-1))
	}
	r := Top(uint32(x.Width))
	r.UHi = d - 1
	if x.ULo/d == x.UHi/d { // the same multiple of d is taken off
		r.ULo, r.UHi = x.ULo%d, x.UHi%d
	}
	// x % d is x modulo d, and so modulo every common divisor.
	if mod, rem := x.Congruence(); mod != 0 {
		g := gcd(mod, d)
		k := bits.TrailingZeros64(g)
		r.Zeros, r.Ones = low(k)&r.unsignedMask()&^rem, low(k)&r.unsignedMask()&rem
		r.Mod, r.Rem = oddCongruence(g, rem%g)
	}
	return r.reduce()
}

func (x Int) unsignedMask() uint64 { return maskOf(x.Width) }

// SDiv is the signed quotient, rounded to zero.
func (x Int) SDiv(y Int) Int {
	if r, ok := either(x, y); ok {
		return r
	}
	w := x.Width
	least := signed(signBit(w), w)
	if y.Has(0) || x.SLo == least && y.Has(maskOf(w)) {
		return Top(uint32(w))
	}
	// The quotient is monotone in x, and in y on either side of 0, so that the
	// extremes are at the corners.
	first := true
	var lo, hi int64
	for _, d := range [4]int64{y.SLo, min(y.SHi, -1), max(y.SLo, 1), y.SHi} {
		if d < y.SLo || d > y.SHi || d == 0 || d == -1 && x.SLo == least {
			continue
		}
		for _, n := range [2]int64{x.SLo, x.SHi} {
			if first {
				lo, hi, first = n/d, n/d, false
			}
			lo, hi = min(lo, n/d), max(hi, n/d)
		}
	}
	if first || x.SLo == least && y.SLo <= -1 && y.SHi >= -1 {
		return Top(uint32(w))
	}
	return SignedRange(uint32(w), lo, hi)
}

// SRem is the signed remainder, with the sign of x.
func (x Int) SRem(y Int) Int {
	if r, ok := either(x, y); ok {
		return r
	}
	w := x.Width
	least := signed(signBit(w), w)
	if y.Has(0) || x.SLo == least && y.Has(maskOf(w)) {
		return Top(uint32(w))
	}
	if x.SLo >= 0 && y.SLo > 0 {
		return x.URem(y)
	}
	// |r| < |y| and |r| <= |x|, and |x| < |y| leaves x as it is.
	largest := max(magnitude(y.SLo), magnitude(y.SHi)) - 1
	smallest := uint64(1)
	switch {
	case y.SLo > 0:
		smallest = uint64(y.SLo)
	case y.SHi < 0:
		smallest = magnitude(y.SHi)
	}
	if max(magnitude(x.SLo), magnitude(x.SHi)) < smallest {
		return x
	}
	r := Top(uint32(w))
	if x.SLo >= 0 {
		r.SLo = 0
	} else {
		r.SLo = -int64(min(largest, magnitude(x.SLo))-1) - 1 // the least number has no opposite
		if min(largest, magnitude(x.SLo)) == 0 {
			r.SLo = 0
		}
	}
	if x.SHi <= 0 {
		r.SHi = 0
	} else {
		r.SHi = int64(min(largest, magnitude(x.SHi)))
	}
	// The quotient takes off a multiple of y, so low bits stay as far as y is even.
	k := min(trailingZeros(y), trailingKnown(x))
	r.Zeros, r.Ones = low(k)&x.Zeros, low(k)&x.Ones
	return r.reduce()
}

// magnitude is the absolute value.
func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}
