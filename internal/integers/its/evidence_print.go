package its

import (
	"fmt"
	"strings"

	"assay/internal/logic/linear"
)

// Format prints the argument for people.
func (a RankingArgument) Format(s *System) string {
	var b strings.Builder
	name := func(v linear.Var) string { return a.nameOf(s, v) }
	for _, n := range a.Nodes {
		fmt.Fprintf(&b, "at %s", s.Locations[n.Location])
		for i, c := range n.Region {
			b.WriteString([]string{", where ", " && "}[min(i, 1)])
			b.WriteString(c.Format(name))
		}
		b.WriteString(": rank (")
		for i, l := range n.Rank {
			if i > 0 {
				b.WriteString(", ")
			}
			for k, f := range l {
				b.WriteString([]string{"", " then "}[min(k, 1)])
				b.WriteString(f.Format(name))
			}
		}
		b.WriteString(")\n")
	}
	return b.String()
}

// nameOf names a variable, or a product of variables.
func (a RankingArgument) nameOf(s *System, v linear.Var) string {
	k := int(v) - len(s.Variables)
	if k < 0 {
		return s.Variables[v]
	}
	var factors []string
	for _, w := range a.Monomials[k] {
		factors = append(factors, s.Variables[w])
	}
	return strings.Join(factors, "*")
}

// Format prints the stem, the loop and the set for people.
func (r Recurrence) Format(s *System) string {
	var b strings.Builder
	b.WriteString("stem, beginning with ")
	for v, x := range r.Stem.State {
		if v > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s = %v", s.Variables[v], x)
	}
	b.WriteString(":\n")
	for _, m := range r.Stem.Steps {
		t := &s.Transitions[m.Transition]
		fmt.Fprintf(&b, "  %s -> %s", s.Locations[t.From], s.Locations[t.To])
		if t.Name != "" {
			fmt.Fprintf(&b, " (%s)", t.Name)
		}
		for i, x := range m.Inputs {
			fmt.Fprintf(&b, "%s%v", []string{" choosing ", ", "}[min(i, 1)], x)
		}
		b.WriteByte('\n')
	}
	parameter := func(v linear.Var) string { return fmt.Sprintf("a%d", v) }
	for i, set := range r.Sets {
		fmt.Fprintf(&b, "recurrent set %d at %s:", i, s.Locations[set.Location])
		sep := " "
		for v, f := range set.State {
			if set.Known[v] {
				fmt.Fprintf(&b, "%s%s = %s", sep, s.Variables[v], f.Format(parameter))
				sep = ", "
			}
		}
		for i, c := range set.Constraints {
			b.WriteString([]string{" for ", " && "}[min(i, 1)])
			b.WriteString(c.Format(parameter))
		}
		b.WriteByte('\n')
		for _, m := range set.Moves {
			b.WriteString("  loop:")
			for k, t := range m.Path {
				fmt.Fprintf(&b, " -> %s", s.Locations[s.Transitions[t].To])
				for j, f := range m.Inputs[k] {
					fmt.Fprintf(&b, "%s%s", []string{" choosing ", ", "}[min(j, 1)], f.Format(parameter))
				}
			}
			for i, f := range m.Next {
				fmt.Fprintf(&b, "%sa%d := %s", []string{"; then ", ", "}[min(i, 1)], i, f.Format(parameter))
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}
