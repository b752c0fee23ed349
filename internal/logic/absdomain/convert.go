package absdomain

// Changes of width.

// ZExt extends with zeros to a greater width.
func (x Int) ZExt(width uint32) Int {
	if x.Width == 0 || width > 64 {
		return Top(width)
	}
	if x.IsBottom() {
		return Bottom(width)
	}
	r := Top(width)
	r.ULo, r.UHi, r.Mod, r.Rem = x.ULo, x.UHi, x.Mod, x.Rem
	r.Zeros, r.Ones = x.Zeros|r.unsignedMask()&^maskOf(x.Width), x.Ones
	return r.reduce()
}

// SExt extends with copies of the sign to a greater width.
func (x Int) SExt(width uint32) Int {
	if x.Width == 0 || width > 64 {
		return Top(width)
	}
	if x.IsBottom() {
		return Bottom(width)
	}
	r := Top(width)
	r.SLo, r.SHi = x.SLo, x.SHi
	r.Zeros = uint64(signed(x.Zeros, x.Width)) & r.unsignedMask()
	r.Ones = uint64(signed(x.Ones, x.Width)) & r.unsignedMask()
	if x.SLo >= 0 {
		r.Mod, r.Rem = x.Mod, x.Rem
	}
	return r.reduce()
}

// Trunc keeps the low bits.
func (x Int) Trunc(width uint32) Int {
	if x.Width == 0 || width > 64 {
		return Top(width)
	}
	if x.IsBottom() {
		return Bottom(width)
	}
	r := Top(width)
	mask := r.unsignedMask()
	r.Zeros, r.Ones = x.Zeros&mask, x.Ones&mask
	if x.ULo&^mask == x.UHi&^mask { // the same is cut off everywhere
		r.ULo, r.UHi = x.ULo&mask, x.UHi&mask
		if x.UHi <= mask {
			r.Mod, r.Rem = x.Mod, x.Rem
		}
	}
	if lo, hi := signed(uint64(x.SLo), r.Width), signed(uint64(x.SHi), r.Width); x.SLo-lo == x.SHi-hi && lo <= hi {
		// The whole interval moves by one multiple of 2^width: it fits between
		// two numbers that move alike, as it is not longer than the type.
		if uint64(x.SHi)-uint64(x.SLo) <= mask {
			r.SLo, r.SHi = lo, hi
		}
	}
	if uint64(x.SHi)-uint64(x.SLo) <= mask {
		if lo, hi := uint64(x.SLo)&mask, uint64(x.SHi)&mask; lo <= hi {
			r.ULo, r.UHi = max(r.ULo, lo), min(r.UHi, hi)
		}
	}
	return r.reduce()
}
