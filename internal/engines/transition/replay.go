package transition

import (
	"cmp"
	"context"

	"assay/internal/engines/transition/program"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// maxReplaySteps bounds a replay.
const maxReplaySteps = 1 << 31

// replay runs the interpreter on the choices of a run. The answer is nil, with the
// reason, if the run violates nothing, or if the violation may depend on values that
// undefined behaviour or a library model made up: then bounded search, which can
// ask whether it does, has to find it.
func replay(ctx context.Context, m *ir.Module, o Options, run *program.Run) (verdict.Verdict, string) {
	target := map[ir.CheckKind]bool{}
	for _, k := range o.Targets {
		target[k] = true
	}
	label := ""
	if target[ir.ErrorLabel] {
		label = cmp.Or(o.Label, "ERROR")
	}
	var violation verdict.Guard
	var passes []verdict.Guard
	found := false
	seen := map[verdict.Guard]bool{}
	out, err := interp.Run(ctx, m, interp.Options{Oracle: interp.Replay(run.Input), MaxSteps: maxReplaySteps, Accelerate: true, StopAt: func(e interp.Event) bool {
		g, broken := verdict.Broken(e, label)
		if !broken {
			return false
		}
		if target[g.Kind] {
			found, violation = true, g
			return true
		}
		if !seen[g] {
			seen[g] = true
			passes = append(passes, g)
		}
		return false
	}})
	switch {
	case err != nil:
		return nil, err.Error()
	case !found:
		return nil, out.String()
	case run.Approximate:
		return nil, "it may depend on a function that is over-approximated"
	case run.Undefined && len(passes) > 0:
		return nil, "it may depend on the value that undefined behaviour yields: " + passes[0].Text
	}
	if verdict.DependsOnNaN(ctx, m, run.Input, violation) {
		return nil, "it depends on the sign or payload of a NaN"
	}
	switch violation.Kind {
	case ir.InvalidDeref, ir.InvalidFree, ir.MemTrack, ir.MemCleanup:
		if run.Unknown {
			return nil, "it may depend on the result of a function without body"
		}
	}
	return verdict.False{Violation: violation, Input: run.Input, Passes: passes, Replayed: []string{"interpreter"}}, ""
}
