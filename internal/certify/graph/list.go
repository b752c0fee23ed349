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
// Folding is in fold.go; segments with several links are in tree.go.

import (
	"math/big"
	"slices"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
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
