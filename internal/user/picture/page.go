package picture

import (
	_ "embed"
	"html/template"
	"io"
	"sync"

	"assay/internal/program/ir"
)

//go:embed page.html
var pageText string

var page = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(pageText)) })

// Source is a file to show beside the graph.
type Source struct {
	Name  string
	File  int32 // as in ir.Pos
	Lines []string
}

// pageBox is what the page knows of a box.
type pageBox struct {
	Place        string
	File, Line   int32
	Lines        []int32
	Variables    []string
	State        []Section
	Instructions []string
	Violation    string
	Cutpoint     bool
	End          bool
}

// WritePage writes the page: svg is the picture as Graphviz makes it from WriteDOT.
func (p *Picture) WritePage(out io.Writer, title string, svg []byte, sources []Source) error {
	boxes := make([]pageBox, len(p.Boxes))
	for i := range p.Boxes {
		b := &p.Boxes[i]
		boxes[i] = pageBox{
			Place: p.place(b.Pos), File: b.Pos.File, Line: b.Pos.Line, Variables: b.Variables, State: b.State,
			Instructions: b.Instructions, Violation: b.Violation, Cutpoint: b.Cutpoint, End: b.End,
		}
		for _, l := range b.Lines {
			if l.File == b.Pos.File {
				boxes[i].Lines = append(boxes[i].Lines, l.Line)
			}
		}
	}
	return page().Execute(out, map[string]any{
		"Title": title, "Summary": p.Summary(), "SVG": template.HTML(svg), "Boxes": boxes, "Sources": sources,
	})
}

// Files are the files in which the boxes lie, in the order of their first use.
func (p *Picture) Files() []ir.Pos {
	seen := map[int32]bool{}
	var out []ir.Pos
	for i := range p.Boxes {
		if pos := p.Boxes[i].Pos; pos.Line > 0 && !seen[pos.File] {
			seen[pos.File] = true
			out = append(out, pos)
		}
	}
	return out
}
