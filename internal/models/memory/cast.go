// This file converts between pointers and integers.
//
// A conversion keeps the number and nothing else: a pointer made from an integer
// is its address, (0, address), and so is one that is read from bytes which are no
// pointer. What is there is settled at each use, in the state of the use: it is
// on the live object that holds the address (A4), whether or not the number was
// once the address of another.
//
// Most numbers are the address of a pointer that is still good. PtrToInt notes
// whose address a term is, and where that pointer points into a live object, no
// other object can be there (A3): such a use is one of that pointer, and costs
// nothing. Elsewhere settle leaves the address to variables: what it points to
// and the base of that, one pair for each address and each epoch (epoch.go).
package memory

import (
	"fmt"
	"slices"

	"assay/internal/logic/term"
)

// pointee is what an address points to.
type pointee struct {
	address term.ID
	object  term.ID // a variable: an object that lives in the state, or 0
	base    term.ID // a variable: its base, or 0
	at      *State
	guards  []term.ID // where it matters
}

// IntToPtr is the pointer with the given pointer-wide address.
func (sp *Space) IntToPtr(address term.ID) Value { return Value{Object: sp.name(0), Offset: address} }

// known is a pointer with the same address as p: one to an object if p is bare
// and its number is made of the address of one, else p.
func (sp *Space) known(p Value) Value {
	if p.Object != sp.name(0) || sp.Store.IsConst(p.Offset) {
		return p
	}
	q, _ := sp.origin(p.Offset, map[term.ID]bool{})
	return q
}

// origin finds the pointer whose address, or sum of address and number, a term is,
// or a choice of such. It leaves out the terms of which it was found that they are not.
func (sp *Space) origin(address term.ID, not map[term.ID]bool) (p Value, ok bool) {
	st := sp.Store
	if v, ok := sp.pointerOf[address]; ok {
		return v, true
	}
	if o, off, ok := sp.anchor(address); ok {
		return sp.Pointer(o, off), true
	}
	if not[address] || len(not) > maxOrigin {
		return sp.IntToPtr(address), false
	}
	switch st.Op(address) {
	case term.OpIte:
		x, okx := sp.origin(st.Arg(address, 1), not)
		y, oky := sp.origin(st.Arg(address, 2), not)
		if okx || oky {
			v := sp.Ite(st.Arg(address, 0), x, y)
			sp.pointerOf[address] = v
			return v, true
		}
	case term.OpAdd:
		x, okx := sp.origin(st.Arg(address, 0), not)
		y, oky := sp.origin(st.Arg(address, 1), not)
		if okx && !oky {
			return sp.Add(x, st.Arg(address, 1)), true
		}
		if oky && !okx {
			return sp.Add(y, st.Arg(address, 0)), true
		}
	}
	not[address] = true
	return sp.IntToPtr(address), false
}

// maxOrigin bounds the search for the pointer that an address belongs to.
const maxOrigin = 256

// settle says what a bare address points to in s, as far as no variables are
// needed: to the pointer whose address it is, where that points into a live
// object, or is null.
func (s *State) settle(p Value, guard term.ID) parts {
	sp := s.space
	st := sp.Store
	ps := parts{cond: st.True(), wild: p}
	q := sp.known(p)
	if q == p {
		return ps
	}
	good := st.False()
	for _, t := range s.choicesOf(q, guard).certain {
		if t.o != 0 {
			t.cond = st.And(t.cond, s.holds(t.o, t.off))
		}
		if !st.IsFalse(t.cond) {
			good = st.Or(good, t.cond)
			ps.certain = append(ps.certain, t)
		}
	}
	ps.cond = st.Not(good)
	return ps
}

// resolve gives the choices of a wild pointer objects: those of the addresses
// in it are what lives there now.
func (s *State) resolve(p Value, guard term.ID) Value {
	sp := s.space
	st := sp.Store
	memo := map[Value]Value{}
	var walk func(p Value) Value
	walk = func(p Value) Value {
		if v, ok := memo[p]; ok {
			return v
		}
		v := p
		if st.Op(p.Object) == term.OpIte {
			c := st.Arg(p.Object, 0)
			x, y := choices(st, p)
			v = sp.Ite(c, walk(x), walk(y))
		} else if p.Object == sp.name(0) {
			v = s.pointee(p.Offset, guard)
		} else if lf := sp.loaded[p.Object]; lf != nil {
			address := st.Add(lf.address, st.Sub(p.Offset, lf.offset))
			v = sp.Ite(st.Eq(p.Object, sp.name(0)), s.pointee(address, guard), p)
		}
		memo[p] = v
		return v
	}
	return walk(p)
}

// choices are the two sides of a pointer whose object is a choice.
func choices(st *term.Store, p Value) (a, b Value) {
	a, b = Value{Object: st.Arg(p.Object, 1), Offset: p.Offset}, Value{Object: st.Arg(p.Object, 2), Offset: p.Offset}
	if st.Op(p.Offset) == term.OpIte && st.Arg(p.Offset, 0) == st.Arg(p.Object, 0) {
		a.Offset, b.Offset = st.Arg(p.Offset, 1), st.Arg(p.Offset, 2)
	}
	return a, b
}

// pointee is what has the address in s, as variables.
func (s *State) pointee(address, guard term.ID) Value {
	sp := s.space
	st := sp.Store
	key := [2]uint32{uint32(address), s.epoch}
	p, ok := sp.pointeeOf[key]
	if !ok {
		name := fmt.Sprintf("%d!%d", address, s.epoch)
		p = &pointee{
			address: address, at: s.Fork(),
			object: st.Var("pointee!"+name, term.BitVec(ObjectBits)),
			base:   st.Var("pointed!"+name, term.BitVec(sp.PointerBits)),
		}
		sp.pointeeOf[key] = p
		sp.pointees = append(sp.pointees, p)
		sp.pointeeBy[p.object], sp.pointeeBy[p.base] = p, p
	}
	if !slices.Contains(p.guards, guard) {
		p.guards = append(p.guards, guard)
	}
	return Value{Object: p.object, Offset: st.Sub(address, p.base)}
}

// wildTargets lists what a resolved wild pointer may point to.
func (s *State) wildTargets(p Value, guard term.ID, memo map[Value][]target) []target {
	sp := s.space
	st := sp.Store
	if o, ok := st.ConstUint64(p.Object); ok {
		return []target{{ObjectID(o), st.True(), p.Offset}}
	}
	if ts, ok := memo[p]; ok {
		return ts
	}
	var ts []target
	if st.Op(p.Object) == term.OpIte {
		x, y := choices(st, p)
		ts = joinTargets(st, st.Arg(p.Object, 0), s.wildTargets(x, guard, memo), s.wildTargets(y, guard, memo))
	} else {
		ts = s.anyTargets(p.Object, p.Offset, guard)
	}
	memo[p] = ts
	return ts
}

// anchor splits an address that is a sum with exactly one base in it.
func (sp *Space) anchor(address term.ID) (o ObjectID, off term.ID, ok bool) {
	st := sp.Store
	off = sp.word(0)
	stack := []term.ID{address}
	for n := 0; len(stack) > 0; n++ {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if x, isBase := sp.byBase[t]; isBase {
			if o != 0 {
				return 0, 0, false
			}
			o = x
			continue
		}
		if st.Op(t) == term.OpAdd && n < maxSummands {
			stack = append(stack, st.Arg(t, 0), st.Arg(t, 1))
			continue
		}
		off = st.Add(off, t)
	}
	return o, off, o != 0
}

// maxSummands bounds the search for a base.
const maxSummands = 16

// Casts says whether pointers made from integers were used, so that (A4) plays
// a part.
func (sp *Space) Casts() bool { return len(sp.pointees) > 0 }

// Address gives the integer from which a pointer was made, if v is a variable
// for what it points to.
func (sp *Space) Address(v term.ID) (term.ID, bool) {
	if p := sp.pointeeBy[v]; p != nil {
		return p.address, true
	}
	return 0, false
}

// functionNames gives the names of functions as ranges.
func (sp *Space) functionNames() [][2]ObjectID {
	if sp.functionRanges == nil {
		for o := 1; o < len(sp.objects); o++ {
			if sp.objects[o].Kind != FunctionObject {
				continue
			}
			if n := len(sp.functionRanges); n > 0 && int(sp.functionRanges[n-1][1]) == o-1 {
				sp.functionRanges[n-1][1]++
			} else {
				sp.functionRanges = append(sp.functionRanges, [2]ObjectID{ObjectID(o), ObjectID(o)})
			}
		}
	}
	return sp.functionRanges
}

// PtrToInt is the pointer-wide address of p.
func (sp *Space) PtrToInt(p Value) term.ID {
	st := sp.Store
	memo := map[Value]term.ID{}
	var walk func(p Value) term.ID
	walk = func(p Value) term.ID {
		if t, ok := memo[p]; ok {
			return t
		}
		var r term.ID
		if o, ok := st.ConstUint64(p.Object); ok {
			r = p.Offset
			if o != 0 {
				r = st.Add(sp.base(ObjectID(o)), p.Offset)
			}
		} else if lf := sp.loaded[p.Object]; lf != nil {
			// The address moves with the offset.
			r = st.Add(lf.address, st.Sub(p.Offset, lf.offset))
		} else if st.Op(p.Object) == term.OpIte {
			x, y := choices(st, p)
			r = st.Ite(st.Arg(p.Object, 0), walk(x), walk(y))
		} else {
			found := map[ObjectID]bool{}
			if !sp.namesOf(p.Object, found) {
				for o := 1; o < len(sp.objects); o++ {
					found[ObjectID(o)] = true
				}
			}
			var names []ObjectID
			for o := range found {
				names = append(names, o)
			}
			sortObjects(names)
			r = p.Offset
			for _, o := range names {
				if o != 0 {
					r = st.Ite(st.Eq(p.Object, sp.name(o)), st.Add(sp.base(o), p.Offset), r)
				}
			}
		}
		memo[p] = r
		return r
	}
	a := walk(p)
	// A bare address belongs to no object.
	if _, ok := sp.pointerOf[a]; !ok && !st.IsConst(a) && p.Object != sp.name(0) {
		sp.pointerOf[a] = p
	}
	return a
}
