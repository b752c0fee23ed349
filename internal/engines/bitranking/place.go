package bitranking

import (
	"slices"

	"assay/internal/program/ir"
	"assay/internal/transform/cut"
)

// This file lists the values of a loop head that ranking functions may use: those
// that iterations may change, and those that are compared with them.

// places lists the integers at a loop head: its phis, the offsets of its pointers,
// and integers in memory, to which there are pointers from before the loop.
// The last ones are integers from before the loop that it compares.
func places(m *ir.Module, l *cut.Loop) (out []place, fixed int) {
	f := l.Func
	add := func(x place) {
		if !slices.Contains(out, x) && len(out) < maxPlaces {
			out = append(out, x)
		}
	}
	for _, v := range f.Blocks[l.Head].Instrs {
		d := f.Def(v)
		if d.Op != ir.Phi {
			break
		}
		switch {
		case d.Type.Kind == ir.Int && d.Type.Bits <= 64:
			add(place{Value: v, Bits: d.Type.Bits})
		case d.Type.Kind == ir.Ptr:
			add(place{Value: v, Bits: m.PointerBits})
		}
	}
	dom := ir.Dominators(f)
	calls := false
	for b := ir.BlockID(1); int(b) < len(f.Blocks); b++ {
		if !l.In(b) {
			continue
		}
		for _, v := range f.Blocks[b].Instrs {
			d := f.Def(v)
			switch d.Op {
			case ir.Load:
				cell(f, l, dom, d.Args[0], d.Type, add)
			case ir.Store:
				cell(f, l, dom, d.Args[1], f.Def(d.Args[0]).Type, add)
			case ir.Call:
				calls = true
			}
		}
	}
	if calls {
		globals(m, f, add)
	}
	n := len(out)
	for b := ir.BlockID(1); int(b) < len(f.Blocks); b++ {
		if !l.In(b) {
			continue
		}
		for _, v := range f.Blocks[b].Instrs {
			switch d := f.Def(v); d.Op {
			case ir.Eq, ir.Ne, ir.ULt, ir.ULe, ir.SLt, ir.SLe:
				for _, a := range d.Args {
					x := f.Def(a)
					before := x.Op == ir.Param || x.Block != 0 && !l.In(x.Block) && dom.Reachable(x.Block) && dom.Dominates(x.Block, l.Head)
					if before && x.Type.Kind == ir.Int && x.Type.Bits > 1 && x.Type.Bits <= 64 && len(out) < n+maxFixed {
						add(place{Value: a, Bits: x.Type.Bits})
					}
				}
			}
		}
	}
	return out, len(out) - n
}

// maxFixed bounds the integers from before a loop.
const maxFixed = 4

// cell adds the integer that an access concerns, if its place is fixed before
// the loop.
func cell(f *ir.Func, l *cut.Loop, dom *ir.DomTree, p ir.Value, t ir.Type, add func(place)) {
	if t.Kind != ir.Int || t.Bits > 64 {
		return
	}
	offset := uint64(0)
	for f.Def(p).Op == ir.PtrAdd {
		d := f.Def(p)
		k := f.Def(d.Args[1])
		if d.Block == 0 || !l.In(d.Block) {
			break
		}
		if k.Op != ir.Const {
			return
		}
		offset += k.Const.Uint64()
		p = d.Args[0]
	}
	d := f.Def(p)
	if d.Op == ir.GlobalAddr || d.Op == ir.Param || d.Block != 0 && !l.In(d.Block) && dom.Reachable(d.Block) && dom.Dominates(d.Block, l.Head) {
		add(place{Value: p, Cell: true, Offset: offset, Bits: t.Bits})
	}
}

// globals adds the scalar globals that the function knows: calls may change
// them.
func globals(m *ir.Module, f *ir.Func, add func(place)) {
	for v := ir.Value(1); int(v) < len(f.Values); v++ {
		d := f.Def(v)
		if d.Op != ir.GlobalAddr {
			continue
		}
		g := m.Global(d.Sym)
		if !g.IsScalar() {
			continue
		}
		add(place{Value: v, Cell: true, Bits: uint32(8 * g.Size)})
	}
}
