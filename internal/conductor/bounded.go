package conductor

import (
	"cmp"
	"context"
	"slices"

	"assay/internal/certify/accept"
	"assay/internal/engines/bmc"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// boundedOptions are what the task asks of bounded search.
func (r *run) boundedOptions() bmc.Options {
	return bmc.Options{
		Targets: r.Targets, Disputed: r.Disputed, Label: r.Label,
		Unwind: r.Options.Unwind, Solver: r.Options.Solver, Accept: r.accept(),
		Progress: func(p bmc.Progress) {
			r.report(Progress{Phase: p.Phase, Depth: p.Depth, Nodes: p.Nodes, Variables: p.Variables, Clauses: p.Clauses})
		},
	}
}

// accept is what engines ask about proofs, nil if certification is off.
func (r *run) accept() verdict.Accept {
	if r.Options.Uncertified {
		return nil
	}
	return accept.Program
}

// bounded unwinds all loops together, until a violation is found and replayed, or no run
// gets past the unwinding. With Options.EachCheck it ends when it has refuted all that
// is not proved.
func (r *run) bounded(ctx context.Context, m *ir.Module) Reply {
	o := r.boundedOptions()
	report := o.Progress
	o.Progress = func(p bmc.Progress) {
		if p.Safe > 0 {
			r.known.unwound.Store(true)
		}
		report(p)
	}
	if r.Options.EachCheck {
		o.All = true
		o.Decided = func(checks []bmc.CheckResult) { r.found(m, checks) }
		if !r.alone {
			o.Settled = r.settled(ctx, m)
		}
	}
	b := bmc.Run(ctx, m, o)
	a := Reply{Verdict: b.Verdict, Checks: b.Checks, Rest: b.Rest, Stats: boundedStats(b.Stats)}
	switch v := b.Verdict.(type) {
	case verdict.Unknown:
		a.Hopeless = !o.All && hopeless(v)
	case verdict.False:
		a.Partial = o.All && !r.allDecided(m, &b)
	}
	return a
}

// allDecided says that nothing is open after bounded search.
func (r *run) allDecided(m *ir.Module, b *bmc.Result) bool {
	listed := map[verdict.Site]bool{}
	for i := range b.Checks {
		x := metAt(&b.Checks[i]).Site
		listed[x] = true
		if _, open := b.Checks[i].Verdict.(verdict.Unknown); open && !r.isProved(x) && !r.isRefuted(x) {
			return false
		}
	}
	if _, rest := b.Rest.(verdict.True); rest {
		return true
	}
	return !slices.ContainsFunc(r.open(m), func(x verdict.Site) bool { return !listed[x] })
}

// hopeless says that what stopped bounded search stops a proof, too.
func hopeless(u verdict.Unknown) bool {
	return slices.ContainsFunc(u.Reasons, func(r verdict.Reason) bool {
		return r.Cause == verdict.CauseInternal || r.Cause == verdict.CauseUnsupported
	})
}

// unwind proves termination by complete unwinding: no run needs more iterations
// or activations than were unwound, so every run is finite. No event ends a run
// but those that end the program; undefined behaviour does not.
func (r *run) unwind(ctx context.Context, m *ir.Module) Reply {
	o := r.boundedOptions()
	o.Targets, o.Disputed, o.Label = nil, nil, ""
	b := bmc.Run(ctx, m, o)
	if t, ok := b.Verdict.(verdict.True); ok {
		if c, ok := t.Certificate.(*verdict.Unwinding); ok {
			t.Unclean = r.excluding(ctx, m, t.Unclean, func(ctx context.Context, claim *verdict.Claim) error {
				claim.Evidence, claim.Solver = c, cmp.Or(o.Solver, verdict.CaDiCaL)
				_, err := accept.Program(ctx, claim)
				return err
			})
			b.Verdict = t
		}
	}
	return Reply{Verdict: b.Verdict, Stats: boundedStats(b.Stats)}
}
