package symex

// Tree segments: trees of nodes with several links onwards, and trees with a
// hole, which a cursor leaves behind as it walks down. The trees are those
// of [BCO05]; the hole is to them what the end of a segment is to lists.
//
// Unfolding a segment that is not empty makes a node in front of smaller segments, one for
// each link. The hole, if there is one, is in one of them: a case for each link.
//
// Folding: a node whose links are null or complete trees, to which nothing else points,
// is a complete tree. A node with one other link is a tree with the hole there; but one
// to which a local points stays as it is, for a program that keeps a pointer
// to the node above its cursor knows by which link it came down.
//
// Kinds of trees are tried where lists do not suffice: a list whose nodes have a
// second pointer looks like a tree.

import (
	"slices"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
)

var null = pointer(symgraph.Null, linear.Form{})

func isNull(v value) bool {
	return v.Kind == symgraph.Pointer && v.Object == symgraph.Null && v.Form.Equal(linear.Form{})
}

// pick chooses one of n cases, all one after the other.
func (x *explorer) pick(n int) (k int, ok bool) {
	if x.picked > 0 {
		k, x.picked = x.picked-1, 0
		return k, true
	}
	for k := range n {
		x.split = append(x.split, alternative{pick: k + 1})
	}
	return 0, false
}

// materializeTree takes the root out of a tree that is not empty; if it is not ok,
// there is a split. The root has the segment's place among the objects.
func (x *explorer) materializeTree(s *state, o int32) (ok bool) {
	ob := s.Objects[o]
	l := *ob.List
	offsets := append([]int64{l.Next}, l.Branches...)
	spine := 0
	if !isNull(l.Tail) {
		if spine, ok = x.pick(len(offsets)); !ok {
			return false
		}
	}
	objects := slices.Clip(s.Objects)
	var links []linked
	rest := l.Length.Plus(linear.Int(-1))
	for i, at := range offsets {
		part := l
		if i != spine {
			part.Tail = null
		}
		part.Length = x.lengthSymbol()
		rest = rest.Sub(part.Length)
		child := ob
		child.List = &part
		links = append(links, linked{at, pointer(int32(len(objects)), linear.Form{})})
		objects = append(objects, child)
	}
	x.k.assert(linear.Constraint{Form: rest, Equality: true})
	n := x.someNode(&ob, links)
	s.Objects = objects
	n.Cells = append(n.Cells, x.ownedOf(s, &l)...)
	s.Objects[o] = n
	return true
}

// linkOrZero is link for pointers that may have been set to 0 with more.
func linkOrZero(ob *object, at int64, pointerBits uint32) (value, bool) {
	if p, ok := link(ob, at); ok {
		return p, true
	}
	for k := range ob.Cells {
		from, to, ok := zeros(&ob.Cells[k])
		if ok && from.Cmp(linear.Int(at)) <= 0 && to.Cmp(linear.Int(at+int64(pointerBits/8))) >= 0 {
			return null, true
		}
	}
	return value{}, false
}

// maxTreeNode bounds the nodes in which links are sought at every offset: a block may be of any size, up to that of the address space.
const maxTreeNode = 1 << 16

// discoverTrees notes kinds of trees: three nodes hang together, and in each of them
// there are the same links, which are null or lead to such a node. It says whether there
// is one that was not known. Where trees are not sought it notes that there may be some.
func (x *explorer) discoverTrees(s *state) bool {
	candidate := func(o int32, size, at int64) (to int32, ok bool) {
		p, ok := linkOrZero(&s.Objects[o], at, x.pointerBits())
		if !ok || p.Last {
			return 0, false
		}
		if p.Object < 0 {
			return -1, true
		}
		c := &s.Objects[p.Object]
		n, fits := c.Size.Const.Int64()
		return p.Object, fits && c.Size.IsConstant() && c.Kind == symgraph.Heap && !c.Dead && n == size && p.Object != o
	}
	for o := range s.Objects {
		size, ok := nodeSize(&s.Objects[o])
		if !ok || size > maxTreeNode || slices.ContainsFunc(x.kinds, func(k listKind) bool { return k.size == size && (len(k.branches) > 0 || k.prev >= 0) }) {
			continue
		}
		var offsets []int64
		for at := int64(0); at+int64(x.pointerBits()/8) <= size; at += int64(x.pointerBits() / 8) {
			if _, ok := candidate(int32(o), size, at); ok {
				offsets = append(offsets, at)
			}
		}
		for _, a := range offsets {
			second, _ := candidate(int32(o), size, a)
			if second < 0 || len(offsets) < 2 {
				continue
			}
			for _, b := range offsets {
				third, ok := candidate(second, size, b)
				if !ok || third < 0 || third == int32(o) {
					continue
				}
				common := slices.DeleteFunc(slices.Clone(offsets), func(at int64) bool {
					p, ok := candidate(second, size, at)
					q, also := candidate(third, size, at)
					return !ok || !also || p == int32(o) || q == second || q == int32(o)
				})
				if len(common) < 2 || !slices.Contains(common, a) || !slices.Contains(common, b) {
					continue
				}
				x.branching = true
				if !x.trees {
					if x.hasty && x.obstacle == nil {
						x.obstacle = &Obstacle{Text: "there may be trees"}
					}
					return false
				}
				x.kinds = slices.DeleteFunc(x.kinds, func(k listKind) bool { return k.size == size })
				x.kinds = append(x.kinds, listKind{size: size, next: common[0], prev: -1, branches: common[1:]})
				return true
			}
		}
	}
	return false
}

// foldNodes makes segments of nodes of trees, those first that are further down; it
// says whether there was one.
func (x *explorer) foldNodes(s *state, marks []linear.Form) (done bool) {
	if !x.trees {
		return false
	}
	held := held(s)
	for again := true; again; {
		again = false
		first, last := references(s)
		for o := range s.Objects {
			size, ok := nodeSize(&s.Objects[o])
			if !ok {
				continue
			}
			for _, kind := range x.kinds {
				if kind.size == size && len(kind.branches) > 0 && x.foldNode(s, int32(o), kind, first, last, held[o], marks) {
					again, done = true, true
					break
				}
			}
			if again {
				break
			}
		}
	}
	return done
}

// foldNode makes a segment of a node and the complete trees below it, if possible.
func (x *explorer) foldNode(s *state, o int32, kind listKind, first, last []int, held bool, marks []linear.Form) bool {
	ob := &s.Objects[o]
	x.nullLinks(ob, kind)
	l := &symgraph.Segment{Length: linear.Constant(linear.Int(1)), Next: kind.next, Branches: kind.branches, Tail: null, Before: value{Kind: symgraph.Any}}
	p, ok := x.property(s, o, kind, first, last)
	if !ok {
		return false
	}
	l.Owned = p.owned
	ds := []description{{cells: p.rest}}
	var parts []int32
	for _, at := range kind.links() {
		to, ok := link(ob, at)
		switch {
		case !ok || to.Last:
			return false
		case to.Object < 0:
			continue
		}
		if c := &s.Objects[to.Object]; c.List != nil && first[to.Object] == 1 && isNull(c.List.Tail) &&
			c.List.Next == kind.next && slices.Equal(c.List.Branches, kind.branches) && c.Size.Equal(ob.Size) {
			if l.Owned, ok = x.joinOwned(l.Owned, c.List.Owned); !ok {
				return false
			}
			l.Length = l.Length.Add(c.List.Length)
			ds = append(ds, description{c.Cells, c.List.Facts})
			parts = append(parts, to.Object)
			continue
		}
		if !isNull(l.Tail) || held {
			return false
		}
		l.Tail = to
	}
	if !acyclic(s, o, l) {
		return false
	}
	n := object{Kind: symgraph.Heap, Size: ob.Size, Origin: ob.Origin}
	n.Cells, l.Own, l.Facts = x.describe(ds, marks)
	n.List = l
	*ob = n
	for _, p := range parts {
		s.Objects[p] = gone
	}
	p.take(s)
	return true
}

// held marks the objects to which locals point, or objects that are not on the heap.
func held(s *state) []bool {
	held := make([]bool, len(s.Objects))
	one := func(v *value) {
		if v.Kind == symgraph.Pointer && v.Object >= 0 {
			held[v.Object] = true
		}
	}
	for i := range s.Frames {
		for v := range s.Frames[i].Values {
			one(&s.Frames[i].Values[v])
		}
	}
	for i := range s.Objects {
		if s.Objects[i].Kind != symgraph.Heap {
			for k := range s.Objects[i].Cells {
				one(&s.Objects[i].Cells[k].Value)
			}
		}
	}
	return held
}
