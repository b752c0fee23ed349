package main

import (
	"context"
	"fmt"
	"math/big"
	"os"
	"strings"
	"time"

	"assay"
	"assay/internal/integers/bound"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/user/measure"
)

// This file runs the program: to find a run that costs more than a limit, which refutes it, and to
// draw what runs cost beside a bound. Inputs that are not numbers are zeros.

// Limits on runs.
const (
	maxTries    = 400
	maxRunSteps = 2_000_000
	plotted     = 40
)

// trySizes are sizes of inputs, in turns.
var trySizes = []int64{1, 3, 10, 30, 100, 1000}

// counts is a cost of a run, if it is one that runs are measured by.
func (f *boundFlags) counts(r *measure.Run) (int64, bool) {
	switch f.cost {
	case assay.Costs[0]:
		return r.Iterations, true
	case assay.Costs[1]:
		return r.Instructions, true
	}
	return 0, false
}

// limitAt is what a limit says of a run; ok is false if an input of it is not known.
func limitAt(s *its.System, limit bound.Expression, r *measure.Run) (*big.Rat, bool) {
	known := true
	n, ok := limit.Eval(func(v linear.Var) *big.Int {
		n, ok := r.Value(s.VarName(v))
		known = known && ok
		return big.NewInt(n)
	})
	return n, ok && known
}

// costlier is a run that costs more than the limit, as a text; empty if none was found. It was run twice. The inputs are numbers that
// are not negative, so that those without sign mean the same; over mathematical integers nothing is said, for machines wrap.
func (f *boundFlags) costlier(ctx context.Context, c assay.CostSystem, limit bound.Expression) string {
	if _, measured := f.counts(&measure.Run{}); !measured || !f.machine() {
		return ""
	}
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(end)*9/10)
		defer cancel()
	}
	p := measure.New(c.Module)
	for i := range maxTries {
		in := measure.Inputs{Seed: uint64(i), Size: trySizes[i%len(trySizes)], All: i < len(trySizes)}
		over := func() (*measure.Run, int64, *big.Rat) {
			r, err := p.Run(ctx, in, maxRunSteps)
			if err != nil {
				return nil, 0, nil
			}
			n, _ := f.counts(r)
			most, ok := limitAt(c.System, limit, r)
			if !ok || most.Cmp(big.NewRat(n, 1)) >= 0 {
				return nil, 0, nil
			}
			return r, n, most
		}
		if r, n, most := over(); r != nil {
			if again, m, _ := over(); again == nil || m != n {
				continue
			}
			return fmt.Sprintf("a run costs at least %d, more than %s: %s\n", n, most.RatString(), inputsOf(c.System, r))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return ""
}

// inputsOf lists the inputs that bounds may speak of.
func inputsOf(s *its.System, r *measure.Run) string {
	var known []string
	for _, name := range s.Variables {
		if n, ok := r.Value(name); ok {
			known = append(known, fmt.Sprintf("%s = %d", name, n))
		}
	}
	if known == nil {
		return "there are no inputs"
	}
	return strings.Join(known, ", ")
}

// draw writes the picture of a bound.
func (f *boundFlags) draw(ctx context.Context, c assay.CostSystem, e bound.Expression) error {
	if _, measured := f.counts(&measure.Run{}); !measured || c.Module == nil {
		return &usageError{text: "--plot draws iterations and instructions of programs"}
	}
	p := measure.New(c.Module)
	var points []measure.Point
	for n := range int64(plotted) + 1 {
		r, err := p.Run(ctx, measure.Inputs{Size: n, All: true}, maxRunSteps)
		if err != nil {
			break // out of time: what there is
		}
		cost, _ := f.counts(r)
		if most, ok := e.Eval(func(linear.Var) *big.Int { return big.NewInt(n) }); ok {
			top, _ := most.Float64()
			points = append(points, measure.Point{N: float64(n), Cost: float64(cost), Bound: top})
		}
	}
	var text strings.Builder
	if err := measure.WritePlot(&text, "at most "+e.Format(c.System.VarName), f.cost, points); err != nil {
		return err
	}
	if err := os.WriteFile(f.plot, []byte(text.String()), 0o666); err != nil {
		return &assay.EnvironmentError{Doing: "writing the picture", Err: err}
	}
	return nil
}
