package ssa

import (
	"context"
	"testing"

	"assay/internal/logic/term"
	"assay/internal/program/ir"
)

// counting is a loop that fills an array of n words with the loop counter and
// then checks the last one.
func counting(n uint64) *ir.Module {
	m := &ir.Module{PointerBits: 64, Entry: "main"}
	b := ir.NewFunc(m, "main")
	entry, head, body, exit := b.Block("entry"), b.Block("head"), b.Block("body"), b.Block("exit")
	i32 := ir.IntType(32)
	b.At(entry)
	a := b.Alloca(4*n, 16)
	b.Br(head)
	b.At(head)
	i := b.Phi(i32)
	b.CondBr(b.Cmp(ir.ULt, i, b.Const(32, n)), body, exit)
	b.At(body)
	p := b.PtrAdd(a, b.Bin(ir.Mul, b.Op(ir.ZExt, ir.IntType(64), i), b.Const(64, 4)))
	b.Store(i, p)
	next := b.Bin(ir.Add, i, b.Const(32, 1))
	b.Br(head)
	b.AddIncoming(i, b.Const(32, 0), entry)
	b.AddIncoming(i, next, body)
	b.At(exit)
	x := b.Load(i32, b.PtrAdd(a, b.Word(4*(n-1))))
	b.Check(ir.Assertion, b.Cmp(ir.Eq, x, b.Const(32, n-1)), "last")
	b.Ret()
	b.Done()
	return m
}

// TestConstantLoop: a loop that constants decide leaves no limit and no
// violation, whatever its bound.
func TestConstantLoop(t *testing.T) {
	m := counting(1000)
	u := New(m, term.NewStore(), Options{Targets: []ir.CheckKind{ir.Assertion, ir.InvalidDeref}})
	f, err := u.Encode(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Violations) != 0 || len(f.Limits) != 0 || len(f.Obstacles) != 0 {
		t.Errorf("violations %v, limits %v, obstacles %v", f.Violations, f.Limits, f.Obstacles)
	}
	if n := f.Unwound[Loop{"main", 2}]; n != 1000 {
		t.Errorf("unwound %d times, want 1000", n)
	}
}

// BenchmarkConstantLoop reports the instructions encoded per second when
// everything folds.
func BenchmarkConstantLoop(b *testing.B) {
	m := counting(100000)
	instructions := int64(0)
	for b.Loop() {
		u := New(m, term.NewStore(), Options{Targets: []ir.CheckKind{ir.Assertion, ir.InvalidDeref}})
		f, err := u.Encode(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		instructions += f.Instructions
	}
	b.ReportMetric(float64(instructions)/b.Elapsed().Seconds(), "instr/s")
}
