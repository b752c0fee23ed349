package algebra

import (
	"context"

	"assay/internal/logic/bv"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
)

// This file asks a solver that knows nothing of variables in the place of operations.

// maxRounds bounds the rounds of lemmas for one question.
const maxRounds = 200

// Refute says whether terms exclude each other; that it does not find out means nothing. Terms without
// operations are no matter of calculation: nothing is asked about them.
func Refute(ctx context.Context, st *term.Store, solver smt.Solver, roots []term.ID) (bool, error) {
	return refute(ctx, st, solver, roots, MinWidth)
}

// refute is Refute with operations of a least width.
func refute(ctx context.Context, st *term.Store, solver smt.Solver, roots []term.ID, least uint32) (bool, error) {
	o := New(st)
	o.least = least
	o.Watch(roots...)
	if len(o.widths) == 0 {
		return false, nil
	}
	for _, t := range o.withoutAll(roots) {
		solver.Assert(t)
	}
	for range maxRounds {
		status, err := solver.Check(ctx)
		if status != smt.Sat {
			return status == smt.Unsat, err
		}
		lemmas := o.Refine(func(t term.ID) bv.BV { return solver.Value(o.without(t)) }, roots...)
		if len(lemmas) == 0 {
			return false, nil
		}
		for _, t := range o.withoutAll(lemmas) {
			solver.Assert(t)
		}
	}
	return false, nil
}

// withoutAll are terms with variables in the place of the outermost operations, and of
// those on floats, of which nothing is known.
func (o *Operations) withoutAll(ts []term.ID) []term.ID {
	o.st.Walk(ts, func(t term.ID) {
		if op := o.st.Op(t); op >= term.OpFAdd && op <= term.OpFToF && o.variables[t] == 0 {
			o.variables[t] = o.st.Fresh("float", o.st.Sort(t))
			return
		}
		o.Leave(o.st, t)
	})
	return o.st.SubstituteAll(ts, o.variables)
}

func (o *Operations) without(t term.ID) term.ID {
	if x, ok := o.abstract[t]; ok {
		return x
	}
	x := o.withoutAll([]term.ID{t})[0]
	o.abstract[t] = x
	return x
}
