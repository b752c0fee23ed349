package show

import (
	"cmp"
	"fmt"
	"strings"

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
	local      bool
	freed      Position // where it was freed, zero if it was not
	maker      *ir.Func // of a local
	typ        ir.CType // of a variable
	kind       PointeeKind
	name       string // of a variable, or of an argument of the harness
}

// pendingObject is an object whose address is not known yet: it is the value
// of an instruction that is being executed.
type pendingObject struct {
	value ir.Value
	size  uint64
	pos   ir.Pos // where the program asks for it
}

// maxObjects bounds the objects that are remembered, the latest ones.
const maxObjects = 1 << 16

// made notes a decision that makes an object.
func (a *activation) made(e interp.Event) {
	d := a.f.Def(e.Value)
	if d.Op == ir.Alloca || d.Op == ir.Malloc {
		a.pending = append(a.pending, pendingObject{e.Value, e.State.Value(d.Args[0]).Uint64(), e.State.UserPos(d.Pos)})
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
			v := localOf(a.f, a.f.Def(p.value))
			o.local, o.what = true, localText(a.f, v.Name, p.size)
			o.kind, o.name, o.maker, o.typ = PointeeLocal, v.Name, a.f, v.Type
		} else {
			o.kind, o.what = PointeeHeap, "a heap block of "+bytesText(p.size)
			if name := a.f.Def(p.value).Sym; name != "" {
				o.kind, o.name = PointeeArgument, name
				o.what = fmt.Sprintf("what %s points to, %s", name, bytesText(p.size))
			}
			if o.kind == PointeeHeap && p.pos.Line != 0 {
				o.what += " allocated at " + PositionOf(t.run.Module, p.pos).String()
			}
		}
		if len(t.objects) == maxObjects {
			t.objects = append(t.objects[:0], t.objects[maxObjects/2:]...)
		}
		t.objects = append(t.objects, o)
	}
	a.pending = kept
}

// leaked says what is known of a block that is never freed: the variable that pointed to it last, and where the run ends.
func (t *tracer) leaked(e interp.Event) string {
	out := ""
	if name := t.pointed[e.Bits.Uint64()]; name != "" {
		out = "; " + name + " pointed to it last"
	}
	if at := PositionOf(t.run.Module, e.Ends); !at.IsZero() {
		out += "; the run ends at " + at.String()
	}
	return out
}

// freed notes that a heap block is gone, and where.
func (t *tracer) freed(e interp.Event) {
	for i := len(t.objects) - 1; i >= 0; i-- {
		if t.objects[i].base == e.Bits.Uint64() {
			at := e.State.UserPos(e.Pos)
			if at.Line == 0 && t.visible() != nil {
				at = t.visible().pos
			}
			t.objects[i].freed = PositionOf(t.run.Module, at)
			return
		}
	}
}

// accessedRange is a pointer that an instruction accesses memory through: its part in the access,
// "" if there is one pointer only, and how many bytes are accessed.
type accessedRange struct {
	pointer ir.Value
	role    string
	size    uint64
}

// operands are the pointers of an instruction.
func operands(e interp.Event) []accessedRange {
	if e.Value == 0 {
		return nil
	}
	f := e.Func
	d := f.Def(e.Value)
	size := func(k int) uint64 { return e.State.Value(d.Args[k]).Uint64() }
	switch d.Op {
	case ir.Load:
		return []accessedRange{{d.Args[0], "", d.Type.Size()}}
	case ir.Store:
		return []accessedRange{{d.Args[1], "", f.Type(d.Args[0]).Size()}}
	case ir.Free:
		return []accessedRange{{d.Args[0], "", 0}}
	case ir.MemSet:
		return []accessedRange{{d.Args[0], "", size(2)}}
	case ir.Havoc:
		return []accessedRange{{d.Args[0], "", size(1)}}
	case ir.Call: // through a pointer
		return []accessedRange{{d.Args[0], "", 0}}
	case ir.MemCpy:
		return []accessedRange{{d.Args[0], "destination", size(2)}, {d.Args[1], "source", size(2)}}
	}
	return nil
}

// blame says what is wrong with the pointer of an invalid access, behind what it is called, "" if
// nothing is known. Of several pointers it is the first that is not valid for all bytes.
func (t *tracer) blame(e interp.Event) (string, Pointee) {
	ops := operands(e)
	if len(ops) == 0 {
		return "", Pointee{}
	}
	for _, x := range ops {
		o, offset := e.State.Pointer(x.pointer)
		if o.ID == 0 || !o.Alive || offset > o.Size || x.size > o.Size-offset {
			return t.blameOperand(e, x)
		}
	}
	return t.blameOperand(e, ops[0])
}

// blameOperand says what is wrong with one pointer.
func (t *tracer) blameOperand(e interp.Event, x accessedRange) (string, Pointee) {
	role, of := "the pointer", ""
	if op := e.Func.Def(e.Value).Op; op == ir.MemCpy || op == ir.MemSet {
		of = " of " + bytesText(x.size)
	}
	if x.role != "" {
		role = "the " + x.role
	}
	address := e.State.Value(x.pointer).Uint64()
	isOffset := address != 0 && offsetFromNull(e, x.pointer)
	if address == 0 || isOffset {
		t.null, t.history = t.source(e, x.pointer)
		text := map[bool]string{true: " is an offset from null", false: " is null"}[isOffset]
		if c := t.null; c.size > 0 {
			if cell, _ := t.cellName(e, c.address, c.size); cell != "" {
				text += ", the value of " + cell
			}
		}
		return of + ", " + role + text, Pointee{Kind: PointeeNull}
	}
	o, offset := e.State.Pointer(x.pointer)
	if o.ID == 0 {
		_, t.history = t.source(e, x.pointer)
		text, pointee := t.near(e, address)
		return of + ", " + role + text, pointee
	}
	what := t.objectText(e, o, address-offset)
	_, t.history = t.source(e, x.pointer)
	name := ""
	if e.Func.Def(e.Value).Op != ir.Free || offset != 0 { // what is freed is the whole
		name = t.nameOf(e, what, address, x.size)
	}
	text := what.locate(address, o.Alive, name)
	if room := what.size - min(offset, what.size); o.Alive && room > 0 && x.size > room {
		text += fmt.Sprintf(", only %s before its end", bytesText(room))
	}
	if text == "" {
		return of + ", " + role + " points to nothing", Pointee{Kind: PointeeNothing}
	}
	pointee := what.pointee(address, o.Alive)
	if k := strings.LastIndexByte(name, '['); pointee.Kind == PointeeHeap && k > 0 {
		pointee.Via = name[:k]
	}
	if op := e.Func.Def(e.Value).Op; op == ir.Load || op == ir.Store {
		pointee.Bytes, pointee.Reads = x.size, op == ir.Load
	}
	return of + ", " + role + text, pointee
}

// objectText is an object of the run in the words of the program.
func (t *tracer) objectText(e interp.Event, o interp.Object, base uint64) object {
	switch {
	case o.Func != nil:
		return object{base: base, what: "the function " + ir.NameInC(o.Func.Name), kind: PointeeFunction, name: ir.NameInC(o.Func.Name)}
	case o.Global != nil:
		name := o.Global.CName
		if name == "" && o.Global.External { // only declared: clang describes no declarations
			name = o.Global.Name
		}
		out := object{base: base, size: o.Size, what: cmp.Or(name, "a string literal") + ", " + bytesText(o.Size), kind: PointeeGlobal, name: o.Global.CName, typ: o.Global.CType}
		return out
	}
	// The latest object at this address is the one that was meant.
	for i := len(t.objects) - 1; i >= 0; i-- {
		if t.objects[i].base == base {
			return t.objects[i]
		}
	}
	d := o.Maker.Def(o.Site)
	if d.Op == ir.Alloca {
		v := localOf(o.Maker, d)
		return object{base: base, size: o.Size, local: true, what: localText(o.Maker, v.Name, o.Size), kind: PointeeLocal, name: v.Name, maker: o.Maker, typ: v.Type}
	}
	return object{base: base, size: o.Size, what: "a heap block of " + bytesText(o.Size), kind: PointeeHeap}
}

// localOf is the variable that a local object is; the name is empty if it is none.
func localOf(f *ir.Func, d *ir.Def) ir.Var {
	v := f.Locals[d.Pos]
	v.Name = cmp.Or(d.Sym, v.Name)
	return v
}

// localText names a local.
func localText(f *ir.Func, name string, size uint64) string {
	if name == "" {
		return fmt.Sprintf("a local object of %s, %s", ir.NameInC(f.Name), bytesText(size))
	}
	return fmt.Sprintf("%s, a local of %s, %s", name, ir.NameInC(f.Name), bytesText(size))
}

// near says which object an address that belongs to none is close to: by chance, for what points there came from nowhere.
func (t *tracer) near(e interp.Event, address uint64) (string, Pointee) {
	for _, g := range t.globals(e) {
		if where := g.locate(address, true, t.nameOf(e, g, address, 0)); where != "" {
			return where, Pointee{Kind: PointeeNothing}
		}
	}
	for i := len(t.objects) - 1; i >= 0; i-- {
		o := t.objects[i]
		if address+64 < o.base || address >= o.base+max(o.size, 1)+64 {
			continue
		}
		_, alive := e.State.Memory(o.base, 1)
		inside := address >= o.base && address < o.base+o.size
		if !alive && o.size > 0 && !inside {
			continue // what is gone has no neighbours
		}
		if where := o.locate(address, alive || o.size == 0, t.nameOf(e, o, address, 0)); where != "" {
			if inside && !alive {
				return where, o.pointee(address, false)
			}
			return where, Pointee{Kind: PointeeNothing}
		}
	}
	return " points to nothing", Pointee{Kind: PointeeNothing}
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

// locate says where an address lies from the object's view, and how C calls it if that is known: the end of a sentence about a pointer.
func (o object) locate(address uint64, alive bool, name string) string {
	if !alive {
		in := " points into "
		if name != "" {
			in = " is at " + name + " in "
		}
		switch {
		case !o.freed.IsZero():
			return in + o.what + ", which was freed at " + o.freed.String()
		case o.local:
			return in + o.what + ", which has gone out of scope"
		}
		return in + o.what + ", which is gone"
	}
	where := ""
	switch {
	case address < o.base && o.base-address <= 64:
		where = fmt.Sprintf("%s before the start of %s", bytesText(o.base-address), o.what)
	case address == o.base+o.size:
		where = "at the end of " + o.what
	case address > o.base+o.size && address-o.base-o.size < 1<<20:
		where = fmt.Sprintf("%s past the end of %s", bytesText(address-o.base-o.size), o.what)
	case address >= o.base && address < o.base+o.size:
		where = fmt.Sprintf("at byte %d of %s", address-o.base, o.what)
	default:
		return " is outside of " + o.what
	}
	if name != "" {
		return " is at " + name + ", " + where
	}
	return " is " + where
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
			out = append(out, object{base: base, size: g.Size, what: fmt.Sprintf("%s, %s", g.CName, bytesText(g.Size)), kind: PointeeGlobal, name: g.CName, typ: g.CType})
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
