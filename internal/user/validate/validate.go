// Package validate judges witnesses of any tool: whether a proof that somebody claims goes through with the invariants that he
// gives, and whether a run that somebody describes violates the property.
//
//	correctness   every invariant becomes an assertion of the program; if no run violates the property or an assertion, the
//	              witness is confirmed. In the proof the assertions are known to hold in earlier iterations, so an
//	              inductive invariant is used. One that fails is named, with a run that was replayed.
//	violation     the program is confined to the runs along the witness (along.go); it is confirmed when one violates the
//	              property at the target, and the same run of the program without the witness does, too.
//
// The answer never rests on the witness: confirmed is a proof with a certificate or a replayed run. What a witness has that is not
// understood prevents confirmation, and is said.
package validate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/internal/conductor"
	"assay/internal/evidence/verdict"
	"assay/internal/program/frontend"
	"assay/internal/program/ir"
	"assay/internal/program/syntax"
	machine "assay/internal/program/target"
	"assay/internal/run/work"
	"assay/internal/user/show"
	"assay/internal/user/witness"
)

// Outcome is what a witness is judged to be.
type Outcome string

// The outcomes.
const (
	Confirmed Outcome = "confirmed"
	Rejected  Outcome = "rejected"
	Unknown   Outcome = "unknown"
)

// Question is a program with a witness.
type Question struct {
	Witness *witness.Witness
	Name    string // the file of the witness, for messages
	Program frontend.Options
	// Ask is what is asked of the program; its module is made here. Label and the targets are those of the property.
	Ask conductor.Task
	// AnyFile takes a witness whose hashes are not those of the files.
	AnyFile bool
	Enter   func(phase string)
}

// Finding is what was found of an element of the witness.
type Finding struct {
	Line   int    `json:"line"` // in the file of the witness
	At     string `json:"location,omitempty"`
	Type   string `json:"type"`
	Text   string `json:"text"`
	Status string `json:"status"` // holds, fails, open, unused
	Why    string `json:"why,omitempty"`
}

// Judgement is the answer.
type Judgement struct {
	Outcome Outcome
	// Violation says what kind of witness it is.
	Violation bool
	Why       string
	Findings  []Finding
	Reasons   []show.Reason
	// Run and Broken are the run that confirms a violation, or that an invariant does not hold on.
	Run     *show.Run
	Broken  *show.Place
	Endless *show.Endless
	// Certificate is that of the proof.
	Certificate *show.Certificate
	Notes       []string
}

// InputError says what is wrong with a witness, by the place in its file.
type InputError struct {
	File         string
	Line, Column int
	Message      string
	Hint         string
}

func (e *InputError) Error() string {
	at := e.File
	if e.Line > 0 {
		at = fmt.Sprintf("%s:%d:%d", at, e.Line, e.Column)
	}
	text := at + ": " + e.Message
	if e.Hint != "" {
		text += "\n" + e.Hint
	}
	return text
}

// judge is one run.
type judge struct {
	Question
	ctx   context.Context
	out   *Judgement
	files []*syntax.File
	plain *frontend.Program // without the witness
}

// Judge judges a witness. The error is an *InputError, or one of the front end.
func Judge(ctx context.Context, q Question) (*Judgement, error) {
	w := q.Witness
	j := &judge{Question: q, ctx: ctx, out: &Judgement{Outcome: Unknown, Violation: w.Violation, Notes: w.Notes}}
	if err := j.sameProgram(); err != nil {
		return nil, err
	}
	q.Enter("reading the program")
	for _, f := range q.Program.Files {
		flags := append(q.Program.Flags(), machine.Flags(q.Program.DataModel == frontend.ILP32)...)
		parsed, err := syntax.Parse(ctx, f, "", flags)
		var wrong *syntax.Error
		switch {
		case errors.As(err, &wrong):
			return nil, &frontend.InputError{Text: wrong.Text}
		case err != nil:
			return nil, err
		}
		j.files = append(j.files, parsed)
		if parsed.Changed != "" {
			j.unknown(fmt.Sprintf("a witness is about the lines of %s, and without its line directives it may be another program: %s", f, parsed.Changed))
			return j.out, nil
		}
	}
	var err error
	if w.Violation {
		err = j.violation()
	} else {
		err = j.correctness()
	}
	if err == nil && ctx.Err() != nil && j.out.Outcome == Unknown {
		j.out.Why = "the time limit was reached"
	}
	return j.out, err
}

// sameProgram says whether the witness is about the files.
func (j *judge) sameProgram() error {
	w := j.Witness
	wrong := func(message, hint string) error { return &InputError{File: j.Name, Message: message, Hint: hint} }
	if len(w.Task.Files) != len(j.Program.Files) {
		return wrong(fmt.Sprintf("the witness is about %d files, but there are %d", len(w.Task.Files), len(j.Program.Files)), "")
	}
	model := "LP64"
	if j.Program.DataModel == frontend.ILP32 {
		model = "ILP32"
	}
	if w.Task.DataModel != model {
		return wrong(fmt.Sprintf("the witness is about the data model %s, but %s is asked", w.Task.DataModel, model), "use --data-model "+strings.ToLower(w.Task.DataModel))
	}
	for _, name := range j.Program.Files {
		if e := filepath.Ext(name); e != ".c" && e != ".i" {
			return wrong("a witness is about C files, and "+name+" is none", "")
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return &frontend.InputError{Text: name + ": " + errors.Unwrap(err).Error()}
		}
		sum := sha256.Sum256(text)
		have := hex.EncodeToString(sum[:])
		if !j.AnyFile && !slices.ContainsFunc(w.Task.Files, func(f witness.File) bool { return f.Hash == have }) {
			return wrong(fmt.Sprintf("the witness is about another program: its hashes are not that of %s", name), "--any-program judges it all the same")
		}
	}
	return nil
}

// load compiles the program with what was inserted. An error of clang in an expression is one about the witness.
func (j *judge) load(x *instrumented, prelude string, elements []element) (*ir.Module, error) {
	if err := x.write(prelude); err != nil {
		return nil, err
	}
	o := j.Program
	o.ExtraArgs = append(slices.Clone(o.ExtraArgs), x.flags...)
	o.Warnings = nil
	p, err := frontend.Load(j.ctx, o)
	if err == nil {
		if err := x.expressionsOnly(j.ctx, append(o.Flags(), machine.Flags(o.DataModel == frontend.ILP32)...)); err != nil {
			return nil, j.wrongElement(err, elements)
		}
		return p.Module, nil
	}
	var input *frontend.InputError
	if errors.As(err, &input) {
		for _, d := range input.Diagnostics {
			if d.Severity != "error" {
				continue
			}
			for i, f := range x.files {
				if !sameFile(f.Name, d.File) {
					continue
				}
				if _, _, owner := x.maps[i].original(f, d.Line, d.Col); owner >= 0 {
					e := elements[owner]
					return nil, &InputError{File: j.Name, Line: e.mark.Line, Column: e.mark.Column, Message: fmt.Sprintf("the expression %q means nothing at %s: %s", e.text, e.at, d.Message)}
				}
			}
		}
		// Without the witness it is the program that is wrong, or what was inserted did not fit.
		if _, plain := frontend.Load(j.ctx, j.Program); plain != nil {
			return nil, plain
		}
		return nil, &misfit{err}
	}
	return nil, err
}

// misfit says that the program with the witness does not compile, but not for an expression of it.
type misfit struct{ err error }

func (e *misfit) Error() string {
	var lost *errNoPlace
	if errors.As(e.err, &lost) {
		return lost.why
	}
	return "the program with the expressions of the witness does not compile: " + strings.SplitN(e.err.Error(), "\n", 2)[0]
}

// element is an expression of the witness.
type element struct {
	mark witness.Mark
	at   witness.Location
	kind string
	text string
}

// wrongElement is the error of an expression that calls or writes something.
func (j *judge) wrongElement(err error, elements []element) error {
	var e *impure
	if errors.As(err, &e) && e.owner >= 0 {
		x := elements[e.owner]
		return &InputError{File: j.Name, Line: x.mark.Line, Column: x.mark.Column, Message: fmt.Sprintf("the expression %q %s", x.text, e.what)}
	}
	return err
}

// decide asks the engines, for a part of the time that is left.
func (j *judge) decide(m *ir.Module, question conductor.Question, targets []ir.CheckKind, share float64, change func(*conductor.Task)) conductor.Answer {
	ctx := j.ctx
	if left, ok := work.Remaining(ctx); ok && share < 1 {
		limited, cancel := work.WithTimeout(ctx, time.Duration(share*float64(left)))
		defer cancel()
		ctx = limited
	}
	t := j.Ask
	t.Module, t.Question, t.Targets = m, question, targets
	if change != nil {
		change(&t)
	}
	return conductor.Decide(ctx, t)
}

// run shows a run.
func (j *judge) run(m *ir.Module, f *verdict.False) {
	j.out.Run = &show.Run{Module: m, Input: f.Input, Violation: f.Violation, Endless: f.Endless}
	if f.Endless != nil {
		j.out.Endless, j.out.Broken, _ = show.EndlessOf(m, f)
		return
	}
	p := show.PlaceOf(m, f.Violation)
	j.out.Broken = &p
	j.out.Run.Locate(j.ctx, j.out.Broken)
}

func (j *judge) unknown(why string) { j.out.Outcome, j.out.Why = Unknown, why }

// reasons notes why there is no answer.
func (j *judge) reasons(m *ir.Module, v verdict.Verdict) {
	if u, ok := v.(verdict.Unknown); ok {
		j.out.Reasons = show.ReasonsOf(m, u.Reasons)
	}
}
