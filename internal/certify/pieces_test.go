package certify

import (
	"math/rand/v2"
	"testing"

	"assay/internal/logic/smt"
	"assay/internal/logic/term"
)

// formulas makes random conditions over a few variables, each on top of those before, as
// the guards of a program are.
func formulas(c *checker, seed uint64, n int) (conds []term.ID) {
	st, rng := c.st, rand.New(rand.NewPCG(seed, 3))
	numbers := []term.ID{st.Fresh("x", term.BitVec(8)), st.Fresh("y", term.BitVec(8)), st.ConstU(8, 7)}
	guard := st.True()
	pick := func() term.ID { return numbers[rng.IntN(len(numbers))] }
	for range n {
		x, y := pick(), pick()
		var test term.ID
		switch rng.IntN(4) {
		case 0:
			test = st.ULt(x, st.ConstU(8, rng.Uint64N(256)))
		case 1:
			test = st.SLe(x, y)
		case 2:
			test = st.Eq(st.BVAnd(x, st.ConstU(8, 3)), st.ConstU(8, rng.Uint64N(4)))
		default:
			test = st.ULe(st.BVAnd(x, st.ConstU(8, 15)), st.ConstU(8, 14+rng.Uint64N(4)))
		}
		conds = append(conds, st.And(guard, st.Not(test)))
		if rng.IntN(2) == 0 {
			guard = st.And(guard, test)
		}
		numbers = append(numbers, [...]term.ID{st.Add(x, y), st.BVAnd(x, y), st.Ite(test, x, y), st.Fresh("z", term.BitVec(8))}[rng.IntN(4)])
		if rng.IntN(4) == 0 {
			c.facts = append(c.facts, st.ULe(pick(), st.ConstU(8, 128+rng.Uint64N(128))))
		}
	}
	return conds
}

// TestPieces: what pieces decide the whole formula decides in the same way, and some
// pieces are enough, some are not.
func TestPieces(t *testing.T) {
	dropped, kept := 0, 0
	for seed := range uint64(40) {
		for _, engine := range []string{CaDiCaL, Z3} {
			m := loopModule(1)
			c := newChecker(t.Context(), m, Options{Engine: engine, pieces: []int{4, 16}}, nil)
			fr := &frame{fn: &function{f: m.Func("main")}}
			for _, cond := range formulas(c, seed, 30) {
				c.record(violation, fr, cond, 1, "a claim")
			}
			all := c.claims
			if err := c.inPieces(); err != nil {
				t.Fatal(err)
			}
			left := map[term.ID]bool{}
			for _, x := range c.claims {
				left[x.cond] = true
			}
			for _, x := range all {
				if left[x.cond] {
					kept++
					continue
				}
				dropped++
				if status, err := c.decide(x.cond); err != nil || status != smt.Unsat {
					t.Errorf("seed %d: a piece excludes a claim that is %v, %v", seed, status, err)
				}
			}
			c.close()
		}
	}
	if dropped < 50 || kept < 50 {
		t.Errorf("%d claims decided in pieces, %d left", dropped, kept)
	}
}

// TestYoungest: a piece has the terms that were made last, and what it leaves out is one
// variable wherever it occurs.
func TestYoungest(t *testing.T) {
	c := newChecker(t.Context(), loopModule(1), Options{}, nil)
	defer c.close()
	st := c.st
	x := st.Fresh("x", term.BitVec(8))
	old := st.Mul(x, st.Fresh("y", term.BitVec(8)))
	root := st.And(st.ULt(old, st.ConstU(8, 9)), st.SLt(old, x))
	g := (&pieces{c: c}).newGroup(200)
	kept := g.youngest(root, 3)
	if len(kept) != 3 || kept[2] != root {
		t.Fatalf("kept %v of %s", kept, st.String(root))
	}
	if vars := g.st.Vars(g.copy(root, kept)); len(vars) != 2 { // for the product, and for x
		t.Errorf("%d variables", len(vars))
	}
}

// BenchmarkYoungest cuts pieces out of a long formula.
func BenchmarkYoungest(b *testing.B) {
	c := newChecker(b.Context(), loopModule(1), Options{}, nil)
	defer c.close()
	conds := formulas(c, 1, 2000)
	g := (&pieces{c: c}).newGroup(200)
	for b.Loop() {
		g.youngest(conds[len(conds)-1], 200)
	}
}
