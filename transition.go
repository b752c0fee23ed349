package assay

import (
	"context"
	"time"

	"assay/internal/bmc"
	"assay/internal/invariant"
	"assay/internal/ir"
	"assay/internal/solve"
	"assay/internal/transition"
	"assay/internal/verdict"
)

// This file runs the engines on the program's transition system: IC3, which
// proves and refutes, and incremental search, which refutes.

// Predicates of the loops that induction has found by the time when IC3 starts are
// constraints of the system, and part of the certificate. What IC3 learns of them
// comes back as candidates.

// systemStart is how long the other engines run before the transition system is
// made: what they decide at all they mostly decide in this time.
const systemStart = time.Second

// systemAnswer is what an engine on the transition system came to.
type systemAnswer struct {
	transition.Result
	panic any
}

// transit decides on the transition system, after a while.
func (r *run) transit(ctx context.Context, m *ir.Module, o bmc.Options, engine solve.Engine, wait time.Duration) (a systemAnswer) {
	defer func() { a.panic = recover() }()
	select {
	case <-ctx.Done():
		a.Why = verdict.Stopped(ctx, string(engine))
		return a
	case <-time.After(wait):
	}
	var facts []invariant.Head
	if f := r.facts.Load(); f != nil {
		facts = *f
	}
	a.Result = transition.Decide(ctx, m, transition.Options{
		Targets: o.Targets, Disputed: o.Disputed, Label: o.Label, Engine: engine, Small: r.task.Engine.SmallBlocks, Certify: o.Certify,
		Persist: wait == 0, Facts: facts, Learned: func(heads []invariant.Head) { r.lemmas.Store(&heads) },
	})
	return a
}

// alone is the answer of the engine on its own.
func (a *systemAnswer) alone() bmc.Result {
	if a.panic != nil {
		panic(a.panic)
	}
	if a.Verdict == nil {
		return bmc.Result{Verdict: verdict.Unknown{Reasons: []verdict.Reason{a.Why}}}
	}
	return bmc.Result{Verdict: a.Verdict}
}

// addSystem adds what the transition system cost.
func (s *Stats) addSystem(a *systemAnswer) {
	if a == nil || a.Stats.Encode == 0 {
		return
	}
	s.System = a.Stats.Work
	s.Phases = append(s.Phases, Phase{"transition system", a.Stats.Encode}, Phase{"transition system: solve", a.Stats.Solve})
	if a.Stats.Certify > 0 {
		s.Phases = append(s.Phases, Phase{"transition system: certify", a.Stats.Certify})
	}
}
