package assay

import (
	"cmp"
	"context"
	"io"
	"math"
	"time"

	"assay/internal/conductor"
	"assay/internal/program/frontend"
	"assay/internal/program/target"
	"assay/internal/user/property"
	"assay/internal/user/validate"
	"assay/internal/user/witness/export"
)

// WitnessFormats are the formats of Task.Witness; auto is 2.0, or 2.1 where something needs it.
var WitnessFormats = export.Formats

// WitnessOutput asks Check for a witness of the answer.
type WitnessOutput struct {
	To     io.Writer
	Format string // of WitnessFormats
	// Written says that there is one. Left is what is not part of it, or why there is none; Check sets both.
	Written bool
	Left    []string
}

// witness writes the witness of an answer.
func (r *run) witness(ctx context.Context, result *Result, answer *conductor.Answer, p *frontend.Program) (err error) {
	t, o := &r.task, r.task.Witness
	if o == nil || result.Answer == Unknown {
		return nil
	}
	r.enter("writing the witness")
	options := r.frontendOptions()
	o.Written, o.Left, err = export.Write(ctx, o.To, o.Format, export.Subject{
		Module: answer.Module, Verdict: answer.Verdict, Run: result.run, Violation: result.Violation, Files: t.Files, ILP32: p.DataModel == frontend.ILP32,
		Flags: append(options.Flags(), target.Flags(options.DataModel == frontend.ILP32)...), Producer: Name + " " + Release,
		Specification: property.Specification(t.Properties, t.Label, t.Program.Function), Entry: t.Program.Function,
	})
	if err != nil {
		return &EnvironmentError{Doing: "writing the witness", Err: err}
	}
	return nil
}

// Judgement is what Validate says of a witness; its Outcome is one of these, or unknown.
type Judgement = validate.Judgement

// Validate judges a witness of the task's program. The task may leave out properties and data model: then they are those of the witness.
// anyProgram takes a witness that was made for files with other hashes.
func Validate(ctx context.Context, t Task, file string, anyProgram bool) (j *Judgement, err error) {
	w, asked, err := validate.Open(file, t.Properties)
	if err != nil {
		return nil, loadError(err)
	}
	if len(t.Properties) == 0 {
		t.Properties, t.Label, t.Program.Function = asked.Properties, asked.Label, cmp.Or(t.Program.Function, asked.Entry)
	}
	if t.Program.DataModel == "" && w.Task.DataModel == "ILP32" {
		t.Program.DataModel = ILP32
	}
	if err := t.validate(); err != nil {
		return nil, err
	}
	if t.question() == conductor.Temporal || undecidable(&t) != nil {
		return nil, &InputError{Message: "witnesses of this property are not judged", Hint: "they are about safety and termination"}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, cmp.Or(t.Timeout, time.Duration(math.MaxInt64)), errTimeout)
	defer cancel()
	r := &run{task: t, phase: "reading the program"}
	defer boundary(&r.phase, t.Files, &err)
	j, err = validate.Judge(ctx, validate.Question{Witness: w, Name: file, Program: r.frontendOptions(), Ask: r.question(nil, conductor.Formula{}), AnyFile: anyProgram, Enter: r.enter})
	if err != nil && ctx.Err() != nil {
		j, err = &Judgement{Outcome: validate.Unknown, Violation: w.Violation, Why: ended(ctx).Text}, nil
	}
	return j, loadError(err)
}

// Counterexample is the run of a judgement as a result, nil if there is none: that which confirms a violation, or on which an invariant fails.
func Counterexample(j *Judgement, files []string) *Result {
	if j.Run == nil {
		return nil
	}
	r := &Result{Answer: False, Files: files, run: j.Run, Violation: j.Broken, Endless: j.Endless, Violated: Termination, Replayed: []string{"interpreter"}}
	if j.Endless == nil {
		r.Violated = property.Violated(j.Run.Violation.Kind)
	}
	return r
}
