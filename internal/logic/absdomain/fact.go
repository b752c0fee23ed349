package absdomain

// Facts as terms: what other engines assume or prove.

import "assay/internal/logic/term"

// Term says in a Bool term that the bit-vector term t, of x's width, is in x. It
// is true iff x contains the value of t: bounds that follow from known bits or
// from the other interval are left out, and the rest is a conjunction.
func (x Int) Term(s *term.Store, t term.ID) term.ID {
	if x.Width == 0 {
		return s.True()
	}
	if x.IsBottom() {
		return s.False()
	}
	w := uint32(x.Width)
	c := func(v uint64) term.ID { return s.ConstU(w, v&maskOf(x.Width)) }
	if v, ok := x.Value(); ok {
		return s.Eq(t, c(v))
	}
	f := s.True()
	add := func(p term.ID) { f = s.And(f, p) }
	known := x.Zeros | x.Ones
	implied := KnownBits(w, x.Zeros, x.Ones)
	if x.ULo != implied.ULo || x.UHi != implied.UHi {
		implied = Range(w, x.ULo, x.UHi)
		if x.ULo != 0 {
			add(s.ULe(c(x.ULo), t))
		}
		if x.UHi != maskOf(x.Width) {
			add(s.ULe(t, c(x.UHi)))
		}
		known &^= implied.Zeros | implied.Ones
	}
	if known != 0 {
		add(s.Eq(s.BVAnd(t, c(known)), c(x.Ones&known)))
	}
	if x.SLo > implied.SLo {
		add(s.SLe(c(uint64(x.SLo)), t))
	}
	if x.SHi < implied.SHi {
		add(s.SLe(t, c(uint64(x.SHi))))
	}
	if x.Mod > 1 {
		add(s.Eq(s.URem(t, c(x.Mod)), c(x.Rem)))
	}
	return f
}
