package induction

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"assay/internal/invariant"
)

// This file orders candidates as template rows [2LS §5.1.2]: inequalities with
// the same sum differ in their bound only. Of a row the strongest is tried
// first, and the next when it fails. The order of two values is tried only when
// their equality has failed.

type rows struct {
	all  []Candidate
	next map[int]int   // the next weaker inequality of the row
	held map[int][]int // by equation: the strongest of the rows that it implies
	late map[int]bool  // these
	weak map[int]bool  // not the strongest of its row
}

func rowKey(c *Candidate) string {
	var b strings.Builder
	fmt.Fprint(&b, c.Loop.Func.Name, c.Loop.Head, c.Loop.post, c.Predicate.If, c.Predicate.Relation)
	for _, t := range c.Predicate.Terms {
		fmt.Fprint(&b, " ", t)
	}
	return b.String()
}

func newRows(all []Candidate) *rows {
	r := &rows{all: all, next: map[int]int{}, held: map[int][]int{}, late: map[int]bool{}, weak: map[int]bool{}}
	groups := map[string][]int{}
	var order []string
	equal := map[string]int{}
	for i := range all {
		c := &all[i]
		if c.Predicate.Range != nil {
			continue
		}
		switch c.Predicate.Relation {
		case invariant.AtMost:
			k := rowKey(c)
			if groups[k] == nil {
				order = append(order, k)
			}
			groups[k] = append(groups[k], i)
		case invariant.Congruent:
			if a, b, ok := difference(c); ok && c.Predicate.Bound.Sign() == 0 && c.Predicate.Modulus == 1<<c.Predicate.Terms[0].Bits {
				equal[pairKey(c, a, b)] = i
			}
		}
	}
	for _, k := range order {
		g := groups[k]
		slices.SortStableFunc(g, func(a, b int) int { return all[a].Predicate.Bound.Cmp(all[b].Predicate.Bound) })
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

// difference are the two values of a predicate of a loop head about x - y.
func difference(c *Candidate) (x, y invariant.Term, ok bool) {
	p := &c.Predicate
	if c.Loop.contract() || p.IsFloat() || len(p.If) > 0 || len(p.Terms) != 2 || p.Terms[0].Coeff != -p.Terms[1].Coeff || abs(p.Terms[0].Coeff) != 1 || p.Terms[0].Bits >= 64 {
		return x, y, false
	}
	return p.Terms[0], p.Terms[1], true
}

func pairKey(c *Candidate, x, y invariant.Term) string {
	a, b := placeOf(x), placeOf(y)
	if cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.bits, b.bits)) > 0 {
		a, b = b, a
	}
	return fmt.Sprint(c.Loop.Func.Name, c.Loop.Head, a, b)
}

// strongest leaves out what is to be tried later.
func (r *rows) strongest(on []int) []int {
	var out []int
	for _, i := range on {
		if !r.late[i] && !r.weak[i] && !trivial(&r.all[i].Predicate) {
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
	return slices.DeleteFunc(out, func(i int) bool { return trivial(&r.all[i].Predicate) })
}

// trivial says that a bound of one value is that of its type.
func trivial(p *invariant.Predicate) bool {
	if p.Relation != invariant.AtMost || len(p.Terms) != 1 || p.Range != nil {
		return false
	}
	t := p.Terms[0]
	lo, hi := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(t.Bits))
	if t.Signed {
		hi.Rsh(hi, 1)
		lo.Neg(hi)
	}
	hi.Sub(hi, big.NewInt(1))
	if t.Coeff < 0 {
		hi.Neg(lo)
	}
	return hi.Mul(hi, big.NewInt(abs(t.Coeff))).Cmp(p.Bound) <= 0
}
