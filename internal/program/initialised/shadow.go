package initialised

import "assay/internal/program/ir"

// This file has the rules for shadows. s and t are those of the operands x and y; a bit of the result
// is garbage where two choices of the garbage bits of the operands could make it differ,
// or it is not easy to see that they could not. TestRules compares them with all operands of 4 bits.

// shadowType is the type of the shadow of a value.
func shadowType(t ir.Type) ir.Type {
	if t.Kind == ir.Int {
		return t
	}
	return ir.BoolType
}

// shadowOf is the shadow of a value, 0 if it has none.
func (w *weaver) shadowOf(v ir.Value) ir.Value {
	if s := w.shadow[v]; s != 0 {
		return s
	}
	return w.number(shadowType(w.old.Type(v)).Bits, 0)
}

// or is the union of two shadows.
func (w *weaver) or(a, b ir.Value) ir.Value {
	zero := w.number(w.Func.Type(a).Bits, 0)
	switch {
	case a == zero:
		return b
	case b == zero || a == b:
		return a
	}
	return w.bin(ir.Or, a, b)
}

// and is of a shadow with something.
func (w *weaver) and(a, b ir.Value) ir.Value {
	if zero := w.number(w.Func.Type(a).Bits, 0); a == zero || b == zero {
		return zero
	}
	return w.bin(ir.And, a, b)
}

// some says whether a bit of a shadow is 1.
func (w *weaver) some(s ir.Value) ir.Value {
	if w.Func.Type(s).Bits == 1 {
		return s
	}
	return w.cmp(ir.Ne, s, w.number(w.Func.Type(s).Bits, 0))
}

// all is a shadow whose bits are all b.
func (w *weaver) all(b ir.Value, t ir.Type) ir.Value {
	if t.Bits == 1 {
		return b
	}
	return w.Op(ir.SExt, t, b)
}

// any says whether an operand has a garbage bit.
func (w *weaver) any(args ...ir.Value) ir.Value {
	var out ir.Value
	for _, a := range args {
		switch s := w.shadow[a]; {
		case s == 0:
		case out == 0:
			out = w.some(s)
		default:
			out = w.bin(ir.Or, out, w.some(s))
		}
	}
	if out == 0 {
		return w.number(1, 0)
	}
	return out
}

// propagate is the shadow of a value that may be garbage.
func (w *weaver) propagate(v ir.Value, d *ir.Def) ir.Value {
	t := shadowType(d.Type)
	zero := w.number(t.Bits, 0)
	x := func(i int) ir.Value { return d.Args[i] }
	s := func(i int) ir.Value { return w.shadowOf(d.Args[i]) }
	switch d.Op {
	case ir.Nondet:
		return w.ones(t.Bits)
	case ir.Load:
		return w.read(d)
	case ir.Extract:
		return w.result(w.old.Def(x(0)), v, int(d.Aux))
	case ir.And: // garbage, and not made 0 by the other
		return w.or(w.and(s(0), s(1)), w.or(w.and(s(0), x(1)), w.and(x(0), s(1))))
	case ir.Or: // garbage, and not made 1 by the other
		ones := w.ones(t.Bits)
		return w.or(w.and(s(0), s(1)), w.or(w.and(s(0), w.bin(ir.Xor, x(1), ones)), w.and(s(1), w.bin(ir.Xor, x(0), ones))))
	case ir.Xor:
		return w.or(s(0), s(1))
	case ir.Add, ir.Sub, ir.Mul: // carries go up
		both := w.or(s(0), s(1))
		return w.bin(ir.Or, both, w.bin(ir.Sub, zero, both))
	case ir.Shl: // the funnel shifts are defined for all amounts
		return w.shifted(w.Op(ir.FShl, t, s(0), zero, x(1)), x(1), t)
	case ir.LShr:
		return w.shifted(w.Op(ir.FShr, t, zero, s(0), x(1)), x(1), t)
	case ir.AShr:
		sign := w.all(w.cmp(ir.SLt, s(0), zero), t)
		return w.shifted(w.Op(ir.FShr, t, sign, s(0), x(1)), x(1), t)
	case ir.FShl, ir.FShr:
		return w.shifted(w.Op(d.Op, t, s(0), s(1), x(2)), x(2), t)
	case ir.Bswap, ir.Bitreverse:
		return w.Op(d.Op, t, s(0))
	case ir.ZExt, ir.SExt, ir.Trunc:
		if w.old.Type(x(0)).Kind == ir.Int {
			return w.Op(d.Op, t, s(0))
		}
	case ir.Freeze:
		return s(0)
	case ir.Eq, ir.Ne: // defined where bits differ that are defined
		if w.old.Type(x(0)).Kind != ir.Int {
			return w.any(d.Args...)
		}
		both := w.or(s(0), s(1))
		bits := w.Func.Type(both).Bits
		if bits == 1 || both == w.ones(bits) {
			return w.some(both)
		}
		differ := w.bin(ir.And, w.bin(ir.Xor, x(0), x(1)), w.bin(ir.Xor, both, w.ones(bits)))
		return w.bin(ir.And, w.some(both), w.cmp(ir.Eq, differ, w.number(bits, 0)))
	case ir.Select:
		chosen := s(1)
		if s(1) != s(2) {
			chosen = w.choose(x(0), s(1), s(2))
		}
		if w.shadow[x(0)] == 0 {
			return chosen
		}
		other := w.ones(t.Bits)
		if d.Type.Kind == ir.Int {
			other = w.bin(ir.Or, w.bin(ir.Xor, x(1), x(2)), w.bin(ir.Or, s(1), s(2)))
		}
		return w.choose(s(0), other, chosen)
	}
	return w.all(w.any(d.Args...), t)
}

// shifted is the shadow of a shift by an amount, all of it if the amount is garbage.
func (w *weaver) shifted(s, amount ir.Value, t ir.Type) ir.Value {
	if w.shadow[amount] == 0 {
		return s
	}
	return w.bin(ir.Or, s, w.all(w.some(w.shadow[amount]), t))
}
