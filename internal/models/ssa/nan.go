package ssa

import (
	"assay/internal/evidence/verdict"
	"assay/internal/logic/term"
	"assay/internal/models/encode"
	"assay/internal/program/ir"
)

// visible is the float x, the operand from of v, whose bits can be seen from now on: if it is a
// NaN that an operation made, its sign and payload are arbitrary.
func (s *step) visible(x term.ID, from, v ir.Value) term.ID {
	st := s.u.st
	if !loose(st, x, map[term.ID]bool{}) {
		return x
	}
	nan := encode.IsNaN(st, x)
	if st.IsFalse(nan) {
		return x
	}
	// A constant may be what is left of an operation, but not where the program reads it.
	if st.Op(x) == term.OpConst {
		if op := s.fr.fn.f.Values[from].Op; op == ir.Load || op == ir.Const || op == ir.BitCast {
			return x
		}
	}
	any := s.freeVariable(v, 2, st.Width(x))
	s.u.obstacle(s.fr, s.g, nan, true, verdict.CauseInexact, v, verdict.BitsOfNaN)
	return st.Ite(st.And(nan, encode.IsNaN(st, any)), any, x)
}

// loose says whether bits of x may be those of the result of a floating-point operation, or x a
// constant NaN, which an operation of constants may have made. What moves bits is looked through:
// negation, fabs, copysign and choices are made of it.
func loose(st *term.Store, x term.ID, seen map[term.ID]bool) bool {
	if seen[x] {
		return false
	}
	seen[x] = true
	switch st.Op(x) {
	case term.OpFAdd, term.OpFMul, term.OpFDiv, term.OpFRem, term.OpFSqrt, term.OpFMA, term.OpFRound, term.OpFToF:
		return true
	case term.OpConst:
		switch st.Width(x) {
		case 16, 32, 64:
			return st.IsTrue(encode.IsNaN(st, x))
		}
		return false
	case term.OpExtract, term.OpBVNot:
		return loose(st, st.Arg(x, 0), seen)
	case term.OpConcat:
		return loose(st, st.Arg(x, 0), seen) || loose(st, st.Arg(x, 1), seen)
	case term.OpIte:
		return loose(st, st.Arg(x, 1), seen) || loose(st, st.Arg(x, 2), seen)
	}
	return false
}
