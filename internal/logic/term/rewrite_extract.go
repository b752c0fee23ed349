package term

// This file has the rules of Extract.

func extractRules() []rule {
	return []rule{
		{OpExtract, "extract", extractExtract},
		{OpExtract, "concat", extractConcat},
		{OpExtract, "zext", extractZExt},
		{OpExtract, "sext", extractSExt},
		{OpExtract, "ite", extractIte},
		{OpExtract, "not", extractNot},
		{OpExtract, "bitwise", extractBitwise},
		{OpExtract, "sum", extractSum},
	}
}

// within is the highest bit that an Extract node selects.
func (s *Store) within(n node) uint32 { return n.aux + s.sorts[n.sort].Width - 1 }

// match: Extract(Extract(x))
// result: Extract(x)
func extractExtract(s *Store, n node) ID {
	x := s.nodes[n.args[0]]
	if x.op != OpExtract {
		return 0
	}
	return s.Extract(x.args[0], x.aux+s.within(n), x.aux+n.aux)
}

// match: Extract(Concat(a, b))
// result: Extract of a, of b, or the Concat of the two
func extractConcat(s *Store, n node) ID {
	x := s.nodes[n.args[0]]
	if x.op != OpConcat {
		return 0
	}
	a, b := x.args[0], x.args[1]
	low, hi, lo := s.Width(b), s.within(n), n.aux
	switch {
	case lo >= low:
		return s.Extract(a, hi-low, lo-low)
	case hi < low:
		return s.Extract(b, hi, lo)
	}
	return s.Concat(s.Extract(a, hi-low, 0), s.Extract(b, low-1, lo))
}

// match: Extract(ZExt(x))
// result: Extract of x, its ZExt, or 0
func extractZExt(s *Store, n node) ID {
	if !s.is(n.args[0], OpZExt) {
		return 0
	}
	x := s.arg(n.args[0], 0)
	from, width := s.Width(x), s.sorts[n.sort].Width
	if n.aux >= from {
		return s.zero(width)
	}
	return s.ZExt(s.Extract(x, min(s.within(n), from-1), n.aux), width)
}

// match: Extract(SExt(x))
// result: Extract of x, or its SExt, at least of the sign
func extractSExt(s *Store, n node) ID {
	if !s.is(n.args[0], OpSExt) {
		return 0
	}
	x := s.arg(n.args[0], 0)
	top := s.Width(x) - 1
	return s.SExt(s.Extract(x, min(s.within(n), top), min(n.aux, top)), s.sorts[n.sort].Width)
}

// match: Extract(Ite(c, k, x)), Extract(Ite(c, x, k)) with k constant
// result: Ite(c, Extract(k), Extract(x)), ..
func extractIte(s *Store, n node) ID {
	x := s.nodes[n.args[0]]
	if x.op != OpIte || !s.IsConst(x.args[1]) && !s.IsConst(x.args[2]) {
		return 0
	}
	hi := s.within(n)
	return s.Ite(x.args[0], s.Extract(x.args[1], hi, n.aux), s.Extract(x.args[2], hi, n.aux))
}

// match: Extract(BVNot(x))
// result: BVNot(Extract(x))
func extractNot(s *Store, n node) ID {
	if !s.is(n.args[0], OpBVNot) {
		return 0
	}
	return s.BVNot(s.Extract(s.arg(n.args[0], 0), s.within(n), n.aux))
}

// match: Extract(x & k), Extract(x | k), Extract(x ^ k) with k constant
// result: the operation on the Extracts
func extractBitwise(s *Store, n node) ID {
	x := s.nodes[n.args[0]]
	if x.op != OpBVAnd && x.op != OpBVOr && x.op != OpBVXor || !s.IsConst(x.args[1]) {
		return 0
	}
	hi := s.within(n)
	return s.binary(x.op, s.Extract(x.args[0], hi, n.aux), s.Extract(x.args[1], hi, n.aux))
}

// match: Extract(x + y, k, 0), Extract(x * y, k, 0), Extract(Neg(x), k, 0)
// result: the operation on the Extracts
//
// The low bits of a sum depend on nothing else. The depth is bounded because a
// graph of sums can have exponentially many paths.
func extractSum(s *Store, n node) ID {
	x := s.nodes[n.args[0]]
	if x.op != OpAdd && x.op != OpMul && x.op != OpNeg || n.aux != 0 || s.pushed >= maxPush {
		return 0
	}
	hi := s.within(n)
	s.pushed++
	t := s.Extract(x.args[0], hi, 0)
	if x.op == OpNeg {
		t = s.Neg(t)
	} else {
		t = s.binary(x.op, t, s.Extract(x.args[1], hi, 0))
	}
	s.pushed--
	return t
}
