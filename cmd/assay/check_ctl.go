package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/pflag"

	"assay"
	"assay/internal/certify/accept"
	"assay/internal/integers/branching"
	"assay/internal/integers/equations"
	"assay/internal/integers/its"
	"assay/internal/models/integerize"
	"assay/internal/models/observation"
	"assay/internal/program/frontend"
	"assay/internal/program/ir"
	"assay/internal/temporal/ctl"
	"assay/internal/user/propfile"
	"assay/internal/user/show"
)

// checkCTL is `assay check --ctl`: the program's integer transition system is decided as
// `assay solve --ctl` does it.
func (f *checkFlags) checkCTL() error {
	t := &f.task
	name := ""
	if len(t.Files) > 0 {
		name = t.Files[0]
	}
	if len(t.Properties) > 0 || f.spec != "" {
		return &assay.InputError{Message: "--ctl is asked alone", Hint: "leave out --property, --ltl and --spec"}
	}
	if err := checkTree(f.tree); err != nil {
		return err
	}
	wraps := t.Program.Semantics == assay.SemanticsWrap
	if !wraps && t.Program.Semantics != assay.SemanticsIntegers {
		return &assay.InputError{Message: "formulas of computation tree logic are decided over machine integers that wrap, or over mathematical integers", Hint: "add --semantics wrap, or --semantics integers"}
	}
	formula, err := ctl.Parse(f.ctl)
	if err != nil {
		return &assay.InputError{Message: err.Error()}
	}
	ctx, limit := limited(t.Timeout, f.memory, func(why string) int {
		_ = f.noAnswer(why)
		return exitUnknown
	})
	program, err := frontend.Load(ctx, f.frontendOptions())
	if err != nil {
		return f.loadError(err)
	}
	question := observation.Question{
		Text: f.ctl, Formula: formula, Assumed: f.assumed, Arbitrary: f.havocStart, Wraps: wraps,
		Position: func(pos ir.Pos) string { return show.PositionOf(program.Module, pos).String() },
	}
	p, err := observation.Problem(ctx, program.Module, question)
	var untranslated *integerize.ErrUntranslated
	var syntax *ctl.Error
	switch {
	case errors.As(err, &untranslated):
		limit.finish()
		return f.noAnswer(fmt.Sprintf("%s: in %s: %s", program.Module.PosString(untranslated.Pos), untranslated.Func, untranslated.Why))
	case errors.As(err, &syntax):
		return &assay.InputError{Message: syntax.Error()}
	case errors.Is(err, observation.ErrNoStart), err != nil && ctx.Err() != nil:
		limit.finish()
		return f.noAnswer(err.Error())
	case err != nil:
		return &assay.EnvironmentError{Doing: "reading the program", Err: err}
	}
	var replaced []equations.Replaced
	if wraps && multiplies(p.System) {
		question.Whole = true
		p, replaced = moduloPowers(ctx, program.Module, question, p)
	}
	return (&itsFlags{certify: f.certify, quiet: f.show.Quiet, json: f.show.JSON, tree: f.tree}).decideCTL(ctx, limit, os.Stdout, name, p, replaced)
}

func multiplies(s *its.System) bool {
	return slices.ContainsFunc(s.Transitions, func(t its.Transition) bool { return len(t.Products) > 0 })
}

// moduloPowers is the question about a system in which conditions with products are linear, by equations modulo 2^w, if there is one; else the
// one that is given.
func moduloPowers(ctx context.Context, m *ir.Module, q observation.Question, given branching.Problem) (branching.Problem, []equations.Replaced) {
	p, err := observation.Problem(ctx, m, q)
	if err != nil {
		return given, nil
	}
	observed, err := p.Observed()
	if err != nil {
		return given, nil
	}
	s, replaced, ok := equations.Modular(ctx, p.System, nil, observed, p.Facts, accept.Modular)
	if !ok {
		return given, nil
	}
	p.System, p.Facts = s, nil
	return p, replaced
}

// specifiedCTL takes the formula of a property file that asks CTL(…), alone, as if it were given with --ctl.
func (f *checkFlags) specifiedCTL(flags *pflag.FlagSet) error {
	text, err := os.ReadFile(f.spec)
	if f.spec == "" || err != nil {
		return nil // it is told where the file is read
	}
	checks, wrong := propfile.Parse(string(text))
	if wrong != nil {
		return nil
	}
	for _, c := range checks {
		switch at := (assay.Position{File: f.spec, Line: c.Line}); {
		case c.Logic != "CTL":
			continue
		case len(checks) > 1:
			return &assay.InputError{Pos: at, Message: "a formula of computation tree logic is asked alone", Hint: "put it into a file of its own"}
		case f.ctl != "":
			return &assay.InputError{Pos: at, Message: "a formula of computation tree logic, and another one with --ctl: one at a time"}
		case c.Formula == "":
			return nil
		}
		f.ctl, f.spec = c.Formula, ""
		if !flags.Changed("unmodelled") {
			f.unmodelled = assay.UnmodelledPure
		}
		if !flags.Changed("function") {
			f.task.Program.Function = c.Entry
		}
	}
	return nil
}

// noAnswer prints why there is none.
func (f *checkFlags) noAnswer(why string) error {
	a := ctlAnswer{f: &itsFlags{json: f.show.JSON}, Result: "unknown", code: exitUnknown, Reasons: []ctlReason{{"inexact", why}}}
	return a.write(os.Stdout)
}

// frontendOptions say how the program is read: locals stay in memory, where each assignment is seen.
func (f *checkFlags) frontendOptions() frontend.Options {
	p := &f.task.Program
	o := frontend.Options{
		Files: f.task.Files, Include: p.Include, Define: p.Define, Undef: p.Undefine, Std: p.Std,
		ExtraArgs: append([]string{"-Wno-unused-command-line-argument", "-fcommon"}, p.Arguments...),
		DataModel: frontend.LP64, CompileCommands: p.CompileCommands, Function: p.Function,
		HavocGlobals: p.HavocGlobals, HavocUninitialised: f.havocStart, MallocMayFail: p.MallocMayFail, Models: p.Models,
		PureUnmodelled: p.Unmodelled == assay.UnmodelledPure, Unpromoted: true,
	}
	if p.DataModel == assay.ILP32 {
		o.DataModel = frontend.ILP32
	}
	return o
}

// loadError is an error of the front end as one of the command.
func (f *checkFlags) loadError(err error) error {
	var input *frontend.InputError
	if errors.As(err, &input) {
		return &assay.InputError{Message: input.Error(), Verbatim: true}
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return f.noAnswer("the time was not enough to read the program")
	}
	return &assay.EnvironmentError{Doing: "reading the program", Err: err}
}
