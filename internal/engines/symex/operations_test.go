package symex

import (
	"context"
	"math/bits"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

const width = 2

// TestOperations compares every operation with the interpreter, for all
// arguments of two bits and all results: no state excludes what happens, and for
// exact operations, every other result is excluded.
func TestOperations(t *testing.T) {
	two := ir.IntType(width)
	ops := map[ir.Op]ir.Type{ir.ZExt: ir.IntType(4), ir.SExt: ir.IntType(4), ir.Trunc: ir.BoolType, ir.Ctpop: two, ir.Ctlz: two, ir.Cttz: two, ir.Bitreverse: two}
	for op := ir.Add; op <= ir.Xor; op++ {
		ops[op] = two
	}
	for op := ir.SAddOvf; op <= ir.UMulOvf; op++ {
		ops[op] = ir.BoolType
	}
	for op := ir.Eq; op <= ir.SLe; op++ {
		ops[op] = ir.BoolType
	}
	exact := map[ir.Op]bool{
		ir.Add: true, ir.Sub: true, ir.Eq: true, ir.Ne: true, ir.ULt: true, ir.ULe: true, ir.SLt: true, ir.SLe: true,
		ir.ZExt: true, ir.SExt: true, ir.Trunc: true, ir.SAddOvf: true, ir.UAddOvf: true, ir.SSubOvf: true, ir.USubOvf: true,
	}
	for op, result := range ops {
		args := 2
		if op >= ir.ZExt && op <= ir.Trunc || op >= ir.Ctpop && op <= ir.Bitreverse {
			args = 1
		}
		for n := range uint64(1) << (width * args) {
			values := []bv.BV{bv.New(width, n&3), bv.New(width, n>>width)}[:args]
			want, guard := interp.Eval(&ir.Def{Op: op, Type: result}, values)
			for x := range uint64(1) << result.Bits {
				got := bv.New(result.Bits, x)
				happens := guard != ir.CheckNone || got.Equal(want)
				excluded := excludes(t, op, values, got)
				if happens && excluded || !happens && !excluded && exact[op] {
					t.Errorf("%v %v yields %v: %v, excluded: %v", op, values, got, happens, excluded)
				}
			}
		}
	}
}

// excludes says whether the graph excludes that op yields got.
func excludes(t *testing.T, op ir.Op, args []bv.BV, got bv.BV) bool {
	t.Helper()
	m := &ir.Module{PointerBits: 64, Entry: "main"}
	b := ir.NewFunc(m, "main")
	b.At(b.Block("entry"))
	var vs []ir.Value
	here := b.Const(1, 1)
	for _, a := range args {
		v := b.Nondet(ir.IntType(a.Width()), ir.NondetInput, "n")
		vs = append(vs, v)
		here = b.Bin(ir.And, here, b.Cmp(ir.Eq, v, b.ConstBV(ir.IntType(a.Width()), a)))
	}
	t2 := ir.IntType(got.Width())
	r := b.Op(op, t2, vs...)
	here = b.Bin(ir.And, here, b.Cmp(ir.Eq, r, b.ConstBV(t2, got)))
	return neverTrue(t, m, b, here)
}

// TestMasks compares x & m with the interpreter, for all masks m of four bits and signed numbers
// x of three bits, widened. Masks of one range of bits are exact where two cases of x are enough.
func TestMasks(t *testing.T) {
	for mask := range uint64(16) {
		low, high, ok := bitRange(linear.FromBigInt(bv.New(4, mask).Signed()), 4)
		if want := mask != 0 && bits.Len64(mask)-bits.TrailingZeros64(mask) == bits.OnesCount64(mask); ok != want {
			t.Errorf("%#b is one range of bits: %v", mask, ok)
		}
		if ok && mask != (1<<high-1)&^(1<<low-1) {
			t.Errorf("%#b are the bits from %d to below %d", mask, low, high)
		}
		for n := range uint64(8) {
			x := bv.New(3, n)
			for got := range uint64(16) {
				happens := x.SExt(4).Uint64()&mask == got
				excluded := excludesMask(t, mask, x, bv.New(4, got))
				if happens && excluded || !happens && !excluded && (ok && high >= 2 || mask == 0) {
					t.Errorf("%v & %#b yields %d: %v, excluded: %v", x, mask, got, happens, excluded)
				}
			}
		}
	}
}

// excludesMask says whether the graph excludes that x, a number that is signed and widened to
// four bits, has got in the bits of the mask.
func excludesMask(t *testing.T, mask uint64, x, got bv.BV) bool {
	t.Helper()
	m := &ir.Module{PointerBits: 64, Entry: "main"}
	b := ir.NewFunc(m, "main")
	b.At(b.Block("entry"))
	narrow, wide := ir.IntType(3), ir.IntType(4)
	v := b.Nondet(narrow, ir.NondetInput, "n")
	r := b.Bin(ir.And, b.Op(ir.SExt, wide, v), b.ConstBV(wide, bv.New(4, mask)))
	here := b.Bin(ir.And, b.Cmp(ir.Eq, v, b.ConstBV(narrow, x)), b.Cmp(ir.Eq, r, b.ConstBV(wide, got)))
	return neverTrue(t, m, b, here)
}

// neverTrue ends main, and says whether the graph excludes that a truth value is 1 there.
func neverTrue(t *testing.T, m *ir.Module, b *ir.Builder, here ir.Value) bool {
	t.Helper()
	b.Check(ir.Assertion, b.Bin(ir.Xor, here, b.Const(1, 1)), "the result")
	b.Halt(ir.HaltExit)
	b.Done()
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	g := Build(context.Background(), m, Options{Targets: []ir.CheckKind{ir.Assertion}})
	if g.Obstacle != nil {
		t.Fatal(g.Obstacle)
	}
	return len(g.Suspects) == 0
}
