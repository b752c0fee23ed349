package conductor

import (
	"context"

	"assay/internal/engines/trial"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// shorten makes the input of a violation short, if the answer has one.
func (r *run) shorten(ctx context.Context, a *Answer) {
	if found, ok := a.Verdict.(verdict.False); ok {
		a.Verdict = trial.Shorten(ctx, a.Module, found, trial.Options{Targets: r.Targets, Label: r.Label})
	}
}

// shortenEach does so with the violations of all checks; the answer is one of them.
func (r *run) shortenEach(ctx context.Context, a *Answer) {
	whole, _ := a.Verdict.(verdict.False)
	for i := range a.Checks {
		found, ok := a.Checks[i].Verdict.(verdict.False)
		if !ok {
			continue
		}
		short := trial.Shorten(ctx, a.Module, found, trial.Options{Targets: r.Targets, Label: r.Label})
		a.Checks[i].Verdict = short
		if found.Violation == whole.Violation {
			a.Verdict = short
		}
	}
}

// try runs the program with guessed inputs: it finds what is behind many iterations. Most
// of the time is for the others, which the table says.
func (r *run) try(ctx context.Context, m *ir.Module) Reply {
	o := trial.Options{Targets: r.Targets, Label: r.Label}
	if r.Exact != nil && m == r.Module {
		m = r.Exact
	}
	found, stats := trial.Search(ctx, m, o)
	a := Reply{About: m, Stats: Stats{TrialRuns: stats.Runs, TrialSteps: stats.Steps}}
	if found != nil {
		a.Verdict = *found
	}
	return a
}
