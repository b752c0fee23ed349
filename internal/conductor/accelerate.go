package conductor

import (
	"context"
	"fmt"
	"time"

	"assay/internal/certify/accept"
	"assay/internal/engines/acceleration"
	"assay/internal/engines/bmc"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

const (
	// accelerationUnwind bounds the unwindings: few rounds between two jumps are enough.
	accelerationUnwind = 12
	// maxRefused bounds how often jumps are taken away that were not confirmed.
	maxRefused = 6
)

// accelerate runs bounded search on the program with jumps: it finds violations behind
// billions of iterations. What it does not find says nothing.
func (r *run) accelerate(ctx context.Context, m *ir.Module) Reply {
	p := acceleration.Accelerate(m)
	why := "no loop has a closed form"
	o := bmc.Options{Targets: r.Targets, Disputed: r.Disputed, Label: r.Label, Unwind: r.Options.Unwind, Solver: r.Options.Solver}
	if o.Unwind == 0 {
		o.Unwind = accelerationUnwind
	}
	var a Reply
	var work AccelerationStats
	var search, confirm time.Duration
	for p != nil && ctx.Err() == nil {
		work.Loops, work.Jumps = p.Loops(), p.Jumps()
		begin := time.Now()
		b := bmc.Run(ctx, p.Module, o)
		search += time.Since(begin)
		v, isFalse := b.Verdict.(verdict.False)
		if !isFalse {
			why = fmt.Sprintf("no violation within %d unwindings and jumps", b.Stats.Depth)
			break
		}
		begin = time.Now()
		found, refused, err := p.Confirm(ctx, v, acceleration.Options{Targets: o.Targets, Label: o.Label, Accept: accept.Program, Solver: o.Solver})
		confirm += time.Since(begin)
		if err != nil || found != nil {
			if found != nil {
				a.Verdict = *found
			}
			break
		}
		why = "a possible violation was not confirmed: " + refused
		if work.Refused++; work.Refused == maxRefused {
			break
		}
		p = p.Again()
	}
	if a.Verdict == nil {
		reason := verdict.Reason{Cause: verdict.CauseUnwinding, Text: "acceleration: " + why}
		if ctx.Err() != nil {
			reason = verdict.Stopped(ctx, "acceleration")
		}
		a.Verdict = verdict.Unknown{Reasons: []verdict.Reason{reason}}
	}
	if search > 0 {
		a.Stats = Stats{Acceleration: &work, Phases: []Phase{{"acceleration: search", search}, {"acceleration: confirm", confirm}}}
	}
	return a
}
