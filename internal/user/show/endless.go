package show

import (
	"context"
	"fmt"
	"slices"

	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

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

// EndlessOf shows a run that does not end: what it is, what is wrong, and the undefined
// behaviour on the way.
func EndlessOf(m *ir.Module, v *verdict.False) (*Endless, *Place, []Place) {
	e := v.Endless
	out := &Endless{Pos: PositionOf(m, e.Pos), Func: ir.NameInC(e.Func), Recursion: e.Recursion, Iterations: e.Visits}
	if e.Set != nil {
		out.Iterations, out.Certificate = 0, CertificateOf(e.Set.Program, e.Set.Proof)
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
	if e.Idle {
		text += ", but for values on which nothing depends"
	}
	passes := PlacesOf(m, v.Passes)
	if e.Set != nil {
		for _, g := range e.Set.Unclean {
			if g.Kind.Undefined() && !slices.Contains(v.Passes, g) {
				passes = append(passes, PlaceOf(m, g))
			}
		}
	}
	return out, &Place{Pos: out.Pos, Func: ir.NameInC(e.Func), Kind: "non-termination", Text: text}, passes
}

// traceEndless is Trace for a run that does not end: until the state comes back.
func (r *Run) traceEndless(ctx context.Context, emit func(Step) error) error {
	t := &tracer{run: r, emit: emit, inputs: map[*ir.Func]map[ir.Value]bool{}, pointed: map[uint64]string{}, wrote: map[uint64]written{}}
	set := r.Endless.Set
	options := interp.Options{Oracle: interp.Replay(r.Input), StopAt: t.event, Blocks: true, Stores: true, Repeats: set == nil, Idle: r.Endless.Idle}
	if set != nil {
		options.StopAt = func(e interp.Event) bool { return e.Step >= r.Endless.LastStep || t.event(e) }
	}
	out, err := interp.Run(ctx, r.Module, options)
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
	if a := t.visible(); a != nil && a.f.Name == t.run.Endless.Func {
		a.pos = t.run.Endless.Pos
	}
	t.step(Step{Kind: StepViolation, Text: text})
	return t.err
}

// cycle marks the state that comes back.
func (t *tracer) cycle(e interp.Event) {
	x := t.run.Endless
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
