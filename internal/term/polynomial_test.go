package term

import (
	"math/rand/v2"
	"testing"

	"assay/internal/bv"
)

// TestPolynomial compares the normal form of random sums and products with what they
// are, for all values of their variables, and finds equal polynomials equal.
func TestPolynomial(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 120 {
		s := NewStore()
		w := uint32(3 + rng.IntN(2))
		x, y, z := s.Var("x", BitVec(w)), s.Var("y", BitVec(w+2)), s.Var("z", BitVec(w-1))
		var word func(depth int) ID
		word = func(depth int) ID {
			if depth == 0 {
				switch rng.IntN(5) {
				case 0:
					return s.ConstU(w, rng.Uint64N(1<<w))
				case 1:
					return s.Extract(y, w-1, 0)
				case 2:
					return s.ZExt(z, w)
				case 3:
					return s.SExt(z, w)
				}
				return x
			}
			a := word(depth - 1)
			switch rng.IntN(8) {
			case 0:
				return s.Neg(a)
			case 1:
				return s.BVNot(a)
			case 2, 3:
				return s.Mul(a, word(depth-1))
			case 4:
				k := uint32(1 + rng.IntN(int(w)-1))
				return s.Concat(s.Extract(a, w-1-k, 0), s.ConstU(k, 0))
			case 5:
				return s.Extract(s.Add(s.SExt(a, w+3), s.ZExt(word(depth-1), w+3)), w-1, 0)
			}
			return s.Add(a, word(depth-1))
		}
		a, b := word(3), word(2)
		low := 1 + uint32(rng.IntN(int(w)))
		normal := s.Sum(s.Polynomial(a, low))
		checkEquivalent(t, s.String(a), s, s.Extract(a, low-1, 0), s, normal)
		p, q := s.Polynomial(a, w), s.Polynomial(b, w)
		checkEquivalent(t, "product", s, s.Mul(a, b), s, s.Sum(s.Product(p, q)))
		d := s.Polynomial(a, w)
		d.AddTimes(^uint64(0), q)
		checkEquivalent(t, "equation", s, s.Eq(a, b), s, s.IsZero(d))
	}
	s := NewStore()
	i := s.Var("i", BitVec(32))
	next := s.Add(i, s.ConstU(32, 1))
	d := s.Polynomial(s.Mul(next, next), 32)
	d.AddTimes(^uint64(0), s.Polynomial(s.Add(s.Mul(i, i), s.Add(s.Mul(i, s.ConstU(32, 2)), s.ConstU(32, 1))), 32))
	if !s.IsTrue(s.IsZero(d)) {
		t.Errorf("(i+1)² - i² - 2i - 1 is %s", s.String(s.Sum(d)))
	}
}

// TestByReads compares what is said of elements with its cases, for arrays that were
// written and chosen, and an index that cases determine.
func TestByReads(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	determined := 0
	for range 300 {
		s := NewStore()
		const w = 4
		a, b := s.Var("a", Array(w, w)), s.Var("b", Array(w, w))
		vars := []ID{s.Var("i", BitVec(w)), s.Var("j", BitVec(w)), s.Var("x", BitVec(w))}
		k, c := s.Var("k", BitVec(w)), s.Var("c", Bool())
		word := func() ID {
			return s.Add(vars[rng.IntN(len(vars))], s.ConstU(w, rng.Uint64N(3)))
		}
		array := []ID{a, b}[rng.IntN(2)]
		for range rng.IntN(4) {
			if rng.IntN(3) == 0 {
				array = s.Ite(c, array, []ID{a, b}[rng.IntN(2)])
			} else {
				array = s.StoreArray(array, word(), word())
			}
		}
		plain := s.Select(array, s.Add(k, s.ConstU(w, rng.Uint64N(2))))
		read := s.Resolve(plain)
		low := 1 + uint32(rng.IntN(w))
		of := func(values []ID, k ID) ID {
			p := s.Polynomial(values[0], low)
			p.AddTimes(3, s.Polynomial(k, low))
			p.AddTimes(1, s.Polynomial(vars[2], low))
			return s.IsZero(p)
		}
		cases := s.ByReads([]ID{read}, k, low, rng.IntN(12), func(values []ID, now ID) ID {
			if now != k {
				determined++
			}
			return of(values, now)
		})
		want := of([]ID{plain}, k)
		for range 40 {
			values, arrays := map[ID]uint64{}, map[ID]map[uint64]bv.BV{}
			e := NewEvaluator(s, func(v ID) (bv.BV, bool) {
				if _, ok := values[v]; !ok {
					values[v] = rng.Uint64N(1 << max(s.Width(v), 1))
				}
				return bv.New(max(s.Width(v), 1), values[v]), true
			})
			e.SetArrays(func(v ID) (map[uint64]bv.BV, bv.BV, bool) {
				if arrays[v] == nil {
					arrays[v] = map[uint64]bv.BV{}
					for i := range uint64(1 << w) {
						arrays[v][i] = bv.New(w, rng.Uint64N(1<<w))
					}
				}
				return arrays[v], bv.New(w, 0), true
			})
			if got, want := e.Bool(cases), e.Bool(want); got != want {
				t.Fatalf("%s: %v, want %v", s.String(plain), got, want)
			}
		}
	}
	if determined < 100 {
		t.Errorf("the index was determined %d times", determined)
	}
}
