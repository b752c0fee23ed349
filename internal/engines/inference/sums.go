package inference

import (
	"assay/internal/evidence/invariant"
	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/transform/cut"
	"context"
	"math/big"
	"slices"
)

// This file makes equations about sums of elements formulas, and finds those that are inductive.

// elementSums is the greatest inductive set of equations about sums.
func (p *Search) elementSums(ctx context.Context, f *formula, given []*rule) ([]*rule, error) {
	if len(p.summed) == 0 {
		return given, nil
	}
	on, err := f.greatest(ctx, p.summed, given, 60)
	return append(given, on...), err
}

// prefix is the sum of the first count elements of a content, from an element on.
type prefix struct {
	content term.ID
	first   uint64
	count   term.ID
	sum     term.ID
}

// equationOfSums is an equation at a visit; ok is false if this has no exact formula.
func (f *formula) equationOfSums(l *cut.Loop, e *invariant.SumEquation, v *visit) (holds term.ID, ok bool) {
	st := f.st
	integer := func(t invariant.Term, w uint32) term.ID {
		x := v.values[slices.Index(f.places[l], cut.PlaceOf(t))]
		if t.Signed {
			x = st.SExtOrTrunc(x, w)
		} else {
			x = st.ZExtOrTrunc(x, w)
		}
		return st.Mul(f.number(w, big.NewInt(t.Coeff)), x)
	}
	sum := f.number(e.Width, big.NewInt(e.Constant))
	for _, t := range e.Terms {
		sum = st.Add(sum, integer(t, e.Width))
	}
	for i := range e.Sums {
		s := &e.Sums[i]
		count := f.number(64, s.Count.Const)
		for _, t := range s.Count.Terms {
			count = st.Add(count, integer(t, 64))
		}
		base := v.bases[slices.Index(f.loopBases[l], s.Base)]
		o, ok := st.ConstUint64(base.Object)
		at, ok2 := st.ConstUint64(base.Offset)
		size := uint64(e.Width / 8)
		at += s.Offset
		if !ok || !ok2 || at%size != 0 {
			return 0, false
		}
		content, ok := v.mem.Elements(memory.ObjectID(o), e.Width/8)
		if !ok {
			return 0, false
		}
		sum = st.Add(sum, st.Mul(f.number(e.Width, big.NewInt(s.Coeff)), f.prefixSum(content, at/size, count)))
	}
	return st.Eq(sum, st.ConstU(e.Width, 0)), true
}

// fact asserts what holds in every run.
func (f *formula) fact(t term.ID) {
	f.solver.Assert(t)
	f.watch(t)
}

// prefixSum is the variable for a sum.
func (f *formula) prefixSum(content term.ID, first uint64, count term.ID) term.ID {
	st := f.st
	zero, one := st.ConstU(64, 0), st.ConstU(64, 1)
	for _, p := range f.prefixes {
		if p.content == content && p.first == first && p.count == count {
			return p.sum
		}
	}
	x := prefix{content, first, count, st.Fresh("sum", term.BitVec(st.Sort(content).Width))}
	f.fact(st.Implies(st.SLe(count, zero), st.Eq(x.sum, st.ConstU(st.Width(x.sum), 0))))
	next := func(p, q prefix) {
		element := st.Select(content, st.Add(st.ConstU(f.m.PointerBits, first), st.ZExtOrTrunc(p.count, f.m.PointerBits)))
		follows := st.And(st.Eq(q.count, st.Add(p.count, one)), st.SLe(zero, p.count))
		f.fact(st.Implies(follows, st.Eq(q.sum, st.Add(p.sum, element))))
	}
	for _, p := range f.prefixes {
		if p.content == content && p.first == first {
			f.fact(st.Implies(st.Eq(p.count, count), st.Eq(p.sum, x.sum)))
			next(p, x)
			next(x, p)
		}
	}
	f.prefixes = append(f.prefixes, x)
	return x.sum
}
