package interp

import (
	"cmp"
	"slices"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// jumpTable finds the target of a Switch: by index if the cases are dense, by
// binary search if they are not, one after the other if they are wide.
type jumpTable struct {
	other  uint32
	least  uint64
	dense  []uint32
	sparse []jumpCase // by value
	wide   []jumpCase
}

type jumpCase struct {
	value  uint64
	bits   bv.BV // of wide
	target uint32
}

// jumpTable emits the edges of a switch behind it and makes the table. Targets
// in it are instructions: an edge without moves gets a jump of its own, since
// starts of blocks are not known yet.
func (d *decoder) jumpTable(def *ir.Def) jumpTable {
	target := func(s int) uint32 {
		to := d.branch(def.Block, s)
		if to < 0 {
			at := d.emit(inst{op: opJump})
			d.target(at, false, to)
			to = at
		}
		return uint32(to)
	}
	t := jumpTable{other: target(0)}
	var cases []jumpCase
	for i, c := range def.Cases {
		cases = append(cases, jumpCase{c.Uint64(), c, target(i + 1)})
	}
	switch {
	case len(cases) == 0:
	case cases[0].bits.Width() > 64:
		t.wide = cases
	default:
		slices.SortFunc(cases, func(a, b jumpCase) int { return cmp.Compare(a.value, b.value) })
		t.least = cases[0].value
		span := cases[len(cases)-1].value - t.least
		if span >= uint64(4*len(cases)+16) {
			t.sparse = cases
			break
		}
		t.dense = slices.Repeat([]uint32{t.other}, int(span)+1)
		for _, c := range cases {
			t.dense[c.value-t.least] = c.target
		}
	}
	return t
}

// find is the target for a value of one word.
func (t *jumpTable) find(x uint64) uint32 {
	if i := x - t.least; i < uint64(len(t.dense)) {
		return t.dense[i]
	}
	i, ok := slices.BinarySearchFunc(t.sparse, x, func(c jumpCase, x uint64) int { return cmp.Compare(c.value, x) })
	if ok {
		return t.sparse[i].target
	}
	return t.other
}

// findWide is the target for a wide value.
func (t *jumpTable) findWide(x bv.BV) uint32 {
	for _, c := range t.wide {
		if c.bits.Equal(x) {
			return c.target
		}
	}
	return t.other
}
