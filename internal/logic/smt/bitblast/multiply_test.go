package bitblast

import (
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/logic/sat"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
)

func TestNonAdjacent(t *testing.T) {
	for width := 1; width <= 10; width++ {
		for k := range uint64(1) << width {
			var w word
			for i := range width {
				w = append(w, 0)
				if k>>i&1 == 1 {
					w[i] = 1
				}
			}
			var sum int64
			digits := nonAdjacent(w)
			for i, d := range digits {
				sum += int64(d) << i
				if i > 0 && d != 0 && digits[i-1] != 0 {
					t.Fatal(k, digits)
				}
			}
			if uint64(sum)&(1<<width-1) != k {
				t.Fatal(k, digits)
			}
		}
	}
}

// fitTerms are the terms by which programs say that a product fits.
func fitTerms(s *term.Store, x, y term.ID) (unsigned, signed term.ID) {
	w := s.Width(x)
	p, q := s.Mul(s.ZExt(x, 2*w), s.ZExt(y, 2*w)), s.Mul(s.SExt(x, 2*w), s.SExt(y, 2*w))
	high := s.Extract(q, 2*w-1, w-1)
	return s.Eq(s.Extract(p, 2*w-1, w), s.ConstU(w, 0)), s.Or(s.Eq(high, s.ConstU(w+1, 0)), s.Eq(high, s.Const(bv.New(w+1, 0).Not())))
}

// That a product fits is said of all factors of small widths as arithmetic does.
func TestFits(t *testing.T) {
	for w := uint32(2); w <= 6; w++ {
		s := term.NewStore()
		x, y := s.Var("x", term.BitVec(w)), s.Var("y", term.BitVec(w))
		unsigned, signed := fitTerms(s, x, y)
		g := sat.NewGraph()
		c := NewWords(t.Context(), s, g)
		for _, f := range []term.ID{unsigned, signed} {
			if _, _, _, ok := c.s.fitting(f); !ok {
				t.Fatalf("width %d: %s is not recognised", w, s.String(f))
			}
		}
		for a := range uint64(1) << w {
			for b := range uint64(1) << w {
				var words [2]word
				for i := range w {
					words[0] = append(words[0], sat.Constant(a>>i&1 == 1))
					words[1] = append(words[1], sat.Constant(b>>i&1 == 1))
				}
				sa, sb := int64(a)<<(64-w)>>(64-w), int64(b)<<(64-w)>>(64-w)
				half := int64(1) << (w - 1)
				if got, want := c.s.circuit.fits(words[0], words[1], false), sat.Constant(a*b < 1<<w); got != want {
					t.Fatalf("width %d: %d · %d", w, a, b)
				}
				if got, want := c.s.circuit.fits(words[0], words[1], true), sat.Constant(sa*sb < half && sa*sb >= -half); got != want {
					t.Fatalf("width %d: %d · %d, signed", w, sa, sb)
				}
			}
		}
	}
}

// The circuit of variables is the one of the product of twice the width, and has a part of its gates.
func TestFitsTerms(t *testing.T) {
	s := term.NewStore()
	x, y := s.Var("x", term.BitVec(5)), s.Var("y", term.BitVec(5))
	unsigned, signed := fitTerms(s, x, y)
	solver := New(s, Options{})
	defer solver.Close()
	for _, f := range []term.ID{unsigned, signed, s.Not(unsigned), s.Not(signed)} {
		status, err := solver.Check(t.Context(), f)
		if err != nil || status != smt.Sat {
			t.Fatal(status, err)
		}
		e := term.NewEvaluator(s, func(v term.ID) (bv.BV, bool) { return solver.Value(v), true })
		if e.Value(f).IsZero() {
			t.Errorf("the model does not satisfy %s", s.String(f))
		}
	}
	x, y = s.Var("u", term.BitVec(64)), s.Var("v", term.BitVec(64))
	unsigned, _ = fitTerms(s, x, y)
	g := sat.NewGraph()
	c := NewWords(t.Context(), s, g)
	c.Word(s.Mul(x, y))
	product := g.Gates()
	if c.Word(unsigned); g.Gates() > product+product/20 {
		t.Errorf("%d gates beside %d of the product", g.Gates()-product, product)
	}
}
