package ltl_test

import (
	"math/rand/v2"
	"testing"

	"assay/internal/temporal/ltl"
	"assay/internal/temporal/ltl/ltltest"
)

// TestPrefix: what is known of the beginning of a lasso is true of it, for all lassos of a length that go on
// otherwise behind it; and without temporal operators everything is known.
func TestPrefix(t *testing.T) {
	known, open := 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 3))
		f := ltltest.Random(r, 2+r.IntN(7), 2)
		n := 1 + r.IntN(3)
		letters := make([]uint64, 6)
		for i := range letters {
			letters[i] = r.Uint64N(4)
		}
		at := func(a ltl.Atom, i int) bool {
			if a.Text == ltltest.Names[0] {
				return letters[i]&1 == 1
			}
			return letters[i]&2 == 2
		}
		prefix := ltl.EvaluatePrefix(f, n, at)
		for range 40 {
			for i := n; i < len(letters); i++ {
				letters[i] = r.Uint64N(4)
			}
			lasso := ltl.Lasso{Len: len(letters), Loop: r.IntN(len(letters)), Holds: at}
			if lasso.Loop < n {
				lasso.Loop = n
			}
			truth := lasso.Evaluate(f)
			for g, row := range prefix {
				for i, v := range row {
					if v != ltl.Open && v != ltl.Of(truth[g][i]) {
						t.Fatalf("%v at %d of the first %d of %v: %v, but %v", g, i, n, letters, v, truth[g][i])
					}
					if v == ltl.Open {
						open++
					} else {
						known++
					}
				}
			}
		}
	}
	if known < open {
		t.Errorf("%d known, %d open", known, open)
	}
}
