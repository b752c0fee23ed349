package induction

import (
	"testing"

	"assay/internal/engines/inference"
	"assay/internal/program/ir"
)

// TestBounds has the bounds of a sum searched: it is no constant of the program.
func TestBounds(t *testing.T) {
	m := &ir.Module{PointerBits: 64, Entry: "main"}
	b := ir.NewFunc(m, "main")
	entry, head, body, out := b.Block("entry"), b.Block("head"), b.Block("body"), b.Block("out")
	byteType := ir.IntType(8)
	b.At(entry)
	n := b.Nondet(byteType, ir.NondetInput, "n")
	b.Assume(b.Cmp(ir.ULe, n, b.Const(8, 20)))
	b.Br(head)
	b.At(head)
	i, s := b.Phi(byteType), b.Phi(byteType)
	b.AddIncoming(i, b.Const(8, 0), entry)
	b.AddIncoming(s, b.Const(8, 0), entry)
	b.CondBr(b.Cmp(ir.ULt, i, n), body, out)
	b.At(body)
	d := b.Nondet(byteType, ir.NondetInput, "d")
	b.Assume(b.Cmp(ir.ULe, d, b.Const(8, 5)))
	b.AddIncoming(i, b.Bin(ir.Add, i, b.Const(8, 1)), body)
	b.AddIncoming(s, b.Bin(ir.Add, s, d), body)
	b.Br(head)
	b.At(out)
	// s <= 5 * i.
	b.Check(ir.Assertion, b.Cmp(ir.ULe, s, b.Bin(ir.Mul, i, b.Const(8, 5))), "sum")
	b.Halt(ir.HaltExit)
	b.Done()
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o      inference.Options
		proves bool
	}{
		{inference.Options{Domains: inference.Polyhedra}, true},
		{inference.Options{Domains: inference.Intervals}, false},
		{inference.Options{Havoc: true}, false},
	} {
		c.o.Targets, c.o.MaxK = []ir.CheckKind{ir.Assertion}, 1
		r := Prove(t.Context(), m, c.o)
		if (r.Proof != nil) != c.proves {
			t.Errorf("%+v: proof %v, %v", c.o, r.Proof, r.Why)
		}
	}
}
