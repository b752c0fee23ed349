// Package floats writes IEEE 754 arithmetic as bit-vector terms, so that a
// bit-blaster without any knowledge of floating point can decide formulas with
// float and double in them. Lower replaces one floating-point head symbol; the
// other functions build the circuits for any format.
//
// Cited papers:
//
//	[BrainSchandaSun19]  M. Brain, F. Schanda, Y. Sun. Building Better
//	                     Bit-Blasting for Floating-Point Problems. TACAS 2019.
//	[Muller18]           J.-M. Muller et al. Handbook of Floating-Point
//	                     Arithmetic. 2nd edition, Birkhäuser 2018.
//	[IEEE754]            IEEE Standard for Floating-Point Arithmetic.
//	                     IEEE Std 754-2019.
//
// As in [BrainSchandaSun19] an operation takes its operands apart (decode.go),
// computes as if without limits, and rounds and packs the result (encode.go);
// special cases are chosen by if-then-else at the end. In order of the files:
//
//	format.go    formats, classification, sign operations
//	circuit.go   what terms lack: any, conditional negation, add-or-subtract
//	exponent.go  integers with known bounds
//	decode.go    from a pattern to sign, exponent, significand
//	shift.go     shifting with a sticky bit, normalising
//	encode.go    rounding to nearest even, packing
//	add.go mul.go div.go sqrt.go fma.go rem.go
//	             one operation each
//	integral.go  rounding to an integral value
//	compare.go   equality and order
//	toint.go fromint.go convert.go
//	             conversions
//	lower.go     from floating-point terms to all these
//
// Departures from [BrainSchandaSun19], all to get fewer gates: operands are
// normalised only where an operation needs it (addition, remainder and
// comparison do not), a subnormal sum is found by limiting the normalising
// shift instead of by a second shift, exponents stay biased, and the bounds of
// an exponent are known when the circuit is built, so that tests for overflow
// or underflow which cannot happen are not built.
//
// Sizes in thousands of and-gates for variable operands, single and double, as
// BenchmarkSize counts them:
//
//	Add 2.2 4.9    Mul 6 26    FMA 9 33    Div 8 32    Sqrt 4 16
//	Rem 67 1112    Round 0.5 1.3 (nearest even)        Lt 0.3 0.5
//
// Everywhere: rounding is to nearest, ties to even; a NaN that an operation
// makes is canonical: sign 0, and of the fraction only the top bit.
package floats

import (
	"fmt"

	"assay/internal/logic/term"
)

// Format is a binary interchange format: the widths of its exponent field and
// of its fraction field, without the hidden bit. The exponent has at least 2
// and at most 30 bits, the fraction at least 1.
type Format struct{ Exponent, Significand uint32 }

// The formats of [IEEE754] that terms can have.
var (
	Half   = Format{Exponent: 5, Significand: 10}
	Single = Format{Exponent: 8, Significand: 23}
	Double = Format{Exponent: 11, Significand: 52}
)

// FormatOf is the format in which term reads a bit-vector of the given width.
func FormatOf(width uint32) (Format, bool) {
	for _, f := range [...]Format{Half, Single, Double} {
		if f.Width() == width {
			return f, true
		}
	}
	return Format{}, false
}

func (f Format) String() string { return fmt.Sprintf("float%d.%d", f.Exponent, f.Significand) }

// Width is the number of bits of a number: sign, exponent, fraction.
func (f Format) Width() uint32 { return 1 + f.Exponent + f.Significand }

// precision is the number of bits of a significand, with the hidden bit.
func (f Format) precision() uint32 { return f.Significand + 1 }

// bias is what the exponent field holds for numbers in [1, 2). It is odd.
func (f Format) bias() int64 { return 1<<(f.Exponent-1) - 1 }

// special is the exponent field of infinities and NaNs, all ones.
func (f Format) special() int64 { return 1<<f.Exponent - 1 }

// infinity is the magnitude of an infinity: the pattern without the sign.
func (f Format) infinity(c circuit) term.ID {
	return c.Concat(c.ones(f.Exponent), c.zeros(f.Significand))
}

// nan is the canonical NaN.
func (f Format) nan(c circuit) term.ID {
	return c.Concat(c.zeros(1), c.padRight(c.ones(f.Exponent+1), f.Significand-1))
}

// IsNaN says whether a is a NaN, of any payload.
func IsNaN(store *term.Store, f Format, a term.ID) term.ID {
	return circuit{store}.decode(f, a).nan
}

// IsInf says whether a is an infinity, of any sign.
func IsInf(store *term.Store, f Format, a term.ID) term.ID {
	return circuit{store}.decode(f, a).inf
}

// IsZero says whether a is +0 or -0.
func IsZero(store *term.Store, f Format, a term.ID) term.ID {
	return circuit{store}.decode(f, a).zero
}

// Neg flips the sign, of a NaN as well.
func Neg(store *term.Store, f Format, a term.ID) term.ID {
	sign := store.Extract(a, f.Width()-1, f.Width()-1)
	return store.Concat(store.BVNot(sign), store.Extract(a, f.Width()-2, 0))
}

// Abs clears the sign, of a NaN as well.
func Abs(store *term.Store, f Format, a term.ID) term.ID {
	return store.ZExt(store.Extract(a, f.Width()-2, 0), f.Width())
}
