package cadical

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/run/pause"
)

// formula is a set of clauses over few variables, decided by enumeration.
type formula struct {
	vars    int
	clauses [][]int32
}

func holds(clause []int32, assignment uint) bool {
	for _, l := range clause {
		if (l > 0) == (assignment>>(max(l, -l)-1)&1 == 1) {
			return true
		}
	}
	return false
}

func (f *formula) satisfied(assignment uint, extra ...[]int32) bool {
	for _, cs := range [][][]int32{f.clauses, extra} {
		for _, c := range cs {
			if !holds(c, assignment) {
				return false
			}
		}
	}
	return true
}

func (f *formula) satisfiable(extra ...[]int32) bool {
	for a := range uint(1) << f.vars {
		if f.satisfied(a, extra...) {
			return true
		}
	}
	return false
}

func units(lits []int32) [][]int32 {
	var cs [][]int32
	for _, l := range lits {
		cs = append(cs, []int32{l})
	}
	return cs
}

func randomLit(r *rand.Rand, vars int) int32 {
	l := int32(1 + r.IntN(vars))
	if r.IntN(2) == 0 {
		l = -l
	}
	return l
}

// TestIncremental makes random calls and compares each answer with enumeration.
func TestIncremental(t *testing.T) {
	ctx := t.Context()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		f := &formula{vars: 4 + r.IntN(7)}
		s := New()
		for range 12 {
			var flat []int32
			for range r.IntN(2 * f.vars) {
				var c []int32
				for range 1 + r.IntN(4) {
					c = append(c, randomLit(r, f.vars))
				}
				f.clauses = append(f.clauses, c)
				flat = append(append(flat, c...), 0)
			}
			s.AddClauses(flat)
			var assumed, constraint []int32
			for range r.IntN(4) {
				assumed = append(assumed, randomLit(r, f.vars))
			}
			extra := units(assumed)
			s.Assume(assumed...)
			if r.IntN(3) == 0 {
				for range 1 + r.IntN(3) {
					constraint = append(constraint, randomLit(r, f.vars))
				}
				s.Constrain(constraint...)
				extra = append(extra, constraint)
			}
			got, err := s.Solve(ctx)
			if err != nil {
				t.Fatal(err)
			}
			want := Unsat
			if f.satisfiable(extra...) {
				want = Sat
			}
			if got != want {
				t.Fatalf("seed %d: %v, want %v", seed, got, want)
			}
			if got == Sat {
				values := make([]int8, f.vars)
				s.Values(1, values)
				var a uint
				for i, v := range values {
					if v == 1 {
						a |= 1 << i
					}
				}
				if !f.satisfied(a, extra...) {
					t.Fatalf("seed %d: not a model", seed)
				}
				continue
			}
			core := units(s.Failed(assumed, nil))
			if s.ConstraintFailed() {
				core = append(core, constraint)
			}
			if f.satisfiable(core...) {
				t.Fatalf("seed %d: the core %v is satisfiable", seed, core)
			}
			fixed := make([]int8, f.vars)
			lits := make([]int32, f.vars)
			for i := range lits {
				lits[i] = int32(i + 1)
			}
			s.Fixed(lits, fixed)
			for i, v := range fixed {
				if v != 0 && f.satisfiable([]int32{-lits[i] * int32(v)}) {
					t.Fatalf("seed %d: variable %d is not fixed to %d", seed, lits[i], v)
				}
			}
		}
		s.Close()
	}
}

// pigeons is the unsatisfiable formula of n+1 pigeons in n holes.
func pigeons(n int) []int32 {
	v := func(p, h int) int32 { return int32(p*n + h + 1) }
	var flat []int32
	for p := range n + 1 {
		for h := range n {
			flat = append(flat, v(p, h))
		}
		flat = append(flat, 0)
	}
	for h := range n {
		for p := range n + 1 {
			for q := range p {
				flat = append(flat, -v(p, h), -v(q, h), 0)
			}
		}
	}
	return flat
}

func TestConflictLimit(t *testing.T) {
	s := New()
	defer s.Close()
	s.AddClauses(pigeons(9))
	for _, limit := range []int64{0, 10, 1000} {
		before := s.Learned()
		s.SetConflictLimit(limit)
		if r, err := s.Solve(t.Context()); r != Unknown || err != nil {
			t.Fatalf("limit %d: %v, %v", limit, r, err)
		}
		if n := s.Learned() - before; n > 2*limit+100 {
			t.Errorf("limit %d: %d learned clauses", limit, n)
		}
	}
	s2 := New()
	defer s2.Close()
	s2.AddClauses(pigeons(5))
	s2.SetConflictLimit(1)
	if r, _ := s2.Solve(t.Context()); r != Unknown {
		t.Fatalf("limit 1: %v", r)
	}
	s2.SetConflictLimit(-1)
	if r, _ := s2.Solve(t.Context()); r != Unsat {
		t.Fatalf("no limit: %v", r)
	}
}

// TestInterrupt stops a search that would not end, and goes on with the solver.
func TestInterrupt(t *testing.T) {
	s := New()
	defer s.Close()
	hard := pigeons(30)
	guard := slices.Max(hard) + 1
	var flat []int32
	for _, l := range hard { // hard only if guard
		if l == 0 {
			flat = append(flat, -guard)
		}
		flat = append(flat, l)
	}
	s.AddClauses(flat)
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		s.Assume(guard)
		r, err := s.Solve(ctx)
		cancel()
		if r != Unknown || !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(r, err)
		}
		s.Assume(-guard)
		if r, err := s.Solve(t.Context()); r != Sat || err != nil {
			t.Fatal(r, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := s.Solve(ctx); r != Unknown || !errors.Is(err, context.Canceled) {
		t.Fatal(r, err)
	}
}

// TestPause has a search rest before it begins, and under way; the end of its
// context ends the pause.
func TestPause(t *testing.T) {
	ctx := pause.With(t.Context())
	_, resume := pause.Others(ctx)
	type answer struct {
		result Result
		err    error
	}
	solve := func(ctx context.Context, n int) chan answer {
		done := make(chan answer, 1)
		go func() {
			s := New()
			defer s.Close()
			s.AddClauses(pigeons(n))
			r, err := s.Solve(ctx)
			done <- answer{r, err}
		}()
		return done
	}
	done := solve(ctx, 7)
	select {
	case a := <-done:
		t.Errorf("%v, %v during the pause", a.result, a.err)
	case <-time.After(20 * time.Millisecond):
	}
	resume()
	if a := <-done; a.result != Unsat || a.err != nil {
		t.Errorf("%v, %v after the pause", a.result, a.err)
	}

	ended, cancel := context.WithCancel(ctx)
	done = solve(ended, 30)
	time.Sleep(5 * time.Millisecond)
	_, resume = pause.Others(ctx)
	defer resume()
	cancel()
	if a := <-done; a.result != Unknown || a.err != context.Canceled {
		t.Errorf("%v, %v after the end of the context", a.result, a.err)
	}
}

func TestProtocol(t *testing.T) {
	solved := func(flat ...int32) *Solver {
		s := New()
		s.AddClauses(flat)
		if _, err := s.Solve(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s
	}
	values := make([]int8, 1)
	for name, misuse := range map[string]func() *Solver{
		"values before solve":   func() *Solver { s := New(); s.Values(1, values); return s },
		"values after unsat":    func() *Solver { s := solved(1, 0, -1, 0); s.Values(1, values); return s },
		"values after add":      func() *Solver { s := solved(1, 0); s.AddClauses([]int32{2, 0}); s.Values(1, values); return s },
		"values after assume":   func() *Solver { s := solved(1, 0); s.Assume(1); s.Values(1, values); return s },
		"failed after sat":      func() *Solver { s := solved(1, 0); s.Failed([]int32{1}, nil); return s },
		"solve after close":     func() *Solver { s := solved(1, 0); s.Close(); s.Solve(t.Context()); return s },
		"unfinished clause":     func() *Solver { s := New(); s.AddClauses([]int32{1, 2}); return s },
		"literal zero assumed":  func() *Solver { s := New(); s.Assume(0); return s },
		"literal out of range":  func() *Solver { s := New(); s.AddClauses([]int32{-1 << 31, 0}); return s },
		"option does not exist": func() *Solver { return New(Option{"no-such-option", 1}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			misuse()
		}()
	}
	s := solved(1, 0)
	s.Close()
	s.Close()
	if s := solved(); s.state != sat {
		t.Error("the empty formula has a model")
	}
	s = solved(5, 0)
	two := make([]int8, 4)
	s.Values(4, two)
	if two[1] != 1 || two[3] != -1 {
		t.Errorf("values %v", two)
	}
}

// TestMemory exhausts the memory in a child process.
func TestMemory(t *testing.T) {
	if os.Getenv("CADICAL_EXHAUST") == "" {
		var out []byte
		var err error
		// The Go runtime may want memory for a thread just before the solver does.
		for range 5 {
			child := exec.Command("/bin/sh", "-c", "ulimit -v 1500000; exec \"$0\" -test.run=TestMemory", os.Args[0])
			child.Env = append(os.Environ(), "CADICAL_EXHAUST=1", "GOMEMLIMIT=100MiB")
			if out, err = child.CombinedOutput(); !strings.Contains(string(out), "pthread_create failed") {
				break
			}
		}
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 42 {
			t.Fatalf("child: %v\n%s", err, out)
		}
		return
	}
	s := New()
	flat := make([]int32, 0, 4000)
	for v := int32(1); ; {
		flat = flat[:0]
		for range 500 {
			flat = append(flat, v, v+1, v+2, 0)
			v += 3
		}
		s.AddClauses(flat)
		if s.state == broken {
			break
		}
	}
	if _, err := s.Solve(t.Context()); errors.Is(err, ErrMemory) {
		s.Close()
		os.Exit(42)
	}
	os.Exit(1)
}

func randomCNF(seed uint64, vars, clauses, size int) []int32 {
	r := rand.New(rand.NewPCG(seed, 2))
	var flat []int32
	for range clauses {
		for range size {
			flat = append(flat, randomLit(r, vars))
		}
		flat = append(flat, 0)
	}
	return flat
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		New().Close()
	}
}

func BenchmarkAddClauses(b *testing.B) {
	const n = 60000
	flat := randomCNF(1, 20000, n, 3)
	for b.Loop() {
		s := New()
		s.AddClauses(flat)
		s.Close()
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "clauses/s")
}

// BenchmarkCheck is a query under one assumption on a formula of a given size.
func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{10, 1000, 100000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := New()
			defer s.Close()
			var flat []int32
			for v := range int32(n) {
				flat = append(flat, -(v + 1), v+2, 0)
			}
			s.AddClauses(flat)
			i := int32(0)
			for b.Loop() {
				i++
				s.Assume(int32(n) - i%10)
				if r, _ := s.Solve(context.Background()); r != Sat {
					b.Fatal(r)
				}
			}
		})
	}
}
