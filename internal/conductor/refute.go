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
	"assay/internal/integers/termination"
	"assay/internal/models/integerize"
	"assay/internal/program/ir"
	"assay/internal/run/work"
	"assay/internal/transform/recursion"
)

// This file refutes termination.

// refute looks for a run that does not end: one that comes back to a state it was in,
// or one with inputs with which no run ends.
func (r *run) refute(ctx context.Context, m *ir.Module) (a Reply) {
	begin := time.Now()
	x := &refuter{r: r, m: m, wraps: r.Semantics != C, hopeless: map[string]bool{}, patience: firstPatience}
	found, err := x.search(ctx)
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

// search looks for runs of the program. A formula of temporal logic may be violated by runs only that count
// for ever, so that every one overflows: if over the integers there is such a run, too, one that wraps counts.
func (x *refuter) search(ctx context.Context) (lasso.Result, error) {
	o := lasso.Options{Wraps: x.wraps, Fair: x.r.Fair, Survived: x.survived}
	if !x.wraps && x.r.Fair {
		first := o
		first.Rounds = 1
		found, err := lasso.Search(ctx, x.m, first)
		if err != nil || found.False != nil {
			return found, err
		}
		if x.r.endlessOverIntegers(ctx, x.m) {
			y := *x
			y.wraps, y.hopeless, y.patience = true, map[string]bool{}, firstPatience
			found, err := lasso.Search(ctx, x.m, lasso.Options{Wraps: true, Fair: true, Survived: y.survived})
			x.spent += y.spent
			if err == nil && found.False != nil {
				found.False.Replayed = append(found.False.Replayed, "another run over the integers (Z3)")
			}
			if err != nil || found.False != nil {
				return found, err
			}
		}
	}
	return lasso.Search(ctx, x.m, o)
}

// integersTime bounds the search for a run over the integers.
const integersTime = 3 * time.Second

// endlessOverIntegers says that over the mathematical integers, too, some run does not end, or accepts for
// ever: then one over machine integers that depends on how overflow wraps is no work of the overflow.
func (r *run) endlessOverIntegers(ctx context.Context, m *ir.Module) bool {
	if recursion.Is(m) {
		return false // what is known of it is approximate
	}
	if !r.alone { // the engine ranking will know whether there is none
		if over, _ := await[Ranked](ctx, r.board, m, hintWait); over.Ends {
			return false
		}
	}
	soon, stop := work.WithTimeout(ctx, integersTime)
	defer stop()
	p, err := r.translate(soon, m, integerize.Integers)
	if err != nil {
		return false
	}
	a, err := termination.Decide(soon, p.System, termination.Options{Accept: accept.IntegerSystem})
	_, diverges := a.(termination.Diverges)
	return diverges && err == nil
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
	attempt, cancel := work.WithTimeout(ctx, x.patience)
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
