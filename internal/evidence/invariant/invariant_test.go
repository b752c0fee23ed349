package invariant

import (
	"math/big"
	"testing"

	"assay/internal/logic/bv"
)

func TestHolds(t *testing.T) {
	x, y := Term{Coeff: 1, Value: 1, Bits: 4, Signed: true}, Term{Coeff: -2, Value: 2, Bits: 4}
	for _, c := range []struct {
		p    Predicate
		want func(x, y int64) bool
		text string
	}{
		{Comparison{Terms: []Term{x, y}, Bound: big.NewInt(3)}, func(x, y int64) bool { return x-2*y <= 3 }, "x <= 2*y + 3"},
		{Comparison{Terms: []Term{y}, Bound: big.NewInt(-4)}, func(x, y int64) bool { return -2*y <= -4 }, "2*y >= 4"},
		{Comparison{Terms: []Term{x}, Relation: NotEqual, Bound: big.NewInt(-8)}, func(x, y int64) bool { return x != -8 }, "x != -8"},
		{Comparison{Terms: []Term{x, y}, Relation: Congruent, Bound: big.NewInt(-1), Modulus: 3}, func(x, y int64) bool { return (x-2*y+1)%3 == 0 }, "(x - (2*y) + 1) % 3 == 0"},
		{Guarded{If: []Comparison{{Terms: []Term{y}, Bound: big.NewInt(-8)}}, Then: Comparison{Terms: []Term{x}, Bound: big.NewInt(2)}},
			func(x, y int64) bool { return y < 4 || x <= 2 }, "!(2*y >= 8) || x <= 2"},
		{Comparison{Bound: big.NewInt(-1)}, func(x, y int64) bool { return false }, "0"},
		{Comparison{Terms: []Term{{Coeff: 1, Value: 1, Bits: 4, Signed: true}, {Coeff: -1, Value: 2, Bits: 4}}, Relation: Congruent, Modulus: 16, Bound: big.NewInt(1)},
			func(x, y int64) bool { return (x-y-1)%16 == 0 }, "(x - y - 1) % 16 == 0"},
	} {
		if got := c.p.Text(func(t Term) string { return string(rune('w' + t.Value)) }); got != c.text {
			t.Errorf("text %q, want %q", got, c.text)
		}
		sum, isSum := c.p.(Comparison)
		limit := int64(0)
		if isSum {
			limit = 1 << (sum.Width() - 1)
		}
		for a := range uint64(16) {
			for b := range uint64(16) {
				va, vb := bv.New(4, a), bv.New(4, b)
				got := Holds(c.p, func(t Term, _ int64) (bv.BV, bool) {
					if t.Value == 1 {
						return va, true
					}
					return vb, true
				}, 0)
				i, j := va.Signed().Int64(), int64(b)
				if got != c.want(i, j) {
					t.Errorf("%s: %v for %d, %d", c.text, got, i, j)
				}
				if !isSum || len(sum.Terms) != 2 || sum.Terms[1].Coeff != -2 {
					continue
				}
				if d := i - 2*j - sum.Bound.Int64(); d >= limit || d < -limit {
					t.Errorf("%s: width %d is too small for %d, %d", c.text, sum.Width(), i, j)
				}
			}
		}
	}
}
