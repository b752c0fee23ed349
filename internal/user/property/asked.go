package property

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/program/ir"
)

// Reconsidered are the properties that are asked of a program when it is known how many places
// there are in it where some kinds of checks may fail, and what to warn of: without
// assertions, no property given (byDefault) means all; and a question about nothing has an
// answer, but hardly the one that was wanted. Where the program has what is not supported, what
// is behind it is not known, and there is no warning. The entry is where runs start.
func Reconsidered(ps []Property, byDefault bool, m *ir.Module, entry string, places func([]ir.CheckKind) int) (asked []Property, warnings []string) {
	if byDefault && places(Kinds(ps...)) == 0 && !gaps(m) {
		ps = []Property{All}
		warnings = append(warnings, "the program has no assertion: all kinds of undefined behaviour are asked for (--property all)")
	}
	kinds := Kinds(ps...)
	leaks := slices.Contains(kinds, ir.MemTrack) || slices.Contains(kinds, ir.MemCleanup)
	if leaks || places(kinds) > 0 || gaps(m) {
		return ps, warnings
	}
	var names, could []string
	for _, p := range ps {
		names = append(names, string(p))
	}
	for _, p := range []Property{UnreachCall, ValidDeref, ValidFree, NoOverflow, DivByZero, Shift, Undefined, FloatCast} {
		if n := places(Kinds(p)); n > 0 {
			could = append(could, fmt.Sprintf("%s (%d)", p, n))
		}
	}
	text := "nothing is asked: what can run from " + entry + " has no place where " + strings.Join(names, ", ") + " could be violated"
	if len(could) > 0 {
		text += "; it has places where these could be: " + strings.Join(could, ", ")
	}
	return ps, append(warnings, text)
}

// gaps says that the program has what is not supported.
func gaps(m *ir.Module) bool {
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			if !f.Model && slices.ContainsFunc(b.Instrs, func(v ir.Value) bool { return f.Def(v).Op == ir.Unsupported }) {
				return true
			}
		}
	}
	return false
}
