package term

import "math/bits"

// This file keeps what is known of the value of every term: which bits are
// fixed, and an unsigned interval. Both follow from the facts of the arguments
// when a term is built (see transfer.go), so a question costs nothing; each
// sharpens the other. Terms wider than 64 bits only have their trailing zeros.
//
// Soundness: under every assignment the value v of the term has
// v&zeros == 0, v&ones == ones, and lo <= v <= hi.

// fact is what is known of the value of a term of at most 64 bits. Of a wider
// one, lo is the number of trailing zeros and the rest is 0.
type fact struct {
	zeros, ones uint64 // bits known to be 0, to be 1
	lo, hi      uint64 // unsigned bounds
}

// ones is the largest number of the given width.
func ones(width uint32) uint64 {
	if width >= 64 {
		return ^uint64(0)
	}
	return 1<<width - 1
}

func unknown(width uint32) fact { return fact{hi: ones(width)} }

func exactly(width uint32, v uint64) fact {
	return fact{zeros: ones(width) &^ v, ones: v, lo: v, hi: v}
}

func between(lo, hi uint64) fact { return fact{lo: lo, hi: hi} }

// refine lets the bits and the interval sharpen each other.
func (f fact) refine(width uint32) fact {
	f.lo = max(f.lo, f.ones)
	f.hi = min(f.hi, ones(width)&^f.zeros)
	// The bits above the highest one in which lo and hi differ are fixed.
	prefix := ones(width) &^ ones(uint32(bits.Len64(f.lo^f.hi)))
	f.zeros |= prefix &^ f.lo
	f.ones |= prefix & f.lo
	f.lo = max(f.lo, f.ones)
	f.hi = min(f.hi, ones(width)&^f.zeros)
	return f
}

// disjoint says that no value has both facts.
func (f fact) disjoint(g fact) bool {
	return f.hi < g.lo || g.hi < f.lo || f.zeros&g.ones != 0 || f.ones&g.zeros != 0
}

// join is what is known of a value that has one of the facts.
func (f fact) join(g fact) fact {
	return fact{f.zeros & g.zeros, f.ones & g.ones, min(f.lo, g.lo), max(f.hi, g.hi)}
}

// trailing is the number of low bits known to be 0.
func (f fact) trailing(width uint32) uint32 {
	if width > 64 {
		return uint32(f.lo)
	}
	return min(width, uint32(bits.TrailingZeros64(^f.zeros)))
}

// significant is the number of low bits outside of which all are known to be 0.
func (f fact) significant() uint32 { return uint32(bits.Len64(f.hi)) }

// negative is the sign bit, if it is known.
func (f fact) negative(width uint32) (negative, ok bool) {
	sign := uint64(1) << (width - 1)
	return f.ones&sign != 0, (f.zeros|f.ones)&sign != 0
}

// narrow is the width of t if it is a bit-vector with a fact.
func (s *Store) narrow(t ID) (uint32, bool) {
	sort := s.Sort(t)
	return sort.Width, sort.Kind == SortBV && sort.Width <= 64
}

// UnsignedRange has bounds of the value of t; ok is false if t is not a
// bit-vector of at most 64 bits.
func (s *Store) UnsignedRange(t ID) (lo, hi uint64, ok bool) {
	if _, ok := s.narrow(t); !ok {
		return 0, 0, false
	}
	return s.facts[t].lo, s.facts[t].hi, true
}

// KnownBits are the bits of t that are always 0 and always 1; ok is false if t
// is not a bit-vector of at most 64 bits.
func (s *Store) KnownBits(t ID) (zeros, ones uint64, ok bool) {
	if _, ok := s.narrow(t); !ok {
		return 0, 0, false
	}
	return s.facts[t].zeros, s.facts[t].ones, true
}

// TrailingZeros is the number of low bits of t that are known to be 0, for any
// width.
func (s *Store) TrailingZeros(t ID) uint32 {
	if s.Sort(t).Kind != SortBV {
		return 0
	}
	return s.facts[t].trailing(s.Width(t))
}
