// Package itscheck re-checks the evidence for answers about integer transition
// systems with Z3 and by execution. It shares the model (package its) with the
// engines and nothing else: the paths between cutpoints, the conditions on them
// and the formulas are its own.
package itscheck

import (
	"context"
	"fmt"
	"strings"
	"time"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/logic/smt/z3"
	"assay/internal/run/work"
)

// Check checks evidence about a system. It is an its.Accept.
func Check(ctx context.Context, s *its.System, e its.Evidence) error {
	switch e := e.(type) {
	case its.RankingArgument:
		return Ranking(ctx, s, e)
	case its.Recurrence:
		return Recurrence(ctx, s, e)
	}
	panic(fmt.Sprintf("unexpected evidence %T", e))
}

func reject(format string, args ...any) error {
	return &its.Rejected{Reason: fmt.Sprintf(format, args...)}
}

// timeout of one check. (Z3's own timeout would start a thread for each check.)
const timeout = 10 * time.Second

// query is a script with names for what has been declared.
type query struct {
	ctx  context.Context
	s    *its.System
	z    *z3.Script
	next int
	// products says what products are, which Z3 is told only if it needs to know; scopes are how many there were at each push.
	products []string
	scopes   []int
	hard     bool            // what Z3 does not know is as good as not refuted
	text     strings.Builder // not yet given to Z3
	checks   int
}

func newQuery(ctx context.Context, s *its.System) (*query, error) {
	z, err := z3.NewLinearScript()
	if err != nil {
		return nil, err
	}
	return &query{ctx: ctx, s: s, z: z}, nil
}

func (q *query) close() { q.z.Close() }

func (q *query) push() {
	q.text.WriteString("(push)\n")
	q.scopes = append(q.scopes, len(q.products))
}

func (q *query) pop() {
	q.text.WriteString("(pop)\n")
	last := len(q.scopes) - 1
	q.products, q.scopes = q.products[:q.scopes[last]], q.scopes[:last]
}

// declare makes a new integer constant.
func (q *query) declare() string {
	q.next++
	n := fmt.Sprintf("k%d", q.next)
	fmt.Fprintf(&q.text, "(declare-const %s Int)\n", n)
	return n
}

// define makes a new name for a term, by an equality.
func (q *query) define(term string) string {
	n := q.declare()
	q.assert("(= " + n + " " + term + ")")
	return n
}

func (q *query) assert(formula string) { fmt.Fprintf(&q.text, "(assert %s)\n", formula) }

// refuted says whether the assertions with the given formula are contradictory,
// without what is known of products first, because that is hard. It is an error if
// Z3 does not know in time.
func (q *query) refuted(formula string) (bool, error) {
	no, err := q.check(nil, formula)
	if no || err != nil || len(q.products) == 0 {
		return no, err
	}
	return q.check(q.products, formula)
}

func (q *query) check(products []string, formula string) (bool, error) {
	q.checks++
	q.text.WriteString("(push)\n")
	for _, p := range products {
		q.assert(p)
	}
	q.assert(formula)
	q.text.WriteString("(check-sat)\n(pop)\n")
	ctx, cancel := work.WithProcessorTime(q.ctx, timeout)
	defer cancel()
	out, err := q.z.Eval(ctx, q.text.String())
	q.text.Reset()
	switch out = strings.TrimSpace(out); {
	case err != nil:
		return false, fmt.Errorf("checking evidence: %w", err)
	case out == "unsat":
		return true, nil
	case out == "sat", len(q.products) > 0, q.hard:
		return false, nil // as good as not refuted, or tried again with what is known of products
	}
	return false, fmt.Errorf("checking evidence: Z3 answers %q", out)
}

// environment names the current values of variables and temporaries.
type environment []string

func (e environment) name(v linear.Var) string { return e[v] }

func term(f linear.Form, e environment) string {
	var b strings.Builder
	f.WriteSMT(&b, e.name)
	return b.String()
}

func formula(c linear.Constraint, e environment) string {
	var b strings.Builder
	c.WriteSMT(&b, e.name)
	return b.String()
}

func conjunction(parts []string) string {
	switch len(parts) {
	case 0:
		return "true"
	case 1:
		return parts[0]
	}
	return "(and " + strings.Join(parts, " ") + ")"
}

func disjunction(parts []string) string {
	switch len(parts) {
	case 0:
		return "false"
	case 1:
		return parts[0]
	}
	return "(or " + strings.Join(parts, " ") + ")"
}

func constraints(cs []linear.Constraint, e environment) string {
	parts := make([]string, len(cs))
	for i, c := range cs {
		parts[i] = formula(c, e)
	}
	return conjunction(parts)
}

// step asserts that transition t is taken from the values of e, with arbitrary
// temporaries, and returns the values behind it.
func (q *query) step(t *its.Transition, e environment) environment {
	_, next := q.take(t, e)
	return next
}

// take is step that also returns the values of the variables before and of the temporaries.
func (q *query) take(t *its.Transition, e environment) (before, behind environment) {
	n := len(q.s.Variables)
	at := append(make(environment, 0, n+t.Temps), e[:n]...)
	for range t.Temps {
		at = append(at, q.declare())
	}
	for _, p := range t.Products {
		q.products = append(q.products, "(= "+at[p.Temp]+" (* "+term(p.A, at)+" "+term(p.B, at)+"))")
	}
	for _, c := range t.Guard {
		q.assert(formula(c, at))
	}
	next := make(environment, n)
	for v, u := range t.Update {
		if w, ok := u.IsVariable(); ok {
			next[v] = at[w]
		} else {
			next[v] = q.define(term(u, at))
		}
	}
	return at, next
}

// arbitrary are new constants for all variables.
func (q *query) arbitrary() environment {
	e := make(environment, len(q.s.Variables))
	for v := range e {
		e[v] = q.declare()
	}
	return e
}
