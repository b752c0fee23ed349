package report

import (
	"context"
	"fmt"
	"slices"
	"text/tabwriter"

	"assay"
)

// checks prints a table of every check with its own answer, and why one is open where the
// reason is not among those shown below the table.
func (t *text) checks(cs []assay.CheckResult, shown []assay.Reason) {
	tw := tabwriter.NewWriter(t.w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "check\tproperty\tfunction\tat\twhat")
	counts := map[assay.Answer]int{}
	for i, c := range cs {
		answer := string(c.Answer)
		if c.Answer == assay.False {
			answer = "FALSE"
		}
		what := c.Place.Text
		if len(c.Reasons) > 0 && !slices.ContainsFunc(shown, func(r assay.Reason) bool { return r.Text == c.Reasons[0].Text && r.Pos == c.Reasons[0].Pos }) {
			what += " [" + c.Reasons[0].Cause + ": " + c.Reasons[0].Text + "]"
		}
		fmt.Fprintf(tw, "%d: %s\t%s\t%s\t%s\t%s\n", i+1, answer, c.Property, c.Place.Func, c.Place.Pos, what)
		counts[c.Answer]++
	}
	tw.Flush()
	t.printf("%s: %d true, %d false, %d unknown\n\n", plural(len(cs), "check"),
		counts[assay.True], counts[assay.False], counts[assay.Unknown])
}

// shownViolations bounds the violations whose runs are shown.
const shownViolations = 10

// otherViolations explains the checks that are violated, but for the one that is the answer.
func (t *text) otherViolations(ctx context.Context, r *assay.Result) {
	shown := 0
	for i := range r.Checks {
		c := &r.Checks[i]
		if c.Answer != assay.False || r.Violation != nil && c.Place.Kind == r.Violation.Kind && c.Place.Pos == r.Violation.Pos {
			continue
		}
		var steps []assay.Step
		err := c.Trace(ctx, func(s assay.Step) error {
			steps = append(steps, s)
			return nil
		})
		at := assay.Step{Pos: c.Place.Pos, Func: c.Place.Func, Text: c.Place.Text}
		if n := len(steps); err == nil && n > 0 && !steps[n-1].Pos.IsZero() {
			at = steps[n-1]
		}
		if r.Violation != nil && at.Pos == r.Violation.Pos && at.Text == r.Violation.Text {
			continue
		}
		if shown++; shown > shownViolations {
			t.printf("… more violations: each line FALSE of the table (--json has their inputs)\n\n")
			return
		}
		t.printf("%s\n", located(at.Pos, at.Text))
		t.sources.show(t.w, at.Pos)
		t.printf("in function %s, property %s\n\ntrace (replayed: interpreter):\n", at.Func, c.Property)
		tr := newTracer(t, t.options.FullTrace)
		for _, s := range steps {
			tr.short.Add(s)
		}
		tr.short.Close()
		t.printf("\n")
	}
}

// stats prints sizes, work and times.
func (t *text) stats(s assay.Stats) {
	t.printf("work: depth %d, %d terms, %d gates, %d variables, %d clauses, %d solver calls, %d conflicts, %d array lemmas\n",
		s.Depth, s.Terms, s.Gates, s.Variables, s.Clauses, s.SolverChecks, s.Conflicts, s.Lemmas)
	if s.Clauses > 0 {
		t.printf("memory of the formula: %.1f MiB, %d bytes a clause\n", float64(s.Bytes)/(1<<20), s.Bytes/s.Clauses)
	}
	if s.Paths+s.PathsOpen > 0 {
		t.printf("paths: %d followed to their end, %d open; %d steps, %d conditions, %d asked of a solver\n", s.Paths, s.PathsOpen, s.PathSteps, s.PathQueries, s.PathSolved)
	}
	if s.TrialRuns > 0 {
		t.printf("trials: %s, %d steps\n", plural(s.TrialRuns, "run"), s.TrialSteps)
	}
	if a := s.Acceleration; a != nil {
		t.printf("acceleration: %s, %s, %d not confirmed\n", plural(a.Loops, "loop"), plural(a.Jumps, "jump"), a.Refused)
	}
	t.printf("time: %.3f s", s.Total.Seconds())
	for _, p := range s.Phases {
		t.printf(", %s %.3f", p.Name, p.Time.Seconds())
	}
	t.printf("\n")
}
