package verdict

import (
	"context"
	"slices"
	"strings"

	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// BitsOfNaN is what is arbitrary where the bits of a NaN that an operation made are seen.
const BitsOfNaN = "the bits of a NaN"

// nanSteps bounds the run that DependsOnNaN makes.
const nanSteps = 1 << 28

// DependsOnNaN says whether a violation is no longer there if the NaNs that operations make on
// the run have some other sign and payload; several rules are tried. Both are arbitrary, and machines differ,
// so such a run refutes nothing.
func DependsOnNaN(ctx context.Context, m *ir.Module, in ir.Input, violation Guard) bool {
	if !ComputesFloats(m) {
		return false
	}
	label := strings.TrimPrefix(violation.Text, "label ")
	for _, rule := range interp.OtherNaNs {
		found := false
		out, err := interp.Run(ctx, m, interp.Options{
			Oracle: interp.Replay(in), Accelerate: true, MaxSteps: nanSteps, NaNs: rule,
			StopAt: func(e interp.Event) bool {
				g, broken := Broken(e, label)
				found = found || broken && g == violation
				return found
			},
		})
		if ctx.Err() != nil {
			return true // nobody knows
		}
		if err == nil && !found && out.End != interp.StepLimit && out.End != interp.MemoryLimit {
			return true
		}
		if !out.NaN {
			return false
		}
	}
	return false
}

// ComputesFloats says whether a module has operations that can make a NaN.
func ComputesFloats(m *ir.Module) bool { return slices.ContainsFunc(m.Funcs, computesFloats) }

func computesFloats(f *ir.Func) bool {
	return slices.ContainsFunc(f.Values, func(d ir.Def) bool {
		switch d.Op {
		case ir.FAdd, ir.FSub, ir.FMul, ir.FDiv, ir.FRem, ir.FSqrt, ir.FMA, ir.FMin, ir.FMax, ir.FRound, ir.FToF:
			return true
		}
		return false
	})
}
