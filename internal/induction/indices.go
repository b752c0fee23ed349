package induction

import (
	"math/big"
	"slices"

	"assay/internal/heap"
	"assay/internal/invariant"
	"assay/internal/ir"
)

// This file finds the ranges of indices that segments have at a loop head: from
// where a loop begins to go through an array to where it has come, from there to
// where it ends, and all of what another loop goes through. They are read off the indices of
// accesses and the comparisons of the loops, and are guesses.

// start is what a phi of a loop head is when the loop is entered, limit what it
// is compared with.
func (s *segmenter) start(phi ir.Value) (form, bool) {
	d := s.f.Def(phi)
	l := s.heads[d.Block]
	if d.Op != ir.Phi || l == nil {
		return form{}, false
	}
	var out form
	found := false
	for i, p := range s.f.Blocks[l.Head].Preds {
		if l.in[p] {
			continue
		}
		x, ok := linear(s.f, d.Args[i], 0)
		if !ok || found && !x.equal(out) {
			return form{}, false
		}
		out, found = x, true
	}
	return out, found
}

// step is the sign of what an iteration adds to a phi, 1 if it is not known.
func (s *segmenter) step(phi ir.Value) int64 {
	d := s.f.Def(phi)
	l := s.heads[d.Block]
	for i, p := range s.f.Blocks[l.Head].Preds {
		if !l.in[p] {
			continue
		}
		x, ok := linear(s.f, d.Args[i], 0)
		if !ok {
			return 1
		}
		if n, ok := x.minus(form{products: []product{{1, atom{place: place{value: phi, bits: d.Type.Bits}}}}}).isConstant(); ok && n < 0 {
			return -1
		}
	}
	return 1
}

// limits are the forms that a phi is compared with in its loop: where it stops.
func (s *segmenter) limits(phi ir.Value) []form {
	l := s.heads[s.f.Def(phi).Block]
	self := form{products: []product{{1, atom{place: place{value: phi, bits: s.f.Type(phi).Bits}}}}}
	var out []form
	for v := ir.Value(1); int(v) < len(s.f.Values); v++ {
		d := s.f.Def(v)
		if !l.in[d.Block] {
			continue
		}
		strict := int64(0)
		switch d.Op {
		case ir.SLe, ir.ULe:
			strict = 1
		case ir.SLt, ir.ULt, ir.Ne, ir.Eq:
		default:
			continue
		}
		if s.f.Type(d.Args[0]).Kind != ir.Int {
			continue
		}
		a, ok := linear(s.f, d.Args[0], 0)
		b, ok2 := linear(s.f, d.Args[1], 0)
		if !ok || !ok2 {
			continue
		}
		if n, isConst := a.minus(self).isConstant(); isConst { // phi + n < b
			out = append(out, b.plus(number64(strict-n), 1))
		} else if n, isConst := b.minus(self).isConstant(); isConst { // a < phi + n
			out = append(out, a.plus(number64(1-strict-n), 1))
		}
	}
	return out
}

// there says whether an atom is known at the head of a loop.
func (s *segmenter) there(l *Loop, a atom) bool {
	if a.element != nil {
		return false
	}
	if a.value < 0 || a.cell {
		return true
	}
	d := s.f.Def(a.value)
	switch {
	case d.Block == 0 || d.Op == ir.Phi && d.Block == l.Head:
		return true
	case l.in[d.Block]:
		return false
	}
	return s.dom.Dominates(d.Block, l.Head)
}

// at expresses a form at the head of a loop: what is not known there is
// replaced by other.
func (s *segmenter) at(l *Loop, f form, other func(phi ir.Value) []form) []form {
	return s.replaced(l, f, other, 3)
}

// replaced is at, with at most so many replacements in a form.
func (s *segmenter) replaced(l *Loop, f form, other func(phi ir.Value) []form, depth int) []form {
	i := slices.IndexFunc(f.products, func(p product) bool { return !s.there(l, p.atom) })
	if i < 0 {
		return []form{f}
	}
	a := f.products[i].atom
	if a.element != nil || a.cell || depth == 0 {
		return nil
	}
	if d := s.f.Def(a.value); d.Op != ir.Phi || s.heads[d.Block] == nil {
		return nil
	}
	var out []form
	for _, x := range other(a.value) {
		if out = append(out, s.replaced(l, f.replace(a, x), other, depth-1)...); len(out) > maxRanges {
			break
		}
	}
	return out
}

func (s *segmenter) starts(phi ir.Value) []form {
	if x, ok := s.start(phi); ok {
		return []form{x}
	}
	return nil
}

// beginning is a form with all phis at their starts.
func (s *segmenter) beginning(f form, loop *Loop) (form, bool) {
	for range 6 {
		i := slices.IndexFunc(f.products, func(p product) bool {
			if p.element != nil || p.cell || p.value < 0 {
				return false
			}
			d := s.f.Def(p.value)
			return d.Op == ir.Phi && s.heads[d.Block] != nil && loop != nil && s.heads[d.Block].in[loop.Head]
		})
		if i < 0 {
			return f, true
		}
		x, ok := s.start(f.products[i].value)
		if !ok {
			return f, false
		}
		f = f.replace(f.products[i].atom, x)
	}
	return f, false
}

// segment is a range of indices.
type segment struct{ from, to form }

// ranges lists the segments of an array at the head of a loop.
func (s *segmenter) ranges(l *Loop, array *arrayElement, source *access) []segment {
	var out []segment
	if name := s.field(array); name != "" {
		count := form{products: []product{{1, atom{place: place{value: s.address(heap.CountOf(name)), cell: true, bits: s.m.PointerBits}}}}}
		return []segment{{number64(1), count}}
	}
	add := func(from, to form) {
		if n, ok := to.minus(from).isConstant(); ok && n <= 0 || len(out) >= maxRanges {
			return
		}
		x := segment{from, to}
		if !slices.ContainsFunc(out, func(y segment) bool { return y.from.equal(x.from) && y.to.equal(x.to) }) {
			out = append(out, x)
		}
	}
	var ends []form
	type open struct{ at form }
	var opens []open
	for _, a := range s.access {
		if !a.sameArray(array) || source != nil && a.loop != source.loop && a.loop != nil && !a.loop.in[l.Head] {
			continue
		}
		begin, ok := s.beginning(a.index, a.loop)
		if !ok {
			continue
		}
		begins := s.at(l, begin, s.starts)
		if len(begins) == 0 {
			continue
		}
		b := begins[0]
		if a.loop == nil || begin.equal(a.index) { // one element
			if s.dom.Dominates(s.f.Def(a.instr).Block, l.Head) {
				add(b, b.plus(number64(1), 1))
			}
			continue
		}
		down := false
		for _, p := range a.index.products {
			if p.element == nil && !p.cell {
				if d := s.f.Def(p.value); d.Op == ir.Phi && s.heads[d.Block] != nil && s.step(p.value)*p.coeff < 0 {
					down = true
				}
			}
		}
		// How far the loop has come, if it is around or before; else its end.
		var now []form
		if l.in[a.loop.Head] || s.dom.Dominates(a.loop.Head, l.Head) {
			now = s.at(l, a.index, s.starts)
		}
		if !a.loop.in[l.Head] && len(now) == 0 || l.in[a.loop.Head] && l != a.loop {
			now = append(now, s.at(l, a.index, s.limits)...)
		} else {
			for _, x := range s.limitsOf(a.index) {
				ends = append(ends, s.at(l, x, s.limits)...)
			}
		}
		for _, n := range now {
			if down {
				add(n.plus(number64(1), 1), b.plus(number64(1), 1))
			} else {
				if c, ok := b.isConstant(); ok && c > 0 && c <= 2 {
					add(number64(0), n)
				}
				add(b, n)
				if a.loop.in[l.Head] {
					opens = append(opens, open{n})
				}
			}
		}
	}
	for _, o := range opens {
		for _, e := range ends {
			add(o.at, e)
		}
	}
	for _, e := range ends {
		add(number64(0), e)
	}
	return out
}

// limitsOf are the forms in which one phi is replaced by a limit.
func (s *segmenter) limitsOf(f form) []form {
	var out []form
	for _, p := range f.products {
		if p.element != nil || p.cell || p.value < 0 {
			continue
		}
		if d := s.f.Def(p.value); d.Op == ir.Phi && s.heads[d.Block] != nil {
			for _, x := range s.limits(p.value) {
				out = append(out, f.replace(p.atom, x))
			}
		}
	}
	return out
}

// rangeOf is a segment as a range.
func rangeOf(r segment) (*invariant.Range, bool) {
	sum := func(f form) invariant.Sum {
		out := invariant.Sum{Const: big.NewInt(f.constant)}
		for _, x := range f.products {
			out.Terms = append(out.Terms, x.place.term(x.coeff, !x.unsigned || x.bits == 64))
		}
		return out
	}
	for _, f := range []form{r.from, r.to} {
		if slices.ContainsFunc(f.products, func(x product) bool { return x.element != nil || x.value < 0 || x.bits > 64 }) {
			return nil, false
		}
	}
	return &invariant.Range{From: sum(r.from), To: sum(r.to)}, true
}
