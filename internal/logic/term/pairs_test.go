package term

import (
	"flag"
	"math/rand/v2"
	"testing"

	"assay/internal/logic/bv"
)

var samplePairs = flag.Float64("pairs", 15000, "pairs that TestPairs tries for each width")

// truthTable has the value of each term under each assignment.
type truthTable struct {
	s      *Store
	rows   [][]bv.BV // assignments of vars
	vars   []ID
	values [][]bv.BV // by term
}

func newTruthTable(s *Store, vars []ID) *truthTable {
	tt := &truthTable{s: s, vars: vars}
	bits := uint32(0)
	for _, v := range vars {
		bits += max(s.Width(v), 1)
	}
	for k := range uint64(1) << bits {
		var row []bv.BV
		for _, v := range vars {
			w := max(s.Width(v), 1)
			row = append(row, bv.New(w, k))
			k >>= w
		}
		tt.rows = append(tt.rows, row)
	}
	return tt
}

// of is the values of t. Terms are built in ascending order and their values too.
func (tt *truthTable) of(t ID) []bv.BV {
	for len(tt.values) <= int(t) {
		id := ID(len(tt.values))
		n := tt.s.nodes[id]
		values := make([]bv.BV, len(tt.rows))
		for k := range values {
			var args [3]bv.BV
			for i, a := range n.args[:arity[n.op]] {
				args[i] = tt.values[a][k]
			}
			switch n.op {
			case OpInvalid:
			case OpTrue, OpFalse, OpConst:
				values[k] = tt.s.ConstValue(id)
			case OpVar:
				for i, v := range tt.vars {
					if v == id {
						values[k] = tt.rows[k][i]
					}
				}
			default:
				values[k] = apply(n.op, tt.s.sorts[n.sort].Width, n.aux, args[:arity[n.op]])
			}
		}
		tt.values = append(tt.values, values)
	}
	return tt.values[t]
}

// shape is an application to be built of arguments by ID.
type shape struct {
	op   Op
	a, b uint32
}

// TestPairs applies every operation to pairs of all terms of depth one over two
// variables and all constants of a width, or a sample of them, and to triples for
// Ite.
func TestPairs(t *testing.T) {
	for width := uint32(0); width <= 3; width++ {
		s := NewStore()
		vars, pool, shapes := pairsOf(s, width)
		tt := newTruthTable(s, vars)
		leaves := pool
		apply2 := func(sh shape, a, b ID) ID {
			t1 := build(s, sh.op, [3]ID{a, b}, sh.a, sh.b)
			va, vb, got := tt.of(a), tt.of(b), tt.of(t1)
			for k := range tt.rows {
				out := width
				if sh.op == OpConcat {
					out = 2 * width
				}
				if want := apply(sh.op, out, 0, []bv.BV{va[k], vb[k]}); !want.Equal(got[k]) {
					t.Fatalf("width %d: %s of %s and %s is %s, which is %s and not %s at %v",
						width, sh.op, s.String(a), s.String(b), s.String(t1), got[k], want, tt.rows[k])
				}
				checkFact(t, s, t1, got[k])
			}
			return t1
		}
		seen := map[ID]bool{}
		for _, a := range leaves {
			seen[a] = true
		}
		grow := func(t1 ID) {
			if s.Width(t1) == width && !seen[t1] {
				seen[t1] = true
				pool = append(pool, t1)
			}
		}
		for _, sh := range shapes {
			for _, a := range leaves {
				for _, b := range leaves {
					if arity[sh.op] == 2 {
						grow(apply2(sh, a, b))
					}
				}
			}
		}
		for _, a := range leaves {
			switch {
			case width == 0:
				grow(s.Not(a))
				continue
			case width > 1: // pieces put together in every way
				for lo := range width - 1 {
					e := s.Extract(a, width-1, lo+1)
					grow(s.ZExt(e, width))
					grow(s.SExt(e, width))
					grow(s.Concat(s.Extract(a, lo, 0), e))
				}
			}
			grow(s.Neg(a))
			grow(s.BVNot(a))
		}
		if width == 0 {
			for _, a := range pool {
				grow(s.Not(a))
			}
		}
		rng := rand.New(rand.NewPCG(uint64(width), 1))
		keep := min(1, *samplePairs/float64(len(shapes)*len(pool)*len(pool)))
		if width == 0 {
			keep = 1
		}
		for _, sh := range shapes {
			for _, a := range pool {
				for _, b := range pool {
					if arity[sh.op] == 2 && (keep == 1 || rng.Float64() < keep) {
						apply2(sh, a, b)
					}
				}
			}
		}
		testItes(t, tt, rng, width, vars, pool, len(leaves))
		t.Logf("width %d: %d terms, %d in all", width, len(pool), s.Len())
	}
}

// pairsOf are variables, the terms of one operation at most that pairs are made of, and the
// operations; at width 0 of truth values.
func pairsOf(s *Store, width uint32) (vars, pool []ID, shapes []shape) {
	if width == 0 { // Bool
		for _, name := range []string{"p", "q", "r"} {
			v := s.Var(name, Bool())
			vars = append(vars, v)
			pool = append(pool, v, s.Not(v))
		}
		for _, op := range []Op{OpAnd, OpOr, OpXor, OpEq} {
			shapes = append(shapes, shape{op: op})
		}
	} else {
		x, y, p := s.Var("x", BitVec(width)), s.Var("y", BitVec(width)), s.Var("p", Bool())
		vars = []ID{x, y, p}
		pool = []ID{x, y}
		for v := range ones(width) + 1 {
			pool = append(pool, s.ConstU(width, v), s.Ite(p, x, s.ConstU(width, v)))
			pool = append(pool, s.Ite(p, s.ConstU(width, v), s.ConstU(width, 1)))
		}
		pool = append(pool, s.Ite(p, x, y))
		for op := OpAdd; op <= OpConcat; op++ {
			shapes = append(shapes, shape{op: op})
		}
		shapes = append(shapes, shape{op: OpEq})
	}
	return vars, pool, shapes
}

// testItes compares choices between terms; the first leaves of the pool are simple.
func testItes(t *testing.T, tt *truthTable, rng *rand.Rand, width uint32, vars, pool []ID, leaves int) {
	t.Helper()
	s := tt.s
	for range 6000 {
		p := vars[len(vars)-1]
		c := s.Var("p", Bool())
		a, b := pool[rng.IntN(len(pool))], pool[rng.IntN(len(pool))]
		switch {
		case width == 0:
			c = pool[rng.IntN(len(pool))]
		case rng.IntN(2) == 0:
			c = s.Eq(pool[rng.IntN(len(pool))], pool[rng.IntN(leaves)])
		case rng.IntN(2) == 0:
			c = s.And(p, s.SLt(a, pool[rng.IntN(leaves)]))
		}
		t1 := s.Ite(c, a, b)
		vc, va, vb, got := tt.of(c), tt.of(a), tt.of(b), tt.of(t1)
		for k := range tt.rows {
			want := vb[k]
			if vc[k].IsTrue() {
				want = va[k]
			}
			if !want.Equal(got[k]) {
				t.Fatalf("Ite of %s, %s, %s is %s", s.String(c), s.String(a), s.String(b), s.String(t1))
			}
		}
	}
}
