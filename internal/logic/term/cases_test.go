package term

import (
	"math/rand/v2"
	"testing"
)

// TestByCases compares functions of random values with what they are case by
// case.
func TestByCases(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	split := 0
	for range 300 {
		s := NewStore()
		x, y, z := s.Var("x", BitVec(3)), s.Var("y", BitVec(3)), s.Var("z", BitVec(3))
		p, q := s.Var("p", Bool()), s.ULt(x, y)
		pick := func(ts ...ID) ID { return ts[rng.IntN(len(ts))] }
		condition := func() ID { return pick(p, q, s.And(p, q), s.Or(s.Not(p), s.Eq(x, z))) }
		value := func() ID {
			v := pick(x, y, z)
			for range rng.IntN(4) {
				v = s.Ite(condition(), s.Add(v, pick(x, y, s.ConstU(3, 1))), v)
			}
			return v
		}
		values := []ID{value(), value()}
		of := func(vs []ID) ID { return s.Eq(s.Add(vs[0], vs[1]), z) }
		plain := of(values)
		cases := s.ByCases(values, rng.IntN(8), func(vs []ID) ID { split++; return of(vs) })
		checkEquivalent(t, s.String(plain), s, plain, s, cases)
	}
	if split < 600 {
		t.Errorf("only %d cases", split)
	}
}
