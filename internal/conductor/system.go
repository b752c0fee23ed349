package conductor

import (
	"context"

	"assay/internal/engines/transition"
	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/finite/solve"
	"assay/internal/program/ir"
)

// system runs an engine on the program's transition system: IC3 and Spacer, which prove
// and refute, or incremental search, which refutes.
//
// Predicates of the loops that induction has found by the time when IC3 starts are
// constraints of the system, and part of the certificate. What IC3 learns of them
// comes back as candidates.
func system(engine solve.Engine) func(r *run, ctx context.Context, m *ir.Module) Reply {
	return func(r *run, ctx context.Context, m *ir.Module) Reply {
		facts, _ := latest[Invariants](ctx, r.board, m)
		d := transition.Decide(ctx, m, transition.Options{
			Targets: r.Targets, Disputed: r.Disputed, Label: r.Label, Engine: engine, Small: r.Options.SmallBlocks, Accept: r.accept(),
			Persist: r.alone, Facts: facts.Heads, Learned: func(heads []invariant.Head) {
				r.board.publish(ctx, m, Post{Fact: Candidates{heads}, By: "ic3", Worth: Guessed})
			},
		})
		a := Reply{Verdict: d.Verdict}
		if d.Verdict == nil {
			a.Verdict = verdict.Unknown{Reasons: []verdict.Reason{d.Why}}
		}
		if d.Stats.Encode > 0 {
			a.Stats = Stats{System: d.Stats.Work, Phases: []Phase{{"transition system", d.Stats.Encode}, {"transition system: solve", d.Stats.Solve}}}
			if d.Stats.Certify > 0 {
				a.Stats.Phases = append(a.Stats.Phases, Phase{"transition system: certify", d.Stats.Certify})
			}
		}
		return a
	}
}
