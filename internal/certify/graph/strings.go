package graph

// Arrays of pointers to strings (symgraph.Strings): the checker's own rules.
//
// # What is said
//
// For each k with from <= k < to that is not among those that are out, the k-th pointer of the object
// leads to a byte of an object of its own: on the stack of the first frame, alive, of 1 to most
// bytes, the last of which is 0. No other pointer of the state leads there, not even that of another slot.
// The first frame is that of the program's start, which does not return before the end: so nothing
// is said of strings where the beginning of the stack is hidden.
//
// # Taking out and putting back
//
// That is as with slots (slots.go). Before a pointer is read or written, the slot is one of those that
// are out, or leads to a string that is described, or to nothing that is known. In the second case it is out from now
// on; the string is an object of the state, and a cell holds the pointer to it. What was said of
// it is all that is known: its content is arbitrary but for the end.
//
// A write that may hit a slot ends what is said, and so does one through an unknown pointer, which may change
// the strings.
//
// When a path is described by a node, the slots that are out on the path, but not in the node, are read.
// What they lead to must be such a string, and no other object of the node. Then Z3 has to agree,
// for any number k, that each slot of the node is one of the path, or was put back.

import (
	"math/big"
	"slices"

	"assay/internal/evidence/symgraph"
	"assay/internal/program/ir"
)

// texts is a symgraph.Strings on a path: slots that own nothing, but lead to strings of at most so many bytes.
type texts struct {
	*slots
	most int64
}

// loadStrings reads the strings of an object of a node.
func (c *checkerState) loadStrings(n *symgraph.Node, o *symgraph.Object, exact func(f *symgraph.Strings) *slots) *texts {
	l := o.Strings
	switch {
	case n.State.Entry != 0:
		c.reject(nil, "strings where the beginning of the stack is hidden")
	case o.Kind != symgraph.Stack || o.Dead || o.List != nil || o.Slots != nil || l.Most < 1:
		c.reject(nil, "strings of an object that cannot lead to any")
	default:
		return &texts{slots: exact(l), most: l.Most}
	}
	return nil
}

// wordSlots are slots one behind the other.
func (c *checkerState) wordSlots(from, to number, out []number) *slots {
	return &slots{stride: int64(c.m.PointerBits / 8), nulls: from, from: from, to: to, out: out}
}

// someString is a string of which nothing is known but where it ends.
func (c *checkerState) someString(most int64) object {
	n := c.unknown("n", one, big.NewInt(most))
	end := c.sub(n, num(one))
	return object{kind: symgraph.Stack, size: n, cells: []cell{{end, ir.IntType(8), integerValue(small(0))}}}
}

// takeString makes sure that the slot whose pointer d reads or writes is out, or is none that leads to
// a string that is described; done says that the path went on in several cases.
func (c *checkerState) takeString(s *state, d *ir.Def) (done bool) {
	if !c.strings || d.Op != ir.Load && d.Op != ir.Store {
		return false
	}
	f, arg, t := s.top(), 0, d.Type
	if d.Op == ir.Store {
		arg, t = 1, f.f.Type(d.Args[0])
	}
	p := c.operand(s, d.Args[arg])
	if t.Kind != ir.Ptr || p.kind != symgraph.Pointer || p.object < 0 || s.objects[p.object].dead || s.objects[p.object].strings == nil {
		return false
	}
	ob := &s.objects[p.object]
	at := c.offset(p)
	if !c.valid(c.inside(ob, at, bytes(t))) {
		return false
	}
	k, ok := c.slotAt(ob.strings.slots, at)
	if !ok {
		return false
	}
	for _, x := range ob.strings.out {
		is := "(= " + x.t + " " + k.t + ")"
		if c.inCases(s, is) {
			return true
		}
		if c.valid(is) {
			return false
		}
	}
	in := ob.strings.within(k.t)
	if c.inCases(s, in) {
		return true
	}
	if !c.valid(in) {
		return false
	}
	l := *ob.strings.slots
	l.out = append(slices.Clip(l.out), k)
	most := ob.strings.most
	text := c.someString(most)
	to := value{kind: symgraph.Pointer, object: int32(len(s.objects)), n: c.unknown("a", small0.low, big.NewInt(most-1))}
	c.assert("(< " + to.n.t + " " + text.size.t + ")")
	s.objects = append(slices.Clip(s.objects), text)
	ob = &s.objects[p.object]
	ob.strings = &texts{slots: &l, most: most}
	ob.cells = append(slices.Clip(ob.cells), cell{at, t, to})
	return false
}

// inCases goes on with the instruction once where t holds and once where it does not, if both are possible.
func (c *checkerState) inCases(s *state, t string) bool {
	if !c.possible(t) || !c.possible(not(t)) {
		return false
	}
	c.both(s, t, func(u *state, _ bool) { c.walk(u) })
	return true
}

// sparesStrings says whether n bytes at an offset are sure to be those of a slot that is out, or of none
// that leads to a string.
func (c *checkerState) sparesStrings(l *texts, at, n number) bool {
	word := small(l.stride)
	end := c.add(at, n)
	for _, k := range l.out {
		start := c.scale(k, big.NewInt(l.stride))
		if c.valid("(and (<= " + start.t + " " + at.t + ") (<= " + end.t + " " + c.add(start, word).t + "))") {
			return true
		}
	}
	first, last := c.scale(l.from, big.NewInt(l.stride)), c.scale(l.to, big.NewInt(l.stride))
	return c.valid("(or (<= " + l.to.t + " " + l.from.t + ") (<= " + end.t + " " + first.t + ") (<= " + last.t + " " + at.t + "))")
}

// worded is what is claimed of an array of strings: those of the node, those of the path, and
// the numbers of those that were put back.
type worded struct {
	want *symgraph.Strings
	have *texts
	back []number
}

// strings compares the strings that an object leads to, and puts back those that are out.
func (m *match) strings(values *[]slot, o int32) {
	c := m.c
	want, have := m.n.State.Objects[o].Strings, m.s.objects[m.object[o]].strings
	if want == nil || m.fails != "" {
		return
	}
	ob := &m.s.objects[m.object[o]]
	if have == nil {
		have = &texts{slots: c.wordSlots(small0, small0, nil), most: want.Most}
	}
	if have.most > want.Most && !c.valid("(<= "+have.to.t+" "+have.from.t+")") {
		m.fail("strings that may be longer")
		return
	}
	ks := c.knownPointers(ob, have.slots)
	m.knownOut(values, o, &symgraph.Slots{Stride: have.stride}, want.Out, ks)
	m.open(want.From, have.from)
	to := have.to
	for range ks {
		for i := range ks {
			if ks[i].v.object >= 0 && c.valid("(= "+to.t+" "+ks[i].k.t+")") {
				to = c.add(to, num(one))
			}
		}
	}
	m.open(want.To, to)
	w, ok := m.wantedStrings(want)
	if !ok {
		m.fail("strings that nothing determines")
		return
	}
	x := worded{want: want, have: have}
	for i := range ks {
		k := ks[i].k
		if ks[i].used || c.valid("(not "+w.within(k.t)+")") || c.valid(have.within(k.t)) {
			continue
		}
		m.dealString(want, ks[i].v)
		x.back = append(x.back, k)
	}
	m.worded = append(m.worded, x)
}

// dealString makes the object to which a pointer of the path leads one of those that are described.
func (m *match) dealString(want *symgraph.Strings, v value) {
	if v.object < 0 || m.taken[v.object] {
		m.fail("a pointer that does not lead to a string of its own")
		return
	}
	c, ob := m.c, &m.s.objects[v.object]
	if ob.kind != symgraph.Stack || ob.frame != 0 || m.s.entry != 0 || ob.dead || ob.list != nil || ob.slots != nil || ob.strings != nil {
		m.fail("a string that is another kind of object")
		return
	}
	if !c.valid("(<= 1 " + ob.size.t + " " + integer(big.NewInt(want.Most)) + ")") {
		m.fail("a string of another size")
		return
	}
	if at := c.offset(v); !c.valid("(and (<= 0 " + at.t + ") (< " + at.t + " " + ob.size.t + "))") {
		m.fail("a pointer that may lead behind its string")
		return
	}
	end := c.read(m.s, int(v.object), c.sub(ob.size, num(one)), ir.IntType(8))
	if end.kind != symgraph.Int || end.truth != "" || !c.valid(c.equal(end.n, small0, 8)) {
		m.fail("a string that does not end with a 0")
		return
	}
	m.taken[v.object] = true
}

// wantedStrings are the slots of a node as numbers.
func (m *match) wantedStrings(want *symgraph.Strings) (w *slots, ok bool) {
	from, ok := form(want.From, m.term)
	if !ok {
		return nil, false
	}
	to, ok := form(want.To, m.term)
	if !ok {
		return nil, false
	}
	var out []number
	for _, f := range want.Out {
		n, ok := form(f, m.term)
		if !ok {
			return nil, false
		}
		out = append(out, n)
	}
	return m.c.wordSlots(from, to, out), true
}

// claimStrings says that the strings of the node are those of the path, and those that were put back.
func (m *match) claimStrings() {
	for i := range m.worded {
		x := &m.worded[i]
		w, ok := m.wantedStrings(x.want)
		if !ok {
			m.fail("strings that nothing determines")
			return
		}
		k := m.c.name("k") // any number
		m.c.say("(declare-const %s Int)\n", k)
		have := "(or " + x.have.within(k)
		for _, b := range x.back {
			have += " (= " + b.t + " " + k + ")"
		}
		m.claims = append(m.claims, "(=> "+w.within(k)+" "+have+"))")
	}
}
