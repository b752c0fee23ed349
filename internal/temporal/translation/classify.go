package translation

import (
	"context"

	"assay/internal/temporal/buchi"
	"assay/internal/temporal/ltl"
)

// This file recognises safety and guarantee formulas: by the structure of the normal
// form [Sistla94], else by automata, exactly [AlpernSchneider87].

// Class is what finite prefixes tell of a formula.
type Class struct {
	Safety    bool // where it is false, a prefix shows it
	Guarantee bool // where it is true, a prefix shows it
}

// String is the class in words.
func (c Class) String() string {
	switch {
	case c.Safety && c.Guarantee:
		return "safety and guarantee"
	case c.Safety:
		return "safety"
	case c.Guarantee:
		return "guarantee"
	}
	return "neither safety nor guarantee"
}

// Classify says which class a formula is in.
func Classify(ctx context.Context, f ltl.Formula) (Class, error) {
	c := structure(ltl.Simplify(f))
	if c.Safety && c.Guarantee {
		return c, nil
	}
	a, _, err := Translate(ctx, f)
	if err != nil {
		return c, err
	}
	not, _, err := Translate(ctx, ltl.Not(f))
	if err != nil {
		return c, err
	}
	c.Safety = c.Safety || closed(a, not)
	c.Guarantee = c.Guarantee || closed(not, a)
	return c, nil
}

// structure is what the operators of a normal form tell: without until it is a safety
// formula, without release a guarantee.
func structure(f ltl.Formula) Class {
	c := Class{true, true}
	for _, g := range ltl.Subformulas(f) {
		if b, ok := g.(ltl.Binary); ok {
			c.Safety = c.Safety && b.Op != ltl.UntilOp
			c.Guarantee = c.Guarantee && b.Op != ltl.ReleaseOp
		}
	}
	return c
}

// closed says that the automaton accepts every word all of whose prefixes it can go on
// from to accept, given the automaton of the complement.
func closed(a, not *buchi.Automaton) bool {
	closure := a.Trim()
	for q := range closure.Accepting {
		closure.Accepting[q] = len(closure.Edges[q]) > 0
	}
	_, differs := buchi.Intersect(closure, not).Witness()
	return !differs
}
