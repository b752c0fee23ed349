package symex

import (
	"context"
	"testing"

	"assay/internal/logic/bv"
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
