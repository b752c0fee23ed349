// Package formula takes formulas of linear temporal logic from where people write them, and
// gives their atoms a meaning in a program.
package formula

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"assay/internal/conductor"
	"assay/internal/program/frontend"
	"assay/internal/run/lazyregexp"
	"assay/internal/temporal/ltl"
	"assay/internal/transform/product"
)

// wrong is an error of the reader of formulas, which shows the formula, as one of the input.
func wrong(err error) error { return &frontend.InputError{Text: err.Error()} }

// otherLogic are words of property files that mean no atoms.
var otherLogic = lazyregexp.New(`\b(call|label)\s*\(|\b(valid-\w+|overflow|end|data-race|def-behavior)\b`)

// OfLine is the formula in a line `CHECK( init(main()), LTL(…) )` of a property file, nil if it
// is about something else than atoms.
func OfLine(path, text string, line int) (*ltl.Source, error) {
	text = strings.Split(text, "\n")[line-1]
	if otherLogic.MatchString(text[strings.Index(text, "LTL"):]) {
		return nil, nil
	}
	checks, err := ltl.ParseChecks(path, text)
	if err != nil {
		var e *ltl.Error
		if errors.As(err, &e) && e.Source.Line > 0 {
			e.Source.Line += line - 1
		}
		return nil, wrong(err)
	}
	source := checks[0].Property.Source
	source.Line += line - 1
	return &source, nil
}

// ofFiles is the formula in a comment `//@ ltl invariant positive: …;` of the C files.
func ofFiles(files []string) (*ltl.Source, error) {
	var found []*ltl.Property
	for _, path := range files {
		if e := filepath.Ext(path); e != ".c" && e != ".i" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, wrong(err)
		}
		all, err := ltl.ParseComments(path, string(text))
		if err != nil {
			return nil, wrong(err)
		}
		found = append(found, all...)
	}
	switch len(found) {
	case 0:
		return nil, &frontend.InputError{Text: "there is no formula", Hint: "use --ltl '…', or a comment //@ ltl invariant positive: …; in the C file"}
	case 1:
		return &found[0].Source, nil
	}
	return nil, &frontend.InputError{Text: "there are several comments with a formula", Hint: "choose one with --ltl '…'"}
}

// Load reads a formula, that in a comment of the files if it is nil, and loads the program with
// functions for its atoms. The error is one of the front end.
func Load(ctx context.Context, source *ltl.Source, o frontend.Options) (conductor.Formula, *frontend.Program, error) {
	var none conductor.Formula
	if source == nil {
		var err error
		if source, err = ofFiles(o.Files); err != nil {
			return none, nil, err
		}
	}
	p, err := ltl.Parse(*source)
	if err != nil {
		return none, nil, wrong(err)
	}
	out := conductor.Formula{LTL: p.Formula, Observer: map[ltl.Atom]product.Observer{}}
	var spans []ltl.Span
	for _, a := range ltl.Atoms(p.Formula) {
		span := p.Places[a][0]
		if a.Kind != ltl.CAtom {
			continue
		}
		text := p.Source.Text[span.Start:span.End]
		if strings.HasPrefix(text, `"`) {
			text = a.Text
		}
		observer := product.Observer{Func: frontend.ObserverName(len(o.Atoms))}
		for _, l := range frontend.LocalsOf(text) {
			observer.Locals = append(observer.Locals, product.Local{Func: l.Func, Name: l.Name})
		}
		out.Observer[a] = observer
		o.Atoms = append(o.Atoms, text)
		spans = append(spans, span)
	}
	program, err := frontend.Load(ctx, o)
	if err == nil && conductor.HasNext(p.Formula) && !program.Marked {
		// Each write is an observation, of locals, too.
		o.Unpromoted = true
		program, err = frontend.Load(ctx, o)
	}
	var atom *frontend.AtomError
	if errors.As(err, &atom) {
		span := spans[atom.Atom]
		if atom.Col > 0 && span.Start+atom.Col-1 < span.End {
			span.Start += atom.Col - 1
		}
		return none, nil, wrong(p.Source.Errorf(span, "", "%s", atom.Message))
	}
	if err != nil {
		return none, nil, err
	}
	if program.Marked {
		out.Step = frontend.StepLabel
	}
	for _, a := range ltl.Atoms(p.Formula) {
		if err := unknownEvent(program, a); err != "" {
			return none, nil, wrong(p.Source.Errorf(p.Places[a][0], "", "%s", err))
		}
	}
	return out, program, nil
}

// unknownEvent says what is wrong with an atom about a label or function, "" if nothing is.
func unknownEvent(program *frontend.Program, a ltl.Atom) string {
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
