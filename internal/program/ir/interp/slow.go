package interp

// The instructions that the machine's loop leaves to a function call: those
// about objects, and all with an operand or result wider than a word. They work on
// the ir.Def itself.

import (
	"math"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// bits is the content of a register, for a pointer its address.
func (m *machine) bits(r register, t ir.Type) bv.BV {
	if r.class == wide {
		return m.bigWind[r.slot]
	}
	return bv.New(t.Bits, m.window[r.slot])
}

// setBits sets a register. A number for a pointer is an address without object.
func (m *machine) setBits(r register, x bv.BV) {
	switch r.class {
	case scalar:
		m.window[r.slot] = x.Uint64()
	case pair:
		m.setPointer(r, pointer{address: x.Uint64() & m.mem.mask})
	case wide:
		m.bigWind[r.slot] = x
	}
}

func (m *machine) pointer(r register) pointer {
	return pointer{m.window[r.slot], m.window[r.slot+1]}
}

// object is a pointer with the object that it points to now.
func (m *machine) object(r register) pointer {
	p := m.pointer(r)
	if p.object == 0 {
		return m.mem.find(p.address)
	}
	return p
}

func (m *machine) setPointer(r register, p pointer) {
	m.window[r.slot], m.window[r.slot+1] = p.address, p.object
}

// number is an operand as an unsigned number, saturated.
func (m *machine) number(v ir.Value) uint64 {
	r := m.cur.registers[v]
	if r.class == wide {
		if b := m.bigWind[r.slot]; !b.IsUint64() {
			return math.MaxUint64
		}
		return m.bigWind[r.slot].Uint64()
	}
	return m.window[r.slot]
}

// slow executes the instruction v and says whether the run goes on.
func (m *machine) slow(v ir.Value) bool {
	f := m.cur.f
	d := f.Def(v)
	to := m.cur.registers[v]
	arg := func(i int) register { return m.cur.registers[d.Args[i]] }
	switch d.Op {
	case ir.Dbg:
		e := Event{Kind: Assign, Value: v, Var: &f.Vars[d.Aux]}
		if len(d.Args) > 0 {
			e.Bits = m.bits(arg(0), f.Type(d.Args[0]))
		}
		return m.emit(e)
	case ir.Label:
		if m.passed != nil {
			m.passed[labelled{m.cur, v}] = struct{}{}
		}
		return m.emit(Event{Kind: LabelReached, Value: v, Text: d.Sym})
	case ir.Accept:
		m.accepts++
		return m.emit(Event{Kind: Accepted, Value: v})
	case ir.Nondet:
		return m.arbitrary(v)

	// Objects.
	case ir.Alloca:
		return m.newObject(v, kindStack, m.number(d.Args[0]), uint64(d.Aux))
	case ir.Malloc:
		return m.newObject(v, kindHeap, m.number(d.Args[0]), m.p.m.HeapAlign())
	case ir.Free:
		return m.free(v, m.object(arg(0)))
	case ir.Freeze: // Cede
		p := m.object(arg(0))
		if o := &m.mem.objects[p.object]; m.isHeapStart(p) {
			o.ceded = true
		}
		m.setPointer(to, p)
	case ir.LifetimeStart:
		return m.lifetimeStart(v, m.object(arg(0)).object)
	case ir.LifetimeEnd:
		m.lifetimeEnd(m.object(arg(0)).object)
	case ir.StackSave:
		n := len(m.mem.stack) - m.frames[len(m.frames)-1].objects
		m.setPointer(to, pointer{address: uint64(n)})
	case ir.StackRestore:
		base := m.frames[len(m.frames)-1].objects
		if p := m.pointer(arg(0)); p.object == 0 && p.address <= uint64(len(m.mem.stack)-base) {
			m.mem.restoreTo(base + int(p.address))
		}
	case ir.ObjectSize, ir.ObjectOffset, ir.ValidRange, ir.IsHeapStart, ir.SameObject:
		m.window[to.slot] = m.question(d)

	// Ranges.
	case ir.MemCpy:
		return m.memCpy(v, m.pointer(arg(0)), m.pointer(arg(1)), m.number(d.Args[2]))
	case ir.MemSet:
		return m.memSet(v, m.pointer(arg(0)), byte(m.number(d.Args[1])), m.number(d.Args[2]))
	case ir.Havoc:
		n := m.number(d.Args[1])
		o, at, ok := m.mem.writable(m.pointer(arg(0)), n)
		if !ok {
			return m.violation(ir.InvalidDeref, v)
		}
		return m.arbitraryContent(v, o, at, n)
	case ir.VaStart:
		return m.vaStart(v, m.pointer(arg(0)))

	// Wide integers.
	case ir.Load:
		if m.opts.Unwritten {
			return m.loadWatched(v, d)
		}
		return m.loadWide(v, d)
	case ir.Store:
		return m.storeWide(v, d)
	case ir.IntToPtr:
		m.setBits(to, m.bits(arg(0), f.Type(d.Args[0])).Trunc(d.Type.Bits))
	case ir.PtrToInt:
		m.setBits(to, m.bits(arg(0), f.Type(d.Args[0])).ZExt(d.Type.Bits))
	default:
		return m.evaluate(v, d)
	}
	return true
}

func (m *machine) free(v ir.Value, p pointer) bool {
	if p.address == 0 {
		return true
	}
	if !m.isHeapStart(p) {
		return m.violation(ir.InvalidFree, v)
	}
	m.mem.kill(p.object, stateGone)
	return !m.observe || m.emit(Event{Kind: Freed, Value: v, Bits: bv.New(m.p.m.PointerBits, p.address)})
}

// lifetimeEnd ends that of a stack object; some may begin again.
func (m *machine) lifetimeEnd(id uint64) {
	if o := &m.mem.objects[id]; o.kind == kindStack && o.state == stateAlive {
		if m.p.wakes(o.maker, o.site) {
			m.mem.kill(id, stateAsleep)
		} else {
			m.mem.bury(id)
		}
	}
}

// question is what an instruction asks about the object that a pointer points into.
func (m *machine) question(d *ir.Def) uint64 {
	r := m.cur.registers[d.Args[0]]
	if d.Op == ir.ValidRange {
		_, _, ok := m.mem.readable(m.pointer(r), m.number(d.Args[1]))
		return truth(ok)
	}
	p := m.object(r)
	switch o := &m.mem.objects[p.object]; d.Op {
	case ir.ObjectSize:
		return o.size
	case ir.ObjectOffset:
		return (p.address - o.base) & m.mem.mask
	case ir.IsHeapStart:
		return truth(m.isHeapStart(p))
	case ir.SameObject:
		return truth(p.object == m.object(m.cur.registers[d.Args[1]]).object)
	}
	panic("interp: " + d.Op.String() + " asks nothing about an object")
}

func (m *machine) memSet(v ir.Value, p pointer, c byte, n uint64) bool {
	o, at, ok := m.mem.writable(p, n)
	if !ok {
		return m.violation(ir.InvalidDeref, v)
	}
	if n > 0 {
		o.overwrite(at, n)
		fill(o.bytes[at:at+n], c)
	}
	return true
}

func (m *machine) loadWide(v ir.Value, d *ir.Def) bool {
	n := d.Type.Size()
	o, at, ok := m.mem.readable(m.pointer(m.cur.registers[d.Args[0]]), n)
	if !ok {
		return m.undefined(ir.InvalidDeref, v)
	}
	x := bv.FromBytes(o.bytes[at : at+n])
	if x.Width() > d.Type.Bits {
		x = x.Trunc(d.Type.Bits)
	}
	m.setBits(m.cur.registers[v], x)
	return true
}

// loadWatched is a load of any type that tells of bytes that were never written.
func (m *machine) loadWatched(v ir.Value, d *ir.Def) bool {
	to, n := m.cur.registers[v], d.Type.Size()
	o, at, ok := m.mem.readable(m.pointer(m.cur.registers[d.Args[0]]), n)
	if ok && o.hasUnwritten(at, n) && !m.emit(Event{Kind: UnwrittenRead, Value: v}) {
		return false
	}
	if ok && to.class == pair {
		m.setPointer(to, m.mem.loadPointer(o, at))
		return true
	}
	return m.loadWide(v, d)
}

func (m *machine) storeWide(v ir.Value, d *ir.Def) bool {
	t := m.cur.f.Type(d.Args[0])
	o, at, ok := m.mem.writable(m.pointer(m.cur.registers[d.Args[1]]), t.Size())
	if !ok {
		return m.violation(ir.InvalidDeref, v)
	}
	o.overwrite(at, t.Size())
	copy(o.bytes[at:], m.bits(m.cur.registers[d.Args[0]], t).ZExt(uint32(8*t.Size())).Bytes())
	return true
}

// evaluate is an operation on values.
func (m *machine) evaluate(v ir.Value, d *ir.Def) bool {
	args := make([]bv.BV, len(d.Args))
	for i, a := range d.Args {
		args[i] = m.bits(m.cur.registers[a], m.cur.f.Type(a))
	}
	x, guard := Eval(d, args)
	if guard != ir.CheckNone {
		return m.undefined(guard, v)
	}
	if d.Type.Kind == ir.Float && len(args) > 0 && m.cur.f.Type(d.Args[0]).Kind == ir.Float {
		operands := make([]uint64, len(args))
		for i, a := range args {
			operands[i] = a.Uint64()
		}
		x = bv.New(d.Type.Bits, m.nan(d.Op, args[0].Width(), d.Type.Bits, x.Uint64(), operands...))
	}
	m.setBits(m.cur.registers[v], x)
	return true
}

func fill(b []byte, c byte) {
	for i := range b {
		b[i] = c
	}
}

func (m *machine) isHeapStart(p pointer) bool {
	o := &m.mem.objects[p.object]
	return o.kind == kindHeap && o.state == stateAlive && o.base == p.address
}

// fits says whether memory may grow by size bytes, and ends the run if not.
func (m *machine) fits(v ir.Value, size uint64) bool {
	if size > m.opts.MaxMemory || m.mem.used > m.opts.MaxMemory-size {
		return m.end(MemoryLimit, v, "too many bytes in live objects")
	}
	return true
}

// newObject executes Alloca and Malloc.
func (m *machine) newObject(v ir.Value, kind objectKind, size, align uint64) bool {
	if !m.fits(v, size) {
		return false
	}
	r := Request{Func: m.cur.f, Value: v, Kind: WantObject, Size: size}
	if m.repeat != nil {
		r.Base = m.mem.firstFit(size, align)
	}
	if !m.ask(r) {
		return false
	}
	base := m.choice.Base
	if base == 0 {
		base = r.Base
	}
	id, err := m.mem.allocate(kind, size, align, base)
	if err != nil {
		if m.choice.Base != 0 {
			return m.misplaced(r, err.Error())
		}
		return m.end(MemoryLimit, v, err.Error())
	}
	o := &m.mem.objects[id]
	o.site, o.maker = v, m.cur.index
	copy(o.bytes, m.choice.Bytes)
	if m.opts.Unwritten {
		o.neverWrote(m.mem.word, 0, size)
	}
	m.setPointer(m.cur.registers[v], pointer{o.base, id})
	return true
}

func (m *machine) lifetimeStart(v ir.Value, id uint64) bool {
	o := &m.mem.objects[id]
	if o.kind != kindStack || o.state == stateGone {
		return true
	}
	if o.state == stateAsleep && !m.fits(v, o.size) {
		return false
	}
	r := Request{Func: m.cur.f, Value: v, Kind: WantContent, Size: o.size}
	if !m.ask(r) {
		return false
	}
	if m.choice.Base != 0 && m.choice.Base != o.base {
		return m.misplaced(r, "an object cannot move")
	}
	if err := m.mem.revive(id); err != nil {
		return m.misplaced(r, err.Error())
	}
	copy(o.bytes, m.choice.Bytes)
	if m.opts.Unwritten {
		o.neverWrote(m.mem.word, 0, o.size)
	}
	return true
}

// arbitraryContent lets the oracle decide n bytes of an object.
func (m *machine) arbitraryContent(v ir.Value, o *object, at, n uint64) bool {
	if !m.ask(Request{Func: m.cur.f, Value: v, Kind: WantContent, Size: n}) {
		return false
	}
	if n > 0 {
		o.overwrite(at, n)
		clear(o.bytes[at+uint64(copy(o.bytes[at:at+n], m.choice.Bytes)) : at+n])
		if m.opts.Unwritten && !m.cur.f.Def(v).Approximate() {
			o.neverWrote(m.mem.word, at, n)
		}
	}
	return true
}

func (m *machine) memCpy(v ir.Value, to, from pointer, n uint64) bool {
	dst, dstAt, ok := m.mem.writable(to, n)
	if !ok {
		return m.violation(ir.InvalidDeref, v)
	}
	src, srcAt, ok := m.mem.readable(from, n)
	if !ok {
		return m.violation(ir.InvalidDeref, v) && m.arbitraryContent(v, dst, dstAt, n)
	}
	m.mem.copyRange(dst, dstAt, src, srcAt, n)
	return true
}

// setup makes the objects of the initial state: functions first, so that their
// numbers give their indexes, then globals.
func (m *machine) setup() bool {
	var reserved []uint64
	if r, ok := m.oracle.(Reserver); ok {
		reserved = r.Reserved()
	}
	m.mem = newMemory(m.p.m.PointerBits, reserved)
	create := func(name string, kind objectKind, size, align, content uint64) (*object, ir.GlobalChoice) {
		g := m.oracle.Global(name, content)
		id, err := m.mem.allocate(kind, size, align, g.Base)
		if err != nil {
			m.refuse(0, &DesyncError{Index: -1, Msg: "@" + name + ": " + err.Error()})
			return nil, g
		}
		return &m.mem.objects[id], g
	}
	for _, f := range m.p.m.Funcs {
		if o, _ := create(f.Name, kindFunction, 0, 1, 0); o == nil {
			return false
		}
	}
	for _, g := range m.p.m.Globals {
		if !m.fits(0, g.Size) {
			return false
		}
		content := uint64(0)
		if g.External {
			content = g.Size
		}
		o, c := create(g.Name, kindGlobal, g.Size, g.Align, content)
		if o == nil {
			return false
		}
		o.readOnly = g.Constant
		copy(o.bytes, g.Init)
		if g.External {
			copy(o.bytes, c.Bytes)
		}
	}
	for _, g := range m.p.m.Globals { // all addresses are known now
		o := &m.mem.objects[m.p.objects[g.Name]]
		for _, r := range g.Relocs {
			target := m.p.objects[r.Target]
			address := (m.mem.objects[target].base + uint64(r.Addend)) & m.mem.mask
			p := pointer{address, target}
			if r.Target == "" {
				p = pointer{address: address}
			}
			m.mem.storePointer(o, r.Offset, p)
		}
	}
	return true
}
