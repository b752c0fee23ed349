package bound

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// Family is evidence that nothing bounds the cost of runs from one initial state: for every n >= 0 a
// run that goes around a loop n times. The stem leads from the initial state to the state of the
// loop with k = n. From a state of the loop with n >= k >= 1, its path leads to that with k - 1.
//
// Forms are over the parameters n and k, which are the variables ParameterN and ParameterK.
type Family struct {
	Initial []*big.Int // by variable
	Stem    []FamilyStep
	// State has a form for each variable; those of which Known is false may have any value.
	State []linear.Form
	Known []bool
	Loop  []FamilyStep
}

// FamilyStep is a transition with the values of its temporaries.
type FamilyStep struct {
	Transition int
	Inputs     []linear.Form
}

// The parameters of a family.
const (
	ParameterN linear.Var = 0
	ParameterK linear.Var = 1
)

// AcceptFamily is a checker of families; its errors are those of Accept.
type AcceptFamily func(ctx context.Context, s *its.System, f *Family) error

// Format prints the family.
func (f *Family) Format(s *its.System) string {
	var b strings.Builder
	name := func(v linear.Var) string { return []string{"n", "k"}[v] }
	b.WriteString("stem, beginning with ")
	for v, n := range f.Initial {
		if v > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s = %v", s.Variables[v], n)
	}
	b.WriteString(":\n")
	steps := func(list []FamilyStep, indent string) {
		for _, x := range list {
			t := &s.Transitions[x.Transition]
			fmt.Fprintf(&b, "%s%s -> %s", indent, s.Locations[t.From], s.Locations[t.To])
			if t.Name != "" {
				b.WriteString(" (" + t.Name + ")")
			}
			for i, in := range x.Inputs {
				b.WriteString([]string{" choosing ", ", "}[min(i, 1)] + in.Format(name))
			}
			b.WriteByte('\n')
		}
	}
	steps(f.Stem, "  ")
	b.WriteString("loop, for k = n, ..., 1, with")
	for v, g := range f.State {
		if f.Known[v] {
			fmt.Fprintf(&b, " %s = %s", s.Variables[v], g.Format(name))
		}
	}
	b.WriteString(":\n")
	steps(f.Loop, "  ")
	return b.String()
}
