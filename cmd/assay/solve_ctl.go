package main

import (
	"assay/internal/integers/equations"
	"assay/internal/logic/linear"

	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"assay"
	"assay/internal/certify/accept"
	"assay/internal/integers/branching"
	"assay/internal/integers/branching/search"
	"assay/internal/integers/its"
	"assay/internal/integers/region"
	"assay/internal/temporal/ctl"
)

// conditions gives the atoms of a formula over a system: each is a condition over its variables.
type conditions struct {
	s     *its.System
	atoms map[string]region.Region
}

// newConditions reads the atoms. The error is about the formula.
func newConditions(ctx context.Context, s *its.System, text string, f ctl.Formula) (*conditions, error) {
	c := &conditions{s: s, atoms: map[string]region.Region{}}
	var visit func(f ctl.Formula) error
	visit = func(f ctl.Formula) error {
		for _, g := range ctl.Children(f) {
			if err := visit(g); err != nil {
				return err
			}
		}
		a, ok := f.(ctl.Atom)
		if !ok || a.Text == "true" {
			return nil
		}
		cases, err := s.ParseCondition(a.Text)
		if err != nil {
			message := err.Error()
			if syntax := (*its.ParseError)(nil); errors.As(err, &syntax) {
				message = syntax.Message
			}
			return &assay.InputError{Message: (&ctl.Error{Text: text, At: a.At, Message: message}).Error()}
		}
		var r region.Region
		for _, cs := range cases {
			r = r.Union(ctx, region.Of(ctx, cs...))
		}
		c.atoms[a.Text] = r
		return nil
	}
	return c, visit(f)
}

// atom is where an atom is true.
func (c *conditions) atom(l its.Location, a ctl.Atom) (region.Region, error) {
	if a.Label != "" && c.s.Locations[l] != a.Label {
		return nil, nil
	}
	if a.Text == "true" {
		return region.All(), nil
	}
	return c.atoms[a.Text], nil
}

// solveCTL decides a formula and prints the answer.
func (f *itsFlags) solveCTL(ctx context.Context, limit *limit, w io.Writer, name, text string) error {
	s, err := readITS(name)
	if err != nil {
		return err
	}
	formula, err := ctl.Parse(text)
	if err != nil {
		return &assay.InputError{Message: err.Error()}
	}
	atoms, err := newConditions(ctx, s, text, formula)
	if err != nil {
		return err
	}
	p := branching.Problem{System: s, Formula: formula, Initial: region.All(), Before: entered(s), Atom: atoms.atom}
	return f.decideCTL(ctx, limit, w, name, p, nil)
}

// decideCTL decides a problem and prints the answer, with what was replaced before.
func (f *itsFlags) decideCTL(ctx context.Context, limit *limit, w io.Writer, name string, p branching.Problem, replaced []equations.Replaced) error {
	var initial []linear.Constraint
	if len(p.Initial) == 1 {
		initial = p.Initial[0].Constraints()
	}
	observed, err := p.Observed()
	if err != nil {
		return &assay.EnvironmentError{Doing: "reading the formula", Err: err}
	}
	out := ctlAnswer{f: f, known: p.Known, before: p.Before}
	p.System, out.Replaced = equations.Linear(ctx, p.System, initial, observed, accept.Rewritten)
	out.Replaced = slices.Concat(replaced, out.Replaced)
	check := accept.Branching
	if f.certify == "off" {
		check = func(context.Context, branching.Problem, *branching.Proof, ctl.Formula) error { return nil }
	}
	a, err := search.Decide(ctx, p, check)
	if err == nil && p.Excluded != nil {
		a, err = aboutRuns(ctx, p, check, a)
	}
	cause := "inexact"
	if ctx.Err() != nil {
		cause = "timeout"
	}
	limit.finish()
	if err != nil && ctx.Err() != nil {
		a, err = search.Open{Reason: "the time was not enough"}, nil
	}
	if err != nil {
		return &assay.EnvironmentError{Doing: "solving " + name, Err: err}
	}
	out.s = p.System
	switch a := a.(type) {
	case search.Holds:
		out.Result, out.code, out.proof = "true", exitTrue, a.Proof
	case search.Fails:
		out.Result, out.code, out.proof = "false(ctl)", exitFalse, a.Proof
	case search.Open:
		out.Result, out.code, out.Reasons = "unknown", exitUnknown, []ctlReason{{cause, a.Reason}}
		list := equations.Nonlinear(p.System)
		for i, condition := range list {
			if i == maxConditions && len(list) > maxConditions+1 {
				out.Reasons = append(out.Reasons, ctlReason{"inexact", fmt.Sprintf("nor of %d more", len(list)-i)})
				break
			}
			out.Reasons = append(out.Reasons, ctlReason{"inexact", "no linear condition was found that equals " + condition.String()})
		}
	default:
		panic(fmt.Sprintf("unexpected %T", a))
	}
	return out.write(w)
}

// aboutRuns is the answer where some runs do not exist: none, if it says something of nothing. Of what is true it is enough that
// this is not known.
func aboutRuns(ctx context.Context, p branching.Problem, check func(context.Context, branching.Problem, *branching.Proof, ctl.Formula) error, a search.Answer) (search.Answer, error) {
	_, fails := a.(search.Fails)
	if _, open := a.(search.Open); open {
		return a, nil
	}
	lasting, err := search.Decide(ctx, p.Lasting(), check)
	switch lasting.(type) {
	case search.Fails:
		return search.Open{Reason: "every run breaks an assumption: there is nothing that the formula is about"}, err
	case search.Open:
		if fails {
			return search.Open{Reason: "the formula is false if there is a run that breaks no assumption, which was not shown"}, err
		}
	}
	return a, err
}

// maxConditions bounds the conditions with products that are shown.
const maxConditions = 4

// entered is 1 if no transition leads back to the initial location: then it is where T2's
// programs give their variables values, and what is observed begins behind it.
func entered(s *its.System) int {
	if len(s.Outgoing()[s.Initial]) == 0 || slices.ContainsFunc(s.Transitions, func(t its.Transition) bool { return t.To == s.Initial }) {
		return 0
	}
	return 1
}
