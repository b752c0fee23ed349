package conductor

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"assay/internal/engines/bmc"
	"assay/internal/engines/guess"
	"assay/internal/engines/induction"
	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/models/absint"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/run/memo"
	"assay/internal/transform/cut"
	"assay/internal/transform/slice"
)

// This file has engines look at what the open checks depend on, in a program of which
// abstract interpretation excludes the others. Violations are replayed in the whole program;
// proofs are completed by what the analysis knows at all loops.

// Limits of what is left out from which a slice is worth another search.
const (
	manyChecks = 10
	manyLoops  = 3
)

// sliced is the slice of the module for the targets, nil if it leaves out little.
func (r *run) sliced(ctx context.Context, m *ir.Module) (*slice.Slice, *absint.Facts) {
	targets := slices.Concat(r.Targets, r.Disputed)
	facts, err := absint.Analyze(ctx, m, absint.Options{Asked: targets})
	if err != nil {
		return nil, nil
	}
	type question struct {
		m       *ir.Module
		targets string
	}
	s, err := memo.Of(ctx, question{m, fmt.Sprint(targets)}, func() (*slice.Slice, error) { return slice.Of(m, facts, targets), nil })
	if err != nil || s == nil || s.Checks < manyChecks && s.Loops < manyLoops {
		return nil, nil
	}
	return s, facts
}

// searchSlice is bounded search in the slice. What it does not find says nothing.
func (r *run) searchSlice(ctx context.Context, m *ir.Module) Reply {
	none := func(why string) Reply {
		return unknown(verdict.Reason{Cause: verdict.CauseUnwinding, Text: "bounded search in the slice: " + why})
	}
	s, _ := r.sliced(ctx, m)
	if s == nil {
		return none("there is little to leave out")
	}
	o := r.boundedOptions()
	o.Accept, o.Progress = nil, nil
	b := bmc.Run(ctx, s.Module, o)
	v, ok := b.Verdict.(verdict.False)
	if !ok {
		return none(fmt.Sprintf("no violation within %d unwindings", b.Stats.Depth))
	}
	whole, why := r.replayed(ctx, m, v)
	if whole == nil {
		return none("the run of the whole program " + why)
	}
	return Reply{Verdict: *whole, Stats: boundedStats(b.Stats)}
}

// replaySteps bounds a replay in the whole program.
const replaySteps = 1 << 31

// replayed makes a run of the slice one of the whole program: the violation must be the
// same, and so must be the undefined behaviour before it.
func (r *run) replayed(ctx context.Context, m *ir.Module, v verdict.False) (whole *verdict.False, why string) {
	label := ""
	if slices.Contains(r.Targets, ir.ErrorLabel) {
		label = cmp.Or(r.Label, "ERROR")
	}
	out := verdict.False{Input: v.Input, Replayed: v.Replayed}
	found := false
	end, err := interp.Run(ctx, m, interp.Options{Oracle: interp.Replay(v.Input), MaxSteps: replaySteps, Accelerate: true, StopAt: func(e interp.Event) bool {
		g, broken := verdict.Broken(e, label)
		switch {
		case !broken:
		case slices.Contains(r.Targets, g.Kind):
			found, out.Violation = true, g
		case !slices.Contains(out.Passes, g):
			out.Passes = append(out.Passes, g)
		}
		return found
	}})
	switch {
	case err != nil:
		return nil, "is none: " + err.Error()
	case !found:
		return nil, "ends otherwise: " + end.String()
	case out.Violation != v.Violation:
		return nil, "violates something else"
	case slices.ContainsFunc(out.Passes, func(g verdict.Guard) bool { return !slices.Contains(v.Passes, g) }):
		return nil, "passes undefined behaviour"
	case verdict.DependsOnNaN(ctx, m, out.Input, out.Violation):
		return nil, "depends on a NaN"
	}
	return &out, ""
}

// proveSliced searches a proof by induction in the slice, and completes it.
func (r *run) proveSliced(ctx context.Context, m *ir.Module) (p induction.Result) {
	s, facts := r.sliced(ctx, m)
	if s == nil {
		return p
	}
	o := r.inductionOptions(ctx, s.Module)
	o.Invariants, o.More = nil, nil // these are about the slice
	p = induction.Prove(ctx, s.Module, o)
	if p.Proof == nil {
		return p
	}
	if p.Proof.Module != nil || len(p.Proof.Contracts) > 0 {
		return induction.Result{}
	}
	loops, err := cut.Loops(m)
	if err != nil {
		return induction.Result{}
	}
	p.Unclean = slices.Concat(p.Unclean, s.Lost)
	p.Proof.Heads = merged(guess.Heads(loops, guess.Known(m, facts, loops)), p.Proof.Heads)
	return p
}

// merged are the predicates of both lists; those of one head together.
func merged(all, more []invariant.Head) []invariant.Head {
	type key struct {
		f string
		b ir.BlockID
	}
	at := map[key]int{}
	for i, h := range all {
		at[key{h.Func, h.Head}] = i
	}
	for _, h := range more {
		i, ok := at[key{h.Func, h.Head}]
		if !ok || len(h.Clauses)+len(h.Formulas) > 0 {
			all = append(all, h)
			continue
		}
		all[i].Predicates = append(all[i].Predicates, h.Predicates...)
	}
	return all
}
