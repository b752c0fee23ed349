package scan

import (
	"context"
	"slices"
	"time"

	"assay"
	"assay/internal/program/frontend"
	"assay/internal/program/harness"
	"assay/internal/run/work"
	"assay/internal/tools/report"
	"assay/internal/user/show"
)

// This file asks the questions about one function. All properties are asked together; after a violation, the others
// again. Each violation is asked about once more in an easy harness, in which sizes that were guessed are large and
// integers are small: what is found there as well needs no unusual argument; what is proved there needs a
// precondition, and further questions tell which.

// request is what a worker is asked.
type request struct {
	Units []unitRef
	// Made says how the structures that the function gets are made, with MadeUnits instead of Units.
	Made       []harness.Making
	MadeUnits  []unitRef
	Function   string
	Properties []assay.Property
	// Internal says that only the project itself calls the function.
	Internal bool
	// Allocates says that the function allocates.
	Allocates bool
	// Summary asks for no judgement of violations.
	Summary bool
	// Timeout bounds the processor time of each question; all of them take three times as long at most.
	Timeout time.Duration
	// Until is when the scan ends, zero if that is open.
	Until   time.Time
	Program assay.Program // what is the same for all functions
}

// unitRef is a unit in the cache, and what is needed of it.
type unitRef struct {
	Path  string
	Names []string
}

// answer is what it says.
type answer struct {
	Answer assay.Answer
	Proved []assay.Property
	// By is the engine that proved each of these.
	By          map[assay.Property]string
	Open        []assay.Property
	Reasons     []assay.Reason
	Assumptions []string
	Findings    []Finding
	Seconds     float64
	// TimedOut says that more time may give more. Unsettled says that there are findings of which it would tell what they are
	// worth.
	TimedOut, Unsettled bool
	// Limit is the processor time that each question had.
	Limit time.Duration
	// Failed is an internal error.
	Failed string
	// Recycle says that the worker should not be asked again.
	Recycle bool
}

// examination is the work on one request.
type examination struct {
	ctx context.Context
	// internal is that of the request.
	internal bool
	// allocates and summary are those of the request.
	allocates, summary bool

	made     []harness.Making
	madeLink []frontend.Linked
	// unreached says that the objects that the project makes were not seen to lead to a violation of the property that is looked at, beside
	// those that are found; empty if that was not asked.
	unreached string
	task      assay.Task
	out       *answer
	// limit bounds the processor time of a question; all end when the clock of the process shows end.
	limit, end time.Duration
}

// examine answers a request.
func examine(ctx context.Context, r *request, link, madeLink []frontend.Linked) *answer {
	begin := work.Process()
	x := &examination{ctx: ctx, internal: r.Internal, allocates: r.Allocates, summary: r.Summary, made: r.Made, madeLink: madeLink, out: &answer{By: map[assay.Property]string{}}, limit: r.Timeout, end: begin + 3*r.Timeout}
	x.task = assay.Task{Properties: r.Properties, Program: r.Program}
	p := &x.task.Program
	p.Function, p.Link, p.Harness.Infer = r.Function, link, true
	x.ask()
	for i := range x.out.Findings {
		f := &x.out.Findings[i]
		if p := &f.Place.Pos; p.File != "" {
			p.File = absolute(p.File)
		}
		for k := range f.Trace {
			for j := range f.Trace[k].History {
				if p := &f.Trace[k].History[j].Pos; p.File != "" {
					p.File = absolute(p.File)
				}
			}
			if p := &f.Trace[k].Pos; p.File != "" {
				p.File = absolute(p.File)
			}
		}
	}
	for i := range x.out.Reasons {
		if p := &x.out.Reasons[i].Pos; p.File != "" {
			p.File = absolute(p.File)
		}
	}
	x.out.Seconds = (work.Process() - begin).Seconds()
	return x.out
}

// check asks one question in the time that is left.
func (x *examination) check(v assay.Harness, properties ...assay.Property) (*assay.Result, error) {
	return x.checkLinked(x.task.Program.Link, v, properties...)
}

// checkLinked is check with other parts of the project.
func (x *examination) checkLinked(link []frontend.Linked, v assay.Harness, properties ...assay.Property) (*assay.Result, error) {
	t := x.task
	t.Program.Link = link
	t.Files = nil
	for _, l := range link {
		t.Files = append(t.Files, l.Unit.File)
	}
	if v.Generous { // what ordinary arguments lead to
		v.Wordwise = x.wordwiseFunctions()
	}
	t.Properties, t.Program.Harness = properties, v
	t.Engine.Parts = len(properties) > 1
	limit := min(x.limit, x.end-work.Process())
	if limit < 50*time.Millisecond {
		x.out.TimedOut = true
		return &assay.Result{Answer: assay.Unknown, Reasons: []assay.Reason{{Cause: "timeout", Text: "the time for the function is up"}}}, nil
	}
	ctx, cancel := work.WithProcessTime(x.ctx, limit)
	defer cancel()
	r, err := assay.Check(ctx, t)
	if err == nil && timedOut(r) && len(x.out.Findings) > 0 {
		x.out.Unsettled = true
	}
	return r, err
}

func timedOut(r *assay.Result) bool {
	return slices.ContainsFunc(r.Reasons, func(r assay.Reason) bool { return r.Cause == "timeout" })
}

// ask finds the violations.
func (x *examination) ask() {
	out := x.out
	left := slices.Clone(x.task.Properties)
	if x.task.Program.Function == "main" && !x.summary {
		var late bool
		if left, late = x.try(left); late && x.limit < longLimit { // any arguments would take longer
			left, out.Open = nil, left
			out.TimedOut = true
		}
	}
	for first := true; len(left) > 0; first = false {
		r, err := x.check(assay.Harness{Infer: true}, left...)
		if err != nil {
			out.Failed = err.Error()
			out.Open = append(out.Open, left...)
			break
		}
		if first || r.Answer != assay.False {
			out.Reasons = r.Reasons
		}
		if first {
			for _, a := range r.Assumptions {
				out.Assumptions = append(out.Assumptions, assumption(a))
			}
		}
		out.TimedOut = out.TimedOut || timedOut(r)
		for _, p := range r.Excluded {
			x.proved(p, engineAbstract)
		}
		left = slices.DeleteFunc(left, func(p assay.Property) bool { return slices.Contains(r.Excluded, p) })
		if r.Answer != assay.False {
			if r.Answer == assay.True {
				for _, p := range left {
					x.proved(p, r.Stats.Decider)
				}
			} else {
				out.Open = append(out.Open, left...)
				if !x.summary && timedOut(r) {
					x.constructOpen(left)
				}
			}
			break
		}
		f := x.finding(r)
		f.start = startOf(r)
		f.Explicit = f.start.explicit(f.Place.Pointee.Name)
		if x.summary {
			f.Confidence, f.Because = Low, "it was not asked what it is worth"
		}
		out.Findings = append(out.Findings, f)
		if !slices.Contains(left, r.Violated) {
			break // one that stands for several
		}
		if !x.summary { // at once: what it is worth is of more use than what else is proved
			x.construct(r.Violated)
			x.judgeAll(r.Violated)
			x.hunt(r.Violated)
		}
		left = slices.DeleteFunc(left, func(p assay.Property) bool { return p == r.Violated })
	}
	if !x.summary {
		x.unreached = ""
		x.judgeAll("") // one that stands for several
		if x.allocates {
			x.failing()
		}
	}
	switch {
	case len(out.Findings) > 0:
		out.Answer = assay.False
	case len(out.Open) == 0:
		out.Answer = assay.True
	default:
		out.Answer = assay.Unknown
	}
	out.TimedOut = out.TimedOut || out.Unsettled
	out.Recycle = out.Failed != ""
}

// longLimit is the limit under which any arguments are asked for although the time was up for short ones.
const longLimit = 3 * time.Second

// try looks for what few and short arguments of a program lead to: many violations need no more, and are found soon. It returns the properties that
// were not seen to be violated, and whether the time was up.
func (x *examination) try(properties []assay.Property) (left []assay.Property, late bool) {
	v := assay.Harness{Infer: true, Short: true}
	left = properties
	for n := huntLimit; n > 0; n-- {
		r, err := x.check(v, properties...)
		if err != nil || r.Answer != assay.False {
			if err == nil {
				x.out.Reasons = r.Reasons
			}
			return left, err == nil && timedOut(r)
		}
		if r.Violation.Pos.IsZero() || slices.Contains(v.Spared, site(r.Violation.Pos)) {
			return left, false
		}
		v.Spared = append(slices.Clone(v.Spared), site(r.Violation.Pos))
		f := x.finding(r)
		f.start = startOf(r)
		x.out.Findings = append(x.out.Findings, f)
		x.judgeAll(f.Property)
		left = slices.DeleteFunc(slices.Clone(left), func(p assay.Property) bool { return p == r.Violated })
	}
	return left, false
}

// judgeAll judges the violations of a property, or of all, that are not judged yet.
func (x *examination) judgeAll(p assay.Property) {
	for k := range x.out.Findings {
		if f := x.out.Findings[k]; f.Confidence == "" && (p == "" || f.Property == p) {
			x.judge(&f, f.start) // may find others
			x.out.Findings[k] = f
		}
	}
}

// engineAbstract is the engine that proves parts of a question.
const engineAbstract = "abstract"

// proved notes that a property is proved, and by whom.
func (x *examination) proved(p assay.Property, engine string) {
	x.out.Proved = append(x.out.Proved, p)
	x.out.By[p] = engine
}

func assumption(a assay.Assumption) string {
	if a.Pos.IsZero() {
		return a.Text
	}
	return a.Pos.String() + ": " + a.Text
}

// traceLength is how many steps of a trace are kept.
const traceLength = 120

// finding is the run of a false.
func (x *examination) finding(r *assay.Result) Finding {
	f := Finding{
		Property: r.Violated, Place: *r.Violation, Entry: x.task.Program.Function, File: x.task.Program.Link[0].Unit.File, Replayed: r.Replayed,
	}
	for _, a := range r.Assumptions {
		f.Harness = append(f.Harness, assumption(a))
	}
	short := report.NewShortener(false, traceLength, func(s assay.Step) { f.Trace = append(f.Trace, s) }, func(n int, _ bool) { f.Cut += n })
	var last assay.Step
	err := r.Trace(x.ctx, func(s assay.Step) error { // a trace that ends early is shown as far as it goes
		short.Add(s)
		last = s
		if s.Depth == 0 && s.Func != "" {
			f.inside = s.Func == f.Entry
		}
		return nil
	})
	short.Close()
	f.followed = err == nil && !last.Pos.IsZero()
	if f.Place.Pointee.Open {
		f.followed = false
		x.out.Unsettled = true
	}
	if f.followed && f.Place.Pointee.Kind == "" { // the time was up before the violation was looked at
		f.Place.Pos, f.Place.Func, f.Place.Text, f.Place.Pointee = last.Pos, last.Func, last.Text, last.Pointee
		f.followed = last.Pointee.Kind != show.PointeeNull // for how long it was null is not known
	}
	return f
}

// definition is that of the function.
func (x *examination) definition() *frontend.Definition {
	list := x.task.Program.Link[0].Unit.Definitions
	for i := range list {
		if list[i].Name == x.task.Program.Function {
			return &list[i]
		}
	}
	return nil
}
