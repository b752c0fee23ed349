package smt_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"

	"assay/internal/logic/smt"
	"assay/internal/logic/smt/z3"
	"assay/internal/logic/term"
)

// hard is an unsatisfiable formula that takes every solver more than a lifetime:
// products of polynomials, multiplied out in different orders.
func hard(s *term.Store, width uint32) term.ID {
	x, y, z := s.Var("x", term.BitVec(width)), s.Var("y", term.BitVec(width)), s.Var("z", term.BitVec(width))
	p := s.Mul(s.BVXor(x, y), s.BVXor(y, z))
	q := s.Sub(s.Mul(s.Sub(s.BVOr(x, y), s.BVAnd(x, y)), s.BVOr(y, z)), s.Mul(s.BVAnd(y, z), s.BVXor(y, x)))
	return s.Not(s.Eq(p, q))
}

// TestInterrupt stops a check that would not end, and goes on with the solver.
func TestInterrupt(t *testing.T) {
	for _, solver := range solvers {
		t.Run(solver.name, func(t *testing.T) {
			store := term.NewRawStore()
			s := solver.make(store)
			defer s.Close()
			p := store.Var("p", term.Bool())
			q := store.Var("q", term.Bool())
			s.Assert(store.Or(p, hard(store, 40)))
			for range 2 {
				ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
				r, err := s.Check(ctx, store.Not(p))
				cancel()
				if r != smt.Unknown || !errors.Is(err, context.DeadlineExceeded) {
					t.Fatal(r, err)
				}
				if r, err := s.Check(t.Context(), p, q); r != smt.Sat || err != nil {
					t.Fatal(r, err)
				}
				if !s.Value(q).IsTrue() {
					t.Fatal("the assumption q is false in the model")
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if r, err := s.Check(ctx, p); r != smt.Unknown || !errors.Is(err, context.Canceled) {
				t.Fatal(r, err)
			}
		})
	}
}

func TestConflictLimit(t *testing.T) {
	for _, solver := range solvers {
		t.Run(solver.name, func(t *testing.T) {
			store := term.NewRawStore()
			s := solver.make(store)
			defer s.Close()
			p := store.Var("p", term.Bool())
			s.Assert(store.Or(p, hard(store, 40)))
			s.SetConflictLimit(20)
			for range 2 {
				r, err := s.Check(t.Context(), store.Not(p))
				if limit := (smt.ErrLimit{}); r != smt.Unknown || !errors.As(err, &limit) || limit.Conflicts != 20 {
					t.Fatal(r, err)
				}
			}
			s.SetConflictLimit(0)
			if r, err := s.Check(t.Context(), p); r != smt.Sat || err != nil {
				t.Fatal(r, err)
			}
		})
	}
}

func TestProtocol(t *testing.T) {
	for _, solver := range solvers {
		for name, misuse := range map[string]func(store *term.Store, s smt.Solver){
			"value before check":  func(store *term.Store, s smt.Solver) { s.Value(store.True()) },
			"core before check":   func(_ *term.Store, s smt.Solver) { s.Core() },
			"core after sat":      func(_ *term.Store, s smt.Solver) { s.Check(t.Context()); s.Core() },
			"value after unsat":   func(store *term.Store, s smt.Solver) { s.Check(t.Context(), store.False()); s.Value(store.True()) },
			"value after close":   func(store *term.Store, s smt.Solver) { s.Check(t.Context()); s.Close(); s.Value(store.True()) },
			"check after close":   func(_ *term.Store, s smt.Solver) { s.Close(); s.Check(t.Context()) },
			"assertion of a word": func(store *term.Store, s smt.Solver) { s.Assert(store.ConstU(8, 1)) },
			"array value of a non-array": func(store *term.Store, s smt.Solver) {
				s.Check(t.Context())
				s.ArrayValue(store.Var("x", term.BitVec(8)))
			},
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: %s: no panic", solver.name, name)
					}
				}()
				store := term.NewRawStore()
				s := solver.make(store)
				defer s.Close()
				misuse(store, s)
			}()
		}
		s := solver.make(term.NewStore())
		s.Close()
		s.Close()
	}
}

// TestUntranslated checks the values of what a solver has never seen.
func TestUntranslated(t *testing.T) {
	for _, solver := range solvers {
		store := term.NewStore()
		s := solver.make(store)
		x, y := store.Var("x", term.BitVec(8)), store.Var("y", term.BitVec(8))
		a := store.Var("a", term.Array(8, 8))
		s.Assert(store.Eq(x, store.ConstU(8, 7)))
		if r, err := s.Check(t.Context()); r != smt.Sat {
			t.Fatal(r, err)
		}
		z := store.Var("z", term.BitVec(100))
		if v := s.Value(store.Add(store.Add(x, y), store.Select(a, x))); v.Uint64() != 7 {
			t.Errorf("%s: %v", solver.name, v)
		}
		if v := s.Value(z); !v.IsZero() || v.Width() != 100 {
			t.Errorf("%s: %v", solver.name, v)
		}
		if elements, other := s.ArrayValue(a); len(elements) != 0 || !other.IsZero() {
			t.Errorf("%s: %v, %v", solver.name, elements, other)
		}
		s.Close()
	}
}

// TestDeep translates a term that no recursion would survive.
func TestDeep(t *testing.T) {
	store := term.NewRawStore()
	x := store.Var("x", term.BitVec(2))
	deep := x
	for range 1_000_000 {
		deep = store.BVXor(store.BVNot(deep), x)
	}
	s := solvers[0].make(store)
	defer s.Close()
	if r, err := s.Check(t.Context(), store.Eq(deep, x)); r != smt.Sat {
		t.Fatal(r, err)
	}
	if got, want := s.Value(deep), s.Value(x); !got.Equal(want) {
		t.Error(got, want)
	}
}

// TestZ3Memory exhausts Z3's memory in child processes.
func TestZ3Memory(t *testing.T) {
	mode := os.Getenv("Z3_EXHAUST")
	if mode == "" {
		for _, mode := range []string{"incremental", "oneshot"} {
			child := exec.Command(os.Args[0], "-test.run=TestZ3Memory")
			child.Env = append(os.Environ(), "Z3_EXHAUST="+mode)
			out, err := child.CombinedOutput()
			if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 42 {
				t.Fatalf("%s child: %v\n%s", mode, err, out)
			}
		}
		return
	}
	z3.LimitMemory(60)
	store := term.NewRawStore()
	s := z3.New(store, z3.Options{OneShot: mode == "oneshot"})
	s.Assert(hard(store, 200))
	_, err := s.Check(context.Background())
	if !errors.Is(err, smt.ErrMemory) {
		t.Fatal(err)
	}
	s.Close()
	os.Exit(42)
}
