package symex

// The constraints of a join: what holds of the first state and, after the substitution of the symbols, of the second.
// Bounds that the second state does not satisfy move to weaker ones, a few times (relaxed); constraints that follow from
// bounds of single symbols are left out where they will not be missed (related). See join.go.

import (
	"slices"
	"strconv"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// maxRelaxed bounds how often a bound of a node moves instead of being dropped.
const maxRelaxed = 3

// relaxed adds a weaker bound than g >= 0, which holds in the first state alone: of one symbol; or of any form
// over symbols that stand for symbols of the second state. These have not moved: the paths have come by
// different ways.
func (j *joiner) relaxed(out []linear.Constraint, g linear.Form) []linear.Constraint {
	still := func(t linear.Term) bool {
		_, is := j.image(linear.Variable(t.Var)).IsVariable()
		return is
	}
	if !(j.x.patient && len(g.Terms) == 1) && slices.ContainsFunc(g.Terms, func(t linear.Term) bool { return !still(t) }) {
		return out
	}
	direction := linear.Form{Terms: g.Terms}.Format(func(v linear.Var) string { return strconv.Itoa(int(v)) })
	if j.relaxes[direction]++; j.relaxes[direction] > maxRelaxed {
		return out
	}
	g = g.Plus(j.second.low(j.image(g)).Neg())
	if j.x.k.rough(g).Sign() < 0 && g.Const.Abs().Cmp(linear.Int(1<<24)) <= 0 {
		out = append(out, linear.Constraint{Form: g})
	}
	return out
}

// constraints finds what holds in both states.
func (j *joiner) constraints(c *state, facts []linear.Constraint, used map[linear.Var]bool, templates bool) []linear.Constraint {
	var out []linear.Constraint
	weaker := map[linear.Var]bool{} // a bound is weaker than before
	for _, f := range facts {
		if slices.ContainsFunc(f.Form.Terms, func(t linear.Term) bool { return !used[t.Var] }) {
			continue
		}
		if j.second.entails(linear.Constraint{Form: j.image(f.Form), Equality: f.Equality}) {
			out = append(out, f)
			if templates && !f.Equality && len(f.Form.Terms) > 1 {
				out = j.shifted(out, f.Form, used)
			}
			continue
		}
		for _, g := range f.Inequalities() {
			if f.Equality && j.second.entails(linear.Constraint{Form: j.image(g)}) {
				out = append(out, linear.Constraint{Form: g})
			} else if templates {
				if len(g.Terms) == 1 {
					weaker[g.Terms[0].Var] = true
				}
				out = j.relaxed(out, g)
				out = j.shifted(out, g, used)
			}
		}
	}
	if !templates {
		return out
	}
	limit := linear.Int(1 << 24)
	add := func(f, a, b linear.Form) {
		n := j.first.low(a)
		if n.Abs().Cmp(limit) > 0 {
			return
		}
		if o := j.second.low(b); o.Cmp(n) < 0 {
			n = o
		}
		if t := (linear.Constraint{Form: f.Plus(n.Neg())}); n.Abs().Cmp(limit) <= 0 && j.x.k.rough(t.Form).Sign() < 0 {
			out = append(out, t)
		}
	}
	for i := range j.pairs {
		p := &j.pairs[i]
		if !p.fresh || !used[p.symbol] {
			continue
		}
		v := linear.Variable(p.symbol)
		// A counter that moved from one constant to another will move on.
		moves := 0
		if p.a.IsConstant() && p.b.IsConstant() && !j.steady && !j.x.patient {
			moves = p.b.Const.Cmp(p.a.Const)
		}
		if moves >= 0 {
			add(v, p.a, p.b)
		}
		if moves <= 0 {
			add(v.Neg(), p.a.Neg(), p.b.Neg())
		}
		for m := range j.pairs {
			q := &j.pairs[m]
			if m == i || q.fresh && m > i || !used[q.symbol] {
				continue
			}
			w := linear.Variable(q.symbol)
			add(v.Sub(w), p.a.Sub(q.a), p.b.Sub(q.b))
			add(w.Sub(v), q.a.Sub(p.a), q.b.Sub(p.b))
		}
	}
	// How far pointers are from the ends of their objects, and from cells.
	// A distance that has grown a few times grows on: what was found of it before is kept where it holds.
	isFresh := func(t linear.Term) bool {
		return slices.ContainsFunc(j.pairs, func(p pair) bool { return p.fresh && p.symbol == t.Var })
	}
	distance := func(f linear.Form) {
		if len(f.Terms) > 1 && (!j.late || slices.ContainsFunc(f.Terms, isFresh)) {
			add(f, j.before(f), j.image(f))
		}
	}
	// A pointer that moves in an object of a constant size stays on a byte of it, or does not pass its end.
	within := func(f linear.Form) {
		if len(f.Terms) != 1 || !isFresh(f.Terms[0]) && !weaker[f.Terms[0].Var] {
			return
		}
		for _, rest := range []linear.Number{linear.Int(1), {}} {
			if j.first.atLeast(j.before(f), rest) && j.second.atLeast(j.image(f), rest) {
				out = append(out, linear.Constraint{Form: f.Plus(rest.Neg())})
				return
			}
		}
	}
	// A pointer that moves stays in its object, and before the end of a string [thresholds of widening].
	before := func(f linear.Form) {
		if j.x.k.rough(f).Sign() < 0 && j.first.atLeast(j.before(f), linear.Number{}) && j.second.atLeast(j.image(f), linear.Number{}) {
			out = append(out, linear.Constraint{Form: f})
		}
	}
	// A cell that moves stays in its object.
	for i := range c.Objects {
		o := &c.Objects[i]
		if o.List != nil {
			continue
		}
		for k := range o.Cells {
			if at := o.Cells[k].Offset; !at.IsConstant() {
				before(o.Size.Sub(at).Sub(size(o.Cells[k].Type)))
			}
		}
	}
	// A number that counts up from the start of an object of a constant size, seen from a pointer that stays,
	// stays below what is left of it [thresholds of widening].
	top := &c.Frames[len(c.Frames)-1]
	for v := range top.Values {
		p := &top.Values[v]
		if p.Kind != symgraph.Pointer || p.Object < 0 || !p.Form.IsConstant() || !c.Objects[p.Object].Size.IsConstant() {
			continue
		}
		for i := range j.pairs {
			q := &j.pairs[i]
			counts := q.fresh && q.a.IsConstant() && q.b.IsConstant() && q.a.Const.Cmp(q.b.Const) < 0
			if used[q.symbol] && (counts || weaker[q.symbol]) {
				within(c.Objects[p.Object].Size.Sub(p.Form).Sub(linear.Variable(q.symbol)))
			}
		}
	}
	// What an index leaves of an object, from a pointer that is anywhere in it.
	for k := range c.Frames {
		values := c.Frames[k].Values
		for v := range values {
			p := &values[v]
			if p.Kind != symgraph.Pointer || p.Object < 0 || p.Form.IsConstant() {
				continue
			}
			for i := range values {
				if q := &values[i]; q.Kind == symgraph.Int && slices.ContainsFunc(q.Form.Terms, isFresh) {
					distance(c.Objects[p.Object].Size.Sub(p.Form).Sub(q.Form))
				}
			}
		}
	}
	for i := range c.Frames {
		for v := range c.Frames[i].Values {
			p := &c.Frames[i].Values[v]
			if p.Kind != symgraph.Pointer || p.Object < 0 {
				continue
			}
			o := &c.Objects[p.Object]
			distance(p.Form)
			distance(o.Size.Sub(p.Form))
			within(o.Size.Sub(p.Form))
			if len(o.Size.Sub(p.Form).Terms) > 1 {
				before(o.Size.Sub(p.Form).Plus(linear.Int(-1)))
			}
			for k := range o.Cells {
				distance(o.Cells[k].Offset.Sub(p.Form))
				distance(p.Form.Sub(o.Cells[k].Offset))
				if ends := o.Cells[k].Value; ends.Kind == symgraph.Int && ends.Form.Equal(linear.Form{}) && len(o.Cells[k].Offset.Sub(p.Form).Terms) > 1 {
					before(o.Cells[k].Offset.Sub(p.Form))
				}
			}
		}
	}
	return j.related(c, out)
}

// related leaves out what bounds of single symbols say of several, where it will not be missed: of bytes of memory, and
// of symbols that do not count.
func (j *joiner) related(c *state, facts []linear.Constraint) []linear.Constraint {
	low, high := map[linear.Var]linear.Number{}, map[linear.Var]linear.Number{}
	for _, f := range facts {
		for _, g := range f.Inequalities() {
			if len(g.Terms) != 1 || !g.Terms[0].Coef.Abs().IsOne() {
				continue
			}
			t := g.Terms[0]
			if n, is := low[t.Var]; t.Coef.Sign() > 0 && (!is || n.Cmp(g.Const.Neg()) < 0) {
				low[t.Var] = g.Const.Neg()
			}
			if n, is := high[t.Var]; t.Coef.Sign() < 0 && (!is || n.Cmp(g.Const) > 0) {
				high[t.Var] = g.Const
			}
		}
	}
	bytes := contents(c)
	counts := func(t linear.Term) bool {
		return slices.ContainsFunc(j.pairs, func(p pair) bool { return p.fresh && p.symbol == t.Var && p.a.IsConstant() && p.b.IsConstant() })
	}
	return slices.DeleteFunc(facts, func(f linear.Constraint) bool {
		if len(f.Form.Terms) < 2 || f.Equality {
			return false
		}
		if !slices.ContainsFunc(f.Form.Terms, func(t linear.Term) bool { return bytes[t.Var] }) && slices.ContainsFunc(f.Form.Terms, counts) {
			return false
		}
		least := f.Form.Const
		for _, t := range f.Form.Terms {
			s := &j.x.symbols[t.Var]
			n, is := low[t.Var]
			if t.Coef.Sign() < 0 {
				if n, is = high[t.Var]; !is {
					n, is = s.high, !s.open
				}
			} else if !is {
				n, is = s.low, true
			}
			if !is {
				return false
			}
			least = least.Add(t.Coef.Mul(n))
		}
		return least.Sign() >= 0
	})
}

// contents are the symbols that are values of bytes in memory, and nothing else.
func contents(s *state) map[linear.Var]bool {
	bytes, others := map[linear.Var]bool{}, map[linear.Var]bool{}
	add := func(f linear.Form) {
		for _, t := range f.Terms {
			others[t.Var] = true
		}
	}
	for i := range s.Frames {
		for v := range s.Frames[i].Values {
			add(s.Frames[i].Values[v].Form)
		}
	}
	for i := range s.Arguments {
		add(s.Arguments[i].Form)
	}
	for i := range s.Objects {
		add(s.Objects[i].Size)
		for k := range s.Objects[i].Cells {
			c := &s.Objects[i].Cells[k]
			add(c.Offset)
			if v, ok := c.Value.Form.IsVariable(); ok && c.Type == ir.IntType(8) && c.Value.Kind == symgraph.Int {
				bytes[v] = true
			} else {
				add(c.Value.Form)
			}
		}
	}
	for v := range others {
		delete(bytes, v)
	}
	return bytes
}
