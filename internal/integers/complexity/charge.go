package complexity

import (
	"assay/internal/integers/bound"
	"assay/internal/logic/linear"
)

// This file has the list of claims, and what charges sum up to.

// add appends a claim; a claim about runs becomes that of its blocks that have none.
func (a *analysis) add(c bound.Claim) int {
	a.claims = append(a.claims, c)
	n := len(a.claims) - 1
	if r, ok := c.(bound.Runs); ok {
		for _, b := range r.Blocks {
			if a.runs[b] < 0 {
				a.runs[b] = n
			}
		}
		a.sizes.forget()
	}
	return n
}

// valueOf is the expression that an amount is at most.
func (a *analysis) valueOf(m bound.Amount) bound.Expression {
	e := a.limitOf(m.Form, m.Size)
	for _, p := range m.Products {
		var limits [4]bound.Expression
		for i, f := range p.Forms() {
			limits[i] = a.limitOf(f, p.Sizes[i])
		}
		e = e.Add(p.Most(limits))
	}
	return e
}

func (a *analysis) limitOf(f linear.Form, size int) bound.Expression {
	if f.IsConstant() {
		return bound.Constant(f.Const)
	}
	return a.claims[size].Limit()
}

// charges is the sum of charges, as the checker computes it: blocks that one claim counts
// together pay for the greatest charge of them.
func (a *analysis) charges(cs []bound.Charge) bound.Expression {
	return a.groups(cs, func(most bound.Expression) bound.Expression { return most })
}

func (a *analysis) groups(cs []bound.Charge, price func(bound.Expression) bound.Expression) bound.Expression {
	var sum bound.Expression
	var order []int
	most := map[int]bound.Expression{}
	for _, c := range cs {
		es := []bound.Expression{{}}
		for _, m := range c.Amounts {
			es = append(es, a.valueOf(m))
		}
		e := bound.Max(es...)
		if m, ok := most[c.Runs]; ok {
			most[c.Runs] = bound.Max(m, e)
		} else {
			order = append(order, c.Runs)
			most[c.Runs] = e
		}
	}
	for _, r := range order {
		sum = sum.Add(a.claims[r].Limit().Mul(price(most[r])))
	}
	return sum
}

// better says whether the first expression is preferred: by class, first if ranges of types count
// as sizes and then if they are constants, where more variables are better than ranges; last by length.
func better(e, f bound.Expression) bool {
	if c := e.ClassWithRanges(bound.ShortRange).Compare(f.ClassWithRanges(bound.ShortRange)); c != 0 {
		return c < 0
	}
	if c := e.Class().Compare(f.Class()); c != 0 && e.ClassWithRanges(bound.ShortRange).Compare(e.Class()) != f.ClassWithRanges(bound.ShortRange).Compare(f.Class()) {
		return c > 0
	}
	if c := e.Class().Compare(f.Class()); c != 0 {
		return c < 0
	}
	return e.Size() < f.Size()
}

// one is an amount of 1.
var one = bound.Amount{Form: linear.Constant(linear.Int(1))}
