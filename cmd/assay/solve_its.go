package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay"
	"assay/internal/certify/accept"
	"assay/internal/integers/its"
	"assay/internal/integers/termination"
)

// itsFlags are the flags of `assay solve` for integer transition systems.
type itsFlags struct {
	certify string
	quiet   bool
	verbose bool
	json    bool   // of answers about formulas
	tree    string // a file for a picture of them
}

// isITS says whether a file's name is that of an integer transition system.
func isITS(name string) bool {
	_, ok := its.Extensions[strings.ToLower(filepath.Ext(name))]
	return ok
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
func (f *itsFlags) solve(ctx context.Context, limit *limit, w io.Writer, name string) error {
	s, err := readITS(name)
	if err != nil {
		return err
	}
	a, err := termination.Decide(ctx, s, termination.Options{Accept: accept.IntegerSystem, Uncertified: f.certify == "off"})
	limit.finish()
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
