package interp

import (
	"context"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// TestNaNs: the rules give the NaNs that an x86 makes of these operands in the two orders, and others.
func TestNaNs(t *testing.T) {
	const (
		inf, minus    = 0x7ff0000000000000, 0xbff0000000000000 // minus one
		first, second = 0x7ff0000000000123, 0xfff8000000000456 // the first one signals
		quiet         = 0x7ff8000000000123
		none          = 0xfff8000000000000
	)
	for _, x := range []struct {
		op          ir.Op
		from, to    uint32
		operands    []uint64
		first, last uint64
	}{
		{ir.FAdd, 64, 64, []uint64{first, second}, quiet, second},
		{ir.FMul, 64, 64, []uint64{minus, second}, second, second},
		{ir.FSub, 64, 64, []uint64{inf, inf}, none, none},
		{ir.FDiv, 32, 32, []uint64{0, 0}, 0xffc00000, 0xffc00000},
		{ir.FSqrt, 64, 64, []uint64{minus}, none, none},
		{ir.FSqrt, 64, 64, []uint64{first}, quiet, quiet},
		{ir.FMA, 64, 64, []uint64{first, minus, second}, quiet, second},
		{ir.FToF, 32, 64, []uint64{0xff800001}, 0xfff8000020000000, 0xfff8000020000000},
		{ir.FToF, 64, 32, []uint64{0xfff0000020000000}, 0xffc00001, 0xffc00001},
	} {
		var types []ir.Type
		in := ir.Input{}
		for i, a := range x.operands {
			types = append(types, ir.FloatType(x.from))
			in.Choices = append(in.Choices, ir.Choice{Func: "main", Value: ir.Value(i + 1), Bits: bv.New(x.from, a)})
		}
		p, _ := opProgram(t, ir.Def{Op: x.op, Type: ir.FloatType(x.to)}, types...)
		made := map[NaNs]uint64{}
		for _, rule := range append([]NaNs{PlainNaNs}, OtherNaNs...) {
			out, err := p.Run(context.Background(), Options{Oracle: Replay(in), NaNs: rule, Observe: func(e Event) {
				if e.Kind == Assign {
					made[rule] = e.Bits.Uint64()
				}
			}})
			if err != nil || !out.NaN {
				t.Fatal(x.op, out, err)
			}
			if v := decodeFloat(x.to, made[rule]); v == v {
				t.Errorf("%v: rule %d makes %#x", x.op, rule, made[rule])
			}
		}
		if made[PlainNaNs] != canonicalNaN(x.to) || made[FullNaNs] != ^uint64(0)>>(64-x.to) || made[FirstNaNs] != x.first || made[LastNaNs] != x.last || made[VariousNaNs] == made[PlainNaNs] {
			t.Errorf("%v of %#x: %#x, want %#x and %#x", x.op, x.operands, made, x.first, x.last)
		}
	}
}
