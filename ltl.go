package assay

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"assay/internal/conductor"
	"assay/internal/frontend"
	"assay/internal/ltl"
	"assay/internal/product"
)

// This file is about formulas of linear temporal logic: where they come from, and how
// their atoms find their meaning in the program.

// Formula is the text of a formula, and where it stands, for messages: a file or flag,
// the line (0 where lines mean nothing) and column of the first byte.
type Formula struct {
	Text, File string
	Line, Col  int
}

func (f *Formula) source() ltl.Source {
	return ltl.Source{File: f.File, Line: f.Line, Col: f.Col, Text: f.Text}
}

// formulaError is an error about a formula, which shows it.
func formulaError(err error) error {
	return &InputError{Message: err.Error(), Verbatim: true}
}

// formulaOfFiles is the formula in a comment `//@ ltl invariant positive: …` of the C files.
func formulaOfFiles(files []string) (*Formula, error) {
	var found []*ltl.Property
	for _, path := range files {
		if e := filepath.Ext(path); e != ".c" && e != ".i" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, &InputError{Pos: Position{File: path}, Message: "cannot read the file: " + fileCause(err)}
		}
		all, err := ltl.ParseComments(path, string(text))
		if err != nil {
			return nil, formulaError(err)
		}
		found = append(found, all...)
	}
	switch len(found) {
	case 0:
		return nil, &InputError{Message: "there is no formula", Hint: "use --ltl '…', or a comment //@ ltl invariant positive: …; in the C file"}
	case 1:
		s := found[0].Source
		return &Formula{Text: s.Text, File: s.File, Line: s.Line, Col: s.Col}, nil
	}
	return nil, &InputError{Message: fmt.Sprintf("there are %d comments with a formula", len(found)), Hint: "choose one with --ltl '…'"}
}

// otherLogic are words of property files that mean no atoms.
var otherLogic = regexp.MustCompile(`\b(call|label)\s*\(|\b(valid-\w+|overflow|end|data-race|def-behavior)\b`)

// formula reads the formula of the task, and asks the front end for the meaning of its atoms.
func (r *run) formula(ctx context.Context, o *frontend.Options) (conductor.Formula, *frontend.Program, error) {
	var none conductor.Formula
	if r.task.LTL == nil {
		f, err := formulaOfFiles(r.task.Files)
		if err != nil {
			return none, nil, err
		}
		r.task.LTL = f
	}
	p, err := ltl.Parse(r.task.LTL.source())
	if err != nil {
		return none, nil, formulaError(err)
	}
	out := conductor.Formula{LTL: p.Formula, Observer: map[ltl.Atom]string{}, Step: frontend.StepLabel}
	var spans []ltl.Span
	for _, a := range ltl.Atoms(p.Formula) {
		span := p.Places[a][0]
		if a.Kind != ltl.CAtom {
			continue
		}
		if strings.Contains(a.Text, "::") {
			return none, nil, formulaError(p.Source.Errorf(span, "make it a global variable", "atoms over local variables are not supported yet"))
		}
		text := p.Source.Text[span.Start:span.End]
		if strings.HasPrefix(text, `"`) {
			text = a.Text
		}
		out.Observer[a] = frontend.ObserverName(len(o.Atoms))
		o.Atoms = append(o.Atoms, text)
		spans = append(spans, span)
	}
	program, err := frontend.Load(ctx, *o)
	if err == nil && conductor.HasNext(p.Formula) && !product.HasLabel(program.Module, "", frontend.StepLabel) {
		// Each write is an observation, of locals, too.
		o.Unpromoted = true
		program, err = frontend.Load(ctx, *o)
	}
	var atom *frontend.AtomError
	if errors.As(err, &atom) {
		span := spans[atom.Atom]
		if atom.Col > 0 && span.Start+atom.Col-1 < span.End {
			span.Start += atom.Col - 1
		}
		return none, nil, formulaError(p.Source.Errorf(span, "", "%s", atom.Message))
	}
	if err != nil {
		return none, nil, loadError(err)
	}
	for _, a := range ltl.Atoms(p.Formula) {
		if err := knowsEvent(program, a); err != "" {
			return none, nil, formulaError(p.Source.Errorf(p.Places[a][0], "", "%s", err))
		}
	}
	return out, program, nil
}

// knowsEvent says what is wrong with an atom about a label or function, "" if nothing is.
func knowsEvent(program *frontend.Program, a ltl.Atom) string {
	function, name, qualified := strings.Cut(a.Text, "::")
	if !qualified {
		function, name = "", a.Text
	}
	switch a.Kind {
	case ltl.AtAtom:
		if !product.HasLabel(program.Module, function, name) {
			return "the program has no label " + a.Text
		}
	case ltl.CalledAtom, ltl.ReturnedAtom:
		if f := program.Module.Func(a.Text); f == nil || f.IsDecl() {
			return "the program does not define the function " + a.Text
		}
	}
	return ""
}
