package term

// This file has the rules of the divisions. A divider is the most expensive
// circuit there is, so what avoids one or narrows it pays.

func divisionRules() []rule {
	return []rule{
		{OpUDiv, "const", udivConst},
		{OpUDiv, "zero-same", udivZeroSame},
		{OpUDiv, "small", udivSmall},
		{OpUDiv, "narrow", udivNarrow},
		{OpURem, "const", uremConst},
		{OpURem, "zero-same", remZeroSame},
		{OpURem, "small", uremSmall},
		{OpURem, "narrow", uremNarrow},
		{OpSDiv, "const", sdivConst},
		{OpSDiv, "unsigned", sdivUnsigned},
		{OpSDiv, "negative-const", sdivNegativeConst},
		{OpSDiv, "power", sdivPower},
		{OpSDiv, "narrow", sdivNarrow},
		{OpSRem, "const", sremConst},
		{OpSRem, "zero-same", remZeroSame},
		{OpSRem, "unsigned", sremUnsigned},
		{OpSRem, "negative-const", sremNegativeConst},
		{OpSRem, "power", sremPower},
		{OpSRem, "narrow", sremNarrow},
	}
}

// match: UDiv(x, 0), UDiv(x, 2^k)
// result: -1, ZExt(high part of x)
func udivConst(s *Store, n node) ID {
	x, y := n.args[0], n.args[1]
	w := s.Width(x)
	if s.isZero(y) {
		return s.top(w)
	}
	if k, ok := s.power(y); ok {
		return s.ZExt(s.Extract(x, w-1, k), w)
	}
	return 0
}

// match: UDiv(0, y), UDiv(x, x)
// result: Ite(Eq(y, 0), -1, 0), Ite(Eq(x, 0), -1, 1)
func udivZeroSame(s *Store, n node) ID {
	x, y := n.args[0], n.args[1]
	w := s.Width(x)
	switch {
	case s.isZero(x):
		return s.Ite(s.Eq(y, x), s.top(w), x)
	case x == y:
		return s.Ite(s.Eq(x, s.zero(w)), s.top(w), s.ConstU(w, 1))
	}
	return 0
}

// match: URem(0, y), SRem(0, y), URem(x, x), SRem(x, x)
// result: 0
func remZeroSame(s *Store, n node) ID {
	if s.isZero(n.args[0]) || n.args[0] == n.args[1] {
		return s.zero(s.sorts[n.sort].Width)
	}
	return 0
}

// below says that x < y is known, unsigned.
func (s *Store) below(x, y ID) bool {
	_, ok := s.narrow(x)
	return ok && s.facts[x].hi < s.facts[y].lo
}

// match: UDiv(x, y) with x < y known
// result: 0
func udivSmall(s *Store, n node) ID {
	if s.below(n.args[0], n.args[1]) {
		return s.zero(s.Width(n.args[0]))
	}
	return 0
}

// match: URem(x, y) with x < y known
// result: x
func uremSmall(s *Store, n node) ID {
	if s.below(n.args[0], n.args[1]) {
		return n.args[0]
	}
	return 0
}

// narrowed are x and y without the bits that both have as zeros by extension.
func (s *Store) narrowed(op Op, x, y ID) (a, b ID, ok bool) {
	if !s.is(x, op) && !s.is(y, op) {
		return 0, 0, false
	}
	width := uint32(1)
	for _, t := range [2]ID{x, y} {
		switch {
		case s.is(t, op):
			width = max(width, s.Width(s.arg(t, 0)))
		case !s.IsConst(t):
			return 0, 0, false
		}
	}
	if width == s.Width(x) {
		return 0, 0, false
	}
	low := func(t ID) ID {
		if s.is(t, op) {
			return s.extend(op, s.arg(t, 0), width)
		}
		return s.unextended(op, t, width)
	}
	a, b = low(x), low(y)
	return a, b, a != 0 && b != 0
}

// match: UDiv(ZExt(x), ZExt(y)) with y > 0 known; constants that fit for either
// result: ZExt(UDiv(x, y))
func udivNarrow(s *Store, n node) ID {
	x, y, ok := s.narrowed(OpZExt, n.args[0], n.args[1])
	if w, narrow := s.narrow(n.args[1]); ok && (narrow && s.facts[n.args[1]].lo > 0 || !narrow && s.IsConst(y) && !s.isZero(y)) {
		if !narrow {
			w = s.Width(n.args[1])
		}
		return s.ZExt(s.UDiv(x, y), w)
	}
	return 0
}

// match: URem(ZExt(x), ZExt(y)), constants that fit for either
// result: ZExt(URem(x, y))
func uremNarrow(s *Store, n node) ID {
	if x, y, ok := s.narrowed(OpZExt, n.args[0], n.args[1]); ok {
		return s.ZExt(s.URem(x, y), s.Width(n.args[0]))
	}
	return 0
}

// match: URem(x, 0), URem(x, 2^k)
// result: x, ZExt(low part of x)
func uremConst(s *Store, n node) ID {
	x, y := n.args[0], n.args[1]
	w := s.Width(x)
	if s.isZero(y) {
		return x
	}
	switch k, ok := s.power(y); {
	case ok && k == 0:
		return s.zero(w)
	case ok:
		return s.ZExt(s.Extract(x, k-1, 0), w)
	}
	return 0
}

// match: SDiv(x, 0), SDiv(x, 1), SDiv(x, -1)
// result: Ite(SLt(x, 0), 1, -1), x, Neg(x)
func sdivConst(s *Store, n node) ID {
	x, y := n.args[0], n.args[1]
	w := s.Width(x)
	switch {
	case s.isZero(y):
		return s.Ite(s.SLt(x, y), s.ConstU(w, 1), s.top(w))
	case s.isTop(y): // before 1, which is -1 in width 1
		return s.Neg(x)
	case s.isNumber(y, 1):
		return x
	}
	return 0
}

// match: SRem(x, 0), SRem(x, 1), SRem(x, -1)
// result: x, 0, 0
func sremConst(s *Store, n node) ID {
	x, y := n.args[0], n.args[1]
	switch {
	case s.isZero(y):
		return x
	case s.isNumber(y, 1), s.isTop(y):
		return s.zero(s.Width(x))
	}
	return 0
}

// nonnegative says that the sign bit of t is known to be 0.
func (s *Store) nonnegative(t ID) bool {
	w, ok := s.narrow(t)
	if !ok {
		return s.is(t, OpZExt) || s.IsConst(t) && !s.ConstValue(t).Negative()
	}
	negative, known := s.facts[t].negative(w)
	return known && !negative
}

// match: SDiv(x, y) with both signs known to be 0
// result: UDiv(x, y)
func sdivUnsigned(s *Store, n node) ID {
	if s.nonnegative(n.args[0]) && s.nonnegative(n.args[1]) {
		return s.UDiv(n.args[0], n.args[1])
	}
	return 0
}

// match: SRem(x, y) with both signs known to be 0
// result: URem(x, y)
func sremUnsigned(s *Store, n node) ID {
	if s.nonnegative(n.args[0]) && s.nonnegative(n.args[1]) {
		return s.URem(n.args[0], n.args[1])
	}
	return 0
}

// negativeConst is -y for a negative constant y but the least one.
func (s *Store) negativeConst(y ID) (ID, bool) {
	if !s.IsConst(y) || !s.ConstValue(y).Negative() || y == s.least(s.Width(y)) {
		return 0, false
	}
	return s.Neg(y), true
}

// match: SDiv(x, -k)
// result: Neg(SDiv(x, k))
func sdivNegativeConst(s *Store, n node) ID {
	if k, ok := s.negativeConst(n.args[1]); ok {
		return s.Neg(s.SDiv(n.args[0], k))
	}
	return 0
}

// match: SRem(x, -k)
// result: SRem(x, k)
func sremNegativeConst(s *Store, n node) ID {
	if k, ok := s.negativeConst(n.args[1]); ok {
		return s.SRem(n.args[0], k)
	}
	return 0
}

// roundingBias is 2^k - 1 where x is negative and 0 elsewhere: what makes a
// shift round to zero.
func (s *Store) roundingBias(x ID, k uint32) ID {
	w := s.Width(x)
	return s.ZExt(s.SExt(s.Extract(x, w-1, w-1), k), w)
}

// positivePower is k if y is 2^k with 0 < k < width-1.
func (s *Store) positivePower(y ID) (uint32, bool) {
	k, ok := s.power(y)
	return k, ok && k > 0 && k < s.Width(y)-1
}

// match: SDiv(x, 2^k), 0 < k < width-1
// result: SExt(high part of (x + bias)) with bias as in roundingBias
func sdivPower(s *Store, n node) ID {
	k, ok := s.positivePower(n.args[1])
	if !ok {
		return 0
	}
	x := n.args[0]
	w := s.Width(x)
	return s.SExt(s.Extract(s.Add(x, s.roundingBias(x, k)), w-1, k), w)
}

// match: SRem(x, 2^k), 0 < k < width-1
// result: ZExt(low part of (x + bias)) - bias with bias as in roundingBias
func sremPower(s *Store, n node) ID {
	k, ok := s.positivePower(n.args[1])
	if !ok {
		return 0
	}
	x := n.args[0]
	bias := s.roundingBias(x, k)
	return s.Sub(s.ZExt(s.Extract(s.Add(x, bias), k-1, 0), s.Width(x)), bias)
}

// match: SDiv(SExt(x), k) with k > 0 that fits
// result: SExt(SDiv(x, k))
func sdivNarrow(s *Store, n node) ID {
	x, k, ok := s.narrowed(OpSExt, n.args[0], n.args[1])
	if ok && s.IsConst(k) && !s.isZero(k) && !s.ConstValue(k).Negative() {
		return s.SExt(s.SDiv(x, k), s.Width(n.args[0]))
	}
	return 0
}

// match: SRem(SExt(x), SExt(y)), constants that fit for either
// result: SExt(SRem(x, y))
func sremNarrow(s *Store, n node) ID {
	if x, y, ok := s.narrowed(OpSExt, n.args[0], n.args[1]); ok {
		return s.SExt(s.SRem(x, y), s.Width(n.args[0]))
	}
	return 0
}
