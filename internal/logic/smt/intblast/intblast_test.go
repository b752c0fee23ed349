package intblast

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"assay/internal/logic/bv"
	"assay/internal/logic/term"
)

// refuter is one for all questions of a test.
type refuter struct {
	*Refuter
	t *testing.T
}

func newRefuter(t *testing.T) *refuter {
	r := &refuter{New(0), t}
	t.Cleanup(r.Close)
	return r
}

func (r *refuter) refuted(st *term.Store, roots ...term.ID) bool {
	r.t.Helper()
	no, err := r.Refute(r.t.Context(), st, roots)
	if err != nil {
		r.t.Fatal(err)
	}
	return no
}

// operation is one of two terms of w bits.
type operation struct {
	name  string
	exact bool // for all operands
	make  func(st *term.Store, a, b term.ID) term.ID
}

var operations = []operation{
	{"add", true, (*term.Store).Add}, {"sub", true, (*term.Store).Sub}, {"mul", false, (*term.Store).Mul},
	{"neg", true, func(st *term.Store, a, b term.ID) term.ID { return st.Neg(a) }},
	{"udiv", false, (*term.Store).UDiv}, {"urem", false, (*term.Store).URem}, {"sdiv", false, (*term.Store).SDiv}, {"srem", false, (*term.Store).SRem},
	{"shl", false, (*term.Store).Shl}, {"lshr", false, (*term.Store).LShr}, {"ashr", false, (*term.Store).AShr},
	{"not", true, func(st *term.Store, a, b term.ID) term.ID { return st.BVNot(a) }},
	{"and", false, (*term.Store).BVAnd}, {"or", false, (*term.Store).BVOr}, {"xor", false, (*term.Store).BVXor},
	{"concat", true, (*term.Store).Concat},
	{"zext", true, func(st *term.Store, a, b term.ID) term.ID { return st.ZExt(a, 6) }},
	{"sext", true, func(st *term.Store, a, b term.ID) term.ID { return st.SExt(a, 6) }},
	{"high", true, func(st *term.Store, a, b term.ID) term.ID { return st.Extract(a, 2, 1) }},
	{"low", true, func(st *term.Store, a, b term.ID) term.ID { return st.Extract(a, 1, 0) }},
	{"ult", true, func(st *term.Store, a, b term.ID) term.ID { return st.BoolToBV(st.ULt(a, b)) }},
	{"ule", true, func(st *term.Store, a, b term.ID) term.ID { return st.BoolToBV(st.ULe(a, b)) }},
	{"slt", true, func(st *term.Store, a, b term.ID) term.ID { return st.BoolToBV(st.SLt(a, b)) }},
	{"sle", true, func(st *term.Store, a, b term.ID) term.ID { return st.BoolToBV(st.SLe(a, b)) }},
	{"eq", true, func(st *term.Store, a, b term.ID) term.ID { return st.BoolToBV(st.Eq(a, b)) }},
	{"ite", true, func(st *term.Store, a, b term.ID) term.ID { return st.Ite(st.ULt(a, b), a, st.Neg(b)) }},
}

// TestOperations: with operands that are known, a right result is not refuted, and where
// the translation is exact a wrong one is. All widths up to 3, all operands; the second
// one is a variable and a constant.
func TestOperations(t *testing.T) {
	for _, op := range operations {
		t.Run(op.name, func(t *testing.T) {
			r := newRefuter(t)
			const w = 3
			for a := range uint64(1 << w) {
				for b := range uint64(1 << w) {
					for _, constant := range []bool{false, true} {
						if constant && op.exact && b != 3 {
							continue // nothing new
						}
						st := term.NewStore()
						x, y := st.Var("x", term.BitVec(w)), st.Var("y", term.BitVec(w))
						roots := []term.ID{st.Eq(x, st.ConstU(w, a)), st.Eq(y, st.ConstU(w, b))}
						second := y
						if constant {
							second = st.ConstU(w, b)
						}
						z := op.make(st, x, second)
						want := op.make(st, st.ConstU(w, a), st.ConstU(w, b))
						if r.refuted(st, append(roots, st.Eq(z, want))...) {
							t.Fatalf("%s of %d, %d: the right result is refuted", op.name, a, b)
						}
						linear := op.exact
						if constant {
							switch op.name {
							case "mul", "shl", "lshr", "ashr", "udiv", "urem", "sdiv", "srem":
								linear = true
							}
							if b == 0 || b >= w {
								linear = op.exact || op.name == "mul"
							}
							if op.name == "srem" && b == 2 {
								linear = false // the simplifier makes it bitwise
							}
						}
						if linear && !r.refuted(st, append(roots, st.Not(st.Eq(z, want)))...) {
							t.Fatalf("%s of %d, %d (constant: %v): a wrong result is not refuted", op.name, a, b, constant)
						}
					}
				}
			}
		})
	}
}

// TestWidths: what has a model is not refuted, with values of several widths, parts and extensions of one another.
func TestWidths(t *testing.T) {
	count := 0
	r := newRefuter(t)
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 7))
		w := uint32(1 + rng.IntN(4))
		st := term.NewStore()
		if rng.IntN(2) == 0 {
			st = term.NewRawStore()
		}
		vars := []term.ID{st.Var("x", term.BitVec(w)), st.Var("y", term.BitVec(w))}
		terms := append([]term.ID{st.ConstU(w, rng.Uint64()&(1<<w-1))}, vars...)
		fit := func(a term.ID, w uint32) term.ID {
			switch d := st.Width(a); {
			case d == w:
				return a
			case d > w:
				lo := rng.Uint32N(d - w + 1)
				return st.Extract(a, lo+w-1, lo)
			case rng.IntN(2) == 0:
				return st.ZExt(a, w)
			default:
				return st.SExt(a, w)
			}
		}
		for range 4 + rng.IntN(8) {
			op := operations[rng.IntN(len(operations))]
			a := terms[rng.IntN(len(terms))]
			b := fit(terms[rng.IntN(len(terms))], st.Width(a))
			var z term.ID
			switch {
			case rng.IntN(6) == 0 && st.Width(a) < 8:
				z = fit(a, st.Width(a)+1+rng.Uint32N(3))
			case rng.IntN(6) == 0:
				z = fit(a, 1+rng.Uint32N(st.Width(a)))
			case op.name == "zext" || op.name == "sext" || op.name == "high" || op.name == "low" || op.name == "concat" && st.Width(a) > 5:
				z = st.Neg(a)
			default:
				z = op.make(st, a, b)
			}
			terms = append(terms, z)
		}
		var roots []term.ID
		for range 2 + rng.IntN(3) {
			a := terms[len(terms)-1-rng.IntN(4)]
			b := fit(terms[rng.IntN(len(terms))], st.Width(a))
			compare := []func(a, b term.ID) term.ID{st.ULt, st.ULe, st.SLt, st.SLe, st.Eq}[rng.IntN(5)]
			c := compare(a, b)
			if rng.IntN(3) == 0 {
				c = st.Ite(st.ULt(terms[1], terms[2]), c, st.Not(c))
			}
			if rng.IntN(3) == 0 {
				c = st.Not(c)
			}
			roots = append(roots, c)
		}
		possible := false
		for a := range uint64(1 << w) {
			for b := range uint64(1 << w) {
				e := term.NewEvaluator(st, func(x term.ID) (bv.BV, bool) {
					if x == vars[0] {
						return bv.New(w, a), true
					}
					return bv.New(w, b), x == vars[1]
				})
				all := true
				for _, q := range roots {
					all = all && e.Value(q).IsTrue()
				}
				possible = possible || all
			}
		}
		no := r.refuted(st, roots...)
		if no {
			count++
		}
		if possible && no {
			t.Fatalf("seed %d %v has a model and is refuted", seed, st.String(st.AndAll(roots...)))
		}
	}
	if count < 150 {
		t.Errorf("only %d formulas were refuted", count)
	}
}

// TestRanking: a sum that decreases as long as nothing wraps, in several widths.
func TestRanking(t *testing.T) {
	r := newRefuter(t)
	for _, w := range []uint32{8, 32, 64} {
		st := term.NewStore()
		v := func(name string) term.ID { return st.Var(name, term.BitVec(w)) }
		x, y, z := v("x"), v("y"), v("z")
		zero := st.ConstU(w, 0)
		nx := st.Add(x, y)
		nz := st.Sub(st.Neg(z), st.ConstU(w, 1))
		f := func(x, y, z term.ID) term.ID { // 2x + 2y + z
			e := func(x term.ID) term.ID { return st.SExt(x, w+5) }
			two := st.ConstU(w+5, 2)
			return st.Add(st.Add(st.Mul(two, e(x)), st.Mul(two, e(y))), e(z))
		}
		roots := []term.ID{st.SLt(zero, x), st.SLt(zero, nx), st.Not(st.SLt(f(nx, z, nz), f(x, y, z)))}
		if !r.refuted(st, roots...) {
			t.Errorf("%d bits: not refuted", w)
		}
		if r.refuted(st, roots[1:]...) {
			t.Errorf("%d bits: refuted, but x may be negative", w)
		}
	}
}

// TestLimits: without enough time there is no answer, and the next question is answered.
func TestLimits(t *testing.T) {
	st := term.NewStore()
	var roots []term.ID
	sum := st.ConstU(32, 0)
	for i := range 12 {
		x := st.Var(string(rune('a'+i)), term.BitVec(32))
		roots = append(roots, st.Or(st.Eq(x, st.ConstU(32, uint64(3*i+1)*1000003)), st.Eq(x, st.ConstU(32, uint64(7*i+5)*999983))))
		sum = st.Add(sum, x)
	}
	roots = append(roots, st.Eq(sum, st.ConstU(32, 12345)))
	few := New(time.Nanosecond)
	defer few.Close()
	if no, err := few.Refute(t.Context(), st, roots); no || err != nil {
		t.Errorf("with a limit: %v, %v", no, err)
	}
	few.limit = 0
	x := st.Var("x", term.BitVec(32))
	if no, err := few.Refute(t.Context(), st, []term.ID{st.ULt(x, st.ConstU(32, 5)), st.ULt(st.ConstU(32, 7), x)}); !no || err != nil {
		t.Errorf("the next question: %v, %v", no, err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := few.Refute(over, st, roots); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
	if no, err := few.Refute(t.Context(), st, []term.ID{st.Eq(x, st.Add(x, st.ConstU(32, 1)))}); !no || err != nil {
		t.Errorf("after that: %v, %v", no, err)
	}
}

func BenchmarkRefute(b *testing.B) {
	st := term.NewStore()
	v := func(name string) term.ID { return st.Var(name, term.BitVec(32)) }
	x, y := v("x"), v("y")
	e := func(x term.ID) term.ID { return st.SExt(x, 36) }
	s := st.Add(x, y)
	roots := []term.ID{st.SLt(st.ConstU(32, 0), y), st.SLe(x, s), st.Not(st.SLt(st.Neg(e(s)), st.Neg(e(x))))}
	r := New(0)
	defer r.Close()
	for b.Loop() {
		if ok, err := r.Refute(b.Context(), st, roots); err != nil || !ok {
			b.Fatal(ok, err)
		}
	}
}
