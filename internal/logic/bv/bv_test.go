package bv

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// value favours the corners.
func value(rng *rand.Rand, width uint32) *big.Int {
	v := new(big.Int)
	switch rng.IntN(5) {
	case 0:
		return wrap(width, v.SetInt64(int64(rng.IntN(4))))
	case 1:
		return wrap(width, v.SetInt64(int64(-rng.IntN(4))))
	case 2:
		return v.Lsh(big.NewInt(1), uint(width-1))
	}
	for range width/64 + 1 {
		v.Or(v.Lsh(v, 64), new(big.Int).SetUint64(rng.Uint64()))
	}
	return wrap(width, v)
}

// wrap is v modulo 2^width, by division and not by masks.
func wrap(width uint32, v *big.Int) *big.Int {
	return new(big.Int).Mod(v, new(big.Int).Lsh(big.NewInt(1), uint(width)))
}

func signed(width uint32, v *big.Int) *big.Int {
	if v.Bit(int(width-1)) == 1 {
		return new(big.Int).Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(width)))
	}
	return v
}

// TestAgainstIntegers compares every operation with its definition on whole
// numbers, on both sides of the change of representation at 64 bits.
func TestAgainstIntegers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, width := range []uint32{1, 2, 3, 8, 31, 32, 33, 63, 64, 65, 100, 128} {
		for range 2000 {
			a, b := value(rng, width), value(rng, width)
			x, y := FromBig(width, a), FromBig(width, b)
			sa, sb := signed(width, a), signed(width, b)
			check := func(op string, got BV, want *big.Int) {
				t.Helper()
				if want = wrap(width, want); got.Width() != width || got.Unsigned().Cmp(want) != 0 {
					t.Fatalf("%s of %s and %s is %s, want %s", op, x, y, got, want)
				}
			}
			z := func() *big.Int { return new(big.Int) }
			check("add", x.Add(y), z().Add(a, b))
			check("sub", x.Sub(y), z().Sub(a, b))
			check("mul", x.Mul(y), z().Mul(a, b))
			check("neg", x.Neg(), z().Neg(a))
			check("not", x.Not(), z().Not(a))
			check("and", x.And(y), z().And(a, b))
			check("or", x.Or(y), z().Or(a, b))
			check("xor", x.Xor(y), z().Xor(a, b))
			if b.Sign() == 0 {
				sign := big.NewInt(-1)
				if sa.Sign() < 0 {
					sign = big.NewInt(1)
				}
				check("udiv", x.UDiv(y), big.NewInt(-1))
				check("urem", x.URem(y), a)
				check("sdiv", x.SDiv(y), sign)
				check("srem", x.SRem(y), a)
			} else {
				check("udiv", x.UDiv(y), z().Quo(a, b))
				check("urem", x.URem(y), z().Rem(a, b))
				check("sdiv", x.SDiv(y), z().Quo(sa, sb))
				check("srem", x.SRem(y), z().Rem(sa, sb))
			}
			k := uint(width)
			if b.IsUint64() && b.Uint64() < uint64(width) {
				k = uint(b.Uint64())
			}
			check("shl", x.Shl(y), z().Lsh(a, k))
			check("lshr", x.LShr(y), z().Rsh(a, k))
			check("ashr", x.AShr(y), z().Rsh(sa, k))
			if x.ULt(y) != (a.Cmp(b) < 0) || x.SLt(y) != (sa.Cmp(sb) < 0) || x.Equal(y) != (a.Cmp(b) == 0) {
				t.Fatalf("order of %s and %s", x, y)
			}
			if x.Signed().Cmp(sa) != 0 || x.IsZero() != (a.Sign() == 0) || x.IsOnes() != x.Not().IsZero() {
				t.Fatalf("reading %s", x)
			}

			hi := uint32(rng.IntN(int(width)))
			lo := uint32(rng.IntN(int(hi + 1)))
			if e := x.Extract(hi, lo); e.Width() != hi-lo+1 || e.Unsigned().Cmp(wrap(hi-lo+1, z().Rsh(a, uint(lo)))) != 0 {
				t.Fatalf("bits %d to %d of %s are %s", hi, lo, x, e)
			}
			if c := x.Concat(y); c.Width() != 2*width || c.Unsigned().Cmp(z().Or(z().Lsh(a, uint(width)), b)) != 0 {
				t.Fatalf("%s before %s is %s", x, y, c)
			}
			to := width + uint32(rng.IntN(70))
			if e := x.ZExt(to); e.Width() != to || e.Unsigned().Cmp(a) != 0 {
				t.Fatalf("%s extended with zeros is %s", x, e)
			}
			if e := x.SExt(to); e.Width() != to || e.Signed().Cmp(sa) != 0 {
				t.Fatalf("%s extended with signs is %s", x, e)
			}
			if width%8 == 0 && !FromBytes(x.Bytes()).Equal(x) {
				t.Fatalf("bytes of %s", x)
			}
		}
	}
}
