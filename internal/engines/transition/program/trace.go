package program

import (
	"fmt"

	"assay/internal/finite/ts"
	"assay/internal/logic/bv"
	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/program/ir"
)

// This file turns runs of the system into inputs of the program, for the
// interpreter: the choices of each step, in the order in which it makes them.

// Run is a run of the program as the system sees it.
type Run struct {
	Input ir.Input
	// Undefined says that a choice is the result of undefined behaviour,
	// Approximate that a library model over-approximates it, Unknown that it is
	// the result of a function without body.
	Undefined, Approximate, Unknown bool
}

// maxContent bounds the bytes of a content taken from a trace.
const maxContent = 1 << 20

// Input reads the choices off a trace.
func (s *System) Input(t *ts.Trace) (*Run, error) {
	steps, err := s.Simulate(t)
	if err != nil {
		return nil, fmt.Errorf("the trace is no run of the system: %w", err)
	}
	run := &Run{Input: ir.Input{Globals: map[string]ir.GlobalChoice{}}}
	values := make([]bv.BV, s.Store.Len())
	e := term.NewEvaluator(s.Store, func(v term.ID) (bv.BV, bool) {
		if values[v].Width() == 0 { // nothing depends on it
			return bv.New(max(s.Store.Width(v), 1), 0), true
		}
		return values[v], true
	})
	for k, a := range steps {
		for i, v := range s.States {
			values[v.Term] = a.States[i]
		}
		for i, v := range s.Inputs {
			values[v.Term] = a.Inputs[i]
		}
		e.Reset()
		if k == 0 {
			s.globals(run, values)
		}
		s.choices(run, e, values)
	}
	return run, nil
}

// choices adds those of one step.
func (s *System) choices(run *Run, e *term.Evaluator, values []bv.BV) {
	next := 0
	mark := func(n int) {
		for ; next < len(s.r.sites) && s.r.sites[next].choices <= n; next++ {
			x := s.r.sites[next]
			o := &s.r.flat.objects[x.object]
			if !e.Bool(s.marks[next]) || !o.once {
				continue
			}
			c := ir.Choice{Func: o.origin.Activation.Func.Name, Value: o.origin.Value}
			for _, made := range s.r.f.Choices {
				if made.Func == stepName && made.Value == s.r.addr[x.object] && made.Object != 0 {
					c.Bytes, c.Base = s.content(made.Content, values), s.base(made.Object, values)
					break
				}
			}
			run.Input.Choices = append(run.Input.Choices, c)
		}
	}
	for i, c := range s.r.f.Choices {
		mark(i)
		x := ir.Choice{Func: c.Func, Value: c.Value}
		if c.Func == stepName {
			at, ok := s.r.originOf(c.Value)
			if !ok || at.Value == 0 {
				continue // of the step itself
			}
			x.Func, x.Value = at.Activation.Func.Name, at.Value
		}
		if !e.Bool(s.guards[i]) {
			continue
		}
		if d := s.r.m.Func(c.Func).Def(c.Value); d.Op == ir.Nondet && ir.NondetKind(d.Aux) == ir.NondetUnknown {
			run.Unknown = true
		}
		run.Approximate = run.Approximate || c.Approximate
		if c.Bits != 0 {
			x.Bits = e.Value(s.values[i])
			run.Undefined = run.Undefined || c.Undefined
		} else {
			x.Bytes = s.content(c.Content, values)
			if c.Object != 0 {
				x.Base = s.base(c.Object, values)
			}
		}
		run.Input.Choices = append(run.Input.Choices, x)
	}
	mark(len(s.r.f.Choices))
}

// globals adds the initial state.
func (s *System) globals(run *Run, values []bv.BV) {
	sp := s.r.u.Space()
	for _, c := range s.r.u.Externals() {
		run.Input.Globals[c.Func] = ir.GlobalChoice{Bytes: s.content(c.Content, values)}
	}
	for o := 1; o <= sp.Objects(); o++ {
		ob := sp.Object(memory.ObjectID(o))
		if ob.Kind != memory.GlobalObject && ob.Kind != memory.FunctionObject {
			continue
		}
		if b := s.base(ob.ID, values); b != 0 {
			g := run.Input.Globals[ob.Name]
			g.Base = b
			run.Input.Globals[ob.Name] = g
		}
	}
}

func (s *System) base(o memory.ObjectID, values []bv.BV) uint64 {
	b := s.r.u.Space().BaseVariable(o)
	if b == 0 || int(b) >= len(values) || values[b].Width() == 0 {
		return 0
	}
	return values[b].Uint64()
}

// content is an arbitrary content as bytes.
func (s *System) content(g memory.Generation, values []bv.BV) []byte {
	array, elem, size, ok := s.r.u.Space().Contents(g)
	if !ok {
		return nil
	}
	out := make([]byte, min(size, maxContent))
	for k := uint64(0); k*uint64(elem) < uint64(len(out)); k++ {
		t, ok := s.lower.elements[elementKey{array, k}]
		if !ok || int(t) >= len(values) || values[t].Width() == 0 {
			continue
		}
		for i, x := range values[t].Bytes() {
			if at := k*uint64(elem) + uint64(i); at < uint64(len(out)) {
				out[at] = x
			}
		}
	}
	return out
}

// Obstacles are the reasons why the last step of a trace is not exact.
func (s *System) Obstacles(t *ts.Trace) []int {
	steps, err := s.Simulate(t)
	if err != nil {
		return nil
	}
	last := steps[len(steps)-1]
	values := make([]bv.BV, s.Store.Len())
	for i, v := range s.States {
		values[v.Term] = last.States[i]
	}
	for i, v := range s.Inputs {
		values[v.Term] = last.Inputs[i]
	}
	e := term.NewEvaluator(s.Store, func(v term.ID) (bv.BV, bool) { return values[v], values[v].Width() != 0 })
	var out []int
	for i, c := range s.conds {
		if e.Bool(c) {
			out = append(out, i)
		}
	}
	return out
}
