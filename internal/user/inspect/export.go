package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"assay/internal/engines/symex"
	"assay/internal/engines/transition"
	"assay/internal/engines/transition/program"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/user/picture"
)

// This file makes the systems and graphs that `assay export` and `assay graph` write, too.

// ErrNone says that the program has no such view, and why.
type ErrNone struct {
	View View
	Text string
	Pos  ir.Pos
}

func (e *ErrNone) Error() string { return fmt.Sprintf("no %s: %s", e.View.about(), e.Text) }

func (v View) about() string {
	switch v {
	case Graph:
		return "symbolic execution graph"
	case System:
		return "finite transition system"
	}
	return string(v)
}

// System writes the transition system in one of the formats of solve.Targets, as
// transition.Export does. The error is an *ErrNone where there is none.
func (s *Subject) System(ctx context.Context, w io.Writer, format string) (inexact []verdict.Reason, err error) {
	inexact, err = transition.Export(ctx, s.Module, transition.Options{Targets: s.Targets, Disputed: s.Disputed, Label: s.Label, Small: s.Small}, s.Endless, w, format)
	var unsupported *program.ErrUnsupported
	if errors.As(err, &unsupported) {
		return nil, &ErrNone{System, unsupported.Why, unsupported.Pos}
	}
	return inexact, err
}

// GraphOptions say how the symbolic execution graph is drawn.
type GraphOptions struct {
	Format string // one of picture.Format
	Steps  bool   // a box for each instruction
	Place  string // file:line: the shapes of memory there
	Boxes  int    // how many states are drawn beside the cutpoints; 0 is 2,000
}

// Graph draws the symbolic execution graph. The summary is one line about its size. The
// error is an *ErrNone where there is none, or one of picture.Write.
func (s *Subject) Graph(ctx context.Context, w io.Writer, o GraphOptions) (summary string, err error) {
	if o.Boxes == 0 {
		o.Boxes = 2000
	}
	title := ""
	if len(s.Files) > 0 {
		title = filepath.Base(s.Files[0])
	}
	targets := s.Targets
	if s.Endless {
		targets = nil
	}
	b := symex.Build(ctx, s.Module, symex.Options{Targets: targets, Label: s.Label, Drawing: o.Boxes})
	if b.Obstacle != nil {
		return "", &ErrNone{Graph, b.Obstacle.Text, b.Obstacle.Pos}
	}
	return picture.Write(ctx, w, s.Module, b.Drawing, picture.Format{Name: o.Format, Title: title, Steps: o.Steps, Place: o.Place})
}
