package graph

// List segments (symgraph.Segment): the checker's own rules.
//
// # What a segment says
//
// An object of a state with a List stands for Length live heap objects, each of
// the object's size, different from one another and from all other objects of
// the state; the link (the pointer at Next) of each points to the start of the
// following one, the link of the last one is Tail; if it is doubly linked, the
// pointer at Prev of each points to the start of the one before, that of the first one
// is Before. In each of them there are values of the symbols Own such that Facts hold and
// the cells have their values. A pointer into the segment is one into its first or
// its last node, as it says; if Length is 0, it is Tail or Before, plus the offset.
// That defines all pointers of a state because going from a pointer to what it is if
// the segment is empty never goes round: load checks that, and the rules below keep it.
//
// # Unfolding
//
// Before an instruction that looks at a pointer into a segment there are two
// cases, and no others: Length is 0, and the tail takes the place of the segment in all
// pointers (vanish); or there is a first node, and a last one: an object with the
// cells, for some values of Own of which Facts hold, linked with a segment that is one
// shorter (materialize). Everything else moves pointers only, or is about another
// object; a write through an unknown pointer is rejected while there is a segment.
//
// # Folding
//
// A state of the path is described by a node with segments if its objects can be
// dealt out to them. Segments with several links are in tree.go.

import (
	"fmt"
	"math/big"
	"slices"

	"assay/internal/ir"
	"assay/internal/linear"
	"assay/internal/symgraph"
)

// segment is a symgraph.Segment on a path; the cells keep their forms, over symbols
// that have terms and own ones.
type segment struct {
	length number
	next   number
	// branches are the other links of trees.
	branches []int64
	tail     value
	double   bool
	prev     number
	before   value
	own      []linear.Var
	facts    []linear.Constraint
	cells    []symgraph.Cell
	owned    []symgraph.Owned
	term     func(linear.Var) (number, bool)
}

// huge is greater than any number that a program computes with. A length has no
// upper bound in constraints and transitions (else lists that grow for ever would
// "terminate"); its interval ends here, which is true of nodes that do not overlap.
var huge = pow(1 << 14)

// limits are the bounds of symbols by constraints; open ones end at huge.
func limits(cs []linear.Constraint) map[linear.Var][2]*big.Int {
	m := ranges(cs)
	for v, b := range m {
		if b[0] != nil && b[1] == nil {
			m[v] = [2]*big.Int{b[0], huge}
		}
	}
	return m
}

// loadSegment reads a segment of a node.
func (c *checkerState) loadSegment(n *symgraph.Node, k int, exact func(linear.Form) number, term func(linear.Var) (number, bool)) *segment {
	o := &n.State.Objects[k]
	l := o.List
	bad := func(why string) *segment {
		c.reject(nil, "a list segment %s", why)
		return nil
	}
	word := int64(c.m.PointerBits / 8)
	if o.Kind != symgraph.Heap || o.Dead || o.HasBase || o.Pristine {
		return bad("that is no live heap object")
	}
	if why := illFormedLinks(o, word); why != "" {
		return bad(why)
	}
	end := func(v symgraph.Value) bool {
		return v.Kind == symgraph.Any || v.Kind == symgraph.Pointer && v.Form.Equal(linear.Form{})
	}
	if !end(l.Tail) || l.Tail.Last || l.Double && !end(l.Before) {
		return bad("with an end that is no pointer to a start")
	}
	for _, p := range []symgraph.Value{{Kind: symgraph.Pointer, Object: int32(k)}, {Kind: symgraph.Pointer, Object: int32(k), Last: true}} {
		for steps := 0; p.Kind == symgraph.Pointer && p.Object >= 0; steps++ {
			m := n.State.Objects[p.Object].List
			if steps > 2*len(n.State.Objects) {
				return bad("that ends in itself")
			}
			switch {
			case m == nil:
				p.Kind = symgraph.Any
			case !p.Last:
				p = m.Tail
			case m.Double:
				p = m.Before
			default:
				p.Kind = symgraph.Any
			}
		}
	}
	if why := illFormedNodes(n, o, term); why != "" {
		return bad(why)
	}
	if why := c.illFormedOwned(n, o, term); why != "" {
		return bad(why)
	}
	s := &segment{length: exact(l.Length), next: small(l.Next), branches: l.Branches, own: l.Own, facts: l.Facts, cells: o.Cells, owned: l.Owned, term: term}
	s.tail = value{kind: l.Tail.Kind, object: l.Tail.Object, n: small0}
	s.before = value{kind: symgraph.Any}
	if l.Double {
		s.double, s.prev = true, small(l.Prev)
		s.before = value{kind: l.Before.Kind, object: l.Before.Object, last: l.Before.Last, n: small0}
	}
	c.assert("(<= 0 " + s.length.t + ")")
	return s
}

var small0 = small(0)

// illFormedLinks says why the nodes of an object have no room for their links, if that is so.
func illFormedLinks(o *symgraph.Object, word int64) string {
	l := o.List
	size, fits := o.Size.Const.Int64()
	switch {
	case !o.Size.IsConstant() || !fits:
		return "whose nodes have no room for the link"
	case l.Next == symgraph.NoLink:
		if l.Double || len(l.Branches) > 0 || !isNull(l.Tail) {
			return "of nodes without links that have some"
		}
		return ""
	case l.Next < 0 || l.Next+word > size:
		return "whose nodes have no room for the link"
	case l.Double && (l.Prev < 0 || l.Prev+word > size || l.Prev < l.Next+word && l.Next < l.Prev+word):
		return "whose nodes have no room for the link back"
	}
	return illFormedTree(o, word)
}

// isNull says whether a value of a node is a null pointer.
func isNull(v symgraph.Value) bool {
	return v.Kind == symgraph.Pointer && v.Object == symgraph.Null && v.Form.Equal(linear.Form{})
}

// illFormedNodes says what is wrong with what an object says of each of its nodes.
func illFormedNodes(n *symgraph.Node, o *symgraph.Object, term func(linear.Var) (number, bool)) string {
	l := o.List
	for i, u := range l.Own {
		if slices.Contains(n.Symbols, u) || slices.Contains(l.Own[:i], u) {
			return "with a symbol that is not its own"
		}
	}
	known := func(f linear.Form) bool {
		return !slices.ContainsFunc(f.Terms, func(t linear.Term) bool {
			_, ok := term(t.Var)
			return !ok && !slices.Contains(l.Own, t.Var)
		})
	}
	for _, x := range l.Facts {
		if !known(x.Form) {
			return "with a fact over unknown symbols"
		}
	}
	for _, u := range l.Own {
		if b := ranges(l.Facts)[u]; b[0] == nil || b[1] == nil || b[0].Cmp(b[1]) > 0 {
			return "with a symbol of its own without bounds"
		}
	}
	for _, x := range o.Cells {
		ok := x.Offset.IsConstant() && known(x.Value.Form) && (x.Value.Kind == symgraph.Int || x.Value.Kind == symgraph.Pointer)
		if !ok || (x.Value.Kind == symgraph.Int) != (x.Type.Kind == ir.Int) {
			return "with an ill-formed cell"
		}
	}
	return ""
}

// someNode gives the cells of some node of a segment, for values of its own symbols
// of which the facts hold: given, not asserted.
func (c *checkerState) someNode(l *segment) (cells []cell, given string) {
	own := map[linear.Var]number{}
	known := ranges(l.facts)
	for _, u := range l.own {
		own[u] = c.unknown("u", known[u][0], known[u][1])
	}
	term := func(v linear.Var) (number, bool) {
		if n, ok := own[v]; ok {
			return n, true
		}
		return l.term(v)
	}
	var parts []string
	for _, x := range l.facts {
		t, ok := constraint(x, term)
		if !ok {
			c.reject(nil, "a fact over unknown symbols")
		}
		parts = append(parts, t)
	}
	for _, x := range l.cells {
		n, ok := form(x.Value.Form, term)
		if !ok {
			c.reject(nil, "a value over unknown symbols")
			continue
		}
		at, _ := form(x.Offset, term)
		cells = append(cells, cell{at, x.Type, value{kind: x.Value.Kind, object: x.Value.Object, last: x.Value.Last, n: c.short(n)}})
	}
	return cells, all(parts)
}

// pointees are the operands that an instruction looks at as pointers: all that are,
// but for those that it only moves.
func pointees(f *ir.Func, d *ir.Def) []ir.Value {
	switch d.Op {
	case ir.Phi, ir.Select, ir.PtrAdd, ir.Ret, ir.Freeze, ir.Dbg, ir.Extract, ir.StackRestore:
		return nil
	case ir.Call: // the function that is called is not in a segment
		return nil
	case ir.Store: // the value is moved
		return d.Args[1:]
	}
	var out []ir.Value
	for _, a := range d.Args {
		if f.Type(a).Kind == ir.Ptr {
			out = append(out, a)
		}
	}
	return out
}

// unfold goes on in two cases if d looks at a pointer into a segment; done says
// that it did.
func (c *checkerState) unfold(s *state, d *ir.Def) (done bool) {
	if !c.lists {
		return false
	}
	for _, a := range pointees(s.top().f, d) {
		p := c.operand(s, a)
		if p.kind != symgraph.Pointer || p.object < 0 || s.objects[p.object].list == nil {
			continue
		}
		c.both(s, "(= 0 "+s.objects[p.object].list.length.t+")", func(t *state, empty bool) {
			switch {
			case empty:
				t.vanish(int(p.object))
			case len(t.objects[p.object].list.branches) > 0:
				c.growTree(t, int(p.object))
				return
			default:
				c.materialize(t, int(p.object), p.last)
			}
			c.walk(t)
		})
		return true
	}
	return false
}

// pointers changes all pointers of a state: to says what a pointer to an object, or the
// last node of one, becomes; the offset is kept.
func (s *state) pointers(to func(object int32, last bool) (kind symgraph.Kind, o int32, l bool)) {
	one := func(v *value) {
		if v.kind == symgraph.Pointer && v.object >= 0 {
			v.kind, v.object, v.last = to(v.object, v.last)
		}
	}
	for i := range s.frames {
		f := &s.frames[i]
		f.values = slices.Clone(f.values)
		for v := range f.values {
			one(&f.values[v])
		}
	}
	s.arguments = slices.Clone(s.arguments)
	for i := range s.arguments {
		one(&s.arguments[i])
	}
	for i := range s.objects {
		ob := &s.objects[i]
		ob.cells = slices.Clone(ob.cells)
		for k := range ob.cells {
			one(&ob.cells[k].v)
		}
		if ob.list == nil {
			continue
		}
		l := *ob.list
		one(&l.tail)
		one(&l.before)
		l.cells = slices.Clone(l.cells)
		for k := range l.cells {
			if v := &l.cells[k].Value; v.Kind == symgraph.Pointer && v.Object >= 0 {
				v.Kind, v.Object, v.Last = to(v.Object, v.Last)
			}
		}
		l.cells = slices.DeleteFunc(l.cells, func(x symgraph.Cell) bool { return x.Value.Kind == symgraph.Any })
		ob.list = &l
	}
}

// vanish puts the ends of an empty segment in its place.
func (s *state) vanish(o int) {
	l := s.objects[o].list
	s.pointers(func(object int32, last bool) (symgraph.Kind, int32, bool) {
		end := l.tail
		switch {
		case int(object) != o:
			return symgraph.Pointer, object, last
		case last:
			end = l.before
		}
		if end.kind != symgraph.Pointer {
			return symgraph.Any, 0, false
		}
		return symgraph.Pointer, end.object, end.last
	})
	s.objects[o] = object{kind: symgraph.Stack, dead: true, frame: symgraph.NoFrame, size: small0}
}

// materialize puts an object for the first node of a segment that is not empty in its
// place, or one for the last node behind the rest; the pointers follow.
func (c *checkerState) materialize(s *state, o int, last bool) {
	first := int32(o)
	second := int32(len(s.objects))
	if s.objects[o].list.next.low.Sign() < 0 { // nothing is left
		ob := s.objects[o]
		cells, given := c.someNode(ob.list)
		c.assert(given)
		s.objects = slices.Clip(s.objects)
		s.objects[o] = object{kind: symgraph.Heap, size: ob.size, cells: append(cells, c.ownedOf(s, ob.list)...)}
		c.distinct(&s.objects[o], 0)
		return
	}
	s.pointers(func(object int32, end bool) (symgraph.Kind, int32, bool) {
		if object == first && end {
			return symgraph.Pointer, second, !last // to the end of the rest, or to the node
		}
		return symgraph.Pointer, object, end
	})
	ob := s.objects[o]
	cells, given := c.someNode(ob.list)
	c.assert(given)
	l := *ob.list
	l.length = c.sub(l.length, num(one))
	next, before := l.tail, l.before
	to := func(object int32, end bool) value {
		return value{kind: symgraph.Pointer, object: object, last: end, n: small0}
	}
	if last {
		before = to(first, true)
		l.tail = to(second, false)
	} else {
		next = to(second, false)
		l.before = to(first, false)
	}
	put := func(at number, v value) {
		if v.kind == symgraph.Pointer {
			cells = append(cells, cell{at, c.m.PtrType(), v})
		}
	}
	put(l.next, next)
	if l.double {
		put(l.prev, before)
	} else {
		l.before = value{kind: symgraph.Any}
	}
	s.objects = append(s.objects[:len(s.objects):len(s.objects)], object{})
	node := object{kind: symgraph.Heap, size: ob.size, cells: append(cells, c.ownedOf(s, &l)...)}
	rest := object{kind: symgraph.Heap, size: ob.size, list: &l}
	if last {
		node, rest = rest, node
	}
	s.objects[o], s.objects[second] = node, rest
	c.distinct(&s.objects[o], 0)
	c.distinct(&s.objects[second], 0)
}

// allocated says whether o is, or may have, heap objects that are allocated.
func (c *checkerState) allocated(o *object) bool {
	if o.slots != nil && c.owning(o.slots) {
		return true
	}
	return o.kind == symgraph.Heap && !o.dead && (o.list == nil || !c.valid("(= 0 "+o.list.length.t+")"))
}

// settle lets segments vanish that are sure to be empty, and doubly linked ones of one
// node, and those without links, become that node.
func (c *checkerState) settle(s *state) {
	for o := 0; o < len(s.objects); o++ {
		l := s.objects[o].list
		switch {
		case l == nil:
		case c.valid("(= 0 " + l.length.t + ")"):
			s.vanish(o)
		case (l.double || l.next.low.Sign() < 0) && c.valid("(= 1 "+l.length.t+")"):
			c.materialize(s, o, false) // what is left vanishes at the end of the loop
		}
	}
}

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
		m.deal(slots, next, backward)
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

// deal follows the links from the start of a segment, or back from its end.
func (m *match) deal(slots *[]slot, k int, backward bool) {
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
