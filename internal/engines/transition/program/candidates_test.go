package program

import (
	"testing"

	"assay/internal/evidence/invariant"
	"assay/internal/logic/bv"
)

// TestOfBits: all integers of 5 bits that have the bits satisfy the predicates; if the
// bits are the lowest or the highest, no others do.
func TestOfBits(t *testing.T) {
	for zeros := range uint64(32) {
		for ones := range uint64(32) {
			if zeros&ones != 0 {
				continue
			}
			ps := ofBits(invariant.Term{Value: 1, Bits: 5}, zeros, ones)
			known := zeros | ones
			low, high := known&(known+1) == 0, (^known&31)&((^known&31)+1) == 0
			for x := range uint64(32) {
				has := x&zeros == 0 && x&ones == ones
				all := true
				for i := range ps {
					all = all && invariant.Holds(ps[i], func(invariant.Term, int64) (bv.BV, bool) { return bv.New(5, x), true }, 0)
				}
				if has && !all || all && !has && known != 0 && (low || high) {
					t.Fatalf("zeros %b, ones %b: %v for %b (%d predicates)", zeros, ones, all, x, len(ps))
				}
			}
		}
	}
}
