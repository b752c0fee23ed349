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
				return e.Type == c.Type && e.Offset.Equal(c.Offset) && e.Value.Kind == c.Value.Kind && e.Value.Object == c.Value.Object && e.Value.Last == c.Value.Last
			})
			if k < 0 || c.Value.Kind == symgraph.Pointer && !d.cells[k].Value.Form.Equal(c.Value.Form) {
				continue next
			}
			values = append(values, d.cells[k].Value.Form)
		}
		switch {
		case c.Value.Kind == symgraph.Pointer && c.Value.Form.IsConstant() && c.Value.Object != symgraph.Token && !c.Value.Last:
		case c.Value.Kind == symgraph.Int && c.Type.Bits%8 == 0 && c.Type.Bits >= x.pointerBits() &&
			!slices.ContainsFunc(values, func(f linear.Form) bool { return !f.Equal(linear.Form{}) }):
			// Zeros, perhaps a null pointer.
		case c.Type.Bits > 64 || x.o.Values == NoValues:
			continue next
		case c.Value.Kind == symgraph.Int && c.Type.Bits%8 == 0:
			low, high := rangeOf(c.Type.Bits, true)
			inside := false
			for _, signed := range []bool{true, false} {
				if inside {
					break
				}
				low, high = rangeOf(c.Type.Bits, signed)
				inside = true
				for i, d := range ds {
					x.under(x.k, d.facts, func() {
						inside = inside && x.k.atLeast(values[i], low) && x.k.atLeast(values[i].Neg(), high.Neg())
					})
				}
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
	var views []view
	for i, d := range ds {
		v := view{k: x.k, facts: d.facts}
		for _, f := range fields {
			v.fields = append(v.fields, f.values[i])
		}
		v.marks = marks
		views = append(views, v)
	}
	var symbols []linear.Form
	for _, f := range fields {
		symbols = append(symbols, f.symbol)
	}
	return cells, own, x.common(symbols, marks, views)
}

// maxTemplates bounds the sums of two fields of which bounds are sought.
const maxTemplates = 200

// view is what is known of nodes of one kind: the values of their fields, and of
// what these are compared with, under facts.
type view struct {
	k             *knowledge
	facts         []linear.Constraint
	fields, marks []linear.Form
}

// common finds facts about the symbols of fields and marks that hold in all views:
// bounds of fields and of differences, and where a field has one value in each of
// two views, the line through the bounds of another one there.
func (x *explorer) common(fields, marks []linear.Form, views []view) []linear.Constraint {
	type template struct {
		f      linear.Form // of the symbols: ca times one, cb times the other, -1 if there is none
		a, b   int
		ca, cb linear.Number
		at     []linear.Form
		least  linear.Number
	}
	value := func(v *view, k int) linear.Form {
		if k < len(fields) {
			return v.fields[k]
		}
		return v.marks[k-len(fields)]
	}
	var ts []template
	add := func(a, b int, ca, cb linear.Number) {
		at := func(v *view) linear.Form {
			f := value(v, a).Scale(ca)
			if b >= 0 {
				f = f.AddScaled(cb, value(v, b))
			}
			return f
		}
		symbol := view{fields: fields, marks: marks}
		t := template{f: at(&symbol), a: a, b: b, ca: ca, cb: cb}
		for i := range views {
			t.at = append(t.at, at(&views[i]))
		}
		ts = append(ts, t)
	}
	one := linear.Int(1)
	for a := range fields { // bounds first
		add(a, -1, one, one)
		add(a, -1, one.Neg(), one)
	}
	for a := range fields {
		if x.o.Values == BoundsOfValues {
			break
		}
		for b := range len(fields) + len(marks) {
			if b < a || b >= len(fields) {
				add(a, b, one, one.Neg())
				add(a, b, one.Neg(), one)
			}
		}
	}
	bounds := make([][]linear.Number, len(views)) // of fields, low and high
	for i := range views {
		v := &views[i]
		x.under(v.k, v.facts, func() {
			for _, f := range v.fields {
				bounds[i] = append(bounds[i], v.k.low(f), v.k.high(f))
			}
		})
	}
	for i := range views {
		for j := range i {
			if bounds[i] == nil || bounds[j] == nil || x.o.Values == BoundsOfValues {
				continue
			}
			for a := range fields {
				p, q := bounds[i][2*a], bounds[j][2*a]
				if !p.Equal(bounds[i][2*a+1]) || !q.Equal(bounds[j][2*a+1]) || p.Equal(q) {
					continue
				}
				for b := range fields {
					if a == b {
						continue
					}
					for side := range 2 { // b above the line through (p, y) and (q, z), or below
						y, z := bounds[i][2*b+side], bounds[j][2*b+side]
						if y.Equal(z) {
							continue
						}
						dx, dy := q.Sub(p), z.Sub(y)
						if dx.Sign() < 0 {
							dx, dy = dx.Neg(), dy.Neg()
						}
						if side == 0 {
							add(b, a, dx, dy.Neg())
						} else {
							add(b, a, dx.Neg(), dy)
						}
					}
				}
			}
		}
	}
	// What holds of two fields in one of the views.
	for i := range views {
		v := &views[i]
		find := func(u linear.Var) int {
			return slices.IndexFunc(v.fields, func(f linear.Form) bool { w, ok := f.IsVariable(); return ok && w == u })
		}
		for _, c := range v.facts {
			if len(c.Form.Terms) != 2 || len(ts) > maxTemplates {
				continue
			}
			s, t := c.Form.Terms[0], c.Form.Terms[1]
			a, b := find(s.Var), find(t.Var)
			if a < 0 || b < 0 || s.Coef.Add(t.Coef).IsZero() && s.Coef.Abs().IsOne() ||
				slices.ContainsFunc(ts, func(e template) bool { return e.a == a && e.b == b && e.ca.Equal(s.Coef) && e.cb.Equal(t.Coef) }) {
				continue
			}
			add(a, b, s.Coef, t.Coef)
		}
	}
	seen := false
	least := make([][2]linear.Number, len(fields)+len(marks)) // of each value, and of its negation
	for i := range views {
		v := &views[i]
		x.under(v.k, v.facts, func() {
			for k := range least {
				for side, f := range []linear.Form{value(v, k), value(v, k).Neg()} {
					if n := v.k.low(f); !seen || n.Cmp(least[k][side]) < 0 {
						least[k][side] = n
					}
				}
			}
			for k := range ts {
				if n := v.k.low(ts[k].at[i]); !seen || n.Cmp(ts[k].least) < 0 {
					ts[k].least = n
				}
			}
			seen = true
		})
	}
	var facts []linear.Constraint
	for k := range ts {
		t := &ts[k]
		c := linear.Constraint{Form: t.f.Plus(t.least.Neg())}
		if !seen || x.k.rough(c.Form).Sign() >= 0 {
			continue
		}
		// What the bounds say is not said again.
		bound := func(k int, c linear.Number) linear.Number {
			if c.Sign() < 0 {
				return least[k][1].Mul(c.Neg())
			}
			return least[k][0].Mul(c)
		}
		if t.b < 0 || bound(t.a, t.ca).Add(bound(t.b, t.cb)).Cmp(t.least) < 0 {
			facts = append(facts, c)
		}
	}
	return facts
}

// under runs f where the facts hold, if that is possible.
func (x *explorer) under(k *knowledge, facts []linear.Constraint, f func()) {
	if len(facts) == 0 {
		f()
		return
	}
	k.push()
	for _, c := range facts {
		k.assert(c)
	}
	if k.broken == 0 {
		f()
	}
	k.pop()
}

// segment joins two segments, but for what holds of their nodes.
func (j *joiner) segment(a, b *object) object {
	o := object{Kind: symgraph.Heap, Size: a.Size}
	l := *a.List
	l.Length = j.form(a.List.Length, b.List.Length, 0)
	l.Own, l.Facts = nil, nil
	for _, c := range a.Cells {
		k := slices.IndexFunc(b.Cells, func(e cell) bool { return e.Type == c.Type && e.Offset.Equal(c.Offset) })
		if k < 0 || b.Cells[k].Value.Kind != c.Value.Kind || b.Cells[k].Value.Object != c.Value.Object || b.Cells[k].Value.Last != c.Value.Last ||
			c.Value.Kind == symgraph.Pointer && !b.Cells[k].Value.Form.Equal(c.Value.Form) {
			j.fails = j.fails || j.first == nil
			continue
		}
		if v, ok := c.Value.Form.IsVariable(); ok && c.Value.Kind == symgraph.Int {
			l.Own = append(l.Own, v)
		}
		o.Cells = append(o.Cells, c)
	}
	l.Owned = j.owned(a.List.Owned, b.List.Owned)
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
	possible := false
	j.x.under(j.second, b.List.Facts, func() {
		possible = true
		for _, f := range a.List.Facts {
			for _, g := range f.Inequalities() {
				least := j.second.low(second(g))
				switch {
				case known(g) && least.Sign() >= 0:
					facts = append(facts, linear.Constraint{Form: g})
				case j.first == nil:
					j.fails = true
				case known(g) && !j.plain: // a weaker one
					if g = g.Plus(least.Neg()); j.x.k.rough(g).Sign() < 0 {
						facts = append(facts, linear.Constraint{Form: g})
					}
				}
			}
		}
	})
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
	symbols := make([]linear.Form, len(c.List.Own))
	first, then := view{k: j.first, facts: a.List.Facts}, view{k: j.second, facts: b.List.Facts}
	for i, u := range c.List.Own {
		symbols[i] = linear.Variable(u)
		then.fields = append(then.fields, second(symbols[i]))
	}
	first.fields = symbols
	var marks []linear.Form
	for i := range j.pairs {
		if p := &j.pairs[i]; p.fresh && !j.x.symbols[p.symbol].open && len(marks) < maxLandmarks {
			marks = append(marks, linear.Variable(p.symbol))
			first.marks, then.marks = append(first.marks, p.a), append(then.marks, p.b)
		}
	}
	return j.x.common(symbols, marks, []view{first, then})
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
