package inference

import (
	"assay/internal/evidence/invariant"
	"assay/internal/logic/term"
	"context"
)

// This file makes predicates about floats formulas, and finds those that are inductive.

// order is a predicate about floats: nothing holds of a NaN.
func (f *formula) order(p invariant.Order, value func(invariant.Term) term.ID) term.ID {
	st := f.st
	side := func(i int) term.ID {
		if i < 0 {
			return st.Const(p.FloatBound())
		}
		return value(p.Terms[i])
	}
	x, y, strict := p.Ordered()
	if strict {
		return st.FLt(side(x), side(y))
	}
	return st.FLe(side(x), side(y))
}

// knownFloats finds which intervals that abstract interpretation knows are
// inductive with these rules: most are, and no search is needed.
func (p *Search) knownFloats(ctx context.Context, f *formula, on []*rule) ([]*rule, error) {
	more, err := f.greatest(ctx, p.floats, on, 1)
	return append(on, more...), err
}
