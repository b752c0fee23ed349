package integerize

import (
	"fmt"

	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// This file says what paths cost. Visits, calls and instructions are counted along a path, and so are amounts
// (bytes that are allocated, arguments of a function) that are constant. Others are linear forms: a path
// ends behind each instruction that has one, so that a transition has one at most, and none is left
// where a run ends between locations.

// pays is the operand that an instruction costs, 0 if it costs none.
func (t *translation) pays(d *ir.Def) ir.Value {
	switch {
	case (t.o.Cost == Allocated || t.o.Cost == Heap) && d.Op == ir.Malloc, t.o.Cost == Arguments && d.Op == ir.Call && d.Sym == t.o.Counted && len(d.Args) > 0:
		return d.Args[0]
	}
	return 0
}

// maxCounted bounds constant amounts that are counted along a path.
const maxCounted = 1 << 40

// pay counts an amount; if it is not constant, the path ends behind it.
func (t *translation) pay(s *state, fr *frame, d *ir.Def) *outcome {
	amount := t.in(s, fr, t.pays(d), unsigned).form
	if n, ok := amount.Const.Int64(); ok && amount.IsConstant() && n <= maxCounted && s.work.counted <= maxCounted {
		s.work.counted += n
		s.index++
		return goOn
	}
	s.amount = amount
	t.finish(s, fr, s.block, s.index+1, nil, nil)
	return over
}

// cost is what a path costs that arrives at a loop head or not.
func (t *translation) cost(w work, head bool) int64 {
	switch t.o.Cost {
	case Steps:
		return 1
	case Instructions:
		return w.instructions
	case Iterations:
		if head {
			return w.calls + 1
		}
		return w.calls
	case Calls, Arguments, Allocated, Frames:
		return w.counted
	case Heap:
		return 0
	}
	panic(fmt.Sprintf("unexpected cost %d", t.o.Cost))
}

// price is the cost of a path as a form.
func (t *translation) price(s *state, head bool) linear.Form {
	return s.amount.Add(linear.Constant(linear.Int(t.cost(s.work, head))))
}
