// Package encode gives each scalar instruction of the IR its meaning as a
// term: the single place where an instruction becomes a formula. Memory
// instructions are package memory's, control flow is package ssa's.
//
// The interpreter (internal/program/ir/interp) implements the same table of
// docs/soundness.md with concrete values and shares no code with this package;
// the tests compare the two for every operation at small widths.
package encode

import (
	"assay/internal/logic/bv"
	"assay/internal/logic/term"
	"assay/internal/program/ir"
)

// Undefined is called for each way in which an operation is undefined: cond
// says when. It returns the arbitrary value that the operation then yields.
type Undefined func(kind ir.CheckKind, cond term.ID, text string) term.ID

// Scalar encodes an operation on scalar operands (bit-vectors, truth values
// as one bit). It returns 0 if the operation is not a scalar one.
func Scalar(st *term.Store, d *ir.Def, args []term.ID, undefined Undefined) term.ID {
	if t := integer(st, d, args, undefined); t != 0 {
		return t
	}
	return float(st, d, args, undefined)
}

func integer(st *term.Store, d *ir.Def, args []term.ID, undefined Undefined) term.ID {
	w := d.Type.Bits
	bit := st.BoolToBV
	switch d.Op {
	case ir.Add:
		return st.Add(args[0], args[1])
	case ir.Sub:
		return st.Sub(args[0], args[1])
	case ir.Mul:
		return st.Mul(args[0], args[1])
	case ir.UDiv, ir.URem, ir.SDiv, ir.SRem:
		return division(st, d, args[0], args[1], undefined)
	case ir.Shl, ir.LShr, ir.AShr:
		far := st.Not(st.ULt(args[1], st.Const(shiftBound(w))))
		if w == 1 {
			far = st.Eq(args[1], st.ConstU(1, 1))
		}
		var t term.ID
		switch d.Op {
		case ir.Shl:
			t = st.Shl(args[0], args[1])
		case ir.LShr:
			t = st.LShr(args[0], args[1])
		default:
			t = st.AShr(args[0], args[1])
		}
		return arbitrary(st, t, far, ir.ShiftRange, "shift amount out of range", undefined)
	case ir.And:
		return st.BVAnd(args[0], args[1])
	case ir.Or:
		return st.BVOr(args[0], args[1])
	case ir.Xor:
		return st.BVXor(args[0], args[1])
	case ir.SAddOvf, ir.UAddOvf, ir.SSubOvf, ir.USubOvf, ir.SMulOvf, ir.UMulOvf:
		return bit(overflow(st, d.Op, args[0], args[1]))
	case ir.Ctpop:
		t := st.ConstU(w, 0)
		for i := uint32(0); i < w; i++ {
			t = st.Add(t, st.ZExt(st.Extract(args[0], i, i), w))
		}
		return t
	case ir.Ctlz:
		t := st.Const(bv.New(w, uint64(w)))
		for i := uint32(0); i < w; i++ {
			t = st.Ite(st.Eq(st.Extract(args[0], i, i), st.ConstU(1, 1)), st.Const(bv.New(w, uint64(w-1-i))), t)
		}
		return t
	case ir.Cttz:
		t := st.Const(bv.New(w, uint64(w)))
		for i := w; i > 0; i-- {
			t = st.Ite(st.Eq(st.Extract(args[0], i-1, i-1), st.ConstU(1, 1)), st.Const(bv.New(w, uint64(i-1))), t)
		}
		return t
	case ir.Bswap:
		t := st.Extract(args[0], 7, 0)
		for i := uint32(8); i < w; i += 8 {
			t = st.Concat(t, st.Extract(args[0], i+7, i))
		}
		return t
	case ir.Bitreverse:
		t := st.Extract(args[0], 0, 0)
		for i := uint32(1); i < w; i++ {
			t = st.Concat(t, st.Extract(args[0], i, i))
		}
		return t
	case ir.FShl, ir.FShr:
		amount := st.ZExt(st.URem(args[2], st.Const(bv.New(w, uint64(w)))), 2*w)
		if w == 1 {
			amount = st.ConstU(2, 0)
		}
		both := st.Concat(args[0], args[1])
		if d.Op == ir.FShl {
			return st.Extract(st.Shl(both, amount), 2*w-1, w)
		}
		return st.Extract(st.LShr(both, amount), w-1, 0)
	case ir.Eq:
		return bit(st.Eq(args[0], args[1]))
	case ir.Ne:
		return bit(st.Not(st.Eq(args[0], args[1])))
	case ir.ULt:
		return bit(st.ULt(args[0], args[1]))
	case ir.ULe:
		return bit(st.ULe(args[0], args[1]))
	case ir.SLt:
		return bit(st.SLt(args[0], args[1]))
	case ir.SLe:
		return bit(st.SLe(args[0], args[1]))
	case ir.ZExt:
		return st.ZExt(args[0], w)
	case ir.SExt:
		return st.SExt(args[0], w)
	case ir.Trunc:
		return st.Extract(args[0], w-1, 0)
	case ir.BitCast, ir.Freeze:
		return args[0]
	case ir.Select:
		return st.Ite(st.BVToBool(args[0]), args[1], args[2])
	}
	return 0
}

// shiftBound is the width w as a number of w bits; 1 has no such number.
func shiftBound(w uint32) bv.BV { return bv.New(w, uint64(w)) }

// arbitrary is t except where cond holds: there it is any value.
func arbitrary(st *term.Store, t, cond term.ID, kind ir.CheckKind, text string, undefined Undefined) term.ID {
	if st.IsFalse(cond) {
		return t
	}
	return st.Ite(cond, undefined(kind, cond, text), t)
}

func division(st *term.Store, d *ir.Def, a, b term.ID, undefined Undefined) term.ID {
	w := d.Type.Bits
	zero := st.Eq(b, st.Const(bv.New(w, 0)))
	var t term.ID
	switch d.Op {
	case ir.UDiv:
		t = st.UDiv(a, b)
	case ir.URem:
		t = st.URem(a, b)
	case ir.SDiv:
		t = st.SDiv(a, b)
	default:
		t = st.SRem(a, b)
	}
	return arbitrary(st, t, zero, ir.DivByZero, "division by zero", undefined)
}

// overflow says that the exact result does not fit.
func overflow(st *term.Store, op ir.Op, a, b term.ID) term.ID {
	w := st.Width(a)
	switch op {
	case ir.SAddOvf, ir.SSubOvf, ir.SMulOvf:
		if cannotOverflow(st, op == ir.SMulOvf, a, b) {
			return st.False()
		}
	}
	sign := func(t term.ID) term.ID { return st.Eq(st.Extract(t, w-1, w-1), st.ConstU(1, 1)) }
	switch op {
	case ir.SAddOvf:
		s := st.Add(a, b)
		return st.And(st.Not(st.Xor(sign(a), sign(b))), st.Xor(sign(a), sign(s)))
	case ir.UAddOvf:
		return st.ULt(st.Add(a, b), a)
	case ir.SSubOvf:
		s := st.Sub(a, b)
		return st.And(st.Xor(sign(a), sign(b)), st.Xor(sign(a), sign(s)))
	case ir.USubOvf:
		return st.ULt(a, b)
	case ir.SMulOvf:
		return signedProductOverflow(st, a, b)
	default:
		p := st.Mul(st.ZExt(a, 2*w), st.ZExt(b, 2*w))
		return st.Not(st.Eq(st.Extract(p, 2*w-1, w), st.Const(bv.New(w, 0))))
	}
}

// signedProductOverflow computes the product in 2w bits; the upper half and
// the sign of the lower one must agree.
func signedProductOverflow(st *term.Store, a, b term.ID) term.ID {
	w := st.Width(a)
	p := st.Mul(st.SExt(a, 2*w), st.SExt(b, 2*w))
	high := st.Extract(p, 2*w-1, w-1)
	return st.Not(st.Or(st.Eq(high, st.Const(bv.New(w+1, 0))), st.Eq(high, st.Const(bv.New(w+1, 0).Not()))))
}
