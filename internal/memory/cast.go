// This file converts between pointers and integers.
//
// (A4) speaks of the time of the cast. What a pointer made from an integer
// points to is therefore a variable for each address and each epoch (epoch.go),
// and its facts are those of the state at the cast. In memory an integer may
// meet a pointer at a join, before anybody reads it as one: it is then a
// floating pointer, which a load resolves. Only where it is read from an array as
// a name it stays so, and may point anywhere, also to objects that are dead.
package memory

import (
	"fmt"
	"slices"

	"assay/internal/term"
)

// leafKind says where a leaf comes from.
type leafKind uint8

const (
	floating leafKind = iota // an integer in memory
	cast                     // an integer, resolved
	loaded                   // a read through a wild pointer (wild.go)
)

// leaf is a pointer whose object and base are variables.
type leaf struct {
	kind    leafKind
	address term.ID // pointer-wide; the integer that was cast
	base    term.ID // a variable: the base of what it points to, 0 for nothing
	offset  term.ID // address - base
	// at is the state of a cast; guards say where the cast matters.
	at     *State
	guards []term.ID
	used   bool // its facts matter
}

// IntToPtr is the pointer that an integer, pointer-wide, is cast to in s (A4);
// guard says where it matters.
func (s *State) IntToPtr(address, guard term.ID) Value {
	return s.settle(s.space.floating(address), guard)
}

// floating is the pointer with the given pointer-wide address, unresolved if
// it is not known what it points to.
func (sp *Space) floating(address term.ID) Value {
	st := sp.Store
	if v, ok := sp.pointerOf[address]; ok {
		return v
	}
	if a, ok := st.ConstUint64(address); ok {
		if a < page || sp.word(a) == address && -a&mask(sp.PointerBits) <= page {
			return sp.Pointer(0, address)
		}
	}
	if v, ok := sp.leafOf[address]; ok {
		return v
	}
	if st.Op(address) == term.OpIte {
		v := sp.Ite(st.Arg(address, 0), sp.floating(st.Arg(address, 1)), sp.floating(st.Arg(address, 2)))
		sp.leafOf[address] = v
		return v
	}
	v := sp.newLeaf(leaf{address: address}, fmt.Sprint(address))
	sp.leafOf[address] = v
	return v
}

// newLeaf makes a pointer whose object and base are variables.
func (sp *Space) newLeaf(lf leaf, name string) Value {
	st := sp.Store
	ob := st.Var("pointee!"+name, term.BitVec(ObjectBits))
	lf.base = st.Var("pointed!"+name, term.BitVec(sp.PointerBits))
	lf.offset = st.Sub(lf.address, lf.base)
	sp.madeFrom[ob], sp.madeFrom[lf.base] = lf.address, lf.address
	sp.leaves[ob] = &lf
	if lf.kind == floating {
		sp.unresolved = true
		sp.fact(st.Implies(st.Eq(ob, sp.name(0)), st.Eq(lf.base, sp.word(0))))
	}
	return Value{Object: ob, Offset: lf.offset}
}

// settle resolves the floating pointers among the choices of p.
func (s *State) settle(p Value, guard term.ID) Value {
	sp := s.space
	st := sp.Store
	if !sp.unresolved {
		return p
	}
	memo := map[Value]Value{}
	var walk func(p Value) Value
	walk = func(p Value) Value {
		if v, ok := memo[p]; ok {
			return v
		}
		v := p
		switch st.Op(p.Object) {
		case term.OpIte:
			c := st.Arg(p.Object, 0)
			a, b := Value{Object: st.Arg(p.Object, 1), Offset: p.Offset}, Value{Object: st.Arg(p.Object, 2), Offset: p.Offset}
			if st.Op(p.Offset) == term.OpIte && st.Arg(p.Offset, 0) == c {
				a.Offset, b.Offset = st.Arg(p.Offset, 1), st.Arg(p.Offset, 2)
			}
			if x, y := walk(a), walk(b); x != a || y != b {
				v = sp.Ite(c, x, y)
			}
		case term.OpVar:
			if lf := sp.leaves[p.Object]; lf != nil && lf.kind == floating {
				v = sp.Add(s.resolve(lf.address, guard), st.Sub(p.Offset, lf.offset))
			}
		}
		memo[p] = v
		return v
	}
	return walk(p)
}

// resolve is what has the address in s: an anchored address points into its
// object, as far as that lives and reaches; anything else is a variable.
func (s *State) resolve(address, guard term.ID) Value {
	sp := s.space
	st := sp.Store
	if o, off, ok := sp.anchor(address); ok {
		reaches := st.And(s.Alive(o), st.ULe(off, sp.objects[o].Size))
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
	key := [2]uint32{uint32(address), s.epoch}
	v, ok := sp.pointees[key]
	if !ok {
		v = sp.newLeaf(leaf{kind: cast, address: address, at: s.Fork()}, fmt.Sprintf("%d!%d", address, s.epoch))
		sp.pointees[key] = v
	}
	if lf := sp.leaves[v.Object]; !slices.Contains(lf.guards, guard) {
		lf.guards = append(lf.guards, guard)
	}
	return v
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

func mask(w uint32) uint64 {
	if w >= 64 {
		return ^uint64(0)
	}
	return 1<<w - 1
}

// Casts says whether pointers were made from integers, so that (A4) plays a part.
func (sp *Space) Casts() bool { return len(sp.madeFrom) > 0 }

// Address gives the integer from which a pointer was made, if v is the object
// or the base variable of such a pointer.
func (sp *Space) Address(v term.ID) (term.ID, bool) {
	a, ok := sp.madeFrom[v]
	return a, ok
}

// leafFact is (A4) for a floating pointer and one object.
func (sp *Space) leafFact(ob term.ID, lf *leaf, o ObjectID) {
	key := [2]uint32{uint32(ob), uint32(o)}
	if sp.leafFacts[key] {
		return
	}
	sp.leafFacts[key] = true
	st := sp.Store
	sp.fact(st.Implies(st.Eq(ob, sp.name(o)), st.And(st.Eq(lf.base, sp.base(o)), st.ULe(lf.offset, sp.objects[o].Size))))
}

// use makes the facts about a pointer matter.
func (sp *Space) use(ob term.ID) {
	if lf := sp.leaves[ob]; !lf.used && lf.kind == cast {
		lf.used = true
		sp.casts = append(sp.casts, ob)
	}
}

// resolvedTargets lists what a pointer made from an integer may point to.
func (s *State) resolvedTargets(ob, off, guard term.ID, lf *leaf) []target {
	sp := s.space
	st := sp.Store
	sp.use(ob)
	var candidates []ObjectID
	lf.at.Each(func(o ObjectID) {
		if !st.IsFalse(lf.at.Alive(o)) {
			candidates = append(candidates, o)
		}
	})
	if s.functions {
		for _, r := range sp.functionNames() {
			for o := r[0]; o <= r[1]; o++ {
				candidates = append(candidates, o)
			}
		}
		sortObjects(candidates)
	}
	if len(candidates) > maxTargets {
		sp.giveUp(guard, "a pointer of unknown target among %d objects", len(candidates))
		return []target{{0, st.True(), off}}
	}
	none := st.True()
	ts := []target{{}}
	for _, o := range candidates {
		is := st.Eq(ob, sp.name(o))
		none = st.And(none, st.Not(is))
		ts = append(ts, target{o, is, off})
	}
	ts[0] = target{0, none, off}
	return ts
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
	memo := map[[2]term.ID]term.ID{}
	var walk func(ob, off term.ID) term.ID
	walk = func(ob, off term.ID) term.ID {
		key := [2]term.ID{ob, off}
		if t, ok := memo[key]; ok {
			return t
		}
		var r term.ID
		if o, ok := st.ConstUint64(ob); ok {
			if o == 0 {
				r = off
			} else {
				r = st.Add(sp.base(ObjectID(o)), off)
			}
		} else if lf := sp.leaves[ob]; lf != nil {
			// The address moves with the offset.
			r = st.Add(lf.address, st.Sub(off, lf.offset))
		} else if st.Op(ob) == term.OpIte {
			c := st.Arg(ob, 0)
			offA, offB := off, off
			if st.Op(off) == term.OpIte && st.Arg(off, 0) == c {
				offA, offB = st.Arg(off, 1), st.Arg(off, 2)
			}
			r = st.Ite(c, walk(st.Arg(ob, 1), offA), walk(st.Arg(ob, 2), offB))
		} else {
			found := map[ObjectID]bool{}
			if st.Op(ob) != term.OpSelect || !sp.storedObjects(st.Arg(ob, 0), map[term.ID]bool{}, found) {
				for o := 1; o < len(sp.objects); o++ {
					found[ObjectID(o)] = true
				}
			}
			r = off
			var names []ObjectID
			for o := range found {
				names = append(names, o)
			}
			sortObjects(names)
			for _, o := range names {
				if o != 0 {
					r = st.Ite(st.Eq(ob, sp.name(o)), st.Add(sp.base(o), off), r)
				}
			}
		}
		memo[key] = r
		return r
	}
	a := walk(p.Object, p.Offset)
	// A bare address has no provenance: cast back it may point anywhere.
	if _, ok := sp.pointerOf[a]; !ok && !st.IsConst(a) && p.Object != sp.name(0) {
		sp.pointerOf[a] = p
	}
	return a
}
