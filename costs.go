package assay

import (
	"context"

	"assay/internal/conductor"
	"assay/internal/evidence/verdict"
	"assay/internal/program/frontend"
	"assay/internal/user/show"
)

// Costs are what the transitions of an integer transition system may cost; the first is the usual one.
var Costs = []string{string(conductor.Iterations), string(conductor.Instructions), string(conductor.Allocated), CostHeap, CostStack, CostMarked, CostCalls + "f"}

// Of Costs: the arguments of __assay_cost, and the calls of the function whose name follows.
const CostMarked, CostCalls = "marked", string(conductor.CallsOf)

// Of Costs: peaks, in bytes.
const CostHeap, CostStack = string(conductor.Heap), string(conductor.Stack)

// CostSystem is a program as an integer transition system with costs.
type CostSystem = conductor.CostSystem

// IntegerSystem is a program as an integer transition system, or says why there is none. If it has a cost,
// of Costs, inputs are initial values of variables.
func IntegerSystem(ctx context.Context, t Task, cost string) (s CostSystem, none *Reason, err error) {
	t.Properties = []Property{Termination}
	if err := t.validate(); err != nil {
		return s, nil, err
	}
	r := &run{task: t, phase: "reading the program"}
	defer boundary(&r.phase, t.Files, &err)
	o := r.frontendOptions()
	if o.Costs = cost == CostMarked; o.Costs {
		cost = string(conductor.ArgumentsOf) + frontend.CostFunction
	}
	loaded, err := frontend.Load(ctx, o)
	if err != nil {
		return s, nil, loadError(err)
	}
	var reason *verdict.Reason
	if cost == CostStack {
		s, reason, err = conductor.StackSystem(ctx, loaded.Module, conductor.Source{Files: o.Files, Flags: o.Flags(), ILP32: o.DataModel == frontend.ILP32}, t.Program.Semantics)
	} else {
		s.System, s.Rest, reason = conductor.IntegerSystem(ctx, loaded.Module, t.Program.Semantics, conductor.Cost(cost))
	}
	if err != nil && ctx.Err() == nil {
		err = &EnvironmentError{Doing: "asking for the sizes of stack frames", Err: err}
	}
	if reason == nil {
		return s, nil, err
	}
	return CostSystem{}, &show.ReasonsOf(loaded.Module, []verdict.Reason{*reason})[0], nil
}
