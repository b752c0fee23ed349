package graph

import (
	"fmt"
	"math/big"

	"assay/internal/program/ir"
)

// step executes an instruction without successors of its own; done says that it
// has gone on from here, in several cases.
func (c *checkerState) step(s *state, v ir.Value, d *ir.Def) (done bool) {
	bits := d.Type.Bits
	if bits == 1 {
		if x, ok := c.logic(s, d); ok {
			return s.set(v, x)
		}
	}
	arg := func(i int) number { return c.number(s, d.Args[i]) }
	width := func(i int) uint32 { return s.top().f.Type(d.Args[i]).Bits }
	unsigned := func(i int) number { return c.view(arg(i), width(i), false) }
	signed := func(i int) number { return c.view(arg(i), width(i), true) }
	result := func(n number) bool { return s.set(v, integerValue(c.short(n))) }
	switch d.Op {
	case ir.Nondet:
		return s.set(v, c.arbitrary(d.Type))
	case ir.Freeze:
		return s.set(v, c.operand(s, d.Args[0]))
	case ir.Add:
		return result(c.add(arg(0), arg(1)))
	case ir.Sub:
		return result(c.sub(arg(0), arg(1)))
	case ir.Mul:
		return result(c.multiply(signed, unsigned, arg(0), arg(1)))
	case ir.Shl:
		k := unsigned(1)
		if !k.isConst() || k.low.Cmp(big.NewInt(int64(bits))) >= 0 {
			return s.set(v, c.arbitrary(d.Type))
		}
		return result(c.scale(arg(0), pow(uint32(k.low.Int64()))))
	case ir.LShr, ir.AShr:
		return s.set(v, c.shiftRight(d, arg, signed, unsigned))
	case ir.UDiv, ir.URem, ir.SDiv, ir.SRem:
		return c.divide(s, v, d)
	case ir.And, ir.Or, ir.Xor:
		return s.set(v, c.bitwise(d, arg, unsigned))
	case ir.Eq, ir.Ne:
		t := c.equality(s, d)
		if d.Op == ir.Ne {
			t = not(t)
		}
		return s.set(v, truthValue(t))
	case ir.ULt, ir.ULe, ir.SLt, ir.SLe:
		return s.set(v, truthValue(c.order(s, d, signed, unsigned)))
	case ir.SAddOvf, ir.SSubOvf, ir.SMulOvf, ir.UAddOvf, ir.USubOvf, ir.UMulOvf:
		return s.set(v, c.overflow(d, width(0), signed, unsigned))
	case ir.ZExt:
		return result(unsigned(0))
	case ir.SExt:
		if width(0) == 1 {
			return result(c.scale(unsigned(0), big.NewInt(-1)))
		}
		return result(signed(0))
	case ir.Trunc:
		return result(arg(0))
	case ir.Ctpop, ir.Ctlz, ir.Cttz:
		return s.set(v, integerValue(c.unknown("x", new(big.Int), big.NewInt(int64(bits)))))
	case ir.Bswap, ir.Bitreverse, ir.FShl, ir.FShr, ir.BitCast, ir.FAdd, ir.FSub, ir.FMul, ir.FDiv, ir.FRem, ir.FNeg, ir.FAbs,
		ir.FSqrt, ir.FMA, ir.FCopySign, ir.FMin, ir.FMax, ir.FRound, ir.FEq, ir.FLt, ir.FLe, ir.FUno, ir.FToSI, ir.FToUI,
		ir.SIToF, ir.UIToF, ir.FToF:
		return s.set(v, c.arbitrary(d.Type))
	}
	return c.memory(s, v, d)
}

// logic is an operation whose result is one bit; ok is false for those that step knows.
func (c *checkerState) logic(s *state, d *ir.Def) (x value, ok bool) {
	switch d.Op {
	case ir.And, ir.Mul:
		return truthValue(all([]string{c.truth(s, d.Args[0]), c.truth(s, d.Args[1])})), true
	case ir.Or:
		return truthValue(not(all([]string{not(c.truth(s, d.Args[0])), not(c.truth(s, d.Args[1]))}))), true
	case ir.Xor, ir.Add, ir.Sub:
		a, b := c.truth(s, d.Args[0]), c.truth(s, d.Args[1])
		switch {
		case b == "true":
			return truthValue(not(a)), true
		case b == "false":
			return truthValue(a), true
		}
		return truthValue("(not (= " + a + " " + b + "))"), true
	case ir.UDiv, ir.SDiv, ir.URem, ir.SRem, ir.Shl, ir.LShr, ir.AShr:
		return c.arbitrary(d.Type), true
	}
	return value{}, false
}

// equality compares pointers, truth values or integers.
func (c *checkerState) equality(s *state, d *ir.Def) string {
	switch t := s.top().f.Type(d.Args[0]); {
	case t.Kind == ir.Ptr:
		return c.pointersEqual(s, c.operand(s, d.Args[0]), c.operand(s, d.Args[1]))
	case t.Bits == 1:
		return "(= " + c.truth(s, d.Args[0]) + " " + c.truth(s, d.Args[1]) + ")"
	default:
		return c.equal(c.number(s, d.Args[0]), c.number(s, d.Args[1]), t.Bits)
	}
}

// order is a comparison by size.
func (c *checkerState) order(s *state, d *ir.Def, signed, unsigned func(int) number) string {
	if s.top().f.Type(d.Args[0]).Kind == ir.Ptr {
		return c.pointersOrdered(s, d)
	}
	a, b := unsigned(0), unsigned(1)
	if d.Op == ir.SLt || d.Op == ir.SLe {
		a, b = signed(0), signed(1)
	}
	if d.Op == ir.ULt || d.Op == ir.SLt {
		return below(a, b)
	}
	return atMost(a, b)
}

// overflow says whether the result of an operation is outside of a width.
func (c *checkerState) overflow(d *ir.Def, width uint32, signed, unsigned func(int) number) value {
	if width == 1 {
		return c.arbitrary(d.Type)
	}
	sign := d.Op == ir.SAddOvf || d.Op == ir.SSubOvf || d.Op == ir.SMulOvf
	a, b := unsigned(0), unsigned(1)
	if sign {
		a, b = signed(0), signed(1)
	}
	var n number
	switch d.Op {
	case ir.SAddOvf, ir.UAddOvf:
		n = c.add(a, b)
	case ir.SSubOvf, ir.USubOvf:
		n = c.sub(a, b)
	default:
		n = c.product(a, b)
	}
	low, high := bounds(width, sign)
	if n.within(low, high) {
		return truthValue("false")
	}
	return truthValue("(not (<= " + integer(low) + " " + n.t + " " + integer(high) + "))")
}

// equal is equality modulo 2^bits.
func (c *checkerState) equal(a, b number, bits uint32) string {
	d := c.sub(a, b)
	w := pow(bits)
	if d.low.CmpAbs(w) < 0 && d.high.CmpAbs(w) < 0 {
		return same(a, b)
	}
	return same(c.view(a, bits, false), c.view(b, bits, false))
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
		c.define(fmt.Sprintf("(and (>= %[1]s 0) (>= %[1]s %[2]s) (>= %[1]s (- %[2]s)))", r.t, x))
		return r
	}
	c.define(fmt.Sprintf("(and (=> (and (>= %[2]s 0) (>= %[3]s 1)) (>= %[1]s %[2]s)) (=> (and (>= %[2]s 1) (>= %[3]s 0)) (>= %[1]s %[3]s)))", r.t, x, y))
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
		c.define(fmt.Sprintf("(=> (and (< %s %d) (>= %s 0)) (and (<= 0 %s %s) (=> (>= %s 1) (<= (* 2 %s) %s))))", k.t, bits, a.t, r.t, a.t, k.t, r.t, a.t))
		return integerValue(r)
	}
	if k.low.Cmp(big.NewInt(int64(bits))) >= 0 {
		return c.arbitrary(d.Type)
	}
	w := pow(uint32(k.low.Int64()))
	q := c.unknown("q", new(big.Int).Div(a.low, w), new(big.Int).Div(a.high, w)) // Euclidean: floors
	r := c.unknown("r", new(big.Int), new(big.Int).Sub(w, one))
	c.define(fmt.Sprintf("(= %s (+ (* %s %s) %s))", a.t, w, q.t, r.t))
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
		over = all([]string{same(a, num(low)), same(b, small(-1))})
		ok = not(over)
	}
	outcomes := []outcome{
		{guard: not(all([]string{not(same(b, small0)), ok})), any: true},
		{guard: all([]string{atMost(num(one), b), atMost(small0, a)})},
	}
	if sign {
		outcomes = append(outcomes,
			outcome{guard: all([]string{atMost(num(one), b), below(a, small0)}), negA: true},
			outcome{guard: all([]string{below(b, small0), atMost(small0, a), ok}), negB: true},
			outcome{guard: all([]string{below(b, small0), below(a, small0), ok}), negA: true, negB: true})
	}
	minus := func(n number) number { return c.sub(small(0), n) }
	choice := c.branches()
	for i, o := range outcomes {
		choice.under(o.guard, i == len(outcomes)-1, func() {
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
		})
	}
	return true
}

// maxRuns bounds the runs of ones in masks that are exact.
const maxRuns = 3

// masked is a & mask, for a natural number a of some bits: for each run of ones, from bit low
// up to bit high of the mask, what a is modulo 2^high, less what it is modulo 2^low.
func (c *checkerState) masked(a number, mask *big.Int, bits uint32) (r number, ok bool) {
	modulo := func(n uint32) number { // 2^n
		if a.high.BitLen() <= int(n) {
			return a
		}
		_, r := c.quotient(a, num(pow(n)))
		return r
	}
	r = small(0)
	runs := 0
	for at := uint32(0); at < bits; {
		low := at
		for at < bits && mask.Bit(int(at)) == 1 {
			at++
		}
		if low == at {
			at++
			continue
		}
		if runs++; runs > maxRuns {
			return r, false
		}
		part := modulo(at)
		if low > 0 {
			part = c.sub(part, modulo(low))
			part.low, part.high = greatest(part.low, new(big.Int)), least(part.high, new(big.Int).Sub(pow(at), pow(low)))
		}
		r = c.add(r, part)
	}
	return r, true
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
		if r, ok := c.masked(a, b.low, bits); ok {
			return integerValue(r)
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
		c.define(fmt.Sprintf("(and (<= %[1]s %[2]s) (<= %[1]s %[3]s))", r.t, a.t, b.t))
	case ir.Or:
		c.define(fmt.Sprintf("(and (>= %[1]s %[2]s) (>= %[1]s %[3]s) (<= %[1]s (+ %[2]s %[3]s)))", r.t, a.t, b.t))
	default:
		c.define(fmt.Sprintf("(<= %s (+ %s %s))", r.t, a.t, b.t))
	}
	return integerValue(r)
}
