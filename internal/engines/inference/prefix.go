package inference

import (
	"context"
	"math/big"
	"math/bits"
	"slices"

	"assay/internal/evidence/invariant"
	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/transform/cut"
)

// This file finds equations about sums of elements (invariant.SumEquation): those that hold
// in the states of real runs, by the domain of affine equations (affine.go). The integers
// are those of the loop head, and the sums of the first elements of the arrays that the
// function reads, up to the index of an access and up to where it stops. What a loop adds
// up is an equation between them, also when another loop takes it away again:
//
//	s = sum(a[k], 0 <= k < n) - sum(a[k], 0 <= k < i)
//
// In formulas the sum of n elements of a content is a variable, with the facts that
// certify/elements.go states.

// Limits of sums.
const (
	maxPrefixArrays  = 3
	maxPrefixCounts  = 4 // of one array at one loop
	maxPrefixScalars = 8
	maxPrefixed      = 2000 // elements that are added up in a state
	maxPrefixRows    = 300
	maxPrefixFound   = 12
)

// prefixSum is a sum of the first elements of an array.
type prefixSum struct {
	array *arrayElement
	count invariant.Sum
}

// prefixes are the sums at a loop head, for one width.
type prefixes struct {
	loop    *cut.Loop
	sums    []prefixSum
	scalars []cut.Place
	value   *affine
	rows    int
}

// prefixes lists the sums to look at, at the head of a loop.
func (s *segmenter) prefixes(l *cut.Loop, places []cut.Place) (out []*prefixes) {
	for _, w := range []uint32{8, 16, 32, 64} {
		x := &prefixes{loop: l}
		arrays := 0
		var seen []*arrayElement
		for _, a := range s.access {
			e := a.arrayElement
			if a.store || e.bits != w || e.stride != uint64(w/8) || !s.rooted(l, e) || s.field(e) != "" || slices.ContainsFunc(seen, e.sameArray) || arrays == maxPrefixArrays {
				continue
			}
			seen = append(seen, e)
			arrays++
			first := *e
			first.index = form{}
			var counts []form
			for _, b := range s.access {
				if !b.sameArray(e) || b.loop == nil {
					continue
				}
				// How far this loop has come, and where the loops end.
				var ends []form
				if b.loop.Blocks[l.Head] {
					ends = s.at(l, b.index, s.starts)
				}
				for _, x := range s.limitsOf(b.index) {
					ends = append(ends, s.at(l, x, s.limits)...)
				}
				for _, n := range ends {
					if n.constant == 0 && len(n.products) == 1 && !slices.ContainsFunc(counts, n.equal) && len(counts) < maxPrefixCounts {
						counts = append(counts, n)
					}
				}
			}
			for _, n := range counts {
				p, ok := s.predicate(&body{array: &first, relation: invariant.AtMost, sign: 1}, segment{number64(0), n})
				if ok && !slices.ContainsFunc(p.Range.To.Terms, func(t invariant.Term) bool { return t.Bits > 32 }) {
					x.sums = append(x.sums, prefixSum{&first, p.Range.To})
				}
			}
		}
		if len(x.sums) == 0 {
			continue
		}
		for _, y := range places {
			if y.Bits == w && !y.Float && len(x.scalars) < maxPrefixScalars {
				x.scalars = append(x.scalars, y)
			}
		}
		x.value = newAffine(w, len(x.sums)+len(x.scalars))
		out = append(out, x)
	}
	return out
}

// observe adds the row of a state at the head of the loop; row are its places.
func (x *prefixes) observe(m *ir.Module, s interp.State, places []cut.Place, row []uint64) {
	if x.rows >= maxPrefixRows {
		return
	}
	state := make([]uint64, 0, len(x.sums)+len(x.scalars))
	for i := range x.sums {
		p := &x.sums[i]
		n, ok := boundOf(m, &p.count, s)
		if !ok || n > maxPrefixed {
			return
		}
		size := uint64(p.array.bits / 8)
		sum := uint64(0)
		if n > 0 {
			b, ok := s.Memory(addressOf(m, s.Value(p.array.root).Uint64()+p.array.offset), size*uint64(n))
			if !ok {
				return
			}
			for k := uint64(0); k < uint64(n); k++ {
				e := uint64(0)
				for j := size; j > 0; j-- {
					e = e<<8 | uint64(b[k*size+j-1])
				}
				sum += e
			}
		}
		state = append(state, sum)
	}
	for _, y := range x.scalars {
		state = append(state, row[slices.Index(places, y)])
	}
	x.value.join(state)
	x.rows++
}

// found are the equations about sums.
func (x *prefixes) found() (out []cut.Candidate) {
	if x.rows < len(x.sums)+len(x.scalars)+2 {
		return nil
	}
	w := x.value.w
	for _, c := range x.value.equations() {
		two, summed := uint32(64), false
		for i, n := range c {
			if n != 0 {
				two = min(two, uint32(bits.TrailingZeros64(n)))
				summed = summed || i < len(x.sums)
			}
		}
		if !summed || two > 0 || len(out) == maxPrefixFound {
			continue
		}
		signed := func(n uint64) int64 { return int64(n<<(64-w)) >> (64 - w) }
		e := &invariant.SumEquation{Width: w, Constant: signed(c[len(c)-1])}
		small := true
		for i, p := range x.sums {
			if k := signed(c[i]); k != 0 {
				small = small && abs(k) <= maxCoeff
				e.Sums = append(e.Sums, invariant.ElementSum{Coeff: k, Base: p.array.root, Offset: p.array.offset, Count: p.count})
			}
		}
		for i, y := range x.scalars {
			if k := signed(c[len(x.sums)+i]); k != 0 {
				small = small && abs(k) <= maxCoeff
				e.Terms = append(e.Terms, y.Term(k, true))
			}
		}
		if small {
			out = append(out, cut.Candidate{Loop: x.loop, Predicate: e})
		}
	}
	return out
}

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
