package conductor

import (
	"slices"
	"testing"

	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// parts is a program of n loops in sequence, each of which adds 4 to a sum as often as an
// input says, and asserts that the sum is a multiple. odd says what else the last one asserts:
// of the sum, and of two counters that are equal.
func parts(n int, odd func(b *ir.Builder, sum, i, j ir.Value)) *ir.Module {
	m := &ir.Module{PointerBits: 64, Entry: "main"}
	b := ir.NewFunc(m, "main")
	i32 := ir.IntType(32)
	b.At(b.Block("entry"))
	most := b.Nondet(i32, ir.NondetInput, "most")
	for k := range n {
		head, body, out := b.Block("head"), b.Block("body"), b.Block("out")
		before := b.Current()
		b.Br(head)
		b.At(head)
		values := []ir.Value{b.Phi(i32), b.Phi(i32), b.Phi(i32)}
		for _, v := range values {
			b.AddIncoming(v, b.Const(32, 0), before)
		}
		i, j, sum := values[0], values[1], values[2]
		b.CondBr(b.Cmp(ir.ULt, i, most), body, out)
		b.At(body)
		b.AddIncoming(i, b.Bin(ir.Add, i, b.Const(32, 1)), body)
		b.AddIncoming(j, b.Bin(ir.Add, j, b.Const(32, 1)), body)
		b.AddIncoming(sum, b.Bin(ir.Add, sum, b.Const(32, 4)), body)
		b.Br(head)
		b.At(out)
		b.Check(ir.Assertion, b.Cmp(ir.Eq, b.Bin(ir.And, sum, b.Const(32, 3)), b.Const(32, 0)), "a multiple")
		if k == n-1 {
			odd(b, sum, i, j)
		}
		most = b.Bin(ir.URem, most, b.Const(32, uint64(50+k)))
	}
	b.Halt(ir.HaltExit)
	b.Done()
	return m
}

// TestSlice: a violation that only a slice of many loops shows is replayed in all of them, and
// a proof about the slice is one of the program.
func TestSlice(t *testing.T) {
	const n = 12
	wrong := parts(n, func(b *ir.Builder, sum, _, _ ir.Value) {
		b.Check(ir.Assertion, b.Cmp(ir.Ne, sum, b.Const(32, 20)), "not five times")
	})
	r := newRun(Task{Module: wrong, Targets: []ir.CheckKind{ir.Assertion}})
	a := r.searchSlice(t.Context(), wrong)
	v, ok := a.Verdict.(verdict.False)
	if !ok || v.Violation.Text != "not five times" {
		t.Errorf("%+v", a.Verdict)
	}
	right := parts(n, func(b *ir.Builder, _, i, j ir.Value) {
		b.Check(ir.Assertion, b.Cmp(ir.Eq, i, j), "equal")
	})
	r = newRun(Task{Module: right, Targets: []ir.CheckKind{ir.Assertion}})
	p := r.proveSliced(t.Context(), right)
	if p.Proof == nil {
		t.Fatal(p.Why)
	}
	heads := 0
	for _, h := range p.Proof.Heads {
		if len(h.Predicates) > 0 {
			heads++
		}
	}
	if heads != n {
		t.Errorf("predicates of %d loops", heads)
	}
	if a := r.inducted(t.Context(), right, p, []ir.CheckKind{ir.Assertion}); a.String() != "" {
		t.Errorf("the proof of the slice is none of the program: %v", a)
	}
}

// TestSliceOfUndefined: undefined behaviour that the slice leaves out is listed.
func TestSliceOfUndefined(t *testing.T) {
	m := parts(12, func(b *ir.Builder, sum, i, j ir.Value) {
		b.Check(ir.Overflow, b.Cmp(ir.SLt, sum, b.Const(32, 8)), "overflow")
		b.Check(ir.Assertion, b.Cmp(ir.Eq, i, j), "equal")
	})
	r := newRun(Task{Module: m, Targets: []ir.CheckKind{ir.Assertion}})
	p := r.proveSliced(t.Context(), m)
	if p.Proof == nil || !slices.ContainsFunc(p.Unclean, func(g verdict.Guard) bool { return g.Text == "overflow" }) {
		t.Errorf("%+v", p)
	}
}
