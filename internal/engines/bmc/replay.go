package bmc

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/models/replay"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// replayed is a model turned into a run of the interpreter.
type replayed struct {
	found     bool // the run violates the property
	violation verdict.Guard
	sites     map[place]bool  // all checks that the run violates, if all are decided
	passes    []verdict.Guard // undefined behaviour before the violation
	input     ir.Input
	why       string // what the run did instead
	where     verdict.Guard
	depends   bool // on values that undefined behaviour yielded, or a model over-approximates
	nan       bool // it depends on the sign or payload of a NaN
	large     bool // the interpreter has not enough memory for the run
	// approximate is something on the run that is over-approximated: the result of a
	// library function, or what a function without body leaves; "" if there is nothing.
	approximate string
}

func (r replayed) verdict() verdict.Verdict {
	if r.nan {
		return verdict.Unknown{Reasons: []verdict.Reason{{
			Cause: verdict.CauseInexact, Func: r.violation.Func, Pos: r.violation.Pos,
			Text: "all violations found depend on the sign or payload of a NaN: " + r.violation.Text,
		}}}
	}
	if r.depends && r.approximate != "" {
		return verdict.Unknown{Reasons: []verdict.Reason{{
			Cause: verdict.CauseInexact, Func: r.violation.Func, Pos: r.violation.Pos,
			Text: fmt.Sprintf("all violations found depend on %s: %s", r.approximate, r.violation.Text),
			Hint: "see `assay models` for what the models do; --models adds a model of your own; --unmodelled=pure lets functions without body change nothing",
		}}}
	}
	if r.depends && len(r.passes) > 0 {
		p := r.passes[0]
		return verdict.Unknown{Reasons: []verdict.Reason{{
			Cause: verdict.CauseInexact, Func: p.Func, Pos: p.Pos,
			Text: fmt.Sprintf("all violations found depend on the value that undefined behaviour yields: %s", p.Text),
			Hint: "first show that it cannot happen, by the property of its kind",
		}}}
	}
	return verdict.False{Violation: r.violation, Input: r.input, Passes: r.passes, Replayed: []string{"interpreter"}}
}

// replay runs the interpreter on the solver's model.
func (e *engine) replay(ctx context.Context) replayed {
	e.progress("replay")
	begin := time.Now()
	defer func() { e.stats.Replay += time.Since(begin) }()
	in := replay.InputOf(e.m, e.u, e.solver, e.f.Choices)
	r := e.execute(ctx, in.Input)
	r.approximate = in.Approximate
	if r.found && (in.Undefined && len(r.passes) > 0 || in.Approximate != "") {
		r.depends = e.depends(ctx, e.inputs())
	}
	if r.found && !r.depends && verdict.DependsOnNaN(ctx, e.m, in.Input, r.violation) {
		r.depends, r.nan = true, true
	}
	return r
}

// depends says whether the violation depends on the values that undefined
// behaviour yielded on the run, or that library models over-approximate: with
// the same inputs, other such values avoid every violation. Then no compiled
// program need show it.
func (e *engine) depends(ctx context.Context, inputs []term.ID) bool {
	status, err := e.check(ctx, "violation", append(inputs, e.st.Not(anyEvent(e.st, e.f.Violations)))...)
	return err != nil || status != smt.Unsat
}

// maxInputs bounds the elements of one content that inputs fixes.
const maxInputs = 1 << 10

// inputs are equations that fix what the model chooses, but for the values
// that undefined behaviour yields or models over-approximate. Contents that are
// too large stay free.
func (e *engine) inputs() []term.ID {
	var eqs []term.ID
	for _, c := range e.f.Choices {
		switch {
		case !e.solver.Value(c.Guard).IsTrue() || c.Undefined || c.Approximate:
		case c.Bits != 0:
			eqs = append(eqs, e.st.Eq(c.Bits, e.st.Const(e.solver.Value(c.Bits))))
		default:
			array, _, _, ok := e.u.Space().Contents(c.Content)
			if !ok {
				continue
			}
			elements, _ := e.solver.ArrayValue(array)
			if len(elements) > maxInputs {
				continue
			}
			for _, i := range slices.Sorted(maps.Keys(elements)) {
				eqs = append(eqs, e.st.Eq(e.st.Select(array, e.st.ConstU(e.m.PointerBits, i)), e.st.Const(elements[i])))
			}
		}
	}
	return eqs
}

// execute runs the interpreter until it violates the property, or, if all checks are decided, to its end.
func (e *engine) execute(ctx context.Context, in ir.Input) replayed {
	r := replayed{input: in, sites: map[place]bool{}}
	o := replay.Options{Targets: e.opts.Targets, Label: e.opts.Label}
	if e.opts.All {
		o.Each = func(g verdict.Guard, ev interp.Event) {
			r.sites[place{verdict.Site{Func: g.Func, Value: ev.Value, Kind: g.Kind}, ev.State.UserPos(ev.Pos)}] = true
		}
	}
	x := replay.Execute(ctx, e.m, in, o)
	r.found, r.violation, r.passes, r.why, r.large = x.Found, x.Violation, x.Passes, x.Why, x.Large
	r.where.Pos = x.Pos
	return r
}

// small says that objects whose size is not fixed fit the interpreter's memory.
func (e *engine) small() term.ID {
	sp := e.u.Space()
	t := e.st.True()
	for o := 1; o <= sp.Objects(); o++ {
		if ob := sp.Object(memory.ObjectID(o)); !ob.Sized {
			t = e.st.And(t, e.st.ULe(ob.Size, e.st.ConstU(e.m.PointerBits, replay.MaxContent)))
		}
	}
	return t
}
