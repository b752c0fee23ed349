package symex

// Instances, and generalisation [AProVE-Ptr §2.3, Def. 3, Thm. 4].
//
// A state is an instance of another one of the same shape (call stack, which
// pointers point to which objects) if the symbols of the latter can be given forms
// over those of the former such that all values agree, everything that is known
// of the memory of the latter holds in the former, and its constraints are entailed.
//
// Two states of one shape are joined by walking through their values side by
// side. Where the same substitution explains both values, the form of the first state
// stays; else the pair of values gets a symbol, unless it is an integer multiple
// of a pair that has one, plus the same form in both: so pointers that move with
// counters keep their relation. The constraints are those of the first state that
// the second satisfies, and for each new symbol the bounds of its value and of
// its difference to other symbols that hold in both, and the constraints that hold
// once it is added or taken away.
//
// Finiteness. Joins at one key never add constraints over the symbols that were
// there, and each either drops a constraint or a cell, or replaces the form of a
// value that is no symbol (or makes the step of a counter in it smaller), or replaces a
// symbol that stands for several values by more symbols; or adds a cell where a global had what the
// program begins with, once for each place of it. Constraints of a join are finitely many, values are, so a key has
// finitely many joins. There are finitely many keys, for objects and call stacks
// are bounded (MaxObjects; recursive calls are cut), and finitely many paths from a node,
// which end at loop heads. After maxWiden joins, a join keeps no difference that
// is new, and only forms that are symbols.

import (
	"math/big"
	"slices"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

const maxWiden = 12

// joiner walks through two states; the second is that of x.k, over which values
// are forms.
type joiner struct {
	x       *explorer
	node    *node      // of the first state
	first   *knowledge // of the first state, nil if only an instance is sought
	second  *knowledge
	pairs   []pair
	bound   map[linear.Var]linear.Form // symbols of the first state, and new ones, in the second
	fails   bool
	lost    bool           // what nodes own is not known any more
	late    bool           // bounds of what is owned do not move any more
	plain   bool           // only symbols, no multiples
	naming  bool           // cells of the second state get a name
	strided map[int32]bool // objects with strings
	steady  bool           // constants are cases rather than the beginning of a count
	tried   int            // facts with new symbols
	moved   []moved        // into the range that the first state has
	// relaxes counts how often bounds of the node have moved, by their forms.
	relaxes map[string]int
}

// pair is a symbol with its values in both states.
type pair struct {
	a, b   linear.Form
	symbol linear.Var
	fresh  bool
	step   linear.Number // that the symbol counts, 0 if it is a value itself
}

// moved is a form, and what equals it modulo 2^bits in a range of that many values.
type moved struct {
	from, to  linear.Form
	low, high linear.Number
}

// bind gives symbols of the first state that stand alone the form of the second.
func (j *joiner) bind(f, g linear.Form) {
	if v, ok := f.IsVariable(); ok {
		if _, bound := j.bound[v]; !bound && j.inRange(v, g) {
			j.bound[v] = g
			j.pairs = append(j.pairs, pair{a: f, b: g, symbol: v})
		}
	}
}

// image is a form of the first state in the second.
func (j *joiner) image(f linear.Form) linear.Form {
	return f.Substitute(func(v linear.Var) (linear.Form, bool) {
		g, ok := j.bound[v]
		return g, ok
	})
}

// before is a form of the join in the first state.
func (j *joiner) before(f linear.Form) linear.Form {
	return f.Substitute(func(v linear.Var) (linear.Form, bool) {
		for i := range j.pairs {
			if p := &j.pairs[i]; p.fresh && p.symbol == v {
				return p.a, true
			}
		}
		return linear.Form{}, false
	})
}

// same binds the open symbols of a form to themselves.
func (j *joiner) same(f linear.Form) {
	for _, t := range f.Terms {
		if _, bound := j.bound[t.Var]; !bound {
			v := linear.Variable(t.Var)
			j.bound[t.Var] = v
			j.pairs = append(j.pairs, pair{a: v, b: v, symbol: t.Var})
		}
	}
}

// form joins two values.
func (j *joiner) form(f, g linear.Form, bits uint32) linear.Form {
	open := j.open(f)
	if len(open) == 1 && !f.Equal(g) {
		if j.solve(f, g, open[0]) {
			return f
		}
		if h, ok := j.widen(f, g, open[0]); ok {
			return h
		}
	}
	j.same(f)
	if h := j.image(f); h.Equal(g) || j.second.isZero(h.Sub(g)) {
		return f
	}
	if j.first == nil {
		j.fails = true
		return f
	}
	if h, ok := j.explain(f, g); ok {
		return h
	}
	if bits == 0 {
		return j.length(f, g)
	}
	low, high := j.span(f, g, bits)
	if d := g.Sub(f); d.IsConstant() && !j.plain && j.image(f).Equal(f) {
		if h, ok := j.step(f, d.Const, low, high); ok {
			return h
		}
	}
	v := j.x.fresh(low, high)
	n, _ := v.IsVariable()
	j.pairs = append(j.pairs, pair{a: f, b: g, symbol: n, fresh: true})
	j.bound[n] = g
	return v
}

// step gives f + d, where d is a constant, a symbol that counts the steps. If f has one that
// counts in other steps, their greatest common divisor is the step of both; steps of one
// are not worth a symbol beside the value itself.
func (j *joiner) step(f linear.Form, d, low, high linear.Number) (linear.Form, bool) {
	step, before := d, linear.Form{}
	for _, t := range f.Terms {
		if j.x.symbols[t.Var].counts {
			step = linear.FromBigInt(new(big.Int).GCD(nil, nil, step.BigInt(), t.Coef.BigInt()))
			before = before.AddScaled(t.Coef, linear.Variable(t.Var))
		}
	}
	step = step.Abs()
	if step.IsOne() {
		return f, false
	}
	k := j.x.fresh(low.Div(step).Ceil(), high.Div(step).Floor())
	n, _ := k.IsVariable()
	j.x.symbols[n].counts = true
	rest := f.Sub(before)
	before = before.Scale(step.Inv())
	after := before.Plus(d.Div(step))
	j.pairs = append(j.pairs, pair{before, after, n, true, step})
	j.bound[n] = after
	return rest.AddScaled(step, k), true
}

// length joins two lengths that nothing explains.
func (j *joiner) length(f, g linear.Form) linear.Form {
	v := j.x.lengthSymbol()
	n, _ := v.IsVariable()
	j.pairs = append(j.pairs, pair{a: f, b: g, symbol: n, fresh: true})
	j.bound[n] = g
	return v
}

// explain finds a form that has the value f in the first state and g in the
// second, by the pairs that have a symbol.
func (j *joiner) explain(f, g linear.Form) (linear.Form, bool) {
	for i := range j.pairs {
		p := &j.pairs[i]
		r, ok := multiple(f.Sub(g), p.a.Sub(p.b))
		if !ok || j.plain && !r.IsOne() {
			continue
		}
		if h := linear.Variable(p.symbol).Scale(r).Add(f.AddScaled(r.Neg(), p.a)); j.image(h).Equal(g) {
			return h, true
		}
	}
	return linear.Form{}, false
}

// span is a range of a type of bits bits that has room for both values: the
// signed one, the unsigned one, or both together.
func (j *joiner) span(f, g linear.Form, bits uint32) (low, high linear.Number) {
	signedLow, signedHigh := rangeOf(bits, bits > 1)
	_, unsignedHigh := rangeOf(bits, false)
	negative := j.first.low(f).Sign() < 0 || j.second.low(g).Sign() < 0
	large := j.first.high(f).Cmp(signedHigh) > 0 || j.second.high(g).Cmp(signedHigh) > 0
	switch {
	case !large:
		return signedLow, signedHigh
	case !negative:
		return linear.Number{}, unsignedHigh
	}
	return signedLow, unsignedHigh
}

// inRange says whether g is a value that the symbol v may have.
func (j *joiner) inRange(v linear.Var, g linear.Form) bool {
	s := &j.x.symbols[v]
	return j.second.atLeast(g, s.low) && (s.open || j.second.atLeast(g.Neg(), s.high.Neg()))
}

// multiple is the integer r with f = r·g, if f's symbols cancel in what is left.
func multiple(f, g linear.Form) (linear.Number, bool) {
	if len(f.Terms) != len(g.Terms) {
		return linear.Number{}, false
	}
	var r linear.Number
	switch {
	case len(g.Terms) > 0:
		r = f.Terms[0].Coef.Div(g.Terms[0].Coef)
	case g.Const.IsZero():
		return r, false
	default:
		r = f.Const.Div(g.Const)
	}
	return r, r.IsInt() && f.Equal(g.Scale(r))
}

// normal brings the values of an integer in both states into one range, as far
// as that is known. What is known of the first state is what its node says, whether an instance is sought or
// a join: else what is joined might be none of what it was joined for.
func (j *joiner) normal(f, g linear.Form, bits uint32) (linear.Form, linear.Form) {
	if f.Equal(g) || bits == 0 {
		return f, g
	}
	for _, signed := range []bool{true, false} {
		a, okA := j.fits(f, bits, signed)
		b, okB := j.x.fits(g, bits, signed)
		if okA && okB {
			return a, b
		}
	}
	for _, signed := range []bool{true, false} {
		if h, ok := j.fits(f, bits, signed); ok {
			return h, j.into(g, bits, signed)
		}
	}
	return f, g
}

// fits does for a form of the first state what explorer.fits does.
func (j *joiner) fits(f linear.Form, bits uint32, signed bool) (linear.Form, bool) {
	j.x.k = j.node.knows(j.x)
	f, ok := j.x.fits(f, bits, signed)
	j.x.k = j.second
	return f, ok
}

// into is g, modulo 2^bits, in the signed or the unsigned range: where it is not known how it
// comes there, how often 2^bits is taken away is a symbol.
func (j *joiner) into(g linear.Form, bits uint32, signed bool) linear.Form {
	low, high := rangeOf(bits, signed && bits > 1)
	for _, m := range j.moved {
		if m.from.Equal(g) && m.low.Equal(low) && m.high.Equal(high) {
			return m.to
		}
	}
	a, b := j.x.rounds(g, bits, low)
	to := g.AddScaled(two(bits).Neg(), j.x.fresh(a, b))
	j.second.assert(linear.Constraint{Form: to.Plus(low.Neg())})
	j.second.assert(linear.Constraint{Form: to.Neg().Plus(high)})
	j.moved = append(j.moved, moved{g, to, low, high})
	return to
}

// states walks through both; the result has the shape of both.
func (j *joiner) states(a, b *state) *state {
	c := &state{Lost: a.Lost || b.Lost, Entry: a.Entry}
	for i := range a.Objects {
		if a.Objects[i].Strings != nil {
			if j.strided == nil {
				j.strided = map[int32]bool{}
			}
			j.strided[int32(i)] = true
		}
	}
	if j.first == nil && b.Lost && !a.Lost {
		j.fails = true
		return c
	}
	// Symbols that stand alone first, and sizes before what counts up to them: the
	// rest is explained by them.
	for i := range a.Objects {
		f, g := a.Objects[i].Size, b.Objects[i].Size
		if f.Equal(g) { // a size that is a form does not move with a value that is one of its symbols
			j.same(f)
		}
		j.bind(f, g)
	}
	for i := range a.Objects { // programs move away from where their arguments begin
		if a.Objects[i].Strings == nil {
			continue
		}
		for k := range a.Objects[i].Cells {
			if p := &a.Objects[i].Cells[k]; p.Value.Kind == symgraph.Pointer && p.Value.Object >= 0 {
				if q, ok := j.x.read(b, int32(i), p.Offset, p.Type); ok && q.Kind == symgraph.Pointer && q.Object == p.Value.Object {
					j.bind(p.Value.Form, q.Form)
				}
			}
		}
	}
	j.alone(a, b)
	if j.x.patient {
		j.aloneInMemory(a, b)
	}
	j.slotNumbers(a, b)
	j.offsets(a, b)
	texts := make([]*symgraph.Strings, len(a.Objects)) // numbers of slots explain pointers to them
	for i := range a.Objects {
		texts[i] = j.strings(a.Objects[i].Strings, b.Objects[i].Strings)
	}
	for i := range a.Frames {
		f := a.Frames[i]
		f.Values = slices.Clone(f.Values)
		for v := range f.Values {
			f.Values[v] = j.value(a.Frames[i].Values[v], b.Frames[i].Values[v], f.Func.Type(ir.Value(v)))
		}
		c.Frames = append(c.Frames, f)
	}
	j.arguments(a, b, c)
	for i := range a.Objects {
		o := a.Objects[i]
		if o.List != nil {
			c.Objects = append(c.Objects, j.segment(&a.Objects[i], &b.Objects[i]))
			continue
		}
		o.Size = j.form(a.Objects[i].Size, b.Objects[i].Size, j.x.pointerBits())
		if o.HasBase && b.Objects[i].HasBase {
			o.Base = j.form(o.Base, b.Objects[i].Base, j.x.pointerBits())
		} else if o.HasBase {
			j.fails = j.fails || j.first == nil
			o.HasBase = false
		}
		o.Slots = j.slots(o.Slots, b.Objects[i].Slots)
		o.Strings = texts[i]
		o.Cells = nil
		c.Objects = append(c.Objects, o)
	}
	for i := range a.Objects {
		if c.Objects[i].List != nil || c.Objects[i].Global != nil && c.Objects[i].Global.Constant {
			continue
		}
		j.cells(a, b, c, int32(i))
		if j.fails {
			return c
		}
	}
	c.Lost = c.Lost || j.lost
	return c
}

// arguments joins what an activation began with. One that is about to begin, b, is free
// to choose: if it is an instance of a, as a says.
func (j *joiner) arguments(a, b, c *state) {
	for i, p := range a.Arguments {
		switch {
		case p.Kind < symgraph.Int:
		case b.Entry != 0:
			p.Form = j.form(p.Form, b.Arguments[i].Form, j.x.pointerBits())
		case j.first != nil && i < len(b.Frames[0].Func.Params):
			g := &b.Frames[0]
			p.Form = j.form(p.Form, g.Values[g.Func.Params[i]].Form, j.x.pointerBits())
		}
		c.Arguments = append(c.Arguments, p)
	}
}

// alone binds the symbols that are values themselves.
func (j *joiner) alone(a, b *state) {
	for i := range a.Frames {
		for v := range a.Frames[i].Values {
			p, q := &a.Frames[i].Values[v], &b.Frames[i].Values[v]
			if p.Kind == q.Kind && p.Kind >= symgraph.Int {
				t := a.Frames[i].Func.Type(ir.Value(v))
				f, g := j.normal(p.Form, q.Form, t.Bits)
				j.bind(f, g)
			}
		}
	}
}

// aloneInMemory does so for values in memory, at offsets that are constants.
func (j *joiner) aloneInMemory(a, b *state) {
	for i := range a.Objects {
		if a.Objects[i].List != nil {
			continue
		}
		for k := range a.Objects[i].Cells {
			p := &a.Objects[i].Cells[k]
			if _, alone := p.Value.Form.IsVariable(); !alone || p.Value.Kind != symgraph.Int || !p.Offset.IsConstant() {
				continue
			}
			if q, ok := j.x.read(b, int32(i), p.Offset, p.Type); ok && q.Kind == symgraph.Int {
				f, g := j.normal(p.Value.Form, q.Form, p.Type.Bits)
				j.bind(f, g)
			}
		}
	}
}

func (j *joiner) value(p, q value, t ir.Type) value {
	switch {
	case p.Kind == symgraph.Unset || q.Kind == symgraph.Unset:
		if p.Kind != q.Kind && p.Kind != symgraph.Unset {
			j.fails = j.fails || j.first == nil
		}
		return value{}
	case p.Kind == symgraph.Any:
		return p
	case q.Kind != p.Kind || q.Object != p.Object || q.Last != p.Last:
		j.fails = j.fails || j.first == nil
		return value{Kind: symgraph.Any}
	}
	f, g := j.normal(p.Form, q.Form, t.Bits)
	if p.Kind == symgraph.Pointer && p.Object >= 0 && j.first != nil && f.IsConstant() && g.IsConstant() && !f.Equal(g) {
		j.x.branching = true // perhaps a link of one node or another
	}
	plain := j.plain
	if p.Kind == symgraph.Pointer && p.Object >= 0 && j.strided[p.Object] {
		j.plain = false // it moves in words
	}
	p.Form = j.form(f, g, t.Bits)
	j.plain = plain
	return p
}

// cells keeps what both states know of an object.
func (j *joiner) cells(a, b, c *state, o int32) {
	oa, ob, oc := &a.Objects[o], &b.Objects[o], &c.Objects[o]
	oc.Pristine = oa.Pristine && ob.Pristine
	if oa.Pristine && !ob.Pristine && j.first == nil {
		j.fails = true
		return
	}
	for k := range oa.Cells {
		p := &oa.Cells[k]
		at := p.Offset
		q, ok := j.x.read(b, o, j.image(p.Offset), p.Type)
		if ok && j.x.patient && j.first != nil && !j.plain && q.Kind == symgraph.Int && !q.Form.Equal(j.image(p.Value.Form)) {
			// What was here before may have moved on.
			if v, to, ok := j.partner(p, ob); ok && v.Form.Equal(j.image(p.Value.Form)) {
				q, at = v, to
			}
		}
		if !ok && j.first != nil {
			if q, at, ok = j.partner(p, ob); !ok {
				q, at, ok = j.somewhere(p, oa, ob)
			}
		}
		if !ok && p.Named {
			q, ok = j.x.freshInt(p.Type.Bits, true), true
		}
		if !ok || q.Kind != p.Value.Kind || q.Object != p.Value.Object || q.Last != p.Value.Last {
			if j.first == nil {
				j.fails = true
				return
			}
			j.x.dropped = j.x.dropped || p.Value.Kind == symgraph.Pointer
			oc.Pristine = false
			continue
		}
		r := j.value(p.Value, q, p.Type)
		n := *p
		n.Value = r
		n.Offset = at
		oc.Cells = append(oc.Cells, n)
	}
	if oa.Pristine && j.first != nil { // what the first state has since the start is no cell
		for _, q := range ob.Cells {
			if !q.Offset.IsConstant() || slices.ContainsFunc(oc.Cells, func(c cell) bool { return c.Type == q.Type && c.Offset.Equal(q.Offset) }) {
				continue
			}
			if p, ok := j.x.read(a, o, q.Offset, q.Type); ok && p.Kind == q.Value.Kind && p.Object == q.Value.Object && p.Last == q.Value.Last {
				q.Value = j.value(p, q.Value, q.Type)
				oc.Cells = append(oc.Cells, q)
			}
		}
	}
	if j.naming {
		for k := range ob.Cells {
			if q := &ob.Cells[k]; j.nameable(oc, q) {
				j.name(oc, q)
			}
		}
	}
	if !oc.Pristine {
		return
	}
	for k := range ob.Cells { // written in b, but not in a: the content is not that of the image
		q := &ob.Cells[k]
		if !slices.ContainsFunc(oc.Cells, func(n cell) bool { return n.Type == q.Type && n.Offset.Equal(q.Offset) }) {
			if j.first == nil {
				j.fails = true
				return
			}
			oc.Pristine = false
		}
	}
}

// partner finds a cell of the second state that corresponds to a cell of the
// first: it moved as something else did. One with the same value is preferred.
func (j *joiner) partner(p *cell, ob *object) (value, linear.Form, bool) {
	for _, same := range []bool{true, false} {
		for i := range ob.Cells {
			q := &ob.Cells[i]
			if q.Type != p.Type || q.Value.Kind != p.Value.Kind || q.Value.Form.Equal(p.Value.Form) != same {
				continue
			}
			if at, ok := j.explain(p.Offset, q.Offset); ok {
				return q.Value, at, true
			}
		}
	}
	return value{}, linear.Form{}, false
}
