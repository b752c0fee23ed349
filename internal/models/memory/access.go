// This file implements the memory operations of the IR on a State: each is a
// case split over the targets of its pointer, exact in every case.
package memory

import (
	"slices"

	"assay/internal/logic/term"
)

func sortObjects(s []ObjectID) { slices.Sort(s) }

// maxSplit bounds the case split over the offsets of a small object.
const maxSplit = 64

// cellsEnd is the offset below which an object may have cells, whose offsets have 32 bits; an access beyond makes its
// content an array.
const cellsEnd = 1 << 31

// inBounds says that n bytes at off lie in the object.
func (sp *Space) inBounds(o ObjectID, off, n term.ID) term.ID {
	st := sp.Store
	ob := &sp.objects[o]
	return st.And(st.ULe(n, ob.Size), st.ULe(off, st.Sub(ob.Size, n)))
}

// valid says whether n bytes at the target may be read, or written.
func (s *State) valid(t target, n term.ID, write bool) term.ID {
	sp := s.space
	st := sp.Store
	if t.o == 0 {
		return st.Eq(n, sp.word(0))
	}
	ob := &sp.objects[t.o]
	if ob.Kind == FunctionObject || write && ob.ReadOnly {
		return st.Eq(n, sp.word(0))
	}
	return st.And(s.Alive(t.o), sp.inBounds(t.o, t.off, n))
}

// allValid combines the validity of all targets.
func (s *State) allValid(ts []target, n term.ID, write bool) term.ID {
	st := s.space.Store
	bad := st.False()
	for _, t := range ts {
		bad = st.Or(bad, st.And(t.cond, st.Not(s.valid(t, n, write))))
	}
	return st.Not(bad)
}

// Valid says whether a read (or write) of n bytes (pointer-wide) at p is valid;
// no bytes at all are always valid.
func (s *State) Valid(p Value, n term.ID, write bool, guard term.ID) term.ID {
	st := s.space.Store
	return st.Or(st.Eq(n, s.space.word(0)), s.allValid(s.targets(p, guard), n, write))
}

// Load reads n bytes at p, as a pointer if pointer. Where valid does not hold
// the value means nothing. The key names the read.
func (s *State) Load(key Key, p Value, n uint32, pointer bool, guard term.ID) (v Value, valid term.ID) {
	sp := s.space
	st := sp.Store
	size := sp.word(uint64(n))
	ps := s.split(p, guard)
	bad := st.False()
	have := false
	for _, t := range ps.certain {
		ok := s.valid(t, size, false)
		bad = st.Or(bad, st.And(t.cond, st.Not(ok)))
		if st.IsFalse(ok) || st.IsFalse(t.cond) || s.get(t.o) == nil {
			continue
		}
		x := s.read(t.o, t.off, n, pointer, st.AndAll(guard, t.cond, ok))
		if pointer && !x.IsPointer() {
			x = sp.IntToPtr(x.Bits)
		}
		if !pointer {
			x = Value{Bits: sp.bits(x)}
		}
		if have {
			v = sp.Ite(t.cond, x, v)
		} else {
			v, have = x, true
		}
	}
	switch {
	case !have && pointer:
		v = sp.Null()
	case !have:
		v = Value{Bits: st.ConstU(8*n, 0)}
	}
	if !st.IsFalse(ps.cond) {
		r := s.readWild(key, s.resolve(ps.wild, guard), n, pointer, st.And(guard, ps.cond))
		bad = st.Or(bad, st.And(ps.cond, st.Not(r.ok)))
		if have {
			v = sp.Ite(ps.cond, r.value, v)
		} else {
			v = r.value
		}
	}
	return v, st.Not(bad)
}

// read reads from one object; cond is where the result matters.
func (s *State) read(o ObjectID, off term.ID, n uint32, pointer bool, cond term.ID) Value {
	sp := s.space
	st := sp.Store
	c := s.get(o)
	if k, ok := st.ConstUint64(off); ok {
		if ob := &sp.objects[o]; ob.Sized && k+uint64(n) > ob.ConstSize {
			return Value{Bits: st.ConstU(8*n, 0)} // never valid
		}
		if c.array == 0 && k < cellsEnd {
			return sp.readCells(o, c, k, n)
		}
	}
	if c.array == 0 {
		if at, ok := sp.positions(o, off, n); ok {
			v := Value{Bits: st.ConstU(8*n, 0)}
			for i, k := range at {
				x := sp.readCells(o, c, k, n)
				if pointer && !x.IsPointer() {
					x = sp.IntToPtr(x.Bits)
				}
				if !pointer {
					x = Value{Bits: sp.bits(x)}
				}
				if i == 0 {
					v = x
				} else {
					v = sp.Ite(st.Eq(off, sp.word(k)), x, v)
				}
			}
			return v
		}
		c = s.own(o)
		sp.toArray(o, c, n)
	}
	return sp.readArray(o, c, off, n, pointer, cond)
}

// positions lists the offsets that a valid access of n bytes can have, if they
// are few.
func (sp *Space) positions(o ObjectID, off term.ID, n uint32) ([]uint64, bool) {
	st := sp.Store
	ob := &sp.objects[o]
	if !ob.Sized {
		return nil, false
	}
	if ob.ConstSize < uint64(n) {
		return nil, true // no access is valid
	}
	step := uint64(1) << min(st.TrailingZeros(off), 20)
	lo, hi := uint64(0), ob.ConstSize-uint64(n)
	first := uint64(0)
	if l, h, ok := st.UnsignedRange(off); ok {
		lo, hi = max(lo, l), min(hi, h)
	}
	if zeros, ones, ok := st.KnownBits(off); ok {
		// Low bits that are known fix the residue.
		known := zeros | ones
		for step < 1<<20 && known&step != 0 {
			first |= ones & step
			step <<= 1
		}
	}
	if lo > first {
		first += (lo - first + step - 1) / step * step
	}
	if first > hi {
		return nil, true
	}
	if (hi-first)/step >= maxSplit || hi >= cellsEnd {
		return nil, false
	}
	var at []uint64
	for k := first; k <= hi; k += step {
		at = append(at, k)
	}
	return at, true
}

// StoreTo writes the n bytes of v at p; an invalid write has no effect.
func (s *State) StoreTo(p, v Value, n uint32, guard term.ID) (valid term.ID) {
	sp := s.space
	st := sp.Store
	size := sp.word(uint64(n))
	bad := st.False()
	ps := s.split(p, guard)
	for _, t := range ps.certain {
		ok := s.valid(t, size, true)
		bad = st.Or(bad, st.And(t.cond, st.Not(ok)))
		if cond := st.And(t.cond, ok); !st.IsFalse(cond) && s.get(t.o) != nil {
			s.write(cond, t.o, t.off, n, v)
		}
	}
	if st.IsFalse(ps.cond) {
		return st.Not(bad)
	}
	for _, t := range s.wildTargets(s.resolve(ps.wild, guard), guard, map[Value][]target{}) {
		ok := s.valid(t, size, true)
		t.cond = st.And(ps.cond, t.cond)
		bad = st.Or(bad, st.And(t.cond, st.Not(ok)))
		if cond := st.And(t.cond, ok); !st.IsFalse(cond) && s.get(t.o) != nil {
			s.writeWild(cond, t.o, t.off, n, v, guard)
		}
	}
	return st.Not(bad)
}

// write writes to one object where cond holds, which implies validity.
func (s *State) write(cond term.ID, o ObjectID, off term.ID, n uint32, v Value) {
	sp := s.space
	st := sp.Store
	c := s.own(o)
	if k, ok := st.ConstUint64(off); ok {
		if ob := &sp.objects[o]; ob.Sized && k+uint64(n) > ob.ConstSize {
			return
		}
		if c.array == 0 && k < cellsEnd {
			sp.writeCells(cond, o, c, k, n, v)
			return
		}
	}
	if c.array == 0 {
		if at, ok := sp.positions(o, off, n); ok {
			for _, k := range at {
				sp.writeCells(st.And(cond, st.Eq(off, sp.word(k))), o, c, k, n, v)
			}
			return
		}
		sp.toArray(o, c, n)
	}
	sp.writeArray(cond, o, c, off, n, v)
}

// maxCopy bounds the bytes that one MemCpy, MemSet or Havoc treats piece by
// piece, maxSymbolicCopy those of a length that is not constant.
const (
	maxCopy         = 1 << 18
	maxSymbolicCopy = 1 << 11
)

func (sp *Space) tooLong(hi uint64, constant bool) bool {
	if constant {
		return hi > maxCopy || sp.onlySpans
	}
	return hi > maxSymbolicCopy || sp.onlySpans
}

// piece is the size of the pieces into which a range of n bytes is cut: the
// greatest power of two up to a pointer that divides the offsets and n.
func (sp *Space) piece(n uint64, offs ...term.ID) uint32 {
	step := uint32(sp.PointerBits / 8)
	for _, off := range offs {
		step = min(step, 1<<min(sp.Store.TrailingZeros(off), 3))
	}
	for n%uint64(step) != 0 {
		step /= 2
	}
	return step
}

// length bounds a symbolic length by its known range and the targets' sizes.
func (s *State) length(n term.ID, ts ...[]target) (hi uint64, ok bool) {
	sp := s.space
	if _, h, ranged := sp.Store.UnsignedRange(n); ranged {
		hi, ok = h, true
	}
	for _, l := range ts {
		most, all := uint64(0), true
		for _, t := range l {
			if t.o == 0 {
				continue
			}
			if ob := &sp.objects[t.o]; ob.Sized {
				most = max(most, ob.ConstSize)
			} else {
				all = false
			}
		}
		if all && (!ok || most < hi) {
			hi, ok = most, true
		}
	}
	return hi, ok
}

// each runs f for the pieces of the range [0, n) that cond covers: f gets the
// offset of a piece, its size and the condition that it belongs to the range.
func (s *State) each(cond, n term.ID, hi uint64, step uint32, f func(i uint64, m uint32, in term.ID)) {
	st := s.space.Store
	if c, ok := st.ConstUint64(n); ok {
		for i := uint64(0); i < c; i += uint64(step) {
			f(i, step, cond)
		}
		return
	}
	for i := uint64(0); i < hi; i++ {
		in := st.And(cond, st.ULt(s.space.word(i), n))
		if st.IsFalse(in) {
			return
		}
		f(i, 1, in)
	}
}

// Copy copies n bytes from src to dst as memmove does; if the source or the
// destination is not valid nothing is written.
func (s *State) Copy(dst, src Value, n term.ID, guard term.ID) (validDst, validSrc term.ID) {
	sp := s.space
	st := sp.Store
	zero := st.Eq(n, sp.word(0))
	td, ts := s.targets(dst, guard), s.targets(src, guard)
	validDst = st.Or(zero, s.allValid(td, n, true))
	validSrc = st.Or(zero, s.allValid(ts, n, false))
	ok := st.AndAll(validDst, validSrc, st.Not(zero))
	if st.IsFalse(ok) {
		return
	}
	hi, bounded := s.length(n, td, ts)
	c, isConst := st.ConstUint64(n)
	if isConst {
		hi, bounded = c, true
	}
	long := !bounded || sp.tooLong(hi, isConst)
	from := s.Fork()
	for _, d := range td {
		if d.o == 0 || sp.objects[d.o].Kind == FunctionObject {
			continue
		}
		for _, f := range ts {
			if f.o == 0 || sp.objects[f.o].Kind == FunctionObject {
				continue
			}
			cond := st.AndAll(ok, d.cond, f.cond)
			if st.IsFalse(cond) || s.get(d.o) == nil || from.get(f.o) == nil {
				continue
			}
			if long {
				if !s.cover(d.o, span{cond, d.off, n}, from.content(f.o, f.off, n)) {
					sp.giveUp(st.And(guard, cond), "a copy of a number of bytes that nothing bounds, of what was copied before")
				}
				continue
			}
			step := uint32(1)
			if isConst {
				if s.copyCells(cond, d, f, from, c) {
					continue
				}
				step = sp.piece(c, d.off, f.off)
			}
			s.each(cond, n, hi, step, func(i uint64, m uint32, in term.ID) {
				w := sp.word(i)
				v := from.read(f.o, st.Add(f.off, w), m, false, in)
				s.write(in, d.o, st.Add(d.off, w), m, v)
			})
		}
	}
	return
}

// copyCells copies between constant places of two cell contents, cell by cell,
// so that pointers and wide values stay whole.
func (s *State) copyCells(cond term.ID, d, f target, from *State, n uint64) bool {
	sp := s.space
	st := sp.Store
	kd, okd := st.ConstUint64(d.off)
	kf, okf := st.ConstUint64(f.off)
	cf := from.get(f.o)
	if !okd || !okf || cf == nil || cf.array != 0 || s.get(d.o) == nil || s.get(d.o).array != 0 {
		return false
	}
	beyond := func(o ObjectID, k uint64) bool {
		ob := &sp.objects[o]
		return ob.Sized && (k > ob.ConstSize || n > ob.ConstSize-k)
	}
	if beyond(d.o, kd) || beyond(f.o, kf) {
		return true // never valid
	}
	if max(kd, kf) >= cellsEnd {
		return false
	}
	c := s.own(d.o)
	word := uint64(sp.PointerBits / 8)
	for i := uint64(0); i < n; {
		m := uint64(1)
		if x, ok := cf.cells.get(uint32(kf + i)); ok && i+uint64(x.n) <= n {
			m = uint64(x.n)
		} else {
			e := uint64(sp.elem(f.o, uint32(word)))
			if sp.objects[f.o].Layout.Pointers && (kf+i)%word == 0 {
				e = word
			}
			m = e - (kf+i)%e
			m = min(m, n-i)
			for j := uint64(1); j < m; j++ {
				if _, ok := cf.cells.get(uint32(kf + i + j)); ok {
					m = j
				}
			}
		}
		sp.writeCells(cond, d.o, c, kd+i, uint32(m), sp.readCells(f.o, cf, kf+i, uint32(m)))
		i += m
	}
	return true
}

// Fill sets n bytes at p to the byte b.
func (s *State) Fill(p Value, b, n term.ID, guard term.ID) (valid term.ID) {
	st := s.space.Store
	return s.fill(p, n, guard, func(i uint64, m uint32) Value {
		v := b
		for k := uint32(1); k < m; k++ {
			v = st.Concat(v, b)
		}
		return Value{Bits: v}
	}, func(ObjectID) source { return s.space.repeated(b) })
}

// fill writes content, piece by piece, or as a span if the range is too long for that.
func (s *State) fill(p Value, n term.ID, guard term.ID, content func(i uint64, m uint32) Value, long func(ObjectID) source) (valid term.ID) {
	sp := s.space
	st := sp.Store
	zero := st.Eq(n, sp.word(0))
	ts := s.targets(p, guard)
	valid = st.Or(zero, s.allValid(ts, n, true))
	ok := st.And(valid, st.Not(zero))
	if st.IsFalse(ok) {
		return valid
	}
	hi, bounded := s.length(n, ts)
	c, isConst := st.ConstUint64(n)
	if isConst {
		hi, bounded = c, true
	}
	for _, t := range ts {
		cond := st.And(ok, t.cond)
		if t.o == 0 || sp.objects[t.o].Kind == FunctionObject || st.IsFalse(cond) || s.get(t.o) == nil {
			continue
		}
		if !bounded || sp.tooLong(hi, isConst) {
			if !s.cover(t.o, span{cond, t.off, n}, long(t.o)) {
				sp.giveUp(st.And(guard, cond), "a fill of a number of bytes that nothing bounds, of what was copied before")
			}
			continue
		}
		step := uint32(1)
		if isConst {
			step = sp.piece(c, t.off)
		}
		s.each(cond, n, hi, step, func(i uint64, m uint32, in term.ID) {
			s.write(in, t.o, st.Add(t.off, sp.word(i)), m, content(i, m))
		})
	}
	return valid
}

// Zero sets the whole object at p to zero bytes if p is the constant start of
// an object of n bytes; otherwise it is Fill.
func (s *State) Zero(p Value, n term.ID, guard term.ID) (valid term.ID) {
	sp := s.space
	st := sp.Store
	if o, off, ok := sp.constantPlace(p); ok && off == 0 && o != 0 && sp.objects[o].Size == n && !sp.objects[o].ReadOnly && st.IsTrue(s.Alive(o)) {
		s.create(o, origin{kind: originZero}, guard)
		return st.True()
	}
	return s.Fill(p, st.ConstU(8, 0), n, guard)
}

func (sp *Space) constantPlace(p Value) (o ObjectID, off uint64, ok bool) {
	a, oka := sp.Store.ConstUint64(p.Object)
	b, okb := sp.Store.ConstUint64(p.Offset)
	return ObjectID(a), b, oka && okb
}

// Havoc gives n bytes at p the arbitrary content of a generation.
func (s *State) Havoc(p Value, n term.ID, gen Generation, guard term.ID) (valid term.ID) {
	sp := s.space
	st := sp.Store
	if o, off, ok := sp.constantPlace(p); ok && off == 0 && o != 0 && sp.objects[o].Size == n && !sp.objects[o].ReadOnly && st.IsTrue(s.Alive(o)) {
		s.CreateArbitrary(o, gen, guard)
		return st.True()
	}
	return s.fill(p, n, guard, func(i uint64, m uint32) Value {
		return Value{Bits: sp.readGeneration(gen, 1, i, m)}
	}, func(o ObjectID) source { return sp.arbitrary(gen, sp.elem(o, 1)) })
}

// SetAlive begins (with arbitrary content) or ends the life of the stack
// objects that p points to.
func (s *State) SetAlive(p Value, alive bool, gen func(ObjectID) Generation, guard term.ID) {
	sp := s.space
	st := sp.Store
	for _, t := range s.targets(p, guard) {
		if t.o == 0 || sp.objects[t.o].Kind != StackObject || s.get(t.o) == nil {
			continue
		}
		if st.IsTrue(t.cond) {
			if alive {
				s.CreateArbitrary(t.o, gen(t.o), guard)
			} else {
				s.die(t.o, st.True())
			}
			continue
		}
		if alive {
			s.birth(t.o, t.cond, guard)
			c := s.own(t.o)
			old := *c
			fresh := Content{owner: newOwner(), alive: st.True(), origin: origin{kind: originArbitrary, gen: gen(t.o)}}
			c.origin, c.cells, c.array, c.objects = fresh.origin, pmap[cell]{owner: newOwner()}, 0, 0
			sp.joinContent(t.cond, t.o, c, &fresh, &old)
		} else {
			s.die(t.o, t.cond)
		}
	}
}

// Kill ends the life of an object.
func (s *State) Kill(o ObjectID) {
	if s.Has(o) {
		s.die(o, s.space.Store.True())
	}
}

// Free frees the heap object that starts at p; null is nothing to free.
// valid says that p is null or such a start; otherwise nothing happens.
func (s *State) Free(p Value, guard term.ID) (valid term.ID) {
	sp := s.space
	st := sp.Store
	bad := st.False()
	for _, t := range s.targets(p, guard) {
		start := st.Eq(t.off, sp.word(0))
		if t.o == 0 {
			bad = st.Or(bad, st.And(t.cond, st.Not(start)))
			continue
		}
		ok := st.False()
		if sp.objects[t.o].Kind == HeapObject {
			ok = st.And(s.Alive(t.o), start)
		}
		bad = st.Or(bad, st.And(t.cond, st.Not(ok)))
		if !st.IsFalse(ok) {
			s.die(t.o, st.And(t.cond, ok))
		}
	}
	return st.Not(bad)
}

// Cede gives up the place of the heap object that starts at p: what comes to life from
// now on may lie there. The result is the same pointer, by its object.
func (s *State) Cede(p Value, guard term.ID) Value {
	sp := s.space
	st := sp.Store
	ps := s.split(p, guard)
	q := sp.Null()
	if !st.IsFalse(ps.cond) {
		q = s.resolve(ps.wild, guard)
	}
	for _, t := range ps.certain {
		q = sp.Ite(t.cond, Value{Object: sp.name(t.o), Offset: t.off}, q)
	}
	for _, t := range s.targets(p, guard) {
		if t.o == 0 || sp.objects[t.o].Kind != HeapObject {
			continue
		}
		cond := st.AndAll(t.cond, s.Alive(t.o), st.Eq(t.off, sp.word(0)))
		if !st.IsFalse(cond) {
			s.turn(died, uint32(t.o), uint32(cond))
		}
	}
	return q
}

// IsHeapStart says whether p is the start of a live heap object.
func (s *State) IsHeapStart(p Value, guard term.ID) term.ID {
	sp := s.space
	st := sp.Store
	r := st.False()
	for _, t := range s.targets(p, guard) {
		if t.o != 0 && sp.objects[t.o].Kind == HeapObject {
			r = st.Or(r, st.AndAll(t.cond, s.Alive(t.o), st.Eq(t.off, sp.word(0))))
		}
	}
	return r
}

// Size is the size of the object that p points to, 0 for none.
func (s *State) Size(p Value, guard term.ID) term.ID {
	sp := s.space
	st := sp.Store
	r := sp.word(0)
	for _, t := range s.targets(p, guard) {
		if t.o != 0 {
			r = st.Ite(t.cond, sp.objects[t.o].Size, r)
		}
	}
	return r
}

// Offset is the offset of p in the object that it points to, its address if
// there is none.
func (s *State) Offset(p Value, guard term.ID) term.ID {
	st := s.space.Store
	ps := s.split(p, guard)
	if st.IsFalse(ps.cond) {
		return p.Offset
	}
	return st.Ite(ps.cond, s.resolve(ps.wild, guard).Offset, p.Offset)
}

// SameObject says whether p and q point to the same object, or both to none.
func (s *State) SameObject(p, q Value, guard term.ID) term.ID {
	st := s.space.Store
	if p.Object == q.Object && p.Object != s.space.name(0) {
		return st.True()
	}
	a, b := s.targets(p, guard), s.targets(q, guard)
	same := st.False()
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].o < b[0].o:
			a = a[1:]
		case a[0].o > b[0].o:
			b = b[1:]
		default:
			same = st.Or(same, st.And(a[0].cond, b[0].cond))
			a, b = a[1:], b[1:]
		}
	}
	return same
}

// TargetsWithFunctions lists what p may point to, functions included, with
// conditions and offsets (for calls through pointers).
func (s *State) TargetsWithFunctions(p Value, guard term.ID, f func(o ObjectID, cond, offset term.ID)) {
	w := *s
	w.functions = true
	for _, t := range w.targets(p, guard) {
		f(t.o, t.cond, t.off)
	}
}
