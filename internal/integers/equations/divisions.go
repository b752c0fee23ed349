package equations

import (
	"context"
	"math/big"
	"slices"

	"assay/internal/integers/forward"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/logic/polyhedra"
)

// This file finds divisions by constants in a system, and facts that may hold, which are kept or dropped with the
// equations (E2, F1).

// Limits of what is looked for.
const (
	maxDivisor     = 64
	maxDivisors    = 3
	maxFacts       = 16 // of a location
	maxTransitions = 300
	fewStates      = 3
)

// divisions marks, by transition and constraint, the rests of divisions: inequalities with a temporary that has a greater
// coefficient than 1, and no product. divisors are these coefficients.
func (x *rewriting) divisions() (rests [][]bool, divisors []int64) {
	rests = make([][]bool, len(x.s.Transitions))
	for i := range x.s.Transitions {
		t := &x.s.Transitions[i]
		for k, g := range t.Guard {
			if !x.expanded[i].ok || x.expanded[i].guard[k].Degree() != 1 || !g.Form.IsIntegral() {
				continue
			}
			for _, m := range g.Form.Terms {
				if n, small := m.Coef.Abs().Int64(); int(m.Var) >= len(x.s.Variables) && small && n >= 2 && n <= maxDivisor {
					if rests[i] == nil {
						rests[i] = make([]bool, len(t.Guard))
					}
					rests[i][k] = !g.Equality
					divisors = append(divisors, n)
				}
			}
		}
	}
	slices.Sort(divisors)
	divisors = slices.Compact(divisors)
	return rests, divisors[:min(len(divisors), maxDivisors)]
}

// guess makes the facts that hold in sampled states.
func (x *rewriting) guess(ctx context.Context, initial []linear.Constraint, divisors []int64) {
	x.facts = make([][]Fact, len(x.s.Locations))
	x.implied = make([][]linear.Form, len(x.s.Transitions))
	polyhedron := polyhedra.Of(ctx, initial...)
	var observed []linear.Var
	for v, yes := range x.observed {
		if yes {
			observed = append(observed, linear.Var(v))
		}
	}
	invariants := forward.Invariants(ctx, x.s, polyhedron, observed...)
	for l := range x.s.Locations {
		if its.Location(l) == x.s.Initial {
			continue
		}
		var list []Fact
		states := x.states[l]
		if len(states) >= fewStates {
			for v := range x.s.Variables {
				list = append(list, factsOf(linear.Var(v), states, divisors)...)
			}
		}
		list = list[:min(len(list), maxFacts)]
		if !invariants[l].IsEmpty() {
			for _, c := range invariants[l].Constraints() {
				if len(list) < maxFacts {
					list = append(list, Holds{c})
				}
			}
		}
		x.facts[l] = list
	}
}

// factsOf are facts about a variable that hold in states in which it has different values.
func factsOf(v linear.Var, states [][]*big.Int, divisors []int64) (list []Fact) {
	first := states[0][v]
	if !slices.ContainsFunc(states, func(s []*big.Int) bool { return s[v].Cmp(first) != 0 }) {
		return nil
	}
	for _, n := range divisors {
		d := big.NewInt(n)
		rest := new(big.Int).Mod(first, d)
		if !slices.ContainsFunc(states, func(s []*big.Int) bool { return new(big.Int).Mod(s[v], d).Cmp(rest) != 0 }) {
			list = append(list, Multiple{v, rest.Int64(), n})
		}
		if !slices.ContainsFunc(states, func(s []*big.Int) bool { return !isPower(s[v], d) }) {
			list = append(list, Power{v, n})
		}
	}
	return list
}

// isPower says whether a number is 1 or a further power of a base.
func isPower(n, base *big.Int) bool {
	if n.Sign() <= 0 {
		return false
	}
	n = new(big.Int).Set(n)
	rest := new(big.Int)
	for n.Cmp(big.NewInt(1)) != 0 {
		if n.QuoRem(n, base, rest); rest.Sign() != 0 {
			return false
		}
	}
	return true
}

// keepFacts drops facts of the target that do not hold behind a transition; it says whether it dropped any.
func (x *rewriting) keepFacts(ctx context.Context, i int) bool {
	t := &x.s.Transitions[i]
	if x.never(i) {
		return false
	}
	kept := slices.DeleteFunc(slices.Clone(x.facts[t.To]), func(f Fact) bool { return !x.factHolds(ctx, i, f) })
	dropped := len(kept) < len(x.facts[t.To])
	x.facts[t.To] = kept
	return dropped
}

// never says that a transition is never taken: 1 is implied to be 0.
func (x *rewriting) never(i int) bool { return len(x.implied[i]) == 1 && x.implied[i][0].IsConstant() }
