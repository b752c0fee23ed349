// Package sarif writes results in the Static Analysis Results Interchange Format [SARIF], which
// editors, code reviews and continuous integration read.
//
// A log has one run. Its results are violations, with the trace as a code flow whose steps carry the
// values of variables. What was proved and what is open are no results, for services show every
// result as an alert: they are in the properties of the run, and the reasons of an *unknown* are notifications
// of the invocation, at their lines. A check that is open among others (`--all`) is a notification, too.
//
// Two logs of the same program have equal fingerprints for the same violation, even if lines were
// added above it: a fingerprint is made of the text of the line without white space, the function, the
// property, and of how many lines with the same text come before it.
package sarif

import (
	"cmp"
	"context"
	"io"
	"path/filepath"
	"strconv"
	"time"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"assay"
	"assay/internal/tools/report"
	"assay/internal/user/property"
)

// Options say what a log tells of the run itself.
type Options struct {
	Arguments []string // the command line after the name of the program
	Directory string   // the folder to which names of files are relative; empty is the working directory, which is not told
	Begin     time.Time
	End       time.Time // when it was over; both zero: not told
	FullTrace bool      // steps of repetitions are not left out
}

// Log is a log with one run.
type Log struct {
	options Options
	run     *sarif.Run
	sources report.Sources
	rules   map[assay.Property]int // the index of each in the run
	call    *sarif.Invocation

	subformulas []string // of the formula whose truth steps tell
}

// srcRoot is the base of relative names of files.
const srcRoot = "%SRCROOT%"

// New is a log without results.
func New(o Options) *Log {
	l := &Log{options: o, run: sarif.NewRun(), sources: report.Sources{}, rules: map[assay.Property]int{}, call: sarif.NewInvocation()}
	driver := sarif.NewToolComponent()
	driver.Name, driver.Version, driver.SemanticVersion = text(assay.Name), text(assay.Version()), text(assay.Release)
	for i := range property.Rules {
		l.rules[property.Rules[i].Property] = i
		driver.Rules = append(driver.Rules, rule(&property.Rules[i]))
	}
	l.run.Tool = sarif.NewTool()
	l.run.Tool.Driver = driver
	l.run.ColumnKind = text("unicodeCodePoints")
	l.call.Arguments = o.Arguments
	if o.Directory != "" {
		base := sarif.NewArtifactLocation()
		base.URI = text(fileURI(o.Directory) + "/")
		l.run.OriginalUriBaseIds = map[string]sarif.ArtifactLocation{srcRoot: *base}
		l.call.WorkingDirectory = base
	}
	if !o.Begin.IsZero() {
		l.call.StartTimeUtc = text(o.Begin.UTC().Format("2006-01-02T15:04:05.000Z"))
	}
	if !o.End.IsZero() {
		l.call.EndTimeUtc = text(o.End.UTC().Format("2006-01-02T15:04:05.000Z"))
	}
	return l
}

func text(s string) *string { return &s }

// rule is the description of a property.
func rule(r *property.Rule) *sarif.ReportingDescriptor {
	d := sarif.NewReportingDescriptor()
	d.ID, d.Name = text(string(r.Property)), text(r.Name)
	d.ShortDescription = formatted(r.Short, "")
	d.FullDescription = formatted(r.Wrong, "")
	d.Help = formatted(
		r.Short+" "+r.Wrong+"\n\n"+r.Mend+"\n\nThe finding is a run that was replayed: its steps are the code flow.",
		"**"+r.Short+"**\n\n"+r.Wrong+"\n\n"+r.Mend+"\n\nThe finding is a run that was replayed: its steps are the code flow.")
	d.DefaultConfiguration = sarif.NewReportingConfiguration()
	d.DefaultConfiguration.Level = sarif.LevelError
	d.Properties = sarif.NewPropertyBag().Add("precision", "very-high").Add("problem.severity", "error").AddTag("correctness")
	if r.Security != "" {
		d.Properties.Add("security-severity", r.Security).AddTag("security")
	}
	if r.CWE != 0 {
		d.Properties.AddTag("external/cwe/cwe-" + strconv.Itoa(r.CWE))
	}
	return d
}

func formatted(plain, markdown string) *sarif.MultiformatMessageString {
	m := sarif.NewMultiformatMessageString()
	m.Text = &plain
	if markdown != "" {
		m.Markdown = &markdown
	}
	return m
}

func message(s string) *sarif.Message {
	m := sarif.NewMessage()
	m.Text = &s
	return m
}

// Finding is a violation.
type Finding struct {
	Property assay.Property
	Place    assay.Place
	// Trace is assay.Result.Trace or its kin; nil is none.
	Trace func(context.Context, func(assay.Step) error) error
	// Passes is undefined behaviour on the run before it.
	Passes []assay.Place
	// Replayed is how the run was confirmed.
	Replayed []string
	// Properties are put into those of the result.
	Properties map[string]any
	// Level is "error" if empty; others are "warning" and "note".
	Level string
	// Suppressed says why the finding is known, empty if it is not.
	Suppressed string
}

// Add adds the result of `assay check`: its violations, and why other questions are open.
func (l *Log) Add(ctx context.Context, r *assay.Result) {
	props := sarif.NewPropertyBag().Add("result", r.Line()).Add("checks", r.Stats.Checks)
	names := make([]string, len(r.Properties))
	for i, p := range r.Properties {
		names[i] = string(p)
	}
	props.Add("asked", names)
	if r.Formula != "" {
		props.Add("formula", r.Formula)
	}
	if c := r.Certificate; c != nil && c.Checker != "" {
		props.Add("certificate", c.Checker)
	}
	l.run.Properties = props
	l.subformulas = r.Subformulas
	proved := 0
	listed := map[assay.Place]bool{} // a place may have several checks of one kind
	for i := range r.Checks {
		switch c := &r.Checks[i]; c.Answer {
		case assay.False:
			if !listed[c.Place] {
				l.Violation(ctx, Finding{Property: c.Property, Place: c.Place, Trace: c.Trace, Replayed: r.Replayed})
			}
			listed[c.Place] = true
		case assay.True:
			proved++
		default:
			for _, why := range c.Reasons {
				l.open(c.Property, c.Place.Pos, c.Place.Func, "open: "+c.Place.Text+": "+why.Cause+": "+why.Text, "note", why.Hint)
			}
		}
	}
	if len(r.Checks) > 0 {
		props.Add("proved", proved)
	}
	if r.Answer == assay.False && len(listed) == 0 {
		f := Finding{Property: r.Violated, Place: *r.Violation, Trace: r.Trace, Passes: r.Passes, Replayed: r.Replayed}
		if r.Integer != "" {
			f.Trace, f.Properties = nil, map[string]any{"integerProgram": r.Integer}
		}
		l.Violation(ctx, f)
	}
	for _, why := range r.Reasons {
		l.Open(why)
	}
	for _, p := range r.Unclean {
		l.open("", p.Pos, p.Func, "undefined behaviour that was not excluded: "+p.Text, "note", "")
	}
	for _, a := range r.Assumptions {
		l.open("", a.Pos, "", "assumed: "+a.Text, "note", "")
	}
}

// Open adds a reason why there is no answer, as a notification.
func (l *Log) Open(r assay.Reason) {
	l.open("", r.Pos, r.Func, "no answer: "+r.Cause+": "+r.Text, "warning", r.Hint)
}

func (l *Log) open(p assay.Property, at assay.Position, function, what, level, hint string) {
	n := sarif.NewNotification()
	if hint != "" {
		what += " (" + hint + ")"
	}
	n.Message, n.Level = message(what), level
	if x := l.location(at, function, ""); x != nil {
		n.Locations = append(n.Locations, x)
	}
	if i, ok := l.rules[p]; ok {
		n.AssociatedRule = sarif.NewReportingDescriptorReference()
		n.AssociatedRule.ID, n.AssociatedRule.Index = text(string(p)), i
	}
	l.call.ToolExecutionNotifications = append(l.call.ToolExecutionNotifications, n)
}

// Failed says that there is no result: the files, the command line or the machine are wrong, or the tool is.
func (l *Log) Failed(err error, where assay.Position) {
	n := sarif.NewNotification()
	n.Message, n.Level = message(err.Error()), "error"
	if x := l.location(where, "", ""); x != nil {
		n.Locations = append(n.Locations, x)
	}
	l.call.ToolExecutionNotifications = append(l.call.ToolExecutionNotifications, n)
}

// Violation adds a violation.
func (l *Log) Violation(ctx context.Context, f Finding) {
	r := sarif.NewResult()
	r.Kind, r.Level = "fail", cmp.Or(f.Level, sarif.LevelError)
	if f.Suppressed != "" {
		known := sarif.NewSuppression()
		known.Kind, known.Justification = text("inSource"), &f.Suppressed
		r.Suppressions = append(r.Suppressions, known)
	}
	r.RuleID = text(string(f.Property))
	if i, ok := l.rules[f.Property]; ok {
		r.RuleIndex = i
	}
	r.Properties = sarif.NewPropertyBag()
	for k, v := range f.Properties {
		r.Properties.Add(k, v)
	}
	if len(f.Replayed) > 0 {
		r.Properties.Add("replayed", f.Replayed)
	}
	at := f.Place
	var history []assay.Origin
	if f.Trace != nil {
		flow, last, err := l.flow(ctx, f.Trace)
		history = last.History
		if len(flow.ThreadFlows[0].Locations) > 0 {
			r.CodeFlows = append(r.CodeFlows, flow)
		}
		if err != nil {
			r.Properties.Add("traceIncomplete", err.Error())
		} else if last.Kind == assay.StepViolation && at.Pos.IsZero() {
			at.Pos, at.Func = last.Pos, last.Func
		}
	}
	what := at.Text
	if what == "" {
		what = at.Kind
	}
	r.Message = message(what)
	if x := l.location(at.Pos, at.Func, ""); x != nil {
		r.Locations = append(r.Locations, x)
	}
	for i, p := range f.Passes {
		if x := l.location(p.Pos, p.Func, "undefined behaviour on the way: "+p.Text); x != nil {
			x.ID = i + 1
			r.RelatedLocations = append(r.RelatedLocations, x)
		}
	}
	for _, o := range history {
		if x := l.location(o.Pos, o.Func, "where the pointer comes from: "+o.Text); x != nil {
			x.ID = len(r.RelatedLocations) + 1
			r.RelatedLocations = append(r.RelatedLocations, x)
		}
	}
	r.PartialFingerprints = l.fingerprints(f.Property, at)
	l.run.Results = append(l.run.Results, r)
}

// Write writes the log. The exit code is that of the process; codes above 2 are failures.
func (l *Log) Write(w io.Writer, exitCode int) error {
	successful := exitCode <= 2
	l.call.ExecutionSuccessful, l.call.ExitCode = &successful, &exitCode
	l.run.Invocations = []*sarif.Invocation{l.call}
	log := sarif.NewReport()
	log.Schema = schemaURI
	log.AddRun(l.run)
	return write(w, log)
}

// schemaURI is where the schema is published.
const schemaURI = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// fileURI is an absolute file name as a URI.
func fileURI(name string) string { return "file://" + escape(filepath.ToSlash(name)) }
