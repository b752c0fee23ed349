package frontend

import (
	_ "embed"
	"os"
	"path/filepath"
	"strings"
)

// Header is assay.h: what a harness says of its inputs. It is supplied to programs
// that include it and do not have it.
//
//go:embed include/assay.h
var Header []byte

// wantsHeader says whether clang did not find assay.h.
func wantsHeader(text string) bool {
	return strings.Contains(text, "'"+headerName+"' file not found")
}

const headerName = "assay.h"

// WriteHeader writes assay.h to a new temporary folder.
func WriteHeader() (folder string, err error) {
	folder, err = os.MkdirTemp("", "assay-include-")
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, headerName), Header, 0o644)
	}
	if err != nil {
		return "", &EnvironmentError{What: "writing " + headerName, Err: err}
	}
	return folder, nil
}
