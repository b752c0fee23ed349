package assay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"assay/internal/bmc"
	"assay/internal/certify"
	"assay/internal/heap"
	"assay/internal/induction"
	"assay/internal/invariant"
	"assay/internal/ir"
	"assay/internal/pause"
	"assay/internal/solve"
	"assay/internal/trial"
	"assay/internal/verdict"
)

// This file runs the engines side by side. Bounded search unwinds the loops and
// finds violations, and proofs if the loops end; k-induction with invariants
// proves what no unwinding does; symbolic execution graphs prove what is about
// objects of any length; IC3 decides the program's transition system, whose
// states are finite; trial runs and acceleration find violations behind many
// iterations. The first answer ends the other engines. Two answers that contradict
// each other are a bug, and no answer.

const (
	// graphStart is when a symbolic execution graph is built: it takes milliseconds,
	// its check takes longer.
	graphStart = 20 * time.Millisecond
	// headStart is when induction begins: most programs that bounded search
	// decides at all it decides in this time.
	headStart = 40 * time.Millisecond
	// trialStart is when trial runs begin: what bounded search finds quickly it has
	// found then.
	trialStart = 150 * time.Millisecond
	// trialPause is how many times as long as it ran a trial rests: most of the time is for the others.
	trialPause = 2
)

// inductionAnswer is what k-induction came to.
type inductionAnswer struct {
	verdict verdict.Verdict // nil if there is none
	why     error           // then
	stats   induction.Stats
	certify time.Duration
	panic   any
	// found are the predicates of loops, with Engine.ShowInvariants.
	found []invariant.Head
	trial trial.Stats // of the trial runs beside it
}

// search runs the engines that the task asks for.
func (r *run) search(ctx context.Context, m *ir.Module, o bmc.Options) (bmc.Result, *inductionAnswer, *systemAnswer) {
	e := r.task.Engine
	if e.Only == EngineAcceleration {
		a := r.accelerate(ctx, m, o, 0)
		r.accelerated = &a
		return a.alone(ctx), nil, nil
	}
	if e.Unwind > 0 || e.Only == EngineBMC {
		return bmc.Run(ctx, m, o), nil, nil
	}
	if e.Only == EngineIC3 || e.Only == EngineIncremental || e.Only == EngineSpacer {
		a := r.transit(ctx, m, o, solve.Engine(e.Only), 0)
		return a.alone(), nil, &a
	}
	if e.Heap || e.ValuesRefine {
		return r.refine(ctx, m, o), nil, nil
	}
	if e.EachCheck {
		return r.searchEach(ctx, m, o), nil, nil
	}
	if e.Only == EngineInduction || e.chosen() && !e.KInduction {
		a := r.induct(ctx, m, o, 0)
		if a.panic != nil {
			panic(a.panic)
		}
		b := bmc.Result{Verdict: a.verdict}
		if a.verdict == nil {
			b.Verdict = verdict.Unknown{Reasons: []verdict.Reason{a.reason(ctx)}}
		}
		return b, &a, nil
	}
	if e.Only == EngineSymex {
		a := r.execute(ctx, m, o.Targets, o.Disputed, o.Label, 0)
		if a.panic != nil {
			panic(a.panic)
		}
		return bmc.Result{Verdict: a.orUnknown(ctx)}, nil, nil
	}
	ctx = pause.With(ctx)
	search, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	sides, give := context.WithCancel(ctx)
	defer give()
	proofs := make(chan inductionAnswer, 1)
	go func() {
		a := r.induct(sides, m, o, headStart)
		if a.verdict != nil {
			stop(errAnswered)
			give()
		}
		proofs <- a
	}()
	trials := make(chan trialAnswer, 1)
	go func() {
		a := try(sides, m, o, trialStart)
		if a.found != nil {
			stop(errAnswered)
			give()
		}
		trials <- a
	}()
	graphs := make(chan symbolicAnswer, 1)
	go func() {
		g := r.execute(sides, m, o.Targets, o.Disputed, o.Label, graphStart)
		if g.verdict != nil {
			stop(errAnswered)
			give()
		}
		graphs <- g
	}()
	systems := make(chan systemAnswer, 1)
	go func() {
		a := r.transit(sides, m, o, solve.IC3, systemStart)
		if a.Verdict != nil {
			stop(errAnswered)
			give()
		}
		systems <- a
	}()
	accelerations := make(chan accelerationAnswer, 1)
	go func() {
		a := r.accelerate(sides, m, o, accelerationStart)
		if a.found != nil {
			stop(errAnswered)
			give()
		}
		accelerations <- a
	}()
	b := bmc.Run(search, m, o)
	switch v := b.Verdict.(type) {
	case verdict.Unknown:
		if hopeless(v) {
			give()
		}
	case verdict.True:
		if !e.ShowInvariants {
			give()
		}
	default:
		give()
	}
	a := <-proofs
	if a.verdict != nil {
		give()
	}
	t := <-trials
	g := <-graphs
	y := <-systems
	c := <-accelerations
	r.accelerated = &c
	if a.verdict == nil {
		a.verdict = g.verdict
	}
	for _, p := range []any{a.panic, t.panic, g.panic, y.panic, c.panic} {
		if p != nil {
			panic(p)
		}
	}
	a.trial = t.stats
	var tried, jumped verdict.Verdict
	if t.found != nil {
		tried = *t.found
	}
	if c.found != nil {
		jumped = *c.found
	}
	b.Verdict = together(b.Verdict, a.verdict, tried, y.Verdict, jumped)
	if u, isUnknown := b.Verdict.(verdict.Unknown); isUnknown {
		u.Reasons = slices.Clone(u.Reasons)
		// What was ended because bounded search was stuck for good has nothing to say.
		given := ctx.Err() == nil
		if a.why != nil && !(given && errors.Is(a.why, context.Canceled)) {
			u.Reasons = append(u.Reasons, a.reason(ctx))
		}
		if y.Why.Text != "" && !(given && y.Why.Cause == verdict.CauseInterrupt) {
			u.Reasons = append(u.Reasons, y.Why)
		}
		b.Verdict = u
	}
	return b, &a, &y
}

// together joins the answers of bounded search and the other engines, nil for
// none. A proof and a refutation contradict each other, whoever comes first.
func together(search verdict.Verdict, others ...verdict.Verdict) verdict.Verdict {
	answer := search
	for _, v := range others {
		_, holds := v.(verdict.True)
		_, held := answer.(verdict.True)
		_, fails := v.(verdict.False)
		_, failed := answer.(verdict.False)
		switch {
		case v == nil:
		case holds && failed || fails && held:
			return verdict.Unknown{Reasons: []verdict.Reason{{
				Cause: verdict.CauseInternal, Text: "one engine proves what another one refutes",
			}}}
		case !held && !failed:
			answer = v
		}
	}
	return answer
}

// trialAnswer is what trial runs came to.
type trialAnswer struct {
	found *verdict.False
	stats trial.Stats
	panic any
}

// try makes trial runs.
func try(ctx context.Context, m *ir.Module, o bmc.Options, wait time.Duration) (a trialAnswer) {
	defer func() { a.panic = recover() }()
	select {
	case <-ctx.Done():
	case <-time.After(wait):
		a.found, a.stats = trial.Search(ctx, m, trial.Options{Targets: o.Targets, Label: o.Label, Pause: trialPause})
	}
	return a
}

// errAnswered ends bounded search when another engine has an answer.
var errAnswered = errors.New("answered by another engine")

// hopeless says that what stopped bounded search stops a proof, too.
func hopeless(u verdict.Unknown) bool {
	return slices.ContainsFunc(u.Reasons, func(r verdict.Reason) bool {
		return r.Cause == verdict.CauseInternal || r.Cause == verdict.CauseUnsupported
	})
}

// induct searches a proof by k-induction and has it checked.
func (r *run) induct(ctx context.Context, m *ir.Module, o bmc.Options, wait time.Duration) (a inductionAnswer) {
	defer func() { a.panic = recover() }()
	select {
	case <-ctx.Done():
		return a
	case <-time.After(wait):
	}
	targets := slices.Concat(o.Targets, o.Disputed)
	p := induction.Prove(ctx, m, r.inductionOptions(o))
	a.stats, a.why = p.Stats, p.Why
	if r.task.Engine.ShowInvariants {
		a.found = p.Found
	}
	if p.Proof == nil && ctx.Err() == nil {
		if q, turned, asked := r.proveTurned(ctx, m, o); q.Proof != nil {
			p, m, targets = q, turned, asked
			p.Proof.Module = turned
			a.stats = p.Stats
		}
	}
	if p.Proof == nil {
		return a
	}
	if !o.Certify {
		a.verdict = verdict.True{Certificate: verdict.Unchecked{Why: "certification is off"}, Unclean: p.Unclean}
		return a
	}
	begin := time.Now()
	own, resume := pause.Others(ctx)
	defer resume()
	checker, err := certify.Induction(own, m, certify.Options{Targets: targets, Label: o.Label, Engine: certify.CaDiCaL}, p.Proof)
	a.certify = time.Since(begin)
	if err != nil {
		a.why = fmt.Errorf("a proof was found, but not accepted: %w", err)
		return a
	}
	p.Proof.Checker = checker
	a.verdict = verdict.True{Certificate: p.Proof, Unclean: p.Unclean}
	return a
}

// inductionOptions are what the task asks of induction.
func (r *run) inductionOptions(o bmc.Options) induction.Options {
	e := r.task.Engine
	out := induction.Options{Targets: o.Targets, Disputed: o.Disputed, Label: o.Label, Havoc: e.Havoc, Rows: e.Rows, Thorough: e.ShowInvariants}
	out.Invariants = func(heads []invariant.Head) { r.facts.Store(&heads) }
	out.More = func() []invariant.Head {
		if heads := r.lemmas.Load(); heads != nil {
			return *heads
		}
		return nil
	}
	domains := map[string]induction.Domain{
		"intervals": induction.Intervals, "zones": induction.Zones, "octagons": induction.Octagons,
		"equalities": induction.Equalities, "polyhedra": induction.Polyhedra,
	}
	for _, d := range e.Domains {
		out.Domains |= domains[d]
	}
	if len(e.Rows) > 0 {
		out.Domains |= induction.Polyhedra
	}
	if e.chosen() && !e.KInduction {
		out.MaxK = 1
	}
	return out
}

// proveTurned searches a proof about the program whose heap objects are elements
// of arrays. It must exclude invalid accesses, for those could go to other objects
// there.
func (r *run) proveTurned(ctx context.Context, m *ir.Module, o bmc.Options) (p induction.Result, turned *ir.Module, targets []ir.CheckKind) {
	targets = slices.Concat(o.Targets, o.Disputed)
	if slices.Contains(targets, ir.MemTrack) || slices.Contains(targets, ir.MemCleanup) {
		return p, nil, nil // leaks cannot be seen there
	}
	for _, k := range []ir.CheckKind{ir.InvalidDeref, ir.InvalidFree} {
		if !slices.Contains(targets, k) {
			targets = append(targets, k)
		}
	}
	turned, err := heap.Turn(m, false)
	if err != nil {
		return p, nil, nil
	}
	few, err := heap.Turn(m, true)
	if err != nil {
		return p, nil, nil
	}
	options := r.inductionOptions(o)
	options.Targets, options.Disputed, options.Runs = targets, nil, few
	return induction.Prove(ctx, turned, options), turned, targets
}

// reason says why there is no proof by induction.
func (a *inductionAnswer) reason(ctx context.Context) verdict.Reason {
	if a.why == nil {
		// It was stopped before it began.
		return verdict.Stopped(ctx, "k-induction")
	}
	reason := verdict.Reason{Cause: verdict.CauseUnwinding, Text: "k-induction: " + a.why.Error()}
	var uncut *induction.ErrUncut
	switch {
	case errors.As(a.why, &uncut):
		reason.Func, reason.Pos = uncut.Func, uncut.Pos
	case ctx.Err() != nil:
		return verdict.Stopped(ctx, "k-induction")
	}
	return reason
}
