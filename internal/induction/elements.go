package induction

import (
	"slices"

	"assay/internal/invariant"
	"assay/internal/ir"
)

// This file guesses what may hold of an element, whichever segment it is in: what is
// stored there, and what it is compared with, with the index of the element in the place of the
// variables of the loop.

// indexed expresses what was made of the variables of an access in terms of k: the phi
// of the index with coefficient 1 is k minus the rest.
func (s *segmenter) indexed(a *arrayElement, f form) (form, bool) {
	for _, p := range a.index.products {
		if p.coeff != 1 && p.coeff != -1 || p.element != nil {
			continue
		}
		rest := a.index.plus(form{products: []product{p}}, -1)
		k := form{products: []product{{1, indexAtom}}}
		f = f.replace(p.atom, k.minus(rest).times(p.coeff))
		break
	}
	// The elements must stand at a constant distance.
	for i, p := range f.products {
		if p.element == nil {
			continue
		}
		d, ok := p.element.index.minus(a.index).isConstant()
		if !ok {
			return f, false
		}
		e := *p.element
		e.index = form{products: []product{{1, indexAtom}}, constant: d}
		f.products = slices.Clone(f.products)
		f.products[i].element = &e
	}
	return f, true
}

func (s *segmenter) addBody(b body) {
	n := 0
	for _, x := range s.bodies {
		if !x.array.sameArray(b.array) {
			continue
		}
		if x.form.equal(b.form) && x.relation == b.relation && x.sign == b.sign && x.unsigned == b.unsigned {
			return
		}
		n++
	}
	if n < maxBodies {
		s.bodies = append(s.bodies, b)
	}
}

func (s *segmenter) equal(array *arrayElement, f form, source *access) {
	s.addBody(body{array: array, form: f, relation: invariant.Congruent, sign: 1, equation: true, source: source})
}

func (s *segmenter) bound(array *arrayElement, f form, sign int64, unsigned bool, source *access) {
	s.addBody(body{array: array, form: f, relation: invariant.AtMost, sign: sign, unsigned: unsigned, source: source})
}

// alone says that no other store of the same loop writes the array.
func (s *segmenter) alone(a *access) bool {
	for i := range s.access {
		if o := &s.access[i]; o.store && o.instr != a.instr && o.loop == a.loop && o.sameArray(a.arrayElement) {
			return false
		}
	}
	return true
}

// stored guesses from what is stored.
func (s *segmenter) stored() {
	for i := range s.access {
		a := &s.access[i]
		if !a.store {
			continue
		}
		choices := s.choices(a.value, 0)
		for _, v := range choices {
			f, ok := linear(s.f, v, 0)
			if ok {
				if f, ok = s.indexed(a.arrayElement, f); ok {
					s.equal(a.arrayElement, f, a)
					if c, isConst := f.isConstant(); isConst && (len(choices) > 1 || !s.alone(a)) {
						s.bound(a.arrayElement, number64(c), 1, false, a)
						s.bound(a.arrayElement, number64(c), -1, false, a)
					}
				}
			}
		}
		if s.facts != nil && s.facts.Incomplete == "" && a.bits <= 32 {
			if x := s.facts.Value(s.fn, a.value).Int(); !x.IsTop() && !x.IsBottom() && x.SLo != x.SHi {
				lim := int64(1) << (a.bits - 1)
				if x.SHi < lim-1 {
					s.bound(a.arrayElement, number64(x.SHi), 1, false, a)
				}
				if x.SLo > -lim {
					s.bound(a.arrayElement, number64(x.SLo), -1, false, a)
				}
			}
		}
	}
}

// choices are the values that a choice is made of.
func (s *segmenter) choices(v ir.Value, depth int) []ir.Value {
	d := s.f.Def(v)
	switch {
	case d.Op == ir.Select && depth < 3:
		return append(s.choices(d.Args[1], depth+1), s.choices(d.Args[2], depth+1)...)
	case d.Op == ir.Phi && s.heads[d.Block] == nil && depth < 3:
		var out []ir.Value
		for _, a := range d.Args {
			out = append(out, s.choices(a, depth+1)...)
		}
		return out
	}
	return []ir.Value{v}
}

// compared guesses from comparisons of elements.
func (s *segmenter) compared() {
	for b := ir.BlockID(1); int(b) < len(s.f.Blocks); b++ {
		for _, v := range s.f.Blocks[b].Instrs {
			d := s.f.Def(v)
			switch d.Op {
			case ir.Eq, ir.Ne, ir.SLt, ir.SLe, ir.ULt, ir.ULe:
			default:
				continue
			}
			if s.f.Type(d.Args[0]).Kind != ir.Int {
				continue
			}
			x, ok := linear(s.f, d.Args[0], 0)
			y, ok2 := linear(s.f, d.Args[1], 0)
			if !ok || !ok2 {
				continue
			}
			s.relate(d.Op, x.minus(y))
		}
	}
}

// relate guesses from a comparison of a form with 0.
func (s *segmenter) relate(op ir.Op, f form) {
	for _, p := range f.products {
		if p.element == nil || p.coeff != 1 && p.coeff != -1 || !slices.ContainsFunc(s.access, func(a access) bool { return a.sameArray(p.element) }) {
			continue
		}
		rest := form{products: []product{{1, p.atom}}}.minus(f.times(p.coeff)) // element R rest
		rest, ok := s.indexed(p.element, rest)
		if !ok {
			continue
		}
		unsigned := op == ir.ULt || op == ir.ULe
		switch op {
		case ir.Eq, ir.Ne:
			s.equal(p.element, rest, nil)
			s.addBody(body{array: p.element, form: rest, relation: invariant.NotEqual, sign: 1})
		default:
			s.bound(p.element, rest, 1, unsigned, nil)
			s.bound(p.element, rest, -1, unsigned, nil)
			if len(rest.products) > 0 || op == ir.SLt || op == ir.ULt {
				s.bound(p.element, rest.plus(number64(1), -1), 1, unsigned, nil)
				s.bound(p.element, rest.plus(number64(1), 1), -1, unsigned, nil)
			}
		}
	}
}

// composed puts what is known of elements in the place of elements, so that
// what a loop makes of an array that another loop made is known, too.
func (s *segmenter) composed() {
	for n := 0; n < len(s.bodies) && n < 4*maxBodies; n++ { // grows
		b := s.bodies[n]
		if !b.equation {
			continue
		}
		for _, p := range b.form.products {
			if p.element == nil {
				continue
			}
			for _, o := range slices.Clone(s.bodies) {
				if !o.equation || !o.array.sameArray(p.element) || slices.ContainsFunc(o.form.products, func(q product) bool { return q.element != nil && q.element.sameArray(p.element) }) {
					continue
				}
				shift := form{products: []product{{1, indexAtom}}, constant: p.element.index.constant}
				by := o.form.replace(indexAtom, shift)
				if p.element.index.constant != 0 && slices.ContainsFunc(by.products, func(q product) bool { return q.element != nil }) {
					continue
				}
				f := b.form.replace(p.atom, by)
				if len(f.products) <= maxForm {
					s.equal(b.array, f, b.source)
				}
			}
		}
	}
}
