package itscheck

import (
	"context"
	"fmt"
	"strings"

	"assay/internal/integers/bound"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/logic/smt/z3"
	"assay/internal/run/work"
)

// AtMost has Z3 prove that an expression is nowhere greater than another one, for any values of the
// variables. The error is a *its.Rejected, with values where it is greater if Z3 has some, or that of the context.
func AtMost(ctx context.Context, s *its.System, e, limit bound.Expression) error {
	z, err := z3.NewScript()
	if err != nil {
		return err
	}
	defer z.Close()
	x := &bound.Script{Name: func(v linear.Var) string { return fmt.Sprintf("v%d", v) }}
	var text strings.Builder
	for v := range s.Variables {
		fmt.Fprintf(&text, "(declare-const %s Int)\n", x.Name(linear.Var(v)))
	}
	a, ok := x.Term(e)
	b, ok2 := x.Term(limit)
	if !ok || !ok2 {
		return reject("exponentials are not compared")
	}
	soon, stop := work.WithProcessorTime(ctx, timeout)
	defer stop()
	fmt.Fprintf(&text, "%s(assert (> %s %s))\n(check-sat)\n", x, a, b)
	out, err := z.Eval(soon, text.String())
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case soon.Err() != nil:
		return reject("Z3 needs too long to compare the bounds")
	case err != nil:
		return err
	case strings.TrimSpace(out) == "unsat":
		return nil
	}
	return reject("it is not everywhere at most what was asked")
}
