package conductor

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"assay/internal/certify/accept"
	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/temporal/ltl"
	"assay/internal/temporal/translation"
	"assay/internal/transform/product"
)

// This file decides formulas of linear temporal logic: is the formula true of the
// observations of every run? The negation becomes an automaton (package translation), which is
// checked by accept.Automaton, and the program its product with that (package product). A formula
// whose violation a prefix of a run shows is a question of safety of the product, for the
// engines of safety. Other formulas are questions of fair termination: does no
// run of the product execute Accept infinitely often?

// Formula is a formula about a program.
type Formula struct {
	LTL ltl.Formula
	// Observer is the function of the module that tells the truth of a C expression.
	Observer map[ltl.Atom]product.Observer
	// Step is the label of the points of observation, empty if the program does not mark them.
	Step string
}

// temporal decides the formula of the task.
func (r *run) temporal(ctx context.Context) Answer {
	begin := time.Now()
	no := func(cause verdict.Cause, pos ir.Pos, text string) Answer {
		if ctx.Err() != nil {
			return Answer{Module: r.Module, Verdict: verdict.Unknown{Reasons: []verdict.Reason{verdict.Stopped(ctx, "the product")}}}
		}
		return Answer{Module: r.Module, Verdict: verdict.Unknown{Reasons: []verdict.Reason{{Cause: cause, Pos: pos, Text: text}}}}
	}
	f := r.Formula.LTL
	negation := ltl.Not(f)
	a, stats, err := translation.Translate(ctx, negation)
	if err != nil {
		return no(verdict.CauseUnsupported, ir.Pos{}, "no automaton was made of the formula: "+err.Error())
	}
	if !r.Options.Uncertified {
		if err := accept.Automaton(ctx, a, negation, stats.Formula); err != nil {
			return no(verdict.CauseUncertified, ir.Pos{}, "the automaton of the formula was not accepted: "+err.Error())
		}
	}
	q := product.Question{Program: r.Module, Automaton: a, Step: r.Formula.Step, Next: HasNext(f), Violation: "this run violates " + f.String()}
	for _, atom := range a.Atoms {
		q.Observers = append(q.Observers, r.Formula.Observer[atom])
	}
	p, err := product.Make(&q)
	if err != nil {
		var why *product.Error
		if !errors.As(err, &why) {
			panic(err)
		}
		return no(verdict.CauseUnsupported, why.Pos, why.Why)
	}
	made := Phase{fmt.Sprintf("the product with an automaton of %d states", len(a.Edges)), time.Since(begin)}
	var out Answer
	safety := p.Safety && r.Semantics != Integers && r.runs(Safety)
	if safety {
		m := p.Module
		if r.Semantics == NoOverflow {
			m, p.Extends = assumeNoOverflow(m), false
		}
		s := r.with(func(t *Task) {
			t.Question, t.Module, t.Targets, t.Disputed = Safety, m, []ir.CheckKind{ir.Assertion}, nil
		})
		out, _ = s.play(ctx, m)
		if v, ok := out.Verdict.(verdict.False); ok && !p.Extends && !r.extends(ctx, m, v) {
			safety = false // a whole run has to be found
		}
	}
	switch {
	case safety:
	case !r.runs(Termination):
		out = no(verdict.CauseUnsupported, ir.Pos{}, "the engine "+r.Options.Only+" decides safety, and this is a question of fair termination")
	default:
		s := r.with(func(t *Task) { t.Question, t.Fair, t.Module = Termination, true, p.Module })
		stats := out.Stats
		out = s.termination(ctx)
		out.Stats.add(&stats)
	}
	if v, ok := out.Verdict.(verdict.False); ok {
		out.Truths = confirmViolation(ctx, out.Module, f, a.Atoms, v)
	}
	out.Stats.Phases = append([]Phase{made}, out.Stats.Phases...)
	return out
}

// runs says whether the engines that the task chooses answer a question.
func (r *run) runs(q Question) bool {
	t := r.Task
	t.Question = q
	name := asked(&t)
	return name == "" || Answering(name, q)
}

// HasNext says whether a formula counts observations.
func HasNext(f ltl.Formula) bool {
	return slices.ContainsFunc(ltl.Subformulas(f), func(g ltl.Formula) bool {
		u, ok := g.(ltl.Unary)
		return ok && u.Op == ltl.NextOp
	})
}

// confirmViolation runs the interpreter on a refutation and evaluates the formula on the observations
// as its operators are defined (ltl.Lasso); an automaton has no part in it. It panics if the formula is
// true, and gives the truth of the subformulas. Runs that jump over iterations, or of which only the beginning is known, are looked at as far
// as they are known: the last observation is repeated, as any other would do.
func confirmViolation(ctx context.Context, m *ir.Module, f ltl.Formula, atoms []ltl.Atom, v verdict.False) *Truths {
	if len(atoms) == 0 || len(v.Input.Jumps) > 0 || v.OverIntegers != nil || v.Endless != nil && v.Endless.Set != nil {
		return nil
	}
	type observation struct {
		holds []bool
		step  int64
	}
	var row []observation
	holds := make([]bool, len(atoms))
	out, err := interp.Run(ctx, m, interp.Options{
		Oracle: interp.Replay(v.Input), MaxSteps: confirmSteps, Repeats: v.Endless != nil, Fair: v.Endless != nil,
		StopAt: func(e interp.Event) bool {
			return v.Endless == nil && e.Kind == interp.Violation && e.Check == ir.Assertion
		},
		Observe: func(e interp.Event) {
			if e.Kind != interp.Assign || e.Func.Name != m.Entry {
				return
			}
			for i := range atoms {
				if e.Var != &e.Func.Vars[i] {
					continue
				}
				holds[i] = e.Bits.IsTrue()
				if i == len(atoms)-1 {
					row = append(row, observation{slices.Clone(holds), e.Step})
				}
			}
		},
	})
	ended := interp.Stopped // a beginning is known up to the violation, or not at all
	if v.Endless != nil {
		ended = interp.Repeats
	}
	if err != nil || len(row) == 0 || out.End != ended {
		return nil
	}
	lasso := ltl.Lasso{Len: len(row), Loop: len(row) - 1, Holds: func(a ltl.Atom, at int) bool {
		i := slices.Index(atoms, a) // of others the formula does not depend
		return i >= 0 && row[at].holds[i]
	}}
	if v.Endless != nil {
		for lasso.Loop > 0 && row[lasso.Loop-1].step >= out.Repetition.FirstStep {
			lasso.Loop--
		}
	}
	truth := lasso.Evaluate(f)
	if truth[f][0] {
		panic(fmt.Sprintf("a run was found to violate %v, but the formula is true of its observations", f))
	}
	if v.Endless != nil {
		return truthsOf(f, m, len(atoms), lasso.Len, lasso.Loop, func(g ltl.Formula, i int) ltl.Verdict { return ltl.Of(truth[g][i]) })
	}
	prefix := ltl.EvaluatePrefix(f, lasso.Len, lasso.Holds)
	return truthsOf(f, m, len(atoms), lasso.Len, lasso.Len, func(g ltl.Formula, i int) ltl.Verdict { return prefix[g][i] })
}

// confirmSteps bounds the steps of runs that are looked at again.
const confirmSteps = 1 << 22

// Trials and steps of the search for a run that goes on.
const (
	extensions     = 20
	extensionSteps = 1 << 22
)

// extends says that the beginning of a run goes on to a run: to an end of the program, which
// in the product repeats, or to a state that was there before.
func (r *run) extends(ctx context.Context, m *ir.Module, v verdict.False) bool {
	if len(v.Input.Jumps) > 0 {
		return false
	}
	for i := range extensions {
		violated := false
		out, err := interp.Run(ctx, m, interp.Options{
			Oracle: &extension{prefix: interp.Replay(v.Input), rest: rand.New(rand.NewPCG(1, uint64(i))), zero: i == 0}, MaxSteps: extensionSteps, Repeats: true,
			Observe: func(e interp.Event) { violated = violated || e.Kind == interp.Violation && e.Check == ir.Assertion },
		})
		if err != nil {
			return false
		}
		if violated && out.End == interp.Repeats { // and not on the way to the violation
			return true
		}
	}
	return false
}

// extension makes the decisions of an input, and then others.
type extension struct {
	prefix interp.Oracle
	rest   *rand.Rand
	zero   bool
	behind bool
}

// Global implements interp.Oracle.
func (e *extension) Global(name string, size uint64) ir.GlobalChoice {
	return e.prefix.Global(name, size)
}

// Next implements interp.Oracle.
func (e *extension) Next(q interp.Request) (ir.Choice, error) {
	if !e.behind {
		c, err := e.prefix.Next(q)
		if err == nil || !errors.Is(err, interp.ErrOutOfChoices) {
			return c, err
		}
		e.behind = true
	}
	c, err := interp.Zero{}.Next(q)
	if q.Kind == interp.WantValue && !e.zero && q.Type.Kind == ir.Int {
		c.Bits = bv.New(q.Type.Bits, e.rest.Uint64N(1<<e.rest.IntN(12)))
	}
	return c, err
}
