package term

// This file has the rules of Mul.

func productRules() []rule {
	return []rule{
		{OpMul, "zero-one", mulZeroOne},
		{OpMul, "bit", sumBit},
		{OpMul, "minus-one", mulMinusOne},
		{OpMul, "const-nested", mulConstNested},
		{OpMul, "distribute", mulDistribute},
		{OpMul, "power", mulPower},
		{OpMul, "neg", both(mulNeg)},
	}
}

// match: x * 0, x * 1
// result: 0, x
func mulZeroOne(s *Store, n node) ID {
	switch k, ok := s.ConstUint64(n.args[1]); {
	case ok && k == 0:
		return n.args[1]
	case ok && k == 1:
		return n.args[0]
	}
	return 0
}

// match: x * -1
// result: Neg(x)
func mulMinusOne(s *Store, n node) ID {
	if s.isTop(n.args[1]) {
		return s.Neg(n.args[0])
	}
	return 0
}

// match: (x * k) * c, Neg(x) * k
// result: x * (k * c), x * -k
func mulConstNested(s *Store, n node) ID {
	x, k := n.args[0], n.args[1]
	switch {
	case !s.IsConst(k):
		return 0
	case s.is(x, OpMul) && s.IsConst(s.arg(x, 1)):
		return s.Mul(s.arg(x, 0), s.Mul(s.arg(x, 1), k))
	case s.is(x, OpNeg):
		return s.Mul(s.arg(x, 0), s.Neg(k))
	}
	return 0
}

// match: (x + k) * c
// result: x*c + k*c
func mulDistribute(s *Store, n node) ID {
	if x, k, ok := s.plusConst(n.args[0]); ok && s.IsConst(n.args[1]) {
		return s.Add(s.Mul(x, n.args[1]), s.Mul(k, n.args[1]))
	}
	return 0
}

// match: x * 2^k
// result: Concat(low part of x, 0)
func mulPower(s *Store, n node) ID {
	if k, ok := s.power(n.args[1]); ok {
		return s.shifted(n.args[0], k)
	}
	return 0
}

// shifted is x << k, k < width, by moving the bits.
func (s *Store) shifted(x ID, k uint32) ID {
	w := s.Width(x)
	if k == 0 {
		return x
	}
	return s.Concat(s.Extract(x, w-1-k, 0), s.zero(k))
}

// match: Neg(x) * Neg(y), Neg(x) * y
// result: x * y, Neg(x * y)
func mulNeg(s *Store, a, b ID) ID {
	switch {
	case !s.is(a, OpNeg):
		return 0
	case s.is(b, OpNeg):
		return s.Mul(s.arg(a, 0), s.arg(b, 0))
	case s.IsConst(b):
		return 0
	}
	return s.Neg(s.Mul(s.arg(a, 0), b))
}
