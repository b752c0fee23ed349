package term

import (
	"math/rand/v2"
	"testing"
)

// TestUnder compares values with what they are under a guard, in each assignment that satisfies it.
func TestUnder(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	simpler := 0
	for range 600 {
		s := NewStore()
		x, y := s.Var("x", BitVec(2)), s.Var("y", BitVec(2))
		p, q, r := s.Var("p", Bool()), s.Var("q", Bool()), s.Var("r", Bool())
		pick := func(ts ...ID) ID { return ts[rng.IntN(len(ts))] }
		var condition func(depth int) ID
		condition = func(depth int) ID {
			if depth == 0 || rng.IntN(3) == 0 {
				return pick(p, q, r, s.ULt(x, y), s.ULt(y, x), s.Eq(x, y), s.ULe(x, y))
			}
			a, b := condition(depth-1), condition(depth-1)
			return pick(s.And(a, b), s.Or(a, b), s.Not(a), s.Xor(a, b))
		}
		guard := s.True()
		for range 1 + rng.IntN(4) {
			guard = s.And(guard, condition(2))
		}
		value := pick(x, y)
		for range 1 + rng.IntN(4) {
			v := pick(x, y, s.ConstU(2, 1), s.Add(x, y))
			if rng.IntN(2) == 0 {
				v, value = value, v
			}
			value = s.Ite(condition(2), v, value)
		}
		for _, v := range []ID{value, condition(3)} {
			under := s.Under(guard, v)
			if under != v {
				simpler++
			}
			tt := newTruthTable(s, []ID{x, y, p, q, r})
			holds, before, after := tt.of(guard), tt.of(v), tt.of(under)
			for k := range holds {
				if holds[k].IsTrue() && !before[k].Equal(after[k]) {
					t.Fatalf("under %s\n%s is\n%s", s.String(guard), s.String(v), s.String(under))
				}
			}
		}
	}
	if simpler < 200 {
		t.Errorf("only %d values became simpler", simpler)
	}
}

// TestUnderPlain: a store without the simplifier leaves values as they are.
func TestUnderPlain(t *testing.T) {
	s := NewPlainStore()
	p := s.Var("p", Bool())
	v := s.Ite(p, s.Var("x", BitVec(2)), s.Var("y", BitVec(2)))
	if s.Under(p, v) != v {
		t.Error("a plain store simplifies")
	}
}
