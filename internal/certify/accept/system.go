package accept

import (
	"assay/internal/certify/branchcheck"
	"assay/internal/integers/branching"
	"assay/internal/temporal/ctl"
	"context"
	"fmt"
	"strings"

	"assay/internal/certify/inductive"
	"assay/internal/certify/itscheck"
	"assay/internal/finite/ts"
	"assay/internal/integers/bound"
	"assay/internal/integers/equations"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
	"assay/internal/run/schedule"
)

// IntegerSystem checks evidence about an integer transition system. It is an its.Accept.
func IntegerSystem(ctx context.Context, s *its.System, e its.Evidence) error {
	return noted(ctx, strings.TrimPrefix(fmt.Sprintf("%T", e), "its.")+" of an integer transition system", itscheck.Check(ctx, s, e))
}

// Branching checks a proof of a formula of computation tree logic about an integer transition system.
func Branching(ctx context.Context, p branching.Problem, proof *branching.Proof, f ctl.Formula) error {
	return noted(ctx, "formula of computation tree logic", branchcheck.Check(ctx, p, proof, f))
}

// Rewritten checks that a rewritten integer transition system has the runs of the one that it was made of. It
// is an equations.Accept.
func Rewritten(ctx context.Context, old, new *its.System, observed []bool, c *equations.Certificate) error {
	return noted(ctx, "rewriting of an integer transition system", itscheck.Rewritten(ctx, old, new, observed, c))
}

// Modular checks a step by which conditions with products become linear where numbers wrap. It is an equations.AcceptStep.
func Modular(ctx context.Context, old, new *its.System, observed []bool, facts [][]linear.Constraint, step equations.Step) error {
	return noted(ctx, "rewriting of an integer transition system modulo 2^w", itscheck.Modular(old, new, observed, facts, step))
}

// Sufficient checks that a condition on a polynomial holds wherever facts, equations and constraints do.
func Sufficient(ctx context.Context, facts []equations.Fact, zero []rational.Polynomial, given []linear.Constraint, p rational.Polynomial, relation string) error {
	return noted(ctx, "condition that is implied", itscheck.Sufficient(ctx, facts, zero, given, p, relation))
}

// Congruent checks that two polynomials have the same value wherever some equations are 0.
func Congruent(ctx context.Context, p, q rational.Polynomial, equations, cofactors []rational.Polynomial) error {
	return noted(ctx, "equality of polynomials where equations hold", itscheck.Congruent(p, q, equations, cofactors))
}

// Bound checks the certificate of an upper bound. It is a bound.Accept.
func Bound(ctx context.Context, s *its.System, c *bound.Certificate) error {
	return noted(ctx, "upper bound of an integer transition system", itscheck.Bound(ctx, s, c))
}

// AtMost checks that an expression is nowhere greater than another.
func AtMost(ctx context.Context, s *its.System, e, limit bound.Expression) error {
	return noted(ctx, "comparison of bounds", itscheck.AtMost(ctx, s, e, limit))
}

// Family checks that a family of runs costs more than any bound. It is a bound.AcceptFamily.
func Family(ctx context.Context, s *its.System, f *bound.Family) error {
	return noted(ctx, "family of runs of an integer transition system", itscheck.Family(ctx, s, f))
}

// TransitionSystem checks an invariant of a transition system. It is a ts.Accept.
func TransitionSystem(ctx context.Context, s *ts.System, bad []int, inv *ts.Invariant, byZ3 bool) error {
	return noted(ctx, "invariant of a transition system", inductive.Check(ctx, s, bad, inv, byZ3))
}

// noted writes into the log what became of a claim.
func noted(ctx context.Context, what string, err error) error {
	if err != nil {
		schedule.Say(ctx, schedule.Refused, what+": "+err.Error())
	} else {
		schedule.Say(ctx, schedule.Accepted, what)
	}
	return err
}
