package absdomain

// Bitwise logic, shifts, counts and permutations of bits.

import "math/bits"

// And is the bitwise conjunction.
func (x Int) And(y Int) Int {
	if r, ok := either(x, y); ok {
		return r
	}
	r := Top(uint32(x.Width))
	r.Zeros, r.Ones = x.Zeros|y.Zeros, x.Ones&y.Ones
	r.UHi = min(x.UHi, y.UHi)
	return r.reduce()
}

// Or is the bitwise disjunction.
func (x Int) Or(y Int) Int {
	if r, ok := either(x, y); ok {
		return r
	}
	r := Top(uint32(x.Width))
	r.Zeros, r.Ones = x.Zeros&y.Zeros, x.Ones|y.Ones
	r.ULo = max(x.ULo, y.ULo)
	return r.reduce()
}

// Xor is the bitwise exclusive disjunction.
func (x Int) Xor(y Int) Int {
	if r, ok := either(x, y); ok {
		return r
	}
	if y.Is(maskOf(x.Width)) {
		return x.Not()
	}
	r := Top(uint32(x.Width))
	r.Zeros, r.Ones = x.Zeros&y.Zeros|x.Ones&y.Ones, x.Zeros&y.Ones|x.Ones&y.Zeros
	return r.reduce()
}

// shift joins the results for all amounts that y may be, at most Width many.
func shift(x, y Int, by func(Int, uint8) Int) Int {
	if r, ok := either(x, y); ok {
		if r.Width == 0 && x.Width != 0 {
			return Top(uint32(x.Width))
		}
		return r
	}
	if y.UHi >= uint64(x.Width) {
		return Top(uint32(x.Width)) // arbitrary
	}
	r := Bottom(uint32(x.Width))
	for n := y.ULo; n <= y.UHi; n++ {
		if y.Has(n) {
			r = r.Join(by(x, uint8(n)))
		}
	}
	return r
}

// Shl shifts left.
func (x Int) Shl(y Int) Int { return shift(x, y, shlBy) }

// LShr shifts right with zeros.
func (x Int) LShr(y Int) Int { return shift(x, y, lshrBy) }

// AShr shifts right with copies of the sign.
func (x Int) AShr(y Int) Int { return shift(x, y, ashrBy) }

func shlBy(x Int, n uint8) Int {
	w := x.Width
	mask := maskOf(w)
	r := Top(uint32(w))
	r.Zeros = (x.Zeros<<n | low(int(n))) & mask
	r.Ones = x.Ones << n & mask
	if x.UHi <= mask>>n {
		r.ULo, r.UHi = x.ULo<<n, x.UHi<<n
		if x.Mod > 1 {
			if over, factor := bits.Mul64(x.Rem, 1<<n); over == 0 {
				r.Mod, r.Rem = x.Mod, factor%x.Mod
			}
		}
	}
	if lo, hi := x.SLo<<n, x.SHi<<n; lo>>n == x.SLo && hi>>n == x.SHi && signed(uint64(lo), w) == lo && signed(uint64(hi), w) == hi {
		r.SLo, r.SHi = lo, hi
	}
	return r.reduce()
}

func lshrBy(x Int, n uint8) Int {
	mask := maskOf(x.Width)
	r := Top(uint32(x.Width))
	r.ULo, r.UHi = x.ULo>>n, x.UHi>>n
	r.Zeros, r.Ones = x.Zeros>>n|mask&^(mask>>n), x.Ones>>n
	return r.reduce()
}

func ashrBy(x Int, n uint8) Int {
	w := x.Width
	r := Top(uint32(w))
	r.SLo, r.SHi = x.SLo>>n, x.SHi>>n
	r.Zeros = uint64(signed(x.Zeros, w)>>n) & maskOf(w)
	r.Ones = uint64(signed(x.Ones, w)>>n) & maskOf(w)
	return r.reduce()
}

// FShl is the funnel shift left of x and y by n modulo the width.
func (x Int) FShl(y, n Int) Int { return funnel(x, y, n, true) }

// FShr is the funnel shift right.
func (x Int) FShr(y, n Int) Int { return funnel(x, y, n, false) }

func funnel(x, y, n Int, left bool) Int {
	if r, ok := either(x, y); ok {
		return r
	}
	w := x.Width
	v, ok := n.Value()
	if n.IsBottom() {
		return Bottom(uint32(w))
	}
	if !ok {
		return Top(uint32(w))
	}
	k := uint8(v % uint64(w))
	if !left {
		k = (w - k) % w
		if k == 0 {
			return y
		}
	}
	if k == 0 {
		return x
	}
	return shlBy(x, k).Or(lshrBy(y, w-k))
}

// Ctpop is the number of ones.
func (x Int) Ctpop() Int {
	if x.Width == 0 || x.IsBottom() {
		return x
	}
	return Range(uint32(x.Width), uint64(bits.OnesCount64(x.Ones)), uint64(bits.OnesCount64(maskOf(x.Width)&^x.Zeros)))
}

// Ctlz is the number of zeros above the highest one.
func (x Int) Ctlz() Int {
	if x.Width == 0 || x.IsBottom() {
		return x
	}
	count := func(v uint64) uint64 { return uint64(int(x.Width) - bits.Len64(v)) }
	return Range(uint32(x.Width), count(x.UHi), count(x.ULo))
}

// Cttz is the number of zeros below the lowest one.
func (x Int) Cttz() Int {
	if x.Width == 0 || x.IsBottom() {
		return x
	}
	w := uint64(x.Width)
	most := w
	switch {
	case x.Ones != 0:
		most = uint64(bits.TrailingZeros64(x.Ones))
	case x.ULo > 0:
		most = w - 1
	}
	return Range(uint32(x.Width), uint64(trailingZeros(x)), most)
}

// Bswap reverses the bytes.
func (x Int) Bswap() Int {
	return permute(x, func(v uint64) uint64 { return bits.ReverseBytes64(v) >> (64 - x.Width) })
}

// Bitreverse reverses the bits.
func (x Int) Bitreverse() Int {
	return permute(x, func(v uint64) uint64 { return bits.Reverse64(v) >> (64 - x.Width) })
}

func permute(x Int, f func(uint64) uint64) Int {
	if x.Width == 0 || x.IsBottom() {
		return x
	}
	return KnownBits(uint32(x.Width), f(x.Zeros), f(x.Ones))
}
