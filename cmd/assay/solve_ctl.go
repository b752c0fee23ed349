package main

import (
	"assay/internal/integers/equations"
	"assay/internal/logic/linear"

	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

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
	return f.decideCTL(ctx, limit, w, name, p)
}

// decideCTL decides a problem and prints the answer.
func (f *itsFlags) decideCTL(ctx context.Context, limit *limit, w io.Writer, name string, p branching.Problem) error {
	var initial []linear.Constraint
	if len(p.Initial) == 1 {
		initial = p.Initial[0].Constraints()
	}
	observed, err := p.Observed()
	if err != nil {
		return &assay.EnvironmentError{Doing: "reading the formula", Err: err}
	}
	p.System = equations.Linear(ctx, p.System, initial, observed, accept.Rewritten)
	s := p.System
	check := accept.Branching
	if f.certify == "off" {
		check = func(context.Context, branching.Problem, *branching.Proof, ctl.Formula) error { return nil }
	}
	a, err := search.Decide(ctx, p, check)
	limit.finish()
	if err != nil {
		return &assay.EnvironmentError{Doing: "solving " + name, Err: err}
	}
	var out strings.Builder
	code := exitUnknown
	switch a := a.(type) {
	case search.Holds:
		code = exitTrue
		fmt.Fprintf(&out, "the formula is true\n%sRESULT: true\n", f.parts(s, a.Proof))
	case search.Fails:
		code = exitFalse
		fmt.Fprintf(&out, "the formula is false: this is true instead\n%sRESULT: false(ctl)\n", f.parts(s, a.Proof))
	case search.Open:
		fmt.Fprintf(&out, "no answer: %s\nRESULT: unknown\n", a.Reason)
	default:
		panic(fmt.Sprintf("unexpected %T", a))
	}
	if _, err := io.WriteString(w, out.String()); err != nil {
		return &assay.EnvironmentError{Doing: "writing the answer", Err: err}
	}
	return exit(code)
}

// entered is 1 if no transition leads back to the initial location: then it is where T2's
// programs give their variables values, and what is observed begins behind it.
func entered(s *its.System) int {
	if len(s.Outgoing()[s.Initial]) == 0 || slices.ContainsFunc(s.Transitions, func(t its.Transition) bool { return t.To == s.Initial }) {
		return 0
	}
	return 1
}

// parts is what was proved.
func (f *itsFlags) parts(s *its.System, proof *branching.Proof) string {
	var b strings.Builder
	for _, p := range proof.Parts {
		if p.Of == ctl.All {
			b.WriteString("in all initial states\n")
		} else {
			b.WriteString("in the initial state ")
			for v, n := range p.State {
				if v > 0 {
					b.WriteString(", ")
				}
				fmt.Fprintf(&b, "%s = %v", s.Variables[v], n)
			}
			b.WriteString("\n")
		}
		b.WriteString(f.claims(s, p.Claim))
	}
	return b.String()
}

// claims is the tree of what was proved: the states in which each subformula holds, by location.
func (f *itsFlags) claims(s *its.System, c *branching.Claim) string {
	if f.quiet {
		return ""
	}
	var b strings.Builder
	var write func(c *branching.Claim, indent string)
	write = func(c *branching.Claim, indent string) {
		fmt.Fprintf(&b, "%s%v\n", indent, c.Formula)
		for l, r := range c.Holds {
			if !r.IsEmpty() {
				fmt.Fprintf(&b, "%s  at %s where %s\n", indent, s.Locations[l], r.Format(s.VarName))
			}
		}
		for _, d := range c.Descents {
			for _, line := range strings.Split(strings.TrimSpace(d.Argument.Format(withBegin(s))), "\n") {
				fmt.Fprintf(&b, "%s  %s\n", indent, line)
			}
		}
		for _, below := range c.Below {
			if _, atom := below.Formula.(ctl.Constant); !atom {
				write(below, indent+"  ")
			}
		}
	}
	write(c, "")
	return b.String()
}

// withBegin is the system with the location where descents begin.
func withBegin(s *its.System) *its.System {
	c := s.Clone()
	c.AddLocation("begin")
	return c
}
