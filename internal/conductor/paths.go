package conductor

import (
	"context"
	"slices"
	"time"

	"assay/internal/certify/accept"
	"assay/internal/engines/pathwise"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// explore follows the paths of the program one by one.
func (r *run) explore(ctx context.Context, m *ir.Module) Reply {
	return r.explored(pathwise.Run(ctx, m, r.pathOptions(r.Targets, r.Disputed, r.Label)))
}

// followToEnds proves termination by the paths of the program: if all are followed to their ends, every run
// ends. As in unwind, nothing ends a run but what ends the program.
func (r *run) followToEnds(ctx context.Context, m *ir.Module) Reply {
	x := pathwise.Run(ctx, m, r.pathOptions(nil, nil, ""))
	if t, ok := x.Verdict.(verdict.True); ok {
		if tree, ok := t.Certificate.(*verdict.PathTree); ok {
			t.Unclean = r.excluding(ctx, m, t.Unclean, func(ctx context.Context, claim *verdict.Claim) error {
				claim.Evidence = tree
				_, err := accept.Program(ctx, claim)
				return err
			})
			x.Verdict = t
		}
	}
	return r.explored(x)
}

func (r *run) pathOptions(targets, disputed []ir.CheckKind, label string) pathwise.Options {
	o := pathwise.Options{Targets: targets, Disputed: disputed, Label: label, Accept: r.accept()}
	if !r.alone {
		o.Pause = 2
	}
	return o
}

func (r *run) explored(x pathwise.Result) Reply {
	return Reply{Verdict: x.Verdict, Stats: Stats{Paths: x.Stats.Paths, PathsOpen: x.Stats.Open, PathSteps: x.Stats.Steps, PathQueries: x.Stats.Queries, PathSolved: x.Stats.Solved}}
}

// besideBurst is how long the other engines work before they leave their time to it.
const besideBurst = 400 * time.Millisecond

// besidePaths says whether the other engines leave their time to the one that follows paths: where a loop or a recursion
// cannot be cut, because it moves pointers or reads them from memory, nothing is left of induction and what is built
// on it; mostly that is code that its input drives, a parser, and the paths of a small input are few.
func (r *run) besidePaths(m *ir.Module, engines []Engine) bool {
	follows := slices.ContainsFunc(engines, func(e Engine) bool { return e.Name == "paths" })
	return follows && uncut(m, slices.Concat(r.Targets, r.Disputed), r.Label)
}
