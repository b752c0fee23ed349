package guess

import (
	"math/bits"
	"slices"

	"assay/internal/evidence/invariant"
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
type Prefixes struct {
	loop    *cut.Loop
	sums    []prefixSum
	scalars []cut.Place
	value   *Affine
	rows    int
}

// prefixes lists the sums to look at, at the head of a loop.
func (s *Segmenter) Prefixes(l *cut.Loop, places []cut.Place) (out []*Prefixes) {
	for _, w := range []uint32{8, 16, 32, 64} {
		x := &Prefixes{loop: l}
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
		x.value = NewAffine(w, len(x.sums)+len(x.scalars))
		out = append(out, x)
	}
	return out
}

// observe adds the row of a state at the head of the loop; row are its places.
func (x *Prefixes) observe(m *ir.Module, s interp.State, places []cut.Place, row []uint64) {
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
	x.value.Join(state)
	x.rows++
}

// found are the equations about sums.
func (x *Prefixes) Found() (out []cut.Candidate) {
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
				small = small && Magnitude(k) <= MaxCoefficient
				e.Sums = append(e.Sums, invariant.ElementSum{Coeff: k, Base: p.array.root, Offset: p.array.offset, Count: p.count})
			}
		}
		for i, y := range x.scalars {
			if k := signed(c[len(x.sums)+i]); k != 0 {
				small = small && Magnitude(k) <= MaxCoefficient
				e.Terms = append(e.Terms, y.Term(k, true))
			}
		}
		if small {
			out = append(out, cut.Candidate{Loop: x.loop, Predicate: e})
		}
	}
	return out
}
