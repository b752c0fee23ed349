package graph

// Nodes that own segments (symgraph.Owned): the checker's own rules.
//
// # What is said
//
// If a segment has Owned, the pointer at offset At of each of its nodes is the start of a
// segment that ends in null: Least to Most live heap objects as Nodes describes them, one
// after the other or in a tree, different from all other objects of the state, and from
// those that other nodes own. So they are reached from the node alone, and are allocated
// as long as the node exists.
//
// # Unfolding
//
// Where a node becomes an object of its own (materialize, grow), so does what it owns: a segment
// of the state, of some length within the bounds. That is no case analysis: the
// segment may be empty.
//
// # Folding
//
// When an object of the path is dealt to a segment whose nodes own others, the pointer is read,
// and all that it leads to is dealt, too, up to null. Each object is dealt at most once, so
// no two nodes own one, and nothing else leads into it: a pointer of the state to it would
// have no place. Where a segment of the path is dealt, what its nodes own must be
// as said: for any of its nodes, and any node that this owns.

import (
	"math/big"
	"slices"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
)

// maxNesting bounds how deep owned segments may be nested.
const maxNesting = 8

// nested says whether what nodes own are segments, and not too deep.
func nested(l *symgraph.Segment, depth int) bool {
	for i := range l.Owned {
		if o := l.Owned[i].Nodes; o == nil || o.List == nil || depth == maxNesting || !nested(o.List, depth+1) {
			return false
		}
	}
	return true
}

// illFormedOwned says what is wrong with what the nodes of an object own.
func (c *checkerState) illFormedOwned(n *symgraph.Node, o *symgraph.Object, term func(linear.Var) (number, bool)) string {
	word := int64(c.m.PointerBits / 8)
	size, _ := o.Size.Const.Int64()
	l := o.List
	links := slices.Clone(l.Branches)
	if l.Next != symgraph.NoLink {
		links = append(links, l.Next)
	}
	if l.Double {
		links = append(links, l.Prev)
	}
	for i := range l.Owned {
		w := &l.Owned[i]
		if w.At < 0 || w.At+word > size || slices.ContainsFunc(links, func(at int64) bool { return at < w.At+word && w.At < at+word }) {
			return "whose nodes have no room for what they own"
		}
		links = append(links, w.At)
		if why := c.illFormedOwner(n, w, term); why != "" {
			return why
		}
	}
	return ""
}

// illFormedOwner says what is wrong with a segment that is owned.
func (c *checkerState) illFormedOwner(n *symgraph.Node, w *symgraph.Owned, term func(linear.Var) (number, bool)) string {
	o := w.Nodes
	fixed := int32(len(c.m.Globals) + len(c.m.Funcs))
	switch {
	case o.Kind != symgraph.Heap || o.Dead || o.HasBase || o.Pristine:
		return "whose nodes own what is no segment"
	case w.Least < 0 || w.Most < w.Least && w.Most != symgraph.Unbounded || o.List.Next == symgraph.NoLink && w.Most != 0 && w.Most != 1:
		return "whose nodes own segments of an impossible length"
	case !isNull(o.List.Tail) || o.List.Before.Kind != symgraph.Any && !isNull(o.List.Before):
		return "whose nodes own segments that do not end in null"
	}
	for _, x := range o.Cells {
		if v := &x.Value; v.Kind == symgraph.Pointer && (v.Object < symgraph.Null || v.Object >= fixed || v.Last) {
			return "whose nodes own others with pointers elsewhere"
		}
	}
	if why := illFormedLinks(o, int64(c.m.PointerBits/8)); why != "" {
		return why
	}
	if why := illFormedNodes(n, o, term); why != "" {
		return why
	}
	return c.illFormedOwned(n, o, term)
}

// ownedSegment is what a node that is not a part of a segment any more owns.
func (c *checkerState) ownedSegment(w *symgraph.Owned, term func(linear.Var) (number, bool)) *segment {
	l := w.Nodes.List
	length := number{c.name("l"), big.NewInt(w.Least), huge}
	c.say("(declare-const %s Int)\n", length.t)
	c.assert("(<= " + integer(length.low) + " " + length.t + ")")
	if w.Most != symgraph.Unbounded {
		length.high = big.NewInt(w.Most)
		c.assert("(<= " + length.t + " " + integer(length.high) + ")")
	}
	s := &segment{length: length, next: small(l.Next), branches: l.Branches, own: l.Own, facts: l.Facts, cells: w.Nodes.Cells, owned: l.Owned, term: term}
	s.tail = value{kind: symgraph.Pointer, object: symgraph.Null, n: small0}
	s.before = value{kind: symgraph.Any}
	if l.Double {
		s.double, s.prev = true, small(l.Prev)
		s.before = value{kind: l.Before.Kind, object: l.Before.Object, n: small0}
	}
	return s
}

// ownedOf adds the segments that a node of l owns to the state, and gives the node's
// pointers to them.
func (c *checkerState) ownedOf(s *state, l *segment) (cells []cell) {
	for i := range l.owned {
		w := &l.owned[i]
		size, _ := form(w.Nodes.Size, l.term)
		cells = append(cells, cell{small(w.At), c.m.PtrType(), value{kind: symgraph.Pointer, object: int32(len(s.objects)), n: small0}})
		s.objects = append(s.objects[:len(s.objects):len(s.objects)], object{kind: symgraph.Heap, size: size, list: c.ownedSegment(w, l.term)})
	}
	return cells
}

// dealOwned deals what an object of the path owns.
func (m *match) dealOwned(slots *[]slot, ws []symgraph.Owned, object int32) {
	for i := range ws {
		m.dealOwner(slots, &ws[i], m.c.read(m.s, int(object), small(ws[i].At), m.c.m.PtrType()))
	}
}

// dealOwner deals the segment that starts at a pointer of the path.
func (m *match) dealOwner(slots *[]slot, w *symgraph.Owned, start value) {
	if m.fails != "" {
		return
	}
	null := value{kind: symgraph.Pointer, object: symgraph.Null, n: small0}
	length, _ := m.dealAll(slots, w.Nodes, start, null)
	if m.fails != "" {
		return
	}
	m.claims = append(m.claims, "(<= "+integer(big.NewInt(w.Least))+" "+length.t+")")
	if w.Most != symgraph.Unbounded {
		m.claims = append(m.claims, "(<= "+length.t+" "+integer(big.NewInt(w.Most))+")")
	}
}

// ownedAlike compares what the nodes of a segment of the path own, one of which has these
// cells where given holds.
func (m *match) ownedAlike(slots *[]slot, ws []symgraph.Owned, b *segment, cells []cell, given string) {
	for i := range b.owned {
		v := &b.owned[i]
		if v.Most != 0 && !slices.ContainsFunc(ws, func(w symgraph.Owned) bool { return w.At == v.At }) {
			m.fail("nodes of a segment that own something")
			return
		}
	}
	for i := range ws {
		w := &ws[i]
		k := slices.IndexFunc(b.owned, func(v symgraph.Owned) bool { return v.At == w.At })
		if k < 0 {
			if w.Least > 0 || !m.c.isNullAt(cells, w.At) {
				m.fail("nodes of a segment that own nothing that is known")
				return
			}
			continue
		}
		m.ownerAlike(slots, w, &b.owned[k], b.term, given)
	}
}

// ownerAlike says that what v says of the path implies what w says of the node.
func (m *match) ownerAlike(slots *[]slot, w, v *symgraph.Owned, term func(linear.Var) (number, bool), given string) {
	if v.Least < w.Least || w.Most != symgraph.Unbounded && (v.Most == symgraph.Unbounded || v.Most > w.Most) {
		m.fail("nodes of a segment that own segments of another length")
	}
	if m.fails != "" || v.Most == 0 {
		return
	}
	b := m.c.ownedSegment(v, term)
	l := w.Nodes.List
	if !alike(l, b) || !v.Nodes.Size.Equal(w.Nodes.Size) || l.Double && isNull(l.Before) && !isNull(v.Nodes.List.Before) {
		m.fail("nodes of a segment that own nodes of another kind")
		return
	}
	cells, facts := m.c.someNode(b)
	given = all([]string{given, facts})
	m.node(slots, w.Nodes, cells, given)
	m.ownedAlike(slots, l.Owned, b, cells, given)
}

// isNullAt says whether there is a null pointer in the cells of a node.
func (c *checkerState) isNullAt(cells []cell, at int64) bool {
	from, to := big.NewInt(at), big.NewInt(at+int64(c.m.PointerBits/8))
	for i := range cells {
		x := &cells[i]
		if x.t == c.m.PtrType() && x.at.isConst() && x.at.low.Cmp(from) == 0 && x.v.kind == symgraph.Pointer && x.v.object == symgraph.Null && x.v.n.isConst() && x.v.n.low.Sign() == 0 {
			return true
		}
		if a, b, ok := zeros(x); ok && a.Cmp(from) <= 0 && to.Cmp(b) <= 0 {
			return true
		}
	}
	return false
}
