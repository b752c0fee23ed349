package term

import (
	"fmt"

	"assay/internal/logic/bv"
)

// This file has the constructors over floating-point bit patterns. Operations
// that only move bits are not operations of their own: they are built from the
// bit-vector ones, which every solver and the simplifier know.

// RoundMode says how OpFRound rounds to an integral value.
type RoundMode uint8

// The rounding modes, with the names of C and of SMT-LIB.
const (
	RoundNearestEven RoundMode = iota // rint, roundeven; RNE
	RoundTowardZero                   // trunc; RTZ
	RoundDown                         // floor; RTN
	RoundUp                           // ceil; RTP
	RoundNearestAway                  // round; RNA
)

// String is the name of the mode in SMT-LIB.
func (m RoundMode) String() string { return [...]string{"RNE", "RTZ", "RTN", "RTP", "RNA"}[m] }

// floatFormat is an IEEE 754 interchange format.
type floatFormat struct {
	width    uint32
	exponent uint32 // bits
	fraction uint32 // bits, without the hidden one
}

// formatOf is the format with that width, if there is one.
func formatOf(width uint32) (floatFormat, bool) {
	switch width {
	case 16:
		return floatFormat{16, 5, 10}, true
	case 32:
		return floatFormat{32, 8, 23}, true
	case 64:
		return floatFormat{64, 11, 52}, true
	}
	return floatFormat{}, false
}

func (f floatFormat) infinity() uint64 { return ones(f.exponent) << f.fraction }
func (f floatFormat) nan() uint64      { return f.infinity() | 1<<(f.fraction-1) }
func (f floatFormat) sign() uint64     { return 1 << (f.width - 1) }
func (f floatFormat) bias() int        { return 1<<(f.exponent-1) - 1 }

func (s *Store) wantFloat(op Op, t ID) floatFormat {
	f, ok := formatOf(s.Width(t))
	if !ok || s.Sort(t).Kind != SortBV {
		s.wrongSort(op, t)
	}
	return f
}

func (s *Store) floatSort(op Op, width uint32) uint32 {
	if _, ok := formatOf(width); !ok {
		panic(fmt.Sprintf("term: %s to width %d, which is no floating-point format", op, width))
	}
	return s.bitVec(width)
}

func (s *Store) floatBinary(op Op, a, b ID) ID {
	s.wantFloat(op, a)
	return s.binary(op, a, b)
}

func (s *Store) floatCompare(op Op, a, b ID) ID {
	s.wantFloat(op, a)
	return s.compare(op, a, b)
}

// FAdd is the sum.
func (s *Store) FAdd(a, b ID) ID { return s.floatBinary(OpFAdd, a, b) }

// FSub is FAdd(a, FNeg(b)), which is exact: only the sign of a NaN could differ,
// and a NaN result is canonical.
func (s *Store) FSub(a, b ID) ID { return s.FAdd(a, s.FNeg(b)) }

// FMul is the product.
func (s *Store) FMul(a, b ID) ID { return s.floatBinary(OpFMul, a, b) }

// FDiv is the quotient.
func (s *Store) FDiv(a, b ID) ID { return s.floatBinary(OpFDiv, a, b) }

// FRem is the remainder of the quotient truncated to zero, C's fmod.
func (s *Store) FRem(a, b ID) ID { return s.floatBinary(OpFRem, a, b) }

// FSqrt is the square root.
func (s *Store) FSqrt(a ID) ID {
	s.wantFloat(OpFSqrt, a)
	return s.unary(OpFSqrt, a)
}

// FMA is a*b+c, rounded once.
func (s *Store) FMA(a, b, c ID) ID {
	s.wantFloat(OpFMA, a)
	s.wantSame(OpFMA, a, b)
	s.wantSame(OpFMA, a, c)
	return s.mk(node{op: OpFMA, sort: s.nodes[a].sort, args: [3]ID{a, b, c}})
}

// FRound is a rounded to an integral value.
func (s *Store) FRound(a ID, mode RoundMode) ID {
	s.wantFloat(OpFRound, a)
	return s.mk(node{op: OpFRound, sort: s.nodes[a].sort, args: [3]ID{a}, aux: uint32(mode)})
}

// FEq is a == b: false on NaN, true on zeros of both signs.
func (s *Store) FEq(a, b ID) ID { return s.floatCompare(OpFEq, a, b) }

// FLt is a < b, false on NaN.
func (s *Store) FLt(a, b ID) ID { return s.floatCompare(OpFLt, a, b) }

// FLe is a <= b, false on NaN.
func (s *Store) FLe(a, b ID) ID { return s.floatCompare(OpFLe, a, b) }

// FToSI is a rounded to zero as a signed number; 0 if it does not fit.
func (s *Store) FToSI(a ID, width uint32) ID {
	s.wantFloat(OpFToSI, a)
	return s.mk(node{op: OpFToSI, sort: s.bitVec(width), args: [3]ID{a}})
}

// FToUI is a rounded to zero as an unsigned number; 0 if it does not fit.
func (s *Store) FToUI(a ID, width uint32) ID {
	s.wantFloat(OpFToUI, a)
	return s.mk(node{op: OpFToUI, sort: s.bitVec(width), args: [3]ID{a}})
}

// SIToF is the signed number a in the format of the given width.
func (s *Store) SIToF(a ID, width uint32) ID {
	s.wantBV(OpSIToF, a)
	return s.mk(node{op: OpSIToF, sort: s.floatSort(OpSIToF, width), args: [3]ID{a}})
}

// UIToF is the unsigned number a in the format of the given width.
func (s *Store) UIToF(a ID, width uint32) ID {
	s.wantBV(OpUIToF, a)
	return s.mk(node{op: OpUIToF, sort: s.floatSort(OpUIToF, width), args: [3]ID{a}})
}

// FToF is a in the format of the given width, a itself if it has it.
func (s *Store) FToF(a ID, width uint32) ID {
	if s.wantFloat(OpFToF, a).width == width {
		return a
	}
	return s.mk(node{op: OpFToF, sort: s.floatSort(OpFToF, width), args: [3]ID{a}})
}

// FNeg flips the sign bit, of a NaN too.
func (s *Store) FNeg(a ID) ID {
	f := s.wantFloat(OpBVXor, a)
	return s.BVXor(a, s.ConstU(f.width, f.sign()))
}

// FAbs clears the sign bit, of a NaN too.
func (s *Store) FAbs(a ID) ID {
	return s.ZExt(s.magnitude(a), s.Width(a))
}

// FCopySign is a with the sign bit of b.
func (s *Store) FCopySign(a, b ID) ID {
	f := s.wantFloat(OpConcat, b)
	s.wantSame(OpConcat, a, b)
	return s.Concat(s.Extract(b, f.width-1, f.width-1), s.magnitude(a))
}

// FIsNaN says whether a is a NaN.
func (s *Store) FIsNaN(a ID) ID {
	f := s.wantFloat(OpULt, a)
	return s.ULt(s.ConstU(f.width-1, f.infinity()), s.magnitude(a))
}

// FIsInf says whether a is an infinity of any sign.
func (s *Store) FIsInf(a ID) ID {
	f := s.wantFloat(OpEq, a)
	return s.Eq(s.magnitude(a), s.ConstU(f.width-1, f.infinity()))
}

// magnitude is a without its sign bit.
func (s *Store) magnitude(a ID) ID {
	f := s.wantFloat(OpExtract, a)
	return s.Extract(a, f.width-2, 0)
}

// ConstF is the number v, rounded once, in the format of the given width.
func (s *Store) ConstF(width uint32, v float64) ID {
	f, ok := formatOf(width)
	if !ok {
		panic(fmt.Sprintf("term: floating-point constant of width %d", width))
	}
	return s.Const(bv.New(width, f.encode(v)))
}
