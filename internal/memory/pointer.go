// This file gives pointers their meaning: which objects a pointer may point to
// (the points-to sets of the encoding are read off the terms and are therefore
// flow- and path-sensitive), numeric addresses, conversions and comparisons.
//
// Addresses are symbolic and introduced only for objects whose pointers are
// cast or compared in a way that depends on them. Facts about them are added
// when they are first needed and hold in every run:
//
//	(A1) an object does not touch the first or last page, nor wraps around;
//	(A2) its base is aligned;
//	(A3) objects that are alive at the same time do not overlap;
//	(A4) an integer cast to a pointer points into the object whose range holds
//	     it (the end included), and to nothing if no live object holds it.
//
// (A4) speaks of the time of the cast. What a pointer made from an integer
// points to is therefore a variable for each address and each epoch (epoch.go),
// and its facts are those of the state at the cast: resolve. In memory an
// integer may meet a pointer at a join, before anybody reads it as one: it is
// then a floating pointer, which a load resolves. Only where it is read from an
// array as a name it stays so, and may point anywhere, also to objects that are dead.
package memory

import (
	"fmt"
	"slices"

	"assay/internal/term"
)

// target is one object that a pointer may point to: under cond it does, at off.
// The conditions of a target list exclude each other and cover all cases.
type target struct {
	o    ObjectID
	cond term.ID
	off  term.ID
}

// maxTargets bounds the case split over an unknown pointer.
const maxTargets = 400

// targets lists the objects p may point to in s; guard says where it matters.
func (s *State) targets(p Value, guard term.ID) []target {
	st := s.space.Store
	if o, ok := st.ConstUint64(p.Object); ok {
		return []target{{ObjectID(o), st.True(), p.Offset}}
	}
	memo := map[[2]term.ID][]target{}
	ts := s.targetsOf(p.Object, p.Offset, guard, memo)
	if s.Excludes == nil {
		return ts
	}
	var left []target
	for _, t := range ts {
		if !s.Excludes(t.cond) {
			left = append(left, t)
		}
	}
	switch len(left) {
	case 0: // the path itself cannot be taken
		return ts
	case 1:
		left[0].cond = st.True()
	}
	return left
}

func (s *State) targetsOf(ob, off, guard term.ID, memo map[[2]term.ID][]target) []target {
	st := s.space.Store
	if o, ok := st.ConstUint64(ob); ok {
		return []target{{ObjectID(o), st.True(), off}}
	}
	key := [2]term.ID{ob, off}
	if ts, ok := memo[key]; ok {
		return ts
	}
	var ts []target
	if st.Op(ob) == term.OpIte {
		c := st.Arg(ob, 0)
		offA, offB := off, off
		if st.Op(off) == term.OpIte && st.Arg(off, 0) == c {
			offA, offB = st.Arg(off, 1), st.Arg(off, 2)
		}
		ts = joinTargets(st, c, s.targetsOf(st.Arg(ob, 1), offA, guard, memo), s.targetsOf(st.Arg(ob, 2), offB, guard, memo))
	} else {
		ts = s.unknownTargets(ob, off, guard)
	}
	memo[key] = ts
	return ts
}

// joinTargets merges two lists, ascending by object, for cond and its negation.
func joinTargets(st *term.Store, c term.ID, a, b []target) []target {
	out := make([]target, 0, len(a)+len(b))
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].o < b[0].o:
			out = append(out, target{a[0].o, st.And(c, a[0].cond), a[0].off})
			a = a[1:]
		case len(a) == 0 || b[0].o < a[0].o:
			out = append(out, target{b[0].o, st.And(st.Not(c), b[0].cond), b[0].off})
			b = b[1:]
		default:
			out = append(out, target{a[0].o, st.Ite(c, a[0].cond, b[0].cond), st.Ite(c, a[0].off, b[0].off)})
			a, b = a[1:], b[1:]
		}
	}
	return out
}

// unknownTargets treats an object term that is neither constant nor a choice:
// the object of a cast integer, or an element read from an array of pointers.
func (s *State) unknownTargets(ob, off, guard term.ID) []target {
	sp := s.space
	st := sp.Store
	if lf, ok := sp.resolved[ob]; ok {
		return s.resolvedTargets(ob, off, guard, lf)
	}
	var candidates []ObjectID
	all := false
	if st.Op(ob) == term.OpSelect {
		seen := map[term.ID]bool{}
		found := map[ObjectID]bool{}
		all = !sp.storedObjects(st.Arg(ob, 0), seen, found)
		if !all {
			for o := range found {
				candidates = append(candidates, o)
			}
			sortObjects(candidates)
		}
	} else {
		all = true
	}
	if all {
		candidates = candidates[:0]
		s.Each(func(o ObjectID) { candidates = append(candidates, o) })
		for o := 1; s.functions && o < len(sp.objects); o++ {
			if sp.objects[o].Kind == FunctionObject {
				candidates = append(candidates, ObjectID(o))
			}
		}
		sortObjects(candidates)
	}
	if len(candidates) > maxTargets {
		sp.giveUp(guard, "a pointer of unknown target among %d objects", len(candidates))
		return []target{{0, st.True(), off}}
	}
	none := st.True()
	lf, isLeaf := sp.leaves[ob]
	var ts []target
	for _, o := range candidates {
		if o == 0 {
			continue
		}
		is := st.Eq(ob, sp.name(o))
		if st.IsFalse(is) {
			continue
		}
		if isLeaf {
			sp.leafFact(ob, lf, o)
		}
		none = st.And(none, st.Not(is))
		ts = append(ts, target{o, is, off})
	}
	if isLeaf {
		// An address inside a live object is not one to nothing, nor the end of
		// another live one; but it may be that of an object which was there before.
		dead := st.Not(st.Eq(ob, sp.name(0)))
		for _, t := range ts {
			dead = st.And(dead, st.Not(st.And(t.cond, s.aliveOrFunction(t.o))))
		}
		for _, t := range ts {
			inside := st.ULt(st.Sub(lf.address, sp.base(t.o)), sp.objects[t.o].Size)
			sp.fact(st.Implies(st.AndAll(guard, s.aliveOrFunction(t.o), inside), st.Or(t.cond, dead)))
		}
	}
	return append([]target{{0, none, off}}, ts...)
}

// resolvedTargets lists what a pointer made from an integer points to; the
// facts are those of the state at the cast (A4).
func (s *State) resolvedTargets(ob, off, guard term.ID, lf *leaf) []target {
	sp := s.space
	st := sp.Store
	if lf.targets == nil {
		domain := st.Eq(ob, sp.name(0))
		for _, r := range sp.functionNames() {
			domain = st.Or(domain, st.And(st.ULe(sp.name(r[0]), ob), st.ULe(ob, sp.name(r[1]))))
		}
		n := 0
		lf.at.Each(func(ObjectID) { n++ })
		if n > maxTargets {
			sp.giveUp(guard, "a pointer of unknown target among %d objects", n)
			n = 0
		} else {
			lf.at.Each(func(o ObjectID) {
				alive := lf.at.Alive(o)
				if st.IsFalse(alive) {
					return
				}
				is := st.Eq(ob, sp.name(o))
				d := st.Sub(lf.address, sp.base(o))
				sp.fact(st.Implies(is, st.AndAll(alive, st.Eq(lf.offset, d), st.ULe(d, sp.objects[o].Size))))
				domain = st.Or(domain, is)
				lf.targets = append(lf.targets, o)
			})
			sp.fact(domain)
		}
		if lf.targets == nil {
			lf.targets = []ObjectID{}
		}
	}
	for _, g := range lf.guards[lf.told:] {
		for _, o := range lf.targets {
			d := st.Sub(lf.address, sp.base(o))
			sp.fact(st.Implies(st.AndAll(g, lf.at.Alive(o), st.ULt(d, sp.objects[o].Size)), st.Eq(ob, sp.name(o))))
		}
	}
	lf.told = len(lf.guards)
	none := st.True()
	var ts []target
	add := func(o ObjectID) {
		if is := st.Eq(ob, sp.name(o)); !st.IsFalse(is) {
			none = st.And(none, st.Not(is))
			ts = append(ts, target{o, is, off})
		}
	}
	for _, o := range lf.targets {
		add(o)
	}
	if s.functions {
		for o := 1; o < len(sp.objects); o++ {
			if o := ObjectID(o); sp.objects[o].Kind == FunctionObject {
				sp.leafFact(ob, *lf, o)
				add(o)
			}
		}
		slices.SortFunc(ts, func(a, b target) int { return int(a.o) - int(b.o) })
	}
	return append([]target{{0, none, off}}, ts...)
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

// storedObjects collects the objects named in an array of objects; false if
// one of them is not a constant choice.
func (sp *Space) storedObjects(array term.ID, seen map[term.ID]bool, found map[ObjectID]bool) bool {
	st := sp.Store
	stack := []term.ID{array}
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[t] {
			continue
		}
		seen[t] = true
		switch st.Op(t) {
		case term.OpStore:
			stack = append(stack, st.Arg(t, 0), st.Arg(t, 2))
		case term.OpIte:
			stack = append(stack, st.Arg(t, 1), st.Arg(t, 2))
		case term.OpConstArray:
			stack = append(stack, st.Arg(t, 0))
		case term.OpSelect:
			stack = append(stack, st.Arg(t, 0))
		case term.OpConst:
			o, _ := st.ConstUint64(t)
			found[ObjectID(o)] = true
		default:
			return false
		}
	}
	return true
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

func (sp *Space) newLeaf(lf leaf, name string) Value {
	st := sp.Store
	ob := st.Var("pointee!"+name, term.BitVec(ObjectBits))
	lf.offset = st.Var("pointer!"+name, term.BitVec(sp.PointerBits))
	sp.madeFrom[ob], sp.madeFrom[lf.offset] = lf.address, lf.address
	if lf.at == nil {
		sp.leaves[ob] = lf
	} else {
		sp.resolved[ob] = &lf
	}
	sp.fact(st.Implies(st.Eq(ob, sp.name(0)), st.Eq(lf.offset, lf.address)))
	return Value{Object: ob, Offset: lf.offset}
}

// settle resolves the floating pointers among the choices of p.
func (s *State) settle(p Value, guard term.ID) Value {
	sp := s.space
	st := sp.Store
	if len(sp.leaves) == 0 {
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
			if lf, ok := sp.leaves[p.Object]; ok {
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
		v = sp.newLeaf(leaf{address: address, at: s.Fork()}, fmt.Sprintf("%d!%d", address, s.epoch))
		sp.pointees[key] = v
	}
	if lf := sp.resolved[v.Object]; !slices.Contains(lf.guards, guard) {
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

// leaf finds what a pointer variable was made of.
func (sp *Space) leaf(ob term.ID) (leaf, bool) {
	if lf, ok := sp.resolved[ob]; ok {
		return *lf, true
	}
	lf, ok := sp.leaves[ob]
	return lf, ok
}

// Address gives the integer from which a pointer was made, if v is the object
// or the offset variable of such a pointer.
func (sp *Space) Address(v term.ID) (term.ID, bool) {
	a, ok := sp.madeFrom[v]
	return a, ok
}

// leafFact is (A4) for one object.
func (sp *Space) leafFact(ob term.ID, lf leaf, o ObjectID) {
	key := [2]uint32{uint32(ob), uint32(o)}
	if sp.leafFacts[key] {
		return
	}
	sp.leafFacts[key] = true
	st := sp.Store
	d := st.Sub(lf.address, sp.base(o))
	sp.fact(st.Implies(st.Eq(ob, sp.name(o)), st.And(st.Eq(lf.offset, d), st.ULe(d, sp.objects[o].Size))))
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
		} else if lf, ok := sp.leaf(ob); ok {
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

// Add moves a pointer by a pointer-wide number of bytes.
func (sp *Space) Add(p Value, n term.ID) Value {
	return Value{Object: p.Object, Offset: sp.Store.Add(p.Offset, n)}
}

// inside says whether p is null or points into a live object, the end
// excluded: then its address differs from that of every other such pointer
// into another object.
func (s *State) inside(ts []target) term.ID {
	sp := s.space
	st := sp.Store
	bad := st.False()
	for _, t := range ts {
		var ok term.ID
		if t.o == 0 {
			ok = st.Eq(t.off, sp.word(0))
		} else {
			ok = st.And(s.aliveOrFunction(t.o), st.ULt(t.off, sp.objects[t.o].Size))
		}
		bad = st.Or(bad, st.And(t.cond, st.Not(ok)))
	}
	return st.Not(bad)
}

// awayFrom says, for a constant null pointer q, that every object among the
// targets is pointed into or to its end: by (A1) that is no address of the
// first page, whether the object lives or not.
func (s *State) awayFrom(ts []target, q Value) term.ID {
	sp := s.space
	st := sp.Store
	if a, ok := st.ConstUint64(q.Offset); !ok || a >= page || q.Object != sp.name(0) {
		return st.False()
	}
	bad := st.False()
	for _, t := range ts {
		if t.o != 0 { // bare addresses are compared as offsets of object 0
			bad = st.Or(bad, st.And(t.cond, st.Not(st.ULe(t.off, sp.objects[t.o].Size))))
		}
	}
	return st.Not(bad)
}

func (s *State) aliveOrFunction(o ObjectID) term.ID {
	if s.space.objects[o].Kind == FunctionObject {
		return s.space.Store.True()
	}
	return s.Alive(o)
}

// liveFacts adds (A3) for the live objects among the targets of two pointers.
func (s *State) liveFacts(guard term.ID, ts ...[]target) {
	sp := s.space
	st := sp.Store
	seen := map[ObjectID]bool{}
	var list []ObjectID
	for _, l := range ts {
		for _, t := range l {
			if t.o != 0 && !seen[t.o] {
				seen[t.o] = true
				list = append(list, t.o)
			}
		}
	}
	for i, a := range list {
		for _, b := range list[i+1:] {
			sp.fact(st.Implies(st.AndAll(guard, s.aliveOrFunction(a), s.aliveOrFunction(b)), sp.disjoint(a, b)))
		}
	}
}

// Equal compares two pointers by address.
func (s *State) Equal(p, q Value, guard term.ID) term.ID {
	sp := s.space
	st := sp.Store
	same := st.Eq(p.Object, q.Object)
	offsets := st.Eq(p.Offset, q.Offset)
	if st.IsTrue(same) {
		return offsets
	}
	tp, tq := s.targets(p, guard), s.targets(q, guard)
	apart := st.Or(st.And(s.inside(tp), s.inside(tq)), st.Or(s.awayFrom(tp, q), s.awayFrom(tq, p)))
	differ := st.False()
	if !st.IsTrue(apart) {
		s.liveFacts(guard, tp, tq)
		differ = st.And(st.Not(apart), st.Eq(sp.PtrToInt(p), sp.PtrToInt(q)))
	}
	// The common targets, each compared by offset: keeps the case split small.
	eq := st.Or(st.And(same, offsets), st.And(st.Not(same), differ))
	return eq
}

// Less compares addresses: p < q, or p <= q.
func (s *State) Less(p, q Value, orEqual bool, guard term.ID) term.ID {
	sp := s.space
	st := sp.Store
	cmp := st.ULt
	if orEqual {
		cmp = st.ULe
	}
	byAddress := func() term.ID {
		tp, tq := s.targets(p, guard), s.targets(q, guard)
		s.liveFacts(guard, tp, tq)
		return cmp(sp.PtrToInt(p), sp.PtrToInt(q))
	}
	if !st.IsTrue(st.Eq(p.Object, q.Object)) {
		return byAddress()
	}
	o, ok := st.ConstUint64(p.Object)
	if !ok {
		return byAddress()
	}
	if o == 0 {
		return cmp(p.Offset, q.Offset)
	}
	size := sp.objects[o].Size
	within := st.And(st.ULe(p.Offset, size), st.ULe(q.Offset, size))
	if st.IsTrue(within) {
		return cmp(p.Offset, q.Offset)
	}
	return st.Ite(within, cmp(p.Offset, q.Offset), byAddress())
}
