package invariant

import (
	"fmt"
	"strings"
)

// Guarded says that Then holds where all comparisons of If do [2LS §6.5].
type Guarded struct {
	If   []Comparison
	Then Atom
}

// When is an atom under conditions: itself if there are none.
func When(conditions []Comparison, a Atom) Predicate {
	if len(conditions) == 0 {
		return a
	}
	return Guarded{conditions, a}
}

// Each calls f for the terms of the conditions, and those of what they imply.
func (p Guarded) Each(f func(Term)) {
	for _, c := range p.If {
		c.Each(f)
	}
	p.Then.Each(f)
}

// Text is the implication as a disjunction.
func (p Guarded) Text(name func(Term) string) string {
	var b strings.Builder
	for _, c := range p.If {
		fmt.Fprintf(&b, "!(%s) || ", c.Text(name))
	}
	return b.String() + p.Then.Text(name)
}
