package complexity

import (
	"context"
	"slices"

	"assay/internal/integers/bound"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// This file looks for families of runs whose costs nothing bounds though all runs end: a variable gets an
// arbitrary value, and a loop counts it down (bound.Family). For a cycle of the simplified system and a
// path to it, initial values, inputs, and the states of the loop are forms in the
// parameters with unknown coefficients. That all guards hold, and that the states follow each
// other, is linear in these: one linear program for each pair of path and cycle. It is the
// idea of acceleration, for lower bounds, of loops whose closed form is linear.
//
// Not done: loops whose number of rounds is a form of n other than n itself; nested loops.

// Limits on the search.
const (
	maxStem     = 6 // transitions
	maxCycle    = 3
	maxPrograms = 400
)

// Unbounded looks for a family of runs from one state; nil if there is none of the supported form.
func Unbounded(ctx context.Context, s *its.System) *bound.Family { return family(ctx, s, false) }

// Growing looks for a family of runs whose initial states depend on n: what runs cost is not less than linear.
func Growing(ctx context.Context, s *its.System) *bound.Family { return family(ctx, s, true) }

func family(ctx context.Context, s *its.System, inputs bool) *bound.Family {
	if s.Check() != nil {
		return nil
	}
	simple, _ := its.Simplify(ctx, s, its.DefaultOptions)
	f := &families{ctx: ctx, original: s, s: simple, relevant: simple.Relevant(false), out: simple.Outgoing(), inputs: inputs}
	for l := range simple.Locations {
		for _, cycle := range f.paths(its.Location(l), its.Location(l), maxCycle) {
			for _, stem := range f.paths(simple.Initial, its.Location(l), maxStem) {
				if f.programs++; f.programs > maxPrograms || ctx.Err() != nil {
					return nil
				}
				if found := f.solve(stem, cycle); found != nil {
					return found
				}
			}
		}
	}
	return nil
}

type families struct {
	ctx      context.Context
	original *its.System
	s        *its.System
	relevant []bool
	out      [][]int
	programs int
	inputs   bool // initial values may depend on n
}

// paths are those of at least one exact transition without products, and at most so many, shortest first.
func (f *families) paths(from, to its.Location, most int) (out [][]int) {
	type partial struct {
		at   its.Location
		path []int
	}
	work := []partial{{at: from}}
	for len(work) > 0 && len(out) < maxPrograms {
		p := work[0]
		work = work[1:]
		if p.at == to && len(p.path) > 0 {
			out = append(out, p.path)
		}
		if len(p.path) == most {
			continue
		}
		for _, i := range f.out[p.at] {
			if t := &f.s.Transitions[i]; t.Exact && len(t.Products) == 0 && len(work) < maxPrograms {
				work = append(work, partial{t.To, append(slices.Clone(p.path), i)})
			}
		}
	}
	return out
}

// unknown is a form in 1, n and k with coefficients that are forms over the unknowns of the program.
type unknown [3]linear.Form

func (u unknown) addScaled(k linear.Number, w unknown) unknown {
	for i := range u {
		u[i] = u[i].AddScaled(k, w[i])
	}
	return u
}

// programme is a linear program for a stem and a cycle.
type programme struct {
	lp    *linear.Simplex
	wrong bool
}

func (p *programme) unknown(parameters int) (u unknown) {
	for i := range parameters {
		u[i] = linear.Variable(p.lp.NewVar())
	}
	return u
}

func (p *programme) require(f linear.Form, equality bool) {
	if !p.lp.Assert(linear.Constraint{Form: f, Equality: equality}, 0) {
		p.wrong = true
	}
}

// apply is a form over variables and temporaries.
func apply(f linear.Form, values []unknown) (u unknown) {
	u[0] = linear.Constant(f.Const)
	for _, t := range f.Terms {
		u = u.addScaled(t.Coef, values[t.Var])
	}
	return u
}

// steps executes transitions; rounds says that the parameters are n >= k >= 1, else n >= 0.
func (f *families) steps(p *programme, state []unknown, path []int, rounds bool) (values [][]unknown, after []unknown) {
	parameters := 2
	if rounds {
		parameters = 3
	}
	for _, i := range path {
		t := &f.s.Transitions[i]
		all := slices.Clone(state)
		for range t.Temps {
			all = append(all, p.unknown(parameters))
		}
		for _, c := range t.Guard {
			u := apply(c.Form, all)
			switch {
			case c.Equality:
				for _, g := range u {
					p.require(g, true)
				}
			case rounds:
				p.require(u[1], false)
				p.require(u[1].Add(u[2]), false)
				p.require(u[0].Add(u[1]).Add(u[2]), false)
			default:
				p.require(u[0], false)
				p.require(u[1], false)
			}
		}
		next := make([]unknown, len(state))
		for v, g := range t.Update {
			if f.relevant[v] {
				next[v] = apply(g, all)
			}
		}
		values = append(values, all)
		state = next
	}
	return values, state
}

// solve finds the coefficients, if there are integers.
func (f *families) solve(stem, cycle []int) *bound.Family {
	p := &programme{lp: linear.NewSimplex(f.ctx)}
	n := len(f.s.Variables)
	initial, state := make([]unknown, n), make([]unknown, n)
	for v := range n {
		if f.relevant[v] {
			initial[v], state[v] = p.unknown(1), p.unknown(3)
			if f.inputs {
				initial[v] = p.unknown(2)
			}
		}
	}
	stemValues, arrived := f.steps(p, initial, stem, false)
	loopValues, again := f.steps(p, state, cycle, true)
	for v := range n {
		if !f.relevant[v] {
			continue
		}
		// state(n, n) is where the stem arrives, and state(n, k-1) is what follows.
		p.require(state[v][0].Sub(arrived[v][0]), true)
		p.require(state[v][1].Add(state[v][2]).Sub(arrived[v][1]), true)
		p.require(state[v][0].Sub(state[v][2]).Sub(again[v][0]), true)
		p.require(state[v][1].Sub(again[v][1]), true)
		p.require(state[v][2].Sub(again[v][2]), true)
	}
	if p.wrong || p.lp.Check() != linear.Feasible {
		return nil
	}
	integral := true
	value := func(u unknown) linear.Form {
		at := func(g linear.Form) linear.Number { return g.Eval(p.lp.Value) }
		out := linear.NewForm(at(u[0]), linear.Term{Var: bound.ParameterN, Coef: at(u[1])}, linear.Term{Var: bound.ParameterK, Coef: at(u[2])})
		integral = integral && out.IsIntegral()
		return out
	}
	found := &bound.Family{Known: slices.Clone(f.relevant), State: make([]linear.Form, n)}
	for v := range n {
		found.Initial = append(found.Initial, linear.Form{})
		if f.relevant[v] {
			found.State[v], found.Initial[v] = value(state[v]), value(initial[v])
		}
	}
	expand := func(path []int, values [][]unknown) (out []bound.FamilyStep) {
		for k, i := range path {
			forms := make([]linear.Form, len(values[k]))
			for v, u := range values[k] {
				forms[v] = value(u)
			}
			t := &f.s.Transitions[i]
			inputs := t.Inputs
			for _, original := range t.Path {
				step := bound.FamilyStep{Transition: original}
				for range f.original.Transitions[original].Temps {
					step.Inputs = append(step.Inputs, inputs[0].Substitute(func(v linear.Var) (linear.Form, bool) { return forms[v], true }))
					inputs = inputs[1:]
				}
				out = append(out, step)
			}
		}
		return out
	}
	found.Stem, found.Loop = expand(stem, stemValues), expand(cycle, loopValues)
	if !integral {
		return nil
	}
	return found
}
