// Package inspect writes what the engines look at, for people who work on them: a program
// as ir, as a formula, as a symbolic execution graph, as a transition system, and what is
// known of its loops. Nothing here decides anything.
package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"assay/internal/engines/inference"
	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/logic/term"
	"assay/internal/models/ssa"
	"assay/internal/program/ir"
	"assay/internal/user/show"
)

// View is one way to look at a program.
type View string

// The views.
const (
	IR     View = "ir"     // typed SSA, as ir.Parse reads it
	SSA    View = "ssa"    // the formula of the unwound program, SMT-LIB
	Graph  View = "graph"  // the symbolic execution graph, DOT
	System View = "system" // the transition system, BTOR2
	Facts  View = "facts"  // what is known at the heads of loops, in C
)

// Views are all views.
var Views = []View{IR, SSA, Graph, System, Facts}

// Subject is a program with a question about it.
type Subject struct {
	Module            *ir.Module
	Targets, Disputed []ir.CheckKind
	Label             string
	// Endless asks for runs that do not end, not for violations.
	Endless bool
	// Unwind is how often loops are unwound in the formula; 0 is 1.
	Unwind int
	// Small makes the steps of the transition system blocks.
	Small bool
	// Files are those of the program; the first one is the title of pictures.
	Files []string
	// Told is what the engines of a run told each other.
	Told []Told
}

// Told are predicates of loops that an engine published.
type Told struct {
	By    string
	Heads []invariant.Head
}

// Write writes a view. Where there is none, it writes why: the error is that of the context
// or of w.
func Write(ctx context.Context, w io.Writer, v View, s *Subject) (err error) {
	switch v {
	case IR:
		_, err = io.WriteString(w, ir.Print(s.Module))
	case SSA:
		err = s.formula(ctx, w)
	case Graph:
		_, err = s.Graph(ctx, w, GraphOptions{Format: "dot"})
	case System:
		var inexact []verdict.Reason
		inexact, err = s.System(ctx, w, "btor2")
		for _, r := range inexact {
			if err == nil {
				err = s.remark(w, "; inexact: ", r.Pos, r.Text)
			}
		}
	case Facts:
		err = s.facts(ctx, w)
	default:
		panic(fmt.Sprintf("unknown view %q", v))
	}
	var none *ErrNone
	if errors.As(err, &none) {
		comment := map[View]string{Graph: "// "}[v]
		if comment == "" {
			comment = "; "
		}
		err = s.remark(w, comment, none.Pos, none.Error())
	}
	return err
}

// remark writes a comment.
func (s *Subject) remark(w io.Writer, sign string, at ir.Pos, text string) error {
	if at.Line != 0 {
		text = show.PositionOf(s.Module, at).String() + ": " + text
	}
	_, err := fmt.Fprintf(w, "%s%s\n", sign, text)
	return err
}

// formula writes the formula of the unwound program: it is satisfiable if a run violates a
// target before a loop is left to go on, or where the encoding is not exact.
func (s *Subject) formula(ctx context.Context, w io.Writer) error {
	st := term.NewStore()
	u := ssa.New(s.Module, st, ssa.Options{Targets: s.Targets, Label: s.Label, MaxOperations: 1 << 22})
	u.Default = max(1, s.Unwind)
	f, err := u.Encode(ctx)
	var large *ssa.TooLarge
	if errors.As(err, &large) {
		return &ErrNone{SSA, large.Error(), large.Pos}
	}
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "; every loop is unwound %d times; satisfiable if a run so short violates the property\n", u.Default); err != nil {
		return err
	}
	for _, o := range f.Obstacles {
		if err := s.remark(w, "; inexact: ", o.Reason.Pos, o.Reason.Text); err != nil {
			return err
		}
	}
	violated := st.False()
	for _, e := range f.Violations {
		violated = st.Or(violated, e.Cond)
	}
	return st.WriteSMTLIB(w, append(slices.Clone(f.Facts), violated))
}

// facts writes what the abstract interpretation finds at the heads of loops, and what the
// engines told each other.
func (s *Subject) facts(ctx context.Context, w io.Writer) error {
	ladder, failed := inference.Ladder(ctx, s.Module, s.Targets)
	for _, told := range append([]Told{{"abstract interpretation", ladder}}, s.Told...) {
		for i := range told.Heads {
			h := show.InvariantOf(s.Module, &told.Heads[i])
			for _, p := range h.Predicates {
				if _, err := fmt.Fprintf(w, "%s: %s: %s (%s)\n", h.Pos, h.Func, p, told.By); err != nil {
					return err
				}
			}
		}
	}
	return failed
}
