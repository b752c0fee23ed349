package induction

import (
	"fmt"
	"math/big"
	"slices"

	"assay/internal/invariant"
	"assay/internal/ir"
	"assay/internal/ir/interp"
)

// This file is the domain of equations between the elements of segments of arrays
// at loop heads: for all k with From <= k < To,
//
//	Σ c·x = c₀ (mod 2^w)
//
// where the x are k, integers at the head, and elements a[k]. It is the domain of
// affine equations (affine.go) over points (state, k): an element of it begins with the
// points of the states that real runs were seen in, and a model of the formula
// that leads out of it is joined [2LS Fig. 12]. So what a loop stores need not
// be understood: a fact that holds of all points seen is there from the beginning.

// span is the equations of one array in one range.
type span struct {
	loop *Loop
	rng  *invariant.Range
	// columns are what is in the equations, with coefficient 1; the array itself comes last.
	columns []invariant.Term
	bits    uint32
	value   *affine
	// points are those seen; missing are columns that were not there in one of them.
	points  [][]uint64
	missing []bool
	// sign tells apart ranges that differ in a state.
	sign  uint64
	rules []*rule
	// refused are equations that cost too much.
	refused map[string]bool
	lost    bool
}

// Limits of what is looked at.
const (
	maxPoints      = 240 // of a span
	maxSpanScalars = 8
	maxSpanArrays  = 4
	maxSpans       = 40 // of a loop
)

// spans lists the arrays and ranges of a loop; columns come later, as they need
// the integers that are looked at.
func (s *segmenter) spans(l *Loop) []*span {
	var arrays []*arrayElement
	for _, a := range s.access {
		if s.rooted(l, a.arrayElement) && !slices.ContainsFunc(arrays, a.sameArray) && len(arrays) < maxSpanArrays {
			arrays = append(arrays, a.arrayElement)
		}
	}
	element := func(e *arrayElement) invariant.Term {
		return invariant.Term{Coeff: 1, Value: e.root, Cell: true, Stride: e.stride, Offset: e.offset, Bits: e.bits, Signed: true}
	}
	var out []*span
	for _, a := range arrays {
		if !slices.Contains(widths, a.bits) {
			continue
		}
		for _, r := range s.ranges(l, a, nil) {
			rng, ok := rangeOf(r)
			if !ok || len(out) >= maxSpans {
				continue
			}
			x := &span{loop: l, rng: rng, bits: a.bits, refused: map[string]bool{}}
			for _, o := range arrays {
				if o != a && o.bits == a.bits {
					x.columns = append(x.columns, element(o))
				}
			}
			x.columns = append(x.columns, element(a))
			out = append(out, x)
		}
	}
	return out
}

// complete adds the index and integers at the head to the columns.
func (x *span) complete(m *ir.Module, places []place) {
	index := invariant.Term{Coeff: 1, Index: true, Bits: m.PointerBits, Signed: true}
	front := []invariant.Term{index}
	for _, own := range []bool{false, true} { // what the loop changes comes last
		for _, y := range places {
			changes := y.cell || x.loop.Func.Def(y.value).Block == x.loop.Head
			if y.float || y.bits < x.bits || y.bits == 1 || changes != own || len(front) > maxSpanScalars {
				continue
			}
			front = append(front, y.term(1, true))
		}
	}
	x.columns = append(front, x.columns...)
	x.missing = make([]bool, len(x.columns))
}

// see takes down points of a state of a run.
func (x *span) see(m *ir.Module, s interp.State) {
	lo, hi, ok := rangeBounds(m, x.rng, s)
	if !ok {
		return
	}
	x.sign = (x.sign*1000003+uint64(lo))*1000003 + uint64(hi)
	if lo >= hi || len(x.points) >= maxPoints {
		return
	}
	n := hi - lo
	ks := []int64{lo, hi - 1, lo + 1, lo + n/2, lo + n/3}
	for i, k := range ks {
		if k >= hi || slices.Contains(ks[:i], k) {
			continue
		}
		row := make([]uint64, len(x.columns))
		for i := range x.columns {
			n, ok := valueOf(m, &x.columns[i], s, k)
			if !ok {
				if i == len(x.columns)-1 {
					row = nil
					break
				}
				x.missing[i] = true
				continue
			}
			row[i] = low(n)
		}
		if row != nil {
			x.points = append(x.points, row)
		}
	}
}

// low are the low bits of a number.
func low(n *big.Int) uint64 {
	if n.IsInt64() {
		return uint64(n.Int64())
	}
	return n.Uint64()
}

// settleColumns joins the points, without columns that were not always there, and says
// whether there is an equation.
func (x *span) settleColumns() bool {
	var columns []invariant.Term
	for i, t := range x.columns {
		if !x.missing[i] {
			columns = append(columns, t)
		}
	}
	x.value = newAffine(x.bits, len(columns))
	for _, p := range x.points {
		var row []uint64
		for i, v := range p {
			if !x.missing[i] {
				row = append(row, v)
			}
		}
		x.value.join(row)
	}
	x.columns, x.points = columns, nil
	return len(x.predicates()) > 0
}

// seenSpans are the spans that have equations, one for each range.
func seenSpans(all []*span) []*span {
	var out []*span
	for _, x := range all {
		if len(x.points) == 0 {
			continue
		}
		same := func(y *span) bool {
			return y.loop == x.loop && y.sign == x.sign && y.columns[len(y.columns)-1] == x.columns[len(x.columns)-1]
		}
		if !slices.ContainsFunc(out, same) && x.settleColumns() {
			out = append(out, x)
		}
	}
	return out
}

// fork is a copy to work on.
func (x *span) fork() *span {
	c := *x
	c.value, c.rules, c.refused = x.value.clone(), nil, map[string]bool{}
	return &c
}

// predicates are the equations that mention the array, which has the coefficient 1 if
// it is odd.
func (x *span) predicates() []invariant.Predicate {
	if x.value.empty() {
		return nil
	}
	last := len(x.columns) - 1
	var out []invariant.Predicate
	for _, c := range x.value.equations() {
		if c[last]&x.value.mask() == 0 {
			continue
		}
		if c[last]&1 == 1 {
			inv := inverse(c[last])
			for i := range c {
				c[i] *= inv
			}
		}
		if p, ok := congruence(x.bits, c, x.columns); ok {
			p.Range = x.rng
			out = append(out, p)
		}
	}
	return out
}

// update puts the equations into the formula.
func (x *span) update(f *formula) {
	text := func(p *invariant.Predicate) string {
		return p.Text(func(t invariant.Term) string { return fmt.Sprint(t.Value, t.Cell) })
	}
	var now []invariant.Predicate
	if !x.lost {
		for _, p := range x.predicates() {
			if !x.refused[text(&p)] {
				now = append(now, p)
			}
		}
	}
	var rules []*rule
	for _, r := range x.rules {
		t := text(&r.Predicate)
		i := slices.IndexFunc(now, func(p invariant.Predicate) bool { return text(&p) == t })
		if i < 0 {
			f.retire(r)
			continue
		}
		rules, now = append(rules, r), slices.Delete(now, i, i+1)
	}
	for _, p := range now {
		rules = append(rules, f.add(Candidate{x.loop, p}))
	}
	x.rules = rules
}

// refuse drops an equation for good.
func (x *span) refuse(r *rule) {
	x.refused[r.Predicate.Text(func(t invariant.Term) string { return fmt.Sprint(t.Value, t.Cell) })] = true
}

// joinModel joins the points of the model at which an equation fails.
func (x *span) joinModel(f *formula) {
	var done []*visit
	for _, r := range x.rules {
		for _, b := range r.at {
			if slices.Contains(done, b.visit) || !f.isTrue(b.broken) {
				continue
			}
			done = append(done, b.visit)
			row := make([]uint64, len(x.columns))
			for i, t := range x.columns {
				row[i] = f.solver.Value(f.column(x.loop, b.visit, t)).Uint64()
				if t.Signed && t.Bits < 64 {
					row[i] = uint64(number(row[i], t.Bits, true))
				}
			}
			x.value.join(row)
		}
	}
}

// prepareSpans completes the spans, and lets what they speak of be known.
func (p *prover) prepareSpans(spans []*span) {
	for _, x := range spans {
		x.complete(p.m, p.places[x.loop])
		q := invariant.Predicate{Terms: x.columns, Range: x.rng}
		q.Each(func(t invariant.Term) {
			switch {
			case t.Index:
			case t.Stride != 0:
				if !slices.Contains(p.bases[x.loop], t.Value) {
					p.bases[x.loop] = append(p.bases[x.loop], t.Value)
				}
			case !slices.Contains(p.places[x.loop], placeOf(t)):
				p.places[x.loop] = append(p.places[x.loop], placeOf(t))
			}
		})
	}
}

// ranges are those of all predicates that may be tried.
func (p *prover) ranges() []*invariant.Range {
	var out []*invariant.Range
	for i := range p.ranged {
		out = append(out, p.ranged[i].Predicate.Range)
	}
	for _, x := range p.spans {
		out = append(out, x.rng)
	}
	return out
}
