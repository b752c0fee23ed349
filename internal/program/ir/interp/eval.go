package interp

import (
	"fmt"
	"math"
	"math/big"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// Eval is the value of a pure operation for operands of any width, by the
// reference arithmetic of package bv: the interpreter uses it for integers wider
// than a machine word, and tests hold the fast path against it. The guard is
// CheckNone, or the kind of undefined behaviour that makes the result arbitrary;
// then the value is of width 0.
func Eval(d *ir.Def, args []bv.BV) (v bv.BV, guard ir.CheckKind) {
	x := args[0]
	var y bv.BV
	if len(args) > 1 {
		y = args[1]
	}
	w := d.Type.Bits
	switch d.Op {
	case ir.Add:
		return x.Add(y), 0
	case ir.Sub:
		return x.Sub(y), 0
	case ir.Mul:
		return x.Mul(y), 0
	case ir.UDiv, ir.URem, ir.SDiv, ir.SRem:
		return divide(d.Op, x, y)
	case ir.Shl, ir.LShr, ir.AShr:
		return shift(d.Op, x, y)
	case ir.And:
		return x.And(y), 0
	case ir.Or:
		return x.Or(y), 0
	case ir.Xor:
		return x.Xor(y), 0
	case ir.SAddOvf, ir.UAddOvf, ir.SSubOvf, ir.USubOvf, ir.SMulOvf, ir.UMulOvf:
		return bv.Bool(overflows(d.Op, x, y)), 0
	case ir.Ctpop, ir.Ctlz, ir.Cttz:
		return bv.New(w, countBits(d.Op, x)), 0
	case ir.Bswap:
		b := x.Bytes()
		for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
			b[i], b[j] = b[j], b[i]
		}
		return bv.FromBytes(b), 0
	case ir.Bitreverse:
		r := x.Extract(0, 0)
		for i := uint32(1); i < w; i++ {
			r = r.Concat(x.Extract(i, i))
		}
		return r, 0
	case ir.FShl, ir.FShr:
		n := args[2].URem(bv.New(w, uint64(w))) // w < 2^w
		both := x.Concat(y)
		if d.Op == ir.FShl {
			return both.Shl(n.ZExt(2*w)).Extract(2*w-1, w), 0
		}
		return both.LShr(n.ZExt(2 * w)).Trunc(w), 0
	case ir.Eq:
		return bv.Bool(x.Equal(y)), 0
	case ir.Ne:
		return bv.Bool(!x.Equal(y)), 0
	case ir.ULt:
		return bv.Bool(x.ULt(y)), 0
	case ir.ULe:
		return bv.Bool(!y.ULt(x)), 0
	case ir.SLt:
		return bv.Bool(x.SLt(y)), 0
	case ir.SLe:
		return bv.Bool(!y.SLt(x)), 0
	case ir.ZExt:
		return x.ZExt(w), 0
	case ir.SExt:
		return x.SExt(w), 0
	case ir.Trunc:
		return x.Trunc(w), 0
	case ir.BitCast, ir.Freeze:
		return x, 0
	case ir.Select:
		if x.IsTrue() {
			return y, 0
		}
		return args[2], 0
	case ir.FAdd, ir.FSub, ir.FMul, ir.FDiv, ir.FRem, ir.FCopySign, ir.FMin, ir.FMax:
		return bv.New(w, floatBinary(d.Op, w, x.Uint64(), y.Uint64())), 0
	case ir.FNeg, ir.FAbs, ir.FSqrt, ir.FRound:
		return bv.New(w, floatUnary(d.Op, w, x.Uint64(), ir.RoundingMode(d.Aux))), 0
	case ir.FMA:
		return bv.New(w, fma(w, x.Uint64(), y.Uint64(), args[2].Uint64())), 0
	case ir.FEq, ir.FLt, ir.FLe, ir.FUno:
		return bv.Bool(floatCompare(d.Op, x.Width(), x.Uint64(), y.Uint64())), 0
	case ir.FToSI, ir.FToUI:
		return floatToBig(x, w, d.Op == ir.FToSI)
	case ir.SIToF:
		return bigToFloat(x.Signed(), w), 0
	case ir.UIToF:
		return bigToFloat(x.Unsigned(), w), 0
	case ir.FToF:
		return bv.New(w, encodeFloat(w, decodeFloat(x.Width(), x.Uint64()))), 0
	}
	panic(fmt.Sprintf("interp: Eval of %s", d.Op))
}

func divide(op ir.Op, x, y bv.BV) (bv.BV, ir.CheckKind) {
	if y.IsZero() {
		return bv.BV{}, ir.DivByZero
	}
	switch op {
	case ir.UDiv:
		return x.UDiv(y), 0
	case ir.URem:
		return x.URem(y), 0
	}
	if op == ir.SDiv {
		return x.SDiv(y), 0
	}
	return x.SRem(y), 0
}

func shift(op ir.Op, x, y bv.BV) (bv.BV, ir.CheckKind) {
	if !y.IsUint64() || y.Uint64() >= uint64(x.Width()) {
		return bv.BV{}, ir.ShiftRange
	}
	switch op {
	case ir.Shl:
		return x.Shl(y), 0
	case ir.LShr:
		return x.LShr(y), 0
	}
	return x.AShr(y), 0
}

// overflows says whether the exact result is not a number of the width.
func overflows(op ir.Op, x, y bv.BV) bool {
	a, b, z := x.Unsigned(), y.Unsigned(), new(big.Int)
	signed := op == ir.SAddOvf || op == ir.SSubOvf || op == ir.SMulOvf
	if signed {
		a, b = x.Signed(), y.Signed()
	}
	switch op {
	case ir.SAddOvf, ir.UAddOvf:
		z.Add(a, b)
	case ir.SSubOvf, ir.USubOvf:
		z.Sub(a, b)
	default:
		z.Mul(a, b)
	}
	r := bv.FromBig(x.Width(), z)
	if signed {
		return r.Signed().Cmp(z) != 0
	}
	return r.Unsigned().Cmp(z) != 0
}

func countBits(op ir.Op, x bv.BV) (n uint64) {
	w := x.Width()
	switch op {
	case ir.Ctpop:
		for i := range w {
			if x.Bit(i) {
				n++
			}
		}
	case ir.Ctlz:
		for n < uint64(w) && !x.Bit(w-1-uint32(n)) {
			n++
		}
	case ir.Cttz:
		for n < uint64(w) && !x.Bit(uint32(n)) {
			n++
		}
	}
	return n
}

func floatToBig(x bv.BV, w uint32, signed bool) (bv.BV, ir.CheckKind) {
	v := decodeFloat(x.Width(), x.Uint64())
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return bv.BV{}, ir.FloatConversion
	}
	n, _ := big.NewFloat(v).Int(nil)
	r := bv.FromBig(w, n)
	if signed && r.Signed().Cmp(n) != 0 || !signed && r.Unsigned().Cmp(n) != 0 {
		return bv.BV{}, ir.FloatConversion
	}
	return r, 0
}

func bigToFloat(n *big.Int, w uint32) bv.BV {
	f := new(big.Float).SetInt(n) // exact
	switch w {
	case 32:
		v, _ := f.Float32()
		return bv.New(32, uint64(math.Float32bits(v)))
	default: // for a half the second rounding is harmless, as in intToFloat
		v, _ := f.Float64()
		return bv.New(w, encodeFloat(w, v))
	}
}
