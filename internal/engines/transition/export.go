package transition

import (
	"context"
	"io"
	"slices"

	"assay/internal/engines/transition/program"
	"assay/internal/evidence/verdict"
	"assay/internal/finite/solve"
	"assay/internal/program/ir"
)

// Export writes the transition system of a program in one of the formats of
// solve.Targets: a bad state is a violation; with endless, a violation of the justice
// property is a run that does not end. The system is inexact where it says: these
// places are a bad state of their own, so that a proof that no bad state can be
// reached is one of the program, and a run to the first bad state a violation.
func Export(ctx context.Context, m *ir.Module, o Options, endless bool, w io.Writer, format string) (inexact []verdict.Reason, err error) {
	s, err := program.Encode(ctx, m, program.Options{Targets: slices.Concat(o.Targets, o.Disputed), Label: o.Label, Small: o.Small, Endless: endless})
	if err != nil {
		return nil, err
	}
	for _, x := range s.Inexact {
		if !slices.Contains(inexact, x) {
			inexact = append(inexact, x)
		}
	}
	switch {
	case len(inexact) == 0 && endless:
		s.Bad = nil
	case len(inexact) == 0:
		s.Bad = s.Bad[:s.Violation+1]
	case endless:
		s.Bad = s.Bad[s.Obstacle:]
	}
	model := solve.Model{System: s.System, Format: solve.BTOR2}
	return inexact, model.Export(ctx, w, format)
}
