// Package bmc decides properties of a program by incremental bounded model
// checking [2LS §5.2, §5.4]: all loops are unwound together, deeper and
// deeper; at each depth one query asks for a violation, and, if there is none,
// one asks whether a run gets past the unwinding. If no run does, the program
// is proved.
//
// One SAT instance serves the whole run. It only gets new clauses; the
// violations of one depth are switched on by an assumption (package ssa says
// how terms are shared between depths).
//
// What the two answers need:
//
//	(1) A violation found is replayed in the interpreter, from the values of
//	    all choices in the model; only then it is false.
//	(2) If the replay passes through undefined behaviour outside of the
//	    property, a run without any is searched first.
//	(3) A proof must exclude, besides violations and unwinding limits, every
//	    place where the encoding is not exact; then a checker is asked, with
//	    another traversal and another solver (Options.Accept).
//
// Loops are unwound where the models of the second query want it: those whose
// limit some run reaches grow by half, the others stay. A loop that changes nothing (one that waits for
// ever) makes no new term however deep it is unwound: after very many iterations of that the search gives up,
// for most likely it only repeats itself, and would take all memory.
package bmc

import (
	"context"
	"errors"
	"fmt"
	"time"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
	"assay/internal/models/ssa"
	"assay/internal/program/ir"
)

// Options say what to decide and how.
type Options struct {
	// Targets are the kinds of events that must not happen.
	Targets []ir.CheckKind
	// Disputed are kinds of events of which it is disputed whether the property
	// excludes them: they make no violation, but a proof must exclude them too.
	Disputed []ir.CheckKind
	// Label is the C label that ErrorLabel means; ERROR if empty.
	Label string
	// All decides every check on its own.
	All bool
	// Unwind limits the unwindings of each loop and recursion; 0 is no limit.
	Unwind int
	// Solver is "cadical" (the default), "z3" or "both".
	Solver string
	// Accept is asked about every proof; nil leaves that out.
	Accept verdict.Accept
	// Settled, if set, is asked with All at every depth; decided says whether there
	// is an answer for a check. The run ends if Settled says so.
	Settled func(decided func(verdict.Site) bool) bool
	// Decided, if set, is told with All the answers so far whenever there is one more.
	Decided func([]CheckResult)
	// Progress, if set, is told what goes on, from the goroutine of Run.
	Progress func(Progress)
}

// Progress is where a run is.
type Progress struct {
	Depth     int // greatest number of unwindings so far
	Safe      int // the same without a violation
	Nodes     int64
	Variables int64
	Clauses   int64
	Phase     string // "encode", "violation", "unwinding", "replay", "certify"
}

// CheckResult is the answer for one check.
type CheckResult struct {
	Guard verdict.Guard
	// Value is the instruction, in Guard.Func.
	Value   ir.Value
	Verdict verdict.Verdict
}

// Stats count the work.
type Stats struct {
	Depth        int
	Rounds       int
	Terms        int
	Blocks       int64
	Instructions int64
	Objects      int
	Solver       smt.Stats
	Encode       time.Duration
	Solve        time.Duration
	Replay       time.Duration
	Certify      time.Duration
}

// Result is the answer of a run.
type Result struct {
	Verdict verdict.Verdict
	// Checks are the answers for each check, if Options.All.
	Checks []CheckResult
	// Rest is the answer for the checks that are not in Checks, if Options.All: no formula
	// has a violation of them.
	Rest  verdict.Verdict
	Stats Stats
}

// firstBound is the number of unwindings of the first round: enough for a
// loop that runs once or twice to be closed at once.
const firstBound = 2

type engine struct {
	m      *ir.Module
	opts   Options
	st     *term.Store
	u      *ssa.Unwinder
	solver smt.Solver
	stats  Stats
	f      *ssa.Formula
	// clean says that no unclean event happens, and that no result of a library
	// function on the run is over-approximated.
	clean term.ID
	// sites are the checks, if all are decided.
	sites *sites
	// doubt is the answer if no better one comes: a violation was found that
	// depends on the values that undefined behaviour yields, or that library
	// models over-approximate.
	doubt verdict.Verdict
	// growing is the loop that went on after the most unwindings when the bounds were raised last, unwound is their
	// number; rather one of the program than one of a library model. nil if there was none.
	growing *ssa.Limit
	unwound int
	// terms is how many there were when the last new one was made, fresh the depth at that time.
	terms, fresh int
}

// repeats is how many iterations without a new term are taken for a search that only repeats itself.
const repeats = 1 << 17

// Run decides the module, whose Entry must be set.
func Run(ctx context.Context, m *ir.Module, opts Options) Result {
	st := term.NewStore()
	st.KeepSums()
	solver, err := newSolver(st, opts.Solver)
	if err != nil {
		return Result{Verdict: unknown(verdict.CauseSolver, err.Error())}
	}
	defer solver.Close()
	e := &engine{m: m, opts: opts, st: st, solver: solver}
	e.u = ssa.New(m, st, ssa.Options{Targets: opts.Targets, All: opts.All, Label: opts.Label})
	e.u.Default = firstBound
	if opts.Unwind > 0 {
		e.u.Default = min(firstBound, opts.Unwind)
	}
	if opts.All {
		e.sites = newSites()
	}
	v := e.run(ctx)
	e.stats.Terms = st.Len()
	e.stats.Objects = e.u.Space().Objects()
	e.stats.Solver = solver.Stats()
	r := Result{Verdict: v, Stats: e.stats}
	if opts.All {
		r.Checks, r.Rest = e.sites.results(v), v
		r.Verdict = combine(v, r.Checks)
	}
	return r
}

// combine is the verdict on all checks together; rest is that on the ones
// that were not decided on their own.
func combine(rest verdict.Verdict, checks []CheckResult) verdict.Verdict {
	v := rest
	for _, c := range checks {
		switch x := c.Verdict.(type) {
		case verdict.False:
			return x
		case verdict.Unknown:
			if _, ok := v.(verdict.True); ok {
				v = x
			}
		}
	}
	return v
}

func unknown(cause verdict.Cause, text string) verdict.Unknown {
	return verdict.Unknown{Reasons: []verdict.Reason{{Cause: cause, Text: text}}}
}

// run is the loop over depths.
func (e *engine) run(ctx context.Context) verdict.Verdict {
	for {
		if err := e.encode(ctx); err != nil {
			return e.interrupted(err)
		}
		v, err := e.round(ctx)
		if err != nil {
			return e.interrupted(err)
		}
		if v != nil {
			return v
		}
		if n := e.st.Len(); n != e.terms {
			e.terms, e.fresh = n, e.depth()
		} else if e.depth() > e.fresh+repeats {
			return e.endless()
		}
	}
}

// endless says that a loop goes on after very many unwindings, and that they bring nothing new.
func (e *engine) endless() verdict.Verdict {
	u := unknown(verdict.CauseUnwinding, fmt.Sprintf("the last %d iterations brought nothing new", repeats))
	if e.growing != nil {
		r := &u.Reasons[0]
		r.Func, r.Pos = e.growing.Loop.Func, e.growing.Pos
		r.Text = fmt.Sprintf("the loop is unwound %d times and goes on, and the last %d brought nothing new", e.unwound, repeats)
	}
	return u
}

// interrupted is the verdict of a run that did not get to its end.
func (e *engine) interrupted(err error) verdict.Verdict {
	cause, text := verdict.CauseSolver, err.Error()
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		cause, text = verdict.CauseTimeout, "the time limit was reached"
	case errors.Is(err, context.Canceled):
		cause, text = verdict.CauseInterrupt, "interrupted"
	}
	if e.doubt != nil {
		return e.doubt
	}
	if e.stats.Depth > 0 && len(e.opts.Targets) > 0 {
		text += fmt.Sprintf("; no violation within %d unwindings", e.stats.Depth)
	}
	u := unknown(cause, text)
	if e.stats.Depth == 0 && cause == verdict.CauseTimeout {
		e.first(&u.Reasons[0])
	}
	if e.growing != nil && cause == verdict.CauseTimeout {
		r := &u.Reasons[0]
		what := "this loop"
		if e.growing.Loop.Head == 0 {
			what = "this recursion"
		}
		r.Func, r.Pos = e.growing.Loop.Func, e.growing.Pos
		r.Text += fmt.Sprintf("; %s was unwound %d times and goes on", what, e.unwound)
		r.Hint = "bound what it runs over (a size, a length, by an assumption), or allow more with --timeout"
	}
	return u
}

// first says what kept the first round from its end: its formula, or the solver, with the first check that may be violated.
func (e *engine) first(r *verdict.Reason) {
	if e.f == nil {
		r.Text += " before each loop was unwound once"
		return
	}
	n := 0
	for _, x := range e.f.Violations {
		if e.st.IsFalse(x.Cond) {
			continue
		}
		if n++; n == 1 {
			r.Func, r.Pos = x.Guard.Func, x.Guard.Pos
		}
	}
	r.Text += fmt.Sprintf("; the solver has not decided whether one of %d checks fails in the first unwinding, of %d instructions", n, e.stats.Instructions)
	r.Hint = "ask about less: a smaller size or input (by an assumption), one function (--function), one property; or allow more with --timeout"
}

func (e *engine) progress(phase string) {
	if e.opts.Progress == nil {
		return
	}
	s := e.solver.Stats()
	e.opts.Progress(Progress{Depth: e.depth(), Safe: e.stats.Depth, Nodes: int64(e.st.Len()), Variables: s.Variables, Clauses: s.Clauses, Phase: phase})
}

// depth is the greatest bound.
func (e *engine) depth() int {
	d := e.u.Default
	for _, b := range e.u.Bounds {
		d = max(d, b)
	}
	return d
}

func (e *engine) encode(ctx context.Context) error {
	e.progress("encode")
	begin := time.Now()
	f, err := e.u.Encode(ctx)
	e.stats.Encode += time.Since(begin)
	if err != nil {
		return err
	}
	e.withdraw(f)
	e.f = f
	e.stats.Rounds++
	e.stats.Blocks += f.Blocks
	e.stats.Instructions += f.Instructions
	for _, t := range f.Facts {
		e.solver.Assert(t)
	}
	e.clean = e.st.Not(anyEvent(e.st, f.Unclean))
	for _, o := range f.Obstacles {
		if o.OverApproximated && o.Reason.Text == verdict.BitsOfNaN {
			e.clean = e.st.And(e.clean, e.st.Not(o.Cond))
		}
	}
	for _, c := range f.Choices {
		if c.Approximate {
			e.clean = e.st.And(e.clean, e.st.Not(c.Guard))
		}
	}
	return nil
}

func anyEvent(st *term.Store, events []ssa.Event) term.ID {
	t := st.False()
	for _, x := range events {
		t = st.Or(t, x.Cond)
	}
	return t
}

// check asks the solver whether all the terms can hold.
func (e *engine) check(ctx context.Context, phase string, ts ...term.ID) (smt.Status, error) {
	for _, t := range ts {
		if e.st.IsFalse(t) {
			return smt.Unsat, nil
		}
	}
	e.progress(phase)
	begin := time.Now()
	status, err := e.solver.Check(ctx, ts...)
	for err == nil && status == smt.Sat && e.u.Space().Correct(e.solver.Value) {
		for _, t := range e.u.Space().Facts() {
			e.solver.Assert(t)
		}
		status, err = e.solver.Check(ctx, ts...)
	}
	e.stats.Solve += time.Since(begin)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return status, err
}

// round decides one depth; without verdict and error the bounds have grown.
func (e *engine) round(ctx context.Context) (verdict.Verdict, error) {
	if e.opts.All {
		if err := e.searchAll(ctx); err != nil {
			return nil, err
		}
		if e.opts.Settled != nil && e.opts.Settled(e.sites.isDecided) {
			return unknown(verdict.CauseInterrupt, "decided elsewhere"), nil
		}
	} else if v, err := e.search(ctx); v != nil || err != nil {
		return v, err
	}
	e.stats.Depth = e.depth()
	e.progress("unwinding")
	return e.close(ctx)
}

// search looks for one violation at the present depth.
func (e *engine) search(ctx context.Context) (verdict.Verdict, error) {
	violation := anyEvent(e.st, e.f.Violations)
	if e.doubt == nil {
		status, err := e.check(ctx, "violation", violation)
		if err != nil || status == smt.Unsat {
			return nil, err
		}
		first := e.replay(ctx)
		if !first.found {
			return e.unconfirmed(ctx, violation, first)
		}
		if len(first.passes) == 0 && !first.depends {
			return first.verdict(), nil
		}
		if v, err := e.searchClean(ctx, violation); v != nil || err != nil {
			return v, err
		}
		if !first.depends {
			return first.verdict(), nil
		}
		e.doubt = first.verdict()
		return nil, nil
	}
	return e.searchClean(ctx, violation)
}

// searchClean looks for a violation on a run without undefined behaviour.
func (e *engine) searchClean(ctx context.Context, violation term.ID) (verdict.Verdict, error) {
	status, err := e.check(ctx, "violation", violation, e.clean)
	if err != nil || status == smt.Unsat {
		return nil, err
	}
	if r := e.replay(ctx); r.found && !r.depends {
		return r.verdict(), nil
	}
	return nil, nil
}

// unconfirmed treats a model that the replay did not confirm: if it depends on
// a place that is over-approximated, one that does not is searched.
func (e *engine) unconfirmed(ctx context.Context, violation term.ID, r replayed) (verdict.Verdict, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	exact := e.st.True()
	if r.large {
		exact = e.small()
	}
	for _, o := range e.f.Obstacles {
		exact = e.st.And(exact, e.st.Not(o.Cond))
	}
	if !e.st.IsTrue(exact) {
		status, err := e.check(ctx, "violation", violation, exact)
		if err != nil {
			return nil, err
		}
		if status == smt.Sat {
			r = e.replay(ctx)
			if r.found {
				return r.verdict(), nil
			}
		} else if r.large {
			return verdict.Unknown{Reasons: []verdict.Reason{{
				Cause: verdict.CauseMemory, Text: "all violations found need objects that are too large to replay", Func: r.where.Func, Pos: r.where.Pos,
			}}}, nil
		} else {
			e.check(ctx, "violation", violation) // a model for the reasons
			return verdict.Unknown{Reasons: e.obstaclesInModel("a possible violation depends on it: ")}, nil
		}
	}
	if r.large {
		return verdict.Unknown{Reasons: []verdict.Reason{{
			Cause: verdict.CauseMemory, Text: "a possible violation needs objects that are too large to replay", Func: r.where.Func, Pos: r.where.Pos,
		}}}, nil
	}
	if name := e.unknownPointer(r.input); name != "" {
		return verdict.Unknown{Reasons: []verdict.Reason{{
			Cause: verdict.CauseMissingBody, Text: "a possible violation depends on the pointer that " + name + " returns, which has no body",
			Func: r.where.Func, Pos: r.where.Pos, Hint: "give the function a body, or a model",
		}}}, nil
	}
	if e.u.Space().Casts() {
		return verdict.Unknown{Reasons: []verdict.Reason{{
			Cause: verdict.CauseInexact, Text: "a possible violation depends on a pointer made from an integer, or never written, and was not confirmed",
			Func: r.where.Func, Pos: r.where.Pos,
		}}}, nil
	}
	return verdict.Unknown{Reasons: []verdict.Reason{{
		Cause: verdict.CauseInternal, Text: "a counterexample of the formula is no run of the interpreter: " + r.why,
		Func: r.where.Func, Pos: r.where.Pos,
	}}}, nil
}

// obstaclesInModel lists the obstacles that the last model meets.
func (e *engine) obstaclesInModel(prefix string) []verdict.Reason {
	var out []verdict.Reason
	seen := map[verdict.Reason]bool{}
	for _, o := range e.f.Obstacles {
		if e.solver.Value(o.Cond).IsTrue() {
			r := o.Reason
			r.Text = prefix + r.Text
			if !seen[r] {
				seen[r] = true
				out = append(out, r)
			}
		}
	}
	return out
}
