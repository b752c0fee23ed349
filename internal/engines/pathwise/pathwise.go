// Package pathwise explores the paths of a program one by one: symbolic execution [King76] of ir
// modules, bounded by the time alone. It is made for code whose input drives it: parsers,
// state machines, recursion, tables of functions. Where bounded search unwinds all loops
// to one depth and joins all paths, here a loop is followed as deep as the input of the path drives
// it, positions and pointers are constants on each path, and a call through a pointer is one call.
//
// # How paths fork and join
//
// A path is a set of runs (package ssa, path.go). At a branch that both sides of which can be taken
// it forks, unless the sides meet soon: the blocks between a branch and its postdominator are few
// and without a loop. Then both stay on the path, and are joined where they meet if little
// is lost: if they differ in truth values and in values that are no constants, not in pointers, and not
// in constants, which tell where in its input a program is as in veritesting [Avgerinos14]; what is lost is
// estimated by kinds of values, where [Kuznetsov12] counts the queries to come.
//
// Tests of one condition after the other (a || b) are taken together, too, if they lead to the same block, and
// so are all ways through a function that only answers a question (answers.go).
//
// A pointer that may point to several objects, a size of an allocation or a length of a copy with a few
// possible values, and an offset at which something is written, divide the path by its values.
//
// # What the answers need
//
//	(1) A violation is a model of the path's condition; it is replayed in the interpreter.
//	(2) A proof is the tree of the paths: how each was divided, until every part came to its end. The
//	    checker walks the same tree by itself, and shows that what was left out does not exist.
//	(3) If a path comes to a place that is not exact, there is no proof; others are still explored.
//
// The shortest paths come first, in blocks; where too many are open, the newest.
package pathwise

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"slices"
	"time"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/term"
	"assay/internal/models/ssa"
	"assay/internal/program/ir"
	"assay/internal/run/pause"
)

// Options say what to decide.
type Options struct {
	// Targets are the kinds of events that must not happen.
	Targets []ir.CheckKind
	// Disputed are kinds of events that make no violation, but that a proof must exclude too.
	Disputed []ir.CheckKind
	// Label is the C label that ErrorLabel means; ERROR if empty.
	Label string
	// Accept is asked about a proof; nil leaves that out.
	Accept verdict.Accept
	// Pause is how long the exploration rests, as a multiple of the time for which it has run, once it
	// has met a size with very many values: then there are hardly finitely many paths.
	Pause float64
}

// Stats count the work.
type Stats struct {
	Paths   int // that came to an end
	Open    int // that are left
	Steps   int64
	Queries int // about conditions
	Solved  int // of these, by a solver
	Terms   int
}

// Result is the answer of a run.
type Result struct {
	Verdict verdict.Verdict
	Stats   Stats
}

// state is a path that is open.
type state struct {
	p    *ssa.Path
	node *verdict.PathNode
	// choices are those of the path, newest first.
	choices *choices
	regions []region
	number  int
	// looked is the step of the instruction that was looked at last.
	looked int64
}

// region is a part of an activation whose ways are kept together until they meet at end.
type region struct {
	serial uint32
	end    ir.BlockID
	// answer says that it is a whole activation, see answers.go; it is divided once the path has taken so many blocks.
	answer bool
	until  int64
}

// choices is a list of decisions, shared by paths.
type choices struct {
	before *choices
	list   []ssa.Choice
}

type explorer struct {
	ctx  context.Context
	m    *ir.Module
	opts Options
	st   *term.Store
	u    *ssa.Unwinder
	c    *conditions

	answers *answers

	open queue
	made int
	// unbounded says that a size has very many values; since when it works.
	unbounded bool
	since     time.Time
	stats     Stats
	root      *verdict.PathNode
	unclean   map[site]verdict.Guard
	order     []site
	// reasons say why there is no proof, though every path may come to its end.
	reasons []verdict.Reason
	tried   map[site]int
	// sources are the results of functions without body; see unknown.go.
	sources map[term.ID]bool
	taints  map[term.ID]taint
	found   verdict.Verdict
	// passing is a violation through undefined behaviour, found when there were so many paths.
	passing      verdict.Verdict
	passingSince int
}

// site is a check of a kind at an instruction.
type site struct {
	fn   string
	v    ir.Value
	kind ir.CheckKind
}

// Run explores the module.
func Run(ctx context.Context, m *ir.Module, opts Options) Result {
	st := term.NewStore()
	st.KeepSums()
	e := &explorer{
		ctx: ctx, m: m, opts: opts, st: st, c: newConditions(st), answers: newAnswers(m), root: &verdict.PathNode{Operand: -1},
		unclean: map[site]verdict.Guard{}, tried: map[site]int{}, sources: map[term.ID]bool{}, taints: map[term.ID]taint{},
	}
	defer e.c.close()
	e.u = ssa.New(m, st, ssa.Options{Targets: opts.Targets, Label: opts.Label})
	v := e.run()
	e.stats.Open = len(e.open)
	e.stats.Queries, e.stats.Solved, e.stats.Terms = e.c.Stats.Queries, e.c.Stats.Solved, st.Len()
	return Result{v, e.stats}
}

func (e *explorer) run() verdict.Verdict {
	s := &state{p: e.u.Begin(e.ctx), node: e.root}
	err := e.st.Watched(e.ctx.Err, func() {
		e.add(s)
		for len(e.open) > 0 && !e.enough() && e.ctx.Err() == nil {
			e.follow(e.next())
		}
	})
	switch {
	case e.found != nil:
		return e.found
	case e.passing != nil:
		return e.passing
	case err != nil || e.ctx.Err() != nil || len(e.open) > 0:
		return e.stopped()
	case len(e.reasons) > 0:
		return verdict.Unknown{Reasons: e.reasons}
	}
	return e.proved()
}

// enough says that nothing more needs to be explored.
func (e *explorer) enough() bool {
	return e.found != nil || e.passing != nil && e.stats.Paths > e.passingSince+pathsForClean
}

// stopped is the answer if the time is up.
func (e *explorer) stopped() verdict.Verdict {
	r := verdict.Stopped(e.ctx, "paths")
	r.Text += fmt.Sprintf("; %d paths explored, %d open", e.stats.Paths, len(e.open)+1)
	return verdict.Unknown{Reasons: append(slices.Clone(e.reasons), r)}
}

// proved asks whether the tree is accepted.
func (e *explorer) proved() verdict.Verdict {
	var unclean []verdict.Guard
	for _, s := range e.order {
		unclean = append(unclean, e.unclean[s])
	}
	if e.opts.Accept == nil {
		return verdict.True{Certificate: verdict.Unchecked{Why: "certification is off"}, Unclean: unclean}
	}
	cert := &verdict.PathTree{Root: e.root, Paths: e.stats.Paths}
	ctx, resume := pause.Others(e.ctx)
	defer resume()
	checker, err := e.opts.Accept(ctx, &verdict.Claim{
		Program: e.m, Evidence: cert, Targets: slices.Concat(e.opts.Targets, e.opts.Disputed), Label: e.opts.Label, Solver: verdict.CaDiCaL,
	})
	if err != nil {
		r := verdict.Reason{Cause: verdict.CauseUncertified, Text: "all paths were explored, but the certificate was not accepted: " + err.Error()}
		if ctx.Err() != nil {
			r.Text, r.Hint = "all paths were explored, but the time was up before the certificate was checked", "a greater --timeout, or --certify=off"
		}
		return verdict.Unknown{Reasons: []verdict.Reason{r}}
	}
	cert.Checker = checker
	return verdict.True{Certificate: cert, Unclean: unclean}
}

// queue holds the open paths, the shortest first.
type queue []*state

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(q[i].p.Taken, q[j].p.Taken), cmp.Compare(q[i].number, q[j].number)) < 0
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(*state)) }
func (q *queue) Pop() any {
	n := len(*q) - 1
	x := (*q)[n]
	(*q)[n] = nil
	*q = (*q)[:n]
	return x
}

// maxOpen is the number of open paths from which on the newest is followed.
const maxOpen = 20_000

func (e *explorer) add(s *state) {
	e.made++
	s.number = e.made
	if len(e.open) >= maxOpen {
		e.open = append(e.open, s) // next takes it from there
		return
	}
	heap.Push(&e.open, s)
}

func (e *explorer) next() *state {
	if n := len(e.open) - 1; n >= maxOpen {
		s := e.open[n]
		e.open = e.open[:n]
		return s
	}
	return heap.Pop(&e.open).(*state)
}

// workSlice is how long an exploration works before it rests.
const workSlice = 30 * time.Millisecond

// wait lets others work where they must.
func (e *explorer) wait() {
	pause.Wait(e.ctx)
	if !e.unbounded || e.opts.Pause == 0 {
		return
	}
	worked := time.Since(e.since)
	if worked < workSlice {
		return
	}
	select {
	case <-e.ctx.Done():
	case <-time.After(time.Duration(e.opts.Pause * float64(worked))):
	}
	e.since = time.Now()
}
