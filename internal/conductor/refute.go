package conductor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"assay/internal/certify/accept"
	"assay/internal/engines/bmc"
	"assay/internal/engines/induction"
	"assay/internal/engines/inference"
	"assay/internal/engines/lasso"
	"assay/internal/engines/recurrent"
	"assay/internal/evidence/verdict"
	"assay/internal/integers/its"
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

// search looks for runs of the program. One that goes on for ever only if signed overflow wraps counts if over the
// integers there is such a run, too: what C leaves open makes no difference then. In a program that shall end, both must
// be runs of the same loop.
func (x *refuter) search(ctx context.Context) (lasso.Result, error) {
	o := lasso.Options{Wraps: x.wraps, Fair: x.r.Fair, Survived: x.survived}
	if x.wraps || !mayOverflow(x.m) {
		return lasso.Search(ctx, x.m, o)
	}
	x.either = &refuter{r: x.r, m: x.m, wraps: true, hopeless: map[string]bool{}, patience: firstPatience}
	defer func() { x.spent += x.either.spent }()
	o.Wrapped = x.wrapped
	found, err := lasso.Search(ctx, x.m, o)
	if err != nil || found.False != nil || x.over != nil || x.r.Fair || x.r.alone {
		return found, err
	}
	// It may be known later.
	if known, _ := await[Ranked](ctx, x.r.board, x.m, 0); known.Endless == nil || x.endlessOverIntegers(ctx) == nil {
		return found, nil
	}
	again, err := lasso.Search(ctx, x.m, lasso.Options{Wraps: true, Survived: x.either.survived})
	if err == nil && again.False != nil {
		if v := x.both(again.False); v != nil {
			found.False = v
		}
	}
	return found, err
}

// wrapped is the answer that a run is which goes on for ever only if signed overflow wraps, if it is one.
func (x *refuter) wrapped(ctx context.Context, run *verdict.False) *verdict.False {
	if x.endlessOverIntegers(ctx) == nil {
		return nil
	}
	return x.both(run)
}

// both is the refutation by two runs that do not end: one over machine integers, and one over those of mathematics; nil
// if they are in different loops.
func (x *refuter) both(machine *verdict.False) *verdict.False {
	if !x.r.Fair && !x.over.in(machine.Endless) {
		return nil
	}
	machine.Replayed = append(machine.Replayed, "another run over the integers (Z3)")
	return machine
}

// endlessIntegers is a run over the mathematical integers that does not end.
type endlessIntegers struct {
	program    *integerize.Program
	recurrence its.Recurrence
}

// in says whether the run stays in the loop of another.
func (e *endlessIntegers) in(loop *verdict.Endless) bool {
	return slices.ContainsFunc(e.recurrence.Sets, func(s its.RecurrentSet) bool {
		p := &e.program.Places[s.Location]
		return p.Head && p.Func.Name == loop.Func && p.Block == loop.Head
	})
}

// integersTime bounds the search for a run over the integers.
const integersTime = 3 * time.Second

// endlessOverIntegers is a run over the mathematical integers that does not end, or accepts for ever, of which the
// checker is convinced; nil if none is known: then one over machine integers that depends on how overflow wraps may be a
// work of the overflow. The engine ranking finds such runs where it looks for ranking functions over the integers.
func (x *refuter) endlessOverIntegers(ctx context.Context) *endlessIntegers {
	if x.over != nil || x.settled {
		return x.over
	}
	if recursion.Is(x.m) { // what is known of it is approximate
		x.settled = true
		return nil
	}
	soon, stop := work.WithTimeout(ctx, integersTime)
	defer stop()
	switch {
	case x.r.alone:
	case x.r.Fair:
		if known, _ := await[Ranked](ctx, x.r.board, x.m, hintWait); known.Ends {
			x.settled = true
			return nil
		}
	default:
		known, ok, _ := look[Ranked](x.r.board, x.m)
		if e := known.Endless; e != nil && (x.r.Options.Uncertified || accept.IntegerSystem(soon, e.program.System, e.recurrence) == nil) {
			x.over = e
		}
		x.settled = ok
		return x.over
	}
	x.settled = true
	p, err := x.r.translate(soon, x.m, integerize.Integers)
	if err != nil {
		return nil
	}
	a, err := termination.Decide(soon, p.System, termination.Options{Accept: accept.IntegerSystem})
	if d, diverges := a.(termination.Diverges); diverges && err == nil {
		x.over = &endlessIntegers{program: p, recurrence: d.Recurrence}
	}
	return x.over
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
	// over is a run over the integers, nil while none is known; settled says that no more will be known.
	over    *endlessIntegers
	settled bool
	// either looks for runs that may depend on how signed overflow wraps; nil if this one does.
	either *refuter
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
	if x.either != nil && x.endlessOverIntegers(ctx) != nil {
		if v := x.either.survived(ctx, inputs); v != nil {
			return x.both(v)
		}
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
