package its

import (
	"context"
	"math/big"
	"testing"

	"assay/internal/logic/linear"
)

// TestBranchesOnInputs: branches on inputs that decide nothing else become one
// transition, whose path and inputs are those of a run of the original.
func TestBranchesOnInputs(t *testing.T) {
	s := NewSystem("x")
	l := s.AddLocation("loop")
	s.Build(s.Initial, l).Add()
	x := linear.Variable(0)
	for _, positive := range []bool{true, false} {
		b := s.Build(l, l)
		in := b.Temp()
		if positive {
			b.Assume(linear.AtLeast(in, linear.Constant(linear.Int(3))))
			b.Assume(linear.AtMost(in, linear.Constant(linear.Int(9))))
		} else {
			b.Assume(linear.AtMost(in, linear.Constant(linear.Int(-2))))
			b.Assume(linear.AtLeast(in, linear.Constant(linear.Int(-7))))
		}
		b.Assume(linear.AtLeast(x, linear.Constant(linear.Int(1))))
		b.Assign(0, x.Plus(linear.Int(-1)))
		b.Add()
	}
	simple, _ := Simplify(context.Background(), s, DefaultOptions)
	loops := 0
	for i := range simple.Transitions {
		tr := &simple.Transitions[i]
		if tr.From != tr.To {
			continue
		}
		loops++
		if tr.Temps != 0 {
			t.Errorf("temporaries are left: %s", simple.Format(tr))
		}
		original := &s.Transitions[tr.Path[0]]
		in := tr.Inputs[0].Eval(func(linear.Var) linear.Number { return linear.Number{} }).BigInt()
		next, err := s.Step(original, []*big.Int{big.NewInt(5)}, []*big.Int{in})
		if err != nil || next[0].Int64() != 4 {
			t.Errorf("the input %v is not one of the original: %v", in, err)
		}
	}
	if loops != 1 {
		t.Errorf("%d loops\n%s", loops, simple)
	}
}
