// Package linear is exact linear arithmetic over the rationals and integers:
// numbers, linear forms and constraints, a simplex solver that is incremental
// and explains what it refutes, and Farkas' lemma as a program whose unknowns
// are coefficients. It knows nothing of programs.
package linear

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// Number is a rational number; the zero value is 0. It is immutable. Fractions
// of 64-bit integers, almost all that occur, are kept without a pointer.
type Number struct {
	n int64
	d int64    // > 1, or 0 for an integer
	b *big.Rat // if it fits no fraction of 64-bit integers
}

// Int is the number n.
func Int(n int64) Number { return Number{n: n} }

// Fraction is n/d; d must not be 0.
func Fraction(n, d int64) Number {
	return Int(n).Div(Int(d))
}

// FromBig is the number r.
func FromBig(r *big.Rat) Number { return fromRat(new(big.Rat).Set(r)) }

// FromBigInt is the number i.
func FromBigInt(i *big.Int) Number {
	if i.IsInt64() {
		return small(i.Int64(), 1)
	}
	return Number{b: new(big.Rat).SetInt(i)}
}

// fromRat takes r over.
func fromRat(r *big.Rat) Number {
	if r.Num().IsInt64() && r.Denom().IsInt64() {
		if n := r.Num().Int64(); n != math.MinInt64 {
			return small(n, r.Denom().Int64())
		}
	}
	return Number{b: r}
}

// small is n/d for d > 0 without common factors.
func small(n, d int64) Number {
	if n == math.MinInt64 {
		return Number{b: new(big.Rat).SetFrac64(n, d)}
	}
	if d == 1 {
		return Number{n: n}
	}
	return Number{n: n, d: d}
}

func (x Number) den() int64 {
	if x.d == 0 {
		return 1
	}
	return x.d
}

// Big is x as a new big.Rat.
func (x Number) Big() *big.Rat {
	if x.b != nil {
		return new(big.Rat).Set(x.b)
	}
	return big.NewRat(x.n, x.den())
}

// rat is x as a big.Rat that must not be changed.
func (x Number) rat() *big.Rat {
	if x.b != nil {
		return x.b
	}
	return big.NewRat(x.n, x.den())
}

// BigInt is x, which must be an integer.
func (x Number) BigInt() *big.Int {
	if !x.IsInt() {
		panic("linear: not an integer")
	}
	if x.b != nil {
		return new(big.Int).Set(x.b.Num())
	}
	return big.NewInt(x.n)
}

// Int64 is x if it is an integer of 64 bits.
func (x Number) Int64() (int64, bool) { return x.n, x.b == nil && x.d == 0 }

// IsInt says whether x is an integer.
func (x Number) IsInt() bool {
	if x.b != nil {
		return x.b.IsInt()
	}
	return x.d == 0
}

// IsZero says whether x is 0.
func (x Number) IsZero() bool { return x.n == 0 && x.b == nil }

// IsOne says whether x is 1.
func (x Number) IsOne() bool { return x.n == 1 && x.d == 0 && x.b == nil }

// Sign is -1, 0 or 1.
func (x Number) Sign() int {
	switch {
	case x.b != nil:
		return x.b.Sign()
	case x.n > 0:
		return 1
	case x.n < 0:
		return -1
	}
	return 0
}

func (x Number) String() string {
	switch {
	case x.b != nil:
		return x.b.RatString()
	case x.d == 0:
		return strconv.FormatInt(x.n, 10)
	}
	return strconv.FormatInt(x.n, 10) + "/" + strconv.FormatInt(x.d, 10)
}

// Neg is -x.
func (x Number) Neg() Number {
	if x.b != nil {
		return fromRat(new(big.Rat).Neg(x.b))
	}
	return Number{n: -x.n, d: x.d}
}

// Abs is the absolute value of x.
func (x Number) Abs() Number {
	if x.Sign() < 0 {
		return x.Neg()
	}
	return x
}

func gcd(a, b int64) int64 {
	if a < 0 {
		a = -a
	}
	if b < 0 {
		b = -b
	}
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// product is a*b if that fits, the least int64 excepted.
func product(a, b int64) (int64, bool) {
	if a > math.MinInt32 && a < math.MaxInt32 && b > math.MinInt32 && b < math.MaxInt32 {
		return a * b, true
	}
	negative := (a < 0) != (b < 0)
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, false
	}
	if negative {
		return -int64(lo), true
	}
	return int64(lo), true
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return uint64(-a)
	}
	return uint64(a)
}

// sum is a+b if that fits, the least int64 excepted.
func sum(a, b int64) (int64, bool) {
	c := a + b
	if (c > a) == (b > 0) && c != math.MinInt64 {
		return c, true
	}
	return 0, false
}

// Add is x + y.
func (x Number) Add(y Number) Number {
	if x.b == nil && y.b == nil {
		if x.d == 0 && y.d == 0 {
			if c, ok := sum(x.n, y.n); ok {
				return Number{n: c}
			}
		} else if z, ok := addFractions(x, y); ok {
			return z
		}
	}
	return fromRat(new(big.Rat).Add(x.rat(), y.rat()))
}

func addFractions(x, y Number) (Number, bool) {
	g := gcd(x.den(), y.den())
	yd := y.den() / g
	a, ok1 := product(x.n, yd)
	b, ok2 := product(y.n, x.den()/g)
	d, ok3 := product(x.den(), yd)
	c, ok4 := sum(a, b)
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return Number{}, false
	}
	if c == 0 {
		return Number{}, true
	}
	g = gcd(c, d)
	return small(c/g, d/g), true
}

// Sub is x - y.
func (x Number) Sub(y Number) Number { return x.Add(y.Neg()) }

// Mul is x * y.
func (x Number) Mul(y Number) Number {
	if x.b == nil && y.b == nil {
		xn, xd, yn, yd := x.n, x.den(), y.n, y.den()
		if xd != 1 || yd != 1 {
			if xn == 0 || yn == 0 {
				return Number{}
			}
			g, h := gcd(xn, yd), gcd(yn, xd)
			xn, yd, yn, xd = xn/g, yd/g, yn/h, xd/h
		}
		n, ok1 := product(xn, yn)
		d, ok2 := product(xd, yd)
		if ok1 && ok2 {
			return small(n, d)
		}
	}
	return fromRat(new(big.Rat).Mul(x.rat(), y.rat()))
}

// Inv is 1/x; x must not be 0.
func (x Number) Inv() Number {
	if x.b != nil {
		return fromRat(new(big.Rat).Inv(x.b))
	}
	switch {
	case x.n > 0:
		return small(x.den(), x.n)
	case x.n < 0:
		return small(-x.den(), -x.n)
	}
	panic("linear: division by zero")
}

// Div is x / y; y must not be 0.
func (x Number) Div(y Number) Number {
	if y.IsOne() {
		return x
	}
	return x.Mul(y.Inv())
}

// Cmp is the sign of x - y.
func (x Number) Cmp(y Number) int {
	if x.b == nil && y.b == nil && x.d == y.d {
		switch {
		case x.n < y.n:
			return -1
		case x.n > y.n:
			return 1
		}
		return 0
	}
	return x.Sub(y).Sign()
}

// Equal says whether x = y.
func (x Number) Equal(y Number) bool { return x.Cmp(y) == 0 }

// Floor is the greatest integer that is not above x.
func (x Number) Floor() Number {
	if x.IsInt() {
		return x
	}
	if x.b == nil {
		q := x.n / x.d
		if x.n < 0 {
			q--
		}
		return Number{n: q}
	}
	q := new(big.Int)
	q.Div(x.b.Num(), x.b.Denom()) // Euclidean: rounds down for positive divisors
	return FromBigInt(q)
}

// Ceil is the least integer that is not below x.
func (x Number) Ceil() Number { return x.Neg().Floor().Neg() }

// Denominator is that of the reduced fraction, positive.
func (x Number) Denominator() Number {
	if x.b != nil {
		return FromBigInt(x.b.Denom())
	}
	return Int(x.den())
}

// GCD is the greatest common divisor of two integers, not negative.
func GCD(x, y Number) Number {
	if x.b == nil && y.b == nil {
		return Int(gcd(x.n, y.n))
	}
	return FromBigInt(new(big.Int).GCD(nil, nil, new(big.Int).Abs(x.BigInt()), new(big.Int).Abs(y.BigInt())))
}

// lcmNumbers is the least common multiple of two positive integers.
func lcmNumbers(x, y Number) Number { return x.Div(GCD(x, y)).Mul(y) }

// Bits is the length of x in bits, for bounds on the growth of numbers.
func (x Number) Bits() int {
	if x.b != nil {
		return x.b.Num().BitLen() + x.b.Denom().BitLen()
	}
	return bits.Len64(magnitude(x.n)) + bits.Len64(uint64(x.d))
}
