package bound

import (
	"fmt"
	"strings"

	"assay/internal/logic/linear"
)

// Script writes expressions for Z3, as terms over real numbers; what a term needs is declared before it.
type Script struct {
	Name func(linear.Var) string // of a constant of the sort Int that is declared
	b    strings.Builder
	next int
}

// String is what was declared and asserted.
func (x *Script) String() string { return x.b.String() }

// Term is an expression as a term; ok is false for exponentials.
func (x *Script) Term(e Expression) (term string, ok bool) {
	sum := "(+ 0.0 0.0"
	for _, m := range e.terms {
		d := m.coef.Denominator()
		c := fmt.Sprintf("(/ %s.0 %s.0)", m.coef.Abs().Mul(d), d)
		if m.coef.Sign() < 0 {
			c = "(- " + c + ")"
		}
		product := "(* 1.0 " + c
		for _, f := range m.factors {
			t, ok := x.atom(f.atom)
			if !ok {
				return "", false
			}
			product += strings.Repeat(" "+t, f.power)
		}
		sum += " " + product + ")"
	}
	return sum + ")", true
}

// atom is a variable, or a constant that is the greatest of some terms.
func (x *Script) atom(a atom) (term string, ok bool) {
	switch a := a.(type) {
	case variable:
		return "(to_real " + x.Name(linear.Var(a)) + ")", true
	case logarithm:
		// All that is said of it: it is not negative, and at most its argument, if that is not.
		t, ok := x.Term(a.of)
		if !ok {
			return "", false
		}
		name := fmt.Sprintf("logarithm%d", x.next)
		x.next++
		fmt.Fprintf(&x.b, "(declare-const %s Real)\n(assert (and (>= %s 0.0) (or (<= %s 0.0) (<= %s %s))))\n", name, name, name, name, t)
		return name, true
	case maximum:
		var above, equal string
		name := fmt.Sprintf("greatest%d", x.next)
		x.next++
		for _, e := range a.of {
			t, ok := x.Term(e)
			if !ok {
				return "", false
			}
			above += fmt.Sprintf(" (>= %s %s)", name, t)
			equal += fmt.Sprintf(" (= %s %s)", name, t)
		}
		fmt.Fprintf(&x.b, "(declare-const %s Real)\n(assert (and%s (or%s)))\n", name, above, equal)
		return name, true
	}
	return "", false
}
