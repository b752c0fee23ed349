package invariant

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"assay/internal/logic/bv"
)

// This file holds predicates about floating-point numbers: intervals and order.
// They are about the position of a number in the order of those of its format: 0 for the zeros of both signs, 1 for the least positive number, and so on
// up to infinity; the opposite for negative numbers. No relation holds of a NaN. So
// "x is no NaN, and x <= 1.5" is a bound of one summand, in which bisection is
// that of integers; and the order of two numbers is that of their positions.
//
//	x <= Bound, -x <= Bound     with the position of a number as the bound
//	x - y <= 0, x - y <= -1     x <= y, x < y, for numbers of one format

// Order says that the sum of the positions of one or two floats is at most Bound.
type Order struct {
	Terms []Term // all of them floats
	Bound *big.Int
}

// Each calls f for the floats.
func (p Order) Each(f func(Term)) {
	for _, t := range p.Terms {
		f(t)
	}
}

// IllFormed says what is wrong with the order, if anything is.
func (p Order) IllFormed() string {
	wrong := "a predicate about floats is no bound and no order"
	if len(p.Terms) == 0 || len(p.Terms) > 2 || p.Bound == nil {
		return wrong
	}
	x := p.Terms[0]
	for _, t := range p.Terms {
		if !t.Float || t.Bits != x.Bits || t.Bits != 16 && t.Bits != 32 && t.Bits != 64 || t.Coeff != 1 && t.Coeff != -1 {
			return wrong
		}
	}
	if len(p.Terms) == 1 {
		if p.Bound.CmpAbs(big.NewInt(Infinity(x.Bits))) > 0 {
			return wrong
		}
	} else if x.Coeff == p.Terms[1].Coeff || p.Bound.Sign() != 0 && p.Bound.Cmp(big.NewInt(-1)) != 0 {
		return wrong
	}
	return ""
}

// Ordered are the indices of the terms in x <= y, or in x < y if strict; that of a bound is -1.
func (p Order) Ordered() (x, y int, strict bool) {
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
func (p Order) FloatBound() bv.BV {
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

// Text is the order in the syntax of C.
func (p Order) Text(name func(Term) string) string {
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
