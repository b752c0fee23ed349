package complexity

import (
	"fmt"
	"slices"

	"assay/internal/integers/bound"
)

// This file finds the claims on which others depend.

// needed keeps the claims that the costs depend on.
func needed(claims []bound.Claim, costs []bound.Charge) ([]bound.Claim, []bound.Charge) {
	keep := make([]bool, len(claims))
	var mark func(i int)
	mark = func(i int) {
		if keep[i] {
			return
		}
		keep[i] = true
		visitPremises(claims[i], mark)
	}
	for _, c := range costs {
		visitCharge(c, mark)
	}
	number := make([]int, len(claims))
	var out []bound.Claim
	for i, c := range claims {
		if keep[i] {
			number[i] = len(out)
			out = append(out, renumber(c, number))
		}
	}
	return out, renumberCharges(costs, number)
}

func visitCharge(c bound.Charge, visit func(int)) {
	visit(c.Runs)
	for _, m := range c.Amounts {
		visitAmount(m, visit)
	}
}

func visitAmount(m bound.Amount, visit func(int)) {
	if !m.Form.IsConstant() {
		visit(m.Size)
	}
	for _, p := range m.Products {
		for i, f := range p.Forms() {
			if !f.IsConstant() {
				visit(p.Sizes[i])
			}
		}
	}
}

func visitPremises(c bound.Claim, visit func(int)) {
	charges := func(cs []bound.Charge) {
		for _, x := range cs {
			visitCharge(x, visit)
		}
	}
	switch c := c.(type) {
	case bound.Runs:
		switch r := c.Rule.(type) {
		case bound.Acyclic:
		case bound.Inflow:
			charges(r.Entries)
		case bound.Ranked:
			charges(r.Increments)
			charges(r.Entries)
		case bound.Closed:
			charges(r.Entries)
		case bound.Halved:
			charges(r.Entries)
		default:
			panic(fmt.Sprintf("unexpected %T", r))
		}
	case bound.Size:
		switch r := c.Rule.(type) {
		case bound.Limited, bound.Initial:
		case bound.Dominated:
			visitAmount(r.By, visit)
		case bound.Sum:
			for _, p := range r.Parts {
				visit(p.Size)
			}
		case bound.Potential:
			for _, s := range r.Steps {
				switch s := s.(type) {
				case bound.Reset:
					visitAmount(s.To, visit)
				case bound.Increase:
					if n, ok := s.By.Amounts[0].Constant(); !ok || n.Sign() > 0 {
						visitCharge(s.By, visit)
					}
				case bound.Growth:
					visitCharge(s.By, visit)
				default:
					panic(fmt.Sprintf("unexpected %T", s))
				}
			}
		case bound.Iterated:
			for _, i := range r.Runs {
				visit(i)
			}
			charges(r.Entries)
		default:
			panic(fmt.Sprintf("unexpected %T", r))
		}
	default:
		panic(fmt.Sprintf("unexpected %T", c))
	}
}

func renumberAmount(m bound.Amount, number []int) bound.Amount {
	if !m.Form.IsConstant() {
		m.Size = number[m.Size]
	}
	m.Products = slices.Clone(m.Products)
	for k, p := range m.Products {
		for i, f := range p.Forms() {
			if !f.IsConstant() {
				m.Products[k].Sizes[i] = number[p.Sizes[i]]
			}
		}
	}
	return m
}

func renumberCharges(cs []bound.Charge, number []int) []bound.Charge {
	out := slices.Clone(cs)
	for i := range out {
		out[i] = renumberCharge(out[i], number)
	}
	return out
}

func renumberCharge(c bound.Charge, number []int) bound.Charge {
	if c.Runs >= 0 {
		c.Runs = number[c.Runs]
	}
	c.Amounts = slices.Clone(c.Amounts)
	for i, m := range c.Amounts {
		c.Amounts[i] = renumberAmount(m, number)
	}
	return c
}

func renumber(c bound.Claim, number []int) bound.Claim {
	switch c := c.(type) {
	case bound.Runs:
		switch r := c.Rule.(type) {
		case bound.Acyclic:
		case bound.Inflow:
			c.Rule = bound.Inflow{Entries: renumberCharges(r.Entries, number)}
		case bound.Ranked:
			r.Increments = renumberCharges(r.Increments, number)
			r.Entries = renumberCharges(r.Entries, number)
			c.Rule = r
		case bound.Halved:
			r.Entries = renumberCharges(r.Entries, number)
			c.Rule = r
		case bound.Closed:
			r.Entries = renumberCharges(r.Entries, number)
			c.Rule = r
		default:
			panic(fmt.Sprintf("unexpected %T", r))
		}
		return c
	case bound.Size:
		switch r := c.Rule.(type) {
		case bound.Limited, bound.Initial:
		case bound.Dominated:
			c.Rule = bound.Dominated{By: renumberAmount(r.By, number)}
		case bound.Sum:
			r.Parts = slices.Clone(r.Parts)
			for i := range r.Parts {
				r.Parts[i].Size = number[r.Parts[i].Size]
			}
			c.Rule = r
		case bound.Potential:
			r.Steps = slices.Clone(r.Steps)
			for i, s := range r.Steps {
				switch s := s.(type) {
				case bound.Reset:
					s.To = renumberAmount(s.To, number)
					r.Steps[i] = s
				case bound.Increase:
					r.Steps[i] = bound.Increase{By: renumberCharge(s.By, number)}
				case bound.Growth:
					s.By = renumberCharge(s.By, number)
					r.Steps[i] = s
				default:
					panic(fmt.Sprintf("unexpected %T", s))
				}
			}
			c.Rule = r
		case bound.Iterated:
			r.Runs = slices.Clone(r.Runs)
			for i := range r.Runs {
				r.Runs[i] = number[r.Runs[i]]
			}
			r.Entries = renumberCharges(r.Entries, number)
			c.Rule = r
		default:
			panic(fmt.Sprintf("unexpected %T", r))
		}
		return c
	}
	panic(fmt.Sprintf("unexpected %T", c))
}
