package bmc

import (
	"context"
	"errors"
	"slices"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
	"assay/internal/program/ir"
)

// This file decides checks one by one. All that are open are asked about together; where
// that is too hard, each on its own, with a limit on conflicts that grows from round to
// round. So a hard check is no obstacle for the others: where no run gets past the
// unwinding, what is left without violation is proved, the hard ones excluded, and the
// search goes on with these.

// place is a check, and where it is for the user: an instruction of a library model is at
// the call that led there, once for each call.
type place struct {
	verdict.Site
	Pos ir.Pos
}

// Limits on the conflicts of a query for a single check.
const (
	firstConflicts  = 5_000
	conflictsGrowth = 4
)

// sites are the checks that are decided one by one.
type sites struct {
	order   []place
	guards  map[place]verdict.Guard
	decided map[place]verdict.Verdict
	// hard are those that the last round neither found a violation of nor excluded.
	hard []place
	// limit is that on conflicts.
	limit int64
}

func newSites() *sites {
	return &sites{guards: map[place]verdict.Guard{}, decided: map[place]verdict.Verdict{}, limit: firstConflicts}
}

// results gives each check its own verdict; final is that of the whole run,
// which holds for those that are not decided, nil if it goes on: then these are left out.
func (s *sites) results(final verdict.Verdict) []CheckResult {
	excluded := map[verdict.Site]bool{}
	for p, v := range s.decided {
		if _, isTrue := v.(verdict.True); !isTrue {
			excluded[p.Site] = true
		}
	}
	_, proved := final.(verdict.True)
	var out []CheckResult
	for _, p := range s.order {
		v, ok := s.decided[p]
		switch {
		case !ok && final == nil:
			continue
		case !ok && proved && excluded[p.Site]:
			v = verdict.Unknown{Reasons: []verdict.Reason{{
				Cause: verdict.CauseUncertified, Func: p.Func, Pos: p.Pos,
				Text: "no violation was found here, but another call of " + p.Func + " violates the same check, and certificates do not tell them apart",
			}}}
		case !ok:
			v = final
		}
		out = append(out, CheckResult{s.guards[p], p.Value, v})
	}
	return out
}

// isDecided says that there is an answer for a check, wherever it was met.
func (s *sites) isDecided(x verdict.Site) bool {
	met := false
	for _, p := range s.order {
		if p.Site == x {
			if s.decided[p] == nil {
				return false
			}
			met = true
		}
	}
	return met
}

// decide notes the answer for a check.
func (e *engine) decide(p place, v verdict.Verdict) {
	e.sites.decided[p] = v
	if e.opts.Decided != nil {
		e.opts.Decided(e.sites.results(nil))
	}
}

// conditions are the violations of the checks that are open, each as one term.
func (e *engine) conditions() map[place]term.ID {
	conds := map[place]term.ID{}
	for _, x := range e.f.Violations {
		p := place{verdict.Site{Func: x.Guard.Func, Value: x.Value, Kind: x.Guard.Kind}, x.Guard.Pos}
		if _, ok := e.sites.guards[p]; !ok {
			e.sites.guards[p] = x.Guard
			e.sites.order = append(e.sites.order, p)
		}
		if e.sites.decided[p] != nil {
			continue
		}
		if _, ok := conds[p]; !ok {
			conds[p] = e.st.False()
		}
		conds[p] = e.st.Or(conds[p], x.Cond)
	}
	return conds
}

// searchAll looks for a violation of each check that is open.
func (e *engine) searchAll(ctx context.Context) error {
	conds := e.conditions()
	e.sites.hard = nil
	defer e.solver.SetConflictLimit(0)
	for len(conds) > 0 {
		some := e.st.False()
		for _, p := range e.sites.order {
			if c, ok := conds[p]; ok {
				some = e.st.Or(some, c)
			}
		}
		e.solver.SetConflictLimit(e.sites.limit)
		status, err := e.check(ctx, "violation", some)
		e.solver.SetConflictLimit(0)
		switch {
		case outOfConflicts(err):
			return e.searchOneByOne(ctx, conds)
		case err != nil:
			return err
		case status == smt.Unsat:
			return nil
		}
		if err := e.violated(ctx, conds); err != nil {
			return err
		}
	}
	return nil
}

// searchOneByOne asks about each check on its own. Those for which the limit on conflicts
// is not enough are hard.
func (e *engine) searchOneByOne(ctx context.Context, conds map[place]term.ID) error {
	for _, p := range e.sites.order {
		c, ok := conds[p]
		if !ok {
			continue
		}
		e.solver.SetConflictLimit(e.sites.limit)
		status, err := e.check(ctx, "violation", c)
		e.solver.SetConflictLimit(0)
		switch {
		case outOfConflicts(err):
			e.sites.hard = append(e.sites.hard, p)
		case err != nil:
			return err
		case status == smt.Sat:
			if err := e.violated(ctx, conds); err != nil {
				return err
			}
		}
		delete(conds, p)
	}
	return nil
}

// violated decides the checks that the solver's model violates, by a run, and takes
// them out of conds.
func (e *engine) violated(ctx context.Context, conds map[place]term.ID) error {
	var inModel []place
	for _, p := range e.sites.order {
		if c, ok := conds[p]; ok && e.solver.Value(c).IsTrue() {
			inModel = append(inModel, p)
		}
	}
	r := e.replay(ctx)
	for _, p := range inModel {
		c := conds[p]
		delete(conds, p)
		if e.refute(p, r) {
			continue
		}
		// Perhaps another model is a run: one without what is not exact.
		again, err := e.exactRun(ctx, c, r)
		switch {
		case err != nil:
			return err
		case again != nil && e.refute(p, *again):
			continue
		}
		why := verdict.Reason{Cause: verdict.CauseInexact, Text: "a possible violation was not confirmed by a run: " + r.why, Func: p.Func, Pos: p.Pos}
		switch v := r.verdict().(type) {
		case verdict.Unknown:
			why = v.Reasons[0]
		default:
			if r.large {
				why.Cause, why.Text = verdict.CauseMemory, "a possible violation needs objects that are too large to replay"
			}
		}
		e.decide(p, verdict.Unknown{Reasons: []verdict.Reason{why}})
	}
	return nil
}

// refute decides that a check is violated, if the run says so.
func (e *engine) refute(p place, r replayed) bool {
	if r.depends || !r.sites[p] {
		return false
	}
	e.decide(p, verdict.False{Violation: e.sites.guards[p], Input: r.input, Passes: r.passes, Replayed: []string{"interpreter"}})
	return true
}

// exactRun is a run of a model of a violation that meets nothing inexact, and is small,
// nil if there is none.
func (e *engine) exactRun(ctx context.Context, violation term.ID, r replayed) (*replayed, error) {
	exact := e.clean
	if r.large {
		exact = e.st.And(exact, e.small())
	}
	for _, o := range e.f.Obstacles {
		exact = e.st.And(exact, e.st.Not(o.Cond))
	}
	if e.st.IsTrue(exact) {
		return nil, nil
	}
	e.solver.SetConflictLimit(e.sites.limit)
	status, err := e.check(ctx, "violation", violation, exact)
	e.solver.SetConflictLimit(0)
	switch {
	case outOfConflicts(err):
		return nil, nil
	case err != nil || status == smt.Unsat:
		return nil, err
	}
	again := e.replay(ctx)
	return &again, nil
}

// proveEasy proves the checks that are neither decided nor hard, when no run gets past the
// unwinding, and goes on with the hard ones until all are decided.
func (e *engine) proveEasy(ctx context.Context) (verdict.Verdict, error) {
	for len(e.sites.hard) > 0 {
		hard := map[place]bool{}
		for _, p := range e.sites.hard {
			hard[p] = true
		}
		v, err := e.proved(ctx)
		if err != nil {
			return nil, err
		}
		if _, ok := v.(verdict.True); !ok {
			return v, nil
		}
		unclaimed := map[verdict.Site]bool{}
		for _, x := range e.excluded() {
			unclaimed[x] = true
		}
		for _, p := range e.sites.order {
			if e.sites.decided[p] == nil && !unclaimed[p.Site] {
				e.decide(p, v)
			}
		}
		e.sites.limit *= conflictsGrowth
		before := len(e.sites.hard)
		if err := e.searchAll(ctx); err != nil {
			return nil, err
		}
		for len(e.sites.hard) == before {
			e.sites.limit *= conflictsGrowth
			if err := e.searchAll(ctx); err != nil {
				return nil, err
			}
		}
	}
	return e.proved(ctx)
}

// excluded lists the checks that a proof of the others leaves out.
func (e *engine) excluded() []verdict.Site {
	if e.sites == nil {
		return nil
	}
	var out []verdict.Site
	for _, p := range e.sites.order {
		_, proved := e.sites.decided[p].(verdict.True)
		if !proved && (e.sites.decided[p] != nil || slices.Contains(e.sites.hard, p)) && !slices.Contains(out, p.Site) {
			out = append(out, p.Site)
		}
	}
	return out
}

// outOfConflicts says that a query ended by the limit on conflicts.
func outOfConflicts(err error) bool {
	var limit smt.ErrLimit
	return errors.As(err, &limit)
}
