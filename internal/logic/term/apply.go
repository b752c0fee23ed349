package term

import (
	"fmt"

	"assay/internal/logic/bv"
)

// apply is the value of an operation on concrete arguments: the one place that
// gives an operation its meaning, shared by constant folding and the evaluator.
// A Bool has width 1; width and aux are those of the node. Leaves and arrays
// have no value of this kind.
func apply(op Op, width, aux uint32, a []bv.BV) bv.BV {
	switch op {
	case OpNot, OpBVNot:
		return a[0].Not()
	case OpAnd, OpBVAnd:
		return a[0].And(a[1])
	case OpOr, OpBVOr:
		return a[0].Or(a[1])
	case OpXor, OpBVXor:
		return a[0].Xor(a[1])
	case OpEq:
		return bv.Bool(a[0].Equal(a[1]))
	case OpIte:
		if a[0].IsTrue() {
			return a[1]
		}
		return a[2]
	case OpAdd:
		return a[0].Add(a[1])
	case OpMul:
		return a[0].Mul(a[1])
	case OpNeg:
		return a[0].Neg()
	case OpUDiv:
		return a[0].UDiv(a[1])
	case OpURem:
		return a[0].URem(a[1])
	case OpSDiv:
		return a[0].SDiv(a[1])
	case OpSRem:
		return a[0].SRem(a[1])
	case OpShl:
		return a[0].Shl(a[1])
	case OpLShr:
		return a[0].LShr(a[1])
	case OpAShr:
		return a[0].AShr(a[1])
	case OpULt:
		return bv.Bool(a[0].ULt(a[1]))
	case OpULe:
		return bv.Bool(!a[1].ULt(a[0]))
	case OpSLt:
		return bv.Bool(a[0].SLt(a[1]))
	case OpSLe:
		return bv.Bool(!a[1].SLt(a[0]))
	case OpConcat:
		return a[0].Concat(a[1])
	case OpExtract:
		return a[0].Extract(aux+width-1, aux)
	case OpZExt:
		return a[0].ZExt(width)
	case OpSExt:
		return a[0].SExt(width)
	case OpFAdd, OpFMul, OpFDiv, OpFRem, OpFSqrt, OpFMA, OpFRound, OpFEq, OpFLt, OpFLe,
		OpFToSI, OpFToUI, OpSIToF, OpUIToF, OpFToF:
		return applyFloat(op, width, RoundMode(aux), a)
	}
	panic(fmt.Sprintf("term: no value of %s", op))
}
