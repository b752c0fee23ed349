package show

import (
	"encoding/binary"
	"slices"

	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// This file shows what stores through pointers, and to elements of arrays, change. The front end records assignments to
// variables only (ir.Dbg); of other stores the cell is given the name that it has in C after the store (cellName): s->n,
// a[i] with the value of i, or main::x in a function that was given its address. A cell without a name is not shown.

// Who wrote a pointer that is followed later is told in its history, if the cell still holds it. What copies and library models
// write is not noted.

// written is a store of a pointer.
type written struct {
	f    *ir.Func
	pos  ir.Pos
	bits uint64
}

// holds says whether a cell still has what was written.
func (w written) holds(s interp.State, c cell) bool {
	b, ok := s.Memory(c.address, c.size)
	return ok && c.size <= 8 && binary.LittleEndian.Uint64(append(b, make([]byte, 8)...)) == w.bits
}

// maxStores bounds the stores that are looked at, maxSearches those of them for which pointers are followed: that costs as
// much as the program has pointers.
const (
	maxStores   = 20_000
	maxSearches = 300
)

// stored handles a store.
func (t *tracer) stored(e interp.Event) {
	a := t.top()
	if a == nil || a.hidden || e.Func != a.f || t.stores >= maxStores {
		return
	}
	d := a.f.Def(e.Value)
	if d.Pos.Line != 0 && a.f.Type(d.Args[0]).Kind == ir.Ptr {
		t.wrote[e.State.Value(d.Args[1]).Uint64()] = written{a.f, d.Pos, e.State.Value(d.Args[0]).Uint64()}
	}
	if d.Pos.Line == 0 || recorded(a.f, e.Value) {
		return
	}
	t.stores++
	address, size := e.State.Value(d.Args[1]).Uint64(), a.f.Type(d.Args[0]).Size()
	if o, offset := e.State.Pointer(d.Args[1]); o.ID == 0 || !o.Alive || offset > o.Size || size > o.Size-offset {
		return
	}
	name, part := t.variableName(e, address, size)
	if name == "" && t.searches < maxSearches {
		t.searches++
		name, part = t.reachedName(e, address, size)
	}
	if name == "" || part.Bits != e.State.Value(d.Args[0]).Width() {
		return
	}
	a.pos = d.Pos
	t.step(Step{Kind: StepStore, Var: name, Value: formatValue(e.State.Value(d.Args[0]), part, e.State), Input: t.origin(a.f, d.Args[0])})
}

// recorded says whether a debug record behind a store tells of it.
func recorded(f *ir.Func, store ir.Value) bool {
	d := f.Def(store)
	instrs := f.Blocks[d.Block].Instrs
	i := slices.Index(instrs, store)
	for _, v := range instrs[i+1:] {
		switch x := f.Def(v); x.Op {
		case ir.Dbg:
			if len(x.Args) > 0 && x.Args[0] == d.Args[0] {
				return true
			}
		default:
			return false
		}
	}
	return false
}
