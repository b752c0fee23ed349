package assay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"assay/internal/absint"
	"assay/internal/frontend"
	"assay/internal/integerize"
	"assay/internal/ir"
	"assay/internal/its"
	"assay/internal/show"
	"assay/internal/termination"
	"assay/internal/verdict"
)

// This file has the meanings of integer arithmetic that termination can be asked
// about, and decides it over the mathematical integers: the program becomes an
// integer transition system (package integerize), whose engines answer.

// Semantics is what integer arithmetic means.
type Semantics string

// The semantics. A program may end under one and not under another: it depends on
// overflow then.
const (
	SemanticsC          Semantics = "c"           // as wrap, but what never ends only because of a signed overflow is unknown
	SemanticsWrap       Semantics = "wrap"        // modulo 2^w, signed arithmetic as well
	SemanticsNoOverflow Semantics = "no-overflow" // a run ends where signed arithmetic overflows
	SemanticsIntegers   Semantics = "integers"    // mathematical integers: nothing overflows
)

// AllSemantics are the values of Program.Semantics.
var AllSemantics = []string{string(SemanticsC), string(SemanticsWrap), string(SemanticsNoOverflow), string(SemanticsIntegers)}

// assumeNoOverflow is the module in which a signed overflow ends the run: each check
// is assumed.
func assumeNoOverflow(m *ir.Module) *ir.Module {
	out := *m
	out.Funcs = slices.Clone(m.Funcs)
	for i, f := range out.Funcs {
		g := *f
		g.Values = slices.Clone(f.Values)
		changed := false
		for v := range g.Values {
			if d := &g.Values[v]; d.Op == ir.Check && ir.CheckKind(d.Aux) == ir.Overflow {
				d.Op, d.Aux, d.Sym = ir.Assume, 0, ""
				changed = true
			}
		}
		if changed {
			out.Funcs[i] = &g
		}
	}
	return &out
}

// factSteps bounds the abstract interpretation: without it the translation knows less.
const factSteps = 500_000

// translate makes the integer program.
func translate(ctx context.Context, m *ir.Module, s integerize.Semantics) (*integerize.Program, error) {
	facts, err := absint.Analyze(ctx, m, absint.Options{MaxSteps: factSteps})
	if err != nil {
		return nil, err
	}
	return integerize.Translate(ctx, m, facts, integerize.Options{Semantics: s})
}

// untranslated is the reason that an error of translate is.
func untranslated(ctx context.Context, err error) verdict.Reason {
	var u *integerize.ErrUntranslated
	if errors.As(err, &u) {
		return verdict.Reason{Cause: verdict.CauseUnsupported, Text: "no integer transition system: " + u.Why, Func: u.Func, Pos: u.Pos}
	}
	if ctx.Err() != nil {
		return verdict.Reason{Cause: verdict.CauseTimeout, Text: "the time limit was reached"}
	}
	return verdict.Reason{Cause: verdict.CauseSolver, Text: err.Error()}
}

// overIntegers decides whether the program ends if its integers are those of
// mathematics. Evidence is checked by itscheck, on the integer program.
func (r *run) overIntegers(ctx context.Context, program *frontend.Program) *Result {
	m := program.Module
	search := ctx
	if r.task.Engine.Precondition {
		var release context.CancelFunc
		search, release = reserved(ctx)
		defer release()
	}
	unknown := func(reasons ...verdict.Reason) *Result {
		result := explain(m, verdict.Unknown{Reasons: reasons})
		if r.task.Engine.Precondition {
			result.TerminatesWhen = r.preconditions(ctx, m, nil)
		}
		result.Assumptions = r.assumptions(program)
		return result
	}
	r.enter("translating to integers")
	begin := time.Now()
	p, err := translate(search, m, integerize.Integers)
	if err != nil {
		return unknown(untranslated(search, err))
	}
	translation := time.Since(begin)
	r.enter("ranking and recurrence")
	begin = time.Now()
	a, err := termination.Decide(search, p.System, termination.Options{Uncertified: r.task.Engine.Uncertified})
	if err != nil {
		return unknown(verdict.Reason{Cause: verdict.CauseSolver, Text: err.Error()})
	}
	var result *Result
	switch a := a.(type) {
	case termination.Terminates:
		result = &Result{Answer: True, Certificate: &Certificate{Checker: "ranking conditions over the integers (Z3)"}, Integer: p.FormatArgument(a.Argument)}
		if r.task.Engine.Uncertified {
			result.Certificate = &Certificate{Unchecked: "--certify=off"}
		}
	case termination.Diverges:
		place := p.Places[p.System.Transitions[a.Recurrence.Sets[a.Recurrence.Entry].Moves[0].Path[0]].From]
		pos := place.Pos()
		result = &Result{Answer: False, Violated: Termination, Integer: p.FormatRecurrence(a.Recurrence), Replayed: []string{"recurrent set over the integers (Z3)"}}
		result.Violation = &Place{Pos: show.PositionOf(m, pos), Func: place.Func.Name, Kind: "non-termination", Text: "the loop runs for ever, over the mathematical integers"}
		if r.task.Engine.Precondition {
			result.TerminatesWhen = r.preconditions(ctx, m, nil)
		}
	case termination.Unknown:
		var reasons []verdict.Reason
		for _, why := range a.Reasons {
			reasons = append(reasons, verdict.Reason{Cause: verdict.CauseUnwinding, Text: why})
		}
		return unknown(reasons...)
	default:
		panic(fmt.Sprintf("unexpected %T", a))
	}
	result.Stats.Phases = []Phase{{"translation", translation}, {"ranking and recurrence", time.Since(begin)}}
	result.Assumptions = append(r.assumptions(program), Assumption{Text: "the answer is about mathematical integers: nothing overflows or wraps (--semantics integers)"})
	return result
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
	p, err := translate(ctx, program.Module, map[Semantics]integerize.Semantics{
		SemanticsNoOverflow: integerize.NoOverflow, SemanticsIntegers: integerize.Integers,
	}[t.Program.Semantics])
	if err != nil {
		reason := untranslated(ctx, err)
		return "", &InputError{Pos: show.PositionOf(program.Module, reason.Pos), Message: reason.Text}
	}
	switch format {
	case "koat":
		return its.WriteKoAT(p.System), nil
	case "t2":
		return its.WriteT2(p.System), nil
	case "smt2":
		return its.WriteSMT(p.System), nil
	case "ari":
		return its.WriteARI(p.System), nil
	}
	return "", &InputError{Message: "unknown format " + format, Hint: "koat, t2, smt2 or ari"}
}
