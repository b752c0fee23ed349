package term

import (
	"math"
	"math/big"
	"math/bits"

	"assay/internal/logic/bv"
)

// This file is concrete floating-point arithmetic on bit patterns.
//
// binary64 is the hardware's. The narrower formats are computed in binary64 and
// rounded once more, which is innocuous where 53 >= 2p+2 bits (p = 24 or 11) for
// addition, multiplication, division and square root, subnormal results
// included; and for the fused operation if binary64 rounds to odd.
//
// Cited papers:
//
//	[Figueroa95]  S. A. Figueroa. When is Double Rounding Innocuous? SIGNUM 1995.
//	[BM08]        S. Boldo, G. Melquiond. Emulation of a FMA and Correctly Rounded
//	              Sums: Proved Algorithms Using Rounding to Odd. IEEE TC 2008.

// decode is the value of a bit pattern; it is exact.
func (f floatFormat) decode(b uint64) float64 {
	switch f.width {
	case 64:
		return math.Float64frombits(b)
	case 32:
		return float64(math.Float32frombits(uint32(b)))
	}
	exponent := int(b >> f.fraction & ones(f.exponent))
	fraction := b & ones(f.fraction)
	var v float64
	switch {
	case exponent == 0:
		v = math.Ldexp(float64(fraction), 1-f.bias()-int(f.fraction))
	case uint64(exponent) < ones(f.exponent):
		v = math.Ldexp(float64(fraction|1<<f.fraction), exponent-f.bias()-int(f.fraction))
	case fraction == 0:
		v = math.Inf(1)
	default:
		return math.NaN()
	}
	if b&f.sign() != 0 {
		return -v
	}
	return v
}

// encode rounds v to nearest even; a NaN becomes the canonical one.
func (f floatFormat) encode(v float64) uint64 {
	switch {
	case v != v:
		return f.nan()
	case f.width == 64:
		return math.Float64bits(v)
	case f.width == 32:
		return uint64(math.Float32bits(float32(v)))
	case math.IsInf(v, 0):
		return f.infinity() | f.signIf(v < 0)
	}
	b := math.Float64bits(v)
	mantissa, exponent := b&ones(52), int(b>>52&ones(11))
	if exponent == 0 {
		exponent++
	} else {
		mantissa |= 1 << 52
	}
	return f.round(mantissa, exponent-1075, false) | f.signIf(math.Signbit(v))
}

func (f floatFormat) signIf(negative bool) uint64 {
	if negative {
		return f.sign()
	}
	return 0
}

// round is mantissa * 2^exponent, plus something smaller than 2^exponent if
// sticky, rounded to nearest even.
func (f floatFormat) round(mantissa uint64, exponent int, sticky bool) uint64 {
	if mantissa == 0 {
		return 0
	}
	shift := bits.LeadingZeros64(mantissa)
	mantissa <<= shift
	top := exponent - shift + 63 // exponent of the highest bit
	keep := int(f.fraction) + 1
	least := 1 - f.bias()
	if top < least { // subnormal: the precision shrinks
		keep -= least - top
	}
	if keep < 0 {
		return 0
	}
	kept := uint64(0)
	if keep > 0 {
		kept = mantissa >> (64 - keep)
	}
	half := mantissa >> (63 - keep) & 1
	rest := mantissa&(1<<(63-keep)-1) != 0 || sticky
	if half == 1 && (rest || kept&1 == 1) {
		kept++
	}
	if top < least {
		return kept
	}
	if top+f.bias() >= int(ones(f.exponent)) {
		return f.infinity()
	}
	// The hidden bit of kept adds one to the exponent, and so does a carry.
	return uint64(top+f.bias()-1)<<f.fraction + kept
}

// fromInteger rounds a whole number to nearest even.
func (f floatFormat) fromInteger(v *big.Int) uint64 {
	m := new(big.Int).Abs(v)
	shift := max(m.BitLen()-64, 0)
	top := new(big.Int).Rsh(m, uint(shift))
	sticky := shift > 0 && int(m.TrailingZeroBits()) < shift
	return f.round(top.Uint64(), shift, sticky) | f.signIf(v.Sign() < 0)
}

// toInteger is v rounded to zero, in width bits; 0 if it does not fit.
func toInteger(v float64, width uint32, signed bool) bv.BV {
	zero := bv.New(width, 0)
	if v != v || math.IsInf(v, 0) {
		return zero
	}
	i, _ := new(big.Float).SetFloat64(v).Int(nil)
	r := bv.FromBig(width, i)
	back := r.Unsigned()
	if signed {
		back = r.Signed()
	}
	if back.Cmp(i) != 0 {
		return zero
	}
	return r
}

// fma is a*b+c rounded once.
func (f floatFormat) fma(a, b, c float64) uint64 {
	if f.width == 64 {
		return f.encode(math.FMA(a, b, c))
	}
	p := a * b // exact: at most 48 bits
	return f.encode(addToOdd(p, c))
}

// addToOdd is a+b rounded to odd: if the sum is inexact, the one of its two
// neighbours whose last bit is 1 [BM08]. Neither argument is near overflow.
func addToOdd(a, b float64) float64 {
	sum := a + b
	if sum != sum || math.IsInf(sum, 0) {
		return sum
	}
	// Knuth's TwoSum: a+b = sum+rest exactly.
	bb := sum - a
	rest := (a - (sum - bb)) + (b - bb)
	if rest == 0 || math.Float64bits(sum)&1 == 1 {
		return sum
	}
	if rest > 0 {
		return math.Nextafter(sum, math.Inf(1))
	}
	return math.Nextafter(sum, math.Inf(-1))
}

func roundIntegral(v float64, mode RoundMode) float64 {
	switch mode {
	case RoundNearestEven:
		return math.RoundToEven(v)
	case RoundTowardZero:
		return math.Trunc(v)
	case RoundDown:
		return math.Floor(v)
	case RoundUp:
		return math.Ceil(v)
	}
	return math.Round(v)
}

// applyFloat is the value of a floating-point operation.
func applyFloat(op Op, width uint32, mode RoundMode, args []bv.BV) bv.BV {
	switch op {
	case OpSIToF, OpUIToF:
		f, _ := formatOf(width)
		v := args[0].Unsigned()
		if op == OpSIToF {
			v = args[0].Signed()
		}
		return bv.New(width, f.fromInteger(v))
	}
	f, _ := formatOf(args[0].Width())
	var v [3]float64
	for i, a := range args {
		v[i] = f.decode(a.Uint64())
	}
	switch op {
	case OpFEq:
		return bv.Bool(v[0] == v[1])
	case OpFLt:
		return bv.Bool(v[0] < v[1])
	case OpFLe:
		return bv.Bool(v[0] <= v[1])
	case OpFToSI:
		return toInteger(v[0], width, true)
	case OpFToUI:
		return toInteger(v[0], width, false)
	case OpFToF:
		g, _ := formatOf(width)
		return bv.New(width, g.encode(v[0]))
	case OpFMA:
		return bv.New(width, f.fma(v[0], v[1], v[2]))
	}
	var r float64
	switch op {
	case OpFAdd:
		r = v[0] + v[1]
	case OpFMul:
		r = v[0] * v[1]
	case OpFDiv:
		r = v[0] / v[1]
	case OpFRem:
		r = math.Mod(v[0], v[1])
	case OpFSqrt:
		r = math.Sqrt(v[0])
	case OpFRound:
		r = roundIntegral(v[0], mode)
	}
	return bv.New(width, f.encode(r))
}
