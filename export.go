package assay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"assay/internal/conductor"
	"assay/internal/evidence/verdict"
	"assay/internal/program/frontend"
	"assay/internal/user/inspect"
	"assay/internal/user/property"
	"assay/internal/user/show"
)

// Export writes the transition system of the task's program in one of the formats
// of solve.Targets: a bad state is a violation of the properties, a violation of the
// justice property, for termination, a run that does not end. The system is
// inexact where the places are that it returns: these are a bad state of their
// own, so that a proof that no bad state can be reached is one of the program, and
// a run to the first bad state a violation.
func Export(ctx context.Context, t Task, w io.Writer, format string) (inexact []Reason, err error) {
	if err := t.validate(); err != nil {
		return nil, err
	}
	endless := slices.Equal(t.Properties, []Property{Termination})
	for _, p := range t.Properties {
		if !endless && (!p.Decidable() || len(property.Kinds(p)) == 0) {
			return nil, &InputError{Message: fmt.Sprintf("the property %s is no question about bad states", p)}
		}
	}
	r := &run{task: t, phase: "reading the program"}
	defer boundary(&r.phase, t.Files, &err)
	loaded, err := frontend.Load(ctx, r.frontendOptions())
	if err != nil {
		return nil, loadError(err)
	}
	r.phase = "writing the transition system"
	found, err := r.subject(loaded.Module).System(ctx, w, format)
	var none *inspect.ErrNone
	if errors.As(err, &none) {
		return nil, &InputError{Pos: show.PositionOf(loaded.Module, none.Pos), Message: none.Error()}
	}
	return show.ReasonsOf(loaded.Module, found), err
}

// Costs are what transitions may cost: marked is the arguments of __assay_cost, calls: those of the function that follows.
var Costs = []string{string(conductor.Iterations), string(conductor.Instructions), string(conductor.Allocated), CostHeap, CostStack, CostMarked, CostCalls + "f"}

const CostMarked, CostCalls, CostHeap, CostStack = "marked", string(conductor.CallsOf), string(conductor.Heap), string(conductor.Stack)

// CostSystem is a program as an integer transition system with costs.
type CostSystem = conductor.CostSystem

// IntegerSystem makes it, or says why there is none. With a cost, of Costs, inputs are initial values of variables.
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
	s, reason := conductor.SystemWithCosts(ctx, loaded.Module, conductor.Source{Files: o.Files, Flags: o.Flags(), ILP32: o.DataModel == frontend.ILP32, Frames: loaded.Frames}, t.Program.Semantics, conductor.Cost(cost))
	if reason != nil {
		return s, &show.ReasonsOf(loaded.Module, []verdict.Reason{*reason})[0], nil
	}
	return s, nil, nil
}
