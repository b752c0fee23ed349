package graph

import (
	"fmt"
	"math/big"
	"slices"

	"assay/internal/evidence/symgraph"
	"assay/internal/program/ir"
)

// This file has the instructions that have to do with memory, one function each.

// set gives an instruction its result, and goes on with the next one.
func (s *state) set(v ir.Value, x value) (done bool) {
	s.top().values[v] = x
	return s.next()
}

// next goes on with the next instruction.
func (s *state) next() (done bool) {
	s.top().index++
	return false
}

// truthValue is a truth value that a formula says.
func truthValue(formula string) value { return value{kind: symgraph.Int, truth: formula} }

// memory is step for instructions that have to do with memory.
func (c *checkerState) memory(s *state, v ir.Value, d *ir.Def) (done bool) {
	switch d.Op {
	case ir.Alloca, ir.Malloc:
		return s.set(v, c.allocate(s, d))
	case ir.Load:
		return c.executeLoad(s, v, d)
	case ir.Store:
		return c.executeStore(s, d)
	case ir.PtrAdd:
		p := c.operand(s, d.Args[0])
		if p.kind == symgraph.Pointer {
			p.n = c.add(p.n, c.number(s, d.Args[1]))
		}
		return s.set(v, p)
	case ir.PtrToInt:
		return s.set(v, c.address(s, d))
	case ir.IntToPtr:
		if p := (value{kind: symgraph.Pointer, object: symgraph.Null, n: c.number(s, d.Args[0])}); c.nothing(p) {
			return s.set(v, p)
		}
		return s.set(v, value{kind: symgraph.Any})
	case ir.Free:
		return c.free(s, d)
	case ir.MemSet, ir.Havoc, ir.MemCpy:
		return c.fill(s, d)
	case ir.LifetimeStart, ir.LifetimeEnd:
		return c.lifetime(s, d)
	case ir.StackSave:
		return s.set(v, value{kind: symgraph.Pointer, object: symgraph.Token, n: small(int64(len(s.objects)))})
	case ir.StackRestore:
		return c.stackRestore(s, d)
	case ir.ValidRange:
		return s.set(v, c.validRange(s, d))
	case ir.ObjectSize, ir.ObjectOffset, ir.IsHeapStart, ir.SameObject:
		return s.set(v, c.question(s, d))
	}
	c.reject(s, "the instruction %v is not modelled", d.Op)
	return true
}

// allocate makes an object.
func (c *checkerState) allocate(s *state, d *ir.Def) value {
	kind := symgraph.Stack
	if d.Op == ir.Malloc {
		kind = symgraph.Heap
	}
	n := c.view(c.number(s, d.Args[0]), c.m.PointerBits, false)
	s.objects = append(s.objects[:len(s.objects):len(s.objects)], object{kind: kind, frame: len(s.frames) - 1, size: n})
	return value{kind: symgraph.Pointer, object: int32(len(s.objects) - 1), n: small(0)}
}

func (c *checkerState) executeLoad(s *state, v ir.Value, d *ir.Def) (done bool) {
	o, at, inside := c.access(s, c.operand(s, d.Args[0]), bytes(d.Type), false)
	if c.failure != nil {
		return true
	}
	if !inside {
		return s.set(v, c.arbitrary(d.Type))
	}
	x := c.read(s, o, at, d.Type)
	if x.kind == symgraph.Int && d.Type.Bits%8 == 0 {
		// The content is fixed until it is written.
		ob := &s.objects[o]
		ob.cells = append(ob.cells[:len(ob.cells):len(ob.cells)], cell{at, d.Type, x})
	}
	return s.set(v, x)
}

// zerosUnder are the bytes of an object that are 0, and stay so when a byte that is 0 is stored
// at, wherever that is.
func zerosUnder(ob *object, at number, x value, t ir.Type) (kept []cell) {
	if t != ir.IntType(8) || x.kind != symgraph.Int || x.truth != "" || !x.n.isConst() || x.n.low.Sign() != 0 {
		return nil
	}
	if last, ok := literalEnd(ob); ok && !at.isConst() { // nothing else is left of what was there
		kept = append(kept, cell{last, t, integerValue(small(0))})
	}
	for _, y := range ob.cells {
		if y.t == t && y.v.kind == symgraph.Int && y.v.truth == "" && y.v.n.isConst() && y.v.n.low.Sign() == 0 {
			kept = append(kept, y)
		}
	}
	return kept
}

func (c *checkerState) executeStore(s *state, d *ir.Def) (done bool) {
	x, p := c.operand(s, d.Args[0]), c.operand(s, d.Args[1])
	t := s.top().f.Type(d.Args[0])
	o, at, inside := c.access(s, p, bytes(t), true)
	if c.failure != nil {
		return true
	}
	if !inside {
		c.perhaps(s, p)
		return s.next()
	}
	ob := &s.objects[o]
	kept := zerosUnder(ob, at, x, t)
	c.clear(s, ob, at, bytes(t))
	for _, y := range kept {
		if !slices.ContainsFunc(ob.cells, func(z cell) bool { return z.t == y.t && z.at.t == y.at.t }) {
			ob.cells = append(slices.Clip(ob.cells), y)
		}
	}
	if x.kind == symgraph.Int && x.truth != "" {
		x = integerValue(c.short(c.number(s, d.Args[0])))
	}
	if x.kind >= symgraph.Int && (t.Kind != ir.Int || t.Bits%8 == 0) {
		ob.cells = append(ob.cells[:len(ob.cells):len(ob.cells)], cell{at, t, x})
	}
	return s.next()
}

// address is a pointer as an integer: the base of its object, some number that stays the same, and
// the offset.
func (c *checkerState) address(s *state, d *ir.Def) value {
	p, word := c.operand(s, d.Args[0]), c.m.PointerBits
	if p.kind != symgraph.Pointer || p.object == symgraph.Token || d.Type.Bits > word {
		return c.arbitrary(d.Type)
	}
	if p.object < 0 {
		return integerValue(p.n)
	}
	ob := &s.objects[p.object]
	if ob.dead {
		return c.arbitrary(d.Type)
	}
	if !ob.based {
		_, most := bounds(word, false)
		ob.based, ob.base = true, c.unknown("b", one, most)
	}
	return integerValue(c.add(ob.base, p.n))
}

func (c *checkerState) free(s *state, d *ir.Def) (done bool) {
	p := c.operand(s, d.Args[0])
	if p.kind == symgraph.Pointer && p.object == symgraph.Null && p.n.isConst() && p.n.low.Sign() == 0 {
		return s.next()
	}
	if p.kind == symgraph.Pointer && p.object >= 0 {
		if ob := &s.objects[p.object]; ob.kind == symgraph.Heap && !ob.dead && c.valid("(= 0 "+c.offset(p).t+")") {
			c.spill(s, ob)
			ob.dead, ob.cells = true, nil
			return s.next()
		}
	}
	c.reject(s, "a free of what may not be the start of a live heap object")
	return true
}

// lifetime begins or ends that of a stack object.
func (c *checkerState) lifetime(s *state, d *ir.Def) (done bool) {
	p := c.operand(s, d.Args[0])
	if p.kind == symgraph.Pointer && p.object >= 0 && s.objects[p.object].kind != symgraph.Stack {
		return s.next()
	}
	if p.kind != symgraph.Pointer || p.object < 0 {
		c.reject(s, "the lifetime of an unknown object changes")
		return true
	}
	ob := &s.objects[p.object]
	if ob.frame == symgraph.NoFrame {
		return s.next()
	}
	c.spill(s, ob)
	ob.dead, ob.cells, ob.based = d.Op == ir.LifetimeEnd, nil, ob.based && d.Op == ir.LifetimeEnd
	return s.next()
}

// stackRestore ends the objects of the frame that were made since the token.
func (c *checkerState) stackRestore(s *state, d *ir.Def) (done bool) {
	p := c.operand(s, d.Args[0])
	from := 0 // of an unknown token, all objects of the frame may die
	if p.kind == symgraph.Pointer && p.object == symgraph.Token {
		from = int(p.n.low.Int64())
	}
	for i := from; i < len(s.objects); i++ {
		if ob := &s.objects[i]; ob.kind == symgraph.Stack && ob.frame == len(s.frames)-1 {
			c.spill(s, ob)
			ob.dead, ob.cells, ob.frame = true, nil, symgraph.NoFrame
		}
	}
	return s.next()
}

// validRange says whether a range is empty, or within a live object.
func (c *checkerState) validRange(s *state, d *ir.Def) value {
	p := c.operand(s, d.Args[0])
	if p.kind != symgraph.Pointer {
		return c.arbitrary(d.Type)
	}
	n := c.view(c.number(s, d.Args[1]), s.top().f.Type(d.Args[1]).Bits, false)
	empty := "(= " + n.t + " 0)"
	if c.nothing(p) {
		return truthValue(empty)
	}
	if p.object < 0 || s.objects[p.object].dead || s.objects[p.object].kind == symgraph.Function {
		return c.arbitrary(d.Type)
	}
	return truthValue("(or " + empty + " " + c.inside(&s.objects[p.object], c.offset(p), n) + ")")
}

// question is what an instruction asks about the object that a pointer points into.
func (c *checkerState) question(s *state, d *ir.Def) value {
	p := c.operand(s, d.Args[0])
	if d.Op == ir.ObjectSize && c.nothing(p) {
		return integerValue(small(0))
	}
	if p.kind != symgraph.Pointer || p.object < 0 {
		return c.arbitrary(d.Type)
	}
	ob := &s.objects[p.object]
	switch d.Op {
	case ir.ObjectSize:
		if ob.kind == symgraph.Function {
			return c.arbitrary(d.Type)
		}
		return integerValue(ob.size)
	case ir.ObjectOffset:
		return integerValue(p.n)
	case ir.IsHeapStart:
		switch {
		case ob.kind != symgraph.Heap:
			return truthValue("false")
		case ob.dead:
			return c.arbitrary(d.Type)
		}
		return truthValue("(= 0 " + c.offset(p).t + ")")
	case ir.SameObject:
		q := c.operand(s, d.Args[1])
		if q.kind != symgraph.Pointer || q.object < 0 {
			return c.arbitrary(d.Type)
		}
		if p.object == q.object {
			return truthValue("true")
		}
		return truthValue("false")
	}
	panic("graph: " + d.Op.String() + " asks nothing about an object")
}

// fill is MemSet, Havoc and MemCpy; it splits by whether the range is empty.
func (c *checkerState) fill(s *state, d *ir.Def) (done bool) {
	last := d.Args[len(d.Args)-1]
	n := c.view(c.number(s, last), s.top().f.Type(last).Bits, false)
	c.both(s, "(= 0 "+n.t+")", func(s *state, empty bool) {
		if !empty && !c.fillRange(s, d, n) {
			return
		}
		s.next()
		c.walk(s)
	})
	return true
}

// fillRange is fill of n bytes; ok is false if that is rejected.
func (c *checkerState) fillRange(s *state, d *ir.Def, n number) (ok bool) {
	p := c.operand(s, d.Args[0])
	var copied []cell
	if d.Op == ir.MemCpy {
		copied = c.copied(s, d, p, n)
	}
	o, at, inside := c.access(s, p, n, true)
	if c.failure != nil {
		return false
	}
	if !inside {
		c.perhaps(s, p)
		return true
	}
	ob := &s.objects[o]
	c.clear(s, ob, at, n)
	ob.cells = append(ob.cells[:len(ob.cells):len(ob.cells)], copied...)
	if b := c.number(s, d.Args[1]); d.Op == ir.MemSet && b.isConst() && b.low.Sign() == 0 {
		ob.cells = append(ob.cells, c.cleared(at, n)...)
	}
	return true
}

// cleared are cells for n bytes that are 0, where n > 0: all of them if they are few, else the last one.
func (c *checkerState) cleared(at, n number) []cell {
	if at.isConst() && n.isConst() {
		if cells := zeroCells(at.low, new(big.Int).Add(at.low, n.low)); cells != nil {
			return cells
		}
	}
	return []cell{{c.sub(c.add(at, n), small(1)), ir.IntType(8), integerValue(small(0))}}
}

// copied are the cells that a copy of n bytes to p takes over as a whole.
func (c *checkerState) copied(s *state, d *ir.Def, p value, n number) (cells []cell) {
	o, at, inside := c.access(s, c.operand(s, d.Args[1]), n, false)
	if !inside || p.kind != symgraph.Pointer {
		return nil
	}
	to := c.offset(p)
	for _, x := range s.objects[o].cells {
		k := c.sub(x.at, at)
		if c.valid(fmt.Sprintf("(and (<= 0 %s) (<= (+ %s %s) %s))", k.t, k.t, bytes(x.t).t, n.t)) {
			cells = append(cells, cell{c.add(to, k), x.t, x.v})
		}
	}
	return append(cells, c.initial(s, &s.objects[o], at, to, n)...)
}

// maxInitial bounds the bytes of an initialiser that a copy takes over.
const maxInitial = 512

// initial is what a copy to a place takes over of n bytes of a global that are still what the program begins
// with: pointers, zeros in one piece, and other bytes one by one.
func (c *checkerState) initial(s *state, ob *object, at, to, n number) (cells []cell) {
	if !ob.pristine || !at.isConst() || !n.isConst() || !at.low.IsInt64() || !n.low.IsInt64() || n.low.Int64() > maxInitial {
		return nil
	}
	first, end, word := at.low.Int64(), at.low.Int64()+n.low.Int64(), int64(c.m.PointerBits/8)
	there := func(k int64) number { return c.add(to, small(k-first)) }
	zeros := int64(0)
	flush := func(k int64) {
		if zeros > 0 {
			cells = append(cells, cell{there(k - zeros), ir.IntType(uint32(8 * zeros)), integerValue(small(0))})
		}
		zeros = 0
	}
	for k := first; k < end; k++ {
		b, ok := c.image(s, ob, k, ir.IntType(8))
		if ok && b.n.low.Sign() == 0 {
			zeros++
			continue
		}
		flush(k)
		if ok {
			cells = append(cells, cell{there(k), ir.IntType(8), b})
		} else if p, ok := c.image(s, ob, k, c.m.PtrType()); ok && k+word <= end {
			cells = append(cells, cell{there(k), c.m.PtrType(), p})
			k += word - 1
		}
	}
	flush(end)
	return cells
}
