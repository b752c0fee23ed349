package symex

// Access to memory [AProVE-Ptr §2.2].
//
// An access that is not known to be inside of its object leads to ERR: it is
// suspect. If validity is asked for, the path goes on where it is inside. If not,
// it goes on with both: a read yields any value, a write may or may not happen
// (docs/soundness.md, U4 and U5).

import (
	"bytes"
	"slices"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

func (x *explorer) pointerBits() uint32 { return x.m.PointerBits }

// offset is a pointer's offset as an integer near the object.
func (x *explorer) offset(p value) linear.Form {
	if g, ok := x.fits(p.Form, x.pointerBits(), false); ok {
		return g
	}
	if g, ok := x.fits(p.Form, x.pointerBits(), true); ok {
		return g
	}
	return p.Form
}

// access looks an access of n bytes up. If inside, it hits object o from off. If
// not, nothing is known of what it does.
func (x *explorer) access(s *state, f *frame, v ir.Value, d *ir.Def, p value, n linear.Form, write bool) (o int32, off linear.Form, inside bool) {
	verb := "read"
	if write {
		verb = "write"
	}
	bad := func(text string) (int32, linear.Form, bool) {
		x.suspect(f, v, d, ir.InvalidDeref, "invalid "+verb+": "+text)
		return symgraph.Null, linear.Form{}, false
	}
	if p.Kind != symgraph.Pointer {
		return bad("nothing is known of the pointer")
	}
	if p.Object < 0 {
		return bad("the pointer is null or points to nothing")
	}
	ob := &s.Objects[p.Object]
	switch {
	case ob.Dead:
		return bad("the object is not alive any more")
	case ob.Kind == symgraph.Function:
		return bad("of a function")
	case write && ob.Global != nil && ob.Global.Constant:
		return bad("of a constant object")
	}
	off = x.offset(p)
	zero := linear.Number{}
	if x.k.atLeast(off, zero) && x.k.atLeast(ob.Size.Sub(off).Sub(n), zero) {
		return p.Object, off, true
	}
	x.suspect(f, v, d, ir.InvalidDeref, "the "+verb+" may be outside of its object")
	if x.target[ir.InvalidDeref] {
		// Only where it is inside the path goes on.
		if !x.k.assert(linear.Constraint{Form: off}) || !x.k.assert(linear.Constraint{Form: ob.Size.Sub(off).Sub(n)}) {
			return symgraph.Null, off, false
		}
		return p.Object, off, true
	}
	return p.Object, off, false
}

func size(t ir.Type) linear.Form { return linear.Constant(number(t.Size())) }

func (x *explorer) load(s *state, f *frame, v ir.Value, d *ir.Def) control {
	p := x.operand(s, f, d.Args[0])
	o, off, inside := x.access(s, f, v, d, p, size(d.Type), false)
	signed := x.prepare(f.Func).signed[v]
	if !inside {
		if x.target[ir.InvalidDeref] {
			return stop
		}
		f.Values[v] = x.arbitrary(d.Type, signed)
		return next
	}
	if !x.takeOut(s, o, off, d.Type) || !x.takeString(s, o, off, d.Type) {
		return forked
	}
	if r, ok := x.read(s, o, off, d.Type); ok {
		f.Values[v] = r
		return next
	}
	if last, ok := literalEnd(&s.Objects[o]); ok && d.Type == ir.IntType(8) {
		ends, ok := x.decideZero(off.Sub(last))
		switch {
		case !ok:
			return forked
		case ends:
			f.Values[v] = constant(0)
		default:
			r := x.arbitrary(d.Type, signed)
			if !x.k.assertNonzero(r.Form) {
				return stop
			}
			f.Values[v] = r
		}
		return next
	}
	if r, known, ok := x.lookUp(f, v, &s.Objects[o], off, d.Type); !ok {
		return forked
	} else if known {
		f.Values[v] = r
		return next
	}
	if x.within(&s.Objects[o], off, d.Type) {
		x.again, x.stopped = true, true
		return stop
	}
	r := x.arbitrary(d.Type, signed)
	f.Values[v] = r
	if r.Kind == symgraph.Int && !s.Objects[o].Pristine && d.Type.Bits%8 == 0 {
		s.Objects[o].Cells = append(slices.Clip(s.Objects[o].Cells), cell{Offset: off, Type: d.Type, Value: r})
		x.saturate(s, r.Form, off)
	}
	return next
}

// literalEnd is the offset of the last byte of a string that has the content that the program begins with,
// written again or not, if that is the one byte that is 0.
func literalEnd(ob *object) (last linear.Form, ok bool) {
	g := ob.Global
	if g == nil || !ob.Pristine || len(g.Relocs) > 0 || bytes.IndexByte(g.Init, 0) != len(g.Init)-1 || uint64(len(g.Init)) != g.Size {
		return last, false
	}
	for _, c := range ob.Cells {
		at, small := c.Offset.Const.Int64()
		if !small || at < 0 || at >= int64(len(g.Init)) || !c.Offset.IsConstant() || c.Type != ir.IntType(8) || c.Value.Kind != symgraph.Int || !c.Value.Form.IsConstant() {
			return last, false
		}
		if v, small := c.Value.Form.Const.Int64(); !small || byte(v) != g.Init[at] {
			return last, false
		}
	}
	return linear.Constant(linear.Int(int64(len(g.Init) - 1))), true
}

// read is what is known of a range.
func (x *explorer) read(s *state, o int32, off linear.Form, t ir.Type) (value, bool) {
	ob := &s.Objects[o]
	overlaps := false
	for i := range ob.Cells {
		c := &ob.Cells[i]
		if c.Type == t && x.k.isZero(c.Offset.Sub(off)) {
			return c.Value, true
		}
		if from, to, ok := zeros(c); ok && off.IsConstant() && from.Cmp(off.Const) <= 0 && off.Const.Add(number(t.Size())).Cmp(to) <= 0 {
			switch {
			case t.Kind == ir.Ptr:
				return pointer(symgraph.Null, linear.Form{}), true
			case t.Kind == ir.Int && t.Bits%8 == 0:
				return constant(0), true
			}
		}
		if ob.Pristine && !x.apart(c.Offset, size(c.Type), off, size(t)) {
			overlaps = true
		}
	}
	if at, small := off.Const.Int64(); ob.Pristine && !overlaps && off.IsConstant() && small {
		return x.image(s, ob.Global, uint64(at), t)
	}
	return x.parts(ob, off, t)
}

// place is an offset of heap objects of a size.
type place struct{ size, at int64 }

// word is the place of a number of 64 bits in a heap object.
func (x *explorer) word(ob *object, off linear.Form, t ir.Type) (place, bool) {
	n, small := ob.Size.Const.Int64()
	at, near := off.Const.Int64()
	return place{n, at}, ob.Kind == symgraph.Heap && ob.Size.IsConstant() && small && off.IsConstant() && near && t.Kind == ir.Int && t.Bits == 64
}

// within says whether one of the halves of a number of 64 bits is read, and notes that
// the number should have been written in halves: a struct may be copied so.
func (x *explorer) within(ob *object, off linear.Form, t ir.Type) bool {
	for i := range ob.Cells {
		c := &ob.Cells[i]
		at, ok := x.word(ob, c.Offset, c.Type)
		if n, small := off.Const.Int64(); ok && small && off.IsConstant() && t.Kind == ir.Int && t.Bits == 32 && (n == at.at || n == at.at+4) && !x.narrow[at] {
			x.narrow[at] = true
			return true
		}
	}
	return false
}

// parts is an integer of which the bytes are those of cells, one after the other: of
// a struct that is passed in a register.
func (x *explorer) parts(ob *object, off linear.Form, t ir.Type) (value, bool) {
	if t.Kind != ir.Int || t.Bits%8 != 0 || t.Bits > 64 || !off.IsConstant() || len(ob.Cells) < 2 {
		return value{}, false
	}
	var f linear.Form
	for at := uint32(0); at < t.Bits; {
		k := slices.IndexFunc(ob.Cells, func(c cell) bool {
			return c.Type.Kind == ir.Int && c.Type.Bits%8 == 0 && at+c.Type.Bits <= t.Bits && c.Value.Kind == symgraph.Int &&
				c.Offset.IsConstant() && c.Offset.Const.Equal(off.Const.Add(linear.Int(int64(at/8))))
		})
		if k < 0 {
			return value{}, false
		}
		c := &ob.Cells[k]
		g, ok := x.fits(c.Value.Form, c.Type.Bits, false)
		if !ok {
			return value{}, false
		}
		f = f.AddScaled(two(at), g)
		at += c.Type.Bits
	}
	return integer(f), true
}

// zeros says whether all bytes of a cell are 0, and where they are.
func zeros(c *cell) (from, to linear.Number, ok bool) {
	if c.Type.Kind != ir.Int || c.Type.Bits%8 != 0 || c.Value.Kind != symgraph.Int || !c.Offset.IsConstant() || !c.Value.Form.Equal(linear.Form{}) {
		return from, to, false
	}
	return c.Offset.Const, c.Offset.Const.Add(number(c.Type.Size())), true
}

// maxZeros bounds the bytes of a cell that was set to 0.
const maxZeros = 1 << 13

// zeroCells are cells for a range that is 0, none if it is empty.
func zeroCells(from, to linear.Number) []cell {
	n, _ := to.Sub(from).Int64()
	if n <= 0 {
		return nil
	}
	return []cell{{Offset: linear.Constant(from), Type: ir.IntType(uint32(8 * n)), Value: constant(0)}}
}

// cleared are cells for n bytes from off that are 0, where n > 0: all of them if they are few, else the last one,
// which ends a text in a block that was cleared.
func cleared(off, n linear.Form) []cell {
	if off.IsConstant() && n.IsConstant() && n.Const.Cmp(linear.Int(maxZeros)) <= 0 {
		return zeroCells(off.Const, off.Const.Add(n.Const))
	}
	return []cell{{Offset: off.Add(n).Sub(linear.Constant(linear.Int(1))), Type: ir.IntType(8), Value: constant(0)}}
}

// image reads the initial content of a global.
func (x *explorer) image(s *state, g *ir.Global, at uint64, t ir.Type) (value, bool) {
	n := t.Size()
	for _, r := range g.Relocs {
		if r.Offset == at && t.Kind == ir.Ptr {
			kind := symgraph.Global
			if x.index.Funcs[r.Target] != nil {
				kind = symgraph.Function
			}
			if r.Target == "" {
				return pointer(symgraph.Null, linear.Constant(linear.Int(r.Addend))), true
			}
			return pointer(symbolObject(s, kind, r.Target), linear.Constant(linear.Int(r.Addend))), true
		}
		if r.Offset < at+n && at < r.Offset+uint64(x.pointerBits()/8) {
			return value{}, false
		}
	}
	if t.Kind == ir.Float || n > 8 || t.Kind == ir.Int && t.Bits%8 != 0 {
		return value{}, false
	}
	var bits uint64
	if g.Init != nil {
		for i := range n {
			bits |= uint64(g.Init[at+i]) << (8 * i)
		}
	}
	if t.Kind == ir.Ptr {
		if bits != 0 {
			return value{}, false
		}
		return pointer(symgraph.Null, linear.Form{}), true
	}
	shift := 64 - 8*n
	return constant(int64(bits<<shift) >> shift), true
}

// Limits of an initialiser that is copied: its bytes, and the cells that are made of them.
const maxInitial, maxInitialCells = 512, 64

// initialCells are cells at to for n bytes from off of a global that are still what the program begins with: its
// pointers, runs of zeros, and numbers as wide as the layout says.
func (x *explorer) initialCells(s *state, o int32, off, to, n linear.Form) (cells []cell) {
	ob := &s.Objects[o]
	from, small := off.Const.Int64()
	count, few := n.Const.Int64()
	if !ob.Pristine || ob.Global == nil || !off.IsConstant() || !n.IsConstant() || !small || !few || count > maxInitial {
		return nil
	}
	width := int64(1)
	if c := ob.Global.Layout.Cell; c == 2 || c == 4 || c == 8 {
		width = int64(c)
	}
	word := int64(x.pointerBits() / 8)
	zeros := int64(-1) // where a run begins, -1 if there is none
	add := func(at int64, t ir.Type, v value) {
		cells = append(cells, cell{Offset: to.Plus(linear.Int(at - from)), Type: t, Value: v})
	}
	end := func(at int64) {
		if zeros >= 0 {
			add(zeros, ir.IntType(uint32(8*(at-zeros))), constant(0))
			zeros = -1
		}
	}
	known := func(at int64, t ir.Type) (value, bool) {
		for i := range ob.Cells {
			if c := &ob.Cells[i]; !x.apart(c.Offset, size(c.Type), linear.Constant(linear.Int(at)), size(t)) {
				return value{}, false
			}
		}
		return x.image(s, ob.Global, uint64(at), t)
	}
	for at := from; at < from+count && len(cells) < maxInitialCells; {
		step := min(width, from+count-at)
		if at%width != 0 || step < width {
			step = 1
		}
		v, ok := known(at, ir.IntType(uint32(8*step)))
		if ok && v.Form.Equal(linear.Form{}) {
			if zeros < 0 {
				zeros = at
			}
			at += step
			continue
		}
		end(at)
		if ok {
			add(at, ir.IntType(uint32(8*step)), v)
		} else if at+word <= from+count {
			if p, ok := known(at, x.m.PtrType()); ok {
				add(at, x.m.PtrType(), p)
				step = word
			}
		}
		at += step
	}
	if len(cells) < maxInitialCells {
		end(from + count)
	}
	return cells
}

// apart says whether two ranges are sure not to overlap.
func (x *explorer) apart(a, m, b, n linear.Form) bool {
	d := b.Sub(a)
	return x.k.atLeast(d.Sub(m), linear.Number{}) || x.k.atLeast(d.Neg().Sub(n), linear.Number{}) || len(x.arrays) > 0 && x.elsewhere(d, m, n)
}

// forget drops what is known of n bytes from off.
func (x *explorer) forget(s *state, o int32, off, n linear.Form, exact bool) {
	ob := &s.Objects[o]
	if ob.Slots != nil && !x.spared(ob.Slots, off, n) {
		x.spill(s, ob)
	}
	if ob.Strings != nil && !x.sparesStrings(ob.Strings, off, n) {
		ob.Strings = nil
	}
	if !exact || !off.IsConstant() || !n.IsConstant() {
		ob.Pristine = false
	}
	kept := make([]cell, 0, len(ob.Cells)+1)
	for _, c := range ob.Cells {
		if x.apart(c.Offset, size(c.Type), off, n) {
			kept = append(kept, c)
			continue
		}
		if from, to, ok := zeros(&c); ok && off.IsConstant() && n.IsConstant() {
			kept = append(kept, zeroCells(from, off.Const)...)
			kept = append(kept, zeroCells(off.Const.Add(n.Const), to)...)
		}
		if !x.k.isZero(c.Offset.Sub(off)) || !size(c.Type).Equal(n) {
			ob.Pristine = false
		}
	}
	ob.Cells = kept
}

// zerosUnder are the cells of an object that stay 0 when 0 is stored: the end of a string, where it
// is not known whether the store at an offset is elsewhere.
func (x *explorer) zerosUnder(ob *object, off linear.Form, r value, t ir.Type) (kept []cell) {
	if r.Kind != symgraph.Int || t.Kind != ir.Int || t.Bits != 8 || !r.Form.Equal(linear.Form{}) {
		return nil
	}
	if last, ok := literalEnd(ob); ok && !off.IsConstant() { // nothing else is left of what was there
		kept = append(kept, cell{Offset: last, Type: t, Value: constant(0)})
	}
	for _, c := range ob.Cells {
		if c.Type == t && c.Value.Kind == symgraph.Int && c.Value.Form.Equal(linear.Form{}) {
			kept = append(kept, c)
		}
	}
	return kept
}

// keepZeros gives an object its cells back that were not changed.
func (x *explorer) keepZeros(ob *object, kept []cell) {
	for _, c := range kept {
		if !slices.ContainsFunc(ob.Cells, func(d cell) bool { return d.Type == c.Type && d.Offset.Equal(c.Offset) }) {
			ob.Cells = append(slices.Clip(ob.Cells), c)
		}
	}
}

// forgetAll drops all that a write through an unknown pointer can change.
func (x *explorer) forgetAll(s *state) {
	if s.Entry != 0 && x.obstacle == nil {
		x.obstacle = &Obstacle{Text: "a recursive function writes through an unknown pointer"}
		return
	}
	for i := range s.Objects {
		if (s.Objects[i].List != nil || s.Objects[i].Slots != nil) && x.obstacle == nil {
			x.obstacle = &Obstacle{Text: "a write through an unknown pointer may change a list"}
			return
		}
		s.Objects[i].Strings = nil
		if g := s.Objects[i].Global; g == nil || !g.Constant {
			s.Objects[i].Cells, s.Objects[i].Pristine = nil, false
		}
	}
}

func (x *explorer) store(s *state, f *frame, v ir.Value, d *ir.Def) control {
	t := f.Func.Type(d.Args[0])
	r, p := x.operand(s, f, d.Args[0]), x.operand(s, f, d.Args[1])
	o, off, inside := x.access(s, f, v, d, p, size(t), true)
	if !inside {
		if x.target[ir.InvalidDeref] {
			return stop
		}
		x.weaken(s, p, size(t))
		return next
	}
	if x.discoverArray(s, o, off, r) {
		return stop
	}
	if !x.takeOut(s, o, off, t) || !x.takeString(s, o, off, t) {
		return forked
	}
	kept := x.zerosUnder(&s.Objects[o], off, r, t)
	x.forget(s, o, off, size(t), true)
	x.keepZeros(&s.Objects[o], kept)
	ob := &s.Objects[o]
	if r.Kind == symgraph.Any || t.Kind == ir.Int && t.Bits%8 != 0 {
		ob.Pristine = false
		return next
	}
	if at, ok := x.word(ob, off, t); ok && x.narrow[at] {
		low := x.lowBits(r.Form, t.Bits/2)
		high := r.Form.Sub(low).Scale(two(t.Bits / 2).Inv())
		half := ir.IntType(t.Bits / 2)
		ob.Cells = append(ob.Cells, cell{Offset: off, Type: half, Value: integer(low)},
			cell{Offset: off.Plus(linear.Int(int64(half.Size()))), Type: half, Value: integer(high)})
		return next
	}
	if t.Kind == ir.Int && !r.Form.IsConstant() {
		// The cell keeps a small form: a symbol where the value is a long sum.
		if g, ok := x.fits(r.Form, t.Bits, true); ok {
			r = integer(g)
		}
	}
	ob.Cells = append(ob.Cells, cell{Offset: off, Type: t, Value: r})
	return next
}

// weaken is a write that perhaps does not happen.
func (x *explorer) weaken(s *state, p value, n linear.Form) {
	if p.Kind != symgraph.Pointer {
		x.forgetAll(s)
		return
	}
	if p.Object >= 0 && !s.Objects[p.Object].Dead {
		x.spill(s, &s.Objects[p.Object])
		s.Objects[p.Object].Pristine = false
		s.Objects[p.Object].Cells = nil
	}
}

// saturate draws conclusions from what cells hold: if two have different values
// they are not in the same place [AProVE-Ptr Def. 2]. If there is news, only those pairs are looked at that have to do
// with it: with a symbol of it, or one that is equal to something with such a symbol.
func (x *explorer) saturate(s *state, news ...linear.Form) {
	var about map[linear.Var]bool
	if len(news) > 0 {
		about = x.concerned(news)
	}
	concerns := func(f linear.Form) bool {
		return about == nil || slices.ContainsFunc(f.Terms, func(t linear.Term) bool { return about[t.Var] })
	}
	for i := range s.Objects {
		cs := s.Objects[i].Cells
		if len(cs) > maxPairs {
			cs = cs[len(cs)-maxPairs:]
		}
		for j := range cs {
			for k := range j {
				a, b := &cs[j], &cs[k]
				if a.Type != b.Type || a.Value.Kind != symgraph.Int || b.Value.Kind != symgraph.Int {
					continue
				}
				d := a.Offset.Sub(b.Offset)
				if d.IsConstant() || !concerns(d) && !concerns(a.Value.Form) && !concerns(b.Value.Form) ||
					!x.different(a.Value.Form, b.Value.Form, a.Type.Bits) || x.k.nonzero(d) {
					continue
				}
				x.k.assertNonzero(d)
			}
		}
	}
}

// concerned are the symbols of forms, and those that equations relate to them, or that are in a form with them
// that is not 0: of c ≠ d and d = 0 the one says something of c once the other is known.
func (x *explorer) concerned(news []linear.Form) map[linear.Var]bool {
	about := map[linear.Var]bool{}
	add := func(f linear.Form) {
		for _, t := range f.Terms {
			about[t.Var] = true
		}
	}
	for _, f := range news {
		add(f)
	}
	for n := -1; n != len(about); {
		n = len(about)
		for _, c := range x.k.facts {
			if c.Equality && slices.ContainsFunc(c.Form.Terms, func(t linear.Term) bool { return about[t.Var] }) {
				add(c.Form)
			}
		}
		for _, f := range x.k.unequal {
			if slices.ContainsFunc(f.Terms, func(t linear.Term) bool { return about[t.Var] }) {
				add(f)
			}
		}
	}
	return about
}

const maxPairs = 12

// different says whether two integers of a width are sure to differ.
func (x *explorer) different(f, g linear.Form, bits uint32) bool {
	d := f.Sub(g)
	w := two(bits)
	return x.k.nonzero(d) && x.k.low(d).Cmp(w.Neg()) > 0 && x.k.high(d).Cmp(w) < 0
}
