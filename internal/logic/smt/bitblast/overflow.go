package bitblast

import (
	"assay/internal/logic/sat"
	"assay/internal/logic/term"
)

// This file says whether a product fits. Terms say it with a product of twice the width, whose upper half is that of no
// number, or of a sign. A product of one more bit is enough if it is also known that no bit of one factor meets a bit of the other
// far above it [GokSchulte01: M. Gok, M. J. Schulte, P. I. Balzola. Efficient Integer Multiplication Overflow Detection
// Circuits. Asilomar Conference on Signals, Systems and Computers, 2001]: a half of the gates, of which those of
// the product itself are shared; and where a factor is small, that it is propagates into what is left.
//
// Let x and y have w bits. Unsigned: if x[i] and y[j] are set with i + j ≥ w, the product is 2^w or more; if there
// is no such pair, it is less than 2^(w+1), so that bit w decides. Signed: the same of the bits that differ from the sign,
// with i + j ≥ w-1; otherwise the product is in [-2^w, 2^w], and bits w and w-1 of w+1 bits differ where it does not fit
// (2^w itself, of two negative factors, becomes -2^w: they differ there, too).
//
// Only the engines use this: the checkers of certificates have the product of twice the width (package checked).

// fitting recognises an equation that says of an unsigned product, and a disjunction that says of a signed one, that it
// fits the width of its factors.
func (s *Solver) fitting(t term.ID) (x, y term.ID, signed, ok bool) {
	if s.options.Leave != nil {
		return // products are left to somebody else
	}
	switch s.store.Op(t) {
	case term.OpEq:
		high, lo, zero := s.upper(t)
		if high == 0 || !zero {
			return
		}
		x, y, ok = s.extended(high, term.OpZExt)
		return x, y, false, ok && lo == s.store.Width(x)
	case term.OpOr:
		a, b := s.store.Arg(t, 0), s.store.Arg(t, 1)
		if s.store.Op(a) != term.OpEq || s.store.Op(b) != term.OpEq {
			return
		}
		p, lo, zero := s.upper(a)
		q, other, same := s.upper(b)
		if p == 0 || p != q || lo != other || zero == same {
			return
		}
		x, y, ok = s.extended(p, term.OpSExt)
		return x, y, true, ok && lo == s.store.Width(x)-1
	}
	return
}

// upper recognises an equation that says that all bits of a product from lo on are equal: 0, or 1.
func (s *Solver) upper(equation term.ID) (product term.ID, lo uint32, zero bool) {
	a, b := s.store.Arg(equation, 0), s.store.Arg(equation, 1)
	if s.store.Op(a) == term.OpConst {
		a, b = b, a
	}
	if s.store.Op(b) != term.OpConst || s.store.Op(a) != term.OpExtract {
		return 0, 0, false
	}
	v := s.store.ConstValue(b)
	for i := range v.Width() {
		if v.Bit(i) != v.Bit(0) {
			return 0, 0, false
		}
	}
	product = s.store.Arg(a, 0)
	hi, lo := s.store.ExtractBounds(a)
	if s.store.Op(product) != term.OpMul || hi != s.store.Width(product)-1 {
		return 0, 0, false
	}
	return product, lo, !v.Bit(0)
}

// extended are the factors of a product that both are extended from half its width.
func (s *Solver) extended(product term.ID, by term.Op) (x, y term.ID, ok bool) {
	a, b := s.store.Arg(product, 0), s.store.Arg(product, 1)
	if s.store.Op(a) != by || s.store.Op(b) != by {
		return 0, 0, false
	}
	x, y = s.store.Arg(a, 0), s.store.Arg(b, 0)
	w := s.store.Width(x)
	return x, y, w > 1 && w == s.store.Width(y) && 2*w == s.store.Width(product)
}

// fits says whether the product of x and y fits their width.
func (c circuit) fits(x, y word, signed bool) sat.Lit {
	w := len(x)
	far := w // from this sum of positions on, two bits are too many
	a, b := x, y
	top := [2]sat.Lit{sat.False, sat.False}
	if signed {
		far = w - 1
		top = [2]sat.Lit{x[w-1], y[w-1]}
		a, b = c.magnitude(x), c.magnitude(y)
	}
	product := c.mul(nil, append(append(word(nil), x...), top[0]), append(append(word(nil), y...), top[1]))
	large := product[w]
	if signed {
		large = c.g.Xor(product[w], product[w-1])
	}
	// above is the disjunction of the bits of b that are too high for bit i of a.
	above := sat.False
	for i := 1; i < len(a); i++ {
		if j := far - i; j < len(b) {
			above = c.g.Or(above, b[j])
		}
		large = c.g.Or(large, c.g.And(a[i], above))
	}
	return large.Not()
}

// magnitude are the bits below the sign of x that differ from it.
func (c circuit) magnitude(x word) word {
	m := make(word, len(x)-1)
	for i := range m {
		m[i] = c.g.Xor(x[i], x[len(x)-1])
	}
	return m
}
