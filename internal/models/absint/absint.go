// Package absint is the first rung of the ladder: a fast abstract
// interpretation of ir modules. It proves what it can about checks in
// milliseconds, and finds facts that every later engine may assume.
//
//	absint.go    options, the analysis       facts.go     results
//	function.go  tables of functions         value.go     abstract values
//	memory.go    states of memory            object.go    objects and cells
//	iterate.go   fixpoints of functions      call.go      calls and recursion
//	limits.go    where widening stops
//	transfer.go  instructions                pointer.go   pointer operations
//	access.go    loads and stores            ranges.go    copies and fills
//	lifetime.go  lives of objects            refine.go    branches
//	partition.go states kept apart by the value of a variable
//	summary.go   functions analysed once for all calls
//
// The analysis follows calls as if they were inlined: a context is a chain of
// call sites. In each context the blocks are iterated in a weak topological order
// with widening at the heads of components and narrowing [Bourdoncle93]. Recursive
// calls go to the context that is being analysed already, whose entry and exit
// states grow until both are stable; the same happens for all calls when there
// are too many contexts.
//
// What is proved holds for all runs of the module in the meaning of package ir,
// up to and including the first violation of one of Options.Asked (or a failed
// Assume, which ends the run). With Asked empty it holds for complete runs.
// Every component over-approximates: an instruction that the analysis does not
// know gives any value and any memory.
package absint

import (
	"context"
	"fmt"

	"assay/internal/logic/absdomain"
	"assay/internal/program/ir"
	"assay/internal/run/memo"
)

// Options direct the analysis. The zero value is ready for use.
type Options struct {
	// Asked are the kinds of checks and guards whose violation ends a run.
	Asked []ir.CheckKind
	// Partition keeps the states of some loops apart by the value of a variable (partition.go).
	Partition bool
	// Summaries analyses some functions once for all of their calls (summary.go).
	Summaries bool
	// MaxSteps bounds the instructions that are analysed; 0 means 4 million, a
	// few seconds. An analysis that gets there starts again with one context for
	// all calls of a function; if that does not end either, nothing is known:
	// Facts.Incomplete says so.
	MaxSteps int64
	// MaxContexts bounds the contexts that are kept apart; 0 means 2000. Beyond
	// it all calls of a function share one.
	MaxContexts int
}

// analysis is the state of Analyze.
type analysis struct {
	ctx      context.Context
	m        *ir.Module
	opts     Options
	asked    [64]bool
	funcs    []*function // by index, nil until needed
	index    map[string]int
	symbols  map[string]objectID // functions and globals
	sets     *sets
	objects  []object
	cells    []cell
	limits   *absdomain.Thresholds
	contexts []*callContext
	shared   []*callContext // by function, when there are too many contexts
	active   []*callContext // being analysed
	// epoch grows when the summary of a recursive context changes.
	epoch int64
	// visit numbers the visits of blocks, for bindings.
	visit int64
	steps int64

	// See summary.go: the parts by index of the function, the number of the pass, whether an entry
	// grew in it, and whether the passes are over.
	parts         map[int]*callContext
	pass          int
	grew, settled bool

	recording bool
	pending   []*callContext // to be recorded
	leaks     bool           // a block of the heap may be alive at the end

	// scratch
	trail   []undo
	changed []bool
}

// giveUp is thrown when a limit is reached; analyzeOnce catches it.
type giveUp struct {
	err    error
	reason string
}

// question is what Analyze is asked, as a key of package memo.
type question struct {
	m           *ir.Module
	asked       string
	maxSteps    int64
	maxContexts int
	partition   bool
	summaries   bool
}

// Analyze analyses the module, which must satisfy ir.Verify, and must not change
// afterwards. The error is that of the context's end. Calls with the same module in one
// run of the engines share the facts.
func Analyze(ctx context.Context, m *ir.Module, opts Options) (*Facts, error) {
	if opts.MaxSteps == 0 {
		opts.MaxSteps = 4_000_000
	}
	if opts.MaxContexts == 0 {
		opts.MaxContexts = 2000
	}
	q := question{m, fmt.Sprint(opts.Asked), opts.MaxSteps, opts.MaxContexts, opts.Partition, opts.Summaries}
	return memo.Of(ctx, q, func() (*Facts, error) { return analyze(ctx, m, opts) })
}

func analyze(ctx context.Context, m *ir.Module, opts Options) (*Facts, error) {
	f, err := analyzeOnce(ctx, m, opts)
	if err == nil && f.Incomplete != "" && opts.MaxContexts > 1 && !opts.Summaries {
		opts.MaxContexts = 1
		return analyzeOnce(ctx, m, opts)
	}
	return f, err
}

func analyzeOnce(ctx context.Context, m *ir.Module, opts Options) (facts *Facts, err error) {
	a := &analysis{ctx: ctx, m: m, opts: opts, funcs: make([]*function, len(m.Funcs)), index: map[string]int{}, symbols: map[string]objectID{},
		sets: newSets(), limits: thresholds(m), shared: make([]*callContext, len(m.Funcs))}
	for _, k := range opts.Asked {
		a.asked[k] = true
	}
	defer func() {
		switch g := recover().(type) {
		case nil:
		case giveUp:
			facts, err = nil, g.err
			if err == nil {
				facts = a.incomplete(g.reason)
			}
		default:
			panic(g)
		}
	}()
	memory := a.start()
	entry, ok := a.index[m.Entry]
	if !ok || m.Funcs[entry].IsDecl() {
		return a.incomplete(fmt.Sprintf("the module has no entry function %q", m.Entry)), nil
	}
	root := a.newContext(nil, 0, a.function(entry))
	if opts.Summaries {
		a.summarise()
		a.passes(root, memory)
	} else {
		a.analyze(root, nil, memory)
	}
	a.record(root)
	return a.facts(), nil
}

// start makes the objects that exist from the start, and the first memory.
func (a *analysis) start() store {
	a.cells = make([]cell, 1, 256) // cell 0 is none
	a.objects = make([]object, 0, 64)
	a.newObject(object{kind: bareObject}, ir.Layout{})
	a.newObject(object{kind: bareObject}, ir.Layout{})
	for i, f := range a.m.Funcs {
		a.index[f.Name] = i
		a.symbols[f.Name] = a.newObject(object{kind: functionObject, fn: i, stored: true}, ir.Layout{})
	}
	var m store
	for _, g := range a.m.Globals {
		o := a.newObject(object{kind: globalObject, global: g, stored: true}, g.Layout)
		a.symbols[g.Name] = o
		obj := &a.objects[o]
		m = a.setInt(m, obj.life, aliveOnce)
		m = a.setInt(m, obj.size, absdomain.Const(a.m.PointerBits, g.Size))
		if !g.External {
			m = a.setInt(m, obj.pristine, absdomain.Const(1, 1))
		}
	}
	return m
}

// step counts the work and looks at limits now and then.
func (a *analysis) step(n int) {
	before := a.steps
	a.steps += int64(n)
	if a.steps > a.opts.MaxSteps {
		panic(giveUp{reason: fmt.Sprintf("more than %d instructions to analyse", a.opts.MaxSteps)})
	}
	if before>>12 != a.steps>>12 {
		if err := a.ctx.Err(); err != nil {
			panic(giveUp{err: err})
		}
	}
}
