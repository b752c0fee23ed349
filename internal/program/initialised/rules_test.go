package initialised

import (
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

const width = 3

// inputs gives the values of a run in their order.
type inputs struct {
	interp.Zero
	values []uint64
}

func (o *inputs) Next(r interp.Request) (ir.Choice, error) {
	c, err := o.Zero.Next(r)
	if d := r.Func.Def(r.Value); d.Op == ir.Nondet && ir.NondetKind(d.Aux) == ir.NondetInput {
		c.Bits = bv.New(r.Type.Bits, o.values[0])
		o.values = o.values[1:]
	}
	return c, err
}

// TestRules runs each operation on all operands of 3 bits of which any bits are garbage. A bit of the result that
// depends on garbage has to be found; where the rule is exact, no other is.
func TestRules(t *testing.T) {
	word := ir.IntType(width)
	cases := []struct {
		op    ir.Op
		exact bool
	}{
		{ir.And, true}, {ir.Or, true}, {ir.Xor, true}, {ir.Eq, true}, {ir.Ne, true}, {ir.Bitreverse, true}, {ir.ZExt, true}, {ir.SExt, true}, {ir.Trunc, true},
		{ir.Add, false}, {ir.Sub, false}, {ir.Mul, false}, {ir.Shl, false}, {ir.LShr, false}, {ir.AShr, false},
		{ir.ULt, false}, {ir.SLe, false}, {ir.Ctpop, false}, {ir.Cttz, false}, {ir.SAddOvf, false}, {ir.UMulOvf, false}, {ir.Select, false},
	}
	for _, c := range cases {
		m := &ir.Module{PointerBits: 64, Entry: "start"}
		b := ir.NewFunc(m, "start")
		b.At(b.Block("entry"))
		operand := func() ir.Value {
			x, garbage := b.Nondet(word, ir.NondetInput, ""), b.Nondet(word, ir.NondetInput, "")
			kept := b.Bin(ir.And, x, b.Bin(ir.Xor, garbage, b.Const(width, 1<<width-1)))
			return b.Bin(ir.Or, kept, b.Bin(ir.And, b.Nondet(word, ir.NondetUninit, ""), garbage))
		}
		x, y := operand(), operand()
		var r ir.Value
		out := word
		switch c.op {
		case ir.And, ir.Or, ir.Xor, ir.Add, ir.Sub, ir.Mul, ir.Shl, ir.LShr, ir.AShr:
			r = b.Bin(c.op, x, y)
		case ir.Bitreverse, ir.Ctpop, ir.Cttz:
			r = b.Bin(c.op, x)
		case ir.ZExt, ir.SExt:
			out = ir.IntType(width + 2)
			r = b.Op(c.op, out, x)
		case ir.Trunc:
			out = ir.IntType(width - 1)
			r = b.Op(c.op, out, x)
		case ir.Select:
			r = b.Select(b.Op(ir.Trunc, ir.BoolType, y), x, b.Bin(ir.Xor, x, b.Const(width, 2)))
		default:
			out = ir.BoolType
			r = b.Cmp(c.op, x, y)
		}
		var checked []ir.BlockID
		for i := range out.Bits {
			bit := r
			if i > 0 {
				bit = b.Bin(ir.LShr, r, b.Const(out.Bits, uint64(i)))
			}
			if out != ir.BoolType {
				bit = b.Op(ir.Trunc, ir.BoolType, bit)
			}
			next := b.Block("")
			checked = append(checked, b.Current())
			b.CondBr(bit, next, next)
			b.At(next)
		}
		b.Halt(ir.HaltExit)
		b.Done()
		if err := ir.Verify(m); err != nil {
			t.Fatal(err)
		}
		with := Check(m)
		if err := ir.Verify(with); err != nil {
			t.Fatal(err)
		}
		program, err := interp.Compile(with)
		if err != nil {
			t.Fatal(err)
		}
		for k := range uint64(1) << (4 * width) {
			mask := uint64(1<<width - 1)
			x, s, y, u := k&mask, k>>width&mask, k>>(2*width)&mask, k>>(3*width)&mask
			if x&s != 0 || y&u != 0 {
				continue // the same as with 0 there
			}
			found := uint64(0)
			outcome, err := program.Run(t.Context(), interp.Options{Oracle: &inputs{values: []uint64{x, s, y, u}}, StopAt: func(e interp.Event) bool {
				if e.Kind == interp.Violation {
					for i, b := range checked {
						if e.Func.Def(e.Value).Block == b {
							found |= 1 << i
						}
					}
				}
				return false
			}})
			if err != nil || outcome.End != interp.Halted {
				t.Fatal(outcome, err)
			}
			want := differing(c.op, x, s, y, u)
			if found&want != want || c.exact && found != want {
				t.Fatalf("%s of %03b (garbage %03b) and %03b (garbage %03b): garbage %05b, want %05b", c.op, x, s, y, u, found, want)
			}
		}
	}
}

// differing are the bits of the result that are not the same for all garbage.
func differing(op ir.Op, x, s, y, u uint64) (bits uint64) {
	first, some := uint64(0), false
	for g := range uint64(1 << width) {
		for h := range uint64(1 << width) {
			if g&^s != 0 || h&^u != 0 {
				continue
			}
			for _, r := range results(op, bv.New(width, x|g), bv.New(width, y|h)) {
				if !some {
					first, some = r, true
				}
				bits |= first ^ r
			}
		}
	}
	return bits
}

// results are the results of an operation; a shift that is too far is defined by nobody, and not looked at.
func results(op ir.Op, x, y bv.BV) []uint64 {
	truth := func(b bool) uint64 {
		if b {
			return 1
		}
		return 0
	}
	one := func(v bv.BV) []uint64 { return []uint64{v.Uint64()} }
	signed := func(v bv.BV) int64 { return int64(v.SExt(64).Uint64()) }
	far := y.Uint64() >= width
	switch op {
	case ir.And:
		return one(x.And(y))
	case ir.Or:
		return one(x.Or(y))
	case ir.Xor:
		return one(x.Xor(y))
	case ir.Add:
		return one(x.Add(y))
	case ir.Sub:
		return one(x.Sub(y))
	case ir.Mul:
		return one(x.Mul(y))
	case ir.Shl, ir.LShr, ir.AShr:
		switch {
		case far:
			return nil
		case op == ir.Shl:
			return one(x.Shl(y))
		case op == ir.LShr:
			return []uint64{x.Uint64() >> y.Uint64()}
		}
		return []uint64{uint64(signed(x)>>y.Uint64()) & (1<<width - 1)}
	case ir.Eq:
		return []uint64{truth(x.Equal(y))}
	case ir.Ne:
		return []uint64{truth(!x.Equal(y))}
	case ir.ULt:
		return []uint64{truth(x.Uint64() < y.Uint64())}
	case ir.SLe:
		return []uint64{truth(signed(x) <= signed(y))}
	case ir.SAddOvf:
		sum := signed(x) + signed(y)
		return []uint64{truth(sum < -1<<(width-1) || sum >= 1<<(width-1))}
	case ir.UMulOvf:
		return []uint64{truth(x.Uint64()*y.Uint64() >= 1<<width)}
	case ir.Bitreverse:
		v := x.Uint64()
		return []uint64{v&1<<2 | v&2 | v>>2}
	case ir.Ctpop:
		v := x.Uint64()
		return []uint64{v&1 + v>>1&1 + v>>2}
	case ir.Cttz:
		n := uint64(0)
		for ; n < width && x.Uint64()>>n&1 == 0; n++ {
		}
		return []uint64{n}
	case ir.ZExt:
		return one(x.ZExt(width + 2))
	case ir.SExt:
		return one(x.SExt(width + 2))
	case ir.Trunc:
		return one(x.Trunc(width - 1))
	case ir.Select:
		if y.Uint64()&1 == 1 {
			return one(x)
		}
		return []uint64{x.Uint64() ^ 2}
	}
	panic(op)
}
