package show

import (
	"slices"

	"assay/internal/conductor"
	"assay/internal/program/ir/interp"
	"assay/internal/temporal/ltl"
)

// This file shows the truth of the subformulas of a temporal formula along the run that refutes it.

// The values of Step.Truth.
const (
	TruthYes  = "true"
	TruthNo   = "false"
	TruthOpen = "open" // it depends on how the run goes on
)

// Observe lets the steps of the run have the truth of subformulas, and lists these; nil if it is not known.
func (r *Run) Observe(truths *conductor.Truths) (subformulas []string) {
	if r == nil || truths == nil {
		return nil
	}
	r.truths = truths
	for _, f := range truths.Formulas {
		subformulas = append(subformulas, f.String())
	}
	return subformulas
}

// observes says that an assignment is the truth of an atom, which steps show as that of a subformula. The last
// of an observation is a step if something changes.
func (t *tracer) observes(a *activation, e interp.Event) bool {
	x := t.run.truths
	if x == nil || e.Func.Name != x.Func {
		return false
	}
	variable := -1
	for i := range e.Func.Vars[:x.Last+1] {
		if e.Var == &e.Func.Vars[i] {
			variable = i
		}
	}
	if variable < x.Last {
		return variable >= 0
	}
	row := t.observed
	if t.observed++; row >= len(x.Rows) {
		if x.Loop == len(x.Rows) {
			return true
		}
		row = x.Loop + (row-x.Loop)%(len(x.Rows)-x.Loop)
	}
	var truth []string
	for _, v := range x.Rows[row] {
		truth = append(truth, [...]string{ltl.Open: TruthOpen, ltl.Yes: TruthYes, ltl.No: TruthNo}[v])
	}
	if slices.Equal(truth, t.truth) {
		return true
	}
	t.truth = truth
	if p := a.assigned(e.Value, a.f.Def(e.Value).Args[0]); p.Line != 0 {
		a.pos = p
	}
	t.step(Step{Kind: StepObserve})
	return true
}
