// Package webpage shows results as web pages: one file each, which needs no network, works with the keyboard and
// on paper, and follows the colours of the reader.
//
// The page of a result has the source with a mark for every check on a line (proved, violated, open), what holds and
// what decreases below the heads of loops, the trace as a table that steps through the source with the values
// of variables, and what the answer depends on. All of it is HTML that is complete without its script, which only
// steps through the trace.
package webpage

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"

	"assay"
	"assay/internal/tools/report"
	"assay/internal/user/property"
)

//go:embed style.css
var style string

//go:embed result.html
var resultText string

var resultPage = sync.OnceValue(func() *template.Template { return template.Must(template.New("result").Parse(resultText)) })

// Options say what is shown.
type Options struct {
	FullTrace bool   // repetitions of loops are not left out
	Graph     []byte // the picture of the symbolic execution graph (SVG), nil is none
	NoGraph   string // why there is none, where there should be one
	Command   string // the command line, empty is not told
	When      string // the date, empty is not told
}

// maxSteps bounds the steps of a trace, half of them at each end.
const maxSteps = 4000

// result is what the page of a result shows.
type result struct {
	Style          template.CSS
	Options        Options
	Graph          template.HTML
	Version        string
	R              *assay.Result
	Class, Verdict string // true, false or unknown, for style and for people
	Headline       string
	At             link
	Rule           *property.Rule
	Files          []*file
	Counts         []count
	Checks         []check
	Steps          []step
	Origins        []step // the history of the pointer of the violation
	Incomplete     string // why the trace is
	Script         any    // the steps for the script
	Certified      string
	Proof          []note // of loops without place
	Passes         []place
	Unclean        []place
	Reasons        []reason
	Assumptions    []place
}

// count is how many checks have an answer.
type count struct {
	N     int
	Class string
	Text  string
}

// link is a place that a reader may jump to.
type link struct {
	Text   string // file:line:column
	Target string // the id of the line, empty if it is not shown
	Line   int
}

// place is a text with a place.
type place struct {
	At   link
	Text string
}

// reason is an obstacle.
type reason struct {
	At                link
	Cause, Text, Hint string
}

// check is a line of the table of checks.
type check struct {
	At                        link
	Func, Property, What, How string
	Class, Sign               string
}

// step is a row of the trace.
type step struct {
	N      int
	At     link
	Func   string
	Indent string
	Source string
	Text   string
	Class  string
	Truth  []truth
	Gap    string // instead of everything else
}

// truth is that of a subformula.
type truth struct{ Class, Sign, Text string }

// scripted is what the script knows of a step.
type scripted struct {
	Line  string `json:"line"` // the id of the line
	Func  string `json:"func"`
	Depth int    `json:"depth"`
	Name  string `json:"name,omitempty"`
	Value string `json:"value,omitempty"`
}

// Write writes the page of a result.
func Write(ctx context.Context, w io.Writer, r *assay.Result, o Options) error {
	p := &result{Style: template.CSS(style), Options: o, Version: assay.Version(), R: r, Class: string(r.Answer), Verdict: r.Line()}
	s := newSources()
	if i := strings.Index(string(o.Graph), "<svg"); i >= 0 {
		p.Graph = template.HTML(o.Graph[i:]) // of Graphviz, which escapes what is in it
	}
	for _, name := range r.Files {
		s.file(name)
	}
	p.Headline = headline(r)
	if v := r.Violation; v != nil {
		p.At, p.Rule = s.link(v.Pos), property.RuleOf(r.Violated)
		s.note(v.Pos, note{Class: "false", Label: "violated", Text: v.Text})
	}
	p.checks(s)
	p.proof(s)
	p.trace(ctx, s)
	for _, x := range r.Passes {
		p.Passes = append(p.Passes, place{s.link(x.Pos), x.Text})
	}
	for _, x := range r.Unclean {
		p.Unclean = append(p.Unclean, place{s.link(x.Pos), x.Text})
		s.note(x.Pos, note{Class: "unknown", Label: "not excluded", Text: x.Text})
	}
	for _, x := range r.Reasons {
		p.Reasons = append(p.Reasons, reason{s.link(x.Pos), x.Cause, x.Text, x.Hint})
		s.note(x.Pos, note{Class: "unknown", Label: x.Cause, Text: x.Text})
	}
	for _, x := range r.Assumptions {
		p.Assumptions = append(p.Assumptions, place{s.link(x.Pos), x.Text})
	}
	p.Files = s.shown()
	return resultPage().Execute(w, p)
}

// headline is the answer in a sentence.
func headline(r *assay.Result) string {
	names := make([]string, len(r.Properties))
	for i, p := range r.Properties {
		names[i] = string(p)
	}
	asked := strings.Join(names, ", ")
	switch {
	case r.Answer == assay.False && r.Violated == assay.LTL:
		return "The formula is not true of every run."
	case r.Answer == assay.False:
		return r.Violation.Text
	case r.Answer == assay.Unknown:
		return "No answer: whether " + asked + " holds is not known."
	case slices.Contains(r.Properties, assay.Termination):
		return "Every run ends."
	case slices.Contains(r.Properties, assay.LTL):
		return "The formula is true of every run."
	}
	return "No run violates " + asked + "."
}

// signs of answers, which do not depend on colour.
var signs = map[assay.Answer]string{assay.True: "✓", assay.False: "✗", assay.Unknown: "?"}

// checks fills the table of checks, and marks the lines.
func (p *result) checks(s *sources) {
	sites := p.R.Sites
	if len(sites) == 0 {
		sites = p.R.Checks
	}
	by := "proved"
	if c := p.R.Certificate; c != nil && c.Checker != "" {
		by = "proved, accepted by " + c.Checker
	}
	counts := map[assay.Answer]int{}
	type same struct {
		place assay.Place
		p     assay.Property
	}
	seen := map[same]bool{}
	for i := range sites {
		c := &sites[i]
		if k := (same{c.Place, c.Property}); seen[k] {
			continue
		} else {
			seen[k] = true
		}
		counts[c.Answer]++
		how := map[assay.Answer]string{assay.True: by, assay.False: "violated", assay.Unknown: "open"}[c.Answer]
		if len(c.Reasons) > 0 {
			how += ": " + c.Reasons[0].Text
		}
		p.Checks = append(p.Checks, check{
			At: s.link(c.Place.Pos), Func: c.Place.Func, Property: string(c.Property), What: c.Place.Text, How: how,
			Class: string(c.Answer), Sign: signs[c.Answer],
		})
		s.mark(c.Place.Pos, c.Answer, string(c.Property)+": "+c.Place.Text+", "+how)
	}
	slices.SortStableFunc(p.Checks, func(a, b check) int { return cmp.Compare(rank(a.Class), rank(b.Class)) })
	for _, a := range []assay.Answer{assay.False, assay.Unknown, assay.True} {
		if n := counts[a]; n > 0 {
			text := map[assay.Answer]string{assay.True: "proved", assay.False: "violated", assay.Unknown: "open"}[a]
			p.Counts = append(p.Counts, count{n, string(a), text})
		}
	}
}

// rank puts what is wrong first.
func rank(class string) int { return slices.Index([]string{"false", "unknown", "true"}, class) }

// proof puts what is known of loops to their lines.
func (p *result) proof(s *sources) {
	r := p.R
	put := func(at assay.Position, n note) {
		if !s.note(at, n) {
			p.Proof = append(p.Proof, n)
		}
	}
	c := r.Certificate
	if e := r.Endless; e != nil && e.Certificate != nil {
		c = e.Certificate
	}
	p.certificate(c, put)
	for _, i := range r.Invariants {
		put(i.Pos, note{Class: "fact", Label: "holds", Text: cmp.Or(strings.Join(i.Predicates, "\n"), "nothing was found")})
	}
	for _, x := range r.TerminatesWhen {
		put(assay.Position{}, note{Class: "fact", Label: "every run ends when", Text: strings.Join(x.Condition, " && ")})
		p.certificate(x.Certificate, put)
	}
	for _, j := range r.Jumps {
		put(j.Pos, note{Class: "fact", Label: "jump", Text: fmt.Sprintf("%d iterations at once: %s (proved: %s)", j.Iterations, strings.Join(j.Changes, ", "), j.Checker)})
	}
}

func (p *result) certificate(c *assay.Certificate, put func(assay.Position, note)) {
	if c == nil {
		return
	}
	switch {
	case c.Unchecked != "":
		p.Certified = "not checked: " + c.Unchecked
	case c.Checker != "":
		p.Certified = "accepted by " + c.Checker
	}
	for _, b := range c.Bounds {
		what := "loop"
		if b.Recursion {
			what = "recursion of " + b.Func
		}
		put(b.Pos, note{Class: "fact", Label: "unwound", Text: fmt.Sprintf("%s, %d times at most", what, b.N)})
	}
	label := "invariant"
	if c.K > 1 {
		label = fmt.Sprintf("invariant (%d-induction)", c.K)
	}
	for _, i := range c.Invariants {
		if len(i.Predicates) > 0 {
			put(i.Pos, note{Class: "fact", Label: label, Text: strings.Join(i.Predicates, "\n")})
		}
	}
	for _, x := range c.Rankings {
		text := cmp.Or(strings.Join(x.Functions, ",\nthen "), "iterated once at most")
		if len(x.Invariants) > 0 {
			text += "\nwith " + strings.Join(x.Invariants, " and ")
		}
		put(x.Pos, note{Class: "fact", Label: "decreases", Text: text})
	}
	if c.Nodes > 1 {
		put(assay.Position{}, note{Class: "fact", Label: "graph", Text: fmt.Sprintf("symbolic execution graph with states at %d loop heads", c.Nodes-1)})
	}
}

// origins are the history of the pointer of a violation.
func (s *sources) origins(violation assay.Step) (list []step) {
	for i, o := range violation.History {
		list = append(list, step{N: i + 1, At: s.link(o.Pos), Func: o.Func, Text: o.Text, Source: strings.ToValidUTF8(s.lines.Line(o.Pos), "\uFFFD")})
	}
	return list
}

// trace fills the table of steps.
func (p *result) trace(ctx context.Context, s *sources) {
	r := p.R
	if r.Answer != assay.False || r.Integer != "" {
		return
	}
	n := 0
	script := []scripted{}
	short := report.NewShortener(p.Options.FullTrace, maxSteps, func(x assay.Step) {
		n++
		row := step{
			N: n, At: s.link(x.Pos), Func: x.Func, Indent: strings.Repeat("· ", min(x.Depth, 12)), Text: report.StepText(x), Class: string(x.Kind),
			Source: strings.ToValidUTF8(s.lines.Line(x.Pos), "\uFFFD"),
		}
		if x.Input != "" {
			row.Class += " input"
		}
		for _, v := range x.Truth {
			sign := map[string]string{assay.TruthYes: "+", assay.TruthNo: "−"}[v]
			row.Truth = append(row.Truth, truth{v, cmp.Or(sign, "?"), v})
		}
		p.Steps = append(p.Steps, row)
		y := scripted{Line: row.At.Target, Func: x.Func, Depth: x.Depth}
		switch x.Kind {
		case assay.StepAssign, assay.StepStore:
			y.Name, y.Value = x.Var, x.Value
		case assay.StepInput:
			y.Name, y.Value = x.Input, x.Value
		}
		script = append(script, y)
	}, func(left int, ofLoop bool) {
		what := ""
		if ofLoop {
			what = " of this loop"
		}
		p.Steps = append(p.Steps, step{Gap: fmt.Sprintf("%d steps%s left out", left, what)})
	})
	var last assay.Step
	err := r.Trace(ctx, func(x assay.Step) error {
		last = x
		short.Add(x)
		return nil
	})
	short.Close()
	if err != nil {
		p.Incomplete = err.Error()
	}
	p.Origins = s.origins(last)
	p.Script = script
}
