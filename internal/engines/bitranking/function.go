package bitranking

import (
	"math/big"
	"math/bits"
	"slices"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/logic/term"
)

// This file holds functions of the places of a loop: on numbers, as terms, and
// as the certificate has them. All arithmetic is that of the integers.

// summand is a multiple of a place.
type summand struct {
	place  int
	coeff  int64
	signed bool
}

// condition says that a sum is at most a bound, or if there is a modulus, that it
// is the bound modulo that.
type condition struct {
	sum     []summand
	bound   int64
	modulus uint64
}

// piece is an affine function where conditions hold.
type piece struct {
	when     []condition
	sum      []summand
	constant int64
}

// function is its first piece whose conditions hold; the last has none.
type function []piece

// affine is a function of one piece.
func affine(sum ...summand) function { return function{{sum: sum}} }

// wide says whether 64 bits are too few for the values of a sum.
func wide(places []place, sum []summand) bool {
	n := uint32(0)
	for _, s := range sum {
		n = max(n, places[s.place].Bits+uint32(bits.Len64(magnitude(s.coeff))))
	}
	return n+uint32(bits.Len(uint(len(sum)))) > 60
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// small evaluates a sum that is not wide.
func small(places []place, sum []summand, x []uint64) int64 {
	n := int64(0)
	for _, s := range sum {
		v := int64(x[s.place])
		if s.signed {
			shift := 64 - places[s.place].Bits
			v = v << shift >> shift
		}
		n += s.coeff * v
	}
	return n
}

// exact evaluates any sum.
func exact(places []place, sum []summand, x []uint64) *big.Int {
	n := new(big.Int)
	for _, s := range sum {
		b := bv.New(places[s.place].Bits, x[s.place])
		v := b.Unsigned()
		if s.signed {
			v = b.Signed()
		}
		n.Add(n, new(big.Int).Mul(big.NewInt(s.coeff), v))
	}
	return n
}

func (c *condition) holds(places []place, x []uint64) bool {
	if c.modulus != 0 {
		n := exact(places, c.sum, x)
		n.Sub(n, big.NewInt(c.bound))
		return n.Rem(n, new(big.Int).SetUint64(c.modulus)).Sign() == 0
	}
	if wide(places, c.sum) {
		return exact(places, c.sum, x).Cmp(big.NewInt(c.bound)) <= 0
	}
	return small(places, c.sum, x) <= c.bound
}

// at is the piece that is in force.
func (f function) at(places []place, x []uint64) *piece {
	for i := range f {
		if !slices.ContainsFunc(f[i].when, func(c condition) bool { return !c.holds(places, x) }) {
			return &f[i]
		}
	}
	panic("bitranking: the last piece of a function has conditions")
}

// change is the sign of f(now) - f(before).
func (f function) change(places []place, x pair) int {
	p, q := f.at(places, x.before), f.at(places, x.now)
	if !wide(places, p.sum) && !wide(places, q.sum) {
		a, b := small(places, p.sum, x.before)+p.constant, small(places, q.sum, x.now)+q.constant
		switch {
		case b < a:
			return -1
		case b > a:
			return 1
		}
		return 0
	}
	a, b := exact(places, p.sum, x.before), exact(places, q.sum, x.now)
	return b.Add(b, big.NewInt(q.constant)).Cmp(a.Add(a, big.NewInt(p.constant)))
}

// width is enough for all values of the function and of its conditions.
func (f function) width(places []place) uint32 {
	n, most := uint32(1), 0
	for _, p := range f {
		sums := [][]summand{p.sum}
		n = max(n, uint32(bits.Len64(magnitude(p.constant))))
		for _, c := range p.when {
			sums = append(sums, c.sum)
			n = max(n, uint32(bits.Len64(magnitude(c.bound))), uint32(bits.Len64(c.modulus)))
		}
		for _, sum := range sums {
			most = max(most, len(sum))
			for _, s := range sum {
				n = max(n, places[s.place].Bits+uint32(bits.Len64(magnitude(s.coeff))))
			}
		}
	}
	return n + uint32(bits.Len(uint(most+1))) + 1
}

// sumTerm is the term of a sum.
func sumTerm(st *term.Store, w uint32, sum []summand, constant int64, x []term.ID) term.ID {
	t := st.Const(bv.FromBig(w, big.NewInt(constant)))
	for _, s := range sum {
		v := st.ZExt(x[s.place], w)
		if s.signed {
			v = st.SExt(x[s.place], w)
		}
		if s.coeff != 1 {
			v = st.Mul(st.Const(bv.FromBig(w, big.NewInt(s.coeff))), v)
		}
		t = st.Add(t, v)
	}
	return t
}

// term is the value of the function.
func (f function) term(st *term.Store, w uint32, x []term.ID) term.ID {
	var t term.ID
	for i := len(f) - 1; i >= 0; i-- {
		v := sumTerm(st, w, f[i].sum, f[i].constant, x)
		if i == len(f)-1 {
			t = v
			continue
		}
		holds := st.True()
		for _, c := range f[i].when {
			d := sumTerm(st, w, c.sum, -c.bound, x)
			if n := bits.TrailingZeros64(c.modulus); n < 64 && c.modulus == 1<<n {
				if n > 0 {
					holds = st.And(holds, st.Eq(st.Extract(d, uint32(n)-1, 0), st.ConstU(uint32(n), 0)))
				}
				continue
			}
			if c.modulus != 0 {
				// The remainder of a division that rounds to zero is 0 for multiples only.
				holds = st.And(holds, st.Eq(st.SRem(d, st.ConstU(w, c.modulus)), st.ConstU(w, 0)))
				continue
			}
			holds = st.And(holds, st.SLe(d, st.ConstU(w, 0)))
		}
		t = st.Ite(holds, v, t)
	}
	return t
}

// single says that a function is a multiple of one place by 1 or -1.
func (f function) single() (s summand, ok bool) {
	if len(f) != 1 || len(f[0].sum) != 1 || magnitude(f[0].sum[0].coeff) != 1 {
		return s, false
	}
	return f[0].sum[0], true
}

// less says f(x) < f(y).
func (f function) less(st *term.Store, places []place, x, y []term.ID) term.ID {
	if s, ok := f.single(); ok {
		a, b := x[s.place], y[s.place]
		if s.coeff < 0 {
			a, b = b, a
		}
		if s.signed {
			return st.SLt(a, b)
		}
		return st.ULt(a, b)
	}
	w := f.width(places)
	return st.SLt(f.term(st, w, x), f.term(st, w, y))
}

// equal says f(x) = f(y).
func (f function) equal(st *term.Store, places []place, x, y []term.ID) term.ID {
	if s, ok := f.single(); ok {
		return st.Eq(x[s.place], y[s.place])
	}
	w := f.width(places)
	return st.Eq(f.term(st, w, x), f.term(st, w, y))
}

// decreases says (R) of a mark, or (F).
func (k *mark) decreases(st *term.Store, places []place, fs []function) term.ID {
	t := st.Not(k.accepted)
	for i := len(fs) - 1; i >= 0; i-- {
		f := fs[i]
		t = st.Or(f.less(st, places, k.now, k.before), st.And(f.equal(st, places, k.now, k.before), t))
	}
	return t
}

// certificate translates a function.
func (f function) certificate(places []place) verdict.RankingFunction {
	terms := func(sum []summand) []invariant.Term {
		var out []invariant.Term
		for _, s := range sum {
			t := places[s.place]
			t.Coeff, t.Signed = s.coeff, s.signed
			out = append(out, t)
		}
		return out
	}
	var out verdict.RankingFunction
	for _, p := range f {
		c := verdict.RankingCase{Terms: terms(p.sum), Constant: p.constant}
		for _, w := range p.when {
			q := invariant.Comparison{Terms: terms(w.sum), Relation: invariant.AtMost, Bound: big.NewInt(w.bound)}
			if w.modulus != 0 {
				q.Relation, q.Modulus = invariant.Congruent, w.modulus
			}
			c.When = append(c.When, q)
		}
		out = append(out, c)
	}
	return out
}
