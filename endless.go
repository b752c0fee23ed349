package assay

import (
	"context"
	"fmt"
	"slices"
	"time"

	"assay/internal/bmc"
	"assay/internal/certify"
	"assay/internal/induction"
	"assay/internal/ir"
	"assay/internal/ir/interp"
	"assay/internal/lasso"
	"assay/internal/recurrent"
	"assay/internal/verdict"
)

// This file refutes termination and shows runs that do not end.

// Endless describes a run that does not end.
type Endless struct {
	// Pos is where the loop is, or the function that calls itself, which is in Func.
	Pos       Position `json:"position"`
	Func      string   `json:"function"`
	Recursion bool     `json:"recursion,omitempty"`
	// Iterations is how often the loop goes around, or how many calls are nested, until
	// the state is what it was.
	Iterations int64 `json:"iterations,omitempty"`
	// Certificate is the proof that no run with the inputs shown ends, if the state does
	// not come back; its invariants are the recurrent set.
	Certificate *Certificate `json:"certificate,omitempty"`
}

// refute looks for a run that does not end: one that comes back to a state it was in,
// or one with inputs with which no run ends.
func (r *run) refute(ctx context.Context, m *ir.Module) (verdict.Verdict, []Phase) {
	begin := time.Now()
	x := &refuter{r: r, m: m, wraps: r.task.Program.Semantics != SemanticsC, hopeless: map[string]bool{}, patience: firstPatience}
	found, err := lasso.Search(ctx, m, lasso.Options{Wraps: x.wraps, Survived: x.survived})
	phases := []Phase{{"lassos", time.Since(begin) - x.spent}, {"recurrent sets", x.spent}}
	switch {
	case err != nil:
		return nil, phases
	case found.False != nil:
		return *found.False, phases
	}
	if g := found.Overflow; g != nil {
		return verdict.Unknown{Reasons: []verdict.Reason{{
			Cause: verdict.CauseInexact, Func: g.Func, Pos: g.Pos,
			Text: "there is an infinite run if signed arithmetic wraps, and all that were found hang on that",
			Hint: "--semantics wrap says that it does (as compilers do with -fwrapv)",
		}}}, phases
	}
	return verdict.Unknown{Reasons: []verdict.Reason{{Cause: verdict.CauseUnwinding, Text: "no infinite run was found: " + found.Why}}}, phases
}

// refuteByFormula asks bounded model checking for a run that comes back to a state.
func (r *run) refuteByFormula(ctx context.Context, m *ir.Module) (verdict.Verdict, []Phase) {
	begin := time.Now()
	clean := m
	if r.task.Program.Semantics == SemanticsC {
		clean = assumeNoOverflow(m)
	}
	q := lasso.Ask(clean)
	b := bmc.Run(ctx, q.Module, bmc.Options{Targets: []ir.CheckKind{lasso.Target}, Solver: r.task.Engine.Solver})
	phases := []Phase{{"lassos in formulas", time.Since(begin)}}
	v, ok := b.Verdict.(verdict.False)
	if !ok {
		return nil, phases
	}
	e, _, err := q.Answer(ctx, v)
	if e == nil || err != nil {
		return nil, phases
	}
	if e, _, err = lasso.Confirm(ctx, m, e.Input); e == nil || err != nil {
		return nil, phases
	}
	return *e, phases
}

// firstPatience bounds an attempt at a recurrent set in the first round; it doubles
// with each.
const firstPatience = 400 * time.Millisecond

// refuter tries to prove that runs which have not ended do not end.
type refuter struct {
	r        *run
	m        *ir.Module
	wraps    bool            // what hangs on signed overflow counts
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
	p := induction.Prove(attempt, recurrent.Fix(x.m, set.Inputs, executed), induction.Options{Targets: []ir.CheckKind{recurrent.End}})
	if p.Proof == nil {
		return nil, attempt.Err() != nil
	}
	set.Proof, set.Unclean = p.Proof, p.Unclean
	if x.r.task.Engine.Uncertified {
		return v, false
	}
	if set.Proof.Checker, err = certify.Endless(ctx, x.m, certify.Options{}, set); err != nil {
		return nil, false
	}
	return v, false
}

// explainEndless fills the result from a run that does not end.
func (r *Result) explainEndless(v *verdict.False) {
	e, m := v.Endless, r.module
	r.endless, r.input, r.Replayed, r.Violated = e, v.Input, v.Replayed, Termination
	r.Endless = &Endless{Pos: position(m, e.Pos), Func: e.Func, Recursion: e.Recursion, Iterations: e.Visits}
	if e.Set != nil {
		r.Endless.Iterations, r.Endless.Certificate = 0, certificate(recurrent.Fix(m, e.Set.Inputs, nil), e.Set.Proof)
	}
	text := "the loop runs for ever: "
	if e.Recursion {
		text = e.Func + " calls itself for ever: "
	}
	switch {
	case e.Set != nil:
		text += "with the inputs of the run below, no run ends"
	case e.Recursion && e.Visits == 1:
		text += "a call has the arguments and the memory of the call before"
	case e.Recursion:
		text += fmt.Sprintf("a call has the arguments and the memory of that %d calls before", e.Visits)
	case e.Visits == 1:
		text += "after an iteration the state is what it was"
	default:
		text += fmt.Sprintf("after %d iterations the state is what it was", e.Visits)
	}
	r.Violation = &Place{Pos: r.Endless.Pos, Func: e.Func, Kind: "non-termination", Text: text}
	r.Passes = places(m, v.Passes)
	if e.Set != nil {
		for _, g := range e.Set.Unclean {
			if g.Kind.Undefined() && !slices.Contains(v.Passes, g) {
				r.Passes = append(r.Passes, place(m, g))
			}
		}
	}
}

// traceEndless is Trace for a run that does not end: until the state comes back.
func (r *Result) traceEndless(ctx context.Context, emit func(Step) error) error {
	t := &tracer{result: r, emit: emit, inputs: map[*ir.Func]map[ir.Value]bool{}}
	set := r.endless.Set
	options := interp.Options{Oracle: interp.Replay(r.input), StopAt: t.event, Blocks: true, Repeats: set == nil}
	if set != nil {
		options.StopAt = func(e interp.Event) bool { return e.Step >= r.endless.LastStep || t.event(e) }
	}
	out, err := interp.Run(ctx, r.module, options)
	switch {
	case err != nil:
		return err
	case t.err != nil:
		return t.err
	case set != nil && out.End == interp.Stopped:
		return t.forEver("the run goes on for ever")
	case out.End != interp.Repeats:
		return fmt.Errorf("the replay ended before the state came back: %s", out)
	}
	return t.forEver("the state is the one above again, and the run goes on for ever")
}

// forEver is the last step of a run that does not end.
func (t *tracer) forEver(text string) error {
	if a := t.visible(); a != nil && a.f.Name == t.result.endless.Func {
		a.pos = t.result.endless.Pos
	}
	t.step(Step{Kind: StepViolation, Text: text})
	return t.err
}

// cycle marks the state that comes back.
func (t *tracer) cycle(e interp.Event) {
	x := t.result.endless
	if x == nil || t.cycled || e.Step != x.FirstStep || e.Func.Name != x.Func {
		return
	}
	if x.Recursion && e.Kind == interp.Enter || !x.Recursion && e.Kind == interp.BlockEntered && e.Block == x.Head {
		t.cycled = true
		if p := e.Func.BlockPos(x.Head); p.Line != 0 {
			if a := t.visible(); a != nil && a.f == e.Func {
				a.pos = p
			}
		}
		text := "this state comes back"
		if x.Set != nil {
			text = "from here on the run stays in the loop"
		}
		t.step(Step{Kind: StepCycle, Text: text})
	}
}
