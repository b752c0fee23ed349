package program

import (
	"math/big"

	"assay/internal/evidence/invariant"
	"assay/internal/logic/bv"
	"assay/internal/logic/term"
	"assay/internal/program/ir"
)

// This file makes constraints of what other engines know of loop heads: predicates
// over integers. A fact about what is not part of the state, or about memory that
// the state does not keep in one piece, is left out.

// known are the facts as terms: at a location its facts hold.
func (r *round) known(facts []invariant.Head) []term.ID {
	if r.small {
		return nil
	}
	var out []term.ID
	for i, at := range r.locations {
		if i == 0 {
			continue
		}
		o := r.flat.Blocks[at.block]
		here := r.st.Eq(r.bits[r.pc], r.st.ConstU(r.pcBits(), uint64(i)))
		for k := range facts {
			if facts[k].Func != o.Activation.Func.Name || facts[k].Head != o.Block || len(facts[k].Calls) > 0 {
				continue
			}
			for _, p := range facts[k].Predicates {
				if t, ok := r.predicate(i, p); ok {
					out = append(out, r.st.Implies(here, t))
				}
			}
		}
	}
	return out
}

// predicate is a predicate of the head of a location; ok is false if the system has no
// words for it.
func (r *round) predicate(location int, p invariant.Predicate) (t term.ID, ok bool) {
	switch p := p.(type) {
	case invariant.Comparison:
		return r.comparison(location, p)
	case invariant.Guarded:
		if t, ok = r.predicate(location, p.Then); !ok {
			return 0, false
		}
		for _, c := range p.If {
			condition, ok := r.comparison(location, c)
			if !ok {
				return 0, false
			}
			t = r.st.Or(r.st.Not(condition), t)
		}
		return t, true
	}
	return 0, false
}

// comparison is a comparison of integers.
func (r *round) comparison(location int, p invariant.Comparison) (term.ID, bool) {
	st := r.st
	if p.Relation == invariant.Congruent && p.Modulus == 0 {
		return 0, false
	}
	w := p.Width()
	number := func(n *big.Int) term.ID { return st.Const(bv.FromBig(w, n)) }
	sum := number(new(big.Int).Neg(p.Bound))
	for _, t := range p.Terms {
		x, ok := r.summand(location, t)
		if !ok {
			return 0, false
		}
		if t.Signed {
			x = st.SExtOrTrunc(x, w)
		} else {
			x = st.ZExtOrTrunc(x, w)
		}
		sum = st.Add(sum, st.Mul(number(big.NewInt(t.Coeff)), x))
	}
	zero := number(new(big.Int))
	switch p.Relation {
	case invariant.AtMost:
		return st.SLe(sum, zero), true
	case invariant.NotEqual:
		return st.Not(st.Eq(sum, zero)), true
	}
	return st.Eq(st.SRem(sum, number(new(big.Int).SetUint64(p.Modulus))), zero), true
}

// summand is the integer of a term in the state of a location.
func (r *round) summand(location int, t invariant.Term) (term.ID, bool) {
	if t.Index || t.Stride != 0 || t.Float {
		return 0, false
	}
	o := r.flat.Blocks[r.locations[location].block]
	d := o.Activation.Func.Def(t.Value)
	if d.Op == ir.Const {
		return r.st.Const(d.Const), !t.Cell
	}
	if !t.Cell {
		v := o.Activation.Values[t.Value]
		if v == 0 {
			return 0, false
		}
		if c := r.flat.Func.Def(v); c.Op == ir.Const {
			return r.st.Const(c.Const), true
		}
		for _, x := range r.locations[location].values {
			if x == v && r.flat.Func.Type(v).Kind == ir.Int {
				return r.bits[r.variables[r.byValue[v]].chosen], true
			}
		}
		return 0, false
	}
	p := place{object: -1}
	if d.Op == ir.GlobalAddr {
		for _, g := range r.flat.m.Globals {
			if g.Name == d.Sym {
				p = place{global: g}
			}
		}
	} else {
		for k := range r.flat.objects {
			if r.flat.objects[k].value == o.Activation.Values[t.Value] {
				p = place{object: k}
			}
		}
	}
	for _, c := range r.cells {
		if r.places[c.object] == p && !c.pointer && uint64(t.Offset) == uint64(c.Range.Offset) && t.Bits == 8*c.Range.Size {
			return r.bits[r.variables[c.term].chosen], true
		}
	}
	return 0, false
}
