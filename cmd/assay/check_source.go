package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"assay"
	"assay/internal/program/frontend"
	"assay/internal/tools/report"
	"assay/internal/tools/validation"
)

// This file is `assay check f.c --binary a.out`: the same question about both, and why the answers differ.

// checkBoth decides source and binary, and prints the comparison.
func (f *checkFlags) checkBoth() error {
	t := &f.task
	switch {
	case !frontend.IsBinary(f.binary):
		if _, err := os.Stat(f.binary); err != nil {
			return &assay.InputError{Message: "--binary: " + err.Error()}
		}
		return &assay.InputError{Message: "--binary: " + f.binary + " is no ELF file", Hint: "give an executable or an object file for x86-64"}
	case slices.ContainsFunc(t.Files, frontend.IsBinary):
		return &assay.InputError{Message: "--binary compares source and binary, but a binary is given as the source", Hint: "usage: assay check f.c --binary a.out"}
	case f.ctl != "" || asksBound(f.property) || t.Engine.EachCheck || f.entry != "":
		return &assay.InputError{Message: "--binary compares the answers to unreach-call, unreach-label, termination and ltl", Hint: "leave out --ctl, --all, --entry and bounds, or ask source and binary in runs of their own"}
	case t.Program.DataModel == assay.ILP32:
		return &assay.InputError{Message: "--binary: an x86-64 program has the data model lp64", Hint: "leave out -m32"}
	}
	asked := *t
	if asked.Files = []string{f.binary}; len(asked.Properties) == 0 {
		asked.Properties = []assay.Property{assay.UnreachCall}
	}
	if err := checkBinary(&asked, ""); err != nil {
		return err
	}
	channel, err := openChild(f.memory)
	if err != nil {
		return err
	}
	ctx, limit := limited(0, 0, func(why string) int {
		fmt.Printf("no answer: %s\nRESULT: unknown\n", why)
		channel.done()
		return exitUnknown
	})
	c, err := validation.Compare(ctx, *t, f.binary)
	limit.finish()
	if err != nil {
		code := explain(err)
		channel.done()
		return exit(code)
	}
	err = f.printComparison(os.Stdout, c)
	channel.done()
	return err
}

// printComparison prints it, and returns the exit code as an error.
func (f *checkFlags) printComparison(out io.Writer, c *validation.Comparison) error {
	w := bufio.NewWriter(out)
	var err error
	switch {
	case f.show.JSON:
		err = f.comparisonJSON(w, c)
	default:
		if !f.show.Quiet {
			err = f.explainComparison(w, c)
		}
		fmt.Fprintf(w, "RESULT: %s\n", c.Line())
	}
	if flushed := w.Flush(); err == nil {
		err = flushed
	}
	if err != nil {
		return &assay.EnvironmentError{Doing: "writing the result", Err: err}
	}
	switch {
	case c.Verdict() == validation.Open:
		return exit(exitUnknown)
	case c.Verdict() == validation.Same && c.Binary.Answer == assay.True:
		return exit(exitTrue)
	}
	return exit(exitFalse)
}

// explainComparison prints both answers and what they have to do with each other.
func (f *checkFlags) explainComparison(w io.Writer, c *validation.Comparison) error {
	for k, r := range []*assay.Result{c.Source, c.Binary} {
		if k > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "== %s ==\n", strings.Join(r.Files, ", "))
		var b bytes.Buffer
		if err := report.Write(context.Background(), &b, r, f.show); err != nil {
			return err
		}
		text, _, _ := strings.Cut(b.String(), "RESULT: ")
		fmt.Fprintf(w, "%s%s: %s\n", text, []string{"source", "binary"}[k], r.Line())
		if k == 0 && c.Semantics != "" {
			fmt.Fprintf(w, "(C leaves this open, for it depends on signed overflow: this is the answer under --semantics %s)\n", c.Semantics)
		}
	}
	fmt.Fprintln(w)
	switch c.Verdict() {
	case validation.Same:
		fmt.Fprintln(w, "source and binary agree")
	case validation.Open:
		fmt.Fprintln(w, "source and binary cannot be compared: one of the answers is unknown")
	case validation.Differs:
		explainDifference(w, c)
	}
	return nil
}

func explainDifference(w io.Writer, c *validation.Comparison) {
	fmt.Fprintln(w, "source and binary differ")
	for _, r := range []*assay.Result{c.Source, c.Binary} {
		if v := r.Violation; v != nil {
			fmt.Fprintf(w, "  the run above of %s violates %s at %s, and the other has no such run\n", strings.Join(r.Files, ", "), r.Violated, v.Pos)
		}
	}
	if c.Compiler == "" {
		fmt.Fprintf(w, "not explained: %s\n", c.Reason)
		return
	}
	fmt.Fprintf(w, "compiled again with %s:\n", c.Compiler)
	for _, a := range c.Attempts {
		options, answer := strings.Join(a.Options, " "), a.Answer
		if options == "" {
			options = "as it is"
		}
		if answer == "" || answer == string(assay.Unknown) {
			answer = "unknown: " + a.Why
		}
		fmt.Fprintf(w, "  %s: %s\n", options, answer)
	}
	if len(c.Explained) == 0 {
		fmt.Fprintf(w, "not explained: %s\n", c.Reason)
		return
	}
	fmt.Fprintf(w, "explained by %s: %s\n", strings.Join(c.Explained, " "), c.Reason)
	if u := c.Undefined; u != nil {
		fmt.Fprintf(w, "  the source does so at %s: %s\n", u.Pos, u.Text)
	}
}

// comparisonJSON prints one object.
func (f *checkFlags) comparisonJSON(w io.Writer, c *validation.Comparison) error {
	type attempt struct {
		Options []string `json:"options"`
		Result  string   `json:"result"`
		Why     string   `json:"why,omitempty"`
	}
	out := struct {
		Result    string          `json:"result"`
		Source    json.RawMessage `json:"source"`
		Binary    json.RawMessage `json:"binary"`
		Semantics string          `json:"semantics,omitempty"`
		Compiler  string          `json:"compiler,omitempty"`
		Attempts  []attempt       `json:"attempts,omitempty"`
		Explained []string        `json:"explained_by,omitempty"`
		Reason    string          `json:"reason,omitempty"`
		Undefined *assay.Place    `json:"undefined,omitempty"`
	}{Result: c.Line(), Semantics: string(c.Semantics), Compiler: c.Compiler, Explained: c.Explained, Reason: c.Reason, Undefined: c.Undefined}
	for r, to := range map[*assay.Result]*json.RawMessage{c.Source: &out.Source, c.Binary: &out.Binary} {
		var b bytes.Buffer
		if err := report.Write(context.Background(), &b, r, f.show); err != nil {
			return err
		}
		*to = bytes.TrimSpace(b.Bytes())
	}
	for _, a := range c.Attempts {
		out.Attempts = append(out.Attempts, attempt{append([]string{}, a.Options...), a.Answer, a.Why})
	}
	return json.NewEncoder(w).Encode(out)
}
