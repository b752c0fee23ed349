package smt_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/logic/smt"
	"assay/internal/logic/smt/bitblast"
	"assay/internal/logic/smt/checked"
	"assay/internal/logic/smt/z3"
	"assay/internal/logic/term"
)

// TestTables reads tables of constants at every index, and asks for the right element and for another one. The elements
// that are expected are kept in a map.
func TestTables(t *testing.T) {
	const indexWidth, elementWidth = 4, 3
	for _, kind := range solvers[:2] {
		for seed := range uint64(20) {
			r := rand.New(rand.NewPCG(seed, 11))
			store := newStore(seed%2 == 0)
			array := store.ConstArray(term.Array(indexWidth, elementWidth), store.Const(bv.New(elementWidth, 5)))
			elements := map[uint64]uint64{}
			for range 4 + r.IntN(24) {
				i, e := r.Uint64N(1<<indexWidth), r.Uint64N(1<<elementWidth)
				if seed%3 == 0 {
					i = i/4*4 + 1 // with gaps
				}
				elements[i] = e
				array = store.StoreArray(array, store.Const(bv.New(indexWidth, i)), store.Const(bv.New(elementWidth, e)))
			}
			index := store.Var("i", term.BitVec(indexWidth))
			read := store.Select(array, index)
			for i := range uint64(1 << indexWidth) {
				e, stored := elements[i]
				if !stored {
					e = 5
				}
				at := store.Eq(index, store.Const(bv.New(indexWidth, i)))
				right := store.Eq(read, store.Const(bv.New(elementWidth, e)))
				for f, want := range map[term.ID]smt.Status{right: smt.Sat, store.Not(right): smt.Unsat} {
					solver := kind.make(store)
					solver.Assert(at)
					solver.Assert(f)
					if got, err := solver.Check(t.Context()); err != nil || got != want {
						t.Fatalf("%s, seed %d, index %d: %v %v, not %v", kind.name, seed, i, got, err, want)
					}
					solver.Close()
				}
			}
		}
	}
}

// TestTablesAbove compares the solvers on random formulas about tables above arrays of which less is known, and about
// parts of tables, which are read, too.
func TestTablesAbove(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 30
	}
	outcomes := map[smt.Status]int{}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 13))
		store := newStore(seed%2 == 0)
		g := &generator{r: r, s: store, words: map[uint32][]term.ID{}, sort: term.Array(5, 4), widths: []uint32{4, 5}}
		for i := range 3 {
			g.words[5] = append(g.words[5], store.Var(fmt.Sprint("i", i), term.BitVec(5)))
			g.words[4] = append(g.words[4], store.Var(fmt.Sprint("e", i), term.BitVec(4)))
			g.bools = append(g.bools, store.Var(fmt.Sprint("p", i), term.Bool()))
		}
		g.arrays = []term.ID{store.Var("a", g.sort), store.ConstArray(g.sort, g.word(4))}
		g.vars = append(append(append(append(g.vars, g.words[4]...), g.words[5]...), g.bools...), g.arrays[0])
		for range 3 {
			array := pick(r, g.arrays)
			for range 6 + r.IntN(16) {
				array = store.StoreArray(array, store.Const(bv.New(5, r.Uint64N(32))), store.Const(bv.New(4, r.Uint64N(3))))
				if r.IntN(8) == 0 {
					g.keep(array)
				}
			}
			g.keep(array)
			g.keep(store.StoreArray(array, g.word(5), g.word(4)))
			g.keep(store.Ite(g.bool(), array, pick(r, g.arrays)))
			for range 3 {
				read := store.Select(pick(r, g.arrays), g.word(5))
				g.keep(read)
				g.keep(store.ZExt(read, 5))
				g.keep(store.ULt(g.word(4), read))
			}
		}
		var formula []term.ID
		for range 4 + r.IntN(8) {
			is := store.Eq(store.Select(pick(r, g.arrays), g.word(5)), g.word(4))
			if r.IntN(2) == 0 {
				is = store.Not(is)
			}
			formula = append(formula, is, g.bool())
		}
		answers := map[string]smt.Status{}
		for name, s := range map[string]smt.Solver{
			"bitblast": bitblast.New(store, bitblast.Options{}), "checked": checked.New(store), "z3": z3.New(store, z3.Options{OneShot: true}),
		} {
			for _, f := range formula {
				s.Assert(f)
			}
			got, err := s.Check(t.Context())
			if err != nil {
				t.Fatalf("%s, seed %d: %v", name, seed, err)
			}
			if answers[name] = got; got == smt.Sat {
				e := g.evaluate(s)
				for _, f := range formula {
					if !e.Bool(f) {
						t.Fatalf("%s, seed %d: no model", name, seed)
					}
				}
			}
			s.Close()
		}
		if answers["checked"] != answers["z3"] || answers["bitblast"] != answers["z3"] {
			t.Fatalf("seed %d: %v", seed, answers)
		}
		outcomes[answers["z3"]]++
	}
	if min(outcomes[smt.Sat], outcomes[smt.Unsat]) < int(seeds)/10 {
		t.Errorf("only %v", outcomes)
	}
}
