package graph

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// This file decides whether the state of a path is described by a node. The
// node's symbols get terms over the path: where a local, a size or a cell of the
// node is a symbol plus a constant, by what is there on the path; else, where a form has
// one symbol that is still open, by solving for it; else a symbol keeps its value if the node
// where the path began has it, too; else, if it is the offset of a cell, a cell of the
// path may be the one. Then Z3 must agree that all values are
// those of the node, that its constraints hold, and that some transition describes
// the step. Any other choice of terms would do as well: what a node says is that some
// values of the symbols exist. So for termination there is a second attempt, in which
// the transition chooses: its updates are the terms of the symbols. A value counts
// modulo 2^w, and the first attempt may have taken another one of the same class.

type match struct {
	c       *checkerState
	s       *state
	n       *symgraph.Node
	follow  bool // the transitions say which of the integers that are equal modulo 2^w symbols are
	claimed bool // it came to asking Z3
	known   map[linear.Var][2]*big.Int
	symbols map[linear.Var]number
	widths  map[linear.Var]uint32 // of the values that symbols are, 0 for exact ones
	object  []int32               // by object of the node: that of the path, -1 if none yet
	taken   []bool                // by object of the path
	queue   []int32               // objects of the node that have been found
	started []bool                // by object of the node: a segment, and object is where it starts, -1 if at null
	dealtTo []bool                // its nodes have been dealt to it
	last    []value               // then the last of them, Unset if there is none
	lasts   []lastOf
	dealt   []dealt
	slotted []slotted
	worded  []worded
	fails   string
	claims  []string
}

// described rejects if no node at the position describes the state.
func (c *checkerState) described(s *state, nodes []int) {
	why := ""
	c.push()
	defer c.pop()
	s = s.clone()
	c.settle(s)
	for _, i := range nodes {
		for _, follow := range []bool{false, true} {
			c.push()
			m := c.newMatch(s, i)
			m.follow = follow
			ok := m.run(i)
			c.pop()
			if ok || c.failure != nil {
				return
			}
			why = m.fails
			if !m.claimed || !c.o.Termination || m.n.Returns {
				break
			}
		}
	}
	if !c.together(s, nodes) {
		c.reject(s, "no node describes the state: %s", why)
	}
}

// together says whether each state of the path is described by one of the nodes, some by one and some by
// another: what is a choice between two constants here may be two nodes. The names that a match gives to
// terms exist in each state, whether its claims hold there or not, so there may be those of several at once.
// What is said of segments may restrict more than names: with these it is not tried.
func (c *checkerState) together(s *state, nodes []int) bool {
	if len(nodes) < 2 || c.lists || c.strings {
		return false
	}
	c.push()
	defer c.pop()
	var cases []string
	for _, i := range nodes {
		if m := c.newMatch(s, i); m.prepare(i) {
			cases = append(cases, all(m.claims))
		}
	}
	return len(cases) > 1 && c.valid(not(none(cases)))
}

// none says that no formula holds.
func none(ts []string) string {
	var out []string
	for _, t := range ts {
		out = append(out, not(t))
	}
	return all(out)
}

func (c *checkerState) newMatch(s *state, i int) *match {
	m := &match{c: c, s: s.clone(), n: &c.g.Nodes[i], symbols: map[linear.Var]number{}, widths: map[linear.Var]uint32{}}
	m.known = limits(m.n.State.Constraints)
	for _, b := range m.known {
		if b[0] != nil && b[1] != nil && b[0].Cmp(b[1]) > 0 { // no number may be given a name in an empty range
			m.fail("its constraints exclude each other")
		}
	}
	return m
}

func (m *match) fail(format string, args ...any) {
	if m.fails == "" {
		m.fails = fmt.Sprintf(format, args...)
	}
}

// slot is a value of the node and the one on the path.
type slot struct {
	f    linear.Form
	n    number
	bits uint32
	done bool
}

// run says whether node i describes the state.
func (m *match) run(i int) bool {
	if !m.prepare(i) {
		return false
	}
	m.claimed = true
	if !m.c.valid(all(m.claims)) {
		m.fail("its constraints or values are not sure to hold")
		return false
	}
	return true
}

// prepare gives the symbols of node i terms, and says what has to hold for it to describe the state; if it is
// not ok, it does not.
func (m *match) prepare(i int) bool {
	c, s := m.c, m.s
	want := &m.n.State
	begins := s.entry == beginning // then what the node does not list is hidden
	if s.lost && !want.Lost && !begins {
		m.fail("heap objects may be lost")
		return false
	}
	fixed := len(c.m.Globals) + len(c.m.Funcs)
	m.started, m.dealtTo, m.last = make([]bool, len(want.Objects)), make([]bool, len(want.Objects)), make([]value, len(want.Objects))
	m.object, m.taken = make([]int32, len(want.Objects)), make([]bool, len(s.objects))
	for k := range m.object {
		m.object[k] = -1
		if k < fixed {
			m.object[k], m.taken[k] = int32(k), true
			m.queue = append(m.queue, int32(k))
		}
	}
	var slots []slot
	if !begins {
		m.beginning(&slots)
	}
	// Locals.
	for k := range want.Frames {
		f, g := &want.Frames[k], &s.frames[k]
		for v := range f.Values {
			t := f.Func.Values[v].Type
			if f.Values[v].Kind == symgraph.Unset {
				continue
			}
			if g.values[v].kind == symgraph.Unset {
				g.values[v] = c.arbitrary(t)
			}
			m.value(&slots, f.Values[v], g.values[v], t)
		}
	}
	// Sizes, as objects are found; then cells.
	for m.fails == "" {
		if len(m.queue) == 0 {
			if m.lists(&slots) {
				break
			}
			continue
		}
		o := m.queue[0]
		m.queue = m.queue[1:]
		m.objects(&slots, o)
		// Cells hold pointers to further objects: those whose place is known already.
		m.solve(slots, want.Objects[o].Slots == nil && want.Objects[o].Strings == nil)
		m.slots(&slots, o)
		m.strings(&slots, o)
		m.cells(&slots, o)
	}
	m.solve(slots, false)
	for k, p := range m.object {
		if p < 0 && !m.started[k] {
			m.fail("object %d of the node is not there", k)
		}
	}
	for k := range s.objects {
		if o := &s.objects[k]; !m.taken[k] && !want.Lost && !begins && c.allocated(o) {
			m.fail("a heap object is not part of the node")
		}
	}
	if m.fails != "" {
		return false
	}
	m.defaults()
	if !m.follow || m.n.Returns { // no transition goes to where an activation ends
		m.claimState(slots)
	}
	if c.o.Termination && !m.n.Returns {
		m.claims = append(m.claims, m.transition(i, slots))
	}
	return m.fails == ""
}

// beginning says that what the node knows of the beginning of its activation is so: the
// arguments are the same integers, and the pointers lead to the same objects.
func (m *match) beginning(slots *[]slot) {
	for i, a := range m.n.State.Arguments {
		if a.Kind < symgraph.Int {
			continue
		}
		have := m.s.arguments[i]
		if have.kind != a.Kind {
			m.fail("an argument of another kind")
			return
		}
		if a.Kind == symgraph.Pointer && !m.sameObject(a, have) {
			return
		}
		*slots = append(*slots, slot{f: a.Form, n: have.n})
		if v, ok := a.Form.IsVariable(); ok {
			if b := m.known[v]; b[0] != nil && b[1] != nil && have.n.within(b[0], b[1]) {
				m.bind(v, have.n, 0)
			}
		}
	}
}

// claimState says that the values and constraints of the node are those of the path.
func (m *match) claimState(slots []slot) {
	for k := range slots {
		m.claim(&slots[k])
	}
	m.claimDealt()
	m.claimSlots()
	m.claimStrings()
	for _, k := range m.n.State.Constraints {
		t, ok := constraint(k, m.term)
		if !ok {
			m.fail("a symbol that nothing determines")
			return
		}
		m.claims = append(m.claims, t)
	}
}

func (m *match) term(v linear.Var) (number, bool) {
	n, ok := m.symbols[v]
	return n, ok
}

// value compares kinds and objects, and leaves integers to be claimed.
func (m *match) value(slots *[]slot, want symgraph.Value, have value, t ir.Type) {
	switch want.Kind {
	case symgraph.Unset, symgraph.Any:
		return
	}
	if have.kind != want.Kind {
		m.fail("a value of another kind")
		return
	}
	if want.Kind == symgraph.Pointer && !m.sameObject(want, have) {
		return
	}
	n := have.n
	if have.truth != "" {
		n = m.c.short(number{"(ite " + have.truth + " 1 0)", new(big.Int), one})
	}
	*slots = append(*slots, slot{f: want.Form, n: n, bits: t.Bits})
	if v, ok := want.Form.IsVariable(); ok {
		m.bind(v, n, t.Bits)
	}
}

// sameObject says whether two pointers are to the same object; an object of the node that
// has no place yet gets one by that.
func (m *match) sameObject(want symgraph.Value, have value) bool {
	switch {
	case want.Object >= 0 && m.n.State.Objects[want.Object].List != nil:
		m.startOf(want, have)
		return m.fails == ""
	case want.Object < 0 || have.object < 0:
		if want.Object == have.object && want.Object != symgraph.Token {
			return true
		}
	case m.object[want.Object] < 0 && !m.taken[have.object]:
		m.object[want.Object], m.taken[have.object] = have.object, true
		m.queue = append(m.queue, want.Object)
		return true
	case m.object[want.Object] == have.object:
		return true
	}
	m.fail("a pointer to another object")
	return false
}

// bind gives a symbol a term, in the range that the symbol has.
func (m *match) bind(v linear.Var, n number, bits uint32) {
	if _, bound := m.symbols[v]; bound {
		return
	}
	if b := m.known[v]; b[0] != nil && b[1] != nil && !n.within(b[0], b[1]) {
		n = m.c.view(n, bits, b[0].Sign() < 0)
	}
	m.widths[v] = bits
	m.symbols[v] = n
}

func (m *match) objects(slots *[]slot, o int32) {
	want, have := &m.n.State.Objects[o], &m.s.objects[m.object[o]]
	if have.list != nil || want.Kind != have.kind || !want.Dead && have.dead || want.Kind == symgraph.Heap && want.Dead != have.dead || want.Name != have.name || want.Kind == symgraph.Stack && want.Frame != have.frame {
		m.fail("an object of another kind")
		return
	}
	if want.Kind >= symgraph.Global {
		return
	}
	*slots = append(*slots, slot{f: want.Size, n: have.size})
	if v, ok := want.Size.IsVariable(); ok {
		m.bind(v, have.size, m.c.m.PointerBits)
	}
	if want.HasBase && !want.Dead {
		if !have.based {
			_, most := bounds(m.c.m.PointerBits, false)
			have.based, have.base = true, m.c.unknown("b", one, most)
		}
		*slots = append(*slots, slot{f: want.Base, n: have.base})
		if v, ok := want.Base.IsVariable(); ok {
			m.bind(v, have.base, m.c.m.PointerBits)
		}
	}
}

// cells reads the path's memory where the node's cells are.
func (m *match) cells(slots *[]slot, o int32) {
	if m.fails != "" {
		return
	}
	want, p := &m.n.State.Objects[o], m.object[o]
	have := &m.s.objects[p]
	for k := range want.Cells {
		x := &want.Cells[k]
		open := func(t linear.Term) bool { _, bound := m.symbols[t.Var]; return !bound }
		if slices.ContainsFunc(x.Offset.Terms, open) {
			m.solve(*slots, false)
		}
		for _, t := range x.Offset.Terms {
			if open(t) {
				m.keep(t.Var)
			}
		}
		if v, ok := x.Offset.IsVariable(); ok {
			m.offset(v, x, have)
		}
		at, ok := form(x.Offset, m.term)
		if !ok {
			m.fail("a cell at an offset that nothing determines")
			return
		}
		at = m.c.short(at)
		if m.follow {
			// An offset is exact: what a transition chooses must be where the path was read.
			*slots = append(*slots, slot{f: x.Offset, n: at})
		}
		m.value(slots, x.Value, m.c.readAt(m.s, int(p), at, x.Type), x.Type)
	}
	if want.Pristine && !(want.Global != nil && want.Global.Constant) {
		if !have.pristine {
			m.fail("an initialised object was written")
			return
		}
		for _, w := range have.written {
			if !slices.ContainsFunc(want.Cells, func(x symgraph.Cell) bool {
				at, ok := x.Offset.Const.Int64()
				return ok && x.Offset.IsConstant() && at == w.at && int64(x.Type.Size()) == w.n
			}) {
				m.fail("an initialised object was written")
				return
			}
		}
	}
}

// offset gives a symbol that is nothing but the offset of a cell, if it is still
// open, the offset of a cell on the path: of one that has the same value, if there is
// one, else of the last that has the type.
func (m *match) offset(v linear.Var, want *symgraph.Cell, have *object) {
	if _, bound := m.symbols[v]; bound {
		return
	}
	var best *cell
	same := false
	for i := range have.cells {
		x := &have.cells[i]
		if x.t != want.Type || x.v.kind != want.Value.Kind || x.v.object != want.Value.Object {
			continue
		}
		f, ok := form(want.Value.Form, m.term)
		equal := ok && x.v.truth == "" && f.t == x.v.n.t
		if equal || !same {
			best, same = x, equal
		}
	}
	if best != nil {
		m.bind(v, best.at, m.c.m.PointerBits)
	}
}

// solve determines symbols from forms in which only one is open, first from those that have it once, and
// with plain from these alone: a multiple modulo 2^w may be that of several numbers.
func (m *match) solve(slots []slot, plain bool) {
	for m.solved(slots, true) || !plain && m.solved(slots, false) {
	}
}

// solved says whether a symbol was determined: without plain, only one is.
func (m *match) solved(slots []slot, plain bool) (some bool) {
	for again := true; again; {
		again = false
		for k := range slots {
			x := &slots[k]
			var open []linear.Term
			for _, t := range x.f.Terms {
				if _, bound := m.symbols[t.Var]; !bound {
					open = append(open, t)
				}
			}
			if len(open) != 1 || plain && !open[0].Coef.Abs().IsOne() {
				continue
			}
			v, coef := open[0].Var, open[0].Coef.BigInt()
			rest, ok := form(x.f.AddScaled(open[0].Coef.Neg(), linear.Variable(v)), m.term)
			b := m.known[v]
			if !ok || b[0] == nil || b[1] == nil {
				continue
			}
			d := m.c.sub(x.n, rest)
			if coef.CmpAbs(one) == 0 {
				d = m.c.scale(d, coef)
				if !d.within(b[0], b[1]) && x.bits > 0 {
					d = m.c.view(d, x.bits, b[0].Sign() < 0)
				}
				m.symbols[v], m.widths[v] = d, x.bits
			} else {
				// coef·v is the difference; that there is such an integer is claimed later.
				if coef.Sign() < 0 {
					d, coef = m.c.scale(d, big.NewInt(-1)), new(big.Int).Neg(coef)
				}
				least, most := new(big.Int).Mul(coef, b[0]), new(big.Int).Mul(coef, b[1])
				if x.bits > 0 && !d.within(least, most) {
					d = m.c.view(d, x.bits, b[0].Sign() < 0)
				}
				q := m.c.unknown("q", b[0], b[1])
				r := m.c.unknown("r", new(big.Int), new(big.Int).Sub(coef, one))
				// Only a name for the quotient if it is in the range: else nothing is assumed.
				m.c.define(fmt.Sprintf("(=> (<= (* %[5]s %[6]s) %[1]s (+ (* %[5]s %[7]s) (- %[5]s 1))) (= %[1]s (+ (* %[2]s %[3]s) %[4]s)))",
					d.t, integer(coef), q.t, r.t, integer(coef), integer(b[0]), integer(b[1])))
				m.symbols[v] = q
			}
			if again, some = plain, true; !plain {
				return some
			}
		}
	}
	return some
}

// keep gives a symbol the value that it had.
func (m *match) keep(v linear.Var) {
	if int(v) < len(m.c.from) && m.c.from[v].t != "" {
		m.symbols[v] = m.c.from[v]
	}
}

func (m *match) defaults() {
	for _, v := range m.n.Symbols {
		if _, bound := m.symbols[v]; bound {
			continue
		}
		m.keep(v)
		if _, bound := m.symbols[v]; !bound {
			// Whatever its constraints allow, if they say nothing but the range.
			if b := m.known[v]; b[0] != nil && b[1] != nil && b[0].Cmp(b[1]) <= 0 {
				m.symbols[v] = num(b[0])
			}
		}
	}
}

// claim says that a value of the node is that of the path.
func (m *match) claim(x *slot) {
	f, ok := form(x.f, m.term)
	if !ok {
		m.fail("a value that nothing determines")
		return
	}
	if f.t == x.n.t {
		return
	}
	f = m.c.short(f)
	if d := new(big.Int).Sub(f.low, x.n.low); f.isConst() && x.n.isConst() && (x.bits == 0 && d.Sign() != 0 || x.bits > 0 && d.Mod(d, pow(x.bits)).Sign() != 0) {
		m.fail("another constant")
		return
	}
	if x.bits == 0 {
		m.claims = append(m.claims, same(f, x.n))
		return
	}
	m.claims = append(m.claims, m.c.equal(f, x.n, x.bits))
}

// transition says that some transition from the node where the path began
// describes the step to this one; with follow, for symbols as the transition says.
func (m *match) transition(to int, slots []slot) string {
	c := m.c
	sys := c.g.System
	from := &c.g.Nodes[c.now]
	n := linear.Var(len(sys.Variables))
	before := map[linear.Var]bool{}
	for _, v := range from.Symbols {
		before[v] = true
	}
	var cases []string
transitions:
	for i := range sys.Transitions {
		t := &sys.Transitions[i]
		if t.From != from.Location || t.To != c.g.Nodes[to].Location {
			continue
		}
		temps, guarded := map[linear.Var]number{}, limits(t.Guard)
		for _, v := range m.n.Symbols {
			if u, ok := t.Update[v].IsVariable(); ok && u >= n {
				if _, twice := temps[u]; !twice {
					temps[u] = m.symbols[v]
					if least := guarded[u][0]; m.follow && least != nil && m.widths[v] > 0 {
						w := m.widths[v]
						most := new(big.Int).Add(least, pow(w))
						temps[u] = c.wrap(temps[u], w, least, most.Sub(most, one))
					}
				}
			}
		}
		term := func(v linear.Var) (number, bool) {
			if v >= n {
				x, ok := temps[v]
				return x, ok
			}
			if !before[v] {
				return number{}, false
			}
			return c.from[v], true
		}
		var parts []string
		for _, k := range t.Guard {
			x, ok := constraint(k, term)
			if !ok {
				continue transitions
			}
			parts = append(parts, x)
		}
		symbols := maps.Clone(m.symbols)
		for _, v := range m.n.Symbols {
			x, ok := form(t.Update[v], term)
			if !ok {
				continue transitions
			}
			if m.follow {
				symbols[v] = x
			} else if x.t != m.symbols[v].t {
				parts = append(parts, same(x, m.symbols[v]))
			}
		}
		if m.follow {
			f := &match{c: c, s: m.s, n: m.n, known: m.known, symbols: symbols, dealt: m.dealt, slotted: m.slotted, worded: m.worded}
			f.claimState(slots)
			if f.fails != "" {
				continue
			}
			parts = append(parts, f.claims...)
		}
		cases = append(cases, all(parts))
	}
	switch len(cases) {
	case 0:
		m.fail("there is no transition for the step")
		return "false"
	case 1:
		return cases[0]
	}
	t := "(or"
	for _, x := range cases {
		t += " " + x
	}
	return t + ")"
}

// readAt reads the path's memory at an offset that may be anywhere.
func (c *checkerState) readAt(s *state, o int, at number, t ir.Type) value {
	ob := &s.objects[o]
	if ob.dead {
		return c.arbitrary(t)
	}
	return c.read(s, o, at, t)
}
