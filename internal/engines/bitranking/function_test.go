package bitranking

import (
	"math/rand/v2"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/logic/term"
)

// TestFunctions compares what functions are on numbers and as terms.
func TestFunctions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	st := term.NewStore()
	for range 3000 {
		places := []place{{Bits: 1}, {Bits: 3}, {Bits: 3}, {Bits: 32}, {Bits: 64}}
		sum := func() []summand {
			var out []summand
			for range rng.IntN(3) {
				out = append(out, summand{rng.IntN(len(places)), int64(rng.IntN(7) - 3), rng.IntN(2) == 0})
			}
			return out
		}
		var f function
		for range rng.IntN(3) {
			f = append(f, piece{when: []condition{{sum(), int64(rng.IntN(9) - 4), uint64(rng.IntN(10))}}, sum: sum(), constant: int64(rng.IntN(9) - 4)})
		}
		f = append(f, piece{sum: sum(), constant: int64(rng.IntN(9) - 4)})
		if rng.IntN(3) == 0 {
			f = affine(summand{rng.IntN(len(places)), int64(1 - 2*rng.IntN(2)), rng.IntN(2) == 0})
		}
		state := func() (n []uint64, ts []term.ID) {
			for _, p := range places {
				x := bv.New(p.Bits, rng.Uint64()>>(64-p.Bits))
				n, ts = append(n, x.Uint64()), append(ts, st.Const(x))
			}
			return n, ts
		}
		var q pair
		var before, now []term.ID
		q.before, before = state()
		q.now, now = state()
		less, equal := f.less(st, places, now, before), f.equal(st, places, now, before)
		want := f.change(places, q)
		if st.IsTrue(less) != (want < 0) || st.IsTrue(equal) != (want == 0) || !st.IsTrue(less) && !st.IsFalse(less) {
			t.Fatalf("%+v on %v: change %d, less %v, equal %v", f, q, want, st.IsTrue(less), st.IsTrue(equal))
		}
	}
}

// TestGuess: the linear program finds what decreases on all pairs, or on the last.
func TestGuess(t *testing.T) {
	places := []place{{Bits: 8}, {Bits: 8}}
	pairs := []pair{
		{before: []uint64{10, 0}, now: []uint64{9, 2}, accepted: true},
		{before: []uint64{10, 9}, now: []uint64{13, 2}, accepted: true},
	}
	for _, all := range []bool{true, false} {
		f := guessLinear(t.Context(), places, 0, pairs, all)
		if f == nil {
			t.Fatal("nothing found")
		}
		for i, q := range pairs {
			if c := f.change(places, q); c > 0 || c == 0 && (all || i == len(pairs)-1) {
				t.Errorf("%+v does not decrease on %v", f, q)
			}
		}
	}
	if f := guessLinear(t.Context(), places, 0, []pair{{[]uint64{1, 2}, []uint64{2, 1}, true}, {[]uint64{2, 1}, []uint64{1, 2}, true}}, true); f != nil {
		t.Errorf("%+v decreases around a cycle", f)
	}
}
