package polyhedra

import (
	"slices"

	"assay/internal/logic/linear"
)

// This file computes affine hulls [Karr76]: the equalities of a union. An
// equality is a row of coefficients and constant; those that hold in both
// arguments are the intersection of two linear spaces of rows.

// affineHull are equalities that generate all those that follow from the
// equalities of p and from those of q.
func affineHull(p, q Polyhedron) []linear.Constraint {
	a, b := equalities(p), equalities(q)
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	// Σ λ_i a_i = Σ μ_j b_j: eliminate over vectors (λ-part, row) as in the
	// algorithm of Zassenhaus: rows (a_i | a_i) and (b_j | 0) in echelon form; those
	// with zero left part have the intersection on the right.
	offset := max(linear.MaxVar(p.cs), linear.MaxVar(q.cs)) + 2 // one for the constant
	left := func(f linear.Form, right bool) linear.Form {
		out := linear.Form{Terms: slices.Clone(f.Terms)}
		if !f.Const.IsZero() {
			out.Terms = append(out.Terms, linear.Term{Var: offset - 1, Coef: f.Const})
		}
		if right {
			for _, t := range out.Terms[:len(out.Terms):len(out.Terms)] {
				out.Terms = append(out.Terms, linear.Term{Var: t.Var + offset, Coef: t.Coef})
			}
		}
		return out
	}
	var rows []linear.Form
	for _, f := range a {
		rows = append(rows, left(f, true))
	}
	for _, f := range b {
		rows = append(rows, left(f, false))
	}
	var out []linear.Constraint
	for _, r := range echelon(rows) {
		if r.Terms[0].Var < offset {
			continue
		}
		var f linear.Form
		for _, t := range r.Terms {
			if t.Var == 2*offset-1 {
				f.Const = t.Coef
			} else {
				f.Terms = append(f.Terms, linear.Term{Var: t.Var - offset, Coef: t.Coef})
			}
		}
		out = append(out, linear.Constraint{Form: f, Equality: true}.Tighten())
	}
	return out
}

func equalities(p Polyhedron) []linear.Form {
	var out []linear.Form
	for _, c := range p.cs {
		if c.Equality {
			out = append(out, c.Form)
		}
	}
	return out
}

// echelon is a basis of the space of the rows (their constants are 0) in which
// the first variables differ and increase.
func echelon(rows []linear.Form) []linear.Form {
	var out []linear.Form
	rows = slices.Clone(rows)
	for len(rows) > 0 {
		best := -1
		for i, r := range rows {
			if len(r.Terms) > 0 && (best < 0 || r.Terms[0].Var < rows[best].Terms[0].Var) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		pivot := rows[best]
		out = append(out, pivot)
		v := pivot.Terms[0].Var
		var rest []linear.Form
		for i, r := range rows {
			if i == best {
				continue
			}
			if c := r.Coef(v); !c.IsZero() {
				r = r.AddScaled(c.Div(pivot.Terms[0].Coef).Neg(), pivot)
			}
			if len(r.Terms) > 0 {
				rest = append(rest, r)
			}
		}
		rows = rest
	}
	return out
}
