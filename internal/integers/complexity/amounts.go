package complexity

import (
	"slices"

	"assay/internal/integers/bound"
	"assay/internal/logic/linear"
)

// This file bounds forms over the variables and temporaries of a block by forms over its
// variables: temporaries are replaced by what the conditions of the block say that they do not exceed,
// as in Fourier-Motzkin elimination.

// Limits on replacements.
const (
	maxReplaced = 4 // forms in place of one
	maxDetours  = 2 // times that a condition is used instead of a form's own changes
)

// amount is one that the form is at most when block b is executed.
func (a *analysis) amount(b int, f linear.Form) (bound.Amount, bool) {
	return a.amountWith(b, f, maxDetours)
}

func (a *analysis) amountWith(b int, f linear.Form, detours int) (bound.Amount, bool) {
	if f.IsConstant() {
		return bound.Amount{Form: f}, true
	}
	var limit *bound.Amount
	if n, ok := a.maximum(b, f); ok {
		limit = &bound.Amount{Form: linear.Constant(n)}
		if !great(n) {
			return *limit, true
		}
	}
	best, found := bound.Amount{}, false
	for _, g := range a.withoutTemps(b, f) {
		if g.IsConstant() {
			continue // not below the limit
		}
		c := a.size(b, g, detours)
		if c < 0 {
			continue
		}
		m := bound.Amount{Form: g, Size: c}
		if !found || better(a.valueOf(m), a.valueOf(best)) {
			best, found = m, true
		}
	}
	if m, ok := a.withProducts(b, f, detours); ok && (!found || better(a.valueOf(m), a.valueOf(best))) {
		best, found = m, true
	}
	if !found && limit != nil {
		return *limit, true
	}
	return best, found
}

// withoutTemps are forms over the variables that are not below f where block b is executed.
func (a *analysis) withoutTemps(b int, f linear.Form) (out []linear.Form) {
	var replace func(f linear.Form, depth int)
	replace = func(f linear.Form, depth int) {
		if len(out) >= maxReplaced {
			return
		}
		temp, coef := f.MaxVar(), linear.Number{}
		if int(temp) < a.variables {
			if !slices.ContainsFunc(out, f.Equal) {
				out = append(out, f)
			}
			return
		}
		coef = f.Coef(temp)
		if depth > a.blocks[b].temps+2 {
			return
		}
		for _, c := range a.blocks[b].known {
			for _, g := range c.Inequalities() {
				if k := g.Coef(temp); k.Sign()*coef.Sign() < 0 {
					replace(f.AddScaled(coef.Neg().Div(k), g), depth+1)
				}
			}
		}
	}
	replace(f, 0)
	return out
}

// withProducts is an amount in which temporaries that are products of forms over the
// variables are such products.
func (a *analysis) withProducts(b int, f linear.Form, detours int) (m bound.Amount, ok bool) {
	m.Form = f
	for _, p := range a.blocks[b].products {
		k := m.Form.Coef(p.Temp)
		if k.IsZero() {
			continue
		}
		q := bound.Product{Coef: k, A: p.A, B: p.B}
		for i, g := range q.Forms() {
			if int(g.MaxVar()) >= a.variables {
				return m, false
			}
			if g.IsConstant() {
				continue
			}
			if q.Sizes[i] = a.size(b, g, detours); q.Sizes[i] < 0 {
				return m, false
			}
		}
		m.Form = m.Form.AddScaled(k.Neg(), linear.Variable(p.Temp))
		m.Products = append(m.Products, q)
	}
	if len(m.Products) == 0 {
		return m, false
	}
	rest, ok := a.amountWith(b, m.Form, detours)
	m.Form, m.Size = rest.Form, rest.Size
	return m, ok && len(rest.Products) == 0
}
