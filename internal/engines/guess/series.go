package guess

import (
	"math/bits"
	"slices"

	"assay/internal/evidence/invariant"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/transform/cut"
)

// This file guesses equations of elements that no store spells out, "a[k] = 2*k + 1" of
// a[i] = a[i-1] + 2: those that hold in the states of real runs, by the domain of affine
// equations (affine.go). The integers are the elements at k of the arrays of a function,
// the index k, k(k-1)/2 if the program multiplies, and the integers of the loop head;
// each element of a segment in a state is a row.

// Limits of series.
const (
	maxSeries         = 6 // segments of a loop
	maxSeriesArrays   = 5
	maxSeriesScalars  = 6
	maxSeriesElements = 3 // at each end of a segment in a state
	maxSeriesRows     = 400
	maxSeriesFound    = 10
)

// series are the elements of a segment in the states at a loop head.
type Series struct {
	s        *Segmenter
	loop     *cut.Loop
	segment  segment
	bounds   invariant.Range
	elements []*arrayElement
	scalars  []cut.Place
	square   bool
	value    *Affine
	rows     int
}

// series lists what to look at at the head of a loop. Of places only those are columns
// that it is told of.
func (s *Segmenter) Series(l *cut.Loop, places []cut.Place, square bool) (out []*Series) {
	for _, w := range []uint32{8, 16, 32} {
		var arrays []*arrayElement
		var segments []segment
		stored := false
		for _, a := range s.access {
			if a.bits != w || !s.rooted(l, a.arrayElement) || s.field(a.arrayElement) != "" {
				continue
			}
			if !slices.ContainsFunc(arrays, a.sameArray) && len(arrays) < maxSeriesArrays {
				e := *a.arrayElement
				e.index = form{}
				arrays = append(arrays, &e)
			}
			if !a.store {
				continue
			}
			stored = true
			for _, r := range s.ranges(l, a.arrayElement, nil) {
				if !slices.ContainsFunc(segments, func(q segment) bool { return q.from.equal(r.from) && q.to.equal(r.to) }) && len(segments) < maxSeries {
					segments = append(segments, r)
				}
			}
		}
		if !stored {
			continue
		}
		var scalars []cut.Place
		for _, x := range places {
			if x.Bits == w && !x.Float && len(scalars) < maxSeriesScalars {
				scalars = append(scalars, x)
			}
		}
		for _, r := range segments {
			p, ok := s.predicate(&body{array: arrays[0], relation: invariant.Congruent, sign: 1}, r)
			if !ok {
				continue
			}
			x := &Series{s: s, loop: l, segment: r, bounds: p.Range, elements: arrays, scalars: scalars, square: square}
			x.value = NewAffine(w, x.columns())
			out = append(out, x)
		}
	}
	return out
}

// seriesOf are those of the loops. What their bounds speak of is added to the places that are
// looked at; square says whether squares of elements are of interest.
func SeriesOf(segmenters []*Segmenter, places map[*cut.Loop][]cut.Place, square bool) map[*cut.Loop][]*Series {
	out := map[*cut.Loop][]*Series{}
	for _, s := range segmenters {
		for _, l := range s.loops {
			for _, x := range s.Series(l, slices.Clone(places[l]), square) {
				out[l] = append(out[l], x)
				places[l] = withPlaces(places[l], x.bounds.From.Terms)
				places[l] = withPlaces(places[l], x.bounds.To.Terms)
			}
		}
	}
	return out
}

// withPlaces are places with those of terms.
func withPlaces(places []cut.Place, terms []invariant.Term) []cut.Place {
	for _, t := range terms {
		if y := cut.PlaceOf(t); !slices.Contains(places, y) {
			places = append(places, y)
		}
	}
	return places
}

// prefixSums are those of the loops; places as in seriesOf.
func PrefixSums(segmenters []*Segmenter, places map[*cut.Loop][]cut.Place) map[*cut.Loop][]*Prefixes {
	out := map[*cut.Loop][]*Prefixes{}
	for _, s := range segmenters {
		for _, l := range s.loops {
			for _, x := range s.Prefixes(l, slices.Clone(places[l])) {
				out[l] = append(out[l], x)
				for i := range x.sums {
					places[l] = withPlaces(places[l], x.sums[i].count.Terms)
				}
			}
		}
	}
	return out
}

// scalarsOf are the scalars in a state.
func (x *Series) scalarsOf(places []cut.Place, row []uint64) []uint64 {
	out := make([]uint64, len(x.scalars))
	for i, y := range x.scalars {
		out[i] = row[slices.Index(places, y)]
	}
	return out
}

// columns are the elements, k, k(k-1)/2, and the scalars.
func (x *Series) columns() int {
	n := len(x.elements) + 1 + len(x.scalars)
	if x.square {
		n++
	}
	return n
}

// observe adds the rows of a state at the head of the loop; row are the scalars.
func (x *Series) observe(m *ir.Module, st interp.State, row []uint64) {
	from, ok := boundOf(m, &x.bounds.From, st)
	to, ok2 := boundOf(m, &x.bounds.To, st)
	if !ok || !ok2 || x.rows >= maxSeriesRows {
		return
	}
	for k := from; k < to; k++ {
		if k == from+maxSeriesElements && to-maxSeriesElements > k {
			k = to - maxSeriesElements
		}
		state := make([]uint64, 0, x.columns())
		for _, e := range x.elements {
			b, ok := st.Memory(addressOf(m, st.Value(e.root).Uint64()+e.offset+e.stride*uint64(k)), uint64(e.bits/8))
			if !ok {
				break
			}
			n := uint64(0)
			for j := len(b) - 1; j >= 0; j-- {
				n = n<<8 | uint64(b[j])
			}
			state = append(state, n)
		}
		if len(state) < len(x.elements) {
			continue
		}
		state = append(state, uint64(k))
		if x.square { // k*k itself has the parity of k, which hides equations
			state = append(state, uint64(k*(k-1)/2))
		}
		x.value.Join(append(state, row...))
		x.rows++
	}
}

// found are the candidates: equations of an element with an odd coefficient.
func (x *Series) Found() (out []cut.Candidate) {
	if x.rows < x.columns()+3 {
		return nil
	}
	w := x.value.w
	signed := func(n uint64) int64 { return int64(n<<(64-w)) >> (64 - w) }
	equations := x.value.equations()
	// First each element alone, as far as that goes; then as they are, for an equation of two elements may be
	// inductive where neither has one of its own.
	equations = append(solved(equations, len(x.elements), w), equations...)
	for _, c := range equations {
		for i, e := range x.elements {
			if bits.TrailingZeros64(c[i]) != 0 || len(out) == maxSeriesFound {
				continue
			}
			inv := -inverse(c[i])
			b := body{array: e, relation: invariant.Congruent, sign: 1, equation: true}
			small := true
			add := func(n uint64, a atom) {
				k := signed(n * inv)
				if small = small && Magnitude(k) <= MaxCoefficient; k != 0 {
					b.form.products = append(b.form.products, product{k, a})
				}
			}
			for j, o := range x.elements {
				if j != i {
					add(c[j], atom{element: o})
				}
			}
			j := len(x.elements)
			linear := c[j]
			if j++; x.square { // c*k*(k-1)/2 for even c
				half := uint64(signed(c[j]) / 2)
				small = small && c[j]%2 == 0
				square := indexAtom
				square.square = true
				add(half, square)
				linear -= half
				j++
			}
			add(linear, indexAtom)
			for _, y := range x.scalars {
				add(c[j], atom{Place: y})
				j++
			}
			b.form.constant = signed(c[j] * inv)
			if p, ok := x.s.predicate(&b, x.segment); ok && small {
				out = append(out, cut.Candidate{Loop: x.loop, Predicate: p})
			}
		}
	}
	return out
}

// solved are equations modulo 2^w that are solved for the first n unknowns, as far as these have odd coefficients: no other of the
// equations mentions an unknown that one is solved for.
func solved(equations [][]uint64, n int, w uint32) [][]uint64 {
	mask := ^uint64(0) >> (64 - w)
	rest := make([][]uint64, len(equations))
	for i, e := range equations {
		rest[i] = slices.Clone(e)
	}
	// minus takes so often an equation from another.
	minus := func(e, by []uint64, times uint64) {
		for j := range e {
			e[j] = (e[j] - times*by[j]) & mask
		}
	}
	var out [][]uint64
	for i := range n {
		at := slices.IndexFunc(rest, func(e []uint64) bool { return e[i]%2 == 1 })
		if at < 0 {
			continue
		}
		pivot := rest[at]
		rest = slices.Delete(rest, at, at+1)
		for factor, j := inverse(pivot[i]), 0; j < len(pivot); j++ {
			pivot[j] = pivot[j] * factor & mask
		}
		for _, e := range slices.Concat(out, rest) {
			minus(e, pivot, e[i])
		}
		out = append(out, pivot)
	}
	return out
}
