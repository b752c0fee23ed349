package assay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"assay/internal/conductor"
	"assay/internal/program/frontend"
	"assay/internal/user/inspect"
	"assay/internal/user/picture"
	"assay/internal/user/show"
)

// GraphFormats are the formats of Graph. Graphviz makes all but dot.
var GraphFormats = []string{"html", "svg", "dot", "png", "pdf"}

// GraphOptions say what Graph draws.
type GraphOptions struct {
	Format string
	// Steps asks for a box for each instruction; else chains of instructions are one.
	Steps bool
	// Heap is a place, file:line or a line: the shapes of memory there are drawn
	// instead of the graph.
	Heap string
	// Boxes bounds the states drawn beside the cutpoints; 0 is 2,000.
	Boxes int
}

// ErrNoGraph says that there is no finite symbolic execution graph of the program, and why.
type ErrNoGraph struct{ Reason Reason }

func (e *ErrNoGraph) Error() string {
	return strings.TrimPrefix(e.Reason.Pos.String()+": ", ": ") + "no symbolic execution graph: " + e.Reason.Text
}

// Graph draws the symbolic execution graph of the task's program for its
// properties. The summary is one line about its size.
func Graph(ctx context.Context, t Task, w io.Writer, o GraphOptions) (summary string, err error) {
	if err := t.validate(); err != nil {
		return "", err
	}
	for _, k := range kinds(t.Properties) {
		if !slices.Contains(conductor.GraphKinds, k) {
			return "", &InputError{Message: fmt.Sprintf("symbolic execution graphs have no checks of the kind %s", k), Hint: "ask for unreach-call, valid-memsafety or termination"}
		}
	}
	r := &run{task: t, phase: "reading the program"}
	defer boundary(&r.phase, t.Files, &err)
	loaded, err := frontend.Load(ctx, r.frontendOptions())
	if err != nil {
		return "", loadError(err)
	}
	r.phase = "drawing the graph"
	summary, err = r.subject(loaded.Module).Graph(ctx, w, inspect.GraphOptions{Format: o.Format, Steps: o.Steps, Place: o.Heap, Boxes: o.Boxes})
	var none *inspect.ErrNone
	var question *picture.ErrQuestion
	var layout *picture.ErrLayout
	switch {
	case errors.As(err, &none):
		err = &ErrNoGraph{Reason{Text: none.Text, Pos: show.PositionOf(loaded.Module, none.Pos)}}
	case errors.As(err, &question):
		err = &InputError{Message: question.Message, Hint: question.Hint}
	case errors.As(err, &layout):
		err = &EnvironmentError{Doing: "laying out the graph", Err: layout.Err, Hint: layout.Hint}
	}
	return summary, err
}
