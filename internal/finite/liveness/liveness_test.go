package liveness

import (
	"testing"

	"assay/internal/finite/ts"
	"assay/internal/logic/bv"
	"assay/internal/logic/term"
)

// ring counts modulo 4 while go holds; justice: it is 0 and 2 again and again.
func ring() *ts.System {
	store := term.NewStore()
	x, run := store.Var("x", term.BitVec(2)), store.Var("go", term.Bool())
	at := func(n uint64) term.ID { return store.Eq(x, store.ConstU(2, n)) }
	return &ts.System{
		Store:   store,
		States:  []ts.State{{Term: x, Name: "x", Init: store.ConstU(2, 1), Next: store.Ite(run, store.Add(x, store.ConstU(2, 1)), x)}},
		Inputs:  []ts.Input{{Term: run, Name: "go"}},
		Justice: []ts.Justice{{Terms: []term.ID{at(0), at(2)}, Name: "both"}},
		Fair:    []term.ID{run},
	}
}

// inputs is a trace of the reduction's system; bits has the values of go, save says
// where the loop is guessed to start.
func inputs(r *Reduction, bits string, save int) *ts.Trace {
	t := &ts.Trace{}
	for _, v := range r.System.States {
		t.Initial = append(t.Initial, bv.New(r.System.Width(v.Term), 0))
	}
	for k, c := range bits {
		in := []bv.BV{bv.Bool(c == '1')}
		if r.save >= 0 {
			in = append(in, bv.Bool(k == save))
		}
		t.Inputs = append(t.Inputs, in)
	}
	r.System.Complete(t)
	return t
}

func TestToSafety(t *testing.T) {
	s := ring()
	r := ToSafety(s, 0)
	if err := r.System.Check(); err != nil {
		t.Fatal(err)
	}
	// From step 1 (x = 2) once around, with a rest; the state is back in step 6.
	tr := inputs(r, "1110110", 1)
	if _, err := r.System.Simulate(tr); err != nil {
		t.Fatal(err)
	}
	l := r.Lasso(tr)
	if l.Loop != 1 || len(l.Inputs) != 6 {
		t.Fatalf("loop to %d, %d steps", l.Loop, len(l.Inputs))
	}
	if _, err := s.Simulate(l); err != nil {
		t.Fatal(err)
	}
	// Resting repeats a state, but without the conditions.
	if _, err := r.System.Simulate(inputs(r, "1000", 1)); err == nil {
		t.Error("a loop without the conditions is accepted")
	}
}

func TestCount(t *testing.T) {
	s := ring()
	// Each condition, and fairness, holds once in four steps: the tick.
	for k, steps := range map[int]string{0: "1111", 1: "11111111", 2: "111111111111"} {
		r := Count(s, 0, k)
		if err := r.System.Check(); err != nil {
			t.Fatal(err)
		}
		if _, err := r.System.Simulate(inputs(r, steps, -1)); err != nil {
			t.Errorf("k = %d: %v", k, err)
		}
		if _, err := r.System.Simulate(inputs(r, steps[1:], -1)); err == nil {
			t.Errorf("k = %d: counted too early", k)
		}
	}
}
