package flat

import (
	"cmp"
	"slices"

	"assay/internal/program/ir"
)

// This file finds the objects that may become values, and their cells: (M1) of promote.go.

// maxObject bounds the size of objects that become values.
const maxObject = 4096

// cell is a range of an object.
type cell struct {
	object ir.Value
	offset uint64
}

// shape is what a cell holds: nothing is known of its type where only copies touch it.
type shape struct {
	size uint64
	t    ir.Type
}

// object is an object whose cells may become values.
type object struct {
	heap  bool
	size  uint64
	uses  []ir.Value // instructions that use addresses in it
	cells map[uint64]shape
	why   bool // it stays
}

type address struct {
	object ir.Value
	offset uint64
}

// number is the value of a constant.
func (p *promoter) number(v ir.Value) (n uint64, ok bool) {
	d := p.f.Def(v)
	if d.Op != ir.Const || d.Type.Kind != ir.Int || !d.Const.IsUint64() {
		return 0, false
	}
	return d.Const.Uint64(), true
}

// find finds the objects, and how their addresses are used (M1).
func (p *promoter) find() {
	users := make([][]ir.Value, len(p.f.Values))
	for b := range p.f.Blocks {
		for _, v := range p.f.Blocks[b].Instrs {
			d := p.f.Def(v)
			if (d.Op == ir.Alloca || d.Op == ir.Malloc) && p.reached[b] {
				if n, ok := p.number(d.Args[0]); ok && n > 0 && n <= maxObject {
					p.objects[v] = &object{heap: d.Op == ir.Malloc, size: n, cells: map[uint64]shape{}}
				}
			}
			for i, a := range d.Args {
				if !slices.Contains(d.Args[:i], a) {
					users[a] = append(users[a], v)
				}
			}
		}
	}
	for v, o := range p.objects {
		work := []ir.Value{v}
		p.at[v] = address{v, 0}
		for len(work) > 0 && !o.why {
			x := work[len(work)-1]
			work = work[:len(work)-1]
			for _, u := range users[x] {
				if !p.reached[p.f.Def(u).Block] {
					o.why = true // hardly ever
					break
				}
				next, ok := p.use(o, p.at[x], x, u)
				if !ok {
					o.why = true
					break
				}
				if next != nil {
					p.at[u] = *next
					work = append(work, u)
				}
			}
		}
	}
}

// use notes an instruction u that has an address among its operands; next is the address that it makes.
func (p *promoter) use(o *object, at address, v, u ir.Value) (next *address, ok bool) {
	d := p.f.Def(u)
	only := func(i int) bool { // v is operand i, and no other
		for k, a := range d.Args {
			if (a == v) != (k == i) {
				return false
			}
		}
		return true
	}
	o.uses = append(o.uses, u)
	switch d.Op {
	case ir.PtrAdd:
		n, known := p.number(d.Args[1])
		return &address{at.object, at.offset + n}, known
	case ir.Freeze:
		return &at, d.Aux == 0
	case ir.Load:
		return nil, o.access(at.offset, d.Type)
	case ir.Store:
		return nil, only(1) && o.access(at.offset, p.f.Type(d.Args[0]))
	case ir.LifetimeStart, ir.LifetimeEnd:
		return nil, at.offset == 0 && !o.heap
	case ir.Free, ir.IsHeapStart:
		return nil, o.heap
	case ir.MemSet:
		n, known := p.number(d.Args[2])
		return nil, known && only(0) && o.holds(at.offset, n)
	case ir.Havoc:
		n, known := p.number(d.Args[1])
		return nil, known && d.Sym == "" && o.holds(at.offset, n)
	case ir.MemCpy:
		n, known := p.number(d.Args[2])
		return nil, known && o.holds(at.offset, n) && d.Args[0] != d.Args[1]
	case ir.Dbg, ir.ObjectSize, ir.ObjectOffset:
		return nil, true
	case ir.ValidRange:
		n, known := p.number(d.Args[1])
		return nil, known && o.holds(at.offset, n)
	case ir.Eq, ir.Ne:
		// An address in a live object is not null.
		return nil, (only(0) && p.f.Def(d.Args[1]).Op == ir.Null || only(1) && p.f.Def(d.Args[0]).Op == ir.Null) && at.offset < o.size
	}
	return nil, false
}

func (o *object) holds(offset, n uint64) bool { return offset <= o.size && n <= o.size-offset }

// access notes a cell.
func (o *object) access(offset uint64, t ir.Type) bool {
	if t.Kind == ir.Int && t.Bits%8 != 0 {
		return false
	}
	n := uint64(t.Bits+7) / 8
	if !o.holds(offset, n) {
		return false
	}
	if old, ok := o.cells[offset]; ok {
		return old == shape{n, t}
	}
	o.cells[offset] = shape{n, t}
	return true
}

// partition gives objects that are copied into each other the same cells, and drops those whose
// cells overlap, or are touched in part.
func (p *promoter) partition() {
	for changed := true; changed; changed = changed || p.gaps() {
		changed = false
		drop := func(o *object) {
			if o != nil && !o.why {
				o.why, changed = true, true
			}
		}
		for _, o := range p.objects {
			for _, u := range o.uses {
				if d := p.f.Def(u); d.Op == ir.MemCpy && !o.why {
					n, _ := p.number(d.Args[2])
					to, from := p.at[d.Args[0]], p.at[d.Args[1]]
					a, b := p.objects[to.object], p.objects[from.object]
					stays := func(o *object) bool { return o == nil || o.why }
					switch {
					case stays(a) && !b.whole(from.offset, n), stays(b) && !a.whole(to.offset, n):
						drop(o)
					case stays(a) || stays(b):
					case a == b || !a.share(b, to.offset, from.offset, n, &changed) || !b.share(a, from.offset, to.offset, n, &changed):
						drop(a)
						drop(b)
					}
				}
			}
		}
		for _, o := range p.objects {
			end := uint64(0)
			for _, off := range o.offsets() {
				if off < end {
					drop(o)
				}
				end = max(end, off+o.cells[off].size)
			}
			for _, u := range o.uses {
				d := p.f.Def(u)
				switch d.Op {
				case ir.MemSet, ir.Havoc:
					n, _ := p.number(d.Args[len(d.Args)-1])
					at := p.at[d.Args[0]].offset
					for off, c := range o.cells {
						if off < at+n && at < off+c.size && (off < at || off+c.size > at+n || d.Op == ir.MemSet && !p.fills(d, c)) {
							drop(o)
						}
					}
				}
			}
		}
	}
}

// gaps gives what is copied to objects that stay, and is no cell so far, cells of single bytes: it may have been
// filled.
func (p *promoter) gaps() (added bool) {
	for _, o := range p.objects {
		for _, u := range o.uses {
			d := p.f.Def(u)
			if d.Op != ir.MemCpy || o.why {
				continue
			}
			from, ok := p.at[d.Args[1]]
			if to := p.objects[p.at[d.Args[0]].object]; !ok || p.objects[from.object] != o || to != nil && !to.why {
				continue
			}
			n, _ := p.number(d.Args[2])
			next := from.offset
			fill := func(end uint64) {
				for ; next < end; next++ {
					o.cells[next] = shape{1, ir.IntType(8)}
					added = true
				}
			}
			for _, off := range o.offsets() {
				if off >= from.offset && off < from.offset+n {
					fill(off)
					next = off + o.cells[off].size
				}
			}
			fill(from.offset + n)
		}
	}
	return added
}

// fills says whether a cell that is filled with a byte has a value for it.
func (p *promoter) fills(d *ir.Def, c shape) bool {
	n, known := p.number(d.Args[1])
	return known && (n == 0 || c.t.Kind == ir.Int && c.t.Bits <= 64)
}

// share gives o the cells of another object in a range that is copied; false if that cannot be.
func (o *object) share(other *object, to, from, n uint64, changed *bool) bool {
	for off, c := range other.cells {
		switch {
		case off+c.size <= from || off >= from+n:
		case off < from || off+c.size > from+n:
			return false
		default:
			old, ok := o.cells[off-from+to]
			if ok && old != c {
				return false
			}
			if !ok {
				o.cells[off-from+to] = c
				*changed = true
			}
		}
	}
	return true
}

// whole says whether a copy of a range between an object and one that stays has only whole cells.
func (o *object) whole(at, n uint64) bool {
	for off, c := range o.cells {
		if off < at+n && at < off+c.size && (off < at || off+c.size > at+n) {
			return false
		}
	}
	return n <= maxCopy
}

// maxCopy bounds what is copied between an object and one that stays.
const maxCopy = 256

func (o *object) offsets() []uint64 {
	out := make([]uint64, 0, len(o.cells))
	for off := range o.cells {
		out = append(out, off)
	}
	slices.SortFunc(out, cmp.Compare)
	return out
}
