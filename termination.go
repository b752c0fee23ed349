package assay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"assay/internal/bitranking"
	"assay/internal/bmc"
	"assay/internal/certify"
	"assay/internal/frontend"
	"assay/internal/induction"
	"assay/internal/integerize"
	"assay/internal/ir"
	"assay/internal/pause"
	"assay/internal/recursion"
	"assay/internal/skeleton"
	"assay/internal/termination"
	"assay/internal/verdict"
)

// This file decides termination: does every run end? Two kinds of engines run
// side by side. Provers show that there is no infinite run: complete unwinding,
// where all loops and recursions are short, and ranking arguments elsewhere.
// Refuters show an infinite run. The first answer ends the others; a proof and a
// refutation together are a bug, and no answer.

// terminationEngine is a prover or a refuter. It answers True, False, or
// Unknown with the reasons, and ends soon after its context.
type terminationEngine struct {
	name string
	// wait is how long complete unwinding runs alone.
	wait time.Duration
	run  func(r *run, ctx context.Context, m *ir.Module) (verdict.Verdict, []Phase)
}

// terminationEngines are the engines that decide termination, apart from
// complete unwinding. A refuter's False holds an infinite run that was replayed.
var terminationEngines = []terminationEngine{
	{name: "lassos and recurrent sets", run: (*run).refute},
	{name: "integer transition system", wait: headStart, run: (*run).byIntegers},
	{name: "ranking functions", wait: rankingStart, run: (*run).rank},
	{name: "symbolic execution", wait: graphStart, run: (*run).proveByGraph},
	{name: "lassos in formulas", wait: 250 * time.Millisecond, run: (*run).refuteByFormula},
}

// rankingStart is when ranking functions on bit-vectors are sought: a graph that decides
// is done by then, if nothing takes its processor.
const rankingStart = 120 * time.Millisecond

// errDecided ends the engines that are still at work when one has an answer.
var errDecided = errors.New("another engine has an answer")

// terminationAnswer is what one engine came to.
type terminationAnswer struct {
	name    string
	verdict verdict.Verdict
	phases  []Phase
	stats   bmc.Stats // of the unwinding
	panic   any
}

// decideTermination runs the engines on a loaded program.
func (r *run) decideTermination(ctx context.Context, program *frontend.Program) *Result {
	m := ir.WithGlobals(program.Module)
	switch r.task.Program.Semantics {
	case SemanticsIntegers:
		return r.overIntegers(ctx, program)
	case SemanticsNoOverflow:
		m = assumeNoOverflow(m)
	}
	ctx = pause.With(ctx)
	search := ctx
	if r.task.Engine.Precondition {
		var release context.CancelFunc
		search, release = reserved(ctx)
		defer release()
	}
	work, stop := context.WithCancelCause(search)
	defer stop(nil)
	engines := slices.Concat([]terminationEngine{{name: "unwinding"}}, terminationEngines)
	if r.task.Engine.Unwind > 0 || r.task.Engine.Only == EngineBMC {
		engines = engines[:1]
	}
	if r.task.Engine.Only == EngineSymex {
		engines = nil
	}
	done := make(chan terminationAnswer)
	for i, e := range engines {
		go func() {
			a := terminationAnswer{name: e.name}
			defer func() {
				a.panic = recover()
				done <- a
			}()
			if i == 0 {
				a.verdict, a.stats = r.unwind(work, m)
				return
			}
			select {
			case <-work.Done():
			case <-time.After(e.wait):
				a.verdict, a.phases = e.run(r, work, m)
			}
		}()
	}
	var answers []terminationAnswer
	if engines == nil {
		a := terminationAnswer{name: "symbolic execution"}
		a.verdict, a.phases = r.proveByGraph(search, m)
		answers = append(answers, a)
	}
	for range engines {
		a := <-done
		answers = append(answers, a)
		switch a.verdict.(type) {
		case verdict.True, verdict.False:
			stop(errDecided)
		}
	}
	for _, a := range answers {
		if a.panic != nil {
			panic(a.panic)
		}
	}
	answer := oneAnswer(answers)
	if t, ok := answer.(verdict.True); ok {
		t.Unclean = slices.DeleteFunc(slices.Clone(t.Unclean), func(g verdict.Guard) bool { return !g.Kind.Undefined() })
		answer = t
		if r.task.Program.Semantics == SemanticsC {
			if why := r.hangsOnWrap(ctx, m, t); why != "" {
				answer = verdict.Unknown{Reasons: []verdict.Reason{{
					Cause: verdict.CauseOverflow, Text: why, Hint: "--semantics wrap says how machine integers behave",
				}}}
			}
		}
	}
	result := explain(m, answer)
	for _, a := range answers {
		if a.name == "unwinding" {
			result.Stats = statistics(a.stats)
		}
	}
	for _, a := range answers {
		result.Stats.Phases = append(result.Stats.Phases, a.phases...)
	}
	if _, ends := answer.(verdict.True); !ends && r.task.Engine.Precondition {
		begin := time.Now()
		result.TerminatesWhen = r.preconditions(ctx, m, answer)
		result.Stats.Phases = append(result.Stats.Phases, Phase{"precondition", time.Since(begin)})
	}
	result.Assumptions = r.assumptions(program)
	if r.task.Program.Semantics == SemanticsNoOverflow {
		result.Assumptions = append(result.Assumptions, Assumption{Text: "a run ends where signed arithmetic overflows (--semantics no-overflow)"})
	}
	return result
}

// withoutWrap is how long the program is looked at over the integers; longer if it is known
// that it ends there, but not checked.
const withoutWrap, again = 2 * time.Second, 10 * time.Second

// hangsOnWrap says why a proof of termination on machine integers may be none for C:
// signed arithmetic may overflow where it has a say in which way the program goes, and
// over the mathematical integers the program does not end, or is not known to. "" if the
// proof is one for C, too.
func (r *run) hangsOnWrap(ctx context.Context, m *ir.Module, t verdict.True) string {
	if !overflowMatters(m, t.Unclean) {
		return ""
	}
	limit := withoutWrap
	if r.ends.Load() {
		limit = again
	}
	soon, stop := context.WithTimeout(ctx, limit)
	defer stop()
	// A program whose recursion was made into loops has all runs of the first one, and
	// perhaps more.
	loops := recursion.ToLoops(m)
	p, err := translate(soon, loops, integerize.Integers)
	if s, _ := skeleton.Of(m); err != nil && s != nil {
		loops = recursion.ToLoops(s)
		p, err = translate(soon, loops, integerize.Integers)
	}
	if err == nil {
		a, err := termination.Decide(soon, p.System, termination.Options{})
		switch a.(type) {
		case termination.Terminates:
			return ""
		case termination.Diverges:
			if err == nil && loops == m {
				return "every run ends, but only because signed arithmetic wraps around: over the integers one does not"
			}
		}
	}
	// Perhaps it ends whatever an overflow yields.
	if whatever, ok := ir.WithArbitraryOverflow(m); ok {
		if v, _ := r.ranked(ctx, whatever, nil); decided(v) {
			return ""
		}
		if v, _ := r.proveByGraph(ctx, whatever); decided(v) {
			return ""
		}
		if s, _ := skeleton.Of(whatever); s != nil {
			if v, _ := r.ranked(ctx, s, nil); decided(v) {
				return ""
			}
		}
	}
	return "every run ends if signed arithmetic wraps around, but nothing is known of the integers without wrapping"
}

// oneAnswer joins the answers: the first that decides, unless another one
// contradicts it, else all reasons.
func oneAnswer(answers []terminationAnswer) verdict.Verdict {
	var first *terminationAnswer
	var all verdict.Unknown
	for i := range answers {
		a := &answers[i]
		switch v := a.verdict.(type) {
		case nil:
		case verdict.Unknown:
			all.Reasons = append(all.Reasons, v.Reasons...)
		default:
			if first == nil {
				first = a
				continue
			}
			_, t := v.(verdict.True)
			if _, u := first.verdict.(verdict.True); t != u {
				return verdict.Unknown{Reasons: []verdict.Reason{{
					Cause: verdict.CauseInternal, Text: fmt.Sprintf("%s and %s contradict each other", first.name, a.name),
				}}}
			}
		}
	}
	if first != nil {
		return first.verdict
	}
	all.Reasons = distinctReasons(all.Reasons)
	return all
}

// distinctReasons drops repetitions.
func distinctReasons(rs []verdict.Reason) []verdict.Reason {
	var out []verdict.Reason
	for _, r := range rs {
		if !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}

// unwind proves termination by complete unwinding: no run needs more iterations
// or activations than were unwound, so every run is finite. No event ends a run
// but those that end the program; undefined behaviour does not.
func (r *run) unwind(ctx context.Context, m *ir.Module) (verdict.Verdict, bmc.Stats) {
	b := bmc.Run(ctx, m, bmc.Options{
		Unwind: r.task.Engine.Unwind, Solver: r.task.Engine.Solver, Certify: !r.task.Engine.Uncertified,
		Progress: func(p bmc.Progress) {
			r.known.Store(int64(p.Depth))
			r.report(Progress{Phase: p.Phase, Depth: p.Depth, Nodes: p.Nodes, Variables: p.Variables, Clauses: p.Clauses})
		},
	})
	if t, ok := b.Verdict.(verdict.True); ok {
		if c, ok := t.Certificate.(*verdict.Unwinding); ok {
			t.Unclean = r.excluding(ctx, m, t.Unclean, func(ctx context.Context, o certify.Options) error {
				o.Engine = r.task.Engine.Solver
				_, err := certify.Unwinding(ctx, m, o, c.Bounds)
				return err
			})
			b.Verdict = t
		}
	}
	return b.Verdict, b.Stats
}

const (
	// hintTime is how long ranking functions are looked for over the mathematical integers,
	// hintWait how long those on the bit-vectors wait for that.
	hintTime = 5 * time.Second
	hintWait = 500 * time.Millisecond
)

// rank proves termination by ranking functions of the loops, of the program or of its
// skeleton, which has no memory.
func (r *run) rank(ctx context.Context, m *ir.Module) (verdict.Verdict, []Phase) {
	v, phases := r.rankLoops(ctx, m)
	if decided(v) || ctx.Err() != nil {
		return v, phases
	}
	s, accesses := skeleton.Of(m)
	if s == nil {
		return v, phases
	}
	w, more := r.rankLoops(ctx, s)
	phases = append(phases, more...)
	if t, ok := w.(verdict.True); ok {
		return withoutMemory(t, accesses), phases
	}
	return v, phases
}

// withoutMemory is a proof about the skeleton as one about the program: whether its
// accesses to memory are valid is not known.
func withoutMemory(t verdict.True, accesses []skeleton.Access) verdict.True {
	for _, a := range accesses {
		g := verdict.Guard{Kind: ir.InvalidDeref, Func: a.Func, Pos: a.Pos}
		if a.Free {
			g.Kind = ir.InvalidFree
		}
		t.Unclean = append(t.Unclean, g)
	}
	const which = ", for the program in which memory may hold anything"
	switch c := t.Certificate.(type) {
	case *verdict.Ranking:
		c.Checker += which
	case *verdict.SymbolicGraph:
		c.Checker += which
	}
	return t
}

// rankLoops finds ranking functions. Those that rank the program over the
// mathematical integers are found soonest, and often rank it on the bit-vectors, too.
func (r *run) rankLoops(ctx context.Context, m *ir.Module) (verdict.Verdict, []Phase) {
	begin := time.Now()
	soon, stop := context.WithTimeout(ctx, hintTime)
	defer stop()
	found := make(chan []bitranking.Hint, 1)
	var panicked any
	go func() {
		defer close(found)
		defer func() { panicked = recover() }()
		p, err := translate(soon, recursion.ToLoops(m), integerize.Integers)
		if err != nil {
			return
		}
		a, err := termination.Decide(soon, p.System, termination.Options{Uncertified: true})
		if t, ok := a.(termination.Terminates); ok && err == nil {
			r.ends.Store(true)
			found <- hintsOf(p, t)
		}
	}()
	var hints []bitranking.Hint
	waiting := true
	select {
	case hints = <-found:
		waiting = false
	case <-time.After(hintWait):
	}
	phases := []Phase{{"ranking over the integers", time.Since(begin)}}
	v, more := r.ranked(ctx, m, hints)
	phases = append(phases, more...)
	if waiting && !decided(v) && ctx.Err() == nil {
		if hints = <-found; len(hints) > 0 {
			v, more = r.ranked(ctx, m, hints)
			phases = append(phases, more...)
		}
	}
	stop()
	for range found { // nothing is left behind
	}
	if panicked != nil {
		panic(panicked)
	}
	return v, phases
}

// hintsOf are the ranking functions and invariants of an argument for the integer
// transition system.
func hintsOf(p *integerize.Program, t termination.Terminates) (hints []bitranking.Hint) {
	for _, l := range p.Argument(t.Argument) {
		hints = append(hints, bitranking.Hint{Func: l.Func.Name, Head: l.Head, Functions: l.Functions, Predicates: l.Predicates})
	}
	return hints
}

// ranked is rank with hints of another engine, which may be nil.
func (r *run) ranked(ctx context.Context, m *ir.Module, hints []bitranking.Hint) (verdict.Verdict, []Phase) {
	p := bitranking.Prove(ctx, m, hints)
	phases := []Phase{{"ranking", p.Stats.Time}}
	no := func(cause verdict.Cause, err error) (verdict.Verdict, []Phase) {
		reason := verdict.Reason{Cause: cause, Text: err.Error()}
		var unranked *bitranking.ErrUnranked
		var uncut *induction.ErrUncut
		var stuck *bitranking.ErrStuck
		switch {
		case ctx.Err() != nil:
			return nil, phases // the unwinding says so
		case errors.As(err, &unranked):
			reason.Func, reason.Pos = unranked.Func, unranked.Pos
		case errors.As(err, &uncut):
			reason.Func, reason.Pos = uncut.Func, uncut.Pos
		case errors.As(err, &stuck):
			reason.Func, reason.Pos = stuck.Func, stuck.Pos
		}
		return verdict.Unknown{Reasons: []verdict.Reason{reason}}, phases
	}
	if p.Proof == nil {
		return no(verdict.CauseUnranked, p.Why)
	}
	if r.task.Engine.Uncertified {
		return verdict.True{Certificate: verdict.Unchecked{Why: "certification is off"}, Unclean: p.Unclean}, phases
	}
	// Another engine may be checking its proof, most often the same one.
	pause.Wait(ctx)
	own, resume := pause.Others(ctx)
	defer resume()
	begin := time.Now()
	checker, err := certify.Ranking(own, m, certify.Options{Engine: certify.CaDiCaL}, p.Proof)
	phases = append(phases, Phase{"its certificate", time.Since(begin)})
	if err != nil {
		return no(verdict.CauseUncertified, fmt.Errorf("ranking functions were found, but not accepted: %w", err))
	}
	p.Proof.Checker = checker
	begin = time.Now()
	loops := recursion.ToLoops(m)
	unclean := r.excluding(own, loops, p.Unclean, func(ctx context.Context, o certify.Options) error {
		_, err := certify.Induction(ctx, loops, o, &verdict.Induction{K: p.Proof.K, Heads: p.Proof.Heads})
		return err
	})
	phases = append(phases, Phase{"which overflows it excludes", time.Since(begin)})
	return verdict.True{Certificate: p.Proof, Unclean: unclean}, phases
}
