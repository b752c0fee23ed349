package bitblast

import (
	"context"
	"testing"

	"assay/internal/logic/smt"
	"assay/internal/logic/term"
)

// instance is a formula and its status, as a function that asserts it.
type instance struct {
	name string
	want smt.Status
	make func(s *term.Store) term.ID
}

func variables(s *term.Store, width uint32, names ...string) []term.ID {
	var vs []term.ID
	for _, n := range names {
		vs = append(vs, s.Var(n, term.BitVec(width)))
	}
	return vs
}

// sum adds the terms from the first to the last.
func sum(s *term.Store, ts ...term.ID) term.ID {
	r := ts[0]
	for _, t := range ts[1:] {
		r = s.Add(r, t)
	}
	return r
}

var instances = []instance{
	{"commute7", smt.Unsat, func(s *term.Store) term.ID {
		// Hidden behind additions, so that no rewriting sees it.
		v := variables(s, 7, "x", "y", "z")
		x, y := s.Add(v[0], v[2]), s.Add(v[1], v[2])
		return s.Not(s.Eq(s.Mul(x, v[1]), s.Sub(s.Mul(s.Add(v[1], v[2]), v[0]), s.Sub(s.Mul(y, v[0]), s.Mul(v[1], x)))))
	}},
	{"distribute6", smt.Unsat, func(s *term.Store) term.ID {
		v := variables(s, 6, "x", "y", "z")
		return s.Not(s.Eq(s.Mul(v[0], s.Add(v[1], v[2])), s.Add(s.Mul(v[0], v[1]), s.Mul(v[0], v[2]))))
	}},
	{"factor", smt.Sat, func(s *term.Store) term.ID {
		v := variables(s, 40, "x", "y")
		p := s.Mul(v[0], v[1])
		one := s.ConstU(40, 1)
		bound := s.ConstU(40, 1<<20)
		return s.AndAll(s.Eq(p, s.ConstU(40, 524287*131071)), s.ULt(one, v[0]), s.ULt(one, v[1]), s.ULt(v[0], bound), s.ULt(v[1], bound))
	}},
	{"sums", smt.Unsat, func(s *term.Store) term.ID {
		v := variables(s, 9, "a", "b", "c", "d", "e")
		return s.Not(s.Eq(sum(s, v...), sum(s, v[4], v[2], v[0], v[3], v[1])))
	}},
	{"divide7", smt.Unsat, func(s *term.Store) term.ID {
		v := variables(s, 7, "x", "y")
		return s.Not(s.Eq(s.Add(s.Mul(s.UDiv(v[0], v[1]), v[1]), s.URem(v[0], v[1])), v[0]))
	}},
	{"signed", smt.Unsat, func(s *term.Store) term.ID {
		v := variables(s, 32, "x", "y", "z")
		small := s.ConstU(32, 1000)
		range1 := func(t term.ID) term.ID { return s.And(s.SLt(s.Neg(small), t), s.SLt(t, small)) }
		t := s.Sub(s.Add(v[0], v[1]), v[2])
		return s.AndAll(range1(v[0]), range1(v[1]), range1(v[2]), s.SLt(s.ConstU(32, 2998), t))
	}},
	{"average", smt.Unsat, func(s *term.Store) term.ID { // (x&y) + ((x^y)>>1) is the average without overflow
		v := variables(s, 20, "x", "y")
		one := s.ConstU(20, 1)
		avg := s.Add(s.BVAnd(v[0], v[1]), s.LShr(s.BVXor(v[0], v[1]), one))
		wide := s.LShr(s.Add(s.ZExt(v[0], 21), s.ZExt(v[1], 21)), s.ConstU(21, 1))
		return s.Not(s.Eq(s.ZExt(avg, 21), wide))
	}},
	{"unroll", smt.Unsat, func(s *term.Store) term.ID {
		// x' = 5x+3 if x is odd, else x/2+y, 12 times, from 8 < x < 16 and y = 1; x never is 7777.
		v := variables(s, 32, "x", "y")
		x := v[0]
		pre := s.AndAll(s.ULt(x, s.ConstU(32, 16)), s.ULt(s.ConstU(32, 8), x), s.Eq(v[1], s.ConstU(32, 1)))
		bad := s.False()
		for range 12 {
			odd := s.Eq(s.Extract(x, 0, 0), s.ConstU(1, 1))
			x = s.Ite(odd, s.Add(s.Mul(x, s.ConstU(32, 5)), s.ConstU(32, 3)), s.Add(s.LShr(x, s.ConstU(32, 1)), v[1]))
			bad = s.Or(bad, s.Eq(x, s.ConstU(32, 7777)))
		}
		return s.And(pre, bad)
	}},
}

func TestInstances(t *testing.T) {
	for _, in := range instances {
		store := term.NewStore()
		s := New(store, Options{})
		s.Assert(in.make(store))
		got, err := s.Check(t.Context())
		if err != nil || got != in.want {
			t.Errorf("%s: %v, %v", in.name, got, err)
		}
		s.Close()
	}
}

func BenchmarkInstances(b *testing.B) {
	for _, in := range instances {
		b.Run(in.name, func(b *testing.B) {
			var stats smt.Stats
			for b.Loop() {
				store := term.NewStore()
				s := New(store, Options{})
				s.Assert(in.make(store))
				if r, err := s.Check(context.Background()); r != in.want {
					b.Fatal(r, err)
				}
				stats = s.Stats()
				s.Close()
			}
			b.ReportMetric(float64(stats.Conflicts), "conflicts")
			b.ReportMetric(float64(stats.Clauses), "clauses")
		})
	}
}
