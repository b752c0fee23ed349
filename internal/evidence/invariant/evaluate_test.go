package invariant

import (
	"math/big"
	"testing"

	"assay/internal/logic/bv"
)

// TestElements evaluates what is said of the elements of an array of bytes, of which the
// last ones are not there.
func TestElements(t *testing.T) {
	array := []uint64{0, 1, 4, 9, 16}
	n := int64(0) // the value of the parameter
	value := func(t Term, k int64) (bv.BV, bool) {
		if !t.Cell {
			return bv.NewSigned(8, n), true
		}
		if at := int64(t.Offset) + int64(t.Stride)*k; at >= 0 && at < int64(len(array)) {
			return bv.New(8, array[at]), true
		}
		return bv.BV{}, false
	}
	element := Term{Coeff: 1, Value: 1, Cell: true, Stride: 1, Bits: 8}
	square := Term{Coeff: -1, Index: true, Square: true, Bits: 64, Signed: true}
	bound := Term{Coeff: 1, Value: 2, Bits: 8, Signed: true}
	upTo := func(from int64) Range {
		return Range{From: Sum{Const: big.NewInt(from)}, To: Sum{Terms: []Term{bound}, Const: new(big.Int)}}
	}
	squares := Comparison{Terms: []Term{element, square}, Relation: Congruent, Bound: new(big.Int), Modulus: 1 << 8}
	small := Comparison{Terms: []Term{element}, Bound: big.NewInt(4)}
	sum := func(constant int64) Predicate {
		return &SumEquation{Width: 8, Constant: constant, Sums: []ElementSum{{Coeff: 1, Base: 1, Count: Sum{Terms: []Term{bound}, Const: new(big.Int)}}}}
	}
	guarded := Guarded{If: []Comparison{{Terms: []Term{bound}, Bound: new(big.Int)}}, Then: Comparison{Bound: big.NewInt(-1)}}
	absent := Term{Coeff: 1, Value: 1, Cell: true, Offset: 77, Bits: 8}
	for _, c := range []struct {
		name string
		p    Predicate
		n    int64
		want bool
	}{
		{"squares", ForAll{upTo(0), squares}, 5, true},
		{"squares, some of which are not there", ForAll{upTo(0), squares}, 7, true},
		{"small", ForAll{upTo(0), small}, 3, true},
		{"one is not small", ForAll{upTo(0), small}, 4, false},
		{"that one left out", ForAll{upTo(4), small}, 4, true},
		{"no index", ForAll{upTo(0), Comparison{Bound: big.NewInt(-1)}}, -3, true},
		{"sum", sum(-5), 3, true},
		{"another sum", sum(-5), 4, false},
		{"sum of none", sum(0), -1, true},
		{"sum modulo 2^8", sum(256 - 30), 5, true},
		{"sum of what is not there", sum(1), 6, true},
		{"condition", guarded, 1, true},
		{"condition that holds", guarded, 0, false},
		{"comparison with what is not there", Comparison{Terms: []Term{absent}, Bound: big.NewInt(-1)}, 0, true},
		{"condition that is not there", Guarded{If: []Comparison{{Terms: []Term{absent}, Bound: big.NewInt(-1)}}, Then: Comparison{Bound: big.NewInt(-1)}}, 0, false},
	} {
		n = c.n
		if got := Holds(c.p, value, 100); got != c.want {
			t.Errorf("%s, up to %d: %v", c.name, n, got)
		}
	}
	// Of a long range the ends are looked at.
	looked := map[int64]bool{}
	Holds(ForAll{Range{Sum{Const: big.NewInt(-10)}, Sum{Const: big.NewInt(1 << 50)}}, small}, func(_ Term, k int64) (bv.BV, bool) {
		looked[k] = true
		return bv.New(8, 0), true
	}, 2)
	for _, k := range []int64{-10, -9, 1<<50 - 2, 1<<50 - 1} {
		if !looked[k] || len(looked) != 4 {
			t.Errorf("%d of %v", k, looked)
		}
	}
}
