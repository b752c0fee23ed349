package symex

import (
	"maps"
	"slices"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
)

// This file joins what is known at offsets that differ between two states: the
// terminating zero of a string is somewhere in its buffer, and that is all a loop
// needs. A symbol may be nothing but such an offset; then any value of it in the
// second state will do for which there is a cell.

// open are the terms of a form of the first state whose symbols have no value yet.
func (j *joiner) open(f linear.Form) []linear.Term {
	var open []linear.Term
	for _, t := range f.Terms {
		if _, bound := j.bound[t.Var]; !bound {
			open = append(open, t)
		}
	}
	return open
}

// solve gives the only open symbol of f the value that makes f equal to g in the
// second state, if that is a form in the symbol's range.
func (j *joiner) solve(f, g linear.Form, open linear.Term) bool {
	rest := f.AddScaled(open.Coef.Neg(), linear.Variable(open.Var))
	h := g.Sub(j.image(rest)).Scale(open.Coef.Inv())
	if !h.IsIntegral() || !j.inRange(open.Var, h) {
		return false
	}
	j.bound[open.Var] = h
	j.pairs = append(j.pairs, pair{a: linear.Variable(open.Var), b: h, symbol: open.Var})
	return true
}

// widen is solve with a new symbol instead of one whose range is too small.
func (j *joiner) widen(f, g linear.Form, open linear.Term) (linear.Form, bool) {
	if j.first == nil || j.plain || len(f.Terms) < 2 || len(j.x.arrays) == 0 {
		return f, false
	}
	v := linear.Variable(open.Var)
	rest := f.AddScaled(open.Coef.Neg(), v)
	h := g.Sub(j.image(rest)).Scale(open.Coef.Inv())
	if !h.IsIntegral() {
		return f, false
	}
	low, high := j.first.low(v), j.first.high(v)
	if n := j.second.low(h); n.Cmp(low) < 0 {
		low = n
	}
	if n := j.second.high(h); n.Cmp(high) > 0 {
		high = n
	}
	w := j.x.fresh(low, high)
	n, _ := w.IsVariable()
	j.pairs = append(j.pairs, pair{a: v, b: h, symbol: n, fresh: true})
	j.bound[n] = h
	return rest.AddScaled(open.Coef, w), true
}

// offsets binds symbols that are open because they occur in offsets of cells only.
// The guess is a cell that has the same offset, or else the same value.
func (j *joiner) offsets(a, b *state) {
	for i := range a.Objects {
		if a.Objects[i].List != nil {
			continue
		}
		for k := range a.Objects[i].Cells {
			p := &a.Objects[i].Cells[k]
			open := j.open(p.Offset)
			if len(open) != 1 {
				continue
			}
			var best *cell
			same := false
			for m := range b.Objects[i].Cells {
				q := &b.Objects[i].Cells[m]
				if q.Type != p.Type || q.Value.Kind != p.Value.Kind {
					continue
				}
				if q.Offset.Equal(p.Offset) {
					best, same = q, true
				} else if !same && q.Value.Form.Equal(j.image(p.Value.Form)) {
					best = q
				}
			}
			if best != nil {
				j.solve(p.Offset, best.Offset, open[0])
			}
		}
	}
}

// somewhere finds a cell of the second state with the value of a cell of the first,
// at another offset, and gives both offsets a symbol.
func (j *joiner) somewhere(p *cell, oa, ob *object) (value, linear.Form, bool) {
	if j.plain || p.Value.Kind != symgraph.Int {
		return value{}, linear.Form{}, false
	}
	for i := range ob.Cells {
		q := &ob.Cells[i]
		if q.Type != p.Type || q.Value.Kind != p.Value.Kind || !q.Value.Form.Equal(j.image(p.Value.Form)) {
			continue
		}
		if slices.ContainsFunc(oa.Cells, func(r cell) bool { return r.Type == q.Type && j.image(r.Offset).Equal(q.Offset) }) {
			continue // it is what another cell became
		}
		return q.Value, j.form(p.Offset, q.Offset, j.x.pointerBits()), true
	}
	return value{}, linear.Form{}, false
}

// maxShifted bounds the facts that a join tries with new symbols.
const maxShifted = 64

// shifted tries a fact g >= 0 of the first state with new symbols that were a constant
// there: what g lost a counter may have gained, and what g has left it may take.
func (j *joiner) shifted(out []linear.Constraint, g linear.Form, used map[linear.Var]bool) []linear.Constraint {
	for i := range j.pairs {
		p := &j.pairs[i]
		if !p.fresh || !used[p.symbol] || !p.a.IsConstant() || g.Has(p.symbol) {
			continue
		}
		if j.tried++; j.tried > maxShifted {
			break
		}
		gained := linear.Variable(p.symbol).Plus(p.a.Const.Neg())
		forms := []linear.Form{g.Add(gained), g.Sub(gained)}
		if !p.step.IsZero() && j.x.patient { // the symbol counts steps
			forms = append(forms, g.AddScaled(p.step, gained), g.AddScaled(p.step.Neg(), gained))
		}
		for _, f := range forms {
			if j.second.entails(linear.Constraint{Form: j.image(f)}) {
				out = append(out, linear.Constraint{Form: f})
			}
		}
	}
	return out
}

// seconds adds to the facts of the first state those of the second one that hold there,
// too: what a guard says of a counter at the end of the loop holds at the beginning.
func (j *joiner) seconds(facts, of []linear.Constraint, used map[linear.Var]bool) []linear.Constraint {
	inverse := map[linear.Var]linear.Form{}
	for _, v := range slices.Sorted(maps.Keys(j.bound)) {
		f := j.bound[v]
		if len(f.Terms) != 1 || !f.Terms[0].Coef.Abs().IsOne() || !used[v] {
			continue
		}
		if u := f.Terms[0]; inverse[u.Var].Terms == nil {
			inverse[u.Var] = linear.Variable(v).Plus(f.Const.Neg()).Scale(u.Coef)
		}
	}
	out := facts
	for _, c := range of {
		if slices.ContainsFunc(c.Form.Terms, func(t linear.Term) bool { return inverse[t.Var].Terms == nil }) {
			continue
		}
		n := linear.Constraint{Form: c.Form.Substitute(func(v linear.Var) (linear.Form, bool) { f, ok := inverse[v]; return f, ok }), Equality: c.Equality}
		if !n.Form.IsConstant() && j.first.entails(linear.Constraint{Form: j.before(n.Form), Equality: n.Equality}) {
			out = append(out, n)
		}
	}
	return out
}

// renamed adds to the facts of the first state those in which a symbol that is gone
// is replaced by a new one that was the symbol plus a constant.
func (j *joiner) renamed(facts []linear.Constraint, used map[linear.Var]bool) []linear.Constraint {
	out := facts
	for i := range j.pairs {
		p := &j.pairs[i]
		if !p.fresh || !used[p.symbol] || len(p.a.Terms) != 1 || !p.a.Terms[0].Coef.IsOne() || used[p.a.Terms[0].Var] {
			continue
		}
		by := linear.Variable(p.symbol).Plus(p.a.Const.Neg())
		for _, c := range facts {
			if c.Form.Has(p.a.Terms[0].Var) {
				out = append(out, linear.Constraint{Form: c.Form.SubstituteVar(p.a.Terms[0].Var, by), Equality: c.Equality})
			}
		}
	}
	return out
}
