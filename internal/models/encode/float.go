package encode

import (
	"math"
	"math/big"

	"assay/internal/logic/bv"
	"assay/internal/logic/term"
	"assay/internal/program/ir"
)

// roundModes translates the IR's rounding modes into the terms'.
var roundModes = map[ir.RoundingMode]term.RoundMode{
	ir.RoundNearestEven: term.RoundNearestEven,
	ir.RoundNearestAway: term.RoundNearestAway,
	ir.RoundTowardZero:  term.RoundTowardZero,
	ir.RoundUp:          term.RoundUp,
	ir.RoundDown:        term.RoundDown,
}

// float encodes the floating-point operations; operands are bit patterns.
func float(st *term.Store, d *ir.Def, args []term.ID, undefined Undefined) term.ID {
	w := d.Type.Bits
	bit := st.BoolToBV
	switch d.Op {
	case ir.FAdd:
		return st.FAdd(args[0], args[1])
	case ir.FSub:
		// a - b is a + (-b) also for signed zeros; a NaN b gives the canonical NaN either way.
		return st.FAdd(args[0], negate(st, args[1]))
	case ir.FMul:
		return st.FMul(args[0], args[1])
	case ir.FDiv:
		return st.FDiv(args[0], args[1])
	case ir.FRem:
		return st.FRem(args[0], args[1])
	case ir.FNeg:
		return negate(st, args[0])
	case ir.FAbs:
		return st.Concat(st.ConstU(1, 0), st.Extract(args[0], w-2, 0))
	case ir.FSqrt:
		return st.FSqrt(args[0])
	case ir.FMA:
		return st.FMA(args[0], args[1], args[2])
	case ir.FCopySign:
		return st.Concat(st.Extract(args[1], w-1, w-1), st.Extract(args[0], w-2, 0))
	case ir.FMin, ir.FMax:
		return minimum(st, d.Op == ir.FMax, args[0], args[1])
	case ir.FRound:
		return st.FRound(args[0], roundModes[ir.RoundingMode(d.Aux)])
	case ir.FEq:
		return bit(st.FEq(args[0], args[1]))
	case ir.FLt:
		return bit(st.FLt(args[0], args[1]))
	case ir.FLe:
		return bit(st.FLe(args[0], args[1]))
	case ir.FUno:
		return bit(st.Or(isNaN(st, args[0]), isNaN(st, args[1])))
	case ir.FToSI, ir.FToUI:
		signed := d.Op == ir.FToSI
		t := st.FToUI(args[0], w)
		if signed {
			t = st.FToSI(args[0], w)
		}
		return arbitrary(st, t, st.Not(fits(st, args[0], w, signed)), ir.FloatConversion, "float does not fit the integer", undefined)
	case ir.SIToF:
		return st.SIToF(args[0], w)
	case ir.UIToF:
		return st.UIToF(args[0], w)
	case ir.FToF:
		if st.Width(args[0]) == w {
			return args[0]
		}
		return st.FToF(args[0], w)
	}
	return 0
}

// minimum is the lesser number, or the greater one; the other operand if one is
// a NaN. Of zeros of both signs the minimum is -0 and the maximum +0, as the
// interpreter has it; LLVM leaves it open (docs/soundness.md).
func minimum(st *term.Store, greatest bool, a, b term.ID) term.ID {
	w := st.Width(a)
	x, y := a, b
	if greatest {
		x, y = y, x
	}
	signX := st.Eq(st.Extract(x, w-1, w-1), st.ConstU(1, 1))
	take := st.Or(st.FLt(x, y), st.And(st.FEq(x, y), signX)) // x is the lesser
	r := st.Ite(take, x, y)
	if greatest {
		r = st.Ite(take, y, x)
	}
	f := fractionBits(w)
	quiet := st.Const(infinity(w, false).Or(bv.New(w, 1).Shl(bv.New(w, uint64(f-1)))))
	return st.Ite(isNaN(st, a), st.Ite(isNaN(st, b), quiet, b), st.Ite(isNaN(st, b), a, r))
}

func negate(st *term.Store, a term.ID) term.ID {
	w := st.Width(a)
	return st.Concat(st.BVNot(st.Extract(a, w-1, w-1)), st.Extract(a, w-2, 0))
}

// fractionBits is the size of the fraction field of a format.
func fractionBits(w uint32) uint32 {
	switch w {
	case 16:
		return 10
	case 32:
		return 23
	default:
		return 52
	}
}

func isNaN(st *term.Store, a term.ID) term.ID {
	w := st.Width(a)
	f := fractionBits(w)
	exponent := st.Extract(a, w-2, f)
	return st.And(st.Eq(exponent, st.Const(bv.New(w-1-f, 0).Not())), st.Not(st.Eq(st.Extract(a, f-1, 0), st.Const(bv.New(f, 0)))))
}

// IsNaN says that a bit pattern is a NaN.
func IsNaN(st *term.Store, a term.ID) term.ID { return isNaN(st, a) }

// fits says that a, truncated toward zero, is an integer of w bits: it lies
// strictly between the two nearest numbers of the format that do not.
func fits(st *term.Store, a term.ID, w uint32, signed bool) term.ID {
	fw := st.Width(a)
	lo, hi := big.NewInt(-1), new(big.Int).Lsh(big.NewInt(1), uint(w))
	strictLow := true // the bound itself does not fit
	if signed {
		hi.Rsh(hi, 1)
		lo.Neg(hi)
		lo.Sub(lo, big.NewInt(1)) // -2^(w-1) - 1 may not be a number of the format
	}
	low, exact := pattern(fw, lo)
	if !exact {
		// Then -2^(w-1) is one, and the next below it does not fit; or it is
		// below all finite numbers, which then all fit.
		low, exact = pattern(fw, lo.Add(lo, big.NewInt(1)))
		strictLow = !exact
	}
	high, ok := pattern(fw, hi)
	below := st.True()
	if ok {
		below = st.FLt(a, st.Const(high))
	} else {
		// 2^(w-1) is beyond the greatest finite number: all finite numbers fit.
		below = st.FLt(a, st.Const(infinity(fw, false)))
	}
	above := st.FLt(st.Const(low), a)
	if !strictLow {
		above = st.FLe(st.Const(low), a)
	}
	return st.And(below, above)
}

func infinity(fw uint32, negative bool) bv.BV {
	f := fractionBits(fw)
	v := bv.New(fw, 0).Not().LShr(bv.New(fw, uint64(f)+1)).Shl(bv.New(fw, uint64(f)))
	if negative {
		v = v.Or(bv.New(fw, 1).Shl(bv.New(fw, uint64(fw-1))))
	}
	return v
}

// pattern is the bit pattern of an integer in a format, if it is exactly one
// of its finite numbers; otherwise the infinity of its sign if it is too
// large, and false.
func pattern(fw uint32, v *big.Int) (bv.BV, bool) {
	f := new(big.Float).SetInt(v)
	switch fw {
	case 32:
		x, acc := f.Float32()
		return bv.New(32, uint64(math.Float32bits(x))), acc == big.Exact && !math.IsInf(float64(x), 0)
	case 64:
		x, acc := f.Float64()
		return bv.New(64, math.Float64bits(x)), acc == big.Exact && !math.IsInf(x, 0)
	}
	// binary16: 11 bits of precision, at most 65504.
	n := new(big.Int).Abs(v)
	if n.Cmp(big.NewInt(65504)) > 0 {
		return infinity(16, v.Sign() < 0), false
	}
	k := n.Uint64()
	if k == 0 {
		return bv.New(16, 0), true
	}
	e := uint64(new(big.Int).SetUint64(k).BitLen() - 1)
	var frac uint64
	exact := true
	if e <= 10 {
		frac = k << (10 - e) & 1023
	} else {
		frac = k >> (e - 10) & 1023
		exact = k&(1<<(e-10)-1) == 0
	}
	b := (e+15)<<10 | frac
	if v.Sign() < 0 {
		b |= 1 << 15
	}
	return bv.New(16, b), exact
}
