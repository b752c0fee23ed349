package bmc

import (
	"context"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
	"assay/internal/program/ir"
)

// place identifies a check independently of how it is worded.
type place struct {
	Func  string
	Value ir.Value
	Kind  ir.CheckKind
}

// sites are the checks that are decided one by one.
type sites struct {
	order   []place
	guards  map[place]verdict.Guard
	decided map[place]verdict.Verdict
}

func newSites() *sites {
	return &sites{guards: map[place]verdict.Guard{}, decided: map[place]verdict.Verdict{}}
}

// results gives each check its own verdict; final is that of the whole run,
// which holds for those that are not refuted.
func (s *sites) results(final verdict.Verdict) []CheckResult {
	var out []CheckResult
	for _, p := range s.order {
		v, ok := s.decided[p]
		if !ok {
			v = final
		}
		out = append(out, CheckResult{s.guards[p], p.Value, v})
	}
	return out
}

// searchAll looks for a violation of each check that is not refuted yet.
func (e *engine) searchAll(ctx context.Context) error {
	conds := map[place]term.ID{}
	for _, x := range e.f.Violations {
		p := place{x.Guard.Func, x.Value, x.Guard.Kind}
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
	for len(conds) > 0 {
		some := e.st.False()
		for _, p := range e.sites.order {
			if c, ok := conds[p]; ok {
				some = e.st.Or(some, c)
			}
		}
		status, err := e.check(ctx, "violation", some)
		if err != nil {
			return err
		}
		if status == smt.Unsat {
			return nil
		}
		var inModel []place
		for _, p := range e.sites.order {
			if c, ok := conds[p]; ok && e.solver.Value(c).IsTrue() {
				inModel = append(inModel, p)
			}
		}
		r := e.replay(ctx)
		hit := map[verdict.Guard]bool{}
		for _, g := range r.all {
			hit[verdict.Guard{Kind: g.Kind, Func: g.Func, Pos: g.Pos}] = true
		}
		for _, p := range inModel {
			g := e.sites.guards[p]
			if r.depends {
				e.sites.decided[p] = r.verdict()
			} else if hit[verdict.Guard{Kind: g.Kind, Func: g.Func, Pos: g.Pos}] || hitInModel(r.all, g) {
				e.sites.decided[p] = verdict.False{Violation: g, Input: r.input, Passes: r.passes, Replayed: []string{"interpreter"}}
			} else {
				why := verdict.Reason{Cause: verdict.CauseInexact, Text: "a possible violation was not confirmed by a run: " + r.why, Func: g.Func, Pos: g.Pos}
				e.sites.decided[p] = verdict.Unknown{Reasons: []verdict.Reason{why}}
			}
			delete(conds, p)
		}
	}
	return nil
}

// hitInModel matches an event inside a library model by kind: its position is
// that of the user's call, which the interpreter does not know.
func hitInModel(all []verdict.Guard, g verdict.Guard) bool {
	for _, h := range all {
		if h.Kind == g.Kind && h.Func == g.Func {
			return true
		}
	}
	return false
}

// excluded lists the checks that a proof of the others leaves out.
func (e *engine) excluded() []verdict.Site {
	if e.sites == nil {
		return nil
	}
	var out []verdict.Site
	for _, p := range e.sites.order {
		if e.sites.decided[p] != nil {
			out = append(out, verdict.Site{Func: p.Func, Value: p.Value, Kind: p.Kind})
		}
	}
	return out
}
