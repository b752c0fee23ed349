package assay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/internal/conductor"
	"assay/internal/program/ir"
)

// This file looks at what is asked when the program is known: a question about nothing has
// an answer, but hardly the one that was wanted.

// reconsider replaces the default property if the program has no assertion, and warns of
// a question about nothing.
func (r *run) reconsider(m *ir.Module) (warnings []string) {
	t := &r.task
	if t.question() != conductor.Safety {
		return nil
	}
	if t.byDefault && len(conductor.Asked(m, kinds(t.Properties), t.Label)) == 0 {
		t.Properties = []Property{All}
		warnings = append(warnings, "the program has no assertion: all kinds of undefined behaviour are asked for (--property all)")
	}
	asked := kinds(t.Properties)
	leaks := slices.Contains(asked, ir.MemTrack) || slices.Contains(asked, ir.MemCleanup)
	if leaks || len(conductor.Asked(m, asked, t.Label)) > 0 {
		return warnings
	}
	var could []string
	for _, p := range []Property{UnreachCall, ValidDeref, ValidFree, NoOverflow, DivByZero, Shift, Undefined} {
		if n := len(conductor.Asked(m, kinds([]Property{p}), t.Label)); n > 0 {
			could = append(could, fmt.Sprintf("%s (%d)", p, n))
		}
	}
	text := "nothing is asked: what can run from " + cmp.Or(t.Program.Function, "main") + " has no place where " + names(t.Properties) + " could be violated"
	if len(could) > 0 {
		text += "; it has places where these could be: " + strings.Join(could, ", ")
	}
	return append(warnings, text)
}

// names lists properties.
func names(ps []Property) string {
	var out []string
	for _, p := range ps {
		out = append(out, string(p))
	}
	return strings.Join(out, ", ")
}
