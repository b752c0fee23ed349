// Package hoa writes and reads Büchi automata in the Hanoi Omega-Automata format,
// version 1 [HOA15]: state-based Büchi acceptance, explicit labels on transitions,
// one initial state. What it reads beyond what it writes are label expressions with
// parentheses and negations, labels of states, aliases, comments, and unknown headers
// in lower case, which the format lets a reader skip.
package hoa

import (
	"fmt"
	"io"
	"strings"

	"assay/internal/temporal/buchi"
	"assay/internal/temporal/ltl"
)

// Automaton is an automaton with what the format says of it.
type Automaton struct {
	*buchi.Automaton
	Name string // a title, usually the formula
}

// Write writes the automaton. The edges to one state are one transition.
func Write(out io.Writer, a *Automaton) error {
	var b strings.Builder
	b.WriteString("HOA: v1\n")
	if a.Name != "" {
		fmt.Fprintf(&b, "name: %s\n", quote(a.Name))
	}
	fmt.Fprintf(&b, "tool: \"assay\"\nStates: %d\nStart: %d\nAP: %d", len(a.Edges), a.Initial, len(a.Atoms))
	for _, atom := range a.Atoms {
		b.WriteString(" " + quote(name(atom)))
	}
	fmt.Fprintf(&b, "\nacc-name: Buchi\nAcceptance: 1 Inf(0)\nproperties: %s\n--BODY--\n", strings.Join(properties(a.Automaton), " "))
	for q, es := range a.Edges {
		fmt.Fprintf(&b, "State: %d", q)
		if a.Accepting[q] {
			b.WriteString(" {0}")
		}
		b.WriteByte('\n')
		for i := 0; i < len(es); {
			to := es[i].To
			var labels []string
			for ; i < len(es) && es[i].To == to; i++ {
				labels = append(labels, label(es[i].Label))
			}
			fmt.Fprintf(&b, "  [%s] %d\n", strings.Join(labels, " | "), to)
		}
	}
	b.WriteString("--END--\n")
	_, err := io.WriteString(out, b.String())
	return err
}

// name is what the file calls an atom: its C expression where that is read back so.
func name(a ltl.Atom) string {
	if atom(a.Text) == a {
		return a.Text
	}
	return a.String()
}

// properties are the words for what the automaton is.
func properties(a *buchi.Automaton) []string {
	words := []string{"trans-labels", "explicit-labels", "state-acc"}
	if a.Complete() {
		words = append(words, "complete")
	}
	if a.Deterministic() {
		words = append(words, "deterministic")
	}
	switch a.Kind() {
	case buchi.Terminal:
		words = append(words, "terminal", "weak")
	case buchi.Weak:
		words = append(words, "weak")
	}
	return words
}

// label is a cube as a label expression.
func label(c buchi.Cube) string {
	var all []string
	for i := range buchi.MaxAtoms {
		switch {
		case c.Pos>>i&1 != 0:
			all = append(all, fmt.Sprint(i))
		case c.Neg>>i&1 != 0:
			all = append(all, fmt.Sprintf("!%d", i))
		}
	}
	if len(all) == 0 {
		return "t"
	}
	return strings.Join(all, " & ")
}

// quote is a string of the format.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
