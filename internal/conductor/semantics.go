package conductor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/internal/certify/accept"
	"assay/internal/evidence/verdict"
	"assay/internal/integers/equations"
	"assay/internal/integers/its"
	"assay/internal/integers/termination"
	"assay/internal/models/absint"
	"assay/internal/models/integerize"
	"assay/internal/program/ir"
	"assay/internal/run/work"
)

// This file has the meanings of integer arithmetic that termination can be asked
// about, and decides it over the mathematical integers: the program becomes an
// integer transition system (package integerize), whose engines answer.

// Semantics is what integer arithmetic means.
type Semantics string

// The semantics. A program may end under one and not under another: it depends on
// overflow then.
const (
	C          Semantics = "c"           // as wrap, but what never ends only because of a signed overflow is unknown
	Wrap       Semantics = "wrap"        // modulo 2^w, signed arithmetic as well
	NoOverflow Semantics = "no-overflow" // a run ends where signed arithmetic overflows
	Integers   Semantics = "integers"    // mathematical integers: nothing overflows
)

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
func (r *run) translate(ctx context.Context, m *ir.Module, s integerize.Semantics) (*integerize.Program, error) {
	return translate(ctx, m, integerize.Options{Semantics: s, Fair: r.Fair})
}

func translate(ctx context.Context, m *ir.Module, o integerize.Options) (*integerize.Program, error) {
	facts, err := absint.Analyze(ctx, m, absint.Options{MaxSteps: factSteps})
	if err != nil {
		return nil, err
	}
	return integerize.Translate(ctx, m, facts, o)
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

// beforeEquations is the processor time in which termination over the integers is tried before products are rewritten.
const beforeEquations = 150 * time.Millisecond

// overIntegers decides whether the program ends if its integers are those of
// mathematics. Evidence is checked by itscheck, on the integer program.
func (r *run) overIntegers(ctx context.Context, m *ir.Module) Answer {
	open := func(reasons ...verdict.Reason) Answer {
		return Answer{Module: m, Verdict: verdict.Unknown{Reasons: reasons}}
	}
	r.report(Progress{Phase: "translating to integers"})
	begin := time.Now()
	p, err := r.translate(ctx, m, integerize.Integers)
	if err != nil {
		return open(untranslated(ctx, err))
	}
	translation := time.Since(begin)
	var replaced []equations.Replaced
	text := func(evidence string) string {
		var b strings.Builder
		for _, x := range replaced {
			b.WriteString(x.String() + "\n")
		}
		return b.String() + evidence
	}
	r.report(Progress{Phase: "ranking and recurrence"})
	begin = time.Now()
	o := termination.Options{Accept: accept.IntegerSystem, Uncertified: r.Options.Uncertified}
	var a termination.Answer = termination.Unknown{}
	if !o.Uncertified && len(equations.Nonlinear(p.System)) > 0 {
		// A run that does not end is mostly found without equations, in less time than they take.
		soon, stop := work.WithProcessTime(ctx, beforeEquations)
		a, err = termination.Decide(soon, p.System, o)
		stop()
		if _, isOpen := a.(termination.Unknown); isOpen && err == nil {
			p.System, replaced = equations.Linear(ctx, p.System, nil, nil, accept.Rewritten)
		}
	}
	if _, isOpen := a.(termination.Unknown); isOpen && err == nil {
		a, err = termination.Decide(ctx, p.System, o)
	}
	if err != nil {
		return open(verdict.Reason{Cause: verdict.CauseSolver, Text: err.Error()})
	}
	out := Answer{Module: m, Stats: phases([]Phase{{"translation", translation}, {"ranking and recurrence", time.Since(begin)}})}
	switch a := a.(type) {
	case termination.Terminates:
		t := verdict.True{Certificate: &verdict.OverIntegers{Text: text(p.FormatArgument(a.Argument)), Checker: "ranking conditions over the integers (Z3)"}}
		if r.Options.Uncertified {
			t.Certificate = &verdict.OverIntegers{Text: text(p.FormatArgument(a.Argument))}
		}
		out.Verdict = t
	case termination.Diverges:
		place := p.Places[p.System.Transitions[a.Recurrence.Sets[a.Recurrence.Entry].Moves[0].Path[0]].From]
		out.Verdict = verdict.False{
			Violation:    verdict.Guard{Func: place.Func.Name, Pos: place.Pos()},
			OverIntegers: &verdict.OverIntegers{Text: text(p.FormatRecurrence(a.Recurrence))},
			Replayed:     []string{"recurrent set over the integers (Z3)"},
		}
	case termination.Unknown:
		out.Verdict = verdict.Unknown{Reasons: r.undecided(ctx, m, p, a.Reasons)}
	default:
		panic(fmt.Sprintf("unexpected %T", a))
	}
	return out
}

// maxConditions bounds the conditions with products that reasons name.
const maxConditions = 3

// undecided is why termination over the integers is open: what the engines of integer programs say, and the conditions
// with products, which only few of their steps understand.
func (r *run) undecided(ctx context.Context, m *ir.Module, p *integerize.Program, why []string) []verdict.Reason {
	var reasons []verdict.Reason
	if ctx.Err() != nil {
		reasons = append(reasons, r.timeOver(m, nil, nil, nil))
	} else {
		for _, x := range why {
			reasons = append(reasons, verdict.Reason{Cause: verdict.CauseUnwinding, Text: x})
		}
	}
	hint := "a product of variables that stays below a known bound may be replaced by a variable of its own; assay rewrite --linear says what was tried"
	for _, x := range equations.Nonlinear(p.System) {
		place := p.Places[x.At]
		reason := verdict.Reason{
			Cause: verdict.CauseInexact, Text: "this depends on a product of variables, and no linear condition was found that equals " + x.Text,
			Pos: place.Pos(), Hint: hint,
		}
		if place.Func != nil {
			reason.Func = place.Func.Name
		}
		reasons = append(reasons, reason)
		hint = ""
		if len(reasons) > maxConditions {
			break
		}
	}
	if l, _ := firstLoop(m); l != nil {
		for i := range reasons {
			if reasons[i].Pos == (ir.Pos{}) {
				reasons[i].Func, reasons[i].Pos = l.Func.Name, l.Pos()
			}
		}
	}
	return reasons
}

// Cost is what a bound counts.
type Cost string

// The costs.
const (
	Iterations   Cost = "iterations"   // visits of loop heads, and calls of functions with a body
	Instructions Cost = "instructions" // instructions of the intermediate representation
	Allocated    Cost = "allocated"    // bytes given by malloc and its kin
	Heap         Cost = "heap"         // the greatest number of bytes on the heap at a time
	Stack        Cost = "stack"        // bytes of the stack that recursive calls take at a time
	CallsOf      Cost = "calls:"       // calls of the function whose name follows
	ArgumentsOf  Cost = "arguments:"   // the first arguments of its calls
)

// IntegerSystem is the integer transition system of a program; else the reason says why there is none. If a
// cost is asked for, transitions cost what the program does, and inputs are variables; a run of the
// program costs at most rest more than that of the system.
func IntegerSystem(ctx context.Context, m *ir.Module, s Semantics, c Cost) (system *its.System, rest int64, none *verdict.Reason) {
	return costSystem(ctx, m, s, c, integerize.Options{})
}

func costSystem(ctx context.Context, m *ir.Module, s Semantics, c Cost, o integerize.Options) (system *its.System, rest int64, none *verdict.Reason) {
	o.Semantics = map[Semantics]integerize.Semantics{NoOverflow: integerize.NoOverflow, Integers: integerize.Integers}[s]
	o.Cost = map[Cost]integerize.Cost{Iterations: integerize.Iterations, Instructions: integerize.Instructions, Allocated: integerize.Allocated, Heap: integerize.Heap, Stack: integerize.Frames}[c]
	if kind, name, ok := strings.Cut(string(c), ":"); ok {
		o.Cost, o.Counted = map[Cost]integerize.Cost{CallsOf: integerize.Calls, ArgumentsOf: integerize.Arguments}[Cost(kind)+":"], name
		if f := m.Func(name); f == nil || o.Cost == integerize.Arguments && !f.IsDecl() {
			return nil, 0, &verdict.Reason{Cause: verdict.CauseUnsupported, Text: "the program does not call a function " + name + " that could be counted"}
		}
	}
	p, err := translate(ctx, m, o)
	switch {
	case err != nil:
		reason := untranslated(ctx, err)
		return nil, 0, &reason
	case c == "":
		return p.System, p.Rest, nil
	case p.Recursive && c != Stack:
		return nil, 0, &verdict.Reason{Cause: verdict.CauseUnsupported, Text: "recursive functions have no cost yet"}
	}
	return p.WithInputs(), p.Rest, nil
}
