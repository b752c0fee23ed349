package graph

// List segments (symgraph.Segment): the checker's own rules.
//
// # What a segment says
//
// An object of a state with a List stands for Length live heap objects, each of
// the object's size, different from one another and from all other objects of
// the state; the link (the pointer at Next) of each points to the start of the
// following one, the link of the last one is Tail. In each of them there are values of
// the symbols Own such that Facts hold and the cells have their values. A pointer
// into the segment is one into its first node; if Length is 0, it is Tail, plus the offset.
// That defines all pointers of a state because following tails from a segment
// never leads back to it, which load checks, and vanish keeps.
//
// # Unfolding
//
// Before an instruction that looks at a pointer into a segment there are two
// cases, and no others: Length is 0, and the tail takes the place of the segment in all
// pointers (vanish); or there is a first node: an object with the cells, for some
// values of Own of which Facts hold, its link pointing to a segment that is one
// shorter (materialize). Everything else moves pointers only, or is about another
// object; a write through an unknown pointer is rejected while there is a segment.
//
// # Folding
//
// A state of the path is described by a node with segments if its objects can be
// dealt out to them: listmatch.go.

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
	tail   value
	own    []linear.Var
	facts  []linear.Constraint
	cells  []symgraph.Cell
	term   func(linear.Var) (number, bool)
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
	size, fits := o.Size.Const.Int64()
	switch {
	case o.Kind != symgraph.Heap || o.Dead || o.HasBase || o.Pristine:
		return bad("that is no live heap object")
	case !o.Size.IsConstant() || !fits || l.Next < 0 || l.Next+word > size:
		return bad("whose nodes have no room for the link")
	}
	switch t := l.Tail; {
	case t.Kind == symgraph.Any:
	case t.Kind != symgraph.Pointer || t.Object < symgraph.Null || int(t.Object) >= len(n.State.Objects) || !t.Form.Equal(linear.Form{}):
		return bad("with an end that is no pointer to a start")
	default:
		for at, steps := t.Object, 0; at >= 0; steps++ {
			if int(at) == k || steps > len(n.State.Objects) {
				return bad("that ends in itself")
			}
			m := n.State.Objects[at].List
			if m == nil || m.Tail.Kind != symgraph.Pointer {
				break
			}
			if at = m.Tail.Object; int(at) >= len(n.State.Objects) {
				return bad("with an end that is no pointer to a start")
			}
		}
	}
	for i, u := range l.Own {
		if slices.Contains(n.Symbols, u) || slices.Contains(l.Own[:i], u) {
			return bad("with a symbol that is not its own")
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
			return bad("with a fact over unknown symbols")
		}
	}
	for _, u := range l.Own {
		if b := ranges(l.Facts)[u]; b[0] == nil || b[1] == nil || b[0].Cmp(b[1]) > 0 {
			return bad("with a symbol of its own without bounds")
		}
	}
	for _, x := range o.Cells {
		ok := x.Offset.IsConstant() && known(x.Value.Form) && (x.Value.Kind == symgraph.Int || x.Value.Kind == symgraph.Pointer)
		if !ok || (x.Value.Kind == symgraph.Int) != (x.Type.Kind == ir.Int) {
			return bad("with an ill-formed cell")
		}
	}
	t := value{kind: l.Tail.Kind, object: l.Tail.Object, n: small0}
	s := &segment{length: exact(l.Length), next: small(l.Next), tail: t, own: l.Own, facts: l.Facts, cells: o.Cells, term: term}
	c.assert("(<= 0 " + s.length.t + ")")
	return s
}

var small0 = small(0)

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
		cells = append(cells, cell{at, x.Type, value{kind: x.Value.Kind, object: x.Value.Object, n: c.short(n)}})
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
			if empty {
				t.vanish(int(p.object))
			} else {
				c.materialize(t, int(p.object))
			}
			c.walk(t)
		})
		return true
	}
	return false
}

// vanish puts the tail of an empty segment in its place.
func (s *state) vanish(o int) {
	tail := s.objects[o].list.tail
	one := func(kind *symgraph.Kind, object *int32) {
		switch {
		case *kind != symgraph.Pointer || int(*object) != o:
		case tail.kind != symgraph.Pointer:
			*kind, *object = symgraph.Any, 0
		default:
			*object = tail.object
		}
	}
	for i := range s.frames {
		f := &s.frames[i]
		f.values = slices.Clone(f.values)
		for v := range f.values {
			one(&f.values[v].kind, &f.values[v].object)
		}
	}
	for i := range s.objects {
		ob := &s.objects[i]
		ob.cells = slices.Clone(ob.cells)
		for k := range ob.cells {
			one(&ob.cells[k].v.kind, &ob.cells[k].v.object)
		}
		if ob.list == nil {
			continue
		}
		l := *ob.list
		one(&l.tail.kind, &l.tail.object)
		l.cells = slices.Clone(l.cells)
		for k := range l.cells {
			one(&l.cells[k].Value.Kind, &l.cells[k].Value.Object)
		}
		l.cells = slices.DeleteFunc(l.cells, func(x symgraph.Cell) bool { return x.Value.Kind == symgraph.Any })
		ob.list = &l
	}
	s.objects[o] = object{kind: symgraph.Stack, dead: true, frame: symgraph.NoFrame, size: small0}
}

// materialize puts an object for the first node of a segment that is not empty.
func (c *checkerState) materialize(s *state, o int) {
	ob := s.objects[o]
	cells, given := c.someNode(ob.list)
	c.assert(given)
	l := *ob.list
	l.length = c.sub(l.length, num(one))
	rest := int32(len(s.objects))
	s.objects = append(s.objects[:len(s.objects):len(s.objects)], object{kind: symgraph.Heap, size: ob.size, list: &l})
	link := cell{ob.list.next, c.m.PtrType(), value{kind: symgraph.Pointer, object: rest, n: small0}}
	s.objects[o] = object{kind: symgraph.Heap, size: ob.size, cells: append(cells, link)}
	c.distinct(&s.objects[o], 0)
}

// allocated says whether o is, or may have, heap objects that are allocated.
func (c *checkerState) allocated(o *object) bool {
	return o.kind == symgraph.Heap && !o.dead && (o.list == nil || !c.valid("(= 0 "+o.list.length.t+")"))
}

// settle lets segments vanish that are sure to be empty.
func (c *checkerState) settle(s *state) {
	for o := range s.objects {
		if l := s.objects[o].list; l != nil && c.valid("(= 0 "+l.length.t+")") {
			s.vanish(o)
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

// startOf notes where a pointer into a segment of the node points on the path.
func (m *match) startOf(want symgraph.Value, have value) {
	if m.started[want.Object] && m.object[want.Object] != have.object {
		m.fail("pointers into a list segment that point to different objects")
		return
	}
	if have.object < symgraph.Null {
		m.fail("a pointer to another object")
		return
	}
	m.started[want.Object], m.object[want.Object] = true, have.object
}

// lists deals objects of the path out to the segments of the node that have a start,
// those first whose end is known. done says that there was none left.
func (m *match) lists(slots *[]slot) (done bool) {
	next := -1
	for k := range m.n.State.Objects {
		o := &m.n.State.Objects[k]
		if o.List == nil || m.dealtTo[k] || !m.started[k] {
			continue
		}
		if m.ends(o.List.Tail) || next < 0 {
			next = k
			if m.ends(o.List.Tail) {
				break
			}
		}
	}
	if next < 0 {
		return true
	}
	m.dealtTo[next] = true
	m.deal(slots, next)
	return false
}

// ends says whether it is known where a tail points to on the path.
func (m *match) ends(t symgraph.Value) bool {
	return t.Kind == symgraph.Pointer && (t.Object < 0 || m.n.State.Objects[t.Object].List == nil && m.object[t.Object] >= 0 || m.started[t.Object])
}

// deal follows the links from the start of a segment.
func (m *match) deal(slots *[]slot, k int) {
	o := &m.n.State.Objects[k]
	c, l := m.c, o.List
	known := m.ends(l.Tail)
	zero := func(n number) bool { return n.isConst() && n.low.Sign() == 0 }
	at := value{kind: symgraph.Pointer, object: m.object[k], n: small0}
	length := small0
	for m.fails == "" && c.failure == nil {
		if at.kind != symgraph.Pointer || !zero(at.n) || at.object < 0 {
			break
		}
		if known && l.Tail.Object >= 0 && at.object == m.object[l.Tail.Object] {
			break
		}
		ob := &m.s.objects[at.object]
		size, _ := form(o.Size, m.term)
		if ob.kind != symgraph.Heap || ob.dead || m.taken[at.object] || !ob.size.isConst() || ob.size.low.Cmp(size.low) != 0 {
			break
		}
		next := small(l.Next)
		if ob.list != nil {
			if ob.list.next.low.Cmp(next.low) != 0 {
				break
			}
			cells, given := c.someNode(ob.list)
			given = all([]string{"(<= 1 " + ob.list.length.t + ")", given})
			m.node(slots, o, cells, given)
			length = c.add(length, ob.list.length)
			m.taken[at.object] = true
			at = ob.list.tail
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
		at = c.read(m.s, int(at.object), next, c.m.PtrType())
	}
	if m.fails != "" {
		return
	}
	if l.Tail.Kind == symgraph.Pointer {
		switch {
		case at.kind != symgraph.Pointer || !zero(at.n):
			m.fail("a list segment that does not end where it has to")
		case l.Tail.Object < 0:
			if at.object != l.Tail.Object {
				m.fail("a list segment that does not end in null")
			}
		default:
			m.value(slots, l.Tail, at, c.m.PtrType())
		}
	}
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
				if b := known[u]; !n.within(b[0], b[1]) {
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
