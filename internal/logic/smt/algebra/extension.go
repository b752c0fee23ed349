package algebra

import (
	"assay/internal/logic/term"
)

// This file looks into extensions of words to the width of the ring.

// extension is the expansion of an extension of fewer bits: that of a choice, a sum or a
// product is one of extensions, if it does not wrap: because it cannot, or on the premise
// that it does not.
func (m *model) extension(t term.ID, bits uint32) *expansion {
	st, r := m.o.st, m.ring
	a, w := st.Arg(t, 0), st.Width(t)
	signed := st.Op(t) == term.OpSExt
	extend := func(x term.ID) term.ID {
		if signed {
			return st.SExt(x, w)
		}
		return st.ZExt(x, w)
	}
	switch op := st.Op(a); op {
	case term.OpIte:
		return m.choice(a, extend(st.Arg(a, 1)), extend(st.Arg(a, 2)), bits)
	case term.OpConcat:
		high, low := st.Arg(a, 0), st.Arg(a, 1)
		k := st.Width(low)
		if k >= bits {
			return nil
		}
		if st.Op(high) == term.OpExtract { // x << k in fewer bits
			x := st.Arg(high, 0)
			if _, lo := st.ExtractBounds(high); lo == 0 && st.Width(x) == st.Width(a) {
				exact := st.Eq(t, st.Add(st.Mul(extend(x), st.ConstU(w, 1<<k)), st.ZExt(low, w)))
				if w <= 64 && m.value(exact).IsTrue() {
					y, z := m.expand(extend(x), bits), m.expand(st.ZExt(low, r.Width), r.Width)
					return &expansion{r.Plus(z.p, 1<<k, y.p), with(with([]term.ID{exact}, y.premises...), z.premises...)}
				}
			}
		}
		x, y := m.expand(extend(high), bits), m.expand(st.ZExt(low, r.Width), r.Width)
		return &expansion{r.Plus(y.p, 1<<k, x.p), with(x.premises, y.premises...)}
	case term.OpAdd, term.OpMul:
		b, c := extend(st.Arg(a, 0)), extend(st.Arg(a, 1))
		var premises []term.ID
		if m.length(a, signed) > st.Width(a) {
			exact := st.Eq(t, st.Add(b, c))
			if op == term.OpMul {
				exact = st.Eq(t, st.Mul(b, c))
			}
			if op == term.OpMul && m.o.is(a) || !m.value(exact).IsTrue() {
				return nil
			}
			premises = []term.ID{exact}
		}
		x, y := m.expand(b, bits), m.expand(c, bits)
		premises = with(with(premises, x.premises...), y.premises...)
		if op == term.OpAdd {
			return &expansion{r.Plus(x.p, 1, y.p), premises}
		}
		if p, ok := r.Times(x.p, y.p); ok {
			return &expansion{p, premises}
		}
	case term.OpNeg, term.OpBVNot:
		if !signed || op == term.OpNeg && m.length(a, signed) > st.Width(a) {
			return nil
		}
		x := m.expand(extend(st.Arg(a, 0)), bits)
		p := r.Plus(nil, ^uint64(0), x.p)
		if op == term.OpBVNot {
			p = r.Plus(p, ^uint64(0), r.Constant(1))
		}
		return &expansion{p, x.premises}
	}
	return nil
}

// maxLength bounds the depth in which lengths are looked for.
const maxLength = 8

// length is a number of bits in which the value of a term fits, without and with a
// sign, if the operations that it is made of were not cut off at its width: a greater
// one than the width says that they may be.
func (m *model) length(t term.ID, signed bool) uint32 { return m.lengthOf(t, signed, maxLength) }

func (m *model) lengthOf(t term.ID, signed bool, depth int) uint32 {
	st, w := m.o.st, m.o.st.Width(t)
	if depth == 0 {
		return w
	}
	of := func(i int) uint32 { // that of an argument, none if it may be cut off
		x := st.Arg(t, i)
		return min(m.lengthOf(x, signed, depth-1), st.Width(x))
	}
	switch st.Op(t) {
	case term.OpConst:
		v := st.ConstValue(t)
		if signed {
			n := v.Signed()
			if n.Sign() < 0 {
				n.Not(n)
			}
			return uint32(n.BitLen()) + 1
		}
		return uint32(v.Unsigned().BitLen())
	case term.OpSExt:
		if signed {
			return of(0)
		}
	case term.OpZExt:
		x := st.Arg(t, 0)
		if signed {
			return st.Width(x) + 1
		}
		return of(0)
	case term.OpIte:
		return max(of(1), of(2))
	case term.OpAdd:
		return max(of(0), of(1)) + 1
	case term.OpMul:
		return of(0) + of(1)
	case term.OpNeg:
		if signed {
			return of(0) + 1
		}
	case term.OpBVNot:
		if signed {
			return of(0)
		}
	case term.OpConcat:
		return of(0) + st.Width(st.Arg(t, 1))
	}
	return w
}
