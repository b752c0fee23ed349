package incremental

import (
	"context"
	"testing"

	"assay/internal/finite/ts"
	"assay/internal/logic/sat"
)

// shift is a register of n bits; an input enters at bit 0. If closed, the input
// must be false.
func shift(n int, closed bool) *ts.Circuit {
	g := sat.NewGraph()
	c := &ts.Circuit{Graph: g}
	in := g.Input()
	c.Inputs, c.InputBits = []sat.Lit{in}, []ts.Bit{{Index: 0}}
	before := in
	for i := range n {
		l := g.Input()
		c.Latches = append(c.Latches, ts.Latch{Lit: l, Next: before, Reset: sat.False})
		c.LatchBits = append(c.LatchBits, ts.Bit{Index: int32(i)})
		before = l
	}
	c.Bad = []sat.Lit{before}
	if closed {
		c.Constraints = []sat.Lit{in.Not()}
	}
	return c
}

func TestShortestRun(t *testing.T) {
	c := shift(7, false)
	r, err := Search(context.Background(), c, c.Bad[0], Options{Induction: true})
	if err != nil || r.Run == nil || len(r.Run.Inputs) != 8 || r.Steps != 7 {
		t.Fatalf("%+v, %v", r, err)
	}
	if !r.Run.Inputs[0][0] {
		t.Error("the first input must be true")
	}
}

func TestInduction(t *testing.T) {
	c := shift(7, true)
	r, err := Search(context.Background(), c, c.Bad[0], Options{Induction: true})
	if err != nil || r.Proof == nil || r.Proof.K != 7 {
		t.Fatalf("%+v, %v", r, err)
	}
	r, err = Search(context.Background(), c, c.Bad[0], Options{Steps: 30})
	if err != nil || r.Proof != nil || r.Run != nil || r.Steps != 30 {
		t.Fatalf("bounded: %+v, %v", r, err)
	}
}

// TestSimplePaths: a register that keeps its value is safe, but only paths without
// repetition show it by induction where a chain leads to the bad state.
func TestSimplePaths(t *testing.T) {
	g := sat.NewGraph()
	c := &ts.Circuit{Graph: g}
	go1 := g.Input()
	c.Inputs, c.InputBits = []sat.Lit{go1}, []ts.Bit{{Index: 0}}
	a, b := g.Input(), g.Input()
	// a never changes; b becomes true if a and the input are.
	c.Latches = []ts.Latch{{Lit: a, Next: a, Reset: sat.False}, {Lit: b, Next: g.And(a, go1), Reset: sat.False}}
	c.LatchBits = []ts.Bit{{Index: 0}, {Index: 1}}
	r, err := Search(context.Background(), c, b, Options{Induction: true, Steps: 20})
	if err != nil || r.Proof == nil || !r.Proof.Simple {
		t.Fatalf("%+v, %v", r, err)
	}
}

// TestDeadEnd: constraints that no long run satisfies are a proof.
func TestDeadEnd(t *testing.T) {
	c := shift(3, false)
	c.Transitions = []sat.Lit{c.Latches[1].Lit.Not(), c.Inputs[0]}
	r, err := Search(context.Background(), c, c.Bad[0], Options{})
	if err != nil || r.Proof == nil || r.Proof.K != 0 || r.Proof.Prefix != 3 {
		t.Fatalf("%+v, %v", r, err)
	}
}
