package term

import (
	"math/rand/v2"
	"testing"

	"assay/internal/logic/bv"
)

// TestPlainStore: what the store without simplifier computes is what the raw terms mean:
// all values of two variables of 3 bits and two Bools, random terms over them.
func TestPlainStore(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		plain, raw := NewPlainStore(), NewRawStore()
		stores := []*Store{plain, raw}
		var words, truths [2][]ID
		for i, s := range stores {
			words[i] = []ID{s.Var("x", BitVec(3)), s.Var("y", BitVec(3)), s.ConstU(3, 0), s.ConstU(3, 5)}
			truths[i] = []ID{s.Var("p", Bool()), s.Var("q", Bool()), s.True(), s.False()}
		}
		for range 25 {
			a, b, op := rng.IntN(len(words[0])), rng.IntN(len(words[0])), rng.IntN(9)
			c, d := rng.IntN(len(truths[0])), rng.IntN(len(truths[0]))
			for i, s := range stores {
				x, y, p, q := words[i][a], words[i][b], truths[i][c], truths[i][d]
				switch op {
				case 0:
					words[i] = append(words[i], s.Add(x, y))
				case 1:
					words[i] = append(words[i], s.Mul(x, y))
				case 2:
					words[i] = append(words[i], s.UDiv(x, y))
				case 3:
					words[i] = append(words[i], s.Ite(p, x, y))
				case 4:
					truths[i] = append(truths[i], s.Eq(x, y))
				case 5:
					truths[i] = append(truths[i], s.ULt(x, y))
				case 6:
					truths[i] = append(truths[i], s.And(p, q))
				case 7:
					truths[i] = append(truths[i], s.Or(p, s.Not(q)))
				default:
					truths[i] = append(truths[i], s.Ite(p, q, s.Eq(p, q)))
				}
			}
		}
		for bits := range uint64(256) {
			var evaluators [2]*Evaluator
			for i, s := range stores {
				values := map[ID]bv.BV{words[i][0]: bv.New(3, bits), words[i][1]: bv.New(3, bits>>3), truths[i][0]: bv.New(1, bits>>6), truths[i][1]: bv.New(1, bits>>7)}
				evaluators[i] = NewEvaluator(s, func(v ID) (bv.BV, bool) { x, ok := values[v]; return x, ok })
			}
			for k := range words[0] {
				if got, want := evaluators[0].Value(words[0][k]), evaluators[1].Value(words[1][k]); !got.Equal(want) {
					t.Fatalf("%s is %v, %s is %v", plain.String(words[0][k]), got, raw.String(words[1][k]), want)
				}
			}
			for k := range truths[0] {
				if got, want := evaluators[0].Bool(truths[0][k]), evaluators[1].Bool(truths[1][k]); got != want {
					t.Fatalf("%s is %v, %s is %v", plain.String(truths[0][k]), got, raw.String(truths[1][k]), want)
				}
			}
		}
	}
}

// TestPlainStoreHasNoRules: a wrong rule of the simplifier does not reach it.
func TestPlainStoreHasNoRules(t *testing.T) {
	defer Plant(OpAdd, func(_ *Store, args [3]ID) ID { return args[0] })()
	for _, c := range []struct {
		store *Store
		wrong bool
	}{{NewStore(), true}, {NewPlainStore(), false}} {
		x, y := c.store.Var("x", BitVec(8)), c.store.Var("y", BitVec(8))
		if sum := c.store.Add(x, y); (sum == x || sum == y) != c.wrong {
			t.Errorf("x + y is %s", c.store.String(sum))
		}
	}
}
