package ranking

import (
	"slices"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// This file says in linear terms what is known of products, which the rest of the
// package takes for arbitrary integers.

// addSquareFacts adds to guards what holds of the square t of a form a over the
// integers: t >= 0, t >= a, t >= -a.
func addSquareFacts(s *its.System) {
	for i := range s.Transitions {
		t := &s.Transitions[i]
		for _, p := range t.Products {
			square := linear.Variable(p.Temp)
			a := p.A
			switch {
			case p.A.Equal(p.B):
			case p.A.Equal(p.B.Neg()):
				square = square.Neg()
			default:
				continue
			}
			t.Guard = append(slices.Clone(t.Guard),
				linear.AtLeast(square, linear.Form{}), linear.AtLeast(square, a), linear.AtLeast(square, a.Neg()))
		}
	}
}

// products are those of a transition, and those of variables that are variables.
func (p *prover) products(t *its.Transition) []its.Product {
	out := slices.Clone(t.Products)
	first := linear.Var(len(p.s.Variables) - len(p.monomials))
	for k, fs := range p.monomials {
		if len(fs) == 2 {
			out = append(out, its.Product{Temp: first + linear.Var(k), A: linear.Variable(fs[0]), B: linear.Variable(fs[1])})
		}
	}
	return out
}

// productFacts are McCormick's inequalities for the products of a transition:
// (a - l)(b - m) >= 0 if l <= a and m <= b follow from the constraints, and
// likewise for upper bounds [McCormick76].
func (p *prover) productFacts(products []its.Product, cs []linear.Constraint) []linear.Constraint {
	if len(products) == 0 {
		return nil
	}
	n := int(linear.MaxVar(cs))
	for _, q := range products {
		n = max(n, int(q.Temp), int(q.A.MaxVar()), int(q.B.MaxVar()))
	}
	s := linear.NewSolver(p.ctx, n+1, cs)
	var out []linear.Constraint
	for _, q := range products {
		product := linear.Variable(q.Temp)
		for _, ka := range []int64{1, -1} {
			for _, kb := range []int64{1, -1} {
				a, b := q.A.Scale(linear.Int(ka)), q.B.Scale(linear.Int(kb))
				l, st := s.Minimize(a)
				if st != linear.Feasible {
					continue
				}
				m, st := s.Minimize(b)
				if st != linear.Feasible {
					continue
				}
				l, m = l.Ceil(), m.Ceil()
				// ab - m·a - l·b + l·m >= 0
				f := product.Scale(linear.Int(ka*kb)).AddScaled(m.Neg(), a).AddScaled(l.Neg(), b).Plus(l.Mul(m))
				out = append(out, linear.Constraint{Form: f})
			}
		}
	}
	return out
}
