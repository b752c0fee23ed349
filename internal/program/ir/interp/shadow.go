package interp

import "slices"

// Pointers in memory. A stored pointer fills a word of bytes with its address;
// beside them the object remembers which pointer they are fragments of. Loading
// a pointer from the fragments 0 ... n-1 of one pointer, in order, gives that
// pointer back. Other bytes are numbers, and mean whatever object has that
// address.
//
// Nearly all pointers are stored at a multiple of the word, whole; for those a
// table has the object, and the bytes have the address. What else can happen - a
// pointer at an odd offset, a pointer half overwritten, half copied - goes into a
// map from offsets to fragments, which is exact and slow.

// shadow are the pointers in one object.
type shadow struct {
	word uint64
	// whole has, for each aligned word, 1 + the object of the pointer in it, or 0.
	whole []uint32
	// odd are the bytes that are fragments otherwise.
	odd map[uint64]fragment
	// unwritten are the bytes that the object has had since it was made, with Options.Unwritten; nil if there are none.
	unwritten []bool
}

// fragment says that a byte is byte k of pointer p.
type fragment struct {
	p pointer
	k uint64
}

// fragments says that the n bytes at offset are the bytes k, k+1, ... of p.
type fragments struct {
	offset uint64
	p      pointer
	k, n   uint64
}

func newShadow(word, size uint64) *shadow {
	return &shadow{word: word, whole: make([]uint32, size/word)}
}

// pointerAt is the pointer stored at offset, if the word there is one; address
// is the number in its bytes.
func (s *shadow) pointerAt(offset, address uint64) (pointer, bool) {
	if offset%s.word == 0 {
		if w := s.whole[offset/s.word]; w != 0 {
			return pointer{address, uint64(w - 1)}, true
		}
	}
	if len(s.odd) == 0 {
		return pointer{}, false
	}
	first, ok := s.odd[offset]
	for k := range s.word {
		f, have := s.odd[offset+k]
		ok = ok && have && f.k == k && f.p == first.p
	}
	return first.p, ok
}

// setPointer stores p at offset. The bytes still have their old content.
func (s *shadow) setPointer(bytes []byte, offset uint64, p pointer) {
	s.wrote(offset, s.word)
	if offset%s.word == 0 && len(s.odd) == 0 { // nothing can be half overwritten
		s.whole[offset/s.word] = uint32(p.object + 1)
		return
	}
	s.forget(bytes, offset, s.word)
	s.place([]fragments{{offset, p, 0, s.word}}, 0)
}

// forget removes the fragments from n bytes at offset. The bytes still have
// their old content, of which the remains of a pointer keep the address.
func (s *shadow) forget(bytes []byte, offset, n uint64) {
	if n == 0 {
		return
	}
	s.wrote(offset, n)
	end := offset + n
	for w := offset / s.word; w < uint64(len(s.whole)) && w*s.word < end; w++ {
		if s.whole[w] == 0 {
			continue
		}
		start := w * s.word
		p := pointer{loadBits(bytes[start : start+s.word]), uint64(s.whole[w] - 1)}
		s.whole[w] = 0
		for k := range s.word {
			if start+k < offset || start+k >= end {
				s.setOdd(start+k, fragment{p, k})
			}
		}
	}
	if len(s.odd) == 0 {
		return
	}
	if n < uint64(len(s.odd)) {
		for i := offset; i < end; i++ {
			delete(s.odd, i)
		}
		return
	}
	for i := range s.odd {
		if offset <= i && i < end {
			delete(s.odd, i)
		}
	}
}

func (s *shadow) setOdd(offset uint64, f fragment) {
	if s.odd == nil {
		s.odd = map[uint64]fragment{}
	}
	s.odd[offset] = f
}

// collect lists the fragments in n bytes at offset.
func (s *shadow) collect(bytes []byte, offset, n uint64) (list []fragments) {
	if n == 0 {
		return nil
	}
	end := offset + n
	for w := offset / s.word; w < uint64(len(s.whole)) && w*s.word < end; w++ {
		if s.whole[w] == 0 {
			continue
		}
		start := w * s.word
		p := pointer{loadBits(bytes[start : start+s.word]), uint64(s.whole[w] - 1)}
		from, to := max(start, offset), min(start+s.word, end)
		list = append(list, fragments{from, p, from - start, to - from})
	}
	for i, f := range s.odd {
		if offset <= i && i < end {
			list = append(list, fragments{i, f.p, f.k, 1})
		}
	}
	return list
}

// place puts fragments down, moved by delta, where none are.
func (s *shadow) place(list []fragments, delta uint64) {
	for _, f := range list {
		at := f.offset + delta
		if f.n == s.word && at%s.word == 0 {
			s.whole[at/s.word] = uint32(f.p.object + 1)
			continue
		}
		for i := range f.n {
			s.setOdd(at+i, fragment{f.p, f.k + i})
		}
	}
}

// wrote notes that n bytes at offset were written.
func (s *shadow) wrote(offset, n uint64) {
	if s.unwritten != nil {
		clear(s.unwritten[offset : offset+n])
	}
}

// neverWrote notes that nothing wrote the n bytes at offset.
func (o *object) neverWrote(word, offset, n uint64) {
	if n == 0 {
		return
	}
	if o.shadow == nil {
		o.shadow = newShadow(word, o.size)
	}
	if o.shadow.unwritten == nil {
		o.shadow.unwritten = make([]bool, o.size)
	}
	for k := range n {
		o.shadow.unwritten[offset+k] = true
	}
}

// hasUnwritten says whether one of n bytes at offset was never written.
func (o *object) hasUnwritten(offset, n uint64) bool {
	return o.shadow != nil && o.shadow.unwritten != nil && slices.Contains(o.shadow.unwritten[offset:offset+n], true)
}
