package bmc

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
	"assay/internal/models/memory"
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

// maxContent bounds the bytes of a content taken from a model.
const maxContent = 1 << 20

// input reads the choices of a run off the solver's model; undefined says that
// some of them are values that undefined behaviour yields, approximate names a
// library function whose result is over-approximated.
func (e *engine) input() (in ir.Input, undefined bool, approximate string) {
	in.Globals = map[string]ir.GlobalChoice{}
	sp := e.u.Space()
	for _, c := range e.f.Choices {
		if !e.solver.Value(c.Guard).IsTrue() {
			continue
		}
		x := ir.Choice{Func: c.Func, Value: c.Value}
		if d := e.m.Func(c.Func).Def(c.Value); c.Approximate && approximate == "" {
			approximate = "the result of " + d.Sym + ", which its model over-approximates"
			if d.Op == ir.Havoc {
				approximate = "what " + d.Sym + ", which has no body, may have changed"
			}
		}
		if c.Bits != 0 {
			x.Bits = e.solver.Value(c.Bits)
			undefined = undefined || c.Undefined
		} else {
			x.Bytes = e.content(c.Content)
			if c.Object != 0 {
				x.Base = e.base(c.Object)
			}
		}
		in.Choices = append(in.Choices, x)
	}
	for _, c := range e.u.Externals() {
		in.Globals[c.Func] = ir.GlobalChoice{Bytes: e.content(c.Content)}
	}
	for o := 1; o <= sp.Objects(); o++ {
		ob := sp.Object(memory.ObjectID(o))
		if ob.Kind != memory.GlobalObject && ob.Kind != memory.FunctionObject {
			continue
		}
		if b := e.base(ob.ID); b != 0 {
			g := in.Globals[ob.Name]
			g.Base = b
			in.Globals[ob.Name] = g
		}
	}
	return in, undefined, approximate
}

func (e *engine) base(o memory.ObjectID) uint64 {
	if b := e.u.Space().BaseVariable(o); b != 0 {
		return e.solver.Value(b).Uint64()
	}
	return 0
}

// content is an arbitrary content in the model, as bytes.
func (e *engine) content(gen memory.Generation) []byte {
	array, elem, size, ok := e.u.Space().Contents(gen)
	if !ok {
		return nil
	}
	elements, other := e.solver.ArrayValue(array)
	if size == 0 { // symbolic: as far as somebody looks
		for i := range elements {
			size = max(size, (i+1)*uint64(elem))
		}
	}
	size = min(size, maxContent)
	b := make([]byte, size)
	put := func(i uint64, v bv.BV) {
		for k, x := range v.Bytes() {
			if at := i*uint64(elem) + uint64(k); at < size {
				b[at] = x
			}
		}
	}
	if !other.IsZero() {
		for i := uint64(0); i < size; i += uint64(elem) {
			put(i/uint64(elem), other)
		}
	}
	for i, v := range elements {
		if i < size {
			put(i, v)
		}
	}
	return b
}

// maxReplaySteps bounds a replay; a model of a bounded unwinding stays below.
const maxReplaySteps = 1 << 31

// replay runs the interpreter on the solver's model.
func (e *engine) replay(ctx context.Context) replayed {
	e.progress("replay")
	begin := time.Now()
	defer func() { e.stats.Replay += time.Since(begin) }()
	in, undefined, approximate := e.input()
	r := e.execute(ctx, in)
	r.approximate = approximate
	if r.found && (undefined && len(r.passes) > 0 || approximate != "") {
		r.depends = e.depends(ctx, e.inputs())
	}
	if r.found && !r.depends && verdict.DependsOnNaN(ctx, e.m, in, r.violation) {
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

// execute runs the interpreter until it violates the property.
func (e *engine) execute(ctx context.Context, in ir.Input) replayed {
	r := replayed{input: in, sites: map[place]bool{}}
	target := map[ir.CheckKind]bool{}
	for _, k := range e.opts.Targets {
		target[k] = true
	}
	label := e.opts.Label
	switch {
	case !target[ir.ErrorLabel]:
		label = "" // not asked about, it is passed as any other
	case label == "":
		label = "ERROR"
	}
	seen := map[verdict.Guard]bool{}
	stop := func(ev interp.Event) bool {
		g, ok := verdict.Broken(ev, label)
		if !ok {
			return false
		}
		switch {
		case target[g.Kind]:
			if !r.found {
				r.found, r.violation = true, g
			}
			if e.opts.All {
				r.sites[place{verdict.Site{Func: g.Func, Value: ev.Value, Kind: g.Kind}, ev.State.UserPos(ev.Pos)}] = true
			}
		case !r.found && !seen[g]:
			seen[g] = true
			r.passes = append(r.passes, g)
		}
		return r.found && !e.opts.All
	}
	out, err := interp.Run(ctx, e.m, interp.Options{Oracle: interp.Replay(in), StopAt: stop, Accelerate: true, MaxSteps: maxReplaySteps})
	switch {
	case err != nil:
		r.why = err.Error()
	default:
		r.why, r.large = out.String(), out.End == interp.MemoryLimit
		r.where.Pos = out.Pos
	}
	return r
}

// small says that objects whose size is not fixed fit the interpreter's memory.
func (e *engine) small() term.ID {
	sp := e.u.Space()
	t := e.st.True()
	for o := 1; o <= sp.Objects(); o++ {
		if ob := sp.Object(memory.ObjectID(o)); !ob.Sized {
			t = e.st.And(t, e.st.ULe(ob.Size, e.st.ConstU(e.m.PointerBits, maxContent)))
		}
	}
	return t
}
