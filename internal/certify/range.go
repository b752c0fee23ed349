package certify

import (
	"math/big"
	"math/bits"

	"assay/internal/evidence/invariant"
	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/program/ir"
)

// This file checks predicates that are quantified: the relation holds for all
// integers k of a range. It adds to the events and assumptions of induction.go:
//
//	(P') A visit of a head at which such a predicate fails for the index κ, a
//	     constant of the whole check about which nothing is known.
//	(1') After a visit it is assumed that the predicate holds for κ.
//	(3)  If a visit is reached and early, its predicates hold for finitely many
//	     further indices: those of the elements that are read anywhere.
//
// Soundness: let the first bad event of a run be that a predicate fails, at some
// k. Let κ be that k; the event is one of (P'). If the first bad event is another
// one, κ may be anything. Before the event all predicates hold for all k, so (1')
// excludes nothing of the run up to it. Each fact of (3) about a visit before the
// event holds. Of a visit after the event the condition is false: the
// executions of loops that the run begins after it need not be selected, and
// those under way at the event are in visit K or not selected, and stay so;
// so that visit is not early.

// indexed are the quantified predicates of a check.
type indexed struct {
	kappa  term.ID
	visits []indexedVisit
	// facts are those of the visits, if K is 0.
	facts []visitFact
	// read are the elements that are read.
	read  []elementRead
	depth int // of what is read now
	known map[memory.Value]bool
}

// elementRead is a place; if it was read for a predicate, base + offset +
// stride*k.
type elementRead struct {
	at, base       memory.Value
	k              term.ID
	offset, stride uint64
	// depth counts the facts that led to it: 0 if it is one of the program or of a claim.
	depth int
}

// visitFact is a fact about a visit.
type visitFact struct {
	visit int
	holds term.ID
}

// indexedVisit is a visit of a head that has a quantified predicate, which is assumed there.
type indexedVisit struct {
	fr    *frame
	cond  term.ID
	in    edge
	p     invariant.ForAll
	terms []value
}

// noteRead notes the place of an element that is read.
func (c *checker) noteRead(r elementRead) {
	p := r.at
	if c.induction == nil || !c.induction.ranges || !p.IsPointer() || c.indexed.known[p] {
		return
	}
	if c.indexed.known == nil {
		c.indexed.known = map[memory.Value]bool{}
	}
	c.indexed.known[p] = true
	c.indexed.read = append(c.indexed.read, r)
}

// quantified claims or assumes a quantified predicate at a visit; it gives the
// condition for κ.
func (c *checker) quantified(fr *frame, head ir.BlockID, in edge, p invariant.ForAll) term.ID {
	v := c.indexedVisit(fr, head, in, p)
	if v.cond = c.st.And(in.guard, fr.early()); !c.st.IsFalse(v.cond) {
		c.indexed.visits = append(c.indexed.visits, v)
	}
	return c.atKappa(fr, head, &v, in.guard)
}

// atKappa says that a quantified predicate holds for κ at a visit.
func (c *checker) atKappa(fr *frame, head ir.BlockID, v *indexedVisit, guard term.ID) term.ID {
	t, exact := c.holdsFor(v, c.kappa(), guard)
	if !exact {
		c.claim(uncovered, fr, guard, c.blockValue(fr.fn, head), "a predicate of a loop head reads through a pointer")
	}
	return t
}

// kappa is κ.
func (c *checker) kappa() term.ID {
	if c.indexed.kappa == 0 {
		// What lies in a range has no more bits than its bounds.
		w := uint32(1)
		for _, ps := range c.induction.predicates {
			for _, p := range ps {
				if p, ok := p.(invariant.ForAll); ok {
					w = max(w, c.boundWidth(&p.Range.From), c.boundWidth(&p.Range.To))
				}
			}
		}
		w = min(w, c.m.PointerBits)
		c.indexed.kappa = c.st.SExt(c.st.Fresh("index", term.BitVec(w)), c.m.PointerBits)
	}
	return c.indexed.kappa
}

// indexedVisit is a visit, of which nothing is assumed so far.
func (c *checker) indexedVisit(fr *frame, head ir.BlockID, in edge, p invariant.ForAll) indexedVisit {
	v := indexedVisit{fr: fr, in: in, p: p}
	p.Each(func(t invariant.Term) {
		var x value
		if !t.Index {
			x = c.atHead(fr, head, in, t.Value)
		}
		v.terms = append(v.terms, x)
	})
	v.in.mem = in.mem.Fork()
	return v
}

// maxInstances bounds the number of facts of (3), maxChain how many lead to one
// another: one about a[k] and a[k-1] leads to one about k-1, and so on.
const (
	maxInstances = 4000
	maxChain     = 2
)

// assumeIndexed adds the facts of (3).
func (c *checker) assumeIndexed() {
	st := c.st
	type fact struct {
		visit int
		k     term.ID
	}
	made := map[fact]bool{}
	assume := func(n int, k term.ID) {
		f, v := fact{n, k}, &c.indexed.visits[n]
		if made[f] || len(made) >= maxInstances {
			return
		}
		made[f] = true
		switch t, exact := c.holdsFor(v, k, v.cond); {
		case !exact:
		case c.induction.k == 0:
			c.indexed.facts = append(c.indexed.facts, visitFact{n, st.Implies(v.cond, t)})
		default:
			c.facts = append(c.facts, st.Implies(v.cond, t))
		}
	}
	for n := range c.indexed.visits {
		if c.induction.k == 0 { // else it is assumed on the way
			assume(n, c.kappa())
		}
	}
	for i := 0; i < len(c.indexed.read); i++ { // grows
		r := c.indexed.read[i]
		if r.depth > maxChain {
			continue
		}
		c.indexed.depth = r.depth + 1
		for n := range c.indexed.visits {
			v := &c.indexed.visits[n]
			position := 0
			var ks []term.ID
			v.p.Each(func(t invariant.Term) {
				switch base := v.terms[position]; {
				case t.Stride == 0 || base.Object != r.at.Object:
				case r.base == base.Value && r.stride == t.Stride && (r.offset-t.Offset)%t.Stride == 0:
					ks = append(ks, st.Add(r.k, c.word(uint64(int64(r.offset-t.Offset)/int64(t.Stride)))))
				default:
					distance := st.Sub(st.Sub(r.at.Offset, base.Offset), c.word(t.Offset))
					ks = append(ks, c.indexFor(distance, t.Stride))
				}
				position++
			})
			for _, k := range ks {
				assume(n, k)
			}
		}
	}
}

// indexFor guesses k with k*stride = distance; which k is a matter of
// completeness only.
func (c *checker) indexFor(distance term.ID, stride uint64) term.ID {
	st := c.st
	if stride == 1 {
		return distance
	}
	var factor func(t term.ID) (term.ID, bool)
	factor = func(t term.ID) (term.ID, bool) {
		switch n := st.NumArgs(t); st.Op(t) {
		case term.OpConst:
			x := st.ConstValue(t).Signed()
			q, r := new(big.Int).QuoRem(x, new(big.Int).SetUint64(stride), new(big.Int))
			return c.integer(st.Width(t), q), r.Sign() == 0
		case term.OpAdd, term.OpNeg:
			x, ok := factor(st.Arg(t, 0))
			if !ok || n == 1 {
				return st.Neg(x), ok
			}
			y, ok := factor(st.Arg(t, 1))
			return st.Add(x, y), ok
		case term.OpMul:
			if y, ok := factor(st.Arg(t, 1)); ok && st.IsConst(st.Arg(t, 1)) {
				return st.Mul(st.Arg(t, 0), y), true
			}
			if x, ok := factor(st.Arg(t, 0)); ok && st.IsConst(st.Arg(t, 0)) {
				return st.Mul(x, st.Arg(t, 1)), true
			}
		case term.OpConcat:
			zeros := st.Arg(t, 1)
			if x, ok := st.ConstUint64(zeros); ok && x == 0 && st.Width(zeros) < 32 && uint64(1)<<st.Width(zeros)%stride == 0 {
				return st.Mul(st.SExt(st.Arg(t, 0), st.Width(t)), c.word(uint64(1)<<st.Width(zeros)/stride)), true
			}
		}
		return t, false
	}
	if q, ok := factor(distance); ok {
		return q
	}
	if bits.OnesCount64(stride) == 1 {
		return st.AShr(distance, c.word(uint64(bits.TrailingZeros64(stride))))
	}
	return st.SDiv(distance, c.word(stride))
}

// weigh adds to a number bounds of the sizes of summands: no partial sum is greater.
func weigh(most *big.Int, ts []invariant.Term) *big.Int {
	for _, t := range ts {
		x := new(big.Int).Abs(big.NewInt(t.Coeff))
		most = new(big.Int).Add(most, x.Mul(x, new(big.Int).Lsh(big.NewInt(1), uint(t.Bits))))
	}
	return most
}

// boundWidth is a width in which a bound of a range does not wrap.
func (c *checker) boundWidth(s *invariant.Sum) uint32 {
	return uint32(weigh(new(big.Int).Abs(s.Const), s.Terms).BitLen()) + 2
}

// holdsFor says that a predicate holds for k at a visit: k is outside of the
// range, an element is not there, or the relation holds. If it is not exact, the
// answer means nothing.
func (c *checker) holdsFor(v *indexedVisit, k, guard term.ID) (holds term.ID, exact bool) {
	st := c.st
	exact = true
	there := st.True()
	position := 0
	next := func(t *invariant.Term) term.ID {
		x := v.terms[position]
		position++
		if t.Index {
			return k
		}
		if !t.Cell {
			return x.Bits
		}
		if _, ok := st.ConstUint64(x.Object); !ok {
			exact = false
			return st.ConstU(t.Bits, 0)
		}
		at := c.sp.Add(x.Value, st.Add(c.word(t.Offset), st.Mul(k, c.word(t.Stride))))
		y, valid := v.in.mem.Load(c.key(0), at, t.Bits/8, false, guard)
		exact = exact && len(c.sp.TakeGaveUp()) == 0
		there = st.And(there, valid)
		if t.Stride != 0 {
			c.noteRead(elementRead{at: at, base: x.Value, k: k, offset: t.Offset, stride: t.Stride, depth: c.indexed.depth})
		}
		return y.Bits
	}
	total := func(w uint32, ts []invariant.Term, constant *big.Int) term.ID {
		sum := c.integer(w, constant)
		for i := range ts {
			x := next(&ts[i])
			if ts[i].Signed {
				x = st.SExtOrTrunc(x, w)
			} else {
				x = st.ZExtOrTrunc(x, w)
			}
			if ts[i].Square { // modulo 2^w
				x = st.Mul(x, x)
			}
			sum = st.Add(sum, st.Mul(c.integer(w, big.NewInt(ts[i].Coeff)), x))
		}
		return sum
	}
	p := v.p.Body
	w := uint32(weigh(new(big.Int).Add(new(big.Int).Abs(p.Bound), p.Mod()), p.Terms).BitLen()) + 2
	power := p.ModuloPower()
	if power { // the low bits of a sum are those of the low bits
		w = uint32(p.Mod().TrailingZeroBits())
	}
	sum := total(w, p.Terms, new(big.Int).Neg(p.Bound))
	zero := st.ConstU(w, 0)
	var relation term.ID
	switch {
	case p.Relation == invariant.AtMost:
		relation = st.SLe(sum, zero)
	case p.Relation == invariant.NotEqual:
		relation = st.Not(st.Eq(sum, zero))
	case power:
		relation = st.Eq(sum, zero)
	default:
		relation = st.Eq(st.SRem(sum, c.integer(w, p.Mod())), zero)
	}
	in := st.True()
	for i, s := range []*invariant.Sum{&v.p.Range.From, &v.p.Range.To} {
		w := max(c.boundWidth(s), c.m.PointerBits)
		bound := total(w, s.Terms, s.Const)
		if index := st.SExt(k, w); i == 0 {
			in = st.And(in, st.SLe(bound, index))
		} else {
			in = st.And(in, st.SLt(index, bound))
		}
	}
	return st.Implies(st.And(in, there), relation), exact
}

// illFormedRange says what is wrong with a range, if anything is.
func illFormedRange(p invariant.ForAll, pointer uint32) string {
	if p.Range.From.Const == nil || p.Range.To.Const == nil {
		return "a range has no bounds"
	}
	for _, s := range []*invariant.Sum{&p.Range.From, &p.Range.To} {
		for _, t := range s.Terms {
			switch {
			case t.Index || t.Stride != 0:
				return "a range depends on its index"
			case t.Float:
				return "a float in a range"
			}
		}
	}
	bad := ""
	p.Each(func(t invariant.Term) {
		switch {
		case t.Square && !p.Body.ModuloPower():
			bad = "a square of the index in no equation modulo a power of two"
		case t.Index && (t.Bits != pointer || t.Cell || t.Stride != 0):
			bad = "an index is no integer of the width of pointers"
		case t.Cell && t.Bits%8 != 0:
			bad = "a summand in memory is no number of bytes"
		}
	})
	return bad
}
