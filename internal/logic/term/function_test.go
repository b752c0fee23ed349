package term

import (
	"math/rand/v2"
	"testing"

	"assay/internal/logic/bv"
)

// TestFunction: random terms over words, truth values and arrays have, as functions, the value that the evaluator gives them.
func TestFunction(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range 400 {
		s := NewRawStore()
		if round%2 == 1 {
			s = NewStore()
		}
		x, y, p := s.Var("x", BitVec(3)), s.Var("y", BitVec(3)), s.Var("p", Bool())
		content := s.Var("a", Array(3, 3))
		element := s.Select(content, s.ConstU(3, 2))
		words := []ID{x, y, s.ConstU(3, 0), s.ConstU(3, 5), element}
		truths := []ID{p, s.True()}
		arrays := []ID{s.ConstArray(Array(3, 3), x), s.ConstArray(Array(3, 3), s.ConstU(3, 1))}
		word := func() ID { return words[rng.IntN(len(words))] }
		truth := func() ID { return truths[rng.IntN(len(truths))] }
		array := func() ID { return arrays[rng.IntN(len(arrays))] }
		for range 30 {
			switch rng.IntN(9) {
			case 0:
				words = append(words, s.Add(word(), word()))
			case 1:
				words = append(words, s.UDiv(word(), word()))
			case 2:
				words = append(words, s.Select(array(), word()))
			case 3:
				words = append(words, s.Ite(truth(), word(), word()))
			case 4:
				truths = append(truths, s.Eq(word(), word()))
			case 5:
				truths = append(truths, s.And(truth(), s.Not(truth())))
			case 6:
				arrays = append(arrays, s.StoreArray(array(), word(), word()))
			case 7:
				arrays = append(arrays, s.Ite(truth(), array(), array()))
			default:
				words = append(words, s.ZExtOrTrunc(s.Concat(word(), word()), 3))
			}
		}
		arguments := []ID{p, element, x, y}
		var registers Registers
		for _, of := range []ID{word(), words[len(words)-1], truths[len(truths)-1]} {
			f, ok := s.Function(of, arguments, 1000)
			if !ok {
				t.Fatalf("%s is no function", s.String(of))
			}
			for range 40 {
				values := []bv.BV{bv.New(1, rng.Uint64N(2)), bv.New(3, rng.Uint64N(8)), bv.New(3, rng.Uint64N(8)), bv.New(3, rng.Uint64N(8))}
				e := NewEvaluator(s, nil)
				for i, a := range arguments {
					e.Set(a, values[i])
				}
				want := e.Value(of)
				if got := f.Value(&registers, func(i int) bv.BV { return values[i] }); !got.Equal(want) {
					t.Fatalf("%s is %v, as a function %v", s.String(of), want, got)
				}
			}
		}
	}
}

// TestNoFunction: other variables, arrays among them, and terms that are too large make none.
func TestNoFunction(t *testing.T) {
	s := NewStore()
	x, y := s.Var("x", BitVec(8)), s.Var("y", BitVec(8))
	sum := s.Add(s.Mul(x, y), x)
	for _, of := range []ID{sum, s.Select(s.Var("a", Array(8, 8)), x)} {
		if _, ok := s.Function(of, []ID{x}, 100); ok {
			t.Errorf("%s is a function of x", s.String(of))
		}
	}
	if _, ok := s.Function(sum, []ID{x, y}, 3); ok {
		t.Error("a sum of a product fits three terms, arguments included")
	}
	if f, ok := s.Function(x, []ID{x, y}, 100); !ok || f.Size() != 1 {
		t.Error("an argument is no function of itself")
	}
}
