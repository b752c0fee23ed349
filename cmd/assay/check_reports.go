package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/spf13/pflag"

	"assay"
	"assay/internal/tools/report"
	"assay/internal/tools/sarif"
)

// reports are the files that `assay check` writes beside what it prints.
type reports struct {
	sarif string
	begin time.Time
}

// flags declares them.
func (r *reports) flags(set *pflag.FlagSet) {
	set.StringVar(&r.sarif, "sarif", "", "write the findings, with their traces, to this `file` in the format SARIF 2.1.0")
}

// start notes the time, and finds out before a long run whether the files can be written.
func (r *reports) start() error {
	r.begin = time.Now()
	for _, name := range []string{r.sarif} {
		if name == "" {
			continue
		}
		file, err := os.Create(name)
		if err != nil {
			return &assay.EnvironmentError{Doing: "writing a report", Err: err}
		}
		file.Close()
	}
	return nil
}

// asked says whether some report is wanted.
func (r *reports) asked() bool { return r.sarif != "" }

// alone is the error of questions that have no reports.
func (r *reports) alone(question string) error {
	if !r.asked() {
		return nil
	}
	return &assay.InputError{Message: "--sarif is not for " + question, Hint: "leave it out; --json may be what you look for"}
}

// deliver writes the reports of a result, and prints it. The error is the exit code.
func (f *checkFlags) deliver(w io.Writer, r *assay.Result) error {
	if err := f.writeReports(r); err != nil {
		return err
	}
	return printResult(w, r, f.show)
}

// writeReports writes the reports of a result.
func (f *checkFlags) writeReports(r *assay.Result) error {
	// What is known is told even if the run was interrupted.
	ctx := context.Background()
	if f.reports.sarif != "" {
		log := sarif.New(f.sarifOptions())
		log.Add(ctx, r)
		if err := toFile(f.reports.sarif, func(w io.Writer) error { return log.Write(w, exitCode(r)) }); err != nil {
			return err
		}
	}
	return nil
}

// failed writes the reports of a run without result, and explains the error.
func (f *checkFlags) failed(err error) int {
	code := explain(err)
	if f.reports.sarif != "" {
		log := sarif.New(f.sarifOptions())
		var input *assay.InputError
		var where assay.Position
		if errors.As(err, &input) {
			where = input.Pos
		}
		log.Failed(err, where)
		if err := toFile(f.reports.sarif, func(w io.Writer) error { return log.Write(w, code) }); err != nil {
			explain(err)
		}
	}
	return code
}

func (f *checkFlags) sarifOptions() sarif.Options {
	directory, _ := os.Getwd()
	return sarif.Options{
		Arguments: os.Args[1:], Directory: directory, Begin: f.reports.begin, End: time.Now(), FullTrace: f.show.FullTrace,
	}
}

// toFile writes a file as a whole.
func toFile(name string, write func(io.Writer) error) error {
	var all bytes.Buffer
	err := write(&all)
	if err == nil {
		err = os.WriteFile(name, all.Bytes(), 0o666)
	}
	if err != nil {
		return &assay.EnvironmentError{Doing: "writing " + name, Err: err}
	}
	return nil
}

// exitCode is the exit code of a result.
func exitCode(r *assay.Result) int {
	switch r.Answer {
	case assay.True:
		return exitTrue
	case assay.False:
		return exitFalse
	}
	return exitUnknown
}

// printResult prints a result and returns its exit code as an error.
func printResult(w io.Writer, r *assay.Result, o report.Options) error {
	// The trace is printed even if the run was interrupted.
	if err := report.Write(context.Background(), w, r, o); err != nil {
		return &assay.EnvironmentError{Doing: "writing the result", Err: err}
	}
	return exit(exitCode(r))
}
