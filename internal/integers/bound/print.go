package bound

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"assay/internal/logic/linear"
)

// Format prints e with the names of the variables: products of greater degree first, the
// constant last. What C has no operator for is written as a function or power.
func (e Expression) Format(name func(linear.Var) string) string {
	return e.format(printer{name, linear.Number.String})
}

// FormatWithRanges is Format in which numbers near the limits of types are written with these.
func (e Expression) FormatWithRanges(name func(linear.Var) string) string {
	return e.format(printer{name, withRange})
}

// nearRange is how near a number is to the limit of a type with which it is written.
const nearRange = 64

// limits of types, by the bits of the greatest number.
var limits = []struct {
	name string
	bits uint
}{{"INT_MAX", 31}, {"UINT_MAX", 32}, {"LONG_MAX", 63}, {"ULONG_MAX", 64}}

// withRange writes a positive number.
func withRange(n linear.Number) string {
	if !n.IsInt() {
		return n.String()
	}
	for _, l := range limits {
		top := new(big.Int).Lsh(big.NewInt(1), l.bits)
		d, small := n.Sub(linear.FromBigInt(top)).Add(linear.Int(1)).Int64()
		switch {
		case !small || d < -nearRange || d > nearRange:
		case d == 0:
			return l.name
		case d < 0:
			return fmt.Sprintf("(%s - %d)", l.name, -d)
		default:
			return fmt.Sprintf("(%s + %d)", l.name, d)
		}
	}
	return n.String()
}

// printer says how variables and positive numbers are written.
type printer struct {
	name   func(linear.Var) string
	number func(linear.Number) string
}

func (e Expression) format(p printer) string {
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
			b.WriteString(p.number(c))
			continue
		}
		if !c.IsOne() {
			b.WriteString(p.number(c) + "*")
		}
		for i, f := range m.factors {
			if i > 0 {
				b.WriteByte('*')
			}
			b.WriteString(formatAtom(f.atom, p))
			if f.power > 1 {
				fmt.Fprintf(&b, "^%d", f.power)
			}
		}
	}
	return b.String()
}

func formatAtom(a atom, p printer) string {
	switch a := a.(type) {
	case variable:
		return p.name(linear.Var(a))
	case logarithm:
		return "log2(" + a.of.format(p) + ")"
	case exponential:
		return a.base.String() + "^(" + a.exponent.format(p) + ")"
	case maximum:
		parts := make([]string, len(a.of))
		for i, e := range a.of {
			parts[i] = e.format(p)
		}
		return "max(" + strings.Join(parts, ", ") + ")"
	}
	panic(fmt.Sprintf("unexpected %T", a))
}
