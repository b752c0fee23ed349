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

	"assay/internal/logic/term"
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

// loadedPointer is a pointer that was read: its object, address and base are
// variables, its offset is their difference.
type loadedPointer struct{ address, offset term.ID }

// parts is a pointer seen as a choice between certain targets and, under cond,
// a wild pointer, not yet resolved. In the certain targets, object 0 means null or
// an object that is no more.
type parts struct {
	certain []target
	cond    term.ID
	wild    Value
}

// addressOfRead begins the names of the address variables of pointers that were read.
const addressOfRead = "address!"

// split separates the wild choices of p for a use; guard says where it matters.
func (s *State) split(p Value, guard term.ID) parts {
	st := s.space.Store
	ps := s.splitOf(p, guard, true, map[Value]parts{})
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

// choicesOf is split without a use: all bare addresses stay wild.
func (s *State) choicesOf(p Value, guard term.ID) parts {
	return s.splitOf(p, guard, false, map[Value]parts{})
}

func (s *State) splitOf(p Value, guard term.ID, use bool, memo map[Value]parts) parts {
	sp := s.space
	st := sp.Store
	if o, ok := st.ConstUint64(p.Object); ok && (o != 0 || sp.null(p.Offset)) {
		return parts{certain: []target{{ObjectID(o), st.True(), p.Offset}}, cond: st.False()}
	}
	if ps, ok := memo[p]; ok {
		return ps
	}
	var ps parts
	switch ob, off := st.Op(p.Object), st.Op(p.Offset); {
	case ob == term.OpIte:
		x, y := choices(st, p)
		ps = s.joinParts(st.Arg(p.Object, 0), s.splitOf(x, guard, use, memo), s.splitOf(y, guard, use, memo))
	case ob == term.OpConst && off == term.OpIte && sp.hasNull(p.Offset):
		x, y := Value{Object: p.Object, Offset: st.Arg(p.Offset, 1)}, Value{Object: p.Object, Offset: st.Arg(p.Offset, 2)}
		ps = s.joinParts(st.Arg(p.Offset, 0), s.splitOf(x, guard, use, memo), s.splitOf(y, guard, use, memo))
	case ob == term.OpConst && use:
		ps = s.settle(p, guard)
	case ob == term.OpConst || sp.loaded[p.Object] != nil:
		ps = parts{cond: st.True(), wild: p}
	default:
		integer := s.splitOf(Value{Object: sp.name(0), Offset: p.Offset}, guard, use, memo)
		pointer := parts{certain: s.elementTargets(p.Object, p.Offset, guard), cond: st.False()}
		ps = s.joinParts(st.Eq(p.Object, sp.name(0)), integer, pointer)
	}
	memo[p] = ps
	return ps
}

// joinParts merges two splits, for c and its negation.
func (s *State) joinParts(c term.ID, a, b parts) parts {
	st := s.space.Store
	ps := parts{certain: joinTargets(st, c, a.certain, b.certain), cond: st.Ite(c, a.cond, b.cond)}
	switch {
	case st.IsFalse(a.cond):
		ps.wild = b.wild
	case st.IsFalse(b.cond):
		ps.wild = a.wild
	default:
		ps.wild = s.space.Ite(c, a.wild, b.wild)
	}
	return ps
}

// null says of an address that it is a constant of the first or last page,
// where no object is.
func (sp *Space) null(address term.ID) bool {
	a, ok := sp.Store.ConstUint64(address)
	return ok && (a < page || -a&mask(sp.PointerBits) <= page)
}

// hasNull says whether one of the choices of an address is null.
func (sp *Space) hasNull(address term.ID) bool {
	st := sp.Store
	for n := 0; n < maxSummands && st.Op(address) == term.OpIte; n++ {
		if sp.null(st.Arg(address, 1)) || sp.null(st.Arg(address, 2)) {
			return true
		}
		address = st.Arg(address, 2)
	}
	return false
}

func mask(w uint32) uint64 {
	if w >= 64 {
		return ^uint64(0)
	}
	return 1<<w - 1
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
			address, base := st.Var(addressOfRead+name, term.BitVec(sp.PointerBits)), st.Var("base!read!"+name, term.BitVec(sp.PointerBits))
			r.value = Value{Object: st.Var("object!read!"+name, term.BitVec(ObjectBits)), Offset: st.Sub(address, base)}
			sp.loaded[r.value.Object] = &loadedPointer{address, r.value.Offset}
			for _, v := range []term.ID{r.value.Object, address, base} {
				sp.readFrom[v] = p.Object
			}
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
