package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"assay"
	"assay/internal/program/frontend"
)

// liftCommand is `assay lift`.
func liftCommand() *cobra.Command {
	var function, out string
	c := &cobra.Command{
		Use:   "lift [flags] a.out",
		Short: "Print an x86-64 program as C",
		Long: `Prints the C that stands for an x86-64 ELF file (an executable, or an object file) when
assay check is asked about it: each function that the first one can reach, with its
instructions as statements, with registers and places of the stack as variables, and with
the data of the symbol table as objects. What is not supported calls
__assay_unsupported, with the address, the instruction and the reason. Debugging information
(-g) gives variables their names and types, and statements their lines.`,
		Example: "  gcc -O1 -g -o a.out f.c && assay lift a.out > lifted.c\n  assay check --property termination a.out",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			text, err := frontend.Lift(args[0], function, false)
			var input *frontend.InputError
			if errors.As(err, &input) {
				return &assay.InputError{Message: input.Error(), Verbatim: true}
			}
			if err != nil {
				return &assay.InternalError{Phase: "lifting " + args[0], Panic: err}
			}
			if out != "" {
				err = os.WriteFile(out, []byte(text), 0o644)
			} else {
				_, err = io.WriteString(c.OutOrStdout(), text)
			}
			if err != nil {
				return &assay.EnvironmentError{Doing: "writing the program", Err: err}
			}
			return nil
		},
	}
	c.Flags().StringVar(&function, "function", "main", "the `function` to begin with")
	c.Flags().StringVarP(&out, "output", "o", "", "write to this `file`")
	return c
}

// ofBinaries are the properties that a binary can be asked about: others are about what C leaves undefined, which a
// binary does not have any more.
var ofBinaries = []assay.Property{assay.UnreachCall, assay.Termination, assay.LTL}

// checkBinary rejects what makes no sense for binaries.
func checkBinary(t *assay.Task) error {
	if !slices.ContainsFunc(t.Files, frontend.IsBinary) {
		return nil
	}
	for _, p := range t.Properties {
		if !slices.Contains(ofBinaries, p) {
			return &assay.InputError{Message: fmt.Sprintf("%s is not a property of binaries", p), Hint: "there: unreach-call, termination, ltl; ask about the source for others"}
		}
	}
	if s := t.Program.Semantics; s != "" && s != assay.SemanticsC && s != assay.SemanticsWrap {
		return &assay.InputError{Message: fmt.Sprintf("--semantics %s is not for binaries: their arithmetic is the machine's", s)}
	}
	return nil
}
