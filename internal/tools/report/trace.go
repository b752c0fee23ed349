package report

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"assay"
)

// tracer prints a trace as it comes.
type tracer struct {
	t     *text
	short *Shortener

	title    func(file string) string // what files are called, nil for their paths
	function string                   // of the last header
	file     string
	lastLine int
}

func newTracer(t *text, full bool) *tracer {
	tr := &tracer{t: t}
	limit := shownSteps
	if full {
		limit = 0
	}
	tr.short = NewShortener(full, limit, tr.print, func(n int, ofLoop bool) {
		what := ""
		if ofLoop {
			what = " of this loop"
		}
		t.printf("      … %s%s left out (--trace shows all) …\n", plural(n, "step"), what)
		tr.lastLine = 0
	})
	return tr
}

// trace prints the trace of a False.
func (t *text) trace(ctx context.Context, r *assay.Result) error {
	if len(r.Subformulas) > 0 {
		t.printf("  columns: whether a subformula is true (+) from there on, or not (-), or that is open (?):\n")
		for i, f := range r.Subformulas {
			t.printf("  %s%s %s\n", strings.Repeat(" ", i), "|", f)
		}
	}
	tr := newTracer(t, t.options.FullTrace)
	var last assay.Step
	err := r.Trace(ctx, func(s assay.Step) error {
		last = s
		tr.short.Add(s)
		return nil
	})
	tr.short.Close()
	tr.history(last)
	return err
}

// history prints where the pointer of a violation comes from, if that is elsewhere.
func (tr *tracer) history(s assay.Step) {
	first := true
	for _, o := range s.History {
		if o.Pos.Line == s.Pos.Line && o.Pos.File == s.Pos.File {
			continue
		}
		if first {
			tr.t.printf("where the pointer comes from:\n")
			tr.function, first = "", false
		}
		tr.print(assay.Step{Pos: o.Pos, Func: o.Func, Text: o.Text})
	}
}

// shownSteps bounds the steps of a trace without --trace.
const shownSteps = 5000

// width of the source text in a line of the trace.
const width = 44

// print prints one step:
//
//	in main (f.c)
//	   12 | x = __VERIFIER_nondet_int();      x = 5   (input)
func (tr *tracer) print(s assay.Step) {
	if s.Func != tr.function || s.Pos.File != tr.file {
		tr.t.printf("  in %s", s.Func)
		if s.Pos.File != "" {
			name := s.Pos.File
			if tr.title != nil {
				name = tr.title(name)
			}
			tr.t.printf(" (%s)", name)
		}
		tr.t.printf(":\n")
		tr.function, tr.file, tr.lastLine = s.Func, s.Pos.File, 0
	}
	source := ""
	if s.Pos.Line != tr.lastLine {
		source = fit(tr.t.sources.Line(s.Pos), width)
	}
	tr.lastLine = s.Pos.Line
	number := "     "
	if s.Pos.Line > 0 {
		number = fmt.Sprintf("%5d", s.Pos.Line)
	}
	what := StepText(s)
	if len(s.Truth) > 0 {
		what = columns(s.Truth) + "  " + what
	}
	line := fmt.Sprintf("%s | %-*s  %s", number, width, source, what)
	tr.t.printf("%s\n", strings.TrimRight(line, " "))
}

// columns are the truth of the subformulas.
func columns(truth []string) string {
	var b strings.Builder
	for _, t := range truth {
		switch t {
		case assay.TruthYes:
			b.WriteByte('+')
		case assay.TruthNo:
			b.WriteByte('-')
		default:
			b.WriteByte('?')
		}
	}
	return b.String()
}

// fit shortens a text to a number of runes.
func fit(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// StepText is what happens in a step.
func StepText(s assay.Step) string {
	switch s.Kind {
	case assay.StepAssign, assay.StepStore:
		out := s.Var + " = " + s.Value
		if s.Input != "" {
			out += "   (from " + s.Input + ")"
		}
		return out
	case assay.StepInput:
		return s.Input + " = " + s.Value
	case assay.StepCall:
		return "call of " + s.Text
	case assay.StepReturn:
		return "back from " + s.Text
	case assay.StepUndefined:
		return "undefined behaviour: " + s.Text
	case assay.StepViolation:
		return "violation: " + s.Text
	}
	return s.Text
}

// WriteSteps prints steps with their sources, as the trace of a result is printed; title is what a file is called.
func WriteSteps(w *bufio.Writer, sources Sources, steps []assay.Step, title func(file string) string) {
	tr := newTracer(&text{w: w, sources: sources}, true)
	tr.title = title
	for _, s := range steps {
		tr.print(s)
	}
	if n := len(steps); n > 0 {
		tr.history(steps[n-1])
	}
}
