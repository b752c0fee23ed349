// Package transition decides properties of programs on their transition system
// [LLUMC §3]: package program makes it, the engines of package solve decide it, and
// what they find is brought back to the program: a run is replayed there, and an
// invariant is a certificate for the checker of the program, which knows nothing of the
// system. So nothing in between has to be trusted.
package transition

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"assay/internal/engines/transition/program"
	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/finite/ic3"
	"assay/internal/finite/solve"
	"assay/internal/finite/ts"
	"assay/internal/program/ir"
	"assay/internal/run/schedule"
)

// Options say what to decide.
type Options struct {
	// Targets are the kinds of events that must not happen; Disputed those of
	// which it is disputed whether the property excludes them: a proof does.
	Targets, Disputed []ir.CheckKind
	// Label is the C label that ErrorLabel means; ERROR if empty.
	Label string
	// Engine is IC3, Incremental or Spacer.
	Engine solve.Engine
	// Small asks for the small-block encoding, which finds violations only.
	Small bool
	// Persist goes on to look for violations when there can be no proof, because the
	// system is not exact somewhere.
	Persist bool
	// Facts are predicates of loop heads that hold in every run without violation;
	// they strengthen the frames, and are part of the certificate.
	Facts []invariant.Head
	// Learned, if set, is told predicates of loop heads that IC3 has met. They hold in
	// the first steps of every run, and are candidates for a proof by others.
	Learned func([]invariant.Head)
	// Accept is asked about every proof; nil leaves that out.
	Accept verdict.Accept
}

// Stats count the work.
type Stats struct {
	States, Bits, Inputs, Steps int
	Encode, Solve, Certify      time.Duration
	Work                        string
}

// Result is an answer, or what is in its way.
type Result struct {
	Verdict verdict.Verdict // nil if there is none
	Why     verdict.Reason  // then
	Stats   Stats
}

// simulated is how many gates are evaluated by simulation: some tenths of a second.
const simulated = 3e8

// Decide decides a module.
func Decide(ctx context.Context, m *ir.Module, o Options) (r Result) {
	begin := time.Now()
	fail := func(cause verdict.Cause, format string, args ...any) Result {
		r.Verdict, r.Why = nil, verdict.Reason{Cause: cause, Text: string(o.Engine) + ": " + fmt.Sprintf(format, args...)}
		if ctx.Err() != nil {
			r.Why = verdict.Stopped(ctx, string(o.Engine))
		}
		return r
	}
	s, err := program.Encode(ctx, m, program.Options{Targets: slices.Concat(o.Targets, o.Disputed), Label: o.Label, Small: o.Small, Facts: o.Facts})
	r.Stats.Encode = time.Since(begin)
	var unsupported *program.ErrUnsupported
	switch {
	case errors.As(err, &unsupported):
		fail(verdict.CauseUnsupported, "%s", unsupported.Why)
		r.Why.Func, r.Why.Pos = unsupported.Func, unsupported.Pos
		return r
	case err != nil:
		return fail(verdict.CauseUnsupported, "%v", err)
	}
	r.Stats.States, r.Stats.Inputs = len(s.States), len(s.Inputs)
	for _, x := range s.States {
		r.Stats.Bits += int(s.Width(x.Term))
	}
	begin = time.Now()
	options := solve.Options{Engine: o.Engine, IC3: ic3.Default, Trusted: true, Clausal: true, Simulate: simulated}
	if o.Learned != nil {
		options.Learned = func(inv *ts.Invariant) {
			if heads := s.Candidates(inv); len(heads) > 0 {
				o.Learned(heads)
			}
		}
	}
	a, err := decide(ctx, s.System, options)
	if err == nil && a.Trace != nil && a.Trace.Property == s.Obstacle {
		// No proof is possible any more, but a violation.
		for _, k := range s.Obstacles(a.Trace) {
			r.Why = s.Inexact[k]
			break
		}
		why := r.Why
		why.Text = string(o.Engine) + ": " + why.Text
		if !o.Persist {
			r.Stats.Solve, r.Why = time.Since(begin), why
			return r
		}
		only := *s.System
		only.Bad = []ts.Property{s.Bad[s.Violation]}
		options.Engine = solve.Incremental
		a, err = solve.Decide(ctx, &only, options)
		if err == nil && a.Trace == nil {
			r.Stats.Solve = time.Since(begin)
			r.Why = why
			return r
		}
	}
	r.Stats.Solve = time.Since(begin)
	if err != nil {
		return fail(verdict.CauseInternal, "%v", err)
	}
	r.Stats.Steps, r.Stats.Work = a.Steps, a.Work
	switch {
	case a.Trace != nil:
		run, err := s.Input(a.Trace)
		if err != nil {
			return fail(verdict.CauseInternal, "%v", err)
		}
		v, why := replay(ctx, m, o, run)
		if v == nil {
			return fail(verdict.CauseInexact, "a violation after %d steps was not confirmed: %s", len(a.Trace.Inputs), why)
		}
		r.Verdict = v
		return r
	case a.Proof != nil:
		return prove(ctx, m, o, s, a.Proof.Parts[0].Invariant, r, fail)
	}
	return fail(verdict.CauseUnwinding, "%s", a.Reason)
}

// decide has the system decided, and if IC3 is asked beside it the system without
// hard arithmetic: an invariant of that is one of the system, and a run is none.
func decide(ctx context.Context, s *ts.System, o solve.Options) (*solve.Answer, error) {
	var weak *ts.Weakened
	if o.Engine == solve.IC3 {
		weak = s.Weaken() // makes terms: now, not beside the other engine
	}
	if weak == nil {
		return solve.Decide(ctx, s, o)
	}
	type result struct {
		a   *solve.Answer
		err error
	}
	whole := schedule.Engine[result]{Name: "the whole system", Run: func(ctx context.Context) result {
		a, err := solve.Decide(ctx, s, o)
		return result{a, err}
	}}
	weaker := schedule.Engine[result]{Name: "without hard arithmetic", Run: func(ctx context.Context) result {
		plain := o
		plain.Learned, plain.Simulate = nil, 0
		a, err := solve.Decide(ctx, weak.System, plain)
		if err != nil || a.Proof == nil { // a run of the weaker system is none of this one
			return result{a: &solve.Answer{Engine: o.Engine}}
		}
		return result{a, nil}
	}}
	r := schedule.Run(ctx, []schedule.Engine[result]{whole, weaker}, func(r result) schedule.Side {
		switch {
		case r.err != nil:
		case r.a.Trace != nil:
			return schedule.Fails
		case r.a.Proof != nil:
			return schedule.Holds
		}
		return schedule.Open
	})
	answer := r.Outcomes[0].Answer
	if r.First != nil && r.First != &r.Outcomes[0] {
		answer = r.First.Answer
		part := &answer.a.Proof.Parts[0]
		part.System, part.Invariant = s, weak.Invariant(part.Invariant) // makes terms: now
	}
	return answer.a, answer.err
}

// prove has an invariant checked on the program.
func prove(ctx context.Context, m *ir.Module, o Options, s *program.System, inv *ts.Invariant, r Result, fail func(verdict.Cause, string, ...any) Result) Result {
	if inv.K != 1 || inv.Prefix != 0 || len(inv.Cubes) > 0 || o.Small {
		return fail(verdict.CauseUncertified, "there is no certificate for a proof by %d-induction over steps", inv.K)
	}
	cert, dropped := s.Certificate(inv)
	unclean := s.Possible(ctx, inv)
	if o.Accept == nil {
		r.Verdict = verdict.True{Certificate: verdict.Unchecked{Why: "certification is off"}, Unclean: unclean}
		return r
	}
	begin := time.Now()
	claim := &verdict.Claim{Program: m, Evidence: cert, Targets: slices.Concat(o.Targets, o.Disputed), Label: o.Label, Solver: verdict.CaDiCaL}
	if o.Engine == solve.Spacer {
		claim.Solver = verdict.Z3
	}
	checker, err := o.Accept(ctx, claim)
	r.Stats.Certify = time.Since(begin)
	if err != nil {
		return fail(verdict.CauseUncertified, "an invariant of %d clauses (%d left out) was found, but not accepted: %v", len(inv.Clauses)+len(inv.Formulas), dropped, err)
	}
	cert.Checker = checker
	r.Verdict = verdict.True{Certificate: cert, Unclean: unclean}
	return r
}
