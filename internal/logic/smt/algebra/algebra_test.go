package algebra

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/logic/smt/bitblast"
	"assay/internal/logic/term"
)

// maker makes random formulas about words of few bits.
type maker struct {
	*rand.Rand
	st    *term.Store
	width uint32
	vars  []term.ID
}

func newMaker(seed uint64) *maker {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 7)), st: term.NewStore(), width: 3 + uint32(seed%2)}
	for i := range 3 {
		m.vars = append(m.vars, m.st.Var(fmt.Sprint("x", i), term.BitVec(m.width)))
	}
	return m
}

func (m *maker) word(depth int) term.ID {
	st, w := m.st, m.width
	if depth == 0 {
		if m.IntN(4) == 0 {
			return st.ConstU(w, m.Uint64N(1<<w))
		}
		return m.vars[m.IntN(len(m.vars))]
	}
	a := m.word(depth - 1)
	switch m.IntN(17) {
	case 16:
		// What is read of an array that was written twice, or once.
		index := func() term.ID { return st.Extract(m.vars[m.IntN(len(m.vars))], 1, 0) }
		array := st.StoreArray(st.ConstArray(term.Array(2, w), m.word(0)), index(), a)
		if m.IntN(2) == 0 {
			array = st.Ite(m.truth(0), array, st.StoreArray(array, index(), m.word(depth-1)))
		}
		return st.Select(array, index())
	case 0:
		return st.Neg(a)
	case 1:
		return st.BVNot(a)
	case 2, 3, 4:
		return st.Mul(a, m.word(depth-1))
	case 5:
		return st.Ite(m.truth(depth-1), a, m.word(depth-1))
	case 6:
		return st.Concat(st.Extract(a, w-2, 0), st.ConstU(1, m.Uint64N(2)))
	case 7:
		return st.ZExt(st.Extract(a, w-1, 1), w)
	case 8:
		return st.Extract(st.Mul(st.SExt(a, w+2), st.ZExt(m.word(depth-1), w+2)), w-1, 0)
	case 9:
		return []func(a, b term.ID) term.ID{st.UDiv, st.URem, st.SDiv, st.SRem}[m.IntN(4)](a, m.word(depth-1))
	case 10:
		return st.SExt(st.Extract(a, w-2, 0), w)
	case 11:
		// Sums and products of fewer bits, extended.
		b := m.word(depth - 1)
		k := 1 + m.Uint32N(2)
		x, y := st.SExt(st.Extract(a, k-1, 0), w-1), st.SExt(st.Extract(b, k-1, 0), w-1)
		if m.IntN(2) == 0 {
			x, y = st.ZExt(st.Extract(a, k-1, 0), w-1), st.ZExt(st.Extract(b, k-1, 0), w-1)
		}
		z := []term.ID{st.Add(x, y), st.Mul(x, y), st.Neg(x), st.BVNot(x), st.Concat(st.Extract(x, w-3, 0), st.Extract(y, 0, 0)), st.Add(st.Mul(x, x), st.Neg(y))}[m.IntN(6)]
		if m.IntN(2) == 0 {
			return st.ZExt(z, w)
		}
		return st.SExt(z, w)
	case 12:
		return st.SExt(st.Concat(st.Extract(a, w-3, 0), st.ConstU(1, m.Uint64N(2))), w)
	}
	return st.Add(a, m.word(depth-1))
}

func (m *maker) truth(depth int) term.ID {
	st := m.st
	if depth <= 0 {
		return st.ULt(m.word(0), m.word(0))
	}
	switch m.IntN(8) {
	case 0:
		return st.Not(m.truth(depth - 1))
	case 1:
		return st.And(m.truth(depth-1), m.truth(depth-1))
	case 2:
		return st.Or(m.truth(depth-1), m.truth(depth-1))
	case 3:
		return st.SLt(m.word(depth), m.word(depth))
	}
	return st.Eq(m.word(depth), m.word(depth))
}

// holds evaluates a term for all values of the variables.
func (m *maker) values(f func(e *term.Evaluator)) {
	n := 0
	e := term.NewEvaluator(m.st, func(v term.ID) (bv.BV, bool) {
		for i, x := range m.vars {
			if x == v {
				return bv.New(m.width, uint64(n>>(i*int(m.width)))), true
			}
		}
		return bv.BV{}, false
	})
	for ; n < 1<<(3*m.width); n++ {
		e.Reset()
		f(e)
	}
}

// TestLemmas: every lemma holds for all values, whatever the model was in which the
// operations have any values.
func TestLemmas(t *testing.T) {
	lemmas := 0
	for seed := range uint64(120) {
		m := newMaker(seed)
		o := New(m.st)
		o.least = 2
		goals := []term.ID{m.truth(3), m.truth(3), m.truth(2)}
		o.Watch(goals...)
		m.st.Walk(goals, func(x term.ID) { o.Leave(m.st, x) })
		var stated []term.ID
		for range 20 {
			e := term.NewEvaluator(m.st, func(v term.ID) (bv.BV, bool) { return bv.New(m.width, m.Uint64()&m.Uint64()), true })
			for _, x := range slices.Sorted(maps.Keys(o.variables)) {
				if m.IntN(2) == 0 {
					e.Set(x, bv.New(max(m.st.Width(x), 1), m.Uint64()))
				}
			}
			for _, l := range o.Refine(e.Value, goals...) {
				stated = append(stated, l)
			}
		}
		lemmas += len(stated)
		m.values(func(e *term.Evaluator) {
			for _, l := range stated {
				if !e.Bool(l) {
					t.Fatalf("seed %d: not valid: %s", seed, m.st.String(l))
				}
			}
		})
	}
	t.Log(lemmas, "lemmas")
	if lemmas < 300 {
		t.Errorf("%d lemmas", lemmas)
	}
}

// TestRefute compares refutations with all values.
func TestRefute(t *testing.T) {
	refuted := 0
	for seed := range uint64(250) {
		m := newMaker(seed)
		a, b, c := m.word(2), m.word(1), m.word(2)
		// What follows from an equation, and what need not.
		d := m.st.Add(m.st.Mul(b, c), m.st.ConstU(m.width, seed%3/2))
		roots := []term.ID{m.st.Eq(a, c), m.truth(2), m.st.Not(m.st.Eq(m.st.Mul(a, b), d))}
		solver := bitblast.New(m.st, bitblast.Options{})
		no, err := refute(t.Context(), m.st, solver, roots, 2)
		solver.Close()
		if err != nil {
			t.Fatal(err)
		}
		if !no {
			continue
		}
		refuted++
		m.values(func(e *term.Evaluator) {
			all := true
			for _, r := range roots {
				all = all && e.Bool(r)
			}
			if all {
				t.Fatalf("seed %d: there is a model", seed)
			}
		})
	}
	t.Log(refuted, "refuted")
	if refuted < 50 {
		t.Errorf("%d refuted", refuted)
	}
}

// TestWide refutes what is beyond circuits.
func TestWide(t *testing.T) {
	st := term.NewStore()
	v := func(name string) term.ID { return st.Var(name, term.BitVec(64)) }
	x, y, u, w, a, b := v("x"), v("y"), v("u"), v("w"), v("a"), v("b")
	sub := func(x, y term.ID) term.ID { return st.Add(x, st.Neg(y)) }
	c := st.ULt(y, x)
	x2, y2 := st.Ite(c, sub(x, y), x), st.Ite(c, y, sub(y, x))
	u2, w2 := st.Ite(c, u, st.Add(u, w)), st.Ite(c, st.Add(w, u), w)
	sum := func(x, y, u, w term.ID) term.ID { return st.Add(st.Mul(x, u), st.Mul(y, w)) }
	quotient, remainder := st.UDiv(a, b), st.URem(a, b)
	for _, test := range []struct {
		name  string
		roots []term.ID
		want  bool
	}{
		{"kept", []term.ID{st.Eq(sum(x, y, u, w), st.Mul(a, b)), st.Not(st.Eq(sum(x2, y2, u2, w2), st.Mul(a, b)))}, true},
		{"not kept", []term.ID{st.Eq(sum(x, y, u, w), st.Mul(a, b)), st.Not(st.Eq(sum(x2, y2, u2, w), st.Mul(a, b)))}, false},
		{"triangle", []term.ID{st.Eq(st.Add(x, x), st.Mul(y, st.Add(y, st.ConstU(64, 1)))),
			st.Not(st.Eq(st.Mul(st.ConstU(64, 2), st.Add(x, st.Add(y, st.ConstU(64, 1)))), st.Mul(st.Add(y, st.ConstU(64, 1)), st.Add(y, st.ConstU(64, 2)))))}, true},
		{"half of it", []term.ID{st.Eq(st.Add(x, x), st.Add(y, y)), st.Not(st.Eq(x, y))}, false},
		{"division", []term.ID{st.Not(st.Eq(a, st.Add(st.Mul(quotient, b), remainder)))}, true},
		{"remainder", []term.ID{st.ULt(st.ConstU(64, 0), b), st.Eq(remainder, b)}, true},
		{"quotient", []term.ID{st.Eq(x, st.UDiv(a, b)), st.Eq(a, st.Mul(b, y)), st.Not(st.Eq(x, y))}, false},
		{"shift", []term.ID{st.Eq(st.Extract(x, 1, 0), st.ConstU(2, 0)), st.Eq(x, st.Mul(y, y)), st.Not(st.Eq(st.Mul(st.ConstU(64, 4), st.UDiv(x, st.ConstU(64, 4))), st.Mul(y, y)))}, true},
	} {
		solver := bitblast.New(st, bitblast.Options{})
		got, err := Refute(t.Context(), st, solver, test.roots)
		solver.Close()
		if err != nil || got != test.want {
			t.Errorf("%s: %v, %v", test.name, got, err)
		}
	}
}
