package term

import "assay/internal/logic/bv"

// This file has the rules of the bitwise operations. BVAnd and BVOr are dual
// and share functions, as And and Or do.

func bitwiseRules() []rule {
	r := []rule{
		{OpBVNot, "not", bvNotNot},
		{OpBVNot, "neg", bvNotNeg},
		{OpBVNot, "xor-const", bvNotXorConst},
		{OpBVNot, "concat", bvNotConcat},
		{OpBVXor, "const", xorConst},
		{OpBVXor, "same", xorSame},
		{OpBVXor, "nested", both(xorNested)},
		{OpBVXor, "not", xorNot},
	}
	for _, op := range []Op{OpBVAnd, OpBVOr} {
		r = append(r,
			rule{op, "const", bitwiseConst},
			rule{op, "same", bitwiseSame},
			rule{op, "nested", bitwiseNested},
			rule{op, "facts", bitwiseFacts},
		)
	}
	r = append(r, rule{OpBVOr, "disjoint", both(joinDisjoint)}, rule{OpBVXor, "disjoint", both(joinDisjoint)})
	for _, op := range []Op{OpBVAnd, OpBVOr, OpBVXor} {
		r = append(r,
			rule{op, "const-nested", bitwiseConstNested},
			rule{op, "mask", bitwiseMask},
			rule{op, "bits", bitwiseBits},
			rule{op, "split", bitwiseSplit},
			rule{op, "extension", bitwiseExtension},
		)
	}
	return r
}

// match: BVNot(BVNot(x))
// result: x
func bvNotNot(s *Store, n node) ID {
	if s.is(n.args[0], OpBVNot) {
		return s.arg(n.args[0], 0)
	}
	return 0
}

// match: BVNot(Neg(x))
// result: x - 1
func bvNotNeg(s *Store, n node) ID {
	if s.is(n.args[0], OpNeg) {
		return s.Add(s.arg(n.args[0], 0), s.top(s.sorts[n.sort].Width))
	}
	return 0
}

// match: BVNot(x ^ k)
// result: x ^ ~k
func bvNotXorConst(s *Store, n node) ID {
	if x := n.args[0]; s.is(x, OpBVXor) && s.IsConst(s.arg(x, 1)) {
		return s.BVXor(s.arg(x, 0), s.BVNot(s.arg(x, 1)))
	}
	return 0
}

// match: BVNot(Concat(a, b)) with a or b constant or a BVNot
// result: Concat(BVNot(a), BVNot(b))
func bvNotConcat(s *Store, n node) ID {
	if !s.is(n.args[0], OpConcat) {
		return 0
	}
	a, b := s.arg(n.args[0], 0), s.arg(n.args[0], 1)
	free := func(t ID) bool { return s.IsConst(t) || s.is(t, OpBVNot) }
	if free(a) || free(b) {
		return s.Concat(s.BVNot(a), s.BVNot(b))
	}
	return 0
}

// match: x ^ 0, x ^ -1
// result: x, BVNot(x)
func xorConst(s *Store, n node) ID {
	switch {
	case s.isZero(n.args[1]):
		return n.args[0]
	case s.isTop(n.args[1]):
		return s.BVNot(n.args[0])
	}
	return 0
}

// match: x ^ x, x ^ BVNot(x)
// result: 0, -1
func xorSame(s *Store, n node) ID {
	w := s.sorts[n.sort].Width
	switch {
	case n.args[0] == n.args[1]:
		return s.zero(w)
	case s.inverse(n.args[0], n.args[1]):
		return s.top(w)
	}
	return 0
}

// match: (x ^ y) ^ x
// result: y
func xorNested(s *Store, a, b ID) ID {
	y, ok := s.has(a, OpBVXor, b)
	if !ok {
		return 0
	}
	return y
}

// match: BVNot(x) ^ BVNot(y), BVNot(x) ^ k, BVNot(x) ^ y
// result: x ^ y, x ^ ~k, BVNot(x ^ y)
func xorNot(s *Store, n node) ID {
	a, b := n.args[0], n.args[1]
	na, nb := s.is(a, OpBVNot), s.is(b, OpBVNot)
	switch {
	case na && nb:
		return s.BVXor(s.arg(a, 0), s.arg(b, 0))
	case na && s.IsConst(b):
		return s.BVXor(s.arg(a, 0), s.BVNot(b))
	case na:
		return s.BVNot(s.BVXor(s.arg(a, 0), b))
	case nb:
		return s.BVNot(s.BVXor(a, s.arg(b, 0)))
	}
	return 0
}

// bounds are the absorbing and the neutral constant of BVAnd or BVOr.
func (s *Store) bounds(op Op, width uint32) (absorbing, neutral ID) {
	if op == OpBVAnd {
		return s.zero(width), s.top(width)
	}
	return s.top(width), s.zero(width)
}

// match: x & 0, x & -1; dually BVOr
// result: 0, x
func bitwiseConst(s *Store, n node) ID {
	if !s.IsConst(n.args[1]) {
		return 0
	}
	switch absorbing, neutral := s.bounds(n.op, s.sorts[n.sort].Width); n.args[1] {
	case absorbing:
		return absorbing
	case neutral:
		return n.args[0]
	}
	return 0
}

// match: x & x, x & BVNot(x); dually BVOr
// result: x, 0
func bitwiseSame(s *Store, n node) ID {
	switch {
	case n.args[0] == n.args[1]:
		return n.args[0]
	case s.inverse(n.args[0], n.args[1]):
		absorbing, _ := s.bounds(n.op, s.sorts[n.sort].Width)
		return absorbing
	}
	return 0
}

// match: x & (x & y), x & (BVNot(x) & y), x & (x | y), x & (BVNot(x) | y); dually BVOr
// result: x & y, 0, x, x & y
func bitwiseNested(s *Store, n node) ID {
	for i := range 2 {
		x, t := n.args[i], n.args[1-i]
		if op := s.nodes[t].op; op != n.op && op != dual(n.op) {
			continue
		}
		for j := range 2 {
			y, other := s.arg(t, j), s.arg(t, 1-j)
			switch same, inverse := y == x, s.inverse(x, y); {
			case same && s.is(t, n.op):
				return t
			case same:
				return x
			case inverse && s.is(t, n.op):
				absorbing, _ := s.bounds(n.op, s.sorts[n.sort].Width)
				return absorbing
			case inverse:
				return s.binary(n.op, x, other)
			}
		}
	}
	return 0
}

// match: x & y where y is known to be 1 wherever x can be; x | y where x is known to be 1 wherever y can be
// result: x
func bitwiseFacts(s *Store, n node) ID {
	w, ok := s.narrow(n.args[0])
	if !ok {
		return 0
	}
	for i := range 2 {
		keep, drop := s.facts[n.args[i]], s.facts[n.args[1-i]]
		if n.op == OpBVAnd && ones(w)&^keep.zeros&^drop.ones == 0 ||
			n.op == OpBVOr && ones(w)&^drop.zeros&^keep.ones == 0 {
			return n.args[i]
		}
	}
	return 0
}

// match: (x & k) & c, likewise BVOr, BVXor
// result: x & (k & c)
func bitwiseConstNested(s *Store, n node) ID {
	if x := n.args[0]; s.is(x, n.op) && s.IsConst(s.arg(x, 1)) && s.IsConst(n.args[1]) {
		return s.binary(n.op, s.arg(x, 0), s.binary(n.op, s.arg(x, 1), n.args[1]))
	}
	return 0
}

// maxRuns is how many runs of equal bits a mask may have to be taken apart.
const maxRuns = 3

// runs are the lowest bits of the runs of equal bits of k, from the lowest run;
// nil if there are too many.
func runs(k bv.BV) []uint32 {
	starts := make([]uint32, 1, maxRuns)
	for i := uint32(1); i < k.Width(); i++ {
		if k.Bit(i) != k.Bit(i-1) {
			if len(starts) == maxRuns {
				return nil
			}
			starts = append(starts, i)
		}
	}
	return starts
}

// match: x & k, x | k, x ^ k where k has at most maxRuns runs of equal bits
// result: the Concat over the runs of bits of x, their complement, 0, or -1
func bitwiseMask(s *Store, n node) ID {
	x := n.args[0]
	if !s.IsConst(n.args[1]) {
		return 0
	}
	k := s.ConstValue(n.args[1])
	starts := runs(k)
	if len(starts) < 2 {
		return 0
	}
	result, end := ID(0), k.Width()
	for i := len(starts) - 1; i >= 0; i-- {
		lo := starts[i]
		piece := s.Extract(x, end-1, lo)
		switch one := k.Bit(lo); {
		case n.op == OpBVAnd && !one:
			piece = s.zero(end - lo)
		case n.op == OpBVOr && one:
			piece = s.top(end - lo)
		case n.op == OpBVXor && one:
			piece = s.BVNot(piece)
		}
		if result == 0 {
			result = piece
		} else {
			result = s.Concat(result, piece)
		}
		end = lo
	}
	return result
}

// match: op(Ite(c, 1, 0), Ite(d, 1, 0)) of width 1
// result: Ite(op(c, d), 1, 0)
func bitwiseBits(s *Store, n node) ID {
	if s.sorts[n.sort] != BitVec(1) {
		return 0
	}
	c, left := s.bitOf(n.args[0])
	d, right := s.bitOf(n.args[1])
	if !left || !right {
		return 0
	}
	switch n.op {
	case OpBVAnd:
		return s.BoolToBV(s.And(c, d))
	case OpBVOr:
		return s.BoolToBV(s.Or(c, d))
	}
	return s.BoolToBV(s.Xor(c, d))
}

// match: op(Concat(a, b), Concat(c, d)) with parts of the same widths, one of them constant; ZExt and
// constants count as Concat
// result: Concat(op(a, c), op(b, d))
func bitwiseSplit(s *Store, n node) ID {
	for i := range 2 {
		x, y := n.args[i], n.args[1-i]
		if !s.is(x, OpConcat) && !(s.is(x, OpZExt) && s.IsConst(y)) {
			continue
		}
		low := s.Width(s.arg(x, int(arity[s.nodes[x].op])-1))
		a, b, _ := s.split(x, low)
		c, d, ok := s.split(y, low)
		if ok && (s.IsConst(a) || s.IsConst(b) || s.IsConst(c) || s.IsConst(d)) {
			return s.Concat(s.binary(n.op, a, c), s.binary(n.op, b, d))
		}
	}
	return 0
}

// split is t as the concatenation of two parts, the lower one of the given
// width, if that is what t is.
func (s *Store) split(t ID, low uint32) (a, b ID, ok bool) {
	switch n := s.nodes[t]; {
	case n.op == OpConst:
		return s.Extract(t, s.Width(t)-1, low), s.Extract(t, low-1, 0), true
	case n.op == OpConcat && s.Width(n.args[1]) == low:
		return n.args[0], n.args[1], true
	case n.op == OpZExt && s.Width(n.args[0]) <= low:
		return s.zero(s.Width(t) - low), s.ZExt(n.args[0], low), true
	}
	return 0, 0, false
}

// match: op(ZExt(x), ZExt(y)), op(SExt(x), SExt(y)); BVAnd(ZExt(x), y)
// result: ZExt(op(x, y)), SExt(op(x, y)) in the larger width; ZExt(BVAnd(x, low part of y))
func bitwiseExtension(s *Store, n node) ID {
	w := s.sorts[n.sort].Width
	a, b := n.args[0], n.args[1]
	op := s.nodes[a].op
	if (op == OpZExt || op == OpSExt) && s.is(b, op) {
		x, y := s.arg(a, 0), s.arg(b, 0)
		k := max(s.Width(x), s.Width(y))
		return s.extend(op, s.binary(n.op, s.extend(op, x, k), s.extend(op, y, k)), w)
	}
	if n.op != OpBVAnd {
		return 0
	}
	for i := range 2 {
		if x := n.args[i]; s.is(x, OpZExt) {
			x = s.arg(x, 0)
			return s.ZExt(s.BVAnd(x, s.Extract(n.args[1-i], s.Width(x)-1, 0)), w)
		}
	}
	return 0
}
