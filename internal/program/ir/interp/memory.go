package interp

// Memory is a set of objects. A pointer value is an object and a numeric
// address; the offset is the difference to the object's base. Object 0 is "no
// object": null is its address 0, and a pointer made from an integer is its address
// alone; where it is used it points to what lives there then. Comparisons and
// conversions to integers look at the address alone, and an access at the object.
//
// An object holds bytes, and beside them the pointers that were stored (file
// shadow.go). Dead objects stay in the table, without bytes, because dangling
// pointers may still be compared and measured; but the table is popped when the
// youngest stack object dies and its address was never stored or returned, for
// then no pointer to it is left. Calls in long runs thus need no memory.

import (
	"slices"

	"assay/internal/program/ir"
)

type objectKind uint8

const (
	kindNothing objectKind = iota // object 0
	kindFunction
	kindGlobal
	kindStack
	kindArguments // the variadic arguments of a frame, on its stack
	kindHeap
)

type objectState uint8

const (
	stateAlive  objectState = iota
	stateAsleep             // a stack object after LifetimeEnd that may come back
	stateGone
)

// object is one object. Its size is kept small: tables get long.
type object struct {
	bytes  []byte // content; nil if the object is dead or a function
	base   uint64
	size   uint64
	shadow *shadow // pointers in bytes; nil if there are none

	kind     objectKind
	state    objectState
	readOnly bool
	// escaped says that a pointer to the object was stored or returned.
	escaped bool
	// ceded says that other objects may lie where this one does (ir.Cede).
	ceded bool
	// mapped says that the bytes are pages (pages.go).
	mapped bool

	site  ir.Value // the instruction that made it
	maker uint32   // its function, an index of Module.Funcs
}

// pointer is a pointer value.
type pointer struct {
	address uint64
	object  uint64
}

// memory is the state of memory of one run.
type memory struct {
	word    uint64 // bytes of a pointer
	mask    uint64 // of addresses
	objects []object
	stack   []uint32 // the stack objects of all frames, oldest first
	used    uint64   // bytes of live objects
	space   addressSpace
	// pages are those of large objects, by their first byte; see pages.go.
	pages map[*byte][]byte
}

func newMemory(pointerBits uint32, reserved []uint64) *memory {
	m := &memory{word: uint64(pointerBits / 8), mask: ^uint64(0) >> (64 - pointerBits), pages: map[*byte][]byte{}}
	m.objects = make([]object, 1, 64) // object 0
	m.objects[0].state = stateGone
	m.space.init(pointerBits, reserved)
	return m
}

// allocate makes a live object at base, or anywhere if base is 0. The content
// is zero; functions have none.
func (m *memory) allocate(kind objectKind, size, align, base uint64) (uint64, error) {
	base, err := m.place(size, align, base)
	if err != nil {
		return 0, err
	}
	id := len(m.objects)
	var bytes []byte
	mapped := false
	if id < cap(m.objects) { // the buffer of an object that was popped
		old := &m.objects[: id+1 : id+1][id]
		if old.mapped && size < pagesFrom {
			m.giveBack(old)
		}
		if uint64(cap(old.bytes)) >= size && size > 0 {
			bytes, mapped = old.bytes[:size], old.mapped
			clear(bytes)
		} else {
			m.giveBack(old)
		}
	}
	m.objects = append(m.objects, object{base: base, size: size, kind: kind})
	o := &m.objects[id]
	if kind != kindFunction {
		if bytes == nil {
			bytes, mapped = m.zeros(size)
		}
		o.bytes, o.mapped = bytes, mapped
		m.used += size
	}
	if kind == kindStack || kind == kindArguments {
		m.stack = append(m.stack, uint32(id))
	}
	m.space.insert(m.objects, uint32(id))
	return uint64(id), nil
}

// kill ends the life of an object.
func (m *memory) kill(id uint64, state objectState) {
	o := &m.objects[id]
	if o.state == stateGone {
		return
	}
	if o.state == stateAlive {
		m.used -= uint64(len(o.bytes))
	}
	o.bytes, o.shadow, o.state = o.bytes[:0], nil, state // keep the buffer for a revival
	if state == stateGone {
		m.giveBack(o)
		o.bytes = nil
		m.space.dead++
	}
}

// bury ends the life of a stack object that never comes back.
func (m *memory) bury(id uint64) {
	m.kill(id, stateGone)
	if n := len(m.stack); n > 0 && uint64(m.stack[n-1]) == id {
		m.stack = m.stack[:n-1]
	}
}

// takes says that no other object may lie where o does.
func (o *object) takes() bool { return o.state == stateAlive && !o.ceded }

// revive makes a sleeping stack object alive again, or renews a live one; the
// content is zero. It fails if the place has been taken meanwhile.
func (m *memory) revive(id uint64) error {
	o := &m.objects[id]
	if o.state == stateAsleep {
		if err := m.clash(o.base, o.size); err != nil {
			return err
		}
		m.used += o.size
		o.bytes = o.bytes[:o.size]
	}
	clear(o.bytes)
	o.state, o.shadow = stateAlive, nil
	return nil
}

// popTo ends the lives of the stack objects from index n of the stack on.
func (m *memory) popTo(n int) {
	for len(m.stack) > n {
		id := m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		o := &m.objects[id]
		if int(id) != len(m.objects)-1 || o.escaped || !m.space.pop(id, o.base) {
			m.kill(uint64(id), stateGone)
			continue
		}
		if o.state == stateAlive {
			m.used -= o.size
		}
		m.objects = m.objects[:id] // the entry keeps its buffer for allocate
	}
}

// restoreTo ends the lives of the stack objects from index n on, except
// variadic arguments, which live as long as the frame. The frame goes on and may
// hold pointers to them, so the table is not popped.
func (m *memory) restoreTo(n int) {
	keep := m.stack[:n]
	for _, id := range m.stack[n:] {
		if m.objects[id].kind == kindArguments {
			keep = append(keep, id)
		} else {
			m.kill(uint64(id), stateGone)
		}
	}
	m.stack = keep
}

// readable returns the n bytes at p and where they are, or ok = false if the
// access is not valid. No bytes are readable everywhere.
func (m *memory) readable(p pointer, n uint64) (o *object, offset uint64, ok bool) {
	if p.object == 0 && n > 0 {
		p = m.find(p.address)
	}
	o = &m.objects[p.object]
	offset = p.address - o.base
	size := uint64(len(o.bytes))
	return o, offset, n == 0 || n <= size && offset <= size-n
}

// writable is readable for a write.
func (m *memory) writable(p pointer, n uint64) (o *object, offset uint64, ok bool) {
	o, offset, ok = m.readable(p, n)
	return o, offset, ok && (n == 0 || !o.readOnly)
}

// loadWild reads n bytes through a pointer without an object.
func (m *memory) loadWild(address, object, n uint64) (x uint64, ok bool) {
	if object != 0 {
		return 0, false
	}
	o, at, ok := m.readable(pointer{address: address}, n)
	if ok {
		x = loadBits(o.bytes[at : at+n])
	}
	return x, ok
}

// storeWild writes n bytes through a pointer without an object.
func (m *memory) storeWild(address, object, n, x uint64) (ok bool) {
	if object != 0 {
		return false
	}
	o, at, ok := m.writable(pointer{address: address}, n)
	if ok {
		o.overwrite(at, n)
		storeBits(o.bytes[at:at+n], x)
	}
	return ok
}

// loadBits reads n <= 8 bytes as a number.
func loadBits(b []byte) (x uint64) {
	for i, c := range b {
		x |= uint64(c) << (8 * i)
	}
	return x
}

// storeBits writes the low bytes of a number.
func storeBits(b []byte, x uint64) {
	for i := range b {
		b[i] = byte(x >> (8 * i))
	}
}

// loadPointer reads the pointer at offset of a valid access.
func (m *memory) loadPointer(o *object, offset uint64) pointer {
	address := loadBits(o.bytes[offset : offset+m.word])
	if o.shadow != nil {
		if p, ok := o.shadow.pointerAt(offset, address); ok {
			return p
		}
	}
	return pointer{address: address}
}

// storePointer writes a pointer at offset of a valid access.
func (m *memory) storePointer(o *object, offset uint64, p pointer) {
	m.objects[p.object].escaped = true
	if o.shadow == nil && (p.address != 0 || p.object != 0) { // zero bytes read as null anyway
		o.shadow = newShadow(m.word, o.size)
	}
	if o.shadow != nil {
		o.shadow.setPointer(o.bytes, offset, p)
	}
	storeBits(o.bytes[offset:offset+m.word], p.address)
}

// copyRange copies n bytes with the pointers in them, as memmove. Both ranges
// are valid.
func (m *memory) copyRange(dst *object, dstOffset uint64, src *object, srcOffset, n uint64) {
	if n == 0 || dst == src && dstOffset == srcOffset {
		return
	}
	var kept []fragments
	var unwritten []bool
	if src.shadow != nil {
		kept = src.shadow.collect(src.bytes, srcOffset, n)
		if src.hasUnwritten(srcOffset, n) {
			unwritten = slices.Clone(src.shadow.unwritten[srcOffset : srcOffset+n])
		}
	}
	dst.overwrite(dstOffset, n)
	copy(dst.bytes[dstOffset:dstOffset+n], src.bytes[srcOffset:srcOffset+n])
	if len(kept) > 0 {
		if dst.shadow == nil {
			dst.shadow = newShadow(m.word, dst.size)
		}
		dst.shadow.place(kept, dstOffset-srcOffset)
	}
	for k, is := range unwritten {
		if is {
			dst.neverWrote(m.word, dstOffset+uint64(k), 1)
		}
	}
}

// overwrite forgets the pointers in n bytes at offset. It comes before the
// write of the bytes, for what is left of a pointer needs its old address.
func (o *object) overwrite(offset, n uint64) {
	if o.shadow != nil {
		o.shadow.forget(o.bytes, offset, n)
	}
}
