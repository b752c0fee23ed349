package bitranking

import (
	"context"

	"assay/internal/engines/guess"
	"assay/internal/program/ir/interp"
)

// This file runs the program: what real runs do refutes most candidates.

// Limits of the runs.
const (
	sampleRuns  = 12
	sampleSteps = 3000
	maxPairs    = 60 // of one loop
)

// pair are the values of the places at one head and at the head before, as
// bits.
type pair struct {
	before, now []uint64
	// accepted says that an Accept was executed in between, or that it does not matter.
	accepted bool
}

// sample collects pairs at the back edges.
func (p *program) sample(ctx context.Context) {
	observe := func(e interp.Event) {
		if e.Kind != interp.BlockEntered || e.Func == nil {
			return
		}
		i, ok := p.at[e.Func][e.Block]
		if !ok {
			return
		}
		r := &p.ranked[i]
		if len(r.seen) >= maxPairs || e.State.Value(r.again).IsZero() {
			return
		}
		x := pair{accepted: r.accepted == 0 || e.State.Value(r.accepted).IsTrue()}
		for k := range r.now {
			x.before = append(x.before, e.State.Value(r.before[k]).Uint64())
			x.now = append(x.now, e.State.Value(r.now[k]).Uint64())
		}
		r.seen = append(r.seen, x)
	}
	program, err := interp.Compile(p.m)
	if err != nil {
		return // other engines will say why
	}
	for run := range uint64(sampleRuns) {
		limit := int(run+1) * maxPairs / sampleRuns
		_, err := program.Run(ctx, interp.Options{Oracle: guess.SmallChoices(run), Observe: observe, Blocks: true, MaxSteps: sampleSteps, MaxMemory: 1 << 24})
		if err != nil {
			return
		}
		for i := range p.ranked {
			if r := &p.ranked[i]; len(r.seen) > limit {
				r.seen = r.seen[:limit]
			}
		}
	}
}
