package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assay"
	"assay/internal/program/target"
	"assay/internal/tools/rewrite"
)

// rewriteFlags are the flags of `assay rewrite`.
type rewriteFlags struct {
	bitwise, weaken bool
	linear, json    bool
	timeout         time.Duration
	include, define []string
	dataModel, out  string
}

// rewriteCommand is `assay rewrite`.
func rewriteCommand() *cobra.Command {
	var f rewriteFlags
	f.dataModel = "lp64"
	c := &cobra.Command{
		Use:   "rewrite (--bitwise | --linear) [flags] FILE.c",
		Short: "Print a C program that is easier for other verifiers",
		Long: `Prints the C program in which operations that verifiers over the integers are bad at
are calls of functions with branches: --bitwise, of & | ^ ~ << and >>, by the rules of
bitwise branching. Without --weaken the program computes the same. With it, what no rule
rewrites is any number that satisfies the weakening rules, by __VERIFIER_nondet_int
and __VERIFIER_assume: each run of the program is one of the result. Assignments like
p->x &= y, and constant expressions, stay.

--linear replaces comparisons with products, in the conditions of if, while, do, for
and ?:, by linear ones that have the same value in all states that reach them, over
mathematical integers: runs in which arithmetic overflows may differ. The table on
stderr says what each became (b_pos), its negation (b_neg), the equations between
products that this rests on, or why it stays, and what is proved to imply it, or its
negation. All claims are checked.

A file with preprocessor directives is preprocessed first.`,
		Example: "  assay rewrite --bitwise f.c > g.c\n  assay rewrite --bitwise --weaken -m32 -o g.c f.c\n  assay rewrite --linear --timeout 60s f.c > g.c",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c.Context(), args[0])
		},
	}
	flags := c.Flags()
	flags.BoolVar(&f.bitwise, "bitwise", false, "rewrite bit operations")
	flags.BoolVar(&f.linear, "linear", false, "rewrite comparisons with products in conditions")
	flags.BoolVar(&f.json, "json", false, "with --linear: write the table as JSON")
	flags.DurationVar(&f.timeout, "timeout", time.Minute, "with --linear: stop looking after this `time`; 0 is never")
	flags.BoolVar(&f.weaken, "weaken", false, "weaken what no rule rewrites")
	flags.Var(choiceValue{&f.dataModel, []string{"ilp32", "lp64"}}, "data-model", "sizes of the C types; -m32 and -m64 are understood, too")
	flags.StringArrayVarP(&f.include, "include", "I", nil, "`folder` of headers")
	flags.StringArrayVarP(&f.define, "define", "D", nil, "`macro` of the preprocessor, NAME or NAME=VALUE")
	flags.StringVarP(&f.out, "out", "o", "", "write the program to this `file`")
	flags.SortFlags = false
	return c
}

// run rewrites a file.
func (f *rewriteFlags) run(ctx context.Context, file string) error {
	if f.bitwise == f.linear {
		return &assay.InputError{Message: "what is to be rewritten? Either --bitwise or --linear says so"}
	}
	flags, bits := target.Flags(f.dataModel == "ilp32"), 64
	if f.dataModel == "ilp32" {
		bits = 32
	}
	for _, i := range f.include {
		flags = append(flags, "-I"+i)
	}
	for _, d := range f.define {
		flags = append(flags, "-D"+d)
	}
	var text string
	var err error
	if f.linear {
		if f.timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, f.timeout)
			defer cancel()
		}
		var l *rewrite.Linearized
		if l, err = rewrite.Linear(ctx, file, rewrite.LinearOptions{Flags: flags, ILP32: bits == 32}); err == nil {
			text = l.Text
			err = f.table(os.Stderr, l)
		}
	} else {
		text, err = rewrite.Bitwise(ctx, file, flags, bits, f.weaken)
	}
	var wrong *rewrite.Error
	switch {
	case errors.As(err, &wrong):
		return &assay.InputError{Message: wrong.Text}
	case err != nil:
		return &assay.EnvironmentError{Doing: "rewriting " + file, Err: err}
	}
	if f.out != "" {
		err = os.WriteFile(f.out, []byte(text), 0o644)
	} else {
		_, err = io.WriteString(os.Stdout, text)
	}
	if err != nil {
		return &assay.EnvironmentError{Doing: "writing the program", Err: err}
	}
	return nil
}

// table says what became of the conditions.
func (f *rewriteFlags) table(w io.Writer, l *rewrite.Linearized) error {
	if f.json {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		return e.Encode(l)
	}
	var b strings.Builder
	done := 0
	for i := range l.Conditions {
		c := &l.Conditions[i]
		fmt.Fprintf(&b, "%d:%d: %s\n", c.Line, c.Column, c.Old)
		if c.Replaced() {
			done++
			fmt.Fprintf(&b, "  b_pos  %s\n  b_neg  %s\n  proof  %s\n", c.Positive, c.Negative, c.Proof)
		} else {
			fmt.Fprintf(&b, "  stays  %s\n", c.Reason)
		}
		if c.Between != "" {
			fmt.Fprintf(&b, "  b_pos  %s, which implies it\n  b_neg  %s, which implies its negation\n  between  %s\n", c.Sufficient, c.Excluding, c.Between)
		}
		for _, e := range c.Because {
			fmt.Fprintf(&b, "  for    %s\n", e)
		}
		for _, e := range c.Known {
			fmt.Fprintf(&b, "  known  %s\n", e)
		}
		fmt.Fprintf(&b, "  time   %.3f s\n", c.Seconds)
	}
	fmt.Fprintf(&b, "%d of %d conditions with products replaced, over mathematical integers, in %.2f s\n", done, len(l.Conditions), l.Seconds)
	_, err := io.WriteString(w, b.String())
	return err
}
