package interp

// Floating-point arithmetic on bit patterns of binary16, binary32 and
// binary64, round to nearest even, by the hardware's binary64.
//
// Computing an operation of a narrower format in binary64 and rounding the
// result rounds twice. That is harmless for addition, subtraction,
// multiplication, division and square root if the wide format has at least 2p+2
// bits of precision, where p is that of the narrow one [Figueroa95]: 53 >= 2*24+2.
// It is harmful for the fused multiply-add, which therefore rounds to odd first
// [BM08]. Go may fuse x*y + z itself on some machines; explicit conversions
// forbid it.
//
// A result that is not a number is the canonical NaN, or another one that the options ask
// for (nan.go). Negation, absolute value and copying of the sign work on the sign bit alone, as in LLVM.
//
// Cited papers:
//
//	[Figueroa95] S. A. Figueroa. When Is Double Rounding Innocuous? ACM SIGNUM
//	             Newsletter 30(3), 1995.
//	[BM08]       S. Boldo, G. Melquiond. Emulation of a FMA and Correctly Rounded
//	             Sums: Proved Algorithms Using Rounding to Odd. IEEE TC 57(4), 2008.

import (
	"math"

	"assay/internal/program/ir"
)

// decodeFloat is the number with the given bits; every narrow number is a
// binary64 number.
func decodeFloat(bits uint32, x uint64) float64 {
	switch bits {
	case 16:
		return decodeHalf(uint16(x))
	case 32:
		return float64(math.Float32frombits(uint32(x)))
	}
	return math.Float64frombits(x)
}

// encodeFloat rounds to the format.
func encodeFloat(bits uint32, v float64) uint64 {
	if v != v {
		return canonicalNaN(bits)
	}
	switch bits {
	case 16:
		return uint64(encodeHalf(v))
	case 32:
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}

func decodeHalf(h uint16) float64 {
	exp, frac := int(h>>10&0x1f), float64(h&0x3ff)
	var v float64
	switch exp {
	case 0:
		v = math.Ldexp(frac, -24)
	case 0x1f:
		v = math.Inf(1)
		if frac != 0 {
			v = math.NaN()
		}
	default:
		v = math.Ldexp(1024+frac, exp-25)
	}
	if h>>15 == 1 {
		v = -v
	}
	return v
}

// encodeHalf rounds a number that is not NaN to nearest even.
func encodeHalf(v float64) uint16 {
	sign := uint16(math.Float64bits(v) >> 48 & 0x8000)
	v = math.Abs(v)
	if v == 0 {
		return sign
	}
	if v >= 65520 { // halfway between the greatest number and the next power of two
		return sign | 0x7c00
	}
	// The unit in the last place is 2^-24 for subnormals and for the least
	// normal exponent, and grows with the exponent. Scaling by a power of two is
	// exact here, and RoundToEven does the rounding; a carry into the exponent
	// gives the right bits by itself.
	_, e := math.Frexp(v) // v = f * 2^e, 0.5 <= f < 1
	exp := max(e-1, -14)
	n := uint16(math.RoundToEven(math.Ldexp(v, 10-exp)))
	return sign | (n + uint16(exp+14)<<10)
}

// floatBinary is FAdd, FSub, FMul, FDiv, FRem, FMin, FMax or FCopySign.
func floatBinary(op ir.Op, bits uint32, x, y uint64) uint64 {
	if op == ir.FCopySign {
		sign := uint64(1) << (bits - 1)
		return x&^sign | y&sign
	}
	a, b := decodeFloat(bits, x), decodeFloat(bits, y)
	var r float64
	switch op {
	case ir.FAdd:
		r = a + b
	case ir.FSub:
		r = a - b
	case ir.FMul:
		r = a * b
	case ir.FDiv:
		r = a / b
	case ir.FRem:
		r = math.Mod(a, b)
	case ir.FMin:
		r = minNum(a, b)
	case ir.FMax:
		r = -minNum(-a, -b)
	}
	return encodeFloat(bits, r)
}

// minNum is the lesser number; the other operand if one is NaN; -0 if the
// operands are zeros of both signs.
func minNum(a, b float64) float64 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	case a < b || a == b && math.Signbit(a):
		return a
	}
	return b
}

// floatUnary is FNeg, FAbs, FSqrt or FRound (with its mode).
func floatUnary(op ir.Op, bits uint32, x uint64, mode ir.RoundingMode) uint64 {
	sign := uint64(1) << (bits - 1)
	switch op {
	case ir.FNeg:
		return x ^ sign
	case ir.FAbs:
		return x &^ sign
	case ir.FSqrt:
		return encodeFloat(bits, math.Sqrt(decodeFloat(bits, x)))
	}
	v := decodeFloat(bits, x)
	switch mode {
	case ir.RoundNearestEven:
		v = math.RoundToEven(v)
	case ir.RoundNearestAway:
		v = math.Round(v)
	case ir.RoundTowardZero:
		v = math.Trunc(v)
	case ir.RoundUp:
		v = math.Ceil(v)
	case ir.RoundDown:
		v = math.Floor(v)
	}
	return encodeFloat(bits, v)
}

// fma is x*y + z, rounded once.
func fma(bits uint32, x, y, z uint64) uint64 {
	a, b, c := decodeFloat(bits, x), decodeFloat(bits, y), decodeFloat(bits, z)
	if bits == 64 {
		return encodeFloat(bits, math.FMA(a, b, c))
	}
	p := float64(a * b) // exact: twice the precision fits
	s := float64(p + c)
	// The error of the sum [Knuth's TwoSum].
	d := float64(s - p)
	e := float64(float64(p-float64(s-d)) + float64(c-d))
	if e != 0 && !math.IsInf(s, 0) && s == s && math.Float64bits(s)&1 == 0 {
		// Round to odd: s is not exact and even, so take its neighbour on the
		// side of the exact sum.
		if (e > 0) == (s > 0) {
			s = math.Float64frombits(math.Float64bits(s) + 1)
		} else {
			s = math.Float64frombits(math.Float64bits(s) - 1)
		}
	}
	return encodeFloat(bits, s)
}

// floatCompare is FEq, FLt, FLe or FUno.
func floatCompare(op ir.Op, bits uint32, x, y uint64) bool {
	a, b := decodeFloat(bits, x), decodeFloat(bits, y)
	switch op {
	case ir.FEq:
		return a == b
	case ir.FLt:
		return a < b
	case ir.FLe:
		return a <= b
	}
	return a != a || b != b
}

// floatToInt converts to an integer of at most 64 bits, toward zero, and says
// whether the result fits.
func floatToInt(from uint32, x uint64, width uint32, signed bool) (uint64, bool) {
	v := math.Trunc(decodeFloat(from, x))
	mask := ^uint64(0) >> (64 - width)
	if signed {
		limit := math.Ldexp(1, int(width)-1)
		if !(-limit <= v && v < limit) {
			return 0, false
		}
		return uint64(int64(v)) & mask, true
	}
	if !(0 <= v && v < math.Ldexp(1, int(width))) {
		return 0, false
	}
	return uint64(v) & mask, true
}

// intToFloat converts an integer of at most 64 bits, given with its sign
// extended if it has one, and rounds once: a 64-bit integer that does not fit
// binary64 exactly is far beyond the greatest half.
func intToFloat(to uint32, x uint64, signed bool) uint64 {
	switch {
	case to == 32 && signed:
		return uint64(math.Float32bits(float32(int64(x))))
	case to == 32:
		return uint64(math.Float32bits(float32(x)))
	case signed:
		return encodeFloat(to, float64(int64(x)))
	}
	return encodeFloat(to, float64(x))
}
