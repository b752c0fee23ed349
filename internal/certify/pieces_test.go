package certify

import (
	"errors"
	"math/rand/v2"
	"testing"

	"assay/internal/logic/smt"
	"assay/internal/logic/term"
	"assay/internal/program/ir"
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

// addresses is a program with two blocks, a long calculation, and checks that the blocks have different
// addresses; one more check fails if ordered says so.
func addresses(ordered bool) *ir.Module {
	m := &ir.Module{PointerBits: 64, Entry: "main"}
	b := ir.NewFunc(m, "main")
	b.At(b.Block("entry"))
	block := func() ir.Value { return b.Op(ir.PtrToInt, ir.IntType(64), b.Op(ir.Malloc, m.PtrType(), b.Word(8))) }
	x, y := block(), block()
	k := b.Nondet(ir.IntType(8), ir.NondetInput, "k")
	differ := b.Cmp(ir.Ne, x, y)
	for i := range uint64(200) {
		k = b.Bin(ir.Add, k, b.Bin(ir.Xor, b.Bin(ir.Shl, k, b.Const(8, 1+i%3)), b.Const(8, i)))
		if i%20 == 0 {
			b.Check(ir.Assertion, b.Bin(ir.Or, differ, b.Cmp(ir.Eq, k, b.Const(8, i))), "other addresses")
		}
	}
	if ordered {
		b.Check(ir.Assertion, b.Cmp(ir.ULt, x, y), "in ascending order")
	}
	b.Halt(ir.HaltExit)
	b.Done()
	return m
}

// TestAtOnce: claims that rest on facts about memory, which are added where a model breaks them, are settled at once,
// and so are claims of which one fails.
func TestAtOnce(t *testing.T) {
	for _, ordered := range []bool{false, true} {
		m := addresses(ordered)
		c := newChecker(t.Context(), m, Options{Targets: []ir.CheckKind{ir.Assertion}}, nil)
		defer c.close()
		if err := c.unwind(m.Func("main")); err != nil {
			t.Fatal(err)
		}
		before, conds := len(c.claims), []term.ID(nil)
		for _, x := range c.claims {
			conds = append(conds, x.cond)
		}
		if total := c.termsOf(conds); before < fewClaims || total <= smallFormula || total > middleFormula {
			t.Fatalf("%d claims of %d terms are not asked about at once", before, total)
		}
		if err := c.inPieces(); err != nil {
			t.Fatal(err)
		}
		if left := len(c.claims); c.inParts || !ordered && left != 0 || ordered && left != before {
			t.Errorf("ordered %v: %d claims of %d are left, in parts: %v", ordered, left, before, c.inParts)
		}
		var rejected ErrRejected
		if _, err := c.judge(); ordered && (!errors.As(err, &rejected) || rejected.What != "assertion: in ascending order") || !ordered && err != nil {
			t.Errorf("ordered %v: %v", ordered, err)
		}
	}
}

// TestQuotientsAtOnce: claims that hold whatever a quotient is are settled before its circuit is made.
func TestQuotientsAtOnce(t *testing.T) {
	m := loopModule(1)
	c := newChecker(t.Context(), m, Options{Engine: CaDiCaL}, nil)
	defer c.close()
	st := c.st
	word := func(name string) term.ID { return st.Fresh(name, term.BitVec(32)) }
	a, b, d, same := word("a"), word("b"), word("d"), word("same")
	c.facts = append(c.facts, st.ULe(a, same), st.ULe(same, a))
	differ := st.Not(st.Eq(st.UDiv(st.Mul(a, b), d), st.UDiv(st.Mul(same, b), d)))
	fr := &frame{fn: &function{f: m.Func("main")}}
	var conds []term.ID
	for _, cond := range formulas(c, 1, 400) {
		conds = append(conds, st.And(cond, differ))
		c.record(violation, fr, st.And(cond, differ), 1, "a claim")
	}
	if total := c.termsOf(conds); len(c.claims) < fewClaims || total <= smallFormula || total > middleFormula {
		t.Fatalf("%d claims of %d terms are not asked about at once", len(c.claims), total)
	}
	if err := c.inPieces(); err != nil {
		t.Fatal(err)
	}
	if len(c.claims) > 0 || !c.asFunctions || c.inParts {
		t.Errorf("%d claims are left; as functions: %v, in parts: %v", len(c.claims), c.asFunctions, c.inParts)
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
