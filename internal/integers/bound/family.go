package bound

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// Family has for every n >= 0 a run that goes around a loop n times. The stem leads from the initial state to the
// state of the loop with k = n. From a state of the loop with n >= k >= 1, its path leads to that with k - 1. If the initial
// state is the same for all n, nothing bounds the cost of runs from there; else it grows at least like the inputs.
//
// Forms are over the parameters n and k, which are the variables ParameterN and ParameterK.
type Family struct {
	Initial []linear.Form // by variable, over n
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

// Fixed says whether all runs begin in one state.
func (f *Family) Fixed() bool {
	return !slices.ContainsFunc(f.Initial, func(g linear.Form) bool { return !g.IsConstant() })
}

// Begin are the initial values of the variables that do not begin with 0; n is written N, for inputs may have that name.
func (f *Family) Begin(s *its.System) string {
	var parts []string
	for v, g := range f.Initial {
		if !g.Equal(linear.Form{}) {
			parts = append(parts, s.Variables[v]+" = "+g.Format(func(linear.Var) string { return "N" }))
		}
	}
	return strings.Join(parts, ", ")
}

// Format prints the family.
func (f *Family) Format(s *its.System) string {
	var b strings.Builder
	name := func(v linear.Var) string { return []string{"n", "k"}[v] }
	b.WriteString("stem, beginning with ")
	for v, n := range f.Initial {
		if v > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s = %s", s.Variables[v], n.Format(name))
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
