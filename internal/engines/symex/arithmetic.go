package symex

// The rules of arithmetic that is not linear: products, quotients, shifts, bitwise
// operations, and what overflows [AProVE-BV §3]. A result that is not exact is a
// symbol of its own, with what is known of it.

import (
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

func (x *explorer) multiply(s *state, f *frame, v ir.Value, d *ir.Def) control {
	if d.Type.Bits == 1 {
		return x.logic(s, f, v, d)
	}
	a, b := x.operand(s, f, d.Args[0]).Form, x.operand(s, f, d.Args[1]).Form
	switch {
	case b.IsConstant():
		f.Values[v] = integer(a.Scale(b.Const))
		return next
	case a.IsConstant():
		f.Values[v] = integer(b.Scale(a.Const))
		return next
	}
	signed := x.prepare(f.Func).signed[v]
	a, ok := x.view(s, f, d.Args[0], signed)
	if !ok {
		return forked
	}
	b, ok = x.view(s, f, d.Args[1], signed)
	if !ok {
		return forked
	}
	f.Values[v] = integer(x.product(a, b))
	return next
}

// product is the product as an integer: a symbol with what follows from the
// ranges of the factors.
func (x *explorer) product(a, b linear.Form) linear.Form {
	la, ha, lb, hb := x.k.low(a), x.k.high(a), x.k.low(b), x.k.high(b)
	low := la.Mul(lb)
	high := low
	for _, n := range []linear.Number{la.Mul(hb), ha.Mul(lb), ha.Mul(hb)} {
		if n.Cmp(low) < 0 {
			low = n
		}
		if n.Cmp(high) > 0 {
			high = n
		}
	}
	if a.Equal(b) && low.Sign() < 0 {
		low = linear.Number{}
	}
	r := x.fresh(low, high)
	one := linear.Int(1)
	if la.Sign() >= 0 && lb.Cmp(one) >= 0 {
		x.k.assert(linear.AtLeast(r, a.Scale(lb)))
	}
	if lb.Sign() >= 0 && la.Cmp(one) >= 0 {
		x.k.assert(linear.AtLeast(r, b.Scale(la)))
	}
	return r
}

// divide: dividend = quotient·divisor + remainder, by the signs.
func (x *explorer) divide(s *state, f *frame, v ir.Value, d *ir.Def) control {
	signed := d.Op == ir.SDiv || d.Op == ir.SRem
	bits := d.Type.Bits
	if bits == 1 {
		f.Values[v] = x.freshInt(1, false)
		return next
	}
	a, b, ok := x.views(s, f, d, signed)
	if !ok {
		return forked
	}
	zero, ok := x.decideZero(b)
	if !ok {
		return forked
	}
	if zero {
		f.Values[v] = x.freshInt(bits, signed)
		return next
	}
	positive, ok := x.decide(b.Plus(linear.Int(-1)))
	if !ok {
		return forked
	}
	natural, ok := x.decide(a)
	if !ok {
		return forked
	}
	if !positive {
		b = b.Neg()
	}
	if !natural {
		a = a.Neg()
	}
	q, r := x.quotient(a, b)
	if d.Op == ir.SDiv || d.Op == ir.UDiv {
		if positive != natural {
			q = q.Neg()
		}
		// INT_MIN / -1 wraps; here it is anything: only there the quotient leaves the range.
		if low, high := rangeOf(bits, signed); x.k.high(q).Cmp(high) > 0 || x.k.low(q).Cmp(low) < 0 {
			f.Values[v] = x.freshInt(bits, signed)
			return next
		}
		f.Values[v] = integer(q)
		return next
	}
	if !natural {
		r = r.Neg()
	}
	if signed && !positive && !natural {
		// INT_MIN % -1 is 0; here it is anything.
		if low, _ := rangeOf(bits, true); !x.k.atLeast(a.Neg(), low.Add(linear.Int(1))) && x.k.low(b).IsOne() {
			f.Values[v] = x.freshInt(bits, signed)
			return next
		}
	}
	f.Values[v] = integer(r)
	return next
}

// quotient divides a >= 0 by b >= 1.
func (x *explorer) quotient(a, b linear.Form) (q, r linear.Form) {
	one := linear.Int(1)
	if x.k.atLeast(b.Sub(a), one) {
		return linear.Form{}, a
	}
	if b.IsConstant() {
		if b.Const.IsOne() {
			return a, linear.Form{}
		}
		if a.IsConstant() {
			n := a.Const.Div(b.Const).Floor()
			return linear.Constant(n), linear.Constant(a.Const.Sub(n.Mul(b.Const)))
		}
		q = x.fresh(x.k.low(a).Div(b.Const).Floor(), x.k.high(a).Div(b.Const).Floor())
		r = a.AddScaled(b.Const.Neg(), q)
		x.k.assert(linear.Constraint{Form: r})
		x.k.assert(linear.AtMost(r, b.Plus(one.Neg())))
		return q, r
	}
	q = x.fresh(linear.Number{}, x.k.high(a).Div(x.k.low(b)).Floor())
	x.k.assert(linear.AtMost(q.Scale(x.k.low(b)), a))
	r = x.fresh(linear.Number{}, x.k.high(b).Sub(one))
	x.k.assert(linear.AtMost(r, a))
	x.k.assert(linear.AtMost(r, b.Plus(one.Neg())))
	return q, r
}

// lowBits is f modulo 2^n, as a number from 0 to 2^n-1.
func (x *explorer) lowBits(f linear.Form, n uint32) linear.Form {
	if g, ok := x.fits(f, n, false); ok {
		return g
	}
	if low, _, ok := x.halves(f, n); ok {
		return low
	}
	w := two(n)
	q := x.fresh(x.k.low(f).Div(w).Floor(), x.k.high(f).Div(w).Floor())
	r := f.AddScaled(w.Neg(), q)
	x.k.assert(linear.Constraint{Form: r})
	x.k.assert(linear.AtMost(r, linear.Constant(w.Sub(linear.Int(1)))))
	return r
}

// bitRange says of which bits low <= i < high the mask n of a width consists, if they are
// one range.
func bitRange(n linear.Number, bits uint32) (low, high uint32, ok bool) {
	m := n.BigInt()
	m.And(m, two(bits).Sub(linear.Int(1)).BigInt())
	if m.Sign() == 0 {
		return 0, 0, false
	}
	low, high = uint32(m.TrailingZeroBits()), uint32(m.BitLen())
	return low, high, m.Rsh(m, uint(low)).Cmp(two(high-low).Sub(linear.Int(1)).BigInt()) == 0
}

// splitRounds makes cases of f, if it leaves the range of n bits in two ways at most: a char,
// which is negative or not. It is false if there are cases.
func (x *explorer) splitRounds(f linear.Form, n uint32) bool {
	a, b := x.rounds(f, n, linear.Number{})
	if d, small := b.Sub(a).Int64(); !small || d != 1 {
		return true
	}
	edge := f.Plus(b.Mul(two(n)).Neg()) // not negative in the second case
	x.split = append(x.split,
		alternative{facts: []linear.Constraint{{Form: edge.Neg().Plus(linear.Int(-1))}}},
		alternative{facts: []linear.Constraint{{Form: edge}}})
	return false
}

func (x *explorer) shift(s *state, f *frame, v ir.Value, d *ir.Def) control {
	bits := d.Type.Bits
	signed := d.Op == ir.AShr
	amount, ok := x.view(s, f, d.Args[1], false)
	if !ok {
		return forked
	}
	n, small := amount.Const.Int64()
	if bits == 1 || !amount.IsConstant() || !small || n >= int64(bits) {
		if d.Op != ir.Shl && bits > 1 {
			// Shifting a natural number right does not make it greater.
			a, ok := x.view(s, f, d.Args[0], signed)
			if !ok {
				return forked
			}
			natural, ok := x.decide(a)
			if !ok {
				return forked
			}
			inside, ok := x.decide(amount.Neg().Plus(linear.Int(int64(bits) - 1)))
			if !ok {
				return forked
			}
			if natural && inside {
				r := x.fresh(linear.Number{}, x.k.high(a))
				x.k.assert(linear.AtMost(r, a))
				if x.k.atLeast(amount, linear.Int(1)) {
					x.k.assert(linear.AtMost(r.Scale(linear.Int(2)), a))
				}
				f.Values[v] = integer(r)
				return next
			}
		}
		f.Values[v] = x.freshInt(bits, x.prepare(f.Func).signed[v])
		return next
	}
	if d.Op == ir.Shl {
		f.Values[v] = integer(x.operand(s, f, d.Args[0]).Form.Scale(two(uint32(n))))
		return next
	}
	a, ok := x.view(s, f, d.Args[0], signed)
	if !ok {
		return forked
	}
	if _, high, ok := x.halves(a, uint32(n)); ok {
		f.Values[v] = integer(high)
		return next
	}
	w := two(uint32(n))
	q := x.fresh(x.k.low(a).Div(w).Floor(), x.k.high(a).Div(w).Floor())
	r := a.AddScaled(w.Neg(), q)
	x.k.assert(linear.Constraint{Form: r})
	x.k.assert(linear.AtMost(r, linear.Constant(w.Sub(linear.Int(1)))))
	f.Values[v] = integer(q)
	return next
}

// logic: bitwise operations, and all arithmetic of truth values.
func (x *explorer) logic(s *state, f *frame, v ir.Value, d *ir.Def) control {
	set := func(g linear.Form) control {
		f.Values[v] = integer(g)
		return next
	}
	if d.Type.Bits == 1 {
		a, ok := x.choose(s, f, d.Args[0])
		if !ok {
			return forked
		}
		if !a && (d.Op == ir.And || d.Op == ir.Mul) {
			return set(linear.Form{})
		}
		if a && d.Op == ir.Or {
			return set(linear.Constant(linear.Int(1)))
		}
		b, ok := x.view(s, f, d.Args[1], false)
		if !ok {
			return forked
		}
		if a && d.Op != ir.And && d.Op != ir.Mul { // Xor, Add, Sub
			b = b.Neg().Plus(linear.Int(1))
		}
		return set(b)
	}
	a, b := x.operand(s, f, d.Args[0]).Form, x.operand(s, f, d.Args[1]).Form
	if a.IsConstant() && !b.IsConstant() {
		a, b = b, a
	}
	if a.IsConstant() && b.IsConstant() {
		p, q := a.Const.BigInt(), b.Const.BigInt()
		switch d.Op {
		case ir.And:
			p.And(p, q)
		case ir.Or:
			p.Or(p, q)
		default:
			p.Xor(p, q)
		}
		return set(linear.Constant(linear.FromBigInt(p)))
	}
	if b.IsConstant() {
		switch {
		case b.Const.Equal(linear.Int(-1)):
			switch d.Op {
			case ir.And:
				return set(a)
			case ir.Or:
				return set(b)
			}
			return set(a.Neg().Plus(linear.Int(-1)))
		case b.Const.IsZero():
			if d.Op == ir.And {
				return set(linear.Form{})
			}
			return set(a)
		case d.Op == ir.And:
			if low, high, ok := bitRange(b.Const, d.Type.Bits); ok {
				if !x.splitRounds(a, high) {
					return forked
				}
				r := a
				if high < d.Type.Bits {
					r = x.lowBits(a, high)
				}
				return set(r.Sub(x.lowBits(r, low)))
			}
		}
	}
	// By the ranges, if the operands are natural numbers.
	a, okA := x.fits(a, d.Type.Bits, false)
	b, okB := x.fits(b, d.Type.Bits, false)
	_, most := rangeOf(d.Type.Bits, false)
	switch {
	case d.Op == ir.And && (okA || okB):
		if okA && okB && x.k.high(b).Cmp(x.k.high(a)) < 0 || !okA {
			a, b, okA, okB = b, a, okB, okA
		}
		r := x.fresh(linear.Number{}, x.k.high(a))
		x.k.assert(linear.AtMost(r, a))
		if okB {
			x.k.assert(linear.AtMost(r, b))
		}
		return set(r)
	case okA && okB:
		sum := a.Add(b)
		if d.Op == ir.Or {
			for _, p := range [][2]linear.Form{{a, b}, {b, a}} { // no bit is set in both
				n := uint32(x.k.high(p[0]).BigInt().BitLen())
				if low, _, ok := x.halves(p[1], n); ok && n < d.Type.Bits && low.Equal(linear.Form{}) {
					return set(sum)
				}
			}
		}
		if h := x.k.high(sum); h.Cmp(most) < 0 {
			most = h
		}
		r := x.fresh(linear.Number{}, most)
		x.k.assert(linear.AtMost(r, sum))
		if d.Op == ir.Or {
			x.k.assert(linear.AtLeast(r, a))
			x.k.assert(linear.AtLeast(r, b))
		}
		return set(r)
	}
	f.Values[v] = x.freshInt(d.Type.Bits, x.prepare(f.Func).signed[v])
	return next
}

// halves gives low and high with f = low + 2^n·high, where low is in [0, 2^n), if the
// terms of f say so: of two integers in one register.
func (x *explorer) halves(f linear.Form, n uint32) (low, high linear.Form, ok bool) {
	w := two(n)
	low = linear.Constant(f.Const)
	for _, t := range f.Terms {
		if k := t.Coef.Div(w); k.IsInt() {
			high = high.AddScaled(k, linear.Variable(t.Var))
		} else {
			low = low.AddScaled(t.Coef, linear.Variable(t.Var))
		}
	}
	k := low.Const.Div(w).Floor()
	low, high = low.Plus(k.Mul(w).Neg()), high.Plus(k)
	return low, high, x.k.atLeast(low, linear.Number{}) && x.k.atLeast(low.Neg(), linear.Int(1).Sub(w))
}

// overflow decides whether the exact result leaves the range.
func (x *explorer) overflow(s *state, f *frame, v ir.Value, d *ir.Def) control {
	bits := f.Func.Type(d.Args[0]).Bits
	signed := d.Op == ir.SAddOvf || d.Op == ir.SSubOvf || d.Op == ir.SMulOvf
	if bits == 1 {
		f.Values[v] = x.freshInt(1, false)
		return next
	}
	a, b, ok := x.views(s, f, d, signed)
	if !ok {
		return forked
	}
	var r linear.Form
	switch d.Op {
	case ir.SAddOvf, ir.UAddOvf:
		r = a.Add(b)
	case ir.SSubOvf, ir.USubOvf:
		r = a.Sub(b)
	default:
		switch {
		case a.IsConstant():
			r = b.Scale(a.Const)
		case b.IsConstant():
			r = a.Scale(b.Const)
		default:
			low, high := rangeOf(bits, signed)
			r = x.product(a, b)
			if x.k.low(r).Cmp(low) < 0 || x.k.high(r).Cmp(high) > 0 {
				f.Values[v] = x.freshInt(1, false)
				return next
			}
		}
	}
	low, high := rangeOf(bits, signed)
	for _, g := range []linear.Form{r.Plus(low.Neg()), r.Neg().Plus(high)} {
		inside, ok := x.decide(g)
		if !ok {
			return forked
		}
		if !inside {
			f.Values[v] = constant(1)
			return next
		}
	}
	f.Values[v] = constant(0)
	return next
}
