package guess

import (
	"math/rand/v2"
	"testing"

	"assay/internal/evidence/invariant"
	"assay/internal/logic/bv"
	"assay/internal/transform/cut"
)

// TestAffine compares the equations of sets of states with all equations that
// hold in them, at width 3 with two integers.
func TestAffine(t *testing.T) {
	const w, n = 3, 1 << 3
	rng := rand.New(rand.NewPCG(7, 1))
	places := []cut.Place{{Value: 1, Bits: w}, {Value: 2, Bits: w}}
	partial := 0
	for range 2000 {
		a := NewAffine(w, 2)
		var joined [][2]uint64
		for range rng.IntN(5) {
			s := [2]uint64{rng.Uint64N(n), rng.Uint64N(n)}
			if rng.IntN(2) == 0 && len(joined) > 0 {
				s = [2]uint64{joined[0][0] ^ 4, joined[0][1]}
			}
			joined = append(joined, s)
			a.Join(s[:])
		}
		ps := a.Predicates(places)
		holds := func(s [2]uint64) bool {
			for i := range ps {
				if !invariant.Holds(ps[i], func(t invariant.Term, _ int64) (bv.BV, bool) { return bv.New(w, s[t.Value-1]), true }, 0) {
					return false
				}
			}
			return true
		}
		var left [][2]uint64
		for x := range uint64(n) {
			for y := range uint64(n) {
				if s := [2]uint64{x, y}; holds(s) {
					left = append(left, s)
				}
			}
		}
		if len(left) > len(joined) && len(left) < n*n {
			partial++
		}
		all := func(states [][2]uint64, c uint64) bool {
			for _, s := range states {
				if ((c&7)*s[0]+(c>>3&7)*s[1]+(c>>6))%n != 0 {
					return false
				}
			}
			return true
		}
		for c := range uint64(n * n * n) {
			if all(joined, c) != all(left, c) {
				t.Fatalf("states %v: equation %o holds in them: %v, in what the basis allows: %v; basis %v", joined, c, all(joined, c), all(left, c), ps)
			}
		}
	}
	if partial < 500 {
		t.Errorf("only %d sets between the extremes", partial)
	}
}

// TestAffineWords: the steps of a counter and of one that runs against it.
func TestAffineWords(t *testing.T) {
	for _, w := range []uint32{8, 16, 32, 64} {
		a := NewAffine(w, 2)
		for i := range uint64(4) {
			a.Join([]uint64{3 + 6*i, 100 - 12*i})
		}
		texts := map[string]bool{}
		for _, p := range a.Predicates([]cut.Place{{Value: 1, Bits: w}, {Value: 2, Bits: w}}) {
			texts[p.Text(func(t invariant.Term) string { return string(rune('w' + t.Value)) })] = true
		}
		if len(texts) != 2 || !texts["(x - 1) % 2 == 0"] {
			t.Errorf("width %d: %v", w, texts)
		}
	}
}
