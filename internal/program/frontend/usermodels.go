package frontend

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"assay/internal/program/llvm"
)

// This file reads the models that a user adds (--models DIR): every C file of
// the directory is compiled like our own models, with the flags of the program
// and assay_model.h at hand, and linked to one library, which comes before
// ours. So it supplies functions that the program does not define, and a model
// of a function that we model, too, replaces ours.

//go:embed models/assay_model.h
var modelHeader []byte

// userModels are the compiled models of a directory.
type userModels struct {
	bitcode []byte
	defines []string
}

// compileModels compiles and links the models of o.Models.
func compileModels(ctx context.Context, o *Options) (*userModels, error) {
	files, err := modelFiles(o.Models)
	if err != nil {
		return nil, err
	}
	clang, err := clangPath()
	if err != nil {
		return nil, err
	}
	header, err := os.MkdirTemp("", "assay-models-")
	if err != nil {
		return nil, &EnvironmentError{What: "making a temporary directory", Err: err}
	}
	defer os.RemoveAll(header)
	if err := os.WriteFile(filepath.Join(header, "assay_model.h"), modelHeader, 0o644); err != nil {
		return nil, &EnvironmentError{What: "writing " + header, Err: err}
	}
	var units []unit
	for _, file := range files {
		units = append(units, unit{file: file, flags: []string{"-I", header}, model: true})
	}
	s := llvm.Open()
	defer s.Close()
	for k, c := range compileAll(ctx, clang, units, o) {
		if c.err != nil {
			var input *InputError
			if errors.As(c.err, &input) && input.Hint == "" {
				input.Hint = files[k] + " is one of the models of --models " + o.Models
			}
			return nil, c.err
		}
		if o.Warnings != nil && c.text != "" {
			if _, err := o.Warnings.Write([]byte(c.text)); err != nil {
				return nil, &EnvironmentError{What: "writing warnings", Err: err}
			}
		}
		if err := s.Read(files[k], c.bitcode); err != nil {
			return nil, asInputError(files[k], err)
		}
	}
	return &userModels{bitcode: s.Bitcode(), defines: s.Exported()}, nil
}

// ModelsDigest is the digest of the compiled models of o.Models; empty if there are none.
func ModelsDigest(ctx context.Context, o Options) (string, error) {
	if o.Models == "" {
		return "", nil
	}
	m, err := compileModels(ctx, &o)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sha256.Sum256(m.bitcode)), nil
}

// modelFiles are the C files of a directory, by name.
func modelFiles(dir string) ([]string, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, inputError(dir, errors.Unwrap(err).Error())
	}
	if !info.IsDir() {
		return nil, inputError(dir, "is no directory; --models takes one whose .c files are models")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, inputError(dir, errors.Unwrap(err).Error())
	}
	var files []string
	for _, e := range entries {
		if !e.IsDir() && filepath.Ext(e.Name()) == ".c" {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	if files == nil {
		return nil, inputError(dir, "has no .c file, so that it has no models")
	}
	return files, nil
}

// isOurModel says that the function is one of assay's own models, not the
// program's function and not a model of the user.
func (im *importer) isOurModel(f *llvm.Function) bool {
	return f.Library && (im.opts.models == nil || !slices.Contains(im.opts.models.defines, f.Name))
}
