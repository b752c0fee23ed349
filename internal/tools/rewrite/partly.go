package rewrite

import (
	"context"
	"slices"
	"strings"

	"assay/internal/certify/accept"
	"assay/internal/integers/equations"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
)

// This file finds linear conditions that imply a comparison with products, or its negation, where none was found that equals it. A
// case is a conjunction of linear constraints. Cases are
//
//   - values of factors with which the rest is linear: x == 0, for x*y;
//   - signs of factors with which terms with products are not negative, and the rest is not negative by itself.
//
// A case counts if Z3 says that it implies the comparison by what is known of the place (equations.Known, accepted by its checker), and
// constraints that it does not need are left out. What is proved is the disjunction of such cases.

// Limits of the search.
const (
	maxFixed = 2 // factors with given values
	maxSigns = 4 // terms with products
	maxCases = 40
	maxKept  = 6
)

// caseOf is a conjunction.
type caseOf []linear.Constraint

// partly says what was proved of a comparison.
func (l *linearization) partly(ctx context.Context, at []its.Location, c *comparison, out *Condition) {
	named := true
	p, ok := c.wide.Substitute(func(v linear.Var) rational.Polynomial {
		x, known := l.found[l.finder.variables[v]]
		named = named && known
		return rational.Variable(x)
	})
	if !ok || !named {
		return
	}
	if l.facts == nil {
		s := l.program.System
		observed := make([]bool, len(s.Variables))
		for _, x := range l.found {
			observed[x] = true
		}
		l.facts = equations.Known(ctx, s, nil, observed)
		if l.facts == nil || accept.Rewritten(ctx, s, s, observed, l.facts) != nil {
			l.facts = &equations.Certificate{Equations: make([][]rational.Polynomial, len(s.Locations)), Facts: make([][]equations.Fact, len(s.Locations))}
		}
	}
	implied := func(cs caseOf, p rational.Polynomial, relation string) bool {
		return !slices.ContainsFunc(at, func(k its.Location) bool {
			zero := slices.Concat(l.facts.Equations[k], l.equations[k])
			return ctx.Err() != nil || accept.Sufficient(ctx, l.facts.Facts[k], zero, cs, p, relation) != nil
		})
	}
	prove := func(cs caseOf, relation string) bool { return implied(cs, p, relation) }
	// never says that no state comes to a case, within that one implies another.
	never := func(cs caseOf) bool { return implied(cs, rational.Constant(linear.Int(1)), "<") }
	within := func(cs, other caseOf) bool {
		return !slices.ContainsFunc(other, func(c linear.Constraint) bool {
			relation := ">="
			if c.Equality {
				relation = "=="
			}
			return !implied(cs, rational.FromForm(c.Form), relation)
		})
	}
	// The same with terms that equations make simpler may show more cases.
	forms := []rational.Polynomial{p}
	for _, k := range at {
		for degree := 1; degree < p.Degree(); degree++ {
			if r, ok := rational.Reduce(p, l.equations[k], degree); ok {
				forms = append(forms, r.Rest)
			}
		}
	}
	side := func(relation string) string {
		if prove(nil, relation) {
			return "1"
		}
		var kept []caseOf
		for _, cs := range casesOf(forms, relation) {
			if len(kept) == maxKept || ctx.Err() != nil {
				break
			}
			if !prove(cs, relation) || slices.ContainsFunc(kept, func(k caseOf) bool { return within(cs, k) }) || never(cs) {
				continue
			}
			for i := 0; i < len(cs); {
				if fewer := slices.Delete(slices.Clone(cs), i, i+1); len(cs) > 1 && prove(fewer, relation) {
					cs = fewer
				} else {
					i++
				}
			}
			kept = append(slices.DeleteFunc(kept, func(k caseOf) bool { return within(k, cs) }), cs)
		}
		return l.either(kept)
	}
	out.Sufficient, out.Excluding = side(c.relation), side(relations[c.relation])
	out.Between = between(out.Sufficient, out.Excluding)
}

// includes says that a case has all constraints of another one.
func includes(cs, other caseOf) bool {
	return !slices.ContainsFunc(other, func(c linear.Constraint) bool { return !slices.ContainsFunc(cs, c.Equal) })
}

// either is a disjunction of cases in C.
func (l *linearization) either(list []caseOf) string {
	var parts []string
	for _, cs := range list {
		var texts []string
		for _, c := range cs {
			relation := ">="
			if c.Equality {
				relation = "=="
			}
			text, _, ok := comparisonOf(c.Form, relation, l.name)
			if !ok {
				texts = nil
				break
			}
			texts = append(texts, text)
		}
		if text := strings.Join(texts, " && "); len(texts) > 1 && len(list) > 1 {
			parts = append(parts, "("+text+")")
		} else if len(texts) > 0 {
			parts = append(parts, text)
		}
	}
	if len(parts) == 0 {
		return "0"
	}
	return strings.Join(parts, " || ")
}

// between are the states in which neither was proved.
func between(positive, negative string) string {
	switch {
	case positive == "1" || negative == "1":
		return "0"
	case positive == "0" && negative == "0":
		return "1"
	case positive == "0":
		return "!(" + negative + ")"
	case negative == "0":
		return "!(" + positive + ")"
	}
	return "!(" + positive + ") && !(" + negative + ")"
}

// casesOf are cases in which one of the polynomials, which are equal, may compare with 0 as asked.
func casesOf(forms []rational.Polynomial, relation string) (list []caseOf) {
	add := func(cs caseOf) {
		if len(list) < maxCases && !slices.ContainsFunc(list, func(k caseOf) bool { return includes(k, cs) && includes(cs, k) }) {
			list = append(list, cs)
		}
	}
	for _, p := range forms {
		goals := []rational.Polynomial{}
		equality := false
		switch q, zero, negated := notNegative(p, relation); {
		case !zero:
			goals = append(goals, q)
		case negated: // p is at least 1, or at most -1
			one := rational.Constant(linear.Int(1))
			goals = append(goals, p.AddScaled(linear.Int(-1), one), rational.Polynomial{}.AddScaled(linear.Int(-1), p).AddScaled(linear.Int(-1), one))
		default:
			goals, equality = append(goals, q), true
		}
		for _, q := range goals {
			if !equality {
				signs(q, add)
			}
			fixed(q, equality, nil, add)
		}
	}
	return list
}

// fixed adds cases in which factors have given values.
func fixed(p rational.Polynomial, equality bool, given caseOf, add func(caseOf)) {
	if form, ok := p.Form(); ok {
		c := linear.Constraint{Form: form, Equality: equality}
		switch {
		case c.IsFalse():
		case c.IsTrue():
			add(given)
		default:
			add(append(slices.Clone(given), c))
		}
		return
	}
	if len(given) == maxFixed {
		return
	}
	var factors []linear.Var
	for _, m := range p.Monomials() {
		for _, v := range m[:m.Degree()] {
			if m.Degree() > 1 && !slices.Contains(factors, linear.Var(v-1)) {
				factors = append(factors, linear.Var(v-1))
			}
		}
	}
	for _, v := range factors {
		for _, n := range []int64{0, 1, -1} {
			q, ok := p.Substitute(func(u linear.Var) rational.Polynomial {
				if u == v {
					return rational.Constant(linear.Int(n))
				}
				return rational.Variable(u)
			})
			if ok {
				fixed(q, equality, append(slices.Clone(given), linear.Equals(linear.Variable(v), linear.Constant(linear.Int(n)))), add)
			}
		}
	}
}

// signs adds cases in which each term with products is not negative, because its factors have signs.
func signs(p rational.Polynomial, add func(caseOf)) {
	rest := linear.Form{}
	choices := []caseOf{nil}
	products := 0
	for _, m := range p.Monomials() {
		if m.Degree() < 2 {
			f, _ := rational.Polynomial{m: p[m]}.Form()
			rest = rest.Add(f)
			continue
		}
		if products++; products > maxSigns {
			return
		}
		var odd []linear.Var // factors with an odd power
		for _, v := range m[:m.Degree()] {
			u := linear.Var(v - 1)
			if i := slices.Index(odd, u); i >= 0 {
				odd = slices.Delete(odd, i, i+1)
			} else {
				odd = append(odd, u)
			}
		}
		var next []caseOf
		for pattern := range 1 << len(odd) {
			sign, cs := p[m].Sign(), caseOf(nil)
			for i, v := range odd {
				f := linear.Variable(v)
				if pattern>>i&1 == 1 {
					sign, f = -sign, f.Neg()
				}
				cs = append(cs, linear.Constraint{Form: f})
			}
			if sign < 0 {
				continue
			}
			for _, before := range choices {
				joined := slices.Clone(before)
				for _, c := range cs {
					if !slices.ContainsFunc(joined, c.Equal) {
						joined = append(joined, c)
					}
				}
				next = append(next, joined)
			}
		}
		if choices = next; len(choices) > maxCases {
			return
		}
	}
	for _, cs := range choices {
		c := linear.Constraint{Form: rest}
		switch {
		case c.IsFalse():
		case c.IsTrue():
			add(cs)
		default:
			add(append(cs, c))
		}
	}
}
