package invariant

import (
	"strings"
	"testing"

	"assay/internal/logic/bv"
)

// TestPolynomial compares a predicate with its equation, for all values.
func TestPolynomial(t *testing.T) {
	a := Term{Coeff: 1, Value: 1, Bits: 4, Signed: true}
	b := Term{Coeff: 1, Value: 2, Bits: 3}
	p := &Polynomial{Width: 5, Monomials: []Monomial{{1, []Term{a, b}}, {29, []Term{a, a}}, {7, nil}}}
	if why := p.IllFormed(); why != "" {
		t.Fatal(why)
	}
	if got := p.Text(func(t Term) string { return string(rune('`' + t.Value)) }); got != "(a*b + 7 - (3*a*a)) % 2^5 == 0" {
		t.Error(got)
	}
	seen := map[bool]int{}
	for x := int64(-8); x < 8; x++ {
		for y := range int64(8) {
			got := Holds(p, func(t Term, _ int64) (bv.BV, bool) {
				if t.Value == 1 {
					return bv.NewSigned(4, x), true
				}
				return bv.New(3, uint64(y)), true
			}, 0)
			seen[got]++
			if got != ((x*y-3*x*x+7)%32 == 0) {
				t.Errorf("%d, %d: %v", x, y, got)
			}
		}
	}
	if seen[true] == 0 || seen[false] == 0 {
		t.Error(seen)
	}
	count := 0
	p.Each(func(Term) { count++ })
	if count != 4 {
		t.Error(count, "factors")
	}
	c := &Polynomial{Width: 32, Monomials: []Monomial{{1, []Term{a}}, {1<<32 - 1, []Term{b, b}}}}
	if got := c.Text(func(t Term) string { return string(rune('`' + t.Value)) }); got != "(unsigned)a == (unsigned)(b*b)" {
		t.Error(got)
	}
	for what, q := range map[string]Polynomial{
		"modulo 2^65": {Width: 65}, "its width": {Width: 3, Monomials: []Monomial{{1, []Term{a}}}},
	} {
		if got := q.IllFormed(); !strings.Contains(got, what) {
			t.Errorf("%q, want %q", got, what)
		}
	}
}
