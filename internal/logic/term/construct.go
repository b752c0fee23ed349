package term

import (
	"fmt"

	"assay/internal/logic/bv"
)

// This file has the constructors over Bool and bit-vectors. They check sorts,
// which is always on: a wrong sort is a bug of the caller and would otherwise
// surface in a solver, far away.

func (s *Store) wantBool(op Op, ts ...ID) {
	for _, t := range ts {
		if s.nodes[t].sort != 0 || t == 0 {
			s.wrongSort(op, ts...)
		}
	}
}

func (s *Store) wantBV(op Op, t ID) uint32 {
	sort := s.Sort(t)
	if sort.Kind != SortBV {
		s.wrongSort(op, t)
	}
	return sort.Width
}

func (s *Store) wantSame(op Op, a, b ID) {
	if s.nodes[a].sort != s.nodes[b].sort || s.Sort(a).Kind != SortBV {
		s.wrongSort(op, a, b)
	}
}

func (s *Store) wrongSort(op Op, ts ...ID) {
	msg := fmt.Sprintf("term: %s of", op)
	for _, t := range ts {
		if t == 0 {
			panic(msg + " no term")
		}
		msg += fmt.Sprintf(" %s,", s.Sort(t))
	}
	panic(msg[:len(msg)-1])
}

// True is the constant true.
func (s *Store) True() ID { return trueID }

// False is the constant false.
func (s *Store) False() ID { return falseID }

// Bool is the truth value b.
func (s *Store) Bool(b bool) ID {
	if b {
		return trueID
	}
	return falseID
}

// constant is v as a term of the given sort, Bool or BV.
func (s *Store) constant(sort uint32, v bv.BV) ID {
	if sort == 0 {
		return s.Bool(v.IsTrue())
	}
	return s.Const(v)
}

// Not is the negation of a Bool.
func (s *Store) Not(a ID) ID {
	s.wantBool(OpNot, a)
	return s.mk(node{op: OpNot, args: [3]ID{a}})
}

func (s *Store) connective(op Op, a, b ID) ID {
	if s.nodes[a].sort|s.nodes[b].sort != 0 || a == 0 || b == 0 {
		s.wrongSort(op, a, b)
	}
	return s.mk(node{op: op, args: [3]ID{a, b}})
}

// And is the conjunction of two Bools.
func (s *Store) And(a, b ID) ID { return s.connective(OpAnd, a, b) }

// Or is the disjunction of two Bools.
func (s *Store) Or(a, b ID) ID { return s.connective(OpOr, a, b) }

// Xor is the exclusive disjunction of two Bools.
func (s *Store) Xor(a, b ID) ID { return s.connective(OpXor, a, b) }

// Implies is Or(Not(a), b).
func (s *Store) Implies(a, b ID) ID { return s.Or(s.Not(a), b) }

// AndAll is the conjunction of all ts, true if there are none.
func (s *Store) AndAll(ts ...ID) ID {
	r := trueID
	for _, t := range ts {
		r = s.And(r, t)
	}
	return r
}

// OrAll is the disjunction of all ts, false if there are none.
func (s *Store) OrAll(ts ...ID) ID {
	r := falseID
	for _, t := range ts {
		r = s.Or(r, t)
	}
	return r
}

// Eq is the equality of two Bools or two bit-vectors of one width. Arrays are
// not compared.
func (s *Store) Eq(a, b ID) ID {
	if s.nodes[a].sort != s.nodes[b].sort || s.Sort(a).Kind == SortArray || a == 0 || b == 0 {
		s.wrongSort(OpEq, a, b)
	}
	return s.mk(node{op: OpEq, args: [3]ID{a, b}})
}

// Ite is a if c else b, for terms of any one sort.
func (s *Store) Ite(c, a, b ID) ID {
	if c == 0 || a == 0 || b == 0 || s.nodes[c].sort != 0 || s.nodes[a].sort != s.nodes[b].sort {
		s.wrongSort(OpIte, c, a, b)
	}
	return s.mk(node{op: OpIte, sort: s.nodes[a].sort, args: [3]ID{c, a, b}})
}

func (s *Store) unary(op Op, a ID) ID {
	s.wantBV(op, a)
	return s.mk(node{op: op, sort: s.nodes[a].sort, args: [3]ID{a}})
}

func (s *Store) binary(op Op, a, b ID) ID {
	s.wantSame(op, a, b)
	return s.mk(node{op: op, sort: s.nodes[a].sort, args: [3]ID{a, b}})
}

func (s *Store) compare(op Op, a, b ID) ID {
	s.wantSame(op, a, b)
	return s.mk(node{op: op, args: [3]ID{a, b}})
}

// Add is a + b modulo 2^width.
func (s *Store) Add(a, b ID) ID { return s.binary(OpAdd, a, b) }

// Sub is Add(a, Neg(b)).
func (s *Store) Sub(a, b ID) ID {
	s.wantSame(OpAdd, a, b)
	return s.Add(a, s.Neg(b))
}

// Mul is a * b modulo 2^width.
func (s *Store) Mul(a, b ID) ID { return s.binary(OpMul, a, b) }

// Neg is -a modulo 2^width.
func (s *Store) Neg(a ID) ID { return s.unary(OpNeg, a) }

// UDiv is the unsigned quotient; all ones if b is 0.
func (s *Store) UDiv(a, b ID) ID { return s.binary(OpUDiv, a, b) }

// URem is the unsigned remainder; a if b is 0.
func (s *Store) URem(a, b ID) ID { return s.binary(OpURem, a, b) }

// SDiv is the signed quotient rounded to zero; 1 or -1 if b is 0.
func (s *Store) SDiv(a, b ID) ID { return s.binary(OpSDiv, a, b) }

// SRem is the signed remainder with the sign of a; a if b is 0.
func (s *Store) SRem(a, b ID) ID { return s.binary(OpSRem, a, b) }

// Shl shifts left; 0 if b >= width.
func (s *Store) Shl(a, b ID) ID { return s.binary(OpShl, a, b) }

// LShr shifts right with zeros; 0 if b >= width.
func (s *Store) LShr(a, b ID) ID { return s.binary(OpLShr, a, b) }

// AShr shifts right with copies of the sign; all signs if b >= width.
func (s *Store) AShr(a, b ID) ID { return s.binary(OpAShr, a, b) }

// BVNot is the bitwise complement.
func (s *Store) BVNot(a ID) ID { return s.unary(OpBVNot, a) }

// BVAnd is the bitwise conjunction.
func (s *Store) BVAnd(a, b ID) ID { return s.binary(OpBVAnd, a, b) }

// BVOr is the bitwise disjunction.
func (s *Store) BVOr(a, b ID) ID { return s.binary(OpBVOr, a, b) }

// BVXor is the bitwise exclusive disjunction.
func (s *Store) BVXor(a, b ID) ID { return s.binary(OpBVXor, a, b) }

// ULt is a < b unsigned.
func (s *Store) ULt(a, b ID) ID { return s.compare(OpULt, a, b) }

// ULe is a <= b unsigned.
func (s *Store) ULe(a, b ID) ID { return s.compare(OpULe, a, b) }

// SLt is a < b signed.
func (s *Store) SLt(a, b ID) ID { return s.compare(OpSLt, a, b) }

// SLe is a <= b signed.
func (s *Store) SLe(a, b ID) ID { return s.compare(OpSLe, a, b) }

// Concat has a as the high and b as the low bits.
func (s *Store) Concat(a, b ID) ID {
	w := s.wantBV(OpConcat, a) + s.wantBV(OpConcat, b)
	return s.mk(node{op: OpConcat, sort: s.bitVec(w), args: [3]ID{a, b}})
}

// Extract is bits hi to lo of t, t itself if these are all.
func (s *Store) Extract(t ID, hi, lo uint32) ID {
	w := s.wantBV(OpExtract, t)
	if hi >= w || lo > hi {
		panic(fmt.Sprintf("term: extract of bits %d to %d of %s", hi, lo, s.Sort(t)))
	}
	if hi-lo+1 == w {
		return t
	}
	return s.mk(node{op: OpExtract, sort: s.bitVec(hi - lo + 1), args: [3]ID{t}, aux: lo})
}

func (s *Store) extend(op Op, t ID, width uint32) ID {
	w := s.wantBV(op, t)
	if width < w {
		panic(fmt.Sprintf("term: %s of %s to width %d", op, s.Sort(t), width))
	}
	if width == w {
		return t
	}
	return s.mk(node{op: op, sort: s.bitVec(width), args: [3]ID{t}})
}

// ZExt extends t to the given total width with zeros.
func (s *Store) ZExt(t ID, width uint32) ID { return s.extend(OpZExt, t, width) }

// SExt extends t to the given total width with copies of the sign.
func (s *Store) SExt(t ID, width uint32) ID { return s.extend(OpSExt, t, width) }

// ZExtOrTrunc is t with the given width: its low bits, or extended with zeros.
func (s *Store) ZExtOrTrunc(t ID, width uint32) ID {
	if width < s.wantBV(OpZExt, t) {
		return s.Extract(t, width-1, 0)
	}
	return s.ZExt(t, width)
}

// SExtOrTrunc is t with the given width: its low bits, or extended with copies
// of the sign.
func (s *Store) SExtOrTrunc(t ID, width uint32) ID {
	if width < s.wantBV(OpSExt, t) {
		return s.Extract(t, width-1, 0)
	}
	return s.SExt(t, width)
}

// BoolToBV is Ite(c, 1, 0) of width 1.
func (s *Store) BoolToBV(c ID) ID { return s.Ite(c, s.ConstU(1, 1), s.ConstU(1, 0)) }

// BVToBool says that t, of width 1, is 1.
func (s *Store) BVToBool(t ID) ID {
	if s.wantBV(OpEq, t) != 1 {
		s.wrongSort(OpEq, t)
	}
	return s.Eq(t, s.ConstU(1, 1))
}

// Select is the element of array a at index i.
func (s *Store) Select(a, i ID) ID {
	sort := s.Sort(a)
	if sort.Kind != SortArray || s.Sort(i) != BitVec(sort.Index) {
		s.wrongSort(OpSelect, a, i)
	}
	return s.mk(node{op: OpSelect, sort: s.bitVec(sort.Width), args: [3]ID{a, i}})
}

// StoreArray is the array a with element e at index i.
func (s *Store) StoreArray(a, i, e ID) ID {
	sort := s.Sort(a)
	if sort.Kind != SortArray || s.Sort(i) != BitVec(sort.Index) || s.Sort(e) != BitVec(sort.Width) {
		s.wrongSort(OpStore, a, i, e)
	}
	return s.mk(node{op: OpStore, sort: s.nodes[a].sort, args: [3]ID{a, i, e}})
}

// ConstArray is the array of the given sort with element e everywhere.
func (s *Store) ConstArray(sort Sort, e ID) ID {
	if sort.Kind != SortArray || s.Sort(e) != BitVec(sort.Width) {
		s.wrongSort(OpConstArray, e)
	}
	return s.mk(node{op: OpConstArray, sort: s.number(sort), args: [3]ID{e}})
}
