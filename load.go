package assay

import (
	"context"
	"errors"
	"slices"

	"assay/internal/program/frontend"
	"assay/internal/program/ir"
	"assay/internal/user/property"
	"assay/internal/user/show"
	"assay/internal/user/validate"
)

// frontendOptions are the options that the front end takes from the task.
func (r *run) frontendOptions() frontend.Options {
	p := &r.task.Program
	o := frontend.Options{
		Files: r.task.Files, Include: p.Include, Define: p.Define, Undef: p.Undefine, Std: p.Std,
		ExtraArgs: append([]string{"-Wno-unused-command-line-argument"}, p.Arguments...),
		DataModel: frontend.LP64, CompileCommands: p.CompileCommands,
		Function: p.Function, Only: p.Only, Arguments: p.Pointers, NonNull: p.NonNull, Nullable: p.Nullable, Harness: p.Harness, Link: p.Link, HavocGlobals: p.HavocGlobals, MallocMayFail: p.MallocMayFail, UseContracts: p.UseContracts, Replace: p.Replace, Remove: p.Remove, FirstDefinition: p.FirstDefinition, Models: p.Models,
		PureUnmodelled: p.Unmodelled == UnmodelledPure, AssertEnds: p.AssertEnds, HavocUninitialised: p.HavocUninitialised, Assumed: p.Assumed,
		CheckAlignment: p.CheckAlignment, Requested: kinds(r.task.Properties),
		LocalsAtExit:  slices.Contains(kinds(r.task.Properties), ir.MemTrack),
		FreeArguments: leaks(kinds(r.task.Properties)),
		Warnings:      r.task.Warnings,
		BinaryMemory:  slices.Contains(kinds(r.task.Properties), ir.InvalidDeref), BinaryFrees: slices.Contains(kinds(r.task.Properties), ir.InvalidFree), Label: property.Label(r.task.Properties, r.task.Label),
	}
	if p.HavocUninitialised {
		o.ExtraArgs = append(o.ExtraArgs, "-fcommon") // tells them from those with the initialiser 0
	}
	if p.DataModel == ILP32 {
		o.DataModel = frontend.ILP32
	}
	return o
}

// leaks says that somebody asks for what is not freed.
func leaks(list []ir.CheckKind) bool {
	return slices.Contains(list, ir.MemTrack) || slices.Contains(list, ir.MemCleanup)
}

// loadError translates an error of the front end.
func loadError(err error) error {
	var input *frontend.InputError
	var environment *frontend.EnvironmentError
	var witness *validate.InputError
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, errTimeout):
		return err
	case errors.As(err, &input):
		return &InputError{Message: input.Error(), Verbatim: true}
	case errors.As(err, &witness):
		return &InputError{Pos: Position{File: witness.File, Line: witness.Line, Col: witness.Column}, Message: witness.Message, Hint: witness.Hint}
	case errors.As(err, &environment):
		return &EnvironmentError{Doing: "reading the program", Err: err}
	}
	return &InternalError{Phase: "reading the program", Panic: err}
}

// assumptions are what the answer takes for granted: the initial state that the
// task asks for, and the front end's notes.
func (r *run) assumptions(p *frontend.Program) []Assumption {
	out := show.AssumptionsOf(p)
	switch r.task.Program.Semantics {
	case SemanticsNoOverflow:
		out = append(out, Assumption{Text: "a run ends where signed arithmetic overflows (--semantics no-overflow)"})
	case SemanticsIntegers:
		out = append(out, Assumption{Text: "the answer is about mathematical integers: nothing overflows or wraps (--semantics integers)"})
	}
	return out
}
