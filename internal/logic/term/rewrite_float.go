package term

// This file has the few rules of the floating-point operations: IEEE arithmetic
// has next to no algebra. A NaN result is canonical, so even x * 1 is not x.

func floatRules() []rule {
	return []rule{
		{OpFMul, "one", fmulOne},
		{OpFDiv, "one", fmulOne},
		{OpFEq, "same", floatSame},
		{OpFLe, "same", floatSame},
		{OpFLt, "same", fltSame},
		{OpFToF, "round-trip", floatRoundTrip},
		{OpFToSI, "round-trip", integerRoundTrip},
		{OpFToUI, "round-trip", integerRoundTrip},
	}
}

// canonical is x, or the canonical NaN if x is any NaN.
func (s *Store) canonical(x ID) ID {
	f, _ := formatOf(s.Width(x))
	return s.Ite(s.FIsNaN(x), s.ConstU(f.width, f.nan()), x)
}

// match: FMul(x, 1), FDiv(x, 1)
// result: x with NaNs made canonical
func fmulOne(s *Store, n node) ID {
	f, _ := formatOf(s.sorts[n.sort].Width)
	if s.isNumber(n.args[1], f.encode(1)) {
		return s.canonical(n.args[0])
	}
	return 0
}

// match: FEq(x, x), FLe(x, x)
// result: Not(FIsNaN(x))
func floatSame(s *Store, n node) ID {
	if n.args[0] == n.args[1] {
		return s.Not(s.FIsNaN(n.args[0]))
	}
	return 0
}

// match: FLt(x, x)
// result: false
func fltSame(_ *Store, n node) ID {
	if n.args[0] == n.args[1] {
		return falseID
	}
	return 0
}

// match: FToF(FToF(x)) where the inner format is the wider of the two
// result: FToF(x); x with NaNs made canonical if the formats are the same
func floatRoundTrip(s *Store, n node) ID {
	y := n.args[0]
	if !s.is(y, OpFToF) {
		return 0
	}
	x := s.arg(y, 0)
	if s.Width(x) >= s.Width(y) {
		return 0
	}
	if w := s.sorts[n.sort].Width; w != s.Width(x) {
		return s.FToF(x, w)
	}
	return s.canonical(x)
}

// match: FToSI(SIToF(x)), FToUI(UIToF(x)) where the format has all the values of x and the result too
// result: SExt(x), ZExt(x)
func integerRoundTrip(s *Store, n node) ID {
	y := s.nodes[n.args[0]]
	extension := OpSExt
	switch {
	case n.op == OpFToSI && y.op == OpSIToF:
	case n.op == OpFToUI && y.op == OpUIToF:
		extension = OpZExt
	default:
		return 0
	}
	f, _ := formatOf(s.Width(n.args[0]))
	x := y.args[0]
	if w := s.sorts[n.sort].Width; s.Width(x) <= min(f.fraction+1, w) {
		return s.extend(extension, x, w)
	}
	return 0
}
