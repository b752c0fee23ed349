package region

import (
	"context"
	"math/big"
	"slices"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/logic/polyhedra"
)

// This file goes back over transitions. The temporaries of a transition are numbers that the
// step chooses: some choice leads into a set (Chosen), or all do (Forced).

// Choice is a set of states from each of which a transition leads into a region, with
// the values of its temporaries as forms over the state.
type Choice struct {
	From       polyhedra.Polyhedron
	Transition int // of the system, or Stay
	Inputs     []linear.Form
}

// Stay is the step of a state without successor to itself.
const Stay = -1

// before are the constraints on the state and the temporaries for a step into p.
func before(t *its.Transition, p polyhedra.Polyhedron) []linear.Constraint {
	cs := append([]linear.Constraint(nil), t.Guard...)
	for _, c := range p.Constraints() {
		cs = append(cs, linear.Constraint{Form: c.Form.Substitute(func(v linear.Var) (linear.Form, bool) { return t.Update[v], true }), Equality: c.Equality})
	}
	return cs
}

// Factors are numbers for the factors of a transition's products, in their order: a choice that has
// them is about the states in which the factors are these numbers.
type Factors [][2]linear.Number

// FactorsAt are those of a step from a state with inputs, for temporaries that are no products.
func FactorsAt(s *its.System, number int, state, inputs []*big.Int) (out Factors, ok bool) {
	values := slices.Concat(state, inputs)
	t := &s.Transitions[number]
	ok = true
	value := func(v linear.Var) linear.Number {
		if values[v] == nil {
			ok = false
			return linear.Int(0)
		}
		return linear.FromBigInt(values[v])
	}
	for _, p := range t.Products {
		values[p.Temp] = nil
	}
	for _, p := range t.Products {
		a, b := p.A.Eval(value), p.B.Eval(value)
		out = append(out, [2]linear.Number{a, b})
		values[p.Temp] = a.Mul(b).BigInt()
	}
	return out, ok
}

// Chosen are choices of the transition that lead into the region. Each is right; some that exist may be
// missing: where a temporary has a coefficient, or the transition is not exact. If it has products, only
// states with the factors given are found.
func Chosen(ctx context.Context, s *its.System, number int, into Region, factors []Factors) (list []Choice) {
	t := &s.Transitions[number]
	if !t.Exact {
		return nil
	}
	if len(t.Products) == 0 {
		factors = []Factors{nil}
	}
	for _, p := range into {
		for _, f := range factors {
			e := &elimination{ctx: ctx, first: linear.Var(len(s.Variables)), inputs: make([]linear.Form, t.Temps), t: number}
			cs := before(t, p)
			for i, x := range f {
				q := t.Products[i]
				cs = append(cs, linear.Equals(q.A, linear.Constant(x[0])), linear.Equals(q.B, linear.Constant(x[1])),
					linear.Equals(linear.Variable(q.Temp), linear.Constant(x[0].Mul(x[1]))))
			}
			e.eliminate(cs, t.Temps)
			list = append(list, e.found...)
		}
	}
	return list
}

// elimination chooses the temporaries of a transition one after the other: by an equation, or as
// the greatest of the lower bounds or the least of the upper ones, with a case for each.
type elimination struct {
	ctx    context.Context
	first  linear.Var
	inputs []linear.Form
	t      int
	found  []Choice
}

// maxChoices bounds the cases of one elimination.
const maxChoices = 24

// eliminate chooses the last of n temporaries, and goes on with those before.
func (e *elimination) eliminate(cs []linear.Constraint, n int) {
	if len(e.found) >= maxChoices || e.ctx.Err() != nil {
		return
	}
	p := polyhedra.Of(e.ctx, cs...)
	if p.IsEmpty() {
		return
	}
	if n == 0 {
		inputs := append([]linear.Form(nil), e.inputs...)
		// A later choice may be a form over earlier temporaries.
		for i := range inputs {
			inputs[i] = inputs[i].Substitute(func(v linear.Var) (linear.Form, bool) {
				if v >= e.first {
					return inputs[v-e.first], true
				}
				return linear.Form{}, false
			})
		}
		e.found = append(e.found, Choice{p, e.t, inputs})
		return
	}
	v := e.first + linear.Var(n-1)
	try := func(value linear.Form) {
		e.inputs[n-1] = value
		var rest []linear.Constraint
		for _, c := range p.Constraints() {
			rest = append(rest, linear.Constraint{Form: c.Form.SubstituteVar(v, value), Equality: c.Equality})
		}
		e.eliminate(rest, n-1)
	}
	var lower, upper []linear.Form
	for _, c := range p.Constraints() {
		k := c.Form.Coef(v)
		if k.IsZero() {
			continue
		}
		if !k.Abs().IsOne() {
			// A bound with a factor is met by values beyond the others, or by none that is tried here.
			continue
		}
		bound := c.Form.SubstituteVar(v, linear.Form{}) // c: k v + bound >= 0
		if k.Sign() > 0 {
			bound = bound.Neg()
		}
		switch {
		case c.Equality:
			try(bound)
			return
		case k.Sign() > 0:
			lower = append(lower, bound)
		default:
			upper = append(upper, bound)
		}
	}
	switch {
	case len(lower) > 0:
		for _, f := range lower {
			try(f)
		}
	case len(upper) > 0:
		for _, f := range upper {
			try(f)
		}
	default:
		try(linear.Form{})
	}
}

// Forced are the states among those given from which the transition leads nowhere but into the
// region, or is not possible. Some may be missing.
func Forced(ctx context.Context, s *its.System, number int, states, into Region) (Region, error) {
	outside, err := All().Minus(ctx, into)
	if err != nil {
		return nil, err
	}
	return Avoiding(ctx, s, number, states, outside)
}

// Avoiding are the states among those given from which the transition does not lead into the
// region. Some may be missing.
func Avoiding(ctx context.Context, s *its.System, number int, states, region Region) (Region, error) {
	t := &s.Transitions[number]
	var err error
	for _, p := range region {
		escapes := polyhedra.Of(ctx, before(t, p)...).Project(ctx, func(v linear.Var) bool { return int(v) >= len(s.Variables) })
		if escapes.IsEmpty() {
			continue
		}
		if states, err = states.Minus(ctx, Region{escapes}); err != nil {
			return nil, err
		}
	}
	return states, nil
}
