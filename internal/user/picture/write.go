package picture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"assay/internal/evidence/symgraph"
	"assay/internal/program/ir"
	"assay/internal/run/process"
	"assay/internal/user/show"
)

// Format says what Write draws.
type Format struct {
	Name  string // html, svg, dot, png or pdf; Graphviz makes all but dot
	Title string
	Steps bool // a box for each instruction
	// Place is a line, or file:line: the shapes of memory there are drawn instead of
	// the graph.
	Place string
}

// ErrQuestion says that there is nothing to draw at a place, or not in this format.
type ErrQuestion struct{ Message, Hint string }

func (e *ErrQuestion) Error() string { return e.Message }

// ErrLayout says that Graphviz is missing, or failed.
type ErrLayout struct {
	Err  error
	Hint string
}

func (e *ErrLayout) Error() string { return e.Err.Error() }

// Write draws a graph, or the shapes of memory at a place. The summary is one line about
// its size. The error is an *ErrQuestion, an *ErrLayout, or that of w.
func Write(ctx context.Context, w io.Writer, m *ir.Module, d *symgraph.Drawing, o Format) (summary string, err error) {
	if o.Place != "" {
		return writeShapes(ctx, w, m, d, &o)
	}
	p := New(m, d, Options{Steps: o.Steps})
	sources := newSources(m)
	var dot bytes.Buffer
	if err := p.WriteDOT(&dot, sources.line); err != nil {
		return "", err
	}
	switch o.Name {
	case "dot":
		_, err = w.Write(dot.Bytes())
	case "html":
		var svg []byte
		if svg, err = graphviz(ctx, &dot, "svg"); err == nil {
			// A page has no XML declaration or document type.
			if i := bytes.Index(svg, []byte("<svg")); i >= 0 {
				svg = svg[i:]
			}
			err = p.WritePage(w, o.Title, svg, sources.of(p.Files()))
		}
	default:
		var out []byte
		if out, err = graphviz(ctx, &dot, o.Name); err == nil {
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
		return "", 0, &ErrQuestion{Message: fmt.Sprintf("%q is no place in the source", text), Hint: "give file:line, for example list.c:27"}
	}
	return file, uint32(n), nil
}

// writeShapes draws memory at a line.
func writeShapes(ctx context.Context, w io.Writer, m *ir.Module, d *symgraph.Drawing, o *Format) (summary string, err error) {
	file, line, err := parsePlace(o.Place)
	if err != nil {
		return "", err
	}
	s := NewShapes(m, d, func(p ir.Pos) bool {
		if uint32(p.Line) != line || int(p.File) >= len(m.Files) {
			return false
		}
		name := m.Files[p.File]
		return file == "" || name == file || strings.HasSuffix(name, "/"+strings.TrimPrefix(file, "./"))
	})
	if s.Len() == 0 {
		return "", &ErrQuestion{Message: fmt.Sprintf("no state of the graph is at %s", o.Place), Hint: "choose a line with a statement that can be reached, as in the output of assay graph"}
	}
	var dot bytes.Buffer
	if err := s.WriteDOT(&dot); err != nil {
		return "", err
	}
	out := dot.Bytes()
	switch o.Name {
	case "dot":
	case "html":
		return "", &ErrQuestion{Message: "shapes are pictures, not pages", Hint: "write .svg, .png, .pdf or .dot"}
	default:
		if out, err = graphviz(ctx, &dot, o.Name); err != nil {
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
		return nil, &ErrLayout{Err: errors.New("the program dot is not installed"), Hint: "install graphviz (make deps), or write the graph as .dot"}
	case err != nil:
		return nil, &ErrLayout{Err: err}
	case done.Cancelled:
		return nil, &ErrLayout{Err: context.Cause(ctx), Hint: "allow more time, or draw fewer boxes (--boxes)"}
	case done.ExitCode != 0:
		return nil, &ErrLayout{Err: fmt.Errorf("dot ended with status %d: %s", done.ExitCode, diagnostics.String())}
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

func (s *sources) of(files []ir.Pos) []Source {
	var out []Source
	for _, p := range files {
		if lines := s.lines(p.File); lines != nil {
			out = append(out, Source{Name: show.PositionOf(s.m, p).File, File: p.File, Lines: lines})
		}
	}
	return out
}
