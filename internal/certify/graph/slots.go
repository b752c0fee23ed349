package graph

// Arrays whose slots own segments (symgraph.Slots): the checker's own rules.
//
// # What is said
//
// For each number k with from <= k < to that is not among those that are out, the pointer at
// offset at + stride·k of the object is the start of a segment, as owned.go says of the nodes of
// a segment: the owners here are the slots. Those with nulls <= k < from that are not out are null.
//
// # Taking out
//
// Before a pointer is read or written there are these cases: the slot is one of
// those that are out; it owns something; it is null; or it is none of these. If it owns something
// it is out from now on, the segment is one of the state, and a cell holds the pointer to it; if it is
// null, a cell says so.
// Any other write that may hit a slot ends what is said of the array, and what it owns is lost
// (spill); so do free and the end of its life.
//
// An object that is zero, all of it, has a null pointer in each slot: so do the arrays of
// the program that nodes say have slots, as long as they have not been written to.
//
// # Putting back
//
// When a path is described by a node, the slots that are out on the path, but not in the node, are read,
// and what they lead to is dealt, as for owned segments. Then Z3 has to agree, for any number k, that each slot of
// the node is one of the path or one that was put back (so what is said holds), and that each slot of the
// path that owns something is one of the node (so nothing is lost).

import (
	"math/big"
	"slices"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// slots is a symgraph.Slots on a path.
type slots struct {
	at, stride      int64
	nulls, from, to number
	out             []number
	owned           *symgraph.Owned
	term            func(linear.Var) (number, bool)
}

// loadSlots reads the slots of an object of a node.
func (c *checkerState) loadSlots(n *symgraph.Node, o *symgraph.Object, exact func(linear.Form) number, term func(linear.Var) (number, bool)) *slots {
	l := o.Slots
	why := c.illFormedOwner(n, &l.Owned, term)
	switch {
	case o.Kind == symgraph.Function || o.Dead || o.Pristine || o.List != nil || o.Global != nil && o.Global.Constant:
		why = "in an object that cannot own any"
	}
	if why != "" {
		c.reject(nil, "slots %s", why)
		return nil
	}
	s := &slots{at: l.At, stride: l.Stride, nulls: exact(l.Nulls), from: exact(l.From), to: exact(l.To), owned: &l.Owned, term: term}
	for _, f := range l.Out {
		s.out = append(s.out, exact(f))
	}
	return s
}

// within says that k is a slot that owns something.
func (l *slots) within(k string) string { return l.between(l.from, l.to, k) }

// null says that k is a slot that is null.
func (l *slots) null(k string) string { return l.between(l.nulls, l.from, k) }

func (l *slots) between(from, to number, k string) string {
	ts := []string{"(<= " + from.t + " " + k + ")", "(< " + k + " " + to.t + ")"}
	for _, x := range l.out {
		ts = append(ts, "(not (= "+x.t+" "+k+"))")
	}
	return all(ts)
}

// owning says whether slots may own something.
func (c *checkerState) owning(l *slots) bool {
	return l.owned.Most != 0 && !c.valid("(<= "+l.to.t+" "+l.from.t+")")
}

// spill ends what is said of the slots of an object; what they own is lost.
func (c *checkerState) spill(s *state, ob *object) {
	if ob.slots != nil && c.owning(ob.slots) {
		s.lost = true
	}
	ob.slots, ob.strings = nil, nil
}

// slotAt is the number of the slot at an offset; ok is false if it may be none.
func (c *checkerState) slotAt(l *slots, at number) (k number, ok bool) {
	d := c.sub(at, small(l.at))
	if !c.valid("(<= 0 " + d.t + ")") {
		return k, false
	}
	k, r := c.quotient(d, small(l.stride))
	return k, c.valid("(= 0 " + r.t + ")")
}

// spared says whether n bytes at an offset are sure to be those of a slot that is out, or none of a slot.
func (c *checkerState) spared(ob *object, at, n number) bool {
	l := ob.slots
	word := small(int64(c.m.PointerBits / 8))
	end := c.add(at, n)
	for _, k := range l.out {
		start := c.add(c.scale(k, big.NewInt(l.stride)), small(l.at))
		if c.valid("(and (<= " + start.t + " " + at.t + ") (<= " + end.t + " " + c.add(start, word).t + "))") {
			return true
		}
	}
	first := c.add(c.scale(l.nulls, big.NewInt(l.stride)), small(l.at))
	begin := c.add(c.scale(l.from, big.NewInt(l.stride)), small(l.at))
	last := func(to number) string {
		return c.add(c.scale(c.sub(to, num(one)), big.NewInt(l.stride)), c.add(small(l.at), word)).t
	}
	apart := func(from, to number, start string) string {
		return "(or (<= " + to.t + " " + from.t + ") (<= " + end.t + " " + start + ") (<= " + last(to) + " " + at.t + "))"
	}
	if c.valid("(and " + apart(l.from, l.to, begin.t) + " " + apart(l.nulls, l.from, first.t) + ")") {
		return true
	}
	// Where it is behind the beginning of the slot before it, which there need not be.
	d := c.add(at, small((l.at+l.stride-1)/l.stride*l.stride-l.at))
	if !c.valid("(<= 0 " + d.t + ")") {
		return false
	}
	_, r := c.quotient(d, small(l.stride))
	return c.valid("(and (<= " + word.t + " " + r.t + ") (<= " + c.add(r, n).t + " " + integer(big.NewInt(l.stride)) + "))")
}

// zeroSlots are the slots of an object that is zero, if that is known, but for those that were
// written; nil if not.
func (c *checkerState) zeroSlots(ob *object, like *symgraph.Slots) *slots {
	if ob.dead || ob.list != nil || !ob.size.isConst() || !ob.size.low.IsInt64() {
		return nil
	}
	word := int64(c.m.PointerBits / 8)
	// Slot k is the last one that begins before an offset.
	before := func(offset int64) int64 { return (offset - like.At + like.Stride - 1) / like.Stride }
	l := &slots{at: like.At, stride: like.Stride, owned: &symgraph.Owned{Nodes: like.Owned.Nodes}}
	size := ob.size.low.Int64()
	if size < like.At+word || size > 1<<40 {
		return nil
	}
	l.to = small((size-like.At-word)/like.Stride + 1) // all are null
	l.nulls, l.from = small0, l.to
	if ob.pristine {
		if len(ob.global.Relocs) > 0 || slices.ContainsFunc(ob.global.Init, func(b byte) bool { return b != 0 }) {
			return nil
		}
		for _, w := range ob.written {
			for k := max((w.at-word-like.At)/like.Stride, 0); k < before(w.at+w.n); k++ {
				if len(l.out) == maxWritten {
					return nil
				}
				l.out = append(l.out, small(k))
			}
		}
		return l
	}
	if slices.ContainsFunc(ob.cells, func(x cell) bool {
		from, to, ok := zeros(&x)
		return ok && from.Sign() <= 0 && to.Cmp(ob.size.low) >= 0
	}) {
		return l
	}
	return nil
}

// maxWritten bounds the slots of an initialised object that were written one by one.
const maxWritten = 64

// takeOut makes sure that the slot whose pointer d reads or writes is out, or is none; done says
// that the path went on in several cases.
func (c *checkerState) takeOut(s *state, d *ir.Def) (done bool) {
	if len(c.arrays) == 0 || d.Op != ir.Load && d.Op != ir.Store {
		return false
	}
	f, arg, t := s.top(), 0, d.Type
	if d.Op == ir.Store {
		arg, t = 1, f.f.Type(d.Args[0])
	}
	p := c.operand(s, d.Args[arg])
	if t.Kind != ir.Ptr || p.kind != symgraph.Pointer || p.object < 0 || s.objects[p.object].dead {
		return false
	}
	ob := &s.objects[p.object]
	if ob.slots == nil {
		if p.n.isConst() {
			return false
		}
		for _, o := range c.arrays {
			if o.Kind == ob.kind && o.Name == ob.name && ob.slots == nil {
				ob.slots = c.zeroSlots(ob, o.Slots)
			}
		}
		if ob.slots == nil {
			return false
		}
	}
	at := c.offset(p)
	if !c.valid(c.inside(ob, at, bytes(t))) {
		return false
	}
	k, ok := c.slotAt(ob.slots, at)
	if !ok {
		return false
	}
	either := func(t string) bool {
		if !c.possible(t) || !c.possible(not(t)) {
			return false
		}
		c.both(s, t, func(u *state, _ bool) { c.walk(u) })
		return true
	}
	for _, x := range ob.slots.out {
		is := "(= " + x.t + " " + k.t + ")"
		if either(is) {
			return true
		}
		if c.valid(is) {
			return false
		}
	}
	in, null := ob.slots.within(k.t), ob.slots.null(k.t)
	if either(in) || either(null) {
		return true
	}
	if !c.valid(in) && !c.valid(null) {
		return false
	}
	l := *ob.slots
	l.out = append(slices.Clip(l.out), k)
	v := value{kind: symgraph.Pointer, object: symgraph.Null, n: small0}
	if !c.valid(null) && l.owned.Most != 0 {
		v.object = int32(len(s.objects))
		size, _ := form(l.owned.Nodes.Size, l.term)
		s.objects = append(slices.Clip(s.objects), object{kind: symgraph.Heap, size: size, list: c.ownedSegment(l.owned, l.term)})
	}
	ob = &s.objects[p.object]
	ob.slots = &l
	ob.cells = append(slices.Clip(ob.cells), cell{at, t, v})
	return false
}

// slotted is what is claimed of the slots of an object: those of the node, those of the
// path, and the numbers of those that were put back.
type slotted struct {
	want *symgraph.Slots
	have *slots
	back []number
	// Those of which the pointer was null.
	nulls []number
	lost  bool
}

// slots compares the slots of an object, and puts back those that are out.
func (m *match) slots(values *[]slot, o int32) {
	c := m.c
	want, have := m.n.State.Objects[o].Slots, m.s.objects[m.object[o]].slots
	if m.fails != "" {
		return
	}
	if want == nil {
		if have != nil && !m.n.State.Lost && c.owning(have) {
			m.fail("slots that own something")
		}
		return
	}
	ob := &m.s.objects[m.object[o]]
	if have == nil {
		if have = c.zeroSlots(ob, want); have == nil {
			have = &slots{at: want.At, stride: want.Stride, nulls: small0, from: small0, to: small0, owned: &symgraph.Owned{Nodes: want.Owned.Nodes}}
		}
	}
	if have.at != want.At || have.stride != want.Stride {
		m.fail("slots in other places")
		return
	}
	if !c.valid("(<= " + have.to.t + " " + have.from.t + ")") {
		m.ownerAlike(values, &want.Owned, have.owned, have.term, "true")
	}
	ks := c.knownPointers(ob, have)
	m.knownOut(values, o, want, want.Out, ks)
	// A range that is open is that of the path, and what follows it.
	m.open(want.Nulls, have.nulls)
	m.open(want.From, have.from)
	to := have.to
	for i := range ks {
		if !ks[i].used && c.valid("(= "+to.t+" "+ks[i].k.t+")") {
			to = c.add(to, num(one))
		}
	}
	m.open(want.To, to)
	x := slotted{want: want, have: have, lost: m.n.State.Lost}
	w, ok := m.wanted(want, m.term)
	if !ok {
		m.fail("slots that nothing determines")
		return
	}
	for i := range ks {
		k := ks[i].k
		if ks[i].used || c.valid("(not (or "+w.within(k.t)+" "+w.null(k.t)+"))") || c.valid("(or "+have.within(k.t)+" "+have.null(k.t)+")") {
			continue
		}
		if v := ks[i].v; v.object == symgraph.Null && v.n.isConst() && v.n.low.Sign() == 0 {
			x.nulls = append(x.nulls, k)
			continue
		}
		m.dealOwner(values, &want.Owned, ks[i].v)
		x.back = append(x.back, k)
	}
	m.slotted = append(m.slotted, x)
}

// leadsTo says whether a pointer of the path may be the one that the node has in a slot.
func (m *match) leadsTo(o int32, want *symgraph.Slots, f linear.Form, v value) bool {
	at := f.Scale(linear.Int(want.Stride)).Plus(linear.Int(want.At))
	for _, x := range m.n.State.Objects[o].Cells {
		if x.Value.Kind == symgraph.Pointer && x.Offset.Equal(at) {
			w, ok := m.where(x.Value)
			return !ok || w.object == v.object
		}
	}
	return false
}

// wanted are the slots of a node as numbers.
func (m *match) wanted(want *symgraph.Slots, term func(linear.Var) (number, bool)) (w *slots, ok bool) {
	w = &slots{at: want.At, stride: want.Stride, owned: &want.Owned, term: term}
	if w.nulls, ok = form(want.Nulls, term); !ok {
		return nil, false
	}
	if w.from, ok = form(want.From, term); !ok {
		return nil, false
	}
	if w.to, ok = form(want.To, term); !ok {
		return nil, false
	}
	for _, f := range want.Out {
		n, ok := form(f, term)
		if !ok {
			return nil, false
		}
		w.out = append(w.out, n)
	}
	return w, true
}

// claimSlots says that the slots of the node are those of the path, and those that were put back.
func (m *match) claimSlots() {
	for i := range m.slotted {
		x := &m.slotted[i]
		w, ok := m.wanted(x.want, m.term)
		if !ok {
			m.fail("slots that nothing determines")
			return
		}
		k := m.c.name("k") // any number
		m.c.say("(declare-const %s Int)\n", k)
		back, null := x.have.within(k), "(or "+x.have.null(k)
		for _, b := range x.back {
			back += " (= " + b.t + " " + k + ")"
			m.claims = append(m.claims, w.within(b.t))
		}
		for _, b := range x.nulls {
			null += " (= " + b.t + " " + k + ")"
		}
		null += ")"
		if x.want.Owned.Least == 0 {
			back += " " + null
		}
		m.claims = append(m.claims, "(=> "+w.within(k)+" (or "+back+"))", "(=> "+w.null(k)+" "+null+")")
		if !x.lost && x.have.owned.Most != 0 {
			m.claims = append(m.claims, "(=> "+x.have.within(k)+" "+w.within(k)+")")
		}
	}
}

// knownPointer is a pointer in a slot that a path knows.
type knownPointer struct {
	k    number // of the slot
	v    value
	used bool // the slot is out in the node
}

// knownPointers are those of an object.
func (c *checkerState) knownPointers(ob *object, l *slots) (ks []knownPointer) {
	for i := range ob.cells {
		if x := &ob.cells[i]; x.t == c.m.PtrType() && x.v.kind == symgraph.Pointer {
			if k, ok := c.slotAt(l, x.at); ok {
				ks = append(ks, knownPointer{k: k, v: x.v})
			}
		}
	}
	return ks
}

// knownOut finds the pointers of the slots that are out in the node, and binds the numbers of these slots.
func (m *match) knownOut(values *[]slot, o int32, like *symgraph.Slots, out []linear.Form, ks []knownPointer) {
	c := m.c
	for _, f := range out {
		n, ok := form(f, m.term)
		best := -1
		for i := range ks {
			if !ks[i].used && (ok && c.valid("(= "+n.t+" "+ks[i].k.t+")") || !ok && (best < 0 || m.leadsTo(o, like, f, ks[i].v))) {
				best = i
			}
		}
		if best < 0 {
			continue // nothing is known of its pointer
		}
		ks[best].used = true
		if !ok {
			*values = append(*values, slot{f: f, n: ks[best].k})
			m.solve(*values, false)
		}
	}
}

// open binds a symbol that nothing has determined so far.
func (m *match) open(f linear.Form, n number) {
	if v, single := f.IsVariable(); single {
		if _, bound := m.symbols[v]; !bound {
			m.symbols[v] = n
		}
	}
}
