package integerize

// Forms and constraints of the system as sums and predicates of the program.

import (
	"assay/internal/evidence/invariant"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// term is what a variable is at a location, false if it cannot be said in the
// function of the location.
func (p *Program) term(l its.Location, v linear.Var, coef linear.Number) (invariant.Term, bool) {
	k, small := coef.Int64()
	if int(v) >= len(p.slots) { // a product of variables
		return invariant.Term{}, false
	}
	s := p.slots[v]
	if !small || s.width > 64 {
		return invariant.Term{}, false
	}
	t := invariant.Term{Coeff: k, Bits: s.width, Signed: s.view == signed}
	fr := p.frames[l].frame
	switch {
	case s.cell == nil && s.value.frame == fr && p.frames[l].has[int(v)]:
		t.Value = s.value.value
		return t, true
	case s.cell == nil:
		return t, false
	case s.cell.object.key.Global != nil:
		f := fr.fn.f
		for i := range f.Values {
			if d := f.Def(ir.Value(i)); d.Op == ir.GlobalAddr && d.Sym == s.cell.object.key.Global.Name {
				t.Value, t.Cell, t.Offset = ir.Value(i), true, s.cell.offset
				return t, true
			}
		}
	case fr.facts != nil && s.cell.object.key.Context == fr.facts && fr.fn.f.Def(s.cell.object.key.Site).Op == ir.Alloca:
		t.Value, t.Cell, t.Offset = s.cell.object.key.Site, true, s.cell.offset
		return t, true
	}
	return t, false
}

// sum translates a form up to its constant; exact is false if some term is left
// out.
func (p *Program) sum(l its.Location, f linear.Form) (terms []invariant.Term, exact bool) {
	exact = true
	for _, m := range f.Terms {
		t, ok := p.term(l, m.Var, m.Coef)
		if !ok {
			exact = false
			continue
		}
		terms = append(terms, t)
	}
	return terms, exact
}

// predicates translates a constraint: none if it cannot be said.
func (p *Program) predicates(l its.Location, c linear.Constraint) (out []invariant.Comparison) {
	for _, f := range c.Inequalities() { // f >= 0: -terms <= constant
		f = f.Integral()
		f = f.Scale(f.Const.Denominator())
		terms, exact := p.sum(l, f.Neg())
		if !exact || len(terms) == 0 {
			return nil
		}
		q := invariant.Comparison{Terms: terms, Relation: invariant.AtMost, Bound: f.Const.BigInt()}
		if !trivial(q) {
			out = append(out, q)
		}
	}
	return out
}

// trivial says that the width of a value implies a comparison.
func trivial(q invariant.Comparison) bool {
	if len(q.Terms) != 1 {
		return false
	}
	t := q.Terms[0]
	v := unsigned
	if t.Signed {
		v = signed
	}
	r := limits(t.Bits, v).scale(linear.Int(t.Coeff))
	return r.hi.Cmp(linear.FromBigInt(q.Bound)) <= 0
}
