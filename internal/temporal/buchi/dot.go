package buchi

import (
	"fmt"
	"io"
	"strings"
)

// WriteDOT writes the automaton for Graphviz, with its formula as title. Accepting
// states have two lines around them.
func (a *Automaton) WriteDOT(out io.Writer, title string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph {\n  rankdir=LR;\n  label=%s; labelloc=t; fontname=\"monospace\";\n", quote(title))
	b.WriteString("  node [shape=circle, fontname=\"monospace\", fontsize=11];\n  edge [fontname=\"monospace\", fontsize=10];\n")
	fmt.Fprintf(&b, "  start [shape=point, style=invis];\n  start -> %d;\n", a.Initial)
	for q, es := range a.Edges {
		if a.Accepting[q] {
			fmt.Fprintf(&b, "  %d [shape=doublecircle];\n", q)
		}
		for i := 0; i < len(es); {
			// The edges to one state are one arrow.
			to := es[i].To
			var labels []string
			for ; i < len(es) && es[i].To == to; i++ {
				labels = append(labels, es[i].Label.Text(a.Atoms))
			}
			fmt.Fprintf(&b, "  %d -> %d [label=%s];\n", q, to, quote(strings.Join(labels, "\n|| ")))
		}
	}
	b.WriteString("}\n")
	_, err := io.WriteString(out, b.String())
	return err
}

// quote is a string of DOT.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
