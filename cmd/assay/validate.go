package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"assay"
	"assay/internal/tools/report"
	"assay/internal/user/validate"
)

// validateHelp explains the end of a run.
const validateHelp = `The last line of the output (exit code):
  RESULT: confirmed  correctness: the property and every invariant are proved, a certificate was checked;
                     violation: a run along the witness violates the property, and was replayed (0)
  RESULT: rejected   correctness: an invariant fails, or the property; violation: no run along the witness
                     violates the property, which is proved (1)
  RESULT: unknown    neither, and the output says why (2)
Without a result: wrong use, or a witness that is none, or of another program (3), a bug of assay (4).
`

// validateCommand is `assay validate`.
func validateCommand() *cobra.Command {
	f := &checkFlags{}
	var file string
	var anyProgram bool
	all := f.groups()
	question := pflag.NewFlagSet("", pflag.ContinueOnError)
	question.StringVar(&file, "witness", "", "the witness: a `file` in YAML, format 2.0 or 2.1")
	question.BoolVar(&anyProgram, "any-program", false, "judge a witness whose hashes are those of other files")
	question.AddFlag(all.lookup("property"))
	question.AddFlag(all.lookup("spec"))
	c := &cobra.Command{
		Use:   "validate --witness w.yml [flags] file.c…",
		Short: "Judge a witness of any tool: whether its proof or its run is one of the program",
		Long: `Judge a witness of any tool: whether its proof or its run is one of the program.

A correctness witness is confirmed if the property is proved with its invariants, each of which must hold; a
violation witness if a run along its waypoints violates the property at its target. Nothing is believed of a witness: an
expression that changes something, a place that the program does not have, a file that is another one end
with a message. Property and data model are those of the witness, unless they are given.
`,
		Example: `  assay check --witness w.yml f.c
  assay validate --witness w.yml f.c
  assay validate --witness cpachecker.yml --spec unreach-call.prp --timeout 1m f.c`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, files []string) error {
			f.task.Files = files
			if file == "" {
				return &usageError{text: "no witness: use --witness w.yml"}
			}
			if err := f.complete(c.Flags()); err != nil {
				return err
			}
			if !c.Flags().Changed("data-model") {
				f.task.Program.DataModel = ""
			}
			if !c.Flags().Changed("unmodelled") {
				f.task.Program.Unmodelled = assay.UnmodelledPure // as the competition, whose formats these are
			}
			return f.validate(file, anyProgram)
		},
	}
	groups{
		{"The witness", question}, all.titled(programTitle), all.titled(limitsTitle), all.chosen(outputTitle, "json", "trace", "quiet", "log"),
	}.describe(c, validateHelp)
	_ = c.MarkFlagFilename("witness", "yml", "yaml")
	return c
}

// validate judges the witness and prints the judgement.
func (f *checkFlags) validate(file string, anyProgram bool) error {
	if f.log != "" {
		log, err := os.Create(f.log)
		if err != nil {
			return &assay.EnvironmentError{Doing: "writing the log", Err: err}
		}
		defer log.Close()
		f.task.Log = log
	}
	ctx, limit := limited(f.wallTime(), f.memory, func(why string) int {
		fmt.Printf("unknown: %s\nRESULT: unknown\n", why)
		return exitUnknown
	})
	j, err := assay.Validate(ctx, f.task, file, anyProgram)
	limit.finish()
	if err != nil {
		return err
	}
	if err := printJudgement(context.Background(), os.Stdout, j, f); err != nil {
		return &assay.EnvironmentError{Doing: "writing the judgement", Err: err}
	}
	switch j.Outcome {
	case validate.Confirmed:
		return exit(exitTrue)
	case validate.Rejected:
		return exit(exitFalse)
	}
	return exit(exitUnknown)
}

// printJudgement prints a judgement for people, or as JSON.
func printJudgement(ctx context.Context, w io.Writer, j *assay.Judgement, f *checkFlags) error {
	if f.show.JSON {
		out := map[string]any{"outcome": j.Outcome, "witness": map[bool]string{true: "violation", false: "correctness"}[j.Violation], "why": j.Why}
		if len(j.Findings) > 0 {
			out["elements"] = j.Findings
		}
		if len(j.Reasons) > 0 {
			out["reasons"] = j.Reasons
		}
		if len(j.Notes) > 0 {
			out["notes"] = j.Notes
		}
		if j.Certificate != nil {
			out["certificate"] = j.Certificate
		}
		if r := assay.Counterexample(j, f.task.Files); r != nil && !f.show.Quiet {
			out["place"] = j.Broken
			var steps []assay.Step
			if err := r.Trace(ctx, func(s assay.Step) error { steps = append(steps, s); return nil }); err != nil {
				return err
			}
			out["trace"] = steps
		}
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(out)
	}
	if !f.show.Quiet {
		for _, x := range j.Findings {
			text := fmt.Sprintf("line %d: %s at %s: %s: %s", x.Line, strings.ReplaceAll(x.Type, "_", " "), x.At, x.Text, x.Status)
			if x.Why != "" {
				text += ", " + x.Why
			}
			fmt.Fprintln(w, text)
		}
		for _, n := range j.Notes {
			fmt.Fprintln(w, "note: "+n)
		}
		fmt.Fprintf(w, "%s: %s\n", j.Outcome, j.Why)
		for _, r := range j.Reasons {
			fmt.Fprintf(w, "  %s\n", strings.TrimPrefix(r.Pos.String()+": "+r.Text, ": "))
		}
		if c := j.Certificate; c != nil && c.Checker != "" && j.Outcome != validate.Rejected {
			fmt.Fprintf(w, "certificate: accepted by %s\n", c.Checker)
		}
		if r := assay.Counterexample(j, f.task.Files); r != nil {
			var b strings.Builder
			if err := report.Write(ctx, &b, r, f.show); err != nil {
				return err
			}
			text := b.String()
			if i := strings.LastIndex(text, "RESULT: "); i >= 0 {
				text = text[:i]
			}
			fmt.Fprintf(w, "\n%s", text)
		}
	}
	_, err := fmt.Fprintf(w, "RESULT: %s\n", j.Outcome)
	return err
}
