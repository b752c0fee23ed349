package search

import (
	"context"
	"time"

	"assay/internal/integers/branching"
	"assay/internal/integers/forward"
	"assay/internal/integers/its"
	"assay/internal/integers/ranking"
	"assay/internal/integers/region"
	"assay/internal/logic/linear"
	"assay/internal/logic/polyhedra"
	"assay/internal/run/work"
	"assay/internal/temporal/ctl"
)

// This file claims A[f U g] and E[f U g].
//
// For all runs, a system is made whose runs begin in the wanted states, stop where g holds, and go
// on for ever where they are stuck before or leave f: it terminates (package ranking) if and only
// if all runs get to g. Where it has no ranking function, parts of the states are tried alone.
//
// For some run, steps are taken backwards from g, over what random runs take (paths) and over all, and
// what A[f U g] is true of is added.

// reach are states, by location, that runs from the wanted ones get to before they are in the
// sets. Many may not be reached.
func (x *explorer) reach(ctx context.Context, want, until []region.Region) ([]region.Region, error) {
	s, err := x.from(ctx, want, until)
	if err != nil {
		return nil, err
	}
	at := forward.Invariants(ctx, s, polyhedra.Polyhedron{}, x.observed...)
	return x.each(func(l int) (region.Region, error) {
		return region.Region(nil).Union(ctx, region.Of(ctx, at[l].Meet(ctx, x.inv[l].Constraints()...).Constraints()...)), nil
	})
}

// from is the system with runs from the wanted states until they are in the sets. Its last
// location is where they begin.
func (x *explorer) from(ctx context.Context, want, until []region.Region) (*its.System, error) {
	s := its.NewSystem(x.s.Variables...)
	s.Locations = append(append([]string(nil), x.s.Locations...), "begin")
	s.Initial = its.Location(len(x.s.Locations))
	for l := range want {
		begin, err := want[l].Minus(ctx, until[l])
		if err != nil {
			return nil, err
		}
		for _, p := range begin {
			s.Add(its.Transition{From: s.Initial, To: its.Location(l), Guard: p.Constraints(), Update: s.Identity(), Exact: true})
		}
	}
	for i := range x.s.Transitions {
		t := x.s.Transitions[i]
		going, err := x.going(ctx, t.From, until)
		if err != nil {
			return nil, err
		}
		for _, p := range going {
			u := t
			u.Guard = append(append([]linear.Constraint(nil), p.Constraints()...), t.Guard...)
			s.Add(u)
		}
	}
	return s, nil
}

// going are the states at a location that are in the invariant and not in the sets.
func (x *explorer) going(ctx context.Context, l its.Location, until []region.Region) (region.Region, error) {
	if x.inv[l].IsEmpty() {
		return nil, nil
	}
	return region.Region{x.inv[l]}.Minus(ctx, until[l])
}

// endless adds to a system (from) loops where a run is stuck, or leaves where it has to stay.
func (x *explorer) endless(ctx context.Context, s *its.System, within, until []region.Region) error {
	for l := range x.s.Locations {
		going, err := x.going(ctx, its.Location(l), until)
		if err != nil {
			return err
		}
		outside, err := going.Minus(ctx, within[l])
		if err != nil {
			return err
		}
		stuck, err := x.maybeStuck(ctx, its.Location(l))
		if err != nil {
			return err
		}
		if stuck, err = stuck.Meet(ctx, going); err != nil {
			return err
		}
		for _, p := range outside.Union(ctx, stuck) {
			s.Add(its.Transition{From: its.Location(l), To: its.Location(l), Guard: p.Constraints(), Update: s.Identity(), Exact: true})
		}
	}
	s.SetFair(func(its.Location) bool { return true })
	return nil
}

// operands are the claims of f and g in f U g or f W g.
func (x *explorer) operands(ctx context.Context, f, g ctl.Formula, want []region.Region) (a, b *branching.Claim, err error) {
	reached, err := x.reach(ctx, want, x.nowhere())
	if err != nil {
		return nil, nil, err
	}
	if b, err = x.claim(ctx, g, reached); err != nil {
		return nil, nil, err
	}
	rest, err := x.each(func(l int) (region.Region, error) { return reached[l].Minus(ctx, b.Holds[l]) })
	if err != nil {
		return nil, nil, err
	}
	a, err = x.claim(ctx, f, rest)
	return a, b, err
}

// allUntil is the claim of A[f U g].
func (x *explorer) allUntil(ctx context.Context, f ctl.Until, want []region.Region) (*branching.Claim, error) {
	a, b, err := x.operands(ctx, f.F, f.G, want)
	if err != nil {
		return nil, err
	}
	return x.descents(ctx, &branching.Claim{Formula: f, Below: []*branching.Claim{a, b}}, want)
}

// descents looks for states from which all runs get to where the claim's second operand holds.
func (x *explorer) descents(ctx context.Context, c *branching.Claim, want []region.Region) (*branching.Claim, error) {
	within, until := c.Below[0].Holds, c.Below[1].Holds
	c.Holds, _ = x.each(func(l int) (region.Region, error) { return until[l], nil })
	// A few steps need no ranking function.
	if err := x.forcedLayers(ctx, c, want); err != nil {
		return nil, err
	}
	rest, err := x.each(func(l int) (region.Region, error) { return want[l].Minus(ctx, c.Holds[l]) })
	if err != nil {
		return nil, err
	}
	ok, err := x.descent(ctx, c, rest, within, until)
	if err != nil || ok {
		return c, err
	}
	for l := range rest {
		for _, p := range rest[l] {
			if err := x.descentOfPart(ctx, c, its.Location(l), p, x.effort); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

// maxForced bounds the steps that are made without a ranking function.
const maxForced = 3

// forcedLayers adds what is forced into g in a few steps, as descents.
func (x *explorer) forcedLayers(ctx context.Context, c *branching.Claim, want []region.Region) error {
	within, until := c.Below[0].Holds, c.Below[1].Holds
	into := c.Holds
	for range maxForced {
		grown := false
		next, err := x.each(func(l int) (region.Region, error) {
			if x.inv[l].IsEmpty() {
				return into[l], nil
			}
			r, err := x.forced(ctx, its.Location(l), into)
			if err != nil {
				return nil, err
			}
			if r, err = r.Meet(ctx, within[l]); err != nil {
				return nil, err
			}
			fresh, err := r.Minus(ctx, into[l])
			if err != nil {
				return nil, err
			}
			grown = grown || len(fresh) > 0
			return into[l].Union(ctx, fresh), nil
		})
		if err != nil {
			return err
		}
		if !grown {
			break
		}
		into = next
	}
	some, err := x.each(func(l int) (region.Region, error) {
		r, err := into[l].Minus(ctx, until[l])
		if err != nil || len(want[l]) == 0 {
			return nil, err
		}
		return r.Meet(ctx, want[l])
	})
	if err != nil {
		return err
	}
	_, err = x.descent(ctx, c, some, within, until)
	return err
}

// rankingTime is how long a ranking function is looked for, by effort.
var rankingTime = [maxEffort]time.Duration{500 * time.Millisecond, 2 * time.Second, 5 * time.Second, 10 * time.Second}

// descent tries to show that all runs from the states get to g, and adds it to the claim.
func (x *explorer) descent(ctx context.Context, c *branching.Claim, from, within, until []region.Region) (bool, error) {
	empty := true
	for _, r := range from {
		empty = empty && len(r) == 0
	}
	if empty {
		return true, nil
	}
	s, err := x.from(ctx, from, until)
	if err != nil {
		return false, err
	}
	if err := x.endless(ctx, s, within, until); err != nil {
		return false, err
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

// descentOfPart tries one part of the states at a location, and then its parts by the
// conditions there.
func (x *explorer) descentOfPart(ctx context.Context, c *branching.Claim, l its.Location, p polyhedra.Polyhedron, splits int) error {
	from := x.nowhere()
	from[l] = region.Region{p}
	ok, err := x.descent(ctx, c, from, c.Below[0].Holds, c.Below[1].Holds)
	if err != nil || ok || splits == 0 {
		return err
	}
	for _, condition := range x.conditions(ctx, l, c.Below) {
		yes, no := p.Meet(ctx, condition), p.Meet(ctx, condition.Negations()...)
		if yes.IsEmpty() || no.IsEmpty() {
			continue
		}
		for _, part := range []polyhedra.Polyhedron{yes, no} {
			if in, err := (region.Region{part}).Within(ctx, c.Holds[l]); err != nil || in {
				continue
			}
			if err := x.descentOfPart(ctx, c, l, part, splits-1); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxConditions bounds the conditions of a location.
const maxConditions = 8

// conditions are inequalities over the state that matter at a location: of guards, and of what is
// known of the operands.
func (x *explorer) conditions(ctx context.Context, l its.Location, below []*branching.Claim) (list []linear.Constraint) {
	add := func(cs []linear.Constraint) {
		for _, c := range cs {
			if c.Equality {
				for _, n := range c.Negations() {
					c := n.Negate()
					list = append(list, c)
				}
				continue
			}
			if c.Form.MaxVar() < linear.Var(len(x.s.Variables)) && len(c.Form.Terms) > 0 {
				list = append(list, c.Tighten())
			}
		}
	}
	for _, c := range x.enabled[l] {
		add(c.From.Constraints())
	}
	for _, b := range below {
		for _, p := range b.Holds[l] {
			add(p.Constraints())
		}
	}
	var out []linear.Constraint
	for _, c := range list {
		same := x.inv[l].Entails(ctx, c)
		for _, d := range out {
			same = same || c.Equal(d) || c.Equal(d.Negate())
		}
		if !same && len(out) < maxConditions {
			out = append(out, c)
		}
	}
	return out
}

// maxLayers is how many steps are taken backwards, by effort.
var maxLayers = [maxEffort]int{6, 20, 60, 150}

// someUntil is the claim of E[f U g].
func (x *explorer) someUntil(ctx context.Context, f ctl.Until, want []region.Region, one bool) (*branching.Claim, error) {
	a, b, err := x.operands(ctx, f.F, f.G, want)
	if err != nil {
		return nil, err
	}
	c := &branching.Claim{Formula: f, Below: []*branching.Claim{a, b}}
	c.Holds, _ = x.each(func(l int) (region.Region, error) { return b.Holds[l], nil })
	if one {
		if err := x.paths(ctx, c, want, x.stepwise); err != nil || x.stepwise && len(c.Layers) > 0 {
			return c, err
		}
	}
	if err := x.layers(ctx, c, want); err != nil {
		return nil, err
	}
	covered, err := x.covered(ctx, want, c.Holds)
	if err != nil || covered || x.stepwise && x.effort < 2 {
		return c, err
	}
	if x.stepwise { // with many cases, which make the rest slow
		return c, x.paths(ctx, c, want, false)
	}
	c.Within, err = x.descents(ctx, &branching.Claim{Formula: ctl.Until{Q: ctl.All, F: f.F, G: f.G}, Below: []*branching.Claim{a, b}}, want)
	if err != nil {
		return nil, err
	}
	for l := range c.Holds {
		c.Holds[l] = c.Within.Holds[l]
	}
	c.Layers = nil
	return c, x.layers(ctx, c, want)
}

// covered says whether all wanted states are in the sets.
func (x *explorer) covered(ctx context.Context, want, sets []region.Region) (bool, error) {
	for l := range want {
		if in, err := want[l].Within(ctx, sets[l]); err != nil || !in {
			return false, err
		}
	}
	return true, nil
}

// layers goes backwards from the claim's states.
func (x *explorer) layers(ctx context.Context, c *branching.Claim, want []region.Region) error {
	within := c.Below[0].Holds
	for range maxLayers[x.effort] {
		if all, err := x.covered(ctx, want, c.Holds); err != nil || all {
			return err
		}
		layer := make([][]region.Choice, len(x.s.Locations))
		grown := false
		next, err := x.each(func(l int) (region.Region, error) {
			holds := c.Holds[l]
			_, list, err := x.chosen(ctx, its.Location(l), c.Holds)
			if err != nil {
				return nil, err
			}
			for _, choice := range list {
				parts, err := region.Region{choice.From}.Meet(ctx, within[l])
				if err != nil {
					return nil, err
				}
				for _, p := range parts {
					if in, err := (region.Region{p}).Within(ctx, holds); err != nil || in || choice.Transition == region.Stay {
						continue
					}
					holds = holds.Union(ctx, region.Region{p})
					layer[l] = append(layer[l], region.Choice{From: p, Transition: choice.Transition, Inputs: choice.Inputs})
					grown = true
				}
			}
			if len(holds) > 100 {
				return nil, region.ErrTooMany
			}
			return holds, nil
		})
		if err != nil {
			return err
		}
		if !grown {
			return nil
		}
		c.Layers = append(c.Layers, layer)
		c.Holds = next
	}
	return nil
}
