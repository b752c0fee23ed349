package refutation

import (
	"math/big"
	"slices"

	"assay/internal/integers/its"
	"assay/internal/logic/conjunction"
	"assay/internal/logic/linear"
	"assay/internal/logic/smt"
)

type product = conjunction.Product

const sat = smt.Sat

// This file finds geometric non-termination arguments [LeikeHeizmann18, Def. 5]
// for a loop with guard G(x, y) >= 0 and update x' = U(x, y), where y are the
// inputs of a round: a point (p, q) and rays (r_i, s_i) with
//
//	G(p, q) >= 0,               U(p, q) = p + Σ r_i,
//	G°(r_i, s_i) >= 0,          U°(r_i, s_i) = λ_i·r_i + μ_{i-1}·r_{i-1},
//
// where G° and U° are the linear parts. Then p + Σ a_i·r_i for integers a_i >= 0
// is a recurrent set: with inputs q + Σ a_i·s_i, one round leads to the
// parameters a_i' = 1 + λ_i·a_i + μ_i·a_{i+1}.
//
// Departures from the paper: everything is over the integers, and λ and μ are
// guessed, so that the rest is linear and is solved together with the stem.

// ray has the guessed factors: λ_i, and μ_i, the share that goes to it from the next.
type ray struct{ lambda, mu int64 }

func (r *refuter) geometric(l *loop, rays []ray) (its.Recurrence, bool) {
	n := len(r.s.Variables)
	if len(l.t.Products) > 0 {
		// Products have no linear part: only a state that repeats.
		rays = nil
	}
	t := &l.t
	block := linear.Var(n + t.Temps) // unknowns of the point and of each ray
	count := int(block) * (1 + len(rays))
	at := func(b int, f linear.Form, linearPart bool) linear.Form {
		if linearPart {
			f.Const = linear.Number{}
		}
		return f.Rename(func(v linear.Var) linear.Var { return v + linear.Var(b)*block })
	}
	unknown := func(b int, v int) linear.Form { return linear.Variable(linear.Var(b)*block + linear.Var(v)) }
	var cs []linear.Constraint
	for _, c := range t.Guard {
		cs = append(cs, linear.Constraint{Form: at(0, c.Form, false), Equality: c.Equality})
		for i := range rays {
			cs = append(cs, linear.Constraint{Form: at(i+1, c.Form, true), Equality: c.Equality})
		}
	}
	for v, u := range t.Update {
		if !l.needed[v] {
			continue
		}
		sum := unknown(0, v)
		for i := range rays {
			sum = sum.Add(unknown(i+1, v))
		}
		cs = append(cs, linear.Equals(at(0, u, false), sum))
		for i, y := range rays {
			scaled := unknown(i+1, v).Scale(linear.Int(y.lambda))
			if i > 0 {
				scaled = scaled.AddScaled(linear.Int(rays[i-1].mu), unknown(i, v))
			}
			cs = append(cs, linear.Equals(at(i+1, u, true), scaled))
		}
	}
	var ps func(linear.Var) []product
	if len(t.Products) > 0 {
		ps = func(first linear.Var) []product {
			return products(t, func(f linear.Form) linear.Form {
				return f.Rename(func(v linear.Var) linear.Var { return v + first })
			})
		}
	}
	stem, values, found := r.reach(l, count, cs, ps)
	if !found {
		return its.Recurrence{}, false
	}
	// A form over state and inputs, at the point and along the rays.
	along := func(f linear.Form) linear.Form {
		out := linear.Constant(f.Eval(func(v linear.Var) linear.Number { return values[v] }))
		f.Const = linear.Number{}
		for i := range rays {
			k := f.Eval(func(v linear.Var) linear.Number { return values[linear.Var(i+1)*block+v] })
			if !k.IsZero() {
				out.Terms = append(out.Terms, linear.Term{Var: linear.Var(i), Coef: k})
			}
		}
		return out
	}
	set := its.RecurrentSet{Location: r.s.Transitions[t.Path[0]].From, Parameters: len(rays), Known: slices.Clone(l.needed)}
	var next []linear.Form
	for i, y := range rays {
		a := linear.Variable(linear.Var(i))
		set.Constraints = append(set.Constraints, linear.Constraint{Form: a})
		f := a.Scale(linear.Int(y.lambda)).Plus(linear.Int(1))
		if i+1 < len(rays) {
			f = f.AddScaled(linear.Int(y.mu), linear.Variable(linear.Var(i+1)))
		}
		next = append(next, f)
	}
	for v := range n {
		f := linear.Form{}
		if l.needed[v] {
			f = along(linear.Variable(linear.Var(v)))
		}
		set.State = append(set.State, f)
	}
	set.Moves = []its.SetMove{r.setMove(t, along, next)}
	parameters := make([]*big.Int, len(rays))
	for i := range parameters {
		parameters[i] = new(big.Int)
	}
	return its.Recurrence{Stem: stem, Sets: []its.RecurrentSet{set}, Parameters: parameters}, true
}
