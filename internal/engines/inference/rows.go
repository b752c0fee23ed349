package inference

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"assay/internal/engines/guess"
	"assay/internal/evidence/invariant"
	"assay/internal/transform/cut"
)

// This file orders candidates as template rows [2LS §5.1.2]: inequalities with
// the same sum differ in their bound only. Of a row the strongest is tried
// first, and the next when it fails. The order of two values is tried only when
// their equality has failed.

type rows struct {
	all  []cut.Candidate
	next map[int]int   // the next weaker inequality of the row
	held map[int][]int // by equation: the strongest of the rows that it implies
	late map[int]bool  // these
	weak map[int]bool  // not the strongest of its row
}

// row is a bound of a sum, of integers or of the positions of floats, maybe under conditions.
type row struct {
	conditions []invariant.Comparison
	terms      []invariant.Term
	bound      *big.Int
}

// rowOf reads a predicate as a row.
func rowOf(p invariant.Predicate) (r row, ok bool) {
	switch p := p.(type) {
	case invariant.Comparison:
		return row{nil, p.Terms, p.Bound}, p.Relation == invariant.AtMost
	case invariant.Order:
		return row{nil, p.Terms, p.Bound}, true
	case invariant.Guarded:
		r, ok = rowOf(p.Then)
		r.conditions = p.If
	}
	return r, ok
}

// predicate is the row as a predicate.
func (r row) predicate() invariant.Predicate {
	if len(r.terms) > 0 && r.terms[0].Float {
		return invariant.When(r.conditions, invariant.Order{Terms: r.terms, Bound: r.bound})
	}
	return invariant.When(r.conditions, invariant.Comparison{Terms: r.terms, Bound: r.bound})
}

// key is the same for rows of a loop that differ in their bounds only.
func (r row) key(l *cut.Loop) string {
	var b strings.Builder
	fmt.Fprint(&b, l.Func.Name, l.Head, l.Post, r.conditions)
	for _, t := range r.terms {
		fmt.Fprint(&b, " ", t)
	}
	return b.String()
}

func newRows(all []cut.Candidate) *rows {
	r := &rows{all: all, next: map[int]int{}, held: map[int][]int{}, late: map[int]bool{}, weak: map[int]bool{}}
	groups := map[string][]int{}
	bounds := make([]*big.Int, len(all))
	var order []string
	equal := map[string]int{}
	for i := range all {
		c := &all[i]
		if x, ok := rowOf(c.Predicate); ok {
			k := x.key(c.Loop)
			if groups[k] == nil {
				order = append(order, k)
			}
			groups[k] = append(groups[k], i)
			bounds[i] = x.bound
		}
		if p, ok := c.Predicate.(invariant.Comparison); ok && p.Relation == invariant.Congruent {
			if a, b, ok := difference(c); ok && p.Bound.Sign() == 0 && p.Modulus == 1<<p.Terms[0].Bits {
				equal[pairKey(c, a, b)] = i
			}
		}
	}
	for _, k := range order {
		g := groups[k]
		slices.SortStableFunc(g, func(a, b int) int { return bounds[a].Cmp(bounds[b]) })
		for n, i := range g {
			if n > 0 {
				r.next[g[n-1]] = i
				r.weak[i] = true
			}
		}
		c := &all[g[0]]
		if a, b, ok := difference(c); ok {
			if e, ok := equal[pairKey(c, a, b)]; ok {
				r.held[e] = append(r.held[e], g[0])
				r.late[g[0]] = true
			}
		}
	}
	return r
}

// difference are the two integers of a comparison at a loop head about x - y.
func difference(c *cut.Candidate) (x, y invariant.Term, ok bool) {
	p, ok := c.Predicate.(invariant.Comparison)
	if !ok || c.Loop.IsContract() || len(p.Terms) != 2 || p.Terms[0].Coeff != -p.Terms[1].Coeff || guess.Magnitude(p.Terms[0].Coeff) != 1 || p.Terms[0].Bits >= 64 {
		return x, y, false
	}
	return p.Terms[0], p.Terms[1], true
}

func pairKey(c *cut.Candidate, x, y invariant.Term) string {
	a, b := cut.PlaceOf(x), cut.PlaceOf(y)
	if cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.Bits, b.Bits)) > 0 {
		a, b = b, a
	}
	return fmt.Sprint(c.Loop.Func.Name, c.Loop.Head, a, b)
}

// strongest leaves out what is to be tried later.
func (r *rows) strongest(on []int) []int {
	var out []int
	for _, i := range on {
		if !r.late[i] && !r.weak[i] && !invariant.Trivial(r.all[i].Predicate) {
			out = append(out, i)
		}
	}
	return out
}

// weaker lists what to try in the place of a candidate that failed.
func (r *rows) weaker(i int) []int {
	out := slices.Clone(r.held[i])
	if n, ok := r.next[i]; ok {
		out = append(out, n)
	}
	return slices.DeleteFunc(out, func(i int) bool { return invariant.Trivial(r.all[i].Predicate) })
}
