package absdomain

// The reduction: the four parts of an Int sharpen each other.
//
// The unsigned and the signed interval together describe at most two pieces of
// the number line, the values without and with the sign bit. On a piece both
// orders agree, so the intervals meet exactly there. The bounds of a piece move
// inwards to the nearest value with the known bits, and to the nearest with the
// congruence, in turns, a few times: each move is sound, so stopping early is
// sound. Then both intervals are the hulls of what is left, and the bits in which
// all values of the hull agree are known.
//
// The nearest value with known bits is found without search: at the highest bit
// where the bound contradicts them, either the bit must become 1, and all lower
// ones are free, or it must become 0, and the next higher free 0 becomes 1. This
// is the exact bound of the set (tested exhaustively), like the bounds of
// tri-state numbers in [VishwanathanSNN22].

import "math/bits"

// atLeast is the least number not below v with the known bits; ok is false if
// there is none.
func atLeast(v, zeros, ones, mask uint64) (uint64, bool) {
	bad := (v&zeros | ^v&ones) & mask
	if bad == 0 {
		return v, true
	}
	p := 63 - bits.LeadingZeros64(bad)
	if v>>p&1 == 0 {
		return v&^low(p) | 1<<p | ones&low(p), true
	}
	free := ^v & ^zeros & mask &^ low(p+1)
	if free == 0 {
		return 0, false
	}
	q := bits.TrailingZeros64(free)
	return v&^low(q) | 1<<q | ones&low(q), true
}

// atMost is the greatest number not above v with the known bits.
func atMost(v, zeros, ones, mask uint64) (uint64, bool) {
	r, ok := atLeast(mask&^v, ones, zeros, mask)
	return mask &^ r, ok
}

// piece is a part of the number line on which signed and unsigned order agree.
type piece struct {
	lo, hi uint64
	empty  bool
}

// tighten moves the bounds of a piece inwards.
func (p piece) tighten(x *Int, mask uint64) piece {
	if p.empty || p.lo > p.hi {
		return piece{empty: true}
	}
	for range 4 {
		was := p
		var ok1, ok2 bool
		p.lo, ok1 = atLeast(p.lo, x.Zeros, x.Ones, mask)
		p.hi, ok2 = atMost(p.hi, x.Zeros, x.Ones, mask)
		if !ok1 || !ok2 || p.lo > p.hi {
			return piece{empty: true}
		}
		switch {
		case x.Mod == 0:
			if x.Rem < p.lo || p.hi < x.Rem {
				return piece{empty: true}
			}
			p.lo, p.hi = x.Rem, x.Rem
		case x.Mod > 1:
			up := (x.Rem + x.Mod - p.lo%x.Mod) % x.Mod
			if x.Mod > 1<<63 { // the sum above may have wrapped
				up = x.Rem - p.lo%x.Mod
				if x.Rem < p.lo%x.Mod {
					up += x.Mod
				}
			}
			down := p.hi % x.Mod
			if down >= x.Rem {
				down -= x.Rem
			} else {
				down += x.Mod - x.Rem
			}
			if up > p.hi-p.lo || down > p.hi-p.lo {
				return piece{empty: true}
			}
			p.lo, p.hi = p.lo+up, p.hi-down
			if p.lo > p.hi {
				return piece{empty: true}
			}
		}
		if p == was {
			break
		}
	}
	return p
}

// reduce establishes the invariants of Int.
func (x Int) reduce() Int {
	w := x.Width
	if w == 0 {
		return Int{}
	}
	mask, sign := maskOf(w), signBit(w)
	if x.ULo > x.UHi || x.SLo > x.SHi || x.Zeros&x.Ones != 0 {
		return Bottom(uint32(w))
	}
	for range 3 {
		a := piece{x.ULo, min(x.UHi, sign-1), x.SHi < 0 || x.ULo >= sign}
		if !a.empty {
			a.lo, a.hi = max(a.lo, uint64(max(x.SLo, 0))), min(a.hi, uint64(x.SHi))
		}
		b := piece{max(x.ULo, sign), x.UHi, x.SLo >= 0 || x.UHi < sign}
		if !b.empty {
			b.lo, b.hi = max(b.lo, uint64(x.SLo)&mask), min(b.hi, uint64(min(x.SHi, -1))&mask)
		}
		a, b = a.tighten(&x, mask), b.tighten(&x, mask)
		switch {
		case a.empty && b.empty:
			return Bottom(uint32(w))
		case b.empty:
			x.ULo, x.UHi, x.SLo, x.SHi = a.lo, a.hi, int64(a.lo), int64(a.hi)
		case a.empty:
			x.ULo, x.UHi, x.SLo, x.SHi = b.lo, b.hi, signed(b.lo, w), signed(b.hi, w)
		default:
			x.ULo, x.UHi, x.SLo, x.SHi = a.lo, b.hi, signed(b.lo, w), int64(a.hi)
		}
		if x.ULo == x.UHi {
			return Const(uint32(w), x.ULo)
		}
		zeros, ones := x.Zeros, x.Ones
		prefix := mask &^ low(bits.Len64(x.ULo^x.UHi))
		x.Zeros |= prefix &^ x.ULo
		x.Ones |= prefix & x.ULo
		if !a.empty && !b.empty { // bits in which both pieces agree inside
			common := ^(low(bits.Len64(a.lo^a.hi)) | low(bits.Len64(b.lo^b.hi)) | (a.lo ^ b.lo)) & mask
			x.Zeros |= common &^ a.lo
			x.Ones |= common & a.lo
		}
		if zeros == x.Zeros && ones == x.Ones {
			break
		}
	}
	return x
}
