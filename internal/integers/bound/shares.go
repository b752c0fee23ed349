package bound

import (
	"fmt"
	"slices"

	"assay/internal/logic/linear"
)

// Share is what some blocks cost together in a run, which one claim counts.
type Share struct {
	Blocks []int
	Claim  int // of Claims: a Runs
	Cost   Expression
}

// Shares are the parts of the bound, those of the greatest class first. Their sum is the bound, less what the end of a run costs.
func (c *Certificate) Shares() (out []Share) {
	most := map[int]Expression{}
	for _, x := range c.Costs {
		i := slices.IndexFunc(out, func(s Share) bool { return s.Claim == x.Runs })
		if i < 0 {
			i, out = len(out), append(out, Share{Claim: x.Runs})
			most[x.Runs] = Expression{}
		}
		out[i].Blocks = append(out[i].Blocks, x.Block)
		for _, a := range x.Amounts {
			most[x.Runs] = Max(most[x.Runs], c.limitOf(a))
		}
	}
	for i := range out {
		out[i].Cost = c.Claims[out[i].Claim].Limit().Mul(most[out[i].Claim])
	}
	slices.SortStableFunc(out, func(a, b Share) int { return b.Cost.Class().Compare(a.Cost.Class()) })
	return out
}

// limitOf is what an amount is at most.
func (c *Certificate) limitOf(a Amount) Expression {
	limit := func(f linear.Form, size int) Expression {
		if f.IsConstant() {
			return Constant(f.Const)
		}
		return c.Claims[size].Limit()
	}
	e := limit(a.Form, a.Size)
	for _, p := range a.Products {
		var limits [4]Expression
		for i, f := range p.Forms() {
			limits[i] = limit(f, p.Sizes[i])
		}
		e = e.Add(p.Most(limits))
	}
	return e
}

// Why says in words why a claim about runs holds.
func (c *Certificate) Why(claim int, name func(linear.Var) string) string {
	runs := c.Claims[claim].(Runs)
	switch r := runs.Rule.(type) {
	case Acyclic:
		return "at most once"
	case Inflow:
		return "as often as what leads there"
	case Ranked:
		at := c.Blocks[runs.Blocks[0]].From
		i := slices.IndexFunc(r.Levels, func(l NodeLevel) bool { return l.Node == at })
		level := r.Levels[i].Level
		text := "as often as " + level[len(level)-1].Format(name) + " can decrease"
		if len(level) > 1 {
			text += fmt.Sprintf(", in %d phases", len(level))
		}
		if len(r.Increments) > 0 {
			text += "; what increases it is counted"
		}
		return text
	case Halved:
		at := c.Blocks[runs.Blocks[0]].From
		i := slices.IndexFunc(r.Levels, func(l NodeLevel) bool { return l.Node == at })
		return "as often as " + r.Levels[i].Level[0].Format(name) + " can be halved"
	case Closed:
		return "until " + r.Exits[0].Of.Format(name) + " is negative, by its closed form"
	}
	panic(fmt.Sprintf("unexpected %T", runs.Rule))
}
