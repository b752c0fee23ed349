package inference

import (
	"context"

	"assay/internal/engines/guess"
	"assay/internal/evidence/invariant"
)

// promise guesses the contracts of all components.
func (p *Search) promise(ctx context.Context) {
	for _, c := range guess.Contracts(ctx, p.m, p.Recursive, p.o.Targets) {
		for i, l := range c.Sides {
			p.contracts = append(p.contracts, l)
			p.places[l], p.at[l] = c.Seen[i].Values, c.Seen[i]
		}
		for _, x := range c.Candidates {
			_, guarded := x.Predicate.(invariant.Guarded)
			switch {
			case !p.o.allows(x.Predicate):
			case guarded:
				p.guarded = append(p.guarded, x)
			case !isAffine(x.Predicate):
				p.all = append(p.all, x)
			}
		}
	}
}

// greatestGuarded is the greatest inductive set of candidates with conditions.
func (p *Search) greatestGuarded(ctx context.Context, f *formula, on []*rule) ([]*rule, error) {
	more, err := f.greatest(ctx, p.guarded, on, 1)
	return append(on, more...), err
}
