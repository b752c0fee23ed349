package assay

import (
	"context"
	"time"

	"assay/internal/integerize"
	"assay/internal/ir"
	"assay/internal/lasso"
	"assay/internal/recurrent"
	"assay/internal/termination"
	"assay/internal/verdict"
)

// This file is the engine that decides termination by way of the program's integer
// transition system: what is found there counts only once it is checked on the
// bit-vectors.

const (
	// rounds is how often the loop of a recurrent set is followed to see whether a state
	// comes back.
	rounds = 40
	// followed bounds the time for that.
	followed = 3 * time.Second
	// fixedInputs bounds the proof that no run with the inputs of the set ends.
	fixedInputs = 6 * time.Second
)

// byIntegers translates the program, and takes what the engines of integer transition
// systems find back to it.
func (r *run) byIntegers(ctx context.Context, m *ir.Module) (verdict.Verdict, []Phase) {
	begin := time.Now()
	unknown := func(reason verdict.Reason) verdict.Verdict {
		return verdict.Unknown{Reasons: []verdict.Reason{reason}}
	}
	p, err := translate(ctx, m, integerize.Wrap)
	phases := []Phase{{"translation to integers", time.Since(begin)}}
	if err != nil {
		if ctx.Err() != nil {
			return nil, phases
		}
		return unknown(untranslated(ctx, err)), phases
	}
	begin = time.Now()
	a, err := termination.Decide(ctx, p.System, termination.Options{Uncertified: true})
	phases = append(phases, Phase{"integer transition system", time.Since(begin)})
	switch {
	case ctx.Err() != nil:
		return nil, phases
	case err != nil:
		return unknown(verdict.Reason{Cause: verdict.CauseSolver, Text: err.Error()}), phases
	}
	switch a := a.(type) {
	case termination.Terminates:
		return nil, phases
	case termination.Diverges:
		v, err := r.endlessByIntegers(ctx, m, p, &a)
		if err != nil {
			return nil, phases
		}
		return v, phases
	}
	return unknown(verdict.Reason{Cause: verdict.CauseUnwinding, Text: "the integer transition system of the program is not decided"}), phases
}

// endlessByIntegers looks whether the run of a recurrent set comes back to a state, or
// whether no run with its inputs ends.
func (r *run) endlessByIntegers(ctx context.Context, m *ir.Module, p *integerize.Program, a *termination.Diverges) (verdict.Verdict, error) {
	reason := verdict.Reason{Cause: verdict.CauseInexact, Text: "the infinite run of the integer transition system does not come back to a state"}
	run, err := p.InfiniteRun(a.Recurrence, rounds)
	if err != nil {
		return verdict.Unknown{Reasons: []verdict.Reason{reason}}, nil
	}
	soon, stop := context.WithTimeout(ctx, followed)
	found, why, err := lasso.Confirm(soon, m, run.Input)
	stop()
	wraps := r.task.Program.Semantics != SemanticsC
	if err == nil && found != nil && (found.Endless.Overflow == nil || wraps) {
		return *found, nil
	}
	x := &refuter{r: r, m: m, wraps: wraps, hopeless: map[string]bool{}, patience: fixedInputs}
	if v, _ := x.attempt(ctx, &verdict.RecurrentSet{Inputs: recurrent.Inputs(m, run.Input)}); v != nil {
		return *v, nil
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		reason.Text = "the infinite run of the integer transition system takes too long to be followed"
	case found != nil:
		g := found.Endless.Overflow
		reason.Func, reason.Pos = g.Func, g.Pos
		reason.Text, reason.Hint = "there is an infinite run if signed arithmetic wraps", "--semantics wrap says that it does"
	case why != "":
		reason.Text = "the infinite run of the integer transition system: " + why
	}
	return verdict.Unknown{Reasons: []verdict.Reason{reason}}, nil
}
