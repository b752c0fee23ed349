package pathwise

import (
	"fmt"
	"slices"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/models/ssa"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// This file makes a run of a violation: a model of the path's condition, with all facts about
// addresses, gives the inputs, and the interpreter has to violate the property with them.

// Limits of the search for a run.
const (
	maxTries       = 6       // without success for one check
	smallSize      = 1 << 12 // of objects whose size is an input, if it can be
	maxContent     = 1 << 20 // bytes of a content that are taken from a model
	maxReplaySteps = 1 << 31
	pathsForClean  = 300 // that are explored after a run through undefined behaviour, for one without
)

// violation looks for a run that an event of the property has.
func (e *explorer) violation(s *state, x *ssa.Event) {
	at := site{x.Guard.Func, x.Value, x.Guard.Kind}
	if e.found != nil || e.tried[at] >= maxTries || !e.feasible(x.Under, x.If) || e.withdrawn(x) {
		return
	}
	solver := e.c.make()
	defer solver.Close()
	var parts []term.ID
	for g := x.Under; g != nil; g = g.Parent() {
		parts = append(parts, g.Cond())
	}
	parts = append(parts, x.If)
	small := slices.Clone(parts)
	for _, o := range s.p.Made() {
		if ob := e.u.Space().Object(o); !ob.Sized {
			small = append(small, e.st.ULe(ob.Size, e.st.ConstU(e.m.PointerBits, smallSize)))
		}
	}
	for t := range e.c.known {
		solver.Assert(t)
	}
	status, err := e.model(solver, small)
	if err == nil && status == smt.Unsat && len(small) > len(parts) {
		status, err = e.model(solver, parts)
	}
	switch {
	case err != nil:
		e.tried[at]++
		e.reason(verdict.Reason{Cause: verdict.CauseSolver, Func: x.Guard.Func, Pos: x.Guard.Pos, Text: "it is open whether " + x.Guard.Text + " is possible: " + err.Error()})
		return
	case status == smt.Unsat:
		return
	}
	in, undefined, approximate := e.input(s, solver)
	e.replay(x, in, undefined, approximate)
	if e.found == nil {
		e.tried[at]++
	}
}

// model asks for a model of all parts in which the facts about addresses hold.
func (e *explorer) model(solver smt.Solver, parts []term.ID) (smt.Status, error) {
	status, err := solver.Check(e.ctx, parts...)
	for err == nil && status == smt.Sat && e.u.Space().Correct(solver.Value) {
		for _, t := range e.u.Space().Facts() {
			e.c.state(t)
			solver.Assert(t)
		}
		status, err = solver.Check(e.ctx, parts...)
	}
	return status, err
}

// replay runs the interpreter.
func (e *explorer) replay(x *ssa.Event, in ir.Input, undefined bool, approximate string) {
	target := map[ir.CheckKind]bool{}
	for _, k := range e.opts.Targets {
		target[k] = true
	}
	label := e.opts.Label
	switch {
	case !target[ir.ErrorLabel]:
		label = ""
	case label == "":
		label = "ERROR"
	}
	var violated *verdict.Guard
	var passes []verdict.Guard
	out, err := interp.Run(e.ctx, e.m, interp.Options{Oracle: interp.Replay(in), Accelerate: true, MaxSteps: maxReplaySteps, StopAt: func(ev interp.Event) bool {
		g, ok := verdict.Broken(ev, label)
		switch {
		case !ok:
		case target[g.Kind]:
			violated = &g
		case !slices.Contains(passes, g):
			passes = append(passes, g)
		}
		return violated != nil
	}})
	where := verdict.Reason{Cause: verdict.CauseInexact, Func: x.Guard.Func, Pos: x.Guard.Pos}
	switch {
	case violated == nil:
		why := ""
		if err != nil {
			why = err.Error()
		} else {
			why = out.String()
		}
		where.Text = fmt.Sprintf("a possible violation was not confirmed (%s): %s", x.Guard.Text, why)
		e.reason(where)
	case undefined || approximate != "":
		where.Text = "a violation was found that depends on values that undefined behaviour yields, or that are over-approximated: " + violated.Text
		if approximate != "" {
			where.Text = fmt.Sprintf("a violation was found that depends on %s: %s", approximate, violated.Text)
		}
		e.reason(where)
	case verdict.DependsOnNaN(e.ctx, e.m, in, *violated):
		where.Text = "a violation was found that depends on the sign or payload of a NaN: " + violated.Text
		e.reason(where)
	default:
		f := verdict.False{Violation: *violated, Input: in, Passes: passes, Replayed: []string{"interpreter"}}
		if len(passes) == 0 {
			e.found = f
		} else if e.passing == nil {
			e.passing, e.passingSince = f, e.stats.Paths
		}
	}
}

// input reads the choices of the path off a model; undefined says that some of them are values that
// undefined behaviour yields, approximate names something that is over-approximated.
func (e *explorer) input(s *state, solver smt.Solver) (in ir.Input, undefined bool, approximate string) {
	in.Globals = map[string]ir.GlobalChoice{}
	sp := e.u.Space()
	base := func(o memory.ObjectID) uint64 {
		if b := sp.BaseVariable(o); b != 0 {
			return solver.Value(b).Uint64()
		}
		return 0
	}
	var lists [][]ssa.Choice
	for l := s.choices; l != nil; l = l.before {
		lists = append(lists, l.list)
	}
	slices.Reverse(lists)
	for _, list := range lists {
		for _, c := range list {
			if !solver.Value(c.Guard).IsTrue() {
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
				x.Bits = solver.Value(c.Bits)
				undefined = undefined || c.Undefined
			} else {
				x.Bytes = e.content(solver, c.Content)
				if c.Object != 0 {
					x.Base = base(c.Object)
				}
			}
			in.Choices = append(in.Choices, x)
		}
	}
	for _, c := range e.u.Externals() {
		in.Globals[c.Func] = ir.GlobalChoice{Bytes: e.content(solver, c.Content)}
	}
	for o := 1; o <= sp.Objects(); o++ {
		ob := sp.Object(memory.ObjectID(o))
		if ob.Kind != memory.GlobalObject && ob.Kind != memory.FunctionObject {
			continue
		}
		if b := base(ob.ID); b != 0 {
			g := in.Globals[ob.Name]
			g.Base = b
			in.Globals[ob.Name] = g
		}
	}
	return in, undefined, approximate
}

// content is an arbitrary content in the model, as bytes.
func (e *explorer) content(solver smt.Solver, gen memory.Generation) []byte {
	array, elem, size, ok := e.u.Space().Contents(gen)
	if !ok {
		return nil
	}
	elements, other := solver.ArrayValue(array)
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
