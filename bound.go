package assay

import (
	"context"
	"time"

	"assay/internal/conductor"
	"assay/internal/frontend"
	"assay/internal/its"
	"assay/internal/show"
	"assay/internal/verdict"
)

// Cost is what a bound counts.
type Cost = conductor.Cost

// AllCosts are the values of Cost; the first is the usual one.
var AllCosts = []string{string(conductor.Iterations), string(conductor.Instructions)}

// CostSystem is a program as an integer transition system whose transitions cost what the program
// does. The variables that its bounds may mention are named after the program's inputs.
type CostSystem struct {
	System *its.System
	// Rest is what a run may cost beyond what it costs in the system.
	Rest int64
}

// Costs makes the cost system of a program, or says why there is none. A program without main that
// defines one function starts there.
func Costs(ctx context.Context, t Task, c Cost) (s *CostSystem, none *Reason, err error) {
	t.Properties = []Property{Termination}
	if err := t.validate(); err != nil {
		return nil, nil, err
	}
	r := &run{task: t, phase: "reading the program", start: time.Now()}
	defer boundary(&r.phase, t.Files, &err)
	o := r.frontendOptions()
	o.Only = true
	program, err := frontend.Load(ctx, o)
	if err != nil {
		return nil, nil, loadError(err)
	}
	r.phase = "making the integer transition system"
	system, rest, reason := conductor.Costs(ctx, program.Module, t.Program.Semantics, c)
	if reason != nil {
		return nil, &show.ReasonsOf(program.Module, []verdict.Reason{*reason})[0], nil
	}
	return &CostSystem{system, rest}, nil, nil
}
