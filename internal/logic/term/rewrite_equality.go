package term

// This file has the rules of Eq.

func equalityRules() []rule {
	return []rule{
		{OpEq, "same", eqSame},
		{OpEq, "bool-value", eqBoolValue},
		{OpEq, "bool-not", eqBoolNot},
		{OpEq, "facts", eqFacts},
		{OpEq, "bit-zero", eqBitZero},
		{OpEq, "sign-bit", eqSignBit},
		{OpEq, "add-const", eqAddConst},
		{OpEq, "add-common", both(eqAddCommon)},
		{OpEq, "difference", eqDifference},
		{OpEq, "unary-const", eqUnaryConst},
		{OpEq, "unary-both", eqUnaryBoth},
		{OpEq, "xor-const", eqXorConst},
		{OpEq, "xor-zero", eqXorZero},
		{OpEq, "xor-common", both(eqXorCommon)},
		{OpEq, "mul-odd", eqMulOdd},
		{OpEq, "extension-const", eqExtensionConst},
		{OpEq, "extension-both", eqExtensionBoth},
		{OpEq, "concat-const", eqConcatConst},
		{OpEq, "concat-both", eqConcatBoth},
		{OpEq, "ite-const", eqIteConst},
		{OpEq, "ite-branch", both(eqIteBranch)},
		{OpEq, "ite-both", eqIteBoth},
		{OpEq, "bit-ite", both(eqBitIte)},
		{OpEq, "bit-connective", eqBitConnective},
		{OpEq, "linear", eqLinear},
		{OpEq, "integers", integerRelation},
	}
}

// match: Eq(x, x)
// result: true
func eqSame(_ *Store, n node) ID {
	if n.args[0] == n.args[1] {
		return trueID
	}
	return 0
}

// match: Eq(a, true), Eq(a, false)
// result: a, Not(a)
func eqBoolValue(s *Store, n node) ID {
	switch n.args[1] {
	case trueID:
		return n.args[0]
	case falseID:
		return s.Not(n.args[0])
	}
	return 0
}

// match: Eq(Not(a), Not(b)), Eq(Not(a), b) of Bools
// result: Eq(a, b), Not(Eq(a, b))
func eqBoolNot(s *Store, n node) ID {
	if s.nodes[n.args[0]].sort != 0 {
		return 0
	}
	a, b := s.literal(n.args[0]), s.literal(n.args[1])
	switch {
	case !a.neg && !b.neg:
		return 0
	case a.neg != b.neg:
		return s.Not(s.Eq(a.t, b.t))
	}
	return s.Eq(a.t, b.t)
}

// match: Eq(x, y) whose known bits or ranges exclude each other
// result: false
func eqFacts(s *Store, n node) ID {
	if _, ok := s.narrow(n.args[0]); ok && s.facts[n.args[0]].disjoint(s.facts[n.args[1]]) {
		return falseID
	}
	return 0
}

// match: Eq(x, 0) of width 1
// result: Not(Eq(x, 1))
func eqBitZero(s *Store, n node) ID {
	if s.Sort(n.args[0]) == BitVec(1) && s.isZero(n.args[1]) {
		return s.Not(s.BVToBool(n.args[0]))
	}
	return 0
}

// match: Eq(Extract(x, w-1, w-1), 1)
// result: SLt(x, 0)
func eqSignBit(s *Store, n node) ID {
	x := n.args[0]
	if !s.is(x, OpExtract) || s.Width(x) != 1 || !s.isNumber(n.args[1], 1) {
		return 0
	}
	y := s.arg(x, 0)
	if w := s.Width(y); s.nodes[x].aux == w-1 {
		return s.SLt(y, s.zero(w))
	}
	return 0
}

// match: Eq(x + k, c), Eq(x + k, y + c)
// result: Eq(x, c - k), Eq(x, y + (c - k))
func eqAddConst(s *Store, n node) ID {
	x, k, ok := s.plusConst(n.args[0])
	if ok && s.IsConst(n.args[1]) {
		return s.Eq(x, s.Sub(n.args[1], k))
	}
	y, c, also := s.plusConst(n.args[1])
	if !ok || !also {
		return 0
	}
	if x == y {
		return s.Bool(k == c)
	}
	return s.Eq(x, s.Add(y, s.Sub(c, k)))
}

// match: Eq(a + b, a), Eq(a + b, a + c)
// result: Eq(b, 0), Eq(b, c)
func eqAddCommon(s *Store, x, y ID) ID {
	if !s.is(x, OpAdd) {
		return 0
	}
	if b, ok := s.has(x, OpAdd, y); ok {
		return s.Eq(b, s.zero(s.Width(x)))
	}
	if s.is(y, OpAdd) {
		for i := range 2 {
			if c, ok := s.has(y, OpAdd, s.arg(x, i)); ok {
				return s.Eq(s.arg(x, 1-i), c)
			}
		}
	}
	return 0
}

// match: Eq(x + Neg(y), 0)
// result: Eq(x, y)
func eqDifference(s *Store, n node) ID {
	if !s.is(n.args[0], OpAdd) || !s.isZero(n.args[1]) {
		return 0
	}
	for i := range 2 {
		if y := s.arg(n.args[0], i); s.is(y, OpNeg) {
			return s.Eq(s.arg(n.args[0], 1-i), s.arg(y, 0))
		}
	}
	return 0
}

// match: Eq(Neg(x), k), Eq(BVNot(x), k)
// result: Eq(x, -k), Eq(x, ~k)
func eqUnaryConst(s *Store, n node) ID {
	if op := s.nodes[n.args[0]].op; (op == OpNeg || op == OpBVNot) && s.IsConst(n.args[1]) {
		return s.Eq(s.arg(n.args[0], 0), s.unary(op, n.args[1]))
	}
	return 0
}

// match: Eq(Neg(x), Neg(y)), Eq(BVNot(x), BVNot(y)); Eq(BVNot(x), x)
// result: Eq(x, y); false
func eqUnaryBoth(s *Store, n node) ID {
	a, b := n.args[0], n.args[1]
	if op := s.nodes[a].op; (op == OpNeg || op == OpBVNot) && s.is(b, op) {
		return s.Eq(s.arg(a, 0), s.arg(b, 0))
	}
	if s.inverse(a, b) {
		return falseID
	}
	return 0
}

// match: Eq(x ^ k, c)
// result: Eq(x, k ^ c)
func eqXorConst(s *Store, n node) ID {
	if x := n.args[0]; s.is(x, OpBVXor) && s.IsConst(s.arg(x, 1)) && s.IsConst(n.args[1]) {
		return s.Eq(s.arg(x, 0), s.BVXor(s.arg(x, 1), n.args[1]))
	}
	return 0
}

// match: Eq(x ^ y, 0)
// result: Eq(x, y)
func eqXorZero(s *Store, n node) ID {
	if x := n.args[0]; s.is(x, OpBVXor) && s.isZero(n.args[1]) {
		return s.Eq(s.arg(x, 0), s.arg(x, 1))
	}
	return 0
}

// match: Eq(a ^ b, a)
// result: Eq(b, 0)
func eqXorCommon(s *Store, x, y ID) ID {
	if b, ok := s.has(x, OpBVXor, y); ok {
		return s.Eq(b, s.zero(s.Width(x)))
	}
	return 0
}

// match: Eq(x * k, c) with k odd, width <= 64
// result: Eq(x, c / k modulo 2^width)
func eqMulOdd(s *Store, n node) ID {
	x := n.args[0]
	if !s.is(x, OpMul) || !s.IsConst(n.args[1]) || s.Width(x) > 64 {
		return 0
	}
	k, ok := s.ConstUint64(s.arg(x, 1))
	if !ok || k&1 == 0 {
		return 0
	}
	inverse := k // right in the low 3 bits; each step of Newton doubles them
	for range 5 {
		inverse *= 2 - k*inverse
	}
	return s.Eq(s.arg(x, 0), s.Mul(n.args[1], s.ConstU(s.Width(x), inverse)))
}

// match: Eq(ZExt(x), k), Eq(SExt(x), k)
// result: Eq(x, k') if k is the extension of k', else false
func eqExtensionConst(s *Store, n node) ID {
	x := n.args[0]
	op := s.nodes[x].op
	if op != OpZExt && op != OpSExt || !s.IsConst(n.args[1]) {
		return 0
	}
	k := s.unextended(op, n.args[1], s.Width(s.arg(x, 0)))
	if k == 0 {
		return falseID
	}
	return s.Eq(s.arg(x, 0), k)
}

// match: Eq(ZExt(x), ZExt(y)), Eq(SExt(x), SExt(y))
// result: Eq of x and y, the narrower one extended
func eqExtensionBoth(s *Store, n node) ID {
	a, b := n.args[0], n.args[1]
	op := s.nodes[a].op
	if op != OpZExt && op != OpSExt || !s.is(b, op) {
		return 0
	}
	x, y := s.arg(a, 0), s.arg(b, 0)
	w := max(s.Width(x), s.Width(y))
	return s.Eq(s.extend(op, x, w), s.extend(op, y, w))
}

// match: Eq(Concat(a, b), k)
// result: And(Eq(a, high part of k), Eq(b, low part of k))
func eqConcatConst(s *Store, n node) ID {
	x, k := n.args[0], n.args[1]
	if !s.is(x, OpConcat) || !s.IsConst(k) {
		return 0
	}
	a, b := s.arg(x, 0), s.arg(x, 1)
	low := s.Width(b)
	return s.And(s.Eq(a, s.Extract(k, s.Width(k)-1, low)), s.Eq(b, s.Extract(k, low-1, 0)))
}

// match: Eq(Concat(a, b), Concat(c, d)) with parts of the same widths, where
// a pair of parts is the same term or has a constant; likewise Concat and ZExt
// result: And(Eq(a, c), Eq(b, d))
func eqConcatBoth(s *Store, n node) ID {
	x, y := n.args[0], n.args[1]
	if s.is(y, OpConcat) && !s.is(x, OpConcat) {
		x, y = y, x
	}
	if !s.is(x, OpConcat) {
		return 0
	}
	a, b := s.arg(x, 0), s.arg(x, 1)
	c, d, ok := s.split(y, s.Width(b))
	if !ok {
		return 0
	}
	easy := func(p, q ID) bool { return p == q || s.IsConst(p) || s.IsConst(q) }
	if easy(a, c) || easy(b, d) {
		return s.And(s.Eq(a, c), s.Eq(b, d))
	}
	return 0
}

// match: Eq(Ite(c, k, x), k), Eq(Ite(c, k1, x), k2) with k1 != k2; likewise the other branch
// result: Or(c, Eq(x, k)), And(Not(c), Eq(x, k2))
func eqIteConst(s *Store, n node) ID {
	x, k := n.args[0], n.args[1]
	if !s.is(x, OpIte) || !s.IsConst(k) {
		return 0
	}
	c := s.arg(x, 0)
	for i := 1; i <= 2; i++ {
		branch, other := s.arg(x, i), s.arg(x, 3-i)
		if !s.IsConst(branch) {
			continue
		}
		if i == 2 {
			c = s.Not(c)
		}
		if branch == k {
			return s.Or(c, s.Eq(other, k))
		}
		return s.And(s.Not(c), s.Eq(other, k))
	}
	return 0
}

// match: Eq(Ite(c, x, y), x), Eq(Ite(c, x, y), y)
// result: Or(c, Eq(y, x)), Or(Not(c), Eq(x, y))
func eqIteBranch(s *Store, a, b ID) ID {
	if !s.is(a, OpIte) {
		return 0
	}
	c, x, y := s.arg(a, 0), s.arg(a, 1), s.arg(a, 2)
	switch b {
	case x:
		return s.Or(c, s.Eq(y, x))
	case y:
		return s.Or(s.Not(c), s.Eq(x, y))
	}
	return 0
}

// match: Eq(Ite(c, a, b), Ite(c, d, e)) with a == d or b == e, or these constant
// result: Ite(c, Eq(a, d), Eq(b, e))
func eqIteBoth(s *Store, n node) ID {
	x, y := s.nodes[n.args[0]], s.nodes[n.args[1]]
	if x.op != OpIte || y.op != OpIte || x.args[0] != y.args[0] {
		return 0
	}
	easy := func(p, q ID) bool { return p == q || s.isValue(p) && s.isValue(q) }
	if easy(x.args[1], y.args[1]) || easy(x.args[2], y.args[2]) {
		return s.Ite(x.args[0], s.Eq(x.args[1], y.args[1]), s.Eq(x.args[2], y.args[2]))
	}
	return 0
}

// match: Eq(Ite(c, 1, 0), y), Eq(Ite(c, 0, 1), y) of width 1
// result: Eq(c, Eq(y, 1)), Not of it
func eqBitIte(s *Store, a, b ID) ID {
	c, ok := s.bitOf(a)
	if !ok || s.IsConst(b) {
		return 0
	}
	return s.Eq(c, s.BVToBool(b))
}

// bitOf is c if t is Ite(c, 1, 0) of width 1, Not(c) if it is Ite(c, 0, 1).
func (s *Store) bitOf(t ID) (ID, bool) {
	if !s.is(t, OpIte) || s.Sort(t) != BitVec(1) || !s.IsConst(s.arg(t, 1)) || !s.IsConst(s.arg(t, 2)) {
		return 0, false
	}
	if c := s.arg(t, 0); s.isZero(s.arg(t, 2)) {
		return c, true
	} else {
		return s.Not(c), true
	}
}

// match: Eq(BVAnd(x, y), 1) of width 1 where x or y is Ite(c, 1, 0); likewise BVOr, BVXor; Eq(BVNot(x), 1)
// result: And(Eq(x, 1), Eq(y, 1)); Not(Eq(x, 1))
func eqBitConnective(s *Store, n node) ID {
	x := s.nodes[n.args[0]]
	if !s.isNumber(n.args[1], 1) || s.sorts[x.sort] != BitVec(1) {
		return 0
	}
	var op Op
	switch x.op {
	case OpBVAnd:
		op = OpAnd
	case OpBVOr:
		op = OpOr
	case OpBVXor:
		op = OpXor
	default:
		return 0
	}
	if !s.is(x.args[0], OpIte) && !s.is(x.args[1], OpIte) {
		return 0
	}
	return s.connective(op, s.BVToBool(x.args[0]), s.BVToBool(x.args[1]))
}
