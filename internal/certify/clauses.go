package certify

import (
	"fmt"
	"slices"

	"assay/internal/evidence/invariant"
	"assay/internal/logic/term"
	"assay/internal/program/ir"
)

// This file checks the clauses and formulas of an induction: disjunctions of bits of
// what is there at a loop head, and any other conditions on it, for one call string. They are claimed and assumed as the
// predicates are, and it needs no more to be sound: whatever a clause means, it is
// one function of the state at the head.
//
// A value of a caller is the one that it has where the call is made. It must be
// defined before, on every path; what is not used after the call is carried there
// for the sake of the clauses (ofClauses).

// clauses are those of a head in a call string.
type clauses struct {
	calls    []invariant.Call
	list     []invariant.Clause
	formulas []invariant.Formula
}

// each calls f for what the clauses and formulas are about, with the number of bits
// that they need of it, or all bits if whole.
func each(list []invariant.Clause, formulas []invariant.Formula, f func(t invariant.Term, bits uint32, whole bool)) {
	for _, c := range list {
		for _, l := range c {
			f(l.Term, l.Bit+1, false)
		}
	}
	for i := range formulas {
		formulas[i].Each(func(t invariant.Term, width uint32) { f(t, width, true) })
	}
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
	for i := range h.Formulas {
		if x := &h.Formulas[i]; !x.Named() || x.Store.Sort(x.Root).Kind != term.SortBool {
			return "a formula has a variable without name, or is none"
		}
	}
	wrong := ""
	each(h.Clauses, h.Formulas, func(t invariant.Term, bits uint32, whole bool) {
		if wrong == "" {
			wrong = illFormedTerm(m, f, h, t, bits, whole, trees)
		}
	})
	return wrong
}

// illFormedTerm says what is wrong with what a literal or a formula is about.
func illFormedTerm(m *ir.Module, f *ir.Func, h *invariant.Head, t invariant.Term, bits uint32, whole bool, trees map[*ir.Func]*ir.DomTree) string {
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
	case t.Bits < 1 || t.Bits > 64 || bits > t.Bits || whole && bits != t.Bits:
		return fmt.Sprintf("a literal names bit %d of %d", bits-1, t.Bits)
	case t.Cell && d.Type.Kind != ir.Ptr:
		return fmt.Sprintf("value %d is no pointer", t.Value)
	case !t.Cell && d.Type.Kind != ir.Int && d.Type.Kind != ir.Ptr || !t.Cell && d.Type.Bits != t.Bits:
		return fmt.Sprintf("value %d is no integer of %d bits", t.Value, t.Bits)
	case !definedAt(g, trees[g], d, at, call):
		return fmt.Sprintf("value %d is not defined at the head, or not before the call", t.Value)
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
			each(x.list, x.formulas, func(t invariant.Term, _ uint32, _ bool) {
				at := k.head
				if t.Up > 0 {
					call := x.calls[len(x.calls)-t.Up]
					if call.Func != f.Name {
						return
					}
					at = f.Values[call.Value].Block
				} else if k.f != f.Name {
					return
				}
				if b := f.Values[t.Value].Block; b != 0 && b != at && !slices.Contains(values[at], t.Value) {
					values[at] = append(values[at], t.Value)
				}
			})
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
	return c.eachClause(fr, head, in, func(guard, holds term.ID, format string, i int) {
		// Bits, unlike sums, do not become simpler case by case.
		c.record(violation, fr, c.st.AndAll(guard, c.st.Not(holds), c.st.Not(fr.early())), c.blockValue(fr.fn, head), format, i+1)
	})
}

// assumeClauses gives the guard under which the clauses of a head hold.
func (c *checker) assumeClauses(fr *frame, head ir.BlockID, in edge) term.ID {
	return c.eachClause(fr, head, in, func(_, _ term.ID, _ string, _ int) {})
}

// eachClause gives the guard under which the clauses of a head hold; of each it says,
// before, under which guard it should.
func (c *checker) eachClause(fr *frame, head ir.BlockID, in edge, claim func(guard, holds term.ID, format string, i int)) term.ID {
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
			claim(in.guard, holds, "invariant: clause %d of the loop head does not hold", i)
			in.guard = st.And(in.guard, holds)
		}
		for i := range x.formulas {
			holds := c.formula(fr, head, in, &x.formulas[i])
			claim(in.guard, holds, "invariant: formula %d of the loop head does not hold", i)
			in.guard = st.And(in.guard, holds)
		}
	}
	return in.guard
}

// literal says whether a literal holds on a way into a head.
func (c *checker) literal(fr *frame, head ir.BlockID, in edge, l invariant.Literal) term.ID {
	st := c.st
	bits, valid := c.bitsOf(fr, head, in, l.Term)
	holds := st.BVToBool(st.Extract(bits, l.Bit, l.Bit))
	if l.Negated {
		holds = st.Not(holds)
	}
	return st.Implies(valid, holds)
}

// formula says whether a formula holds on a way into a head.
func (c *checker) formula(fr *frame, head ir.BlockID, in edge, x *invariant.Formula) term.ID {
	st := c.st
	all := st.True()
	holds := st.Copy(x.Store, x.Root, func(v term.ID) term.ID {
		bits, valid := c.bitsOf(fr, head, in, x.Names[v])
		all = st.And(all, valid)
		return bits
	})
	return st.Implies(all, holds)
}

// bitsOf is what a literal or a formula is about, on a way into a head, and whether
// it is there.
func (c *checker) bitsOf(fr *frame, head ir.BlockID, in edge, t invariant.Term) (bits, valid term.ID) {
	var x value
	if t.Up == 0 {
		x = c.atHead(fr, head, in, t.Value)
	} else {
		g := fr
		for range t.Up {
			g = g.caller
		}
		x = g.get(t.Value)
	}
	bits, valid = x.Bits, c.st.True()
	switch {
	case t.Cell:
		bits, valid = c.cellAtHead(fr, head, in, x.Value, t)
	case x.IsPointer():
		bits = x.Offset
	}
	return bits, valid
}
