package conductor

import (
	"context"
	"slices"
	"time"

	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/run/work"
)

// startTime is how long it is looked for a run.
const startTime = 3 * time.Second

// started is an answer, unless it is a proof and no run comes to where the assumption of the task is behind.
func (t *Task) started(ctx context.Context, a Answer) Answer {
	if _, isTrue := a.Verdict.(verdict.True); isTrue && t.Assumed != "" && !reached(ctx, t.Module, t.Start) {
		a.Verdict = verdict.Unknown{Reasons: []verdict.Reason{{
			Cause: verdict.CauseUnsupported, Text: "no first state satisfies what is assumed: " + t.Assumed, Hint: "without any run every property holds; weaken --assume",
		}}}
	}
	return a
}

// reached says whether some run comes to a label, if that is found out soon; else true.
func reached(ctx context.Context, m *ir.Module, label string) bool {
	ctx, stop := work.WithTimeout(ctx, startTime)
	defer stop()
	is := func(d ir.Def) bool { return d.Op == ir.Label && d.Sym == label }
	concerns := func(f *ir.Func) bool { return slices.ContainsFunc(f.Values, is) }
	marked := ir.Rewrite(m, concerns, func(e *ir.Editor, _ *ir.Func) {
		e.Each(func(v ir.Value) {
			if d := e.Func.Def(v); is(*d) {
				e.Emit(ir.Def{Op: ir.Check, Args: []ir.Value{e.Number(1, 0)}, Aux: int64(ir.Assertion), Sym: "a run comes here", Pos: d.Pos})
			}
		})
	})
	a := Decide(ctx, Task{
		Module: marked, Question: Safety, Targets: []ir.CheckKind{ir.Assertion},
		Options: Options{Only: "bmc", Solver: verdict.CaDiCaL, Uncertified: true},
	})
	_, none := a.Verdict.(verdict.True)
	return !none
}
