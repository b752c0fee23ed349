package guess

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"assay/internal/evidence/invariant"
	"assay/internal/models/absint"
	"assay/internal/program/ir"
	"assay/internal/transform/cut"
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
	value ir.Value  // stored
	loop  *cut.Loop // innermost around it, nil if there is none
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
var indexAtom = atom{Place: cut.Place{Value: -1, Bits: 64}}

type Segmenter struct {
	m      *ir.Module
	f      *ir.Func
	fn     int
	facts  *absint.Facts
	dom    *ir.DomTree
	loops  []*cut.Loop // of the function
	heads  map[ir.BlockID]*cut.Loop
	access []access
	bodies []body
	out    []cut.Candidate
	seen   map[string]bool
	// counters are those of arrays of which a part is in use, by the arrays' names.
	counters map[string]string
}

// segments guesses predicates with ranges for all loops.
func Segments(m *ir.Module, facts *absint.Facts, loops []*cut.Loop) (out []cut.Candidate, all []*Segmenter) {
	var shared []shared
	counters := m.Counters()
	for n, f := range m.Funcs {
		s := &Segmenter{m: m, f: f, fn: n, facts: facts, heads: map[ir.BlockID]*cut.Loop{}, seen: map[string]bool{}, counters: counters}
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
		}
		out = append(out, s.out...)
	}
	return out, all
}

// innermost is the innermost loop around a block.
func (s *Segmenter) innermost(b ir.BlockID) *cut.Loop {
	var best *cut.Loop
	for _, l := range s.loops {
		if l.Blocks[b] && (best == nil || best.Blocks[l.Head]) {
			best = l
		}
	}
	return best
}

// collect lists the accesses of elements.
func (s *Segmenter) collect() {
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
func (s *Segmenter) solid(root ir.Value) bool {
	switch d := s.f.Def(root); d.Op {
	case ir.GlobalAddr, ir.Param:
		return true
	case ir.Alloca, ir.Malloc, ir.Call:
		return s.innermost(d.Block) == nil
	}
	return false
}

// start is what a phi of a loop head is when the loop is entered, limit what it
// is compared with.
func (s *Segmenter) start(phi ir.Value) (form, bool) {
	d := s.f.Def(phi)
	l := s.heads[d.Block]
	if d.Op != ir.Phi || l == nil {
		return form{}, false
	}
	var out form
	found := false
	for i, p := range s.f.Blocks[l.Head].Preds {
		if l.Blocks[p] {
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
func (s *Segmenter) step(phi ir.Value) int64 {
	d := s.f.Def(phi)
	l := s.heads[d.Block]
	for i, p := range s.f.Blocks[l.Head].Preds {
		if !l.Blocks[p] {
			continue
		}
		x, ok := linear(s.f, d.Args[i], 0)
		if !ok {
			return 1
		}
		if n, ok := x.minus(form{products: []product{{1, atom{Place: cut.Place{Value: phi, Bits: d.Type.Bits}}}}}).isConstant(); ok && n < 0 {
			return -1
		}
	}
	return 1
}

// limits are the forms that a phi is compared with in its loop: where it stops.
func (s *Segmenter) limits(phi ir.Value) []form {
	l := s.heads[s.f.Def(phi).Block]
	self := form{products: []product{{1, atom{Place: cut.Place{Value: phi, Bits: s.f.Type(phi).Bits}}}}}
	var out []form
	for v := ir.Value(1); int(v) < len(s.f.Values); v++ {
		d := s.f.Def(v)
		if !l.Blocks[d.Block] {
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
func (s *Segmenter) there(l *cut.Loop, a atom) bool {
	if a.element != nil {
		return false
	}
	if a.Value < 0 || a.Cell {
		return true
	}
	d := s.f.Def(a.Value)
	switch {
	case d.Block == 0 || d.Op == ir.Phi && d.Block == l.Head:
		return true
	case l.Blocks[d.Block]:
		return false
	}
	return s.dom.Dominates(d.Block, l.Head)
}

// at expresses a form at the head of a loop: what is not known there is
// replaced by other.
func (s *Segmenter) at(l *cut.Loop, f form, other func(phi ir.Value) []form) []form {
	return s.replaced(l, f, other, 3)
}

// replaced is at, with at most so many replacements in a form.
func (s *Segmenter) replaced(l *cut.Loop, f form, other func(phi ir.Value) []form, depth int) []form {
	i := slices.IndexFunc(f.products, func(p product) bool { return !s.there(l, p.atom) })
	if i < 0 {
		return []form{f}
	}
	a := f.products[i].atom
	if a.element != nil || a.Cell || depth == 0 {
		return nil
	}
	if d := s.f.Def(a.Value); d.Op != ir.Phi || s.heads[d.Block] == nil {
		return nil
	}
	var out []form
	for _, x := range other(a.Value) {
		if out = append(out, s.replaced(l, f.replace(a, x), other, depth-1)...); len(out) > maxRanges {
			break
		}
	}
	return out
}

func (s *Segmenter) starts(phi ir.Value) []form {
	if x, ok := s.start(phi); ok {
		return []form{x}
	}
	return nil
}

// beginning is a form with all phis at their starts.
func (s *Segmenter) beginning(f form, loop *cut.Loop) (form, bool) {
	for range 6 {
		i := slices.IndexFunc(f.products, func(p product) bool {
			if p.element != nil || p.Cell || p.Value < 0 {
				return false
			}
			d := s.f.Def(p.Value)
			return d.Op == ir.Phi && s.heads[d.Block] != nil && loop != nil && s.heads[d.Block].Blocks[loop.Head]
		})
		if i < 0 {
			return f, true
		}
		x, ok := s.start(f.products[i].Value)
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
func (s *Segmenter) ranges(l *cut.Loop, array *arrayElement, source *access) []segment {
	var out []segment
	if name := s.field(array); name != "" {
		count := form{products: []product{{1, atom{Place: cut.Place{Value: s.address(s.counters[name]), Cell: true, Bits: s.m.PointerBits}}}}}
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
		if !a.sameArray(array) || source != nil && a.loop != source.loop && a.loop != nil && !a.loop.Blocks[l.Head] {
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
			if p.element == nil && !p.Cell {
				if d := s.f.Def(p.Value); d.Op == ir.Phi && s.heads[d.Block] != nil && s.step(p.Value)*p.coeff < 0 {
					down = true
				}
			}
		}
		// How far the loop has come, if it is around or before; else its end.
		var now []form
		if l.Blocks[a.loop.Head] || s.dom.Dominates(a.loop.Head, l.Head) {
			now = s.at(l, a.index, s.starts)
		}
		if !a.loop.Blocks[l.Head] && len(now) == 0 || l.Blocks[a.loop.Head] && l != a.loop {
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
				if a.loop.Blocks[l.Head] {
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
func (s *Segmenter) limitsOf(f form) []form {
	var out []form
	for _, p := range f.products {
		if p.element != nil || p.Cell || p.Value < 0 {
			continue
		}
		if d := s.f.Def(p.Value); d.Op == ir.Phi && s.heads[d.Block] != nil {
			for _, x := range s.limits(p.Value) {
				out = append(out, f.replace(p.atom, x))
			}
		}
	}
	return out
}

// indexed expresses what was made of the variables of an access in terms of k: the phi
// of the index with coefficient 1 is k minus the rest.
func (s *Segmenter) indexed(a *arrayElement, f form) (form, bool) {
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

func (s *Segmenter) addBody(b body) {
	if slices.ContainsFunc(b.form.products, func(p product) bool {
		if p.element == nil || !p.element.sameArray(b.array) {
			return false
		}
		k, ok := p.element.index.plus(form{products: []product{{1, indexAtom}}}, -1).isConstant()
		return ok && k == 0
	}) {
		return // about one element
	}
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

func (s *Segmenter) equal(array *arrayElement, f form, source *access) {
	s.addBody(body{array: array, form: f, relation: invariant.Congruent, sign: 1, equation: true, source: source})
}

func (s *Segmenter) bound(array *arrayElement, f form, sign int64, unsigned bool, source *access) {
	s.addBody(body{array: array, form: f, relation: invariant.AtMost, sign: sign, unsigned: unsigned, source: source})
}

// alone says that no other store of the same loop writes the array.
func (s *Segmenter) alone(a *access) bool {
	for i := range s.access {
		if o := &s.access[i]; o.store && o.instr != a.instr && o.loop == a.loop && o.sameArray(a.arrayElement) {
			return false
		}
	}
	return true
}

// stored guesses from what is stored.
func (s *Segmenter) stored() {
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
func (s *Segmenter) choices(v ir.Value, depth int) []ir.Value {
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
func (s *Segmenter) compared() {
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
func (s *Segmenter) relate(op ir.Op, f form) {
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
func (s *Segmenter) composed() {
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

// field is the name of the array that an element belongs to, if that has a counter.
func (s *Segmenter) field(e *arrayElement) string {
	if d := s.f.Def(e.root); d.Op == ir.GlobalAddr && s.counters[d.Sym] != "" {
		return d.Sym
	}
	return ""
}

// address is a value for the address of a global, 0 if there is none.
func (s *Segmenter) address(name string) ir.Value {
	for v := ir.Value(1); int(v) < len(s.f.Values); v++ {
		if d := s.f.Def(v); d.Op == ir.GlobalAddr && d.Sym == name {
			return v
		}
	}
	return 0
}

// shared is what may hold of an array with a counter in any function, for it speaks
// of fields and constants only.
type shared struct {
	body
	field string
	// names are the fields of the products.
	names []string
}

// share lists what other functions can use.
func (s *Segmenter) share() []shared {
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
				ok = ok && p.Value < 0
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
func (s *Segmenter) receive(all []shared) {
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
	counters := slices.Compact(slices.Sorted(maps.Values(s.counters)))
	for _, g := range s.m.Globals {
		if g.Counter == "" || g.Layout.Stride != w || g.Layout.Pointers {
			continue
		}
		for _, counter := range counters {
			if s.address(g.Name) == 0 || s.address(counter) == 0 {
				continue
			}
			e := &arrayElement{root: s.address(g.Name), stride: w, bits: s.m.PointerBits}
			count := form{products: []product{{1, atom{Place: cut.Place{Value: s.address(counter), Cell: true, Bits: s.m.PointerBits}, unsigned: true}}}, constant: -1}
			s.bound(e, count, 1, true, nil)
		}
	}
}

// guess adds the candidates of one loop.
func (s *Segmenter) guess(l *cut.Loop) {
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
				s.out = append(s.out, cut.Candidate{Loop: l, Predicate: p})
			}
		}
	}
}

// before says that a store may be made before a loop head is reached.
func (s *Segmenter) before(a *access, l *cut.Loop) bool {
	b := s.f.Def(a.instr).Block
	if l.Blocks[b] || a.loop != nil && s.dom.Dominates(a.loop.Head, l.Head) || s.dom.Dominates(b, l.Head) {
		return true
	}
	return slices.ContainsFunc(s.loops, func(o *cut.Loop) bool { return o.Blocks[b] && o.Blocks[l.Head] })
}

// rooted says that an array is there at the head of a loop.
func (s *Segmenter) rooted(l *cut.Loop, e *arrayElement) bool {
	d := s.f.Def(e.root)
	return d.Block == 0 || !l.Blocks[d.Block] && s.dom.Dominates(d.Block, l.Head)
}

// predicate is a candidate in the form of a predicate.
func (s *Segmenter) predicate(b *body, r segment) (out invariant.ForAll, ok bool) {
	p := invariant.Comparison{Relation: b.relation, Bound: big.NewInt(b.sign * b.form.constant)}
	signed := !b.unsigned
	term := func(x product, coeff int64) invariant.Term {
		switch {
		case x.element != nil:
			e := x.element
			return invariant.Term{Coeff: coeff, Value: e.root, Cell: true, Stride: e.stride, Offset: e.offset + uint64(e.index.constant)*e.stride, Bits: e.bits, Signed: signed}
		case x.Value < 0:
			return invariant.Term{Coeff: coeff, Index: true, Square: x.square, Bits: s.m.PointerBits, Signed: true}
		}
		return x.Place.Term(coeff, !x.unsigned && signed)
	}
	e := *b.array
	e.index = form{}
	p.Terms = append(p.Terms, term(product{1, atom{element: &e}}, b.sign))
	for _, x := range b.form.products {
		p.Terms = append(p.Terms, term(x, -b.sign*x.coeff))
	}
	if b.relation == invariant.Congruent {
		if e.bits > 63 {
			return out, false
		}
		p.Modulus = 1 << e.bits
	}
	sum := func(f form) invariant.Sum {
		out := invariant.Sum{Const: big.NewInt(f.constant)}
		for _, x := range f.products {
			out.Terms = append(out.Terms, x.Place.Term(x.coeff, !x.unsigned || x.Bits == 64))
		}
		return out
	}
	for _, f := range []form{r.from, r.to} {
		if slices.ContainsFunc(f.products, func(x product) bool { return x.element != nil || x.Value < 0 || x.Bits > 64 }) {
			return out, false
		}
	}
	return invariant.ForAll{Range: invariant.Range{From: sum(r.from), To: sum(r.to)}, Body: p}, true
}
