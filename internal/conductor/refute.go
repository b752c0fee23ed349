package conductor

import (
	"context"
	"fmt"
	"time"

	"assay/internal/certify/accept"
	"assay/internal/engines/bmc"
	"assay/internal/engines/induction"
	"assay/internal/engines/inference"
	"assay/internal/engines/lasso"
	"assay/internal/engines/recurrent"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// This file refutes termination.

// refute looks for a run that does not end: one that comes back to a state it was in,
// or one with inputs with which no run ends.
func (r *run) refute(ctx context.Context, m *ir.Module) (a Reply) {
	begin := time.Now()
	x := &refuter{r: r, m: m, wraps: r.Semantics != C, hopeless: map[string]bool{}, patience: firstPatience}
	found, err := lasso.Search(ctx, m, lasso.Options{Wraps: x.wraps, Fair: r.Fair, Survived: x.survived})
	a.Stats.Phases = []Phase{{"lassos", time.Since(begin) - x.spent}, {"recurrent sets", x.spent}}
	switch {
	case err != nil:
		return a
	case found.False != nil:
		a.Verdict = *found.False
		return a
	}
	if g := found.Overflow; g != nil {
		a.Verdict = verdict.Unknown{Reasons: []verdict.Reason{{
			Cause: verdict.CauseInexact, Func: g.Func, Pos: g.Pos,
			Text: "there is an infinite run if signed arithmetic wraps, and all that were found depend on that",
			Hint: "--semantics wrap says that it does (as compilers do with -fwrapv)",
		}}}
		return a
	}
	a.Verdict = verdict.Unknown{Reasons: []verdict.Reason{{Cause: verdict.CauseUnwinding, Text: "no infinite run was found: " + found.Why}}}
	return a
}

// refuteByFormula asks bounded model checking for a run that comes back to a state.
func (r *run) refuteByFormula(ctx context.Context, m *ir.Module) (a Reply) {
	begin := time.Now()
	clean := m
	if r.Semantics == C {
		clean = assumeNoOverflow(m)
	}
	ask := lasso.Ask
	if r.Fair {
		ask = lasso.AskFair
	}
	q := ask(clean)
	b := bmc.Run(ctx, q.Module, bmc.Options{Targets: []ir.CheckKind{lasso.Target}, Solver: r.Options.Solver})
	a.Stats.Phases = []Phase{{"lassos in formulas", time.Since(begin)}}
	v, ok := b.Verdict.(verdict.False)
	if !ok {
		return a
	}
	e, _, err := q.Answer(ctx, v)
	if e == nil || err != nil {
		return a
	}
	if e, _, err = r.confirm(ctx, m, e.Input); e == nil || err != nil {
		return a
	}
	a.Verdict = *e
	return a
}

// confirm looks whether the run with an input comes back to a state.
func (r *run) confirm(ctx context.Context, m *ir.Module, in ir.Input) (e *verdict.False, why string, err error) {
	if r.Fair {
		return lasso.ConfirmFair(ctx, m, in)
	}
	return lasso.Confirm(ctx, m, in)
}

// firstPatience bounds an attempt at a recurrent set in the first round; it doubles
// with each.
const firstPatience = 400 * time.Millisecond

// refuter tries to prove that runs which have not ended do not end.
type refuter struct {
	r        *run
	m        *ir.Module
	wraps    bool            // what depends on signed overflow counts
	hopeless map[string]bool // inputs for which there is no proof
	patience time.Duration
	spent    time.Duration
}

// survived tries inputs of runs that had not ended when they were given up.
func (x *refuter) survived(ctx context.Context, inputs []ir.Input) *verdict.False {
	begin := time.Now()
	defer func() {
		x.spent += time.Since(begin)
		x.patience *= 2
	}()
	now := map[string]bool{}
	for _, in := range inputs {
		set := &verdict.RecurrentSet{Inputs: recurrent.Inputs(x.m, in)}
		key := fmt.Sprint(set.Inputs)
		if x.hopeless[key] || now[key] {
			continue
		}
		now[key] = true
		v, again := x.attempt(ctx, set)
		if v != nil || ctx.Err() != nil {
			return v
		}
		x.hopeless[key] = !again
	}
	return nil
}

// attempt tries to prove that no run with some inputs ends. Without answer, again says
// that more time may help.
func (x *refuter) attempt(ctx context.Context, set *verdict.RecurrentSet) (answer *verdict.False, again bool) {
	attempt, cancel := context.WithTimeout(ctx, x.patience)
	defer cancel()
	v, executed, _, err := recurrent.Run(ctx, x.m, set)
	if err != nil || v == nil {
		return nil, false
	}
	if x.wraps {
		executed = nil
	}
	set.Program = recurrent.Fix(x.m, set.Inputs, executed)
	p := induction.Prove(attempt, set.Program, inference.Options{Targets: []ir.CheckKind{recurrent.End}})
	if p.Proof == nil {
		return nil, attempt.Err() != nil
	}
	set.Proof, set.Unclean = p.Proof, p.Unclean
	if x.r.Options.Uncertified && !x.r.Fair { // that Accept is executed is known to the checker only
		return v, false
	}
	if set.Proof.Checker, err = accept.Program(ctx, &verdict.Claim{Program: x.m, Evidence: set, Fair: x.r.Fair, Solver: verdict.CaDiCaL}); err != nil {
		return nil, false
	}
	return v, false
}
