package cdcl

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// formula is what a reference sees: clauses over n variables, by brute force.
type formula struct {
	n       int
	clauses [][]Lit
}

func (f *formula) models(extra [][]Lit, visit func(m uint32) bool) {
	for m := range uint32(1) << f.n {
		ok := true
		for _, cs := range [][][]Lit{f.clauses, extra} {
			for _, c := range cs {
				sat := false
				for _, l := range c {
					sat = sat || (m>>l.Var()&1 == 1) == (l&1 == 0)
				}
				ok = ok && sat
			}
		}
		if ok && !visit(m) {
			return
		}
	}
}

func (f *formula) satisfiable(extra [][]Lit) bool {
	found := false
	f.models(extra, func(uint32) bool { found = true; return false })
	return found
}

func randomClause(r *rand.Rand, n, most int) []Lit {
	var c []Lit
	for range 1 + r.IntN(most) {
		c = append(c, MkLit(uint32(r.IntN(n)), r.IntN(2) == 0))
	}
	return c
}

// TestRandomQueries compares sequences of queries with brute force. Half of the
// variables are and-gates of earlier ones; the other clauses are permanent, as
// the precondition of domains has it.
func TestRandomQueries(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 4 + r.IntN(6)
		free := 2 + r.IntN(n-2)
		gates := NewGates()
		f := &formula{n: n}
		var definitions [][]Lit
		for v := range uint32(n) {
			if int(v) < free {
				gates.Add()
				continue
			}
			a := MkLit(uint32(r.IntN(int(v))), r.IntN(2) == 0)
			b := MkLit(uint32(r.IntN(int(v))), r.IntN(2) == 0)
			gates.Add(a.Var(), b.Var())
			out := MkLit(v, false)
			definitions = append(definitions, []Lit{out.Not(), a}, []Lit{out.Not(), b}, []Lit{out, a.Not(), b.Not()})
		}
		s := New(gates)
		add := func(c []Lit) {
			f.clauses = append(f.clauses, c)
			s.AddClause(c...)
		}
		for _, c := range definitions {
			add(c)
		}
		for q := range 40 {
			if r.IntN(3) == 0 {
				c := randomClause(r, n, 4)
				for _, l := range c {
					s.Permanent(l.Var())
				}
				add(c)
			}
			if r.IntN(8) == 0 {
				s = s.Clone()
			}
			var assumptions []Lit
			var extra [][]Lit
			for range r.IntN(4) {
				l := MkLit(uint32(r.IntN(n)), r.IntN(2) == 0)
				assumptions = append(assumptions, l)
				extra = append(extra, []Lit{l})
			}
			var temporary []Lit
			if r.IntN(2) == 0 {
				temporary = randomClause(r, n, 3)
				extra = append(extra, temporary)
			}
			switch r.IntN(6) {
			case 0: // clean as if there were much garbage
				s.wasted = 1 << 20
			case 1:
				s.maxLearnt = 0
			case 2:
				s.rescale()
				s.rescaleClauses()
			}
			want := f.satisfiable(extra)
			got := s.Solve(assumptions, temporary)
			what := fmt.Sprintf("seed %d, query %d", seed, q)
			if (got == Sat) != want || got == Unknown {
				t.Fatalf("%s: %v, want satisfiable = %v", what, got, want)
			}
			if got == Sat {
				var partial [][]Lit
				for v := range uint32(n) {
					if truth, known := s.Value(MkLit(v, false)); known {
						partial = append(partial, []Lit{MkLit(v, !truth)})
					}
				}
				for _, l := range assumptions {
					if truth, known := s.Value(l); !known || !truth {
						t.Fatalf("%s: assumption %d is not true", what, l)
					}
				}
				if !f.satisfiable(append(partial, extra...)) {
					t.Fatalf("%s: the partial model does not extend to a model", what)
				}
				continue
			}
			var core [][]Lit
			for _, l := range assumptions {
				if s.InCore(l) {
					core = append(core, []Lit{l})
				}
			}
			if temporary != nil {
				core = append(core, temporary)
			}
			if f.satisfiable(core) {
				t.Fatalf("%s: the core is satisfiable", what)
			}
		}
	}
}

// TestPigeons needs learning, restarts, reduction and cleaning.
func TestPigeons(t *testing.T) {
	const holes = 6
	gates := NewGates()
	for range (holes + 1) * holes {
		gates.Add()
	}
	s := New(gates)
	s.maxLearnt = 50
	at := func(p, h int) uint32 { return uint32(p*holes + h) }
	for p := range holes + 1 {
		var c []Lit
		for h := range holes {
			c = append(c, MkLit(at(p, h), false))
			s.Permanent(at(p, h))
		}
		s.AddClause(c...)
		for q := range p {
			for h := range holes {
				s.AddClause(MkLit(at(p, h), true), MkLit(at(q, h), true))
			}
		}
	}
	s.Limit = 20
	if r := s.Solve(nil, nil); r != Unknown || s.Conflicts != 20 {
		t.Fatalf("%v after %d conflicts, with a limit of 20", r, s.Conflicts)
	}
	s.Limit = 0
	if r := s.Solve(nil, nil); r != Unsat {
		t.Fatalf("%v", r)
	}
}

func TestLuby(t *testing.T) {
	want := []int{1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8}
	for i, w := range want {
		if got := luby(i + 1); got != w {
			t.Errorf("luby(%d) = %d, want %d", i+1, got, w)
		}
	}
}
