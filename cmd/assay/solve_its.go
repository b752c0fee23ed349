package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"assay"
	"assay/internal/its"
	"assay/internal/termination"
)

// itsFlags are the flags of `assay solve` for integer transition systems.
type itsFlags struct {
	property string
	certify  string
	timeout  time.Duration
	quiet    bool
	verbose  bool
}

// isITS says whether a file's name is that of an integer transition system.
func isITS(name string) bool {
	_, ok := its.Extensions[strings.ToLower(filepath.Ext(name))]
	return ok
}

// solveITSCommand is `assay solve` for integer transition systems.
func solveITSCommand() *cobra.Command {
	f := &itsFlags{property: "termination", certify: "on"}
	c := &cobra.Command{
		Use:   "solve [flags] file",
		Short: "Decide whether an integer transition system terminates",
		Long: `Decide whether every run of an integer transition system ends.

The file is in the format of KoAT (.koat) or T2 (.t2), or one of those of the
termination competition: SMT-LIB (.smt2) or ARI (.ari).

The first line of the output is YES, NO or MAYBE; then come the ranking functions
with their invariants, or a run that does not end: its stem, its loop, and a set
of states that the loop does not leave. Both have been checked with Z3.

Exit codes: 0 YES, 1 NO, 2 MAYBE, 3 wrong use or input, 4 a bug of assay.`,
		Example: "  assay solve loop.t2\n  assay solve --timeout 60s -q loop.koat",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return f.solve(ctx, os.Stdout, args[0])
		},
	}
	flags := c.Flags()
	flags.Var(choiceValue{&f.property, []string{"termination"}}, "property", "what is asked")
	flags.Var(choiceValue{&f.certify, []string{"on", "off"}}, "certify", "whether the evidence is checked independently")
	flags.Var(durationValue{&f.timeout}, "timeout", "stop after this time, for example 10s or 2m")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print the first line only")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "print the work on the standard error")
	flags.SortFlags = false
	return c
}

// readITS reads a file of one of the formats.
func readITS(name string) (*its.System, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, &assay.InputError{Message: err.Error()}
	}
	s, err := its.Read(name, string(text))
	var syntax *its.ParseError
	if errors.As(err, &syntax) {
		return nil, &assay.InputError{Pos: assay.Position{File: syntax.File, Line: syntax.Line}, Message: syntax.Message}
	}
	return s, err
}

// solve decides a file and prints the answer in the form of the termination
// competition.
func (f *itsFlags) solve(ctx context.Context, w io.Writer, name string) error {
	s, err := readITS(name)
	if err != nil {
		return err
	}
	if f.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.timeout)
		defer cancel()
	}
	a, err := termination.Decide(ctx, s, termination.Options{Uncertified: f.certify == "off"})
	if err != nil {
		return &assay.EnvironmentError{Doing: "solving " + name, Err: err}
	}
	line, detail, code, work := "MAYBE", "", exitUnknown, termination.Stats{}
	switch a := a.(type) {
	case termination.Terminates:
		line, detail, code, work = "YES", a.Argument.Format(s), exitTrue, a.Stats
	case termination.Diverges:
		line, detail, code, work = "NO", a.Recurrence.Format(s), exitFalse, a.Stats
	case termination.Unknown:
		work = a.Stats
		detail = strings.Join(append(a.Reasons, "may be taken for ever:"), "\n") + "\n  " + strings.Join(slices.Compact(a.Open), "\n  ") + "\n"
		if a.Open == nil {
			detail = strings.Join(a.Reasons, "\n") + "\n"
		}
	default:
		panic(fmt.Sprintf("unexpected %T", a))
	}
	if f.quiet {
		detail = ""
	}
	if _, err := fmt.Fprintf(w, "%s\n%s", line, detail); err != nil {
		return &assay.EnvironmentError{Doing: "writing the answer", Err: err}
	}
	if f.verbose {
		fmt.Fprintf(errorOutput(), "%+v\n", work)
	}
	return exit(code)
}
