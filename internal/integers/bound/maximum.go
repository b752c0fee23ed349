package bound

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/logic/linear"
)

// This file simplifies maxima:
//
//   - max(max(a, b), c) is max(a, b, c);
//   - a is dropped from max(a, b) if b - a is plainly not negative;
//   - max(k·a, k·b) is k·max(a, b) for k > 0;
//   - max(a + c, b + c) is max(a, b) + c for monomials c that all arguments have.

// Max is the greatest of the expressions, of which there must be one.
func Max(es ...Expression) Expression {
	var all []Expression
	for _, e := range es {
		if m, ok := e.isMaximum(); ok {
			all = append(all, m.of...)
		} else {
			all = append(all, e)
		}
	}
	all = undominated(all)
	if len(all) == 1 {
		return all[0]
	}
	shared := sharedTerms(all)
	for i := range all {
		all[i] = all[i].Sub(shared)
	}
	k := content(all)
	for i := range all {
		all[i] = all[i].Scale(k.Inv())
	}
	slices.SortFunc(all, func(a, b Expression) int { return strings.Compare(a.Key(), b.Key()) })
	var key strings.Builder
	key.WriteString("max(")
	for _, e := range all {
		key.WriteString(e.Key() + ",")
	}
	key.WriteByte(')')
	return ofAtom(maximum{all, key.String()}).Scale(k).Add(shared)
}

// isMaximum says whether e is just a maximum.
func (e Expression) isMaximum() (maximum, bool) {
	if len(e.terms) != 1 || !e.terms[0].coef.IsOne() || len(e.terms[0].factors) != 1 || e.terms[0].factors[0].power != 1 {
		return maximum{}, false
	}
	m, ok := e.terms[0].factors[0].atom.(maximum)
	return m, ok
}

// undominated drops expressions that others are plainly not below.
func undominated(es []Expression) []Expression {
	var out []Expression
next:
	for _, e := range es {
		for i := 0; i < len(out); {
			if out[i].Sub(e).PlainlyNonNegative() {
				continue next
			}
			if e.Sub(out[i]).PlainlyNonNegative() {
				out = slices.Delete(out, i, i+1)
			} else {
				i++
			}
		}
		out = append(out, e)
	}
	return out
}

// sharedTerms is the sum of the monomials that all expressions have with one coefficient,
// constants excepted: max(0, x) shall stay what it is.
func sharedTerms(es []Expression) Expression {
	var out Expression
	for _, m := range es[0].terms {
		if len(m.factors) == 0 {
			continue
		}
		if !slices.ContainsFunc(es[1:], func(e Expression) bool { return !e.coefficient(m.key).Equal(m.coef) }) {
			out = out.Add(Expression{[]monomial{m}})
		}
	}
	return out
}

func (e Expression) coefficient(key string) linear.Number {
	for _, m := range e.terms {
		if m.key == key {
			return m.coef
		}
	}
	return linear.Number{}
}

// content is the greatest number by which all coefficients can be divided.
func content(es []Expression) linear.Number {
	l, g := linear.Int(1), linear.Number{}
	for _, e := range es {
		for _, m := range e.terms {
			d := m.coef.Denominator()
			l = l.Mul(d).Div(linear.GCD(l, d))
		}
	}
	for _, e := range es {
		for _, m := range e.terms {
			g = linear.GCD(g, m.coef.Mul(l))
		}
	}
	if g.IsZero() {
		return linear.Int(1)
	}
	return g.Div(l)
}

// PlainlyNonNegative says whether e is never negative, as its terms show. If not, e may
// still never be.
func (e Expression) PlainlyNonNegative() bool {
	n, ok := e.least()
	return ok && n.Sign() >= 0
}

// least is a number that e is never below, if its terms show one.
func (e Expression) least() (sum linear.Number, ok bool) {
	for _, m := range e.terms {
		if len(m.factors) == 0 {
			sum = sum.Add(m.coef)
			continue
		}
		if m.coef.Sign() < 0 {
			return sum, false
		}
		product := m.coef
		for _, f := range m.factors {
			n, ok := leastOf(f.atom)
			switch {
			case ok && n.Sign() >= 0:
				for range f.power {
					product = product.Mul(n)
				}
			case f.power%2 == 0:
				product = linear.Number{}
			default:
				return sum, false
			}
		}
		sum = sum.Add(product)
	}
	return sum, true
}

func leastOf(a atom) (linear.Number, bool) {
	switch a := a.(type) {
	case variable:
		return linear.Number{}, false
	case exponential:
		return linear.Int(1), true
	case logarithm:
		return linear.Number{}, true
	case maximum:
		var most linear.Number
		found := false
		for _, e := range a.of {
			if n, ok := e.least(); ok && (!found || n.Cmp(most) > 0) {
				most, found = n, true
			}
		}
		return most, found
	}
	panic(fmt.Sprintf("unexpected %T", a))
}
