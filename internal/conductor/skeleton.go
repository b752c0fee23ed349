package conductor

import (
	"context"
	"errors"
	"slices"

	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/run/work"
	"assay/internal/transform"
	"assay/internal/transform/cut"
	"assay/internal/transform/flat"
	"assay/internal/transform/reducible"
	"assay/internal/transform/skeleton"
)

// proveSkeleton proves what does not depend on memory, where loops make, free or link objects, so that induction
// cannot cut them: of the flat program's skeleton, in which memory may hold anything (package skeleton).
func (r *run) proveSkeleton(ctx context.Context, m *ir.Module) Reply {
	none := func(why string) Reply {
		return unknown(verdict.Reason{Cause: verdict.CauseUnsupported, Text: "skeleton: " + why})
	}
	targets := slices.Concat(r.Targets, r.Disputed)
	p := flat.Make(m).Then(reducible.Make)
	if !r.alone && !uncut(p.Module, targets, r.Label) {
		return none("induction can cut the loops as they are")
	}
	q := p.Then(func(m *ir.Module) *transform.Program { return skeleton.Of(ctx, m) })
	if q == nil {
		return none("functions are called through pointers, or there is no memory")
	}
	asked, ok := q.Asked(targets)
	if !ok {
		return none("what is asked for is about memory")
	}
	r = r.with(func(t *Task) { t.Targets, t.Disputed = asked, nil })
	soon, stop := work.WithProcessorTime(ctx, flatGraph)
	a := r.interpretAs(soon, q.Module, false)
	stop()
	if !decided(a.Verdict) && ctx.Err() == nil {
		a = r.induct(ctx, q.Module)
	}
	if t, ok := a.Verdict.(verdict.True); ok {
		a.Verdict, a.About = q.Proof(t), q.Module
	}
	return a
}

// uncut says that there is a loop that induction cannot cut.
func uncut(m *ir.Module, targets []ir.CheckKind, label string) bool {
	loops, err := cut.Loops(m)
	if err == nil {
		_, err = cut.Cut(m, loops, 1, nil, nil, targets, label)
	}
	var why *cut.ErrUncut
	return errors.As(err, &why)
}
