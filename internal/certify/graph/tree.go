package graph

// Tree segments (symgraph.Segment with Branches): the checker's own rules.
//
// # What a tree segment says
//
// Its Length nodes are live heap objects as those of a list segment. Either
// there is none, and a pointer to the segment is Tail; or a pointer to it is one to
// the start of a node, the links of which lead to trees of the other nodes, no node
// to two of them: one of the links to a segment with the same Tail, the others to
// segments that end in null. So, of the links of all nodes that lead to
// none of them, one is Tail and the others are null. Tail is a pointer, and
// there is no way back.
//
// # Unfolding
//
// The cases are: Length is 0; or there is a first node, and Tail is the end of the tree
// below its first link, or its second one, and so on. If Tail is null the
// cases are the same, so the first is enough. The lengths of the trees
// below are some natural numbers whose sum is one less.
//
// # Folding
//
// The nodes are found by following all links from where the segment starts on the
// path. The place where Tail is on the path has to be known; one link leads there, which
// is not followed, and the others end in null. No object is met twice, for
// all that are met are taken.

import (
	"slices"

	"assay/internal/evidence/symgraph"
)

// illFormedTree says why an object is no tree segment, if it is not; and nothing of
// lists.
func illFormedTree(o *symgraph.Object, word int64) string {
	l := o.List
	if len(l.Branches) == 0 {
		return ""
	}
	size, _ := o.Size.Const.Int64()
	for i, at := range l.Branches {
		apart := at >= l.Next+word || l.Next >= at+word
		for _, other := range l.Branches[:i] {
			apart = apart && (at >= other+word || other >= at+word)
		}
		if at < 0 || at+word > size || !apart {
			return "whose nodes have no room for the links"
		}
	}
	if l.Double || l.Tail.Kind != symgraph.Pointer {
		return "of trees with an end that is not known, or a way back"
	}
	return ""
}

// growTree goes on with a node in the place of a tree segment that is not empty, and
// segments for what is below.
func (c *checkerState) growTree(s *state, o int) {
	l := s.objects[o].list
	holes := 1 + len(l.branches)
	if l.tail.object == symgraph.Null && l.tail.kind == symgraph.Pointer && l.tail.n.isConst() && l.tail.n.low.Sign() == 0 {
		holes = 1
	}
	for hole := range holes {
		if c.failure != nil {
			return
		}
		c.push()
		t := s.clone()
		c.grow(t, o, hole)
		c.walk(t)
		c.pop()
	}
}

// grow is growTree if Tail is the end of what is below the link with the number hole.
func (c *checkerState) grow(s *state, o, hole int) {
	ob := s.objects[o]
	l := ob.list
	cells, given := c.someNode(l)
	c.assert(given)
	objects := slices.Clip(s.objects)
	sum := num(one)
	for i, at := range append([]int64{l.next.low.Int64()}, l.branches...) {
		below := *l
		below.length = number{c.name("l"), small0.low, huge}
		c.say("(declare-const %s Int)\n", below.length.t)
		c.assert("(<= 0 " + below.length.t + ")")
		sum = c.add(sum, below.length)
		if i != hole {
			below.tail = value{kind: symgraph.Pointer, object: symgraph.Null, n: small0}
		}
		cells = append(cells, cell{small(at), c.m.PtrType(), value{kind: symgraph.Pointer, object: int32(len(objects)), n: small0}})
		objects = append(objects, object{kind: symgraph.Heap, size: ob.size, list: &below})
	}
	c.assert("(= " + l.length.t + " " + sum.t + ")")
	s.objects = objects
	s.objects[o] = object{kind: symgraph.Heap, size: ob.size, cells: append(cells, c.ownedOf(s, l)...)}
	c.distinct(&s.objects[o], 0)
}

// dealTree deals the nodes of a tree on the path out to a tree segment of the node.
func (m *match) dealTree(slots *[]slot, k int) {
	o := &m.n.State.Objects[k]
	l := o.List
	start, started := m.where(symgraph.Value{Kind: symgraph.Pointer, Object: int32(k)})
	end, known := m.where(l.Tail)
	if !started || !known || end.last {
		m.fail("a tree segment of which the end is not known")
		return
	}
	m.dealtTo[k] = true
	length, ended := m.dealAll(slots, o, start, end)
	if end.object >= 0 && !ended {
		m.fail("a tree segment that does not end where it has to")
	}
	if m.fails == "" {
		m.setLength(slots, l, length)
	}
}

// onwards is a link to follow, and the node that it comes from, unset at the start.
type onwards struct{ at, from value }

// dealAll deals what is found by following all links from the start: nodes as o describes
// them, up to null or the end, to which at most one link leads.
func (m *match) dealAll(slots *[]slot, o *symgraph.Object, start, end value) (length number, ended bool) {
	c, l := m.c, o.List
	size, _ := form(o.Size, m.term)
	var links []int64
	if l.Next != symgraph.NoLink {
		links = append([]int64{l.Next}, l.Branches...)
	}
	length = small0
	// back compares the link back of a node with the node before.
	back := func(v, from value) {
		switch {
		case !l.Double:
		case from.kind == symgraph.Unset:
			m.value(slots, l.Before, v, c.m.PtrType())
		case v.kind != symgraph.Pointer || !v.n.isConst() || v.n.low.Sign() != 0 || v.object != from.object || v.last != from.last:
			m.fail("a link back that leads elsewhere")
		}
	}
	todo := []onwards{{at: start}}
	for len(todo) > 0 && m.fails == "" && c.failure == nil {
		at, from := todo[len(todo)-1].at, todo[len(todo)-1].from
		todo = todo[:len(todo)-1]
		switch {
		case at.kind != symgraph.Pointer || at.last || !at.n.isConst() || at.n.low.Sign() != 0 || at.object < symgraph.Null:
			m.fail("a link of a tree that leads elsewhere")
			return
		case at.object == end.object && end.object >= 0:
			if ended {
				m.fail("two links of a tree that lead to its end")
				return
			}
			ended = true
			m.value(slots, l.Tail, at, c.m.PtrType())
			continue
		case at.object == symgraph.Null:
			continue
		}
		ob := &m.s.objects[at.object]
		if ob.kind != symgraph.Heap || ob.dead || m.taken[at.object] || !ob.size.isConst() || ob.size.low.Cmp(size.low) != 0 {
			m.fail("a link of a tree that leads to something else")
			return
		}
		m.taken[at.object] = true
		if b := ob.list; b != nil {
			if !alike(l, b) {
				m.fail("a link of a tree that leads to nodes of another kind")
				return
			}
			cells, given := c.someNode(b)
			given = all([]string{"(<= 1 " + b.length.t + ")", given})
			m.node(slots, o, cells, given)
			m.ownedAlike(slots, l.Owned, b, cells, given)
			length = c.add(length, b.length)
			back(b.before, from)
			todo = append(todo, onwards{b.tail, value{kind: symgraph.Pointer, object: at.object, last: true}})
			continue
		}
		cells := make([]cell, len(o.Cells))
		for i := range o.Cells {
			off, _ := form(o.Cells[i].Offset, m.term)
			cells[i] = cell{off, o.Cells[i].Type, c.read(m.s, int(at.object), off, o.Cells[i].Type)}
		}
		m.node(slots, o, cells, "true")
		m.dealOwned(slots, l.Owned, at.object)
		length = c.add(length, num(one))
		if l.Double {
			back(c.read(m.s, int(at.object), small(l.Prev), c.m.PtrType()), from)
		}
		for _, next := range links {
			todo = append(todo, onwards{c.read(m.s, int(at.object), small(next), c.m.PtrType()), value{kind: symgraph.Pointer, object: at.object}})
		}
	}
	return length, ended
}

// alike says whether the nodes of a segment of the path have the links that l has.
func alike(l *symgraph.Segment, b *segment) bool {
	return b.next.low.Int64() == l.Next && slices.Equal(b.branches, l.Branches) && (!l.Double || b.double && b.prev.low.Int64() == l.Prev)
}
