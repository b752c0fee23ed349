package linear

import "slices"

// This file turns "for all points of a polyhedron a form with unknown
// coefficients is not negative" into a linear program [Schrijver86, Cor. 7.1h],
// the affine form of Farkas' lemma: a form is not negative on a polyhedron that
// is not empty iff it is a combination of the constraints, with multipliers that
// are not negative for inequalities, plus a constant that is not negative.

// Parametric is a form over points whose coefficients are forms over the
// unknowns of a program.
type Parametric struct {
	Coef  map[Var]Form
	Const Form
}

// Add adds k times (unknown coefficient u) · g, where g is a form over points.
func (p *Parametric) Add(u Form, g Form) {
	if p.Coef == nil {
		p.Coef = map[Var]Form{}
	}
	for _, t := range g.Terms {
		p.Coef[t.Var] = p.Coef[t.Var].AddScaled(t.Coef, u)
	}
	p.Const = p.Const.AddScaled(g.Const, u)
}

// Farkas is a linear program over unknowns, which are variables of its simplex.
type Farkas struct {
	*Simplex
	failed bool
}

// Require asserts that p is not negative on the polyhedron of the constraints,
// which should not be empty (completeness is lost else, not soundness).
func (f *Farkas) Require(cs []Constraint, p Parametric) {
	// By Farkas: p = Σ λ_i c_i + λ_0.
	rest := Parametric{Coef: make(map[Var]Form, len(p.Coef)), Const: p.Const}
	order := make([]Var, 0, len(p.Coef))
	for v, u := range p.Coef {
		rest.Coef[v] = u
		order = append(order, v)
	}
	for _, c := range cs {
		if c.IsTrue() {
			continue
		}
		l := f.NewVar()
		if !c.Equality {
			f.AssertLower(l, Number{}, 0)
		}
		for _, t := range c.Form.Terms {
			u, ok := rest.Coef[t.Var]
			if !ok {
				order = append(order, t.Var)
			}
			rest.Coef[t.Var] = u.AddScaled(t.Coef.Neg(), Variable(l))
		}
		rest.Const = rest.Const.AddScaled(c.Form.Const.Neg(), Variable(l))
	}
	slices.Sort(order)
	for _, v := range order {
		f.require(Constraint{rest.Coef[v], true})
	}
	f.require(Constraint{rest.Const, false})
}

// require asserts a constraint over the unknowns.
func (f *Farkas) require(c Constraint) {
	if !f.Assert(c, 0) {
		f.failed = true
	}
}

// Solve maximizes a form over the unknowns. Unbounded is not a solution.
func (f *Farkas) Solve(objective Form) (Number, Status) {
	if f.failed {
		return Number{}, Infeasible
	}
	return f.Maximize(objective)
}
