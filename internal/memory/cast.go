// This file converts between pointers and integers.
//
// A pointer made from an integer is its address: (0, address). Where it is used
// it points to the live object whose range holds the address then (A4), for which
// resolve makes variables, one pair for each address and each epoch (epoch.go).
// What is known to be an address inside a certain object needs none.
package memory

import (
	"fmt"
	"slices"

	"assay/internal/term"
)

// pointee is what an address points to.
type pointee struct {
	address term.ID
	object  term.ID // a variable: an object that lives in the state, or 0
	base    term.ID // a variable: its base, or 0
	at      *State
	guards  []term.ID // where it matters
}

// IntToPtr is the pointer that an integer, pointer-wide, is cast to.
func (s *State) IntToPtr(address term.ID) Value {
	sp := s.space
	if o, off, ok := sp.anchor(address); ok && sp.Store.IsTrue(s.reaches(o, off)) {
		return sp.Pointer(o, off)
	}
	// The address of a known pointer is that pointer while it reaches; later
	// something else may be there.
	p := sp.IntToPtr(address)
	if p.Object == sp.name(0) {
		return p
	}
	st := sp.Store
	known := st.False()
	for _, t := range s.split(p, st.True()).certain {
		if t.o != 0 {
			known = st.Or(known, st.And(t.cond, s.reaches(t.o, t.off)))
		}
	}
	return sp.Ite(known, p, Value{Object: sp.name(0), Offset: address})
}

// IntToPtr is the pointer with the given pointer-wide address.
func (sp *Space) IntToPtr(address term.ID) Value {
	st := sp.Store
	if v, ok := sp.pointerOf[address]; ok {
		return v
	}
	if st.Op(address) == term.OpIte && sp.hasPointer(address) {
		v := sp.Ite(st.Arg(address, 0), sp.IntToPtr(st.Arg(address, 1)), sp.IntToPtr(st.Arg(address, 2)))
		sp.pointerOf[address] = v
		return v
	}
	return Value{Object: sp.name(0), Offset: address}
}

// hasPointer says whether a choice has the address of a known pointer.
func (sp *Space) hasPointer(address term.ID) bool {
	st := sp.Store
	seen := map[term.ID]bool{}
	var walk func(t term.ID) bool
	walk = func(t term.ID) bool {
		if _, ok := sp.pointerOf[t]; ok {
			return true
		}
		if st.Op(t) != term.OpIte || seen[t] {
			return false
		}
		seen[t] = true
		return walk(st.Arg(t, 1)) || walk(st.Arg(t, 2))
	}
	return walk(address)
}

// reaches says that an object lives and an offset is in it, the end included.
func (s *State) reaches(o ObjectID, off term.ID) term.ID {
	st := s.space.Store
	return st.And(s.aliveOrFunction(o), st.ULe(off, s.space.objects[o].Size))
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
			v = s.resolveAddress(p.Offset, guard)
		} else if lf := sp.loaded[p.Object]; lf != nil {
			address := st.Add(lf.address, st.Sub(p.Offset, lf.offset))
			v = sp.Ite(st.Eq(p.Object, sp.name(0)), s.resolveAddress(address, guard), p)
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

// resolveAddress is what has the address in s.
func (s *State) resolveAddress(address, guard term.ID) Value {
	sp := s.space
	st := sp.Store
	if o, off, ok := sp.anchor(address); ok {
		reaches := s.reaches(o, off)
		if st.IsTrue(reaches) {
			return sp.Pointer(o, off)
		}
		if !st.IsFalse(reaches) {
			return sp.Ite(reaches, sp.Pointer(o, off), s.pointee(address, guard))
		}
	}
	return s.pointee(address, guard)
}

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
	// A bare address has no provenance: cast back it may point anywhere.
	if _, ok := sp.pointerOf[a]; !ok && !st.IsConst(a) && p.Object != sp.name(0) {
		sp.pointerOf[a] = p
	}
	return a
}
