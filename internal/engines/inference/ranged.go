package inference

import (
	"context"
	"math/big"
	"slices"

	"assay/internal/engines/guess"
	"assay/internal/evidence/invariant"
	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/program/ir"
	"assay/internal/transform/cut"
)

// This file proves predicates with a range: "for all k with From <= k < To, a[k]
// is ...". To the values at a visit of
// a head come the state of memory and the pointers to arrays there; reads of
// memory in the program are taken down as well. The instances are those of the
// array property fragment [BMS06], as far as they are known.
//
//	(Q1) A goal is refuted by one k. One constant serves all goals: of the first
//	     goal that fails on a run, let it be a k for which it does.
//	(Q2) A hypothesis is used for finitely many k: this constant, and the indices
//	     of the elements that are read in the program, in goals and in other
//	     hypotheses. Any choice of them is sound.
//	(Q3) A hypothesis is a fact "if the visit is reached, early, and the predicate
//	     switched on, then it holds", not a condition of the path. It could
//	     exclude a run for what it does after a violation; but the loops that the
//	     run enters later can start as they are, and then none of their visits is
//	     early; the loops around the violation are in their last visits, or
//	     started as they are.

// elementRead is a place that is read; if an instance reads it, base + offset +
// stride*k.
type elementRead struct {
	at, base       memory.Value
	k              term.ID
	offset, stride uint64
	// depth counts the instances that led to it: 0 if it is one of the program.
	depth int
}

// hypothesis is an early visit of the head of a rule with a range.
type hypothesis struct {
	rule  *rule
	visit *visit
	used  map[term.ID]bool
	next  int // the first read that was not looked at
}

// instances is what a formula says of predicates with ranges.
type instances struct {
	loopBases  map[*cut.Loop][]ir.Value
	hypotheses []*hypothesis
	reads      []elementRead
	known      map[memory.Value]bool
	index      term.ID // at which goals are refuted
	made       int
	depth      int // of what is read now
	loads      int32
}

// maxInstances bounds the instances of hypotheses, maxChain those that lead to one
// another: a hypothesis about a[k] and a[k-1] has an instance for k-1, and so on.
const (
	maxInstances = 6000
	maxChain     = 2
)

// bases lists the pointers to the arrays of predicates.
func bases(ranged []cut.Candidate) map[*cut.Loop][]ir.Value {
	out := map[*cut.Loop][]ir.Value{}
	for _, c := range ranged {
		c.Predicate.Each(func(t invariant.Term) {
			if t.Stride != 0 && !slices.Contains(out[c.Loop], t.Value) {
				out[c.Loop] = append(out[c.Loop], t.Value)
			}
		})
	}
	return out
}

// quantified is the greatest inductive set of all candidates, those with ranges
// included, which may need the others and each other.
func (p *Search) quantified(ctx context.Context, f *formula, given []*rule) ([]*rule, error) {
	if len(p.ranged) == 0 {
		return given, nil
	}
	on, err := f.greatest(ctx, append(slices.Clone(p.all), p.ranged...), given, 6)
	return append(given, on...), err
}

// quantifiedSampled is quantified with the candidates that were seen in runs, too.
func (p *Search) quantifiedSampled(ctx context.Context, f *formula, given []*rule) ([]*rule, error) {
	if len(p.sampled) == 0 {
		return given, nil
	}
	have := map[candidateKey]bool{}
	for _, r := range given {
		have[keyOf(r.Candidate)] = true
	}
	all := slices.Concat(p.all, p.ranged, p.sampled)
	on, err := f.greatest(ctx, slices.DeleteFunc(all, func(c cut.Candidate) bool { return have[keyOf(c)] }), given, 6)
	return append(given, on...), err
}

// chooseIndex makes the constant of (Q1): what lies in a range has no more bits
// than its bounds.
func (f *formula) chooseIndex(ranged []cut.Candidate) {
	w := uint32(1)
	for i := range ranged {
		r := ranged[i].Predicate.(invariant.ForAll).Range
		w = max(w, sumWidth(&r.From), sumWidth(&r.To))
	}
	f.index = f.st.SExt(f.st.Fresh("index", term.BitVec(min(w, f.m.PointerBits))), f.m.PointerBits)
}

func (f *formula) read(x elementRead) {
	if f.known == nil {
		f.known = map[memory.Value]bool{}
	}
	if x.at.IsPointer() && !f.known[x.at] {
		f.known[x.at] = true
		f.reads = append(f.reads, x)
	}
}

// addRanged puts a predicate with a range into the formula.
func (f *formula) addRanged(c cut.Candidate, p invariant.ForAll) *rule {
	st := f.st
	r := &rule{Candidate: c, flag: st.Fresh("rule", term.Bool()), broken: st.False()}
	f.depth = 0
	for i := range f.visits[c.Loop] {
		v := &f.visits[c.Loop][i]
		late := st.And(v.guard, st.Not(v.early))
		if !st.IsFalse(late) {
			holds, ok := f.instance(r, v, f.index, late)
			if !ok {
				holds = st.False()
			}
			r.broken = st.Or(r.broken, st.And(late, st.Not(holds)))
		}
		if early := st.And(v.guard, v.early); !st.IsFalse(early) {
			h := &hypothesis{rule: r, visit: v, used: map[term.ID]bool{}}
			f.hypotheses = append(f.hypotheses, h)
			f.instantiate(h, f.index)
		}
	}
	f.flags = append(f.flags, r.flag)
	for again := true; again; { // instances read, too
		again = false
		for _, h := range f.hypotheses {
			for ; h.next < len(f.reads); h.next++ {
				f.match(h, f.reads[h.next])
				again = true
			}
		}
	}
	for _, t := range f.u.Space().Facts() {
		f.solver.Assert(t)
	}
	return r
}

// instantiate assumes a hypothesis for k.
func (f *formula) instantiate(h *hypothesis, k term.ID) {
	if h.used[k] || f.made >= maxInstances {
		return
	}
	h.used[k] = true
	f.made++
	early := f.st.And(h.visit.guard, h.visit.early)
	if holds, ok := f.instance(h.rule, h.visit, k, early); ok {
		f.watch(holds)
		f.solver.Assert(f.st.Implies(f.st.And(h.rule.flag, early), holds))
	}
}

// match instantiates a hypothesis for an element that is read.
func (f *formula) match(h *hypothesis, x elementRead) {
	if x.depth > maxChain {
		return
	}
	f.depth = x.depth + 1
	st, w := f.st, f.m.PointerBits
	h.rule.Predicate.Each(func(t invariant.Term) {
		if t.Stride == 0 {
			return
		}
		base := f.base(h.rule.Loop, h.visit, t)
		switch {
		case base.Object != x.at.Object:
		case x.base == base && x.stride == t.Stride && (x.offset-t.Offset)%t.Stride == 0:
			f.instantiate(h, st.Add(x.k, st.ConstU(w, uint64(int64(x.offset-t.Offset)/int64(t.Stride)))))
		default:
			f.instantiate(h, quotient(st, st.Sub(x.at.Offset, st.Add(base.Offset, st.ConstU(w, t.Offset))), t.Stride))
		}
	})
}

func (f *formula) base(l *cut.Loop, v *visit, t invariant.Term) memory.Value {
	return v.bases[slices.Index(f.loopBases[l], t.Value)]
}

// quotient is t / s, for an index.
func quotient(st *term.Store, t term.ID, s uint64) term.ID {
	w := st.Width(t)
	if q, ok := divide(st, t, s); ok {
		return q
	}
	if s&(s-1) == 0 {
		return st.AShr(t, st.ConstU(w, uint64(big.NewInt(0).SetUint64(s).BitLen()-1)))
	}
	return st.SDiv(t, st.ConstU(w, s))
}

// divide finds a term whose product with s is t.
func divide(st *term.Store, t term.ID, s uint64) (term.ID, bool) {
	w := st.Width(t)
	if s == 1 {
		return t, true
	}
	switch st.Op(t) {
	case term.OpConst:
		if c := st.ConstValue(t).Signed(); c.IsInt64() && c.Int64()%int64(s) == 0 {
			return st.ConstU(w, uint64(c.Int64()/int64(s))), true
		}
	case term.OpMul:
		for i := range 2 {
			if c, ok := st.ConstUint64(st.Arg(t, i)); ok && c%s == 0 {
				return st.Mul(st.Arg(t, 1-i), st.ConstU(w, c/s)), true
			}
		}
	case term.OpShl:
		if c, ok := st.ConstUint64(st.Arg(t, 1)); ok && c < 63 && uint64(1)<<c%s == 0 {
			return st.Mul(st.Arg(t, 0), st.ConstU(w, uint64(1)<<c/s)), true
		}
	case term.OpAdd:
		if a, ok := divide(st, st.Arg(t, 0), s); ok {
			if b, ok := divide(st, st.Arg(t, 1), s); ok {
				return st.Add(a, b), true
			}
		}
	case term.OpNeg:
		if a, ok := divide(st, st.Arg(t, 0), s); ok {
			return st.Neg(a), true
		}
	case term.OpConcat:
		low := st.Arg(t, 1)
		if c, ok := st.ConstUint64(low); ok && c == 0 && st.Width(low) < 63 && uint64(1)<<st.Width(low)%s == 0 {
			return st.Mul(st.SExt(st.Arg(t, 0), w), st.ConstU(w, uint64(1)<<st.Width(low)/s)), true
		}
	}
	return 0, false
}

// instance says that the predicate of a rule holds for k at a visit; ok is false
// if this has no exact formula.
func (f *formula) instance(r *rule, v *visit, k, guard term.ID) (holds term.ID, ok bool) {
	st, sp, w := f.st, f.u.Space(), f.m.PointerBits
	p := r.Predicate.(invariant.ForAll)
	there, ok := st.True(), true
	value := func(t invariant.Term) term.ID {
		switch {
		case t.Index:
			return k
		case t.Stride == 0:
			return v.values[slices.Index(f.places[r.Loop], cut.PlaceOf(t))]
		}
		x := f.base(r.Loop, v, t)
		if _, isConst := st.ConstUint64(x.Object); !isConst {
			ok = false
			return st.ConstU(t.Bits, 0)
		}
		f.loads++
		at := sp.Add(x, st.Add(st.Mul(k, st.ConstU(w, t.Stride)), st.ConstU(w, t.Offset)))
		e, valid := v.mem.Load(memory.Key{Instance: 1<<32 - 1, Value: ir.Value(f.loads)}, at, t.Bits/8, false, guard)
		ok = ok && len(sp.TakeGaveUp()) == 0
		there = st.And(there, valid)
		f.read(elementRead{at, x, k, t.Offset, t.Stride, f.depth})
		return e.Bits
	}
	bound := func(s *invariant.Sum) (sum, index term.ID) {
		w := max(sumWidth(s), w)
		return st.Add(f.number(w, s.Const), f.sum(s.Terms, w, value)), st.SExt(k, w)
	}
	relation := f.comparison(p.Body, value)
	if f.products != nil {
		f.products.Keep(relation) // sums, too, are decided by calculation sooner than by circuits
	}
	from, index := bound(&p.Range.From)
	in := st.And(there, st.SLe(from, index))
	to, index := bound(&p.Range.To)
	return st.Implies(st.And(in, st.SLt(index, to)), relation), ok
}

// sumWidth is a width in which a sum does not wrap.
func sumWidth(s *invariant.Sum) uint32 {
	w := uint32(s.Const.BitLen()) + 1
	for _, t := range s.Terms {
		w = max(w, t.Bits+1+uint32(big.NewInt(t.Coeff).BitLen()))
	}
	return w + uint32(big.NewInt(int64(len(s.Terms)+1)).BitLen())
}

// unbroken lists the candidates with ranges that no state broke.
func unbroken(candidates []cut.Candidate, at map[*cut.Loop]*guess.States) []cut.Candidate {
	var out []cut.Candidate
	for i, c := range candidates {
		if !at[c.Loop].Broken[i] {
			out = append(out, c)
		}
	}
	return out
}
