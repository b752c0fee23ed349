package rational

import (
	"slices"

	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial"
)

// This file takes multiples of some polynomials, the hypotheses, away from another one, until no
// monomial of a degree above a limit is left. The multiples are those with a monomial in common, round
// by round, as in package polynomial; cofactors come out of linear algebra modulo a prime, and are
// checked exactly. The search is not complete.

// Limits of the search.
const (
	maxMultiples = 220
	maxRounds    = 3
)

// Reduced says what was taken away: the target is Rest plus the sum of the products of cofactors and
// hypotheses.
type Reduced struct {
	Rest      Polynomial
	Cofactors []Polynomial // by hypothesis; nil is 0
}

// Reduce finds a rest of at most a degree; -1 asks that nothing is left.
func Reduce(target Polynomial, hypotheses []Polynomial, degree int) (Reduced, bool) {
	if degreeOf(target) <= degree {
		return Reduced{Rest: target, Cofactors: make([]Polynomial, len(hypotheses))}, true
	}
	rows := 0
	for round := 1; round <= maxRounds; round++ {
		list := multiples(target, hypotheses, degree, round)
		if len(list) == rows {
			break
		}
		rows = len(list)
		if r, ok := combine(target, hypotheses, list, degree); ok {
			return r, true
		}
	}
	return Reduced{}, false
}

// degreeOf is the degree, -1 of the polynomial 0.
func degreeOf(p Polynomial) int {
	if len(p) == 0 {
		return -1
	}
	return p.Degree()
}

// multiple is the multiple of a hypothesis by a monomial.
type multiple struct {
	hypothesis int
	by         Monomial
}

// multiples collects those that have a monomial above the degree in common with the target, or with one that is
// collected already.
func multiples(target Polynomial, hypotheses []Polynomial, degree, rounds int) (out []multiple) {
	seen := map[multiple]bool{}
	known := map[Monomial]bool{}
	fresh := target.Monomials()
	for _, m := range fresh {
		known[m] = true
	}
	most := min(max(target.Degree(), 1)+1, polynomial.MaxDegree)
	for range rounds {
		var next []Monomial
		for _, m := range fresh {
			if m.Degree() <= degree {
				continue
			}
			for i, h := range hypotheses {
				for n := range h {
					by, ok := m.Over(n)
					x := multiple{i, by}
					if !ok || n.Degree() == 0 && m.Degree() > 0 || seen[x] || by.Degree()+h.Degree() > most || len(out) == maxMultiples {
						continue
					}
					seen[x] = true
					out = append(out, x)
					for u := range h {
						if y, _ := u.Times(by); !known[y] {
							known[y] = true
							next = append(next, y)
						}
					}
				}
			}
		}
		slices.SortFunc(next, func(a, b Monomial) int { return polynomial.Compare(b, a) })
		fresh = next
	}
	slices.SortFunc(out, func(a, b multiple) int {
		if a.hypothesis != b.hypothesis {
			return a.hypothesis - b.hypothesis
		}
		return polynomial.Compare(a.by, b.by)
	})
	return out
}

// combine solves for the coefficients of the multiples.
func combine(target Polynomial, hypotheses []Polynomial, list []multiple, degree int) (Reduced, bool) {
	// The unknowns are the coefficients; there is an equation for each monomial above the degree.
	equation := map[Monomial]int{}
	var rows [][]uint64
	entry := func(m Monomial, k int, c linear.Number) bool {
		if m.Degree() <= degree {
			return true
		}
		i, ok := equation[m]
		if !ok {
			i = len(rows)
			equation[m] = i
			rows = append(rows, make([]uint64, len(list)+1))
		}
		x, ok := modOfNumber(c)
		rows[i][k] = addMod(rows[i][k], x)
		return ok
	}
	for m, c := range target {
		if !entry(m, len(list), c) {
			return Reduced{}, false
		}
	}
	for k, x := range list {
		for m, c := range hypotheses[x.hypothesis] {
			y, _ := m.Times(x.by)
			if !entry(y, k, c) {
				return Reduced{}, false
			}
		}
	}
	e := &echelon{columns: len(list) + 1}
	for _, r := range rows {
		e.add(r)
	}
	if e.pivot[len(list)] != nil {
		return Reduced{}, false // no solution
	}
	e.reduce()
	out := Reduced{Rest: target, Cofactors: make([]Polynomial, len(hypotheses))}
	for k, x := range list {
		p := e.pivot[k]
		if p == nil || p[len(list)] == 0 {
			continue
		}
		c, ok := fraction(p[len(list)])
		if !ok {
			return Reduced{}, false
		}
		if out.Cofactors[x.hypothesis] == nil {
			out.Cofactors[x.hypothesis] = Polynomial{}
		}
		out.Cofactors[x.hypothesis][x.by] = c
	}
	for i, c := range out.Cofactors {
		if c == nil {
			continue
		}
		p, ok := c.Times(hypotheses[i])
		if !ok {
			return Reduced{}, false
		}
		out.Rest = out.Rest.AddScaled(linear.Int(-1), p)
	}
	return out, degreeOf(out.Rest) <= degree
}
