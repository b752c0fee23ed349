package term

// This file has the rules of Concat, ZExt and SExt. A Concat is nested to the
// right, so that a new part meets its neighbour.

func structureRules() []rule {
	return []rule{
		{OpConcat, "nest-right", concatNestRight},
		{OpConcat, "zero-high", concatZeroHigh},
		{OpConcat, "extension-high", concatExtensionHigh},
		{OpConcat, "adjacent", concatAdjacent},
		{OpConcat, "adjacent-nested", concatAdjacentNested},
		{OpConcat, "const-extension", concatConstExtension},
		{OpZExt, "extension", zextExtension},
		{OpZExt, "extract", zextExtract},
		{OpSExt, "extension", sextExtension},
		{OpSExt, "nonnegative", sextNonnegative},
	}
}

// match: Concat(Concat(a, b), c)
// result: Concat(a, Concat(b, c))
func concatNestRight(s *Store, n node) ID {
	if x := n.args[0]; s.is(x, OpConcat) {
		return s.Concat(s.arg(x, 0), s.Concat(s.arg(x, 1), n.args[1]))
	}
	return 0
}

// match: Concat(0, x)
// result: ZExt(x)
func concatZeroHigh(s *Store, n node) ID {
	if s.isZero(n.args[0]) {
		return s.ZExt(n.args[1], s.sorts[n.sort].Width)
	}
	return 0
}

// match: Concat(ZExt(x), y), Concat(SExt(x), y)
// result: ZExt(Concat(x, y)), SExt(Concat(x, y))
func concatExtensionHigh(s *Store, n node) ID {
	if op := s.nodes[n.args[0]].op; op == OpZExt || op == OpSExt {
		return s.extend(op, s.Concat(s.arg(n.args[0], 0), n.args[1]), s.sorts[n.sort].Width)
	}
	return 0
}

// match: Concat(a, b) with a, b that join
// result: what they join to, see join
func concatAdjacent(s *Store, n node) ID { return s.join(n.args[0], n.args[1]) }

// match: Concat(a, Concat(b, c)) with a, b that join
// result: Concat(what they join to, c)
func concatAdjacentNested(s *Store, n node) ID {
	if x := n.args[1]; s.is(x, OpConcat) {
		if ab := s.join(n.args[0], s.arg(x, 0)); ab != 0 {
			return s.Concat(ab, s.arg(x, 1))
		}
	}
	return 0
}

// join is a simpler term for Concat(a, b), or 0:
//
//	two constants                          the constant
//	Extract(t, h, m+1), Extract(t, m, l)   Extract(t, h, l)
//	BVNot(x), BVNot(y)                     BVNot(Concat(x, y))
//	Ite(c, x, y), Ite(c, u, v)             Ite(c, Concat(x, u), Concat(y, v))
//	x & k1, y & k2 where x, y join         Concat(x, y) & Concat(k1, k2); likewise |, ^
func (s *Store) join(a, b ID) ID {
	x, y := s.nodes[a], s.nodes[b]
	switch {
	case x.op == OpConst && y.op == OpConst:
		return s.Concat(a, b)
	case x.op == OpBVNot && y.op == OpBVNot:
		return s.BVNot(s.Concat(x.args[0], y.args[0]))
	case x.op == OpIte && y.op == OpIte && x.args[0] == y.args[0]:
		return s.Ite(x.args[0], s.Concat(x.args[1], y.args[1]), s.Concat(x.args[2], y.args[2]))
	case x.op == y.op && (x.op == OpBVAnd || x.op == OpBVOr || x.op == OpBVXor):
		if s.IsConst(x.args[1]) && s.IsConst(y.args[1]) {
			if xy := s.join(x.args[0], y.args[0]); xy != 0 {
				return s.binary(x.op, xy, s.Concat(x.args[1], y.args[1]))
			}
		}
		return 0
	case x.op != OpExtract || x.aux < s.Width(b):
		return 0
	}
	t, low := x.args[0], x.aux-s.Width(b)
	adjacent := y.op == OpExtract && y.args[0] == t && y.aux == low
	if op := s.nodes[t].op; !adjacent && low == 0 && (op == OpAdd || op == OpMul || op == OpNeg) {
		// The low bits of a sum do not look like an Extract of it, see
		// extractSum. Building them again tells whether b is that.
		pushed := s.pushed
		s.pushed = 0
		adjacent = s.Extract(t, x.aux-1, 0) == b
		s.pushed = pushed
	}
	if !adjacent {
		return 0
	}
	return s.Extract(t, x.aux+s.Width(a)-1, low)
}

// match: Concat(k, ZExt(x)) with k constant
// result: Concat(k followed by zeros, x)
func concatConstExtension(s *Store, n node) ID {
	k, x := n.args[0], n.args[1]
	if !s.IsConst(k) || !s.is(x, OpZExt) {
		return 0
	}
	y := s.arg(x, 0)
	return s.Concat(s.Concat(k, s.zero(s.Width(x)-s.Width(y))), y)
}

// match: ZExt(ZExt(x))
// result: ZExt(x)
func zextExtension(s *Store, n node) ID {
	if s.is(n.args[0], OpZExt) {
		return s.ZExt(s.arg(n.args[0], 0), s.sorts[n.sort].Width)
	}
	return 0
}

// match: ZExt(Extract(x, k, 0)) where the bits of x above k are known to be 0
// result: x in that width
func zextExtract(s *Store, n node) ID {
	t := s.nodes[n.args[0]]
	if t.op != OpExtract || t.aux != 0 {
		return 0
	}
	if _, ok := s.narrow(t.args[0]); ok && s.facts[t.args[0]].significant() <= s.Width(n.args[0]) {
		return s.ZExtOrTrunc(t.args[0], s.sorts[n.sort].Width)
	}
	return 0
}

// match: SExt(SExt(x)), SExt(ZExt(x))
// result: SExt(x), ZExt(x)
func sextExtension(s *Store, n node) ID {
	if op := s.nodes[n.args[0]].op; op == OpSExt || op == OpZExt {
		return s.extend(op, s.arg(n.args[0], 0), s.sorts[n.sort].Width)
	}
	return 0
}

// match: SExt(x) with the sign of x known to be 0
// result: ZExt(x)
func sextNonnegative(s *Store, n node) ID {
	if s.nonnegative(n.args[0]) {
		return s.ZExt(n.args[0], s.sorts[n.sort].Width)
	}
	return 0
}
