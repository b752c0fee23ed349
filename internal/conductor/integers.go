package conductor

import (
	"context"
	"slices"
	"time"

	"assay/internal/engines/recurrent"
	"assay/internal/evidence/verdict"
	"assay/internal/integers/termination"
	"assay/internal/models/integerize"
	"assay/internal/program/ir"
	"assay/internal/run/work"
	"assay/internal/transform/recursion"
)

// This file is the engine that decides termination by way of the program's integer
// transition system: what is found there counts only once it is checked on the
// bit-vectors.

const (
	// firstTry is how long the program is worked on before the one without overflow,
	// secondTry how long that one is worked on.
	firstTry, secondTry = 4 * time.Second, 6 * time.Second
	// rounds is how often the loop of a recurrent set is followed to see whether a state
	// comes back.
	rounds = 40
	// followed bounds the time for that.
	followed = 3 * time.Second
	// fixedInputs bounds the proof that no run with the inputs of the set ends.
	fixedInputs = 6 * time.Second
)

// byIntegers works on the program as it is and, if that takes long, on the one in which
// signed overflow ends the run: a proof for that one is no answer, but says what the
// answer depends on.
func (r *run) byIntegers(ctx context.Context, m *ir.Module) Reply {
	first, stop := work.WithTimeout(ctx, firstTry)
	a := r.tryIntegers(first, ctx, m)
	stop()
	if ctx.Err() != nil || decided(a.Verdict) {
		return a
	}
	depends := false
	if r.Semantics != NoOverflow && mayOverflow(m) {
		second, stop := work.WithTimeout(ctx, secondTry)
		b := r.tryIntegers(second, second, assumeNoOverflow(m))
		stop()
		a.Stats.add(&b.Stats)
		_, depends = b.Verdict.(verdict.True)
	}
	if a.Verdict == nil && ctx.Err() == nil { // the first try was not finished
		b := r.tryIntegers(ctx, ctx, m)
		a.Verdict = b.Verdict
		a.Stats.add(&b.Stats)
	}
	if depends && !decided(a.Verdict) {
		text := "every run ends, unless signed arithmetic overflows"
		if r.Semantics == Wrap {
			text = "every run ends in which no signed arithmetic wraps; those in which it does were not decided"
		}
		a.Verdict = verdict.Unknown{Reasons: []verdict.Reason{{
			Cause: verdict.CauseOverflow, Text: text,
			Hint: "--semantics no-overflow lets a run end where it does",
		}}}
	}
	return a
}

// decided says whether a verdict is an answer.
func decided(v verdict.Verdict) bool {
	switch v.(type) {
	case verdict.True, verdict.False:
		return true
	}
	return false
}

// mayOverflow says whether the program has checks of signed overflow.
func mayOverflow(m *ir.Module) bool {
	for _, f := range m.Funcs {
		if slices.ContainsFunc(f.Values, func(d ir.Def) bool { return d.Op == ir.Check && ir.CheckKind(d.Aux) == ir.Overflow }) {
			return true
		}
	}
	return false
}

// tryIntegers translates the program, and takes what the engines of integer transition
// systems find back to it; nil if the context ended. A proof that was found in time is checked in that of the
// other context.
func (r *run) tryIntegers(ctx, check context.Context, m *ir.Module) (out Reply) {
	begin := time.Now()
	var times []Phase
	defer func() { out.Stats.Phases = append(times, out.Stats.Phases...) }()
	// A program whose recursion was made into loops has runs that are not there: a
	// proof about it is one about the program, a refutation is not.
	loops := recursion.Loops(ctx, m)
	p, err := r.translate(ctx, loops.Module, integerize.Wrap)
	times = append(times, Phase{"translation to integers", time.Since(begin)})
	if err != nil {
		if ctx.Err() != nil {
			return Reply{}
		}
		return unknown(untranslated(ctx, err))
	}
	begin = time.Now()
	a, err := termination.Decide(ctx, p.System, termination.Options{Uncertified: true})
	times = append(times, Phase{"integer transition system", time.Since(begin)})
	switch {
	case ctx.Err() != nil:
		return Reply{}
	case err != nil:
		return unknown(verdict.Reason{Cause: verdict.CauseSolver, Text: err.Error()})
	}
	switch a := a.(type) {
	case termination.Terminates:
		return r.ranked(ctx, check, m, hintsOf(p, a))
	case termination.Diverges:
		if loops.Changed() {
			break
		}
		v, err := r.endlessByIntegers(ctx, m, p, &a)
		if err != nil {
			return Reply{}
		}
		return Reply{Verdict: v}
	}
	return unknown(verdict.Reason{Cause: verdict.CauseUnwinding, Text: "the integer transition system of the program is not decided"})
}

// endlessByIntegers looks whether the run of a recurrent set comes back to a state, or
// whether no run with its inputs ends.
func (r *run) endlessByIntegers(ctx context.Context, m *ir.Module, p *integerize.Program, a *termination.Diverges) (verdict.Verdict, error) {
	reason := verdict.Reason{Cause: verdict.CauseInexact, Text: "the infinite run of the integer transition system does not come back to a state"}
	run, err := p.InfiniteRun(a.Recurrence, rounds)
	if err != nil {
		return verdict.Unknown{Reasons: []verdict.Reason{reason}}, nil
	}
	soon, stop := work.WithTimeout(ctx, followed)
	found, why, err := r.confirm(soon, m, run.Input)
	stop()
	wraps := r.Semantics != C
	if err == nil && found != nil && (found.Endless.Overflow == nil || wraps) {
		return *found, nil
	}
	x := &refuter{r: r, m: m, wraps: wraps, hopeless: map[string]bool{}, patience: fixedInputs}
	inputs := recurrent.Inputs(m, run.Input)
	if v, _ := x.attempt(ctx, &verdict.RecurrentSet{Inputs: inputs}); v != nil {
		return *v, nil
	}
	if !wraps && x.endlessOverIntegers(ctx) != nil {
		v := found
		if v == nil {
			x.wraps = true
			v, _ = x.attempt(ctx, &verdict.RecurrentSet{Inputs: inputs})
		}
		if v != nil {
			if v = x.both(v); v != nil {
				return *v, nil
			}
		}
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
