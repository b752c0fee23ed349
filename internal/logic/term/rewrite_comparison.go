package term

import "assay/internal/logic/bv"

// This file has the rules of the comparisons. Only strict ones are left, with
// constants on the right; so x < 5, 5 <= x and 4 < x are one term and its Not.

func comparisonRules() []rule {
	r := []rule{
		{OpULe, "strict", leStrict},
		{OpSLe, "strict", leStrict},
	}
	for _, op := range []Op{OpULt, OpSLt} {
		r = append(r,
			rule{op, "same", ltSame},
			rule{op, "const-left", ltConstLeft},
			rule{op, "facts", ltFacts},
			rule{op, "edge", ltEdge},
			rule{op, "extension-const", ltExtensionConst},
			rule{op, "extension-both", ltExtensionBoth},
			rule{op, "not-both", ltNotBoth},
			rule{op, "concat", ltConcat},
			rule{op, "ite-const", ltIteConst},
			rule{op, "integers", integerRelation},
		)
	}
	return append(r,
		rule{OpULt, "range-edge", ultRangeEdge},
		rule{OpULt, "remainder", ultRemainder},
	)
}

// match: ULe(x, y), SLe(x, y)
// result: Not(ULt(y, x)), Not(SLt(y, x))
func leStrict(s *Store, n node) ID {
	op := OpULt
	if n.op == OpSLe {
		op = OpSLt
	}
	return s.Not(s.compare(op, n.args[1], n.args[0]))
}

// match: x < x
// result: false
func ltSame(_ *Store, n node) ID {
	if n.args[0] == n.args[1] {
		return falseID
	}
	return 0
}

// extremes are the least and the greatest number in the order of op.
func (s *Store) extremes(op Op, width uint32) (least, greatest ID) {
	if op == OpULt {
		return s.zero(width), s.top(width)
	}
	least = s.least(width)
	return least, s.BVNot(least)
}

// match: k < x
// result: Not(x < k+1); false if k is the greatest number
func ltConstLeft(s *Store, n node) ID {
	k, x := n.args[0], n.args[1]
	if !s.IsConst(k) {
		return 0
	}
	w := s.Width(k)
	if _, greatest := s.extremes(n.op, w); k == greatest {
		return falseID
	}
	return s.Not(s.compare(n.op, x, s.Add(k, s.ConstU(w, 1))))
}

// match: x < y decided by ranges or known signs; SLt(x, y) with one known sign
// result: true, false; ULt(x, y)
func ltFacts(s *Store, n node) ID {
	w, ok := s.narrow(n.args[0])
	if !ok {
		return 0
	}
	x, y := s.facts[n.args[0]], s.facts[n.args[1]]
	if n.op == OpSLt {
		xNegative, xKnown := x.negative(w)
		yNegative, yKnown := y.negative(w)
		switch {
		case !xKnown || !yKnown:
			return 0
		case xNegative != yNegative:
			return s.Bool(xNegative)
		}
		return s.ULt(n.args[0], n.args[1])
	}
	switch {
	case x.hi < y.lo:
		return trueID
	case x.lo >= y.hi:
		return falseID
	}
	return 0
}

// match: x < least, x < least+1, x < greatest
// result: false, Eq(x, least), Not(Eq(x, greatest))
func ltEdge(s *Store, n node) ID {
	x, k := n.args[0], n.args[1]
	if !s.IsConst(k) {
		return 0
	}
	w := s.Width(k)
	least, greatest := s.extremes(n.op, w)
	switch k {
	case least:
		return falseID
	case greatest:
		return s.Not(s.Eq(x, greatest))
	case s.Add(least, s.ConstU(w, 1)):
		return s.Eq(x, least)
	}
	return 0
}

// match: ULt(x, k) with x >= k-1 or x <= k known
// result: Eq(x, k-1), Not(Eq(x, k))
func ultRangeEdge(s *Store, n node) ID {
	x, k := n.args[0], n.args[1]
	w, ok := s.narrow(x)
	if !ok || !s.IsConst(k) {
		return 0
	}
	switch v, _ := s.ConstUint64(k); {
	case s.facts[x].lo == v-1:
		return s.Eq(x, s.ConstU(w, v-1))
	case s.facts[x].hi == v:
		return s.Not(s.Eq(x, k))
	}
	return 0
}

// match: ULt(URem(x, y), y)
// result: Not(Eq(y, 0))
func ultRemainder(s *Store, n node) ID {
	if x, y := n.args[0], n.args[1]; s.is(x, OpURem) && s.arg(x, 1) == y {
		return s.Not(s.Eq(y, s.zero(s.Width(y))))
	}
	return 0
}

// match: ULt(ZExt(x), k), SLt(SExt(x), k), ULt(SExt(x), k) with k that fits, or beyond
// result: the comparison of x with the narrow k, or its constant value
func ltExtensionConst(s *Store, n node) ID {
	x, k := n.args[0], n.args[1]
	op := s.nodes[x].op
	if op != OpZExt && op != OpSExt || !s.IsConst(k) {
		return 0
	}
	y := s.arg(x, 0)
	if small := s.unextended(op, k, s.Width(y)); small != 0 {
		return s.compare(extensionOrder(n.op, op), y, small)
	}
	// No value of the extension lies between k and the nearest extreme of it.
	switch negative := s.ConstValue(k).Negative(); {
	case n.op == OpSLt:
		return s.Bool(!negative)
	case op == OpZExt:
		return trueID
	}
	return 0
}

// extensionOrder is the order of the extended terms that gives that of the
// extensions. With zeros, all are non-negative.
func extensionOrder(order, extension Op) Op {
	if extension == OpZExt {
		return OpULt
	}
	return order
}

// match: lt(ZExt(x), ZExt(y)), lt(SExt(x), SExt(y))
// result: ULt(x, y), lt(x, y), the narrower one extended
func ltExtensionBoth(s *Store, n node) ID {
	a, b := n.args[0], n.args[1]
	op := s.nodes[a].op
	if op != OpZExt && op != OpSExt || !s.is(b, op) {
		return 0
	}
	x, y := s.arg(a, 0), s.arg(b, 0)
	w := max(s.Width(x), s.Width(y))
	return s.compare(extensionOrder(n.op, op), s.extend(op, x, w), s.extend(op, y, w))
}

// match: BVNot(x) < BVNot(y), BVNot(x) < k
// result: y < x, ~k < x
func ltNotBoth(s *Store, n node) ID {
	x, y := n.args[0], n.args[1]
	switch {
	case !s.is(x, OpBVNot):
		return 0
	case s.is(y, OpBVNot):
		return s.compare(n.op, s.arg(y, 0), s.arg(x, 0))
	case s.IsConst(y):
		return s.compare(n.op, s.BVNot(y), s.arg(x, 0))
	}
	return 0
}

// match: lt(Concat(a, b), Concat(a, d)), lt(Concat(a, k1), Concat(c, k2)) with k1, k2 constant or the same
// result: ULt(b, d), lt(a, c) if k1 >= k2, Not(lt(c, a)) if k1 < k2
func ltConcat(s *Store, n node) ID {
	x, y := n.args[0], n.args[1]
	if !s.is(x, OpConcat) && !s.is(y, OpConcat) {
		return 0
	}
	var low uint32
	if s.is(x, OpConcat) {
		low = s.Width(s.arg(x, 1))
	} else {
		low = s.Width(s.arg(y, 1))
	}
	a, b, left := s.split(x, low)
	c, d, right := s.split(y, low)
	switch {
	case !left || !right:
		return 0
	case a == c:
		return s.ULt(b, d)
	case b == d:
		return s.compare(n.op, a, c)
	case !s.IsConst(b) || !s.IsConst(d):
		return 0
	case s.ConstValue(b).ULt(s.ConstValue(d)):
		return s.Not(s.compare(n.op, c, a))
	}
	return s.compare(n.op, a, c)
}

// match: lt(Ite(c, k1, x), k2), lt(Ite(c, x, k1), k2)
// result: Ite(c, k1 < k2, lt(x, k2)), ..
func ltIteConst(s *Store, n node) ID {
	x, k := s.nodes[n.args[0]], n.args[1]
	if x.op != OpIte || !s.IsConst(k) || !s.IsConst(x.args[1]) && !s.IsConst(x.args[2]) {
		return 0
	}
	return s.Ite(x.args[0], s.compare(n.op, x.args[1], k), s.compare(n.op, x.args[2], k))
}

// least is the constant with only the sign bit.
func (s *Store) least(width uint32) ID {
	return s.Const(bv.New(width, 1).Shl(bv.New(width, uint64(width-1))))
}
