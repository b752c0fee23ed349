package integerize

// Division, shifts and bitwise logic as linear constraints where they have such a
// meaning, and as what follows from it where they have not; the latter after the
// rules of [Liu §3.3]. Over mathematical integers a bit-vector is infinite: the
// rules that do not need its width hold there, too.

import (
	"slices"

	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

var zero = linear.Int(0)

func formOf(n int64) linear.Form { return linear.Constant(linear.Int(n)) }

// signs throws a split over the sign of n.
func (t *translation) signs(s *state, n number) (nonNegative bool) {
	switch {
	case n.nonNegative():
		return true
	case n.negative():
		return false
	}
	plus, minus := linear.AtLeast(n.form, linear.Form{}), linear.AtMost(n.form, formOf(-1))
	switch p, m := t.feasible(s, plus), t.feasible(s, minus); {
	case !m:
		return true
	case !p:
		return false
	}
	panic(split{[]alternative{{[]linear.Constraint{plus}, nil}, {[]linear.Constraint{minus}, nil}}})
}

// floor is the quotient of n by a positive constant, rounded down, and the rest.
func (s *state) floor(n number, c linear.Number) (quotient, rest number) {
	if k, ok := n.value(); ok {
		q := k.Div(c).Floor()
		return constant(q), constant(k.Sub(c.Mul(q)))
	}
	r := n.interval
	if r.hasLo {
		r.lo = r.lo.Div(c).Floor()
	}
	if r.hasHi {
		r.hi = r.hi.Div(c).Floor()
	}
	for i := range s.divisions {
		if d := &s.divisions[i]; d.form.Equal(n.form) && d.by.Equal(c) {
			quotient = d.quotient
		}
	}
	if quotient.form.IsConstant() {
		quotient = s.fresh(r, false)
		rest := n.form.AddScaled(c.Neg(), quotient.form)
		s.about(quotient, between(zero, c.Add(linear.Int(-1))).constraints(rest)...)
		s.divisions = append(s.divisions[:len(s.divisions):len(s.divisions)], division{n.form, c, quotient})
	}
	rest = number{n.form.AddScaled(c.Neg(), quotient.form), between(zero, c.Add(linear.Int(-1)))}
	if n.nonNegative() && n.hasHi && n.hi.Cmp(rest.hi) < 0 {
		rest.hi = n.hi
	}
	return quotient, rest
}

// division remembers a quotient.
type division struct {
	form     linear.Form
	by       linear.Number
	quotient number
}

func (t *translation) divide(s *state, fr *frame, v ir.Value, d *ir.Def) number {
	isSigned := d.Op == ir.SDiv || d.Op == ir.SRem
	w := unsigned
	if isSigned {
		w = signed
	}
	remainder := d.Op == ir.URem || d.Op == ir.SRem
	a, b := t.in(s, fr, d.Args[0], w), t.in(s, fr, d.Args[1], w)
	pick := func(q, r number) number {
		if remainder {
			return r
		}
		return q
	}
	if isSigned && t.o.Semantics != Integers {
		// The least number by -1 overflows: the result wraps; here it is anything, inexactly.
		least := linear.Constant(limits(fr.fn.f.Type(v).Bits, signed).lo)
		if a.hasLo && a.lo.Equal(least.Const) && !b.nonNegative() {
			both := []linear.Constraint{linear.Equals(a.form, least), linear.Equals(b.form, formOf(-1))}
			if t.feasible(s, both...) {
				others := [][]linear.Constraint{{linear.Less(least, a.form)}, {linear.Less(b.form, formOf(-1))}, {linear.Less(formOf(-1), b.form)}}
				possible := slices.DeleteFunc(others, func(c []linear.Constraint) bool { return !t.feasible(s, c...) })
				if len(possible) == 0 {
					return t.unknown(s, fr, v, true)
				}
				alternatives := []alternative{{both, nil}}
				for _, c := range possible {
					alternatives = append(alternatives, alternative{c, nil})
				}
				panic(split{alternatives})
			}
		}
	}
	if c, ok := b.value(); ok && c.Sign() != 0 {
		flip := c.Sign() < 0
		c = c.Abs()
		if isSigned && !t.signs(s, a) { // rounds to zero
			q, r := s.floor(a.neg(), c)
			if !flip {
				q = q.neg()
			}
			return pick(q, r.neg())
		}
		if !isSigned && t.o.Semantics == Integers && !t.signs(s, a) {
			return t.unknown(s, fr, v, true)
		}
		q, r := s.floor(a, c)
		if flip {
			q = q.neg()
		}
		return pick(q, r)
	}
	// The divisor is not constant: its sign, and that it is not 0, are cases.
	if b.hasLo && b.hasHi && b.lo.IsZero() && b.hi.IsZero() {
		return t.unknown(s, fr, v, true)
	}
	positive := linear.AtLeast(b.form, formOf(1))
	if !(b.hasLo && b.lo.Sign() > 0) && !(b.hasHi && b.hi.Sign() < 0) {
		p, z, m := t.feasible(s, positive), t.feasible(s, linear.Equals(b.form, linear.Form{})), t.feasible(s, linear.AtMost(b.form, formOf(-1)))
		if p && !z && !m {
			b.lo, b.hasLo = linear.Int(1), true
		} else if !p && !z && m {
			b.hi, b.hasHi = linear.Int(-1), true
		} else if !p && z && !m {
			return t.unknown(s, fr, v, true) // arbitrary
		} else {
			panic(split{[]alternative{
				{[]linear.Constraint{positive}, nil},
				{[]linear.Constraint{linear.Equals(b.form, linear.Form{})}, nil},
				{[]linear.Constraint{linear.AtMost(b.form, formOf(-1))}, nil},
			}})
		}
	}
	flipB := b.hasHi && b.hi.Sign() < 0
	if flipB {
		b = b.neg()
	}
	flipA := !t.signs(s, a)
	if flipA {
		a = a.neg()
	}
	// Now 0 <= a and 1 <= b; a = q*b + r.
	b.interval = b.meet(interval{lo: linear.Int(1), hasLo: true})
	a.interval = a.meet(interval{hasLo: true})
	q := s.fresh(interval{hi: a.hi, hasLo: true, hasHi: a.hasHi}, false)
	p := s.product(q, b)
	rest := number{a.form.Sub(p.form), interval{hi: b.hi.Add(linear.Int(-1)), hasLo: true, hasHi: b.hasHi}}
	s.about(q, linear.AtLeast(rest.form, linear.Form{}), linear.Less(rest.form, b.form), linear.AtMost(q.form, a.form), linear.AtMost(p.form, a.form))
	if b.hasLo && b.lo.Cmp(linear.Int(2)) >= 0 {
		s.about(q, linear.AtMost(q.form.Scale(b.lo), a.form))
	}
	rest.interval = rest.meet(interval{hi: a.hi, hasHi: a.hasHi})
	if flipA != flipB {
		q = q.neg()
	}
	if flipA {
		rest = rest.neg()
	}
	return pick(q, rest)
}

func (t *translation) shift(s *state, fr *frame, v ir.Value, d *ir.Def) number {
	w := d.Type.Bits
	by, ok := t.in(s, fr, d.Args[1], unsigned).value()
	k, small := by.Int64()
	if ok && small && k >= 0 && k < int64(w) {
		switch d.Op {
		case ir.Shl:
			return t.multiply(s, t.eval(s, fr, d.Args[0]), constant(power(uint32(k))), w, fr.fn.viewOf(v))
		case ir.LShr:
			if a := t.in(s, fr, d.Args[0], unsigned); t.o.Semantics != Integers || t.signs(s, a) {
				q, _ := s.floor(a, power(uint32(k)))
				return q
			}
		case ir.AShr:
			q, _ := s.floor(t.in(s, fr, d.Args[0], signed), power(uint32(k)))
			return q
		}
		return t.unknown(s, fr, v, true)
	}
	if ok { // too far: arbitrary
		return t.unknown(s, fr, v, true)
	}
	amount := t.in(s, fr, d.Args[1], unsigned)
	// A shift by an amount within the width; else the result is arbitrary.
	if d.Op != ir.Shl && t.o.Semantics != Integers {
		in := linear.AtMost(amount.form, formOf(int64(w)-1))
		if !(amount.hasHi && amount.hi.Cmp(linear.Int(int64(w)-1)) <= 0) && t.feasible(s, in.Negate()) {
			if !t.feasible(s, in) {
				return t.unknown(s, fr, v, true)
			}
			panic(split{[]alternative{{[]linear.Constraint{in}, nil}, {[]linear.Constraint{in.Negate()}, nil}}})
		}
		view := unsigned
		if d.Op == ir.AShr {
			view = signed
		}
		a := t.in(s, fr, d.Args[0], view)
		if t.signs(s, a) {
			n := s.fresh(interval{hi: a.hi, hasLo: true, hasHi: a.hasHi}, true)
			s.about(n, linear.AtMost(n.form, a.form))
			// Shifted by at least one place, or not at all.
			some := linear.AtLeast(amount.form, formOf(1))
			if !t.feasible(s, some.Negate()) {
				s.about(n, linear.AtMost(n.form.Scale(linear.Int(2)), a.form))
			}
			return n
		}
		n := s.fresh(interval{lo: a.lo, hi: linear.Int(-1), hasLo: a.hasLo, hasHi: true}, true)
		s.about(n, linear.AtLeast(n.form, a.form))
		return n
	}
	return t.unknown(s, fr, v, true)
}

// mask is the number of low bits of a constant 2^k-1, if it is one.
func mask(c linear.Number) (k uint32, ok bool) {
	n := c.BigInt()
	if !c.IsInt() || n.Sign() <= 0 {
		return 0, false
	}
	k = uint32(n.BitLen())
	return k, power(k).Add(linear.Int(-1)).Equal(c)
}

func (t *translation) logic(s *state, fr *frame, v ir.Value, d *ir.Def) number {
	w := d.Type.Bits
	x, y := d.Args[0], d.Args[1]
	if fr.fn.f.Def(x).Op == ir.Const {
		x, y = y, x
	}
	if c := fr.fn.f.Def(y); c.Op == ir.Const {
		k := c.Const
		switch d.Op {
		case ir.Xor:
			if k.IsOnes() {
				return t.eval(s, fr, x).neg().add(constant(linear.Int(-1)))
			}
		case ir.And:
			if bitsOf, ok := mask(linear.FromBigInt(k.Unsigned())); ok && (bitsOf < w || t.o.Semantics != Integers) {
				if bitsOf == w {
					return t.eval(s, fr, x)
				}
				_, r := s.floor(t.eval(s, fr, x), power(bitsOf))
				return r
			}
			// All but the low bits.
			if low, ok := mask(linear.FromBigInt(k.Signed()).Neg().Add(linear.Int(-1))); ok {
				a := t.eval(s, fr, x)
				_, r := s.floor(a, power(low))
				return a.sub(r)
			}
			// One bit 2^k: (x >> k) % 2 << k.
			if n := k.Unsigned(); n.Sign() > 0 && n.TrailingZeroBits() == uint(n.BitLen()-1) && uint32(n.BitLen()) < w {
				at := uint32(n.TrailingZeroBits())
				q, _ := s.floor(t.eval(s, fr, x), power(at))
				_, bit := s.floor(q, linear.Int(2))
				return bit.scale(power(at))
			}
		case ir.Or:
			// Setting one bit, or the low bits, adds what is missing.
			if low, ok := mask(linear.FromBigInt(k.Unsigned())); ok && low < w {
				a := t.eval(s, fr, x)
				_, r := s.floor(a, power(low))
				return a.sub(r).add(constant(power(low).Add(linear.Int(-1))))
			}
			if n := k.Unsigned(); n.Sign() > 0 && n.TrailingZeroBits() == uint(n.BitLen()-1) && uint32(n.BitLen()) < w {
				at := uint32(n.TrailingZeroBits())
				a := t.eval(s, fr, x)
				q, _ := s.floor(a, power(at))
				_, bit := s.floor(q, linear.Int(2))
				return a.sub(bit.scale(power(at))).add(constant(power(at)))
			}
		}
	}
	// x & y as a number c with what is known of it; x | y = x + y - c, and
	// x ^ y = x + y - 2c.
	mine := fr.fn.viewOf(v)
	a, b := t.in(s, fr, x, mine), t.in(s, fr, y, mine)
	if a.form.Equal(b.form) {
		if d.Op == ir.Xor {
			return constant(zero)
		}
		return a
	}
	c := t.conjunction(s, fr, a, b, x, y)
	switch d.Op {
	case ir.Or:
		return bounded(s, a.add(b).sub(c), a, b, c)
	case ir.Xor:
		return bounded(s, a.add(b).sub(c.scale(linear.Int(2))), a, b, c)
	}
	return c
}

// bounded gives x | y (or x ^ y) its range if the operands are not negative.
func bounded(s *state, n, a, b, c number) number {
	if a.nonNegative() && b.nonNegative() && a.hasHi && b.hasHi {
		top := max(a.hi.BigInt().BitLen(), b.hi.BigInt().BitLen())
		n.interval = n.meet(between(zero, power(uint32(top)).Add(linear.Int(-1))))
		if _, ok := c.form.IsVariable(); ok {
			s.about(c, n.constraints(n.form)...)
		}
	}
	return n
}

// conjunction is a & b, both in the same view. Bits that never are 1 in both make
// it 0.
func (t *translation) conjunction(s *state, fr *frame, a, b number, x, y ir.Value) number {
	if t.o.Semantics != Integers {
		f, ok1 := t.fact(fr, x)
		g, ok2 := t.fact(fr, y)
		if ok1 && ok2 {
			p, q := f.Int(), g.Int()
			if !p.IsWide() && !q.IsWide() && p.Zeros|q.Zeros == 1<<p.Width-1 && p.Width < 64 {
				return constant(zero)
			}
		}
	}
	for _, c := range s.ands {
		if c.a.Equal(a.form) && c.b.Equal(b.form) || c.a.Equal(b.form) && c.b.Equal(a.form) {
			return c.and
		}
	}
	na, nb := t.signs(s, a), t.signs(s, b)
	r := interval{}
	switch {
	case na || nb:
		r.hasLo = true
		if na && a.hasHi {
			r = r.meet(interval{hi: a.hi, hasHi: true})
		}
		if nb && b.hasHi {
			r = r.meet(interval{hi: b.hi, hasHi: true})
		}
	default:
		r.hi, r.hasHi = linear.Int(-1), true
		if a.hasLo && b.hasLo {
			var k uint32
			for _, n := range []linear.Number{a.lo, b.lo} {
				k = max(k, uint32(n.Neg().Add(linear.Int(-1)).BigInt().BitLen()))
			}
			r.lo, r.hasLo = power(k).Neg(), true
		}
	}
	n := s.fresh(r, true)
	if na || !nb {
		s.about(n, linear.AtMost(n.form, a.form))
	}
	if nb || !na {
		s.about(n, linear.AtMost(n.form, b.form))
	}
	if na == nb { // a + b - c = a | b
		or := a.form.Add(b.form).Sub(n.form)
		if na {
			// a | b >= a, b follows from c <= a, b
		} else {
			s.about(n, linear.AtMost(or, formOf(-1)))
		}
	} else {
		s.about(n, linear.AtMost(a.form.Add(b.form).Sub(n.form), formOf(-1)))
	}
	if na && !nb || nb && !na {
		// The negative one has its high bits set: the conjunction loses less than
		// what the complement of the negative one is.
		p, m := a, b
		if nb {
			p, m = b, a
		}
		// p - c = p & ~m <= ~m = -m-1
		s.about(n, linear.AtMost(p.form.Sub(n.form), m.form.Neg().Plus(linear.Int(-1))))
	}
	// x & (x-1) is less than x, and x & (x+1) likewise.
	if diff := a.form.Sub(b.form); diff.IsConstant() && diff.Const.Abs().IsOne() && na && nb {
		lo := a
		if diff.Const.Sign() > 0 {
			lo = b
		}
		// Consecutive numbers differ in the lowest bit, which is 0 in both: the smaller
		// bounds it, and it is even.
		s.about(n, linear.AtMost(n.form, lo.form))
		half := s.fresh(interval{}, true)
		s.about(half, linear.Equals(n.form, half.form.Scale(linear.Int(2))))
		v, _ := n.form.IsVariable()
		s.temps[v-tempBase].with = append(s.temps[v-tempBase].with, half.form)
	}
	s.ands = append(s.ands[:len(s.ands):len(s.ands)], bitwiseAnd{a.form, b.form, n})
	return n
}

// bitwiseAnd remembers a bitwise and.
type bitwiseAnd struct {
	a, b linear.Form
	and  number
}
