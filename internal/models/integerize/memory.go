package integerize

// Loads, stores, and what else changes memory.

import (
	"assay/internal/logic/bv"
	"assay/internal/logic/linear"
	"assay/internal/models/absint"
	"assay/internal/program/ir"
)

// noFact is what is known where nothing is.
var noFact absint.Fact

// pointee is the cell that a pointer is known to point to, and whether the access is
// sure to be valid.
func (t *translation) pointee(fr *frame, access, p ir.Value, bits uint32) (c *cell, sure bool) {
	f, ok := t.fact(fr, p)
	if !ok {
		return nil, false
	}
	targets, ok := t.targets(f)
	if !ok || len(targets) != 1 {
		return nil, false
	}
	offset, fixed := f.Int().Value()
	o := t.objects[targets[0]]
	if !fixed || o == nil || o.blurred {
		return nil, false
	}
	c = t.cells[cellKey{o, offset}]
	if c == nil || !c.integer || c.bits != bits {
		return nil, false
	}
	return c, !t.mayViolate(fr, access, ir.InvalidDeref)
}

// content is the number in a cell.
func (t *translation) content(s *state, c *cell) number {
	if n, ok := s.cells[c]; ok {
		return n
	}
	var n number
	if t.places[s.from].start {
		n = t.initial(s, c)
	} else {
		n = t.variable(s, c.variable)
	}
	s.own()
	s.cells[c] = n
	return n
}

// initial is the content of a cell at the start of the program.
func (t *translation) initial(s *state, c *cell) number {
	g := c.object.key.Global
	if g == nil && t.o.Observed != nil && !c.object.key.Heap {
		return s.fresh(t.cellRange(c), false) // not read before it is born, or what it has then
	}
	if g == nil || g.External {
		return s.fresh(t.cellRange(c), g == nil)
	}
	if c.offset+c.size > g.Size {
		return s.fresh(t.cellRange(c), true)
	}
	for _, r := range g.Relocs {
		if r.Offset < c.offset+c.size && c.offset < r.Offset+uint64(t.m.PointerBits/8) {
			return s.fresh(t.cellRange(c), true)
		}
	}
	var x uint64
	if g.Init != nil {
		for i := range c.size {
			x |= uint64(g.Init[c.offset+i]) << (8 * i)
		}
	}
	b := bv.New(c.bits, x)
	if c.view() == unsigned {
		return constant(linear.FromBigInt(b.Unsigned()))
	}
	return constant(linear.FromBigInt(b.Signed()))
}

func (t *translation) cellRange(c *cell) interval {
	if t.o.Semantics == Integers {
		return interval{}
	}
	return limits(c.bits, c.view())
}

func (t *translation) load(s *state, fr *frame, v ir.Value, d *ir.Def) {
	if !fr.fn.tracked(v) {
		return
	}
	k := valueKey{frame: fr, value: v}
	if n, ok := t.known(fr, v); ok {
		s.values.set(k, n)
		return
	}
	c, sure := t.pointee(fr, v, d.Args[0], d.Type.Bits)
	if c == nil || !sure {
		s.values.set(k, t.unknown(s, fr, v, true))
		return
	}
	s.values.set(k, t.refine(s, fr, v, t.content(s, c)))
}

func (t *translation) store(s *state, fr *frame, v ir.Value, d *ir.Def) {
	ty := fr.fn.f.Type(d.Args[0])
	c, sure := t.pointee(fr, v, d.Args[1], ty.Bits)
	if c != nil && sure && ty.Kind == ir.Int {
		if !fr.fn.needed[d.Args[0]] {
			return
		}
		n := t.eval(s, fr, d.Args[0])
		s.own()
		s.cells[c] = n
		return
	}
	f, ok := t.fact(fr, d.Args[1])
	if c != nil {
		s.own()
		s.cells[c] = s.fresh(t.cellRange(c), true)
		return
	}
	t.clobber(s, f, ok, true)
}

// clobber makes the cells of the objects that a pointer may point into arbitrary; a bare
// address may point into any.
func (t *translation) clobber(s *state, p absint.Fact, known, inexact bool) {
	targets, ok := []absint.Object(nil), false
	if known {
		targets, ok = t.targets(p)
	}
	s.own()
	for _, c := range t.order {
		hit := !ok
		for _, o := range targets {
			hit = hit || o.Bare || t.objects[o] == c.object
		}
		if hit {
			s.cells[c] = s.fresh(t.cellRange(c), inexact)
		}
	}
}

// born gives the cells of a new object arbitrary content, a choice of the run.
func (t *translation) born(s *state, fr *frame, v ir.Value) {
	p := pick{frame: fr, value: v}
	s.own()
	for _, c := range t.order {
		if t.lasting(c.object) {
			continue
		}
		if k := c.object.key; fr.facts != nil && k.Context == fr.facts && k.Site == v && !k.Heap {
			n := s.fresh(t.cellRange(c), false)
			s.cells[c] = n
			p.parts = append(p.parts, part{c.offset, c.size, n.form})
		}
	}
	s.picks = append(s.picks, p)
}

// fill executes a MemSet.
func (t *translation) fill(s *state, fr *frame, v ir.Value, d *ir.Def) {
	f, ok := t.fact(fr, d.Args[0])
	if !ok {
		t.clobber(s, f, false, true)
		return
	}
	targets, ok := t.targets(f)
	offset, fixed := f.Int().Value()
	b := fr.fn.f.Def(d.Args[1])
	length, sized := t.fact(fr, d.Args[2])
	n, exact := length.Int().Value()
	if !ok || len(targets) != 1 || !fixed || !sized || !exact || b.Op != ir.Const || t.mayViolate(fr, v, ir.InvalidDeref) {
		t.clobber(s, f, true, true)
		return
	}
	s.own()
	for _, c := range t.order {
		if c.object.key != targets[0] || c.offset >= offset+n || offset >= c.offset+c.size {
			continue
		}
		if c.offset < offset || c.offset+c.size > offset+n {
			s.cells[c] = s.fresh(t.cellRange(c), true)
			continue
		}
		x := bv.New(c.bits, b.Const.Uint64()*0x0101010101010101)
		k := x.Signed()
		if c.view() == unsigned {
			k = x.Unsigned()
		}
		s.cells[c] = constant(linear.FromBigInt(k))
	}
}

// copyRange executes a MemCpy: cell by cell if source and destination are known.
func (t *translation) copyRange(s *state, fr *frame, v ir.Value, d *ir.Def) {
	f, ok1 := t.fact(fr, d.Args[0])
	g, ok2 := t.fact(fr, d.Args[1])
	length, ok3 := t.fact(fr, d.Args[2])
	if !ok1 || !ok2 || !ok3 {
		t.clobber(s, f, ok1, true)
		return
	}
	to, ok := t.targets(f)
	from, ok2 := t.targets(g)
	at, fixed1 := f.Int().Value()
	src, fixed2 := g.Int().Value()
	n, exact := length.Int().Value()
	if !ok || !ok2 || len(to) != 1 || len(from) != 1 || !fixed1 || !fixed2 || !exact || t.mayViolate(fr, v, ir.InvalidDeref) {
		t.clobber(s, f, true, true)
		return
	}
	values := map[*cell]number{}
	for _, c := range t.order {
		if c.object.key != to[0] || c.offset >= at+n || at >= c.offset+c.size {
			continue
		}
		var e *cell
		if c.offset >= at && c.offset+c.size <= at+n {
			if o := t.objects[from[0]]; o != nil && !o.blurred {
				e = t.cells[cellKey{o, c.offset - at + src}]
			}
		}
		if e != nil && e.integer && e.bits == c.bits {
			values[c] = t.content(s, e)
		} else {
			values[c] = s.fresh(t.cellRange(c), true)
		}
	}
	s.own()
	for c, n := range values {
		s.cells[c] = n
	}
}
