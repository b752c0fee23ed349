package symex

// List segments: unfolding and folding, as in shape analysis with separation logic
// [BCO05, DOY06], on the states of package symgraph.
//
// An instruction that looks at a pointer to a segment needs to know where it
// points: the segment is empty, and the pointer is what its tail is, or there is a
// first node, which becomes an object of its own in front of a segment that is one shorter.
// That is a case analysis of one state, exact in both directions.
//
// At loop heads states are folded: heap objects that have the size and the link of
// a kind of list become segments of length 1, and a segment whose first node nothing
// points to but the end of another segment is appended to that one. What held
// of the integers in all their nodes, of a few kinds of facts (describe), holds in
// the whole. This generalises, so a program that makes three nodes one by one is left as it is:
// a kind of list is folded once three objects hang together at some loop head.
// Then the graph is built anew.
//
// Invariants: (L1) what pointers into empty segments are is well-defined (acyclic); (L2) the
// integers among a segment's cells are its own symbols, each once; (L3) its facts
// at a loop head are over own symbols and symbols of values of the state.

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// listKind is a kind of list: the size of its nodes and the offsets of the links,
// prev is -1 if there is none back.
// branches are the other links of a tree.
type listKind struct {
	size, next, prev int64
	branches         []int64
}

// links are the offsets of the links onwards.
func (k *listKind) links() []int64 { return append([]int64{k.next}, k.branches...) }

// maxListObjects bounds the objects alive at once where lists are folded: what folding
// does not bound grows for ever.
const maxListObjects = 24

// pointees are the operands of d that an instruction looks at as pointers.
func pointees(f *ir.Func, d *ir.Def) []ir.Value {
	switch d.Op {
	case ir.Load, ir.Free, ir.MemSet, ir.Havoc, ir.PtrToInt, ir.ValidRange, ir.ObjectSize, ir.ObjectOffset, ir.IsHeapStart, ir.LifetimeStart, ir.LifetimeEnd:
		return d.Args[:1]
	case ir.Store:
		return d.Args[1:2]
	case ir.MemCpy, ir.SameObject:
		return d.Args[:2]
	case ir.Eq, ir.Ne, ir.ULt, ir.ULe, ir.SLt, ir.SLe:
		if f.Type(d.Args[0]).Kind == ir.Ptr {
			return d.Args[:2]
		}
	}
	return nil
}

// unfold makes sure that no pointer that d looks at points to a segment; if it is
// not ok, there is a split.
func (x *explorer) unfold(s *state, f *frame, d *ir.Def) (ok bool) {
	for _, a := range pointees(f.Func, d) {
		for {
			p := x.operand(s, top(s), a)
			if p.Kind != symgraph.Pointer || p.Object < 0 || s.Objects[p.Object].List == nil {
				break
			}
			empty, ok := x.decideZero(s.Objects[p.Object].List.Length)
			if !ok {
				return false
			}
			switch {
			case empty:
				vanish(s, p.Object)
			case p.Last:
				x.materializeLast(s, p.Object)
			case len(s.Objects[p.Object].List.Branches) > 0:
				if !x.materializeTree(s, p.Object) {
					return false
				}
			default:
				x.materialize(s, p.Object)
			}
		}
	}
	return true
}

// gone is an object that nothing points to.
var gone = object{Kind: symgraph.Stack, Dead: true, Frame: symgraph.NoFrame}

// vanish removes an empty segment.
func vanish(s *state, o int32) {
	l := s.Objects[o].List
	replace(s, func(v value) value {
		if v.Kind != symgraph.Pointer || v.Object != o {
			return v
		}
		end := l.Tail
		if v.Last {
			end = l.Before
		}
		if end.Kind != symgraph.Pointer {
			return value{Kind: symgraph.Any}
		}
		v.Object, v.Last = end.Object, end.Last
		return v
	})
	s.Objects[o] = gone
}

// replace changes the pointers of a state.
func replace(s *state, to func(value) value) {
	for i := range s.Frames {
		f := &s.Frames[i]
		f.Values = slices.Clone(f.Values)
		for v := range f.Values {
			if f.Values[v].Kind == symgraph.Pointer {
				f.Values[v] = to(f.Values[v])
			}
		}
	}
	s.Arguments = slices.Clone(s.Arguments)
	for i := range s.Arguments {
		if s.Arguments[i].Kind == symgraph.Pointer {
			s.Arguments[i] = to(s.Arguments[i])
		}
	}
	for i := range s.Objects {
		ob := &s.Objects[i]
		ob.Cells = slices.Clone(ob.Cells)
		kept := ob.Cells[:0]
		for _, c := range ob.Cells {
			if c.Value.Kind == symgraph.Pointer {
				c.Value = to(c.Value)
			}
			if c.Value.Kind != symgraph.Any {
				kept = append(kept, c)
			} else {
				ob.Pristine = false
			}
		}
		ob.Cells = kept
		if ob.List != nil {
			l := *ob.List
			l.Tail, l.Before = to(l.Tail), to(l.Before)
			ob.List = &l
		}
	}
}

// materialize takes the first node out of a segment that is not empty. The node has
// the segment's place among the objects.
func (x *explorer) materialize(s *state, o int32) {
	if l := s.Objects[o].List; l.Next == symgraph.NoLink { // nothing is left
		n := x.someNode(&s.Objects[o], nil)
		n.Cells = append(n.Cells, x.ownedOf(s, l)...)
		s.Objects = slices.Clone(s.Objects)
		s.Objects[o] = n
		return
	}
	rest := int32(len(s.Objects))
	replace(s, func(v value) value {
		if v.Kind == symgraph.Pointer && v.Object == o && v.Last {
			v.Object = rest
		}
		return v
	})
	ob := s.Objects[o]
	l := *ob.List
	n := x.someNode(&ob, neighbours(&l, pointer(rest, linear.Form{}), l.Before))
	l.Length = l.Length.Plus(linear.Int(-1))
	if l.Double {
		l.Before = pointer(o, linear.Form{})
	}
	ob.List = &l
	s.Objects = append(slices.Clip(s.Objects), ob)
	n.Cells = append(n.Cells, x.ownedOf(s, &l)...)
	s.Objects[o] = n
}

// materializeLast takes the last node out; the rest has the segment's place.
func (x *explorer) materializeLast(s *state, o int32) {
	last := int32(len(s.Objects))
	replace(s, func(v value) value {
		if v.Kind == symgraph.Pointer && v.Object == o && v.Last {
			v.Object, v.Last = last, false
		}
		return v
	})
	ob := s.Objects[o]
	l := *ob.List
	before := pointer(o, linear.Form{})
	before.Last = true
	n := x.someNode(&ob, neighbours(&l, l.Tail, before))
	l.Length = l.Length.Plus(linear.Int(-1))
	l.Tail = pointer(last, linear.Form{})
	ob.List = &l
	s.Objects = append(slices.Clip(s.Objects), object{})
	n.Cells = append(n.Cells, x.ownedOf(s, &l)...)
	s.Objects[o], s.Objects[last] = ob, n
}

// linked is a link of a node.
type linked struct {
	at int64
	to value
}

func neighbours(l *symgraph.Segment, next, prev value) []linked {
	ls := []linked{{l.Next, next}}
	if l.Double {
		ls = append(ls, linked{l.Prev, prev})
	}
	return ls
}

// someNode makes an object for a node of a segment.
func (x *explorer) someNode(ob *object, links []linked) object {
	l := ob.List
	to := map[linear.Var]linear.Form{}
	for _, u := range l.Own {
		r := x.symbols[u]
		to[u] = x.fresh(r.low, r.high)
	}
	own := func(v linear.Var) (linear.Form, bool) { f, ok := to[v]; return f, ok }
	n := object{Kind: symgraph.Heap, Size: ob.Size}
	for _, c := range ob.Cells {
		c.Value.Form = c.Value.Form.Substitute(own)
		n.Cells = append(n.Cells, c)
	}
	for _, e := range links {
		if e.to.Kind == symgraph.Pointer {
			n.Cells = append(n.Cells, cell{Offset: linear.Constant(linear.Int(e.at)), Type: x.m.PtrType(), Value: e.to})
		}
	}
	for _, c := range l.Facts {
		x.k.assert(linear.Constraint{Form: c.Form.Substitute(own), Equality: c.Equality})
	}
	return n
}

// link is the pointer at a constant offset of an object.
func link(ob *object, at int64) (value, bool) {
	for i := range ob.Cells {
		c := &ob.Cells[i]
		if n, small := c.Offset.Const.Int64(); small && n == at && c.Offset.IsConstant() && c.Type.Kind == ir.Ptr {
			return c.Value, c.Value.Kind == symgraph.Pointer && c.Value.Object >= symgraph.Null && c.Value.Form.Equal(linear.Form{})
		}
	}
	return value{}, false
}

// nodeSize is the size of what may be a node.
func nodeSize(ob *object) (int64, bool) {
	n, small := ob.Size.Const.Int64()
	return n, small && ob.Size.IsConstant() && ob.Kind == symgraph.Heap && !ob.Dead && ob.List == nil
}

// discover notes kinds of lists of which three nodes hang together, and says
// whether there is one that was not known.
func (x *explorer) discover(s *state) bool {
	found := x.discoverTrees(s)
	if x.discoverArrays(s) {
		found = true
	}
	next := func(o int32, at, size int64) (int32, bool) {
		p, ok := link(&s.Objects[o], at)
		if !ok || p.Object < 0 {
			return 0, false
		}
		n, ok := nodeSize(&s.Objects[p.Object])
		return p.Object, ok && n == size && p.Object != o
	}
	for o := range s.Objects {
		size, ok := nodeSize(&s.Objects[o])
		if !ok {
			continue
		}
		for k := range s.Objects[o].Cells {
			at, small := s.Objects[o].Cells[k].Offset.Const.Int64()
			if !small {
				continue
			}
			second, ok := next(int32(o), at, size)
			if !ok {
				continue
			}
			third, ok := next(second, at, size)
			if !ok || third == int32(o) {
				continue
			}
			back := func(from, to int32, at int64) bool {
				p, ok := link(&s.Objects[from], at)
				return ok && p.Object == to
			}
			kind := listKind{size: size, next: at, prev: -1}
			for _, c := range s.Objects[third].Cells {
				if prev, _ := c.Offset.Const.Int64(); prev != at && back(third, second, prev) && back(second, int32(o), prev) {
					kind.prev = prev
				}
			}
			if slices.ContainsFunc(x.kinds, func(k listKind) bool {
				return k.size == size && (len(k.branches) > 0 || k.next == at && k.prev == kind.prev || k.next == kind.prev && k.prev == at)
			}) {
				continue
			}
			found = true
			if kind.prev >= 0 {
				x.kinds = slices.Insert(x.kinds, 0, kind)
			} else {
				x.kinds = append(x.kinds, kind)
			}
		}
	}
	return found
}

// settle lets segments vanish that are sure to be empty.
func (x *explorer) settle(s *state) {
	for o := range s.Objects {
		if l := s.Objects[o].List; l != nil && x.k.isZero(l.Length) {
			vanish(s, int32(o))
		}
	}
}

// fold generalises the lists of a state at a loop head. If it is not ok, something was
// found that nodes own: the graph is built anew.
func (x *explorer) fold(s *state) (ok bool) {
	x.settle(s)
	marks := x.landmarks(s)
	first, last := references(s)
	for _, o := range inner(s) {
		x.foldListNode(s, int32(o), first, last, marks)
	}
	if x.again {
		return false
	}
	for o := range s.Objects { // the way back leads to a last node
		l := s.Objects[o].List
		if l == nil || !l.Double || l.Before.Kind != symgraph.Pointer || l.Before.Object < 0 || l.Before.Last {
			continue
		}
		if m := s.Objects[l.Before.Object].List; m != nil && m.Tail.Object == int32(o) && m.Length.Equal(linear.Constant(linear.Int(1))) {
			n := *l
			n.Before.Last = true
			s.Objects[o].List = &n
		}
	}
	for again := true; again; {
		again = x.foldNodes(s, marks)
		first, last := references(s)
		for o := range s.Objects {
			if x.owning && s.Objects[o].List == nil && x.foldListNode(s, int32(o), first, last, marks) {
				again = true
				break
			}
			if x.again {
				return false
			}
			a := &s.Objects[o]
			if a.List == nil || a.List.Tail.Kind != symgraph.Pointer || a.List.Tail.Object < 0 {
				continue
			}
			t := a.List.Tail.Object
			b := &s.Objects[t]
			if b.List == nil || first[t] != 1 || b.List.Next != a.List.Next || !slices.Equal(b.List.Branches, a.List.Branches) || !a.Size.Equal(b.Size) || b.List.Double != a.List.Double {
				continue
			}
			if back := b.List.Before; b.List.Double && (b.List.Prev != a.List.Prev || !back.Last || back.Object != int32(o) || last[o] != 1) {
				continue
			}
			if x.fine && x.distinct(a, b) {
				continue
			}
			owned, ok := x.joinOwned(a.List.Owned, b.List.Owned)
			if !ok {
				continue
			}
			n := object{Kind: symgraph.Heap, Size: a.Size, Origin: a.Origin}
			l := &symgraph.Segment{Length: a.List.Length.Add(b.List.Length), Next: a.List.Next, Branches: a.List.Branches, Tail: b.List.Tail, Double: a.List.Double, Prev: a.List.Prev, Before: a.List.Before, Owned: owned}
			n.Cells, l.Own, l.Facts = x.describe([]description{{a.Cells, a.List.Facts}, {b.Cells, b.List.Facts}}, marks)
			n.List = l
			*a, *b = n, gone
			replace(s, func(v value) value {
				if v.Kind == symgraph.Pointer && v.Object == t && v.Last {
					v.Object = int32(o)
				}
				return v
			})
			again = true
			break
		}
	}
	// Facts over values that are there, and a short length.
	for o := range s.Objects {
		ob := &s.Objects[o]
		if ob.List == nil {
			continue
		}
		n := *ob
		l := *ob.List
		n.Cells, l.Own, l.Facts = x.describe([]description{{ob.Cells, ob.List.Facts}}, marks)
		n.List = &l
		*ob = n
	}
	x.putBack(s)
	x.canonical(s)
	return !x.again
}

// foldListNode makes a segment of one node of a list, if possible.
func (x *explorer) foldListNode(s *state, o int32, first, last []int, marks []linear.Form) bool {
	ob := &s.Objects[o]
	size, ok := nodeSize(ob)
	if !ok {
		return false
	}
	for _, kind := range x.kinds {
		if kind.size != size || len(kind.branches) > 0 {
			continue
		}
		x.nullLinks(ob, kind)
		tail, ok := link(ob, kind.next)
		if !ok || tail.Last || x.owning && tail.Object >= 0 && s.Objects[tail.Object].Kind == symgraph.Heap && !s.Objects[tail.Object].Size.Equal(ob.Size) {
			continue
		}
		n := object{Kind: symgraph.Heap, Size: ob.Size, Origin: ob.Origin}
		l := &symgraph.Segment{Length: linear.Constant(linear.Int(1)), Next: kind.next, Tail: tail, Double: kind.prev >= 0}
		if l.Double {
			l.Prev = kind.prev
			if l.Before, ok = link(ob, kind.prev); !ok {
				continue
			}
		}
		if !acyclic(s, o, l) {
			continue
		}
		p, ok := x.property(s, o, kind, first, last)
		if !ok {
			continue
		}
		l.Owned = p.owned
		n.Cells, l.Own, l.Facts = x.describe([]description{{cells: p.rest}}, marks)
		n.List = l
		*ob = n
		p.take(s)
		return true
	}
	return false
}

// inner orders the objects: those first to which only heap objects point. Of a list
// that goes round, one object cannot be in a segment: the last one.
func inner(s *state) []int {
	outside := make([]bool, len(s.Objects))
	one := func(v *value) {
		if v.Kind == symgraph.Pointer && v.Object >= 0 {
			outside[v.Object] = true
		}
	}
	for i := range s.Frames {
		for v := range s.Frames[i].Values {
			one(&s.Frames[i].Values[v])
		}
	}
	for i := range s.Arguments {
		one(&s.Arguments[i])
	}
	for i := range s.Objects {
		if s.Objects[i].Kind != symgraph.Heap {
			for k := range s.Objects[i].Cells {
				one(&s.Objects[i].Cells[k].Value)
			}
		}
	}
	var order []int
	for o := range s.Objects {
		if !outside[o] {
			order = append(order, o)
		}
	}
	for o := len(s.Objects) - 1; o >= 0; o-- {
		if outside[o] {
			order = append(order, o)
		}
	}
	return order
}

// distinct says whether a field has one value in all nodes of a, and another one in
// all nodes of b.
func (x *explorer) distinct(a, b *object) bool {
	for _, c := range a.Cells {
		for _, d := range b.Cells {
			if c.Value.Kind != symgraph.Int || c.Type != d.Type || !c.Offset.Equal(d.Offset) {
				continue
			}
			p, okP := x.inAll(a, c.Value.Form)
			q, okQ := x.inAll(b, d.Value.Form)
			if okP && okQ && !p.Equal(q) {
				return true
			}
		}
	}
	return false
}

// inAll is the one value of a field in all nodes of a segment.
func (x *explorer) inAll(o *object, f linear.Form) (n linear.Number, ok bool) {
	x.under(x.k, o.List.Facts, func() {
		n = x.k.low(f)
		ok = n.Equal(x.k.high(f))
	})
	return n, ok
}

// constants names the fields that have one value in all nodes of their segments.
func (x *explorer) constants(s *state) string {
	var b strings.Builder
	for i := range s.Objects {
		o := &s.Objects[i]
		if o.List == nil {
			continue
		}
		for _, c := range o.Cells {
			if n, ok := x.inAll(o, c.Value.Form); ok && c.Value.Kind == symgraph.Int {
				b.WriteString(" " + strconv.Itoa(i) + "+" + c.Offset.Const.String() + "=" + n.String())
			}
		}
	}
	return b.String()
}

// nullLinks gives links that were set to 0 a cell of their own.
func (x *explorer) nullLinks(ob *object, kind listKind) {
	for _, at := range append(kind.links(), kind.prev) {
		for k := range ob.Cells {
			from, to, ok := zeros(&ob.Cells[k])
			a, b := linear.Int(at), linear.Int(at+int64(x.pointerBits()/8))
			if at < 0 || !ok || from.Cmp(a) > 0 || to.Cmp(b) < 0 {
				continue
			}
			cs := slices.Delete(slices.Clone(ob.Cells), k, k+1)
			cs = append(cs, zeroCells(from, a)...)
			cs = append(cs, zeroCells(b, to)...)
			ob.Cells = append(cs, cell{Offset: linear.Constant(a), Type: x.m.PtrType(), Value: pointer(symgraph.Null, linear.Form{})})
			break
		}
	}
}

// without leaves out the links.
func without(cs []cell, kind listKind) []cell {
	var out []cell
	for _, c := range cs {
		if n, small := c.Offset.Const.Int64(); small && c.Offset.IsConstant() && n != kind.prev && !slices.Contains(kind.links(), n) {
			out = append(out, c)
		}
	}
	return out
}

// acyclic says whether what pointers into empty segments are is well-defined, if
// object o becomes the segment l.
func acyclic(s *state, o int32, l *symgraph.Segment) bool {
	for _, p := range []value{pointer(o, linear.Form{}), {Kind: symgraph.Pointer, Object: o, Last: true}} {
		for steps := 0; p.Kind == symgraph.Pointer && p.Object >= 0; steps++ {
			if steps > 2*len(s.Objects) {
				return false
			}
			m := s.Objects[p.Object].List
			if p.Object == o {
				m = l
			}
			if m == nil {
				break
			}
			if p.Last {
				p = m.Before
			} else {
				p = m.Tail
			}
		}
	}
	return true
}

// references counts the pointers to each object, for segments to the first node and to
// the last.
func references(s *state) (first, last []int) {
	first, last = make([]int, len(s.Objects)), make([]int, len(s.Objects))
	one := func(v *value) {
		switch {
		case v.Kind != symgraph.Pointer || v.Object < 0:
		case v.Last:
			last[v.Object]++
		default:
			first[v.Object]++
		}
	}
	for i := range s.Frames {
		for v := range s.Frames[i].Values {
			one(&s.Frames[i].Values[v])
		}
	}
	for i := range s.Arguments {
		one(&s.Arguments[i])
	}
	for i := range s.Objects {
		for k := range s.Objects[i].Cells {
			one(&s.Objects[i].Cells[k].Value)
		}
		if l := s.Objects[i].List; l != nil {
			one(&l.Tail)
			one(&l.Before)
		}
	}
	return first, last
}

// canonical brings the objects into the order in which they are found, and drops
// those that are not.
func (x *explorer) canonical(s *state) {
	fixed := len(x.m.Globals) + len(x.m.Funcs)
	to := make([]int32, len(s.Objects))
	for i := range to {
		to[i] = -1
	}
	var order []int32
	var visit func(v *value)
	inside := func(o int32) {
		ob := &s.Objects[o]
		for _, k := range pointerCells(ob) {
			visit(&ob.Cells[k].Value)
		}
		if ob.List != nil {
			visit(&ob.List.Tail)
			visit(&ob.List.Before)
		}
	}
	visit = func(v *value) {
		if v.Kind == symgraph.Pointer && v.Object >= 0 && to[v.Object] < 0 {
			to[v.Object] = int32(len(order))
			order = append(order, v.Object)
			inside(v.Object)
		}
	}
	for i := range fixed {
		to[i] = int32(i)
		order = append(order, int32(i))
	}
	for i := range s.Frames {
		for v := range s.Frames[i].Values {
			visit(&s.Frames[i].Values[v])
		}
	}
	for i := range s.Arguments {
		visit(&s.Arguments[i])
	}
	for i := range fixed {
		inside(int32(i))
	}
	replace(s, func(v value) value {
		if v.Kind == symgraph.Pointer && v.Object >= 0 {
			v.Object = to[v.Object]
		}
		return v
	})
	for o := range s.Objects { // what only dropped cells pointed to
		s.Lost = s.Lost || to[o] < 0 && x.alive(&s.Objects[o])
	}
	objects := make([]object, len(order))
	for i, o := range order {
		objects[i] = s.Objects[o]
	}
	s.Objects = objects
}

// pointerCells are the cells with pointers, by their offsets.
func pointerCells(ob *object) []int {
	var ks []int
	for k := range ob.Cells {
		if ob.Cells[k].Value.Kind == symgraph.Pointer {
			ks = append(ks, k)
		}
	}
	slices.SortStableFunc(ks, func(i, j int) int {
		a, b := &ob.Cells[i].Offset, &ob.Cells[j].Offset
		if n := cmp.Compare(len(a.Terms), len(b.Terms)); n != 0 {
			return n
		}
		return a.Const.Cmp(b.Const)
	})
	return ks
}
