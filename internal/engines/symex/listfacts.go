package symex

// What holds of the integers in all nodes of a list segment: bounds, and
// differences between two of them and between one and a local (min <= node->val).

import (
	"slices"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
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

// value is the value of a field, or of a mark, which are numbered behind the fields.
func (v *view) value(k int) linear.Form {
	if k < len(v.fields) {
		return v.fields[k]
	}
	return v.marks[k-len(v.fields)]
}

// template is a sum of two values: ca times a, cb times b.
type template struct {
	a, b   int // b is -1 if there is none
	ca, cb linear.Number
	at     []linear.Form // by view
	least  linear.Number // in all views
}

// in is the template in a view.
func (t *template) in(v *view) linear.Form {
	f := v.value(t.a).Scale(t.ca)
	if t.b >= 0 {
		f = f.AddScaled(t.cb, v.value(t.b))
	}
	return f
}

// joinedViews are views of which common facts are sought.
type joinedViews struct {
	x         *explorer
	symbols   view // the fields and marks themselves
	views     []view
	templates []template
	least     [][2]linear.Number // of each value, and of its negation
	some      bool               // a view is possible
}

// common finds facts about the symbols of fields and marks that hold in all views:
// bounds of fields and of differences, and where a field has one value in each of
// two views, the line through the bounds of another one there.
func (x *explorer) common(fields, marks []linear.Form, views []view) []linear.Constraint {
	j := &joinedViews{x: x, symbols: view{fields: fields, marks: marks}, views: views}
	j.addBounds()
	if x.o.Values != BoundsOfValues {
		j.addLines()
	}
	j.addFacts()
	j.bound()
	return j.facts()
}

func (j *joinedViews) add(a, b int, ca, cb linear.Number) {
	t := template{a: a, b: b, ca: ca, cb: cb}
	for i := range j.views {
		t.at = append(t.at, t.in(&j.views[i]))
	}
	j.templates = append(j.templates, t)
}

// addBounds adds fields, and differences of them and of marks.
func (j *joinedViews) addBounds() {
	one := linear.Int(1)
	fields, marks := len(j.symbols.fields), len(j.symbols.marks)
	for a := range fields {
		j.add(a, -1, one, one)
		j.add(a, -1, one.Neg(), one)
	}
	if j.x.o.Values == BoundsOfValues {
		return
	}
	for a := range fields {
		for b := range fields + marks {
			if b < a || b >= fields {
				j.add(a, b, one, one.Neg())
				j.add(a, b, one.Neg(), one)
			}
		}
	}
}

// addLines adds the lines through what two views say of two fields.
func (j *joinedViews) addLines() {
	bounds := make([][]linear.Number, len(j.views)) // of fields, low and high
	for i := range j.views {
		v := &j.views[i]
		j.x.under(v.k, v.facts, func() {
			for _, f := range v.fields {
				bounds[i] = append(bounds[i], v.k.low(f), v.k.high(f))
			}
		})
	}
	for i := range bounds {
		for k := range i {
			if bounds[i] != nil && bounds[k] != nil {
				j.addLinesOf(bounds[i], bounds[k])
			}
		}
	}
}

// addLinesOf adds those of two views with these bounds.
func (j *joinedViews) addLinesOf(u, v []linear.Number) {
	for a := range j.symbols.fields {
		p, q := u[2*a], v[2*a]
		if !p.Equal(u[2*a+1]) || !q.Equal(v[2*a+1]) || p.Equal(q) {
			continue
		}
		for b := range j.symbols.fields {
			for side := range 2 { // b above the line through (p, y) and (q, z), or below
				y, z := u[2*b+side], v[2*b+side]
				if a == b || y.Equal(z) {
					continue
				}
				dx, dy := q.Sub(p), z.Sub(y)
				if dx.Sign() < 0 {
					dx, dy = dx.Neg(), dy.Neg()
				}
				if side == 0 {
					j.add(b, a, dx, dy.Neg())
				} else {
					j.add(b, a, dx.Neg(), dy)
				}
			}
		}
	}
}

// addFacts adds what holds of two fields in one of the views.
func (j *joinedViews) addFacts() {
	for i := range j.views {
		v := &j.views[i]
		find := func(u linear.Var) int {
			return slices.IndexFunc(v.fields, func(f linear.Form) bool { w, ok := f.IsVariable(); return ok && w == u })
		}
		for _, c := range v.facts {
			if len(c.Form.Terms) != 2 || len(j.templates) > maxTemplates {
				continue
			}
			s, t := c.Form.Terms[0], c.Form.Terms[1]
			a, b := find(s.Var), find(t.Var)
			if a < 0 || b < 0 || s.Coef.Add(t.Coef).IsZero() && s.Coef.Abs().IsOne() ||
				slices.ContainsFunc(j.templates, func(e template) bool { return e.a == a && e.b == b && e.ca.Equal(s.Coef) && e.cb.Equal(t.Coef) }) {
				continue
			}
			j.add(a, b, s.Coef, t.Coef)
		}
	}
}

// bound finds the least values of all templates, and of all values.
func (j *joinedViews) bound() {
	j.least = make([][2]linear.Number, len(j.symbols.fields)+len(j.symbols.marks))
	for i := range j.views {
		v := &j.views[i]
		j.x.under(v.k, v.facts, func() {
			lower := func(f linear.Form, least *linear.Number) {
				if n := v.k.low(f); !j.some || n.Cmp(*least) < 0 {
					*least = n
				}
			}
			for k := range j.least {
				lower(v.value(k), &j.least[k][0])
				lower(v.value(k).Neg(), &j.least[k][1])
			}
			for k := range j.templates {
				lower(j.templates[k].at[i], &j.templates[k].least)
			}
			j.some = true
		})
	}
}

// facts are the templates that say more than the symbols' own bounds, and than the
// bounds of what they are sums of.
func (j *joinedViews) facts() []linear.Constraint {
	var facts []linear.Constraint
	bound := func(k int, c linear.Number) linear.Number {
		if c.Sign() < 0 {
			return j.least[k][1].Mul(c.Neg())
		}
		return j.least[k][0].Mul(c)
	}
	for k := range j.templates {
		t := &j.templates[k]
		c := linear.Constraint{Form: t.in(&j.symbols).Plus(t.least.Neg())}
		if !j.some || j.x.k.rough(c.Form).Sign() >= 0 {
			continue
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
