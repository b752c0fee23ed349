package scan

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"assay"
	"assay/internal/program/frontend"
	"assay/internal/program/harness"
	"assay/internal/tools/report"
)

// This file asks the questions about one function. All properties are asked together; after a violation, the others
// again. Each violation is asked about once more in an easy harness, in which sizes that were guessed are large and
// integers are small: what is found there as well needs no unusual argument; what is proved there needs a
// precondition, and further questions tell which.

// request is what a worker is asked.
type request struct {
	Units      []unitRef
	Function   string
	Properties []assay.Property
	// Timeout bounds each question; all of them take three times as long at most.
	Timeout time.Duration
	Program assay.Program // what is the same for all functions
}

// unitRef is a unit in the cache, and what is needed of it.
type unitRef struct {
	Path  string
	Names []string
}

// answer is what it says.
type answer struct {
	Answer      assay.Answer
	Proved      []assay.Property
	Open        []assay.Property
	Reasons     []assay.Reason
	Assumptions []string
	Findings    []Finding
	Seconds     float64
	// TimedOut says that more time may give more.
	TimedOut bool
	// Failed is an internal error.
	Failed string
	// Recycle says that the worker should not be asked again.
	Recycle bool
}

// examination is the work on one request.
type examination struct {
	ctx  context.Context
	task assay.Task
	out  *answer
	end  time.Time
}

// examine answers a request.
func examine(ctx context.Context, r *request, link []frontend.Linked) *answer {
	begin := time.Now()
	x := &examination{ctx: ctx, out: &answer{}, end: begin.Add(3 * r.Timeout)}
	x.task = assay.Task{Properties: r.Properties, Program: r.Program, Timeout: r.Timeout}
	p := &x.task.Program
	p.Function, p.Link, p.Harness.Infer = r.Function, link, true
	for _, l := range link {
		x.task.Files = append(x.task.Files, l.Unit.File)
	}
	x.ask()
	for i := range x.out.Findings {
		f := &x.out.Findings[i]
		f.Place.Pos.File = absolute(f.Place.Pos.File)
		for k := range f.Trace {
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
	x.out.Seconds = time.Since(begin).Seconds()
	return x.out
}

// check asks one question in the time that is left.
func (x *examination) check(v assay.Harness, properties ...assay.Property) (*assay.Result, error) {
	t := x.task
	t.Properties, t.Program.Harness = properties, v
	t.Timeout = min(t.Timeout, time.Until(x.end))
	if t.Timeout < 50*time.Millisecond {
		return &assay.Result{Answer: assay.Unknown, Reasons: []assay.Reason{{Cause: "timeout", Text: "the time for the function is up"}}}, nil
	}
	return assay.Check(x.ctx, t)
}

func timedOut(r *assay.Result) bool {
	return slices.ContainsFunc(r.Reasons, func(r assay.Reason) bool { return r.Cause == "timeout" })
}

// ask finds the violations.
func (x *examination) ask() {
	out := x.out
	left := slices.Clone(x.task.Properties)
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
		if r.Answer != assay.False {
			for _, p := range left {
				if r.Answer == assay.True || provedAt(r, p) {
					out.Proved = append(out.Proved, p)
				} else {
					out.Open = append(out.Open, p)
				}
			}
			break
		}
		f := x.finding(r)
		x.judge(&f)
		out.Findings = append(out.Findings, f)
		if !slices.Contains(left, r.Violated) {
			break // one that stands for several
		}
		left = slices.DeleteFunc(left, func(p assay.Property) bool { return p == r.Violated })
	}
	switch {
	case len(out.Findings) > 0:
		out.Answer = assay.False
	case len(out.Open) == 0:
		out.Answer = assay.True
	default:
		out.Answer = assay.Unknown
	}
	out.Recycle = out.TimedOut || out.Failed != ""
}

// provedAt says that all places that a property asks about are proved.
func provedAt(r *assay.Result, p assay.Property) bool {
	for _, s := range r.Sites {
		if s.Property == p && s.Answer != assay.True {
			return false
		}
	}
	return len(r.Sites) > 0
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
	_ = r.Trace(x.ctx, func(s assay.Step) error { // a trace that ends early is shown as far as it goes
		short.Add(s)
		return nil
	})
	short.Close()
	return f
}

// easy is the harness that asks nothing unusual.
var easy = assay.Harness{Infer: true, Generous: true, Ordinary: []string{harness.AllIntegers}}

// judge says what a violation is worth, before callers are looked at.
func (x *examination) judge(f *Finding) {
	if f.Property == assay.ValidDeref && strings.Contains(f.Place.Text, "before the start of what ") {
		f.Confidence, f.Because = Low, "the access is before the start of what an argument points to"
		f.Needs = []string{"the pointer points into the middle of an object"}
		return
	}
	if d := x.definition(); d != nil && d.Variadic && f.Property == assay.ValidDeref {
		f.Confidence, f.Because = Low, "the function has arguments that nothing describes"
		f.Needs = []string{"the arguments that the format asks for"}
		return
	}
	if lowered(f) {
		return
	}
	remains := func(v assay.Harness) (bool, *assay.Result) {
		r, err := x.check(v, f.Property)
		if err != nil {
			return false, nil
		}
		return r.Answer == assay.False && r.Violation.Pos == f.Place.Pos, r
	}
	v := easy
	v.Few = f.Property == assay.NoOverflow || f.Property == assay.Shift // what numbers are in arrays matters
	if f.Property == assay.Shift {
		v.Limit = 16
	}
	same, r := remains(v)
	switch {
	case (r == nil || r.Answer == assay.Unknown) && dependsOnArguments(f.Place.Text):
		f.Confidence, f.Because = Low, "it is about what the arguments point to, and whether ordinary ones lead there is not known"
		f.Needs = []string{roomFor(f)}
		return
	case (r == nil || r.Answer == assay.Unknown) && (f.Property == assay.NoOverflow || f.Property == assay.Shift) && len(f.Harness) > 2:
		f.Confidence, f.Because = Low, "whether ordinary numbers lead there is not known"
		f.Needs = []string{"the integers in the arguments are small"}
		return
	case r == nil || r.Answer == assay.Unknown:
		f.Confidence, f.Because = Medium, "whether ordinary arguments lead there is not known"
		return
	case same:
		f.Confidence, f.Because = High, "arguments of ordinary size lead there"
		if g := x.finding(r); len(g.Trace) > 0 { // with numbers that people like better
			f.Trace, f.Cut, f.Place, f.Harness = g.Trace, g.Cut, g.Place, g.Harness
		}
		lowered(f)
		return
	case r.Answer == assay.False:
		f.Confidence, f.Because = Medium, "ordinary arguments lead to another violation of the property: "+r.Violation.Pos.String()
		return
	}
	f.Confidence, f.Because = Low, "only unusual arguments lead there"
	if same, r := remains(assay.Harness{Infer: true, Generous: true}); r != nil && !same {
		f.Because = "only small objects, null pointers or empty rests of buffers lead there"
		f.Needs = []string{roomFor(f)}
		return
	}
	var integers []string
	if d := x.definition(); d != nil {
		integers = d.Integers
	}
	for _, name := range integers {
		if same, r := remains(assay.Harness{Infer: true, Ordinary: []string{name}}); r != nil && !same && r.Answer != assay.Unknown {
			f.Because = "only large numbers lead there"
			f.Needs = []string{fmt.Sprintf("-%d <= %s <= %d, or another bound", harness.OrdinaryLimit, name, harness.OrdinaryLimit)}
			return
		}
	}
	f.Needs = []string{fmt.Sprintf("the integers in the arguments are at most %d, or another bound", harness.OrdinaryLimit)}
}

var argumentObject = regexp.MustCompile(`what (\S+) points to, `)

// aboutArgument is the argument, or the part of one, whose object a violation is about, empty if it is about an object of
// the program.
func aboutArgument(text string) string {
	if m := argumentObject.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// lowered says that a finding is about what a contract would say, by what it is about, and says so.
func lowered(f *Finding) bool {
	name := aboutArgument(f.Place.Text)
	switch {
	case strings.ContainsAny(name, "->*.[") && !sized(f.Harness, name), !known(f.Place.Text) && structured(f.Harness):
		f.Confidence, f.Because = Low, "it is about what is inside of the structures in the arguments, which may have invariants"
		f.Needs = []string{roomFor(f)}
	case strings.Contains(f.Place.Text, "null") && f.Entry != "main" && !assignsNull(f.Trace):
		f.Confidence, f.Because = Low, "the pointer is null from the start: the arguments or the globals may have been set up before"
		f.Needs = []string{"pointers that are set up before " + f.Entry + " is called"}
	case f.Property == assay.UnreachCall && f.Place.Func == f.Entry && len(f.Harness) > 2:
		f.Confidence, f.Because = Low, "the function asserts it of its arguments"
		f.Needs = []string{f.Place.Text}
	default:
		return false
	}
	return true
}

// assignsNull says that the run itself gives a variable the value null, or that a function returns it.
func assignsNull(trace []assay.Step) bool {
	return slices.ContainsFunc(trace, func(s assay.Step) bool { return s.Kind == assay.StepAssign && s.Value == "NULL" })
}

// dependsOnArguments says that a violation is about what arguments point to, or may be.
func dependsOnArguments(text string) bool {
	return aboutArgument(text) != "" || strings.Contains(text, "null") || strings.Contains(text, "points to nothing") || strings.Contains(text, "points to no function")
}

// roomFor is the precondition that such a violation asks for.
func roomFor(f *Finding) string {
	if name := aboutArgument(f.Place.Text); name != "" {
		return "more elements behind " + name
	}
	if strings.Contains(f.Place.Text, "null") {
		return nullOf(f) + " != 0"
	}
	return "more of what the arguments point to"
}

// known says that it is known which object a violation is about, or that it is about none.
func known(text string) bool {
	return aboutArgument(text) != "" || !strings.Contains(text, "invalid ") ||
		strings.Contains(text, "allocated at") || strings.Contains(text, "local object") || strings.Contains(text, "which is gone") || strings.Contains(text, "global ")
}

// sized says that the plan has a size for the object: a parameter or a member.
func sized(lines []string, name string) bool {
	return slices.ContainsFunc(lines, func(l string) bool {
		return (strings.HasPrefix(l, name+" points to ") || strings.HasPrefix(l, name+" is null, or points to ")) && (strings.Contains(l, "(named so)") || strings.Contains(l, "(passed to ") || strings.Contains(l, "(used up to "))
	})
}

// structured says that the plan fills in pointers in structures.
func structured(lines []string) bool {
	return slices.ContainsFunc(lines, func(l string) bool {
		name, rest, _ := strings.Cut(l, " ")
		return strings.ContainsAny(name, "->*.[") && strings.Contains(rest, "points to ") || strings.Contains(rest, "taken for a larger structure")
	})
}

// nullOf names the argument that is null in a run.
func nullOf(f *Finding) string {
	for _, s := range f.Trace {
		if s.Func == f.Entry && (s.Value == "0x0" || s.Value == "null" || s.Value == "NULL" || s.Value == "0") && isPointer(f.Harness, s.Var) {
			return s.Var
		}
	}
	for _, line := range f.Harness {
		if name, _, ok := strings.Cut(line, " is null, or"); ok {
			return name
		}
	}
	return "a pointer in the arguments"
}

func isPointer(lines []string, name string) bool {
	return slices.ContainsFunc(lines, func(l string) bool {
		first, rest, _ := strings.Cut(l, " ")
		return first == name && strings.Contains(rest, "points to")
	})
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
