package encode

import (
	"math/bits"

	"assay/internal/logic/term"
)

// This file bounds the magnitude of terms from their shape, so that the
// overflow predicates of promoted arithmetic (chars and shorts computed as
// ints) fold without a solver.

// maxWidthDepth bounds the look into a term.
const maxWidthDepth = 8

// signedWidth is a number of bits n such that the value of t, as a signed
// number, is that of its low n bits: it lies in [-2^(n-1), 2^(n-1)).
func signedWidth(st *term.Store, t term.ID, depth int) uint32 {
	w := st.Width(t)
	if st.IsConst(t) && w <= 64 {
		v := st.ConstValue(t).Int64()
		if v < 0 {
			v = ^v
		}
		return min(w, uint32(bits.Len64(uint64(v)))+1)
	}
	n := w
	if lo, hi, ok := st.UnsignedRange(t); ok && lo <= hi {
		n = min(n, uint32(bits.Len64(hi))+1)
	}
	if depth == 0 {
		return n
	}
	arg := func(i int) uint32 { return signedWidth(st, st.Arg(t, i), depth-1) }
	switch st.Op(t) {
	case term.OpSExt:
		n = min(n, arg(0))
	case term.OpZExt:
		n = min(n, st.Width(st.Arg(t, 0))+1)
	case term.OpAdd:
		n = min(n, max(arg(0), arg(1))+1)
	case term.OpNeg:
		n = min(n, arg(0)+1)
	case term.OpMul:
		n = min(n, arg(0)+arg(1))
	case term.OpSRem: // by magnitude not above the dividend, nor the divisor unless that is 0
		n = min(n, arg(0))
		if d := st.Arg(t, 1); st.IsConst(d) && !st.ConstValue(d).IsZero() {
			n = min(n, arg(1))
		}
	case term.OpIte:
		n = min(n, max(signedWidth(st, st.Arg(t, 1), depth-1), signedWidth(st, st.Arg(t, 2), depth-1)))
	}
	return min(n, w)
}

// cannotOverflow says that the signed operation is exact because its operands
// are small.
func cannotOverflow(st *term.Store, product bool, a, b term.ID) bool {
	na, nb := signedWidth(st, a, maxWidthDepth), signedWidth(st, b, maxWidthDepth)
	if product {
		return na+nb <= st.Width(a)
	}
	return max(na, nb)+1 <= st.Width(a)
}
