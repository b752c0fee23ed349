package assay

import (
	"context"
	"fmt"
	"time"

	"assay/internal/ir"
	"assay/internal/ir/interp"
	"assay/internal/lasso"
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
	Iterations int64 `json:"iterations"`
}

// refuteByLasso looks for a run that comes back to a state it was in.
func (r *run) refuteByLasso(ctx context.Context, m *ir.Module) (verdict.Verdict, []Phase) {
	begin := time.Now()
	found, err := lasso.Search(ctx, m, lasso.Options{})
	phases := []Phase{{"lassos", time.Since(begin)}}
	switch {
	case err != nil:
		return nil, phases
	case found.False != nil:
		return *found.False, phases
	}
	return verdict.Unknown{Reasons: []verdict.Reason{{Cause: verdict.CauseUnwinding, Text: "no infinite run was found: " + found.Why}}}, phases
}

// explainEndless fills the result from a run that does not end.
func (r *Result) explainEndless(v *verdict.False) {
	e, m := v.Endless, r.module
	r.endless, r.input, r.Replayed, r.Violated = e, v.Input, v.Replayed, Termination
	r.Endless = &Endless{Pos: position(m, e.Pos), Func: e.Func, Recursion: e.Recursion, Iterations: e.Visits}
	text := "the loop runs for ever: "
	if e.Recursion {
		text = e.Func + " calls itself for ever: "
	}
	switch {
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
	for _, g := range v.Passes {
		r.Passes = append(r.Passes, place(m, g))
	}
}

// traceEndless is Trace for a run that does not end: until the state comes back.
func (r *Result) traceEndless(ctx context.Context, emit func(Step) error) error {
	t := &tracer{result: r, emit: emit, inputs: map[*ir.Func]map[ir.Value]bool{}}
	out, err := interp.Run(ctx, r.module, interp.Options{Oracle: interp.Replay(r.input), StopAt: t.event, Blocks: true, Repeats: true})
	switch {
	case err != nil:
		return err
	case t.err != nil:
		return t.err
	case out.End != interp.Repeats:
		return fmt.Errorf("the replay ended before the state came back: %s", out)
	}
	t.step(Step{Kind: StepViolation, Text: "the state is the one above again, and the run goes on for ever"})
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
		if p := lasso.Position(e.Func, x.Head); p.Line != 0 {
			if a := t.visible(); a != nil && a.f == e.Func {
				a.pos = p
			}
		}
		t.step(Step{Kind: StepCycle, Text: "this state comes back"})
	}
}
