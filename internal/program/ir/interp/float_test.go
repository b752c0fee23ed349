package interp

import (
	"math"
	"math/big"
	"math/rand/v2"
	"sort"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

const halfInf = 0x7c00

func TestHalfRoundTrip(t *testing.T) {
	for h := range 1 << 16 {
		v := decodeHalf(uint16(h))
		want := uint64(h)
		if v != v {
			want = canonicalNaN(16)
		}
		if got := encodeFloat(16, v); got != want {
			t.Fatalf("%#x -> %v -> %#x", h, v, got)
		}
	}
}

// nearestHalf rounds an exact number by looking for its neighbours among all
// halves.
func nearestHalf(x *big.Float) uint64 {
	sign := uint64(0)
	if x.Signbit() {
		sign = 0x8000
		x = new(big.Float).Neg(x)
	}
	half := func(i int) *big.Float { // the next power of two stands for infinity
		if i == halfInf {
			return big.NewFloat(65536)
		}
		return big.NewFloat(decodeHalf(uint16(i)))
	}
	i := sort.Search(halfInf, func(i int) bool { return half(i).Cmp(x) >= 0 })
	if i == 0 || half(i).Cmp(x) == 0 {
		return sign | uint64(i)
	}
	up := new(big.Float).Sub(half(i), x)
	down := new(big.Float).Sub(x, half(i-1))
	if c := up.Cmp(down); c > 0 || c == 0 && (i-1)%2 == 0 {
		i--
	}
	return sign | uint64(i)
}

func exact(x float64) *big.Float { return new(big.Float).SetPrec(700).SetFloat64(x) }

func TestHalfRounding(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		x := math.Ldexp(rng.Float64()*2-1, rng.IntN(46)-28)
		if got, want := encodeFloat(16, x), nearestHalf(exact(x)); got != want {
			t.Fatalf("%v rounds to %#x, want %#x", x, got, want)
		}
		// Ties, and numbers just beside them.
		h := rng.IntN(halfInf)
		mid := (decodeHalf(uint16(h)) + math.Min(decodeHalf(uint16(h+1)), 65536)) / 2
		for _, y := range []float64{mid, math.Nextafter(mid, 0), math.Nextafter(mid, 1e9)} {
			if got, want := encodeFloat(16, y), nearestHalf(exact(y)); got != want {
				t.Fatalf("%v rounds to %#x, want %#x", y, got, want)
			}
		}
	}
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// TestNarrowArithmetic compares with exact arithmetic and one rounding.
func TestNarrowArithmetic(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range 60000 {
		w := []uint32{16, 32}[i%2]
		x, y, z := rng.Uint64()&mask(w), rng.Uint64()&mask(w), rng.Uint64()&mask(w)
		if i%8 < 4 { // exponents close together, where rounding is interesting
			e := mask(w) &^ (mask(w) >> 5)
			y, z = y&^e|x&e, z&^e|x&e
		}
		a, b, c := decodeFloat(w, x), decodeFloat(w, y), decodeFloat(w, z)
		if !isFinite(a) || !isFinite(b) || !isFinite(c) {
			continue
		}
		round := func(r *big.Float) uint64 {
			if w == 16 {
				return nearestHalf(r)
			}
			v, _ := r.Float32()
			return uint64(math.Float32bits(v))
		}
		zero := new(big.Float).SetPrec(700)
		check := func(name string, got uint64, want *big.Float) {
			if want.Sign() == 0 { // the exact zero has no sign to compare
				if got&(mask(w)>>1) != 0 {
					t.Fatalf("%s%d(%v, %v, %v) = %#x, want 0", name, w, a, b, c, got)
				}
			} else if got != round(want) {
				t.Fatalf("%s%d(%v, %v, %v) = %#x, want %#x", name, w, a, b, c, got, round(want))
			}
		}
		check("add", floatBinary(ir.FAdd, w, x, y), zero.Copy(zero).Add(exact(a), exact(b)))
		check("sub", floatBinary(ir.FSub, w, x, y), new(big.Float).SetPrec(700).Sub(exact(a), exact(b)))
		p := new(big.Float).SetPrec(700).Mul(exact(a), exact(b))
		check("mul", floatBinary(ir.FMul, w, x, y), p)
		check("fma", fma(w, x, y, z), new(big.Float).SetPrec(700).Add(p, exact(c)))
		if b != 0 {
			check("div", floatBinary(ir.FDiv, w, x, y), new(big.Float).SetPrec(700).Quo(exact(a), exact(b)))
		}
		if a >= 0 {
			check("sqrt", floatUnary(ir.FSqrt, w, x, 0), new(big.Float).SetPrec(700).Sqrt(exact(a)))
		}
	}
}

func TestFloatSpecials(t *testing.T) {
	nan, inf, negZero := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	bits := math.Float64bits
	quiet := canonicalNaN(64)
	for _, c := range []struct {
		op         ir.Op
		x, y, want float64
	}{
		{ir.FMin, nan, 1, 1}, {ir.FMin, 1, nan, 1}, {ir.FMax, nan, 1, 1}, {ir.FMax, 2, 1, 2},
		{ir.FMin, 0, negZero, negZero}, {ir.FMin, negZero, 0, negZero}, {ir.FMax, 0, negZero, 0}, {ir.FMax, negZero, 0, 0},
		{ir.FMin, nan, nan, nan}, {ir.FMin, -inf, nan, -inf},
		{ir.FRem, 5.5, 2, 1.5}, {ir.FRem, -5.5, 2, -1.5}, {ir.FRem, 5.5, -2, 1.5}, {ir.FRem, 1, 0, nan}, {ir.FRem, inf, 1, nan},
		{ir.FRem, 1, inf, 1}, {ir.FRem, negZero, 1, negZero}, {ir.FRem, 1e300, 3, math.Mod(1e300, 3)},
		{ir.FDiv, 1, 0, inf}, {ir.FDiv, 0, 0, nan}, {ir.FCopySign, 3, negZero, -3}, {ir.FSub, inf, inf, nan},
	} {
		got := floatBinary(c.op, 64, bits(c.x), bits(c.y))
		want := bits(c.want)
		if c.want != c.want {
			want = quiet
		}
		if got != want {
			t.Errorf("%s(%v, %v) = %v, want %v", c.op, c.x, c.y, math.Float64frombits(got), c.want)
		}
	}
	// Sign operations keep the payload, arithmetic does not.
	const payload = 0xfff4000000000001
	if floatUnary(ir.FNeg, 64, payload, 0) != payload^1<<63 || floatUnary(ir.FAbs, 64, payload, 0) != payload&^(1<<63) {
		t.Error("FNeg or FAbs changes the payload of a NaN")
	}
	if floatBinary(ir.FAdd, 64, payload, bits(1)) != quiet {
		t.Error("FAdd does not make the canonical NaN")
	}
	for i, want := range []float64{2, 3, 2, 3, 2} {
		if got := floatUnary(ir.FRound, 64, bits(2.5), ir.RoundingMode(i)); got != bits(want) {
			t.Errorf("round 2.5 %s = %v", ir.RoundingMode(i), math.Float64frombits(got))
		}
	}
}

// TestConversions compares the fast conversions with the reference, which goes
// through big numbers.
func TestConversions(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	oracle := random{rng}
	for _, fw := range []uint32{16, 32, 64} {
		ft := ir.FloatType(fw)
		for _, iw := range []uint32{1, 2, 8, 15, 16, 31, 32, 33, 63, 64, 65, 128} {
			it := ir.IntType(iw)
			for _, op := range []ir.Op{ir.FToSI, ir.FToUI} {
				p, d := opProgram(t, ir.Def{Op: op, Type: it}, ft)
				limit := encodeFloat(fw, math.Ldexp(1, int(iw)))
				half := encodeFloat(fw, math.Ldexp(1, int(iw)-1))
				for i := range 300 {
					x := rng.Uint64() & mask(fw)
					switch i % 6 {
					case 0:
						x = limit + rng.Uint64N(3) - 1
					case 1:
						x = half + rng.Uint64N(3) - 1
					case 2:
						x = (half + rng.Uint64N(3) - 1) | 1<<(fw-1)
					case 3:
						x = encodeFloat(fw, rng.Float64()*4-2)
					}
					checkOp(t, p, d, bv.New(fw, x))
				}
			}
			for _, op := range []ir.Op{ir.SIToF, ir.UIToF} {
				p, d := opProgram(t, ir.Def{Op: op, Type: ft}, it)
				for range 200 {
					checkOp(t, p, d, oracle.bits(iw))
				}
			}
		}
	}
	p, d := opProgram(t, ir.Def{Op: ir.FToSI, Type: ir.IntType(8)}, ir.FloatType(16))
	for x := range uint64(1) << 16 {
		checkOp(t, p, d, bv.New(16, x))
	}
}
