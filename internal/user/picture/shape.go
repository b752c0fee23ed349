package picture

import (
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"assay/internal/evidence/symgraph"
	"assay/internal/program/ir"
)

// Shapes are pictures of memory: what is on the heap at a line, as far as variables lead
// there. A box is an object, with what is known of its fields; three outlines, like a stack
// of boxes, are all nodes of a list or a tree at once (symgraph.Segment). An arrow is a
// pointer, from the field that holds it; a dashed one leads from the last node of a list, or the
// hole of a tree, to what follows. Each state in which the line may be
// reached is a frame of its own: together they are the shape invariant.

// Shapes says what memory looks like at a place.
type Shapes struct {
	m      *ir.Module
	states []shape
	// pointees are what each variable may point to, by its name.
	names    []string
	pointees map[string][]string
}

// shape is the picture of one state.
type shape struct {
	title []string
	nodes []string
	edges []string
}

// NewShapes collects the states in which control comes to a line from another one.
func NewShapes(m *ir.Module, d *symgraph.Drawing, at func(ir.Pos) bool) *Shapes {
	s := &Shapes{m: m, pointees: map[string][]string{}}
	on := func(v int) bool { return at(d.Vertices[v].Func.Def(d.Vertices[v].Instr).Pos) }
	inside := make([]bool, len(d.Vertices)) // another vertex shows what comes to the line
	for _, a := range d.Arrows {
		if a.Kind == symgraph.Generalization {
			inside[a.From] = true
		}
		if on(a.From) && a.Kind != symgraph.Generalization && d.Vertices[a.From].Func == d.Vertices[a.To].Func {
			inside[a.To] = true
		}
	}
	seen := map[string]int{}
	for i := range d.Vertices {
		v := &d.Vertices[i]
		if !on(i) || inside[i] && !v.Cutpoint {
			continue
		}
		p := s.draw(newWriter(m), v)
		key := strings.Join(p.nodes, "") + strings.Join(p.edges, "")
		if k, ok := seen[key]; ok { // what both say
			q := &s.states[k]
			q.title = slices.DeleteFunc(q.title, func(l string) bool { return !slices.Contains(p.title, l) })
			continue
		}
		seen[key] = len(s.states)
		s.states = append(s.states, p)
	}
	return s
}

// Len is the number of different states.
func (s *Shapes) Len() int { return len(s.states) }

// Summary says what each variable may point to.
func (s *Shapes) Summary() string {
	var parts []string
	for _, n := range s.names {
		parts = append(parts, n+" -> {"+strings.Join(s.pointees[n], ", ")+"}")
	}
	text := fmt.Sprintf("shapes of memory in %d states", len(s.states))
	if len(parts) > 0 {
		text += "; " + strings.Join(parts, "; ")
	}
	return text
}

// WriteDOT writes the pictures for Graphviz.
func (s *Shapes) WriteDOT(out io.Writer) error {
	var b strings.Builder
	b.WriteString("digraph {\n  rankdir=LR; compound=true; fontname=\"monospace\"; fontsize=10;\n")
	b.WriteString("  node [shape=box, margin=0.04, fontname=\"monospace\", fontsize=10];\n  edge [fontname=\"monospace\", fontsize=9, arrowsize=0.7];\n")
	for i, p := range s.states {
		fmt.Fprintf(&b, "  subgraph cluster%d {\n    style=rounded; color=gray60; labeljust=l; label=%s;\n", i, quote(strings.Join(p.title, "\n")+"\n"))
		for _, n := range p.nodes {
			fmt.Fprintf(&b, "    s%d%s\n", i, n)
		}
		for _, e := range p.edges {
			from, to, _ := strings.Cut(e, " -> ")
			fmt.Fprintf(&b, "    s%d%s -> s%d%s\n", i, from, i, to)
		}
		b.WriteString("  }\n")
	}
	b.WriteString("}\n")
	_, err := io.WriteString(out, b.String())
	return err
}

// draw makes the picture of a state.
func (s *Shapes) draw(w *writer, v *symgraph.Vertex) shape {
	d := &drawing{s: s, w: w, state: v.State, lines: []string{"in " + v.Func.Name}, number: make([]int, len(v.State.Objects))}
	d.variables()
	for i := range d.state.Objects { // pointers in globals and locals are roots, too
		if o := &d.state.Objects[i]; (o.Kind == symgraph.Global || o.Kind == symgraph.Stack && !o.Dead) && (len(o.Cells) > 0 || o.Slots != nil) {
			d.find(int32(i))
		}
	}
	for done := 0; done < len(d.work); done++ {
		d.object(d.work[done], done+1)
	}
	if d.null {
		d.nodes = append(d.nodes, "null [shape=plaintext, label=\"NULL\"];")
	}
	for _, c := range v.Facts {
		text := w.constraint(c)
		if slices.Contains(d.lines, text) || len(c.Form.Terms) == 1 && c.Form.Const.Abs().BigInt().BitLen() > 16 {
			continue // ranges of types
		}
		if len(d.lines) > 2*maxLabel {
			d.lines = append(d.lines, "…")
			break
		}
		d.lines = append(d.lines, text)
	}
	if v.State.Lost {
		d.lines = append(d.lines, "and perhaps objects that nothing leads to")
	}
	d.title = d.lines
	return d.shape
}

// drawing is a picture that is being made.
type drawing struct {
	shape
	s      *Shapes
	w      *writer
	state  *symgraph.State
	lines  []string
	number []int   // of objects in the picture, from 1
	work   []int32 // the objects in the picture
	null   bool
}

// find is the number of an object, which is in the picture from now on.
func (d *drawing) find(o int32) int {
	if d.number[o] == 0 {
		d.work = append(d.work, o)
		d.number[o] = len(d.work)
	}
	return d.number[o]
}

// arrow draws a pointer; from has the name of a node, and a port.
func (d *drawing) arrow(from string, x symgraph.Value, label, style string) {
	target := "null"
	switch {
	case x.Kind == symgraph.Any:
		target = "any"
		if !slices.Contains(d.nodes, anywhere) {
			d.nodes = append(d.nodes, anywhere)
		}
	case x.Kind != symgraph.Pointer || x.Object < symgraph.Null:
		return
	case x.Object == symgraph.Null:
		d.null = true
	default:
		target = fmt.Sprintf("o%d", d.find(x.Object))
		if !x.Form.IsConstant() || !x.Form.Const.IsZero() {
			label = strings.TrimSpace(label + " +" + d.w.form(x.Form))
		}
		if x.Last {
			label = strings.TrimSpace(label + " last")
		}
	}
	d.edges = append(d.edges, fmt.Sprintf("%s -> %s [label=%s%s];", from, target, quote(label), style))
}

// variables draws the variables of all frames.
func (d *drawing) variables() {
	state, w := d.state, d.w
	for i := range state.Frames {
		f := &state.Frames[i]
		names := w.named(f.Func)
		for x := range f.Values {
			n := names[ir.Value(x)]
			if n == "" || f.Values[x].Kind < symgraph.Int {
				continue
			}
			if i < len(state.Frames)-1 {
				n = f.Func.Name + ": " + n
			}
			if f.Values[x].Kind == symgraph.Int {
				d.lines = append(d.lines, n+" = "+w.form(f.Values[x].Form))
				continue
			}
			id := fmt.Sprintf("v%d_%d", i, x)
			d.nodes = append(d.nodes, fmt.Sprintf("%s [shape=plaintext, label=%s];", id, quote(n)))
			d.arrow(id, f.Values[x], "", "")
			d.s.note(n, pointee(state, f.Values[x]))
		}
	}
}

// row is a row of an object's table.
func row(text string) string {
	return fmt.Sprintf("<TR><TD ALIGN=\"LEFT\">%s</TD></TR>", html.EscapeString(text))
}

// rowFrom is a row from which an arrow goes out.
func rowFrom(text string, port int64) string {
	return fmt.Sprintf("<TR><TD ALIGN=\"LEFT\" PORT=\"p%d\">%s</TD></TR>", port, html.EscapeString(text))
}

// object draws object k with that number.
func (d *drawing) object(k int32, number int) {
	state, w := d.state, d.w
	o := &state.Objects[k]
	id := fmt.Sprintf("o%d", number)
	title := map[symgraph.ObjectKind]string{symgraph.Stack: "local", symgraph.Heap: "block", symgraph.Global: o.Name, symgraph.Function: o.Name}[o.Kind]
	style := ""
	var rows []string
	if o.Kind != symgraph.Function {
		title += ": " + w.form(o.Size) + " bytes"
	}
	if o.Dead {
		title, style = title+", not alive", ", style=dashed"
	}
	if o.List != nil {
		title, style, rows = d.list(id, o, rows)
	}
	if o.Slots != nil {
		for _, text := range w.slots(o.Slots) {
			rows = append(rows, row(strings.TrimSpace(text)))
		}
	}
	for _, c := range o.Cells {
		at, _ := c.Offset.Const.Int64()
		if c.Value.Kind == symgraph.Pointer {
			rows = append(rows, rowFrom("+"+w.form(c.Offset), at))
			d.arrow(fmt.Sprintf("%s:p%d", id, at), c.Value, "", "")
			continue
		}
		rows = append(rows, rowFrom(fmt.Sprintf("+%s = %s", w.form(c.Offset), w.value(state, c.Value)), at))
	}
	if o.List != nil {
		for _, c := range o.List.Facts {
			if len(rows) < maxShapeRows {
				rows = append(rows, fmt.Sprintf("<TR><TD ALIGN=\"LEFT\"><I>%s</I></TD></TR>", html.EscapeString(w.constraint(c))))
			}
		}
	}
	d.nodes = append(d.nodes, fmt.Sprintf("%s [label=<<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\"><TR><TD><B>%s</B></TD></TR>%s</TABLE>>%s];",
		id, html.EscapeString(title), strings.Join(rows, ""), style))
}

// list draws a segment of a list or tree, or a block that may not be there.
func (d *drawing) list(id string, o *symgraph.Object, rows []string) (title, style string, all []string) {
	w, l := d.w, o.List
	kind, next, end := "list", "the next one", "last"
	if len(l.Branches) > 0 {
		kind, next, end = "tree", "a tree", "hole"
		if l.Tail.Object == symgraph.Null {
			end = ""
		}
	}
	title = fmt.Sprintf("%s: %s nodes of %s bytes", kind, w.form(l.Length), w.form(o.Size))
	style = ", peripheries=3"
	if l.Next == symgraph.NoLink {
		title, style = fmt.Sprintf("block: %s bytes, or none", w.form(o.Size)), ", peripheries=1"
	}
	for i, at := range append([]int64{l.Next}, l.Branches...) {
		if at == symgraph.NoLink {
			continue
		}
		rows = append(rows, rowFrom(fmt.Sprintf("+%d: "+next, at), at))
		if i == 0 {
			d.arrow(fmt.Sprintf("%s:p%d", id, at), l.Tail, end, ", style=dashed")
		}
	}
	if l.Double {
		rows = append(rows, rowFrom(fmt.Sprintf("+%d: the one before", l.Prev), l.Prev))
		d.arrow(fmt.Sprintf("%s:p%d", id, l.Prev), l.Before, "first", ", style=dashed")
	}
	for _, text := range w.owned(l, "") {
		rows = append(rows, row(text))
	}
	return title, style, rows
}

// anywhere is the node of pointers of which nothing is known.
const anywhere = "any [shape=plaintext, label=\"anywhere\"];"

// maxShapeRows bounds the lines of an object.
const maxShapeRows = 14

// note adds a pointee of a variable.
func (s *Shapes) note(name, to string) {
	if s.pointees[name] == nil {
		s.names = append(s.names, name)
	}
	if !slices.Contains(s.pointees[name], to) {
		s.pointees[name] = append(s.pointees[name], to)
	}
}

// pointee says what kind of thing a pointer leads to.
func pointee(s *symgraph.State, v symgraph.Value) string {
	if v.Object < 0 {
		return "NULL"
	}
	o := &s.Objects[v.Object]
	name := "a block"
	switch {
	case o.List != nil && len(o.List.Branches) > 0:
		name = "a tree"
	case o.List != nil && v.Last:
		name = "the end of a list"
	case o.List != nil:
		name = "a list"
	case o.Kind == symgraph.Stack:
		name = "a local"
	case o.Kind != symgraph.Heap:
		name = o.Name
	}
	if o.Dead {
		name += " that is gone"
	}
	return name
}
