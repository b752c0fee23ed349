package term

// Op is the head symbol of a term.
type Op uint8

// The operations. Sorts are written Bool, BV(w), Array(i, e): from BV(i) to BV(e).
// The bit-vector operations are those of SMT-LIB; division by zero included.
const (
	OpInvalid Op = iota

	OpTrue
	OpFalse
	OpConst // a bit-vector constant, see Store.ConstValue
	OpVar   // a free variable of any sort, see Store.VarName

	// Bool.
	OpNot // Bool
	OpAnd // Bool, Bool
	OpOr
	OpXor
	OpEq  // two terms of one sort (not Array) to Bool
	OpIte // Bool, then, else: any sort

	// BV(w), BV(w) to BV(w).
	OpAdd
	OpMul
	OpNeg // one operand
	OpUDiv
	OpURem
	OpSDiv
	OpSRem
	OpShl
	OpLShr
	OpAShr
	OpBVNot // one operand
	OpBVAnd
	OpBVOr
	OpBVXor

	// BV(w), BV(w) to Bool.
	OpULt
	OpULe
	OpSLt
	OpSLe

	OpConcat  // BV(a), BV(b) to BV(a+b), first operand high
	OpExtract // BV(w) to BV(hi-lo+1); see Store.ExtractBounds
	OpZExt    // BV(w) to BV(v), v > w
	OpSExt

	// Arrays.
	OpSelect     // Array(i, e), BV(i) to BV(e)
	OpStore      // Array(i, e), BV(i), BV(e) to Array(i, e)
	OpConstArray // BV(e) to Array(i, e): the same element everywhere

	// Floating point on bit patterns: BV(16), BV(32), BV(64) stand for
	// binary16, binary32, binary64. Round to nearest even unless said
	// otherwise; a NaN result is the canonical quiet NaN (sign 0, only the top
	// fraction bit set). FEq, FLt, FLe are false on NaN.
	OpFAdd
	OpFMul
	OpFDiv
	OpFRem   // C's fmod
	OpFSqrt  // one operand
	OpFMA    // three operands: a*b+c rounded once
	OpFRound // one operand, to an integral value; rounding mode in aux
	OpFEq
	OpFLt
	OpFLe
	OpFToSI // BV(f) to BV(w), toward zero; unspecified but fixed (0) out of range and for NaN
	OpFToUI
	OpSIToF // BV(w) to BV(f)
	OpUIToF
	OpFToF // BV(f) to BV(g)

	opMax
)
