package induction

import (
	"testing"

	"assay/internal/engines/inference"
	"assay/internal/program/ir"
)

// steps is a loop of 16 iterations that counts a second number in steps of the given size, from first on, and checks
// in each iteration that it is at most 60.
func steps(first, size uint64) *ir.Module {
	m := &ir.Module{PointerBits: 64, Entry: "main"}
	b := ir.NewFunc(m, "main")
	w := ir.IntType(32)
	b.At(b.Block("entry"))
	head, body, out := b.Block("head"), b.Block("body"), b.Block("out")
	before := b.Current()
	b.Br(head)
	b.At(head)
	i, j := b.Phi(w), b.Phi(w)
	b.AddIncoming(i, b.Const(32, 0), before)
	b.AddIncoming(j, b.Const(32, first), before)
	b.CondBr(b.Cmp(ir.ULt, i, b.Const(32, 16)), body, out)
	b.At(body)
	b.Check(ir.Assertion, b.Cmp(ir.ULe, j, b.Const(32, 60)), "j <= 60")
	b.AddIncoming(i, b.Bin(ir.Add, i, b.Const(32, 1)), body)
	b.AddIncoming(j, b.Bin(ir.Add, j, b.Const(32, size)), body)
	b.Br(head)
	b.At(out)
	b.Halt(ir.HaltExit)
	b.Done()
	return m
}

// TestKnown: what abstract interpretation knows of one number, and that another is counted in step with it, is a proof
// without a search for equations, or for bounds; one start or step further there is none.
func TestKnown(t *testing.T) {
	for _, c := range []struct {
		first, size uint64
		proved      bool
	}{{0, 4, true}, {15, 3, true}, {0, 5, false}, {1, 4, false}, {60, 1<<32 - 4, true}, {61, 1<<32 - 4, false}} {
		m := steps(c.first, c.size)
		if err := ir.Verify(m); err != nil {
			t.Fatal(err)
		}
		r := Prove(t.Context(), m, inference.Options{Targets: []ir.CheckKind{ir.Assertion}, MaxK: 1})
		if (r.Proof != nil) != c.proved {
			t.Fatalf("from %d by %d: proof %v, %v", c.first, c.size, r.Proof, r.Why)
		}
		if c.proved && (r.Stats.Rounds != 0 || r.Stats.Checks > 16) {
			t.Errorf("from %d by %d: %d rounds, %d questions", c.first, c.size, r.Stats.Rounds, r.Stats.Checks)
		}
	}
}
