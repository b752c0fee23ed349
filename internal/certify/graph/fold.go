package graph

// Folding: a state of the path is described by a node with segments (list.go) if its
// objects can be dealt out to them. The dealing goes from one end of a segment to the
// other, and only what Z3 accepts of the claims about it counts. Segments with several
// links are in tree.go, what nodes own is in owned.go.

import (
	"fmt"
	"math/big"
	"slices"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
)

// dealt is a node of the path that was dealt to a segment: where given holds, there
// are values own of the segment's symbols such that its facts hold and its cells have
// these values.
type dealt struct {
	given  string
	of     *symgraph.Object
	own    map[linear.Var]number
	values []slot
}

// lastOf is a pointer into the last node of a segment of the node, and what it is on
// the path.
type lastOf struct {
	want symgraph.Value
	have value
}

// startOf notes where a pointer into a segment of the node points on the path.
func (m *match) startOf(want symgraph.Value, have value) {
	if want.Last {
		m.lasts = append(m.lasts, lastOf{want, have})
		return
	}
	if m.started[want.Object] && m.object[want.Object] != have.object {
		m.fail("pointers into a list segment that point to different objects")
		return
	}
	if have.object < symgraph.Null || have.last {
		m.fail("a pointer to another object")
		return
	}
	m.started[want.Object], m.object[want.Object] = true, have.object
}

// lists deals objects of the path out to one segment of the node that is known to
// start or to end somewhere, one whose other end is known if there is one. done says
// that there was none left.
func (m *match) lists(slots *[]slot) (done bool) {
	next, rank, backward := -1, 0, false
	for k := range m.n.State.Objects {
		l := m.n.State.Objects[k].List
		if l == nil || m.dealtTo[k] {
			continue
		}
		first, last := symgraph.Value{Kind: symgraph.Pointer, Object: int32(k)}, symgraph.Value{Kind: symgraph.Pointer, Object: int32(k), Last: true}
		_, isFirst := m.where(first)
		_, isLast := m.where(last)
		_, toTail := m.where(l.Tail)
		_, toBefore := m.where(l.Before)
		for r, c := range []bool{isLast && l.Double, isFirst, isLast && l.Double && toBefore, isFirst && toTail} {
			if c && r+1 > rank {
				next, rank, backward = k, r+1, r%2 == 0
			}
		}
	}
	if next < 0 {
		return m.lastNodes(slots)
	}
	if l := m.n.State.Objects[next].List; len(l.Branches) > 0 || l.Next == symgraph.NoLink {
		m.dealTree(slots, next)
	} else {
		m.followLinks(slots, next, backward)
	}
	return false
}

// where is a pointer of the node on the path, if that is known, without its offset.
func (m *match) where(v symgraph.Value) (value, bool) {
	for steps := 0; v.Kind == symgraph.Pointer && steps <= len(m.n.State.Objects); steps++ {
		at := value{kind: symgraph.Pointer, object: v.Object, n: small0}
		switch {
		case v.Object < 0:
			return at, true
		case m.n.State.Objects[v.Object].List == nil:
			at.object = m.object[v.Object]
			return at, at.object >= 0
		case !v.Last:
			at.object = m.object[v.Object]
			return at, m.started[v.Object]
		case m.dealtTo[v.Object] && m.last[v.Object].kind == symgraph.Pointer:
			return m.last[v.Object], true
		case m.dealtTo[v.Object]: // empty
			v = m.n.State.Objects[v.Object].List.Before
			continue
		}
		for _, x := range m.lasts {
			if x.want.Object == v.Object {
				x.have.n = small0
				return x.have, x.have.kind == symgraph.Pointer
			}
		}
		break
	}
	return value{}, false
}

// lastNodes compares the pointers into last nodes with the nodes that were dealt last;
// done says that there was none left.
func (m *match) lastNodes(slots *[]slot) (done bool) {
	if len(m.lasts) == 0 {
		return true
	}
	x := m.lasts[0]
	m.lasts = m.lasts[1:]
	k := x.want.Object
	switch {
	case !m.dealtTo[k]:
		m.fail("a pointer into the last node of a list segment without a start")
	case m.last[k].kind == symgraph.Unset: // empty
		m.value(slots, m.n.State.Objects[k].List.Before, value{kind: x.have.kind, object: x.have.object, last: x.have.last, n: small0}, m.c.m.PtrType())
	case x.have.object != m.last[k].object || x.have.last != m.last[k].last:
		m.fail("a pointer into another node than the last one of a list segment")
	}
	return false
}

// followLinks follows the links from the start of a segment, or back from its end.
func (m *match) followLinks(slots *[]slot, k int, backward bool) {
	o := &m.n.State.Objects[k]
	c, l := m.c, o.List
	zero := func(n number) bool { return n.isConst() && n.low.Sign() == 0 }
	link, linkBack, far, near := l.Next, l.Prev, l.Tail, l.Before
	if backward {
		link, linkBack, far, near = l.Prev, l.Next, l.Before, l.Tail
	}
	at, _ := m.where(symgraph.Value{Kind: symgraph.Pointer, Object: int32(k), Last: backward})
	end, known := m.where(far)
	m.dealtTo[k] = true
	length := small0
	// from and to are the nodes of the two ends as pointers, as seen from the other ones.
	var from, to value
	// back compares the link back of a node with the node before.
	back := func(v value) {
		switch {
		case !l.Double:
		case to.kind == symgraph.Unset:
			m.value(slots, near, v, c.m.PtrType())
		case v.kind != symgraph.Pointer || !zero(v.n) || v.object != to.object || v.last != to.last:
			m.fail("a link back that leads elsewhere")
		}
	}
	for m.fails == "" && c.failure == nil {
		if !known { // the first node may link back to the last one
			end, known = m.where(far)
		}
		if at.kind != symgraph.Pointer || !zero(at.n) || at.object < 0 || known && at.object == end.object && at.last == end.last {
			break
		}
		ob := &m.s.objects[at.object]
		size, _ := form(o.Size, m.term)
		if ob.kind != symgraph.Heap || ob.dead || m.taken[at.object] || !ob.size.isConst() || ob.size.low.Cmp(size.low) != 0 {
			break
		}
		if !known && (l.Length.IsConstant() && length.isConst() && l.Length.Const.BigInt().Cmp(length.low) == 0 || !m.suits(o, at.object)) {
			break // what follows belongs to another segment, if anything fits
		}
		if !known && far.Kind == symgraph.Pointer && m.isObject(far.Object, link, at) {
			break
		}
		if b := ob.list; b != nil {
			if at.last != backward || len(b.branches) > 0 || b.next.low.Cmp(big.NewInt(l.Next)) != 0 || l.Double && (!b.double || b.prev.low.Cmp(big.NewInt(l.Prev)) != 0) {
				break
			}
			cells, given := c.someNode(b)
			given = all([]string{"(<= 1 " + b.length.t + ")", given})
			m.node(slots, o, cells, given)
			m.ownedAlike(slots, l.Owned, b, cells, given)
			length = c.add(length, b.length)
			m.taken[at.object] = true
			if from.kind == symgraph.Unset {
				from = at
			}
			next, previous := b.tail, b.before
			if backward {
				next, previous = b.before, b.tail
			}
			back(previous)
			to = value{kind: symgraph.Pointer, object: at.object, last: !backward}
			at = next
			continue
		}
		cells := make([]cell, len(o.Cells))
		for i := range o.Cells {
			off, _ := form(o.Cells[i].Offset, m.term)
			cells[i] = cell{off, o.Cells[i].Type, c.read(m.s, int(at.object), off, o.Cells[i].Type)}
		}
		m.node(slots, o, cells, "true")
		length = c.add(length, num(one))
		m.taken[at.object] = true
		m.dealOwned(slots, l.Owned, at.object)
		if from.kind == symgraph.Unset {
			from = at
		}
		if l.Double {
			back(c.read(m.s, int(at.object), small(linkBack), c.m.PtrType()))
		}
		to = value{kind: symgraph.Pointer, object: at.object}
		at = c.read(m.s, int(at.object), small(link), c.m.PtrType())
	}
	if m.fails != "" {
		return
	}
	first, last := from, to
	if backward {
		first, last = to, from
	}
	m.last[k] = last
	switch {
	case backward && first.kind == symgraph.Unset: // empty: the start is the tail
		t, ok := m.where(l.Tail)
		if !ok || t.last {
			m.fail("an empty list segment of which nothing is known but the end")
			return
		}
		m.started[k], m.object[k] = true, t.object
	case backward:
		m.started[k], m.object[k] = true, first.object
	}
	if far.Kind == symgraph.Pointer {
		switch {
		case at.kind != symgraph.Pointer || !zero(at.n):
			m.fail("a list segment that does not end where it has to")
		case far.Object < 0:
			if at.object != far.Object {
				m.fail("a list segment that does not end in null")
			}
		default:
			m.value(slots, far, at, c.m.PtrType())
		}
	}
	m.setLength(slots, l, length)
}

// suits says whether an object of the path can be among the nodes that o describes, as far
// as its pointers go, and the bounds of its fields: where the end of a segment is not known,
// others begin behind it.
func (m *match) suits(o *symgraph.Object, object int32) bool {
	c, ob := m.c, &m.s.objects[object]
	at := func(off int64) (value, bool) { return c.read(m.s, int(object), small(off), c.m.PtrType()), true }
	field := func(x *symgraph.Cell) value {
		off, _ := x.Offset.Const.Int64()
		return c.read(m.s, int(object), small(off), x.Type)
	}
	given := "true"
	if ob.list != nil {
		cells, facts := c.someNode(ob.list)
		given = facts
		field = func(x *symgraph.Cell) value {
			for _, y := range cells {
				if y.t == x.Type && y.at.isConst() && x.Offset.IsConstant() && y.at.low.Cmp(x.Offset.Const.BigInt()) == 0 {
					return y.v
				}
			}
			return value{}
		}
		at = func(off int64) (value, bool) {
			for _, x := range cells {
				if x.t == c.m.PtrType() && x.at.isConst() && x.at.low.Cmp(big.NewInt(off)) == 0 {
					return x.v, true
				}
			}
			return value{kind: symgraph.Pointer, object: symgraph.Null, n: small0}, c.isNullAt(cells, off)
		}
		for _, v := range ob.list.owned {
			if v.Most != 0 && !slices.ContainsFunc(o.List.Owned, func(w symgraph.Owned) bool { return w.At == v.At }) {
				return false
			}
		}
	}
	for i := range o.Cells {
		want := &o.Cells[i]
		off, small := want.Offset.Const.Int64()
		if u, ok := want.Value.Form.IsVariable(); ok && want.Value.Kind == symgraph.Int && small {
			b, v := ranges(o.List.Facts)[u], field(want)
			if v.kind == symgraph.Int && v.truth == "" && b[0] != nil && b[1] != nil {
				n := c.view(v.n, want.Type.Bits, b[0].Sign() < 0)
				if c.valid("(=> " + given + " (or (< " + n.t + " " + integer(b[0]) + ") (< " + integer(b[1]) + " " + n.t + ")))") {
					return false
				}
			}
		}
		if want.Value.Kind != symgraph.Pointer || !small {
			continue
		}
		v, ok := at(off)
		if !ok || v.kind != symgraph.Pointer || (v.object < 0) != (want.Value.Object < 0) {
			return false
		}
		if p := want.Value.Object; p >= 0 && m.object[p] >= 0 && m.n.State.Objects[p].List == nil && m.object[p] != v.object {
			return false
		}
	}
	for i := range o.List.Owned {
		w := &o.List.Owned[i]
		if ob.list != nil && slices.ContainsFunc(ob.list.owned, func(v symgraph.Owned) bool { return w.At == v.At }) {
			continue
		}
		v, ok := at(w.At)
		if !ok || v.kind != symgraph.Pointer || v.object < 0 && w.Least > 0 || v.object >= 0 && m.s.objects[v.object].dead {
			return false
		}
	}
	return true
}

// isObject says whether a pointer of the path seems to be to an object of the node that is no segment,
// and has no place yet, by what follows it: the last node of a list that goes round, or
// ends in a circle.
func (m *match) isObject(k int32, link int64, at value) bool {
	if k < 0 || m.object[k] >= 0 || m.n.State.Objects[k].List != nil || m.s.objects[at.object].list != nil {
		return false
	}
	v := m.c.read(m.s, int(at.object), small(link), m.c.m.PtrType())
	for _, x := range m.n.State.Objects[k].Cells {
		if off, small := x.Offset.Const.Int64(); !small || !x.Offset.IsConstant() || off != link || x.Value.Kind != symgraph.Pointer {
			continue
		}
		if x.Value.Object == k {
			return v.kind == symgraph.Pointer && v.object == at.object
		}
		w, ok := m.where(x.Value)
		return ok && v.kind == symgraph.Pointer && v.object == w.object && v.last == w.last
	}
	return false
}

// setLength notes the number of nodes that were dealt to a segment.
func (m *match) setLength(slots *[]slot, l *symgraph.Segment, length number) {
	*slots = append(*slots, slot{f: l.Length, n: length})
	if v, ok := l.Length.IsVariable(); ok {
		if _, bound := m.symbols[v]; !bound {
			m.symbols[v] = length
		}
	}
}

// node deals one node, or all those of a segment of the path, to a segment.
func (m *match) node(slots *[]slot, o *symgraph.Object, cells []cell, given string) {
	d := dealt{given: given, of: o, own: map[linear.Var]number{}}
	known := ranges(o.List.Facts)
	for i := range o.Cells {
		want := &o.Cells[i]
		k := slices.IndexFunc(cells, func(x cell) bool {
			off, _ := form(want.Offset, m.term)
			return x.t == want.Type && x.at.isConst() && x.at.low.Cmp(off.low) == 0
		})
		if k < 0 || cells[k].v.kind != want.Value.Kind {
			m.fail("a node of a list without a cell of the segment")
			return
		}
		v := cells[k].v
		if want.Value.Kind == symgraph.Pointer {
			if !want.Value.Form.IsConstant() {
				m.fail("a pointer with an offset that is not constant in a list segment")
				return
			}
			m.value(slots, want.Value, v, want.Type)
			continue
		}
		n := v.n
		if v.truth != "" {
			n = m.c.short(number{"(ite " + v.truth + " 1 0)", new(big.Int), one})
		}
		if u, ok := want.Value.Form.IsVariable(); ok && slices.Contains(o.List.Own, u) {
			if _, bound := d.own[u]; !bound {
				b := known[u]
				if b[0] == nil || b[1] == nil {
					m.fail("a list segment with a symbol of its own without bounds")
					return
				}
				if !n.within(b[0], b[1]) {
					n = m.c.view(n, want.Type.Bits, b[0].Sign() < 0)
				}
				d.own[u] = n
			}
		}
		d.values = append(d.values, slot{f: want.Value.Form, n: n, bits: want.Type.Bits})
	}
	m.dealt = append(m.dealt, d)
}

// claimDealt says that the nodes that were dealt are as their segments say.
func (m *match) claimDealt() {
	for i := range m.dealt {
		d := &m.dealt[i]
		term := func(v linear.Var) (number, bool) {
			if n, ok := d.own[v]; ok {
				return n, true
			}
			return m.term(v)
		}
		var parts []string
		for _, x := range d.values {
			n, ok := form(x.f, term)
			if !ok {
				m.fail("a value in a list segment that nothing determines")
				return
			}
			if n.t != x.n.t {
				parts = append(parts, m.c.equal(m.c.short(n), x.n, x.bits))
			}
		}
		for _, f := range d.of.List.Facts {
			t, ok := constraint(f, term)
			if !ok {
				m.fail("a fact of a list segment that nothing determines")
				return
			}
			parts = append(parts, t)
		}
		claim := all(parts)
		if d.given != "true" {
			claim = fmt.Sprintf("(=> %s %s)", d.given, claim)
		}
		m.claims = append(m.claims, claim)
	}
}
