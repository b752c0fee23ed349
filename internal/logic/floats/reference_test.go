package floats

import (
	"math"
	"math/big"
	"sort"

	"assay/internal/logic/term"
)

// This file is the oracle of the tests: IEEE 754 arithmetic on exact rational
// numbers, for any format. Its only notion of rounding is a search for the
// number of the format on whose side of all midpoints the exact result lies;
// for single and double, which are tested against the hardware too, it is that
// of package big.

// reference is the arithmetic of one format.
type reference struct {
	Format
	cache []*big.Rat // midpoint of the magnitudes i and i+1, if that are few
}

func newReference(f Format) *reference {
	r := &reference{Format: f}
	if f.Width() <= 16 {
		for i := range r.inf() {
			r.cache = append(r.cache, r.midpoint(i))
		}
	}
	return r
}

func (r *reference) inf() uint64     { return (1<<r.Exponent - 1) << r.Significand }
func (r *reference) nan() uint64     { return r.inf() | 1<<(r.Significand-1) }
func (r *reference) signBit() uint64 { return 1 << (r.Exponent + r.Significand) }

func (r *reference) negative(a uint64) bool    { return a&r.signBit() != 0 }
func (r *reference) magnitude(a uint64) uint64 { return a &^ r.signBit() }
func (r *reference) isNaN(a uint64) bool       { return r.magnitude(a) > r.inf() }
func (r *reference) isInf(a uint64) bool       { return r.magnitude(a) == r.inf() }
func (r *reference) isZero(a uint64) bool      { return r.magnitude(a) == 0 }

func power2(n int) *big.Rat {
	x := new(big.Int).Lsh(big.NewInt(1), uint(max(n, -n)))
	if n < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), x)
	}
	return new(big.Rat).SetInt(x)
}

// value is the exact number; an infinity counts as the power of two that
// would come next.
func (r *reference) value(a uint64) *big.Rat {
	exponent := int(r.magnitude(a) >> r.Significand)
	fraction := a & (1<<r.Significand - 1)
	if exponent == 0 {
		exponent = 1
	} else {
		fraction |= 1 << r.Significand
	}
	bias := 1<<(r.Exponent-1) - 1
	v := new(big.Rat).SetInt(new(big.Int).SetUint64(fraction))
	v.Mul(v, power2(exponent-bias-int(r.Significand)))
	if r.negative(a) {
		v.Neg(v)
	}
	return v
}

func (r *reference) midpoint(i uint64) *big.Rat {
	sum := new(big.Rat).Add(r.value(i), r.value(i+1))
	return sum.Quo(sum, big.NewRat(2, 1))
}

// nearest is the magnitude to which a number >= 0 is rounded, given by its
// comparison with any other.
func (r *reference) nearest(compare func(v *big.Rat) int) uint64 {
	return uint64(sort.Search(int(r.inf()), func(i int) bool {
		var m *big.Rat
		if r.cache != nil {
			m = r.cache[i]
		} else {
			m = r.midpoint(uint64(i))
		}
		c := compare(m)
		return c < 0 || c == 0 && i%2 == 0
	}))
}

// round is v, with the sign given for 0.
func (r *reference) round(v *big.Rat, zeroSign bool) uint64 {
	abs := new(big.Rat).Abs(v)
	var m uint64
	switch r.Format {
	case Single:
		x, _ := abs.Float32()
		m = uint64(math.Float32bits(x))
	case Double:
		x, _ := abs.Float64()
		m = math.Float64bits(x)
	default:
		m = r.nearest(abs.Cmp)
	}
	return r.signed(v.Sign() < 0 || v.Sign() == 0 && zeroSign, m)
}

func (r *reference) signed(negative bool, magnitude uint64) uint64 {
	if negative {
		return magnitude | r.signBit()
	}
	return magnitude
}

func (r *reference) add(a, b uint64) uint64 {
	na, nb := r.negative(a), r.negative(b)
	switch {
	case r.isNaN(a) || r.isNaN(b) || r.isInf(a) && r.isInf(b) && na != nb:
		return r.nan()
	case r.isInf(a):
		return a
	case r.isInf(b):
		return b
	}
	return r.round(new(big.Rat).Add(r.value(a), r.value(b)), na && nb)
}

func (r *reference) mul(a, b uint64) uint64 {
	negative := r.negative(a) != r.negative(b)
	switch {
	case r.isNaN(a) || r.isNaN(b) || r.isInf(a) && r.isZero(b) || r.isZero(a) && r.isInf(b):
		return r.nan()
	case r.isInf(a) || r.isInf(b):
		return r.signed(negative, r.inf())
	}
	return r.round(new(big.Rat).Mul(r.value(a), r.value(b)), negative)
}

func (r *reference) div(a, b uint64) uint64 {
	negative := r.negative(a) != r.negative(b)
	switch {
	case r.isNaN(a) || r.isNaN(b) || r.isInf(a) && r.isInf(b) || r.isZero(a) && r.isZero(b):
		return r.nan()
	case r.isInf(a) || r.isZero(b):
		return r.signed(negative, r.inf())
	case r.isInf(b):
		return r.signed(negative, 0)
	}
	return r.round(new(big.Rat).Quo(r.value(a), r.value(b)), negative)
}

func (r *reference) rem(a, b uint64) uint64 {
	switch {
	case r.isNaN(a) || r.isNaN(b) || r.isInf(a) || r.isZero(b):
		return r.nan()
	case r.isInf(b):
		return a
	}
	x, y := r.value(a), r.value(b)
	q := new(big.Rat).Quo(x, y)
	n := new(big.Rat).SetInt(new(big.Int).Quo(q.Num(), q.Denom()))
	return r.round(x.Sub(x, n.Mul(n, y)), r.negative(a))
}

func (r *reference) sqrt(a uint64) uint64 {
	switch {
	case r.isNaN(a) || r.negative(a) && !r.isZero(a):
		return r.nan()
	case r.isInf(a) || r.isZero(a):
		return a
	}
	x := r.value(a)
	return r.nearest(func(v *big.Rat) int { return x.Cmp(new(big.Rat).Mul(v, v)) })
}

func (r *reference) fma(a, b, c uint64) uint64 {
	negative := r.negative(a) != r.negative(b)
	inf := r.isInf(a) || r.isInf(b)
	switch {
	case r.isNaN(a) || r.isNaN(b) || r.isNaN(c),
		r.isInf(a) && r.isZero(b) || r.isZero(a) && r.isInf(b),
		inf && r.isInf(c) && negative != r.negative(c):
		return r.nan()
	case inf:
		return r.signed(negative, r.inf())
	case r.isInf(c):
		return c
	}
	v := new(big.Rat).Mul(r.value(a), r.value(b))
	return r.round(v.Add(v, r.value(c)), negative && r.negative(c))
}

// integral is v rounded to an integer.
func integral(v *big.Rat, mode term.RoundMode) *big.Int {
	half := big.NewRat(1, 2)
	floor := func(v *big.Rat) *big.Int { return new(big.Int).Div(v.Num(), v.Denom()) }
	down := floor(v)
	up := floor(new(big.Rat).Neg(v))
	up.Neg(up)
	switch mode {
	case term.RoundUp:
		return up
	case term.RoundDown:
		return down
	case term.RoundTowardZero:
		return new(big.Int).Quo(v.Num(), v.Denom())
	}
	above := new(big.Rat).Sub(v, new(big.Rat).SetInt(down))
	switch c := above.Cmp(half); {
	case c < 0:
		return down
	case c > 0:
		return up
	}
	if mode == term.RoundNearestEven && down.Bit(0) == 0 || mode == term.RoundNearestAway && v.Sign() < 0 {
		return down
	}
	return up
}

func (r *reference) roundIntegral(a uint64, mode term.RoundMode) uint64 {
	switch {
	case r.isNaN(a):
		return r.nan()
	case r.isInf(a):
		return a
	}
	return r.round(new(big.Rat).SetInt(integral(r.value(a), mode)), r.negative(a))
}

func (r *reference) compare(a, b uint64) (c int, ordered bool) {
	if r.isNaN(a) || r.isNaN(b) {
		return 0, false
	}
	return r.value(a).Cmp(r.value(b)), true
}

func (r *reference) toInteger(a uint64, width uint32, signed bool) uint64 {
	if r.isNaN(a) || r.isInf(a) {
		return 0
	}
	v := integral(r.value(a), term.RoundTowardZero)
	lo, hi := big.NewInt(0), new(big.Int).Lsh(big.NewInt(1), uint(width))
	if signed {
		hi.Rsh(hi, 1)
		lo.Neg(hi)
	}
	if v.Cmp(lo) < 0 || v.Cmp(hi) >= 0 {
		return 0
	}
	if v.Sign() < 0 {
		return uint64(v.Int64()) & (1<<width - 1)
	}
	return v.Uint64()
}

func (r *reference) fromInteger(a uint64, width uint32, signed bool) uint64 {
	v := new(big.Int).SetUint64(a)
	if signed && a>>(width-1)&1 == 1 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(width)))
	}
	return r.round(new(big.Rat).SetInt(v), false)
}

// convert is a of another format.
func (r *reference) convert(from *reference, a uint64) uint64 {
	switch {
	case from.isNaN(a):
		return r.nan()
	case from.isInf(a):
		return r.signed(from.negative(a), r.inf())
	}
	return r.round(from.value(a), from.negative(a))
}
