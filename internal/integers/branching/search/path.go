package search

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"slices"

	"assay/internal/integers/branching"
	"assay/internal/integers/its"
	"assay/internal/integers/region"
	"assay/internal/integers/walk"
	"assay/internal/logic/linear"
	"assay/internal/logic/polyhedra"
)

// This file claims E[f U g] of states by runs: a random run from a wanted state to where g holds says which
// transitions to take, and going back over these alone says from which other states they lead there. This
// finds what is hundreds of steps away, where going backwards over all transitions has too many cases.

// Walks per wanted part, by effort, and steps of each.
var walks = [maxEffort]int{10, 30, 100, 300}

const walkSteps = 250

// pathSizes are the sizes of the numbers that runs choose, in turns.
var pathSizes = []int64{1, 3, 8, 40}

// paths adds to the claim what runs from the wanted states show; one is enough, or as many as there are.
func (x *explorer) paths(ctx context.Context, c *branching.Claim, want []region.Region, one bool) error {
	rng := rand.New(rand.NewPCG(3, 5))
	for l := range want {
		for _, p := range want[l] {
			for i := range walks[x.effort] {
				rest, err := (region.Region{p}).Minus(ctx, c.Holds[l])
				switch {
				case errors.Is(err, region.ErrTooMany):
					rest = region.Region{p}
				case err != nil:
					return err
				}
				if len(rest) == 0 {
					break
				}
				size := pathSizes[i%len(pathSizes)]
				state := x.sample(l, rest, i)
				if state == nil {
					state = walk.State(x.s, rest[i%len(rest)].Constraints(), rng, size)
				}
				if state == nil {
					continue
				}
				if _, known := containing(c.Holds[l], state); known {
					continue
				}
				found, err := x.path(ctx, c, its.Location(l), state, rng, size)
				if err != nil {
					return err
				}
				if found && one {
					return nil
				}
			}
		}
	}
	return nil
}

// sample is a state of a region that a run was in, by number; nil if there is none.
func (x *explorer) sample(l int, r region.Region, number int) []*big.Int {
	for _, state := range x.seen[l][min(number, len(x.seen[l])):] {
		if _, ok := containing(r, state); ok {
			return state
		}
	}
	return nil
}

// path makes a run from a state, and adds the states from which the same transitions lead where it leads.
func (x *explorer) path(ctx context.Context, c *branching.Claim, l its.Location, state []*big.Int, rng *rand.Rand, size int64) (bool, error) {
	within := c.Below[0].Holds
	var steps []walk.Step
	target, arrived := polyhedra.Polyhedron{}, false
	walk.From(ctx, x.s, rng, l, state, walkSteps, size, func(step walk.Step) bool {
		if target, arrived = containing(c.Holds[l], step.State); arrived || step.Transition < 0 {
			return false
		}
		if _, ok := containing(within[l], step.State); !ok {
			return false
		}
		steps = append(steps, step)
		l = x.s.Transitions[step.Transition].To
		return true
	})
	if !arrived || ctx.Err() != nil {
		return false, ctx.Err()
	}
	var layers [][][]region.Choice
	holds := slices.Clone(c.Holds)
	for _, step := range slices.Backward(steps) {
		choice, ok := x.chosenAt(ctx, step, target)
		if !ok {
			return false, nil // the transition is not exact
		}
		from := x.s.Transitions[step.Transition].From
		if part, ok := containing(within[from], step.State); ok {
			choice.From = choice.From.Meet(ctx, part.Constraints()...)
		}
		layer := make([][]region.Choice, len(x.s.Locations))
		layer[from] = []region.Choice{choice}
		layers = append(layers, layer)
		holds[from] = holds[from].Union(ctx, region.Region{choice.From})
		target = choice.From
	}
	c.Layers = append(c.Layers, layers...)
	c.Holds = holds
	return len(layers) > 0, ctx.Err()
}

// chosenAt is a choice for the state of a step, and others if there are such, that leads into the target.
func (x *explorer) chosenAt(ctx context.Context, step walk.Step, target polyhedra.Polyhedron) (region.Choice, bool) {
	t := &x.s.Transitions[step.Transition]
	if !t.Exact {
		return region.Choice{}, false
	}
	factors, ok := region.FactorsAt(x.s, step.Transition, step.State, step.Inputs)
	if !ok {
		return region.Choice{}, false
	}
	for _, choice := range region.Chosen(ctx, x.s, step.Transition, region.Region{target}, []region.Factors{factors}) {
		choice.From = choice.From.Meet(ctx, x.inv[t.From].Constraints()...)
		if _, ok := containing(region.Region{choice.From}, step.State); ok {
			return choice, true
		}
	}
	// The numbers of the run itself.
	point := make([]linear.Constraint, len(step.State))
	for v, n := range step.State {
		point[v] = linear.Equals(linear.Variable(linear.Var(v)), linear.Constant(linear.FromBigInt(n)))
	}
	inputs := make([]linear.Form, t.Temps)
	for i, n := range step.Inputs {
		if n != nil {
			inputs[i] = linear.Constant(linear.FromBigInt(n))
		}
	}
	for i, f := range factors {
		inputs[int(t.Products[i].Temp)-len(x.s.Variables)] = linear.Constant(f[0].Mul(f[1]))
	}
	return region.Choice{From: polyhedra.Of(ctx, point...), Transition: step.Transition, Inputs: inputs}, true
}

// containing is the first part of a region that contains a state.
func containing(r region.Region, state []*big.Int) (polyhedra.Polyhedron, bool) {
	value := func(v linear.Var) linear.Number { return linear.FromBigInt(state[v]) }
	for _, p := range r {
		if !p.IsEmpty() && !slices.ContainsFunc(p.Constraints(), func(c linear.Constraint) bool { return !c.Holds(value) }) {
			return p, true
		}
	}
	return polyhedra.Polyhedron{}, false
}
