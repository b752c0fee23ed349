package term

import "assay/internal/logic/bv"

// This file has the rules of the shifts. A shift by a constant moves bits: it
// becomes a Mul, Extract, ZExt or SExt, whose rules know more.

func shiftRules() []rule {
	return []rule{
		{OpShl, "zero", shiftZero},
		{OpShl, "const", shlConst},
		{OpShl, "far", shiftFar},
		{OpLShr, "zero", shiftZero},
		{OpLShr, "const", lshrConst},
		{OpLShr, "far", shiftFar},
		{OpAShr, "zero", shiftZero},
		{OpAShr, "const", ashrConst},
		{OpAShr, "nonnegative", ashrNonnegative},
	}
}

// match: 0 << y, 0 >> y, -1 >> y with copies of the sign
// result: 0, 0, -1
func shiftZero(s *Store, n node) ID {
	if x := n.args[0]; s.isZero(x) || n.op == OpAShr && s.isTop(x) {
		return x
	}
	return 0
}

// amount is the constant t, cut to the width if it is at least that.
func (s *Store) amount(t ID) (uint32, bool) {
	if !s.IsConst(t) {
		return 0, false
	}
	w := s.Width(t)
	if k, ok := s.ConstUint64(t); ok && k < uint64(w) {
		return uint32(k), true
	}
	return w, true
}

// match: x << k
// result: x * 2^k, 0 if k >= width
func shlConst(s *Store, n node) ID {
	k, ok := s.amount(n.args[1])
	if !ok {
		return 0
	}
	w := s.Width(n.args[0])
	if k >= w {
		return s.zero(w)
	}
	return s.Mul(n.args[0], s.Const(bv.New(w, 1).Shl(bv.New(w, uint64(k)))))
}

// match: x >> k with zeros
// result: ZExt(high part of x), 0 if k >= width
func lshrConst(s *Store, n node) ID {
	k, ok := s.amount(n.args[1])
	if !ok {
		return 0
	}
	w := s.Width(n.args[0])
	if k >= w {
		return s.zero(w)
	}
	return s.ZExt(s.Extract(n.args[0], w-1, k), w)
}

// match: x >> k with copies of the sign
// result: SExt(high part of x), at least its sign
func ashrConst(s *Store, n node) ID {
	k, ok := s.amount(n.args[1])
	if !ok {
		return 0
	}
	w := s.Width(n.args[0])
	return s.SExt(s.Extract(n.args[0], w-1, min(k, w-1)), w)
}

// match: x << y, x >> y with zeros, where y >= width is known
// result: 0
func shiftFar(s *Store, n node) ID {
	if w, ok := s.narrow(n.args[1]); ok && s.facts[n.args[1]].lo >= uint64(w) {
		return s.zero(w)
	}
	return 0
}

// match: AShr(x, y) with the sign of x known to be 0
// result: LShr(x, y)
func ashrNonnegative(s *Store, n node) ID {
	if s.nonnegative(n.args[0]) {
		return s.LShr(n.args[0], n.args[1])
	}
	return 0
}
