package itscheck

import (
	"context"
	"fmt"
	"strings"

	"assay/internal/integers/equations"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
)

// Sufficient checks that a condition on a polynomial holds wherever facts, equations and constraints do; the relation, one of
// those of C, compares the polynomial with 0. Products are products here. nil means yes.
func Sufficient(ctx context.Context, facts []equations.Fact, zero []rational.Polynomial, given []linear.Constraint, p rational.Polynomial, relation string) error {
	q, err := newQuery(ctx, nil)
	if err != nil {
		return err
	}
	defer q.close()
	names := map[rune]string{}
	name := func(v rune) string {
		if names[v] == "" {
			names[v] = q.declare()
		}
		return names[v]
	}
	term := func(e expanded) string {
		t := &terms{declared: func(m string) string {
			parts := []string{"*", "1"}
			for _, v := range m {
				parts = append(parts, name(v))
			}
			return "(" + strings.Join(parts, " ") + ")"
		}}
		return t.of(e)
	}
	compare := func(e expanded, relation string) string {
		if relation == "!=" {
			return "(not (= " + term(e) + " 0))"
		}
		if relation == "==" {
			relation = "="
		}
		return "(" + relation + " " + term(e) + " 0)"
	}
	linearly := func(c linear.Constraint) string {
		if c.Equality {
			return compare(written(rational.FromForm(c.Form)), "==")
		}
		return compare(written(rational.FromForm(c.Form)), ">=")
	}
	for _, f := range facts {
		switch f := f.(type) {
		case equations.Holds:
			q.assert(linearly(f.Constraint))
		case equations.Multiple:
			q.assert(fmt.Sprintf("(= %d (mod %s %d))", f.Rest, name(rune(f.Variable+1)), f.Of))
		case equations.Power:
			q.assert(fmt.Sprintf("(>= %s 1)", name(rune(f.Variable+1))))
		default:
			return reject("a fact of an unknown kind")
		}
	}
	for _, e := range zero {
		q.assert(compare(written(e), "=="))
	}
	for _, c := range given {
		q.assert(linearly(c))
	}
	q.hard = true // products may be hard: what Z3 does not know is not shown
	no, err := q.check(nil, "(not "+compare(written(p), relation)+")")
	switch {
	case err != nil:
		return err
	case !no:
		return reject("the condition is not implied")
	}
	return nil
}
