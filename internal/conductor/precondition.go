package conductor

import (
	"context"
	"slices"
	"time"

	"assay/internal/certify/accept"
	"assay/internal/engines/lasso"
	"assay/internal/evidence/verdict"
	"assay/internal/integers/termination"
	"assay/internal/logic/bv"
	"assay/internal/models/integerize"
	"assay/internal/program/ir"
	"assay/internal/run/work"
	"assay/internal/transform/precondition"
)

// This file finds conditions on the inputs under which every run ends, for programs
// that are not known to end, or do not, whatever their inputs are: a condition is guessed,
// and what is proved is the program that assumes it, with a certificate as for any
// other program. If the program ends when no input is near the bounds of its type then
// only arithmetic that overflows was in the way, and these bounds are widened as far
// as the proof goes; else single comparisons are tried, the weaker ones first.

// Precondition is a condition under which every run ends.
type Precondition struct {
	// Condition are comparisons in C that hold together.
	Condition []string
	// Inputs are the inputs that they speak of: where each is read.
	Inputs []precondition.Input
	// Certificate is that of Module, the program that assumes the condition.
	Certificate verdict.Certificate
	Module      *ir.Module
}

// proof is a certificate of a program that assumes a condition.
type proof struct {
	m           *ir.Module
	certificate verdict.Certificate
}

const (
	// preconditionTime bounds the search, guessTime a guess, runsTime the runs with it.
	preconditionTime = 20 * time.Second
	guessTime        = 2 * time.Second
	runsTime         = 150 * time.Millisecond
	// patientTime is that for a guess with moderate inputs, which is made when no
	// simple one was right: multiplication takes time.
	patientTime = 4 * time.Second
	// maxPreconditions bounds the conditions that are shown.
	maxPreconditions = 3
)

// reserved is the part of a time limit that is left for the search for conditions.
func reserved(ctx context.Context) (context.Context, context.CancelFunc) {
	if left := work.Left(ctx); left >= 0 {
		return work.WithTimeout(ctx, time.Duration(left)*time.Microsecond-min(preconditionTime, time.Duration(left)*time.Microsecond/3))
	}
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-min(preconditionTime, time.Until(deadline)/3)))
}

// conditions is the search.
type conditions struct {
	r       *run
	m       *ir.Module
	inputs  []precondition.Input
	endless [][]*bv.BV // inputs of runs that do not end
	limit   time.Duration
}

// preconditions looks for conditions. The verdict is that of the program without any.
func (r *run) preconditions(ctx context.Context, m *ir.Module, v verdict.Verdict) []Precondition {
	x := &conditions{r: r, m: m, inputs: precondition.Inputs(m), limit: guessTime}
	if len(x.inputs) == 0 {
		return nil
	}
	if f, ok := v.(verdict.False); ok && f.OverIntegers == nil {
		x.endless = append(x.endless, x.valuesOf(f.Input))
	}
	ctx, stop := work.WithTimeout(ctx, preconditionTime)
	defer stop()
	r.report(Progress{Phase: "looking for a precondition"})
	var found []precondition.Condition
	var out []Precondition
	add := func(c precondition.Condition, t *proof) {
		found = append(found, c)
		out = append(out, x.describe(c, t))
	}
	moderate := precondition.Moderate(x.inputs)
	if t := x.ends(ctx, moderate); t != nil {
		add(x.widened(ctx, moderate, t))
		return out
	}
	candidates := precondition.Candidates(m, x.inputs)
	for _, base := range []precondition.Condition{nil, moderate} {
		if base != nil {
			x.limit = patientTime
		}
		for _, c := range candidates {
			if ctx.Err() != nil || len(out) == maxPreconditions {
				return out
			}
			if base.Implies(c) {
				continue // tried
			}
			c = slices.Concat(c, base)
			if slices.ContainsFunc(found, c.Implies) {
				continue
			}
			if t := x.ends(ctx, c); t != nil {
				if base != nil {
					c, t = x.widened(ctx, c, t)
				}
				add(c, t)
			}
		}
		if len(out) > 0 {
			break
		}
	}
	return out
}

// valuesOf are the inputs of a run.
func (x *conditions) valuesOf(in ir.Input) []*bv.BV {
	out := make([]*bv.BV, len(x.inputs))
	for _, c := range in.Choices {
		for i, y := range x.inputs {
			if c.Func == y.Func && c.Value == y.Value {
				out[i] = &c.Bits
			}
		}
	}
	return out
}

// ends proves that every run with a condition ends; nil if it does not.
func (x *conditions) ends(ctx context.Context, c precondition.Condition) *proof {
	for _, values := range x.endless {
		if c.Holds(x.inputs, values) {
			return nil
		}
	}
	made := precondition.Assume(x.m, x.inputs, c)
	if made == nil {
		return nil
	}
	assumed := made.Module
	ctx, stop := work.WithTimeout(ctx, x.limit)
	defer stop()
	if x.r.Semantics == Integers {
		return x.endsOverIntegers(ctx, assumed)
	}
	// Few runs, first: what is refuted at once need not be tried.
	few, enough := work.WithTimeout(ctx, runsTime)
	f, _ := lasso.Search(few, assumed, lasso.Options{Rounds: 1, Wraps: true})
	enough()
	if f.False != nil {
		x.endless = append(x.endless, x.valuesOf(f.False.Input))
		return nil
	}
	// What the run has found of the program is not true of this one.
	r := x.r.with(func(t *Task) { t.Progress = nil })
	t, ok := r.rank(ctx, assumed).Verdict.(verdict.True)
	if !ok {
		if t, ok = r.proveByGraph(ctx, assumed).Verdict.(verdict.True); !ok {
			return nil
		}
	}
	if r.Semantics == C && r.dependsOnWrap(ctx, assumed, t) != "" {
		return nil
	}
	return &proof{assumed, t.Certificate}
}

func (x *conditions) endsOverIntegers(ctx context.Context, m *ir.Module) *proof {
	p, err := x.r.translate(ctx, m, integerize.Integers)
	if err != nil {
		return nil
	}
	a, err := termination.Decide(ctx, p.System, termination.Options{Accept: accept.IntegerSystem, Uncertified: x.r.Options.Uncertified})
	if _, ok := a.(termination.Terminates); !ok || err != nil {
		return nil
	}
	if x.r.Options.Uncertified {
		return &proof{m, verdict.Unchecked{Why: "certification is off"}}
	}
	return &proof{m, &verdict.OverIntegers{Checker: "ranking conditions over the integers (Z3)"}}
}

// widened drops parts of a condition, or makes them weaker, as long as the proof goes.
func (x *conditions) widened(ctx context.Context, c precondition.Condition, t *proof) (precondition.Condition, *proof) {
	for i := len(c) - 1; i >= 0; i-- {
		without := slices.Delete(slices.Clone(c), i, i+1)
		if len(without) > 0 {
			if u := x.ends(ctx, without); u != nil {
				c, t = without, u
				continue
			}
		}
		for _, a := range precondition.Weaker(x.inputs, c[i]) {
			d := slices.Clone(c)
			d[i] = a
			if u := x.ends(ctx, d); u != nil {
				c, t = d, u
				break
			}
		}
	}
	return c, t
}

// describe is what the user sees.
func (x *conditions) describe(c precondition.Condition, t *proof) Precondition {
	out := Precondition{Certificate: t.certificate, Module: t.m}
	for _, a := range c {
		out.Condition = append(out.Condition, a.Text(x.inputs))
	}
	for i, y := range x.inputs {
		if slices.ContainsFunc(c, func(a precondition.Atom) bool { return a.Left == i || a.Right == i }) {
			out.Inputs = append(out.Inputs, y)
		}
	}
	return out
}
