package main

import (
	"context"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay"
)

// This file draws what was proved of a formula: a box for each part of it, with the states in which it was proved, by
// location, and what decreases on the way to where something holds.

// treeFormats are the suffixes of --tree.
var treeFormats = []string{"svg", "png", "pdf", "dot"}

// Limits of a box; the answer as text has everything.
const (
	maxTreeRows   = 10
	maxTreeText   = 100
	maxTreePlaces = 4
	treeTime      = 30 * time.Second
)

// checkTree checks the name of the file.
func checkTree(file string) error {
	if file != "" && !slices.Contains(treeFormats, strings.TrimPrefix(filepath.Ext(file), ".")) {
		return &assay.InputError{Message: fmt.Sprintf("the file %q of --tree has none of the suffixes .%s", file, strings.Join(treeFormats, ", ."))}
	}
	return nil
}

// draw writes the picture.
func (a *ctlAnswer) draw() error {
	text := []byte(a.dot())
	if format := strings.TrimPrefix(filepath.Ext(a.f.tree), "."); format != "dot" {
		ctx, stop := context.WithTimeout(context.Background(), treeTime)
		defer stop()
		var err error
		if text, err = layOut(ctx, text, format); err != nil {
			return err
		}
	}
	if err := os.WriteFile(a.f.tree, text, 0o666); err != nil {
		return &assay.EnvironmentError{Doing: "drawing the formula", Err: err}
	}
	return nil
}

// dot is the picture for Graphviz.
func (a *ctlAnswer) dot() string {
	var b strings.Builder
	b.WriteString("digraph {\n  rankdir=LR;\n  node [shape=plain, fontname=\"monospace\", fontsize=10];\n  edge [fontname=\"monospace\", fontsize=9];\n")
	boxes := 0
	var box func(c *ctlClaim) int
	box = func(c *ctlClaim) int {
		n := boxes
		boxes++
		fmt.Fprintf(&b, "  n%d [label=<%s>];\n", n, c.table())
		for i := range c.Below {
			fmt.Fprintf(&b, "  n%d -> n%d;\n", n, box(&c.Below[i]))
		}
		return n
	}
	for i := range a.Shown {
		p := &a.Shown[i]
		verdict := "the formula is true"
		if a.code == exitFalse {
			verdict = "the formula is false: this is true"
		}
		fmt.Fprintf(&b, "  p%d [shape=note, style=filled, fillcolor=lightyellow, label=%q];\n", i, verdict+"\n"+wrapped(a.where(p)))
		fmt.Fprintf(&b, "  p%d -> n%d;\n", i, box(&p.Claim))
	}
	b.WriteString("}\n")
	return b.String()
}

// table is a box.
func (c *ctlClaim) table() string {
	var b strings.Builder
	b.WriteString(`<table border="0" cellborder="1" cellspacing="0" cellpadding="4">`)
	fmt.Fprintf(&b, `<tr><td colspan="2" bgcolor="lightsteelblue"><b>%s</b></td></tr>`, cell(c.Formula))
	rows := c.rows()
	for i, r := range rows {
		if i == maxTreeRows && len(rows) > maxTreeRows+1 {
			fmt.Fprintf(&b, `<tr><td colspan="2" align="left">and %d more, see the text</td></tr>`, len(rows)-i)
			break
		}
		fmt.Fprintf(&b, `<tr><td align="left">%s</td><td align="left">%s</td></tr>`, cell(r.At), cell(r.States))
	}
	if len(rows) == 0 {
		b.WriteString(`<tr><td colspan="2" align="left">nowhere</td></tr>`)
	}
	for i, d := range c.Descents {
		if i == maxTreeRows {
			break
		}
		fmt.Fprintf(&b, `<tr><td colspan="2" align="left" bgcolor="gray95">%s</td></tr>`, cell(d))
	}
	b.WriteString("</table>")
	return b.String()
}

// rows joins the locations with the same states.
func (c *ctlClaim) rows() (list []ctlStates) {
	places := map[string][]string{}
	for _, w := range c.Where {
		at := w.At
		if i := strings.LastIndexByte(at, '/'); i >= 0 {
			at = at[i+1:]
		}
		if places[w.States] == nil {
			list = append(list, ctlStates{States: w.States})
		}
		if !slices.Contains(places[w.States], at) {
			places[w.States] = append(places[w.States], at)
		}
	}
	for i := range list {
		at := places[list[i].States]
		if more := len(at) - maxTreePlaces; more > 1 {
			at = append(at[:maxTreePlaces:maxTreePlaces], fmt.Sprintf("and %d more places", more))
		}
		list[i].At = strings.Join(at, "\n")
	}
	return list
}

// cell is a text in a table.
func cell(text string) string {
	const newline = `<br align="left"/>`
	text = strings.ReplaceAll(html.EscapeString(wrapped(text)), "\n", newline)
	if strings.Contains(text, newline) {
		text += newline
	}
	return text
}

// wrapped breaks lines that are long where conditions are joined, or between words.
func wrapped(text string) string {
	const indent = "  "
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		rest := line
		for len(rest) > maxTreeText {
			at := max(strings.LastIndex(rest[:maxTreeText], "|| "), strings.LastIndex(rest[:maxTreeText], "&& "), 0)
			if at <= len(indent) {
				at = strings.LastIndexByte(rest[:maxTreeText], ' ') + 1
			}
			if at <= len(indent) {
				break
			}
			lines = append(lines, strings.TrimRight(rest[:at], " "))
			rest = indent + rest[at:]
		}
		lines = append(lines, rest)
	}
	return strings.Join(lines, "\n")
}
