package show

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"assay/internal/program/ir"
)

// Position is a place in a source file. Line and Col are 0 where unknown.
type Position struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
	Col  int    `json:"column,omitempty"`
}

// IsZero says that nothing is known.
func (p Position) IsZero() bool { return p == Position{} }

// String is file:line:col as far as it is known.
func (p Position) String() string {
	switch {
	case p.File == "":
		return ""
	case p.Line == 0:
		return p.File
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// PositionOf translates a position of the module. Files below the working
// directory are named relative to it, as the user names them.
func PositionOf(m *ir.Module, p ir.Pos) Position {
	if p.Line == 0 || int(p.File) >= len(m.Files) {
		return Position{}
	}
	return Position{File: shortName(m.Files[p.File]), Line: int(p.Line), Col: int(p.Col)}
}

// shortNames are the names of files that were asked for: a trace asks at each step.
var shortNames sync.Map

// shortName is a file below the working directory relative to it, and any other as it is.
func shortName(file string) string {
	if !filepath.IsAbs(file) {
		return file
	}
	if short, ok := shortNames.Load(file); ok {
		return short.(string)
	}
	name := file
	if short, err := filepath.Rel(workingDirectory(), file); err == nil && filepath.IsLocal(short) {
		name = short
	}
	shortNames.Store(file, name)
	return name
}

// workingDirectory is where the process was started.
var workingDirectory = sync.OnceValue(func() string {
	dir, _ := os.Getwd()
	return dir
})
