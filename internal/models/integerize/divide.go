package integerize

// Division as linear constraints where it has such a meaning, and as what follows from
// it where it has not.

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
	if q := n.scale(linear.Int(1).Div(c)); q.form.IsIntegral() {
		return q, constant(zero)
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
