package term

// This file has the rules of Add and Neg. A difference is a sum with a Neg. An
// added constant floats outward, so that addresses with a common base and
// different offsets are seen to differ.

func sumRules() []rule {
	return []rule{
		{OpAdd, "zero", addZero},
		{OpAdd, "bit", sumBit},
		{OpAdd, "const-nested", addConstNested},
		{OpAdd, "const-outward", addConstOutward},
		{OpAdd, "cancel", addCancel},
		{OpAdd, "cancel-nested", both(addCancelNested)},
		{OpAdd, "cancel-difference", both(addCancelDifference)},
		{OpAdd, "double", addDouble},
		{OpAdd, "not-const", addNotConst},
		{OpAdd, "disjoint", both(joinDisjoint)},
		{OpNeg, "bit", negBit},
		{OpNeg, "neg", negNeg},
		{OpNeg, "add-const", negAddConst},
		{OpNeg, "difference", negDifference},
		{OpNeg, "not", negNot},
		{OpNeg, "mul-const", negMulConst},
	}
}

// match: x + 0
// result: x
func addZero(s *Store, n node) ID {
	if s.isZero(n.args[1]) {
		return n.args[0]
	}
	return 0
}

// match: (x + k) + c
// result: x + (k + c)
func addConstNested(s *Store, n node) ID {
	if x, k, ok := s.plusConst(n.args[0]); ok && s.IsConst(n.args[1]) {
		return s.Add(x, s.Add(k, n.args[1]))
	}
	return 0
}

// match: (x + k) + y, (x + k) + (y + c)
// result: (x + y) + k, (x + y) + (k + c)
func addConstOutward(s *Store, n node) ID {
	x, k, left := s.plusConst(n.args[0])
	y, c, right := s.plusConst(n.args[1])
	switch {
	case s.IsConst(n.args[1]):
		return 0
	case left && right:
		return s.Add(s.Add(x, y), s.Add(k, c))
	case left:
		return s.Add(s.Add(x, y), k)
	case right:
		return s.Add(s.Add(x, y), c)
	}
	return 0
}

// match: x + Neg(x), x + BVNot(x)
// result: 0, -1
func addCancel(s *Store, n node) ID {
	a, b := n.args[0], n.args[1]
	switch {
	case s.negative(a, b):
		return s.zero(s.Width(a))
	case s.inverse(a, b):
		return s.top(s.Width(a))
	}
	return 0
}

// match: (x + y) + Neg(x), (Neg(x) + y) + x
// result: y
func addCancelNested(s *Store, a, b ID) ID {
	if !s.is(a, OpAdd) {
		return 0
	}
	for i := range 2 {
		if s.negative(s.arg(a, i), b) {
			return s.arg(a, 1-i)
		}
	}
	return 0
}

// match: Neg(x + y) + x, Neg(x + y) + (x + z)
// result: Neg(y), z + Neg(y)
func addCancelDifference(s *Store, a, b ID) ID {
	if !s.is(a, OpNeg) || !s.is(s.arg(a, 0), OpAdd) {
		return 0
	}
	sum := s.arg(a, 0)
	if y, ok := s.has(sum, OpAdd, b); ok {
		return s.Neg(y)
	}
	if s.is(b, OpAdd) {
		for i := range 2 {
			if y, ok := s.has(sum, OpAdd, s.arg(b, i)); ok {
				return s.Sub(s.arg(b, 1-i), y)
			}
		}
	}
	return 0
}

// match: x + x
// result: x * 2
func addDouble(s *Store, n node) ID {
	if n.args[0] == n.args[1] {
		return s.Mul(n.args[0], s.ConstU(s.sorts[n.sort].Width, 2))
	}
	return 0
}

// match: x + y, x * y of width 1
// result: x ^ y, x & y
func sumBit(s *Store, n node) ID {
	switch {
	case s.sorts[n.sort].Width != 1:
		return 0
	case n.op == OpAdd:
		return s.BVXor(n.args[0], n.args[1])
	}
	return s.BVAnd(n.args[0], n.args[1])
}

// match: Neg(x) of width 1
// result: x
func negBit(s *Store, n node) ID {
	if s.sorts[n.sort].Width == 1 {
		return n.args[0]
	}
	return 0
}

// match: BVNot(x) + k
// result: Neg(x) + (k - 1)
func addNotConst(s *Store, n node) ID {
	if s.is(n.args[0], OpBVNot) && s.IsConst(n.args[1]) {
		minus := s.top(s.sorts[n.sort].Width)
		return s.Add(s.Neg(s.arg(n.args[0], 0)), s.Add(n.args[1], minus))
	}
	return 0
}

// match: x + y, x | y, x ^ y where the low k bits of x and all but the low k of y are known to be 0
// result: Concat(high part of x, low part of y)
//
// This is how loads put words together from bytes.
func joinDisjoint(s *Store, a, b ID) ID {
	w, ok := s.narrow(a)
	if !ok || s.IsConst(b) || s.IsConst(a) {
		return 0
	}
	k := s.facts[b].significant()
	if k == 0 || k >= w || s.facts[a].trailing(w) < k {
		return 0
	}
	return s.Concat(s.Extract(a, w-1, k), s.Extract(b, k-1, 0))
}

// match: Neg(Neg(x))
// result: x
func negNeg(s *Store, n node) ID {
	if s.is(n.args[0], OpNeg) {
		return s.arg(n.args[0], 0)
	}
	return 0
}

// match: Neg(x + k)
// result: Neg(x) + -k
func negAddConst(s *Store, n node) ID {
	if x, k, ok := s.plusConst(n.args[0]); ok {
		return s.Add(s.Neg(x), s.Neg(k))
	}
	return 0
}

// match: Neg(x + Neg(y))
// result: y + Neg(x)
func negDifference(s *Store, n node) ID {
	if !s.is(n.args[0], OpAdd) {
		return 0
	}
	for i := range 2 {
		if y := s.arg(n.args[0], i); s.is(y, OpNeg) {
			return s.Sub(s.arg(y, 0), s.arg(n.args[0], 1-i))
		}
	}
	return 0
}

// match: Neg(BVNot(x))
// result: x + 1
func negNot(s *Store, n node) ID {
	if s.is(n.args[0], OpBVNot) {
		return s.Add(s.arg(n.args[0], 0), s.ConstU(s.sorts[n.sort].Width, 1))
	}
	return 0
}

// match: Neg(x * k)
// result: x * -k
func negMulConst(s *Store, n node) ID {
	if x := n.args[0]; s.is(x, OpMul) && s.IsConst(s.arg(x, 1)) {
		return s.Mul(s.arg(x, 0), s.Neg(s.arg(x, 1)))
	}
	return 0
}
