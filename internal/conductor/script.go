package conductor

import (
	"context"
	"errors"
	"fmt"
	"io"

	"assay/internal/certify/accept"
	"assay/internal/evidence/verdict"
)

// WriteScript writes the check of a proof as a script for SMT solvers, which is unsatisfiable if and only if the proof holds. what
// are lines of a comment. If there is no such script, none says why.
func WriteScript(ctx context.Context, w io.Writer, t *Task, a *Answer, what ...string) (none string, err error) {
	v, ok := a.Verdict.(verdict.True)
	if !ok {
		return "there is a script of a proof only", nil
	}
	c := &verdict.Claim{Program: a.Module, Targets: t.Targets, Label: t.Label, Solver: verdict.CaDiCaL}
	switch e := v.Certificate.(type) {
	case *verdict.Induction:
		c.Evidence = e
		if e.Module != nil {
			c.Program = e.Module
		}
	case *verdict.Unwinding:
		c.Evidence = e
	case *verdict.Ranking:
		c.Evidence, c.Targets, c.Fair, c.Program = e, nil, e.Fair, e.Program
	case *verdict.PathTree:
		return fmt.Sprintf("the proof is a tree of %d paths, whose check follows them and is no set of questions", e.Paths), nil
	case *verdict.SymbolicGraph:
		return "the proof is a symbolic execution graph, whose check follows paths and is no set of questions", nil
	case *verdict.Several:
		return fmt.Sprintf("the proof consists of %d parts with a check each", len(e.Parts)), nil
	case *verdict.OverIntegers:
		return "the proof is about mathematical integers", nil
	case verdict.Unchecked:
		return "the proof was not checked: " + e.Why, nil
	default:
		panic(fmt.Sprintf("unexpected certificate %T", e))
	}
	if t.Options.Strict {
		ctx = accept.Strict(ctx)
	}
	script, err := accept.Script(ctx, c)
	var refused *verdict.Refused
	switch {
	case errors.As(err, &refused):
		return "the proof could not be checked once more: " + refused.Error(), nil
	case err != nil:
		return "", err
	}
	return "", script.Write(w, what...)
}
