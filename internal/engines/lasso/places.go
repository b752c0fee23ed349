package lasso

import "assay/internal/program/ir"

// This file finds the places in memory that are part of the state at a loop head: local
// variables that stay in memory, since their address is given away, and what
// the loop reads at a constant distance from a pointer that it does not change. A
// variable that a called function counts is one of these.
//
// What is read may be no object at this time, or bytes of a pointer. The value is then
// arbitrary: the question has more answers, which are candidates only.

// place is a place in memory: a pointer and a distance in bytes.
type place struct {
	base   ir.Value
	offset uint64
}

const (
	// maxPlaceCells bounds the cells of one loop.
	maxPlaceCells = 16
	// maxVariable is the size in bytes of the largest variable that is compared as a whole.
	maxVariable = 32
)

// memory knows the places of a function.
type memory struct {
	f         *ir.Func
	w         *ir.WTO
	dom       *ir.DomTree
	variables []cell
}

func findPlaces(f *ir.Func, w *ir.WTO, dom *ir.DomTree) *memory {
	m := &memory{f: f, w: w, dom: dom}
	for b := range f.Blocks {
		for _, v := range f.Blocks[b].Instrs {
			d := f.Def(v)
			if d.Op != ir.Alloca || d.Layout.Pointers {
				continue
			}
			size := f.Def(d.Args[0])
			if size.Op != ir.Const || size.Const.Uint64() > maxVariable {
				continue
			}
			for at, n := uint64(0), size.Const.Uint64(); at < n; {
				width := uint64(8)
				for at+width > n {
					width /= 2
				}
				m.variables = append(m.variables, cell{at: place{v, at}, t: ir.IntType(uint32(8 * width))})
				at += width
			}
		}
	}
	return m
}

// of gives the cells in memory that are part of the state at a loop head.
func (m *memory) of(h ir.BlockID) []cell {
	var cells []cell
	seen := map[place]bool{}
	add := func(c cell) {
		if len(cells) < maxPlaceCells && !seen[c.at] {
			seen[c.at] = true
			cells = append(cells, c)
		}
	}
	for _, c := range m.variables {
		if m.outside(h, c.at.base) {
			add(c)
		}
	}
	for _, b := range m.w.Component(h) {
		for _, v := range m.f.Blocks[b].Instrs {
			d := m.f.Def(v)
			if d.Op != ir.Load || d.Type.Kind != ir.Int || d.Type.Bits%8 != 0 || d.Type.Bits > 64 {
				continue
			}
			if p, ok := m.invariant(h, d.Args[0]); ok {
				add(cell{at: p, t: d.Type})
			}
		}
	}
	return cells
}

// invariant says at which distance from a pointer that is there at the loop head, and that the loop
// does not change, p is.
func (m *memory) invariant(h ir.BlockID, p ir.Value) (place, bool) {
	at := place{base: p}
	d := m.f.Def(p)
	for ; d.Op == ir.PtrAdd; d = m.f.Def(at.base) {
		n := m.f.Def(d.Args[1])
		if n.Op != ir.Const {
			break
		}
		at.base, at.offset = d.Args[0], at.offset+n.Const.Uint64()
	}
	switch d = m.f.Def(at.base); {
	case d.Op == ir.Null:
		return at, false
	case d.Block == 0:
		return at, true // a parameter, or the address of a global
	}
	return at, m.outside(h, at.base)
}

// outside says whether a value is there at a loop head, and stays while the loop goes around.
func (m *memory) outside(h ir.BlockID, v ir.Value) bool {
	b := m.f.Def(v).Block
	return m.dom.Dominates(b, h) && !m.w.Contains(h, b)
}
