package interp

import (
	"context"
	"math/rand/v2"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// opProgram applies one operation to arbitrary operands and reports the result
// by a Dbg.
func opProgram(t testing.TB, d ir.Def, types ...ir.Type) (*Program, *ir.Def) {
	t.Helper()
	m := &ir.Module{PointerBits: 64, Entry: "main"}
	b := ir.NewFunc(m, "main")
	b.At(b.Block("entry"))
	for _, ty := range types {
		d.Args = append(d.Args, b.Nondet(ty, ir.NondetInput, ""))
	}
	v := b.Emit(d)
	b.Dbg(b.Var(ir.Var{Name: "r"}), v)
	b.Halt(ir.HaltExit)
	f := b.Done()
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	p, err := Compile(m)
	if err != nil {
		t.Fatal(err)
	}
	return p, f.Def(v)
}

// apply runs an opProgram on operands; an arbitrary result becomes the given one.
func apply(t testing.TB, p *Program, args []bv.BV, arbitrary bv.BV) (r bv.BV, guard ir.CheckKind) {
	var in ir.Input
	for i, a := range args {
		in.Choices = append(in.Choices, ir.Choice{Func: "main", Value: ir.Value(i + 1), Bits: a})
	}
	in.Choices = append(in.Choices, ir.Choice{Func: "main", Value: ir.Value(len(args) + 1), Bits: arbitrary})
	out, err := p.Run(context.Background(), Options{Oracle: Replay(in), Observe: func(e Event) {
		switch e.Kind {
		case Assign:
			r = e.Bits
		case Violation:
			guard = e.Check
		}
	}})
	if err != nil || out.End != Halted {
		t.Fatal(out, err)
	}
	return r, guard
}

var (
	binaryOps  = []ir.Op{ir.Add, ir.Sub, ir.Mul, ir.UDiv, ir.SDiv, ir.URem, ir.SRem, ir.Shl, ir.LShr, ir.AShr, ir.And, ir.Or, ir.Xor}
	compareOps = []ir.Op{ir.SAddOvf, ir.UAddOvf, ir.SSubOvf, ir.USubOvf, ir.SMulOvf, ir.UMulOvf, ir.Eq, ir.Ne, ir.ULt, ir.ULe, ir.SLt, ir.SLe}
	unaryOps   = []ir.Op{ir.Ctpop, ir.Ctlz, ir.Cttz, ir.Bitreverse, ir.Freeze}
)

func checkOp(t testing.TB, p *Program, d *ir.Def, args ...bv.BV) {
	t.Helper()
	other := bv.New(d.Type.Bits, 0x5a5a5a5a5a5a5a5a)
	got, guard := apply(t, p, args, other)
	want, wantGuard := Eval(d, args)
	if wantGuard != ir.CheckNone {
		want = other
	}
	if !got.Equal(want) || guard != wantGuard {
		t.Errorf("%s %s %v = %v (guard %s), want %v (guard %s)", d.Op, d.Type, args, got, guard, want, wantGuard)
	}
}

// integerOps calls do for all integer operations whose operands have w bits.
func integerOps(w uint32, do func(d ir.Def, types ...ir.Type)) {
	t := ir.IntType(w)
	for _, op := range binaryOps {
		do(ir.Def{Op: op, Type: t}, t, t)
	}
	for _, op := range compareOps {
		do(ir.Def{Op: op, Type: ir.BoolType}, t, t)
	}
	for _, op := range unaryOps {
		do(ir.Def{Op: op, Type: t}, t)
	}
	if w%8 == 0 {
		do(ir.Def{Op: ir.Bswap, Type: t}, t)
	}
	for _, op := range []ir.Op{ir.FShl, ir.FShr} {
		do(ir.Def{Op: op, Type: t}, t, t, t)
	}
	do(ir.Def{Op: ir.Select, Type: t}, ir.BoolType, t, t)
	for _, to := range []uint32{1, 2, 3, 4, 7, 8, 9, 16, 32, 33, 63, 64, 65, 128, 200} {
		if to > w {
			do(ir.Def{Op: ir.ZExt, Type: ir.IntType(to)}, t)
			do(ir.Def{Op: ir.SExt, Type: ir.IntType(to)}, t)
		} else if to < w {
			do(ir.Def{Op: ir.Trunc, Type: ir.IntType(to)}, t)
		}
	}
}

// TestIntegersExhaustively compares every integer operation with the reference
// on all operands of few bits.
func TestIntegersExhaustively(t *testing.T) {
	for w := uint32(1); w <= 4; w++ {
		integerOps(w, func(d ir.Def, types ...ir.Type) {
			p, def := opProgram(t, d, types...)
			total := uint32(0)
			for _, ty := range types {
				total += ty.Bits
			}
			for x := range uint64(1) << total {
				args := make([]bv.BV, len(types))
				for i, ty := range types {
					args[i] = bv.New(ty.Bits, x)
					x >>= ty.Bits
				}
				checkOp(t, p, def, args...)
			}
		})
	}
}

func TestIntegersAtRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	oracle := random{rng}
	for _, w := range []uint32{5, 7, 8, 13, 16, 31, 32, 33, 48, 63, 64, 65, 72, 96, 128, 200} {
		integerOps(w, func(d ir.Def, types ...ir.Type) {
			p, def := opProgram(t, d, types...)
			for range 60 {
				args := make([]bv.BV, len(types))
				for i, ty := range types {
					args[i] = oracle.bits(ty.Bits)
				}
				checkOp(t, p, def, args...)
			}
		})
	}
}

// TestEvalAgainstDefinitions checks the reference itself, by definitions on
// numbers that share nothing with package bv.
func TestEvalAgainstDefinitions(t *testing.T) {
	const w = 4
	n := int64(1) << w
	sgn := func(x int64) int64 { return (x+n/2)&(n-1) - n/2 }
	out := func(x int64, lo, hi int64) int64 {
		if x < lo || x >= hi {
			return 1
		}
		return 0
	}
	lessThan := func(x, y int64) int64 { return out(x, y, 1<<40) }
	defs := map[ir.Op]func(x, y int64) int64{
		ir.Add: func(x, y int64) int64 { return x + y }, ir.Sub: func(x, y int64) int64 { return x - y },
		ir.Mul:  func(x, y int64) int64 { return x * y },
		ir.UDiv: func(x, y int64) int64 { return x / y }, ir.URem: func(x, y int64) int64 { return x % y },
		ir.SDiv: func(x, y int64) int64 { return sgn(x) / sgn(y) }, ir.SRem: func(x, y int64) int64 { return sgn(x) % sgn(y) },
		ir.Shl: func(x, y int64) int64 { return x << y }, ir.LShr: func(x, y int64) int64 { return x >> y },
		ir.AShr:    func(x, y int64) int64 { return sgn(x) >> y },
		ir.SAddOvf: func(x, y int64) int64 { return out(sgn(x)+sgn(y), -n/2, n/2) },
		ir.SSubOvf: func(x, y int64) int64 { return out(sgn(x)-sgn(y), -n/2, n/2) },
		ir.SMulOvf: func(x, y int64) int64 { return out(sgn(x)*sgn(y), -n/2, n/2) },
		ir.UAddOvf: func(x, y int64) int64 { return out(x+y, 0, n) }, ir.USubOvf: func(x, y int64) int64 { return out(x-y, 0, n) },
		ir.UMulOvf: func(x, y int64) int64 { return out(x*y, 0, n) },
		ir.ULt:     lessThan, ir.ULe: func(x, y int64) int64 { return lessThan(x, y+1) },
		ir.SLt: func(x, y int64) int64 { return lessThan(sgn(x), sgn(y)) }, ir.SLe: func(x, y int64) int64 { return lessThan(sgn(x), sgn(y)+1) },
	}
	for op, def := range defs {
		d := &ir.Def{Op: op, Type: ir.IntType(w)}
		if op > ir.Xor {
			d.Type = ir.BoolType
		}
		for x := range n {
			for y := range n {
				got, guard := Eval(d, []bv.BV{bv.New(w, uint64(x)), bv.New(w, uint64(y))})
				want := ir.CheckNone
				switch op {
				case ir.UDiv, ir.URem, ir.SDiv, ir.SRem:
					if y == 0 {
						want = ir.DivByZero
					}
				case ir.Shl, ir.LShr, ir.AShr:
					if y >= w {
						want = ir.ShiftRange
					}
				}
				if guard != want || want == ir.CheckNone && !got.Equal(bv.New(d.Type.Bits, uint64(def(x, y)))) {
					t.Errorf("%s(%d, %d) = %v (guard %s), want guard %s", op, x, y, got, guard, want)
				}
			}
		}
	}
}
