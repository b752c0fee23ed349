package induction

import (
	"fmt"
	"math/big"
	"slices"

	"assay/internal/absint"
	"assay/internal/heap"
	"assay/internal/invariant"
	"assay/internal/ir"
)

// This file guesses what holds for segments of arrays at loop heads. What may
// hold of an element comes from the stores and comparisons of elements; the
// segments come from the indices of accesses: what was passed since the loop
// began, and what is still to come.

// Limits of what is guessed.
const (
	maxSegments = 120 // of a loop
	maxBodies   = 24  // of an array
	maxRanges   = 16  // of an array at a loop
)

// access is a store or load of an element.
type access struct {
	*arrayElement
	instr ir.Value
	store bool
	value ir.Value // stored
	loop  *Loop    // innermost around it, nil if there is none
}

// body is what may hold of an element: relation of element and form, in
// which the index of the element has been replaced.
type body struct {
	array    *arrayElement
	form     form // element - form R 0; the index k is the atom indexAtom
	relation invariant.Relation
	sign     int64 // of the element, for AtMost
	modulus  uint32
	unsigned bool
	equation bool
	// source is the store that it was read off, nil if it was a comparison.
	source *access
}

// indexAtom stands for k in forms.
var indexAtom = atom{place: place{value: -1, bits: 64}}

type segmenter struct {
	m      *ir.Module
	f      *ir.Func
	fn     int
	facts  *absint.Facts
	dom    *ir.DomTree
	loops  []*Loop // of the function
	heads  map[ir.BlockID]*Loop
	access []access
	bodies []body
	out    []Candidate
	seen   map[string]bool
}

// segments guesses predicates with ranges for all loops.
func segments(m *ir.Module, facts *absint.Facts, loops []*Loop) (out []Candidate, spans []*span) {
	var all []*segmenter
	var shared []shared
	for n, f := range m.Funcs {
		s := &segmenter{m: m, f: f, fn: n, facts: facts, heads: map[ir.BlockID]*Loop{}, seen: map[string]bool{}}
		for _, l := range loops {
			if l.Func == f {
				s.loops = append(s.loops, l)
				s.heads[l.Head] = l
			}
		}
		if f.IsDecl() {
			continue
		}
		s.dom = ir.Dominators(f)
		s.collect()
		s.stored()
		s.compared()
		shared = append(shared, s.share()...)
		all = append(all, s)
	}
	for _, s := range all {
		if len(s.loops) == 0 {
			continue
		}
		s.receive(shared)
		s.composed()
		for _, l := range s.loops {
			s.guess(l)
			spans = append(spans, s.spans(l)...)
		}
		out = append(out, s.out...)
	}
	return out, spans
}

// innermost is the innermost loop around a block.
func (s *segmenter) innermost(b ir.BlockID) *Loop {
	var best *Loop
	for _, l := range s.loops {
		if l.in[b] && (best == nil || best.in[l.Head]) {
			best = l
		}
	}
	return best
}

// collect lists the accesses of elements.
func (s *segmenter) collect() {
	for b := ir.BlockID(1); int(b) < len(s.f.Blocks); b++ {
		if !s.dom.Reachable(b) {
			continue
		}
		for _, v := range s.f.Blocks[b].Instrs {
			d := s.f.Def(v)
			a := access{instr: v}
			switch {
			case d.Op == ir.Load && d.Type.Kind == ir.Int:
				a.arrayElement = elementAt(s.f, d.Args[0], d.Type.Bits, 0)
			case d.Op == ir.Store && s.f.Type(d.Args[0]).Kind == ir.Int:
				a.arrayElement = elementAt(s.f, d.Args[1], s.f.Type(d.Args[0]).Bits, 0)
				a.store, a.value = true, d.Args[0]
			}
			if a.arrayElement == nil || a.bits > 64 || !s.solid(a.root) {
				continue
			}
			a.loop = s.innermost(b)
			s.access = append(s.access, a)
		}
	}
	// A place that is only accessed at constant offsets is no array.
	indexed := func(a access) bool {
		return s.field(a.arrayElement) != "" || slices.ContainsFunc(s.access, func(o access) bool {
			return o.sameArray(a.arrayElement) && len(o.index.products) > 0
		})
	}
	var arrays []access
	for _, a := range s.access {
		if indexed(a) {
			arrays = append(arrays, a)
		}
	}
	s.access = arrays
}

// solid says that a value is one pointer for the whole activation.
func (s *segmenter) solid(root ir.Value) bool {
	switch d := s.f.Def(root); d.Op {
	case ir.GlobalAddr, ir.Param:
		return true
	case ir.Alloca, ir.Malloc, ir.Call:
		return s.innermost(d.Block) == nil
	}
	return false
}

// field is the name of the array of a pool that an element belongs to, if any.
func (s *segmenter) field(e *arrayElement) string {
	if d := s.f.Def(e.root); d.Op == ir.GlobalAddr && heap.IsField(d.Sym) {
		return d.Sym
	}
	return ""
}

// address is a value for the address of a global, 0 if there is none.
func (s *segmenter) address(name string) ir.Value {
	for v := ir.Value(1); int(v) < len(s.f.Values); v++ {
		if d := s.f.Def(v); d.Op == ir.GlobalAddr && d.Sym == name {
			return v
		}
	}
	return 0
}

// shared is what may hold of a field of a pool in any function, for it speaks
// of fields and constants only.
type shared struct {
	body
	field string
	// names are the fields of the products.
	names []string
}

// share lists what other functions can use.
func (s *segmenter) share() []shared {
	var out []shared
	for _, b := range s.bodies {
		x := shared{body: b, field: s.field(b.array)}
		ok := x.field != ""
		for _, p := range b.form.products {
			name := ""
			if p.element != nil {
				name = s.field(p.element)
				ok = ok && name != ""
			} else {
				ok = ok && p.value < 0
			}
			x.names = append(x.names, name)
		}
		if ok {
			out = append(out, x)
		}
	}
	return out
}

// receive takes over what other functions know, and that fields may hold numbers
// of objects.
func (s *segmenter) receive(all []shared) {
	moved := func(e *arrayElement, name string) *arrayElement {
		c := *e
		c.root = s.address(name)
		return &c
	}
	for _, x := range all {
		b := x.body
		b.source = nil
		b.array = moved(b.array, x.field)
		b.form.products = slices.Clone(b.form.products)
		for i, name := range x.names {
			if name != "" {
				b.form.products[i].element = moved(b.form.products[i].element, name)
			}
		}
		s.addBody(b)
	}
	w := uint64(s.m.PointerBits / 8)
	for _, g := range s.m.Globals {
		if !heap.IsField(g.Name) || g.Layout.Stride != w || g.Layout.Pointers {
			continue
		}
		for _, c := range s.m.Globals {
			if !heap.IsCount(c.Name) || s.address(g.Name) == 0 || s.address(c.Name) == 0 {
				continue
			}
			e := &arrayElement{root: s.address(g.Name), stride: w, bits: s.m.PointerBits}
			count := form{products: []product{{1, atom{place: place{value: s.address(c.Name), cell: true, bits: s.m.PointerBits}, unsigned: true}}}, constant: -1}
			s.bound(e, count, 1, true, nil)
		}
	}
}

// guess adds the candidates of one loop.
func (s *segmenter) guess(l *Loop) {
	type candidate struct {
		body
		segment
	}
	var all []candidate
	for i := range s.bodies {
		b := &s.bodies[i]
		if slices.ContainsFunc(b.form.products, func(p product) bool { return p.element == nil && !s.there(l, p.atom) }) || !s.rooted(l, b.array) {
			continue
		}
		if slices.ContainsFunc(b.form.products, func(p product) bool { return p.element != nil && !s.rooted(l, p.element) }) {
			continue
		}
		if b.source != nil && !s.before(b.source, l) {
			continue
		}
		for _, r := range s.ranges(l, b.array, b.source) {
			all = append(all, candidate{*b, r})
		}
	}
	for i, c := range all {
		if i >= maxSegments {
			break
		}
		if p, ok := s.predicate(&c.body, c.segment); ok {
			key := p.Text(func(t invariant.Term) string { return fmt.Sprint(t.Value, t.Cell, t.Signed) }) + fmt.Sprint(l.Head)
			if !s.seen[key] {
				s.seen[key] = true
				s.out = append(s.out, Candidate{l, p})
			}
		}
	}
}

// before says that a store may be made before a loop head is reached.
func (s *segmenter) before(a *access, l *Loop) bool {
	b := s.f.Def(a.instr).Block
	if l.in[b] || a.loop != nil && s.dom.Dominates(a.loop.Head, l.Head) || s.dom.Dominates(b, l.Head) {
		return true
	}
	return slices.ContainsFunc(s.loops, func(o *Loop) bool { return o.in[b] && o.in[l.Head] })
}

// rooted says that an array is there at the head of a loop.
func (s *segmenter) rooted(l *Loop, e *arrayElement) bool {
	d := s.f.Def(e.root)
	return d.Block == 0 || !l.in[d.Block] && s.dom.Dominates(d.Block, l.Head)
}

// predicate is a candidate in the form of a predicate.
func (s *segmenter) predicate(b *body, r segment) (invariant.Predicate, bool) {
	p := invariant.Predicate{Relation: b.relation, Bound: big.NewInt(b.sign * b.form.constant)}
	signed := !b.unsigned
	term := func(x product, coeff int64) invariant.Term {
		switch {
		case x.element != nil:
			e := x.element
			return invariant.Term{Coeff: coeff, Value: e.root, Cell: true, Stride: e.stride, Offset: e.offset + uint64(e.index.constant)*e.stride, Bits: e.bits, Signed: signed}
		case x.value < 0:
			return invariant.Term{Coeff: coeff, Index: true, Bits: s.m.PointerBits, Signed: true}
		}
		return x.place.term(coeff, !x.unsigned && signed)
	}
	e := *b.array
	e.index = form{}
	p.Terms = append(p.Terms, term(product{1, atom{element: &e}}, b.sign))
	for _, x := range b.form.products {
		p.Terms = append(p.Terms, term(x, -b.sign*x.coeff))
	}
	if b.relation == invariant.Congruent {
		if e.bits > 63 {
			return p, false
		}
		p.Modulus = 1 << e.bits
	}
	rng, ok := rangeOf(r)
	p.Range = rng
	return p, ok
}
