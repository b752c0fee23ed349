package memory

import (
	"fmt"

	"assay/internal/logic/term"
)

// This file copies, fills and makes arbitrary ranges whose lengths nothing bounds. The array of elements is a fresh
// variable F afterwards; what F holds is known where it is read. Byte p of the object is
//
//	(S1) if cond and p - off < n then byte p - off of the source, else what it was before
//
// and an element is made of its bytes, or, where both objects have elements of the same size of which offsets and length
// are multiples, is an element of the source, pointers with their objects. Elsewhere a pointer in the source is bytes
// of its address, and an element some of whose bytes are in the range is no pointer.
//
// So a property of all elements, as those of [BMS06], is used at the index that is asked for. A read is rewritten down to what is below the
// spans, so no solver knows of them. Whoever reads F otherwise takes it for arbitrary: S1 is one of the contents that it then has.
//
// cond implies that the range is within the object, so off + n does not wrap.

// span is a range, in bytes, of an object.
type span struct{ cond, off, n term.ID }

// source is what a range gets: byte is its k-th byte, element the k-th element of e bytes and the object that it
// points to, where there are elements of that size.
type source struct {
	name    string // what it is, in IDs
	weight  int
	parts   []term.ID // arrays, 0 for none, and bytes that it is made of
	byte    func(k term.ID) term.ID
	e       uint32 // 0: of any size
	element func(k term.ID, e uint32) (element, object term.ID)
}

// element is an element of an array that may have spans.
func (sp *Space) element(array, index term.ID) term.ID {
	st := sp.Store
	if !sp.spanned(array) {
		return st.Select(array, index)
	}
	key := [2]term.ID{array, index}
	if v, ok := sp.elements[key]; ok {
		return v
	}
	var v term.ID
	if st.Op(array) == term.OpStore {
		v = st.Ite(st.Eq(st.Arg(array, 1), index), st.Arg(array, 2), sp.element(st.Arg(array, 0), index))
	} else {
		v = sp.spans[array](index)
	}
	sp.elements[key] = v
	return v
}

// spanned says that an array is made of one with a span.
func (sp *Space) spanned(array term.ID) bool {
	if len(sp.spans) == 0 {
		return false
	}
	if r, ok := sp.over[array]; ok {
		return r
	}
	r := sp.Store.Op(array) == term.OpStore && sp.spanned(sp.Store.Arg(array, 0))
	sp.over[array] = r
	return r
}

// variable is a new array of which elements are known, parts are what these are made of. Its name says what it is, so that it is the same wherever it is named.
func (sp *Space) variable(name string, sort term.Sort, weight int, parts []term.ID, element func(index term.ID) term.ID) term.ID {
	if sp.spans == nil {
		sp.spans, sp.over, sp.elements, sp.weight, sp.parts = map[term.ID]func(term.ID) term.ID{}, map[term.ID]bool{}, map[[2]term.ID]term.ID{}, map[term.ID]int{}, map[term.ID][]term.ID{}
	}
	v := sp.Store.Var(name, sort)
	sp.spans[v], sp.over[v], sp.weight[v], sp.parts[v] = element, true, weight, parts
	return v
}

// joinArrays is a where cond holds, else b. Rules for choices of arrays read elements, which are not known to them.
func (sp *Space) joinArrays(cond, a, b term.ID) term.ID {
	st := sp.Store
	if a == b || st.IsTrue(cond) || st.IsFalse(cond) || !sp.spanned(a) && !sp.spanned(b) {
		return st.Ite(cond, a, b)
	}
	weight := sp.weigh(a) + sp.weigh(b)
	return sp.variable(fmt.Sprintf("joined!%d!%d!%d", cond, a, b), st.Sort(a), weight, []term.ID{a, b}, func(i term.ID) term.ID {
		return st.Ite(cond, sp.element(a, i), sp.element(b, i))
	})
}

// maxWeight bounds the elements below spans of which one element is made.
const maxWeight = 1 << 12

// weigh is how many elements are read for one of an array, or more.
func (sp *Space) weigh(array term.ID) int {
	n := 1
	for ; sp.spanned(array); array = sp.Store.Arg(array, 0) {
		if w, ok := sp.weight[array]; ok {
			return n + w
		}
		n++
	}
	return n
}

// cover gives a range of an object the content of a source; ok is false if too many spans are on each other.
func (s *State) cover(o ObjectID, x span, from source) (ok bool) {
	sp := s.space
	st := sp.Store
	c := s.own(o)
	sp.toArray(o, c, sp.multiple(x.off, x.n))
	e := st.Sort(c.array).Width / 8
	weight := sp.weigh(c.array) + int(e)*(1+from.weight)
	if weight > maxWeight {
		return false
	}
	before := &Content{array: c.array, objects: c.objects}
	parts := append([]term.ID{before.array, before.objects}, from.parts...)
	name := fmt.Sprintf("!%d!%d!%d!%d!%d!%s", x.cond, x.off, x.n, before.array, before.objects, from.name)
	aligned := from.e == 0 || from.e == e
	for _, t := range []term.ID{x.off, x.n} {
		aligned = aligned && st.TrailingZeros(t) >= log2(e)
	}
	within := func(i term.ID) term.ID {
		return st.And(x.cond, st.ULt(st.Sub(i, sp.index(x.off, e)), sp.index(x.n, e)))
	}
	if aligned {
		if _, object := from.element(sp.word(0), e); object != 0 || before.objects != 0 {
			c.objects = sp.variable("spanned object"+name, term.Array(sp.PointerBits, ObjectBits), weight, parts, func(i term.ID) term.ID {
				_, object := from.element(st.Sub(i, sp.index(x.off, e)), e)
				if object == 0 {
					object = sp.name(0)
				}
				return st.Ite(within(i), object, sp.element(sp.objectsArray(before), i))
			})
		}
		c.array = sp.variable("span"+name, st.Sort(before.array), weight, parts, func(i term.ID) term.ID {
			v, _ := from.element(st.Sub(i, sp.index(x.off, e)), e)
			return st.Ite(within(i), v, sp.element(before.array, i))
		})
		return true
	}
	// touched says that an element has a byte in the range, bytes is what it then holds.
	touched := func(i term.ID) term.ID {
		any := st.False()
		for j := range e {
			any = st.Or(any, st.ULt(st.Sub(sp.byteOf(i, e, j), x.off), x.n))
		}
		return st.And(x.cond, any)
	}
	bytes := func(i term.ID) term.ID {
		old := sp.bits(sp.loadElement(before, i, false, x.cond))
		var v term.ID
		for j := range e {
			k := st.Sub(sp.byteOf(i, e, j), x.off)
			b := st.Ite(st.And(x.cond, st.ULt(k, x.n)), from.byte(k), st.Extract(old, 8*j+7, 8*j))
			if v == 0 {
				v = b
			} else {
				v = st.Concat(b, v)
			}
		}
		return v
	}
	if before.objects != 0 {
		c.objects = sp.variable("spanned object"+name, st.Sort(before.objects), weight, parts, func(i term.ID) term.ID {
			return st.Ite(touched(i), sp.name(0), sp.element(before.objects, i))
		})
	}
	c.array = sp.variable("span"+name, st.Sort(before.array), weight, parts, func(i term.ID) term.ID {
		if before.objects == 0 {
			return bytes(i)
		}
		return st.Ite(touched(i), bytes(i), sp.element(before.array, i))
	})
	return true
}

// byteOf is where byte j of element i is.
func (sp *Space) byteOf(i term.ID, e, j uint32) term.ID {
	st := sp.Store
	return st.Add(st.Shl(i, sp.word(uint64(log2(e)))), sp.word(uint64(j)))
}

// content is the source that an object has at an offset.
func (s *State) content(o ObjectID, at, n term.ID) source {
	sp := s.space
	st := sp.Store
	own := s.own(o)
	sp.toArray(o, own, sp.multiple(at, n))
	c := &Content{array: own.array, objects: own.objects}
	e := st.Sort(c.array).Width / 8
	from := source{name: fmt.Sprintf("copy!%d!%d!%d", c.array, c.objects, at), e: e, weight: sp.weigh(c.array), parts: []term.ID{c.array, c.objects}}
	if st.TrailingZeros(at) < log2(e) {
		from.e = 16 // no element begins there
	}
	from.byte = func(k term.ID) term.ID { return sp.bits(sp.readArray(o, c, st.Add(k, at), 1, false, st.True())) }
	from.element = func(k term.ID, _ uint32) (element, object term.ID) {
		i := st.Add(k, sp.index(at, e))
		if c.objects != 0 {
			object = sp.element(c.objects, i)
		}
		return sp.element(c.array, i), object
	}
	return from
}

// multiple is the size of elements that offsets and lengths of bytes allow.
func (sp *Space) multiple(bytes ...term.ID) uint32 {
	e := sp.PointerBits / 8
	for _, b := range bytes {
		e = min(e, 1<<min(sp.Store.TrailingZeros(b), 3))
	}
	return e
}

// repeated is the source of a fill with a byte.
func (sp *Space) repeated(b term.ID) source {
	return source{name: fmt.Sprintf("fill!%d", b), parts: []term.ID{b}, byte: func(term.ID) term.ID { return b }, element: func(_ term.ID, e uint32) (element, object term.ID) {
		v := b
		for range e - 1 {
			v = sp.Store.Concat(v, b)
		}
		return v, 0
	}}
}

// arbitrary is the source that a generation is.
func (sp *Space) arbitrary(gen Generation, e uint32) source {
	array, e := sp.arrayOf(gen, e)
	c := &Content{array: array}
	return source{name: fmt.Sprintf("havoc!%d", array), e: e,
		byte:    func(k term.ID) term.ID { return sp.bits(sp.readArray(0, c, k, 1, false, sp.Store.True())) },
		element: func(k term.ID, _ uint32) (element, object term.ID) { return sp.Store.Select(array, k), 0 }}
}
