package bmc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
	"assay/internal/models/ssa"
	"assay/internal/run/pause"
)

// close asks, when the present depth has no violation, whether a run gets past
// it. If none does the property is proved; else the loops that hold it back
// are unwound further.
func (e *engine) close(ctx context.Context) (verdict.Verdict, error) {
	obstacles := e.st.False()
	for _, o := range e.f.Obstacles {
		if !o.OverApproximated {
			obstacles = e.st.Or(obstacles, o.Cond)
		}
	}
	reached, err := e.reachedLimits(ctx)
	if err != nil {
		return nil, err
	}
	if len(reached) > 0 {
		return e.grow(reached), nil
	}
	status, err := e.check(ctx, "unwinding", obstacles)
	if err != nil {
		return nil, err
	}
	if status == smt.Sat {
		return verdict.Unknown{Reasons: e.obstaclesInModel("")}, nil
	}
	if e.doubt != nil {
		return e.doubt, nil
	}
	if v, err := e.disputed(ctx); v != nil || err != nil {
		return v, err
	}
	if e.opts.All {
		return e.proveEasy(ctx)
	}
	return e.proved(ctx)
}

// reachedLimits gives the limits that some run reaches, at least one for each
// loop that has one, by as few queries as models allow.
func (e *engine) reachedLimits(ctx context.Context) ([]ssa.Limit, error) {
	var reached []ssa.Limit
	rest := e.f.Limits
	for len(rest) > 0 {
		some := e.st.False()
		for _, l := range rest {
			some = e.st.Or(some, l.Cond)
		}
		status, err := e.check(ctx, "unwinding", some)
		if err != nil {
			return nil, err
		}
		if status == smt.Unsat {
			break
		}
		hit := map[ssa.Loop]bool{}
		for _, l := range rest {
			if e.solver.Value(l.Cond).IsTrue() {
				hit[l.Loop] = true
				reached = append(reached, l)
			}
		}
		if len(hit) == 0 {
			panic("bmc: a model reaches a limit, but none")
		}
		var left []ssa.Limit
		for _, l := range rest {
			if !hit[l.Loop] {
				left = append(left, l)
			}
		}
		rest = left
	}
	return reached, nil
}

// grow raises the bounds of the loops of the reached limits.
func (e *engine) grow(reached []ssa.Limit) verdict.Verdict {
	grown := false
	e.growing = nil
	modelled := false // growing is a loop of a library model
	stuck := verdict.Unknown{}
	for _, l := range reached {
		if l.Forced {
			e.u.MaxInstructions *= 2
			grown = true
			continue
		}
		bound, ok := e.u.Bounds[l.Loop]
		if !ok {
			bound = e.u.Default
		}
		next := bound + max(1, bound/2)
		if e.opts.Unwind > 0 {
			next = min(next, e.opts.Unwind)
		}
		if next > bound {
			e.u.Bounds[l.Loop] = next
			grown = true
			ours := !e.m.Func(l.Loop.Func).Model
			if e.growing == nil || ours && (modelled || e.unwound < bound) {
				e.growing, e.unwound, modelled = &l, bound, !ours
			}
			continue
		}
		what := "the loop is unwound %d times and goes on"
		if l.Loop.Head == 0 {
			what = "the recursion is unwound %d times and goes on"
		}
		stuck.Reasons = append(stuck.Reasons, verdict.Reason{
			Cause: verdict.CauseUnwinding, Text: fmt.Sprintf(what, bound), Func: l.Loop.Func, Pos: l.Pos, Hint: "a greater --unwind",
		})
	}
	if e.f.Spent {
		e.u.FreeInstructions *= 2
		e.u.FreeTerms *= 2
	}
	if grown {
		return nil
	}
	return stuck
}

// disputed asks for events of which it is disputed whether they count.
func (e *engine) disputed(ctx context.Context) (verdict.Verdict, error) {
	some := e.st.False()
	var events []ssa.Event
	for _, x := range e.f.Unclean {
		if slices.Contains(e.opts.Disputed, x.Guard.Kind) {
			events = append(events, x)
			some = e.st.Or(some, x.Cond)
		}
	}
	status, err := e.check(ctx, "violation", some)
	if err != nil || status == smt.Unsat {
		return nil, err
	}
	for _, x := range events {
		if e.solver.Value(x.Cond).IsTrue() {
			return verdict.Unknown{Reasons: []verdict.Reason{{
				Cause: verdict.CauseInexact, Func: x.Guard.Func, Pos: x.Guard.Pos,
				Text: x.Guard.Text + " is possible; tools differ on whether it violates the property",
				Hint: "say whether it counts: no-overflow:shift or no-overflow:noshift",
			}}}, nil
		}
	}
	panic("bmc: a model has a disputed event, but none")
}

// proved builds the verdict of a closed unwinding without violation.
func (e *engine) proved(ctx context.Context) (verdict.Verdict, error) {
	cert := &verdict.Unwinding{}
	for l, n := range e.f.Unwound {
		cert.Bounds = append(cert.Bounds, verdict.Bound{Func: l.Func, Head: l.Head, N: n, Pos: e.loopPos(l)})
	}
	sortBounds(cert.Bounds)
	if e.opts.Accept == nil {
		return verdict.True{Certificate: verdict.Unchecked{Why: "certification is off"}, Unclean: e.unclean(ctx)}, nil
	}
	e.progress("certify")
	begin := time.Now()
	ctx, resume := pause.Others(ctx)
	defer resume()
	checker, err := e.opts.Accept(ctx, &verdict.Claim{
		Program: e.m, Evidence: cert, Targets: slices.Concat(e.opts.Targets, e.opts.Disputed), Label: e.opts.Label, All: e.opts.All,
		Excluded: e.excluded(), Solver: cmp.Or(e.opts.Solver, verdict.CaDiCaL),
	})
	e.stats.Certify += time.Since(begin)
	if err != nil {
		if ctx.Err() != nil {
			u := unknown(verdict.CauseUncertified, "proved, but the time was up before the certificate was checked")
			u.Reasons[0].Hint = "a greater --timeout, or --certify=off"
			return u, nil
		}
		cause := verdict.CauseUncertified
		var refused *verdict.Refused
		if errors.As(err, &refused) && refused.Wrong {
			cause = verdict.CauseInternal
		}
		return unknown(cause, "the certificate was not accepted: "+err.Error()), nil
	}
	cert.Checker = checker
	return verdict.True{Certificate: cert, Unclean: e.unclean(ctx)}, nil
}

// maxUnclean bounds the queries that say which undefined behaviour is excluded.
const (
	maxUnclean       = 40
	uncleanConflicts = 300
)

// unclean lists the undefined behaviour outside of the property that some run
// may have, as far as a bounded effort can exclude it.
func (e *engine) unclean(ctx context.Context) []verdict.Guard {
	var places []verdict.Guard
	conds := map[verdict.Guard]term.ID{}
	for _, x := range e.f.Unclean {
		if _, ok := conds[x.Guard]; !ok {
			places = append(places, x.Guard)
			conds[x.Guard] = e.st.False()
		}
		conds[x.Guard] = e.st.Or(conds[x.Guard], x.Cond)
	}
	if len(places) == 0 {
		return nil
	}
	e.solver.SetConflictLimit(uncleanConflicts)
	defer e.solver.SetConflictLimit(0)
	if status, err := e.check(ctx, "undefined behaviour", anyEvent(e.st, e.f.Unclean)); err == nil && status == smt.Unsat {
		return nil
	}
	var out []verdict.Guard
	for i, g := range places {
		if i < maxUnclean {
			if status, err := e.check(ctx, "undefined behaviour", conds[g]); err == nil && status == smt.Unsat {
				continue
			}
		}
		out = append(out, g)
	}
	return out
}
