package pathwise

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
	"assay/internal/models/replay"
	"assay/internal/models/ssa"
)

// This file makes a run of a violation: a model of the path's condition, with all facts about
// addresses, gives the inputs, and the interpreter has to violate the property with them.

// Limits of the search for a run.
const (
	maxTries      = 6       // without success for one check
	smallSize     = 1 << 12 // of objects whose size is an input, if it can be
	pathsForClean = 300     // that are explored after a run through undefined behaviour, for one without
)

// violation looks for a run that an event of the property has.
func (e *explorer) violation(s *state, x *ssa.Event) {
	at := site{x.Guard.Func, x.Value, x.Guard.Kind}
	if e.found != nil || e.tried[at] >= maxTries || !e.feasible(x.Under, x.If) || e.withdrawn(x) {
		return
	}
	solver := e.c.make()
	defer solver.Close()
	var parts []term.ID
	for g := x.Under; g != nil; g = g.Parent() {
		parts = append(parts, g.Cond())
	}
	parts = append(parts, x.If)
	small := slices.Clone(parts)
	for _, o := range s.p.Made() {
		if ob := e.u.Space().Object(o); !ob.Sized {
			small = append(small, e.st.ULe(ob.Size, e.st.ConstU(e.m.PointerBits, smallSize)))
		}
	}
	for t := range e.c.known {
		solver.Assert(t)
	}
	status, err := e.model(solver, small)
	if err == nil && status == smt.Unsat && len(small) > len(parts) {
		status, err = e.model(solver, parts)
	}
	switch {
	case err != nil:
		e.tried[at]++
		e.reason(verdict.Reason{Cause: verdict.CauseSolver, Func: x.Guard.Func, Pos: x.Guard.Pos, Text: "it is open whether " + x.Guard.Text + " is possible: " + why(err)})
		return
	case status == smt.Unsat:
		return
	}
	var choices [][]ssa.Choice
	for l := s.choices; l != nil; l = l.before {
		choices = append(choices, l.list)
	}
	slices.Reverse(choices)
	e.replay(x, replay.InputOf(e.m, e.u, solver, choices...))
	if e.found == nil {
		e.tried[at]++
	}
}

// model asks for a model of all parts in which the facts about addresses hold.
func (e *explorer) model(solver smt.Solver, parts []term.ID) (smt.Status, error) {
	status, err := solver.Check(e.ctx, parts...)
	for err == nil && status == smt.Sat && e.u.Space().Correct(solver.Value) {
		for _, t := range e.u.Space().Facts() {
			e.c.state(t)
			solver.Assert(t)
		}
		status, err = solver.Check(e.ctx, parts...)
	}
	return status, err
}

// replay runs the interpreter.
func (e *explorer) replay(x *ssa.Event, in replay.Input) {
	r := replay.Execute(e.ctx, e.m, in.Input, replay.Options{Targets: e.opts.Targets, Label: e.opts.Label})
	where := verdict.Reason{Cause: verdict.CauseInexact, Func: x.Guard.Func, Pos: x.Guard.Pos}
	switch {
	case !r.Found:
		where.Text = fmt.Sprintf("a possible violation was not confirmed (%s): %s", x.Guard.Text, r.Why)
		e.reason(where)
	case in.Approximate != "":
		where.Text = fmt.Sprintf("a violation was found that depends on %s: %s", in.Approximate, r.Violation.Text)
		e.reason(where)
	case in.Undefined:
		where.Text = "a violation was found that depends on values that undefined behaviour yields: " + r.Violation.Text
		e.reason(where)
	case verdict.DependsOnNaN(e.ctx, e.m, in.Input, r.Violation):
		where.Text = "a violation was found that depends on the sign or payload of a NaN: " + r.Violation.Text
		e.reason(where)
	default:
		f := verdict.False{Violation: r.Violation, Input: in.Input, Passes: r.Passes, Replayed: []string{"interpreter"}}
		if len(r.Passes) == 0 {
			e.found = f
		} else if e.passing == nil {
			e.passing, e.passingSince = f, e.stats.Paths
		}
	}
}

// why is an error of a solver in words: that the time is over is no fault of it.
func why(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "the time limit was reached"
	}
	return err.Error()
}
