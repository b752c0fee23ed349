package conductor

import (
	"context"

	"assay/internal/engines/pathwise"
	"assay/internal/program/ir"
)

// explore follows the paths of the program one by one.
func (r *run) explore(ctx context.Context, m *ir.Module) Reply {
	o := pathwise.Options{Targets: r.Targets, Disputed: r.Disputed, Label: r.Label, Accept: r.accept()}
	if !r.alone {
		o.Pause = 2
	}
	x := pathwise.Run(ctx, m, o)
	return Reply{Verdict: x.Verdict, Stats: Stats{Paths: x.Stats.Paths, PathsOpen: x.Stats.Open, PathSteps: x.Stats.Steps, PathQueries: x.Stats.Queries, PathSolved: x.Stats.Solved}}
}
