package smt_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
)

// operation is a term constructor and its meaning on values.
type operation struct {
	name  string
	arity int
	term  func(s *term.Store, a, b term.ID) term.ID
	value func(a, b bv.BV) bv.BV
}

func unary(f func(*term.Store, term.ID) term.ID) func(*term.Store, term.ID, term.ID) term.ID {
	return func(s *term.Store, a, _ term.ID) term.ID { return f(s, a) }
}

var operations = []operation{
	{"add", 2, (*term.Store).Add, bv.BV.Add},
	{"sub", 2, (*term.Store).Sub, bv.BV.Sub},
	{"sub-swapped", 2, func(s *term.Store, a, b term.ID) term.ID { return s.Add(s.Neg(a), b) }, func(a, b bv.BV) bv.BV { return b.Sub(a) }},
	{"sub-sub", 2, func(s *term.Store, a, b term.ID) term.ID { return s.Add(s.Neg(a), s.Neg(b)) }, func(a, b bv.BV) bv.BV { return a.Add(b).Neg() }},
	{"mul", 2, (*term.Store).Mul, bv.BV.Mul},
	{"mul-sext", 2, func(s *term.Store, a, b term.ID) term.ID {
		w := s.Width(a)
		return s.Mul(s.SExt(a, 2*w+1), s.SExt(b, 2*w+1))
	}, func(a, b bv.BV) bv.BV { return a.SExt(2*a.Width() + 1).Mul(b.SExt(2*a.Width() + 1)) }},
	{"mul-zext", 2, func(s *term.Store, a, b term.ID) term.ID {
		w := s.Width(a)
		return s.Mul(s.ZExt(a, w+2), s.SExt(b, w+2))
	}, func(a, b bv.BV) bv.BV { return a.ZExt(a.Width() + 2).Mul(b.SExt(a.Width() + 2)) }},
	{"mul-fits", 2, func(s *term.Store, a, b term.ID) term.ID {
		w := s.Width(a)
		p := s.Mul(s.ZExt(a, 2*w), s.ZExt(b, 2*w))
		return s.Eq(s.Extract(p, 2*w-1, w), s.ConstU(w, 0))
	}, func(a, b bv.BV) bv.BV {
		w := a.Width()
		p := a.ZExt(2 * w).Mul(b.ZExt(2 * w))
		return bv.Bool(p.Equal(p.Extract(w-1, 0).ZExt(2 * w)))
	}},
	{"mul-fits-signed", 2, func(s *term.Store, a, b term.ID) term.ID {
		w := s.Width(a)
		high := s.Extract(s.Mul(s.SExt(a, 2*w), s.SExt(b, 2*w)), 2*w-1, w-1)
		return s.Or(s.Eq(high, s.ConstU(w+1, 0)), s.Eq(high, s.Const(bv.New(w+1, 0).Not())))
	}, func(a, b bv.BV) bv.BV {
		w := a.Width()
		p := a.SExt(2 * w).Mul(b.SExt(2 * w))
		return bv.Bool(p.Equal(p.Extract(w-1, 0).SExt(2 * w)))
	}},
	{"add-sext", 2, func(s *term.Store, a, b term.ID) term.ID {
		w := s.Width(a)
		return s.SLt(s.Add(s.SExt(a, w+3), s.SExt(b, w+3)), s.Sub(s.SExt(a, w+3), s.ZExt(b, w+3)))
	}, func(a, b bv.BV) bv.BV {
		w := a.Width() + 3
		return bv.Bool(a.SExt(w).Add(b.SExt(w)).SLt(a.SExt(w).Sub(b.ZExt(w))))
	}},
	{"udiv-narrow-dividend", 2, func(s *term.Store, a, b term.ID) term.ID {
		w := s.Width(a)
		return s.Concat(s.UDiv(s.ZExt(a, w+3), s.SExt(b, w+3)), s.URem(s.ZExt(a, w+3), s.SExt(b, w+3)))
	}, func(a, b bv.BV) bv.BV {
		x, y := a.ZExt(a.Width()+3), b.SExt(a.Width()+3)
		return x.UDiv(y).Concat(x.URem(y))
	}},
	{"udiv-narrow-divisor", 2, func(s *term.Store, a, b term.ID) term.ID {
		w := s.Width(a)
		return s.Concat(s.UDiv(s.SExt(a, w+3), s.ZExt(b, w+3)), s.URem(s.SExt(a, w+3), s.ZExt(b, w+3)))
	}, func(a, b bv.BV) bv.BV {
		x, y := a.SExt(a.Width()+3), b.ZExt(a.Width()+3)
		return x.UDiv(y).Concat(x.URem(y))
	}},
	{"sdiv-narrow", 2, func(s *term.Store, a, b term.ID) term.ID {
		w := s.Width(a)
		return s.Concat(s.SDiv(s.SExt(a, w+3), s.SExt(b, w+3)), s.SRem(s.SExt(a, w+3), s.SExt(b, w+3)))
	}, func(a, b bv.BV) bv.BV {
		x, y := a.SExt(a.Width()+3), b.SExt(a.Width()+3)
		return x.SDiv(y).Concat(x.SRem(y))
	}},
	{"square", 1, func(s *term.Store, a, _ term.ID) term.ID { return s.Mul(a, a) }, func(a, _ bv.BV) bv.BV { return a.Mul(a) }},
	{"neg", 1, unary((*term.Store).Neg), func(a, _ bv.BV) bv.BV { return a.Neg() }},
	{"udiv", 2, (*term.Store).UDiv, bv.BV.UDiv},
	{"urem", 2, (*term.Store).URem, bv.BV.URem},
	{"sdiv", 2, (*term.Store).SDiv, bv.BV.SDiv},
	{"srem", 2, (*term.Store).SRem, bv.BV.SRem},
	{"shl", 2, (*term.Store).Shl, bv.BV.Shl},
	{"lshr", 2, (*term.Store).LShr, bv.BV.LShr},
	{"ashr", 2, (*term.Store).AShr, bv.BV.AShr},
	{"not", 1, unary((*term.Store).BVNot), func(a, _ bv.BV) bv.BV { return a.Not() }},
	{"and", 2, (*term.Store).BVAnd, bv.BV.And},
	{"or", 2, (*term.Store).BVOr, bv.BV.Or},
	{"xor", 2, (*term.Store).BVXor, bv.BV.Xor},
	{"eq", 2, (*term.Store).Eq, func(a, b bv.BV) bv.BV { return bv.Bool(a.Equal(b)) }},
	{"ult", 2, (*term.Store).ULt, func(a, b bv.BV) bv.BV { return bv.Bool(a.ULt(b)) }},
	{"ule", 2, (*term.Store).ULe, func(a, b bv.BV) bv.BV { return bv.Bool(a.Cmp(b) <= 0) }},
	{"slt", 2, (*term.Store).SLt, func(a, b bv.BV) bv.BV { return bv.Bool(a.SLt(b)) }},
	{"sle", 2, (*term.Store).SLe, func(a, b bv.BV) bv.BV { return bv.Bool(a.SCmp(b) <= 0) }},
	{"concat", 2, (*term.Store).Concat, bv.BV.Concat},
	{"zext", 1, func(s *term.Store, a, _ term.ID) term.ID { return s.ZExt(a, s.Width(a)+3) }, func(a, _ bv.BV) bv.BV { return a.ZExt(a.Width() + 3) }},
	{"sext", 1, func(s *term.Store, a, _ term.ID) term.ID { return s.SExt(a, s.Width(a)+3) }, func(a, _ bv.BV) bv.BV { return a.SExt(a.Width() + 3) }},
	{"extract-high", 1, func(s *term.Store, a, _ term.ID) term.ID { w := s.Width(a); return s.Extract(a, w-1, w/2) }, func(a, _ bv.BV) bv.BV { return a.Extract(a.Width()-1, a.Width()/2) }},
	{"extract-low", 1, func(s *term.Store, a, _ term.ID) term.ID { return s.Extract(a, s.Width(a)/2, 0) }, func(a, _ bv.BV) bv.BV { return a.Extract(a.Width()/2, 0) }},
	{"ite", 2, func(s *term.Store, a, b term.ID) term.ID { return s.Ite(s.ULt(a, b), s.BVNot(a), b) }, func(a, b bv.BV) bv.BV {
		if a.ULt(b) {
			return a.Not()
		}
		return b
	}},
	{"boolean", 2, func(s *term.Store, a, b term.ID) term.ID {
		p, q := s.Eq(a, b), s.SLt(a, b)
		return s.Xor(s.Or(p, q), s.And(s.Not(p), s.Eq(q, s.ULt(a, b))))
	}, func(a, b bv.BV) bv.BV {
		p, q := a.Equal(b), a.SLt(b)
		return bv.Bool((p || q) != (!p && q == a.ULt(b)))
	}},
}

// bench is one solver with two variables and all operations on them.
type operationBench struct {
	*testing.T
	store *term.Store
	s     smt.Solver
	x, y  term.ID
	terms []term.ID
}

func newOperationBench(t *testing.T, solver solverKind, width uint32) *operationBench {
	b := &operationBench{T: t, store: term.NewRawStore()}
	b.s = solver.make(b.store)
	b.x = b.store.Var("x", term.BitVec(width))
	b.y = b.store.Var("y", term.BitVec(width))
	for _, op := range operations {
		b.terms = append(b.terms, op.term(b.store, b.x, b.y))
	}
	return b
}

// inputs checks all operations on two values: the model's value, that the right
// value is possible, and that no other is.
func (b *operationBench) inputs(x, y bv.BV) {
	b.Helper()
	check := func(want smt.Status, more term.ID, what string) {
		got, err := b.s.Check(b.Context(), b.store.Eq(b.x, b.store.Const(x)), b.store.Eq(b.y, b.store.Const(y)), more)
		if err != nil {
			b.Fatal(err)
		}
		if got != want {
			b.Fatalf("%s of %v and %v: %v", what, x, y, got)
		}
	}
	right := b.store.True()
	for i, op := range operations {
		right = b.store.And(right, b.store.Eq(b.terms[i], literal(b.store, op.value(x, y), b.terms[i])))
	}
	check(smt.Sat, b.store.True(), "inputs")
	for i, op := range operations {
		if got, want := b.s.Value(b.terms[i]), op.value(x, y); !got.Equal(want) {
			b.Fatalf("%s of %v and %v: %v, want %v", op.name, x, y, got, want)
		}
	}
	check(smt.Sat, right, "right results")
	check(smt.Unsat, b.store.Not(right), "a wrong result")
}

func TestOperationsExhaustively(t *testing.T) {
	for _, solver := range solvers {
		t.Run(solver.name, func(t *testing.T) {
			for width := uint32(1); width <= solver.exhaustive; width++ {
				b := newOperationBench(t, solver, width)
				for x := range uint64(1) << width {
					for y := range uint64(1) << width {
						b.inputs(bv.New(width, x), bv.New(width, y))
					}
				}
				b.s.Close()
			}
		})
	}
}

// interesting is a random value, often one near a power of two.
func interesting(r *rand.Rand, width uint32) bv.BV {
	v := new(big.Int)
	switch r.IntN(3) {
	case 0:
		for i := range int(width) {
			v.SetBit(v, i, uint(r.IntN(2)))
		}
	case 1:
		v.SetInt64(r.Int64N(9) - 4)
	case 2:
		v.Lsh(big.NewInt(1), uint(r.IntN(int(width)+1)))
		v.Add(v, big.NewInt(r.Int64N(5)-2))
	}
	return bv.FromBig(width, v)
}

func TestOperationsRandomly(t *testing.T) {
	for _, solver := range solvers {
		t.Run(solver.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for _, c := range []struct {
				width  uint32
				inputs int
			}{{5, 40}, {8, 40}, {13, 30}, {16, 30}, {32, 20}, {64, 4}, {65, 4}, {128, 2}} {
				if c.width > solver.widest {
					continue
				}
				b := newOperationBench(t, solver, c.width)
				for range max(c.inputs/solver.slowness, 1) {
					b.inputs(interesting(r, c.width), interesting(r, c.width))
				}
				b.s.Close()
			}
		})
	}
}

// TestConstantOperands has one operand constant, which other circuits treat.
func TestConstantOperands(t *testing.T) {
	const width = 5
	for _, solver := range solvers {
		t.Run(solver.name, func(t *testing.T) {
			store := term.NewRawStore()
			s := solver.make(store)
			defer s.Close()
			x := store.Var("x", term.BitVec(width))
			for k := uint64(0); k < 1<<width; k += uint64(solver.slowness) {
				var terms []term.ID
				var values []func(v bv.BV) bv.BV
				c := bv.New(width, k)
				for _, op := range operations {
					if op.arity < 2 {
						continue
					}
					terms = append(terms, op.term(store, x, store.Const(c)), op.term(store, store.Const(c), x))
					values = append(values, func(v bv.BV) bv.BV { return op.value(v, c) }, func(v bv.BV) bv.BV { return op.value(c, v) })
				}
				for v := uint64(0); v < 1<<width; v += uint64(solver.slowness) {
					right := store.True()
					for i, tm := range terms {
						want := values[i](bv.New(width, v))
						right = store.And(right, store.Eq(tm, literal(store, want, tm)))
					}
					fix := store.Eq(x, store.ConstU(width, v))
					if r, err := s.Check(t.Context(), fix, right); r != smt.Sat {
						t.Fatal(k, v, r, err)
					}
					if r, err := s.Check(t.Context(), fix, store.Not(right)); r != smt.Unsat {
						t.Fatal(k, v, r, err)
					}
				}
			}
		})
	}
}

// literal is the constant v of the sort of like.
func literal(store *term.Store, v bv.BV, like term.ID) term.ID {
	if store.Sort(like).Kind == term.SortBool {
		return store.Bool(v.IsTrue())
	}
	return store.Const(v)
}
