package integerize

// Symbolic execution of the paths from a location to the next ones.

import (
	"fmt"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

type locationKey struct {
	frame *frame
	block ir.BlockID
	index int
}

// place is a location with its variables.
type place struct {
	locationKey
	start  bool
	peak   bool // where a run ends that has come to what it costs
	broken bool // where a run ends that breaks an assumption
	vars   []int
	has    map[int]bool
}

type variableKey struct {
	value valueKey
	cell  *cell
}

// slot says what a variable of the system is.
type slot struct {
	value  valueKey
	cell   *cell
	width  uint32
	view   view
	bounds interval
	name   string // of what is neither a value nor a cell
}

// path is a transition, with provisional numbers of temporaries.
type path struct {
	from, to its.Location
	state    *state
	update   map[int]linear.Form
	pos      ir.Pos
}

func (t *translation) run() {
	t.places = append(t.places, place{start: true, has: map[int]bool{}})
	for _, c := range t.order {
		c.variable = t.newVariable(variableKey{cell: c}, slot{cell: c, width: c.bits, view: c.view(), bounds: t.cellRange(c)})
	}
	t.countLive()
	t.work = append(t.work, 0)
	for len(t.work) > 0 {
		l := t.work[len(t.work)-1]
		t.work = t.work[:len(t.work)-1]
		p := t.places[l]
		s := &state{from: l, frame: p.frame, block: p.block, index: p.index, cells: map[*cell]number{}, ranged: map[linear.Var]interval{}}
		if p.start {
			s.frame, s.block = t.root, 0
			s.to = 1
		} else if p.index == 0 {
			s.index = t.firstAfterPhis(p.frame.fn.f, p.block)
		}
		t.explore(s)
	}
}

func (t *translation) firstAfterPhis(f *ir.Func, b ir.BlockID) int {
	i := 0
	for f.Def(f.Blocks[b].Instrs[i]).Op == ir.Phi {
		i++
	}
	return i
}

// maxCrowd is how many states there may be from a location; beyond it every block
// becomes one, so that paths meet again.
const maxCrowd = 100

// explore executes everything until the next locations.
func (t *translation) explore(s *state) {
	stack := []*state{s}
	for t.crowd = 0; len(stack) > 0; t.crowd++ {
		if err := t.ctx.Err(); err != nil {
			panic(stop{err})
		}
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		stack = append(stack, t.advance(s)...)
	}
}

// advance executes a state until it ends or must be split.
func (t *translation) advance(s *state) (next []*state) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case split:
			next = t.splitUp(s, r.alternatives)
		default:
			panic(r)
		}
	}()
	for {
		edge := s.to != 0
		on := t.step(s)
		if !edge {
			s.work.instructions++
			for _, n := range on.states {
				if n != s {
					n.work.instructions++
				}
			}
		}
		t.longest.instructions = max(t.longest.instructions, s.work.instructions)
		t.longest.calls = max(t.longest.calls, s.work.calls)
		t.longest.counted = max(t.longest.counted, s.work.counted)
		if on != goOn {
			return on.states
		}
	}
}

// outcome of a step: go on, or what it became.
type outcome struct{ states []*state }

var goOn = &outcome{}
var over = &outcome{}

func (t *translation) splitUp(s *state, alternatives []alternative) (next []*state) {
	for _, a := range alternatives {
		if len(alternatives) > 1 && !t.feasible(s, a.require...) {
			continue
		}
		c := s.fork()
		c.splits++
		c.require(a.require...)
		if a.then != nil {
			a.then(c)
		}
		next = append(next, c)
	}
	return next
}

// step executes the next instruction or edge.
func (t *translation) step(s *state) *outcome {
	if s.to != 0 {
		return t.edge(s)
	}
	if s.broken {
		t.breaks(s)
		return over
	}
	fr := s.frame
	f := fr.fn.f
	v := f.Blocks[s.block].Instrs[s.index]
	d := f.Def(v)
	k := valueKey{frame: fr, value: v}
	if t.o.Observed != nil {
		if on := t.observe(s, d); on != nil {
			return on
		}
	}
	switch d.Op {
	case ir.Nondet:
		p := pick{frame: fr, value: v}
		if fr.fn.tracked(v) {
			n := t.nondet(s, fr, v, d)
			s.values.set(k, n)
			p.form, p.known = n.form, true
		}
		s.picks = append(s.picks, p)
	case ir.Load:
		t.load(s, fr, v, d)
	case ir.Store:
		t.store(s, fr, v, d)
		if t.o.Observed != nil && !unnamed(f, s.block, s.index) {
			t.finish(s, fr, s.block, s.index+1, nil, nil)
			return over
		}
	case ir.Alloca, ir.Malloc:
		t.born(s, fr, v)
		if d.Op == ir.Malloc {
			t.allocate(s, fr, d)
		}
		if t.o.Cost == Allocated && t.pays(d) != 0 && fr.parent != nil { // the entry function makes what arguments point to
			return t.pay(s, fr, d)
		}
	case ir.Free:
		t.free(s, fr, d)
	case ir.LifetimeStart:
		f, ok := t.fact(fr, d.Args[0])
		t.clobber(s, f, ok, true)
		s.picks = append(s.picks, pick{frame: fr, value: v})
	case ir.Havoc:
		f, ok := t.fact(fr, d.Args[0])
		t.clobber(s, f, ok, true)
		s.picks = append(s.picks, pick{frame: fr, value: v})
	case ir.MemSet:
		t.fill(s, fr, v, d)
	case ir.MemCpy:
		t.copyRange(s, fr, v, d)
	case ir.VaStart:
		f, ok := t.fact(fr, d.Args[0])
		t.clobber(s, f, ok, true)
	case ir.Assume:
		var broken func(*state)
		if t.o.Observed != nil {
			broken = func(s *state) { s.broken = true }
		}
		return t.branch(s, d.Args[0], func(s *state) { s.index++ }, broken)
	case ir.Check:
		if t.assumesCheck(d) {
			return t.branch(s, d.Args[0], func(s *state) { s.index++ }, nil)
		}
	case ir.Call:
		return t.call(s, fr, v, d)
	case ir.Accept:
		s.accepts = true
	case ir.Extract:
		// bound when the call returned
	case ir.Br:
		s.take(d, 0)
		return goOn
	case ir.CondBr:
		if d.Succs[0] == d.Succs[1] && len(fr.fn.phis(d.Succs[0])) == 0 {
			s.take(d, 0)
			return goOn
		}
		return t.branch(s, d.Args[0], func(s *state) { s.take(d, 0) }, func(s *state) { s.take(d, 1) })
	case ir.Switch:
		return t.choose(s, fr, d)
	case ir.Ret:
		return t.ret(s, fr, d)
	case ir.Halt, ir.Unreachable:
		return over
	case ir.Unsupported:
		if !t.reached(fr, s.block) || !t.feasible(s) {
			return over
		}
		t.fail(f, v, d.Sym)
	}
	s.index++
	return goOn
}

// take sets out on an edge of a terminator. A block may be the target of several.
func (s *state) take(d *ir.Def, i int) {
	s.to, s.nth = d.Succs[i], 0
	for _, b := range d.Succs[:i] {
		if b == s.to {
			s.nth++
		}
	}
}

// branch goes on under a condition and its negation; nil where nothing goes on.
func (t *translation) branch(s *state, c ir.Value, yes, no func(*state)) *outcome {
	pos, neg := t.conditions(s, s.frame, c)
	if no == nil {
		neg = nil
	}
	var out []*state
	total := len(pos) + len(neg)
	add := func(cs []conjunct, then func(*state), n int64) {
		for _, cc := range cs {
			if len(cc) > 0 && !t.feasible(s, cc...) {
				continue
			}
			g := s
			if total > 1 {
				g = s.fork()
			}
			g.require(cc...)
			g.values.set(valueKey{frame: s.frame, value: c}, constant(linear.Int(n)))
			then(g)
			out = append(out, g)
		}
	}
	add(pos, yes, 1)
	add(neg, no, 0)
	return &outcome{out}
}

// choose executes a Switch.
func (t *translation) choose(s *state, fr *frame, d *ir.Def) *outcome {
	view := fr.fn.viewOf(d.Args[0])
	n := t.in(s, fr, d.Args[0], view)
	var out []*state
	rest := s
	for i, c := range d.Cases {
		k := c.Signed()
		if view == unsigned {
			k = c.Unsigned()
		}
		at := linear.Constant(linear.FromBigInt(k))
		if eq := linear.Equals(n.form, at); t.feasible(rest, eq) {
			g := rest.fork()
			g.require(eq)
			g.take(d, i+1)
			out = append(out, g)
		}
		if n.form.IsConstant() && n.form.Equal(at) {
			return &outcome{out}
		}
	}
	// The default lies between the cases: a range for each gap.
	var cuts []linear.Number
	for _, c := range d.Cases {
		k := c.Signed()
		if view == unsigned {
			k = c.Unsigned()
		}
		cuts = append(cuts, linear.FromBigInt(k))
	}
	sortNumbers(cuts)
	low, has := linear.Number{}, false
	gap := func(hi linear.Number, hasHi bool) {
		var cs []linear.Constraint
		if has {
			cs = append(cs, linear.AtLeast(n.form, linear.Constant(low.Add(linear.Int(1)))))
		}
		if hasHi {
			cs = append(cs, linear.AtMost(n.form, linear.Constant(hi.Add(linear.Int(-1)))))
		}
		if t.feasible(s, cs...) {
			g := s.fork()
			g.require(cs...)
			g.take(d, 0)
			out = append(out, g)
		}
	}
	for _, c := range cuts {
		gap(c, true)
		low, has = c, true
	}
	gap(linear.Number{}, false)
	return &outcome{out}
}

func sortNumbers(ns []linear.Number) {
	for i := range ns {
		for j := i; j > 0 && ns[j].Cmp(ns[j-1]) < 0; j-- {
			ns[j], ns[j-1] = ns[j-1], ns[j]
		}
	}
}

// edge moves to the next block.
func (t *translation) edge(s *state) *outcome {
	fr, to := s.frame, s.to
	fn := fr.fn
	if !t.reached(fr, to) {
		return over
	}
	pred, nth := -1, s.nth
	for i, p := range fn.f.Blocks[to].Preds {
		if p == s.block {
			if pred = i; nth == 0 {
				break
			}
			nth--
		}
	}
	phis := fn.phis(to)
	ns := make([]number, len(phis))
	for i, v := range phis {
		if n, ok := t.known(fr, v); ok {
			ns[i] = n
			continue
		}
		ns[i] = t.eval(s, fr, fn.f.Def(v).Args[pred])
	}
	if fn.cut[to] || t.crowd > maxCrowd {
		t.finish(s, fr, to, 0, phis, ns)
		return over
	}
	for i, v := range phis {
		s.values.set(valueKey{frame: fr, value: v}, ns[i])
	}
	s.block, s.index, s.to, s.nth = to, t.firstAfterPhis(fn.f, to), 0, 0
	return goOn
}

func (t *translation) call(s *state, fr *frame, v ir.Value, d *ir.Def) *outcome {
	fn := t.callee(fr, d)
	if t.o.Cost == Calls && (d.Sym == t.o.Counted || fn != nil && fn.f.Name == t.o.Counted) {
		s.work.counted++
	}
	if t.pays(d) != 0 {
		return t.pay(s, fr, d)
	}
	switch {
	case fn == nil && d.Sym == "":
		t.fail(fr.fn.f, v, "a call through a pointer whose target is not known")
	case fn == nil || fn.f.IsDecl():
		// Changes nothing and returns anything (P3).
		if fr.fn.tracked(v) {
			s.values.set(valueKey{frame: fr, value: v}, t.unknown(s, fr, v, true))
		}
		s.index++
		return goOn
	}
	args := arguments(d)
	ns := make([]number, len(args))
	for i, p := range fn.f.Params {
		if fn.tracked(p) {
			ns[i] = t.eval(s, fr, args[i])
		}
	}
	again := fr.active(fn)
	if t.descends(fr.fn, fn) {
		again = t.deeper(s, fr, v, fn)
	}
	if again == nil {
		inner := t.enter(fr, v, s.block, s.index, fn)
		t.into(s, inner, ns)
		return goOn
	}
	// Recursion: the call never returns, or has returned with anything.
	t.recursive = true
	in, out := s, s.fork()
	in.inexact, out.inexact = true, true
	out.accepts = out.accepts || t.accepting[fn.f]
	out.values.set(valueKey{frame: fr, value: v}, number{})
	if d.Type.Kind == ir.Int {
		out.values.set(valueKey{frame: fr, value: v}, t.unknown(out, fr, v, true))
	}
	t.clobber(out, noFact, false, true)
	out.index++
	if t.o.Cost == Frames {
		in.work.counted += t.o.Frames[fn.f.Name]
	}
	t.into(in, again, ns)
	return &outcome{[]*state{in, out}}
}

// into enters the body of a function.
func (t *translation) into(s *state, fr *frame, args []number) {
	s.frame, s.block, s.index, s.to, s.nth = fr, 0, 0, 1, 0
	s.work.calls++
	for i, p := range fr.fn.f.Params {
		if fr.fn.tracked(p) {
			s.values.set(valueKey{frame: fr, value: p}, args[i])
		}
	}
}

func (t *translation) ret(s *state, fr *frame, d *ir.Def) *outcome {
	p := fr.parent
	if p == nil || fr.deep {
		return over
	}
	caller := p.fn.f
	if p.fn.needed[fr.site] {
		for i, r := range d.Args {
			if fr.fn.f.Type(r).Kind != ir.Int {
				continue
			}
			n := t.eval(s, fr, r)
			if i == 0 {
				s.values.set(valueKey{frame: p, value: fr.site}, n)
			}
			for _, x := range caller.Blocks[fr.block].Instrs {
				if e := caller.Def(x); e.Op == ir.Extract && e.Args[0] == fr.site && int(e.Aux) == i {
					s.values.set(valueKey{frame: p, value: x}, n)
				}
			}
		}
	}
	if p.fn.cutAfter[fr.site] {
		t.finish(s, p, fr.block, fr.index+1, nil, nil)
		return over
	}
	s.frame, s.block, s.index = p, fr.block, fr.index+1
	return goOn
}

// finish ends the path at a location.
func (t *translation) finish(s *state, fr *frame, b ir.BlockID, index int, phis []ir.Value, ns []number) {
	l := t.location(fr, b, index)
	p := &t.places[l]
	update := map[int]linear.Form{}
	for _, x := range p.vars {
		sl := t.slots[x]
		var n number
		found := false
		for i, v := range phis {
			if sl.value == (valueKey{frame: fr, value: v}) {
				n, found = ns[i], true
			}
		}
		if !found {
			n = t.eval(s, sl.value.frame, sl.value.value)
		}
		update[x] = t.normalise(s, n, sl.width, sl.view).form
	}
	for _, c := range t.order {
		update[c.variable] = t.normalise(s, t.content(s, c), c.bits, c.view()).form
	}
	if t.o.Cost == Heap {
		update[t.live] = t.lives(s)
	}
	if len(t.paths) >= t.o.MaxTransitions {
		t.fail(fr.fn.f, 0, fmt.Sprintf("more than %d transitions", t.o.MaxTransitions))
	}
	pos := fr.fn.f.Pos
	if len(fr.fn.f.Blocks[b].Instrs) > 0 {
		pos = fr.fn.f.Def(fr.fn.f.Blocks[b].Instrs[0]).Pos
	}
	t.paths = append(t.paths, path{from: s.from, to: l, state: s, update: update, pos: pos})
}

// location is the number of a cutpoint.
func (t *translation) location(fr *frame, b ir.BlockID, index int) its.Location {
	k := locationKey{fr, b, index}
	if l, ok := t.locations[k]; ok {
		return l
	}
	l := its.Location(len(t.places))
	t.locations[k] = l
	p := place{locationKey: k, has: map[int]bool{}}
	add := func(fr *frame, v ir.Value) {
		d := fr.fn.f.Def(v)
		if ir.IsConst(d.Op) {
			return
		}
		if _, ok := t.known(fr, v); ok {
			return
		}
		key := variableKey{value: valueKey{frame: fr, value: v}}
		x, ok := t.variables[key]
		if !ok {
			w := fr.fn.viewOf(v)
			r, ok := t.factRange(fr, v, w)
			if !ok {
				r = limits(d.Type.Bits, w)
			}
			x = t.newVariable(key, slot{value: key.value, width: d.Type.Bits, view: w, bounds: r})
		}
		if !p.has[x] {
			p.has[x] = true
			p.vars = append(p.vars, x)
		}
	}
	if index == 0 {
		for _, v := range fr.fn.phis(b) {
			add(fr, v)
		}
	}
	for _, v := range fr.fn.liveAt(b, index) {
		add(fr, v)
	}
	for in := fr; in.parent != nil && !in.deep; in = in.parent {
		for _, v := range in.parent.fn.liveAt(in.block, in.index+1) {
			if v != in.site {
				add(in.parent, v)
			}
		}
	}
	t.places = append(t.places, p)
	t.work = append(t.work, l)
	return l
}

func (t *translation) newVariable(k variableKey, s slot) int {
	x := len(t.slots)
	t.slots = append(t.slots, s)
	t.variables[k] = x
	return x
}
