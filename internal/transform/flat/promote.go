package flat

import (
	"slices"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// This file turns objects of a function into values, cell by cell, where all that is done
// with their addresses is seen:
//
//	(M1) Every use of the address is an access at a constant offset inside of the object, of a
//	     cell of it: a range that all accesses that touch it have in common, with one type. Or it
//	     copies, fills or havocs whole cells, or begins or ends the life of the object, or asks
//	     about the address what is known. Else the object stays.
//	(M2) At every such use the object is alive, on all paths to it.
//	(M3) A cell begins with an arbitrary value where its object comes to life.
//	(M4) Heap objects of a constant size are kept, without content: whether they are freed once, and
//	     left, is still asked. Whether they are lost is not (package flat).
//
// So all accesses are valid, and no check is lost. Where paths meet, cells that are read later
// have a phi [BraunEtAl13].

type promoter struct {
	m       *ir.Module
	f       *ir.Func
	objects map[ir.Value]*object
	at      map[ir.Value]address // addresses in objects
	reached []bool

	same    map[ir.Value]ir.Value // what takes the place of a value
	gone    map[ir.Value]bool     // instructions that go
	ends    []map[cell]content    // by block
	starts  map[start]ir.Value
	phis    map[ir.BlockID][]ir.Value
	chosen  map[fresh]ir.Value
	after   map[ir.Value][]ir.Value // new instructions behind one
	stores  []store                 // new ones
	args    []arc                   // of the new phis
	outside map[ir.Type]ir.Value
}

// content is what a cell holds: a value, what it was at the start of the block (of another cell, if
// it was copied), or what was chosen by an instruction.
type content struct {
	value ir.Value
	from  *cell
	by    ir.Value
	cell  cell
}

type start struct {
	cell  cell
	block ir.BlockID
}

type fresh struct {
	by   ir.Value
	cell cell
}

type arc struct {
	phi, value ir.Value
}

// store is a new Store of what a cell holds.
type store struct {
	at ir.Value
	of content
	in ir.BlockID
}

// promote turns stack objects of f, a function of m that may be changed, into values; false if there are none.
// halves says that a copy to an object that stays became several writes: where the copy is invalid, some
// of them may not be.
func promote(m *ir.Module, f *ir.Func) (done, halves bool) {
	p := &promoter{
		m: m, f: f, objects: map[ir.Value]*object{}, at: map[ir.Value]address{}, reached: make([]bool, len(f.Blocks)),
		same: map[ir.Value]ir.Value{}, gone: map[ir.Value]bool{}, ends: make([]map[cell]content, len(f.Blocks)), starts: map[start]ir.Value{},
		phis: map[ir.BlockID][]ir.Value{}, chosen: map[fresh]ir.Value{}, after: map[ir.Value][]ir.Value{}, outside: map[ir.Type]ir.Value{},
	}
	for _, b := range ir.RPO(f) {
		p.reached[b] = true
	}
	p.find()
	p.partition()
	p.lives()
	for v, o := range p.objects {
		if o.why || o.heap && len(o.cells) == 0 {
			delete(p.objects, v)
		}
	}
	if len(p.objects) == 0 {
		return false, false
	}
	p.rewrite()
	return true, len(p.stores) > 0
}

// rewrite makes values of the objects that are left.
func (p *promoter) rewrite() {
	blocks := ir.RPO(p.f)
	for _, b := range blocks {
		p.block(b)
	}
	// What is read at the start of blocks; this makes more phis, but no more reads.
	for _, b := range blocks {
		p.reads(b)
	}
	for _, x := range p.stores {
		v := p.settle(x.of, x.in)
		p.f.Def(x.at).Args[0] = v
	}
	for _, a := range p.args {
		d := p.f.Def(a.phi)
		d.Args = append(d.Args, a.value)
	}
	p.drop()
	for v := range p.f.Values {
		d := &p.f.Values[v]
		for i, a := range d.Args {
			if w := p.resolve(a); w != a {
				d.Args = slices.Clone(d.Args)
				d.Args[i] = w
			}
		}
	}
	for b := range p.f.Blocks {
		var list []ir.Value
		for _, q := range p.phis[ir.BlockID(b)] {
			if _, other := p.same[q]; !other {
				list = append(list, q)
			}
		}
		for _, v := range p.f.Blocks[b].Instrs {
			if !p.gone[v] {
				list = append(list, v)
			}
			list = append(list, p.after[v]...)
		}
		p.f.Blocks[b].Instrs = list
	}
	for v, gone := range p.gone {
		if !gone {
			continue
		}
		p.f.Values[v] = ir.Def{Op: ir.Null, Type: p.m.PtrType()}
	}
	for v := range p.same {
		p.f.Values[v] = ir.Def{Op: ir.Null, Type: p.m.PtrType()}
	}
}

// within is the object that a value is an address in, if it becomes values.
func (p *promoter) within(v ir.Value) (address, *object) {
	a, ok := p.at[v]
	if !ok {
		return a, nil
	}
	return a, p.objects[a.object]
}

// block notes what cells hold at the end of a block, as far as it says that, and what takes the
// place of its reads.
func (p *promoter) block(b ir.BlockID) {
	now := map[cell]content{}
	p.ends[b] = now
	choose := func(v ir.Value, object ir.Value, at, n uint64) {
		o := p.objects[object]
		for off, c := range o.cells {
			if off >= at && off+c.size <= at+n {
				now[cell{object, off}] = content{by: v, cell: cell{object, off}}
			}
		}
	}
	for _, v := range p.f.Blocks[b].Instrs {
		d := p.f.Def(v)
		if d.Op == ir.Alloca || d.Op == ir.Malloc {
			if o := p.objects[v]; o != nil {
				choose(v, v, 0, o.size)
				p.gone[v] = !o.heap
			}
			continue
		}
		for i, x := range d.Args {
			a, o := p.within(x)
			if o == nil {
				continue
			}
			switch d.Op {
			case ir.PtrAdd, ir.Freeze, ir.Free, ir.IsHeapStart, ir.Dbg:
				p.gone[v] = !o.heap
			default:
				p.gone[v] = true
			}
			c := cell{a.object, a.offset}
			switch d.Op {
			case ir.Store:
				now[c] = content{value: d.Args[0]}
			case ir.LifetimeStart:
				choose(v, a.object, 0, o.size)
			case ir.Havoc:
				n, _ := p.number(d.Args[1])
				choose(v, a.object, a.offset, n)
			case ir.MemSet:
				n, _ := p.number(d.Args[2])
				for off, s := range o.cells {
					if off >= a.offset && off+s.size <= a.offset+n {
						now[cell{a.object, off}] = content{value: p.filled(d, s)}
					}
				}
			case ir.MemCpy:
				switch _, other := p.within(d.Args[1-i]); {
				case other == nil && i == 0:
					p.read(v, now)
				case other == nil:
					p.write(v, now)
				case i == 0:
					p.copied(d, now)
				}
			case ir.ObjectSize:
				p.same[v] = p.constant(d.Type, o.size)
			case ir.ObjectOffset:
				p.same[v] = p.constant(d.Type, a.offset)
			case ir.ValidRange, ir.Ne:
				p.same[v] = p.constant(d.Type, 1)
			case ir.Eq:
				p.same[v] = p.constant(d.Type, 0)
			case ir.Load:
				if x, ok := now[c]; ok && x.value != 0 {
					p.same[v] = x.value
				} else {
					// Settled when all blocks are known.
					if !ok {
						x = content{from: &c}
					}
					now[cell{-v, 0}] = x
				}
			}
		}
	}
}

// copied copies cells.
func (p *promoter) copied(d *ir.Def, now map[cell]content) {
	n, _ := p.number(d.Args[2])
	to, from := p.at[d.Args[0]], p.at[d.Args[1]]
	for off, s := range p.objects[from.object].cells {
		if off >= from.offset && off+s.size <= from.offset+n {
			source := cell{from.object, off}
			x, ok := now[source]
			if !ok {
				x = content{from: &source}
			}
			now[cell{to.object, off - from.offset + to.offset}] = x
		}
	}
}

// emit puts an instruction behind v.
func (p *promoter) emit(v ir.Value, d ir.Def) ir.Value {
	at := p.f.Def(v)
	d.Block, d.Pos = at.Block, at.Pos
	p.f.Values = append(p.f.Values, d)
	n := ir.Value(len(p.f.Values) - 1)
	p.after[v] = append(p.after[v], n)
	return n
}

// part is the address of an offset.
func (p *promoter) part(v, base ir.Value, offset uint64) ir.Value {
	if offset == 0 {
		return base
	}
	return p.emit(v, ir.Def{Op: ir.PtrAdd, Type: p.m.PtrType(), Args: []ir.Value{base, p.constant(p.m.WordType(), offset)}})
}

// read is a copy v from an object that stays: one access that is as valid, and the cells.
func (p *promoter) read(v ir.Value, now map[cell]content) {
	d := *p.f.Def(v)
	n, _ := p.number(d.Args[2])
	to := p.at[d.Args[0]]
	if n == 0 {
		return
	}
	global, begin := p.constants(d.Args[1], n)
	if global == nil {
		p.emit(v, ir.Def{Op: ir.Load, Type: ir.IntType(uint32(8 * n)), Args: []ir.Value{d.Args[1]}, Aux: 1})
	}
	o := p.objects[to.object]
	for _, off := range o.offsets() {
		s := o.cells[off]
		if off < to.offset || off+s.size > to.offset+n {
			continue
		}
		x := ir.Value(0)
		if global != nil {
			x = p.initial(global, begin+off-to.offset, s)
		}
		if x == 0 {
			x = p.emit(v, ir.Def{Op: ir.Load, Type: s.t, Args: []ir.Value{p.part(v, d.Args[1], off-to.offset)}, Aux: 1})
		}
		now[cell{to.object, off}] = content{value: x}
	}
}

// write is a copy v to an object that stays: what lies between the cells is arbitrary there.
func (p *promoter) write(v ir.Value, now map[cell]content) {
	d := *p.f.Def(v)
	n, _ := p.number(d.Args[2])
	from := p.at[d.Args[1]]
	p.emit(v, ir.Def{Op: ir.Havoc, Args: []ir.Value{d.Args[0], d.Args[2]}})
	o := p.objects[from.object]
	for _, off := range o.offsets() {
		s := o.cells[off]
		if off < from.offset || off+s.size > from.offset+n {
			continue
		}
		c := cell{from.object, off}
		x, ok := now[c]
		if !ok {
			x = content{from: &c}
		}
		at := p.part(v, d.Args[0], off-from.offset)
		p.stores = append(p.stores, store{p.emit(v, ir.Def{Op: ir.Store, Args: []ir.Value{0, at}, Aux: 1}), x, d.Block})
	}
}

// constants is the constant global that holds n bytes from an address on, and their offset; nil if there is none.
func (p *promoter) constants(v ir.Value, n uint64) (g *ir.Global, offset uint64) {
	d := p.f.Def(v)
	for d.Op == ir.PtrAdd {
		k, ok := p.number(d.Args[1])
		if !ok {
			return nil, 0
		}
		offset += k
		d = p.f.Def(d.Args[0])
	}
	if d.Op != ir.GlobalAddr {
		return nil, 0
	}
	g = p.m.Global(d.Sym)
	if g == nil || !g.Constant || g.External || offset > g.Size || n > g.Size-offset {
		return nil, 0
	}
	return g, offset
}

// initial is a cell of a constant global as a value; 0 if it is none.
func (p *promoter) initial(g *ir.Global, offset uint64, s shape) ir.Value {
	for _, r := range g.Relocs {
		if r.Offset < offset+s.size && offset < r.Offset+uint64(p.m.PointerBits/8) {
			return 0
		}
	}
	n := uint64(0)
	for i := range s.size {
		if g.Init != nil && g.Init[offset+i] != 0 {
			if i >= 8 || s.t.Kind == ir.Ptr {
				return 0
			}
			n |= uint64(g.Init[offset+i]) << (8 * i)
		}
	}
	return p.constant(s.t, n)
}

// reads settles the reads of a block that block left.
func (p *promoter) reads(b ir.BlockID) {
	for _, v := range p.f.Blocks[b].Instrs {
		if x, ok := p.ends[b][cell{-v, 0}]; ok {
			p.same[v] = p.settle(x, b)
		}
	}
}

// settle is the value of a content in a block.
func (p *promoter) settle(x content, b ir.BlockID) ir.Value {
	switch {
	case x.value != 0:
		return x.value
	case x.from != nil:
		return p.atStart(*x.from, b)
	}
	k := fresh{x.by, x.cell}
	v, ok := p.chosen[k]
	if !ok {
		d := p.f.Def(x.by)
		p.f.Values = append(p.f.Values, ir.Def{
			Op: ir.Nondet, Type: p.objects[x.cell.object].cells[x.cell.offset].t, Aux: int64(ir.NondetUninit), Block: d.Block, Pos: d.Pos,
		})
		v = ir.Value(len(p.f.Values) - 1)
		p.chosen[k] = v
		p.after[x.by] = append(p.after[x.by], v)
	}
	return v
}

func (p *promoter) atEnd(c cell, b ir.BlockID) ir.Value {
	if x, ok := p.ends[b][c]; ok {
		return p.settle(x, b)
	}
	return p.atStart(c, b)
}

// atStart is what a cell holds at the start of a block.
func (p *promoter) atStart(c cell, b ir.BlockID) ir.Value {
	k := start{c, b}
	if v, ok := p.starts[k]; ok {
		return v
	}
	t := p.objects[c.object].cells[c.offset].t
	preds := p.f.Blocks[b].Preds
	if len(preds) == 0 {
		return p.nothing(t) // of a path on which the object was not made: nothing reads it
	}
	p.f.Values = append(p.f.Values, ir.Def{Op: ir.Phi, Type: t, Block: b, Pos: p.f.Def(c.object).Pos})
	phi := ir.Value(len(p.f.Values) - 1)
	p.starts[k] = phi
	p.phis[b] = append(p.phis[b], phi)
	for _, q := range preds {
		v := p.nothing(t)
		if p.reached[q] {
			v = p.atEnd(c, q)
		}
		p.args = append(p.args, arc{phi, v})
	}
	return phi
}

// nothing is some value of a type.
func (p *promoter) nothing(t ir.Type) ir.Value {
	v, ok := p.outside[t]
	if !ok {
		v = p.constant(t, 0)
		p.outside[t] = v
	}
	return v
}

// constant is a number as a value of a type.
func (p *promoter) constant(t ir.Type, n uint64) ir.Value {
	d := ir.Def{Op: ir.Null, Type: t}
	if t.Kind != ir.Ptr {
		d = ir.Def{Op: ir.Const, Type: t, Const: bv.New(t.Bits, n)}
	}
	p.f.Values = append(p.f.Values, d)
	return ir.Value(len(p.f.Values) - 1)
}

// filled is a cell after a MemSet.
func (p *promoter) filled(d *ir.Def, s shape) ir.Value {
	n, _ := p.number(d.Args[1])
	if n != 0 {
		n *= 0x0101010101010101 >> (64 - s.t.Bits)
	}
	return p.constant(s.t, n)
}

// resolve is what takes the place of a value.
func (p *promoter) resolve(v ir.Value) ir.Value {
	for {
		w, ok := p.same[v]
		if !ok {
			return v
		}
		v = w
	}
}

// drop drops new phis whose arguments are all the same, or the phi itself.
func (p *promoter) drop() {
	for changed := true; changed; {
		changed = false
		for b := range p.f.Blocks {
			for _, q := range p.phis[ir.BlockID(b)] {
				if _, other := p.same[q]; other {
					continue
				}
				only, several := ir.Value(0), false
				for _, a := range p.f.Def(q).Args {
					if a = p.resolve(a); a == q || a == only {
						continue
					}
					several = several || only != 0
					only = a
				}
				if !several && only != 0 {
					p.same[q], changed = only, true
				}
			}
		}
	}
}
