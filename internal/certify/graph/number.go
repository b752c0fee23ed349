package graph

import (
	"fmt"
	"math/big"
)

// number is a term over the integers and an interval in which it is.
type number struct {
	t         string
	low, high *big.Int
}

var one = big.NewInt(1)

func pow(n uint32) *big.Int { return new(big.Int).Lsh(one, uint(n)) }

func num(n *big.Int) number { return number{integer(n), n, n} }

func small(n int64) number { return num(big.NewInt(n)) }

func (a number) isConst() bool { return a.low.Cmp(a.high) == 0 }

func bounds(bits uint32, signed bool) (low, high *big.Int) {
	if signed {
		h := pow(bits - 1)
		return new(big.Int).Neg(h), new(big.Int).Sub(h, one)
	}
	return new(big.Int), new(big.Int).Sub(pow(bits), one)
}

func (a number) within(low, high *big.Int) bool {
	return a.low.Cmp(low) >= 0 && a.high.Cmp(high) <= 0
}

// short gives a long term a name.
func (c *checkerState) short(a number) number {
	if a.isConst() {
		return num(a.low)
	}
	if len(a.t) > 80 {
		named, _ := c.scopes.once("short "+a.t, func() (number, number) {
			n := c.name("t")
			c.say("(declare-const %s Int)\n(assert (= %s %s))\n", n, n, a.t)
			return number{t: n}, number{}
		})
		a.t = named.t
	}
	return a
}

func (c *checkerState) add(a, b number) number {
	low, high := new(big.Int).Add(a.low, b.low), new(big.Int).Add(a.high, b.high)
	if b.isConst() && b.low.Sign() == 0 {
		return a
	}
	if a.isConst() && a.low.Sign() == 0 {
		return b
	}
	return c.short(number{"(+ " + a.t + " " + b.t + ")", low, high})
}

func (c *checkerState) sub(a, b number) number {
	if b.isConst() && b.low.Sign() == 0 {
		return a
	}
	low, high := new(big.Int).Sub(a.low, b.high), new(big.Int).Sub(a.high, b.low)
	return c.short(number{"(- " + a.t + " " + b.t + ")", low, high})
}

func (c *checkerState) scale(a number, k *big.Int) number {
	low, high := new(big.Int).Mul(a.low, k), new(big.Int).Mul(a.high, k)
	if k.Sign() < 0 {
		low, high = high, low
	}
	if k.Cmp(one) == 0 {
		return a
	}
	return c.short(number{"(* " + integer(k) + " " + a.t + ")", low, high})
}

// view is the value as a signed or unsigned integer of that many bits.
func (c *checkerState) view(a number, bits uint32, signed bool) number {
	low, high := bounds(bits, signed)
	return c.wrap(a, bits, low, high)
}

// wrap adds the multiple of 2^bits to a that brings it between low and high.
func (c *checkerState) wrap(a number, bits uint32, low, high *big.Int) number {
	if a.within(low, high) {
		return a
	}
	w := pow(bits)
	rounds := func(n *big.Int) *big.Int { // floor((n-low)/w)
		d := new(big.Int).Sub(n, low)
		return d.Div(d, w) // Euclidean: w is positive
	}
	first, last := rounds(a.low), rounds(a.high)
	if first.Cmp(last) == 0 {
		return c.sub(a, num(new(big.Int).Mul(first, w)))
	}
	r, _ := c.scopes.once(fmt.Sprintf("wrap %d %s %s", bits, low, a.t), func() (number, number) {
		k := c.unknown("k", first, last)
		r := c.unknown("w", low, high)
		c.define(fmt.Sprintf("(= %s (- %s (* %s %s)))", r.t, a.t, w, k.t))
		return r, k
	})
	return r
}

// same, atMost and below compare two integers, without Z3 where their intervals say enough.
func same(a, b number) string {
	switch {
	case a.t == b.t || a.isConst() && b.isConst() && a.low.Cmp(b.low) == 0:
		return "true"
	case a.high.Cmp(b.low) < 0 || b.high.Cmp(a.low) < 0:
		return "false"
	}
	return "(= " + a.t + " " + b.t + ")"
}

func atMost(a, b number) string {
	switch {
	case a.t == b.t || a.high.Cmp(b.low) <= 0:
		return "true"
	case a.low.Cmp(b.high) > 0:
		return "false"
	}
	return "(<= " + a.t + " " + b.t + ")"
}

func below(a, b number) string { return not(atMost(b, a)) }

// least and greatest narrow an interval.
func least(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

func greatest(a, b *big.Int) *big.Int {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}

// quotient divides a >= 0 by b >= 1: both are assumed to hold.
func (c *checkerState) quotient(a, b number) (q, r number) {
	return c.scopes.once("quotient "+a.t+" "+b.t, func() (number, number) { return c.newQuotient(a, b) })
}

func (c *checkerState) newQuotient(a, b number) (q, r number) {
	zero := new(big.Int)
	q = c.unknown("q", zero, greatest(a.high, zero))
	r = c.unknown("r", zero, greatest(new(big.Int).Sub(b.high, one), zero))
	if b.isConst() {
		c.define(fmt.Sprintf("(= %s (+ (* %s %s) %s))", a.t, b.t, q.t, r.t))
		return q, r
	}
	// Consequences of a = q·b + r with b >= 1, without the product.
	c.define(fmt.Sprintf("(and (<= %[1]s %[2]s) (<= %[3]s %[2]s) (< %[3]s %[4]s) (=> (< %[2]s %[4]s) (and (= %[1]s 0) (= %[3]s %[2]s))) (=> (>= %[4]s 2) (<= (* 2 %[1]s) %[2]s)))",
		q.t, a.t, r.t, b.t))
	return q, r
}
