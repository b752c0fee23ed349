// Package rational computes with polynomials over the rational numbers: which equations hold in
// many points (vanishing.go), and what is left of a polynomial modulo others (reduce.go). What
// integers compute without wrapping around are values of such polynomials; package polynomial
// has those modulo 2^w, whose monomials are used here, too.
package rational

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial"
)

// Monomial is a product of variables; variable v of a linear form is number v+1.
type Monomial = polynomial.Monomial

// Polynomial is a sum: the coefficients, which are not 0, by monomials.
type Polynomial map[Monomial]linear.Number

// Constant is a polynomial of degree 0.
func Constant(n linear.Number) Polynomial {
	if n.IsZero() {
		return Polynomial{}
	}
	return Polynomial{Monomial{}: n}
}

// Variable is a variable of linear forms.
func Variable(v linear.Var) Polynomial {
	return Polynomial{polynomial.Of(uint16(v + 1)): linear.Int(1)}
}

// FromForm is a linear form.
func FromForm(f linear.Form) Polynomial {
	p := Constant(f.Const)
	for _, t := range f.Terms {
		p[polynomial.Of(uint16(t.Var+1))] = t.Coef
	}
	return p
}

// Form is the polynomial as a linear form; ok is false if its degree is too great.
func (p Polynomial) Form() (f linear.Form, ok bool) {
	var constant linear.Number
	var terms []linear.Term
	for m, c := range p {
		switch m.Degree() {
		case 0:
			constant = c
		case 1:
			terms = append(terms, linear.Term{Var: linear.Var(m[0] - 1), Coef: c})
		default:
			return f, false
		}
	}
	return linear.NewForm(constant, terms...), true
}

// Degree is the greatest degree of a monomial, 0 of the polynomial 0.
func (p Polynomial) Degree() int {
	d := 0
	for m := range p {
		d = max(d, m.Degree())
	}
	return d
}

// Monomials are those of the polynomial, the greatest first.
func (p Polynomial) Monomials() []Monomial {
	out := make([]Monomial, 0, len(p))
	for m := range p {
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b Monomial) int { return polynomial.Compare(b, a) })
	return out
}

// AddScaled is p + k*q.
func (p Polynomial) AddScaled(k linear.Number, q Polynomial) Polynomial {
	out := make(Polynomial, len(p)+len(q))
	for m, c := range p {
		out[m] = c
	}
	for m, c := range q {
		if x := out[m].Add(c.Mul(k)); x.IsZero() {
			delete(out, m)
		} else {
			out[m] = x
		}
	}
	return out
}

// Times is the product; ok is false if its degree is too great.
func (p Polynomial) Times(q Polynomial) (out Polynomial, ok bool) {
	out = Polynomial{}
	for m, c := range p {
		for n, d := range q {
			x, ok := m.Times(n)
			if !ok {
				return nil, false
			}
			if y := out[x].Add(c.Mul(d)); y.IsZero() {
				delete(out, x)
			} else {
				out[x] = y
			}
		}
	}
	return out, true
}

// Substitute puts polynomials in the place of variables; ok is false if the degree is too great.
func (p Polynomial) Substitute(by func(v linear.Var) Polynomial) (out Polynomial, ok bool) {
	out = Polynomial{}
	for m, c := range p {
		x := Constant(c)
		for _, v := range m[:m.Degree()] {
			if x, ok = x.Times(by(linear.Var(v - 1))); !ok {
				return nil, false
			}
		}
		out = out.AddScaled(linear.Int(1), x)
	}
	return out, true
}

// Integral is the least multiple with integers as coefficients, and a positive first one.
func (p Polynomial) Integral() Polynomial {
	factor, divisor := linear.Int(1), linear.Int(0)
	for _, c := range p {
		d := c.Denominator()
		factor = factor.Mul(d).Div(linear.GCD(factor, d))
	}
	for _, c := range p {
		divisor = linear.GCD(divisor, c.Mul(factor))
	}
	ms := p.Monomials()
	if len(ms) == 0 {
		return p
	}
	factor = factor.Div(divisor)
	if p[ms[0]].Sign() < 0 {
		factor = factor.Neg()
	}
	return Polynomial{}.AddScaled(factor, p)
}

// Eval is the value in a point.
func (p Polynomial) Eval(point []*big.Int) *big.Rat {
	sum := new(big.Rat)
	for m, c := range p {
		x := new(big.Rat).Set(c.Big())
		for _, v := range m[:m.Degree()] {
			x.Mul(x, new(big.Rat).SetInt(point[v-1]))
		}
		sum.Add(sum, x)
	}
	return sum
}

// Format prints the polynomial, with the names of variables.
func (p Polynomial) Format(name func(linear.Var) string) string {
	if len(p) == 0 {
		return "0"
	}
	var b strings.Builder
	for i, m := range p.Monomials() {
		c := p[m]
		switch {
		case i == 0 && c.Sign() < 0:
			b.WriteString("-")
		case i > 0 && c.Sign() < 0:
			b.WriteString(" - ")
		case i > 0:
			b.WriteString(" + ")
		}
		var factors []string
		if c = c.Abs(); !c.IsOne() || m.Degree() == 0 {
			factors = append(factors, fmt.Sprint(c))
		}
		for _, v := range m[:m.Degree()] {
			factors = append(factors, name(linear.Var(v-1)))
		}
		b.WriteString(strings.Join(factors, "*"))
	}
	return b.String()
}
