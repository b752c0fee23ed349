package graph

import (
	"fmt"
	"math/big"

	"assay/internal/ir"
	"assay/internal/symgraph"
)

// step executes an instruction without successors of its own; done says that it
// has gone on from here, in several cases.
func (c *checkerState) step(s *state, v ir.Value, d *ir.Def) (done bool) {
	f := s.top()
	bits := d.Type.Bits
	set := func(x value) bool {
		f.values[v] = x
		f.index++
		return false
	}
	result := func(n number) bool { return set(integerValue(c.short(n))) }
	arg := func(i int) number { return c.number(s, d.Args[i]) }
	unsigned := func(i int) number { return c.view(arg(i), f.f.Type(d.Args[i]).Bits, false) }
	signed := func(i int) number { return c.view(arg(i), f.f.Type(d.Args[i]).Bits, true) }
	truth := func(t string) bool { return set(value{kind: symgraph.Int, truth: t}) }
	if bits == 1 {
		switch d.Op {
		case ir.And, ir.Mul:
			return truth(all([]string{c.truth(s, d.Args[0]), c.truth(s, d.Args[1])}))
		case ir.Or:
			return truth(not(all([]string{not(c.truth(s, d.Args[0])), not(c.truth(s, d.Args[1]))})))
		case ir.Xor, ir.Add, ir.Sub:
			a, b := c.truth(s, d.Args[0]), c.truth(s, d.Args[1])
			switch {
			case b == "true":
				return truth(not(a))
			case b == "false":
				return truth(a)
			}
			return truth("(not (= " + a + " " + b + "))")
		case ir.UDiv, ir.SDiv, ir.URem, ir.SRem, ir.Shl, ir.LShr, ir.AShr:
			return set(c.arbitrary(d.Type))
		}
	}
	switch d.Op {
	case ir.Nondet:
		return set(c.arbitrary(d.Type))
	case ir.Freeze:
		return set(c.operand(s, d.Args[0]))
	case ir.Add:
		return result(c.add(arg(0), arg(1)))
	case ir.Sub:
		return result(c.sub(arg(0), arg(1)))
	case ir.Mul:
		return result(c.multiply(signed, unsigned, arg(0), arg(1)))
	case ir.Shl:
		k := unsigned(1)
		if !k.isConst() || k.low.Cmp(big.NewInt(int64(bits))) >= 0 {
			return set(c.arbitrary(d.Type))
		}
		return result(c.scale(arg(0), pow(uint32(k.low.Int64()))))
	case ir.LShr, ir.AShr:
		return set(c.shiftRight(d, arg, signed, unsigned))
	case ir.UDiv, ir.URem, ir.SDiv, ir.SRem:
		return c.divide(s, v, d)
	case ir.And, ir.Or, ir.Xor:
		return set(c.bitwise(d, arg, unsigned))
	case ir.Eq, ir.Ne:
		var t string
		if f.f.Type(d.Args[0]).Kind == ir.Ptr {
			t = c.pointersEqual(s, c.operand(s, d.Args[0]), c.operand(s, d.Args[1]))
		} else if f.f.Type(d.Args[0]).Bits == 1 {
			t = "(= " + c.truth(s, d.Args[0]) + " " + c.truth(s, d.Args[1]) + ")"
		} else {
			t = c.equal(arg(0), arg(1), f.f.Type(d.Args[0]).Bits)
		}
		if d.Op == ir.Ne {
			t = not(t)
		}
		return truth(t)
	case ir.ULt, ir.ULe, ir.SLt, ir.SLe:
		if f.f.Type(d.Args[0]).Kind == ir.Ptr {
			return truth(c.pointersOrdered(s, d))
		}
		op := map[ir.Op]string{ir.ULt: "<", ir.SLt: "<", ir.ULe: "<=", ir.SLe: "<="}[d.Op]
		a, b := unsigned(0), unsigned(1)
		if d.Op == ir.SLt || d.Op == ir.SLe {
			a, b = signed(0), signed(1)
		}
		return truth("(" + op + " " + a.t + " " + b.t + ")")
	case ir.SAddOvf, ir.SSubOvf, ir.SMulOvf, ir.UAddOvf, ir.USubOvf, ir.UMulOvf:
		w := f.f.Type(d.Args[0]).Bits
		sign := d.Op == ir.SAddOvf || d.Op == ir.SSubOvf || d.Op == ir.SMulOvf
		if w == 1 {
			return set(c.arbitrary(d.Type))
		}
		a, b := unsigned(0), unsigned(1)
		if sign {
			a, b = signed(0), signed(1)
		}
		var r ir.Op
		switch d.Op {
		case ir.SAddOvf, ir.UAddOvf:
			r = ir.Add
		case ir.SSubOvf, ir.USubOvf:
			r = ir.Sub
		default:
			r = ir.Mul
		}
		n := map[ir.Op]func() number{ir.Add: func() number { return c.add(a, b) }, ir.Sub: func() number { return c.sub(a, b) },
			ir.Mul: func() number { return c.product(a, b) }}[r]()
		low, high := bounds(w, sign)
		if n.within(low, high) {
			return truth("false")
		}
		return truth("(not (<= " + integer(low) + " " + n.t + " " + integer(high) + "))")
	case ir.ZExt:
		return result(unsigned(0))
	case ir.SExt:
		if f.f.Type(d.Args[0]).Bits == 1 {
			return result(c.scale(unsigned(0), big.NewInt(-1)))
		}
		return result(signed(0))
	case ir.Trunc:
		return result(arg(0))
	case ir.Ctpop, ir.Ctlz, ir.Cttz:
		return set(integerValue(c.unknown("x", new(big.Int), big.NewInt(int64(bits)))))
	case ir.Bswap, ir.Bitreverse, ir.FShl, ir.FShr, ir.BitCast, ir.FAdd, ir.FSub, ir.FMul, ir.FDiv, ir.FRem, ir.FNeg, ir.FAbs,
		ir.FSqrt, ir.FMA, ir.FCopySign, ir.FMin, ir.FMax, ir.FRound, ir.FEq, ir.FLt, ir.FLe, ir.FUno, ir.FToSI, ir.FToUI,
		ir.SIToF, ir.UIToF, ir.FToF:
		return set(c.arbitrary(d.Type))
	}
	return c.memory(s, v, d)
}

// equal is equality modulo 2^bits.
func (c *checkerState) equal(a, b number, bits uint32) string {
	d := c.sub(a, b)
	w := pow(bits)
	if d.low.CmpAbs(w) < 0 && d.high.CmpAbs(w) < 0 {
		return "(= " + a.t + " " + b.t + ")"
	}
	return "(= " + c.view(a, bits, false).t + " " + c.view(b, bits, false).t + ")"
}

func (c *checkerState) multiply(signed, unsigned func(int) number, a, b number) number {
	switch {
	case b.isConst():
		return c.scale(a, b.low)
	case a.isConst():
		return c.scale(b, a.low)
	}
	// Modulo 2^w it does not matter how the factors are read; small intervals say more.
	x, y := signed(0), signed(1)
	if a.low.Sign() >= 0 && b.low.Sign() >= 0 {
		x, y = unsigned(0), unsigned(1)
	}
	return c.product(x, y)
}

// product is the product of two integers; of its value, only what the intervals
// and the signs of the factors say is known.
func (c *checkerState) product(a, b number) number {
	switch {
	case b.isConst():
		return c.scale(a, b.low)
	case a.isConst():
		return c.scale(b, a.low)
	}
	low, high := new(big.Int).Mul(a.low, b.low), new(big.Int).Mul(a.low, b.low)
	for _, p := range [][2]*big.Int{{a.low, b.high}, {a.high, b.low}, {a.high, b.high}} {
		n := new(big.Int).Mul(p[0], p[1])
		low, high = least(low, n), greatest(high, n)
	}
	r := c.unknown("p", low, high)
	// The sign of a product; and it is not less than one factor if the other is at least 1.
	x, y := a.t, b.t
	if x == y {
		c.assert(fmt.Sprintf("(and (>= %[1]s 0) (>= %[1]s %[2]s) (>= %[1]s (- %[2]s)))", r.t, x))
		return r
	}
	c.assert(fmt.Sprintf("(and (=> (and (>= %[2]s 0) (>= %[3]s 1)) (>= %[1]s %[2]s)) (=> (and (>= %[2]s 1) (>= %[3]s 0)) (>= %[1]s %[3]s)))", r.t, x, y))
	return r
}

func (c *checkerState) shiftRight(d *ir.Def, arg, signed, unsigned func(int) number) value {
	bits := d.Type.Bits
	k := unsigned(1)
	a := unsigned(0)
	if d.Op == ir.AShr {
		a = signed(0)
	}
	if !k.isConst() {
		// The amount may be too large, then anything; else a natural number does not grow.
		low, high := bounds(bits, d.Op == ir.AShr)
		r := c.unknown("x", low, high)
		c.assert(fmt.Sprintf("(=> (and (< %s %d) (>= %s 0)) (and (<= 0 %s %s) (=> (>= %s 1) (<= (* 2 %s) %s))))", k.t, bits, a.t, r.t, a.t, k.t, r.t, a.t))
		return integerValue(r)
	}
	if k.low.Cmp(big.NewInt(int64(bits))) >= 0 {
		return c.arbitrary(d.Type)
	}
	w := pow(uint32(k.low.Int64()))
	q := c.unknown("q", new(big.Int).Div(a.low, w), new(big.Int).Div(a.high, w)) // Euclidean: floors
	r := c.unknown("r", new(big.Int), new(big.Int).Sub(w, one))
	c.assert(fmt.Sprintf("(= %s (+ (* %s %s) %s))", a.t, w, q.t, r.t))
	return integerValue(q)
}

// divide splits by the signs.
func (c *checkerState) divide(s *state, v ir.Value, d *ir.Def) (done bool) {
	bits := d.Type.Bits
	sign := d.Op == ir.SDiv || d.Op == ir.SRem
	a, b := c.view(c.number(s, d.Args[0]), bits, sign), c.view(c.number(s, d.Args[1]), bits, sign)
	quotient := d.Op == ir.SDiv || d.Op == ir.UDiv
	low, _ := bounds(bits, sign)
	type outcome struct {
		guard      string
		negA, negB bool
		any        bool
	}
	ok := "true"
	over := "false"
	if sign {
		over = fmt.Sprintf("(and (= %s %s) (= %s (- 1)))", a.t, integer(low), b.t)
		ok = not(over)
	}
	outcomes := []outcome{
		{guard: "(or (= " + b.t + " 0) " + over + ")", any: true},
		{guard: all([]string{"(>= " + b.t + " 1)", "(>= " + a.t + " 0)"})},
	}
	if sign {
		outcomes = append(outcomes,
			outcome{guard: "(and (>= " + b.t + " 1) (< " + a.t + " 0))", negA: true},
			outcome{guard: all([]string{"(< " + b.t + " 0)", "(>= " + a.t + " 0)", ok}), negB: true},
			outcome{guard: all([]string{"(< " + b.t + " 0)", "(< " + a.t + " 0)", ok}), negA: true, negB: true})
	}
	minus := func(n number) number { return c.sub(small(0), n) }
	for _, o := range outcomes {
		if c.failure != nil {
			return true
		}
		c.push()
		if c.possible(o.guard) {
			c.assert(o.guard)
			t := s.clone()
			g := t.top()
			if o.any {
				g.values[v] = c.arbitrary(d.Type)
			} else {
				x, y := a, b
				if o.negA {
					x = minus(x)
				}
				if o.negB {
					y = minus(y)
				}
				q, r := c.quotient(x, y)
				if o.negA != o.negB {
					q = minus(q)
				}
				if o.negA {
					r = minus(r)
				}
				if quotient {
					g.values[v] = integerValue(c.short(q))
				} else {
					g.values[v] = integerValue(c.short(r))
				}
			}
			g.index++
			c.walk(t)
		}
		c.pop()
	}
	return true
}

// bitwise: complements and masks exactly, the rest by ranges.
func (c *checkerState) bitwise(d *ir.Def, arg, unsigned func(int) number) value {
	bits := d.Type.Bits
	a, b := unsigned(0), unsigned(1)
	if a.isConst() {
		a, b = b, a
	}
	_, ones := bounds(bits, false)
	if a.isConst() && b.isConst() {
		n := new(big.Int)
		switch d.Op {
		case ir.And:
			n.And(a.low, b.low)
		case ir.Or:
			n.Or(a.low, b.low)
		default:
			n.Xor(a.low, b.low)
		}
		return integerValue(num(n))
	}
	if b.isConst() && b.low.Cmp(ones) == 0 {
		switch d.Op {
		case ir.And:
			return integerValue(a)
		case ir.Or:
			return integerValue(b)
		}
		return integerValue(c.sub(num(ones), a))
	}
	if b.isConst() && b.low.Sign() == 0 {
		if d.Op == ir.And {
			return integerValue(b)
		}
		return integerValue(a)
	}
	if b.isConst() && d.Op == ir.And {
		low := new(big.Int).Add(b.low, one)
		if w := low; new(big.Int).And(w, b.low).Sign() == 0 { // 2^k - 1
			_, r := c.quotient(a, num(w))
			return integerValue(r)
		}
		if w := new(big.Int).Sub(new(big.Int).Add(ones, one), b.low); new(big.Int).And(w, new(big.Int).Sub(w, one)).Sign() == 0 { // the high bits
			_, r := c.quotient(a, num(w))
			return integerValue(c.sub(a, r))
		}
	}
	if d.Op == ir.Or {
		for _, p := range [][2]number{{a, b}, {b, a}} { // no bit is set in both
			if n := uint32(p[0].high.BitLen()); n > 0 && n < bits && c.valid(fmt.Sprintf("(= 0 (mod %s %s))", p[1].t, pow(n))) {
				return integerValue(c.short(c.add(a, b)))
			}
		}
	}
	r := c.unknown("x", new(big.Int), ones)
	switch d.Op {
	case ir.And:
		c.assert(fmt.Sprintf("(and (<= %[1]s %[2]s) (<= %[1]s %[3]s))", r.t, a.t, b.t))
	case ir.Or:
		c.assert(fmt.Sprintf("(and (>= %[1]s %[2]s) (>= %[1]s %[3]s) (<= %[1]s (+ %[2]s %[3]s)))", r.t, a.t, b.t))
	default:
		c.assert(fmt.Sprintf("(<= %s (+ %s %s))", r.t, a.t, b.t))
	}
	return integerValue(r)
}
