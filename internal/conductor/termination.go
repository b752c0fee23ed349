package conductor

import (
	"context"
	"slices"
	"time"

	"assay/internal/certify/accept"
	"assay/internal/evidence/verdict"
	"assay/internal/integers/termination"
	"assay/internal/models/integerize"
	"assay/internal/program/ir"
	"assay/internal/run/work"
	"assay/internal/transform"
	"assay/internal/transform/arbitrary"
	"assay/internal/transform/recursion"
	"assay/internal/transform/skeleton"
)

// This file decides termination: does every run end? Provers show that there is no
// infinite run: complete unwinding, where all loops and recursions are short, and
// ranking arguments elsewhere. Refuters show an infinite run.
//
// Fair termination (Task.Fair) is the same question about the runs that execute ir.Accept
// infinitely often. The engines are the same: those that follow paths ask for ranks that go
// down where a path accepts; runs that come back to a state accept in between; proofs that every
// run ends hold anyway.

// termination runs the engines, and looks again at what they found: under the semantics
// of C a proof must not depend on wrapping.
func (r *run) termination(ctx context.Context) Answer {
	search := ctx
	if r.Options.Precondition {
		var release context.CancelFunc
		search, release = reserved(ctx)
		defer release()
	}
	var out Answer
	m := ir.WithGlobals(r.Module)
	switch r.Semantics {
	case Integers:
		m = r.Module
		out = r.overIntegers(search, m)
	case NoOverflow:
		m = assumeNoOverflow(m)
		fallthrough
	default:
		out, _ = r.play(search, m)
		if t, ok := out.Verdict.(verdict.True); ok {
			out.Verdict = r.withoutWrap(ctx, m, t)
		}
	}
	if _, ends := out.Verdict.(verdict.True); !ends && r.Options.Precondition {
		begin := time.Now()
		out.TerminatesWhen = r.preconditions(ctx, m, out.Verdict)
		out.Stats.Phases = append(out.Stats.Phases, Phase{"precondition", time.Since(begin)})
	}
	return out
}

// withoutWrap is a proof on machine integers as an answer for the semantics of the task.
func (r *run) withoutWrap(ctx context.Context, m *ir.Module, t verdict.True) verdict.Verdict {
	t.Unclean = slices.DeleteFunc(slices.Clone(t.Unclean), func(g verdict.Guard) bool { return !g.Kind.Undefined() })
	if r.Semantics == C {
		if why := r.dependsOnWrap(ctx, m, t); why != "" {
			at := overflowing(t.Unclean)
			return verdict.Unknown{Reasons: []verdict.Reason{{
				Cause: verdict.CauseOverflow, Text: why, Hint: "--semantics wrap says how machine integers behave",
				Func: at.Func, Pos: at.Pos,
			}}}
		}
	}
	return t
}

// overflowing is the first signed arithmetic of the program that may overflow, the zero value if it is not known.
func overflowing(unclean []verdict.Guard) verdict.Guard {
	for _, g := range unclean {
		if g.Kind == ir.Overflow && g.Pos.Line != 0 {
			return g
		}
	}
	return verdict.Guard{}
}

// wrapTime is how long the program is looked at over the integers; longer if it is known
// that it ends there, but not checked.
const wrapTime, wrapTimeEnding = 2 * time.Second, 10 * time.Second

// dependsOnWrap says why a proof of termination on machine integers may be none for C:
// signed arithmetic may overflow where it influences which way the program goes, and
// over the mathematical integers the program does not end, or is not known to. "" if the
// proof is one for C, too.
func (r *run) dependsOnWrap(ctx context.Context, m *ir.Module, t verdict.True) string {
	if !overflowMatters(m, t.Unclean) {
		return ""
	}
	limit := wrapTime
	if isKnown(r.board, func(x Ranked) bool { return x.Ends }) {
		limit = wrapTimeEnding
	}
	soon, stop := work.WithTimeout(ctx, limit)
	defer stop()
	// A program whose recursion was made into loops has all runs of the first one, and
	// perhaps more.
	withLoops := func(m *ir.Module) *transform.Program { return recursion.Loops(ctx, m) }
	loops := withLoops(m)
	p, err := r.translate(soon, loops.Module, integerize.Integers)
	if s := skeleton.Of(ctx, m); err != nil && s != nil {
		loops = s.Then(withLoops)
		p, err = r.translate(soon, loops.Module, integerize.Integers)
	}
	if err == nil {
		a, err := termination.Decide(soon, p.System, termination.Options{Accept: accept.IntegerSystem})
		switch a.(type) {
		case termination.Terminates:
			return ""
		case termination.Diverges:
			if err == nil && !loops.Changed() {
				return "every run ends, but only because signed arithmetic wraps around, as it may here: over the integers one does not"
			}
		}
	}
	// Perhaps it ends whatever an overflow yields.
	if whatever := arbitrary.Overflow(m); whatever != nil {
		if decided(r.ranked(ctx, ctx, whatever.Module, nil).Verdict) {
			return ""
		}
		if decided(r.proveByGraph(ctx, whatever.Module).Verdict) {
			return ""
		}
		if s := whatever.Then(func(m *ir.Module) *transform.Program { return skeleton.Of(soon, m) }); s != nil {
			if decided(r.ranked(ctx, ctx, s.Module, nil).Verdict) {
				return ""
			}
		}
	}
	return "every run ends if signed arithmetic wraps around, as it may here, but nothing is known of the integers without wrapping"
}
