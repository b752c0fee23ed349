// Package symex builds symbolic execution graphs: one finite graph of abstract
// states that covers all runs of a program, over symbolic memory and bit-vectors
// [AProVE-Ptr, AProVE-BV]. A graph in which no state violates a property proves
// it; the transition system of a graph (transitions.go) proves termination.
//
//	symex.go      the interface          explorer.go   states, paths, forks
//	prepare.go    functions              knowledge.go  entailment
//	evaluate.go   instructions           arithmetic.go   products, quotients, bits
//	memory.go     objects, cells         call.go         calls and ends
//	shape.go      shapes of states       join.go       generalisation
//	offset.go     offsets that differ    naming.go     what loops leave in memory
//	build.go      the graph              transitions.go  the transition system
//	list.go       list segments          listfacts.go    what their nodes hold
//	tree.go       tree segments          owned.go      what nodes own
//	slots.go      what arrays own        recursion.go  recursive functions
//	strings.go    arrays of strings  partition.go   states apart by constants
//	table.go      constant tables     drawing.go     pictures
//
// # Departures from the papers
//
// A state is evaluated from one loop head to the next; only states at loop heads are
// kept as nodes, and what is between is evaluated again when needed. So all joins
// happen at loop heads. A pointer is an object and an offset. A value is a form
// modulo 2^w (package symgraph). Where the papers generalise a state with its
// ancestor, here states of the same shape are joined, ancestors or not.
//
// Nothing here is trusted: package certify/graph checks the graph that comes out
// with its own evaluation of the instructions, by Z3.
package symex

import (
	"context"
	"fmt"

	"assay/internal/evidence/symgraph"
	"assay/internal/program/ir"
)

// Options of Build; the zero value is the default.
type Options struct {
	// Targets are the kinds of violations that the graph must exclude.
	Targets []ir.CheckKind
	// Label is the C label of ir.ErrorLabel; ERROR if empty.
	Label string
	// MaxSteps bounds the instructions that are evaluated; 0 is 2,000,000.
	MaxSteps int64
	// MaxObjects bounds the objects alive at once, apart from globals; 0 is 64.
	MaxObjects int
	// SplitUnequal makes two cases of x ≠ y: less and greater.
	SplitUnequal bool
	// Values is what is said of integers in the nodes of lists and trees.
	Values Values
	// System asks for the transition system.
	System bool
	// Partition keeps states with different constants apart, if nothing else is enough: it may take long.
	Partition bool
	// Drawing asks for a drawing with at most so many vertices beside the nodes.
	Drawing int
	// Like asks for one attempt, in the way that had this result, with a little more work at most.
	Like *Result
}

// Values is how much is said of integers in the nodes of lists and trees.
type Values uint8

// All that the engine has; nothing: shapes alone; or bounds of each field.
const (
	AllValues Values = iota
	NoValues
	BoundsOfValues
)

// Stats count the work. All but the time depends on the program alone.
type Stats struct {
	Nodes, Edges int
	Steps, Forks int64
	Joins        int64
	// Queries are questions to the knowledge base: those that the ranges of symbols
	// or the facts as they are written answer are Syntactic.
	Queries, Syntactic, CacheHits, Simplex int64
}

// Suspect is a violation that the graph does not exclude.
type Suspect struct {
	Func  string
	Value ir.Value
	Pos   ir.Pos
	Kind  ir.CheckKind
	Text  string
}

// Obstacle says what could not be executed symbolically.
type Obstacle struct {
	Func    string
	Pos     ir.Pos
	Text    string
	Stopped bool // by the context
}

func (o *Obstacle) Error() string { return o.Text }

// Result is a graph without violations, or what is in its way.
type Result struct {
	// Graph is nil if there is an obstacle. It proves something if there are no Suspects.
	Graph *symgraph.Graph
	// Unclean are possible violations outside of the targets.
	Unclean  []Suspect
	Suspects []Suspect
	Obstacle *Obstacle
	// Drawing is there if it was asked for, and there is no obstacle.
	Drawing *symgraph.Drawing
	Stats   Stats
	effort  effort
}

// Build builds the graph.
func Build(ctx context.Context, m *ir.Module, o Options) Result {
	if o.MaxSteps == 0 {
		o.MaxSteps = 2_000_000
	}
	if o.MaxObjects == 0 {
		o.MaxObjects = 64
	}
	if o.Label == "" {
		o.Label = "ERROR"
	}
	x := explore(m, &o)
	if o.Like != nil {
		x.effort = o.Like.effort
		if x.partition != nil {
			x.partition = newPartition()
		}
		x.o.MaxSteps = min(o.MaxSteps, quickSteps+2*o.Like.Stats.Steps)
		return x.result(ctx)
	}
	r := x.result(ctx)
	var inexact *explorer // the first attempt with suspects alone in its way
	hasty := false        // an attempt was given up
	owning := false       // nodes may own something
	apart := func(y *explorer, steps int64) bool {
		if inexact == nil || !o.Partition {
			return false
		}
		y.partition, y.shape = newPartition(), inexact.shape || inexact.dropped
		y.o.MaxSteps = min(o.MaxSteps, steps)
		return true
	}
	hurried := false             // states were kept apart by constants, but not to the end
	begun, ended := false, false // bounds moved: in a quick attempt, which came to its end
	bounded := func(y *explorer, steps int64) bool {
		y.shape, y.patient = x.shape || x.dropped, true
		y.o.MaxSteps = min(o.MaxSteps, steps)
		return len(x.suspects) > 0 && x.obstacle == nil && !o.System
	}
	for _, again := range []func(y *explorer) bool{
		// Perhaps numbers stay within bounds that they reach in a few iterations: soon found, or not.
		func(y *explorer) bool { return bounded(y, quickSteps+x.stats.Steps/2) },
		// Perhaps it matters which constants belong together: soon found, or not.
		func(y *explorer) bool { return apart(y, quickSteps+x.stats.Steps) },
		// Perhaps it matters what pointers in memory point to.
		func(y *explorer) bool {
			y.shape, y.hasty = true, true
			y.o.MaxSteps = min(o.MaxSteps, maxFineSteps+10*x.stats.Steps)
			return x.dropped && !x.shape
		},
		// Perhaps numbers stay within bounds that they reach in a few iterations.
		func(y *explorer) bool { return bounded(y, maxFineSteps+10*x.stats.Steps) && !ended },
		// Perhaps nodes own what their fields point to, where they may be trees as well: soon
		// found, or not.
		func(y *explorer) bool {
			y.shape, y.owning = true, true
			y.o.MaxSteps = min(o.MaxSteps, quickSteps+2*x.stats.Steps)
			owning = owning || x.mayOwn
			return x.mayOwn && x.branching
		},
		// Perhaps nodes have more than one link onwards.
		func(y *explorer) bool {
			y.shape, y.trees = true, true
			y.o.MaxSteps = min(o.MaxSteps, maxFineSteps+10*x.stats.Steps)
			return x.branching
		},
		// Perhaps nodes own what their fields point to.
		func(y *explorer) bool {
			y.shape, y.owning = true, true
			y.o.MaxSteps = min(o.MaxSteps, maxFineSteps+10*x.stats.Steps)
			owning = owning || x.mayOwn || x.branching
			return owning
		},
		// Perhaps both.
		func(y *explorer) bool {
			y.shape, y.owning, y.trees = true, true, true
			y.o.MaxSteps = min(o.MaxSteps, maxFineSteps+10*x.stats.Steps)
			return owning && x.branching
		},
		// Perhaps they are none, and it matters what pointers in memory point to.
		func(y *explorer) bool {
			y.shape = true
			y.o.MaxSteps = min(o.MaxSteps, maxFineSteps)
			return hasty
		},
		// Perhaps it matters which nodes of a list come first.
		func(y *explorer) bool {
			y.shape, y.fine = true, true
			y.o.MaxSteps, y.o.MaxObjects = min(o.MaxSteps, maxFineSteps, 1000+5*x.stats.Steps), min(o.MaxObjects, maxFineObjects)
			return len(x.kinds) > 0
		},
		// Perhaps it matters which constants belong together.
		func(y *explorer) bool { return hurried && apart(y, maxPartSteps) },
	} {
		if ctx.Err() != nil || r.Obstacle == nil && len(r.Suspects) == 0 {
			break
		}
		if inexact == nil && x.obstacle == nil {
			inexact = x
		}
		y := explore(m, &o)
		if !again(y) {
			continue
		}
		hasty = hasty || x.hasty && x.obstacle != nil
		if f := y.result(ctx); f.Obstacle == nil && len(f.Suspects) == 0 {
			return f
		}
		if y.partition != nil {
			hurried = y.obstacle != nil
			continue
		}
		if y.patient && !begun {
			begun, ended = true, y.obstacle == nil
			continue
		}
		x = y
	}
	return r
}

// Limits of the attempts that tell more states apart: they fail by making ever more of
// them.
const maxFineSteps, maxFineObjects, quickSteps = 20_000, 10, 2000

// maxPartSteps bounds the steps where constants are kept apart.
const maxPartSteps = 200_000

// explore prepares to build one graph.
func explore(m *ir.Module, o *Options) *explorer {
	x := &explorer{m: m, index: m.Index(), o: *o, functions: map[*ir.Func]*function{}, narrow: map[place]bool{}}
	x.recursive = recursiveFunctions(x.index, m)
	x.returns = returningFunctions(x.index, m)
	for _, k := range o.Targets {
		x.target[k] = true
	}
	return x
}

// result builds the graph.
func (x *explorer) result(ctx context.Context) (r Result) {
	x.ctx = ctx
	how := x.effort
	defer func() { r.effort = how }()
	root, err := x.initial()
	if err != nil {
		return Result{Obstacle: &Obstacle{Text: err.Error()}}
	}
	for again := true; again; again = x.again {
		x.again, x.symbols, x.nodes, x.dirty, x.table = false, nil, nil, nil, map[string]*node{}
		x.partition.anew()
		x.build(clone(root))
	}
	r = Result{Stats: x.stats, Obstacle: x.obstacle}
	for _, s := range x.suspects {
		if x.target[s.Kind] {
			r.Suspects = append(r.Suspects, s)
		} else {
			r.Unclean = append(r.Unclean, s)
		}
	}
	if r.Obstacle == nil {
		r.Graph = x.graph()
		if x.pen != nil {
			r.Drawing = &x.pen.d
		}
		r.Stats = x.stats
	}
	return r
}

// Why says in one sentence why there is no graph.
func (r *Result) Why() string {
	switch {
	case r.Obstacle != nil:
		return r.Obstacle.Text
	case len(r.Suspects) > 0:
		return fmt.Sprintf("%s: %s", r.Suspects[0].Kind, r.Suspects[0].Text)
	}
	return ""
}
