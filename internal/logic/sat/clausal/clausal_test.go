package clausal

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"assay/internal/logic/sat/cadical"
)

// random is a formula of clauses of up to three literals.
func random(r *rand.Rand, variables, clauses int) (flat []int32) {
	for range clauses {
		for range 1 + r.IntN(3) + r.IntN(2)*r.IntN(2) {
			l := int32(1 + r.IntN(variables))
			if r.IntN(2) == 0 {
				l = -l
			}
			flat = append(flat, l)
		}
		flat = append(flat, 0)
	}
	return flat
}

// satisfiable tries all assignments.
func satisfiable(flat []int32, variables int) bool {
	for a := range 1 << variables {
		all, some := true, false
		for _, l := range flat {
			switch {
			case l == 0:
				all, some = all && some, false
			case l > 0:
				some = some || a>>(l-1)&1 != 0
			default:
				some = some || a>>(-l-1)&1 == 0
			}
		}
		if all {
			return true
		}
	}
	return false
}

// pigeons is the formula that n+1 pigeons have n holes.
func pigeons(n int) (flat []int32) {
	in := func(p, h int) int32 { return int32(p*n + h + 1) }
	for p := range n + 1 {
		for h := range n {
			flat = append(flat, in(p, h))
		}
		flat = append(flat, 0)
	}
	for h := range n {
		for p := range n + 1 {
			for q := range p {
				flat = append(flat, -in(p, h), -in(q, h), 0)
			}
		}
	}
	return flat
}

// prove asks CaDiCaL.
func prove(t testing.TB, flat []int32) (proof []byte, unsat bool) {
	s := cadical.New()
	defer s.Close()
	s.Trace()
	s.AddClauses(flat)
	r, err := s.Solve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s.Proof(), r == cadical.Unsat
}

func check(flat []int32, proof []byte) error {
	c := New()
	c.AddClauses(flat)
	return c.Check(context.Background(), proof)
}

func TestPigeons(t *testing.T) {
	for n := range 8 {
		flat := pigeons(n)
		proof, unsat := prove(t, flat)
		if !unsat {
			t.Fatalf("%d pigeons: satisfiable", n+1)
		}
		if err := check(flat, proof); err != nil {
			t.Errorf("%d pigeons: %v", n+1, err)
		}
		if n > 1 {
			if err := check(flat[:len(flat)-3], proof); err == nil {
				t.Errorf("%d pigeons: a formula with one clause less is refuted", n+1)
			}
		}
	}
}

// TestRandom compares with all assignments: a proof is accepted only if there is none, whatever
// was done to it.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	refuted, mutated := 0, 0
	for range 1000 {
		variables := 2 + r.IntN(9)
		flat := random(r, variables, r.IntN(6*variables))
		proof, unsat := prove(t, flat)
		if unsat == satisfiable(flat, variables) {
			t.Fatalf("CaDiCaL is wrong: %v", flat)
		}
		err := check(flat, proof)
		if unsat && err != nil {
			t.Fatalf("%v: %v", flat, err)
		}
		if !unsat && err == nil {
			t.Fatalf("%v is satisfiable, and refuted", flat)
		}
		if unsat {
			refuted++
		}
		// The proof of another formula, with changes.
		other, _ := prove(t, random(r, variables, 6*variables))
		for len(other) > 0 && r.IntN(3) > 0 {
			other[r.IntN(len(other))] = byte(r.IntN(256))
		}
		if !unsat {
			mutated++
			if check(flat, other) == nil {
				t.Fatalf("%v is satisfiable, and refuted by %v", flat, other)
			}
		}
	}
	if refuted < 100 || mutated < 100 {
		t.Errorf("%d formulas were refuted, %d were not", refuted, mutated)
	}
}

// TestOneClauseMore takes formulas with many solutions, and proofs of one that has one clause more.
func TestOneClauseMore(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		variables := 3 + r.IntN(7)
		flat := random(r, variables, 5*variables)
		proof, unsat := prove(t, flat)
		if !unsat {
			continue
		}
		for end := len(flat); end > 0; {
			for end--; end > 0 && flat[end-1] != 0; {
				end--
			}
			if satisfiable(flat[:end], variables) {
				if check(flat[:end], proof) == nil {
					t.Fatalf("%v is satisfiable, and refuted", flat[:end])
				}
			}
		}
	}
}

// TestTurns refutes literals one after the other, with the proofs of searches of one solver between which clauses
// come: each is accepted where all assignments say so, and no other one ever.
func TestTurns(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	followed := 0
	for range 400 {
		variables := 3 + r.IntN(8)
		flat := random(r, variables, 2*variables)
		s := cadical.New()
		s.Trace()
		s.AddClauses(flat)
		c, begin := NewKeeping(), 0
		c.AddClauses(flat)
		for range 8 {
			l := int32(1 + r.IntN(variables))
			if r.IntN(2) == 0 {
				l = -l
			}
			s.Assume(l)
			result, err := s.Solve(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			proof := s.Proof()
			if err := c.Read(t.Context(), proof[begin:]); err != nil {
				t.Fatalf("%v: %v", flat, err)
			}
			begin = len(proof)
			possible := satisfiable(append(flat[:len(flat):len(flat)], l, 0), variables)
			if derived := c.Derive(-l); derived && possible || !derived && result == cadical.Unsat {
				t.Fatalf("%v with %d: possible %v, CaDiCaL says %v, refuted %v", flat, l, possible, result, derived)
			}
			if !possible {
				followed++
				s.AddClauses([]int32{-l, 0})
			}
			more := random(r, variables, r.IntN(3))
			flat = append(flat, more...)
			s.AddClauses(more)
			c.AddClauses(more)
		}
		s.Close()
	}
	if followed < 400 {
		t.Errorf("only %d literals were refuted", followed)
	}
}

func TestBrokenProofs(t *testing.T) {
	for _, proof := range []string{"", "a", "x\x00", "a\x01\x00", "a\xff\xff\xff\xff\xff\x0f\x00", "d", "a\x00", "a\x02\x00"} {
		var refused ErrRefused
		if err := check([]int32{1, 2, 0, -1, -2, 0}, []byte(proof)); !errors.As(err, &refused) {
			t.Errorf("%q: %v", proof, err)
		}
	}
}

func FuzzCheck(f *testing.F) {
	flat := []int32{1, 2, 0, -1, 2, 0, 1, -2, 3, 0, -3, -2, 0}
	proof, _ := prove(f, flat)
	f.Add(proof)
	f.Add([]byte("a\x02\x00"))
	f.Fuzz(func(t *testing.T, proof []byte) {
		if check(flat[:len(flat)-3], proof) == nil {
			t.Error("a satisfiable formula is refuted")
		}
	})
}

func BenchmarkPigeons(b *testing.B) {
	flat := pigeons(8)
	proof, _ := prove(b, flat)
	b.SetBytes(int64(len(proof)))
	for b.Loop() {
		if err := check(flat, proof); err != nil {
			b.Fatal(err)
		}
	}
}
