package smt_test

import (
	"math/rand/v2"

	"assay/internal/logic/bv"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
)

// generator grows a pool of random terms over a few variables, small enough
// that random constraints on them are neither all trivial nor all hard.
type generator struct {
	r      *rand.Rand
	s      *term.Store
	bools  []term.ID
	words  map[uint32][]term.ID
	arrays []term.ID // all of one sort
	vars   []term.ID
	sort   term.Sort
	widths []uint32
}

func newGenerator(r *rand.Rand, s *term.Store, arrays bool) *generator {
	g := &generator{r: r, s: s, words: map[uint32][]term.ID{}}
	index, elem := uint32(2+r.IntN(2)), uint32(1+r.IntN(4))
	g.sort = term.Array(index, elem)
	g.widths = []uint32{1, index, elem, uint32(3 + r.IntN(5))}
	if r.IntN(8) == 0 {
		g.widths = append(g.widths, 70)
	}
	for i := range 2 {
		g.bools = append(g.bools, s.Var("p"+string(rune('0'+i)), term.Bool()))
	}
	for _, w := range g.widths {
		for i := range 2 {
			name := "x" + string(rune('0'+w/10)) + string(rune('0'+w%10)) + string(rune('a'+i))
			g.words[w] = append(g.words[w], s.Var(name, term.BitVec(w)))
		}
	}
	if arrays {
		g.arrays = append(g.arrays, s.Var("a", g.sort), s.Var("b", g.sort))
	}
	for _, ts := range [][]term.ID{g.bools, g.arrays} {
		g.vars = append(g.vars, ts...)
	}
	seen := map[uint32]bool{}
	for _, w := range g.widths {
		if !seen[w] {
			seen[w] = true
			g.vars = append(g.vars, g.words[w]...)
		}
	}
	return g
}

func pick[T any](r *rand.Rand, ts []T) T {
	if r.IntN(2) == 0 { // prefer the young
		return ts[len(ts)-1-r.IntN(min(4, len(ts)))]
	}
	return ts[r.IntN(len(ts))]
}

func (g *generator) width() uint32 { return g.widths[g.r.IntN(len(g.widths))] }

func (g *generator) bool() term.ID { return pick(g.r, g.bools) }

func (g *generator) word(w uint32) term.ID {
	if len(g.words[w]) == 0 || g.r.IntN(8) == 0 {
		return g.s.Const(interesting(g.r, w))
	}
	return pick(g.r, g.words[w])
}

func (g *generator) keep(t term.ID) {
	switch sort := g.s.Sort(t); sort.Kind {
	case term.SortBool:
		g.bools = append(g.bools, t)
	case term.SortBV:
		g.words[sort.Width] = append(g.words[sort.Width], t)
	default:
		g.arrays = append(g.arrays, t)
	}
}

// grow adds one random term.
func (g *generator) grow() {
	s, r := g.s, g.r
	kinds := 7
	if len(g.arrays) > 0 {
		kinds = 12
	}
	switch r.IntN(kinds) {
	case 0:
		f := pick(r, []func(a, b term.ID) term.ID{s.And, s.Or, s.Xor, s.Eq, func(a, _ term.ID) term.ID { return s.Not(a) }})
		g.keep(f(g.bool(), g.bool()))
	case 1, 2:
		w := g.width()
		f := pick(r, []func(a, b term.ID) term.ID{s.Eq, s.ULt, s.ULe, s.SLt, s.SLe})
		g.keep(f(g.word(w), g.word(w)))
	case 3, 4:
		w := g.width()
		fs := []func(a, b term.ID) term.ID{s.Add, s.Sub, s.Shl, s.LShr, s.AShr, s.BVAnd, s.BVOr, s.BVXor,
			func(a, _ term.ID) term.ID { return s.Neg(a) }, func(a, _ term.ID) term.ID { return s.BVNot(a) }}
		if w < 10 {
			fs = append(fs, s.Mul, s.UDiv, s.URem, s.SDiv, s.SRem)
		}
		g.keep(fs[r.IntN(len(fs))](g.word(w), g.word(w)))
	case 5:
		w := g.width()
		g.keep(s.Ite(g.bool(), g.word(w), g.word(w)))
	case 6:
		from, to := g.width(), g.width()
		t := g.word(from)
		switch {
		case to > from && r.IntN(3) == 0:
			g.keep(s.ZExt(t, to))
		case to > from && r.IntN(2) == 0:
			g.keep(s.SExt(t, to))
		case to > from:
			g.keep(s.Concat(t, g.s.Extract(s.SExt(g.word(1), to), to-from-1, 0)))
		default:
			lo := uint32(r.IntN(int(from - to + 1)))
			g.keep(s.Extract(t, lo+to-1, lo))
		}
	case 7, 8:
		g.keep(s.Select(pick(r, g.arrays), g.word(g.sort.Index)))
	case 9, 10:
		g.keep(s.StoreArray(pick(r, g.arrays), g.word(g.sort.Index), g.word(g.sort.Width)))
	case 11:
		if r.IntN(4) == 0 {
			g.keep(s.ConstArray(g.sort, g.word(g.sort.Width)))
			return
		}
		g.keep(s.Ite(g.bool(), pick(r, g.arrays), pick(r, g.arrays)))
	}
}

// evaluate computes terms under the model that a solver claims, from the values
// of the variables only.
func (g *generator) evaluate(s smt.Solver) *term.Evaluator {
	values := map[term.ID]bv.BV{}
	arrays := map[term.ID]map[uint64]bv.BV{}
	others := map[term.ID]bv.BV{}
	for _, v := range g.vars {
		if g.s.Sort(v).Kind == term.SortArray {
			arrays[v], others[v] = s.ArrayValue(v)
		} else {
			values[v] = s.Value(v)
		}
	}
	e := term.NewEvaluator(g.s, func(v term.ID) (bv.BV, bool) { x, ok := values[v]; return x, ok })
	e.SetArrays(func(v term.ID) (map[uint64]bv.BV, bv.BV, bool) {
		elements, ok := arrays[v]
		return elements, others[v], ok
	})
	return e
}
