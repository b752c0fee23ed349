// Package bv is concrete bit-vector arithmetic with the semantics of SMT-LIB's
// theory of fixed-size bit-vectors. It is the reference against which the
// simplifier, the bit-blaster and the interpreter are tested.
//
// A BV is an immutable value. Widths up to 64 are held in one word and never
// allocate; wider ones use math/big.
package bv

import (
	"fmt"
	"math/big"
)

// BV is a bit-vector of Width bits. The zero value has width 0 and is invalid.
type BV struct {
	width uint32
	lo    uint64   // value if width <= 64
	big   *big.Int // value in [0, 2^width) if width > 64; never modified
}

func mask(width uint32) uint64 {
	if width >= 64 {
		return ^uint64(0)
	}
	return 1<<width - 1
}

// New is the bit-vector of the given width with the value v modulo 2^width.
func New(width uint32, v uint64) BV {
	if width == 0 {
		panic("bv: width 0")
	}
	if width <= 64 {
		return BV{width: width, lo: v & mask(width)}
	}
	return BV{width: width, big: new(big.Int).SetUint64(v)}
}

// NewSigned is v modulo 2^width in two's complement.
func NewSigned(width uint32, v int64) BV {
	if width <= 64 {
		return New(width, uint64(v))
	}
	return FromBig(width, big.NewInt(v))
}

// FromBig is v modulo 2^width; v may be negative.
func FromBig(width uint32, v *big.Int) BV {
	m := new(big.Int).And(v, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(width)), big.NewInt(1)))
	if width <= 64 {
		return BV{width: width, lo: m.Uint64()}
	}
	return BV{width: width, big: m}
}

// Bool is the bit-vector of width 1 for b.
func Bool(b bool) BV {
	if b {
		return BV{width: 1, lo: 1}
	}
	return BV{width: 1}
}

// Width is the number of bits.
func (x BV) Width() uint32 { return x.width }

// Uint64 is the value; the low 64 bits if it is wider.
func (x BV) Uint64() uint64 {
	if x.big != nil {
		return new(big.Int).And(x.big, new(big.Int).SetUint64(^uint64(0))).Uint64()
	}
	return x.lo
}

// IsUint64 says whether the unsigned value fits 64 bits.
func (x BV) IsUint64() bool { return x.big == nil || x.big.IsUint64() }

// Int64 is the value as a signed number; the low 64 bits if it is wider.
func (x BV) Int64() int64 {
	if x.big != nil {
		return int64(x.Uint64())
	}
	if x.width < 64 && x.lo>>(x.width-1) == 1 {
		return int64(x.lo | ^mask(x.width))
	}
	return int64(x.lo)
}

// Unsigned is the unsigned value.
func (x BV) Unsigned() *big.Int {
	if x.big != nil {
		return new(big.Int).Set(x.big)
	}
	return new(big.Int).SetUint64(x.lo)
}

// Signed is the value in two's complement.
func (x BV) Signed() *big.Int {
	v := x.Unsigned()
	if x.Bit(x.width - 1) {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(x.width)))
	}
	return v
}

// Bit is bit i, counted from the least significant.
func (x BV) Bit(i uint32) bool {
	if x.big != nil {
		return x.big.Bit(int(i)) == 1
	}
	return x.lo>>i&1 == 1
}

// IsZero says whether all bits are 0.
func (x BV) IsZero() bool {
	if x.big != nil {
		return x.big.Sign() == 0
	}
	return x.lo == 0
}

// IsOnes says whether all bits are 1.
func (x BV) IsOnes() bool { return x.Not().IsZero() }

// IsTrue says whether x is the width-1 vector 1.
func (x BV) IsTrue() bool { return x.width == 1 && x.lo == 1 }

// Equal compares width and value.
func (x BV) Equal(y BV) bool {
	if x.width != y.width {
		return false
	}
	if x.big != nil {
		return x.big.Cmp(y.big) == 0
	}
	return x.lo == y.lo
}

// String prints the unsigned value and the width, as 5:8.
func (x BV) String() string { return fmt.Sprintf("%s:%d", x.Unsigned(), x.width) }

func (x BV) same(y BV, op string) {
	if x.width != y.width {
		panic(fmt.Sprintf("bv: %s of widths %d and %d", op, x.width, y.width))
	}
}

func (x BV) wide(y BV, op func(z, a, b *big.Int) *big.Int) BV {
	return FromBig(x.width, op(new(big.Int), x.big, y.big))
}

// Add is x + y modulo 2^width.
func (x BV) Add(y BV) BV {
	x.same(y, "add")
	if x.big != nil {
		return x.wide(y, (*big.Int).Add)
	}
	return New(x.width, x.lo+y.lo)
}

// Sub is x - y modulo 2^width.
func (x BV) Sub(y BV) BV {
	x.same(y, "sub")
	if x.big != nil {
		return x.wide(y, (*big.Int).Sub)
	}
	return New(x.width, x.lo-y.lo)
}

// Mul is x * y modulo 2^width.
func (x BV) Mul(y BV) BV {
	x.same(y, "mul")
	if x.big != nil {
		return x.wide(y, (*big.Int).Mul)
	}
	return New(x.width, x.lo*y.lo)
}

// Neg is -x modulo 2^width.
func (x BV) Neg() BV { return New(x.width, 0).Sub(x) }

// UDiv is the unsigned quotient; all ones if y is 0 [SMT-LIB].
func (x BV) UDiv(y BV) BV {
	x.same(y, "udiv")
	if y.IsZero() {
		return New(x.width, 0).Not()
	}
	if x.big != nil {
		return x.wide(y, (*big.Int).Quo)
	}
	return New(x.width, x.lo/y.lo)
}

// URem is the unsigned remainder; x if y is 0 [SMT-LIB].
func (x BV) URem(y BV) BV {
	x.same(y, "urem")
	if y.IsZero() {
		return x
	}
	if x.big != nil {
		return x.wide(y, (*big.Int).Rem)
	}
	return New(x.width, x.lo%y.lo)
}

// SDiv is the signed quotient rounded to zero; 1 or -1 if y is 0 [SMT-LIB].
func (x BV) SDiv(y BV) BV {
	nx, ny := x.Negative(), y.Negative()
	q := x.Abs().UDiv(y.Abs())
	if nx != ny {
		return q.Neg()
	}
	return q
}

// SRem is the signed remainder with the sign of x; x if y is 0 [SMT-LIB].
func (x BV) SRem(y BV) BV {
	r := x.Abs().URem(y.Abs())
	if x.Negative() {
		return r.Neg()
	}
	return r
}

// Negative is the sign bit.
func (x BV) Negative() bool { return x.Bit(x.width - 1) }

// Abs is x or -x modulo 2^width, whichever has no sign; the minimum is itself.
func (x BV) Abs() BV {
	if x.Negative() {
		return x.Neg()
	}
	return x
}

// Not is the bitwise complement.
func (x BV) Not() BV {
	if x.big != nil {
		return FromBig(x.width, new(big.Int).Not(x.big))
	}
	return New(x.width, ^x.lo)
}

// And is the bitwise conjunction.
func (x BV) And(y BV) BV {
	x.same(y, "and")
	if x.big != nil {
		return x.wide(y, (*big.Int).And)
	}
	return New(x.width, x.lo&y.lo)
}

// Or is the bitwise disjunction.
func (x BV) Or(y BV) BV {
	x.same(y, "or")
	if x.big != nil {
		return x.wide(y, (*big.Int).Or)
	}
	return New(x.width, x.lo|y.lo)
}

// Xor is the bitwise exclusive disjunction.
func (x BV) Xor(y BV) BV {
	x.same(y, "xor")
	if x.big != nil {
		return x.wide(y, (*big.Int).Xor)
	}
	return New(x.width, x.lo^y.lo)
}

func (x BV) amount(y BV) (uint, bool) {
	if !y.IsUint64() || y.Uint64() >= uint64(x.width) {
		return 0, false
	}
	return uint(y.Uint64()), true
}

// Shl shifts left; 0 if y >= width.
func (x BV) Shl(y BV) BV {
	n, ok := x.amount(y)
	if !ok {
		return New(x.width, 0)
	}
	if x.big != nil {
		return FromBig(x.width, new(big.Int).Lsh(x.big, n))
	}
	return New(x.width, x.lo<<n)
}

// LShr shifts right with zeros; 0 if y >= width.
func (x BV) LShr(y BV) BV {
	n, ok := x.amount(y)
	if !ok {
		return New(x.width, 0)
	}
	if x.big != nil {
		return FromBig(x.width, new(big.Int).Rsh(x.big, n))
	}
	return New(x.width, x.lo>>n)
}

// AShr shifts right with copies of the sign; all signs if y >= width.
func (x BV) AShr(y BV) BV {
	n, ok := x.amount(y)
	if !ok {
		n = uint(x.width - 1)
	}
	if x.big != nil {
		return FromBig(x.width, new(big.Int).Rsh(x.Signed(), n))
	}
	return NewSigned(x.width, x.Int64()>>n)
}

// Cmp compares as unsigned numbers.
func (x BV) Cmp(y BV) int {
	x.same(y, "cmp")
	if x.big != nil {
		return x.big.Cmp(y.big)
	}
	switch {
	case x.lo < y.lo:
		return -1
	case x.lo > y.lo:
		return 1
	}
	return 0
}

// SCmp compares as signed numbers.
func (x BV) SCmp(y BV) int {
	if x.Negative() != y.Negative() {
		if x.Negative() {
			return -1
		}
		return 1
	}
	return x.Cmp(y)
}

// ULt is x < y unsigned.
func (x BV) ULt(y BV) bool { return x.Cmp(y) < 0 }

// SLt is x < y signed.
func (x BV) SLt(y BV) bool { return x.SCmp(y) < 0 }

// Extract is bits hi..lo, of width hi-lo+1.
func (x BV) Extract(hi, lo uint32) BV {
	if x.big != nil {
		return FromBig(hi-lo+1, new(big.Int).Rsh(x.big, uint(lo)))
	}
	return New(hi-lo+1, x.lo>>lo)
}

// Concat has x as the high and y as the low bits.
func (x BV) Concat(y BV) BV {
	w := x.width + y.width
	if w <= 64 {
		return New(w, x.lo<<y.width|y.lo)
	}
	return FromBig(w, new(big.Int).Or(new(big.Int).Lsh(x.Unsigned(), uint(y.width)), y.Unsigned()))
}

// ZExt extends to the given total width with zeros.
func (x BV) ZExt(width uint32) BV {
	if width <= 64 {
		return New(width, x.lo)
	}
	return FromBig(width, x.Unsigned())
}

// SExt extends to the given total width with copies of the sign.
func (x BV) SExt(width uint32) BV {
	if width <= 64 {
		return NewSigned(width, x.Int64())
	}
	return FromBig(width, x.Signed())
}

// Trunc keeps the low bits.
func (x BV) Trunc(width uint32) BV { return x.Extract(width-1, 0) }

// Bytes are the bytes from the least significant; the width must be a multiple of 8.
func (x BV) Bytes() []byte {
	b := make([]byte, x.width/8)
	for i := range b {
		b[i] = byte(x.Extract(uint32(i)*8+7, uint32(i)*8).Uint64())
	}
	return b
}

// FromBytes is the inverse of Bytes.
func FromBytes(b []byte) BV {
	if len(b) <= 8 {
		var v uint64
		for i, c := range b {
			v |= uint64(c) << (8 * i)
		}
		return New(uint32(len(b))*8, v)
	}
	be := make([]byte, len(b))
	for i, c := range b {
		be[len(b)-1-i] = c
	}
	return FromBig(uint32(len(b))*8, new(big.Int).SetBytes(be))
}
