// Package branchcheck checks proofs of formulas of computation tree logic about integer transition
// systems (package branching has their form). It shares the model with the engine and nothing else:
// each set, each choice and each step is a question without quantifiers to Z3, and ranking
// arguments are for a system that it makes itself.
//
// What has to hold, where I are the invariants, H the states of a claim, and A and B those of
// the claims below:
//
//	invariants    the initial states are in I, and every step from I leads into I
//	Enabled       in the states of a choice the step is possible with these temporaries
//	f && g        H is within A and within B
//	f || g        H is within the union of A and B
//	AX f          every step from H leads into A; what may be stuck is in A
//	EX f          H is within the choices, each of which leads into A
//	A[f W g]      H without B is within A, and every step from it leads into H
//	E[f W g]      H without B is within A, and a choice leads from it into H; or A[f W g] is claimed there
//	A[f U g]      H without B is within the descents: the system that begins there, ends in B, and goes
//	              on for ever where it may be stuck, or leaves A, terminates
//	A(F f || F G g)   H without A is within the descents: in the system that begins there and ends in A, no run
//	              makes steps from outside of B again and again
//	E(G f && G F g)   H, and a set Z, are within E[f U f && g && EX Z], which is claimed
//	E[f U g]      layer by layer: a choice leads from states of A to B, or to layers before
//
// A state may be stuck if no choice of Enabled is possible; it is stuck if no transition's guard
// can hold there.
package branchcheck

import (
	"context"
	"fmt"
	"slices"
	"time"

	"assay/internal/certify/itscheck"
	"assay/internal/integers/branching"
	"assay/internal/integers/its"
	"assay/internal/integers/region"
	"assay/internal/logic/conjunction"
	"assay/internal/logic/linear"
	"assay/internal/logic/polyhedra"
	"assay/internal/logic/smt"
	"assay/internal/temporal/ctl"
)

// timeout of one question.
const timeout = 10 * time.Second

// Check checks that the proof shows the formula, which is the normal form of the question's, or of its
// negation. nil means yes; an *its.Rejected says why not, other errors that it was not decided.
func Check(ctx context.Context, p branching.Problem, proof *branching.Proof, f ctl.Formula) error {
	negated := f != ctl.Normal(p.Formula)
	if negated && f != ctl.Negation(p.Formula) {
		return reject("the proof is one of %v", f)
	}
	n := len(p.System.Locations)
	if len(proof.Invariants) != n || len(proof.Enabled) != n {
		return reject("a table has not one entry for each location")
	}
	if !p.Complete(branching.RootOf(f, negated), proof.Parts) {
		return reject("the parts do not show %v", f)
	}
	c := &checker{ctx: ctx, p: p, s: p.System, proof: proof, solver: &conjunction.Solver{Timeout: timeout}, known: map[*branching.Claim]bool{}, sets: map[ctl.Atom][]region.Region{}}
	defer c.solver.Close()
	if err := c.invariants(); err != nil {
		return err
	}
	for l := range proof.Enabled {
		for _, choice := range proof.Enabled[l] {
			if choice.Transition == region.Stay {
				return reject("a stuck state is no enabled step")
			}
			if err := c.choice(its.Location(l), choice, nil); err != nil {
				return err
			}
		}
	}
	for _, part := range proof.Parts {
		if err := c.claim(part.Claim); err != nil {
			return err
		}
		if err := c.initial(part); err != nil {
			return err
		}
	}
	return nil
}

// initial checks that the claim is about all initial states, or about the one that is given.
func (c *checker) initial(part branching.Part) error {
	holds := part.Claim.Holds[c.s.Initial]
	if part.Of == ctl.All {
		for _, p := range c.p.Initial {
			if err := c.never(len(c.s.Variables), nil, outside(holds, nil), p.Constraints(), "an initial state is not claimed"); err != nil {
				return err
			}
		}
		return nil
	}
	if len(part.State) != len(c.s.Variables) {
		return reject("a part about one state without state")
	}
	value := func(v linear.Var) linear.Number { return linear.FromBigInt(part.State[v]) }
	in := func(r region.Region) bool {
		return slices.ContainsFunc(r, func(p polyhedra.Polyhedron) bool {
			return !slices.ContainsFunc(p.Constraints(), func(d linear.Constraint) bool { return !d.Holds(value) })
		})
	}
	if !in(c.p.Initial) || !in(holds) {
		return reject("the state of a part is not initial, or not claimed")
	}
	return nil
}

func reject(format string, args ...any) error {
	return &its.Rejected{Reason: fmt.Sprintf(format, args...)}
}

type checker struct {
	ctx    context.Context
	p      branching.Problem
	s      *its.System
	proof  *branching.Proof
	solver *conjunction.Solver
	known  map[*branching.Claim]bool    // accepted
	sets   map[ctl.Atom][]region.Region // what atoms of Return stand for
}

// never asks that the constraints, with products and clauses, have no solution.
func (c *checker) never(variables int, products []its.Product, clauses [][]linear.Constraint, cs []linear.Constraint, what string, args ...any) error {
	q := conjunction.Query{Variables: variables, Constraints: cs, Clauses: clauses}
	for _, p := range products {
		q.Products = append(q.Products, conjunction.Product{V: p.Temp, A: p.A, B: p.B})
	}
	status, _, err := c.solver.Solve(c.ctx, q)
	switch {
	case err != nil:
		return err
	case status == smt.Sat:
		return reject(what, args...)
	case status != smt.Unsat:
		return fmt.Errorf("not decided: %s", fmt.Sprintf(what, args...))
	}
	return nil
}

// outside are clauses that say that a state, after a substitution, is in no part of a region.
func outside(r region.Region, by func(linear.Var) (linear.Form, bool)) (clauses [][]linear.Constraint) {
	for _, p := range r {
		var clause []linear.Constraint
		for _, d := range p.Constraints() {
			if by != nil {
				d.Form = d.Form.Substitute(by)
			}
			clause = append(clause, d.Negations()...)
		}
		if len(clause) == 0 {
			clause = []linear.Constraint{linear.False()}
		}
		clauses = append(clauses, clause)
	}
	return clauses
}

// within asks that the states of r at a location that satisfy the invariant are in one of the others.
func (c *checker) within(l its.Location, r region.Region, what string, others ...region.Region) error {
	var clauses [][]linear.Constraint
	for _, o := range others {
		clauses = append(clauses, outside(o, nil)...)
	}
	for _, p := range r {
		if err := c.never(len(c.s.Variables), nil, clauses, join(c.at(l), p.Constraints()), "%s at %s", what, c.s.Locations[l]); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) at(l its.Location) []linear.Constraint { return c.proof.Invariants[l].Constraints() }

func join(lists ...[]linear.Constraint) (out []linear.Constraint) {
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// steps asks that every step from the states at l, outside of the regions, leads into the sets.
func (c *checker) steps(l its.Location, from region.Region, into []region.Region, what string, except ...region.Region) error {
	var clauses [][]linear.Constraint
	for _, e := range except {
		clauses = append(clauses, outside(e, nil)...)
	}
	for i := range c.s.Transitions {
		t := &c.s.Transitions[i]
		if t.From != l {
			continue
		}
		by := func(v linear.Var) (linear.Form, bool) { return t.Update[v], true }
		for _, p := range from {
			all := append(outside(into[t.To], by), clauses...)
			if err := c.never(len(c.s.Variables)+t.Temps, t.Products, all, join(c.at(l), p.Constraints(), t.Guard), "%s: transition %d from %s", what, i, c.s.Locations[l]); err != nil {
				return err
			}
		}
	}
	return nil
}

// invariants checks that the invariants hold.
func (c *checker) invariants() error {
	into := make([]region.Region, len(c.s.Locations))
	for l := range into {
		into[l] = region.Region{c.proof.Invariants[l]}
	}
	for _, p := range c.p.Initial {
		if err := c.never(len(c.s.Variables), nil, outside(into[c.s.Initial], nil), p.Constraints(), "an initial state does not satisfy the invariant"); err != nil {
			return err
		}
	}
	for l := range into {
		if err := c.steps(its.Location(l), region.All(), into, "the invariant is not kept"); err != nil {
			return err
		}
	}
	return nil
}

// choice checks that a step is possible with the temporaries of the choice and leads into the
// sets, if there are any.
func (c *checker) choice(l its.Location, x region.Choice, into []region.Region) error {
	here := join(c.at(l), x.From.Constraints())
	n := len(c.s.Variables)
	if x.Transition == region.Stay {
		for i := range c.s.Transitions {
			if t := &c.s.Transitions[i]; t.From == l {
				if err := c.never(n+t.Temps, t.Products, nil, join(here, t.Guard), "a state at %s is not stuck", c.s.Locations[l]); err != nil {
					return err
				}
			}
		}
		return c.never(n, nil, outside(into[l], nil), here, "a stuck state at %s is not where it has to be", c.s.Locations[l])
	}
	if x.Transition < 0 || x.Transition >= len(c.s.Transitions) {
		return reject("a choice of transition %d", x.Transition)
	}
	t := &c.s.Transitions[x.Transition]
	if t.From != l || !t.Exact || len(x.Inputs) != t.Temps {
		return reject("a choice of transition %d at %s", x.Transition, c.s.Locations[l])
	}
	for _, f := range x.Inputs {
		if f.MaxVar() >= linear.Var(n) || !f.IsIntegral() {
			return reject("a choice of transition %d that is no integral form over the state", x.Transition)
		}
	}
	chosen := func(v linear.Var) (linear.Form, bool) {
		if int(v) < n {
			return linear.Form{}, false
		}
		return x.Inputs[int(v)-n], true
	}
	for _, p := range t.Products { // the input that is a product has to be it
		product := its.Product{Temp: linear.Var(n), A: p.A.Substitute(chosen), B: p.B.Substitute(chosen)}
		other := linear.Equals(linear.Variable(product.Temp), x.Inputs[int(p.Temp)-n]).Negations()
		if err := c.never(n+1, []its.Product{product}, [][]linear.Constraint{other}, here, "the choice of transition %d at %s has a wrong product", x.Transition, c.s.Locations[l]); err != nil {
			return err
		}
	}
	for _, g := range t.Guard {
		g.Form = g.Form.Substitute(chosen)
		if err := c.never(n, nil, [][]linear.Constraint{g.Negations()}, here, "the choice of transition %d at %s is not possible", x.Transition, c.s.Locations[l]); err != nil {
			return err
		}
	}
	if into == nil {
		return nil
	}
	after := func(v linear.Var) (linear.Form, bool) { return t.Update[v].Substitute(chosen), true }
	return c.never(n, nil, outside(into[t.To], after), here, "the choice of transition %d at %s does not lead where it has to", x.Transition, c.s.Locations[l])
}

// froms are the states of choices.
func froms(list []region.Choice) (r region.Region) {
	for _, x := range list {
		r = append(r, x.From)
	}
	return r
}

// claim checks a claim and those below.
func (c *checker) claim(x *branching.Claim) error {
	if c.known[x] {
		return nil
	}
	if len(x.Holds) != len(c.s.Locations) {
		return reject("a claim has not one entry for each location")
	}
	children := ctl.Children(x.Formula)
	if _, literal := x.Formula.(ctl.Not); literal {
		children = nil
	}
	if len(children) != len(x.Below) {
		return reject("a claim has not one claim below for each operand")
	}
	for i, f := range children {
		if x.Below[i].Formula != f {
			return reject("the claim of %v is where that of %v has to be", x.Below[i].Formula, f)
		}
		if err := c.claim(x.Below[i]); err != nil {
			return err
		}
	}
	var err error
	switch f := x.Formula.(type) {
	case ctl.Constant, ctl.Atom, ctl.Not:
		err = c.literal(x)
	case ctl.And:
		err = c.each(x, func(l its.Location) error {
			if err := c.within(l, x.Holds[l], "the first operand of && is not claimed", x.Below[0].Holds[l]); err != nil {
				return err
			}
			return c.within(l, x.Holds[l], "the second operand of && is not claimed", x.Below[1].Holds[l])
		})
	case ctl.Or:
		err = c.each(x, func(l its.Location) error {
			return c.within(l, x.Holds[l], "no operand of || is claimed", x.Below[0].Holds[l], x.Below[1].Holds[l])
		})
	case ctl.Next:
		err = c.next(x, f.Q)
	case ctl.Weak:
		err = c.weak(x, f)
	case ctl.Often:
		err = c.often(x, f)
	case ctl.Settles:
		err = c.settles(x)
	case ctl.Until:
		if f.Q == ctl.All {
			err = c.allUntil(x)
		} else {
			err = c.someUntil(x, f)
		}
	default:
		panic(fmt.Sprintf("branchcheck: unexpected %T", f))
	}
	if err == nil {
		c.known[x] = true
	}
	return err
}

// each checks the states of each location.
func (c *checker) each(x *branching.Claim, check func(l its.Location) error) error {
	for l := range x.Holds {
		if len(x.Holds[l]) == 0 {
			continue
		}
		if err := check(its.Location(l)); err != nil {
			return err
		}
	}
	return nil
}

// literal checks the claim of a constant, an atom or a negated atom.
func (c *checker) literal(x *branching.Claim) error {
	return c.each(x, func(l its.Location) error {
		f, positive := x.Formula, true
		if n, ok := f.(ctl.Not); ok {
			f, positive = n.F, false
		}
		var states region.Region
		switch f := f.(type) {
		case ctl.Constant:
			if f {
				states = region.All()
			}
		case ctl.Atom:
			if set, ok := c.sets[f]; ok {
				states = set[l]
				break
			}
			var err error
			if states, err = c.p.Atom(l, f); err != nil {
				return err
			}
		default:
			return reject("a negation of %v", f)
		}
		if positive {
			return c.within(l, x.Holds[l], "the atom "+f.String()+" is not true", states)
		}
		for _, p := range x.Holds[l] {
			for _, q := range states {
				if err := c.never(len(c.s.Variables), nil, nil, join(c.at(l), p.Constraints(), q.Constraints()), "the atom %v is true at %s", f, c.s.Locations[l]); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (c *checker) next(x *branching.Claim, q ctl.Quantifier) error {
	into := x.Below[0].Holds
	return c.each(x, func(l its.Location) error {
		if q == ctl.All {
			if err := c.steps(l, x.Holds[l], into, "AX"); err != nil {
				return err
			}
			return c.within(l, x.Holds[l], "AX: a state that may be stuck", into[l], froms(c.proof.Enabled[l]))
		}
		if len(x.Next) != len(x.Holds) {
			return reject("EX without choices")
		}
		for _, choice := range x.Next[l] {
			if err := c.choice(l, choice, into); err != nil {
				return err
			}
		}
		return c.within(l, x.Holds[l], "EX: a state without choice", froms(x.Next[l]))
	})
}

func (c *checker) weak(x *branching.Claim, f ctl.Weak) error {
	a, b := x.Below[0].Holds, x.Below[1].Holds
	all := make([]region.Region, len(x.Holds)) // where the formula for all runs is claimed
	if x.Within != nil {
		if x.Within.Formula != (ctl.Weak{Q: ctl.All, F: f.F, G: f.G}) {
			return reject("a claim of %v within one of %v", x.Within.Formula, f)
		}
		if err := c.claim(x.Within); err != nil {
			return err
		}
		all = x.Within.Holds
	}
	return c.each(x, func(l its.Location) error {
		if err := c.within(l, x.Holds[l], "W: neither operand is claimed", a[l], b[l], all[l]); err != nil {
			return err
		}
		if f.Q == ctl.All {
			return c.steps(l, x.Holds[l], x.Holds, "AW", b[l], all[l])
		}
		if len(x.Next) != len(x.Holds) {
			return reject("EW without choices")
		}
		for _, choice := range x.Next[l] {
			if err := c.choice(l, choice, x.Holds); err != nil {
				return err
			}
		}
		return c.within(l, x.Holds[l], "EW: a state without choice", b[l], all[l], froms(x.Next[l]))
	})
}

func (c *checker) someUntil(x *branching.Claim, f ctl.Until) error {
	a := x.Below[0].Holds
	reached := make([]region.Region, len(x.Holds))
	for l := range reached {
		reached[l] = append(region.Region(nil), x.Below[1].Holds[l]...)
	}
	if x.Within != nil {
		if x.Within.Formula != (ctl.Until{Q: ctl.All, F: f.F, G: f.G}) {
			return reject("a claim of %v within one of %v", x.Within.Formula, f)
		}
		if err := c.claim(x.Within); err != nil {
			return err
		}
		for l := range reached {
			reached[l] = append(reached[l], x.Within.Holds[l]...)
		}
	}
	for _, layer := range x.Layers {
		if len(layer) != len(reached) {
			return reject("a layer has not one entry for each location")
		}
		for l, list := range layer {
			for _, choice := range list {
				if err := c.choice(its.Location(l), choice, reached); err != nil {
					return err
				}
			}
			if err := c.within(its.Location(l), froms(list), "EU: the first operand is not claimed", a[l]); err != nil {
				return err
			}
		}
		for l, list := range layer {
			reached[l] = append(reached[l], froms(list)...)
		}
	}
	return c.each(x, func(l its.Location) error {
		return c.within(l, x.Holds[l], "EU: a state in no layer", reached[l])
	})
}

func (c *checker) allUntil(x *branching.Claim) error {
	b := x.Below[1].Holds
	reached := make([]region.Region, len(x.Holds))
	for l := range reached {
		reached[l] = append(region.Region(nil), b[l]...)
	}
	for _, d := range x.Descents {
		if len(d.From) != len(reached) {
			return reject("a descent has not one entry for each location")
		}
		if err := itscheck.Ranking(c.ctx, c.descending(d.From, x.Below[0].Holds, b), d.Argument); err != nil {
			return err
		}
		for l := range reached {
			reached[l] = append(reached[l], d.From[l]...)
		}
	}
	return c.each(x, func(l its.Location) error {
		return c.within(l, x.Holds[l], "AU: a state without descent", reached[l])
	})
}

func (c *checker) often(x *branching.Claim, f ctl.Often) error {
	g, again := branching.Return(f)
	if x.Within == nil || x.Within.Formula != g || len(x.Again) != len(x.Holds) {
		return reject("nothing is claimed within one of %v", f)
	}
	if _, inside := c.sets[again]; inside {
		return reject("a claim of %v within itself", f)
	}
	c.sets[again] = x.Again
	defer delete(c.sets, again)
	if err := c.claim(x.Within); err != nil {
		return err
	}
	for l := range x.Holds {
		for _, r := range []region.Region{x.Holds[l], x.Again[l]} {
			if err := c.within(its.Location(l), r, "a state from which no run comes again", x.Within.Holds[l]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *checker) settles(x *branching.Claim) error {
	a := x.Below[0].Holds
	reached := make([]region.Region, len(x.Holds))
	for l := range reached {
		reached[l] = append(region.Region(nil), a[l]...)
	}
	for _, d := range x.Descents {
		if len(d.From) != len(reached) {
			return reject("a descent has not one entry for each location")
		}
		if err := itscheck.Ranking(c.ctx, c.settling(d.From, a, x.Below[1].Holds), d.Argument); err != nil {
			return err
		}
		for l := range reached {
			reached[l] = append(reached[l], d.From[l]...)
		}
	}
	return c.each(x, func(l its.Location) error {
		return c.within(l, x.Holds[l], "a state from which runs may not settle", reached[l])
	})
}

// settling is the system that begins in the states and ends in until. Its fair steps are those from outside of the states where
// runs may stay; what may be stuck there goes on for ever.
func (c *checker) settling(from, until, stay []region.Region) *its.System {
	s := its.NewSystem(c.s.Variables...)
	s.Locations = append(append([]string(nil), c.s.Locations...), "begin")
	s.Initial = its.Location(len(c.s.Locations))
	add := func(t its.Transition, fair bool, cs []linear.Constraint) {
		if linear.IsFeasible(c.ctx, cs) {
			t.Guard, t.Fair = cs, fair
			s.Add(t)
		}
	}
	for l := range from {
		here := its.Location(l)
		going := complements(c.ctx, c.at(here), until[l])
		for _, p := range from[l] {
			for _, g := range going {
				add(its.Transition{From: s.Initial, To: here, Update: s.Identity(), Exact: true}, false, join(p.Constraints(), g))
			}
		}
		for _, g := range going {
			var inside [][]linear.Constraint
			for _, p := range stay[l] {
				inside = append(inside, join(g, p.Constraints()))
			}
			outside := complements(c.ctx, g, stay[l])
			for i := range c.s.Transitions {
				if t := c.s.Transitions[i]; t.From == here {
					for _, in := range inside {
						add(t, false, join(in, t.Guard))
					}
					for _, out := range outside {
						add(t, true, join(out, t.Guard))
					}
				}
			}
			for _, out := range outside {
				for _, p := range complements(c.ctx, out, froms(c.proof.Enabled[l])) {
					add(its.Transition{From: here, To: here, Update: s.Identity(), Exact: true}, true, p)
				}
			}
		}
	}
	return s
}

// descending is the system that begins in the states, ends in until, and goes on for ever where it
// may be stuck, or leaves within.
func (c *checker) descending(from, within, until []region.Region) *its.System {
	s := its.NewSystem(c.s.Variables...)
	s.Locations = append(append([]string(nil), c.s.Locations...), "begin")
	s.Initial = its.Location(len(c.s.Locations))
	add := func(t its.Transition, cs []linear.Constraint) {
		if linear.IsFeasible(c.ctx, cs) {
			t.Guard = cs
			s.Add(t)
		}
	}
	for l := range from {
		here := its.Location(l)
		going := complements(c.ctx, c.at(here), until[l])
		for _, p := range from[l] {
			for _, g := range going {
				add(its.Transition{From: s.Initial, To: here, Update: s.Identity(), Exact: true}, join(p.Constraints(), g))
			}
		}
		for i := range c.s.Transitions {
			if t := c.s.Transitions[i]; t.From == here {
				for _, g := range going {
					add(t, join(g, t.Guard))
				}
			}
		}
		for _, allowed := range []region.Region{within[l], froms(c.proof.Enabled[l])} {
			for _, g := range going {
				for _, p := range complements(c.ctx, g, allowed) {
					add(its.Transition{From: here, To: here, Update: s.Identity(), Exact: true}, p)
				}
			}
		}
	}
	s.SetFair(func(its.Location) bool { return true })
	return s
}

// complements are conjunctions whose union are the states of the given one outside of the region.
func complements(ctx context.Context, within []linear.Constraint, r region.Region) [][]linear.Constraint {
	list := [][]linear.Constraint{within}
	for _, p := range r {
		var next [][]linear.Constraint
		for _, cs := range list {
			before := cs
			for _, d := range p.Constraints() {
				for _, n := range d.Negations() {
					if one := join(before, []linear.Constraint{n}); linear.IsFeasible(ctx, one) {
						next = append(next, one)
					}
				}
				before = join(before, []linear.Constraint{d})
			}
		}
		list = next
	}
	return list
}
