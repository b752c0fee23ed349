package chc

import (
	"strings"
	"testing"

	"assay/internal/finite/ts"
	"assay/internal/logic/bv"
	"assay/internal/logic/term"
)

// counter is a location and two numbers, one of them signed.
func counter() *ts.System {
	s := term.NewStore()
	pc, x, y, in := s.Var("pc", term.BitVec(2)), s.Var("x", term.BitVec(8)), s.Var("y", term.BitVec(8)), s.Var("in", term.BitVec(8))
	small := s.SLt(x, s.ConstU(8, 100))
	return &ts.System{
		Store: s,
		States: []ts.State{
			{Term: pc, Name: "pc", Init: s.ConstU(2, 0), Next: s.Ite(small, s.ConstU(2, 1), s.ConstU(2, 2))},
			{Term: x, Name: "x", Init: s.ConstU(8, 0), Next: s.Add(x, s.ConstU(8, 3))},
			{Term: y, Name: "y", Init: s.ConstU(8, 1), Next: s.Ite(s.ULt(y, s.ConstU(8, 7)), in, y)},
		},
		Inputs: []ts.Input{{Term: in, Name: "in"}},
		Bad:    []ts.Property{{Term: s.And(s.ULt(s.ConstU(8, 200), y), s.Eq(pc, s.ConstU(2, 2))), Name: "bad"}},
	}
}

// TestSolution reads formulas and evaluates them in all states, against what they say.
func TestSolution(t *testing.T) {
	for _, test := range []struct {
		integers bool
		body     string
		want     func(x int8, y uint8) bool
	}{
		{true, "(<= x y)", func(x int8, y uint8) bool { return int(x) <= int(y) }},
		{true, "(and (< (+ (* 3 x) (- y)) 5) (not (= (mod x 4) 1)))", func(x int8, y uint8) bool { return 3*int(x)-int(y) < 5 && (int(x)&3) != 1 }},
		{true, "(let ((a (div x 3)) (b (- x y 1))) (or (> a (- 7)) (>= b (* 2 a))))", func(x int8, y uint8) bool {
			a := int(x) / 3
			if int(x) < 0 && int(x)%3 != 0 {
				a--
			}
			return a > -7 || int(x)-int(y)-1 >= 2*a
		}},
		{true, "(=> (distinct x 5) (= (ite (< x 0) y 3) (- (- 3))))", func(x int8, y uint8) bool { return x == 5 || x >= 0 || y == 3 }},
		{false, "(bvule x #x05)", func(x int8, y uint8) bool { return uint8(x) <= 5 }},
		{false, "(or (bvsgt x (bvadd y #b00000001)) (= ((_ extract 3 1) y) #b101))", func(x int8, y uint8) bool { return x > int8(y+1) || y>>1&7 == 5 }},
		{false, "(and true (bvult ((_ zero_extend 2) x) (concat #b01 (bvnot y))))", func(x int8, y uint8) bool { return int(uint8(x)) < 256+int(^y) }},
		{false, "(and (bvsle x y) (forall ((z Int)) false))", func(x int8, y uint8) bool { return x <= int8(y) }}, // the rest is left out
	} {
		s := counter()
		p, err := Encode(s, Options{Integers: test.integers, Split: true})
		if err != nil {
			t.Fatal(err)
		}
		sort := "(_ BitVec 8)"
		if test.integers {
			sort = "Int"
		}
		var model strings.Builder
		model.WriteString("(")
		for _, l := range p.locations {
			model.WriteString("(define-fun " + l.name + " ((x " + sort + ") (y " + sort + ")) Bool " + test.body + ")\n")
		}
		model.WriteString(")")
		formulas, err := p.Solution(model.String())
		if err != nil {
			t.Fatalf("%s: %v", test.body, err)
		}
		all := s.Store.AndAll(formulas...)
		var x int8
		var y uint8
		var pc uint64
		e := term.NewEvaluator(s.Store, func(v term.ID) (bv.BV, bool) {
			switch v {
			case s.States[0].Term:
				return bv.New(2, pc), true
			case s.States[1].Term:
				return bv.New(8, uint64(uint8(x))), true
			}
			return bv.New(8, uint64(y)), true
		})
		for pc = range 4 {
			for i := range 256 {
				for j := 0; j < 256; j += 1 + i%5 {
					x, y = int8(i), uint8(j)
					e.Reset()
					if got, want := e.Value(all).IsTrue(), pc < 3 && test.want(x, y); got != want {
						t.Fatalf("%s: %v in pc %d, x %d, y %d", test.body, got, pc, x, y)
					}
				}
			}
		}
	}
}

func TestSolutionErrors(t *testing.T) {
	for _, model := range []string{"", "(", ")", "((define-fun Reach0 () Bool true))", "(error \"x\")"} {
		p, err := Encode(counter(), Options{Split: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Solution(model); err == nil {
			t.Errorf("%q is a model", model)
		}
	}
}

func FuzzSolution(f *testing.F) {
	f.Add("((define-fun Reach ((a (_ BitVec 2)) (x (_ BitVec 8)) (y (_ BitVec 8))) Bool (let ((b (bvadd x y))) (= b #x0f))))")
	f.Add("((define-fun Reach ((a Int) (x Int) (y Int)) Bool (>= (+ x (* (- 2) y)) (mod x 3))))")
	f.Fuzz(func(t *testing.T, model string) {
		for _, integers := range []bool{false, true} {
			s := counter()
			p, err := Encode(s, Options{Integers: integers})
			if err != nil {
				t.Fatal(err)
			}
			formulas, err := p.Solution(model)
			if err != nil {
				continue
			}
			for _, x := range formulas {
				if s.Store.Sort(x).Kind != term.SortBool {
					t.Errorf("a formula of sort %s", s.Store.Sort(x))
				}
			}
		}
	})
}
