package term

import (
	"math/rand/v2"
	"testing"
)

// TestApplications: terms in which products and quotients are named, with the names
// replaced by what they are names of, are the terms.
func TestApplications(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	named, shared := 0, 0
	for range 120 {
		s := NewStore()
		x, y, z := s.Var("x", BitVec(3)), s.Var("y", BitVec(3)), s.Var("z", BitVec(3))
		p := s.Var("p", Bool())
		is := func(t ID) bool {
			switch s.Op(t) {
			case OpMul, OpSDiv, OpURem:
				return true
			}
			return false
		}
		pool := []ID{x, y, z, s.ConstU(3, 5)}
		conditions := []ID{p}
		pick := func(ts []ID) ID { return ts[rng.IntN(len(ts))] }
		for range 12 {
			a, b := pick(pool), pick(pool)
			ops := []func(a, b ID) ID{s.Mul, s.SDiv, s.URem, s.Add, s.BVXor, func(a, b ID) ID { return s.Ite(pick(conditions), a, b) }}
			pool = append(pool, ops[rng.IntN(len(ops))](a, b))
			conditions = append(conditions, s.ULt(a, b))
		}
		meaning := map[ID]ID{}
		all := NewApplications(s, is, func(t ID) ID {
			v := s.Fresh("v", s.Sort(t))
			meaning[v] = t
			return v
		})
		out := all.All(pool)
		for i := range out {
			s.Walk(out[i:i+1], func(x ID) {
				if is(x) {
					t.Errorf("%s is left in %s", s.String(x), s.String(pool[i]))
				}
			})
			checkEquivalent(t, s.String(pool[i]), s, pool[i], s, s.Substitute(out[i], meaning))
		}
		if all.Some() != (len(meaning) > 0) {
			t.Errorf("%v with %d names", all.Some(), len(meaning))
		}
		named += len(meaning)
	}
	// Merged operands: three products are two.
	s := NewStore()
	x, y, z := s.Var("x", BitVec(8)), s.Var("y", BitVec(8)), s.Var("z", BitVec(8))
	c, d := s.Var("c", Bool()), s.Var("d", Bool())
	all := NewApplications(s, func(t ID) bool { return s.Op(t) == OpMul }, func(t ID) ID { shared++; return s.Fresh("v", s.Sort(t)) })
	all.All([]ID{s.Mul(s.Ite(c, x, y), z), s.Mul(s.Ite(d, x, y), z), s.Mul(x, z)})
	if named < 120 || shared != 2 {
		t.Errorf("%d names, %d for shared operands", named, shared)
	}
}
