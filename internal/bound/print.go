package bound

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/linear"
)

// Format prints e with the names of the variables: products of greater degree first, the
// constant last. What C has no operator for is written as a function or power.
func (e Expression) Format(name func(linear.Var) string) string {
	if len(e.terms) == 0 {
		return "0"
	}
	terms := slices.Clone(e.terms)
	degree := func(m monomial) int {
		d := 0
		for _, f := range m.factors {
			d += f.power
		}
		return d
	}
	slices.SortStableFunc(terms, func(a, b monomial) int {
		if a.coef.Sign() != b.coef.Sign() && degree(a) == degree(b) {
			return b.coef.Sign() - a.coef.Sign()
		}
		return degree(b) - degree(a)
	})
	var b strings.Builder
	for _, m := range terms {
		c := m.coef
		switch {
		case c.Sign() < 0 && b.Len() == 0:
			b.WriteString("-")
		case c.Sign() < 0:
			b.WriteString(" - ")
		case b.Len() > 0:
			b.WriteString(" + ")
		}
		c = c.Abs()
		if len(m.factors) == 0 {
			b.WriteString(c.String())
			continue
		}
		if !c.IsOne() {
			b.WriteString(c.String() + "*")
		}
		for i, f := range m.factors {
			if i > 0 {
				b.WriteByte('*')
			}
			b.WriteString(formatAtom(f.atom, name))
			if f.power > 1 {
				fmt.Fprintf(&b, "^%d", f.power)
			}
		}
	}
	return b.String()
}

func formatAtom(a atom, name func(linear.Var) string) string {
	switch a := a.(type) {
	case variable:
		return name(linear.Var(a))
	case exponential:
		return a.base.String() + "^(" + a.exponent.Format(name) + ")"
	case maximum:
		parts := make([]string, len(a.of))
		for i, e := range a.of {
			parts[i] = e.Format(name)
		}
		return "max(" + strings.Join(parts, ", ") + ")"
	}
	panic(fmt.Sprintf("unexpected %T", a))
}
