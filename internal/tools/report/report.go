// Package report shows a result to a person or to another program.
//
// A trace is written while it is produced, never collected: traces of a
// million steps are common, and a verifier that spends longer on printing than
// on solving has been seen.
package report

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"assay"
)

// Options say what is shown.
type Options struct {
	JSON      bool // one JSON object instead of text
	Quiet     bool // the last line only (in JSON: no trace)
	Verbose   bool // sizes and times, too
	FullTrace bool // every step of the trace
}

// Write shows a result. The last line of a text is RESULT: and the answer.
func Write(ctx context.Context, w io.Writer, r *assay.Result, o Options) error {
	b := bufio.NewWriter(w)
	var err error
	if o.JSON {
		err = writeJSON(ctx, b, r, o)
	} else {
		err = writeText(ctx, b, r, o)
	}
	if flushed := b.Flush(); err == nil {
		err = flushed
	}
	return err
}

// writeText shows a result to a person.
func writeText(ctx context.Context, w *bufio.Writer, r *assay.Result, o Options) error {
	if !o.Quiet {
		t := &text{w: w, options: o, sources: Sources{}}
		t.explain(ctx, r)
	}
	_, err := fmt.Fprintf(w, "RESULT: %s\n", r.Line())
	return err
}

// text prints the explanation of a result.
type text struct {
	w       *bufio.Writer
	options Options
	sources Sources
}

func (t *text) printf(format string, args ...any) { fmt.Fprintf(t.w, format, args...) }

// explain prints everything but the last line.
func (t *text) explain(ctx context.Context, r *assay.Result) {
	for _, w := range r.Warnings {
		t.printf("warning: %s\n", w)
	}
	if len(r.Checks) > 0 {
		t.checks(r.Checks, r.Reasons)
	}
	switch r.Answer {
	case assay.False:
		t.explainFalse(ctx, r)
		t.otherViolations(ctx, r)
	case assay.True:
		t.explainTrue(r)
	default:
		t.explainUnknown(r)
		t.otherViolations(ctx, r)
	}
	if len(r.Contracts) > 0 {
		t.printf("proved to keep their contracts: %s\n", strings.Join(r.Contracts, ", "))
	}
	t.preconditions(r.TerminatesWhen)
	if len(r.Invariants) > 0 {
		t.invariants(r)
	}
	if len(r.Assumptions) > 0 {
		t.printf("assumptions:\n")
		for _, a := range r.Assumptions {
			t.printf("  %s\n", located(a.Pos, a.Text))
		}
	}
	if t.options.Verbose {
		t.stats(r.Stats)
	}
}

// explainFalse prints the violation and the run that leads to it.
func (t *text) explainFalse(ctx context.Context, r *assay.Result) {
	v := r.Violation
	t.printf("%s\n", located(v.Pos, v.Text))
	t.sources.show(t.w, v.Pos)
	if v.Func != "" {
		t.printf("in function %s, property %s\n", v.Func, r.Violated)
	}
	if r.KeepsNot != "" {
		t.printf("%s does not keep its contract: the run starts in it, in a state that the contract allows\n", r.KeepsNot)
	}
	if r.Integer != "" {
		t.printf("\nthe run of the integer program (checked: %s):\n%s\n\n", strings.Join(r.Replayed, ", "), r.Integer)
		return
	}
	t.printf("\ntrace (%s):\n", replayed(r))
	err := t.trace(ctx, r)
	if err != nil {
		t.printf("  the trace ends here: %v\n", err)
	}
	if e := r.Endless; e != nil && e.Certificate != nil {
		t.printf("\n")
		t.induction(e.Certificate, "no run with these inputs ends: ")
		t.checked(e.Certificate)
	}
	if r.Native != "" {
		t.printf("\nnative replay: not confirmed: %s\n", r.Native)
	}
	if len(r.Passes) > 0 {
		t.printf("\nthe run passes through undefined behaviour, whose meaning docs/soundness.md fixes:\n")
		t.places(r.Passes)
	}
	t.printf("\n")
}

// replayed says how a run was confirmed.
func replayed(r *assay.Result) string {
	if len(r.Replayed) == 0 {
		return "not replayed"
	}
	text := "replayed: " + strings.Join(r.Replayed, ", ")
	if n := len(r.Jumps); n > 0 {
		text += fmt.Sprintf("; %s over iterations of loops, proved: %s", plural(n, "jump"), r.Jumps[0].Checker)
	}
	return text
}

// explainTrue prints what the proof rests on.
func (t *text) explainTrue(r *assay.Result) {
	if slices.Contains(r.Properties, assay.Termination) {
		t.printf("proved: every run ends\n")
	} else if slices.Contains(r.Properties, assay.LTL) {
		t.printf("proved: of every run is true: %s\n", r.Formula)
	} else {
		t.printf("proved: no run violates %s (%s)\n", joinProperties(r.Properties), plural(r.Stats.Checks, "check"))
	}
	c := r.Certificate
	if c != nil && c.Parts > 0 {
		t.printf("proved in %d parts, each about some of the checks\n", c.Parts)
	}
	if r.Integer != "" {
		t.printf("ranking argument of the integer program:\n%s\n", r.Integer)
	}
	if c != nil && len(c.Bounds) > 0 {
		t.printf("unwound completely:\n")
		for _, b := range c.Bounds {
			what := "loop"
			switch {
			case b.Recursion:
				what = "recursion of " + b.Func
			case b.Pos.IsZero():
				what = "loop of " + b.Func
			}
			t.printf("  %s\n", located(b.Pos, fmt.Sprintf("%s, %d times", what, b.N)))
		}
	}
	if c != nil && c.Paths > 0 {
		t.printf("proved by following %s to the end\n", plural(c.Paths, "path"))
	}
	t.induction(c, "")
	if c != nil && c.Nodes > 0 {
		t.printf("proved by a symbolic execution graph with %s at loop heads\n", plural(c.Nodes-1, "state"))
	}
	if c != nil && len(c.Rankings) > 0 {
		t.rankings(c.Rankings)
	}
	t.checked(c)
	if len(r.Unclean) > 0 {
		t.printf("undefined behaviour that was not excluded (the proof holds for the meaning in docs/soundness.md):\n")
		t.places(r.Unclean)
	}
}

// induction prints what a proof by induction says of the loops.
func (t *text) induction(c *assay.Certificate, what string) {
	switch {
	case c == nil || c.K == 0 && len(c.Invariants) == 0:
		return
	case c.K == 0:
		t.printf("%sproved by what holds at each loop:\n", what)
	default:
		t.printf("%sproved by induction over %s of each loop, with what holds there:\n", what, plural(c.K, "iteration"))
	}
	silent, left := 0, 0
	for n, i := range c.Invariants {
		switch {
		case len(i.Predicates) == 0:
			silent++
		case n-silent >= shownLoops:
			left++
		default:
			more := ""
			if p := i.Predicates; len(p) > shownPredicates {
				more = fmt.Sprintf(", and %d more", len(p)-shownPredicates)
			}
			t.printf("  %s\n", located(i.Pos, strings.Join(i.Predicates[:min(len(i.Predicates), shownPredicates)], ", ")+more))
		}
	}
	if left > 0 {
		t.printf("  and of %s more (--json has all)\n", plural(left, "loop"))
	}
	switch {
	case silent == len(c.Invariants):
		t.printf("  nothing more\n")
	case silent > 0:
		t.printf("  of %s nothing is needed\n", plural(silent, "other loop"))
	}
}

// Limits of what is shown of a proof.
const (
	shownLoops      = 20
	shownPredicates = 10
)

// checked prints who accepted a certificate.
func (t *text) checked(c *assay.Certificate) {
	switch {
	case c == nil:
		t.printf("certificate: none\n")
	case c.Unchecked != "":
		t.printf("certificate: not checked (%s)\n", c.Unchecked)
	default:
		t.printf("certificate: accepted by %s\n", c.Checker)
	}
}

// invariants prints what was found to hold at the loops, a predicate a line.
func (t *text) invariants(r *assay.Result) {
	provided := ""
	if r.Answer != assay.True {
		provided = ", provided that nothing violates the property before"
	}
	t.printf("invariants found%s:\n", provided)
	for _, i := range r.Invariants {
		t.printf("  %s\n", located(i.Pos, "loop of "+i.Func))
		if len(i.Predicates) == 0 {
			t.printf("      none\n")
		}
		for _, p := range i.Predicates {
			t.printf("      %s\n", p)
		}
	}
}

// rankings prints why each loop ends.
func (t *text) rankings(rs []assay.Ranking) {
	for _, r := range rs {
		what := strings.Join(r.Functions, ", then ")
		switch len(r.Functions) {
		case 0:
			what = "is iterated once at most"
		case 1:
			what += " decreases"
		default:
			what += " decrease in lexicographic order"
		}
		if len(r.Invariants) > 0 {
			what += ", with invariant " + strings.Join(r.Invariants, " and ")
		}
		switch {
		case r.Recursion:
			t.printf("  %s\n", located(r.Pos, "recursion of "+r.Func+": "+what))
		case r.Pos.IsZero():
			t.printf("  loop in %s: %s\n", r.Func, what)
		default:
			t.printf("  loop at %s: %s\n", r.Pos, what)
		}
	}
}

// preconditions prints under which conditions every run ends.
func (t *text) preconditions(ps []assay.Precondition) {
	for i, p := range ps {
		also := ""
		if i > 0 {
			also = "also "
		}
		t.printf("%severy run ends when %s\n", also, strings.Join(p.Condition, " && "))
		for _, x := range p.Inputs {
			t.printf("  %s\n", located(x.Pos, "the input "+x.Name))
		}
		if c := p.Certificate; c != nil && len(c.Rankings) > 0 {
			t.rankings(c.Rankings)
		}
		t.checked(p.Certificate)
	}
}

// explainUnknown prints every reason with what to do about it.
func (t *text) explainUnknown(r *assay.Result) {
	t.printf("no answer:\n")
	hinted := map[string]bool{}
	for _, reason := range r.Reasons {
		t.printf("  %s\n", located(reason.Pos, reason.Cause+": "+reason.Text))
		if reason.Hint != "" && !hinted[reason.Hint] {
			t.printf("      hint: %s\n", reason.Hint)
			hinted[reason.Hint] = true
		}
		t.openChecks(&reason)
		t.knownThere(&reason)
	}
	if r.Stats.Depth > 0 && !slices.Contains(r.Properties, assay.Termination) && !slices.ContainsFunc(r.Checks, func(c assay.CheckResult) bool { return c.Answer == assay.False }) {
		t.printf("no violation was found up to unwinding depth %d\n", r.Stats.Depth)
	}
}

// shownOpen bounds the places of open checks that are listed.
const shownOpen = 8

// openChecks lists where the checks are that a proof leaves open.
func (t *text) openChecks(r *assay.Reason) {
	if len(r.Open) == 0 {
		return
	}
	var places []string
	for _, p := range r.Open {
		if at := p.Pos.String(); !p.Pos.IsZero() && !slices.Contains(places, at) {
			places = append(places, at)
		}
	}
	more := ""
	if len(places) > shownOpen {
		places, more = places[:shownOpen], ", … (--json has all)"
	}
	searched := ""
	if r.Searched > 0 {
		searched = fmt.Sprintf("; searched, without a certificate: %d, before every loop, no violation", r.Searched)
	}
	t.printf("      proved: %d of %s%s; open: %s%s\n", r.Proved, plural(r.Proved+r.Searched+len(r.Open), "check"), searched, strings.Join(places, ", "), more)
}

// shownKnown bounds what is listed of what is proved at a loop.
const shownKnown = 6

// knownThere lists what is proved at the loop around an obstacle.
func (t *text) knownThere(r *assay.Reason) {
	if len(r.Known) == 0 {
		return
	}
	list, more := r.Known, ""
	if len(list) > shownKnown {
		list, more = list[:shownKnown], ", … (--json has all)"
	}
	t.printf("      known at this loop: %s%s\n", strings.Join(list, ", "), more)
}

// places prints one line for each place, repeated ones once.
func (t *text) places(ps []assay.Place) {
	seen := map[string]bool{}
	for _, p := range ps {
		line := located(p.Pos, p.Text)
		if !seen[line] {
			seen[line] = true
			t.printf("  %s\n", line)
		}
	}
}

// located puts a position, if there is one, before a text.
func located(p assay.Position, s string) string {
	if p.IsZero() {
		return s
	}
	return p.String() + ": " + s
}

// plural counts things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func joinProperties(ps []assay.Property) string {
	names := make([]string, len(ps))
	for i, p := range ps {
		names[i] = string(p)
	}
	return strings.Join(names, ", ")
}
