package term

// This file has the rules of Ite, of any sort.

func iteRules() []rule {
	return []rule{
		{OpIte, "condition-value", iteConditionValue},
		{OpIte, "same-branches", iteSameBranches},
		{OpIte, "condition-not", iteConditionNot},
		{OpIte, "bool", iteBool},
		{OpIte, "implied", iteImplied},
		{OpIte, "merge", iteMerge},
		{OpIte, "equality", iteEquality},
		{OpIte, "bit", iteBit},
		{OpIte, "extension", iteExtension},
		{OpIte, "store", iteStore},
	}
}

// match: Ite(true, a, b), Ite(false, a, b)
// result: a, b
func iteConditionValue(s *Store, n node) ID {
	switch n.args[0] {
	case trueID:
		return n.args[1]
	case falseID:
		return n.args[2]
	}
	return 0
}

// match: Ite(c, a, a)
// result: a
func iteSameBranches(s *Store, n node) ID {
	if n.args[1] == n.args[2] {
		return n.args[1]
	}
	return 0
}

// match: Ite(Not(c), a, b)
// result: Ite(c, b, a)
func iteConditionNot(s *Store, n node) ID {
	if c := n.args[0]; s.is(c, OpNot) {
		return s.Ite(s.arg(c, 0), n.args[2], n.args[1])
	}
	return 0
}

// match: Ite(c, a, b) of sort Bool with a or b constant, c, Not(c), or opposite
// result: a connective
func iteBool(s *Store, n node) ID {
	if n.sort != 0 {
		return 0
	}
	c, a, b := n.args[0], n.args[1], n.args[2]
	switch {
	case a == trueID || a == c:
		return s.Or(c, b)
	case a == falseID || s.opposite(a, c):
		return s.And(s.Not(c), b)
	case b == trueID || s.opposite(b, c):
		return s.Or(s.Not(c), a)
	case b == falseID || b == c:
		return s.And(c, a)
	case s.opposite(a, b):
		return s.Eq(c, a)
	}
	return 0
}

// match: Ite(c, Ite(d, a, b), e) where c implies d or Not(d); likewise in the
// other branch
// result: Ite(c, a, e), Ite(c, b, e)
func iteImplied(s *Store, n node) ID {
	c, a, b := n.args[0], n.args[1], n.args[2]
	if s.is(a, OpIte) {
		if i := s.decided(s.literal(c), s.arg(a, 0)); i != 0 {
			return s.Ite(c, s.arg(a, i), b)
		}
	}
	if s.is(b, OpIte) {
		if i := s.decided(s.literal(c).not(), s.arg(b, 0)); i != 0 {
			return s.Ite(c, a, s.arg(b, i))
		}
	}
	return 0
}

// decided is the branch of an Ite on d that is taken where c holds: 1, 2, or 0
// if it is not evident.
func (s *Store) decided(c literal, d ID) int {
	want := s.literal(d)
	if budget := maxEntailment; s.entails(c, want, &budget) {
		return 1
	}
	if budget := maxEntailment; s.entails(c, want.not(), &budget) {
		return 2
	}
	return 0
}

// match: Ite(c, a, Ite(d, a, b)), Ite(c, a, Ite(d, b, a)), Ite(c, Ite(d, a, b), b), Ite(c, Ite(d, b, a), b)
// result: Ite(Or(c, d), a, b), Ite(Or(c, Not(d)), a, b), Ite(And(c, d), a, b), Ite(And(c, Not(d)), a, b)
func iteMerge(s *Store, n node) ID {
	c, a, b := n.args[0], n.args[1], n.args[2]
	if s.is(b, OpIte) {
		d, x, y := s.arg(b, 0), s.arg(b, 1), s.arg(b, 2)
		switch a {
		case x:
			return s.Ite(s.Or(c, d), a, y)
		case y:
			return s.Ite(s.Or(c, s.Not(d)), a, x)
		}
	}
	if s.is(a, OpIte) {
		d, x, y := s.arg(a, 0), s.arg(a, 1), s.arg(a, 2)
		switch b {
		case y:
			return s.Ite(s.And(c, d), x, b)
		case x:
			return s.Ite(s.And(c, s.Not(d)), y, b)
		}
	}
	return 0
}

// match: Ite(Eq(x, y), x, y)
// result: y
func iteEquality(s *Store, n node) ID {
	c, a, b := n.args[0], n.args[1], n.args[2]
	if y, ok := s.has(c, OpEq, a); ok && y == b {
		return b
	}
	return 0
}

// match: Ite(Eq(x, 1), 1, 0), Ite(SLt(x, 0), 1, 0) of width 1, or with 0, 1
// result: x, its sign bit, or the complement
func iteBit(s *Store, n node) ID {
	if s.sorts[n.sort] != BitVec(1) || !s.IsConst(n.args[1]) || !s.IsConst(n.args[2]) {
		return 0
	}
	c := &s.nodes[n.args[0]]
	var bit ID
	switch {
	case c.op == OpEq && s.Sort(c.args[0]) == BitVec(1) && s.isNumber(c.args[1], 1):
		bit = c.args[0]
	case c.op == OpSLt && s.isZero(c.args[1]):
		w := s.Width(c.args[0])
		bit = s.Extract(c.args[0], w-1, w-1)
	default:
		return 0
	}
	if s.isZero(n.args[1]) {
		return s.BVNot(bit)
	}
	return bit
}

// match: Ite(c, ZExt(x), ZExt(y)) with x, y of one width; Ite(c, ZExt(x), k) with k that fits; likewise SExt
// result: ZExt(Ite(c, x, y)), ZExt(Ite(c, x, k))
func iteExtension(s *Store, n node) ID {
	a, b := n.args[1], n.args[2]
	op := s.nodes[a].op
	if op != OpZExt && op != OpSExt {
		if op = s.nodes[b].op; op != OpZExt && op != OpSExt {
			return 0
		}
	}
	width := uint32(0)
	for _, t := range [2]ID{a, b} {
		if s.is(t, op) {
			w := s.Width(s.arg(t, 0))
			if width != 0 && width != w {
				return 0
			}
			width = w
		}
	}
	x, y := s.unextended(op, a, width), s.unextended(op, b, width)
	if x == 0 || y == 0 {
		return 0
	}
	return s.extend(op, s.Ite(n.args[0], x, y), s.sorts[n.sort].Width)
}

// unextended is the term of the given width that extends to t, if t is an
// extension of one or a constant; else 0.
func (s *Store) unextended(op Op, t ID, width uint32) ID {
	switch {
	case s.is(t, op) && s.Width(s.arg(t, 0)) == width:
		return s.arg(t, 0)
	case s.IsConst(t):
		k := s.Extract(t, width-1, 0)
		if s.extend(op, k, s.Width(t)) == t {
			return k
		}
	}
	return 0
}

// match: Ite(c, Store(a, i, v), Store(a, i, w)), Ite(c, Store(a, i, v), a), Ite(c, a, Store(a, i, v))
// result: Store(a, i, Ite(c, v, w)), Store(a, i, Ite(c, v, Select(a, i))), ..
//
// A chain of stores is easier for every solver than a choice of arrays.
func iteStore(s *Store, n node) ID {
	c, a, b := n.args[0], n.args[1], n.args[2]
	x, y := s.nodes[a], s.nodes[b]
	switch {
	case x.op == OpStore && y.op == OpStore && x.args[0] == y.args[0] && x.args[1] == y.args[1]:
		return s.StoreArray(x.args[0], x.args[1], s.Ite(c, x.args[2], y.args[2]))
	case x.op == OpStore && x.args[0] == b:
		return s.StoreArray(b, x.args[1], s.Ite(c, x.args[2], s.Select(b, x.args[1])))
	case y.op == OpStore && y.args[0] == a:
		return s.StoreArray(a, y.args[1], s.Ite(c, s.Select(a, y.args[1]), y.args[2]))
	}
	return 0
}
