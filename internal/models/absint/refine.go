package absint

// Refinement at branches.
//
// A condition that holds restricts the values it was computed from: first
// backwards through definitions, for in SSA form a value and its operands are always
// of the same round of a loop where the value can be used (of an operand that is not
// used any more nothing is known, see frame.known); then forwards through
// the instructions of the block again, which may have used what was restricted.
//
// A value that was loaded from a cell, or stored there, in the same visit of the
// block restricts the cell as well, if the cell has not been written since. Every
// write allocates its value, so the address of the value tells.

import (
	"assay/internal/logic/absdomain"
	"assay/internal/program/ir"
)

// undo is a value of the frame before it was restricted.
type undo struct {
	v    ir.Value
	val  Value
	bind binding
}

const maxDepth = 12 // of backward refinement

// undo takes restrictions back.
func (a *analysis) undo(c *callContext, mark int) {
	for i := len(a.trail) - 1; i >= mark; i-- {
		u := &a.trail[i]
		c.frame.vals[u.v], c.frame.bind[u.v] = u.val, u.bind
	}
	a.trail = a.trail[:mark]
}

// set restricts v to x.
func (a *analysis) set(c *callContext, v ir.Value, x Value, mem *store) {
	fr := c.frame
	a.trail = append(a.trail, undo{v, fr.vals[v], fr.bind[v]})
	fr.known = append(fr.known, v)
	fr.vals[v] = x
	if b := &fr.bind[v]; b.epoch == a.visit && mem.get(b.cell) == b.at {
		y := x
		*mem = mem.set(b.cell, &y)
		b.at = &y
	}
}

// assume restricts what is known by the truth value v being as given; block
// and i are where the run is. False if it cannot be.
func (a *analysis) assume(c *callContext, v ir.Value, truth bool, mem *store, block ir.BlockID, i int) bool {
	return a.restrict(c, v, absdomain.Bool(truth), mem, block, i)
}

// restrict restricts the integer v.
func (a *analysis) restrict(c *callContext, v ir.Value, want absdomain.Int, mem *store, block ir.BlockID, i int) bool {
	mark := len(a.trail)
	return a.refine(c, v, want, mem, 0) && a.forward(c, block, i, mark, mem)
}

// restrictPointer restricts the pointer v.
func (a *analysis) restrictPointer(c *callContext, v ir.Value, want *Value, mem *store, block ir.BlockID, i int) bool {
	mark := len(a.trail)
	return a.refinePointer(c, v, want, mem, 0) && a.forward(c, block, i, mark, mem)
}

// forward computes the instructions of the block before index i again whose
// operands were restricted since mark.
func (a *analysis) forward(c *callContext, block ir.BlockID, i, mark int, mem *store) bool {
	if len(a.trail) == mark {
		return true
	}
	fr, f := c.frame, c.fn.f
	for _, v := range f.Blocks[block].Instrs[:i] {
		d := &f.Values[v]
		if !(d.Op >= ir.Add && d.Op <= ir.Trunc || d.Op == ir.Select || d.Op == ir.Freeze || d.Op == ir.PtrAdd) || d.Type.Kind == ir.Float {
			continue
		}
		touched := false
		for _, x := range d.Args {
			for k := mark; k < len(a.trail) && !touched; k++ {
				touched = a.trail[k].v == x
			}
		}
		if !touched {
			continue
		}
		var x Value
		if d.Op == ir.PtrAdd {
			x = a.ptrAdd(&fr.vals[d.Args[0]], fr.vals[d.Args[1]].Int)
		} else {
			x = a.eval(c, d, *mem)
		}
		x = a.sets.meet(&fr.vals[v], &x)
		if x.isBottom() {
			return false
		}
		if x != fr.vals[v] {
			a.set(c, v, x, mem)
		}
	}
	return true
}

// refine restricts the integer v to want, and what it was computed from.
func (a *analysis) refine(c *callContext, v ir.Value, want absdomain.Int, mem *store, depth int) bool {
	fr := c.frame
	d := &c.fn.f.Values[v]
	cur := &fr.vals[v]
	if cur.Kind != ir.Int {
		return true
	}
	r := cur.Int.Meet(want)
	if r.IsBottom() {
		return false
	}
	if r == cur.Int || ir.IsConst(d.Op) {
		return true
	}
	a.set(c, v, intValue(r), mem)
	if depth >= maxDepth {
		return true
	}
	depth++
	val := func(i int) absdomain.Int { return fr.vals[d.Args[i]].Int }
	back := func(i int, x absdomain.Int) bool { return a.refine(c, d.Args[i], x, mem, depth) }
	switch d.Op {
	case ir.Freeze:
		return back(0, r)
	case ir.Add:
		return back(0, r.Sub(val(1))) && back(1, r.Sub(val(0)))
	case ir.Sub:
		return back(0, r.Add(val(1))) && back(1, val(0).Sub(r))
	case ir.Xor:
		return back(0, r.Xor(val(1))) && back(1, r.Xor(val(0)))
	case ir.And:
		return back(0, absdomain.AndBack(r, val(0), val(1))) && back(1, absdomain.AndBack(r, val(1), val(0)))
	case ir.Or:
		return back(0, absdomain.OrBack(r, val(0), val(1))) && back(1, absdomain.OrBack(r, val(1), val(0)))
	case ir.ZExt:
		return back(0, absdomain.ZExtBack(r, val(0)))
	case ir.SExt:
		return back(0, absdomain.SExtBack(r, val(0)))
	case ir.Trunc:
		return back(0, absdomain.TruncBack(r, val(0)))
	case ir.Shl, ir.LShr, ir.AShr:
		n, ok := val(1).Value()
		if !ok || n >= uint64(d.Type.Bits) {
			return true
		}
		switch d.Op {
		case ir.Shl:
			return back(0, absdomain.ShlBack(r, val(0), uint8(n)))
		case ir.LShr:
			return back(0, absdomain.LShrBack(r, val(0), uint8(n)))
		}
		return back(0, absdomain.AShrBack(r, val(0), uint8(n)))
	case ir.Mul:
		if k, ok := val(1).Value(); ok && k != 0 {
			return back(0, absdomain.MulBack(r, val(0), k))
		}
		if k, ok := val(0).Value(); ok && k != 0 {
			return back(1, absdomain.MulBack(r, val(1), k))
		}
	case ir.Select:
		return a.refineSelect(c, d, r, mem, depth)
	}
	if truth, ok := r.Value(); ok && r.Width == 1 {
		return a.refineTruth(c, d, truth == 1, mem, depth)
	}
	return true
}

// refineSelect restricts the operands of a Select whose result is in r.
func (a *analysis) refineSelect(c *callContext, d *ir.Def, r absdomain.Int, mem *store, depth int) bool {
	fr := c.frame
	cond := fr.vals[d.Args[0]].Int
	other := func(i int) bool { return fr.vals[d.Args[i]].Int.Meet(r).IsBottom() }
	switch {
	case cond.IsTrue() || !cond.IsFalse() && other(2):
		return a.refine(c, d.Args[0], absdomain.Bool(true), mem, depth) && a.refine(c, d.Args[1], r, mem, depth)
	case cond.IsFalse() || other(1):
		return a.refine(c, d.Args[0], absdomain.Bool(false), mem, depth) && a.refine(c, d.Args[2], r, mem, depth)
	}
	return true
}

// refineTruth restricts the operands of a predicate with a known result.
func (a *analysis) refineTruth(c *callContext, d *ir.Def, truth bool, mem *store, depth int) bool {
	fr := c.frame
	if len(d.Args) < 2 {
		return true
	}
	px, py := &fr.vals[d.Args[0]], &fr.vals[d.Args[1]]
	if px.Kind == ir.Ptr {
		return a.refinePointers(c, d, truth, mem, depth)
	}
	if px.Kind == ir.Float {
		a.refineFloats(c, d, truth, mem)
		return true
	}
	x, y := px.Int, py.Int
	both := func(x, y absdomain.Int) bool {
		return a.refine(c, d.Args[0], x, mem, depth) && a.refine(c, d.Args[1], y, mem, depth)
	}
	rel := absdomain.Equal
	switch d.Op {
	case ir.SAddOvf:
		return both(absdomain.SAddOvfBack(truth, x, y), absdomain.SAddOvfBack(truth, y, x))
	case ir.SSubOvf:
		if !truth {
			return both(absdomain.SSubOvfBack(x, y))
		}
		return true
	case ir.SMulOvf, ir.UMulOvf:
		if !truth {
			return both(mulBack(d.Op, x, y), mulBack(d.Op, y, x))
		}
		return true
	case ir.UAddOvf: // x + y >= 2^w iff x > max - y
		if truth {
			return both(x.Meet(absdomain.Range(uint32(x.Width), y.Not().ULo, ^uint64(0))), y.Meet(absdomain.Range(uint32(x.Width), x.Not().ULo, ^uint64(0))))
		}
		return both(x.Meet(absdomain.Range(uint32(x.Width), 0, y.Not().UHi)), y.Meet(absdomain.Range(uint32(x.Width), 0, x.Not().UHi)))
	case ir.Eq:
		if !truth {
			rel = absdomain.NotEqual
		}
	case ir.Ne:
		if truth {
			rel = absdomain.NotEqual
		}
	case ir.ULt, ir.USubOvf:
		rel = absdomain.UnsignedLess
	case ir.ULe:
		rel = absdomain.UnsignedLessEqual
	case ir.SLt:
		rel = absdomain.SignedLess
	case ir.SLe:
		rel = absdomain.SignedLessEqual
	default:
		return true
	}
	if !truth && rel >= absdomain.UnsignedLess { // not (x < y) is y <= x
		y, x = absdomain.Assume(swapped[rel], y, x)
	} else {
		x, y = absdomain.Assume(rel, x, y)
	}
	return both(x, y)
}

// swapped has the relation between y and x when the one between x and y does not hold.
var swapped = [...]absdomain.Relation{
	absdomain.UnsignedLess: absdomain.UnsignedLessEqual, absdomain.UnsignedLessEqual: absdomain.UnsignedLess,
	absdomain.SignedLess: absdomain.SignedLessEqual, absdomain.SignedLessEqual: absdomain.SignedLess,
}

// mulBack refines x when the product x * y does not overflow and y is constant.
func mulBack(op ir.Op, x, y absdomain.Int) absdomain.Int {
	if x.IsWide() || y.IsWide() {
		return x
	}
	k, ok := y.Value()
	if !ok || k == 0 {
		return x
	}
	top := absdomain.Top(uint32(x.Width))
	if op == ir.UMulOvf {
		return x.Meet(absdomain.Range(uint32(x.Width), 0, top.UHi/k))
	}
	if y.SLo > 0 {
		return x.Meet(absdomain.SignedRange(uint32(x.Width), top.SLo/y.SLo, top.SHi/y.SLo))
	}
	if y.SLo < -1 {
		return x.Meet(absdomain.SignedRange(uint32(x.Width), top.SHi/y.SLo, top.SLo/y.SLo))
	}
	return x
}

// refineFloats restricts the operands of a comparison of floats.
func (a *analysis) refineFloats(c *callContext, d *ir.Def, truth bool, mem *store) {
	fr := c.frame
	x, y := fr.vals[d.Args[0]], fr.vals[d.Args[1]]
	numbers := !x.Float.NaN && !y.Float.NaN
	switch {
	case d.Op == ir.FEq && truth:
		x.Float.NaN, y.Float.NaN = false, false
		m := x.Float.Meet(y.Float)
		x.Float, y.Float = m, m
	case (d.Op == ir.FLt || d.Op == ir.FLe) && truth:
		x.Float, y.Float = absdomain.AssumeLess(x.Float, y.Float)
	case (d.Op == ir.FLt || d.Op == ir.FLe) && !truth && numbers:
		y.Float, x.Float = absdomain.AssumeLess(y.Float, x.Float)
	case d.Op == ir.FUno && !truth:
		x.Float, y.Float = absdomain.AssumeNumbers(x.Float, y.Float)
	default:
		return
	}
	for i, z := range [2]Value{x, y} {
		v := d.Args[i]
		if z != fr.vals[v] && !z.isBottom() && !ir.IsConst(c.fn.f.Values[v].Op) {
			a.set(c, v, z, mem)
		}
	}
}

// refinePointers restricts the operands of a comparison of pointers, one of
// which is null, or of ValidRange.
func (a *analysis) refinePointers(c *callContext, d *ir.Def, truth bool, mem *store, depth int) bool {
	fr := c.frame
	if d.Op == ir.ValidRange {
		n := a.word(fr.vals[d.Args[1]].Int)
		p := &fr.vals[d.Args[0]]
		if !truth || n.ULo == 0 || a.sets.wild(p.Targets) {
			return true
		}
		want := Value{Kind: ir.Ptr, Int: absdomain.Top(a.m.PointerBits)}
		want.Targets = a.sets.filter(p.Targets, func(o objectID) bool { return a.isData(o, false) && !a.mustDead(*mem, o) })
		return want.Targets != nowhere && a.refinePointer(c, d.Args[0], &want, mem, depth)
	}
	equal := d.Op == ir.Eq && truth || d.Op == ir.Ne && !truth
	if d.Op != ir.Eq && d.Op != ir.Ne {
		return true
	}
	for i := range 2 {
		p, q := &fr.vals[d.Args[i]], &fr.vals[d.Args[1-i]]
		if !a.isNull(q) || p.Targets == anything {
			if o, ok := a.sameUnique(p, q, *mem); ok && o >= objFirst && i == 0 {
				rel := absdomain.NotEqual
				if equal {
					rel = absdomain.Equal
				}
				x, y := absdomain.Assume(rel, p.Int, q.Int)
				if x.IsBottom() || y.IsBottom() {
					return false
				}
				wp, wq := *p, *q
				wp.Int, wq.Int = x, y
				if !a.refinePointer(c, d.Args[0], &wp, mem, depth) || !a.refinePointer(c, d.Args[1], &wq, mem, depth) {
					return false
				}
			}
			continue
		}
		want := *p
		if equal {
			want.Targets = a.sets.filter(p.Targets, func(o objectID) bool { return o < objFirst || !a.inBounds(p, o, *mem) })
		} else {
			want.Targets = a.sets.filter(p.Targets, func(o objectID) bool { return o != objNull })
		}
		if want.Targets == nowhere || !a.refinePointer(c, d.Args[i], &want, mem, depth) {
			return false
		}
	}
	return true
}

// refinePointer restricts the pointer v to want, and what it was computed from.
func (a *analysis) refinePointer(c *callContext, v ir.Value, want *Value, mem *store, depth int) bool {
	fr := c.frame
	d := &c.fn.f.Values[v]
	cur := &fr.vals[v]
	if cur.Kind != ir.Ptr {
		return true
	}
	r := a.sets.meet(cur, want)
	if r.isBottom() {
		return false
	}
	if r == *cur || ir.IsConst(d.Op) {
		return true
	}
	a.set(c, v, r, mem)
	if depth++; depth > maxDepth {
		return true
	}
	switch d.Op {
	case ir.Freeze:
		return a.refinePointer(c, d.Args[0], &r, mem, depth)
	case ir.PtrAdd:
		if r.Targets == anything {
			return true
		}
		base, n := fr.vals[d.Args[0]], fr.vals[d.Args[1]].Int
		bare := a.sets.has(r.Targets, objNull) || a.sets.has(r.Targets, objBare)
		w := base
		w.Targets = r.Targets
		if bare {
			w.Targets = a.sets.union(r.Targets, a.sets.of([]objectID{objNull, objBare}))
		}
		w.Int = r.Int.Sub(n)
		if a.sets.isBare(r.Targets) {
			w.Int = absdomain.Top(a.m.PointerBits)
		}
		if !a.refinePointer(c, d.Args[0], &w, mem, depth) {
			return false
		}
		if bare || a.sets.isBare(r.Targets) {
			return true
		}
		return a.refine(c, d.Args[1], r.Int.Sub(fr.vals[d.Args[0]].Int), mem, depth)
	}
	return true
}
