package search

import (
	"context"
	"slices"

	"assay/internal/integers/branching"
	"assay/internal/integers/forward"
	"assay/internal/integers/its"
	"assay/internal/integers/region"
	"assay/internal/logic/linear"
	"assay/internal/logic/polyhedra"
	"assay/internal/temporal/ctl"
)

// This file claims A[f W g] and E[f W g]: sets of states where g holds, or f and all steps, or one,
// lead into the sets again. They are found as
//
//   - invariants of the runs from the wanted states, as long as g does not hold (for all runs);
//   - the limit of what stays in f for so many steps;
//   - the cells that conditions of the program cut the states into, but those with a way out;
//   - the same, after cuts where a condition gets no worse with a step: of x > 0 and x := x - y, where y <= 0.

// maxRounds is how often a set is made smaller, by effort.
var maxRounds = [maxEffort]int{4, 10, 25, 60}

// allWeak is the claim of A[f W g].
func (x *explorer) allWeak(ctx context.Context, f ctl.Weak, want []region.Region) (*branching.Claim, error) {
	a, b, err := x.operands(ctx, f.F, f.G, want)
	if err != nil {
		return nil, err
	}
	c := &branching.Claim{Formula: f, Below: []*branching.Claim{a, b}}
	c.Holds, err = x.staying(ctx, c, want, func(l its.Location, into []region.Region) (region.Region, error) { return x.forced(ctx, l, into) })
	if err != nil {
		return nil, err
	}
	if covered, err := x.covered(ctx, want, c.Holds); err != nil || covered {
		return c, err
	}
	for l := range want { // what one invariant does not show for all, it may for parts
		for _, p := range want[l] {
			if in, err := (region.Region{p}).Within(ctx, c.Holds[l]); err != nil || in {
				continue
			}
			part := x.nowhere()
			part[l] = region.Region{p}
			if err := x.invariant(ctx, c, part); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

// invariant adds the states that runs from the wanted ones reach, if f holds in all of them
// in which g does not.
func (x *explorer) invariant(ctx context.Context, c *branching.Claim, want []region.Region) error {
	within, until := c.Below[0].Holds, c.Below[1].Holds
	s, err := x.from(ctx, want, until)
	if err != nil {
		return err
	}
	at := forward.Invariants(ctx, s, polyhedra.Polyhedron{}, x.observed...)
	reached := x.nowhere()
	for l := range reached {
		p := at[l].Meet(ctx, x.inv[l].Constraints()...)
		if p.IsEmpty() {
			continue
		}
		if reached[l], err = (region.Region{p}).Minus(ctx, until[l]); err != nil {
			return err
		}
		if in, err := reached[l].Within(ctx, within[l]); err != nil || !in {
			return err
		}
	}
	for l := range reached {
		c.Holds[l] = c.Holds[l].Union(ctx, reached[l])
	}
	return nil
}

// staying are sets of states where g holds, or f and steps lead into the sets.
func (x *explorer) staying(ctx context.Context, c *branching.Claim, want []region.Region, before func(l its.Location, into []region.Region) (region.Region, error)) ([]region.Region, error) {
	within, until := c.Below[0].Holds, c.Below[1].Holds
	if f := c.Formula.(ctl.Weak); f.Q == ctl.All {
		found := &branching.Claim{Formula: f, Below: c.Below, Holds: x.nowhere()}
		for l := range found.Holds {
			found.Holds[l] = until[l]
		}
		if err := x.invariant(ctx, found, want); err != nil {
			return nil, err
		}
		if covered, err := x.covered(ctx, want, found.Holds); err != nil || covered {
			return found.Holds, err
		}
	}
	sets, err := x.each(func(l int) (region.Region, error) {
		both := until[l].Union(ctx, within[l])
		if x.inv[l].IsEmpty() {
			return nil, nil
		}
		return both.Meet(ctx, region.Region{x.inv[l]})
	})
	if err != nil {
		return nil, err
	}
	for range maxRounds[x.effort] {
		stable := true
		next, err := x.each(func(l int) (region.Region, error) {
			if len(sets[l]) == 0 {
				return nil, nil
			}
			r, err := before(its.Location(l), sets)
			if err != nil {
				return nil, err
			}
			if r, err = r.Meet(ctx, within[l]); err != nil {
				return nil, err
			}
			r = r.Union(ctx, until[l])
			if in, err := sets[l].Within(ctx, r); err != nil {
				return nil, err
			} else if in {
				return sets[l], nil
			}
			stable = false
			return r.Meet(ctx, sets[l])
		})
		if err != nil {
			return nil, err
		}
		if sets = next; stable {
			return sets, nil
		}
	}
	if sets, err = x.cells(ctx, c, nil, before); err != nil {
		return nil, err
	}
	if covered, err := x.covered(ctx, want, sets); err != nil || covered {
		return sets, err
	}
	for _, drift := range x.drifts(ctx, c.Below) {
		more, err := x.cells(ctx, c, []linear.Constraint{drift}, before)
		if err != nil {
			return nil, err
		}
		sets, _ = x.each(func(l int) (region.Region, error) { return sets[l].Union(ctx, more[l]), nil })
	}
	return sets, nil
}

// maxDrifts bounds them.
const maxDrifts = 6

// drifts are conditions under which a step does not make the form of another condition smaller.
func (x *explorer) drifts(ctx context.Context, below []*branching.Claim) (list []linear.Constraint) {
	for i := range x.s.Transitions {
		t := &x.s.Transitions[i]
		for _, condition := range x.conditions(ctx, t.To, below) {
			after := condition.Form.Substitute(func(v linear.Var) (linear.Form, bool) { return t.Update[v], true })
			drift := linear.Constraint{Form: after.Sub(condition.Form)}.Tighten()
			if len(drift.Form.Terms) == 0 || drift.Form.MaxVar() >= linear.Var(len(x.s.Variables)) || slices.ContainsFunc(list, drift.Equal) {
				continue
			}
			if list = append(list, drift); len(list) == maxDrifts {
				return list
			}
		}
	}
	return list
}

// cells cuts the states in which f or g holds by the given conditions and those at each location, and takes
// cells away from which steps do not lead into others, until none is left to take.
func (x *explorer) cells(ctx context.Context, c *branching.Claim, first []linear.Constraint, before func(l its.Location, into []region.Region) (region.Region, error)) ([]region.Region, error) {
	within, until := c.Below[0].Holds, c.Below[1].Holds
	sets, err := x.each(func(l int) (region.Region, error) {
		cells := within[l]
		conditions := append(slices.Clone(first), x.conditions(ctx, its.Location(l), c.Below)...)
		for i, condition := range conditions {
			if i >= len(first)+2+x.effort {
				break
			}
			var cut region.Region
			for _, p := range cells {
				for _, side := range []linear.Constraint{condition, condition.Negate()} {
					if q := p.Meet(ctx, side); !q.IsEmpty() {
						cut = append(cut, q)
					}
				}
			}
			cells = cut
		}
		return append(cells[:len(cells):len(cells)], until[l]...), nil
	})
	if err != nil {
		return nil, err
	}
	for {
		changed := false
		for l := range sets {
			if len(sets[l]) == 0 {
				continue
			}
			r, err := before(its.Location(l), sets)
			if err != nil {
				return nil, err
			}
			if r, err = r.Meet(ctx, within[l]); err != nil {
				return nil, err
			}
			r = r.Union(ctx, until[l])
			var kept region.Region
			for _, p := range sets[l] {
				if in, err := (region.Region{p}).Within(ctx, r); err != nil {
					return nil, err
				} else if in {
					kept = append(kept, p)
				}
			}
			changed = changed || len(kept) < len(sets[l])
			sets[l] = kept
		}
		if !changed {
			return sets, nil
		}
	}
}

// someWeak is the claim of E[f W g].
func (x *explorer) someWeak(ctx context.Context, f ctl.Weak, want []region.Region) (*branching.Claim, error) {
	a, b, err := x.operands(ctx, f.F, f.G, want)
	if err != nil {
		return nil, err
	}
	c := &branching.Claim{Formula: f, Below: []*branching.Claim{a, b}}
	c.Holds, err = x.staying(ctx, c, want, func(l its.Location, into []region.Region) (region.Region, error) {
		r, _, err := x.chosen(ctx, l, into)
		return r, err
	})
	if err != nil {
		return nil, err
	}
	covered, err := x.covered(ctx, want, c.Holds)
	if err != nil {
		return nil, err
	}
	if !covered {
		all := &branching.Claim{Formula: ctl.Weak{Q: ctl.All, F: f.F, G: f.G}, Below: []*branching.Claim{a, b}}
		if all.Holds, err = x.staying(ctx, all, want, func(l its.Location, into []region.Region) (region.Region, error) { return x.forced(ctx, l, into) }); err != nil {
			return nil, err
		}
		c.Within = all
		for l := range c.Holds {
			c.Holds[l] = c.Holds[l].Union(ctx, all.Holds[l])
		}
	}
	// The steps, for the evidence.
	c.Next = make([][]region.Choice, len(x.s.Locations))
	for l := range c.Holds {
		if len(c.Holds[l]) == 0 {
			continue
		}
		if _, c.Next[l], err = x.chosen(ctx, its.Location(l), c.Holds); err != nil {
			return nil, err
		}
	}
	return c, nil
}
