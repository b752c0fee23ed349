package itscheck

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// This file gives the monomials of a ranking argument their meaning. They are names of products of variables, so that
// there is nothing to claim of them: what is asserted here is true of any integers.
//
//	(V1) The monomial behind a step is the product of the new values of its factors, which are polynomials over the
//	     values before the step and its temporaries: multiplied out, it is a sum of numbers that have names. Products that are
//	     no monomials of the argument get names of their own, the same one for the same product in a step.
//	(V2) A temporary that is a product is such a sum, too.
//	(V3) The square of x is at least x, and at least -x.
//	(V4) It is the product of its factors; Z3 is told this only if it needs to know, as of the products of transitions.

// Limits of the monomials of an argument.
const (
	maxMonomials = 64
	maxFactors   = 8
)

// monomials are those of an argument, by the keys of their factors.
type monomials struct {
	q       *query
	s       *its.System
	factors [][]linear.Var
	number  map[string]int
}

// newMonomials says what is wrong with the monomials of an argument.
func newMonomials(q *query, s *its.System, factors [][]linear.Var) (*monomials, error) {
	m := &monomials{q: q, s: s, factors: factors, number: map[string]int{}}
	if len(factors) > maxMonomials {
		return nil, reject("there are %d monomials", len(factors))
	}
	if len(factors) > 0 && slices.ContainsFunc(s.Transitions, func(t its.Transition) bool { return len(s.Variables)+t.Temps > maxNumber }) {
		return nil, reject("monomials in a system that is too large")
	}
	for k, fs := range factors {
		if len(fs) < 2 || len(fs) > maxFactors {
			return nil, reject("a monomial of %d factors", len(fs))
		}
		var key monomial
		for _, v := range fs {
			if v < 0 || int(v) >= len(s.Variables) {
				return nil, reject("a monomial of unknown variables")
			}
			key = append(key, rune(v+1))
		}
		slices.Sort(key)
		m.number[key.key()] = k
	}
	return m, nil
}

// extend gives an environment of the variables the names of the monomials.
func (m *monomials) extend(e environment) environment {
	e = slices.Clip(e)
	for _, fs := range m.factors {
		name := m.q.declare()
		var product strings.Builder
		for _, v := range fs {
			product.WriteString(" " + e[v])
		}
		m.q.products = append(m.q.products, "(= "+name+" (*"+product.String()+"))")
		if len(fs) == 2 && fs[0] == fs[1] {
			m.q.assert("(and (>= " + name + " " + e[fs[0]] + ") (>= " + name + " (- " + e[fs[0]] + ")))")
		}
		e = append(e, name)
	}
	return e
}

// arbitrary are values of all variables.
func (m *monomials) arbitrary() environment { return m.extend(m.q.arbitrary()) }

// step is that of the query, with monomials.
func (m *monomials) step(t *its.Transition, e environment) environment {
	at, behind := m.q.take(t, e)
	if len(m.factors) == 0 {
		return behind
	}
	behind = m.extend(behind)
	m.multiply(t, e, at, behind)
	return behind
}

// multiply asserts (V1, V2) of a step from e, with the temporaries at; named are the other products, by their keys.
func (m *monomials) multiply(t *its.Transition, e, at, behind environment) (named map[string]string) {
	n := len(m.s.Variables)
	named = map[string]string{}
	r := &rewritten{vars: n, products: map[linear.Var]expanded{}}
	name := func(key string) string {
		if k, ok := m.number[key]; ok {
			return e[n+k]
		}
		if v := monomial(key); len(v) == 1 {
			return at[v[0]-1]
		}
		if named[key] == "" {
			named[key] = m.q.declare()
		}
		return named[key]
	}
	is := func(x string, p expanded) {
		var sum strings.Builder
		for key, c := range p {
			sum.WriteString(" " + timesTerm(c, key, name))
		}
		m.q.assert("(= " + x + " (+ 0" + sum.String() + "))")
	}
	for _, p := range t.Products {
		r.products[p.Temp] = r.form(p.A).times(r.form(p.B))
		is(at[p.Temp], r.products[p.Temp])
	}
	for k, fs := range m.factors {
		p := expanded{"": big.NewRat(1, 1)}
		for _, v := range fs {
			p = p.times(r.form(t.Update[v]))
		}
		is(behind[n+k], p)
	}
	return named
}

// timesTerm is a number times a product with a name, which has to be an integer times it: updates and factors
// are integral.
func timesTerm(c *big.Rat, key string, name func(string) string) string {
	if !c.IsInt() {
		panic(fmt.Sprintf("itscheck: a monomial with the coefficient %v", c))
	}
	n := c.Num().String()
	if c.Sign() < 0 {
		n = "(- " + new(big.Int).Neg(c.Num()).String() + ")"
	}
	if key == "" {
		return n
	}
	return "(* " + n + " " + name(key) + ")"
}
