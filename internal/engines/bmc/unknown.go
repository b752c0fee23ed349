package bmc

import (
	"assay/internal/evidence/verdict"
	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/models/ssa"
	"assay/internal/program/ir"
)

// This file withdraws violations of memory safety that depend on a pointer made
// from the result of a function with neither body nor model: such a function
// returns null or a pointer to an object of unknown size, which the formula
// over-approximates by any address. They become obstacles: a proof must
// exclude them, and no counterexample may rest on them.

// taint marks what depends on the results of unknown functions.
type taint struct {
	e *engine
	// value and pointer are indexed by term: the term depends on such a result,
	// or on a pointer made from one.
	value, pointer []bool
	// sources are the variables of the results.
	sources map[term.ID]string
}

// withdraw moves the violations in question from f.Violations to f.Obstacles.
func (e *engine) withdraw(f *ssa.Formula) {
	sources := map[term.ID]string{}
	for _, c := range f.Choices {
		if c.Bits == 0 {
			continue
		}
		if d := e.m.Func(c.Func).Def(c.Value); d.Op == ir.Nondet && ir.NondetKind(d.Aux) == ir.NondetUnknown {
			sources[c.Bits] = d.Sym
		}
	}
	if len(sources) == 0 {
		return
	}
	t := taint{e: e, sources: sources}
	t.grow()
	kept := f.Violations[:0]
	for _, v := range f.Violations {
		switch v.Guard.Kind {
		case ir.InvalidDeref, ir.InvalidFree, ir.MemTrack, ir.MemCleanup:
			if t.pointer[v.Cond] || t.made(v.Pointer) {
				f.Obstacles = append(f.Obstacles, ssa.Obstacle{Cond: v.Cond, Reason: verdict.Reason{
					Cause: verdict.CauseMissingBody, Func: v.Guard.Func, Pos: v.Guard.Pos,
					Text: v.Guard.Text + " of a pointer that a function without body returned",
					Hint: "give the function a body, or a model",
				}})
				continue
			}
		}
		kept = append(kept, v)
	}
	f.Violations = kept
}

// made says that a pointer is made from such a result.
func (t *taint) made(p memory.Value) bool {
	return p.Object != 0 && (t.pointer[p.Object] || t.pointer[p.Offset] || t.value[p.Object])
}

// grow marks all terms: arguments come before the terms that use them, and the
// address of a pointer made from an integer before the pointer.
func (t *taint) grow() {
	st, sp := t.e.st, t.e.u.Space()
	n := st.Len()
	t.value, t.pointer = make([]bool, n), make([]bool, n)
	for i := 1; i < n; i++ {
		id := term.ID(i)
		if _, ok := t.sources[id]; ok {
			t.value[i] = true
			continue
		}
		if st.Op(id) == term.OpVar {
			if address, ok := sp.Address(id); ok {
				t.pointer[i] = t.value[address] || t.pointer[address]
			}
			// What was read through a wild pointer may depend on anything.
			if _, ok := sp.ReadFrom(id); ok {
				t.value[i], t.pointer[i] = true, true
			}
			continue
		}
		for k := range st.NumArgs(id) {
			a := st.Arg(id, k)
			t.value[i] = t.value[i] || t.value[a]
			t.pointer[i] = t.pointer[i] || t.pointer[a]
		}
	}
}

// unknownPointer names a function without body that returned a pointer on a run.
func (e *engine) unknownPointer(in ir.Input) string {
	for _, c := range in.Choices {
		d := e.m.Func(c.Func).Def(c.Value)
		if d.Op == ir.Nondet && d.Type.Kind == ir.Ptr && ir.NondetKind(d.Aux) == ir.NondetUnknown {
			return d.Sym
		}
	}
	return ""
}
