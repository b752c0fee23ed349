package show

import (
	"context"
	"time"

	"assay/internal/program/ir"
)

// Locate completes a violation by what only the run knows: what a pointer points to, and
// the call in the program for a violation inside a library model.
func (r *Run) Locate(ctx context.Context, violation *Place) {
	r.locate(ctx, violation)
	memory := r.Endless == nil && (r.Violation.Kind == ir.InvalidDeref || r.Violation.Kind == ir.InvalidFree)
	if memory && ctx.Err() != nil && (violation.Pointee.Kind == "" || violation.Pointee.Open) {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), locateGrace)
		defer cancel()
		r.locate(late, violation)
	}
}

// locateGrace is how much more time it takes, if the time of the question is up: what the violation is about says what it is worth.
const locateGrace = time.Second

func (r *Run) locate(ctx context.Context, violation *Place) {
	if r.Endless != nil {
		if violation.Pos.IsZero() { // the loop is in a library model
			_ = r.Trace(ctx, func(s Step) error {
				if !s.Pos.IsZero() {
					violation.Pos, violation.Func = s.Pos, s.Func
				}
				return nil
			})
		}
		return
	}
	g := r.Violation
	f := r.Module.Func(g.Func)
	memory := g.Kind == ir.InvalidDeref || g.Kind == ir.InvalidFree || g.Kind == ir.Uninitialised || g.Kind == ir.MemTrack || g.Kind == ir.MemCleanup
	if f != nil && !f.Model && g.Pos.Line != 0 && !memory {
		return
	}
	var last Step
	t, err := r.trace(ctx, func(s Step) error { last = s; return nil })
	if err != nil || last.Pos.IsZero() {
		return
	}
	violation.Pos, violation.Func, violation.Text, violation.Pointee = last.Pos, last.Func, last.Text, last.Pointee
	if last.Pointee.Kind == PointeeNull {
		violation.Pointee.Initial = t.null.argument
		if !t.null.argument && t.null.size > 0 {
			violation.Pointee.Initial, violation.Pointee.Open = r.alwaysNull(ctx, t.null)
		}
		violation.Pointee.Name = t.null.name
	}
}
