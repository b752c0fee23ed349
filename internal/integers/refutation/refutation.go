// Package refutation proves that integer transition systems do not
// fair-terminate: it finds a stem, a loop and a set of states in which the loop
// can go on for ever, in the form that a checker can verify (its.Recurrence).
//
// Candidates are loops: closed paths of the simplified system, short ones first
// (loops.go), each with stems that lead to it. A loop gets a set by
//
//   - a geometric non-termination argument [LeikeHeizmann18]: a point and rays such
//     that each round adds the rays and scales them (geometric.go); without rays it
//     is a state that repeats;
//   - a closed polyhedron: the guard, strengthened until one round keeps it, with
//     the inputs chosen as forms over the state (closed.go) [GHMRX08];
//   - simple bounds that a round keeps, for loops with products (houdini.go).
//
// A whole component gets sets, one for each location, that are invariants of the
// component from a state that a stem reaches (component.go). Stems may go through
// loops many times at once (accelerate.go).
//
// Whatever a candidate came from, its evidence is built from the steps of the
// original system, all of which must be exact.
package refutation

import (
	"context"
	"math/big"
	"slices"

	"assay/internal/integers/its"
	"assay/internal/logic/conjunction"
	"assay/internal/logic/linear"
)

// Options of Refute; the zero value is the default.
type Options struct {
	// Simple is a simplified copy of the system, nil to make one.
	Simple *its.System
	// Components restricts loops to sets of transitions of Simple; nil for the fair
	// components of Simple.
	Components [][]int
	// MaxLoop is the longest loop in transitions of Simple, 0 for 4.
	MaxLoop int
	// MaxStem is the longest stem, 0 for 12.
	MaxStem int
}

// Result is Refuted or Failed.
type Result interface{ isResult() }

// Refuted carries the evidence.
type Refuted struct {
	Evidence its.Recurrence
	Stats    Stats
}

// Failed says that there is no answer.
type Failed struct {
	Reason string
	Stats  Stats
}

func (Refuted) isResult() {}
func (Failed) isResult()  {}

// Stats count the work.
type Stats struct {
	Loops   int   // candidates
	Stems   int   // found
	Queries int64 // to Z3
}

// Refute looks for a run that takes fair transitions infinitely often.
func Refute(ctx context.Context, s *its.System, o Options) Result {
	if o.MaxLoop == 0 {
		o.MaxLoop = 4
	}
	if o.MaxStem == 0 {
		o.MaxStem = 12
	}
	if o.Simple == nil {
		o.Simple, _ = its.Simplify(ctx, s, its.DefaultOptions)
		o.Components = nil
	}
	r := &refuter{ctx: ctx, s: s, simple: o.Simple, o: o, z: &conjunction.Solver{}}
	defer r.z.Close()
	components := o.Components
	if components == nil {
		components = fairComponents(o.Simple)
	}
	evidence, found := r.search(components)
	r.stats.Queries = r.z.Queries
	switch {
	case found:
		return Refuted{evidence, r.stats}
	case ctx.Err() != nil:
		return Failed{ctx.Err().Error(), r.stats}
	}
	return Failed{"no recurrent set of the supported forms was found", r.stats}
}

func fairComponents(s *its.System) [][]int {
	component, fair := s.Components()
	out := make([][]int, len(fair))
	for i, t := range s.Transitions {
		if c := component[t.From]; c == component[t.To] && fair[c] {
			out[c] = append(out[c], i)
		}
	}
	return slices.DeleteFunc(out, func(c []int) bool { return c == nil })
}

type refuter struct {
	ctx    context.Context
	s      *its.System // the original
	simple *its.System
	o      Options
	z      *conjunction.Solver
	stems  map[its.Location][]its.Transition // of simple, composed
	stats  Stats

	accelerated []acceleratedLoop
}

// search tries the techniques on all loops, cheap ones first on all.
func (r *refuter) search(components [][]int) (its.Recurrence, bool) {
	loops := r.loops(components)
	r.findStems(loops)
	for k, technique := range []func(*loop) (its.Recurrence, bool){
		func(l *loop) (its.Recurrence, bool) { return r.geometric(l, []ray{{1, 0}}) },
		r.closed,
		r.houdini,
		func(l *loop) (its.Recurrence, bool) { return r.geometric(l, []ray{{2, 0}, {1, 0}}) },
		func(l *loop) (its.Recurrence, bool) { return r.geometric(l, []ray{{1, 1}, {1, 1}, {1, 0}}) },
		func(l *loop) (its.Recurrence, bool) { return r.geometric(l, []ray{{3, 0}, {1, 0}, {0, 0}}) },
	} {
		for _, l := range loops {
			if r.ctx.Err() != nil {
				return its.Recurrence{}, false
			}
			if e, ok := technique(l); ok {
				return e, true
			}
		}
		if k == 2 {
			for _, c := range components {
				if e, ok := r.component(c); ok {
					return e, true
				}
			}
		}
	}
	return its.Recurrence{}, false
}

// compose is the composition of transitions of the original system, normalized,
// with nothing sliced away: updates, guard and inputs are exact. Negative numbers
// are accelerated loops.
func (r *refuter) compose(path []int) its.Transition {
	get := func(i int) its.Transition {
		if i < 0 {
			return r.accelerated[-1-i].t
		}
		return r.s.Transitions[i]
	}
	t := get(path[0])
	for _, i := range path[1:] {
		t = r.s.Compose(t, get(i))
	}
	return r.s.Normalize(t)
}

func (r *refuter) exact(path []int) bool {
	for _, i := range path {
		if i >= 0 && !r.s.Transitions[i].Exact {
			return false
		}
	}
	return true
}

// needed marks the variables that decide whether the loop can go on: those in
// its guard and its inputs, and those that their updates depend on.
func needed(s *its.System, t *its.Transition) []bool {
	n := linear.Var(len(s.Variables))
	out := make([]bool, n)
	grew := true
	mark := func(f linear.Form) {
		for _, m := range f.Terms {
			if m.Var < n && !out[m.Var] {
				out[m.Var], grew = true, true
			}
		}
	}
	for _, c := range t.Guard {
		mark(c.Form)
	}
	for _, f := range t.Inputs {
		mark(f)
	}
	for _, p := range t.Products {
		mark(p.A)
		mark(p.B)
	}
	for grew {
		grew = false
		for v, u := range t.Update {
			if out[v] {
				mark(u)
			}
		}
	}
	return out
}

// stemEvidence maps a model of a composed path (variables, then temporaries)
// back to a run of the original system; false if that is too long.
func (r *refuter) stemEvidence(t *its.Transition, model []*big.Int) (its.Stem, bool) {
	stem := its.Stem{State: model[:len(r.s.Variables)]}
	value := func(v linear.Var) linear.Number { return linear.FromBigInt(model[v]) }
	next := 0
	for _, i := range t.Path {
		if i < 0 {
			rounds, ok := t.Inputs[next].Eval(value).Int64()
			next++
			path := r.accelerated[-1-i].path
			if !ok || rounds*int64(len(path)) > maxStemSteps {
				return its.Stem{}, false
			}
			for range rounds {
				for _, j := range path {
					stem.Steps = append(stem.Steps, its.Move{Transition: j, Inputs: make([]*big.Int, r.s.Transitions[j].Temps)})
				}
			}
			continue
		}
		m := its.Move{Transition: i}
		for range r.s.Transitions[i].Temps {
			m.Inputs = append(m.Inputs, t.Inputs[next].Eval(value).Floor().BigInt())
			next++
		}
		stem.Steps = append(stem.Steps, m)
	}
	return stem, true
}

// setMove is the loop as a move, with the inputs as forms over parameters.
func (r *refuter) setMove(t *its.Transition, input func(linear.Form) linear.Form, next []linear.Form) its.SetMove {
	m := its.SetMove{Path: t.Path, Next: next}
	k := 0
	for _, i := range t.Path {
		var in []linear.Form
		for range r.s.Transitions[i].Temps {
			in = append(in, input(t.Inputs[k]))
			k++
		}
		m.Inputs = append(m.Inputs, in)
	}
	return m
}

// products of a transition, for the solver.
func products(t *its.Transition, offset func(linear.Form) linear.Form) []conjunction.Product {
	var out []conjunction.Product
	for _, p := range t.Products {
		v := offset(linear.Variable(p.Temp))
		out = append(out, conjunction.Product{V: v.Terms[0].Var, A: offset(p.A), B: offset(p.B)})
	}
	return out
}
