// Package absdomain has abstract values: what an abstract interpreter knows of
// a bit-vector or of a floating-point number, and how operations of package ir
// act on that knowledge.
//
// An Int is a reduced product of four domains over the same bit-vector, an
// unsigned interval, a signed interval, known bits (tri-state numbers), and a
// congruence by an odd modulus. Each sharpens the others (reduce.go).
//
//	reduce.go    the reduction            lattice.go   join, meet, widening, narrowing
//	add.go       sums, products           divide.go    quotients, remainders
//	bits.go      logic, shifts, counts    compare.go   comparisons, overflow predicates
//	convert.go   changes of width         backward.go  operands from results
//	float.go     intervals of floats      fact.go      facts as terms
//
// Soundness of a transfer function f# of f: if x is in γ(X) and y in γ(Y), then
// f(x, y) is in γ(f#(X, Y)); an operation that yields an arbitrary value for some
// of the operands yields Top. The tests enumerate all operands at small widths.
package absdomain

import (
	"fmt"
	"math/bits"
	"strings"

	"assay/internal/logic/bv"
)

// Int is a set of bit-vectors of Width bits, 1 to 64: those in both intervals
// that have the known bits and the congruence. Wider bit-vectors are not
// tracked: their Width is 0, and the other fields mean nothing.
//
// Invariants of every Int that this package returns:
//
//  1. it is empty iff ULo > UHi, and then equal to Bottom(Width);
//  2. ULo and UHi, and SLo and SHi, have the known bits and the congruence,
//     and the bounds of one interval follow from those of the other (reduce);
//  3. Mod is 0 (exactly the value Rem), 1 (nothing known), or odd with Rem < Mod.
type Int struct {
	Width       uint8
	ULo, UHi    uint64 // unsigned bounds
	SLo, SHi    int64  // signed bounds
	Zeros, Ones uint64 // bits that are 0, that are 1
	Mod, Rem    uint64 // the unsigned value is Rem modulo Mod; see invariant 3
}

func maskOf(width uint8) uint64 { return ^uint64(0) >> (64 - width) }

func signBit(width uint8) uint64 { return 1 << (width - 1) }

// signed reads the low width bits of x as a number in two's complement.
func signed(x uint64, width uint8) int64 { return int64(x<<(64-width)) >> (64 - width) }

// low is a mask of the n lowest bits.
func low(n int) uint64 {
	if n >= 64 {
		return ^uint64(0)
	}
	return 1<<n - 1
}

// Top is the set of all bit-vectors of that width.
func Top(width uint32) Int {
	if width > 64 {
		return Int{}
	}
	w := uint8(width)
	s := int64(signBit(w) - 1)
	return Int{Width: w, UHi: maskOf(w), SLo: -s - 1, SHi: s, Mod: 1}
}

// Bottom is the empty set.
func Bottom(width uint32) Int {
	return Int{Width: uint8(width), ULo: 1, SLo: 1, Mod: 1}
}

// Const is the set of v modulo 2^width alone; nothing is known of wide ones.
func Const(width uint32, v uint64) Int {
	if width > 64 {
		return Int{}
	}
	w := uint8(width)
	v &= maskOf(w)
	s := signed(v, w)
	return Int{Width: w, ULo: v, UHi: v, SLo: s, SHi: s, Zeros: maskOf(w) &^ v, Ones: v, Rem: v}
}

// Of is the set of v alone.
func Of(v bv.BV) Int { return Const(v.Width(), v.Uint64()) }

// Range is the unsigned interval from lo to hi.
func Range(width uint32, lo, hi uint64) Int {
	x := Top(width)
	if x.Width == 0 {
		return x
	}
	x.ULo, x.UHi = lo, min(hi, x.UHi)
	return x.reduce()
}

// SignedRange is the signed interval from lo to hi.
func SignedRange(width uint32, lo, hi int64) Int {
	x := Top(width)
	if x.Width == 0 {
		return x
	}
	x.SLo, x.SHi = max(lo, x.SLo), min(hi, x.SHi)
	return x.reduce()
}

// KnownBits is the set of the bit-vectors with the given zeros and ones.
func KnownBits(width uint32, zeros, ones uint64) Int {
	x := Top(width)
	if x.Width == 0 {
		return x
	}
	x.Zeros, x.Ones = zeros&x.UHi, ones&x.UHi
	return x.reduce()
}

// Congruent is the set of the bit-vectors whose unsigned value is rem modulo mod;
// mod is at least 1.
func Congruent(width uint32, mod, rem uint64) Int {
	x := Top(width)
	if x.Width == 0 {
		return x
	}
	rem %= mod
	k := bits.TrailingZeros64(mod)
	x.Zeros, x.Ones = low(k)&x.UHi&^rem, low(k)&x.UHi&rem
	x.Mod = mod >> k
	x.Rem = rem % x.Mod
	return x.reduce()
}

// Bool is the truth value b, True and False those that are known.
func Bool(b bool) Int {
	if b {
		return Const(1, 1)
	}
	return Const(1, 0)
}

// IsWide says that the bit-vector has more than 64 bits, and is not tracked.
func (x Int) IsWide() bool { return x.Width == 0 }

// IsBottom says that the set is empty.
func (x Int) IsBottom() bool { return x.ULo > x.UHi }

// IsTop says that nothing is known.
func (x Int) IsTop() bool { return x.Width == 0 || x == Top(uint32(x.Width)) }

// Value is the only element; ok is false if there is not exactly one.
func (x Int) Value() (v uint64, ok bool) { return x.ULo, x.ULo == x.UHi && x.Width != 0 }

// Is says whether v is the only element.
func (x Int) Is(v uint64) bool { return x.Width != 0 && x.ULo == v && x.UHi == v }

// IsTrue and IsFalse say whether a truth value is known.
func (x Int) IsTrue() bool { return x.Width == 1 && x.ULo == 1 && x.UHi == 1 }

// IsFalse says whether a truth value is known to be false.
func (x Int) IsFalse() bool { return x.Width == 1 && x.UHi == 0 }

// Contains says whether the set has v.
func (x Int) Contains(v bv.BV) bool {
	return x.Width == 0 && v.Width() > 64 || v.Width() == uint32(x.Width) && x.Has(v.Uint64())
}

// Has says whether the set has v, which is below 2^Width.
func (x Int) Has(v uint64) bool {
	if x.Width == 0 {
		return true
	}
	s := signed(v, x.Width)
	return x.ULo <= v && v <= x.UHi && x.SLo <= s && s <= x.SHi && v&x.Zeros == 0 && v&x.Ones == x.Ones &&
		(x.Mod == 1 || x.Mod == 0 && v == x.Rem || x.Mod > 1 && v%x.Mod == x.Rem)
}

// Congruence is the modulus and the remainder of the unsigned value, known bits
// at the low end included; (1, 0) if nothing is known. A modulus of 0 says that the
// value is the remainder.
func (x Int) Congruence() (mod, rem uint64) {
	if x.Width == 0 || x.IsBottom() {
		return 1, 0
	}
	if x.Mod == 0 {
		return 0, x.Rem
	}
	k := bits.TrailingZeros64(^(x.Zeros | x.Ones))
	if hi, lo := bits.Mul64(x.Mod, 1<<min(k, 63)); k > 62 || hi != 0 || x.Mod == 1 || lo == 0 {
		return 1 << min(k, 63), x.Ones & low(min(k, 63))
	}
	// The numbers r, r+Mod, r+2*Mod ... run through all residues modulo 2^k.
	return x.Mod << k, chinese(x.Rem, x.Mod, x.Ones&low(k), k)
}

// chinese is the number below mod<<k that is r modulo the odd mod, and b modulo 2^k.
func chinese(r, mod, b uint64, k int) uint64 {
	inverse := mod // of mod modulo 2^64, by Newton's iteration: 3, 6, ... 96 bits
	for range 5 {
		inverse *= 2 - mod*inverse
	}
	return r + mod*((b-r)*inverse&low(k))
}

// String is for messages: the parts that say something.
func (x Int) String() string {
	switch {
	case x.Width == 0:
		return "⊤(wide)"
	case x.IsBottom():
		return "⊥"
	case x.ULo == x.UHi:
		return fmt.Sprintf("%d:%d", x.ULo, x.Width)
	}
	top := Top(uint32(x.Width))
	var parts []string
	if x.ULo != top.ULo || x.UHi != top.UHi {
		parts = append(parts, fmt.Sprintf("u[%d,%d]", x.ULo, x.UHi))
	}
	if x.SLo != top.SLo || x.SHi != top.SHi {
		parts = append(parts, fmt.Sprintf("s[%d,%d]", x.SLo, x.SHi))
	}
	if x.Zeros|x.Ones != 0 {
		b := make([]byte, x.Width)
		for i := range b {
			switch bit := uint64(1) << (len(b) - 1 - i); {
			case x.Zeros&bit != 0:
				b[i] = '0'
			case x.Ones&bit != 0:
				b[i] = '1'
			default:
				b[i] = '?'
			}
		}
		parts = append(parts, string(b))
	}
	if x.Mod > 1 {
		parts = append(parts, fmt.Sprintf("≡%d mod %d", x.Rem, x.Mod))
	}
	if parts == nil {
		return fmt.Sprintf("⊤:%d", x.Width)
	}
	return strings.Join(parts, " ")
}
