package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"assay"
	"assay/internal/program/binary/lift"
	"assay/internal/program/frontend"
)

// liftCommand is `assay lift`.
func liftCommand() *cobra.Command {
	var function, entry, label, out string
	c := &cobra.Command{
		Use:   "lift [flags] a.out",
		Short: "Print an x86-64 program as C",
		Long: `Prints the C that stands for an x86-64 ELF file (an executable, or an object file) when
assay check is asked about it: each function that the first one can reach, with its
instructions as statements, with registers and places of the stack as variables, and with
the data of the symbol table as objects. What is not supported calls
__assay_unsupported, with the address, the instruction and the reason. Debugging information
(-g) gives variables their names and types, and statements their lines; without it answers
give lines of this C.

Runs start in main, also of files without symbols, where the C library is told where it is;
else in --function (by symbol) or --entry (by address). Inputs are the functions
__VERIFIER_nondet_T, nondet_T and nondet, errors are reach_error, __VERIFIER_error and
__assert_fail: by the symbol table, also where the file defines them, or by the names of
what it gets from libraries. Of a binary can be asked: ` + binaryProperties + `.`,
		Example: "  gcc -O1 -g -o a.out f.c && assay lift a.out > lifted.c\n  assay check --property termination a.out\n" +
			"  assay check --entry 0x1139 --label 0x1190 --replay=native stripped.out",
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if entry != "" {
				if c.Flags().Changed("function") {
					return entryOf(args, entry, &function)
				}
				function = ""
				if err := entryOf(args, entry, &function); err != nil {
					return err
				}
			}
			p, err := frontend.Lift(args[0], lift.Options{Entry: function, Label: label}, false)
			var input *frontend.InputError
			if errors.As(err, &input) {
				return &assay.InputError{Message: input.Error(), Verbatim: true}
			}
			if err != nil {
				return &assay.InternalError{Phase: "lifting " + args[0], Panic: err}
			}
			if out != "" {
				err = os.WriteFile(out, []byte(p.Text), 0o644)
			} else {
				_, err = io.WriteString(c.OutOrStdout(), p.Text)
			}
			if err != nil {
				return &assay.EnvironmentError{Doing: "writing the program", Err: err}
			}
			return nil
		},
	}
	c.Flags().StringVar(&function, "function", "main", "the `function` to begin with")
	c.Flags().StringVar(&entry, "entry", "", "the `address` to begin at, 0x…, for files without symbols; in an object file it counts from the start of .text")
	c.Flags().StringVar(&label, "label", "", "a `label`, symbol or address 0x… that becomes a label of the C")
	c.Flags().StringVarP(&out, "output", "o", "", "write to this `file`")
	return c
}

// ofBinaries are the properties that a binary can be asked about: others are about what C leaves undefined, which a
// binary does not have any more.
var ofBinaries = []assay.Property{assay.UnreachCall, assay.UnreachLabel, assay.ValidDeref, assay.ValidFree, assay.ValidCleanup, assay.Termination, assay.LTL}

// binaryProperties are their names, and those that are asked in other ways.
const binaryProperties = "unreach-call, unreach-label (--label), valid-deref, valid-free, valid-memcleanup, termination, ltl, ctl (--semantics wrap), bound"

// checkBinary rejects what makes no sense for binaries, and completes what does.
func checkBinary(t *assay.Task, entry string) error {
	isBinary := slices.ContainsFunc(t.Files, frontend.IsBinary)
	if entry != "" {
		if err := entryOf(t.Files, entry, &t.Program.Function); err != nil {
			return err
		}
	}
	if !isBinary {
		return nil
	}
	for _, p := range t.Properties {
		if !slices.Contains(ofBinaries, p) {
			return &assay.InputError{Message: fmt.Sprintf("%s is not a property of binaries: what C leaves undefined, machine code has decided", p), Hint: "of a binary can be asked: " + binaryProperties + "; ask about the source for others"}
		}
	}
	if t.Engine.EachCheck && slices.ContainsFunc(t.Properties, func(p assay.Property) bool {
		return p == assay.ValidDeref || p == assay.ValidFree || p == assay.ValidCleanup
	}) {
		return &assay.InputError{Message: "--all is not for memory safety of binaries: each violation needs a run of the binary", Hint: "leave out --all"}
	}
	if s := t.Program.Semantics; s != "" && s != assay.SemanticsC && s != assay.SemanticsWrap {
		return &assay.InputError{Message: fmt.Sprintf("--semantics %s is not for binaries: their arithmetic is the machine's", s)}
	}
	return nil
}

// entryOf makes the address in a binary the function where runs start.
func entryOf(files []string, entry string, function *string) error {
	switch {
	case !slices.ContainsFunc(files, frontend.IsBinary):
		return &assay.InputError{Message: "--entry is for binaries", Hint: "name a function by --function"}
	case *function != "":
		return &assay.InputError{Message: "--entry and --function both say where to start", Hint: "leave out one of them"}
	case len(entry) < 3 || entry[0] != '0' || entry[1]|' ' != 'x':
		return &assay.InputError{Message: fmt.Sprintf("--entry %s is no address", entry), Hint: "write 0x and hexadecimal digits; functions with a symbol are named by --function"}
	}
	*function = entry
	return nil
}
