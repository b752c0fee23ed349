package verdict

import (
	"context"
	"slices"

	"assay/internal/program/ir"
)

// Doubtful says why the run of a False may be none of the program's: it passes through what
// is not modelled exactly, or depends on the bits of a NaN. nil if nothing speaks against it.
func (f False) Doubtful(ctx context.Context, m *ir.Module) *Reason {
	if i := slices.IndexFunc(f.Passes, func(g Guard) bool { return g.Doubt() != "" }); i >= 0 {
		g := &f.Passes[i]
		cause := CauseInexact
		if g.Kind == ir.Overflow {
			cause = CauseOverflow
		}
		return &Reason{Cause: cause, Func: g.Func, Pos: g.Pos, Text: "a violation was found, but on " + g.Doubt()}
	}
	if f.Endless == nil && f.OverIntegers == nil && DependsOnNaN(ctx, m, f.Input, f.Violation) {
		return &Reason{
			Cause: CauseInexact, Func: f.Violation.Func, Pos: f.Violation.Pos,
			Text: "a violation was found, but it depends on the sign or payload of a NaN, which are arbitrary",
		}
	}
	return nil
}
