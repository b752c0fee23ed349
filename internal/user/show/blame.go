package show

import (
	"fmt"

	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// This file explains an invalid access in a trace: what the pointer points to,
// and how far it is outside. The interpreter knows addresses only; the objects
// behind them are collected from its events.

// object is a piece of memory that the run has made.
type object struct {
	base, size uint64
	what       string // e.g. "the heap block of 16 bytes allocated at f.c:7"
}

// pendingObject is an object whose address is not known yet: it is the value
// of an instruction that is being executed.
type pendingObject struct {
	value ir.Value
	size  uint64
}

// maxObjects bounds the objects that are remembered, the latest ones.
const maxObjects = 1 << 16

// made notes a decision that makes an object.
func (a *activation) made(e interp.Event) {
	d := a.f.Def(e.Value)
	if d.Op == ir.Alloca || d.Op == ir.Malloc {
		a.pending = append(a.pending, pendingObject{e.Value, e.State.Value(d.Args[0]).Uint64()})
	}
}

// settle reads the addresses of the pending objects, when the instructions
// that made them are done: at a later event of the same function.
func (t *tracer) settle(e interp.Event) {
	a := t.top()
	if a == nil || len(a.pending) == 0 || e.Func != a.f || e.Kind == interp.Enter {
		return
	}
	kept := a.pending[:0]
	for _, p := range a.pending {
		if p.value == e.Value {
			kept = append(kept, p)
			continue
		}
		o := object{base: e.State.Value(p.value).Uint64(), size: p.size}
		if a.f.Def(p.value).Op == ir.Alloca {
			o.what = fmt.Sprintf("a local object of %s, %s", a.f.Name, bytesText(p.size))
		} else {
			o.what = "a heap block of " + bytesText(p.size)
			if name := a.f.Def(p.value).Sym; name != "" {
				o.what = fmt.Sprintf("what %s points to, %s", name, bytesText(p.size))
			}
			if v := t.visible(); v != nil && v.pos.Line != 0 {
				o.what += " allocated at " + PositionOf(t.run.Module, v.pos).String()
			}
		}
		if len(t.objects) == maxObjects {
			t.objects = append(t.objects[:0], t.objects[maxObjects/2:]...)
		}
		t.objects = append(t.objects, o)
	}
	a.pending = kept
}

// blame says what is wrong with the pointer of an invalid access, "" if
// nothing is known.
func (t *tracer) blame(e interp.Event) string {
	pointer, ok := accessed(e.Func, e.Value)
	if !ok {
		return ""
	}
	address := e.State.Value(pointer).Uint64()
	if address == 0 {
		return "the pointer is null"
	}
	if offsetFromNull(e, pointer) {
		return "the pointer is an offset from null"
	}
	for _, g := range t.globals(e) {
		if where := g.locate(address, true); where != "" {
			return where
		}
	}
	// The latest object at this address is the one that was meant.
	for _, near := range []uint64{0, 64} {
		for i := len(t.objects) - 1; i >= 0; i-- {
			o := t.objects[i]
			if address+near < o.base || address >= o.base+max(o.size, 1)+near {
				continue
			}
			_, alive := e.State.Memory(o.base, 1)
			if where := o.locate(address, alive || o.size == 0); where != "" {
				return where
			}
		}
	}
	return "the pointer points to nothing"
}

// offsetFromNull says whether a pointer was computed from the null pointer.
func offsetFromNull(e interp.Event, pointer ir.Value) bool {
	for d := e.Func.Def(pointer); d.Op == ir.PtrAdd; d = e.Func.Def(pointer) {
		if pointer = d.Args[0]; e.State.Value(pointer).IsZero() {
			return true
		}
	}
	return false
}

// locate says where an address lies from the object's view.
func (o object) locate(address uint64, alive bool) string {
	if !alive {
		return "the pointer points into " + o.what + ", which is gone"
	}
	switch {
	case address < o.base && o.base-address <= 64:
		return fmt.Sprintf("the pointer is %s before the start of %s", bytesText(o.base-address), o.what)
	case address >= o.base+o.size && address-o.base-o.size < 64:
		past := address - o.base - o.size
		if past == 0 {
			return "the pointer is at the end of " + o.what
		}
		return fmt.Sprintf("the pointer is %s past the end of %s", bytesText(past), o.what)
	case address >= o.base && address < o.base+o.size:
		return fmt.Sprintf("the pointer is at byte %d of %s", address-o.base, o.what)
	}
	return ""
}

// accessed is the pointer that an instruction accesses memory through.
func accessed(f *ir.Func, v ir.Value) (ir.Value, bool) {
	if v == 0 {
		return 0, false
	}
	switch d := f.Def(v); d.Op {
	case ir.Load, ir.Free, ir.MemSet, ir.MemCpy, ir.Havoc:
		return d.Args[0], true
	case ir.Store:
		return d.Args[1], true
	}
	return 0, false
}

// globals are the global objects whose addresses the current function uses.
func (t *tracer) globals(e interp.Event) []object {
	var out []object
	for i := range e.Func.Values {
		d := &e.Func.Values[i]
		if d.Op != ir.GlobalAddr {
			continue
		}
		if g := t.run.Module.Global(d.Sym); g != nil && g.CName != "" {
			base := e.State.Value(ir.Value(i)).Uint64()
			out = append(out, object{base, g.Size, fmt.Sprintf("%s, %s", g.CName, bytesText(g.Size))})
		}
	}
	return out
}

func bytesText(n uint64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}
