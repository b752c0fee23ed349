package algebra

import (
	"assay/internal/logic/bv"
	"assay/internal/logic/polynomial"
	"assay/internal/logic/term"
)

// This file turns terms into polynomials, as a model has them: of choices the branch that
// is taken in the model, on the premise that it is.

// model is a model with polynomials of one width.
type model struct {
	o     *Operations
	value func(term.ID) bv.BV
	ring  polynomial.Ring
	// flipped are conditions that are taken to be otherwise than in the model.
	flipped map[term.ID]bool
	memo    map[part]*expansion
	// conditions are those of choices that were met, by premise.
	conditions map[term.ID]term.ID
	// budget bounds the terms looked into, facts are what is known of atoms.
	budget int
	facts  []known
	met    map[uint16]bool // atoms of which it was said
	order  []uint16        // these
	// remainders are equations that remainders of constants are what they are in the model.
	remainders []known
}

func newModel(o *Operations, value func(term.ID) bv.BV, width uint32, flipped map[term.ID]bool) *model {
	return &model{
		o: o, value: value, ring: polynomial.Ring{Width: width}, flipped: flipped, memo: map[part]*expansion{},
		conditions: map[term.ID]term.ID{}, met: map[uint16]bool{},
	}
}

// expansion is the low bits of a term as a polynomial, on the premises.
type expansion struct {
	p        polynomial.Polynomial
	premises []term.ID
}

// difference is the difference of the sides of an equation.
func (m *model) difference(e term.ID) (p polynomial.Polynomial, premises []term.ID, ok bool) {
	m.budget = maxExpanded
	a, b := m.expand(m.o.st.Arg(e, 0), m.ring.Width), m.expand(m.o.st.Arg(e, 1), m.ring.Width)
	p = m.ring.Plus(a.p, ^uint64(0), b.p)
	return p, with(a.premises, b.premises...), len(p) <= maxSize
}

// part is a term of which so many of the low bits matter.
type part struct {
	t    term.ID
	bits uint32
}

// expand is a term as a polynomial that is congruent to it modulo 2^bits; neither the term
// nor the ring has fewer bits.
func (m *model) expand(t term.ID, bits uint32) *expansion {
	if x, ok := m.memo[part{t, bits}]; ok {
		return x
	}
	m.budget--
	x := m.expansion(t, bits)
	if x == nil || len(x.p) > maxSize {
		x = m.atom(t, bits)
	}
	m.memo[part{t, bits}] = x
	return x
}

// expansion is expand for a term that is no atom, nil for one that is.
func (m *model) expansion(t term.ID, bits uint32) *expansion {
	st, r := m.o.st, m.ring
	if m.budget < 0 {
		return nil
	}
	switch st.Op(t) {
	case term.OpConst:
		if st.Width(t) > 64 {
			return nil
		}
		v, _ := st.ConstUint64(t)
		return &expansion{p: r.Constant(v & (^uint64(0) >> (64 - bits)))}
	case term.OpAdd:
		a, b := m.expand(st.Arg(t, 0), bits), m.expand(st.Arg(t, 1), bits)
		return &expansion{r.Plus(a.p, 1, b.p), with(a.premises, b.premises...)}
	case term.OpNeg:
		a := m.expand(st.Arg(t, 0), bits)
		return &expansion{r.Plus(nil, ^uint64(0), a.p), a.premises}
	case term.OpBVNot: // -x - 1
		a := m.expand(st.Arg(t, 0), bits)
		return &expansion{r.Plus(r.Constant(^uint64(0)), ^uint64(0), a.p), a.premises}
	case term.OpMul:
		a, b := m.expand(st.Arg(t, 0), bits), m.expand(st.Arg(t, 1), bits)
		if p, ok := r.Times(a.p, b.p); ok {
			return &expansion{p, with(a.premises, b.premises...)}
		}
	case term.OpIte:
		return m.choice(t, st.Arg(t, 1), st.Arg(t, 2), bits)
	case term.OpSelect:
		return m.read(st.Arg(t, 0), st.Arg(t, 1), bits)
	case term.OpShl:
		if k, ok := st.ConstUint64(st.Arg(t, 1)); ok && k < 64 {
			a := m.expand(st.Arg(t, 0), bits)
			return &expansion{r.Plus(nil, 1<<k, a.p), a.premises}
		}
	case term.OpConcat:
		// 2^k times what is above, of which bits-k matter, and what is below.
		low, high := st.Arg(t, 1), st.Arg(t, 0)
		k := st.Width(low)
		if k >= bits {
			return m.expand(low, bits)
		}
		a, b := m.expand(high, bits-k), m.expand(st.ZExt(low, r.Width), r.Width)
		return &expansion{r.Plus(b.p, 1<<k, a.p), with(a.premises, b.premises...)}
	case term.OpExtract:
		if _, lo := st.ExtractBounds(t); lo == 0 {
			return m.expand(st.Arg(t, 0), bits)
		}
	case term.OpZExt, term.OpSExt:
		a := st.Arg(t, 0)
		if st.Width(a) >= bits {
			return m.expand(a, bits)
		}
		return m.extension(t, bits)
	}
	return nil
}

// choice is the branch that is taken, of an Ite.
func (m *model) choice(t, yes, no term.ID, bits uint32) *expansion {
	taken, premise := m.decided(m.o.st.Arg(t, 0))
	if !taken {
		yes = no
	}
	a := m.expand(yes, bits)
	return &expansion{a.p, with(a.premises, premise)}
}

// decided says whether a condition is taken to be true, on the premise that it is so.
func (m *model) decided(c term.ID) (yes bool, premise term.ID) {
	premise = m.o.st.Not(c)
	if yes = m.value(c).IsTrue() != m.flipped[c]; yes {
		premise = c
	}
	m.conditions[premise] = c
	return yes, premise
}

// read is what is read of an array: of one that was written what was written there, of a choice of two
// arrays that of the one that is taken. What is read of a variable is an atom, nil if there was no choice before it.
func (m *model) read(array, index term.ID, bits uint32) *expansion {
	st := m.o.st
	var premises []term.ID
	for range maxWrites {
		switch st.Op(array) {
		case term.OpStore:
			here, premise := m.decided(st.Eq(st.Arg(array, 1), index))
			premises = with(premises, premise)
			if here {
				a := m.expand(st.Arg(array, 2), bits)
				return &expansion{a.p, with(a.premises, premises...)}
			}
			array = st.Arg(array, 0)
		case term.OpIte:
			first, premise := m.decided(st.Arg(array, 0))
			premises = with(premises, premise)
			if first {
				array = st.Arg(array, 1)
			} else {
				array = st.Arg(array, 2)
			}
		case term.OpConstArray:
			a := m.expand(st.Arg(array, 0), bits)
			return &expansion{a.p, with(a.premises, premises...)}
		default:
			if len(premises) == 0 {
				return nil
			}
			a := m.expand(st.Select(array, index), bits)
			return &expansion{a.p, with(a.premises, premises...)}
		}
	}
	return nil
}

// atom is a term as a variable.
func (m *model) atom(t term.ID, bits uint32) *expansion {
	st, w := m.o.st, m.ring.Width
	switch n := st.Width(t); {
	case n > w:
		t = st.Extract(t, w-1, 0)
		if st.Op(t) != term.OpExtract { // it became simpler
			return m.expand(t, bits)
		}
	case n < w && st.Op(t) == term.OpSExt: // so it is like others
		return m.expand(st.SExt(st.Arg(t, 0), w), w)
	case n < w:
		return m.expand(st.ZExt(t, w), w)
	}
	n, ok := m.o.numbers[t]
	if !ok {
		if len(m.o.atoms) == 1<<16-1 {
			panic("algebra: too many atoms")
		}
		m.o.atoms = append(m.o.atoms, t)
		n = uint16(len(m.o.atoms))
		m.o.numbers[t] = n
	}
	if !m.met[n] {
		m.met[n] = true
		m.order = append(m.order, n)
		m.about(t)
	}
	return &expansion{p: m.ring.Variable(n)}
}
