package certify

import (
	"assay/internal/evidence/invariant"
	"assay/internal/logic/smt/algebra"
	"assay/internal/logic/smt/z3"
	"assay/internal/logic/term"
)

// This file checks inductions about products of words, whose circuits are too hard. As in
// functions.go an operation is a variable, and only that there is no model counts. Of
// the variables is known what follows by calculation with polynomials modulo 2^w
// (package smt/algebra): Z3 is asked again and again, and where its model has an equation
// false that follows from others, on the way that the model takes, that is a lemma. Each
// is checked by multiplying out.

// byCases is term.Store.ByCases where it helps: polynomials are looked at on one path
// anyway.
func (c *checker) byCases(values []term.ID, of func([]term.ID) term.ID) term.ID {
	if c.induction != nil && c.induction.algebraic {
		return of(values)
	}
	return c.st.ByCases(values, maxCases, of)
}

// polynomial says that a polynomial is 0. If it speaks of memory that is not there, it
// holds.
func (c *checker) polynomial(p *invariant.Polynomial, of operand) term.ID {
	st := c.st
	there := st.True()
	sum := st.ConstU(p.Width, 0)
	for _, m := range p.Monomials {
		product := st.ConstU(p.Width, m.Coeff)
		for _, t := range m.Factors {
			bits, valid := of(t)
			there = st.And(there, valid)
			if t.Signed {
				bits = st.SExt(bits, p.Width)
			} else {
				bits = st.ZExt(bits, p.Width)
			}
			product = st.Mul(product, bits)
		}
		sum = st.Add(sum, product)
	}
	return st.Implies(there, st.Eq(sum, st.ConstU(p.Width, 0)))
}

// algebraConflicts bounds the work of Z3 between two lemmas.
const algebraConflicts = 20_000

// byAlgebra says whether roots exclude each other by calculation.
func (c *checker) byAlgebra(roots []term.ID) (bool, error) {
	solver := z3.New(c.st, z3.Options{})
	defer solver.Close()
	solver.SetConflictLimit(algebraConflicts)
	refuted, _ := algebra.Refute(c.ctx, c.st, solver, roots)
	c.calculated = refuted
	return refuted, c.ctx.Err()
}
