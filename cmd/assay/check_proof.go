package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"assay"
	"assay/internal/user/proofs"
)

// This file makes the task of a proof folder of CBMC's starter kit (--cbmc-project). What flags say beside it counts more.

// readProof reads the folder, if one is given.
func (f *checkFlags) readProof(flags *pflag.FlagSet) error {
	if f.proof == "" {
		return nil
	}
	if len(f.task.Files) > 0 {
		return &assay.InputError{Message: "--cbmc-project names the files itself", Hint: "leave out " + strings.Join(f.task.Files, " ")}
	}
	p, err := proofs.Read(f.proof)
	var wrong *proofs.Error
	switch {
	case errors.As(err, &wrong):
		return &assay.InputError{Pos: assay.Position{File: wrong.File, Line: wrong.Line}, Message: wrong.Text}
	case err != nil:
		return &assay.InputError{Message: err.Error()}
	}
	t := &f.task.Program
	f.task.Files = p.Files
	if t.Function == "" {
		t.Function = p.Function
	}
	if t.Std == "" {
		t.Std = p.Std
	}
	t.Include, t.Define, t.Undefine = append(p.Include, t.Include...), append(p.Define, t.Define...), append(p.Undefine, t.Undefine...)
	t.Arguments, t.Remove = append(p.Arguments, t.Arguments...), append(p.Remove, t.Remove...)
	t.FirstDefinition = true // as goto-cc links
	if !flags.Changed("malloc-may-fail") {
		t.MallocMayFail = p.MallocMayFail
	}
	if !flags.Changed("property") && f.spec == "" {
		if err := flags.Set("property", strings.Join(p.Properties, ",")); err != nil {
			return err
		}
	}
	if len(p.Ignored) > 0 {
		fmt.Fprintln(os.Stderr, "not asked, of CBMC's checks:", strings.Join(p.Ignored, ", "))
	}
	return nil
}
