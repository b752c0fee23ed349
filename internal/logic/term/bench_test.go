package term

import (
	"testing"

	"assay/internal/logic/bv"
)

// The unit of the construction benchmarks is one term; the store is renewed
// now and then so that the table does not outgrow memory.

const benchTerms = 1 << 20

func BenchmarkAdd(b *testing.B) {
	var s *Store
	var x, y ID
	n := 0
	for b.Loop() {
		if n%benchTerms == 0 {
			s = NewStore()
			x, y = s.Var("x", BitVec(32)), s.Var("y", BitVec(32))
			n = 0
		}
		n++
		x = s.Add(x, y)
		x, y = y, x
	}
}

func BenchmarkHit(b *testing.B) {
	s := NewStore()
	vars := make([]ID, 64)
	for i := range vars {
		vars[i] = s.Fresh("x", BitVec(32))
	}
	n := 0
	for b.Loop() {
		s.Add(vars[n&63], vars[n>>6&63])
		n++
	}
}

// BenchmarkSimplify is a mix as symbolic execution makes it: an index is
// bounded, extended, scaled and added to an address; a guard joins; a write is
// read back.
func BenchmarkSimplify(b *testing.B) {
	var s *Store
	var i, base, array, guard ID
	n := 0
	for b.Loop() {
		if n%(benchTerms/16) == 0 {
			s = NewStore()
			i, base = s.Var("i", BitVec(32)), s.Var("base", BitVec(64))
			array, guard = s.Var("a", Array(64, 32)), s.True()
			n = 0
		}
		n++
		i = s.Add(i, s.ConstU(32, 1))
		c := s.SLt(i, s.ConstU(32, uint64(n)))
		taken, skipped := s.And(guard, c), s.And(guard, s.Not(c))
		address := s.Add(base, s.Shl(s.SExt(i, 64), s.ConstU(64, 2)))
		array = s.StoreArray(array, address, i)
		if s.Select(array, address) != i {
			b.Fatal("a read does not see its write")
		}
		guard = s.Or(taken, skipped)
	}
}

func BenchmarkEvaluate(b *testing.B) {
	s := NewStore()
	x, y := s.Var("x", BitVec(32)), s.Var("y", BitVec(32))
	t := x
	for range 100000 {
		t = s.Add(s.Mul(t, y), x)
	}
	e := NewEvaluator(s, func(v ID) (bv.BV, bool) { return bv.New(32, uint64(v)), true })
	for b.Loop() {
		e.Reset()
		e.Value(t)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/200000, "ns/term")
}

func BenchmarkWalk(b *testing.B) {
	s := NewStore()
	x, y := s.Var("x", BitVec(32)), s.Var("y", BitVec(32))
	t := x
	for range 100000 {
		t = s.Add(s.Mul(t, y), x)
	}
	n := 0
	for b.Loop() {
		s.Walk([]ID{t}, func(ID) { n++ })
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/term")
}
