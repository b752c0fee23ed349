package absint

// Operations on pointers that do not touch memory's content.

import (
	"assay/internal/logic/absdomain"
	"assay/internal/program/ir"
)

// inBounds says that p, if it points into an object, points into it or to its
// end. Then its address is not 0: no object begins at 0 or wraps around.
func (a *analysis) inBounds(p *Value, o objectID, mem store) bool {
	if a.objects[o].kind == functionObject {
		return p.Int.Is(0)
	}
	return p.Int.UHi <= a.sizeOf(mem, o).ULo
}

// nonNull says that the address is not 0.
func (a *analysis) nonNull(p *Value, mem store) bool {
	if p.Targets == anything {
		return false
	}
	for _, o := range a.sets.list[p.Targets] {
		if o < objFirst || !a.inBounds(p, o, mem) {
			return false
		}
	}
	return true
}

// isNull says that p is null.
func (a *analysis) isNull(p *Value) bool { return p.Targets == a.sets.singleton(objNull) }

// sameUnique says that both point into one and the same object.
func (a *analysis) sameUnique(p, q *Value, mem store) (objectID, bool) {
	if p.Targets != q.Targets || p.Targets == anything || len(a.sets.list[p.Targets]) != 1 {
		return 0, false
	}
	o := a.sets.list[p.Targets][0]
	return o, o >= objFirst && (a.objects[o].kind == functionObject || a.unique(mem, o))
}

// comparePointers compares addresses.
func (a *analysis) comparePointers(op ir.Op, p, q *Value, mem store) absdomain.Int {
	if o, ok := a.sameUnique(p, q, mem); ok {
		switch {
		case op == ir.Eq:
			return p.Int.Eq(q.Int)
		case op == ir.Ne:
			return p.Int.Ne(q.Int)
		case a.inBounds(p, o, mem) && a.inBounds(q, o, mem):
			// The object does not wrap around, so that offsets compare as addresses.
			if op == ir.ULt {
				return p.Int.ULt(q.Int)
			}
			return p.Int.ULe(q.Int)
		}
		return absdomain.Top(1)
	}
	switch {
	case a.isNull(p) && a.isNull(q):
		return absdomain.Bool(op == ir.Eq || op == ir.ULe)
	case a.isNull(p) && a.nonNull(q, mem):
		return absdomain.Bool(op != ir.Eq) // 0 is less
	case a.isNull(q) && a.nonNull(p, mem):
		return absdomain.Bool(op == ir.Ne)
	case a.isNull(p) && op == ir.ULe:
		return absdomain.Bool(true)
	case a.isNull(q) && op == ir.ULt:
		return absdomain.Bool(false)
	}
	return absdomain.Top(1)
}

// ptrToInt is the address as a number.
func (a *analysis) ptrToInt(p *Value, width uint32, mem store) absdomain.Int {
	if a.isNull(p) {
		return absdomain.Const(width, 0)
	}
	if width < a.m.PointerBits || width > 64 {
		return absdomain.Top(width)
	}
	lo := uint64(0)
	if a.nonNull(p, mem) {
		lo = 1
	}
	return absdomain.Range(width, lo, ^uint64(0)>>(64-a.m.PointerBits))
}

// ptrAdd is p + n.
func (a *analysis) ptrAdd(p *Value, n absdomain.Int) Value {
	r := Value{Kind: ir.Ptr, Targets: p.Targets, Int: p.Int.Add(n)}
	if p.Targets == anything || n.Is(0) {
		return r
	}
	// Null moves to a bare address. Adding 0 leaves it null, and a bare address
	// may wrap to null, which objBare covers.
	if a.sets.has(p.Targets, objNull) {
		r.Targets = a.sets.filter(p.Targets, func(o objectID) bool { return o != objNull || n.Has(0) })
		r.Targets = a.sets.union(r.Targets, a.sets.singleton(objBare))
	}
	return r
}

// objectSize is the size of the object that p points into.
func (a *analysis) objectSize(p *Value, mem store) absdomain.Int {
	w := a.m.PointerBits
	if a.sets.wild(p.Targets) {
		return absdomain.Top(w)
	}
	r := absdomain.Bottom(w)
	for _, o := range a.sets.list[p.Targets] {
		if k := a.objects[o].kind; k == bareObject || k == functionObject {
			r = r.Join(absdomain.Const(w, 0))
		} else {
			r = r.Join(a.sizeOf(mem, o))
		}
	}
	return r
}

// objectOffset is the offset of p, 0 for null.
func (a *analysis) objectOffset(p *Value) absdomain.Int {
	if a.sets.wild(p.Targets) {
		return absdomain.Top(a.m.PointerBits)
	}
	if a.isNull(p) {
		return absdomain.Const(a.m.PointerBits, 0)
	}
	if a.sets.has(p.Targets, objNull) {
		return p.Int.Join(absdomain.Const(a.m.PointerBits, 0))
	}
	return p.Int
}

// heapStart says whether p is the start of a live heap object.
func (a *analysis) heapStart(p *Value, mem store) absdomain.Int {
	if a.sets.wild(p.Targets) {
		return absdomain.Top(1)
	}
	always, never := true, true
	for _, o := range a.sets.list[p.Targets] {
		if a.objects[o].kind != heapObject || a.mustDead(mem, o) || !p.Int.Has(0) {
			always = false
			continue
		}
		never = false
		always = always && a.mustLive(mem, o) && p.Int.Is(0)
	}
	switch {
	case always && !never:
		return absdomain.Bool(true)
	case never:
		return absdomain.Bool(false)
	}
	return absdomain.Top(1)
}

// sameObject says whether p and q point into one object; nulls do.
func (a *analysis) sameObject(p, q *Value, mem store) absdomain.Int {
	if _, ok := a.sameUnique(p, q, mem); ok {
		return absdomain.Bool(true)
	}
	if a.sets.wild(p.Targets) || a.sets.wild(q.Targets) {
		return absdomain.Top(1)
	}
	if a.sets.isBare(p.Targets) && a.sets.isBare(q.Targets) {
		return absdomain.Bool(true)
	}
	for _, o := range a.sets.list[p.Targets] {
		if a.sets.has(q.Targets, o) {
			return absdomain.Top(1)
		}
	}
	return absdomain.Bool(false)
}

// access says whether an access of n bytes at p is valid on all runs.
func (a *analysis) access(p *Value, n absdomain.Int, write bool, mem store) bool {
	if n.Is(0) {
		return true
	}
	if a.sets.wild(p.Targets) {
		return false
	}
	for _, o := range a.sets.list[p.Targets] {
		if !a.isData(o, write) || !a.mustLive(mem, o) {
			return false
		}
		size := a.sizeOf(mem, o).ULo
		if n.UHi > size || p.Int.UHi > size-n.UHi {
			return false
		}
	}
	return true
}

// isData says whether o has content that can be read, or written.
func (a *analysis) isData(o objectID, write bool) bool {
	obj := &a.objects[o]
	return obj.kind >= globalObject && !(write && obj.kind == globalObject && obj.global.Constant)
}
