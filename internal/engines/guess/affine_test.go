package guess

import (
	"math/rand/v2"
	"slices"
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

// TestSolved: what equations of 3 bits give when they are solved for some unknowns holds in all their solutions, and mentions no unknown that
// another one is solved for.
func TestSolved(t *testing.T) {
	const w, columns = 3, 4 // three unknowns and the constant
	r := rand.New(rand.NewPCG(5, 3))
	found := 0
	for range 300 {
		equations := make([][]uint64, 1+r.IntN(3))
		for i := range equations {
			for range columns {
				equations[i] = append(equations[i], r.Uint64N(1<<w))
			}
		}
		holds := func(e []uint64, x int) bool {
			sum := e[3]
			for i := range 3 {
				sum += e[i] * uint64(x>>(3*i)&7)
			}
			return sum%8 == 0
		}
		out := solved(equations, 2, w)
		found += len(out)
		for x := range 1 << 9 {
			if slices.ContainsFunc(equations, func(e []uint64) bool { return !holds(e, x) }) {
				continue
			}
			if slices.ContainsFunc(out, func(e []uint64) bool { return !holds(e, x) }) {
				t.Fatalf("%v has the solution %o, %v has not", equations, x, out)
			}
		}
		for i, e := range out {
			unknown := slices.Index(e[:2], 1)
			for j, other := range out {
				if unknown >= 0 && i != j && slices.Index(e[:2], 1) == slices.IndexFunc(e[:2], func(n uint64) bool { return n != 0 }) && other[unknown] != 0 {
					t.Fatalf("%v: both of %v mention the unknown %d", equations, out, unknown)
				}
			}
		}
	}
	if found < 200 {
		t.Errorf("%d equations", found)
	}
}
