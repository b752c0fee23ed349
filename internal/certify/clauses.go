package certify

import (
	"fmt"
	"slices"

	"assay/internal/invariant"
	"assay/internal/ir"
	"assay/internal/term"
)

// This file checks the clauses of an induction: disjunctions of bits of what is
// there at a loop head, for one call string. They are claimed and assumed as the
// predicates are, and it needs no more to be sound: whatever a clause means, it is
// one function of the state at the head.
//
// A value of a caller is the one that it has where the call is made. It must be
// defined before, on every path; what is not used after the call is carried there
// for the sake of the clauses (ofClauses).

// clauses are those of a head in a call string.
type clauses struct {
	calls []invariant.Call
	list  []invariant.Clause
}

// illFormedClauses says what is wrong with the clauses of a head, if anything is.
func illFormedClauses(m *ir.Module, f *ir.Func, dom *ir.DomTree, h *invariant.Head) string {
	trees := map[*ir.Func]*ir.DomTree{f: dom}
	for i, call := range h.Calls {
		g := m.Func(call.Func)
		if g == nil || call.Value < 1 || int(call.Value) >= len(g.Values) || g.Values[call.Value].Op != ir.Call {
			return fmt.Sprintf("call %d of the call string is none", i+1)
		}
	}
	for _, c := range h.Clauses {
		for _, l := range c {
			t := l.Term
			g, at := f, h.Head
			if t.Index || t.Stride != 0 {
				return "a literal is about an element of a range"
			}
			if t.Up < 0 || t.Up > len(h.Calls) {
				return "a literal is about a caller that is not in the call string"
			}
			var call ir.Value
			if t.Up > 0 {
				x := h.Calls[len(h.Calls)-t.Up]
				g, call = m.Func(x.Func), x.Value
				at = g.Values[call].Block
			}
			if trees[g] == nil {
				trees[g] = ir.Dominators(g)
			}
			if t.Value < 1 || int(t.Value) >= len(g.Values) {
				return fmt.Sprintf("there is no value %d", t.Value)
			}
			d := &g.Values[t.Value]
			switch {
			case t.Bits < 1 || t.Bits > 64 || l.Bit >= t.Bits:
				return fmt.Sprintf("a literal names bit %d of %d", l.Bit, t.Bits)
			case t.Cell && d.Type.Kind != ir.Ptr:
				return fmt.Sprintf("value %d is no pointer", t.Value)
			case !t.Cell && d.Type.Kind != ir.Int && d.Type.Kind != ir.Ptr || !t.Cell && d.Type.Bits != t.Bits:
				return fmt.Sprintf("value %d is no integer of %d bits", t.Value, t.Bits)
			case !definedAt(g, trees[g], d, at, call):
				return fmt.Sprintf("value %d is not defined at the head, or not before the call", t.Value)
			}
		}
	}
	return ""
}

// definedAt says whether a value is defined on every path to the phis of a block, or
// if a call is given, to it.
func definedAt(f *ir.Func, dom *ir.DomTree, d *ir.Def, at ir.BlockID, call ir.Value) bool {
	switch {
	case d.Block == 0:
		return ir.IsConst(d.Op) || d.Op == ir.Param
	case d.Block != at:
		return dom.Dominates(d.Block, at)
	case call == 0:
		return d.Op == ir.Phi
	}
	instrs := f.Blocks[at].Instrs
	for _, v := range instrs[:slices.Index(instrs, call)] {
		if &f.Values[v] == d {
			return true
		}
	}
	return false
}

// ofClauses adds the values of a function that must be carried to the start of a
// block for the sake of clauses.
func (c *checker) ofClauses(f *ir.Func, values map[ir.BlockID][]ir.Value) {
	for k, list := range c.induction.clauses {
		for _, x := range list {
			for _, clause := range x.list {
				for _, l := range clause {
					t := l.Term
					at := k.head
					if t.Up > 0 {
						call := x.calls[len(x.calls)-t.Up]
						if call.Func != f.Name {
							continue
						}
						at = f.Values[call.Value].Block
					} else if k.f != f.Name {
						continue
					}
					if b := f.Values[t.Value].Block; b != 0 && b != at && !slices.Contains(values[at], t.Value) {
						values[at] = append(values[at], t.Value)
					}
				}
			}
		}
	}
}

// enteredBy says whether the activations of a frame are those of a call string.
func (fr *frame) enteredBy(calls []invariant.Call) bool {
	for i := len(calls) - 1; i >= 0; i-- {
		fr = fr.caller
		if fr == nil || fr.fn.f.Name != calls[i].Func || fr.call == nil || fr.call.v != calls[i].Value {
			return false
		}
	}
	return len(calls) == 0 || fr.caller == nil
}

// visitClauses claims the clauses at a visit of a head, and gives the guard under
// which they hold.
func (c *checker) visitClauses(fr *frame, head ir.BlockID, in edge) term.ID {
	st := c.st
	for _, x := range c.induction.clauses[headKey{fr.fn.f.Name, head}] {
		if !fr.enteredBy(x.calls) {
			continue
		}
		for i, clause := range x.list {
			holds := st.False()
			for _, l := range clause {
				holds = st.Or(holds, c.literal(fr, head, in, l))
			}
			c.claim(violation, fr, st.And(in.guard, st.Not(holds)), c.blockValue(fr.fn, head), "invariant: clause %d of the loop head does not hold", i+1)
			in.guard = st.And(in.guard, holds)
		}
	}
	return in.guard
}

// literal says whether a literal holds on a way into a head.
func (c *checker) literal(fr *frame, head ir.BlockID, in edge, l invariant.Literal) term.ID {
	st := c.st
	var x value
	if l.Term.Up == 0 {
		x = c.atHead(fr, head, in, l.Term.Value)
	} else {
		g := fr
		for range l.Term.Up {
			g = g.caller
		}
		x = g.get(l.Term.Value)
	}
	bits := x.Bits
	valid := st.True()
	switch {
	case l.Term.Cell:
		bits, valid = c.cellAtHead(fr, head, in, x.Value, l.Term)
	case x.IsPointer():
		bits = x.Offset
	}
	holds := st.BVToBool(st.Extract(bits, l.Bit, l.Bit))
	if l.Negated {
		holds = st.Not(holds)
	}
	return st.Implies(valid, holds)
}
