// Package picture shows symbolic execution graphs to people: in DOT, from which
// Graphviz makes every other format, and as a page with the graph, the state of the
// chosen vertex and the source side by side.
//
// A box is a vertex of the drawing, or a chain of vertices of which each has one
// edge, an evaluation, to the next (Options.Steps keeps them apart). It shows the
// lines of the source that it evaluates and the variables that have names; the whole
// state, as in [AProVE-Ptr Def. 1], is in the page. Edges have the styles of the
// papers' figures: evaluation plain, refinement dashed, generalization bold.
package picture

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/evidence/symgraph"
	"assay/internal/program/ir"
)

// Options of New.
type Options struct {
	// Steps makes a box of every vertex.
	Steps bool
}

// Picture is a graph of boxes.
type Picture struct {
	Boxes  []Box
	Edges  []Edge
	module *ir.Module
	// Omitted says that the graph is larger than the picture.
	Omitted bool
}

// Box is a vertex or a chain.
type Box struct {
	// Pos is the first place; Lines are the places, without repetitions.
	Pos   ir.Pos
	Func  string
	Lines []ir.Pos
	// Variables are the named variables of the first state: name = value.
	Variables []string
	// Instructions are in the text form of package ir, one for each vertex.
	Instructions []string
	// State is the first state, in sections.
	State     []Section
	Cutpoint  bool
	Violation string
	End       bool
}

// Section is a part of a state.
type Section struct {
	Title string
	Lines []string
}

// Edge leads from box to box.
type Edge struct {
	From, To int
	Kind     symgraph.ArrowKind
	Label    string
}

// New makes the picture of a drawing.
func New(m *ir.Module, d *symgraph.Drawing, o Options) *Picture {
	p := &Picture{module: m, Omitted: d.Omitted}
	in, out := make([][]int, len(d.Vertices)), make([][]int, len(d.Vertices))
	for i, a := range d.Arrows {
		out[a.From] = append(out[a.From], i)
		in[a.To] = append(in[a.To], i)
	}
	// follows gives the vertex after v in its chain, or -1.
	follows := func(v int) int {
		if o.Steps || len(out[v]) != 1 {
			return -1
		}
		a := &d.Arrows[out[v][0]]
		w := &d.Vertices[a.To]
		if a.Kind != symgraph.Evaluation || len(in[a.To]) != 1 || w.Cutpoint || d.Vertices[v].Func != w.Func {
			return -1
		}
		return a.To
	}
	second := make([]bool, len(d.Vertices))
	for v := range d.Vertices {
		if w := follows(v); w >= 0 {
			second[w] = true
		}
	}
	box := make([]int, len(d.Vertices))
	w := newWriter(m)
	for v := range d.Vertices {
		if second[v] {
			continue
		}
		b := w.box(&d.Vertices[v])
		for u := v; u >= 0; u = follows(u) {
			box[u] = len(p.Boxes)
			w.step(&b, &d.Vertices[u])
		}
		p.Boxes = append(p.Boxes, b)
	}
	for i := range d.Arrows {
		a := &d.Arrows[i]
		if box[a.From] == box[a.To] && follows(a.From) == a.To {
			continue
		}
		p.Edges = append(p.Edges, Edge{From: box[a.From], To: box[a.To], Kind: a.Kind, Label: w.label(d, a)})
	}
	return p
}

// step adds what a vertex evaluates.
func (w *writer) step(b *Box, v *symgraph.Vertex) {
	d := v.Func.Def(v.Instr)
	b.Instructions = append(b.Instructions, ir.PrintInstr(w.m, v.Func, v.Instr))
	if d.Pos.Line > 0 && !slices.ContainsFunc(b.Lines, func(p ir.Pos) bool { return p.File == d.Pos.File && p.Line == d.Pos.Line }) {
		b.Lines = append(b.Lines, d.Pos)
	}
	if b.Pos.Line == 0 {
		b.Pos = d.Pos
	}
	b.Violation = strings.TrimSpace(b.Violation + " " + v.Violation)
	b.End = b.End || v.End
}

// Summary says in one line how large the picture is.
func (p *Picture) Summary() string {
	cutpoints, violations := 0, 0
	for i := range p.Boxes {
		if p.Boxes[i].Cutpoint {
			cutpoints++
		}
		if p.Boxes[i].Violation != "" {
			violations++
		}
	}
	kinds := [3]int{}
	for _, e := range p.Edges {
		kinds[e.Kind]++
	}
	s := fmt.Sprintf("%d boxes, %d of them cutpoints; %d evaluations, %d refinements, %d generalizations", len(p.Boxes), cutpoints, kinds[0], kinds[1], kinds[2])
	if violations > 0 {
		s += fmt.Sprintf("; a violation is not excluded in %d boxes", violations)
	}
	if p.Omitted {
		s += "; the graph is larger than the picture"
	}
	return s
}
