package search

import (
	"context"

	"assay/internal/integers/branching"
	"assay/internal/integers/its"
	"assay/internal/integers/ranking"
	"assay/internal/integers/region"
	"assay/internal/logic/linear"
	"assay/internal/run/work"
	"assay/internal/temporal/ctl"
)

// This file claims E(G f && G F g) and A(F f || F G g), to which formulas of CTL* come down.
//
// Of the first one, the greatest set of states is looked for from which a run comes to g, and in at least a step to the set
// again. It begins with all states in which f holds, and those leave it for which no such run is found, until none does.
//
// Of the second one, a system is made whose steps from outside of g are fair, and which ends in f: it has no run with
// fair steps again and again if it has a ranking function for these steps.

// maxAgain is how often the set is made smaller, by effort.
var maxAgain = [maxEffort]int{3, 5, 8, 12}

// often is the claim of E(G f && G F g).
func (x *explorer) often(ctx context.Context, f ctl.Often, want []region.Region) (*branching.Claim, error) {
	a, b, err := x.operands(ctx, f.F, f.G, want)
	if err != nil {
		return nil, err
	}
	formula, again := branching.Return(f)
	c := &branching.Claim{Formula: f, Below: []*branching.Claim{a, b}, Holds: x.nowhere()}
	set, err := x.each(func(l int) (region.Region, error) {
		if x.inv[l].IsEmpty() {
			return nil, nil
		}
		return a.Holds[l].Meet(ctx, region.Region{x.inv[l]})
	})
	if err != nil {
		return nil, err
	}
	if x.given == nil {
		x.given = map[ctl.Formula]*branching.Claim{}
	}
	defer delete(x.given, again)
	none := &branching.Claim{Formula: ctl.Constant(false), Holds: x.nowhere()}
	for round := 0; ; round++ {
		x.given[again] = &branching.Claim{Formula: again, Holds: set}
		c.Within, err = x.claim(ctx, formula, set)
		if err != nil {
			return nil, err
		}
		stable := true
		next, err := x.each(func(l int) (region.Region, error) {
			if in, err := set[l].Within(ctx, c.Within.Holds[l]); err != nil || in {
				return set[l], err
			}
			stable = false
			return set[l].Meet(ctx, c.Within.Holds[l])
		})
		if err != nil {
			return nil, err
		}
		if stable {
			c.Again, c.Holds = set, c.Within.Holds
			return c, nil
		}
		if round == maxAgain[x.effort] {
			break
		}
		set = next
	}
	// Nothing is claimed: of no states, everything is true.
	x.given[again] = &branching.Claim{Formula: again, Holds: x.nowhere()}
	c.Again, c.Holds = x.nowhere(), x.nowhere()
	c.Within, err = x.claim(ctx, formula, none.Holds)
	return c, err
}

// settles is the claim of A(F f || F G g).
func (x *explorer) settles(ctx context.Context, f ctl.Settles, want []region.Region) (*branching.Claim, error) {
	a, b, err := x.operands(ctx, f.F, f.G, want)
	if err != nil {
		return nil, err
	}
	c := &branching.Claim{Formula: f, Below: []*branching.Claim{a, b}}
	c.Holds, _ = x.each(func(l int) (region.Region, error) { return a.Holds[l], nil })
	rest, err := x.each(func(l int) (region.Region, error) { return want[l].Minus(ctx, c.Holds[l]) })
	if err != nil {
		return nil, err
	}
	if ok, err := x.settle(ctx, c, rest); err != nil || ok {
		return c, err
	}
	for l := range rest {
		for _, p := range rest[l] {
			part := x.nowhere()
			part[l] = region.Region{p}
			if _, err := x.settle(ctx, c, part); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

// settle tries to show that all runs from the states come to the first operand of the claim, or stay in the second, and
// adds it to the claim.
func (x *explorer) settle(ctx context.Context, c *branching.Claim, from []region.Region) (bool, error) {
	until, stay := c.Below[0].Holds, c.Below[1].Holds
	s, err := x.from(ctx, from, until)
	if err != nil {
		return false, err
	}
	list := s.Transitions
	s.Transitions = nil
	for _, t := range list {
		if t.From == s.Initial {
			s.Add(t)
			continue
		}
		inside := stay[t.From]
		outside, err := region.All().Minus(ctx, inside)
		if err != nil {
			return false, err
		}
		for k, parts := range []region.Region{inside, outside} {
			for _, p := range parts {
				u := t
				if u.Guard = append(append([]linear.Constraint(nil), p.Constraints()...), t.Guard...); linear.IsFeasible(ctx, u.Guard) {
					u.Fair = k == 1
					s.Add(u)
				}
			}
		}
	}
	for l := range x.s.Locations {
		going, err := x.going(ctx, its.Location(l), until)
		if err != nil {
			return false, err
		}
		stuck, err := x.maybeStuck(ctx, its.Location(l))
		if err != nil {
			return false, err
		}
		if stuck, err = stuck.Meet(ctx, going); err != nil {
			return false, err
		}
		if stuck, err = stuck.Minus(ctx, stay[l]); err != nil {
			return false, err
		}
		for _, p := range stuck {
			s.Add(its.Transition{From: its.Location(l), To: its.Location(l), Guard: p.Constraints(), Update: s.Identity(), Exact: true, Fair: true})
		}
	}
	soon, stop := work.WithTimeout(ctx, rankingTime[x.effort])
	defer stop()
	proved, ok := ranking.Prove(soon, s, ranking.Options{MaxNested: 1 + x.effort}).(ranking.Proved)
	if !ok {
		return false, ctx.Err()
	}
	c.Descents = append(c.Descents, branching.Descent{From: from, Argument: proved.Argument})
	for l := range from {
		c.Holds[l] = c.Holds[l].Union(ctx, from[l])
	}
	return true, nil
}
