package report

import (
	"context"
	"fmt"
	"strings"

	"assay"
)

// rounds is how often a step of one kind at one place is shown before the
// following ones are held back until something new happens.
const rounds = 2

// site is a place that steps come from.
type site struct {
	kind     assay.StepKind
	file     string
	line     int
	function string
	what     string
}

func siteOf(s assay.Step) site {
	return site{s.Kind, s.Pos.File, s.Pos.Line, s.Func, s.Var + s.Text + columns(s.Truth)}
}

// tracer prints a trace as it comes. Of the repetitions of a loop it shows the
// first ones and the last: a step whose site has been shown `rounds` times is
// held back, replacing the earlier one of the same site; when a step of a new
// site comes, the steps held back are printed after the number of those that
// were left out.
type tracer struct {
	t       *text
	full    bool
	seen    map[site]int
	held    map[site]int // index into pending
	pending []pendingStep
	omitted int

	function string // of the last header
	file     string
	lastLine int
}

// pendingStep is a step held back; replaced ones are dropped.
type pendingStep struct {
	step assay.Step
	dead bool
}

// trace prints the trace of a False.
func (t *text) trace(ctx context.Context, r *assay.Result) error {
	if len(r.Subformulas) > 0 {
		t.printf("  columns: whether a subformula is true (+) from there on, or not (-), or that is open (?):\n")
		for i, f := range r.Subformulas {
			t.printf("  %s%s %s\n", strings.Repeat(" ", i), "|", f)
		}
	}
	tr := &tracer{t: t, full: t.options.FullTrace, seen: map[site]int{}, held: map[site]int{}}
	err := r.Trace(ctx, func(s assay.Step) error {
		tr.add(s)
		return nil
	})
	tr.flush()
	return err
}

// add takes the next step.
func (tr *tracer) add(s assay.Step) {
	if tr.full {
		tr.print(s)
		return
	}
	k := siteOf(s)
	tr.seen[k]++
	if s.Kind == assay.StepViolation || tr.seen[k] <= rounds {
		tr.flush()
		tr.print(s)
		return
	}
	if i, ok := tr.held[k]; ok {
		tr.pending[i].dead = true
		tr.omitted++
	}
	tr.held[k] = len(tr.pending)
	tr.pending = append(tr.pending, pendingStep{step: s})
	if len(tr.pending) > 4*len(tr.held)+64 {
		tr.compact()
	}
}

// compact drops the dead steps, so that memory stays proportional to the sites.
func (tr *tracer) compact() {
	live := tr.pending[:0]
	for _, p := range tr.pending {
		if !p.dead {
			tr.held[siteOf(p.step)] = len(live)
			live = append(live, p)
		}
	}
	tr.pending = live
}

// flush prints what was held back.
func (tr *tracer) flush() {
	if tr.omitted > 0 {
		tr.t.printf("      … %s of this loop left out (--trace shows all) …\n", plural(tr.omitted, "step"))
		tr.lastLine = 0
	}
	for _, p := range tr.pending {
		if !p.dead {
			tr.print(p.step)
		}
	}
	tr.pending, tr.omitted = tr.pending[:0], 0
	clear(tr.held)
}

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
			tr.t.printf(" (%s)", s.Pos.File)
		}
		tr.t.printf(":\n")
		tr.function, tr.file, tr.lastLine = s.Func, s.Pos.File, 0
	}
	source := ""
	if s.Pos.Line != tr.lastLine {
		source = fit(tr.t.sources.line(s.Pos), width)
	}
	tr.lastLine = s.Pos.Line
	number := "     "
	if s.Pos.Line > 0 {
		number = fmt.Sprintf("%5d", s.Pos.Line)
	}
	what := stepText(s)
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

// stepText is what happens in a step.
func stepText(s assay.Step) string {
	switch s.Kind {
	case assay.StepAssign:
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
