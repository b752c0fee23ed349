package graph

import (
	"math/big"
	"slices"

	"assay/internal/evidence/symgraph"
	"assay/internal/program/ir"
)

// offset is the offset of a pointer as a number: the unsigned one where that is
// an offset into an object, that is, up to the size of the address space.
func (c *checkerState) offset(p value) number { return c.view(p.n, c.m.PointerBits, false) }

// signedOffset is the same for comparisons.
func (c *checkerState) inside(o *object, at, n number) string {
	return all([]string{atMost(small0, at), atMost(c.add(at, n), o.size)})
}

// access says where an access of n bytes hits; inside is false if it may be
// invalid, which a target excludes.
func (c *checkerState) access(s *state, p value, n number, write bool) (o int, at number, inside bool) {
	invalid := func(why string) (int, number, bool) {
		if c.target[ir.InvalidDeref] {
			c.reject(s, "%s", why)
		}
		return -1, number{}, false
	}
	if p.kind != symgraph.Pointer || p.object < 0 {
		return invalid("an access through a pointer to no known object")
	}
	ob := &s.objects[p.object]
	if ob.dead || ob.kind == symgraph.Function || write && ob.global != nil && ob.global.Constant {
		return invalid("an access to an object that is dead, or must not be accessed so")
	}
	at = c.offset(p)
	if !c.valid(c.inside(ob, at, n)) {
		if c.failure == nil {
			invalid("an access may be outside of its object")
		}
		return int(p.object), at, false
	}
	return int(p.object), at, true
}

func bytes(t ir.Type) number { return num(new(big.Int).SetUint64(t.Size())) }

func (c *checkerState) read(s *state, o int, at number, t ir.Type) value {
	ob := &s.objects[o]
	if ob.pristine && at.isConst() && at.low.IsInt64() {
		if v, ok := c.image(s, ob, at.low.Int64(), t); ok {
			return v
		}
	}
	for i := range ob.cells {
		x := &ob.cells[i]
		if from, to, ok := zeros(x); ok && at.isConst() && from.Cmp(at.low) <= 0 && new(big.Int).Add(at.low, bytes(t).low).Cmp(to) <= 0 {
			switch {
			case t.Kind == ir.Ptr:
				return value{kind: symgraph.Pointer, object: symgraph.Null, n: small(0)}
			case t.Kind == ir.Int && t.Bits%8 == 0:
				return integerValue(small(0))
			}
		}
		if x.t != t {
			continue
		}
		if x.at.t == at.t {
			return x.v
		}
		if t.Kind != ir.Int && c.valid(same(x.at, at)) {
			return x.v
		}
	}
	if v, ok := c.joined(ob, at, t); ok {
		return v
	}
	v := c.arbitrary(t)
	if v.kind != symgraph.Int || t.Bits%8 != 0 {
		return v
	}
	if last, ok := literalEnd(ob); ok && t.Bits == 8 {
		c.define("(= (= " + at.t + " " + last.t + ") (= 0 " + c.view(v.n, 8, true).t + "))")
	}
	c.tabulated(ob, at, t, v)
	n := cell{at, t, v}
	for i := range ob.cells {
		c.same(&n, &ob.cells[i])
	}
	return v
}

// literalEnd is the offset of the last byte of a string that has the content that the program begins with, if
// that is the one byte that is 0: a byte of it, wherever it is, is 0 if and only if it is that one. Bytes that were
// written must be known to be what they were.
func literalEnd(ob *object) (last number, ok bool) {
	g := ob.global
	if g == nil || !ob.pristine || len(g.Relocs) > 0 || g.Size == 0 || uint64(len(g.Init)) != g.Size {
		return last, false
	}
	for i, b := range g.Init {
		if (b == 0) != (i == len(g.Init)-1) {
			return last, false
		}
	}
	for _, w := range ob.written {
		if w.n != 1 || w.at < 0 || w.at >= int64(len(g.Init)) || !slices.ContainsFunc(ob.cells, func(x cell) bool {
			return x.t == ir.IntType(8) && x.at.isConst() && x.at.low.IsInt64() && x.at.low.Int64() == w.at && x.v.kind == symgraph.Int && x.v.truth == "" &&
				x.v.n.isConst() && new(big.Int).And(x.v.n.low, big.NewInt(255)).Int64() == int64(g.Init[w.at])
		}) {
			return last, false
		}
	}
	return small(int64(len(g.Init) - 1)), true
}

// joined is an integer whose bytes are in other cells: a part of one, or several
// that follow one another (little-endian, as all of assay).
func (c *checkerState) joined(ob *object, at number, t ir.Type) (value, bool) {
	if t.Kind != ir.Int || t.Bits%8 != 0 || !at.isConst() || !at.low.IsInt64() {
		return value{}, false
	}
	// The cell with a byte, and which of its bytes that is.
	find := func(byteAt int64) (x *cell, k int64) {
		for i := range ob.cells {
			x := &ob.cells[i]
			if x.t.Kind == ir.Int && x.t.Bits%8 == 0 && x.t.Bits <= 64 && x.v.kind == symgraph.Int && x.at.isConst() && x.at.low.IsInt64() {
				if k := byteAt - x.at.low.Int64(); k >= 0 && k < int64(x.t.Size()) {
					return x, k
				}
			}
		}
		return nil, 0
	}
	n, from := int64(t.Size()), at.low.Int64()
	sum := small0
	for done := int64(0); done < n; {
		x, k := find(from + done)
		if x == nil || x.v.truth != "" {
			return value{}, false
		}
		width := int64(x.t.Size())
		word := c.view(x.v.n, x.t.Bits, false)
		if k > 0 {
			word, _ = c.quotient(word, num(pow(uint32(8*k))))
		}
		count := min(width-k, n-done)
		if count < width-k {
			_, word = c.quotient(word, num(pow(uint32(8*count))))
		}
		sum = c.add(sum, c.scale(word, pow(uint32(8*done))))
		done += count
	}
	return integerValue(c.short(sum)), true
}

// zeros says whether all bytes of a cell are 0, and where they are.
func zeros(x *cell) (from, to *big.Int, ok bool) {
	if x.t.Kind != ir.Int || x.t.Bits%8 != 0 || x.v.kind != symgraph.Int || x.v.truth != "" || !x.v.n.isConst() || x.v.n.low.Sign() != 0 || !x.at.isConst() {
		return nil, nil, false
	}
	return x.at.low, new(big.Int).Add(x.at.low, bytes(x.t).low), true
}

// zeroCells are cells for a range that is 0, none if it is empty or too long to be
// of use.
func zeroCells(from, to *big.Int) []cell {
	n := new(big.Int).Sub(to, from)
	if n.Sign() <= 0 || n.Cmp(big.NewInt(1<<16)) > 0 {
		return nil
	}
	return []cell{{num(from), ir.IntType(uint32(8 * n.Int64())), integerValue(small(0))}}
}

// image reads the initial content of a global, where it is still there.
func (c *checkerState) image(s *state, ob *object, at int64, t ir.Type) (value, bool) {
	n := int64(t.Size())
	for _, w := range ob.written {
		if at < w.at+w.n && w.at < at+n {
			return value{}, false
		}
	}
	g := ob.global
	if at < 0 || uint64(at)+uint64(n) > g.Size {
		return value{}, false
	}
	word := int64(c.m.PointerBits / 8)
	for _, r := range g.Relocs {
		from := int64(r.Offset)
		if from == at && t.Kind == ir.Ptr {
			addend := number{}
			addend = small(r.Addend)
			if r.Target == "" {
				return value{kind: symgraph.Pointer, object: symgraph.Null, n: addend}, true
			}
			for i := range s.objects {
				if s.objects[i].name == r.Target && s.objects[i].kind >= symgraph.Global {
					return value{kind: symgraph.Pointer, object: int32(i), n: addend}, true
				}
			}
			return value{}, false
		}
		if from < at+n && at < from+word {
			return value{}, false
		}
	}
	if t.Kind == ir.Float || t.Kind == ir.Int && t.Bits%8 != 0 {
		return value{}, false
	}
	x := new(big.Int)
	for i := n - 1; i >= 0 && g.Init != nil; i-- {
		x.Lsh(x, 8)
		x.Or(x, big.NewInt(int64(g.Init[at+i])))
	}
	if t.Kind == ir.Ptr {
		if x.Sign() != 0 {
			return value{}, false
		}
		return value{kind: symgraph.Pointer, object: symgraph.Null, n: small(0)}, true
	}
	return integerValue(num(x)), true
}

// clear drops what is known of n bytes.
func (c *checkerState) clear(s *state, ob *object, at, n number) {
	if ob.slots != nil && !c.spared(ob, at, n) {
		c.spill(s, ob)
	}
	if ob.strings != nil && !c.sparesStrings(ob.strings, at, n) {
		ob.strings = nil
	}
	if ob.pristine {
		if at.isConst() && n.isConst() && at.low.IsInt64() && n.low.IsInt64() {
			ob.written = append(ob.written[:len(ob.written):len(ob.written)], span{at.low.Int64(), n.low.Int64()})
		} else {
			ob.pristine = false
		}
	}
	var kept []cell
	for _, x := range ob.cells {
		if x.at.isConst() && at.isConst() && n.isConst() {
			end, from := new(big.Int).Add(at.low, n.low), x.at.low
			if new(big.Int).Add(from, bytes(x.t).low).Cmp(at.low) <= 0 || end.Cmp(from) <= 0 {
				kept = append(kept, x)
			} else if first, last, ok := zeros(&x); ok {
				kept = append(kept, zeroCells(first, at.low)...)
				kept = append(kept, zeroCells(end, last)...)
			}
			continue
		}
		if x.at.t != at.t && c.valid(not(all([]string{below(at, c.add(x.at, bytes(x.t))), below(x.at, c.add(at, n))}))) {
			kept = append(kept, x)
		}
	}
	ob.cells = kept
}

// perhaps is a write that may happen anywhere p may point to.
func (c *checkerState) perhaps(s *state, p value) {
	if s.entry != 0 && (p.kind != symgraph.Pointer || p.object < 0) {
		c.reject(s, "a write through an unknown pointer may change what is hidden")
		return
	}
	for i := range s.objects {
		o := &s.objects[i]
		if (o.list != nil || o.slots != nil) && (p.kind != symgraph.Pointer || p.object < 0) {
			c.reject(s, "a write through an unknown pointer may change a list")
			return
		}
		if p.kind == symgraph.Pointer && p.object != int32(i) && p.object >= 0 || o.global != nil && o.global.Constant {
			continue
		}
		c.spill(s, o)
		o.cells, o.pristine = nil, false
	}
}

// nothing says that a pointer is an address of the first page, where no object is. Another
// number may be the address of any.
func (c *checkerState) nothing(p value) bool {
	return p.kind == symgraph.Pointer && p.object == symgraph.Null && p.n.isConst() && p.n.low.Sign() >= 0 && p.n.low.Cmp(big.NewInt(4096)) < 0
}

// pointersEqual compares addresses.
func (c *checkerState) pointersEqual(s *state, p, q value) string {
	if p.kind == symgraph.Pointer && q.kind == symgraph.Pointer {
		if p.object == q.object && p.object != symgraph.Token {
			return c.equal(p.n, q.n, c.m.PointerBits)
		}
		zero := func(p value) bool { return p.object == symgraph.Null && p.n.isConst() && p.n.low.Sign() == 0 }
		// strict: on a byte of a live object, or at the start of one.
		strict := func(p value) bool {
			if p.object < 0 || s.objects[p.object].dead {
				return false
			}
			at := c.offset(p)
			return c.valid(not(all([]string{not(same(small0, at)), atMost(s.objects[p.object].size, at)})))
		}
		if zero(p) && strict(q) || zero(q) && strict(p) || p.object >= 0 && q.object >= 0 && strict(p) && strict(q) {
			return "false"
		}
	}
	return c.toss()
}

func (c *checkerState) pointersOrdered(s *state, d *ir.Def) string {
	p, q := c.operand(s, d.Args[0]), c.operand(s, d.Args[1])
	if p.kind == symgraph.Pointer && q.kind == symgraph.Pointer && p.object == q.object && p.object >= 0 {
		a, b, n := c.offset(p), c.offset(q), s.objects[p.object].size
		if c.valid(all([]string{atMost(small0, a), atMost(a, n), atMost(small0, b), atMost(b, n)})) {
			if d.Op == ir.ULt {
				return below(a, b)
			}
			return atMost(a, b)
		}
	}
	return c.toss()
}

func (c *checkerState) toss() string {
	n := c.name("c")
	c.say("(declare-const %s Bool)\n", n)
	return n
}
