package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"assay"
	"assay/internal/certify/accept"
	"assay/internal/integers/bound"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// This file is `assay check --property 'bound<=100*n+20'` and 'bound=O(n)': may a run cost more? The bound is
// that of `assay bound`, whose costs are visits of loop heads and calls, or what stands before: allocated<=….

// costLimit is what a run may cost.
type costLimit struct {
	cost  string
	text  string       // of the expression; empty if a class is asked for
	class *bound.Class // nil if an expression is
}

// asksBound says whether the property is a limit of costs.
func asksBound(property string) bool {
	return strings.HasPrefix(property, "bound<=") || strings.HasPrefix(property, "bound=") || strings.HasPrefix(property, "bound(")
}

// parseLimit reads bound<=E, bound=O(n^2), bound(allocated)<=E.
func parseLimit(property string) (*costLimit, error) {
	wrong := func(hint string) error {
		return &assay.InputError{Message: fmt.Sprintf("unknown property %q", property), Hint: hint}
	}
	l := &costLimit{cost: assay.Costs[0]}
	rest := strings.TrimPrefix(property, "bound")
	if inner, ok := strings.CutPrefix(rest, "("); ok {
		cost, behind, closed := strings.Cut(inner, ")")
		if !closed || (costValue{&l.cost}).Set(cost) != nil {
			return nil, wrong("in bound(…) stands one of " + strings.Join(assay.Costs, ", "))
		}
		rest = behind
	}
	if text, ok := strings.CutPrefix(rest, "<="); ok {
		l.text = text
		return l, nil
	}
	class, ok := strings.CutPrefix(strings.ReplaceAll(rest, " ", ""), "=O(")
	class, closed := strings.CutSuffix(class, ")")
	if !ok || !closed {
		return nil, wrong("for example bound<=100*n+20, or bound=O(n^2)")
	}
	l.class = &bound.Class{}
	if polynomial, ok := strings.CutSuffix(class, "logn"); ok {
		l.class.Logarithms = 1
		if class = strings.TrimSuffix(polynomial, "*"); class == "" {
			class = "1"
		}
	}
	switch power, isPower := strings.CutPrefix(class, "n^"); {
	case class == "1":
	case class == "n":
		l.class.Degree = 1
	case isPower:
		n, err := strconv.Atoi(power)
		if err != nil || n < 1 {
			return nil, wrong("a class is O(1), O(log n), O(n), O(n*log n), O(n^2), …")
		}
		l.class.Degree = n
	default:
		return nil, wrong("a class is O(1), O(log n), O(n), O(n*log n), O(n^2), …")
	}
	return l, nil
}

// checkBound decides whether no run costs more than the limit.
func (f *checkFlags) checkBound(flags *pflag.FlagSet, files []string) error {
	if f.show.JSON || f.spec != "" || f.ltl != "" {
		return &assay.InputError{Message: "a bound is asked alone, and its answer is text", Hint: "leave out --json, --ltl and --spec; assay bound --json prints the bound"}
	}
	l, err := parseLimit(f.property)
	if err != nil {
		return err
	}
	flags.Lookup("property").Changed = false // it is none of those of assay.Check
	g := &boundFlags{certify: "on", cost: l.cost, timeout: f.task.Timeout, quiet: f.show.Quiet, program: *f}
	if f.certify == "off" {
		g.certify = "off"
	}
	ctx, end := limited(g.timeout, 0, func(why string) int {
		fmt.Fprintf(os.Stdout, "no answer: %s\nRESULT: unknown\n", why)
		return exitUnknown
	})
	costs, none, err := g.read(ctx, flags, files)
	if err != nil {
		return err
	}
	s := costs.System
	var a boundAnswer
	if none != "" {
		a.reasons = []string{none}
	} else if a, err = g.decideIn(ctx, s, false); err != nil {
		return &assay.EnvironmentError{Doing: "finding a bound", Err: err}
	}
	if a.open() && g.endlessCosts() {
		if a.endless, err = g.withoutEnd(ctx); err != nil {
			return err
		}
	}
	a.rest, a.notes = costs.Rest, costs.Notes
	err = g.judge(ctx, os.Stdout, costs, a, l)
	end.finish()
	return err
}

// judge compares the bound with the limit, and prints the answer.
func (f *boundFlags) judge(ctx context.Context, w io.Writer, c assay.CostSystem, a boundAnswer, l *costLimit) error {
	s := c.System
	var detail strings.Builder
	result, code := "unknown", exitUnknown
	switch {
	case a.bound != nil:
		e := a.bound.Bound.Add(bound.Int(a.rest))
		format, class := e.Format, e.Class()
		if f.machine() {
			format, class = e.FormatWithRanges, e.ClassWithRanges(bound.IntRange)
		}
		why, err := f.exceeds(ctx, s, e, class, l)
		if err != nil {
			return err
		}
		fmt.Fprintf(&detail, "%s at most\n  %s\n", f.takes(), format(s.VarName))
		if why != "" {
			if run, err := f.refuted(ctx, c, l); err != nil {
				return err
			} else if l.class != nil && *l.class == (bound.Class{}) && a.growing != nil {
				run = fmt.Sprintf("for each N >= 0 the run from %s goes N times around a loop:\n%s", a.growing.Begin(s), a.growing.Format(s))
				detail.WriteString(run)
				result, code = "false(bound)", exitFalse
				break
			} else if run != "" {
				detail.WriteString(run)
				result, code = "false(bound)", exitFalse
				break
			}
			fmt.Fprintf(&detail, "no answer: %s\n", why)
			break
		}
		if result, code = "true", exitTrue; f.certify == "off" {
			result = "true (uncertified)"
		}
	case a.recurrence != nil:
		fmt.Fprintf(&detail, "a run without end:\n%s", a.recurrence.Format(s))
		result, code = "false(bound)", exitFalse
	case a.family != nil:
		fmt.Fprintf(&detail, "a run for each n >= 0, which goes n times around a loop:\n%s", a.family.Format(s))
		result, code = "false(bound)", exitFalse
	case a.endless != "":
		detail.WriteString(a.endless)
		result, code = "false(bound)", exitFalse
	default:
		if s != nil {
			run, err := f.refuted(ctx, c, l)
			if err != nil {
				return err
			}
			if run != "" {
				detail.WriteString(run)
				result, code = "false(bound)", exitFalse
				break
			}
		}
		for _, r := range a.reasons {
			fmt.Fprintf(&detail, "no bound: %s\n", r)
		}
	}
	for _, n := range a.notes {
		detail.WriteString(n + "\n")
	}
	text := detail.String()
	if f.quiet {
		text = ""
	}
	if _, err := fmt.Fprintf(w, "%sRESULT: %s\n", text, result); err != nil {
		return &assay.EnvironmentError{Doing: "writing the answer", Err: err}
	}
	return exit(code)
}

// exceeds says why a bound is not known to be within the limit, "" if it is.
func (f *boundFlags) exceeds(ctx context.Context, s *its.System, e bound.Expression, class bound.Class, l *costLimit) (string, error) {
	if l.class != nil {
		if class.Compare(*l.class) > 0 {
			return fmt.Sprintf("this is %v, but nothing says that a run costs so much", class), nil
		}
		return "", nil
	}
	limit, err := l.expression(s)
	if err != nil {
		return "", err
	}
	var rejected *its.Rejected
	switch err := accept.AtMost(ctx, s, e, limit); {
	case errors.As(err, &rejected):
		return rejected.Reason + "; nothing says that a run costs more", nil
	case err != nil && ctx.Err() != nil:
		return "out of time", nil
	case err != nil:
		return "", err
	}
	return "", nil
}

// expression is the limit over the inputs of a system.
func (l *costLimit) expression(s *its.System) (bound.Expression, error) {
	limit, err := bound.Parse(l.text, func(name string) (linear.Var, bool) {
		for v := range s.Variables {
			if s.VarName(linear.Var(v)) == name {
				return linear.Var(v), true
			}
		}
		return 0, false
	})
	var wrong *bound.ParseError
	if errors.As(err, &wrong) {
		return limit, &assay.InputError{Message: "the bound " + l.text + ": " + wrong.Error(), Hint: "the inputs are " + strings.Join(s.Variables, ", ")}
	}
	return limit, nil
}

// refuted is a run that costs more than the limit, as a text; empty if none is known.
func (f *boundFlags) refuted(ctx context.Context, c assay.CostSystem, l *costLimit) (string, error) {
	if l.class != nil {
		return "", nil
	}
	limit, err := l.expression(c.System)
	if err != nil {
		return "", err
	}
	return f.costlier(ctx, c, limit), nil
}
