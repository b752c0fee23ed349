package interp

import (
	"context"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// inTurns answers 0 and 1 in turns of n.
type inTurns struct {
	Zero
	n, asked int
}

func (o *inTurns) Next(r Request) (ir.Choice, error) {
	o.asked++
	return ir.Choice{Func: r.Func.Name, Value: r.Value, Bits: bv.New(1, uint64(o.asked/o.n%2))}, nil
}

// TestFair looks for states that come back with an Accept since: the state of the loop
// is the same in every round, and each n-th round accepts.
func TestFair(t *testing.T) {
	m, err := ir.Parse(`module 64 entry @main
func @main() {
b1:
  br h
h:
  %c = nondet i1 input
  condbr %c, yes, h
yes:
  call void @mark()
  br h
}
func @mark() {
b1:
  accept
  ret
}
`)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 7} {
		r := NewRecorder(&inTurns{n: n})
		out, err := Run(context.Background(), m, Options{Oracle: r, Repeats: true, Fair: true, MaxSteps: 1000})
		if err != nil || out.End != Repeats || out.Repetition.Accepts == 0 {
			t.Errorf("in turns of %d: %v %v", n, out, err)
		}
		again, err := Run(context.Background(), m, Options{Oracle: Replay(r.Input()), Repeats: true, Fair: true})
		if err != nil || again.End != Repeats || *again.Repetition != *out.Repetition {
			t.Errorf("in turns of %d, the replay: %v %v", n, again, err)
		}
	}
	for _, fair := range []bool{false, true} {
		out, err := Run(context.Background(), m, Options{Repeats: true, Fair: fair, MaxSteps: 1000})
		if err != nil || (out.End == Repeats) == fair {
			t.Errorf("without Accept, fair %v: %v %v", fair, out, err)
		}
	}
}

// TestFairRecursion does the same with calls that are nested deeper and deeper.
func TestFairRecursion(t *testing.T) {
	for _, accept := range []string{"", "  accept\n"} {
		m, err := ir.Parse("module 64 entry @main\nfunc @main() {\nb1:\n" + accept + "  call void @main()\n  ret\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		out, err := Run(context.Background(), m, Options{Repeats: true, Fair: true, MaxSteps: 1000})
		if err != nil || (out.End == Repeats) != (accept != "") {
			t.Errorf("%q: %v %v", accept, out, err)
		}
	}
}
