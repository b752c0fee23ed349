package assay

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"assay/internal/conductor"
	"assay/internal/evidence/verdict"
	"assay/internal/program/frontend"
	"assay/internal/program/ir"
	"assay/internal/run/schedule"
	"assay/internal/run/work"
	"assay/internal/user/contracts"
	"assay/internal/user/formula"
	"assay/internal/user/inspect"
	"assay/internal/user/native"
	"assay/internal/user/property"
	"assay/internal/user/show"
)

// patience is how long a run may go on after its context has ended, before it
// is given up: a library may be in the middle of something that cannot be
// interrupted.
const patience = time.Second

// errTimeout is the cause of a context that ended by Task.Timeout.
var errTimeout = errors.New("time limit reached")

// Check answers the question of a task. The error is an *InputError, an
// *EnvironmentError or an *InternalError; whatever else prevents an
// answer is part of the result.
//
// When the context or the time limit ends, the result is Unknown and says what
// is known. In the rare case that a library does not obey, Check returns all
// the same and its work goes on in the background.
func Check(ctx context.Context, t Task) (*Result, error) {
	if err := t.validate(); err != nil {
		return nil, err
	}
	start := time.Now()
	ctx, cancel := t.limited(ctx)
	defer cancel()
	if r := undecidable(&t); r != nil {
		return r, nil
	}
	if t.Log != nil {
		lines := json.NewEncoder(t.Log)
		ctx = schedule.Log(ctx, func(e schedule.Event) { _ = lines.Encode(e) }) // a log that fails is no reason to end
	}
	t.Interim = cmp.Or(t.Interim, &Interim{})
	r := &run{task: t, start: start}
	t.Interim.run.Store(r)
	type outcome struct {
		result *Result
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() { done <- o }()
		defer boundary(&r.phase, t.Files, &o.err)
		o.result, o.err = r.run(ctx)
	}()
	var o outcome
	select {
	case o = <-done:
	case <-ctx.Done():
		select {
		case o = <-done:
		case <-time.After(patience):
			o.result = r.interim(ended(ctx))
		}
	}
	if internal := (*InternalError)(nil); o.err != nil && ctx.Err() != nil && !errors.As(o.err, &internal) {
		o.result, o.err = r.interim(ended(ctx)), nil
	}
	if o.err != nil {
		return nil, o.err
	}
	o.result.Properties, o.result.Files = r.task.Properties, t.Files
	if o.result.Stats.Total = time.Since(start); t.Engine.Deterministic {
		o.result.Stats.Total, o.result.Stats.Phases = 0, []Phase{}
	}
	return o.result, nil
}

// limited is a context that ends by Timeout, in time or in work.
func (t *Task) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if t.Engine.Deterministic {
		ctx = work.With(ctx)
	}
	if t.Timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return work.WithTimeoutCause(ctx, t.Timeout, errTimeout)
}

// ended is the reason of a run whose context has ended.
func ended(ctx context.Context) Reason {
	if errors.Is(context.Cause(ctx), errTimeout) || errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return Reason{Cause: verdict.CauseTimeout.String(), Text: "the time limit was reached", Hint: "allow more with --timeout"}
	}
	return Reason{Cause: verdict.CauseInterrupt.String(), Text: "the run was interrupted"}
}

// undecidable is the answer to a property that no engine decides, nil if all
// are decided.
func undecidable(t *Task) *Result {
	var reasons []Reason
	for _, name := range property.Undecidable(t.Properties, t.Unsupported) {
		reasons = append(reasons, Reason{
			Cause: verdict.CauseUnsupported.String(), Text: fmt.Sprintf("the property %s is not supported yet by this command", name),
			Hint: "see `assay check --help` for the properties that are",
		})
	}
	if len(reasons) == 0 {
		return nil
	}
	return &Result{Answer: Unknown, Properties: t.Properties, Files: t.Files, Reasons: reasons}
}

// run is one run of Check.
type run struct {
	task  Task
	start time.Time
	phase string
	known atomic.Int64 // the depth of the search, readable from outside of it
	// decided is what is known so far.
	decided atomic.Pointer[func(verdict.Reason) conductor.Known]
}

// depth is how deep the search has come without a violation.
func (r *run) depth() int { return int(r.known.Load()) }

// run loads the program, searches, and explains the verdict.
func (r *run) run(ctx context.Context) (*Result, error) {
	t := &r.task
	r.enter("reading the program")
	begin := time.Now()
	var program *frontend.Program
	var asked conductor.Formula
	var err error
	if o := r.frontendOptions(); t.question() == conductor.Temporal {
		asked, program, err = formula.Load(ctx, t.LTL, o)
	} else {
		program, err = frontend.Load(ctx, o)
	}
	if err != nil {
		return nil, loadError(err)
	}
	loaded := Phase{Name: "front end", Time: time.Since(begin)}
	m := program.Module
	var warnings []string
	if t.Program.UseContracts && t.question() == conductor.Safety && !slices.Contains(kinds(t.Properties), ir.Assertion) {
		t.Properties = append(slices.Clone(t.Properties), UnreachCall) // what contracts require is asserted
	}
	if t.question() == conductor.Safety {
		places := func(kinds []ir.CheckKind) int { return len(conductor.Asked(m, kinds, frontend.LabelName(t.Label))) }
		_, partly := program.Unchecked(property.Kinds(property.All)) // then all cannot be asked
		t.Properties, warnings = property.Reconsidered(t.Properties, t.byDefault && !partly, m, cmp.Or(t.Program.Function, "main"), places)
		program.Request(kinds(t.Properties))
		m = program.Module
	}
	subject := r.subject(m)
	if err := r.dump(ctx, subject, inspect.IR, inspect.SSA, inspect.Graph, inspect.System); err != nil {
		return nil, err
	}
	r.enter("searching")
	begin = time.Now()
	question := r.question(m, asked)
	question.Exact, question.Vectors, question.Options.Shorten = program.Exact, program.Vectors, !native.Binary(t.Files) // there it matters what was never written
	parts, err := contracts.Decide(ctx, r.frontendOptions(), program, question)
	if err != nil {
		return nil, loadError(err)
	}
	answer, whole := parts.Decisive.Answer, program
	program = parts.Decisive.Program
	m = program.Module
	for _, x := range answer.Told {
		subject.Told = append(subject.Told, inspect.Told(x))
	}
	if err := r.dump(ctx, subject, inspect.Facts); err != nil {
		return nil, err
	}
	if n, ok := program.Unchecked(kinds(t.Properties)); ok {
		answer.Excluded = nil
		_, isTrue := answer.Verdict.(verdict.True)
		if _, isFalse := answer.Verdict.(verdict.False); isTrue || isFalse && n.Kind == frontend.NoteFlattened {
			answer.Verdict = verdict.Unknown{Reasons: []verdict.Reason{{
				Cause: verdict.CauseUnsupported, Func: n.Name, Pos: n.Pos, Text: n.Name + " " + n.Text,
				Hint: n.Hint(),
			}}}
		}
	}
	result := explain(answer.Module, answer.Verdict)
	result.Excluded = property.Within(t.Properties, answer.Excluded)
	if t.question() == conductor.Temporal {
		result.Formula = asked.LTL.String()
		if result.Answer == False {
			result.Violated = LTL
			result.Subformulas = result.run.Observe(answer.Truths)
		}
	}
	for i := range answer.Found {
		result.Invariants = append(result.Invariants, show.NamedInvariant(m, &answer.Found[i]))
	}
	for i := range answer.TerminatesWhen {
		p := &answer.TerminatesWhen[i]
		result.TerminatesWhen = append(result.TerminatesWhen, show.PreconditionOf(p.Module, p.Condition, p.Inputs, p.Certificate))
	}
	result.Unclean, result.Contracts = append(result.Unclean, parts.Unclean()...), parts.Proved()
	result.KeepsNot = parts.Decisive.Function
	if result.run != nil {
		result.run.Locate(ctx, result.Violation)
	}
	if err := r.confirm(ctx, result, program); err != nil {
		return nil, err
	}
	result.Warnings = append(warnings, parts.Warnings()...)
	if err := r.witnesses(ctx, result, &question, &answer, program); err != nil {
		return nil, err
	}
	result.Assumptions = r.assumptions(whole)
	result.Stats = answer.Stats
	for _, p := range parts.Parts {
		if p.Program == nil {
			continue
		}
		if t.Engine.EachCheck {
			result.Checks = append(result.Checks, eachCheck(p.Program.Module, p.Answer.Checks)...)
		}
		result.Sites = append(result.Sites, sites(p.Program.Module, conductor.Asked(p.Program.Module, kinds(t.Properties), frontend.LabelName(t.Label)), result)...)
	}
	result.Stats.Checks = len(result.Sites)
	result.Stats.Phases = append([]Phase{loaded, {Name: "search", Time: time.Since(begin)}}, result.Stats.Phases...)
	return result, nil
}

// subject is the program as inspect writes it.
func (r *run) subject(m *ir.Module) *inspect.Subject {
	t := &r.task
	return &inspect.Subject{
		Module: m, Targets: kinds(t.Properties), Disputed: property.Disputed(t.Properties), Label: frontend.LabelName(t.Label),
		Endless: t.question() == conductor.Termination, Unwind: t.Engine.Unwind, Small: t.Engine.SmallBlocks, Files: t.Files,
	}
}

// dump writes those of the views that the task asks for.
func (r *run) dump(ctx context.Context, s *inspect.Subject, views ...inspect.View) error {
	for _, v := range views {
		w := r.task.Dump[v]
		if w == nil {
			continue
		}
		r.enter("writing " + string(v))
		if err := inspect.Write(ctx, w, v, s); err != nil && ctx.Err() == nil {
			return &EnvironmentError{Doing: "writing " + string(v), Err: err}
		}
	}
	return nil
}

// question is the task for the conductor.
func (r *run) question(m *ir.Module, f conductor.Formula) conductor.Task {
	t, e := &r.task, &r.task.Engine
	q := conductor.Task{
		Module: m, Question: t.question(), Targets: kinds(t.Properties), Disputed: property.Disputed(t.Properties), Label: frontend.LabelName(t.Label),
		Semantics: t.Program.Semantics, Formula: f, Assumed: t.Program.Assumed, Start: frontend.AssumedLabel,
		Options: e.options(),
		Decided: func(known func(verdict.Reason) conductor.Known) {
			r.decided.Store(&known)
			if r.task.Interim != nil {
				r.task.Interim.changes.Add(1)
			}
		},
		Progress: func(p Progress) {
			r.known.Store(max(r.known.Load(), int64(p.Depth)))
			r.report(p)
		},
	}
	q.Options.Scripted = slices.ContainsFunc(t.Witnesses, func(o *WitnessOutput) bool { return o.Format == Script })
	return q
}

// enter notes a new phase of the run.
func (r *run) enter(phase string) {
	r.phase = phase
	r.report(Progress{Phase: phase})
}

func (r *run) report(p Progress) {
	if r.task.Progress != nil {
		p.Elapsed = time.Since(r.start)
		r.task.Progress(p)
	}
}
