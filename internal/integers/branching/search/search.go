// Package search decides formulas of computation tree logic on integer transition systems.
//
// For a formula in negation normal form, and sets of states of which it is wanted, it looks for
// sets of states in which the formula is true (explorer.claim), bottom up, with what is wanted
// handed down. What it finds under-approximates: a formula is proved if it is found to be true in
// all initial states, and refuted if its negation is found to be true in one. Both are looked for
// in turns, with more effort in each round, so that they meet [CookKoskinen13].
//
//	(B1) Everything is about states that satisfy the invariants (package forward).
//	(B2) A state without successor is its own successor (Stay).
//	(B3) A set for a universal operator accounts for every step that may exist, one for an
//	     existential operator only for steps with temporaries chosen as forms over the state, so
//	     that over-approximated transitions are decided against the claim.
//	(B3a) What holds again and again, or from some time on, is in again.go.
//	(B4) Claims are made for all states that satisfy the conditions, not for those that are wanted
//	     alone: what is wanted only says where to look.
//
// The evidence is a table of sets, choices and ranking functions (package branching), which
// package branchcheck checks.
package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"assay/internal/integers/branching"
	"assay/internal/integers/forward"
	"assay/internal/integers/its"
	"assay/internal/integers/region"
	"assay/internal/integers/walk"
	"assay/internal/logic/conjunction"
	"assay/internal/logic/linear"
	"assay/internal/logic/polyhedra"
	"assay/internal/logic/smt"
	"assay/internal/temporal/ctl"
)

// Answer is Holds, Fails or Open.
type Answer interface{ isAnswer() }

// Holds says that the formula is true in all initial states.
type Holds struct{ Proof *branching.Proof }

// Fails says that the formula is false: Proof is one of its negation.
type Fails struct{ Proof *branching.Proof }

// Open says that there is no answer.
type Open struct{ Reason string }

func (Holds) isAnswer() {}
func (Fails) isAnswer() {}
func (Open) isAnswer()  {}

// maxEffort is the last round.
const maxEffort = 4

// Decide looks for an answer. accept checks what is found: a proof that it does not accept is
// no answer.
func Decide(ctx context.Context, p branching.Problem, accept func(context.Context, branching.Problem, *branching.Proof, ctl.Formula) error) (Answer, error) {
	if len(p.Initial) == 0 {
		return Open{"there is no initial state"}, nil
	}
	initial := polyhedra.Polyhedron{}
	if len(p.Initial) == 1 {
		initial = p.Initial[0]
	}
	x := &explorer{p: p, s: p.System}
	observed, err := p.Observed()
	if err != nil {
		return nil, err
	}
	for v, yes := range observed {
		if yes {
			x.observed = append(x.observed, linear.Var(v))
		}
	}
	x.inv = forward.Invariants(ctx, p.System, initial, x.observed...)
	x.sampleFactors(ctx, initial.Constraints())
	x.seen = walk.States(ctx, x.s, initial.Constraints())
	if err := x.enabledChoices(ctx); err != nil {
		return nil, err
	}
	reason := "neither the formula nor its negation was proved"
	for _, turn := range turns {
		x.effort, x.stepwise = turn.effort, turn.stepwise
		for _, positive := range []bool{true, false} {
			f := ctl.Negation(p.Formula)
			if positive {
				f = ctl.Normal(p.Formula)
			}
			if turn.stepwise && !hasSomeUntil(f) {
				continue
			}
			a, why, err := x.round(ctx, f, positive, accept)
			if err != nil {
				return nil, err
			}
			if a != nil {
				return a, nil
			}
			if why != "" {
				reason = why
			}
			if ctx.Err() != nil {
				return Open{reason}, nil
			}
		}
	}
	return Open{reason}, nil
}

// turns are the rounds. In those that are stepwise, E[f U g] is shown by single steps only, and for
// fewer states than wanted, perhaps; else also by A[f U g], which may take long, and says more than needed
// where a step before chooses among the states.
var turns = []struct {
	effort   int
	stepwise bool
}{{1, true}, {0, false}, {1, false}, {2, true}, {2, false}, {3, true}, {3, false}}

// hasSomeUntil says whether E[f U g] occurs in a formula.
func hasSomeUntil(f ctl.Formula) bool {
	if u, ok := f.(ctl.Until); ok && u.Q != ctl.All {
		return true
	}
	return slices.ContainsFunc(ctl.Children(f), hasSomeUntil)
}

// round looks for a proof of the formula or of its negation.
func (x *explorer) round(ctx context.Context, f ctl.Formula, positive bool, accept func(context.Context, branching.Problem, *branching.Proof, ctl.Formula) error) (Answer, string, error) {
	proof := &branching.Proof{Invariants: x.inv, Enabled: x.enabled}
	shown, err := x.root(ctx, branching.RootOf(f, !positive), proof)
	switch {
	case errors.Is(err, region.ErrTooMany):
		return nil, err.Error(), nil
	case err != nil && ctx.Err() != nil:
		return nil, "", nil
	case err != nil || !shown:
		return nil, "", err
	}
	if err := accept(ctx, x.p, proof, f); err != nil {
		return nil, "what was found was not accepted: " + err.Error(), nil
	}
	if positive {
		return Holds{proof}, "", nil
	}
	return Fails{proof}, "", nil
}

// root looks for the parts of a proof, and says whether they are there.
func (x *explorer) root(ctx context.Context, r branching.Root, proof *branching.Proof) (bool, error) {
	switch r := r.(type) {
	case branching.Each:
		for _, s := range r {
			if ok, err := x.root(ctx, s, proof); err != nil || !ok {
				return false, err
			}
		}
		return true, nil
	case branching.One:
		var last error
		for _, s := range r {
			ok, err := x.root(ctx, s, proof)
			if ok {
				return true, nil
			}
			last = cmp.Or(last, err)
		}
		return false, last
	case branching.Whole:
		want := x.nowhere()
		want[x.s.Initial] = x.p.Initial
		x.one = true
		c, err := x.claim(ctx, x.p.Shown(r), want)
		if err != nil {
			return false, err
		}
		part := branching.Part{Claim: c, Of: x.p.Over(r)}
		if part.Of == ctl.All {
			if all, err := x.p.Initial.Within(ctx, c.Holds[x.s.Initial]); err != nil || !all {
				return false, err
			}
			proof.Parts = append(proof.Parts, part)
			return true, nil
		}
		some, err := x.p.Initial.Meet(ctx, c.Holds[x.s.Initial])
		if err != nil {
			return false, err
		}
		for _, p := range some {
			if part.State = point(ctx, p, len(x.s.Variables)); part.State != nil {
				proof.Parts = append(proof.Parts, part)
				return true, nil
			}
		}
		return false, nil
	}
	panic(fmt.Sprintf("search: unexpected %T", r))
}

// point is a state of a polyhedron, nil if none is found.
func point(ctx context.Context, p polyhedra.Polyhedron, n int) []*big.Int {
	s := &conjunction.Solver{Timeout: 2 * time.Second}
	defer s.Close()
	status, values, err := s.Solve(ctx, conjunction.Query{Variables: n, Constraints: p.Constraints()})
	if err != nil || status != smt.Sat {
		return nil
	}
	return values
}

// explorer looks for claims.
type explorer struct {
	p   branching.Problem
	s   *its.System
	inv []polyhedra.Polyhedron
	// observed are the variables of atoms.
	observed []linear.Var
	enabled  [][]region.Choice
	halting  []*region.Region // by location: what maybeStuck has found
	// factors are, by transition with products, numbers that the factors were in some run.
	factors [][]region.Factors
	// seen are states of some runs, by location.
	seen   [][][]*big.Int
	effort int
	// stepwise: see turns.
	stepwise bool
	// given are claims of formulas that are not looked for.
	given map[ctl.Formula]*branching.Claim
	// one says that one of the wanted states may be enough, since the formula is not below others.
	one bool
}

// maxFactors bounds those of a transition.
const maxFactors = 12

// sampleFactors looks at runs for numbers that factors of products are: choices that exist are found for
// states with such numbers only.
func (x *explorer) sampleFactors(ctx context.Context, initial []linear.Constraint) {
	x.factors = make([][]region.Factors, len(x.s.Transitions))
	if !slices.ContainsFunc(x.s.Transitions, func(t its.Transition) bool { return len(t.Products) > 0 }) {
		return
	}
	seen := map[string]bool{}
	walk.Runs(ctx, x.s, initial, func(step walk.Step) {
		i := step.Transition
		if i < 0 || len(x.s.Transitions[i].Products) == 0 || len(x.factors[i]) == maxFactors {
			return
		}
		if f, ok := region.FactorsAt(x.s, i, step.State, step.Inputs); ok && !seen[fmt.Sprint(i, f)] {
			seen[fmt.Sprint(i, f)] = true
			x.factors[i] = append(x.factors[i], f)
		}
	})
}

// nowhere are no states, by location.
func (x *explorer) nowhere() []region.Region { return make([]region.Region, len(x.s.Locations)) }

// enabledChoices finds for each location choices that are possible.
func (x *explorer) enabledChoices(ctx context.Context) error {
	x.enabled = make([][]region.Choice, len(x.s.Locations))
	x.halting = make([]*region.Region, len(x.s.Locations))
	for i := range x.s.Transitions {
		l := x.s.Transitions[i].From
		if x.inv[l].IsEmpty() {
			continue
		}
		x.enabled[l] = append(x.enabled[l], region.Chosen(ctx, x.s, i, region.All(), x.factors[i])...)
	}
	return ctx.Err()
}

// maybeStuck are the states at a location that may have no successor; more, where it is not simple to say.
func (x *explorer) maybeStuck(ctx context.Context, l its.Location) (region.Region, error) {
	if x.halting[l] != nil {
		return *x.halting[l], nil
	}
	stuck := region.Region(nil)
	if !x.inv[l].IsEmpty() {
		stuck = region.Region{x.inv[l]}
	}
	for _, c := range x.enabled[l] {
		less, err := stuck.Minus(ctx, region.Region{c.From})
		if errors.Is(err, region.ErrTooMany) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if len(less) <= maxHalting {
			stuck = less
		}
	}
	x.halting[l] = &stuck
	return stuck, nil
}

// maxHalting bounds the cases of the states that may have no successor.
const maxHalting = 16

// stuck are states at a location that have no successor.
func (x *explorer) stuck(ctx context.Context, l its.Location) (region.Region, error) {
	states := region.Region{x.inv[l]}
	var err error
	for i := range x.s.Transitions {
		if x.s.Transitions[i].From != l {
			continue
		}
		if states, err = region.Forced(ctx, x.s, i, states, nil); err != nil {
			return nil, err
		}
	}
	return states, nil
}

// claim looks for states in which the formula is true, among them those that are wanted.
func (x *explorer) claim(ctx context.Context, f ctl.Formula, want []region.Region) (*branching.Claim, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c := x.given[f]; c != nil {
		return c, nil
	}
	one := x.one
	x.one = false
	defer func() { x.one = one }()
	switch f := f.(type) {
	case ctl.Constant, ctl.Atom, ctl.Not:
		return x.literal(ctx, f)
	case ctl.And:
		a, err := x.claim(ctx, f.F, want)
		if err != nil {
			return nil, err
		}
		narrower, err := x.each(func(l int) (region.Region, error) { return want[l].Meet(ctx, a.Holds[l]) })
		if err != nil {
			return nil, err
		}
		b, err := x.claim(ctx, f.G, narrower)
		if err != nil {
			return nil, err
		}
		holds, err := x.each(func(l int) (region.Region, error) { return a.Holds[l].Meet(ctx, b.Holds[l]) })
		return &branching.Claim{Formula: f, Holds: holds, Below: []*branching.Claim{a, b}}, err
	case ctl.Or:
		return x.either(ctx, f, want)
	case ctl.Next:
		x.one = one
		return x.next(ctx, f, want)
	case ctl.Until:
		if f.Q == ctl.All {
			return x.allUntil(ctx, f, want)
		}
		return x.someUntil(ctx, f, want, one)
	case ctl.Weak:
		if f.Q == ctl.All {
			return x.allWeak(ctx, f, want)
		}
		return x.someWeak(ctx, f, want)
	case ctl.Often:
		return x.often(ctx, f, want)
	case ctl.Settles:
		return x.settles(ctx, f, want)
	}
	panic(fmt.Sprintf("search: unexpected %T", f))
}

// each makes a set of states for each location.
func (x *explorer) each(of func(l int) (region.Region, error)) ([]region.Region, error) {
	out := x.nowhere()
	for l := range out {
		r, err := of(l)
		if err != nil {
			return nil, err
		}
		out[l] = r
	}
	return out, nil
}

// literal is the claim of an atom or its negation.
func (x *explorer) literal(ctx context.Context, f ctl.Formula) (*branching.Claim, error) {
	holds, err := x.each(func(l int) (region.Region, error) {
		if x.inv[l].IsEmpty() {
			return nil, nil
		}
		r, err := x.literalStates(ctx, its.Location(l), f)
		if err != nil {
			return nil, err
		}
		return r.Meet(ctx, region.Region{x.inv[l]})
	})
	return &branching.Claim{Formula: f, Holds: holds}, err
}

// literalStates are the states at a location in which a constant, an atom or its negation is true.
func (x *explorer) literalStates(ctx context.Context, l its.Location, f ctl.Formula) (region.Region, error) {
	switch f := f.(type) {
	case ctl.Constant:
		if f {
			return region.All(), nil
		}
		return nil, nil
	case ctl.Atom:
		return x.p.Atom(l, f)
	case ctl.Not:
		r, err := x.literalStates(ctx, l, f.F)
		if err != nil {
			return nil, err
		}
		return region.All().Minus(ctx, r)
	}
	panic(fmt.Sprintf("search: no literal: %T", f))
}

// either is the claim of a disjunction: what the first operand leaves is wanted of the second.
func (x *explorer) either(ctx context.Context, f ctl.Or, want []region.Region) (*branching.Claim, error) {
	a, err := x.claim(ctx, f.F, want)
	if err != nil {
		return nil, err
	}
	rest, err := x.each(func(l int) (region.Region, error) { return want[l].Minus(ctx, a.Holds[l]) })
	if err != nil {
		return nil, err
	}
	b, err := x.claim(ctx, f.G, rest)
	if err != nil {
		return nil, err
	}
	holds, _ := x.each(func(l int) (region.Region, error) { return a.Holds[l].Union(ctx, b.Holds[l]), nil })
	return &branching.Claim{Formula: f, Holds: holds, Below: []*branching.Claim{a, b}}, nil
}

// next is the claim of AX or EX.
func (x *explorer) next(ctx context.Context, f ctl.Next, want []region.Region) (*branching.Claim, error) {
	after, err := x.each(func(l int) (region.Region, error) { // what may be stuck stays
		if len(want[l]) == 0 {
			return nil, nil
		}
		stuck, err := x.maybeStuck(ctx, its.Location(l))
		if err != nil {
			return nil, err
		}
		return stuck.Meet(ctx, want[l])
	})
	if err != nil {
		return nil, err
	}
	for i := range x.s.Transitions {
		t := &x.s.Transitions[i]
		for _, p := range want[t.From] {
			after[t.To] = after[t.To].Union(ctx, region.Region{p.Image(ctx, len(x.s.Variables), t.Guard, t.Update)})
		}
	}
	a, err := x.claim(ctx, f.F, after)
	if err != nil {
		return nil, err
	}
	c := &branching.Claim{Formula: f, Below: []*branching.Claim{a}}
	if f.Q == ctl.All {
		c.Holds, err = x.each(func(l int) (region.Region, error) {
			if len(want[l]) == 0 {
				return nil, nil
			}
			return x.forced(ctx, its.Location(l), a.Holds)
		})
		return c, err
	}
	c.Next = make([][]region.Choice, len(x.s.Locations))
	c.Holds, err = x.each(func(l int) (r region.Region, err error) {
		if len(want[l]) == 0 {
			return nil, nil
		}
		r, c.Next[l], err = x.chosen(ctx, its.Location(l), a.Holds)
		return r, err
	})
	return c, err
}

// forced are states at a location all of whose successors are in the sets; none where they have too many cases.
func (x *explorer) forced(ctx context.Context, l its.Location, into []region.Region) (region.Region, error) {
	states, err := x.allInto(ctx, l, into)
	if errors.Is(err, region.ErrTooMany) {
		return nil, nil
	}
	return states, err
}

func (x *explorer) allInto(ctx context.Context, l its.Location, into []region.Region) (region.Region, error) {
	if x.inv[l].IsEmpty() {
		return nil, nil
	}
	states := region.Region{x.inv[l]}
	var err error
	for i := range x.s.Transitions {
		t := &x.s.Transitions[i]
		if t.From != l || len(states) == 0 {
			continue
		}
		// Only states of the invariant are entered.
		outside, err2 := region.Region{x.inv[t.To]}.Minus(ctx, into[t.To])
		if err2 != nil {
			return nil, err2
		}
		if x.inv[t.To].IsEmpty() {
			outside = nil
		}
		if states, err = region.Avoiding(ctx, x.s, i, states, outside); err != nil {
			return nil, err
		}
	}
	stuck, err := x.maybeStuck(ctx, l)
	if err != nil {
		return nil, err
	}
	bad, err := stuck.Minus(ctx, into[l])
	if err != nil {
		return nil, err
	}
	return states.Minus(ctx, bad)
}

// chosen are states at a location with a successor in the sets, and the choices that lead there.
func (x *explorer) chosen(ctx context.Context, l its.Location, into []region.Region) (region.Region, []region.Choice, error) {
	if x.inv[l].IsEmpty() {
		return nil, nil, nil
	}
	var states region.Region
	var list []region.Choice
	for i := range x.s.Transitions {
		t := &x.s.Transitions[i]
		if t.From != l {
			continue
		}
		for _, c := range region.Chosen(ctx, x.s, i, into[t.To], x.factors[i]) {
			if c.From = c.From.Meet(ctx, x.inv[l].Constraints()...); c.From.IsEmpty() {
				continue
			}
			if before := len(states); before > 0 {
				if in, err := (region.Region{c.From}).Within(ctx, states); err == nil && in {
					continue
				}
			}
			states = states.Union(ctx, region.Region{c.From})
			list = append(list, c)
		}
	}
	stuck, err := x.stuck(ctx, l)
	if err != nil {
		return nil, nil, err
	}
	stay, err := stuck.Meet(ctx, into[l])
	if err != nil {
		return nil, nil, err
	}
	for _, p := range stay {
		states = states.Union(ctx, region.Region{p})
		list = append(list, region.Choice{From: p, Transition: region.Stay})
	}
	if len(list) > 200 {
		return nil, nil, region.ErrTooMany
	}
	return states, list, ctx.Err()
}
