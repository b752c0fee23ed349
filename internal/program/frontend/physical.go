package frontend

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"assay/internal/program/syntax"
)

// This file makes positions those of the files themselves. Line directives (# 12 "f.c") say otherwise: people want to see the places of
// the text that was preprocessed, but a witness is about the lines of the file that is given.

// Physical are the options with which clang reads the C files without their line directives; marked says that there are any. done
// removes what was written for that.
func (o *Options) Physical() (plain Options, marked bool, done func(), err error) {
	plain = *o
	folder := ""
	done = func() {
		if folder != "" {
			os.RemoveAll(folder)
		}
	}
	for i, name := range o.Files {
		if e := filepath.Ext(name); e != ".c" && e != ".i" {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return plain, marked, done, &InputError{Text: name + ": " + errors.Unwrap(err).Error()}
		}
		without, found, _ := syntax.WithoutLineDirectives(string(text))
		if !found {
			continue
		}
		if !marked {
			if folder, err = os.MkdirTemp("", "assay-physical-"); err != nil {
				return plain, marked, done, &EnvironmentError{What: "writing the program without line directives", Err: err}
			}
			marked = true
			plain.ExtraArgs = slices.Clone(o.ExtraArgs)
			plain.Warnings = nil
		}
		other := filepath.Join(folder, strconv.Itoa(i)+filepath.Ext(name))
		if err := os.WriteFile(other, []byte(without), 0o600); err != nil {
			return plain, marked, done, &EnvironmentError{What: "writing the program without line directives", Err: err}
		}
		plain.ExtraArgs = append(plain.ExtraArgs, "-Xclang", "-remap-file", "-Xclang", name+";"+other)
	}
	return plain, marked, done, nil
}
