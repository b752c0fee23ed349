package absint

// The abstract memory: a persistent map from cells to values.
//
// A cell is a number of the analysis' table (object.go). The map is a tree with
// sixteen children a node; storing copies a path, so that states at different
// places share what they have in common, and join and comparison skip subtrees
// that are the same in memory. A missing cell has a meaning that depends on its
// role; see object.go.

import "math/bits"

type cellID int32

const (
	fanoutBits = 4
	fanout     = 1 << fanoutBits
)

// tree is a node: a leaf has values, another node has kids.
type tree struct {
	kids *[fanout]*tree
	vals *[fanout]*Value
}

// store is a memory state; the zero value has no cell.
type store struct {
	root   *tree
	levels uint8 // of kids above the leaves
}

func (m store) get(c cellID) *Value {
	t := m.root
	if t == nil || int(c)>>(fanoutBits*(int(m.levels)+1)) != 0 {
		return nil
	}
	for l := int(m.levels); l > 0; l-- {
		if t = t.kids[c>>(fanoutBits*l)&(fanout-1)]; t == nil {
			return nil
		}
	}
	return t.vals[c&(fanout-1)]
}

// set is the state with v in the cell; nil removes it.
func (m store) set(c cellID, v *Value) store {
	if v == nil && m.get(c) == nil {
		return m
	}
	levels := uint8(max(0, (bits.Len32(uint32(c))-1)/fanoutBits))
	if m.root == nil {
		m.levels = levels
	}
	for m.levels < levels {
		if m.root != nil {
			m.root = &tree{kids: &[fanout]*tree{m.root}}
		}
		m.levels++
	}
	m.root = m.root.set(c, v, int(m.levels))
	return m
}

func (t *tree) set(c cellID, v *Value, level int) *tree {
	i := c >> (fanoutBits * level) & (fanout - 1)
	n := &tree{}
	if level == 0 {
		n.vals = new([fanout]*Value)
		if t != nil {
			*n.vals = *t.vals
		}
		n.vals[i] = v
		return n
	}
	n.kids = new([fanout]*tree)
	if t != nil {
		*n.kids = *t.kids
	}
	n.kids[i] = n.kids[i].set(c, v, level-1)
	return n
}

// raise is the root of m at that number of levels.
func (m store) raise(levels uint8) *tree {
	t := m.root
	for l := m.levels; l < levels && t != nil; l++ {
		t = &tree{kids: &[fanout]*tree{t}}
	}
	return t
}

// merge combines two states cell by cell. f is called for cells that are not
// the same in both; one of the values may be nil.
func merge(a, b store, f func(c cellID, a, b *Value) *Value) store {
	if a.root == b.root {
		return a
	}
	levels := max(a.levels, b.levels)
	return store{mergeTrees(a.raise(levels), b.raise(levels), 0, int(levels), f), levels}
}

func mergeTrees(a, b *tree, prefix cellID, level int, f func(cellID, *Value, *Value) *Value) *tree {
	if a == b {
		return a
	}
	if level == 0 {
		var va, vb [fanout]*Value
		if a != nil {
			va = *a.vals
		}
		if b != nil {
			vb = *b.vals
		}
		sameA, sameB := a != nil, b != nil
		var out [fanout]*Value
		for i := range out {
			if va[i] == vb[i] {
				out[i] = va[i]
				continue
			}
			out[i] = f(prefix<<fanoutBits|cellID(i), va[i], vb[i])
			sameA = sameA && out[i] == va[i]
			sameB = sameB && out[i] == vb[i]
		}
		switch {
		case sameA:
			return a
		case sameB:
			return b
		}
		vals := out // only now on the heap
		return &tree{vals: &vals}
	}
	var ka, kb [fanout]*tree
	if a != nil {
		ka = *a.kids
	}
	if b != nil {
		kb = *b.kids
	}
	sameA, sameB := a != nil, b != nil
	var out [fanout]*tree
	for i := range out {
		out[i] = mergeTrees(ka[i], kb[i], prefix<<fanoutBits|cellID(i), level-1, f)
		sameA = sameA && out[i] == ka[i]
		sameB = sameB && out[i] == kb[i]
	}
	switch {
	case sameA:
		return a
	case sameB:
		return b
	}
	kids := out
	return &tree{kids: &kids}
}

// differ calls f for the cells that are not the same in both, until it returns false.
func differ(a, b store, f func(c cellID, a, b *Value) bool) bool {
	if a.root == b.root {
		return true
	}
	levels := max(a.levels, b.levels)
	return differTrees(a.raise(levels), b.raise(levels), 0, int(levels), f)
}

func differTrees(a, b *tree, prefix cellID, level int, f func(cellID, *Value, *Value) bool) bool {
	if a == b {
		return true
	}
	for i := range cellID(fanout) {
		c := prefix<<fanoutBits | i
		if level == 0 {
			var va, vb *Value
			if a != nil {
				va = a.vals[i]
			}
			if b != nil {
				vb = b.vals[i]
			}
			if va != vb && !f(c, va, vb) {
				return false
			}
			continue
		}
		var ka, kb *tree
		if a != nil {
			ka = a.kids[i]
		}
		if b != nil {
			kb = b.kids[i]
		}
		if !differTrees(ka, kb, c, level-1, f) {
			return false
		}
	}
	return true
}

// each calls f for all cells that have a value, in ascending order.
func (m store) each(f func(cellID, *Value)) {
	differ(m, store{}, func(c cellID, v, _ *Value) bool {
		if v != nil {
			f(c, v)
		}
		return true
	})
}
