package assay

import (
	"context"
	"fmt"
	"time"

	"assay/internal/acceleration"
	"assay/internal/bmc"
	"assay/internal/ir"
	"assay/internal/verdict"
)

// This file runs bounded search on the program with jumps: it finds violations behind
// billions of iterations. What it does not find says nothing.

const (
	// accelerationStart is how long the other engines run before.
	accelerationStart = 100 * time.Millisecond
	// accelerationPatience is how long it searches beside other engines: what it finds, it
	// mostly finds at once.
	accelerationPatience = 10 * time.Second
	// accelerationUnwind bounds the unwindings: few rounds between two jumps are enough.
	accelerationUnwind = 12
	// maxRefused bounds how often jumps are taken away that were not confirmed.
	maxRefused = 6
)

// accelerationAnswer is what acceleration came to.
type accelerationAnswer struct {
	found *verdict.False
	why   string // if nothing was found
	stats AccelerationStats
	panic any
}

// AccelerationStats count the work of acceleration.
type AccelerationStats struct {
	Loops   int           `json:"loops"`
	Jumps   int           `json:"jumps"`
	Refused int           `json:"refused"`
	Search  time.Duration `json:"-"`
	Confirm time.Duration `json:"-"`
}

// accelerate searches a violation with jumps, after a while.
func (r *run) accelerate(ctx context.Context, m *ir.Module, o bmc.Options, wait time.Duration) (a accelerationAnswer) {
	defer func() { a.panic = recover() }()
	select {
	case <-ctx.Done():
		return a
	case <-time.After(wait):
	}
	if wait > 0 {
		var give context.CancelFunc
		ctx, give = context.WithTimeout(ctx, accelerationPatience)
		defer give()
	}
	p := acceleration.Accelerate(m)
	a.why = "no loop has a closed form"
	if o.Unwind == 0 {
		o.Unwind = accelerationUnwind
	}
	o.Certify, o.Progress, o.All = false, nil, false
	for p != nil && ctx.Err() == nil {
		a.stats.Loops, a.stats.Jumps = p.Loops(), p.Jumps()
		begin := time.Now()
		b := bmc.Run(ctx, p.Module, o)
		a.stats.Search += time.Since(begin)
		v, isFalse := b.Verdict.(verdict.False)
		if !isFalse {
			a.why = fmt.Sprintf("no violation within %d unwindings and jumps", b.Stats.Depth)
			break
		}
		begin = time.Now()
		found, why, err := p.Confirm(ctx, v, acceleration.Options{Targets: o.Targets, Label: o.Label, Solver: o.Solver})
		a.stats.Confirm += time.Since(begin)
		if err != nil || found != nil {
			a.found = found
			break
		}
		a.why = "a possible violation was not confirmed: " + why
		if a.stats.Refused++; a.stats.Refused == maxRefused {
			break
		}
		p = p.Again()
	}
	return a
}

// alone is the answer of acceleration on its own.
func (a *accelerationAnswer) alone(ctx context.Context) bmc.Result {
	if a.panic != nil {
		panic(a.panic)
	}
	if a.found != nil {
		return bmc.Result{Verdict: *a.found}
	}
	reason := verdict.Reason{Cause: verdict.CauseUnwinding, Text: "acceleration: " + a.why}
	if ctx.Err() != nil {
		reason = verdict.Stopped(ctx, "acceleration")
	}
	return bmc.Result{Verdict: verdict.Unknown{Reasons: []verdict.Reason{reason}}}
}

// addAcceleration adds what acceleration cost.
func (s *Stats) addAcceleration(a *accelerationAnswer) {
	if a == nil || a.stats.Search == 0 {
		return
	}
	s.Acceleration = &a.stats
	s.Phases = append(s.Phases, Phase{"acceleration: search", a.stats.Search}, Phase{"acceleration: confirm", a.stats.Confirm})
}
