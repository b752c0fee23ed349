package absint

// Instructions on ranges of memory: MemSet and MemCpy.

import (
	"assay/internal/logic/absdomain"
	"assay/internal/program/ir"
)

// memSet executes a MemSet.
func (a *analysis) memSet(p *Value, b, n absdomain.Int, valid bool, mem *store) {
	value, known := b.Value()
	o, at, ok := a.single(p, *mem)
	length, exact := n.Value()
	if !known || !ok || !valid || !exact || !a.isData(o, true) {
		if known && value == 0 && !n.IsBottom() && !a.sets.wild(p.Targets) {
			a.zeroSomewhere(p, n, mem)
			return
		}
		a.clobber(p, n, valid, mem)
		return
	}
	obj := &a.objects[o]
	repeated := func(n uint64) *Value {
		v := intValue(absdomain.Const(uint32(8*n), value*0x0101010101010101))
		return &v
	}
	m := *mem
	if size, ok := a.sizeOf(m, o).Value(); ok && at == 0 && size == length {
		m = a.forgetContent(m, o)
		if obj.smashWidth != 0 {
			m = m.set(obj.smash, repeated(obj.smashWidth))
		} else if value == 0 {
			m = m.set(obj.smash, repeated(1))
		}
		*mem = m
		return
	}
	if length == 0 {
		return
	}
	if id := a.dataCell(o, at, length); length <= 8 && id >= 0 {
		*mem = a.cover(m, o, at, length, id).set(id, repeated(length))
		return
	}
	cells := append([]cellID(nil), obj.data...)
	a.writeAnywhere(p, n, nil, &m)
	for _, id := range cells {
		if c := &a.cells[id]; c.size <= 8 && at <= c.offset && c.offset+uint64(c.size) <= at+length {
			m = m.set(id, repeated(uint64(c.size)))
		}
	}
	*mem = m
}

// zeroSomewhere writes zeros to a range that is not known exactly.
func (a *analysis) zeroSomewhere(p *Value, n absdomain.Int, mem *store) {
	for _, o := range a.sets.list[p.Targets] {
		if !a.isData(o, true) {
			continue
		}
		obj := &a.objects[o]
		smash := a.smashOf(*mem, o)
		m := a.writeInto(*mem, o, p.Int, n, nil)
		if smash != nil && smash.Kind == ir.Int && smash.Int.Is(0) && m.get(obj.pristine) == nil {
			m = m.set(obj.smash, smash)
		}
		*mem = m
	}
}

// memCpy executes a MemCpy.
func (a *analysis) memCpy(to, from *Value, n absdomain.Int, valid, readable bool, mem *store) {
	dst, at, ok := a.single(to, *mem)
	length, exact := n.Value()
	if length == 0 && exact {
		return
	}
	var src objectID
	var srcAt uint64
	if !a.sets.wild(from.Targets) && len(a.sets.list[from.Targets]) == 1 {
		src = a.sets.list[from.Targets][0]
		var known bool
		srcAt, known = from.Int.Value()
		ok = ok && known && a.isData(src, false)
	} else {
		ok = false
	}
	if !ok || !valid || !readable || !exact || !a.isData(dst, true) {
		if exact && length == 1 && readable && !a.sets.wild(from.Targets) && !a.sets.wild(to.Targets) {
			// a byte that is copied by a loop
			var all Value
			for i, o := range a.sets.list[from.Targets] {
				x := a.loadSomewhere(*mem, o, from.Int, 1)
				if i > 0 {
					x = a.sets.join(&all, &x)
				}
				all = x
			}
			a.writeAnywhere(to, n, &all, mem)
			return
		}
		a.writeAnywhere(to, n, nil, mem)
		return
	}
	if dst == src && at == srcAt {
		return
	}
	// Copy what is known of the source's cells, and of the places where the
	// destination has some.
	type piece struct {
		at, n uint64
		v     Value
	}
	var pieces []piece
	add := func(at, n uint64) {
		for _, p := range pieces {
			if p.at == at && p.n == n {
				return
			}
		}
		if v := a.loadBytes(*mem, src, srcAt+at, n); v.Kind != ir.Void && len(pieces) < maxCells {
			pieces = append(pieces, piece{at, n, v})
		}
	}
	for _, id := range a.objects[src].data {
		if c := &a.cells[id]; c.offset >= srcAt && c.offset+uint64(c.size) <= srcAt+length {
			add(c.offset-srcAt, uint64(c.size))
		}
	}
	for _, id := range a.objects[dst].data {
		if c := &a.cells[id]; c.offset >= at && c.offset+uint64(c.size) <= at+length {
			add(c.offset-at, uint64(c.size))
		}
	}
	obj := &a.objects[dst]
	var smash *Value
	if w := max(obj.smashWidth, 1); w <= length && srcAt%w == 0 {
		all := absdomain.Congruent(a.m.PointerBits, w, 0).Meet(absdomain.Range(a.m.PointerBits, srcAt, srcAt+length-w))
		if v := a.loadSomewhere(*mem, src, all, w); v.Kind != ir.Void && (obj.smashWidth != 0 || v.Int.Is(0)) {
			smash = &v
		}
	}
	m := *mem
	if size, ok := a.sizeOf(m, dst).Value(); ok && at == 0 && size == length {
		m = a.forgetContent(m, dst)
		m = m.set(obj.smash, smash)
	} else {
		a.writeAnywhere(to, n, nil, &m)
	}
	for _, p := range pieces {
		if id := a.dataCell(dst, at+p.at, p.n); id >= 0 {
			v := p.v
			m = m.set(id, &v)
		}
	}
	*mem = m
}
