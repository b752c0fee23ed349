// This file reads through wild pointers: those made from integers, or never
// written, or read through another wild one. Programs full of pointers have very
// many, mostly on paths that no run takes (the last node's next field, the value
// that an invalid read yields), and a case split over all objects for each would
// be most of the formula.
//
// A read through a wild pointer p is a pair of variables instead: what was read,
// and whether the read was valid. What they are is said only for the objects
// to which some model has p point (correct.go), so that until then the formula
// is an over-approximation, and a model that needs no correction is exact.
package memory

import (
	"fmt"

	"assay/internal/term"
)

// wildValue is the result of a read: variables.
type wildValue struct {
	value Value
	ok    term.ID // Bool
}

// wildRead is a read of n bytes at the wild pointer p in the state at, where
// guard holds.
type wildRead struct {
	wildValue
	at      *State
	p       Value
	n       uint32
	pointer bool
	guard   term.ID
}

// parts is a pointer seen as a choice between certain targets and, under cond,
// a wild pointer.
type parts struct {
	certain []target
	cond    term.ID
	wild    Value
}

// split separates the wild choices of p; guard says where it matters.
func (s *State) split(p Value, guard term.ID) parts {
	st := s.space.Store
	ps := s.splitOf(p, guard, map[Value]parts{})
	if s.Excludes == nil || len(ps.certain) == 1 && st.IsFalse(ps.cond) {
		return ps
	}
	var left []target
	for _, t := range ps.certain {
		if !s.Excludes(t.cond) {
			left = append(left, t)
		}
	}
	wild := !st.IsFalse(ps.cond) && !s.Excludes(ps.cond)
	switch {
	case len(left) == 0 && !wild: // the path itself cannot be taken
		return ps
	case !wild:
		ps.cond = st.False()
		if len(left) == 1 {
			left[0].cond = st.True()
		}
	case len(left) == 0:
		ps.cond = st.True()
	}
	ps.certain = left
	return ps
}

func (s *State) splitOf(p Value, guard term.ID, memo map[Value]parts) parts {
	sp := s.space
	st := sp.Store
	if o, ok := st.ConstUint64(p.Object); ok {
		return parts{certain: []target{{ObjectID(o), st.True(), p.Offset}}, cond: st.False()}
	}
	if ps, ok := memo[p]; ok {
		return ps
	}
	var ps parts
	switch st.Op(p.Object) {
	case term.OpIte:
		c := st.Arg(p.Object, 0)
		x, y := Value{Object: st.Arg(p.Object, 1), Offset: p.Offset}, Value{Object: st.Arg(p.Object, 2), Offset: p.Offset}
		if st.Op(p.Offset) == term.OpIte && st.Arg(p.Offset, 0) == c {
			x.Offset, y.Offset = st.Arg(p.Offset, 1), st.Arg(p.Offset, 2)
		}
		a, b := s.splitOf(x, guard, memo), s.splitOf(y, guard, memo)
		ps.certain = joinTargets(st, c, a.certain, b.certain)
		ps.cond = st.Ite(c, a.cond, b.cond)
		switch {
		case st.IsFalse(a.cond):
			ps.wild = b.wild
		case st.IsFalse(b.cond):
			ps.wild = a.wild
		default:
			ps.wild = sp.Ite(c, a.wild, b.wild)
		}
	default:
		if lf := sp.leaves[p.Object]; lf != nil && lf.kind != floating {
			sp.use(p.Object)
			ps = parts{cond: st.True(), wild: p}
		} else {
			ps = parts{certain: s.unknownTargets(p.Object, p.Offset, guard), cond: st.False()}
		}
	}
	memo[p] = ps
	return ps
}

// readWild is the read of n bytes at the wild pointer p, named by key.
func (s *State) readWild(key Key, p Value, n uint32, pointer bool, guard term.ID) wildValue {
	sp := s.space
	r, ok := sp.readOf[key]
	if !ok {
		st := sp.Store
		name := fmt.Sprintf("%d!%d!%d", key.Instance, key.Value, key.Sub)
		r.ok = st.Var("readable!"+name, term.Bool())
		sp.readFrom[r.ok] = p.Object
		if pointer {
			address := st.Var("address!"+name, term.BitVec(sp.PointerBits))
			r.value = sp.newLeaf(leaf{kind: loaded, address: address}, "read!"+name)
			sp.readFrom[address] = p.Object
		} else {
			r.value = Value{Bits: st.Var("read!"+name, term.BitVec(8*n))}
			sp.readFrom[r.value.Bits] = p.Object
		}
		sp.readOf[key] = r
	}
	sp.reads = append(sp.reads, wildRead{r, s.Fork(), p, n, pointer, guard})
	return r
}

// writeWild is write through a wild pointer. It keeps to the pieces in which
// the object is used, and gives up where it would cut them.
func (s *State) writeWild(cond term.ID, o ObjectID, off term.ID, n uint32, v Value, guard term.ID) {
	sp := s.space
	st := sp.Store
	ob := &sp.objects[o]
	c := s.own(o)
	if c.array != 0 || !ob.Sized || ob.ConstSize > uint64(n)*maxSplit || n > maxCell {
		s.write(cond, o, off, n, v)
		return
	}
	rest := cond
	for k := uint32(0); uint64(k)+uint64(n) <= ob.ConstSize; k += n {
		if !c.fits(k, n) {
			continue
		}
		here := st.Eq(off, sp.word(uint64(k)))
		rest = st.And(rest, st.Not(here))
		sp.writeCells(st.And(cond, here), o, c, uint64(k), n, v)
	}
	sp.giveUp(st.And(guard, rest), "a write through a wild pointer that cuts a variable")
}

// fits says whether [k, k+n) is a cell, or cuts none.
func (c *Content) fits(k, n uint32) bool {
	for i := k; i < k+n; i++ {
		if at, x, ok := c.find(i); ok && (at < k || at+x.n > k+n || x.n < n) {
			return false
		}
	}
	return true
}

// ReadFrom gives the object, a term, that a variable was read from, if v is the
// result of a read through a wild pointer.
func (sp *Space) ReadFrom(v term.ID) (object term.ID, ok bool) {
	object, ok = sp.readFrom[v]
	return object, ok
}

// Begin forgets the reads of an encoding that another one replaces.
func (sp *Space) Begin() { sp.reads = sp.reads[:0] }
