package absdomain

// Intervals of floating-point numbers.
//
// A Float bounds the numbers, infinities included, and says whether the value
// may be NaN. The sign of zero is not tracked: an interval that contains 0
// contains both zeros. Rounding to nearest is monotone, so the bounds of a rounded
// result are the rounded results at the bounds; binary32 is computed in binary64
// and rounded a second time, which is harmless for the operations here
// [Figueroa95]. binary16 is not tracked.

import (
	"fmt"
	"math"
)

// Float is a set of numbers of the format of Bits bits: those from Lo to Hi, and
// NaN if NaN. Lo > Hi says that there are no numbers.
type Float struct {
	Lo, Hi float64
	Bits   uint8
	NaN    bool
}

// FloatTop has all values of the format.
func FloatTop(bits uint32) Float {
	return Float{Lo: math.Inf(-1), Hi: math.Inf(1), Bits: uint8(bits), NaN: true}
}

// FloatBottom has none.
func FloatBottom(bits uint32) Float { return Float{Lo: 1, Hi: 0, Bits: uint8(bits)} }

// FloatConst has the value with these bits.
func FloatConst(bits uint32, v uint64) Float {
	switch bits {
	case 32:
		return FloatOf(bits, float64(math.Float32frombits(uint32(v))))
	case 64:
		return FloatOf(bits, math.Float64frombits(v))
	}
	return FloatTop(bits)
}

// FloatOf has the number v, or NaN.
func FloatOf(bits uint32, v float64) Float {
	if v != v {
		return Float{Lo: 1, Hi: 0, Bits: uint8(bits), NaN: true}
	}
	return Float{Lo: v, Hi: v, Bits: uint8(bits)}
}

// FloatRange has the numbers from lo to hi.
func FloatRange(bits uint32, lo, hi float64) Float {
	if bits == 16 {
		return FloatTop(bits)
	}
	return Float{Lo: lo, Hi: hi, Bits: uint8(bits)}
}

// IsBottom says that there is no value.
func (x Float) IsBottom() bool { return x.Lo > x.Hi && !x.NaN }

// IsTop says that nothing is known.
func (x Float) IsTop() bool { return x == FloatTop(uint32(x.Bits)) }

func (x Float) noNumber() bool { return x.Lo > x.Hi }

// Has says whether the value with these bits is in the set.
func (x Float) Has(v uint64) bool {
	if x.Bits == 16 {
		return true
	}
	c := FloatConst(uint32(x.Bits), v)
	if c.NaN {
		return x.NaN
	}
	return x.Lo <= c.Lo && c.Lo <= x.Hi
}

// Join is the least Float with the values of both.
func (x Float) Join(y Float) Float {
	if x.noNumber() {
		x.Lo, x.Hi = y.Lo, y.Hi
	} else if !y.noNumber() {
		x.Lo, x.Hi = math.Min(x.Lo, y.Lo), math.Max(x.Hi, y.Hi)
	}
	x.NaN = x.NaN || y.NaN
	return x
}

// Meet has the values that are in both.
func (x Float) Meet(y Float) Float {
	x.Lo, x.Hi, x.NaN = math.Max(x.Lo, y.Lo), math.Min(x.Hi, y.Hi), x.NaN && y.NaN
	if x.noNumber() {
		x.Lo, x.Hi = 1, 0
	}
	return x
}

// Leq says whether y has all values of x.
func (x Float) Leq(y Float) bool {
	return (x.noNumber() || y.Lo <= x.Lo && x.Hi <= y.Hi) && (!x.NaN || y.NaN)
}

// floatSteps are the bounds at which widening stops.
var floatSteps = []float64{0, 1, 256, 65536, 1 << 31, 1 << 32, 1 << 63, 1 << 64, math.MaxFloat32, math.MaxFloat64, math.Inf(1)}

// Widen is an upper bound of x and y, where y grew from x; if fine, the bounds stop
// at the powers of two, too.
func (x Float) Widen(y Float, fine bool) Float {
	j := x.Join(y)
	if x.noNumber() {
		return j
	}
	up := func(v float64) float64 {
		if fine && v > 0x1p-20 && v <= 1<<40 {
			m, e := math.Frexp(v)
			if m == 0.5 {
				e--
			}
			return math.Ldexp(1, e)
		}
		for _, s := range floatSteps {
			if s >= v {
				return s
			}
		}
		return math.Inf(1)
	}
	if j.Lo < x.Lo {
		switch {
		case j.Lo >= 0:
			j.Lo = 0
		default:
			j.Lo = -up(-j.Lo)
		}
	}
	if j.Hi > x.Hi {
		switch {
		case j.Hi <= 0:
			j.Hi = 0
		default:
			j.Hi = up(j.Hi)
		}
	}
	return j
}

// round rounds bounds to the format; a NaN among them gives up.
func round(bits uint8, lo, hi float64, nan bool) Float {
	if lo != lo || hi != hi || bits == 16 {
		return FloatTop(uint32(bits))
	}
	if bits == 32 {
		lo, hi = float64(float32(lo)), float64(float32(hi))
	}
	return Float{Lo: lo, Hi: hi, Bits: bits, NaN: nan}
}

func (x Float) hasInf() bool { return !x.noNumber() && (math.IsInf(x.Lo, 0) || math.IsInf(x.Hi, 0)) }

// onlyNaN is the result of arithmetic if an operand has no numbers.
func (x Float) onlyNaN(y Float) (Float, bool) {
	if x.IsBottom() || y.IsBottom() {
		return FloatBottom(uint32(x.Bits)), true
	}
	return Float{Lo: 1, Hi: 0, Bits: x.Bits, NaN: true}, x.noNumber() || y.noNumber()
}

// Add is the sum.
func (x Float) Add(y Float) Float {
	if r, ok := x.onlyNaN(y); ok {
		return r
	}
	nan := x.NaN || y.NaN || x.Hi == math.Inf(1) && y.Lo == math.Inf(-1) || x.Lo == math.Inf(-1) && y.Hi == math.Inf(1)
	lo, hi := x.Lo+y.Lo, x.Hi+y.Hi
	// -Inf + +Inf at a bound: the bound comes from the finite numbers, which may
	// be anything.
	if lo != lo {
		lo = math.Inf(-1)
	}
	if hi != hi {
		hi = math.Inf(1)
	}
	return round(x.Bits, lo, hi, nan)
}

// Neg is the opposite.
func (x Float) Neg() Float {
	if !x.noNumber() {
		x.Lo, x.Hi = -x.Hi, -x.Lo
	}
	return x
}

// Abs is the absolute value.
func (x Float) Abs() Float {
	switch {
	case x.noNumber() || x.Lo >= 0:
	case x.Hi <= 0:
		x.Lo, x.Hi = -x.Hi, -x.Lo
	default:
		x.Lo, x.Hi = 0, math.Max(-x.Lo, x.Hi)
	}
	return x
}

// Sub is the difference.
func (x Float) Sub(y Float) Float { return x.Add(y.Neg()) }

// Mul is the product.
func (x Float) Mul(y Float) Float {
	if r, ok := x.onlyNaN(y); ok {
		return r
	}
	has0 := func(z Float) bool { return z.Lo <= 0 && 0 <= z.Hi }
	nan := x.NaN || y.NaN || x.hasInf() && has0(y) || y.hasInf() && has0(x)
	return corners(x, y, nan, func(a, b float64) float64 {
		if a == 0 || b == 0 { // 0 times an infinite bound: the finite numbers give 0
			return 0
		}
		return a * b
	})
}

// Div is the quotient.
func (x Float) Div(y Float) Float {
	if r, ok := x.onlyNaN(y); ok {
		return r
	}
	if y.Lo <= 0 && 0 <= y.Hi {
		return FloatTop(uint32(x.Bits))
	}
	nan := x.NaN || y.NaN || x.hasInf() && y.hasInf()
	if x.hasInf() && y.hasInf() {
		return FloatTop(uint32(x.Bits))
	}
	return corners(x, y, nan, func(a, b float64) float64 { return a / b })
}

// corners bounds an operation that is monotone in each operand.
func corners(x, y Float, nan bool, f func(a, b float64) float64) Float {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, a := range [2]float64{x.Lo, x.Hi} {
		for _, b := range [2]float64{y.Lo, y.Hi} {
			v := f(a, b)
			if v != v {
				return FloatTop(uint32(x.Bits))
			}
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
	}
	return round(x.Bits, lo, hi, nan)
}

// Sqrt is the square root.
func (x Float) Sqrt() Float {
	if x.noNumber() {
		return x
	}
	nan := x.NaN || x.Lo < 0
	if x.Hi < 0 {
		return Float{Lo: 1, Hi: 0, Bits: x.Bits, NaN: true}
	}
	return round(x.Bits, math.Sqrt(math.Max(x.Lo, 0)), math.Sqrt(x.Hi), nan)
}

// Monotone applies a function that is monotone, keeps infinities, and yields
// numbers of the format: the roundings to integral values.
func (x Float) Monotone(f func(float64) float64) Float {
	if x.noNumber() {
		return x
	}
	return round(x.Bits, f(x.Lo), f(x.Hi), x.NaN)
}

// Min is the lesser number; the other operand if one is NaN.
func (x Float) Min(y Float) Float { return x.Neg().Max(y.Neg()).Neg() }

// Max is the greater number; the other operand if one is NaN.
func (x Float) Max(y Float) Float {
	r := FloatBottom(uint32(x.Bits))
	if x.IsBottom() || y.IsBottom() {
		return r
	}
	if !x.noNumber() && !y.noNumber() {
		r.Lo, r.Hi = math.Max(x.Lo, y.Lo), math.Max(x.Hi, y.Hi)
	}
	if y.NaN {
		r = r.Join(x)
	}
	if x.NaN {
		r = r.Join(y)
	}
	r.NaN = x.NaN && y.NaN
	return r
}

// Convert changes the format.
func (x Float) Convert(bits uint32) Float {
	if x.Bits == 16 || bits == 16 {
		return FloatTop(bits)
	}
	if x.noNumber() {
		x.Bits = uint8(bits)
		return x
	}
	return round(uint8(bits), x.Lo, x.Hi, x.NaN)
}

// FloatFrom is the conversion of an integer.
func FloatFrom(bits uint32, x Int, isSigned bool) Float {
	switch {
	case bits == 16:
		return FloatTop(bits)
	case x.Width == 0: // up to any width: finite or not, but a number
		return FloatRange(bits, math.Inf(-1), math.Inf(1))
	case x.IsBottom():
		return FloatBottom(bits)
	}
	// One rounding, straight to the format.
	switch {
	case bits == 32 && isSigned:
		return FloatRange(bits, float64(float32(x.SLo)), float64(float32(x.SHi)))
	case bits == 32:
		return FloatRange(bits, float64(float32(x.ULo)), float64(float32(x.UHi)))
	case isSigned:
		return FloatRange(bits, float64(x.SLo), float64(x.SHi))
	}
	return FloatRange(bits, float64(x.ULo), float64(x.UHi))
}

// ToInt is the conversion to an integer of that width, toward zero; fits says
// that no value is out of range or NaN. An arbitrary result is Top.
func (x Float) ToInt(width uint32, isSigned bool) (r Int, fits bool) {
	if x.IsBottom() {
		return Bottom(width), true
	}
	if x.Bits == 16 || x.NaN || x.noNumber() || width > 64 {
		return Top(width), false
	}
	lo, hi := math.Trunc(x.Lo), math.Trunc(x.Hi)
	if isSigned {
		limit := math.Ldexp(1, int(width)-1)
		if !(-limit <= lo && hi < limit) {
			return Top(width), false
		}
		return SignedRange(width, int64(lo), int64(hi)), true
	}
	if !(0 <= lo && hi < math.Ldexp(1, int(width))) {
		return Top(width), false
	}
	return Range(width, uint64(lo), uint64(hi)), true
}

// Less is the comparison x < y, or x <= y.
func (x Float) Less(y Float, orEqual bool) Int {
	if x.IsBottom() || y.IsBottom() {
		return Bottom(1)
	}
	if x.noNumber() || y.noNumber() {
		return Bool(false)
	}
	always := x.Hi < y.Lo || orEqual && x.Hi <= y.Lo
	never := x.Lo > y.Hi || !orEqual && x.Lo >= y.Hi
	return decide(always && !x.NaN && !y.NaN, never)
}

// Equals is the comparison x = y.
func (x Float) Equals(y Float) Int {
	if x.IsBottom() || y.IsBottom() {
		return Bottom(1)
	}
	if x.noNumber() || y.noNumber() {
		return Bool(false)
	}
	always := x.Lo == x.Hi && y.Lo == y.Hi && x.Lo == y.Lo
	return decide(always && !x.NaN && !y.NaN, x.Hi < y.Lo || y.Hi < x.Lo)
}

// Unordered says whether one of x and y is NaN.
func (x Float) Unordered(y Float) Int {
	if x.IsBottom() || y.IsBottom() {
		return Bottom(1)
	}
	return decide(x.noNumber() || y.noNumber(), !x.NaN && !y.NaN)
}

// AssumeLess refines x and y when x < y, or x <= y.
func AssumeLess(x, y Float) (Float, Float) {
	x.NaN, y.NaN = false, false
	if x.noNumber() || y.noNumber() {
		return FloatBottom(uint32(x.Bits)), FloatBottom(uint32(x.Bits))
	}
	a := x.Meet(Float{Lo: math.Inf(-1), Hi: y.Hi, Bits: x.Bits})
	b := y.Meet(Float{Lo: x.Lo, Hi: math.Inf(1), Bits: x.Bits})
	return a, b
}

// AssumeNumbers refines x and y when neither is NaN.
func AssumeNumbers(x, y Float) (Float, Float) {
	x.NaN, y.NaN = false, false
	return x, y
}

// String is for messages.
func (x Float) String() string {
	s := "⊥"
	if !x.noNumber() {
		s = fmt.Sprintf("[%g,%g]", x.Lo, x.Hi)
	}
	if x.NaN {
		s += " or NaN"
	}
	return s
}
