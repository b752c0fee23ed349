package inference

import (
	"context"
)

// This file begins a search with what is known at little cost: what abstract interpretation knows of the integers at
// the heads of loops, and which of them are counted in step. That suffices where abstract interpretation excludes all
// but a few checks, of what it does not relate (an index below a length that nothing bounds): then one question is a
// proof, where the search for more asks hundreds, about formulas in which all loops are together. Where it does not
// suffice, the search goes on under what was found to be inductive.

// knownIntegers finds which of that is inductive: most is, and no search is needed.
func (p *Search) knownIntegers(ctx context.Context, f *formula, on []*rule) ([]*rule, error) {
	more, err := f.greatest(ctx, p.integers, on, 1)
	return append(on, more...), err
}
