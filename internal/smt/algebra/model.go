package algebra

import (
	"fmt"
	"maps"
	"slices"

	"assay/internal/bv"
	"assay/internal/polynomial"
	"assay/internal/term"
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

// targets states which of the equations no follow from those of yes.
func (m *model) targets(no, yes []term.ID, state func(term.ID)) {
	given := m.equations(yes[max(0, len(yes)-maxGiven):])
	type target struct {
		equation term.ID
		known
	}
	var goals []target
	for _, e := range no {
		if p, premises, ok := m.difference(e); ok {
			goals = append(goals, target{e, known{p: p, premises: premises}})
		}
	}
	m.narrow(yes)
	given = append(given, m.facts...)
	for _, g := range goals {
		near := relevant(g.p, given)
		if lemma, premises, used := m.lemma(g.equation, g.known, near, given); lemma != 0 {
			state(lemma)
			m.others(g.equation, premises, used, near, state)
		}
	}
}

// equations are equations between terms as polynomials.
func (m *model) equations(list []term.ID) (out []known) {
	st := m.o.st
	for _, e := range list {
		if st.Width(st.Arg(e, 0)) < m.ring.Width {
			continue
		}
		if p, premises, ok := m.difference(e); ok && len(p) > 0 {
			out = append(out, known{p, with(premises, e), e})
		}
	}
	return out
}

// lemma is that an equation, which is target as a polynomial, follows from others: from
// those that are near, or from all together with remainders; 0 if it does not.
func (m *model) lemma(equation term.ID, target known, near, all []known) (lemma term.ID, premises []term.ID, used []known) {
	st := m.o.st
	used, impossible := m.needed(target.p, near[:min(len(near), maxNearest)])
	if used == nil && len(near) > maxNearest {
		used, impossible = m.needed(target.p, near)
	}
	if used == nil && len(m.remainders) > 0 {
		all = append(all[:len(all):len(all)], m.remainders...)
		used, impossible = m.needed(target.p, relevant(target.p, all))
	}
	if used == nil {
		if tight := m.tight(); len(tight) > 0 {
			used, impossible = m.needed(target.p, relevant(target.p, append(all[:len(all):len(all)], tight...)))
		}
	}
	if used == nil {
		return 0, nil, nil
	}
	lemma, premises = equation, target.premises
	if impossible {
		lemma, premises = st.False(), nil
	}
	for _, k := range used {
		premises = with(premises, k.premises...)
	}
	for _, x := range premises {
		lemma = st.Or(lemma, st.Not(x))
	}
	return lemma, premises, used
}

// others states lemmas with the same conclusion for other ways than that of the model:
// one choice after the other is made otherwise. The next models would ask for them.
func (m *model) others(equation term.ID, premises []term.ID, used, near []known, state func(term.ID)) {
	type way struct {
		premises   []term.ID
		conditions map[term.ID]term.ID
		flipped    map[term.ID]bool
	}
	of := func(list []known) (out []term.ID) {
		for _, k := range list {
			if k.equation != 0 {
				out = append(out, k.equation)
			}
		}
		return out
	}
	// Most often the same equations do.
	lists := [][]term.ID{of(used), of(near[:min(len(near), maxNearest)])}
	seen := map[string]bool{}
	queue := []way{{premises, m.conditions, nil}}
	for tried := 0; len(queue) > 0; queue = queue[1:] {
		for _, x := range queue[0].premises {
			c := queue[0].conditions[x]
			if c == 0 || tried == maxWays {
				continue
			}
			flipped := maps.Clone(queue[0].flipped)
			if flipped == nil {
				flipped = map[term.ID]bool{}
			}
			if flipped[c] {
				delete(flipped, c)
			} else {
				flipped[c] = true
			}
			key := fmt.Sprint(slices.Sorted(maps.Keys(flipped)))
			if len(flipped) == 0 || seen[key] {
				continue
			}
			seen[key] = true
			tried++
			for _, list := range lists {
				n := newModel(m.o, m.value, m.ring.Width, flipped)
				given := n.equations(list)
				p, target, ok := n.difference(equation)
				if !ok {
					break
				}
				n.narrow(list)
				given = append(given, n.facts...)
				if lemma, premises, _ := n.lemma(equation, known{p: p, premises: target}, given, given); lemma != 0 {
					state(lemma)
					queue = append(queue, way{premises, n.conditions, flipped})
					break
				}
			}
		}
	}
}

// needed are some of the equations from which p = 0 follows, or a contradiction, as few as
// come by leaving out one after the other; nil if it does not follow.
func (m *model) needed(p polynomial.Polynomial, from []known) (used []known, impossible bool) {
	used, impossible, rounds := m.combination(p, from, polynomial.MaxRounds)
	for i := 0; i < len(used) && len(used) > 1 && len(used) <= maxMinimized; {
		rest := slices.Delete(slices.Clone(used), i, i+1)
		if fewer, no, _ := m.combination(p, rest, rounds); fewer != nil && no == impossible {
			used = fewer
		} else {
			i++
		}
	}
	return used, impossible
}

// combination are equations of which p is a combination, or a constant other than 0; nil
// if none is found in so many rounds.
func (m *model) combination(p polynomial.Polynomial, from []known, rounds int) (used []known, impossible bool, took int) {
	hypotheses := make([]polynomial.Polynomial, len(from))
	for i, k := range from {
		hypotheses[i] = k.p
	}
	id := polynomial.NewIdeal(m.ring, hypotheses)
	cofactors, took := id.Express(p, rounds)
	if cofactors == nil {
		constant, c, ok := id.Contradiction()
		if !ok || !m.ring.Proves(constant, hypotheses, c) {
			return nil, false, 0
		}
		cofactors, impossible = c, true
	}
	used = []known{}
	for i, c := range cofactors {
		if len(c) > 0 {
			used = append(used, from[i])
		}
	}
	return used, impossible, took
}

// with adds premises that are not there yet.
func with(premises []term.ID, more ...term.ID) []term.ID {
	out := slices.Clone(premises)
	for _, x := range more {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// relevant are the equations that are connected with p by variables, the nearest first.
func relevant(p polynomial.Polynomial, given []known) []known {
	have := map[uint16]bool{}
	p.Each(func(v uint16) { have[v] = true })
	taken := make([]bool, len(given))
	var out []known
	for grew := true; grew && len(out) < maxPremises; {
		grew = false
		var fresh []int
		for i, k := range given {
			if taken[i] {
				continue
			}
			touches := k.p.Degree() == 0
			k.p.Each(func(v uint16) { touches = touches || have[v] })
			if touches {
				fresh = append(fresh, i)
			}
		}
		for _, i := range fresh {
			if len(out) == maxPremises {
				break
			}
			taken[i], grew = true, true
			out = append(out, given[i])
			given[i].p.Each(func(v uint16) { have[v] = true })
		}
	}
	return out
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

// choice is the branch that is taken, of an Ite.
func (m *model) choice(t, yes, no term.ID, bits uint32) *expansion {
	st := m.o.st
	c := st.Arg(t, 0)
	a, premise := m.expand(no, bits), st.Not(c)
	if m.value(c).IsTrue() != m.flipped[c] {
		a, premise = m.expand(yes, bits), c
	}
	m.conditions[premise] = c
	return &expansion{a.p, with(a.premises, premise)}
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
