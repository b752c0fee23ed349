package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"assay"
	"assay/internal/tools/report"
	"assay/internal/tools/sarif"
	"assay/internal/tools/webpage"
)

// reports are the files that `assay check` writes beside what it prints.
type reports struct {
	sarif string
	html  string
	// witness is where the witness goes, witnessFormat how.
	witness, witnessFormat string
	certificate            string
	outputs                []output
	begin                  time.Time
}

// flags declares all of them.
func (r *reports) flags(set *pflag.FlagSet) {
	r.findingFlags(set)
	set.StringVar(&r.witness, "witness", "", "write a witness of the answer to this `file`, for other verifiers (assay validate): YAML, or GraphML if it ends in .graphml")
	r.witnessFormat = assay.WitnessFormats[0]
	set.StringVar(&r.certificate, "certificate", "", "write the check of a proof to this `file`, a script (SMT-LIB) of which any SMT solver must say unsat")
	set.Var(choiceValue{&r.witnessFormat, assay.WitnessFormats}, "witness-format", "its format; auto is 2.0, or 2.1 where something needs it")
}

// findingFlags declares those that may be about many questions at once.
func (r *reports) findingFlags(set *pflag.FlagSet) {
	set.StringVar(&r.sarif, "sarif", "", "write the findings, with their traces, to this `file` in the format SARIF 2.1.0")
	set.StringVar(&r.html, "html", "", "write a page for a browser to this `file`: the source with a mark for each check, the trace step by step, the proof")
}

// start notes the time, and finds out before a long run whether the files can be written.
func (r *reports) start() error {
	r.begin = time.Now()
	for _, name := range []string{r.sarif, r.html, r.witness, r.certificate} {
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
func (r *reports) asked() bool {
	return r.sarif != "" || r.html != "" || r.witness != "" || r.certificate != ""
}

// alone is the error of questions that have no reports.
func (r *reports) alone(question string) error {
	if !r.asked() {
		return nil
	}
	return &assay.InputError{Message: "--sarif, --html, --witness and --certificate are not for " + question, Hint: "leave them out; --json may be what you look for"}
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
	if f.reports.html != "" {
		o := f.pageOptions(r)
		if err := toFile(f.reports.html, func(w io.Writer) error { return webpage.Write(ctx, w, r, o) }); err != nil {
			return err
		}
	}
	return f.reports.writeOutputs(f.show.Quiet)
}

// output is a witness or a certificate on its way into a file.
type output struct {
	file, what string
	text       *bytes.Buffer
	witness    *assay.WitnessOutput
}

// ask asks for the witness and the certificate.
func (r *reports) ask(t *assay.Task) {
	add := func(file, what, format string) {
		if file != "" {
			o := output{file: file, what: what, text: &bytes.Buffer{}}
			o.witness = &assay.WitnessOutput{To: o.text, Format: format}
			t.Witnesses, r.outputs = append(t.Witnesses, o.witness), append(r.outputs, o)
		}
	}
	format := r.witnessFormat
	if e := filepath.Ext(r.witness); format == assay.WitnessFormats[0] && (e == ".graphml" || e == ".xml") {
		format = "graphml"
	}
	add(r.witness, "witness", format)
	add(r.certificate, "certificate", assay.Script)
}

// writeOutputs writes the files, and says what is not part of them. If there is nothing to write, there is no file.
func (r *reports) writeOutputs(quiet bool) error {
	for _, o := range r.outputs {
		if !o.witness.Written {
			os.Remove(o.file)
		} else if err := toFile(o.file, func(w io.Writer) error { _, err := w.Write(o.text.Bytes()); return err }); err != nil {
			return err
		}
		switch left := o.witness.Left; {
		case quiet || len(left) == 0:
		case !o.witness.Written:
			fmt.Fprintf(errorOutput(), "no %s: %s\n", o.what, left[0])
		default:
			fmt.Fprintf(errorOutput(), "%s leaves out:\n  %s\n", o.file, strings.Join(left, "\n  "))
		}
	}
	return nil
}

// graphTime is how long the picture of a graph may take.
const graphTime = 20 * time.Second

// pageOptions are what a page says beside the result.
func (f *checkFlags) pageOptions(r *assay.Result) webpage.Options {
	o := webpage.Options{FullTrace: f.show.FullTrace, Command: "assay " + strings.Join(os.Args[1:], " ")}
	if !f.reports.begin.IsZero() && !f.task.Engine.Deterministic {
		o.When = f.reports.begin.Format("2006-01-02 15:04")
	}
	if c := r.Certificate; c != nil && c.Nodes > 0 {
		ctx, stop := context.WithTimeout(context.Background(), graphTime)
		defer stop()
		var picture bytes.Buffer
		t := f.task
		t.Progress, t.Log, t.Dump = nil, nil, nil
		if _, err := assay.Graph(ctx, t, &picture, assay.GraphOptions{Format: "svg", Boxes: 200}); err != nil {
			o.NoGraph = err.Error()
		} else {
			o.Graph = picture.Bytes()
		}
	}
	return o
}

// failed writes the reports of a run without result, and explains the error.
func (r *reports) failed(err error, o sarif.Options) int {
	code := explain(err)
	if r.sarif != "" {
		log := sarif.New(o)
		var input *assay.InputError
		var where assay.Position
		if errors.As(err, &input) {
			where = input.Pos
		}
		log.Failed(err, where)
		if err := toFile(r.sarif, func(w io.Writer) error { return log.Write(w, code) }); err != nil {
			explain(err)
		}
	}
	return code
}

func (f *checkFlags) sarifOptions() sarif.Options {
	directory, _ := os.Getwd()
	o := sarif.Options{Arguments: os.Args[1:], Directory: directory, FullTrace: f.show.FullTrace}
	if !f.task.Engine.Deterministic {
		o.Begin, o.End = f.reports.begin, time.Now()
	}
	return o
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
