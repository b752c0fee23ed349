package equations

import (
	"context"

	"assay/internal/integers/its"
	"assay/internal/integers/walk"
	"assay/internal/logic/conjunction"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
)

// Known is what is found of locations of a system, as the certificate that it has the runs of itself: equations of degree two at
// most, and facts. Variables that are observed occur in facts. It is nil if the context ends.
func Known(ctx context.Context, s *its.System, initial []linear.Constraint, observed []bool) *Certificate {
	n := len(s.Transitions)
	if n > maxTransitions {
		return nil
	}
	var solver conjunction.Solver
	defer solver.Close()
	solver.Timeout = questionTimeout
	x := &rewriting{s: s, observed: observed, expanded: make([]expansion, n), states: walk.States(ctx, s, initial), solver: &solver}
	for i := range s.Transitions {
		x.expanded[i] = expand(s, &s.Transitions[i])
	}
	rests, divisors := x.divisions()
	x.rests = rests
	if monomials := rational.MonomialsUpTo(related(s), 2); len(monomials) <= maxColumns {
		x.candidates(monomials)
	} else {
		x.equations = make([][]rational.Polynomial, len(s.Locations))
	}
	x.guess(ctx, initial, divisors)
	if !x.keep(ctx) || ctx.Err() != nil {
		return nil
	}
	return &Certificate{
		Equations: x.equations, Kept: x.kept, Facts: x.facts, Implied: x.implied,
		Guards: make([][]Change, n), Updates: make([][]Change, n), Frozen: make([]bool, len(s.Variables)),
	}
}
