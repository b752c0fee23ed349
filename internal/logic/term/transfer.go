package term

import "math/bits"

// This file derives the fact of a term from those of its arguments.
//
// The known bits of a sum follow from its least and greatest carries, as in
// LLVM's KnownBits; the intervals are the obvious ones and give up on overflow.

func (s *Store) factOf(n *node) fact {
	sort := s.sorts[n.sort]
	if sort.Kind != SortBV {
		return fact{}
	}
	if sort.Width > 64 {
		return fact{lo: uint64(s.wideTrailing(n, sort.Width))}
	}
	return s.transfer(n, sort.Width).refine(sort.Width)
}

func (s *Store) transfer(n *node, width uint32) fact {
	mask := ones(width)
	var f [3]fact
	for i, a := range n.args[:arity[n.op]] {
		f[i] = s.facts[a]
	}
	a, b := f[0], f[1]
	switch n.op {
	case OpConst:
		return exactly(width, n.uint64())
	case OpIte:
		return f[1].join(f[2])
	case OpAdd:
		return sum(a, b, 0, width)
	case OpNeg:
		r := sum(exactly(width, 0), complement(a, mask), 1, width)
		if a.lo > 0 {
			r.lo, r.hi = -a.hi&mask, -a.lo&mask
		}
		return r
	case OpMul:
		return product(a, b, width)
	case OpUDiv:
		if b.lo == 0 {
			return unknown(width)
		}
		return between(a.lo/b.hi, a.hi/b.lo)
	case OpURem:
		if b.lo == 0 {
			return between(0, a.hi)
		}
		return between(0, min(a.hi, b.hi-1))
	case OpShl:
		r := unknown(width)
		if b.lo >= uint64(width) {
			return exactly(width, 0)
		}
		r.zeros = ones(min(width, a.trailing(width)+uint32(b.lo)))
		if b.hi < uint64(width) && a.hi <= mask>>b.hi {
			r.lo, r.hi = a.lo<<b.lo, a.hi<<b.hi
		}
		return r
	case OpLShr:
		if b.lo >= uint64(width) {
			return exactly(width, 0)
		}
		if b.hi >= uint64(width) {
			return between(0, a.hi>>b.lo)
		}
		return between(a.lo>>b.hi, a.hi>>b.lo)
	case OpBVNot:
		return complement(a, mask)
	case OpBVAnd:
		return fact{a.zeros | b.zeros, a.ones & b.ones, 0, min(a.hi, b.hi)}
	case OpBVOr:
		return fact{a.zeros & b.zeros, a.ones | b.ones, max(a.lo, b.lo), mask}
	case OpBVXor:
		return fact{a.zeros&b.zeros | a.ones&b.ones, a.zeros&b.ones | a.ones&b.zeros, 0, mask}
	case OpConcat:
		low := s.Width(n.args[1])
		return fact{a.zeros<<low | b.zeros, a.ones<<low | b.ones, a.lo<<low | b.lo, a.hi<<low | b.hi}
	case OpExtract:
		return s.extracted(n, a, width)
	case OpZExt:
		a.zeros |= mask &^ ones(s.Width(n.args[0]))
		return a
	case OpSExt:
		from := s.Width(n.args[0])
		high := mask &^ ones(from)
		switch negative, ok := a.negative(from); {
		case !ok:
			return fact{a.zeros, a.ones, 0, mask}
		case negative:
			return fact{a.zeros, a.ones | high, a.lo | high, a.hi | high}
		}
		a.zeros |= high
		return a
	}
	return unknown(width)
}

func complement(a fact, mask uint64) fact {
	return fact{a.ones, a.zeros, a.hi ^ mask, a.lo ^ mask}
}

// sum is the fact of a+b+carry.
func sum(a, b fact, carry uint64, width uint32) fact {
	mask := ones(width)
	most := ^a.zeros + ^b.zeros + carry
	least := a.ones + b.ones + carry
	carryZero := ^(most ^ a.zeros ^ b.zeros)
	carryOne := least ^ a.ones ^ b.ones
	known := (a.zeros | a.ones) & (b.zeros | b.ones) & (carryZero | carryOne) & mask
	r := fact{zeros: ^most & known, ones: least & known, hi: mask}

	lo, lowCarry := bits.Add64(a.lo, b.lo, carry)
	hi, highCarry := bits.Add64(a.hi, b.hi, carry)
	if width < 64 {
		lowCarry, highCarry = lo>>width, hi>>width
	}
	if lowCarry == highCarry { // all values wrap around, or none
		r.lo, r.hi = lo&mask, hi&mask
	}
	return r
}

func product(a, b fact, width uint32) fact {
	r := unknown(width)
	r.zeros = ones(min(width, a.trailing(width)+b.trailing(width)))
	if over, hi := bits.Mul64(a.hi, b.hi); over == 0 && hi <= ones(width) {
		r.lo, r.hi = a.lo*b.lo, hi
	}
	return r
}

func (s *Store) extracted(n *node, a fact, width uint32) fact {
	mask, lo := ones(width), n.aux
	if from := s.Width(n.args[0]); from > 64 {
		r := unknown(width)
		if zeros := a.trailing(from); zeros > lo {
			r.zeros = ones(min(width, zeros-lo))
		}
		return r
	}
	r := fact{a.zeros >> lo & mask, a.ones >> lo & mask, 0, mask}
	if a.lo>>lo&^mask == a.hi>>lo&^mask { // the bits cut off above are fixed
		r.lo, r.hi = a.lo>>lo&mask, a.hi>>lo&mask
	}
	return r
}

// wideTrailing is the number of trailing zeros of a term wider than 64 bits.
func (s *Store) wideTrailing(n *node, width uint32) uint32 {
	var z [3]uint32
	for i, a := range n.args[:arity[n.op]] {
		z[i] = s.TrailingZeros(a)
	}
	switch n.op {
	case OpConst:
		v := s.wide[n.args[0]]
		if v.IsZero() {
			return width
		}
		return uint32(v.Unsigned().TrailingZeroBits())
	case OpIte:
		return min(z[1], z[2])
	case OpAdd, OpBVOr, OpBVXor:
		return min(z[0], z[1])
	case OpNeg:
		return z[0]
	case OpMul:
		return min(width, z[0]+z[1])
	case OpBVAnd:
		return max(z[0], z[1])
	case OpShl:
		if k, ok := s.ConstUint64(n.args[1]); ok {
			return uint32(min(uint64(width), uint64(z[0])+min(k, uint64(width))))
		}
		return z[0]
	case OpConcat:
		if low := s.Width(n.args[1]); z[1] == low {
			return low + z[0]
		}
		return z[1]
	case OpZExt, OpSExt:
		if z[0] == s.Width(n.args[0]) {
			return width
		}
		return z[0]
	case OpExtract:
		if z[0] > n.aux {
			return min(width, z[0]-n.aux)
		}
	}
	return 0
}
