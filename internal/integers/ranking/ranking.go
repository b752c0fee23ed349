// Package ranking proves that integer transition systems fair-terminate, by
// lexicographic combinations of linear and nested ranking functions that Farkas'
// lemma finds [PodelskiRybalchenko04, ADFG10, LeikeHeizmann15], with invariants.
//
// The system is simplified, invariants are computed, and then every strongly
// connected component that contains a fair transition is treated on its own
// (component.go): find ranking functions that never increase in it and decrease on
// some of its transitions, remove these, and go on with the components of the rest.
// A component for which there are none is split into cases or gets stronger
// invariants (refine.go, strengthen.go).
//
// The answer carries an argument for the original system, in a form that a
// checker can verify without this package (its.RankingArgument).
package ranking

import (
	"context"
	"slices"

	"assay/internal/integers/forward"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/logic/polyhedra"
	"assay/internal/run/pause"
)

// Options of Prove; the zero value is the default.
type Options struct {
	// MaxNested is the greatest depth of nested ranking functions, 0 for 3.
	MaxNested int
	// MaxSplits bounds the case splits, 0 for 8; negative for none.
	MaxSplits int
	// OnOpen, if not nil, is told in each round which components have no argument
	// so far: facts for the search for recurrent sets.
	OnOpen func([]Open)
	// Monomials lets products of variables be variables of the argument, if there is none without.
	Monomials bool
}

// Open is what could not be proved.
type Open struct {
	System      *its.System // a copy, simplified; paths refer to the original system
	Transitions []int       // of System: what remains of a component
}

// Result is Proved or Failed.
type Result interface{ isResult() }

// Proved carries the argument.
type Proved struct {
	Argument its.RankingArgument
	Stats    Stats
}

// Failed says that there is no answer, and what remains.
type Failed struct {
	Open   []Open
	Reason string
	Stats  Stats
}

func (Proved) isResult() {}
func (Failed) isResult() {}

// Stats count the work.
type Stats struct {
	Transitions int   // after simplification
	Programs    int   // linear programs solved
	Pivots      int64 // in them
	Removed     int   // transitions removed by ranking functions
	Splits      int
	Strengthens int // invariants found on demand
}

// Prove looks for a proof that no run of the system takes fair transitions
// infinitely often.
func Prove(ctx context.Context, s *its.System, o Options) Result {
	if o.MaxNested == 0 {
		o.MaxNested = 3
	}
	if o.MaxSplits == 0 {
		o.MaxSplits = 8
	}
	var more *its.System
	var monomials [][]linear.Var
	if o.Monomials {
		more, monomials = withMonomials(s)
	}
	if more == nil {
		return proveLinear(ctx, s, nil, o)
	}
	// Without them, unless it takes case splits; with them; and as if there were none.
	few := o
	few.MaxSplits = -1
	r := proveLinear(ctx, s, nil, few)
	if _, failed := r.(Failed); !failed || ctx.Err() != nil {
		return r
	}
	o.OnOpen = nil
	if q, ok := proveLinear(ctx, more, monomials, o).(Proved); ok {
		q.Argument.Monomials = monomials
		return q
	}
	return proveLinear(ctx, s, nil, o)
}

// proveLinear looks for a proof that is linear in the variables, of which the last ones are monomials.
func proveLinear(ctx context.Context, s *its.System, monomials [][]linear.Var, o Options) Result {
	simple, kept := its.Simplify(ctx, s, its.DefaultOptions)
	p := &prover{monomials: monomials, ctx: ctx, options: o, original: len(s.Locations), s: simple}
	p.stats.Transitions = len(simple.Transitions)
	addSquareFacts(simple)
	for l, k := range kept {
		p.nodes = append(p.nodes, node{origin: its.Location(l), kept: k})
	}
	return p.prove()
}

// node is what is known about a location of the prover's system.
type node struct {
	origin its.Location // of the original system, or beyond it for a new start
	kept   bool
	region []linear.Constraint // what splitting has added
	inv    polyhedra.Polyhedron
	rank   []its.Level
	split  bool                // by transition
	extra  []linear.Constraint // invariants that were found on demand
}

type prover struct {
	ctx      context.Context
	options  Options
	original int // locations of the original system
	s        *its.System
	nodes    []node // by location of s
	relevant []linear.Var
	known    [][]linear.Constraint // by transition: invariant and guard, irredundant
	// monomials are, by their factors, the last variables.
	monomials [][]linear.Var
	depth     int // of nested ranking functions now
	stats     Stats
}

func (p *prover) prove() Result {
	p.depth = 1
	p.analyse()
	for {
		open := p.components()
		if p.ctx.Err() != nil {
			return Failed{open, p.ctx.Err().Error(), p.stats}
		}
		if open == nil {
			return Proved{p.argument(), p.stats}
		}
		if p.options.OnOpen != nil {
			p.options.OnOpen(open)
		}
		if !p.refine(open) {
			if p.ctx.Err() != nil {
				return Failed{open, p.ctx.Err().Error(), p.stats}
			}
			return Failed{open, "no ranking function of the supported forms exists for a component", p.stats}
		}
	}
}

// analyse computes invariants and drops the transitions that they exclude.
func (p *prover) analyse() {
	p.relevant = p.relevant[:0]
	for v, r := range p.s.Relevant(false) {
		if r {
			p.relevant = append(p.relevant, linear.Var(v))
		}
	}
	at := forward.Invariants(p.ctx, p.s, polyhedra.Polyhedron{})
	for l := range p.nodes {
		p.nodes[l].inv = at[l]
	}
	var kept []its.Transition
	p.known = p.known[:0]
	for _, t := range p.s.Transitions {
		cs := append(slices.Clone(at[t.From].Constraints()), t.Guard...)
		cs = linear.Irredundant(p.ctx, append(cs, p.productFacts(p.products(&t), cs)...))
		if len(cs) == 1 && cs[0].IsFalse() {
			continue
		}
		kept = append(kept, t)
		p.known = append(p.known, cs)
	}
	p.s.Transitions = kept
	p.useExtra()
}

// argument is the proof in terms of the original system.
func (p *prover) argument() its.RankingArgument {
	var out its.RankingArgument
	for _, n := range p.nodes {
		if !n.kept || int(n.origin) >= p.original {
			continue
		}
		region := append(slices.Clone(n.region), n.inv.Constraints()...)
		out.Nodes = append(out.Nodes, its.RankNode{Location: n.origin, Region: linear.Irredundant(p.ctx, region), Rank: n.rank})
	}
	return out
}

// components treats the components of the whole system.
func (p *prover) components() []Open {
	for l := range p.nodes {
		p.nodes[l].rank = nil
	}
	all := make([]int, len(p.s.Transitions))
	for i := range all {
		all[i] = i
	}
	return p.lexicographic(all)
}

// lexicographic numbers the components of the graph of these transitions, and
// finds arguments for the fair ones among them; what it cannot do it returns.
func (p *prover) lexicographic(transitions []int) []Open {
	edges := make([][2]int, len(transitions))
	touched := make([]bool, len(p.nodes))
	for k, i := range transitions {
		t := &p.s.Transitions[i]
		edges[k] = [2]int{int(t.From), int(t.To)}
		touched[t.From], touched[t.To] = true, true
	}
	component, count := its.Components(len(p.nodes), edges)
	for l := range p.nodes {
		if touched[l] {
			n := &p.nodes[l]
			n.rank = append(n.rank, its.Level{linear.Constant(linear.Int(int64(component[l])))})
		}
	}
	inside := make([][]int, count)
	fair := make([]bool, count)
	for _, i := range transitions {
		t := &p.s.Transitions[i]
		if c := component[t.From]; c == component[t.To] {
			inside[c] = append(inside[c], i)
			fair[c] = fair[c] || t.Fair
		}
	}
	var open []Open
	for c := count - 1; c >= 0; c-- {
		if fair[c] && p.ctx.Err() == nil {
			open = append(open, p.component(inside[c])...)
		}
	}
	if open == nil && p.ctx.Err() != nil {
		open = []Open{{p.s.Clone(), transitions}}
	}
	return open
}

// component finds a level for a strongly connected component and goes on with
// what is left.
func (p *prover) component(transitions []int) []Open {
	pause.Wait(p.ctx)
	level, decreasing := p.level(transitions)
	if decreasing == nil {
		return []Open{{p.s.Clone(), slices.Clone(transitions)}}
	}
	p.stats.Removed += len(decreasing)
	for l, f := range level {
		p.nodes[l].rank = append(p.nodes[l].rank, f)
	}
	rest := slices.DeleteFunc(slices.Clone(transitions), func(i int) bool { return decreasing[i] })
	return p.lexicographic(rest)
}
