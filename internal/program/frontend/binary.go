package frontend

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"assay/internal/program/binary/image"
	"assay/internal/program/binary/lift"
	"assay/internal/program/stackusage"
)

// This file takes x86-64 programs: package lift makes C of them, which is compiled as any other, with
// arithmetic that wraps.

// liftedArgs are clang's for lifted programs.
var liftedArgs = []string{"-fwrapv", "-fno-strict-aliasing", "-fno-delete-null-pointer-checks", "-fno-builtin", "-w"}

// IsBinary says whether a file is an ELF file.
func IsBinary(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	magic := make([]byte, 4)
	_, err = f.Read(magic)
	return err == nil && bytes.Equal(magic, []byte("\x7fELF"))
}

// Lift is the C of a binary. Functions that the binary does not define, and that have no model, may be called if they are pure.
func Lift(file string, o lift.Options, pure bool) (*lift.Program, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, inputError(file, errors.Unwrap(err).Error())
	}
	if pure {
		models := modelIndex()
		o.Unmodelled = func(name string) bool { return models[name] == "" && externals[name] == nil }
	}
	p, err := lift.Lift(file, content, o)
	var damaged *image.Error
	var unlifted *lift.Error
	switch {
	case errors.As(err, &damaged):
		return nil, inputError(file, damaged.Reason)
	case errors.As(err, &unlifted):
		return nil, inputError(file, unlifted.Reason)
	}
	return p, err
}

// LabelName is the label of C that stands for a place of a binary that a user names.
func LabelName(text string) string { return lift.LabelName(text) }

// lifted puts the C of a binary in the place of the file, in a folder that the caller removes.
func lifted(o *Options) (folder string, err error) {
	if !slices.ContainsFunc(o.Files, IsBinary) {
		return "", nil
	}
	if len(o.Files) > 1 {
		return "", inputError(o.Files[0], "a binary is a whole program: give it alone")
	}
	if o.DataModel != LP64 {
		return "", inputError(o.Files[0], "an x86-64 program has the data model lp64")
	}
	p, err := Lift(o.Files[0], lift.Options{Entry: o.entry(), Label: o.Label, Memory: o.BinaryMemory, Frees: o.BinaryFrees}, o.PureUnmodelled)
	if err != nil {
		return "", err
	}
	if folder, err = os.MkdirTemp("", "assay-lifted-"); err != nil {
		return "", &EnvironmentError{What: "writing the lifted program", Err: err}
	}
	name := filepath.Base(o.Files[0]) + ".c"
	file := filepath.Join(folder, name)
	if err := os.WriteFile(file, []byte("#line 1 "+strconv.Quote(name)+"\n"+p.Text), 0o600); err != nil {
		os.RemoveAll(folder)
		return "", &EnvironmentError{What: "writing the lifted program", Err: err}
	}
	if o.Function = p.Entry; p.Entry == "main" {
		o.Function = ""
	}
	o.Files, o.ExtraArgs = []string{file}, slices.Concat(o.ExtraArgs, liftedArgs)
	o.stack = p.Stack
	return folder, nil
}

// framesOf are the stack frames of a binary, as the machine has them; nil if the program is none.
func framesOf(stack map[string]lift.Usage) *stackusage.Frames {
	if stack == nil {
		return nil
	}
	f := &stackusage.Frames{Compiler: "the machine code", Bytes: map[string]int64{}, Dynamic: map[string]bool{}}
	for name, u := range stack {
		f.Bytes[name] = u.Bytes
		if u.Dynamic {
			f.Dynamic[name] = true
		}
	}
	return f
}
