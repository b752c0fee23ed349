package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assay"
	"assay/internal/accept"
	"assay/internal/bound"
	"assay/internal/complexity"
	"assay/internal/its"
	"assay/internal/termination"
)

// boundFlags are the flags of `assay bound`.
type boundFlags struct {
	certify string
	timeout time.Duration
	memory  uint64
	quiet   bool
}

// boundCommand is `assay bound`.
func boundCommand() *cobra.Command {
	f := &boundFlags{certify: "on"}
	c := &cobra.Command{
		Use:   "bound [flags] file",
		Short: "How much may a run cost, as a function of the inputs?",
		Long: `Find an upper bound of the cost of all runs of an integer transition system, as a
function of the initial values of its variables.

The file is in the format of KoAT (.koat), T2 (.t2), or one of those of the termination
competition, SMT-LIB (.smt2) or ARI (.ari). A transition costs 1 unless the file says
otherwise. A bound is shown if its certificate was accepted by a checker that has
Z3 prove every local claim again. The last line is

  RESULT: bound(O(n^2))   an upper bound was found; it is printed before
  RESULT: unbounded       there is a run without end, which is printed before
  RESULT: unknown

Exit codes: 0 a bound, 1 unbounded, 2 unknown; 3 wrong use or input; 4 a bug of assay.`,
		Example: "  assay bound loops.koat\n  assay bound --timeout 10s -q loops.koat",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			ctx, limit := limited(f.timeout, f.memory, func(why string) int {
				fmt.Fprintf(os.Stdout, "no bound: %s\nRESULT: unknown\n", why)
				return exitUnknown
			})
			s, err := readITS(args[0])
			if err != nil {
				return err
			}
			a, err := f.decide(ctx, s)
			limit.finish()
			if err != nil {
				return &assay.EnvironmentError{Doing: "finding a bound of " + args[0], Err: err}
			}
			return f.write(os.Stdout, s, a)
		},
	}
	flags := c.Flags()
	flags.Var(durationValue{&f.timeout}, "timeout", "stop after this time, for example 10s or 2m")
	flags.Var(sizeValue{&f.memory}, "memory", "stop when more memory is used, for example 2GiB")
	flags.Var(choiceValue{&f.certify, []string{"on", "off"}}, "certify", "whether the certificate is checked")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print the result only")
	flags.SortFlags = false
	return c
}

// boundAnswer is an upper bound, a run without end, or neither.
type boundAnswer struct {
	bound      *bound.Certificate
	recurrence *its.Recurrence
	reasons    []string
	open       []int // transitions without bound
}

// decide looks for a bound in the first part of the time, and for a run without end in the rest.
func (f *boundFlags) decide(ctx context.Context, s *its.System) (a boundAnswer, err error) {
	first, cancel := ctx, func() {}
	if end, ok := ctx.Deadline(); ok {
		first, cancel = context.WithTimeout(ctx, time.Until(end)*3/5)
	}
	defer cancel()
	switch r := complexity.Upper(first, s).(type) {
	case complexity.Found:
		var rejected *its.Rejected
		err := error(nil)
		if f.certify == "on" {
			err = accept.Bound(ctx, s, &r.Certificate)
		}
		switch {
		case err == nil:
			a.bound = &r.Certificate
			return a, nil
		case errors.As(err, &rejected), ctx.Err() != nil:
			a.reasons = append(a.reasons, err.Error())
		default:
			return a, err
		}
	case complexity.Failed:
		a.reasons, a.open = append(a.reasons, r.Reason), r.Open
	default:
		panic(fmt.Sprintf("unexpected %T", r))
	}
	t, err := termination.Decide(ctx, s, termination.Options{Accept: accept.IntegerSystem, Uncertified: f.certify == "off"})
	if d, ok := t.(termination.Diverges); ok {
		if !everythingCosts(s) {
			a.reasons = append(a.reasons, "there is a run without end, but it may cost nothing")
			return a, nil
		}
		a.recurrence = &d.Recurrence
	}
	return a, err
}

// everythingCosts says whether each transition costs at least 1.
func everythingCosts(s *its.System) bool {
	return !slices.ContainsFunc(s.Transitions, func(t its.Transition) bool { return !t.Cost.IsConstant() || t.Cost.Const.Sign() <= 0 })
}

// write prints the answer.
func (f *boundFlags) write(w io.Writer, s *its.System, a boundAnswer) error {
	var b strings.Builder
	code := exitUnknown
	switch {
	case a.bound != nil:
		code = exitTrue
		fmt.Fprintf(&b, "every run costs at most\n  %s\n", a.bound.Bound.Format(s.VarName))
		if f.certify == "off" {
			b.WriteString("not certified\n")
		}
		if f.quiet {
			b.Reset()
		}
		fmt.Fprintf(&b, "RESULT: bound(%v)\n", a.bound.Bound.Class())
	case a.recurrence != nil:
		code = exitFalse
		if !f.quiet {
			b.WriteString("a run without end:\n" + a.recurrence.Format(s))
		}
		b.WriteString("RESULT: unbounded\n")
	default:
		if !f.quiet {
			for _, r := range a.reasons {
				fmt.Fprintf(&b, "no bound: %s\n", r)
			}
			for _, t := range a.open {
				fmt.Fprintf(&b, "  %s\n", s.Format(&s.Transitions[t]))
			}
		}
		b.WriteString("RESULT: unknown\n")
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return &assay.EnvironmentError{Doing: "writing the answer", Err: err}
	}
	return exit(code)
}
