// This file adds facts about addresses and wild pointers where a model breaks
// them: there are far too many to state them all, and most do not matter.
//
// (A3): two objects that are alive at the same time are so when the later of them
// comes to life.
//
// (A4): what a bare address points to in a state is an object that is alive in it and
// holds the address; and if some live object holds it, that one.
//
// Reads through wild pointers: if the pointer points to an object, the read is
// valid if it would be, and then has the value, as for any other pointer.
package memory

import (
	"cmp"
	"slices"

	"assay/internal/logic/bv"
	"assay/internal/logic/term"
)

// Correct looks for facts that a model breaks, and adds them. It says whether it
// found any.
func (sp *Space) Correct(value func(term.ID) bv.BV) bool {
	before := len(sp.facts)
	for _, p := range sp.pointees {
		sp.correctCast(p, value)
	}
	for i := range sp.reads {
		sp.correctRead(&sp.reads[i], value)
	}
	sp.separate(value)
	return len(sp.facts) > before
}

// broken adds a fact if the model breaks it.
func (sp *Space) broken(value func(term.ID) bv.BV, fact term.ID) {
	if value(fact).IsZero() {
		sp.fact(fact)
	}
}

// correctCast treats (A4).
func (sp *Space) correctCast(p *pointee, value func(term.ID) bv.BV) {
	st := sp.Store
	matters := false
	for _, g := range p.guards {
		matters = matters || !value(g).IsZero()
	}
	if !matters {
		return
	}
	ob, offset := p.object, st.Sub(p.address, p.base)
	pointee := ObjectID(value(ob).Uint64())
	is := st.Eq(ob, sp.name(pointee))
	switch {
	case pointee == 0:
		sp.broken(value, st.Implies(is, st.Eq(p.base, sp.word(0))))
	case int(pointee) < len(sp.objects) && (p.at.Has(pointee) || sp.objects[pointee].Kind == FunctionObject):
		sp.broken(value, st.Implies(is, st.AndAll(p.at.aliveOrFunction(pointee), st.Eq(p.base, sp.base(pointee)), st.ULt(offset, sp.extent(pointee)))))
	default:
		domain := st.Eq(ob, sp.name(0))
		for _, r := range sp.functionNames() {
			domain = st.Or(domain, st.And(st.ULe(sp.name(r[0]), ob), st.ULe(ob, sp.name(r[1]))))
		}
		p.at.Each(func(o ObjectID) { domain = st.Or(domain, st.Eq(ob, sp.name(o))) })
		sp.fact(domain)
	}
	address := value(p.address).Uint64()
	p.at.Each(func(o ObjectID) {
		if o == pointee || sp.objects[o].base == 0 {
			return
		}
		base, size := value(sp.base(o)).Uint64(), max(1, value(sp.objects[o].Size).Uint64())
		if address < base || address-base >= size || value(p.at.Alive(o)).IsZero() {
			return
		}
		inside := st.ULt(st.Sub(p.address, sp.base(o)), sp.extent(o))
		for _, g := range p.guards {
			sp.broken(value, st.Implies(st.AndAll(g, p.at.Alive(o), inside), st.Eq(ob, sp.name(o))))
		}
	})
}

// correctRead treats a read through a wild pointer.
func (sp *Space) correctRead(r *wildRead, value func(term.ID) bv.BV) {
	if value(r.guard).IsZero() {
		return
	}
	st := sp.Store
	pointee := ObjectID(value(r.p.Object).Uint64())
	here := st.And(r.guard, st.Eq(r.p.Object, sp.name(pointee)))
	t := target{pointee, st.True(), r.p.Offset}
	valid := st.False()
	if r.at.Has(pointee) {
		valid = r.at.valid(t, sp.word(uint64(r.n)), false)
	}
	sp.broken(value, st.Implies(here, st.Eq(r.ok, valid)))
	if value(valid).IsZero() {
		return
	}
	gave := len(sp.gaveUp)
	here = st.And(here, valid)
	x := r.at.read(pointee, r.p.Offset, r.n, r.pointer, here)
	for _, g := range sp.gaveUp[gave:] { // there it stays arbitrary
		here = st.And(here, st.Not(g.Cond))
	}
	sp.gaveUp = sp.gaveUp[:gave]
	var same term.ID
	if r.pointer {
		if !x.IsPointer() {
			x = sp.IntToPtr(x.Bits)
		}
		same = st.AndAll(st.Eq(r.value.Object, x.Object), st.Eq(r.value.Offset, x.Offset), st.Eq(sp.PtrToInt(r.value), sp.PtrToInt(x)))
	} else {
		same = st.Eq(r.value.Bits, sp.bits(x))
	}
	sp.broken(value, st.Implies(here, same))
}

// separate treats (A3).
func (sp *Space) separate(value func(term.ID) bv.BV) {
	type placed struct {
		o         ObjectID
		base, end uint64
	}
	var list []placed
	for o := 1; o < len(sp.objects); o++ {
		if ob := &sp.objects[o]; ob.base != 0 {
			b := value(ob.base).Uint64()
			size := max(1, value(ob.Size).Uint64())
			end := b + size
			if end < b {
				end = ^uint64(0)
			}
			list = append(list, placed{ObjectID(o), b, end})
		}
	}
	slices.SortFunc(list, func(x, y placed) int { return cmp.Compare(x.base, y.base) })
	births := map[ObjectID][]birth{}
	alive := map[ObjectID][]term.ID{}
	function := func(o ObjectID) bool { return sp.objects[o].Kind == FunctionObject }
	apart := func(b birth, o ObjectID) {
		both := b.guard
		if !function(o) {
			if alive[o] == nil {
				alive[o] = sp.aliveAt(o)
			}
			both = sp.Store.And(both, alive[o][b.epoch])
		}
		if !value(both).IsZero() {
			sp.fact(sp.Store.Implies(both, sp.disjoint(b.object, o)))
		}
	}
	for i, x := range list {
		for _, y := range list[i+1:] {
			if y.base >= x.end {
				break
			}
			if function(x.o) && function(y.o) {
				sp.fact(sp.disjoint(x.o, y.o))
			}
			if len(births) == 0 {
				for _, b := range sp.births {
					births[b.object] = append(births[b.object], b)
				}
			}
			for _, b := range births[x.o] {
				apart(b, y.o)
			}
			for _, b := range births[y.o] {
				apart(b, x.o)
			}
		}
	}
}
