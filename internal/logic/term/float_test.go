package term

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"assay/internal/logic/bv"
)

// halves are the finite non-negative binary16 numbers in ascending order; the
// index is the bit pattern.
func halves() []*big.Rat {
	list := make([]*big.Rat, 0x7c00)
	for b := range list {
		e, m := b>>10, int64(b&0x3ff)
		if e == 0 {
			e = 1
		} else {
			m += 1 << 10
		}
		r := new(big.Rat).SetInt64(m)
		scale := new(big.Int).Lsh(big.NewInt(1), uint(max(e-25, 25-e)))
		if e >= 25 {
			r.Mul(r, new(big.Rat).SetInt(scale))
		} else {
			r.Quo(r, new(big.Rat).SetInt(scale))
		}
		list[b] = r
	}
	return list
}

// nearestHalf rounds an exact number by looking at its neighbours.
func nearestHalf(list []*big.Rat, v *big.Rat) uint64 {
	m := new(big.Rat).Abs(v)
	lo, hi := 0, len(list) // list[lo] <= m, list[hi] > m or hi is past the end
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; list[mid].Cmp(m) <= 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	next := big.NewRat(65536, 1) // what would follow the greatest number
	if hi < len(list) {
		next = list[hi]
	}
	middle := new(big.Rat).Add(list[lo], next)
	middle.Mul(middle, big.NewRat(1, 2))
	b := uint64(lo)
	if c := m.Cmp(middle); c > 0 || c == 0 && lo&1 == 1 {
		b++
	}
	if v.Sign() < 0 {
		b |= 0x8000
	}
	return b
}

func run(op Op, width uint32, args ...bv.BV) uint64 { return applyFloat(op, width, 0, args).Uint64() }

func TestHalf(t *testing.T) {
	list := halves()
	half := formatsOf(16)
	for b := range uint64(1 << 16) {
		v := half.decode(b)
		if v != v {
			if half.encode(v) != 0x7e00 {
				t.Fatalf("NaN %#x encodes to %#x", b, half.encode(v))
			}
			continue
		}
		if half.encode(v) != b {
			t.Fatalf("%#x is %g, which encodes to %#x", b, v, half.encode(v))
		}
		if m := b & 0x7fff; m < 0x7c00 {
			if exact, _ := list[m].Float64(); exact != math.Abs(v) || math.Signbit(v) != (b>>15 == 1) {
				t.Fatalf("%#x is %g, want magnitude %g", b, v, exact)
			}
		}
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 10000 {
		var x [3]bv.BV
		var r [3]*big.Rat
		for i := range x {
			b := rng.Uint64() & 0xffff
			for b&0x7c00 == 0x7c00 {
				b = rng.Uint64() & 0xffff
			}
			if rng.IntN(3) == 0 {
				b &= 0x83ff // subnormal
			}
			x[i] = bv.New(16, b)
			r[i] = new(big.Rat).Set(list[b&0x7fff])
			if b>>15 == 1 {
				r[i].Neg(r[i])
			}
		}
		check := func(op Op, want *big.Rat, args ...bv.BV) {
			t.Helper()
			if want.Sign() == 0 {
				return // signs of zeros are tested elsewhere
			}
			if got := run(op, 16, args...); got != nearestHalf(list, want) {
				t.Fatalf("%s of %v is %#x, want %#x", op, args, got, nearestHalf(list, want))
			}
		}
		product := new(big.Rat).Mul(r[0], r[1])
		check(OpFAdd, new(big.Rat).Add(r[0], r[1]), x[0], x[1])
		check(OpFMul, product, x[0], x[1])
		check(OpFMA, new(big.Rat).Add(product, r[2]), x[0], x[1], x[2])
		if r[1].Sign() != 0 {
			check(OpFDiv, new(big.Rat).Quo(r[0], r[1]), x[0], x[1])
		}
		// Conversion of numbers that binary16 has not.
		v := math.Float64frombits(rng.Uint64()&^(0x7ff<<52) | uint64(1023-30+rng.IntN(50))<<52)
		exact, _ := new(big.Float).SetFloat64(v).Rat(nil)
		check(OpFToF, exact, bv.New(64, math.Float64bits(v)))
		n := int64(rng.Uint64()) >> rng.IntN(63)
		check(OpSIToF, new(big.Rat).SetInt64(n), bv.NewSigned(64, n))
	}
}

func formatsOf(width uint32) floatFormat {
	f, _ := formatOf(width)
	return f
}

// TestSingle compares with exact rational arithmetic, rounded by math/big.
func TestSingle(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	round := func(r *big.Rat) uint64 {
		f, _ := r.Float32()
		return uint64(math.Float32bits(f))
	}
	for range 25000 {
		var x [3]bv.BV
		var r [3]*big.Rat
		for i := range x {
			e := uint64(rng.IntN(254))
			if i > 0 && rng.IntN(2) == 0 {
				e = uint64(120 + rng.IntN(16)) // comparable magnitudes
			}
			b := rng.Uint64()&0x807fffff | e<<23
			switch rng.IntN(4) {
			case 0:
				b &^= 0x3fff // many zeros, for ties
			case 1:
				b &= 0x807fffff // subnormal
			}
			x[i] = bv.New(32, b)
			r[i] = new(big.Rat)
			r[i].SetFloat64(float64(math.Float32frombits(uint32(b))))
		}
		check := func(op Op, want *big.Rat, args ...bv.BV) {
			t.Helper()
			if want.Sign() != 0 && run(op, 32, args...) != round(want) {
				t.Fatalf("%s of %v is %#x, want %#x", op, args, run(op, 32, args...), round(want))
			}
		}
		product := new(big.Rat).Mul(r[0], r[1])
		check(OpFAdd, new(big.Rat).Add(r[0], r[1]), x[0], x[1])
		check(OpFMul, product, x[0], x[1])
		check(OpFMA, new(big.Rat).Add(product, r[2]), x[0], x[1], x[2])
		// The hard case of a fused operation: the product is next to a tie that
		// the third operand breaks.
		tiny := bv.New(32, rng.Uint64()&0x80000000|uint64(rng.IntN(60)+1)<<23)
		third := new(big.Rat)
		third.SetFloat64(float64(math.Float32frombits(uint32(tiny.Uint64()))))
		check(OpFMA, new(big.Rat).Add(product, third), x[0], x[1], tiny)
		if r[1].Sign() != 0 {
			check(OpFDiv, new(big.Rat).Quo(r[0], r[1]), x[0], x[1])
		}
		n := new(big.Int).Rsh(new(big.Int).SetUint64(rng.Uint64()), uint(rng.IntN(64)))
		n.Lsh(n, uint(rng.IntN(60)))
		if rng.IntN(2) == 0 {
			n.Add(n, big.NewInt(1))
		}
		check(OpUIToF, new(big.Rat).SetInt(n), bv.FromBig(130, n))
		if root := run(OpFSqrt, 32, bv.New(32, x[0].Uint64()&0x7fffffff)); r[0].Sign() != 0 {
			exact := new(big.Float).SetPrec(200)
			exact.Sqrt(new(big.Float).SetPrec(200).SetRat(new(big.Rat).Abs(r[0])))
			if f, _ := exact.Float32(); uint64(math.Float32bits(f)) != root {
				t.Fatalf("root of %v is %#x", x[0], root)
			}
		}
	}
}

// TestFloatCorners has what has no exact value: signs of zeros, infinities, NaN.
func TestFloatCorners(t *testing.T) {
	zero, inf, nan := 0.0, math.Inf(1), math.NaN()
	minus := math.Copysign(0, -1)
	tests := []struct {
		op   Op
		args []float64
		want float64
	}{
		{OpFAdd, []float64{zero, minus}, zero},
		{OpFAdd, []float64{minus, minus}, minus},
		{OpFAdd, []float64{1, -1}, zero},
		{OpFAdd, []float64{inf, -inf}, nan},
		{OpFMul, []float64{zero, -1}, minus},
		{OpFMul, []float64{zero, inf}, nan},
		{OpFDiv, []float64{1, minus}, -inf},
		{OpFDiv, []float64{zero, zero}, nan},
		{OpFDiv, []float64{-1, inf}, minus},
		{OpFRem, []float64{-6, 3}, minus},
		{OpFRem, []float64{5, -3}, 2},
		{OpFRem, []float64{-5, 3}, -2},
		{OpFRem, []float64{5, inf}, 5},
		{OpFRem, []float64{inf, 5}, nan},
		{OpFRem, []float64{5, zero}, nan},
		{OpFRem, []float64{minus, 5}, minus},
		{OpFSqrt, []float64{minus}, minus},
		{OpFSqrt, []float64{-1}, nan},
		{OpFSqrt, []float64{inf}, inf},
		{OpFMA, []float64{1, 1, -1}, zero},
		{OpFMA, []float64{minus, 1, minus}, minus},
		{OpFMA, []float64{minus, 1, zero}, zero},
		{OpFMA, []float64{zero, inf, 1}, nan},
		{OpFMA, []float64{inf, 1, -inf}, nan},
		{OpFMA, []float64{2, 2, -inf}, -inf},
		{OpFMA, []float64{nan, 2, 3}, nan},
		{OpFToF, []float64{nan}, nan},
		{OpFToF, []float64{-inf}, -inf},
		{OpFToF, []float64{minus}, minus},
	}
	for _, width := range []uint32{16, 32, 64} {
		f := formatsOf(width)
		for _, test := range tests {
			if test.op == OpFToF && width == 64 {
				continue
			}
			var args []bv.BV
			for _, a := range test.args {
				args = append(args, bv.New(width, f.encode(a)))
			}
			out := f
			if test.op == OpFToF {
				out = formatsOf(64)
			}
			if got := run(test.op, out.width, args...); got != out.encode(test.want) {
				t.Errorf("width %d: %s of %v is %#x, want %g", width, test.op, test.args, got, test.want)
			}
		}
		for mode, want := range [][]float64{
			{-3, -2, -2, -0.0, 0, 2, 2, 3}, {-2, -2, -1, -0.0, 0, 1, 2, 2}, {-3, -3, -2, -1, 0, 1, 2, 2},
			{-2, -2, -1, -0.0, 1, 2, 3, 3}, {-3, -3, -2, -1, 1, 2, 3, 3},
		} {
			for i, v := range []float64{-2.75, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 2.75} {
				w := want[i]
				if w == 0 {
					w = math.Copysign(0, v)
				}
				got := applyFloat(OpFRound, width, RoundMode(mode), []bv.BV{bv.New(width, f.encode(v))})
				if got.Uint64() != f.encode(w) {
					t.Errorf("width %d: %g rounded %s is %g", width, v, RoundMode(mode), f.decode(got.Uint64()))
				}
			}
		}
		// All NaNs are one NaN, in every operation.
		odd := bv.New(width, f.nan()|f.sign()|1)
		for _, op := range []Op{OpFAdd, OpFMul, OpFDiv, OpFRem} {
			if got := run(op, width, odd, bv.New(width, f.encode(1))); got != f.nan() {
				t.Errorf("width %d: %s of a NaN is %#x", width, op, got)
			}
		}
		for _, op := range []Op{OpFEq, OpFLt, OpFLe} {
			if run(op, 1, odd, odd) != 0 {
				t.Errorf("%s of NaNs is true", op)
			}
			if got, want := run(op, 1, bv.New(width, f.sign()), bv.New(width, 0)) == 1, op != OpFLt; got != want {
				t.Errorf("%s of -0 and 0 is %t", op, got)
			}
		}
	}
}

func TestFloatToInteger(t *testing.T) {
	tests := []struct {
		v      float64
		width  uint32
		signed int64
		un     uint64
	}{
		{1.9, 8, 1, 1}, {-1.9, 8, -1, 0}, {-0.9, 8, 0, 0}, {127.9, 8, 127, 127}, {128, 8, 0, 128},
		{-128.9, 8, -128, 0}, {-129, 8, 0, 0}, {255.9, 8, 0, 255}, {256, 8, 0, 0},
		{math.NaN(), 8, 0, 0}, {math.Inf(1), 8, 0, 0}, {math.Inf(-1), 8, 0, 0},
		{9223372036854774784, 64, 9223372036854774784, 9223372036854774784},
		{9223372036854775808, 64, 0, 9223372036854775808}, {-9223372036854775808, 64, math.MinInt64, 0},
		{18446744073709551616, 64, 0, 0},
	}
	for _, test := range tests {
		x := bv.New(64, math.Float64bits(test.v))
		if got := applyFloat(OpFToSI, test.width, 0, []bv.BV{x}).Int64(); got != test.signed {
			t.Errorf("signed %g in %d bits is %d, want %d", test.v, test.width, got, test.signed)
		}
		if got := applyFloat(OpFToUI, test.width, 0, []bv.BV{x}).Uint64(); got != test.un {
			t.Errorf("unsigned %g in %d bits is %d, want %d", test.v, test.width, got, test.un)
		}
	}
}
