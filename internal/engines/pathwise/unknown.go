package pathwise

import (
	"assay/internal/evidence/verdict"
	"assay/internal/logic/term"
	"assay/internal/models/ssa"
	"assay/internal/program/ir"
)

// This file finds violations of memory safety that depend on a pointer made from the result of a function with
// neither body nor model: such a function returns null or a valid pointer, which the terms
// over-approximate by any address. They are no violations, but obstacles.

// taint is what a term depends on: the result of such a function, or a pointer made from one.
type taint struct{ value, pointer bool }

// withdrawn says whether an event is no violation for that reason.
func (e *explorer) withdrawn(x *ssa.Event) bool {
	switch x.Guard.Kind {
	case ir.InvalidDeref, ir.InvalidFree, ir.MemTrack, ir.MemCleanup:
	default:
		return false
	}
	if len(e.sources) == 0 {
		return false
	}
	p := x.Pointer
	if e.depends(x.Cond).pointer || p.Object != 0 && (e.depends(p.Object) != taint{} || e.depends(p.Offset).pointer) {
		e.reason(verdict.Reason{
			Cause: verdict.CauseMissingBody, Func: x.Guard.Func, Pos: x.Guard.Pos,
			Text: x.Guard.Text + " of a pointer that a function without body returned", Hint: "give the function a body, or a model",
		})
		return true
	}
	return false
}

// source notes the results of functions without body.
func (e *explorer) source(list []ssa.Choice) {
	for _, c := range list {
		if c.Bits == 0 {
			continue
		}
		if d := e.m.Func(c.Func).Def(c.Value); d.Op == ir.Nondet && ir.NondetKind(d.Aux) == ir.NondetUnknown {
			e.sources[c.Bits] = true
		}
	}
}

// depends computes what a term depends on.
func (e *explorer) depends(t term.ID) taint {
	sp := e.u.Space()
	e.st.Walk([]term.ID{t}, func(t term.ID) {
		if _, ok := e.taints[t]; ok {
			return
		}
		var x taint
		switch {
		case e.sources[t]:
			x.value = true
		case e.st.Op(t) == term.OpVar:
			if address, ok := sp.Address(t); ok && (e.depends(address) != taint{}) {
				x.pointer = true
			}
			if _, ok := sp.ReadFrom(t); ok { // through a wild pointer: it may depend on anything
				x = taint{true, true}
			}
		default:
			for i := range e.st.NumArgs(t) {
				a := e.taints[e.st.Arg(t, i)]
				x.value, x.pointer = x.value || a.value, x.pointer || a.pointer
			}
		}
		e.taints[t] = x
	})
	return e.taints[t]
}
