package main

import (
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"assay"
	"assay/internal/program/target"
	"assay/internal/tools/rewrite"
)

// rewriteCommand is `assay rewrite`.
func rewriteCommand() *cobra.Command {
	var f struct {
		bitwise, weaken bool
		include, define []string
		dataModel, out  string
	}
	f.dataModel = "lp64"
	c := &cobra.Command{
		Use:   "rewrite --bitwise [flags] FILE.c",
		Short: "Print a C program that is easier for other verifiers",
		Long: `Prints the C program in which operations that verifiers over the integers are bad at
are calls of functions with branches: --bitwise, of & | ^ ~ << and >>, by the rules of
bitwise branching. Without --weaken the program computes the same. With it, what no rule
rewrites is any number that satisfies the weakening rules, by __VERIFIER_nondet_int
and __VERIFIER_assume: each run of the program is one of the result. A file with preprocessor
directives is preprocessed first. Assignments like p->x &= y, and constant expressions, stay.`,
		Example: "  assay rewrite --bitwise f.c > g.c\n  assay rewrite --bitwise --weaken -m32 -o g.c f.c",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if !f.bitwise {
				return &assay.InputError{Message: "what is to be rewritten? --bitwise is there"}
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
			text, err := rewrite.Bitwise(c.Context(), args[0], flags, bits, f.weaken)
			var wrong *rewrite.Error
			switch {
			case errors.As(err, &wrong):
				return &assay.InputError{Message: wrong.Text}
			case err != nil:
				return &assay.EnvironmentError{Doing: "rewriting " + args[0], Err: err}
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
		},
	}
	flags := c.Flags()
	flags.BoolVar(&f.bitwise, "bitwise", false, "rewrite bit operations")
	flags.BoolVar(&f.weaken, "weaken", false, "weaken what no rule rewrites")
	flags.Var(choiceValue{&f.dataModel, []string{"ilp32", "lp64"}}, "data-model", "sizes of the C types; -m32 and -m64 are understood, too")
	flags.StringArrayVarP(&f.include, "include", "I", nil, "`folder` of headers")
	flags.StringArrayVarP(&f.define, "define", "D", nil, "`macro` of the preprocessor, NAME or NAME=VALUE")
	flags.StringVarP(&f.out, "out", "o", "", "write the program to this `file`")
	flags.SortFlags = false
	return c
}
