package assay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"assay/internal/conductor"
	"assay/internal/frontend"
	"assay/internal/ir"
	"assay/internal/picture"
	"assay/internal/process"
	"assay/internal/show"
	"assay/internal/symex"
	"assay/internal/symgraph"
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
	var targets []ir.CheckKind
	if !slices.Equal(t.Properties, []Property{Termination}) {
		targets = kinds(t.Properties)
	}
	for _, k := range targets {
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
	r.phase = "building the graph"
	if o.Boxes == 0 {
		o.Boxes = 2000
	}
	m := loaded.Module
	b := symex.Build(ctx, m, symex.Options{Targets: targets, Label: t.Label, Drawing: o.Boxes})
	if b.Obstacle != nil {
		return "", &ErrNoGraph{Reason{Text: b.Obstacle.Text, Pos: show.PositionOf(m, b.Obstacle.Pos)}}
	}
	r.phase = "drawing the graph"
	if o.Heap != "" {
		return writeShapes(ctx, w, m, b.Drawing, &o)
	}
	p := picture.New(m, b.Drawing, picture.Options{Steps: o.Steps})
	sources := newSources(m)
	var dot bytes.Buffer
	if err := p.WriteDOT(&dot, sources.line); err != nil {
		return "", err
	}
	switch o.Format {
	case "dot":
		_, err = w.Write(dot.Bytes())
	case "html":
		var svg []byte
		if svg, err = graphviz(ctx, &dot, "svg"); err == nil {
			// A page has no XML declaration or document type.
			if i := bytes.Index(svg, []byte("<svg")); i >= 0 {
				svg = svg[i:]
			}
			err = p.WritePage(w, filepath.Base(t.Files[0]), svg, sources.of(p.Files()))
		}
	default:
		var out []byte
		if out, err = graphviz(ctx, &dot, o.Format); err == nil {
			_, err = w.Write(out)
		}
	}
	return p.Summary(), err
}

// parsePlace reads file:line, or a line; the file may leave out folders.
func parsePlace(text string) (file string, line uint32, err error) {
	number := text
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		file, number = text[:i], text[i+1:]
	}
	n, err := strconv.ParseUint(number, 10, 32)
	if err != nil || n == 0 {
		return "", 0, &InputError{Message: fmt.Sprintf("%q is no place in the source", text), Hint: "give file:line, for example list.c:27"}
	}
	return file, uint32(n), nil
}

// writeShapes draws memory at a line.
func writeShapes(ctx context.Context, w io.Writer, m *ir.Module, d *symgraph.Drawing, o *GraphOptions) (summary string, err error) {
	file, line, err := parsePlace(o.Heap)
	if err != nil {
		return "", err
	}
	s := picture.NewShapes(m, d, func(p ir.Pos) bool {
		if uint32(p.Line) != line || int(p.File) >= len(m.Files) {
			return false
		}
		name := m.Files[p.File]
		return file == "" || name == file || strings.HasSuffix(name, "/"+strings.TrimPrefix(file, "./"))
	})
	if s.Len() == 0 {
		return "", &InputError{Message: fmt.Sprintf("no state of the graph is at %s", o.Heap), Hint: "choose a line with a statement that can be reached, as in the output of assay graph"}
	}
	var dot bytes.Buffer
	if err := s.WriteDOT(&dot); err != nil {
		return "", err
	}
	out := dot.Bytes()
	switch o.Format {
	case "dot":
	case "html":
		return "", &InputError{Message: "shapes are pictures, not pages", Hint: "write .svg, .png, .pdf or .dot"}
	default:
		if out, err = graphviz(ctx, &dot, o.Format); err != nil {
			return "", err
		}
	}
	_, err = w.Write(out)
	return s.Summary(), err
}

// graphviz has a graph laid out.
func graphviz(ctx context.Context, dot io.Reader, format string) ([]byte, error) {
	var out, diagnostics bytes.Buffer
	cmd := exec.Command("dot", "-T"+format)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = dot, &out, &diagnostics
	done, err := process.Run(ctx, cmd, process.Limits{})
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, &EnvironmentError{Doing: "laying out the graph", Err: errors.New("the program dot is not installed"), Hint: "install graphviz (make deps), or write the graph as .dot"}
	case err != nil:
		return nil, &EnvironmentError{Doing: "laying out the graph", Err: err}
	case done.Cancelled:
		return nil, &EnvironmentError{Doing: "laying out the graph", Err: context.Cause(ctx), Hint: "allow more time, or draw fewer boxes (--boxes)"}
	case done.ExitCode != 0:
		return nil, &EnvironmentError{Doing: "laying out the graph", Err: fmt.Errorf("dot ended with status %d: %s", done.ExitCode, diagnostics.String())}
	}
	return out.Bytes(), nil
}

// sources are the lines of the files of a module, as far as they can be read.
type sources struct {
	m     *ir.Module
	files map[int32][]string
}

func newSources(m *ir.Module) *sources { return &sources{m: m, files: map[int32][]string{}} }

func (s *sources) lines(file int32) []string {
	lines, ok := s.files[file]
	if !ok && int(file) < len(s.m.Files) {
		if text, err := os.ReadFile(s.m.Files[file]); err == nil {
			lines = strings.Split(string(text), "\n")
		}
		s.files[file] = lines
	}
	return lines
}

func (s *sources) line(p ir.Pos) string {
	if lines := s.lines(p.File); p.Line > 0 && int(p.Line) <= len(lines) {
		return strings.TrimSpace(lines[p.Line-1])
	}
	return ""
}

func (s *sources) of(files []ir.Pos) []picture.Source {
	var out []picture.Source
	for _, p := range files {
		if lines := s.lines(p.File); lines != nil {
			out = append(out, picture.Source{Name: show.PositionOf(s.m, p).File, File: p.File, Lines: lines})
		}
	}
	return out
}
