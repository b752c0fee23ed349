package term

import (
	"math/big"

	"assay/internal/logic/bv"
)

// This file recognises divisions by constants that a compiler has made products and shifts
// [GranlundMontgomery94]: the quotient x/d of an n bit number is floor(x*M / 2^s) for an M a little
// greater than 2^s/d. Solvers see in the product no quotient, and so not that x - d*(x/d) is less than d.
//
//	(M1) unsigned [Theorem 4.2]: 0 <= M*d - 2^s <= 2^(s-n) implies floor(x*M / 2^s) = UDiv(x, d), 0 <= x < 2^n.
//	(M2) signed [Theorem 5.1]: 0 < M*d - 2^s <= 2^(s-n+1) implies floor(x*M / 2^s) = SDiv(x, d) - (x < 0),
//	     -2^(n-1) <= x < 2^(n-1).
//
// Products are of a width in which they do not wrap. Where M has more than n bits, compilers multiply by M - 2^n and add
// x to the high half; unsigned, where the sum would wrap, they add half of the difference. A shift by a constant
// is an Extract here (rewrite_shift.go).

func magicRules() []rule {
	return []rule{
		{OpExtract, "quotient", extractQuotient},
		{OpExtract, "quotient-sum", both2(extractQuotientSum)},
		{OpExtract, "quotient-half", both2(extractQuotientHalf)},
		{OpSExt, "quotient", sextQuotient},
		{OpAdd, "sign", both(addSign)},
		{OpAdd, "remainder", both(addRemainder)},
	}
}

// both2 tries a rule on an Extract of a sum in both orders of the summands.
func both2(f func(s *Store, n node, a, b ID) ID) func(*Store, node) ID {
	return func(s *Store, n node) ID {
		if !s.is(n.args[0], OpAdd) {
			return 0
		}
		a, b := s.arg(n.args[0], 0), s.arg(n.args[0], 1)
		if r := f(s, n, a, b); r != 0 {
			return r
		}
		return f(s, n, b, a)
	}
}

// scaled is a product of an extended number and a constant.
type scaled struct {
	x       ID
	bits    uint32 // of x
	factor  *big.Int
	signed  bool
	product uint32 // the width
}

// scaled is t as such a product, if it does not wrap. An unsigned factor is one of the width of the product less
// that of the number; a signed one may be negative.
func (s *Store) scaled(t ID) (p scaled, ok bool) {
	if !s.is(t, OpMul) || !s.IsConst(s.arg(t, 1)) {
		return p, false
	}
	e, k := s.arg(t, 0), s.ConstValue(s.arg(t, 1))
	p.product = s.Width(t)
	switch {
	case s.is(e, OpZExt):
		p.x, p.factor = s.arg(e, 0), k.Unsigned()
	case s.is(e, OpSExt):
		p.x, p.factor, p.signed = s.arg(e, 0), k.Signed(), true
	default:
		return p, false
	}
	p.bits = s.Width(p.x)
	return p, p.bits > 1 && p.bits+uint32(p.factor.BitLen()) <= p.product
}

// divisor is d for which the factor and a shift by k bits are that of (M1) or (M2); nil if there is none.
func (p *scaled) divisor(factor *big.Int, k uint32) *big.Int {
	n := p.bits
	if factor.Sign() <= 0 || k < n {
		return nil
	}
	one := big.NewInt(1)
	power := new(big.Int).Lsh(one, uint(k))
	d := new(big.Int).Div(power, factor)
	d.Add(d, one) // M*d > 2^s; where it is equal, M is a power of two, and the product a shift
	slack := new(big.Int).Lsh(one, uint(k-n))
	most := uint(n)
	if p.signed {
		slack.Lsh(slack, 1)
		most--
	}
	over := new(big.Int).Mul(factor, d)
	over.Sub(over, power)
	if over.Cmp(slack) > 0 || d.BitLen() > int(most) || d.Cmp(one) <= 0 {
		return nil
	}
	return d
}

// quotient is floor(x / d) or, signed, what (M2) says, of the width w: its low bits, or extended.
func (s *Store) quotient(p *scaled, d *big.Int, w uint32) ID {
	by := s.Const(bv.FromBig(p.bits, d))
	var q ID
	if p.signed {
		q = s.Add(s.SDiv(p.x, by), s.SExt(s.Extract(p.x, p.bits-1, p.bits-1), p.bits))
	} else {
		q = s.UDiv(p.x, by)
	}
	switch {
	case w <= p.bits:
		return s.Extract(q, w-1, 0)
	case p.signed:
		return s.SExt(q, w)
	}
	return s.ZExt(q, w)
}

// short says that the Extract n of a term of w bits has the quotient of p in fewer bits than its number has: they are left to
// the extension that follows (sextQuotient), for what is added to the quotient then is not in these bits.
func (s *Store) short(n node, p *scaled, w uint32) bool {
	return p.signed && s.within(n) == w-1 && s.sorts[n.sort].Width < p.bits
}

// match: high part of ZExt(x) * M, SExt(x) * M, as in (M1), (M2); the sign of SExt(x) * M with M > 0
// result: UDiv(x, d), SDiv(x, d) + SExt(sign of x); the sign of x
func extractQuotient(s *Store, n node) ID {
	p, ok := s.scaled(n.args[0])
	if !ok || n.aux == 0 {
		return 0
	}
	w := s.sorts[n.sort].Width
	if n.aux == p.product-1 && p.signed && p.factor.Sign() > 0 {
		return s.Extract(p.x, p.bits-1, p.bits-1) // 0 has the sign of its products, too
	}
	if d := p.divisor(p.factor, n.aux); d != nil && !s.short(n, &p, p.product) {
		return s.quotient(&p, d, w)
	}
	return 0
}

// match: SExt of what extractQuotient and extractQuotientSum leave
// result: SDiv(x, d) + SExt(sign of x)
func sextQuotient(s *Store, n node) ID {
	e := s.nodes[n.args[0]]
	if e.op != OpExtract || e.aux == 0 {
		return 0
	}
	w := s.sorts[n.sort].Width
	if p, ok := s.scaled(e.args[0]); ok && s.short(e, &p, p.product) {
		if d := p.divisor(p.factor, e.aux); d != nil {
			return s.quotient(&p, d, w)
		}
	}
	if !s.is(e.args[0], OpAdd) {
		return 0
	}
	a, b := s.arg(e.args[0], 0), s.arg(e.args[0], 1)
	for range 2 {
		if p, d := s.quotientSum(a, b, e.aux); d != nil && s.short(e, p, p.bits) {
			return s.quotient(p, d, w)
		}
		a, b = b, a
	}
	return 0
}

// high is t as the product of which it is the high half, of as many bits as its number has.
func (s *Store) high(t ID) (p scaled, ok bool) {
	if !s.is(t, OpExtract) {
		return p, false
	}
	p, ok = s.scaled(s.arg(t, 0))
	return p, ok && s.Width(t) == p.bits && s.nodes[t].aux == p.bits
}

// quotientSum is the divisor of a shift of h + x by k, where h is the high half of SExt(x) * M, M negative, and M + 2^n as in (M2); nil if it is
// no such sum.
func (s *Store) quotientSum(h, x ID, k uint32) (*scaled, *big.Int) {
	p, ok := s.high(h)
	if !ok || k == 0 || !p.signed || p.x != x || p.factor.Sign() >= 0 {
		return nil, nil
	}
	m := new(big.Int).Lsh(big.NewInt(1), uint(p.bits))
	return &p, p.divisor(m.Add(m, p.factor), p.bits+k)
}

// match: high part of h + x, as quotientSum says
// result: SDiv(x, d) + SExt(sign of x)
func extractQuotientSum(s *Store, n node, h, x ID) ID {
	if p, d := s.quotientSum(h, x, n.aux); d != nil && !s.short(n, p, p.bits) {
		return s.quotient(p, d, s.sorts[n.sort].Width)
	}
	return 0
}

// match: high part of h + ZExt(high part of x - h), of all bits but the last; h is the high half of ZExt(x) * M; M + 2^n as in (M1)
// result: UDiv(x, d)
func extractQuotientHalf(s *Store, n node, h, half ID) ID {
	p, ok := s.high(h)
	if !ok || p.signed || !s.is(half, OpZExt) {
		return 0
	}
	e := s.arg(half, 0)
	if !s.is(e, OpExtract) || s.nodes[e].aux != 1 || s.Width(e) != p.bits-1 || s.arg(e, 0) != s.Sub(p.x, h) {
		return 0
	}
	// h + floor((x-h)/2) is floor((x+h)/2), and does not wrap, for h <= x.
	m := new(big.Int).Lsh(big.NewInt(1), uint(p.bits))
	if d := p.divisor(m.Add(m, p.factor), p.bits+1+n.aux); d != nil {
		return s.quotient(&p, d, s.sorts[n.sort].Width)
	}
	return 0
}

// match: SExt(b) + ZExt(b), (x + SExt(b)) + ZExt(b), (x + ZExt(b)) + SExt(b), for a bit b
// result: 0, x, x
func addSign(s *Store, a, b ID) ID {
	extended := func(t ID) bool { return (s.is(t, OpZExt) || s.is(t, OpSExt)) && s.Width(s.arg(t, 0)) == 1 }
	opposite := func(t, u ID) bool {
		return extended(t) && extended(u) && s.nodes[t].op != s.nodes[u].op && s.arg(t, 0) == s.arg(u, 0)
	}
	switch {
	case !extended(b):
		return 0
	case opposite(a, b):
		return s.zero(s.Width(a))
	case s.is(a, OpAdd) && opposite(s.arg(a, 0), b):
		return s.arg(a, 1)
	case s.is(a, OpAdd) && opposite(s.arg(a, 1), b):
		return s.arg(a, 0)
	}
	return 0
}

// match: x - d*UDiv(x, d), x - d*SDiv(x, d), however the product is written; quotients that are extended
// result: URem(x, d), SRem(x, d)
func addRemainder(s *Store, x, product ID) ID {
	w := s.Width(x)
	if w > 64 {
		return 0
	}
	q, c, ok := s.multiple(product, maxMultiple)
	if !ok || s.Width(q) != w {
		return 0
	}
	inner, extend := q, OpExtract
	if s.is(q, OpZExt) || s.is(q, OpSExt) {
		inner, extend = s.arg(q, 0), s.nodes[q].op
	}
	y, by := s.arg(inner, 0), s.arg(inner, 1)
	k := s.ConstValue(by)
	divide, remain := s.nodes[inner].op, OpURem
	d := k.Unsigned()
	if divide == OpSDiv {
		remain, d = OpSRem, k.Signed()
	}
	switch {
	case d.Sign() <= 0 || new(big.Int).SetUint64(-c&ones(w)).Cmp(d) != 0:
		return 0
	case extend != OpExtract && (divide == OpUDiv) != (extend == OpZExt):
		return 0
	case extend != OpExtract && s.extend(extend, y, w) != x, extend == OpExtract && y != x:
		return 0
	case extend != OpExtract:
		return s.extend(extend, s.apply2(remain, y, by), w)
	}
	return s.apply2(remain, x, by)
}

func (s *Store) apply2(op Op, x, y ID) ID {
	if op == OpSRem {
		return s.SRem(x, y)
	}
	return s.URem(x, y)
}

// maxMultiple bounds how deep multiples are nested.
const maxMultiple = 8

// multiple is a quotient by a constant, and a factor c: modulo 2^v, v the width of t, t is c times the quotient.
func (s *Store) multiple(t ID, depth int) (q ID, c uint64, ok bool) {
	if depth == 0 {
		return 0, 0, false
	}
	n := s.nodes[t]
	switch n.op {
	case OpUDiv, OpSDiv:
		return t, 1, s.IsConst(n.args[1])
	case OpZExt, OpSExt:
		x := s.nodes[n.args[0]]
		return t, 1, (x.op == OpUDiv || x.op == OpSDiv) && s.IsConst(x.args[1])
	case OpExtract:
		if n.aux != 0 {
			return 0, 0, false
		}
		return s.multiple(n.args[0], depth-1)
	case OpNeg:
		q, c, ok = s.multiple(n.args[0], depth-1)
		return q, -c, ok
	case OpMul:
		k, isConst := s.ConstUint64(n.args[1])
		if !isConst {
			return 0, 0, false
		}
		q, c, ok = s.multiple(n.args[0], depth-1)
		return q, c * k, ok
	case OpConcat: // a shift to the left
		low := s.Width(n.args[1])
		if !s.isZero(n.args[1]) || low > 63 {
			return 0, 0, false
		}
		q, c, ok = s.multiple(n.args[0], depth-1)
		return q, c << low, ok
	case OpAdd:
		q, c, ok = s.multiple(n.args[0], depth-1)
		if !ok {
			return 0, 0, false
		}
		r, e, ok := s.multiple(n.args[1], depth-1)
		return q, c + e, ok && q == r
	}
	return 0, 0, false
}
