package assay

import (
	"cmp"
	"context"
	"io"
	"strings"

	"assay/internal/conductor"
	"assay/internal/program/frontend"
	"assay/internal/user/property"
	"assay/internal/user/validate"
	"assay/internal/user/witness/export"
)

// WitnessFormats are the formats of Task.Witnesses; auto is 2.0, or 2.1 where something needs it. Script, the proof for SMT solvers, is another.
var WitnessFormats = export.Formats

const Script = export.SMTLIB

// WitnessOutput asks Check for a witness of the answer.
type WitnessOutput struct {
	To     io.Writer
	Format string
	// Written says that there is one. Left is what is not part of it, or why there is none; Check sets both.
	Written bool
	Left    []string
}

// witnesses writes the witnesses of an answer.
func (r *run) witnesses(ctx context.Context, result *Result, q *conductor.Task, answer *conductor.Answer, p *frontend.Program) (err error) {
	t := &r.task
	for _, o := range t.Witnesses {
		r.enter("writing the witness")
		o.Written, o.Left, err = export.Write(ctx, o.To, o.Format, export.Subject{
			Ask: q, Answer: answer, Known: result.Answer != Unknown, Run: result.run, Violation: result.Violation, Options: r.frontendOptions(), Loaded: p, Producer: Name + " " + Release,
			Specification: property.Specification(t.Properties, t.Label, t.Program.Function),
		})
		if err != nil {
			return &EnvironmentError{Doing: "writing the witness", Err: err}
		}
	}
	return nil
}

// Judgement is what Validate says of a witness; its Outcome is one of these, or unknown.
type Judgement = validate.Judgement

// Validate judges a witness of the task's program. The task may leave out properties and data model: then they are those of the witness.
// anyProgram takes a witness that was made for files with other hashes.
func Validate(ctx context.Context, t Task, file string, anyProgram bool) (j *Judgement, err error) {
	w, asked, err := validate.Open(file, property.Specified{Properties: t.Properties, Label: t.Label, Entry: t.Program.Function})
	if err != nil {
		return nil, loadError(err)
	}
	t.Properties, t.Label, t.Program.Function = asked.Properties, asked.Label, asked.Entry
	t.Program.DataModel = cmp.Or(t.Program.DataModel, DataModel(strings.ToLower(w.Task.DataModel)))
	if err := t.validate(); err != nil {
		return nil, err
	} else if t.question() == conductor.Temporal || undecidable(&t) != nil {
		return nil, &InputError{Message: "witnesses of this property are not judged", Hint: "they are about safety and termination"}
	}
	ctx, cancel := t.limited(ctx)
	defer cancel()
	r := &run{task: t, phase: "reading the program"}
	defer boundary(&r.phase, t.Files, &err)
	j, err = validate.Judge(ctx, validate.Question{Witness: w, Name: file, Program: r.frontendOptions(), Ask: r.question(nil, conductor.Formula{}), AnyFile: anyProgram, Enter: r.enter})
	if err != nil && ctx.Err() != nil {
		j, err = &Judgement{Outcome: validate.Unknown, Violation: w.Violation, Why: ended(ctx).Text}, nil
	}
	return j, loadError(err)
}

// Counterexample is the run of a judgement as a result, nil if there is none.
func Counterexample(j *Judgement, files []string) *Result {
	if j.Run == nil {
		return nil
	}
	violated := Termination
	if j.Endless == nil {
		violated = property.Violated(j.Run.Violation.Kind)
	}
	return &Result{Answer: False, Files: files, run: j.Run, Violation: j.Broken, Endless: j.Endless, Violated: violated, Replayed: []string{"interpreter"}}
}
