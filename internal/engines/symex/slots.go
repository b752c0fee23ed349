package symex

// Arrays whose slots own segments (symgraph.Slots): hash tables with chaining, buckets,
// arrays of lists or blocks. An array is to the slots what a segment is to its nodes.
//
// Which arrays own something is found when a pointer to the heap is written at an offset that is no
// constant (arrayKind); the graph is built anew then. From there on, at loop heads, each such
// array that is zero has slots that own nothing, and any other one has none so far.
//
// A pointer that is read or written in a slot is taken out: it is a cell of the
// array, the segment is one of the state, and the slot's number is noted. With numbers that are
// symbols this is a case analysis: it is one of those that are out, or it is not.
// At loop heads they are put back where they are null, or lead to all of a segment that nothing else
// knows. A loop that makes lists comes to slots behind the range (To), one that frees them
// leaves slots behind at the beginning: if they are null, From moves; if nothing is known
// of them, Nulls does, too. Where states are joined in which From or Nulls are nothing in
// common, the one moves to the other: that slots are null is forgotten, or that they are anything.

import (
	"slices"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// arrayKind says that an object owns what is in its slots.
type arrayKind struct {
	kind       symgraph.ObjectKind
	name       string // of a global
	size       linear.Form
	at, stride int64
	of         listKind
}

// maxArrays bounds the kinds of arrays.
const maxArrays = 4

// arrayOf is the kind of an object, nil if it has none.
func (x *explorer) arrayOf(ob *object) *arrayKind {
	if ob.Dead || ob.List != nil {
		return nil
	}
	for i := range x.arrays {
		k := &x.arrays[i]
		if k.kind == ob.Kind && k.name == ob.Name && (k.size.Equal(ob.Size) || !k.size.IsConstant() && !ob.Size.IsConstant()) {
			if i := slices.IndexFunc(x.kinds, func(l listKind) bool { return l.size == k.of.size }); i >= 0 && k.of.next == symgraph.NoLink {
				k.of = x.kinds[i] // it was the first node of a list
			}
			return k
		}
	}
	return nil
}

// discoverArray notes that a pointer is written to an array; stopped says that the graph
// has to be built anew.
func (x *explorer) discoverArray(s *state, o int32, off linear.Form, v value) (stopped bool) {
	ob := &s.Objects[o]
	if off.IsConstant() || v.Kind != symgraph.Pointer || v.Object < 0 || ob.List != nil || ob.Slots != nil {
		return false
	}
	c := &s.Objects[v.Object]
	if c.Kind != symgraph.Heap || c.Dead || !v.Form.Equal(linear.Form{}) || c.Size.Equal(ob.Size) { // or a link of a node
		return false
	}
	x.mayOwn = true
	if !x.owning || len(x.arrays) == maxArrays || x.arrayOf(ob) != nil {
		return false
	}
	var stride int64
	for _, t := range off.Terms {
		n, small := t.Coef.Int64()
		if !small {
			return false
		}
		stride = gcd(stride, n)
	}
	at, small := off.Const.Int64()
	size, fits := c.Size.Const.Int64()
	if !small || !fits || !c.Size.IsConstant() || stride < int64(x.pointerBits()/8) {
		return false
	}
	k := arrayKind{kind: ob.Kind, name: ob.Name, size: ob.Size, at: (at%stride + stride) % stride, stride: stride,
		of: listKind{size: size, next: symgraph.NoLink, prev: -1}}
	if c.List != nil {
		k.of = shapeOf(c)
	}
	x.arrays = append(x.arrays, k)
	x.again, x.stopped = true, true
	return true
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// discoverArrays notes arrays in which three pointers at equal distances are null or lead to objects of one size
// that nothing else points to, two at least: a loop that makes them begins like that. It says whether there
// is one that was not known.
func (x *explorer) discoverArrays(s *state) bool {
	var first []int
	for o := range s.Objects {
		ob := &s.Objects[o]
		if ob.List != nil || ob.Slots != nil || ob.Dead || len(ob.Cells) < 3 || x.arrayOf(ob) != nil || len(x.arrays) == maxArrays {
			continue
		}
		if first == nil {
			first, _ = references(s)
		}
		type slot struct{ at, size int64 }
		var found []slot
		for _, k := range pointerCells(ob) {
			c := &ob.Cells[k]
			at, small := c.Offset.Const.Int64()
			v := &c.Value
			if isNull(*v) && c.Offset.IsConstant() && small {
				found = append(found, slot{at, -1})
				continue
			}
			if !c.Offset.IsConstant() || !small || v.Object < 0 || v.Last || !v.Form.Equal(linear.Form{}) || first[v.Object] != 1 {
				continue
			}
			to := &s.Objects[v.Object]
			if n, small := to.Size.Const.Int64(); small && !to.Size.Equal(ob.Size) && to.Size.IsConstant() && to.Kind == symgraph.Heap && !to.Dead {
				found = append(found, slot{at, n})
			}
		}
		for i := 0; i+2 < len(found); i++ {
			a, b, c := found[i], found[i+1], found[i+2]
			stride := b.at - a.at
			n := max(a.size, b.size, c.size)
			other, alone := 0, 0
			for _, m := range []int64{a.size, b.size, c.size} {
				if m >= 0 && m != n {
					other++
				} else if m >= 0 {
					alone++
				}
			}
			if stride < int64(x.pointerBits()/8) || c.at-b.at != stride || other > 0 || alone < 2 {
				continue
			}
			x.mayOwn = true
			if !x.owning {
				break
			}
			x.arrays = append(x.arrays, arrayKind{kind: ob.Kind, name: ob.Name, size: ob.Size, at: a.at % stride, stride: stride,
				of: listKind{size: n, next: symgraph.NoLink, prev: -1}})
			return true
		}
	}
	return false
}

// slotForm is the offset of a slot.
func slotForm(l *symgraph.Slots, k linear.Form) linear.Form {
	return k.Scale(linear.Int(l.Stride)).Plus(linear.Int(l.At))
}

// slotAt is the number of the slot at an offset.
func slotAt(l *symgraph.Slots, off linear.Form) (k linear.Form, ok bool) {
	k = off.Plus(linear.Int(-l.At)).Scale(linear.Int(l.Stride).Inv())
	return k, k.IsIntegral()
}

// slotted gives an array its slots.
func (x *explorer) slotted(ob *object) {
	k := x.arrayOf(ob)
	if k == nil || ob.Slots != nil {
		return
	}
	l := &symgraph.Slots{At: k.at, Stride: k.stride, Owned: symgraph.Owned{Nodes: nothing(&k.of)}}
	if n, ok := x.zero(ob); ok {
		count := (n-k.at-int64(x.pointerBits()/8))/k.stride + 1
		if n < k.at+int64(x.pointerBits()/8) {
			return
		}
		l.To = linear.Constant(linear.Int(count))
		l.From = l.To
		if ob.Pristine {
			for i := range ob.Cells {
				c := &ob.Cells[i]
				m, ok := slotAt(l, c.Offset)
				if !ok || c.Type.Kind != ir.Ptr {
					return
				}
				l.Out = append(l.Out, m)
			}
		}
	}
	ob.Pristine = false
	ob.Slots = l
}

// zero says whether all bytes of an object are 0, but for those of cells if it is pristine.
func (x *explorer) zero(ob *object) (size int64, ok bool) {
	n, small := ob.Size.Const.Int64()
	if !small || !ob.Size.IsConstant() || n > 1<<40 {
		return 0, false
	}
	if ob.Pristine {
		return n, ob.Global != nil && len(ob.Global.Relocs) == 0 && !slices.ContainsFunc(ob.Global.Init, func(b byte) bool { return b != 0 })
	}
	return n, slices.ContainsFunc(ob.Cells, func(c cell) bool {
		from, to, ok := zeros(&c)
		return ok && from.Sign() <= 0 && to.Cmp(linear.Int(n)) >= 0
	})
}

// takeOut makes sure that the slot at an offset is out, or is none; if it is not ok, there
// is a split.
func (x *explorer) takeOut(s *state, o int32, off linear.Form, t ir.Type) (ok bool) {
	ob := &s.Objects[o]
	if t.Kind != ir.Ptr || len(x.arrays) == 0 || ob.Dead {
		return true
	}
	if ob.Slots == nil && !off.IsConstant() {
		if _, zero := x.zero(ob); zero {
			x.slotted(ob)
		}
	}
	if ob.Slots == nil {
		return true
	}
	l := *ob.Slots
	k, ok := slotAt(&l, off)
	if !ok {
		return true
	}
	for _, f := range l.Out {
		if is, ok := x.decideZero(k.Sub(f)); !ok || is {
			return ok
		}
	}
	for _, f := range []linear.Form{k.Sub(l.Nulls), l.To.Sub(k).Plus(linear.Int(-1))} {
		if in, ok := x.decide(f); !ok || !in {
			return ok
		}
	}
	owning, ok := x.decide(k.Sub(l.From))
	if !ok {
		return false
	}
	l.Out = append(slices.Clip(l.Out), k)
	c := cell{Offset: off, Type: t, Value: null}
	if owning && l.Owned.Most != 0 {
		c.Value = pointer(int32(len(s.Objects)), linear.Form{})
		s.Objects = append(slices.Clip(s.Objects), object{})
		n := x.ownedObject(s, &l.Owned)
		s.Objects[c.Value.Object] = n
		ob = &s.Objects[o]
	}
	ob.Slots = &l
	ob.Cells = append(slices.Clip(ob.Cells), c)
	return true
}

// spared says whether n bytes at an offset are those of a slot that is out, or none of a slot.
func (x *explorer) spared(l *symgraph.Slots, off, n linear.Form) bool {
	word := linear.Constant(linear.Int(int64(x.pointerBits() / 8)))
	for _, f := range l.Out {
		if n.Equal(word) && x.k.isZero(slotForm(l, f).Sub(off)) {
			return true
		}
	}
	if x.apart(off, n, slotForm(l, l.Nulls), l.To.Sub(l.Nulls).Scale(linear.Int(l.Stride))) {
		return true
	}
	rest := off.Plus(linear.Int(-l.At))
	r, small := rest.Const.Int64()
	count, fits := n.Const.Int64()
	for _, t := range rest.Terms {
		m, ok := t.Coef.Int64()
		small = small && ok && m%l.Stride == 0
	}
	r = (r%l.Stride + l.Stride) % l.Stride
	return small && fits && n.IsConstant() && r >= int64(x.pointerBits()/8) && r+count <= l.Stride
}

// owns says whether the slots of an object may own something.
func (x *explorer) owns(ob *object) bool {
	return ob.Slots != nil && !ob.Dead && ob.Slots.Owned.Most != 0 && !x.k.atLeast(ob.Slots.From.Sub(ob.Slots.To), linear.Number{})
}

// spill ends what is known of the slots of an object; what they own is lost.
func (x *explorer) spill(s *state, ob *object) {
	s.Lost = s.Lost || x.owns(ob)
	ob.Slots, ob.Strings = nil, nil
}

// putBack puts the slots of all arrays back where that is possible.
func (x *explorer) putBack(s *state) {
	if len(x.arrays) == 0 {
		return
	}
	for o := range s.Objects {
		ob := &s.Objects[o]
		if k := x.arrayOf(ob); k == nil || ob.Kind == symgraph.Stack && ob.Frame == symgraph.NoFrame {
			continue
		}
		x.slotted(ob)
		if ob.Slots == nil {
			continue
		}
		l := *ob.Slots
		l.Out = slices.Clone(l.Out)
		ob.Slots = &l
		ob.Cells = slices.Clone(ob.Cells)
		for x.putOneBack(s, ob) {
		}
		x.nameSlots(s, int32(o))
	}
}

// nameSlots gives numbers of slots a name where they are computed from what is not there any
// more: states are joined by them. A hash of a local keeps its form, with a quotient.
func (x *explorer) nameSlots(s *state, o int32) {
	l := s.Objects[o].Slots
	there := map[linear.Var]bool{}
	for i := range s.Frames {
		for v := range s.Frames[i].Values {
			if w := &s.Frames[i].Values[v]; w.Kind == symgraph.Int {
				for _, t := range w.Form.Terms {
					there[t.Var] = true
				}
			}
		}
	}
	// What other fields hold somewhere is of no use.
	s.Objects[o].Cells = slices.DeleteFunc(s.Objects[o].Cells, func(c cell) bool {
		return c.Type.Kind == ir.Int && slices.ContainsFunc(c.Offset.Terms, func(t linear.Term) bool { return !there[t.Var] })
	})
	var names []struct{ k, name linear.Form }
	named := func(k linear.Form) linear.Form {
		others := 0
		for _, t := range k.Terms {
			if !there[t.Var] {
				others++
			}
		}
		if others == 0 || others == 1 && (len(k.Terms) > 1 || k.Terms[0].Coef.IsOne()) {
			return k
		}
		for _, n := range names {
			if n.k.Equal(k) {
				return n.name
			}
		}
		n := x.fresh(x.k.low(k), x.k.high(k))
		x.k.assert(linear.Equals(n, k))
		names = append(names, struct{ k, name linear.Form }{k, n})
		return n
	}
	for i := range l.Out {
		l.Out[i] = named(l.Out[i])
	}
	at := func(off linear.Form) linear.Form {
		if k, ok := slotAt(l, off); ok {
			return slotForm(l, named(k))
		}
		return off
	}
	for i := range s.Objects[o].Cells {
		s.Objects[o].Cells[i].Offset = at(s.Objects[o].Cells[i].Offset)
	}
	replace(s, func(v value) value {
		if v.Object == o {
			v.Form = at(v.Form)
		}
		return v
	})
}

// putOneBack puts a slot back, or moves an end of the range.
func (x *explorer) putOneBack(s *state, ob *object) bool {
	l := ob.Slots
	one := linear.Int(1)
	first, last := references(s)
	for i := range ob.Cells {
		c := &ob.Cells[i]
		k, ok := slotAt(l, c.Offset)
		if !ok || c.Type.Kind != ir.Ptr {
			continue
		}
		out := slices.IndexFunc(l.Out, func(f linear.Form) bool { return x.k.isZero(f.Sub(k)) })
		behind, next := x.k.isZero(k.Sub(l.To)), x.k.isZero(k.Sub(l.From))
		if out < 0 && !behind {
			continue
		}
		w, parts, ok := x.slotContent(s, c.Value, first, last, x.arrayOf(ob))
		if !ok {
			continue
		}
		switch {
		case w.Most == 0 && next:
			l.From = l.From.Plus(one)
		case w.Most == 0 && x.k.atLeast(l.From.Sub(k), one): // null as those beside it
		default:
			owned := w
			if !x.k.isZero(l.To.Sub(l.From)) || !behind {
				if owned, ok = x.joinOwner(&l.Owned, &w); !ok {
					continue
				}
			}
			if !behind && !x.k.atLeast(k.Sub(l.From), linear.Number{}) {
				l.From, owned.Least = l.Nulls, 0
			}
			l.Owned = owned
		}
		if out >= 0 {
			l.Out = slices.Delete(l.Out, out, out+1)
		} else {
			l.To = l.To.Plus(one)
		}
		for _, p := range parts {
			s.Objects[p] = gone
		}
		ob.Cells = slices.Delete(ob.Cells, i, i+1)
		return true
	}
	for i, k := range l.Out {
		c := slices.IndexFunc(ob.Cells, func(c cell) bool { return c.Type.Kind == ir.Ptr && x.k.isZero(c.Offset.Sub(slotForm(l, k))) })
		if c >= 0 && ob.Cells[c].Value.Object >= 0 && x.alive(&s.Objects[ob.Cells[c].Value.Object]) {
			continue
		}
		switch {
		case x.k.isZero(k.Sub(l.From)):
			l.From = l.From.Plus(one)
			l.Nulls = l.From
		case x.k.isZero(k.Sub(l.To).Plus(one)):
			l.To = l.To.Plus(one.Neg())
		default:
			continue
		}
		l.Out = slices.Delete(l.Out, i, i+1)
		if c >= 0 {
			ob.Cells = slices.Delete(ob.Cells, c, c+1)
		}
		return true
	}
	return false
}

// slotContent describes what a pointer in a slot leads to.
func (x *explorer) slotContent(s *state, v value, first, last []int, kind *arrayKind) (w symgraph.Owned, parts []int32, ok bool) {
	switch {
	case isNull(v):
		return symgraph.Owned{Nodes: nothing(&kind.of)}, nil, true
	case v.Kind != symgraph.Pointer || v.Object < 0 || v.Last || !v.Form.Equal(linear.Form{}):
		return w, nil, false
	}
	c := &s.Objects[v.Object]
	if c.Kind != symgraph.Heap || c.Dead || first[v.Object] != 1 || last[v.Object] > 0 {
		return w, nil, false
	}
	w, parts, ok = x.whole(s, v.Object, first, last)
	return w, append(parts, v.Object), ok
}

// slots joins those of two objects, which are in the same places.
func (j *joiner) slots(a, b *symgraph.Slots) *symgraph.Slots {
	if a == nil || b == nil {
		return nil
	}
	l := *a
	bits := j.x.pointerBits()
	l.To = j.form(a.To, b.To, bits)
	from, okFrom := j.boundary(a.From, b.From)
	nulls, okNulls := j.boundary(a.Nulls, b.Nulls)
	weaker := false
	switch {
	case okFrom && okNulls:
		l.From, l.Nulls = from, nulls
	case okFrom && (j.first != nil || a.From.Equal(a.Nulls)): // nothing is said of those before
		l.From, l.Nulls = from, from
	case okNulls && (j.first != nil || a.From.Equal(a.Nulls)): // nor that they are null
		l.From, l.Nulls, weaker = nulls, nulls, j.first != nil
	case j.first == nil:
		j.fails = true
	default:
		l.From = j.form(a.From, b.From, bits)
		l.Nulls = l.From
	}
	l.Out = nil
	for i := range a.Out {
		l.Out = append(l.Out, j.form(a.Out[i], b.Out[i], bits))
	}
	p, q := a.Owned, b.Owned
	switch { // what is said of no slot does not matter
	case j.second.isZero(b.From.Sub(b.To)):
		q = p
	case j.first != nil && j.first.isZero(a.From.Sub(a.To)):
		p = q
	}
	if weaker {
		p.Least = 0
	}
	owned := j.owned([]symgraph.Owned{p}, []symgraph.Owned{q})
	if owned == nil {
		return nil
	}
	l.Owned = owned[0]
	return &l
}

// boundary joins two ends of ranges if something is common to them that is known already.
func (j *joiner) boundary(f, g linear.Form) (linear.Form, bool) {
	if open := j.open(f); len(open) == 1 && j.solve(f, g, open[0]) {
		return f, true
	}
	if h := j.image(f); len(j.open(f)) == 0 && (h.Equal(g) || j.second.isZero(h.Sub(g))) {
		return f, true
	}
	if j.first == nil {
		return f, false
	}
	return j.explain(f, g)
}

// slotNumbers binds symbols that are nothing but the number of a slot.
func (j *joiner) slotNumbers(a, b *state) {
	for i := range a.Objects {
		if p, q := a.Objects[i].Strings, b.Objects[i].Strings; p != nil && q != nil {
			j.bind(p.From, q.From)
			j.bind(p.To, q.To)
			for k := range p.Out {
				j.bind(p.Out[k], q.Out[k])
			}
		}
		p, q := a.Objects[i].Slots, b.Objects[i].Slots
		if p == nil || q == nil {
			continue
		}
		j.bind(p.Nulls, q.Nulls)
		j.bind(p.From, q.From)
		j.bind(p.To, q.To)
		for k := range p.Out {
			j.bind(p.Out[k], q.Out[k])
		}
	}
}

// elsewhere says whether two ranges, of m and n bytes, that are d apart are in different elements of
// an array, or in different fields of them.
func (x *explorer) elsewhere(d, m, n linear.Form) bool {
	var stride int64
	at, small := d.Const.Int64()
	for _, t := range d.Terms {
		c, ok := t.Coef.Int64()
		small = small && ok
		stride = gcd(stride, c)
	}
	if !small || stride == 0 {
		return false
	}
	within := func(f linear.Form, n int64) bool {
		return x.k.atLeast(linear.Constant(linear.Int(n)).Sub(f), linear.Number{})
	}
	if r := (at%stride + stride) % stride; r > 0 {
		return within(m, r) && within(n, stride-r)
	}
	return within(m, stride) && within(n, stride) && x.k.nonzero(d.Scale(linear.Int(stride).Inv()))
}
