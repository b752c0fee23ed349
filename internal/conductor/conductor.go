// Package conductor answers a question about a program: it chooses engines from a table,
// has them run side by side (package schedule), and joins what they come to.
//
// The table (table.go) has a line for each engine and question: its name, what it can
// answer, when it begins, how long it may run, and the function that runs it. The
// engines are packages of their own, which know nothing of each other; what they tell
// each other goes over the board (board.go). What an engine claims counts only when
// it was checked.
//
// Temporal properties are decided as fair termination: their product with the program is a
// module in which ir.Accept marks the accepting states of the automaton, and Task.Fair asks
// whether some run executes it infinitely often. Loops for ends of the program that repeat,
// and what becomes of violations, are decided where the product is made. The state
// of the automaton is best an integer global or local that is only assigned constants.
//
// To add an engine: a package for it, a line in the table, and a line in the
// table of layers.
package conductor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"assay/internal/certify/accept"
	"assay/internal/engines/bmc"
	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/run/memo"
	"assay/internal/run/pause"
	"assay/internal/run/schedule"
	"assay/internal/transform/cut"
	"assay/internal/transform/reducible"
)

// Question is what is asked of a program.
type Question uint8

// The questions.
const (
	Safety      Question = iota // does no run violate a target?
	Termination                 // does every run end?
	Temporal                    // is a formula of linear temporal logic true of every run?
)

func (q Question) String() string { return [...]string{"safety", "termination", "temporal logic"}[q] }

// Task is a question about a loaded program.
type Task struct {
	Module *ir.Module
	// Exact is the program for engines that run it, if it is another one: where Module
	// over-approximates, its runs may go the exact way (frontend.Program.Exact). A violation
	// is then one of it.
	Exact *ir.Module
	// Vectors is the program for engines that tell of all strings of a command line, if it is another
	// one (frontend.Program.Vectors): it has all runs of the program.
	Vectors  *ir.Module
	Question Question
	// Targets are the violations that are asked about; Disputed are those of which it is
	// disputed whether they count: a proof excludes them, too. Of Safety.
	Targets, Disputed []ir.CheckKind
	// Label is the C label that ir.ErrorLabel means.
	Label string
	// Semantics is what integer arithmetic means. Of Termination.
	Semantics Semantics
	// Fair asks of Termination whether every run executes ir.Accept finitely often only: fair
	// termination. False is then a run that executes it infinitely often.
	Fair bool
	// Formula is that of Temporal.
	Formula Formula
	// Assumed is what the program assumes of its first state, Start the label behind that; empty is nothing.
	Assumed, Start string
	Options        Options
	// Progress, if set, is told what goes on, by one goroutine at a time.
	Progress func(Progress)
	// Decided, if set, is told when something was decided, or an engine came to an end, by any
	// goroutine: what is known, made when it is asked for.
	Decided func(known func(stopped verdict.Reason) Known)
}

// Options say which engines run, and how.
type Options struct {
	// Only is the name of the engine that runs; empty is all.
	Only string
	// Unwind limits the unwindings of each loop; 0 is no limit.
	Unwind int
	// Solver is "cadical", "z3" or "both".
	Solver string
	// SmallBlocks makes the steps of transition systems blocks.
	SmallBlocks bool
	// Uncertified leaves out the check of a true.
	Uncertified bool
	// Strict has it checked as accept.Strict says.
	Strict bool
	// Scripted asks for a proof whose check is a script for SMT solvers: WriteScript.
	Scripted bool
	// Shorten makes the input of a violation short.
	Shorten bool
	// EachCheck decides every check on its own.
	EachCheck bool
	// Parts has what abstract interpretation excludes proved, if it is not everything: Answer.Excluded.
	Parts bool
	// Domains are the template domains of induction, by their names; none is all. Rows
	// are sums whose bounds are searched. Havoc is no invariants.
	Domains, Rows []string
	Havoc         bool
	// KInduction lets a choice of domains go with k > 1 and with the other engines.
	KInduction bool
	// Heap and ValuesRefine prove with abstractions that say more from step to step.
	Heap, ValuesRefine bool
	// ShowInvariants asks for what was found to hold at the loops.
	ShowInvariants bool
	// Precondition asks for conditions on the inputs under which every run ends.
	Precondition bool
	// beside says that bounded search is at work on the same question elsewhere.
	beside bool
	// proving says that the question is one about a part, and engines that search for violations work on the whole.
	proving bool
}

// chosen says that the user chose the domains.
func (o *Options) chosen() bool { return o.Havoc || len(o.Domains) > 0 || len(o.Rows) > 0 }

// Progress tells how far a run has come.
type Progress struct {
	Phase     string
	Depth     int // complete unwindings without a violation
	Nodes     int64
	Variables int64
	Clauses   int64
	Elapsed   time.Duration
}

// Answer is what all engines together came to.
type Answer struct {
	Verdict verdict.Verdict
	// Module is the program that the verdict is about: that of the task, perhaps with
	// overflow excluded, or with its globals made explicit.
	Module *ir.Module
	// Checks are the answers for each check, with Options.EachCheck.
	Checks []bmc.CheckResult
	// Excluded are kinds of which every check of the program is proved, with Options.Parts.
	Excluded []ir.CheckKind
	// Found are predicates of loops, with Options.ShowInvariants.
	Found []invariant.Head
	// Told is what engines told each other of loops.
	Told []Told
	// TerminatesWhen are conditions under which every run ends, with
	// Options.Precondition.
	TerminatesWhen []Precondition
	// Truths are those of a refuted formula, nil if its run is not known step by step.
	Truths *Truths
	Stats  Stats
}

// Reply is what one engine came to.
type Reply struct {
	// Verdict is True, False, Unknown with the reasons, or nil.
	Verdict verdict.Verdict
	// Hopeless says of an Unknown that what stopped the engine stops the others, too.
	Hopeless bool
	// Partial says that the verdict is about some checks, and ends no engine.
	Partial bool
	Stats   Stats
	// Checks are the answers for single checks, Rest is that for those not listed.
	Checks []bmc.CheckResult
	Rest   verdict.Verdict
	Found  []invariant.Head
	// About is the program that the verdict is about, if it is another one than that which the engine got.
	About *ir.Module
}

// unknown is a reply without answer.
func unknown(reasons ...verdict.Reason) Reply {
	return Reply{Verdict: verdict.Unknown{Reasons: reasons}}
}

// side is what a reply says.
func (a Reply) side() schedule.Side {
	if a.Partial {
		return schedule.Open
	}
	switch a.Verdict.(type) {
	case verdict.True:
		return schedule.Holds
	case verdict.False:
		return schedule.Fails
	case verdict.Unknown:
		if a.Hopeless {
			return schedule.Stuck
		}
	}
	return schedule.Open
}

// String says why there is no answer, for the log.
func (a Reply) String() string {
	var out []string
	if u, ok := a.Verdict.(verdict.Unknown); ok {
		for _, r := range u.Reasons {
			out = append(out, r.Text)
		}
	}
	return strings.Join(out, "; ")
}

// run is one run of the engines.
type run struct {
	Task
	board *board
	known checkTable
	// said is what the engines have said of the question that was asked last.
	said struct {
		mu   sync.Mutex
		list []heard
		// end is closed, and made anew, when an engine comes to an end; nil if nobody waits for that.
		end chan struct{}
		// loops have no ranking functions so far.
		loops []*cut.Loop
	}
	// alone says that the engine was asked for by its name, and no other one runs.
	alone bool
}

func newRun(t Task) *run { return &run{Task: t, board: newBoard()} }

// with is a run of the same task with other options, which knows nothing of this one.
func (r *run) with(change func(*Task)) *run {
	t := r.Task
	change(&t)
	return newRun(t)
}

// Decide answers the question. It panics with a *schedule.Failure if an engine panics or
// two engines contradict each other.
func Decide(ctx context.Context, t Task) Answer {
	if t.Options.Strict {
		ctx = accept.Strict(ctx)
	}
	t.Options.Precondition = t.Options.Precondition && !t.Fair
	ctx = memo.With(ctx)
	return t.started(ctx, newRun(t).decide(ctx))
}

// decide answers the question of the task.
func (r *run) decide(ctx context.Context) Answer {
	t := &r.Task
	switch t.Question {
	case Termination:
		return r.termination(ctx)
	case Temporal:
		return r.temporal(ctx)
	}
	r.tell(t.Module)
	answer, result := r.play(ctx, t.Module)
	if t.Options.Shorten {
		r.shorten(ctx, &answer)
	}
	answer.Told = told(r.board.about(t.Module))
	if t.Options.Parts {
		answer.Excluded = r.excludedKinds(t.Module)
		if v, ok := answer.Verdict.(verdict.False); ok && slices.Contains(answer.Excluded, v.Violation.Kind) {
			panic(&schedule.Failure{Engine: answer.Stats.Decider + " and abstract", Value: "they contradict each other: one proves a check that the other refutes"})
		}
	}
	if t.Options.EachCheck {
		var search *Reply
		if o := result.Of("bmc"); o != nil {
			search = &o.Answer
		}
		r.joinChecks(t.Module, &answer, search)
		if t.Options.Shorten {
			r.shortenEach(ctx, &answer)
		}
	}
	return answer
}

// fairUnwinding is when unwinding begins for fair termination: hardly a product with an automaton ends.
const fairUnwinding = 300 * time.Millisecond

// scriptedGraph is when symbolic execution begins if a proof is asked for that can be a script, for its proofs cannot.
const scriptedGraph = 3 * time.Second

// play runs the engines that the task chooses on a module and joins their replies.
func (r *run) play(ctx context.Context, m *ir.Module) (Answer, schedule.Result[Reply]) {
	engines, alone := Choose(&r.Task)
	r.alone = alone
	if r.Fair {
		m = reducible.Make(m).Module
	}
	ctx = pause.With(ctx)
	r.said.mu.Lock()
	r.said.list, r.said.loops = nil, nil
	r.said.mu.Unlock()
	safety := r.Question == Safety && !r.Options.EachCheck
	unwound := safety && withoutLoops(m)
	beside := safety && !unwound && !alone && r.besidePaths(m, engines)
	var table []schedule.Engine[Reply]
	for _, e := range engines {
		line := schedule.Engine[Reply]{Name: e.Name, Start: e.Start, Limit: e.Limit, Share: e.Share, Burst: e.Burst, Behind: e.Behind, Stays: e.Finds && r.Options.ShowInvariants}
		if r.Fair && e.Name == "bmc" {
			line.Start = fairUnwinding
		}
		if r.Options.Scripted && e.Name == "symex" {
			line.Start = scriptedGraph
		}
		switch {
		case unwound && e.Searches:
			line.Share, line.Behind = besideUnwinding, "bmc"
		case beside:
			line.Share, line.Burst, line.Behind = e.Uncut, max(e.Burst, besideBurst), "paths"
			line.Start = max(line.Start, e.UncutStart)
		}
		if alone || r.Options.EachCheck && e.Name == "bmc" { // it refutes most of what is refuted check by check
			line.Share = 0
		}
		if alone {
			line.Start, line.Limit = 0, 0
		}
		line.Run = func(ctx context.Context) Reply {
			pause.Wait(ctx) // a certificate that is checked has made this engine's start a waste
			ended := r.began(m, &e)
			a := e.Run(r, ctx, m)
			e.complies(a)
			ended(a)
			return a
		}
		table = append(table, line)
	}
	result := schedule.Run(ctx, table, Reply.side)
	return r.join(m, engines, &result), result
}

// complies panics if an engine answers what the table says it cannot.
func (e *Engine) complies(a Reply) {
	_, isTrue := a.Verdict.(verdict.True)
	_, isFalse := a.Verdict.(verdict.False)
	if isTrue && e.Gives&True == 0 || isFalse && e.Gives&False == 0 {
		panic(fmt.Sprintf("%s answers %T, which the table says it cannot", e.Name, a.Verdict))
	}
}

// join puts the replies together: the first that decides, or else why there is no answer.
func (r *run) join(m *ir.Module, engines []Engine, result *schedule.Result[Reply]) Answer {
	out := Answer{Module: m}
	var list []heard
	for i, o := range result.Outcomes {
		a := &o.Answer
		out.Stats.add(&a.Stats)
		out.Found = append(out.Found, a.Found...)
		if u, ok := a.Verdict.(verdict.Unknown); ok && !o.Cut {
			list = append(list, heard{engine: &engines[i], reasons: u.Reasons})
		}
	}
	if result.First != nil {
		out.Verdict, out.Stats.Decider = result.First.Answer.Verdict, result.First.Name
		out.Module = cmp.Or(result.First.Answer.About, m)
	} else {
		out.Verdict = verdict.Unknown{Reasons: r.obstacles(m, list, nil)}
	}
	return out
}

// report tells what goes on.
func (r *run) report(p Progress) {
	if r.Progress != nil {
		r.Progress(p)
	}
}
