package symex

// Nodes that own segments (symgraph.Owned): lists of lists, lists of trees, trees of
// lists, and nodes with a block of memory of their own. These are nested list
// segments [DPV11]; the fields of a tree by which it is one are links of its
// kind (tree.go), all others that lead to memory that nothing else points to own it.
//
// Folding: when a node becomes a part of a segment, and one of its other pointers is null or the only
// way to a segment that ends in null, or to a single object, then that
// becomes a part of it, too. Such a field is found when the first node has one (owner); the graph is built
// anew then, so that all nodes are treated alike, and null is a segment of no node. A node
// whose field leads elsewhere stays as it is: a cursor in the inner list holds it.
//
// Unfolding a node puts a segment of unknown length behind each such pointer.
//
// What is known of the integers in owned nodes are bounds and differences of their fields.

import (
	"slices"
	"strconv"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
)

// owner says that nodes of a size, linked at next, own a segment of a kind, at an offset.
type owner struct {
	size, next, at int64
	of             listKind
}

// maxOwners bounds the fields that are found to own something.
const maxOwners = 8

// shapeOf is the kind of the nodes of a segment.
func shapeOf(o *object) listKind {
	n, _ := o.Size.Const.Int64()
	k := listKind{size: n, next: o.List.Next, prev: -1, branches: o.List.Branches}
	if o.List.Double {
		k.prev = o.List.Prev
	}
	return k
}

func (k *listKind) equal(o listKind) bool {
	return k.size == o.size && k.next == o.next && k.prev == o.prev && slices.Equal(k.branches, o.branches)
}

// shapeOfOwner describes what is owned for the key of a state.
func shapeOfOwner(w *symgraph.Owned) string {
	k := shapeOf(w.Nodes)
	b := "o" + strconv.FormatInt(w.At, 10) + ":" + strconv.FormatInt(k.size, 10) + "." + strconv.FormatInt(k.next, 10) + "." + strconv.FormatInt(k.prev, 10)
	for _, at := range k.branches {
		b += "," + strconv.FormatInt(at, 10)
	}
	return b
}

// property is what a node owns: parts are the objects that become a part of it, rest are its
// other cells, but for the links.
type property struct {
	owned []symgraph.Owned
	parts []int32
	rest  []cell
}

// take removes what has become a part of a node.
func (p *property) take(s *state) {
	for _, o := range p.parts {
		s.Objects[o] = gone
	}
}

// property finds what object o owns, if it becomes a node of a kind. It is not ok if
// the object has to stay as it is.
func (x *explorer) property(s *state, o int32, kind listKind, first, last []int) (p property, ok bool) {
	ob := &s.Objects[o]
	links := kind
	links.branches = slices.Clone(kind.branches)
	word := int64(x.pointerBits() / 8)
	for at := int64(0); at+word <= kind.size; at += word {
		if slices.ContainsFunc(append(kind.links(), kind.prev), func(l int64) bool { return l >= 0 && at < l+word && l < at+word }) {
			continue
		}
		to, ok := linkOrZero(ob, at, x.pointerBits())
		if !ok || to.Object == o {
			continue
		}
		k := slices.IndexFunc(x.owners, func(w owner) bool { return w.size == kind.size && w.next == kind.next && w.at == at })
		if to.Object < 0 {
			if x.owning && k >= 0 {
				links.branches = append(links.branches, at)
				p.owned = append(p.owned, symgraph.Owned{At: at, Nodes: nothing(&x.owners[k].of)})
			}
			continue
		}
		c := &s.Objects[to.Object]
		if c.Kind != symgraph.Heap || c.Dead {
			continue
		}
		alone := first[to.Object] == 1 && last[to.Object] == 0 && !to.Last
		if !x.owning || !alone && k < 0 { // or shared
			x.mayOwn = x.mayOwn || alone
			continue
		}
		if size, _ := c.Size.Const.Int64(); kind.next == symgraph.NoLink && size == kind.size && c.Size.IsConstant() && alone && !x.isKind(size) {
			x.kinds = append(x.kinds, listKind{size: size, next: at, prev: -1}) // a list, in which two nodes hang together
			x.again = true
			return p, false
		}
		w, parts, whole := x.whole(s, to.Object, first, last)
		if w.At = at; !alone || !whole || depth(w.Nodes) > maxDepth {
			return p, false
		}
		of := shapeOf(w.Nodes)
		switch {
		case k < 0 && len(x.owners) == maxOwners:
			return p, false
		case k < 0:
			x.owners = append(x.owners, owner{kind.size, kind.next, at, of})
			x.again = true
			return p, false
		case x.owners[k].of.next == symgraph.NoLink && of.next != symgraph.NoLink:
			x.owners[k].of = of // it was the first node of a list
			x.again = true
			return p, false
		case !x.owners[k].of.equal(of):
			return p, false
		}
		links.branches = append(links.branches, at)
		p.owned = append(p.owned, w)
		p.parts = append(append(p.parts, parts...), to.Object)
	}
	x.nullLinks(ob, links)
	p.rest = without(ob.Cells, links)
	return p, true
}

// isKind says whether nodes of lists or trees may have a size.
func (x *explorer) isKind(size int64) bool {
	return slices.ContainsFunc(x.kinds, func(k listKind) bool { return k.size == size })
}

// maxDepth bounds how deep what nodes own is nested.
const maxDepth = 4

func depth(o *object) int {
	d := 0
	for i := range o.List.Owned {
		d = max(d, depth(o.List.Owned[i].Nodes))
	}
	return d + 1
}

// whole describes an object as what is owned: a segment that ends in null, or a single
// object that is no node. parts are what it owns itself.
func (x *explorer) whole(s *state, o int32, first, last []int) (w symgraph.Owned, parts []int32, ok bool) {
	ob := &s.Objects[o]
	n := object{Kind: symgraph.Heap, Size: ob.Size}
	cells, facts := ob.Cells, []linear.Constraint(nil)
	w.Nodes = &n
	if l := ob.List; l != nil {
		if !isNull(l.Tail) || l.Double && l.Before.Kind != symgraph.Any && !isNull(l.Before) {
			return w, nil, false
		}
		n.List = &symgraph.Segment{Next: l.Next, Branches: l.Branches, Tail: null, Double: l.Double, Prev: l.Prev, Before: l.Before, Owned: l.Owned}
		facts = l.Facts
		w.Most = symgraph.Unbounded
		if l.Next == symgraph.NoLink {
			w.Most = 1
		}
		if x.k.atLeast(l.Length, linear.Int(1)) {
			w.Least = 1
		}
	} else {
		size, ok := nodeSize(ob)
		if !ok || x.isKind(size) {
			return w, nil, false
		}
		p, ok := x.property(s, o, listKind{size: size, next: symgraph.NoLink, prev: -1}, first, last)
		if !ok {
			return w, nil, false
		}
		cells, parts = p.rest, p.parts
		n.List = &symgraph.Segment{Next: symgraph.NoLink, Tail: null, Owned: p.owned}
		w.Least, w.Most = 1, 1
	}
	if !n.List.Double {
		n.List.Before = value{Kind: symgraph.Any}
	}
	fixed := int32(len(x.m.Globals) + len(x.m.Funcs))
	cells = slices.DeleteFunc(slices.Clone(cells), func(c cell) bool { return c.Value.Kind == symgraph.Pointer && c.Value.Object >= fixed })
	n.Cells, n.List.Own, n.List.Facts = x.describe([]description{{cells, facts}}, nil)
	return w, parts, true
}

// nothing describes the nodes of a kind of which there is none.
func nothing(k *listKind) *object {
	l := &symgraph.Segment{Next: k.next, Branches: k.branches, Tail: null, Double: k.prev >= 0, Prev: max(k.prev, 0), Before: value{Kind: symgraph.Any}}
	if l.Double {
		l.Before = null
	}
	return &object{Kind: symgraph.Heap, Size: linear.Constant(linear.Int(k.size)), List: l}
}

// ownedOf adds what a node of l owns to a state, and gives the node's pointers to it.
func (x *explorer) ownedOf(s *state, l *symgraph.Segment) (cells []cell) {
	for i := range l.Owned {
		w := &l.Owned[i]
		c := cell{Offset: linear.Constant(linear.Int(w.At)), Type: x.m.PtrType(), Value: null}
		if w.Most != 0 {
			c.Value = pointer(int32(len(s.Objects)), linear.Form{})
			s.Objects = append(slices.Clip(s.Objects), object{})
			o := x.ownedObject(s, w)
			s.Objects[c.Value.Object] = o
		}
		cells = append(cells, c)
	}
	return cells
}

// ownedObject is what a node owns when it is not a part of a segment any more.
func (x *explorer) ownedObject(s *state, w *symgraph.Owned) object {
	if w.Least == 1 && w.Most == 1 && w.Nodes.List.Next == symgraph.NoLink {
		n := x.someNode(w.Nodes, nil)
		n.Cells = append(n.Cells, x.ownedOf(s, w.Nodes.List)...)
		return n
	}
	l := *w.Nodes.List
	if w.Most == symgraph.Unbounded {
		l.Length = x.lengthSymbol()
		v, _ := l.Length.IsVariable()
		x.symbols[v].low = linear.Int(w.Least)
	} else {
		l.Length = x.fresh(linear.Int(w.Least), linear.Int(w.Most))
	}
	o := *w.Nodes
	o.List = &l
	return o
}

// joinOwned finds what holds of what both nodes own, if both own the same kinds of
// segments.
func (x *explorer) joinOwned(a, b []symgraph.Owned) (c []symgraph.Owned, ok bool) {
	if len(a) != len(b) {
		return nil, false
	}
	for i := range a {
		w, ok := x.joinOwner(&a[i], &b[i])
		if !ok {
			return nil, false
		}
		c = append(c, w)
	}
	return c, true
}

func (x *explorer) joinOwner(a, b *symgraph.Owned) (w symgraph.Owned, ok bool) {
	k := shapeOf(a.Nodes)
	if a.At != b.At || !k.equal(shapeOf(b.Nodes)) {
		return w, false
	}
	w = symgraph.Owned{At: a.At, Least: min(a.Least, b.Least), Most: max(a.Most, b.Most), Nodes: a.Nodes}
	if a.Most == symgraph.Unbounded || b.Most == symgraph.Unbounded {
		w.Most = symgraph.Unbounded
	}
	switch {
	case a.Most == 0:
		w.Nodes = b.Nodes
		return w, true
	case b.Most == 0:
		return w, true
	}
	n := object{Kind: symgraph.Heap, Size: a.Nodes.Size}
	l := *a.Nodes.List
	if l.Owned, ok = x.joinOwned(a.Nodes.List.Owned, b.Nodes.List.Owned); !ok {
		return w, false
	}
	if !isNull(b.Nodes.List.Before) {
		l.Before = value{Kind: symgraph.Any}
	}
	n.Cells, l.Own, l.Facts = x.describe([]description{{a.Nodes.Cells, a.Nodes.List.Facts}, {b.Nodes.Cells, b.Nodes.List.Facts}}, nil)
	n.List = &l
	w.Nodes = &n
	return w, true
}

// owned joins what the nodes of two segments own.
func (j *joiner) owned(a, b []symgraph.Owned) []symgraph.Owned {
	within := len(a) == len(b)
	for i := range a {
		within = within && j.x.ownedWithin(&a[i], &b[i])
	}
	if within {
		return a
	}
	if j.first == nil {
		j.fails = true
		return nil
	}
	c, ok := j.x.joinOwned(a, b)
	if !ok {
		j.lost = true
		return nil
	}
	if j.late {
		for i := range c {
			c[i].Nodes = j.x.widened(&a[i], &b[i], c[i].Nodes)
		}
	}
	return c
}

// maxHulls is how often the bounds of what is owned move before they are dropped.
const maxHulls = 3

// widened is what a says of nodes and b does, too; hull is what they are joined to.
func (x *explorer) widened(a, b *symgraph.Owned, hull *object) *object {
	if a.Most == 0 || b.Most == 0 {
		return hull
	}
	n, l := *hull, *hull.List
	n.Cells, l.Own, l.Facts = nil, a.Nodes.List.Own, nil
	to := map[linear.Var]linear.Form{}
	x.under(x.k, b.Nodes.List.Facts, func() {
		for _, c := range a.Nodes.Cells {
			d := sameCell(&c, b.Nodes)
			if d == nil {
				continue
			}
			v, ok := c.Value.Form.IsVariable()
			if ok && x.inRange(v, d.Value.Form) {
				to[v] = d.Value.Form
				n.Cells = append(n.Cells, c)
			} else if !ok && c.Value.Form.Equal(d.Value.Form) {
				n.Cells = append(n.Cells, c)
			}
		}
		l.Own = slices.DeleteFunc(slices.Clone(l.Own), func(v linear.Var) bool { _, ok := to[v]; return !ok })
		for _, f := range a.Nodes.List.Facts {
			known := !slices.ContainsFunc(f.Form.Terms, func(t linear.Term) bool { _, ok := to[t.Var]; return !ok })
			g := f.Form.Substitute(func(v linear.Var) (linear.Form, bool) { h, ok := to[v]; return h, ok })
			if known && x.k.entails(linear.Constraint{Form: g, Equality: f.Equality}) {
				l.Facts = append(l.Facts, f)
			}
		}
	})
	for i := range l.Owned {
		l.Owned = slices.Clone(l.Owned)
		l.Owned[i].Nodes = x.widened(&a.Nodes.List.Owned[i], &b.Nodes.List.Owned[i], l.Owned[i].Nodes)
	}
	n.List = &l
	return &n
}

// inRange says whether f is a value that a symbol may have.
func (x *explorer) inRange(v linear.Var, f linear.Form) bool {
	s := &x.symbols[v]
	return x.k.atLeast(f, s.low) && x.k.atLeast(f.Neg(), s.high.Neg())
}

// sameCell finds the cell of an object that is in the place of c, and holds something of the
// kind.
func sameCell(c *cell, o *object) *cell {
	i := slices.IndexFunc(o.Cells, func(d cell) bool {
		return d.Type == c.Type && d.Offset.Equal(c.Offset) && d.Value.Kind == c.Value.Kind && d.Value.Object == c.Value.Object
	})
	if i < 0 {
		return nil
	}
	return &o.Cells[i]
}

// ownedWithin says whether what b says implies what a says.
func (x *explorer) ownedWithin(a, b *symgraph.Owned) bool {
	k := shapeOf(a.Nodes)
	l, m := a.Nodes.List, b.Nodes.List
	switch {
	case a.At != b.At || !k.equal(shapeOf(b.Nodes)) || a.Least > b.Least || a.Most != symgraph.Unbounded && (b.Most == symgraph.Unbounded || b.Most > a.Most):
		return false
	case b.Most == 0:
		return true
	case len(l.Owned) != len(m.Owned) || isNull(l.Before) && !isNull(m.Before):
		return false
	}
	to := map[linear.Var]linear.Form{}
	for _, c := range a.Nodes.Cells {
		d := sameCell(&c, b.Nodes)
		if d == nil {
			return false
		}
		if v, ok := c.Value.Form.IsVariable(); ok {
			to[v] = d.Value.Form
		} else if !c.Value.Form.Equal(d.Value.Form) {
			return false
		}
	}
	within := true
	x.under(x.k, m.Facts, func() {
		for _, c := range a.Nodes.Cells {
			if v, ok := c.Value.Form.IsVariable(); ok {
				within = within && x.inRange(v, to[v])
			}
		}
		for _, f := range l.Facts {
			g := f.Form.Substitute(func(v linear.Var) (linear.Form, bool) { h, ok := to[v]; return h, ok })
			within = within && x.k.entails(linear.Constraint{Form: g, Equality: f.Equality})
		}
	})
	for i := range l.Owned {
		within = within && x.ownedWithin(&l.Owned[i], &m.Owned[i])
	}
	return within
}
