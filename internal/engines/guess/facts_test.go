package guess

import (
	"fmt"
	"testing"

	"assay/internal/evidence/invariant"
	"assay/internal/logic/absdomain"
	"assay/internal/logic/bv"
	"assay/internal/transform/cut"
)

// TestFewest: the predicates that are left say, of every number of 6 bits, what all of them
// say, and no more than the abstract value does; none of them follows from the others.
func TestFewest(t *testing.T) {
	const width = 6
	l := &cut.Loop{}
	holds := func(list []cut.Candidate, n uint64) bool {
		for _, c := range list {
			if !invariant.Holds(c.Predicate, func(invariant.Term, int64) (bv.BV, bool) { return bv.New(width, n), true }, 0) {
				return false
			}
		}
		return true
	}
	values := []absdomain.Int{absdomain.Congruent(width, 3, 2), absdomain.KnownBits(width, 3, 0), absdomain.KnownBits(width, 1, 6).Meet(absdomain.Congruent(width, 5, 1)), absdomain.Const(width, 33)}
	for lo := uint64(0); lo < 64; lo += 7 {
		for hi := lo; hi < 64; hi += 9 {
			values = append(values, absdomain.Range(width, lo, hi), absdomain.Range(width, lo, hi).Meet(absdomain.KnownBits(width, 1, 0)))
		}
	}
	for lo := int64(-32); lo < 32; lo += 5 {
		values = append(values, absdomain.SignedRange(width, lo, lo+11), absdomain.SignedRange(width, lo, 31).Meet(absdomain.Congruent(width, 3, 1)))
	}
	for _, x := range values {
		parts := intBounds(l, invariant.Term{Value: 1, Bits: width}, x)
		few, all := fewest(parts), each(parts)
		for n := range uint64(1 << width) {
			if holds(few, n) != holds(all, n) || x.Has(n) && !holds(all, n) {
				t.Errorf("%v: %d is in %v, in all %v, in the fewest %v", x, n, x.Has(n), holds(all, n), holds(few, n))
			}
		}
		if len(few) > 4 || len(few) > len(all) {
			t.Errorf("%v: %d predicates of %d: %s", x, len(few), len(all), fmt.Sprint(few))
		}
	}
}
