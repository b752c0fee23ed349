package absint

// Instructions on memory: loads, stores, ranges, objects.

import (
	"assay/internal/logic/absdomain"
	"assay/internal/program/ir"
)

// memoryInstr executes an instruction on memory or on objects; false if no run
// goes on.
func (a *analysis) memoryInstr(c *callContext, v ir.Value, d *ir.Def, mem *store, i int) bool {
	fr, f := c.frame, c.fn.f
	arg := func(i int) *Value { return &fr.vals[d.Args[i]] }
	switch d.Op {
	case ir.Alloca:
		fr.vals[v] = a.makeObject(c, v, stackObject, arg(0).Int, mem)
	case ir.Malloc:
		fr.vals[v] = a.makeObject(c, v, heapObject, arg(0).Int, mem)
	case ir.PtrAdd:
		fr.vals[v] = a.ptrAdd(arg(0), arg(1).Int)
	case ir.Load:
		n := d.Type.Size()
		valid, ok := a.guard(c, v, d.Args[0], absdomain.Const(a.m.PointerBits, n), false, mem, i)
		if !ok {
			return false
		}
		fr.vals[v] = topOf(d.Type)
		if valid {
			a.load(c, v, d, arg(0), n, mem)
		}
	case ir.Store:
		n := f.Type(d.Args[0]).Size()
		valid, ok := a.guard(c, v, d.Args[1], absdomain.Const(a.m.PointerBits, n), true, mem, i)
		if !ok {
			return false
		}
		a.store(c, d.Args[0], arg(1), n, valid, mem)
	case ir.MemCpy:
		n := a.word(arg(2).Int)
		valid, ok := a.guard(c, v, d.Args[0], n, true, mem, i)
		if !ok {
			return false
		}
		readable, ok := a.guard(c, v, d.Args[1], n, false, mem, i)
		if !ok {
			return false
		}
		a.memCpy(arg(0), arg(1), n, valid, readable, mem)
	case ir.MemSet:
		n := a.word(arg(2).Int)
		valid, ok := a.guard(c, v, d.Args[0], n, true, mem, i)
		if !ok {
			return false
		}
		a.memSet(arg(0), arg(1).Int, n, valid, mem)
	case ir.Havoc:
		n := a.word(arg(1).Int)
		valid, ok := a.guard(c, v, d.Args[0], n, true, mem, i)
		if !ok {
			return false
		}
		a.clobber(arg(0), n, valid, mem)
	case ir.VaStart:
		return a.vaStart(c, v, d, mem, i)
	case ir.LifetimeStart:
		a.lifetime(arg(0), true, mem)
	case ir.LifetimeEnd:
		a.lifetime(arg(0), false, mem)
	case ir.StackSave:
		fr.vals[v] = Value{Kind: ir.Ptr, Targets: a.sets.of([]objectID{objNull, objBare}), Int: absdomain.Top(a.m.PointerBits)}
	case ir.StackRestore:
		a.stackRestore(c, d, mem)
	case ir.Free:
		return a.free(c, v, d, mem, i)
	case ir.ObjectSize:
		fr.vals[v] = intValue(a.objectSize(arg(0), *mem))
	case ir.ObjectOffset:
		fr.vals[v] = intValue(a.objectOffset(arg(0)))
	case ir.ValidRange:
		fr.vals[v] = intValue(a.validRange(arg(0), a.word(arg(1).Int), *mem))
	case ir.IsHeapStart:
		fr.vals[v] = intValue(a.heapStart(arg(0), *mem))
	case ir.SameObject:
		fr.vals[v] = intValue(a.sameObject(arg(0), arg(1), *mem))
	default: // nothing else is known to exist: any value, any memory
		fr.vals[v] = topOf(d.Type)
		a.clobber(&Value{Kind: ir.Ptr, Int: absdomain.Top(a.m.PointerBits)}, absdomain.Top(a.m.PointerBits), false, mem)
	}
	return true
}

// word is a size as wide as an offset; of a wider one nothing is known.
func (a *analysis) word(n absdomain.Int) absdomain.Int {
	switch {
	case n.IsWide() || uint32(n.Width) > a.m.PointerBits:
		if v, ok := n.Value(); ok && v>>(a.m.PointerBits-1) == 0 {
			return absdomain.Const(a.m.PointerBits, v)
		}
		return absdomain.Top(a.m.PointerBits)
	case uint32(n.Width) < a.m.PointerBits:
		return n.ZExt(a.m.PointerBits)
	}
	return n
}

// guard looks at the validity of an access through the value p. valid says that
// it holds from here on, proved or because a violation ends the run.
func (a *analysis) guard(c *callContext, v, p ir.Value, n absdomain.Int, write bool, mem *store, i int) (valid, ok bool) {
	x := &c.frame.vals[p]
	if a.access(x, n, write, *mem) {
		return true, true
	}
	a.violate(c, v, ir.InvalidDeref)
	if !a.asked[ir.InvalidDeref] {
		return false, true
	}
	if n.ULo == 0 || a.sets.wild(x.Targets) { // no bytes are valid anywhere
		return false, true
	}
	most := uint64(0)
	targets := a.sets.filter(x.Targets, func(o objectID) bool {
		if !a.isData(o, write) || a.mustDead(*mem, o) {
			return false
		}
		size := a.sizeOf(*mem, o).UHi
		most = max(most, size)
		return size >= n.ULo
	})
	if targets == nowhere || most < n.ULo {
		return false, false
	}
	want := Value{Kind: ir.Ptr, Targets: targets, Int: absdomain.Range(a.m.PointerBits, 0, most-n.ULo)}
	if !a.restrictPointer(c, p, &want, mem, c.fn.f.Values[v].Block, i) {
		return false, false
	}
	return true, true
}

// makeObject executes Alloca and Malloc.
func (a *analysis) makeObject(c *callContext, v ir.Value, kind objectKind, size absdomain.Int, mem *store) Value {
	o := a.object(c, v, kind)
	obj := &a.objects[o]
	m := a.forgetContent(*mem, o)
	if life := m.get(obj.life); life == nil {
		m = a.setInt(m, obj.life, aliveOnce)
		m = a.setInt(m, obj.size, size)
	} else {
		// One more: all are alive if all were, and none is known to be unique.
		m = a.setInt(m, obj.life, absdomain.KnownBits(3, life.Int.Zeros&4, life.Int.Ones&1|2))
		m = a.setInt(m, obj.size, a.sizeOf(m, o).Join(size))
	}
	*mem = m
	return a.pointerTo(o)
}

// single is the only target of p if it stands for one object and the offset is
// known: what is written there replaces what was there.
func (a *analysis) single(p *Value, mem store) (o objectID, at uint64, ok bool) {
	if a.sets.wild(p.Targets) || len(a.sets.list[p.Targets]) != 1 {
		return 0, 0, false
	}
	o = a.sets.list[p.Targets][0]
	at, ok = p.Int.Value()
	return o, at, ok && o >= objFirst && a.unique(mem, o)
}

// overlaps says whether the ranges share a byte; hi is one past the last one,
// and may be at the end of the numbers.
func overlaps(c *cell, lo, last uint64) bool {
	return c.offset <= last && lo <= c.offset+uint64(c.size)-1
}

// loadCell is the content of a data cell.
func (a *analysis) loadCell(m store, c *cell) Value {
	return a.loadBytes(m, c.object, c.offset, uint64(c.size))
}

// loadBytes is the content of n bytes of o at a known offset.
func (a *analysis) loadBytes(m store, o objectID, at, n uint64) Value {
	obj := &a.objects[o]
	covered := false
	best := Value{}
	for _, id := range obj.data {
		v := m.get(id)
		if v == nil {
			continue
		}
		c := &a.cells[id]
		switch {
		case c.offset == at && uint64(c.size) == n:
			return *v
		case n == 0 || !overlaps(c, at, at+n-1):
			continue
		}
		covered = true
		if c.offset <= at && at+n <= c.offset+uint64(c.size) && v.Kind == ir.Int && best.Kind == ir.Void {
			part := v.Int.LShr(absdomain.Const(uint32(v.Int.Width), 8*(at-c.offset))).Trunc(uint32(8 * n))
			best = intValue(part)
		}
	}
	if covered {
		return best
	}
	if m.get(obj.pristine) != nil {
		return a.fromInit(obj.global, at, n)
	}
	smash := m.get(obj.smash)
	switch {
	case smash == nil || n > 8 || n == 0:
		return Value{}
	case smash.Kind == ir.Int && smash.Int.Is(0):
		return intValue(absdomain.Const(uint32(8*n), 0))
	case n == obj.smashWidth && at%n == 0:
		return *smash
	}
	return Value{}
}

// smashOf is the smash of o as if it were not pristine; nil is anything.
func (a *analysis) smashOf(m store, o objectID) *Value {
	obj := &a.objects[o]
	if m.get(obj.pristine) == nil {
		return m.get(obj.smash)
	}
	g := obj.global
	if g.Init == nil && len(g.Relocs) == 0 {
		v := intValue(absdomain.Const(uint32(8*max(obj.smashWidth, 1)), 0))
		return &v
	}
	n := obj.smashWidth
	if n == 0 || g.Size/n > maxChunks {
		return nil
	}
	var all *Value
	for at := uint64(0); at+n <= g.Size; at += n {
		v := a.fromInit(g, at, n)
		if all != nil {
			v = a.sets.join(all, &v)
		}
		if v.Kind == ir.Void {
			return nil
		}
		all = &v
	}
	return all
}

// loadSomewhere is the content of n bytes of o at any offset in at.
func (a *analysis) loadSomewhere(m store, o objectID, at absdomain.Int, n uint64) Value {
	if v, ok := at.Value(); ok {
		return a.loadBytes(m, o, v, n)
	}
	obj := &a.objects[o]
	size := a.sizeOf(m, o).UHi
	if n > 8 || n == 0 || size < n {
		return Value{}
	}
	var all *Value
	add := func(v Value) {
		if all != nil {
			v = a.sets.join(all, &v)
		}
		all = &v
	}
	lo, last := at.ULo, min(at.UHi, size-n)+n-1
	mod, rem := at.Congruence()
	for _, id := range obj.data {
		v := m.get(id)
		c := &a.cells[id]
		if v == nil || !overlaps(c, lo, last) {
			continue
		}
		if uint64(c.size) != n || mod%n != 0 || c.offset%n != rem%n {
			return Value{}
		}
		add(*v)
	}
	if g := obj.global; m.get(obj.pristine) != nil && g.Init == nil && len(g.Relocs) == 0 {
		add(intValue(absdomain.Const(uint32(8*n), 0)))
		return *all
	}
	if m.get(obj.pristine) != nil {
		ok := offsets(at, n, obj.global.Size, func(at uint64) {
			if all == nil || all.Kind != ir.Void && !(all.Kind == ir.Int && all.Int.IsTop()) {
				add(a.fromInit(obj.global, at, n))
			}
		})
		if !ok || all == nil {
			return Value{}
		}
		return *all
	}
	smash := m.get(obj.smash)
	switch {
	case smash == nil:
		return Value{}
	case smash.Kind == ir.Int && smash.Int.Is(0):
		add(intValue(absdomain.Const(uint32(8*n), 0)))
	case n == obj.smashWidth && mod%n == 0 && rem%n == 0:
		add(*smash)
	default:
		return Value{}
	}
	return *all
}

// load executes a load that is valid.
func (a *analysis) load(c *callContext, v ir.Value, d *ir.Def, p *Value, n uint64, mem *store) {
	fr := c.frame
	if a.sets.wild(p.Targets) {
		return
	}
	var all Value
	for i, o := range a.sets.list[p.Targets] {
		x := a.loadSomewhere(*mem, o, p.Int, n)
		if i > 0 {
			x = a.sets.join(&all, &x)
		}
		all = x
		if x.Kind == ir.Void {
			break
		}
	}
	fr.vals[v] = a.asType(&all, d.Type)
	if o, at, ok := a.single(p, *mem); ok && n <= 8 && uint32(8*n) == d.Type.Bits {
		a.bindCell(c, v, o, at, n, mem)
	}
}

// bindCell notes that the cell holds the value v, and makes it explicit.
func (a *analysis) bindCell(c *callContext, v ir.Value, o objectID, at, n uint64, mem *store) {
	id := a.dataCell(o, at, n)
	if id < 0 {
		return
	}
	x := mem.get(id)
	if x == nil || *x != c.frame.vals[v] {
		y := c.frame.vals[v]
		x = &y
		*mem = mem.set(id, x)
	}
	c.frame.bind[v] = binding{id, x, a.visit}
}

// asType is the content of a cell as a value of a type.
func (a *analysis) asType(v *Value, t ir.Type) Value {
	switch {
	case v.Kind == ir.Void:
	case v.Kind == t.Kind && t.Kind == ir.Int:
		if w := uint32(v.Int.Width); w == t.Bits {
			return *v
		} else if w > t.Bits {
			return intValue(v.Int.Trunc(t.Bits))
		}
	case v.Kind == t.Kind && (t.Kind == ir.Ptr || uint32(v.Float.Bits) == t.Bits):
		return *v
	case v.Kind == ir.Int && t.Kind == ir.Ptr && v.Int.Is(0):
		return a.pointerTo(objNull)
	case v.Kind == ir.Int && t.Kind == ir.Float && uint32(v.Int.Width) == t.Bits:
		if x, ok := v.Int.Value(); ok {
			return floatValue(absdomain.FloatConst(t.Bits, x))
		}
	case v.Kind == ir.Ptr && t.Kind == ir.Int && a.isNull(v):
		return intValue(absdomain.Const(t.Bits, 0))
	}
	return topOf(t)
}

// content is a value as the content of n bytes.
func content(v Value, n uint64) Value {
	switch {
	case n > 8:
		return Value{}
	case v.Kind == ir.Int && v.Int.IsWide():
		return Value{}
	case v.Kind == ir.Int && uint64(v.Int.Width) < 8*n:
		return intValue(v.Int.ZExt(uint32(8 * n)))
	}
	return v
}

// store executes a store; valid says that it has an effect on all runs.
func (a *analysis) store(c *callContext, v ir.Value, p *Value, n uint64, valid bool, mem *store) {
	x := c.frame.vals[v]
	a.markStored(&x)
	y := content(x, n)
	o, at, ok := a.single(p, *mem)
	if ok && valid {
		if !a.isData(o, true) {
			return
		}
		if id := a.dataCell(o, at, n); id >= 0 {
			m := a.cover(*mem, o, at, n, id)
			*mem = m.set(id, &y)
			if uint32(8*n) == c.fn.f.Type(v).Bits {
				c.frame.bind[v] = binding{id, &y, a.visit}
			}
			return
		}
	}
	a.writeAnywhere(p, absdomain.Const(a.m.PointerBits, n), &y, mem)
}

// cover makes the cells that overlap a range unknown, other than except.
func (a *analysis) cover(m store, o objectID, at, n uint64, except cellID) store {
	for _, id := range a.objects[o].data {
		if c := &a.cells[id]; id != except && n > 0 && overlaps(c, at, at+n-1) {
			if v := m.get(id); v != nil && v.Kind != ir.Void {
				m = m.set(id, unknown())
			}
		}
	}
	return m
}

// writeAnywhere writes y, n bytes long, or anything if y is nil, to some place
// that p may point to, or to none.
func (a *analysis) writeAnywhere(p *Value, n absdomain.Int, y *Value, mem *store) {
	if n.Is(0) {
		return
	}
	if a.sets.wild(p.Targets) {
		top := absdomain.Top(a.m.PointerBits)
		for o := objFirst; int(o) < len(a.objects); o++ {
			if a.isData(o, true) && mem.get(a.objects[o].life) != nil {
				*mem = a.writeInto(*mem, o, top, n, nil)
			}
		}
		return
	}
	for _, o := range a.sets.list[p.Targets] {
		if a.isData(o, true) {
			*mem = a.writeInto(*mem, o, p.Int, n, y)
		}
	}
}

// writeInto is writeAnywhere for one object.
func (a *analysis) writeInto(m store, o objectID, at, n absdomain.Int, y *Value) store {
	obj := &a.objects[o]
	size := a.sizeOf(m, o).UHi
	length, exact := n.Value()
	if size == 0 || n.ULo > size || at.ULo > size {
		return m // no effect
	}
	if y == nil {
		y = &Value{}
	}
	if v, ok := at.Value(); ok && exact && length <= 255 {
		// A known place: other bytes are as before.
		if length > size || v > size-length {
			return m
		}
		if id := a.dataCell(o, v, length); id >= 0 {
			old := a.loadBytes(m, o, v, length)
			x := a.sets.join(&old, y)
			m = a.cover(m, o, v, length, id)
			return m.set(id, &x)
		}
	}
	// last is the last byte that may be written.
	last := size - 1
	if over := at.UHi + n.UHi; over >= at.UHi && n.UHi > 0 {
		last = min(last, over-1)
	}
	mod, rem := at.Congruence()
	for _, id := range obj.data {
		v := m.get(id)
		c := &a.cells[id]
		if v == nil || v.Kind == ir.Void || !overlaps(c, at.ULo, last) {
			continue
		}
		x := unknown()
		if exact && uint64(c.size) == length && mod%length == 0 && c.offset%length == rem%length {
			*x = a.sets.join(v, y)
		}
		m = m.set(id, x)
	}
	smash := a.smashOf(m, o)
	m = m.set(obj.pristine, nil)
	zero := y.Kind == ir.Int && y.Int.Is(0)
	switch {
	case smash == nil:
	case zero && smash.Kind == ir.Int && smash.Int.Is(0):
	case exact && length == obj.smashWidth && mod%length == 0 && rem%length == 0 && y.Kind != ir.Void:
		x := a.sets.join(smash, y)
		if x.Kind == ir.Void {
			smash = nil
		} else if x != *smash {
			smash = &x
		}
	default:
		smash = nil
	}
	return m.set(obj.smash, smash)
}

// clobber makes n bytes at p arbitrary.
func (a *analysis) clobber(p *Value, n absdomain.Int, valid bool, mem *store) {
	if o, at, ok := a.single(p, *mem); ok && valid && at == 0 && a.isData(o, true) {
		if size, ok := a.sizeOf(*mem, o).Value(); ok && n.Is(size) {
			*mem = a.forgetContent(*mem, o)
			return
		}
	}
	a.writeAnywhere(p, n, nil, mem)
}

// validRange says whether a read of n bytes at p is valid.
func (a *analysis) validRange(p *Value, n absdomain.Int, mem store) absdomain.Int {
	if a.access(p, n, false, mem) {
		return absdomain.Bool(true)
	}
	if a.sets.wild(p.Targets) || n.ULo == 0 {
		return absdomain.Top(1)
	}
	for _, o := range a.sets.list[p.Targets] {
		if a.isData(o, false) && !a.mustDead(mem, o) && n.ULo <= a.sizeOf(mem, o).UHi && p.Int.ULo <= a.sizeOf(mem, o).UHi-n.ULo {
			return absdomain.Top(1)
		}
	}
	return absdomain.Bool(false)
}
