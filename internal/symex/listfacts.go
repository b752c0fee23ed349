package symex

// What holds of the integers in all nodes of a list segment: bounds, and
// differences between two of them and between one and a local (min <= node->val).

import (
	"slices"

	"assay/internal/linear"
	"assay/internal/symgraph"
)

// description is what is known of each of some nodes: facts hold for the symbols in
// the cells.
type description struct {
	cells []cell
	facts []linear.Constraint
}

// maxLandmarks bounds the locals with which fields are compared.
const maxLandmarks = 12

// landmarks are the values of locals with which fields are compared.
func (x *explorer) landmarks(s *state) []linear.Form {
	var out []linear.Form
	for i := range s.Frames {
		f := &s.Frames[i]
		for v := range f.Values {
			w := &f.Values[v]
			if w.Kind != symgraph.Int || w.Form.IsConstant() || len(w.Form.Terms) > 2 || f.Func.Values[v].Type.Bits < 8 || len(out) == maxLandmarks {
				continue
			}
			if !slices.ContainsFunc(out, func(g linear.Form) bool { return g.Equal(w.Form) }) {
				out = append(out, w.Form)
			}
		}
	}
	return out
}

// describe finds cells, symbols and facts that hold of all nodes that one of the
// descriptions is about.
func (x *explorer) describe(ds []description, marks []linear.Form) (cells []cell, own []linear.Var, facts []linear.Constraint) {
	type field struct {
		symbol linear.Form
		values []linear.Form // by description
	}
	var fields []field
next:
	for _, c := range ds[0].cells {
		values := []linear.Form{c.Value.Form}
		for _, d := range ds[1:] {
			k := slices.IndexFunc(d.cells, func(e cell) bool {
				return e.Type == c.Type && e.Offset.Equal(c.Offset) && e.Value.Kind == c.Value.Kind && e.Value.Object == c.Value.Object
			})
			if k < 0 || c.Value.Kind == symgraph.Pointer && !d.cells[k].Value.Form.Equal(c.Value.Form) {
				continue next
			}
			values = append(values, d.cells[k].Value.Form)
		}
		switch {
		case c.Value.Kind == symgraph.Pointer && c.Value.Form.IsConstant() && c.Value.Object != symgraph.Token:
		case c.Value.Kind == symgraph.Int && c.Type.Bits%8 == 0:
			low, high := rangeOf(c.Type.Bits, c.Type.Bits > 1)
			inside := true
			for i, d := range ds {
				x.under(d.facts, func() {
					inside = inside && x.k.atLeast(values[i], low) && x.k.atLeast(values[i].Neg(), high.Neg())
				})
			}
			if !inside {
				continue next
			}
			u := x.fresh(low, high)
			v, _ := u.IsVariable()
			own = append(own, v)
			fields = append(fields, field{u, values})
			c.Value = integer(u)
		default:
			continue next
		}
		cells = append(cells, c)
	}
	// template is f >= 0, where the value in description i is at[i].
	type template struct {
		f  linear.Form
		at []linear.Form
	}
	var ts []template
	difference := func(a field, g linear.Form, values func(i int) linear.Form) {
		var up, down []linear.Form
		for i := range ds {
			d := a.values[i].Sub(values(i))
			up, down = append(up, d), append(down, d.Neg())
		}
		ts = append(ts, template{a.symbol.Sub(g), up}, template{g.Sub(a.symbol), down})
	}
	for i, a := range fields {
		for _, b := range fields[:i] {
			difference(a, b.symbol, func(k int) linear.Form { return b.values[k] })
		}
		for _, g := range marks {
			difference(a, g, func(int) linear.Form { return g })
		}
	}
	holds := make([]bool, len(ts))
	for i := range holds {
		holds[i] = true
	}
	least := make([]linear.Number, 2*len(fields))
	seen := false
	for i, d := range ds {
		x.under(d.facts, func() {
			for k := range ts {
				holds[k] = holds[k] && x.k.atLeast(ts[k].at[i], linear.Number{})
			}
			for k, a := range fields {
				low, high := x.k.low(a.values[i]), x.k.low(a.values[i].Neg())
				if !seen || low.Cmp(least[2*k]) < 0 {
					least[2*k] = low
				}
				if !seen || high.Cmp(least[2*k+1]) < 0 {
					least[2*k+1] = high
				}
			}
			seen = true
		})
	}
	for k, a := range fields {
		for i, f := range []linear.Form{a.symbol, a.symbol.Neg()} {
			if c := (linear.Constraint{Form: f.Plus(least[2*k+i].Neg())}); seen && x.k.rough(c.Form).Sign() < 0 {
				facts = append(facts, c)
			}
		}
	}
	for k := range ts {
		if holds[k] {
			facts = append(facts, linear.Constraint{Form: ts[k].f})
		}
	}
	return cells, own, facts
}

// under runs f where the facts hold, if that is possible.
func (x *explorer) under(facts []linear.Constraint, f func()) {
	if len(facts) == 0 {
		f()
		return
	}
	x.k.push()
	for _, c := range facts {
		x.k.assert(c)
	}
	if x.k.broken == 0 {
		f()
	}
	x.k.pop()
}

// segment joins two segments, but for what holds of their nodes.
func (j *joiner) segment(a, b *object) object {
	o := object{Kind: symgraph.Heap, Size: a.Size}
	l := *a.List
	l.Length = j.form(a.List.Length, b.List.Length, 0)
	l.Own, l.Facts = nil, nil
	for _, c := range a.Cells {
		k := slices.IndexFunc(b.Cells, func(e cell) bool { return e.Type == c.Type && e.Offset.Equal(c.Offset) })
		if k < 0 || b.Cells[k].Value.Kind != c.Value.Kind || b.Cells[k].Value.Object != c.Value.Object ||
			c.Value.Kind == symgraph.Pointer && !b.Cells[k].Value.Form.Equal(c.Value.Form) {
			j.fails = j.fails || j.first == nil
			continue
		}
		if v, ok := c.Value.Form.IsVariable(); ok && c.Value.Kind == symgraph.Int {
			l.Own = append(l.Own, v)
		}
		o.Cells = append(o.Cells, c)
	}
	o.List = &l
	return o
}

// segmentFacts finds what holds of the nodes of both segments; c is what they are
// joined to.
func (j *joiner) segmentFacts(a, b, c *object, used func(linear.Var) bool) {
	to := map[linear.Var]linear.Form{}
	for _, d := range c.Cells {
		if v, ok := d.Value.Form.IsVariable(); ok && d.Value.Kind == symgraph.Int {
			for _, e := range b.Cells {
				if e.Type == d.Type && e.Offset.Equal(d.Offset) {
					to[v] = e.Value.Form
				}
			}
		}
	}
	second := func(f linear.Form) linear.Form {
		return f.Substitute(func(v linear.Var) (linear.Form, bool) {
			if g, ok := to[v]; ok {
				return g, true
			}
			g, ok := j.bound[v]
			return g, ok
		})
	}
	known := func(f linear.Form) bool {
		return !slices.ContainsFunc(f.Terms, func(t linear.Term) bool { return !used(t.Var) && !slices.Contains(c.List.Own, t.Var) })
	}
	var facts []linear.Constraint
	old := j.x.k
	j.x.k = j.second
	possible := false
	j.x.under(b.List.Facts, func() {
		possible = true
		for _, f := range a.List.Facts {
			if known(f.Form) && j.second.entails(linear.Constraint{Form: second(f.Form), Equality: f.Equality}) {
				facts = append(facts, f)
			} else if j.first == nil {
				j.fails = true
			}
		}
	})
	j.x.k = old
	if !possible {
		facts = facts[:0]
		for _, f := range a.List.Facts {
			if known(f.Form) {
				facts = append(facts, f)
			}
		}
	}
	if j.first != nil && !j.plain {
		facts = append(facts, j.freshFacts(a, b, c, second)...)
	}
	c.List.Facts = linear.Simplify(facts)
}

// freshFacts are new bounds, and differences to new symbols, that hold in both.
func (j *joiner) freshFacts(a, b, c *object, second func(linear.Form) linear.Form) []linear.Constraint {
	type template struct{ f, first, second linear.Form }
	var ts []template
	for _, u := range c.List.Own {
		v := linear.Variable(u)
		for i := range j.pairs {
			p := &j.pairs[i]
			if !p.fresh {
				continue
			}
			w := linear.Variable(p.symbol)
			ts = append(ts, template{v.Sub(w), v.Sub(p.a), second(v).Sub(p.b)}, template{w.Sub(v), p.a.Sub(v), p.b.Sub(second(v))})
		}
	}
	holds := make([]bool, len(ts))
	least := make([]linear.Number, 2*len(c.List.Own))
	old := j.x.k
	j.x.k = j.first
	j.x.under(a.List.Facts, func() {
		for i := range ts {
			holds[i] = j.first.atLeast(ts[i].first, linear.Number{})
		}
		for i, u := range c.List.Own {
			least[2*i], least[2*i+1] = j.first.low(linear.Variable(u)), j.first.low(linear.Variable(u).Neg())
		}
	})
	j.x.k = j.second
	j.x.under(b.List.Facts, func() {
		for i := range ts {
			holds[i] = holds[i] && j.second.atLeast(ts[i].second, linear.Number{})
		}
		for i, u := range c.List.Own {
			v := second(linear.Variable(u))
			if n := j.second.low(v); n.Cmp(least[2*i]) < 0 {
				least[2*i] = n
			}
			if n := j.second.low(v.Neg()); n.Cmp(least[2*i+1]) < 0 {
				least[2*i+1] = n
			}
		}
	})
	j.x.k = old
	var out []linear.Constraint
	for i, u := range c.List.Own {
		for k, f := range []linear.Form{linear.Variable(u), linear.Variable(u).Neg()} {
			if g := (linear.Constraint{Form: f.Plus(least[2*i+k].Neg())}); j.x.k.rough(g.Form).Sign() < 0 {
				out = append(out, g)
			}
		}
	}
	for i := range ts {
		if holds[i] {
			out = append(out, linear.Constraint{Form: ts[i].f})
		}
	}
	return out
}

// lengthSymbol makes a symbol for the length of a segment.
func (x *explorer) lengthSymbol() linear.Form {
	f := x.fresh(linear.Number{}, two(200))
	v, _ := f.IsVariable()
	x.symbols[v].open = true
	return f
}

// facts finds what holds of the nodes of the segments of both states; c is the
// state that they are joined to, and used are its symbols, all if nil.
func (j *joiner) facts(a, b, c *state, used map[linear.Var]bool) {
	for i := range c.Objects {
		if c.Objects[i].List != nil {
			j.segmentFacts(&a.Objects[i], &b.Objects[i], &c.Objects[i], func(v linear.Var) bool { return used == nil || used[v] })
		}
	}
}
