package integerize

// Scalars in memory. A cell is an integer at a fixed place in an object that
// stands for one block of memory at any time: a global, a local that is not made in a
// loop, a block of the heap that is made once. All accesses to the object, as the
// abstract interpreter sees them, must be at known places and not overlap
// partially; else reads of it give anything.

import (
	"assay/internal/models/absint"
	"assay/internal/program/ir"
)

type object struct {
	key     absint.Object
	blurred bool
	cells   []*cell
}

type cell struct {
	object   *object
	offset   uint64
	size     uint64 // bytes
	integer  bool   // not only pointers and floats are stored there
	bits     uint32
	votes    int
	declared ir.CType // if values are observed
	id       int
	variable int
}

type cellKey struct {
	object *object
	offset uint64
}

// view is how the bits of a cell are read: as the type of its variable says, if that matters.
func (c *cell) view() view {
	switch {
	case c.declared.Bits == 0:
	case c.declared.Signed:
		return signed
	default:
		return unsigned
	}
	if c.votes > 0 {
		return unsigned
	}
	return signed
}

// findCells looks at all accesses in all contexts.
func (t *translation) findCells() {
	if t.facts == nil || !t.reads {
		return
	}
	for _, c := range t.facts.Contexts {
		fn := t.byName[c.Func.Name]
		for b := range c.Func.Blocks {
			if b == 0 || t.o.Semantics != Integers && !c.Reached(ir.BlockID(b)) {
				continue
			}
			for _, v := range c.Func.Blocks[b].Instrs {
				switch d := c.Func.Def(v); d.Op {
				case ir.Load:
					t.noteAccess(c, fn, d.Args[0], v, d.Type)
				case ir.Store:
					t.noteAccess(c, fn, d.Args[1], d.Args[0], c.Func.Type(d.Args[0]))
				}
			}
		}
	}
	for _, o := range t.objectsInOrder() {
		for i, c := range o.cells {
			for _, e := range o.cells[:i] {
				if c.offset < e.offset+e.size && e.offset < c.offset+c.size {
					o.blurred = true
				}
			}
		}
	}
	kept := t.order[:0]
	for _, c := range t.order {
		if !c.object.blurred && c.integer {
			c.id = len(kept)
			if _, declared := t.variableOf(c); t.o.Observed != nil && declared.Bits == c.bits {
				c.declared = declared
			}
			kept = append(kept, c)
		}
	}
	t.order = kept
}

// objectsInOrder are the objects that have cells.
func (t *translation) objectsInOrder() (out []*object) {
	seen := map[*object]bool{}
	for _, c := range t.order {
		if !seen[c.object] {
			seen[c.object] = true
			out = append(out, c.object)
		}
	}
	return out
}

func (t *translation) noteAccess(c *absint.Context, fn *function, p, v ir.Value, ty ir.Type) {
	f := c.Value(p)
	targets, ok := t.targets(f)
	if !ok {
		return // a store there clobbers, a load gives anything
	}
	offset, fixed := f.Int().Value()
	for _, key := range targets {
		if key.Null || key.Bare || key.Func != nil {
			continue
		}
		o := t.object(key)
		if len(targets) > 1 || !fixed || ty.Bits%8 != 0 && ty.Kind == ir.Int || ty.Bits > 64 {
			if !fixed || len(targets) == 1 {
				o.blurred = true
			}
			continue
		}
		k := cellKey{o, offset}
		e := t.cells[k]
		if e == nil {
			e = &cell{object: o, offset: offset, size: uint64(ty.Bits / 8), bits: ty.Bits, variable: -1}
			t.cells[k] = e
			o.cells = append(o.cells, e)
			t.order = append(t.order, e)
		}
		if e.bits != ty.Bits {
			o.blurred = true
		}
		if ty.Kind == ir.Int {
			e.integer = true
			if d := fn.f.Def(v); d.Op != ir.Const {
				if fn.unsigned[v] {
					e.votes++
				} else {
					e.votes--
				}
			}
		}
	}
}

// object is blurred from the start if it may stand for several blocks.
func (t *translation) object(key absint.Object) *object {
	o := t.objects[key]
	if o != nil {
		return o
	}
	o = &object{key: key}
	t.objects[key] = o
	if key.Global != nil {
		return o
	}
	c := key.Context
	if c == nil || c.Recursive || c.Parent == nil && c != t.facts.Root {
		o.blurred = true
		return o
	}
	in := func(c *absint.Context, v ir.Value) bool {
		fn := t.byName[c.Func.Name]
		return len(fn.wto.Heads[fn.f.Def(v).Block]) > 0
	}
	if in(c, key.Site) {
		o.blurred = true
	}
	for ; c != nil; c = c.Parent {
		if c.Recursive || key.Heap && c.Parent != nil && in(c.Parent, c.Site) {
			o.blurred = true
		}
	}
	return o
}
