package invariant

import (
	"math"
	"math/big"
	"testing"

	"assay/internal/logic/bv"
)

var samples = []float64{math.Inf(-1), -math.MaxFloat32, -3, -1, -0x1p-149, math.Copysign(0, -1), 0, 0x1p-149, 1, 1.5, 3, math.MaxFloat32, math.Inf(1), math.NaN()}

func single(v float64) bv.BV { return bv.New(32, uint64(math.Float32bits(float32(v)))) }

// TestFloatOrder compares predicates with the order of the processor's floats.
func TestFloatOrder(t *testing.T) {
	x, y := Term{Coeff: 1, Value: 1, Bits: 32, Signed: true, Float: true}, Term{Coeff: -1, Value: 2, Bits: 32, Signed: true, Float: true}
	minus, plus := x, y
	minus.Coeff, plus.Coeff = -1, 1
	for _, a := range append(samples, -math.NaN()) {
		for _, b := range samples {
			value := func(t Term, _ int64) (bv.BV, bool) {
				if t.Value == 1 {
					return single(a), true
				}
				return single(b), true
			}
			check := func(p Order, want bool) {
				if p.IllFormed() != "" || Holds(p, value, 0) != want {
					t.Errorf("%v, %v: %s is %v", a, b, p.Text(func(t Term) string { return string(rune('w' + t.Value)) }), !want)
				}
			}
			check(Order{Terms: []Term{x, y}, Bound: new(big.Int)}, a <= b)
			check(Order{Terms: []Term{y, x}, Bound: big.NewInt(-1)}, a < b)
			check(Order{Terms: []Term{minus, plus}, Bound: new(big.Int)}, b <= a)
			if b == b {
				n := Position(single(b))
				check(Order{Terms: []Term{x}, Bound: big.NewInt(n)}, a <= b)
				check(Order{Terms: []Term{minus}, Bound: big.NewInt(-n)}, a >= b)
				if c := math.Float32frombits(uint32(FloatAt(32, n).Uint64())); float64(c) != b {
					t.Errorf("%v comes back as %v", b, c)
				}
			}
		}
	}
}

// TestFloatPositions: the positions of a format of 16 bits are all numbers, in order.
func TestFloatPositions(t *testing.T) {
	inf := Infinity(16)
	for n := -inf; n <= inf; n++ {
		if Position(FloatAt(16, n)) != n {
			t.Fatalf("position %d comes back as %d", n, Position(FloatAt(16, n)))
		}
	}
	if Position(bv.New(16, 0x8000)) != 0 || Position(bv.New(16, 0x7c01)) != inf+1 || Position(bv.New(16, 0xfc01)) != -inf-1 {
		t.Error("a zero or a NaN has the wrong position")
	}
}

func TestFloatText(t *testing.T) {
	for x, want := range map[bv.BV]string{
		single(1):                         "1.0f",
		single(0.1):                       "0.1f",
		single(-2.5e30):                   "-2.5e+30f",
		bv.New(64, math.Float64bits(0.1)): "0.1",
		bv.New(64, math.Float64bits(math.Inf(1))): "INFINITY",
		bv.New(16, 0x3e00):                        "1.5",
		bv.New(16, 0x8001):                        "-5.960464477539063e-08",
	} {
		if got := FloatText(x); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	x := Term{Coeff: 1, Value: 1, Bits: 64, Float: true}
	p := Order{Terms: []Term{x}, Bound: big.NewInt(Position(bv.New(64, math.Float64bits(-2.5))))}
	if got := p.Text(func(Term) string { return "x" }); got != "x <= -2.5" {
		t.Error(got)
	}
	p.Terms[0].Coeff = -1
	if got := p.Text(func(Term) string { return "x" }); got != "x >= 2.5" {
		t.Error(got)
	}
}

// TestOrderForm has what is no bound and no order.
func TestOrderForm(t *testing.T) {
	x, y := Term{Coeff: 1, Bits: 32, Float: true}, Term{Coeff: -1, Bits: 32, Float: true}
	wide, integer, twice := y, y, x
	wide.Bits, integer.Float, twice.Coeff = 64, false, 2
	for name, p := range map[string]Order{
		"difference": {Terms: []Term{x, y}, Bound: big.NewInt(1)},
		"sum":        {Terms: []Term{x, x}, Bound: new(big.Int)},
		"widths":     {Terms: []Term{x, wide}, Bound: new(big.Int)},
		"mixed":      {Terms: []Term{x, integer}, Bound: new(big.Int)},
		"mixed, too": {Terms: []Term{integer, x}, Bound: new(big.Int)},
		"twice":      {Terms: []Term{twice}, Bound: new(big.Int)},
		"NaN":        {Terms: []Term{x}, Bound: big.NewInt(Infinity(32) + 1)},
		"no bound":   {Terms: []Term{x}},
		"nothing":    {Bound: new(big.Int)},
		"three":      {Terms: []Term{x, y, y}, Bound: new(big.Int)},
	} {
		if p.IllFormed() == "" {
			t.Errorf("%s has the form", name)
		}
	}
}
