package itscheck

import "assay/internal/logic/polynomial/rational"

// Congruent checks that two polynomials have the same value wherever some equations are 0: their difference is the
// sum of the products of cofactors and equations. nil means yes.
func Congruent(p, q rational.Polynomial, equations, cofactors []rational.Polynomial) error {
	var facts []expanded
	for _, e := range equations {
		facts = append(facts, written(e))
	}
	if err := sumsUp(written(p).plus(written(q), -1), facts, cofactors); err != nil {
		return reject("equality of polynomials: %v", err)
	}
	return nil
}

// written is a polynomial in the arithmetic of this package.
func written(p rational.Polynomial) expanded {
	out := expanded{}
	for m, c := range p {
		out.add(keyOf(m), c.Big())
	}
	return out
}
