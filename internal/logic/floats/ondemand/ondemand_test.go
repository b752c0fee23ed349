package ondemand

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/logic/floats"
	"assay/internal/logic/smt"
	"assay/internal/logic/smt/bitblast"
	"assay/internal/logic/term"
)

func pick[T any](r *rand.Rand, xs []T) T { return xs[r.IntN(len(xs))] }

// float is a bit pattern: special, near a special one, moderate, or any.
func float(r *rand.Rand, width uint32) bv.BV {
	special := []float64{0, math.Copysign(0, -1), 1, -1, 2, 0.5, 3, 10, -10, 0.1, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat32, math.MaxFloat64, 5e-324, 1e-45, 1e-310, 1e-39, 1e20, -1e-20}
	v := pick(r, special)
	switch r.IntN(4) {
	case 0:
		v = (r.Float64() - 0.5) * 20
	case 1:
		return bv.New(width, r.Uint64())
	}
	x := bv.New(64, math.Float64bits(v))
	if width == 32 {
		x = bv.New(32, uint64(math.Float32bits(float32(v))))
	}
	if r.IntN(4) == 0 && !math.IsNaN(v) {
		x = x.Add(bv.NewSigned(width, r.Int64N(5)-2))
	}
	return x
}

// maker makes random formulas about floats.
type maker struct {
	*rand.Rand
	st     *term.Store
	width  uint32
	vars   []term.ID
	values []term.ID
}

func newMaker(seed uint64) *maker {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 3)), st: term.NewStore(), width: 32}
	if seed%3 == 0 {
		m.width = 64
	}
	for i := range 2 + m.IntN(2) {
		m.vars = append(m.vars, m.st.Var(fmt.Sprint("x", i), term.BitVec(m.width)))
	}
	m.values = append(m.values, m.vars...)
	for range 2 {
		m.values = append(m.values, m.st.Const(float(m.Rand, m.width)))
	}
	return m
}

func (m *maker) grow(conditions bool) {
	st, a, b := m.st, pick(m.Rand, m.values), pick(m.Rand, m.values)
	t := a
	switch n := m.IntN(8); {
	case n < 2:
		t = st.FAdd(a, b)
	case n < 4:
		t = st.FMul(a, b)
	case n == 4:
		t = st.FDiv(a, b)
	case n == 5 && m.IntN(2) == 0:
		t = st.FSqrt(a)
	case n == 6:
		t = st.FNeg(a)
	case conditions:
		t = st.Ite(st.FLt(a, b), pick(m.Rand, m.values), pick(m.Rand, m.values))
	default:
		t = st.FAbs(a)
	}
	m.values = append(m.values, t)
}

func (m *maker) condition() term.ID {
	st, a, b := m.st, pick(m.Rand, m.values), pick(m.Rand, m.values)
	if m.IntN(2) == 0 {
		b = st.Const(float(m.Rand, m.width))
	}
	c := pick(m.Rand, []func(a, b term.ID) term.ID{st.FLe, st.FLt, st.FEq})(a, b)
	if m.IntN(2) == 0 {
		c = st.Not(c)
	}
	return c
}

// TestLemmasHold states lemmas for random models, in which the operations have
// wrong values, and evaluates them on other inputs with the right ones.
func TestLemmasHold(t *testing.T) {
	seeds, lemmas := uint64(300), 0
	if testing.Short() {
		seeds = 100
	}
	for seed := range seeds {
		m := newMaker(seed)
		for range 3 + m.IntN(6) {
			m.grow(true)
		}
		o := New(m.st)
		for range 4 {
			c := m.condition()
			m.st.Walk([]term.ID{c}, func(t term.ID) {
				if op := m.st.Op(t); op >= term.OpFAdd && op <= term.OpFToF {
					o.Lower(m.st, t)
				}
			})
		}
		var stated []term.ID
		for range 12 {
			wrong := map[term.ID]bv.BV{}
			for _, v := range m.vars {
				wrong[v] = float(m.Rand, m.width)
			}
			for _, x := range o.all {
				wrong[x.variable] = float(m.Rand, m.width)
			}
			// What an operand is depends on the variables of operations below it.
			e := term.NewEvaluator(m.st, func(v term.ID) (bv.BV, bool) { x, ok := wrong[v]; return x, ok })
			below := map[term.ID]term.ID{}
			for _, x := range o.all {
				below[x.t] = x.variable
			}
			for _, l := range o.Refine(func(t term.ID) bv.BV { return e.Value(m.st.Substitute(t, below)) }) {
				stated = append(stated, l)
				if e.Bool(m.st.Substitute(l, below)) && o.Circuits() == 0 && m.st.Op(l) != term.OpAnd {
					// All but that a NaN makes a NaN are made to be broken.
					broken := false
					for _, x := range o.all {
						broken = broken || l == o.notANumber(&x)
					}
					if !broken {
						t.Fatalf("seed %d: the model does not break %s", seed, m.st.String(l))
					}
				}
			}
		}
		lemmas += len(stated)
		for range 40 {
			right := map[term.ID]bv.BV{}
			for _, v := range m.vars {
				right[v] = float(m.Rand, m.width)
			}
			e := term.NewEvaluator(m.st, func(v term.ID) (bv.BV, bool) { x, ok := right[v]; return x, ok })
			for _, x := range o.all {
				right[x.variable] = e.Value(x.t)
			}
			for _, l := range stated {
				if !e.Bool(l) {
					t.Fatalf("seed %d: %s does not hold for %v", seed, m.st.String(l), right)
				}
			}
		}
	}
	t.Log(lemmas, "lemmas")
	if lemmas < int(seeds) {
		t.Errorf("only %d lemmas", lemmas)
	}
}

// TestCorners states lemmas about one operation on boxes with special numbers at
// their corners, and evaluates them at the corners and next to them.
func TestCorners(t *testing.T) {
	corner := []float64{math.Inf(-1), -math.MaxFloat32, -3, -1, -1e-39, 0, 1e-45, 0.1, 1, 1e30, math.MaxFloat32, math.Inf(1)}
	for _, width := range []uint32{32, 64} {
		st := term.NewStore()
		x, y := st.Var("x", term.BitVec(width)), st.Var("y", term.BitVec(width))
		o := New(st)
		var near []bv.BV
		for _, c := range corner {
			o.Lower(st, st.FLe(x, o.constant(width, c)))
			o.Lower(st, st.FLe(o.constant(width, c), y))
			for d := range int64(3) {
				near = append(near, st.ConstValue(o.constant(width, c)).Add(bv.NewSigned(width, d-1)))
			}
		}
		near = append(near, st.ConstValue(o.nan(width)), bv.New(width, 1<<(width-1)))
		for _, op := range []term.ID{st.FAdd(x, y), st.FMul(x, y), st.FDiv(x, y), st.FSqrt(x), st.FMul(x, x)} {
			v := o.Lower(st, op)
			at := map[term.ID]bv.BV{}
			e := term.NewEvaluator(st, func(t term.ID) (bv.BV, bool) { b, ok := at[t]; return b, ok })
			var stated []term.ID
			for _, a := range near {
				for _, b := range near {
					at[x], at[y], at[v] = a, b, pick(rand.New(rand.NewPCG(a.Uint64(), b.Uint64())), near)
					e.Reset()
					k := len(o.all) - 1
					o.level = int(a.Uint64()+b.Uint64()) % 3
					if l := o.lemma(&o.all[k], e.Value); l != 0 {
						stated = append(stated, l)
						if e.Bool(l) {
							t.Fatalf("the model does not break %s", st.String(l))
						}
					}
				}
			}
			all := st.AndAll(stated...)
			for _, a := range near {
				for _, b := range near {
					at[x], at[y] = a, b
					e.Reset()
					at[v] = e.Value(op)
					e.Reset()
					if !e.Bool(all) {
						t.Fatalf("a lemma does not hold for %s at %s, %s", st.String(op), a, b)
					}
				}
			}
			if len(stated) < 20 {
				t.Errorf("only %d lemmas about %s", len(stated), st.String(op))
			}
			o.all = nil
		}
	}
}

func lazy(st *term.Store) smt.Solver {
	return NewSolver(st, func(lower func(*term.Store, term.ID) term.ID) smt.Solver {
		return bitblast.New(st, bitblast.Options{Lower: lower})
	})
}

// TestAgreement compares answers with those about circuits, and evaluates models.
func TestAgreement(t *testing.T) {
	seeds := uint64(50)
	if testing.Short() {
		seeds = 20
	}
	count := map[smt.Status]int{}
	for seed := range seeds {
		m := newMaker(3*seed + 1)
		for range 2 + m.IntN(2) {
			m.grow(false)
		}
		ours, theirs := lazy(m.st), smt.Solver(bitblast.New(m.st, bitblast.Options{Lower: floats.Lower}))
		for range 3 {
			asserted := m.condition()
			ours.Assert(asserted)
			theirs.Assert(asserted)
			assumed := []term.ID{m.condition(), m.condition()}
			theirs.SetConflictLimit(3000)
			want, err := theirs.Check(t.Context(), assumed...)
			if err != nil {
				break // too hard for circuits
			}
			got, err := ours.Check(t.Context(), assumed...)
			if err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Fatalf("seed %d: %v, with circuits %v", seed, got, want)
			}
			count[got]++
			if got == smt.Sat {
				e := term.NewEvaluator(m.st, func(v term.ID) (bv.BV, bool) { return ours.Value(v), true })
				for _, a := range append(assumed, asserted) {
					if !e.Bool(a) || !ours.Value(a).IsTrue() {
						t.Fatalf("seed %d: the model does not satisfy %s", seed, m.st.String(a))
					}
				}
			} else {
				core := ours.Core()
				if again, err := theirs.Check(t.Context(), core...); err == nil && again != smt.Unsat {
					t.Fatalf("seed %d: the core is satisfiable", seed)
				}
			}
		}
		ours.Close()
		theirs.Close()
	}
	t.Log(count)
	if count[smt.Sat] < 10 || count[smt.Unsat] < 10 {
		t.Errorf("only %v", count)
	}
}

// filter is that y = 0.9*y + 0.1*x does not stay within [-2, 2] for |x| <= 1,
// which it does.
func filter(st *term.Store, width uint32) []term.ID {
	x, y := st.Var("x", term.BitVec(width)), st.Var("y", term.BitVec(width))
	c := func(v float64) term.ID { return st.ConstF(width, v) }
	in := func(x term.ID, b float64) term.ID { return st.And(st.FLe(c(-b), x), st.FLe(x, c(b))) }
	next := st.FAdd(st.FMul(c(0.9), y), st.FMul(c(0.1), x))
	return []term.ID{in(x, 1), in(y, 2), st.Not(in(next, 2))}
}

// TestFewLemmas proves with little work what takes circuits seconds.
func TestFewLemmas(t *testing.T) {
	st := term.NewStore()
	s := lazy(st)
	defer s.Close()
	got, err := s.Check(t.Context(), filter(st, 64)...)
	if err != nil || got != smt.Unsat {
		t.Fatal(got, err)
	}
	if x := s.Stats(); x.Lemmas > 100 || x.Gates > 20000 {
		t.Errorf("%d lemmas, %d gates", x.Lemmas, x.Gates)
	}
	// The logistic map stays in [0, 1]: the square needs finer boxes.
	x := st.Var("z", term.BitVec(32))
	c := func(v float64) term.ID { return st.ConstF(32, v) }
	next := st.FMul(st.FMul(c(3.5), x), st.FAdd(c(1), st.FNeg(x)))
	in := func(x term.ID) term.ID { return st.And(st.FLe(c(0), x), st.FLe(x, c(1))) }
	got, err = s.Check(t.Context(), in(x), st.Not(in(next)))
	if err != nil || got != smt.Unsat || s.(*Solver).ops.Circuits() != 0 {
		t.Fatal(got, err, s.(*Solver).ops.Circuits())
	}
}

// TestConflictLimit shares the limit among the checks.
func TestConflictLimit(t *testing.T) {
	st := term.NewStore()
	s := lazy(st)
	defer s.Close()
	x, y := st.Var("x", term.BitVec(32)), st.Var("y", term.BitVec(32))
	s.Assert(st.Eq(st.FMul(x, y), st.ConstF(32, 1.7182817)))
	s.Assert(st.FLt(st.ConstF(32, 1.25), x))
	s.Assert(st.FLt(x, y))
	s.SetConflictLimit(5)
	if got, err := s.Check(t.Context()); got == smt.Sat && err != nil || got == smt.Unsat {
		t.Fatal(got, err)
	}
}

func BenchmarkFilter(b *testing.B) {
	for _, kind := range []struct {
		name string
		new  func(st *term.Store) smt.Solver
	}{{"lemmas", lazy}, {"circuits", func(st *term.Store) smt.Solver { return bitblast.New(st, bitblast.Options{Lower: floats.Lower}) }}} {
		for _, width := range []uint32{32, 64} {
			b.Run(fmt.Sprint(kind.name, width), func(b *testing.B) {
				for b.Loop() {
					st := term.NewStore()
					s := kind.new(st)
					if got, err := s.Check(b.Context(), filter(st, width)...); err != nil || got != smt.Unsat {
						b.Fatal(got, err)
					}
					s.Close()
				}
			})
		}
	}
}
