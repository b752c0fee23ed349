package algebra

import (
	"assay/internal/logic/term"
)

// This file takes down what is known of the terms of which polynomials are made, beside the
// equations of the formula.

// about takes down what is known of an atom: of a quotient and a remainder what they are
// of, and that a remainder of a division by a constant, or a few bits, are what they
// are in the model.
func (m *model) about(t term.ID) {
	st, r, w := m.o.st, m.ring, m.ring.Width
	inner := t
	extend := func(x term.ID) term.ID { return x }
	switch st.Op(t) {
	case term.OpZExt:
		inner = st.Arg(t, 0)
		extend = func(x term.ID) term.ID { return st.ZExt(x, w) }
		if st.Width(inner) <= fewBits {
			m.isInModel(t)
		}
	case term.OpSExt:
		inner = st.Arg(t, 0)
		extend = func(x term.ID) term.ID { return st.SExt(x, w) }
	}
	if inner != t && st.Width(inner) > w || inner == t && st.Width(t) != w {
		return
	}
	whole := func(x, quotient, divisor, remainder term.ID) {
		a, q, d, rest := m.expand(x, w), m.expand(quotient, w), m.expand(divisor, w), m.expand(remainder, w)
		p, ok := r.Times(q.p, d.p)
		if !ok {
			return
		}
		p = r.Plus(r.Plus(p, 1, rest.p), ^uint64(0), a.p)
		m.facts = append(m.facts, known{p: p, premises: with(with(a.premises, q.premises...), with(d.premises, rest.premises...)...)})
		if st.IsConst(divisor) {
			m.isInModel(remainder)
		}
	}
	switch op := st.Op(inner); op {
	case term.OpUDiv, term.OpURem:
		if st.Op(t) == term.OpSExt {
			return
		}
		x, y := st.Arg(inner, 0), st.Arg(inner, 1)
		whole(extend(x), extend(st.UDiv(x, y)), extend(y), extend(st.URem(x, y)))
	case term.OpSDiv, term.OpSRem:
		if inner != t { // the least number divided by -1 wraps
			return
		}
		x, y := st.Arg(t, 0), st.Arg(t, 1)
		whole(x, st.SDiv(x, y), y, st.SRem(x, y))
	case term.OpExtract:
		// x >> k
		x := st.Arg(inner, 0)
		if hi, lo := st.ExtractBounds(inner); inner != t && hi == st.Width(x)-1 && lo > 0 && st.Width(x) <= w {
			whole(extend(x), t, st.ConstU(w, 1<<lo), st.ZExt(st.Extract(x, lo-1, 0), w))
		}
	}
}

// fewBits is how many may be what they are in the model.
const fewBits = 3

// isInModel takes down that a word of the ring's width is what it is in the model.
func (m *model) isInModel(t term.ID) {
	st, r := m.o.st, m.ring
	if st.IsConst(t) {
		return
	}
	v := m.value(t)
	x := m.expand(t, r.Width)
	m.remainders = append(m.remainders, known{p: r.Plus(x.p, ^uint64(0), r.Constant(v.Uint64())), premises: with(x.premises, st.Eq(t, st.Const(v)))})
}

// tight are equations between what the formula compares, where the values in the model
// are equal or neighbours: what is left when a loop ends that counts up to a bound.
func (m *model) tight() []known {
	st, r := m.o.st, m.ring
	var out []known
	for _, c := range m.o.comparisons[max(0, len(m.o.comparisons)-maxComparisons):] {
		a, b := st.Arg(c, 0), st.Arg(c, 1)
		n := st.Width(a)
		if n != r.Width && (n > r.Width || st.Op(a) == term.OpConst || st.Op(b) == term.OpConst) {
			continue
		}
		d := m.value(a).Sub(m.value(b)).Signed()
		if !d.IsInt64() || d.Int64() < -1 || d.Int64() > 1 {
			continue
		}
		m.budget = maxExpanded
		extend := func(x term.ID) term.ID {
			if op := st.Op(c); op == term.OpSLt || op == term.OpSLe {
				return st.SExt(x, r.Width)
			}
			return st.ZExt(x, r.Width)
		}
		x, y := extend(a), extend(b)
		same := st.Eq(x, st.Add(y, st.ConstU(r.Width, uint64(d.Int64())&(^uint64(0)>>(64-r.Width)))))
		if !m.value(same).IsTrue() {
			continue
		}
		p, q := m.expand(x, r.Width), m.expand(y, r.Width)
		diff := r.Plus(r.Plus(p.p, ^uint64(0), q.p), ^uint64(0), r.Constant(uint64(d.Int64())))
		if len(diff) > 0 {
			out = append(out, known{p: diff, premises: with(with(p.premises, q.premises...), same)})
		}
	}
	return out
}

// narrow takes down equations between narrower words of which atoms are extensions.
func (m *model) narrow(yes []term.ID) {
	st, w := m.o.st, m.ring.Width
	for _, n := range m.order {
		t := m.o.atoms[n-1]
		op := st.Op(t)
		if op != term.OpZExt && op != term.OpSExt || st.Width(t) != w {
			continue
		}
		a := st.Arg(t, 0)
		for _, e := range yes {
			other := st.Arg(e, 1)
			switch a {
			case st.Arg(e, 0):
			case other:
				other = st.Arg(e, 0)
			default:
				continue
			}
			x := st.ZExt(other, w)
			if op == term.OpSExt {
				x = st.SExt(other, w)
			}
			p := m.ring.Plus(m.ring.Variable(n), ^uint64(0), m.expand(x, w).p)
			m.facts = append(m.facts, known{p: p, premises: with(m.expand(x, w).premises, e)})
		}
	}
}
