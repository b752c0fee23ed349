package invariant

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"assay/internal/bv"
)

// This file holds predicates about floating-point numbers: intervals and order.
// A summand with Float set is the position of the number in the order of those of
// its format: 0 for the zeros of both signs, 1 for the least positive number, and so on
// up to infinity; the opposite for negative numbers. No relation holds of a NaN. So
// "x is no NaN, and x <= 1.5" is a bound of one summand, in which bisection is
// that of integers; and the order of two numbers is that of their positions.
//
// Of Float summands there is nothing but that:
//
//	 x <= Bound, -x <= Bound     with the position of a number as the bound
//	 x - y <= 0, x - y <= -1     x <= y, x < y, for numbers of one format

// FloatForm says whether a predicate without its conditions has one of these
// forms, if it has summands that are floats.
func (p *Predicate) FloatForm() bool {
	some := false
	for _, t := range p.Terms {
		some = some || t.Float
	}
	if !some {
		return true
	}
	x := p.Terms[0]
	switch {
	case p.Relation != AtMost || p.Range != nil || x.Bits != 16 && x.Bits != 32 && x.Bits != 64:
		return false
	case len(p.Terms) == 1:
		return (x.Coeff == 1 || x.Coeff == -1) && p.Bound.CmpAbs(big.NewInt(Infinity(x.Bits))) <= 0
	case len(p.Terms) == 2:
		y := p.Terms[1]
		return x.Float && y.Float && x.Bits == y.Bits && x.Coeff*y.Coeff == -1 && (p.Bound.Sign() == 0 || p.Bound.Cmp(big.NewInt(-1)) == 0)
	}
	return false
}

// IsFloat says that the predicate, without its conditions, is about floats.
func (p *Predicate) IsFloat() bool { return len(p.Terms) > 0 && p.Terms[0].Float }

// Ordered are the sides of x <= y, or of x < y if strict; the side of a bound is -1.
func (p *Predicate) Ordered() (x, y int, strict bool) {
	x, y = 0, -1
	if len(p.Terms) == 2 {
		y, strict = 1, p.Bound.Sign() < 0
	}
	if p.Terms[0].Coeff < 0 {
		x, y = y, x
	}
	return x, y, strict
}

// FloatBound is the number with which the summand of a bound is compared.
func (p *Predicate) FloatBound() bv.BV {
	n := p.Bound.Int64()
	if p.Terms[0].Coeff < 0 {
		n = -n
	}
	return FloatAt(p.Terms[0].Bits, n)
}

// Infinity is the position of infinity in a format of 16, 32 or 64 bits.
func Infinity(bits uint32) int64 {
	switch bits {
	case 16:
		return 0x1f << 10
	case 32:
		return 0xff << 23
	}
	return 0x7ff << 52
}

// Position is that of a float; it is greater than that of infinity, in absolute
// value, if it is a NaN.
func Position(x bv.BV) int64 {
	n := int64(x.Uint64() &^ (1 << (x.Width() - 1)))
	if x.Bit(x.Width() - 1) {
		return -n
	}
	return n
}

// FloatAt is the float at a position; of the zeros it is the positive one.
func FloatAt(bits uint32, n int64) bv.BV {
	if n < 0 {
		return bv.New(bits, uint64(-n)|1<<(bits-1))
	}
	return bv.New(bits, uint64(n))
}

// holdsFloats evaluates a predicate that is about floats.
func (p *Predicate) holdsFloats(value func(Term) bv.BV) bool {
	sum := new(big.Int)
	for _, t := range p.Terms {
		n := Position(value(t))
		if n > Infinity(t.Bits) || -n > Infinity(t.Bits) {
			return false
		}
		sum.Add(sum, new(big.Int).Mul(big.NewInt(t.Coeff), big.NewInt(n)))
	}
	return p.Compare(sum)
}

// floatText is a predicate about floats in the syntax of C.
func (p *Predicate) floatText(name func(Term) string) string {
	x, y, strict := p.Ordered()
	switch {
	case y < 0:
		return fmt.Sprintf("%s <= %s", name(p.Terms[x]), FloatText(p.FloatBound()))
	case x < 0:
		return fmt.Sprintf("%s >= %s", name(p.Terms[y]), FloatText(p.FloatBound()))
	case strict:
		return fmt.Sprintf("%s < %s", name(p.Terms[x]), name(p.Terms[y]))
	}
	return fmt.Sprintf("%s <= %s", name(p.Terms[x]), name(p.Terms[y]))
}

// FloatText is a number in the syntax of C: the shortest decimal that rounds to it.
func FloatText(x bv.BV) string {
	size, suffix := 64, ""
	var v float64
	switch x.Width() {
	case 32:
		v, size, suffix = float64(math.Float32frombits(uint32(x.Uint64()))), 32, "f"
	case 64:
		v = math.Float64frombits(x.Uint64())
	default:
		e, m := int(x.Uint64()>>10&0x1f), float64(x.Uint64()&0x3ff)
		switch {
		case e == 0x1f:
			v = math.Inf(1)
		case e == 0:
			v = math.Ldexp(m, -24)
		default:
			v = math.Ldexp(m+1024, e-25)
		}
		if x.Bit(15) {
			v = -v
		}
	}
	switch {
	case v != v:
		return "NAN"
	case math.IsInf(v, 1):
		return "INFINITY"
	case math.IsInf(v, -1):
		return "-INFINITY"
	}
	s := strconv.FormatFloat(v, 'g', -1, size)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s + suffix
}
