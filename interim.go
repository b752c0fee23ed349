package assay

import (
	"strings"
	"sync/atomic"

	"assay/internal/conductor"
	"assay/internal/evidence/verdict"
	"assay/internal/user/show"
)

// Interim is what is known while Check runs: for those who have to end the process before
// it returns. The zero value is ready; a nil one is none.
type Interim struct {
	run     atomic.Pointer[run]
	changes atomic.Int64
}

// Changes counts how often something was decided.
func (i *Interim) Changes() int64 { return i.changes.Load() }

// Result is what is known so far; the reason says why it is asked for.
func (i *Interim) Result(reason Reason) *Result {
	if r := i.run.Load(); r != nil {
		out := r.interim(reason)
		out.Properties, out.Files = r.task.Properties, r.task.Files
		return out
	}
	return &Result{Answer: Unknown, Reasons: []Reason{reason}}
}

// interim is the answer of a run that is ended, with why the engines have none so far; with Engine.EachCheck
// the violations found, and what is decided of the checks.
func (r *run) interim(reason Reason) *Result {
	out := &Result{Answer: Unknown, Reasons: []Reason{reason}, Stats: Stats{Depth: r.depth()}}
	d := r.decided.Load()
	if d == nil {
		out.Reasons[0].Text += " while the program was still compiled and translated: " + strings.Join(r.task.Files, ", ")
		return out
	}
	known := (*d)(verdict.Reason{Cause: verdict.CauseOf(reason.Cause), Text: reason.Text, Hint: reason.Hint})
	out.Reasons = show.ReasonsOf(known.Module, known.Reasons)
	if i := conductor.FirstViolation(known.Checks); i >= 0 {
		if v := explain(known.Module, known.Checks[i].Verdict); v.Answer == False {
			v.Stats, v.Reasons = out.Stats, out.Reasons
			out = v
		}
	}
	out.Checks = eachCheck(known.Module, known.Checks)
	return out
}
