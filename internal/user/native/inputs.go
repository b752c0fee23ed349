package native

import (
	"strings"

	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// Inputs collects the values that functions without body return on the
// run. The run is exact if it depends on nothing else: no address, and no
// content of memory but zeros. Silent are the functions without body that do not matter;
// choices whose names begin with linked are not made by the program.
func Inputs(m *ir.Module, input ir.Input, violation verdict.Guard, silent []string, linked string) (c Counterexample, exact bool) {
	c = Counterexample{Kind: violation.Kind, Line: int(violation.Pos.Line), Silent: silent}
	exact = true
	for _, choice := range input.Choices {
		for _, b := range choice.Bytes {
			exact = exact && b == 0
		}
		f := m.Func(choice.Func)
		if f == nil || f.Def(choice.Value).Op != ir.Nondet {
			continue
		}
		d := f.Def(choice.Value)
		k := ir.NondetKind(d.Aux)
		switch {
		case f.Name == m.Entry && d.Sym == "argc":
			c.Arguments = int(choice.Bits.Uint64())
			exact = exact && c.Arguments >= 1 && c.Arguments < 1000
		case strings.HasPrefix(d.Sym, linked): // the linker chooses
			exact = false
		case k == ir.NondetInput || k == ir.NondetUnknown:
			in := Input{Function: d.Sym, Float: d.Type.Kind == ir.Float, Bits: d.Type.Bits, Value: choice.Bits.Uint64()}
			if t := ir.InputType(d.Sym, d.Type.Bits); t.Signed && !in.Float && d.Type.Bits > 1 && d.Type.Bits <= 64 {
				in.Value = uint64(choice.Bits.Int64())
			}
			exact = exact && d.Type.Bits <= 64
			c.Inputs = append(c.Inputs, in)
		case k == ir.NondetApproximate || k == ir.NondetExact || k == ir.NondetGhost: // no violation depends on it
		default:
			exact = exact && choice.Bits.IsZero()
		}
	}
	return c, exact
}
