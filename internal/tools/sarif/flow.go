package sarif

import (
	"context"
	"fmt"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"assay"
	"assay/internal/tools/report"
)

// maxSteps bounds the steps of a code flow, half of them from each end: viewers and services refuse longer ones.
const maxSteps = 2000

// flow is a trace as a code flow, and its last step. Each location has the value that its step assigns as
// its state.
func (l *Log) flow(ctx context.Context, trace func(context.Context, func(assay.Step) error) error) (*sarif.CodeFlow, assay.Step, error) {
	flow := sarif.NewThreadFlow()
	var last assay.Step
	order, left := 0, ""
	short := report.NewShortener(l.options.FullTrace, maxSteps, func(s assay.Step) {
		order++
		if x := l.step(s, order, left); x != nil {
			flow.Locations = append(flow.Locations, x)
			left = ""
		}
	}, func(n int, ofLoop bool) {
		what := ""
		if ofLoop {
			what = " of this loop"
		}
		left = fmt.Sprintf("(%d steps%s are left out) ", n, what)
	})
	err := trace(ctx, func(s assay.Step) error {
		last = s
		short.Add(s)
		return nil
	})
	short.Close()
	out := sarif.NewCodeFlow()
	out.ThreadFlows = []*sarif.ThreadFlow{flow}
	return out, last, err
}

// step is a step of a trace, nil if its place is not known.
func (l *Log) step(s assay.Step, order int, before string) *sarif.ThreadFlowLocation {
	at := l.location(s.Pos, s.Func, before+report.StepText(s))
	if at == nil {
		return nil
	}
	at.PhysicalLocation.Region = withoutSnippet(at.PhysicalLocation.Region)
	x := sarif.NewThreadFlowLocation()
	x.Location, x.ExecutionOrder, x.NestingLevel = at, order, &s.Depth
	x.Importance = "important"
	switch s.Kind {
	case assay.StepAssign, assay.StepStore:
		x.State = map[string]sarif.MultiformatMessageString{s.Var: *formatted(s.Value, "")}
		if s.Input != "" {
			x.Kinds, x.Importance = []string{"taint"}, "essential"
		}
	case assay.StepInput:
		x.State = map[string]sarif.MultiformatMessageString{s.Input: *formatted(s.Value, "")}
		x.Kinds, x.Importance = []string{"taint"}, "essential"
	case assay.StepObserve:
		x.State = map[string]sarif.MultiformatMessageString{}
		for i, t := range s.Truth {
			if i < len(l.subformulas) {
				x.State[l.subformulas[i]] = *formatted(t, "")
			}
		}
	case assay.StepCall:
		x.Kinds = []string{"call", "function"}
	case assay.StepReturn:
		x.Kinds = []string{"return", "function"}
	case assay.StepViolation, assay.StepCycle, assay.StepUndefined:
		x.Kinds, x.Importance = []string{"danger"}, "essential"
	}
	return x
}

// withoutSnippet drops the text of the line, of which a long flow has many.
func withoutSnippet(r *sarif.Region) *sarif.Region {
	if r != nil {
		r.Snippet = nil
	}
	return r
}
