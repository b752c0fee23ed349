// Package accept is the place where claims of engines about programs become answers, or
// do not: the only caller of the checkers. It chooses the checker by the type of the evidence, and tells
// it which solver found that, so that it asks another one. Meanwhile the other engines of
// the run rest (package pause), for an accepted claim nearly always ends the run.
//
// No engine calls a checker. An engine that wants to know on its way whether a claim
// is accepted gets the function Program, IntegerSystem or TransitionSystem as an option.
package accept

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"assay/internal/certify"
	"assay/internal/certify/graph"
	"assay/internal/evidence/verdict"
	"assay/internal/run/pause"
	"assay/internal/run/schedule"
)

// Program checks a claim about a program. It is a verdict.Accept.
func Program(ctx context.Context, c *verdict.Claim) (checker string, err error) {
	switch c.Solver {
	case verdict.CaDiCaL, verdict.Z3, verdict.Both:
	default:
		panic(fmt.Sprintf("a claim that does not say which solver found it, but %q", c.Solver))
	}
	what := strings.TrimPrefix(fmt.Sprintf("%T", c.Evidence), "*verdict.") + " found with " + c.Solver
	schedule.Say(ctx, schedule.Claimed, what)
	own := ctx
	if _, jump := c.Evidence.(*verdict.MadeJump); !jump { // of which a run makes many
		var resume func()
		own, resume = pause.Others(ctx)
		defer resume()
	}
	checker, err = program(own, c)
	if err != nil {
		err = refused(err)
		schedule.Say(ctx, schedule.Refused, what+": "+err.Error())
		return "", err
	}
	schedule.Say(ctx, schedule.Accepted, what+": "+checker)
	return checker, nil
}

// Script checks a claim once more, and gives the questions that were asked as a script for SMT solvers. The error is a
// *verdict.Refused, or the context's.
func Script(ctx context.Context, c *verdict.Claim) (*certify.Script, error) {
	s := &certify.Script{}
	if _, err := program(context.WithValue(ctx, scriptKey{}, s), c); err != nil {
		return nil, refused(err)
	}
	return s, nil
}

type strictKey struct{}
type scriptKey struct{}

// Strict is a context in which checkers are strict: certify.Options.Strict.
func Strict(ctx context.Context) context.Context { return context.WithValue(ctx, strictKey{}, true) }

// program chooses the checker.
func program(ctx context.Context, c *verdict.Claim) (checker string, err error) {
	o := certify.Options{Targets: c.Targets, Label: c.Label, All: c.All, Engine: c.Solver, Fair: c.Fair, Strict: ctx.Value(strictKey{}) != nil}
	o.Script, _ = ctx.Value(scriptKey{}).(*certify.Script)
	for _, s := range c.Excluded {
		o.Excluded = append(o.Excluded, certify.Place{Func: s.Func, Value: s.Value, Kind: s.Kind})
	}
	switch e := c.Evidence.(type) {
	case *verdict.Unwinding:
		return certify.Unwinding(ctx, c.Program, o, e.Bounds)
	case *verdict.PathTree:
		return certify.Paths(ctx, c.Program, o, e)
	case *verdict.Induction:
		return certify.Induction(ctx, c.Program, o, e)
	case *verdict.Ranking:
		return certify.Ranking(ctx, c.Program, o, e)
	case *verdict.RecurrentSet:
		return certify.Endless(ctx, c.Program, o, e)
	case *verdict.MadeJump:
		return certify.Jump(ctx, c.Program, o, e.Jump, e.State)
	case *verdict.SymbolicGraph:
		return graph.Check(ctx, c.Program, e.Graph, graph.Options{Targets: c.Targets, Label: c.Label, Termination: c.Ends})
	}
	panic(fmt.Sprintf("there is no checker for %T", c.Evidence))
}

// refused says in one way what the checkers say in theirs.
func refused(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	out := &verdict.Refused{Err: err}
	var wrong certify.ErrRejected
	var rejected *graph.ErrRejected
	switch {
	case errors.As(err, &wrong):
		out.Wrong, out.Func, out.Pos = true, wrong.Func, wrong.Pos
	case errors.As(err, &rejected):
		// The graph says too little; nothing says that a run contradicts it.
		out.Func, out.Pos, out.Err = rejected.Func, rejected.Pos, errors.New(rejected.Why)
	}
	return out
}
