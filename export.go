package assay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"assay/internal/conductor"
	"assay/internal/frontend"
	"assay/internal/its"
	"assay/internal/show"
	"assay/internal/solve"
	"assay/internal/ts/program"
	"assay/internal/verdict"
)

// Export writes the transition system of the task's program in one of the formats
// of solve.Targets: a bad state is a violation of the properties, a violation of the
// justice property, for termination, a run that does not end. The system is
// inexact where the places are that it returns: these are a bad state of their
// own, so that a proof that no bad state can be reached is one of the program, and
// a run to the first bad state a violation.
func Export(ctx context.Context, t Task, w io.Writer, format string) (inexact []Reason, err error) {
	if err := t.validate(); err != nil {
		return nil, err
	}
	endless := slices.Equal(t.Properties, []Property{Termination})
	for _, p := range t.Properties {
		if !endless && (!p.Decidable() || len(p.info().kinds) == 0) {
			return nil, &InputError{Message: fmt.Sprintf("the property %s is no question about bad states", p)}
		}
	}
	r := &run{task: t, phase: "reading the program"}
	defer boundary(&r.phase, t.Files, &err)
	loaded, err := frontend.Load(ctx, r.frontendOptions())
	if err != nil {
		return nil, loadError(err)
	}
	r.phase = "making the transition system"
	m := loaded.Module
	s, err := program.Encode(ctx, m, program.Options{Targets: slices.Concat(kinds(t.Properties), disputed(t.Properties)), Label: t.Label, Small: t.Engine.SmallBlocks, Endless: endless})
	var unsupported *program.ErrUnsupported
	if errors.As(err, &unsupported) {
		return nil, &InputError{Pos: show.PositionOf(m, unsupported.Pos), Message: "no finite transition system: " + unsupported.Why}
	}
	if err != nil {
		return nil, err
	}
	seen := map[verdict.Reason]bool{}
	for _, x := range s.Inexact {
		if !seen[x] {
			seen[x] = true
			inexact = append(inexact, show.ReasonsOf(m, []verdict.Reason{x})...)
		}
	}
	switch {
	case len(inexact) == 0 && endless:
		s.Bad = nil
	case len(inexact) == 0:
		s.Bad = s.Bad[:s.Violation+1]
	case endless:
		s.Bad = s.Bad[s.Obstacle:]
	}
	r.phase = "writing the transition system"
	model := solve.Model{System: s.System, Format: solve.BTOR2}
	return inexact, model.Export(ctx, w, format)
}

// ExportITS writes the integer transition system of a program: Format is koat,
// t2, smt2 or ari.
func ExportITS(ctx context.Context, t Task, format string) (text string, err error) {
	if len(t.Properties) == 0 {
		t.Properties = []Property{Termination}
	}
	if err := t.validate(); err != nil {
		return "", err
	}
	r := &run{task: t, start: time.Now()}
	defer boundary(&r.phase, t.Files, &err)
	program, err := frontend.Load(ctx, r.frontendOptions())
	if err != nil {
		return "", loadError(err)
	}
	p, reason := conductor.IntegerSystem(ctx, program.Module, t.Program.Semantics)
	if reason != nil {
		return "", &InputError{Pos: show.PositionOf(program.Module, reason.Pos), Message: reason.Text}
	}
	if text, ok := its.Write(p, format); ok {
		return text, nil
	}
	return "", &InputError{Message: "unknown format " + format, Hint: "koat, t2, smt2 or ari"}
}
