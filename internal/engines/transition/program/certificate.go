package program

import (
	"context"
	"slices"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/finite/ts"
	"assay/internal/logic/floats"
	"assay/internal/logic/smt"
	"assay/internal/logic/smt/bitblast"
	"assay/internal/logic/term"
	"assay/internal/program/inline"
	"assay/internal/program/ir"
)

// This file brings invariants back to the program: an inductive invariant of the
// system is, for each loop head in each call string, a set of clauses over bits of
// what is there. They are checked on the program (package certify), so what cannot
// be said there may be left out here: whether an object lives, what a pointer points
// to, and addresses.

// Certificate is the induction that an invariant of the large-block system is,
// and the number of clauses that it leaves out.
func (s *System) Certificate(inv *ts.Invariant) (cert *verdict.Induction, dropped int) {
	cert = &verdict.Induction{K: 1, Heads: slices.Clone(s.facts)}
	names := newNamer(s)
	for i, at := range s.layout.locations {
		if i == 0 {
			continue
		}
		o := s.layout.flat.Blocks[at.block]
		f := o.Activation.Func
		h := invariant.Head{Func: f.Name, Head: o.Block, Pos: headPos(f, o.Block), Calls: callString(o.Activation)}
		known := s.constants(i)
	clauses:
		for _, c := range inv.Clauses {
			out := invariant.Clause{}
			for _, l := range c {
				switch value, known := s.constantAt(i, l); {
				case known && value:
					continue clauses
				case known:
					continue
				}
				t, ok := names.term(i, l.State)
				if !ok {
					dropped++
					continue clauses
				}
				out = append(out, invariant.Literal{Term: t, Bit: l.Bit, Negated: l.Negated})
			}
			h.Clauses = append(h.Clauses, out)
		}
		for _, x := range inv.Formulas {
			f, ok := names.formula(i, x, known)
			switch {
			case !ok:
				dropped++
			case !s.Store.IsTrue(f.Root):
				h.Formulas = append(h.Formulas, f)
			}
		}
		cert.Heads = append(cert.Heads, h)
	}
	return cert, dropped
}

func headPos(f *ir.Func, b ir.BlockID) ir.Pos {
	for _, v := range f.Blocks[b].Instrs {
		if p := f.Def(v).Pos; p.Line != 0 {
			return p
		}
	}
	return f.Pos
}

// callString is the calls that lead to an activation, the outermost first.
func callString(a *inline.Activation) []invariant.Call {
	var out []invariant.Call
	for ; a.Caller != nil; a = a.Caller {
		out = append(out, invariant.Call{Func: a.Caller.Func.Name, Value: a.Call})
	}
	slices.Reverse(out)
	return out
}

// constantAt says whether a literal has a constant value at a location: those of
// the location itself, and of values that are not needed there, which are 0.
func (s *System) constantAt(location int, l ts.Literal) (value, known bool) {
	if int(l.State) == s.pc {
		return (location>>l.Bit&1 == 1) != l.Negated, true
	}
	i := s.variableOf(int(l.State))
	if i < 0 || s.layout.variables[i].value == 0 || slices.Contains(s.layout.locations[location].values, s.layout.variables[i].value) {
		return false, false
	}
	return l.Negated, true
}

// variableOf is the variable of the layout that a state belongs to, -1 for others.
func (s *System) variableOf(state int) int {
	return slices.IndexFunc(s.index, func(x [2]int) bool { return x[0] == state || x[1] == state })
}

// namer finds names for what a state holds at a location.
type namer struct {
	s *System
	// originals gives the values of an activation by flat value.
	originals []map[ir.Value][]ir.Value
	trees     map[*ir.Func]*ir.DomTree
}

func newNamer(s *System) *namer {
	n := &namer{s: s, trees: map[*ir.Func]*ir.DomTree{}}
	for _, a := range s.layout.flat.Activations {
		m := map[ir.Value][]ir.Value{}
		for v, x := range a.Values {
			if x != 0 {
				m[x] = append(m[x], ir.Value(v))
			}
		}
		n.originals = append(n.originals, m)
	}
	return n
}

// constants are the states that are constant at a location, with their values.
func (s *System) constants(location int) map[term.ID]term.ID {
	known := map[term.ID]term.ID{}
	for i := range s.States {
		v := s.States[i].Term
		var c uint64
		for b := range s.Width(v) {
			value, constant := s.constantAt(location, ts.Literal{State: int32(i), Bit: b})
			if !constant || s.Store.Sort(v).Kind != term.SortBV || b > 63 {
				break
			}
			if value {
				c |= 1 << b
			}
			if b+1 == s.Width(v) {
				known[v] = s.Store.ConstU(b+1, c)
			}
		}
	}
	return known
}

// formula is what a formula over the states says at a location where some are constant.
func (n *namer) formula(location int, x term.ID, known map[term.ID]term.ID) (f invariant.Formula, ok bool) {
	s := n.s
	f = invariant.Formula{Store: s.Store, Root: s.Store.Substitute(x, known), Names: map[term.ID]invariant.Term{}}
	for _, v := range s.Store.Vars(f.Root) {
		for i := range s.States {
			if s.States[i].Term != v {
				continue
			}
			t, named := n.term(location, int32(i))
			if !named || s.Store.Sort(v).Kind != term.SortBV || t.Bits != s.Store.Width(v) {
				return f, false
			}
			f.Names[v] = t
		}
	}
	return f, f.Named()
}

// term is a name for a state at a location.
func (n *namer) term(location int, state int32) (invariant.Term, bool) {
	s := n.s
	i := s.variableOf(int(state))
	if i < 0 || s.index[i][1] == int(state) {
		return invariant.Term{}, false
	}
	v := &s.layout.variables[i]
	if v.value != 0 {
		if v.typ.Kind == ir.Float || v.typ.Bits > 64 {
			return invariant.Term{}, false
		}
		t, ok := n.find(location, v.value)
		t.Bits = v.typ.Bits
		return t, ok
	}
	for _, c := range s.layout.cells {
		if c.term != i || c.pointer || c.Size > 8 {
			continue
		}
		t, ok := n.address(location, s.layout.places[c.object])
		t.Cell, t.Offset, t.Bits = true, uint64(c.Offset), 8*c.Size
		return t, ok
	}
	return invariant.Term{}, false
}

// frames visits the activations around a location, the innermost first, with the
// place in each: the head, or the call.
func (n *namer) frames(location int, visit func(up int, a *inline.Activation, block ir.BlockID, call ir.Value) bool) {
	o := n.s.layout.flat.Blocks[n.s.layout.locations[location].block]
	a, block, call := o.Activation, o.Block, ir.Value(0)
	for up := 0; !visit(up, a, block, call) && a.Caller != nil; up++ {
		a, call = a.Caller, a.Call
		block = a.Func.Def(call).Block
	}
}

// find looks for a value of some activation that is the flat value.
func (n *namer) find(location int, flat ir.Value) (t invariant.Term, ok bool) {
	n.frames(location, func(up int, a *inline.Activation, block ir.BlockID, call ir.Value) bool {
		for _, v := range n.originals[a.Index][flat] {
			if n.defined(a.Func, v, block, call) {
				t, ok = invariant.Term{Value: v, Up: up}, true
				return true
			}
		}
		return false
	})
	return t, ok
}

// defined says whether a value is defined at the phis of a block, or before a call.
func (n *namer) defined(f *ir.Func, v ir.Value, block ir.BlockID, call ir.Value) bool {
	if n.trees[f] == nil {
		n.trees[f] = ir.Dominators(f)
	}
	switch d := f.Def(v); {
	case d.Block == 0:
		return d.Op == ir.Param
	case d.Block != block:
		return n.trees[f].Dominates(d.Block, block)
	case call == 0:
		return d.Op == ir.Phi
	}
	instrs := f.Blocks[block].Instrs
	return slices.Index(instrs, v) < slices.Index(instrs, call)
}

// address looks for a value that is the address of an object.
func (n *namer) address(location int, p place) (t invariant.Term, ok bool) {
	n.frames(location, func(up int, a *inline.Activation, block ir.BlockID, call ir.Value) bool {
		if p.global == nil {
			o := n.s.layout.flat.objects[p.object].origin
			if o.Activation == a && n.defined(a.Func, o.Value, block, call) {
				t, ok = invariant.Term{Value: o.Value, Up: up}, true
			}
			return ok
		}
		for v := range a.Func.Values {
			if d := &a.Func.Values[v]; d.Op == ir.GlobalAddr && d.Sym == p.global.Name {
				t, ok = invariant.Term{Value: ir.Value(v), Up: up}, true
				return true
			}
		}
		return false
	})
	return t, ok
}

// uncleanConflicts bounds the work on one place of undefined behaviour.
const uncleanConflicts = 1000

// Possible lists the guards outside of the property that an invariant does not
// exclude, as far as a bounded effort finds out.
func (s *System) Possible(ctx context.Context, inv *ts.Invariant) []verdict.Guard {
	solver := bitblast.New(s.Store, bitblast.Options{Lower: floats.Lower})
	defer solver.Close()
	st := s.Store
	for _, t := range s.Constraints {
		solver.Assert(t)
	}
	for _, c := range inv.Clauses {
		holds := st.False()
		for _, l := range c {
			bit := st.BVToBool(st.Extract(s.States[l.State].Term, l.Bit, l.Bit))
			if l.Negated {
				bit = st.Not(bit)
			}
			holds = st.Or(holds, bit)
		}
		solver.Assert(holds)
	}
	for _, f := range inv.Formulas {
		solver.Assert(f)
	}
	conds := map[verdict.Guard]term.ID{}
	var order []verdict.Guard
	for i, g := range s.Unclean {
		if conds[g] == 0 {
			conds[g] = st.False()
			order = append(order, g)
		}
		conds[g] = st.Or(conds[g], s.unclean[i])
	}
	solver.SetConflictLimit(uncleanConflicts)
	var out []verdict.Guard
	for _, g := range order {
		if status, err := solver.Check(ctx, conds[g]); err != nil || status != smt.Unsat {
			out = append(out, g)
		}
	}
	return out
}
