package picture

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"assay/internal/evidence/symgraph"
	"assay/internal/program/ir"
)

// maxLabel bounds the lines of each kind in a box.
const maxLabel = 6

// WriteDOT writes the picture for Graphviz. source gives a line of a file, empty if
// it is not known. Boxes have the ids box0, box1, ..., which an SVG keeps.
func (p *Picture) WriteDOT(out io.Writer, source func(ir.Pos) string) error {
	var b strings.Builder
	b.WriteString("digraph {\n  node [shape=box, fontname=\"monospace\", fontsize=10, style=filled, fillcolor=white];\n")
	b.WriteString("  edge [fontname=\"monospace\", fontsize=9];\n")
	for i := range p.Boxes {
		x := &p.Boxes[i]
		attributes := ""
		switch {
		case x.Violation != "":
			attributes = ", color=red, penwidth=2"
		case x.Cutpoint:
			attributes = ", fillcolor=lightsteelblue"
		case x.End:
			attributes = ", fillcolor=gray90"
		}
		fmt.Fprintf(&b, "  box%d [id=\"box%d\", tooltip=%s, label=%s%s];\n", i, i, quote(p.place(x.Pos)), quote(p.text(x, source)), attributes)
	}
	for _, e := range p.Edges {
		style := ""
		switch e.Kind {
		case symgraph.Refinement:
			style = ", style=dashed"
		case symgraph.Generalization:
			style = ", style=bold, color=blue"
		}
		fmt.Fprintf(&b, "  box%d -> box%d [tooltip=%s, label=%s%s];\n", e.From, e.To, e.Kind, quote(shorten(e.Label)), style)
	}
	b.WriteString("}\n")
	_, err := io.WriteString(out, b.String())
	return err
}

// place is a position for people.
func (p *Picture) place(pos ir.Pos) string {
	if pos.Line == 0 || int(pos.File) >= len(p.module.Files) {
		return ""
	}
	return fmt.Sprintf("%s:%d", filepath.Base(p.module.Files[pos.File]), pos.Line)
}

// text is what stands in a box, with lines that end in "\n".
func (p *Picture) text(x *Box, source func(ir.Pos) string) string {
	var lines []string
	add := func(all []string, more string) {
		for i, l := range all {
			if i == maxLabel {
				lines = append(lines, fmt.Sprintf("… %d more %s", len(all)-i, more))
				return
			}
			lines = append(lines, l)
		}
	}
	var code []string
	for _, pos := range x.Lines {
		code = append(code, strings.TrimSpace(fmt.Sprintf("%s  %s", p.place(pos), source(pos))))
	}
	if len(code) == 0 {
		code = []string{x.Func}
	}
	add(code, "lines")
	add(x.Variables, "variables")
	if x.Cutpoint {
		for _, s := range x.State {
			if s.Title == "knowledge base" {
				add(s.Lines, "constraints")
			}
		}
	}
	if x.Violation != "" {
		lines = append(lines, "✗ "+x.Violation)
	}
	if x.End {
		lines = append(lines, "end of the run")
	}
	return strings.Join(lines, "\n") + "\n"
}

func shorten(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// quote makes a string of DOT, whose lines are aligned to the left.
func quote(s string) string {
	s = strings.ReplaceAll(s, `\`, `\\`)
	s = strings.ReplaceAll(s, `"`, `\"`)
	return `"` + strings.ReplaceAll(s, "\n", `\l`) + `"`
}
