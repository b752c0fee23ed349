package smt_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/internal/logic/smt"
	"assay/internal/logic/smt/bitblast"
	"assay/internal/logic/smt/checked"
	"assay/internal/logic/smt/z3"
	"assay/internal/logic/term"
)

func newStore(raw bool) *term.Store {
	if raw {
		return term.NewRawStore()
	}
	return term.NewStore()
}

// TestAgreement compares bitblast with Z3 on random formulas.
func TestAgreement(t *testing.T) {
	seeds := uint64(300)
	if testing.Short() {
		seeds = 100
	}
	var sat, unsat int
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		store := newStore(seed%3 == 0)
		g := newGenerator(r, store, seed%2 == 0)
		for range 10 + r.IntN(60) {
			g.grow()
		}
		formula := store.True()
		for range 1 + r.IntN(8) {
			formula = store.And(formula, g.bool())
		}
		ours := bitblast.New(store, bitblast.Options{})
		theirs := z3.New(store, z3.Options{OneShot: seed%4 == 1 || seed%4 == 2, Circuits: seed%4 == 2})
		ours.Assert(formula)
		theirs.Assert(formula)
		got, err := ours.Check(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want, err := theirs.Check(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Fatalf("seed %d: bitblast says %v, z3 %v", seed, got, want)
		}
		if got == smt.Sat {
			sat++
			for name, s := range map[string]smt.Solver{"bitblast": ours, "z3": theirs} {
				if !g.evaluate(s).Bool(formula) {
					t.Fatalf("seed %d: %s gives no model", seed, name)
				}
				if !s.Value(formula).IsTrue() {
					t.Fatalf("seed %d: %s: the formula has the value false", seed, name)
				}
			}
		} else {
			unsat++
		}
		ours.Close()
		theirs.Close()
	}
	t.Logf("%d sat, %d unsat", sat, unsat)
	if min(sat, unsat) < int(seeds)/10 {
		t.Errorf("only %d sat and %d unsat", sat, unsat)
	}
}

// TestArrays has many accesses to few indices of a long history of stores.
func TestArrays(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 15
	}
	var lemmas int64
	outcomes := map[smt.Status]int{}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 5))
		store := newStore(seed%2 == 0)
		g := &generator{r: r, s: store, words: map[uint32][]term.ID{}, sort: term.Array(4, 5), widths: []uint32{4, 5}}
		for i := range 5 {
			g.words[4] = append(g.words[4], store.Var(fmt.Sprint("i", i), term.BitVec(4)))
			g.words[5] = append(g.words[5], store.Var(fmt.Sprint("e", i), term.BitVec(5)))
			g.bools = append(g.bools, store.Var(fmt.Sprint("p", i), term.Bool()))
		}
		g.arrays = append(g.arrays, store.Var("a", g.sort))
		g.vars = append(append(append(append(g.vars, g.words[4]...), g.words[5]...), g.bools...), g.arrays...)
		history := g.arrays[0]
		for range 12 {
			read := store.Select(history, g.word(4))
			g.keep(read)
			g.keep(store.Extract(read, 3, 0))
			g.keep(store.Add(read, g.word(5)))
			next := store.StoreArray(history, g.word(4), g.word(5))
			if r.IntN(3) == 0 {
				next = store.Ite(g.bool(), next, pick(r, g.arrays))
			}
			g.keep(next)
			g.keep(store.ULt(g.word(5), g.word(5)))
			history = next
		}
		formula := store.True()
		for range 2 + r.IntN(8) {
			formula = store.And(formula, store.Eq(store.Select(pick(r, g.arrays), g.word(4)), g.word(5)))
			formula = store.And(formula, store.Not(store.Eq(store.Select(pick(r, g.arrays), g.word(4)), g.word(5))))
			formula = store.And(formula, g.bool())
		}
		ours, theirs := bitblast.New(store, bitblast.Options{}), z3.New(store, z3.Options{OneShot: true})
		ours.Assert(formula)
		theirs.Assert(formula)
		got, err := ours.Check(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want, err := theirs.Check(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Fatalf("seed %d: bitblast says %v, z3 %v", seed, got, want)
		}
		outcomes[got]++
		if got == smt.Sat {
			for name, s := range map[string]smt.Solver{"bitblast": ours, "z3": theirs} {
				if !g.evaluate(s).Bool(formula) {
					t.Fatalf("seed %d: %s gives no model", seed, name)
				}
			}
		}
		lemmas += ours.Stats().Lemmas
		ours.Close()
		theirs.Close()
	}
	t.Log(outcomes, lemmas, "lemmas")
	if lemmas < int64(seeds) {
		t.Errorf("only %d lemmas", lemmas)
	}
}

// session is a sequence of random calls of one solver, which checks every
// answer: a model is evaluated independently; a core is given to a solver of
// another kind.
type session struct {
	*testing.T
	name     string
	seed     uint64
	r        *rand.Rand
	store    *term.Store
	g        *generator
	s, other smt.Solver
	asserted []term.ID
}

func (s *session) fail(format string, args ...any) {
	s.Helper()
	s.Fatalf("%s, seed %d: %s", s.name, s.seed, fmt.Sprintf(format, args...))
}

// unsatisfiable asks the other solver whether the assertions contradict ts.
func (s *session) unsatisfiable(ts []term.ID) bool {
	r, err := s.other.Check(s.Context(), ts...)
	if err != nil {
		s.fail("%v", err)
	}
	return r == smt.Unsat
}

func (s *session) check() {
	var assumed []term.ID
	for range s.r.IntN(5) {
		t := s.g.bool()
		if s.r.IntN(2) == 0 {
			t = s.store.Not(t)
		}
		assumed = append(assumed, t)
	}
	got, err := s.s.Check(s.Context(), assumed...)
	if err != nil {
		s.fail("%v", err)
	}
	if got == smt.Unsat {
		core := s.s.Core()
		for _, c := range core {
			found := false
			for _, a := range assumed {
				found = found || a == c
			}
			if !found {
				s.fail("%v is in the core, but was not assumed", c)
			}
		}
		if !s.unsatisfiable(core) {
			s.fail("the core %v of %v is no contradiction", core, assumed)
		}
		return
	}
	for range s.r.IntN(10) {
		s.g.grow() // terms that the solver has not seen
	}
	e := s.g.evaluate(s.s)
	for _, t := range append(append([]term.ID(nil), s.asserted...), assumed...) {
		if !e.Bool(t) {
			s.fail("the model makes %s false", s.store.String(t))
		}
	}
	for range 10 {
		t := s.g.bool()
		if s.r.IntN(2) == 0 {
			t = s.g.word(s.g.width())
		}
		if got, want := s.s.Value(t), e.Value(t); !got.Equal(want) {
			s.fail("value %v of %s, but its variables make it %v", got, s.store.String(t), want)
		}
	}
}

func (s *session) assert() {
	t := s.g.bool()
	if s.store.IsTrue(t) || s.store.IsFalse(t) {
		return
	}
	// Mostly what keeps the assertions satisfiable.
	if s.r.IntN(8) != 0 {
		if s.unsatisfiable([]term.ID{t}) {
			t = s.store.Not(t)
		}
	}
	s.asserted = append(s.asserted, t)
	s.s.Assert(t)
	s.other.Assert(t)
}

// TestSessions is the model-based test of the incremental interface.
func TestSessions(t *testing.T) {
	for _, solver := range solvers {
		t.Run(solver.name, func(t *testing.T) {
			var lemmas int64
			seeds := 200 / solver.slowness
			if testing.Short() {
				seeds /= 4
			}
			for seed := range uint64(seeds) {
				r := rand.New(rand.NewPCG(seed, 2))
				store := newStore(seed%3 == 0)
				s := &session{T: t, name: solver.name, seed: seed, r: r, store: store,
					g: newGenerator(r, store, seed%2 == 0), s: solver.make(store)}
				if s.other = solvers[0].make(store); solver.name == "bitblast" {
					s.other = z3.New(store, z3.Options{})
				}
				for range 25 {
					switch r.IntN(4) {
					case 0, 1:
						for range r.IntN(12) {
							s.g.grow()
						}
					case 2:
						s.assert()
					case 3:
						s.check()
					}
				}
				lemmas += s.s.Stats().Lemmas
				s.s.Close()
				s.other.Close()
			}
			if solver.name == "bitblast" && lemmas == 0 {
				t.Error("no lemma was needed")
			}
			t.Log(lemmas, "lemmas")
		})
	}
}

// TestDisjunctions compares the solver with checked proofs, which decides disjunctions in turn where its limit is
// low, with bitblast: of several things of which one has to be true, with others and with arrays.
func TestDisjunctions(t *testing.T) {
	seeds := uint64(400)
	if testing.Short() {
		seeds = 100
	}
	outcomes := map[smt.Status]int{}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 9))
		store := newStore(seed%3 == 0)
		g := newGenerator(r, store, seed%4 != 0)
		for range 20 + r.IntN(60) {
			g.grow()
		}
		formula := []term.ID{store.True()}
		for range r.IntN(4) {
			formula = append(formula, g.bool())
		}
		some := store.False()
		for range 2 + r.IntN(8) {
			one := g.bool()
			for range r.IntN(6) {
				one = store.And(one, g.bool())
			}
			some = store.Or(one, some)
		}
		formula = append(formula, some)
		ours, theirs := checked.New(store), bitblast.New(store, bitblast.Options{})
		ours.SetConflictLimit(10_000)
		for _, f := range formula {
			ours.Assert(f)
			theirs.Assert(f)
		}
		got, err := ours.Check(t.Context())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want, err := theirs.Check(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Fatalf("seed %d: checked says %v, bitblast %v", seed, got, want)
		}
		outcomes[got]++
		if got == smt.Sat {
			e := g.evaluate(ours)
			if slices.ContainsFunc(formula, func(f term.ID) bool { return !e.Bool(f) }) {
				t.Fatalf("seed %d: no model", seed)
			}
		}
		ours.Close()
		theirs.Close()
	}
	if min(outcomes[smt.Sat], outcomes[smt.Unsat]) < int(seeds)/10 {
		t.Errorf("only %v", outcomes)
	}
}
