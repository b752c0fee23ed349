package ssa

import (
	"context"
	"maps"
	"slices"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/program/ir"
)

// This file walks a program path by path instead of unwinding all of it: a Path is a set of
// runs that have come to one place, with a memory and a guard of their own. What happens
// at a branch is for the caller to say: a path forks, or keeps several ways together,
// which meet again where they are taken together.
//
//	(P1) The ways of a path exclude each other, and every run of the path is on one of
//	     them, or has ended, or is on a way of a caller.
//	(P2) A way carries all values that its target needs, so the order in which ways are
//	     taken does not matter, and a block may be taken several times.
//	(P3) When the path forks, the ways of callers stay with the first of the parts.
//	(P4) An activation has an environment only while a block is under way and has run an instruction: before that
//	     the values of the way say everything, behind it those of the ways. So paths that wait take what lives
//	     there, and not what the function is long. Where leaks are asked about, dead values count as pointers that
//	     are left (halt), and every activation keeps its environment.

// Guard is a path condition: Cond and the conditions of its ancestors.
type Guard = guard

// Parent is the condition without the last conjunct, nil at the root.
func (g *guard) Parent() *Guard { return g.parent }

// Cond is the last conjunct, All the conjunction.
func (g *guard) Cond() term.ID { return g.cond }

// All is the whole condition.
func (g *guard) All() term.ID { return g.all }

// WayID names a way: the terminator's block, the number of the successor, and the blocks that the activation
// had begun before, which tell the iterations of a loop apart; To is 0 for a
// return.
type WayID struct {
	From  ir.BlockID
	Succ  int
	Round int
}

// Way is a way into a block of the top activation, not taken yet.
type Way struct {
	WayID
	To ir.BlockID
	// Known is for the caller: it has looked at the way.
	Known bool
	edge
}

// Guard is the condition under which the way is taken.
func (w *Way) Guard() *Guard { return w.g }

// activation is a call of a path.
type activation struct {
	fr     *frame
	caller *activation
	serial uint32
	shared bool // by several paths: copied before it is changed
	ways   []Way
	round  int // the blocks that were begun, less one
	// The block under way, 0 if none, where it stands, and in which state.
	block ir.BlockID
	pc    int
	g     *guard
	mem   *memory.State
	// args are the values of the parameters.
	args []memory.Value
	// begun are the values of the way by which the block was begun, until its first instruction runs.
	begun []memory.Value
}

// Path is a set of runs at one place.
type Path struct {
	u   *Unwinder
	top *activation
	// Steps counts the instructions since the path began or was forked.
	Steps int64
	// Taken counts the blocks since the program began.
	Taken int64
	// Depth is the number of activations.
	Depth int
	// made are the objects made on the path, in their order.
	made []memory.ObjectID
}

// Stop says why Advance returned.
type Stop uint8

// The reasons.
const (
	AtWays        Stop = iota // the top activation has ways that can be taken
	AtInstruction             // the caller asked to stop before an instruction
	AtEnd                     // no run of the path goes on
)

// Begin is the path of all runs. Everything that happens is recorded in the formula that
// Drain gives.
func (u *Unwinder) Begin(ctx context.Context) *Path {
	u.out, u.ctx = &Formula{Unwound: map[Loop]int{}}, ctx
	u.sp.Begin()
	entry, ok := u.byName[u.m.Entry]
	if !ok {
		panic("ssa: the module has no entry function " + u.m.Entry)
	}
	p := &Path{u: u}
	p.enter(entry, nil, nil, edge{g: root(u.st), mem: u.init.Fork()})
	return p
}

// Drain gives what was recorded since the last call.
func (u *Unwinder) Drain() *Formula {
	f := u.out
	f.Facts = u.sp.Facts()
	u.out = &Formula{}
	return f
}

// enter pushes an activation.
func (p *Path) enter(f *ir.Func, args []memory.Value, types []ir.Type, in edge) {
	fn := p.u.function(f)
	fr := &frame{fn: fn, entry: in.g}
	if n := len(f.Params); len(args) > n {
		fr.varargs, fr.varTypes = args[n:], types[n:]
	}
	if p.top != nil {
		fr.caller = p.top.fr
	}
	p.u.walked++
	p.top = &activation{fr: fr, caller: p.top, serial: p.u.walked, round: -1, args: args[:len(f.Params)], ways: []Way{{To: 1, edge: edge{g: in.g, mem: in.mem}}}}
	p.Depth++
}

// Func is the function of the top activation.
func (p *Path) Func() *ir.Func { return p.top.fr.fn.f }

// Ways are the ways of the top activation; only Known may be set.
func (p *Path) Ways() []Way {
	p.own()
	return p.top.ways
}

// Serial is the number of the top activation.
func (p *Path) Serial() uint32 { return p.top.serial }

// Callers yields the functions and calls in which the top activation is, the innermost first.
func (p *Path) Callers(yield func(f *ir.Func, call ir.Value) bool) {
	for a := p.top.caller; a != nil; a = a.caller {
		f := a.fr.fn.f
		if !yield(f, f.Blocks[a.block].Instrs[a.pc]) {
			return
		}
	}
}

// PostDominator is the block at which all runs from a block of the top activation meet that
// return at all; 0 is the return itself. It is false if no such run is known.
func (p *Path) PostDominator(b ir.BlockID) (ir.BlockID, bool) {
	fn := p.top.fr.fn
	if fn.postdominator == nil {
		fn.postdominator = postdominators(fn)
	}
	d := fn.postdominator[b]
	return d, d >= 0
}

// Guard is the condition in the block under way.
func (p *Path) Guard() *Guard { return p.top.g }

// Memory is the state in the block under way.
func (p *Path) Memory() *memory.State { return p.top.mem }

// Instruction is the next one of the block under way.
func (p *Path) Instruction() ir.Value {
	return p.top.fr.fn.f.Blocks[p.top.block].Instrs[p.top.pc]
}

// Value is a value of the top activation that lives in the block under way.
func (p *Path) Value(v ir.Value) memory.Value {
	p.own()
	p.top.settle()
	return p.u.operand(p.top.fr, v)
}

// Order is the place of a block in a topological order, loops taken as units.
func (p *Path) Order(b ir.BlockID) int32 { return p.top.fr.fn.order[b] }

// Returns says whether a return can be reached from a block of the top activation.
func (p *Path) Returns(b ir.BlockID) bool { return b == 0 || p.top.fr.fn.returns[b] }

// Made are the objects made on the path, in their order, all but those of globals and functions.
func (p *Path) Made() []memory.ObjectID { return p.made }

// Keep keeps those ways of the top activation for which f holds.
func (p *Path) Keep(f func(w *Way) bool) {
	p.own()
	var kept []Way
	for i := range p.top.ways {
		if f(&p.top.ways[i]) {
			kept = append(kept, p.top.ways[i])
		}
	}
	p.top.ways = kept
}

// Take joins the ways for which f holds, which lead to one block, and begins it.
func (p *Path) Take(f func(w *Way) bool) {
	p.own()
	var taken []edge
	var left []Way
	var to ir.BlockID
	for i := range p.top.ways {
		if w := &p.top.ways[i]; f(w) {
			taken, to = append(taken, w.edge), w.To
		} else {
			left = append(left, *w)
		}
	}
	p.top.ways = left
	p.Taken++
	in := p.u.join(taken)
	if to == 0 {
		p.leave(in)
		return
	}
	p.begin(to, in)
}

// begin begins a block.
func (p *Path) begin(b ir.BlockID, in edge) {
	a := p.top
	a.block, a.pc, a.g, a.mem, a.begun = b, len(a.fr.fn.phis[b]), in.g, in.mem, in.values
	a.round++
	p.u.walked++
	a.fr.current, a.fr.id = &instance{block: b}, 1<<31|p.u.walked
}

// settle gives the activation an environment for the block that was begun, if it has none.
func (a *activation) settle() {
	fr, fn := a.fr, a.fr.fn
	if fr.env == nil {
		if n := len(fn.spare); n > 0 {
			fr.env, fn.spare = fn.spare[n-1], fn.spare[:n-1]
		} else {
			fr.env = make([]memory.Value, len(fn.f.Values))
		}
		for i, v := range fn.f.Params {
			fr.env[v] = a.args[i]
		}
	}
	if a.begun == nil {
		return
	}
	phis := fn.phis[a.block]
	for i, v := range phis {
		fr.env[v] = a.begun[i]
	}
	for i, v := range fn.live[a.block] {
		fr.env[v] = a.begun[len(phis)+i]
	}
	a.begun = nil
}

// end says that no block of the top activation, which is one of this path alone, is under way any more.
func (p *Path) end() {
	a := p.top
	a.block = 0
	if fn := a.fr.fn; a.fr.env != nil && !p.u.target[ir.MemTrack] {
		fn.spare = append(fn.spare, a.fr.env)
		a.fr.env = nil
	}
}

// leave pops the top activation, which returns. The ways that it still has are lost: there
// must be none.
func (p *Path) leave(in edge) {
	a := p.top
	if len(a.ways) > 0 {
		panic("ssa: a path returns and stays")
	}
	p.top = a.caller
	p.Depth--
	if p.top == nil {
		return
	}
	for _, o := range a.fr.objects {
		in.mem.Remove(o)
	}
	p.own()
	c := p.top
	v := c.fr.fn.f.Blocks[c.block].Instrs[c.pc]
	c.pc++
	s := &step{u: p.u, fr: c.fr}
	s.setResults(v, in.values)
	c.g, c.mem = in.g, in.mem
	p.u.walked++
	c.fr.id = 1<<31 | p.u.walked // what is made from here on is made on this path alone
}

// own makes the top activation one of this path alone.
func (p *Path) own() {
	if p.top.shared {
		p.top = p.top.clone()
	}
}

func (a *activation) clone() *activation {
	b := *a
	b.shared = false
	fr := *a.fr
	fr.env = slices.Clone(a.fr.env)
	fr.extracts = maps.Clone(a.fr.extracts)
	fr.objects = slices.Clip(a.fr.objects)
	b.fr = &fr
	b.ways = slices.Clone(a.ways)
	if a.mem != nil {
		b.mem = a.mem.Fork()
	}
	return &b
}

// Fork is a path like this one, without the ways of the callers, which stay here (P3).
func (p *Path) Fork() *Path {
	q := *p
	q.Steps = 0
	q.made = slices.Clip(p.made)
	p.made = slices.Clip(p.made)
	q.top = p.top.clone()
	p.u.walked++
	q.top.fr.id = 1<<31 | p.u.walked // what it makes is its own
	last := q.top
	for a := p.top.caller; a != nil; a = a.caller {
		a.shared = true
	}
	// Callers with ways are copied, and what is below them.
	deepest := (*activation)(nil)
	for a := p.top.caller; a != nil; a = a.caller {
		if len(a.ways) > 0 {
			deepest = a
		}
	}
	if deepest == nil {
		return &q
	}
	for a := p.top.caller; ; a = a.caller {
		b := a.clone()
		b.ways = nil
		last.caller, last = b, b
		if a == deepest {
			return &q
		}
	}
}

// Restart begins the count of steps again.
func (p *Path) Restart() { p.Steps = 0 }

// Assume strengthens the guard of the block under way.
func (p *Path) Assume(c term.ID) {
	p.own()
	p.top.g = p.top.g.and(p.u.st, c)
}

// Fix replaces a value by another that is equal to it under the guard.
func (p *Path) Fix(v ir.Value, x memory.Value) {
	p.own()
	p.top.settle()
	p.top.fr.env[v] = x
	if i := slices.Index(p.top.fr.fn.f.Params, v); i >= 0 {
		p.top.args = slices.Clone(p.top.args)
		p.top.args[i] = x
	}
}

// Advance runs the block under way to its end, or to an instruction before which the
// caller wants to stop. A call is followed: the callee begins.
func (p *Path) Advance(before func(d *ir.Def, v ir.Value) bool) Stop {
	for p.top != nil {
		if p.top.block == 0 {
			if len(p.top.ways) > 0 {
				return AtWays
			}
			p.top = p.top.caller // nothing comes back
			p.Depth--
			if p.top != nil {
				p.own()
				p.end()
			}
			continue
		}
		p.own()
		a := p.top
		a.settle()
		v := a.fr.fn.f.Blocks[a.block].Instrs[a.pc]
		d := &a.fr.fn.f.Values[v]
		if before(d, v) {
			return AtInstruction
		}
		p.Steps++
		p.u.frame, p.u.value = a.fr, v
		s := &step{u: p.u, fr: a.fr, g: a.g, mem: a.mem}
		switch d.Op {
		case ir.Br, ir.CondBr, ir.Switch:
			p.branch(s, d)
			p.end()
			continue
		case ir.Ret:
			if a.caller == nil {
				s.halt(d, v)
			}
			values := make([]memory.Value, len(d.Args))
			for i := range d.Args {
				values[i] = s.arg(d, i)
			}
			a.ways = append(a.ways, Way{WayID: WayID{From: a.block, Round: a.round}, edge: edge{a.g, a.mem, values}})
			p.end()
			continue
		case ir.Call:
			if !p.call(s, d, v) {
				p.end()
			}
			continue
		}
		objects := p.u.sp.Objects()
		goesOn := s.instr(v)
		for o := objects + 1; o <= p.u.sp.Objects(); o++ {
			p.made = append(p.made, memory.ObjectID(o))
		}
		a.g, a.mem = s.g, s.mem
		a.pc++
		if !goesOn || p.u.st.IsFalse(a.g.all) {
			p.end()
		}
	}
	return AtEnd
}

// branch adds the ways behind a branch that constants do not exclude.
func (p *Path) branch(s *step, d *ir.Def) {
	a, st := p.top, p.u.st
	conds := make([]term.ID, len(d.Succs))
	switch d.Op {
	case ir.Br:
		conds[0] = st.True()
	case ir.CondBr:
		conds[0] = s.bool(d, 0)
		conds[1] = st.Not(conds[0])
	default:
		x := s.bits(d, 0)
		some := st.False()
		for i, c := range d.Cases {
			conds[i+1] = st.Eq(x, st.Const(c))
			some = st.Or(some, conds[i+1])
		}
		conds[0] = st.Not(some)
	}
	forked := false
	for i, c := range conds {
		if st.IsFalse(c) {
			continue
		}
		// A condition that contradicts the guard is a way for the caller to drop, who writes that down.
		g := a.g.and(st, c)
		mem := a.mem
		if forked {
			mem = a.mem.Fork()
		}
		forked = true
		p.addWay(i, d.Succs[i], g, mem)
	}
}

// addWay adds the way to successor i of the block under way.
func (p *Path) addWay(i int, to ir.BlockID, g *guard, mem *memory.State) {
	a := p.top
	fn := a.fr.fn
	values := make([]memory.Value, 0, len(fn.phis[to])+len(fn.live[to]))
	if phis := fn.phis[to]; len(phis) > 0 {
		k := fn.predecessor(a.block, to, i)
		for _, v := range phis {
			values = append(values, p.u.operand(a.fr, fn.f.Values[v].Args[k]))
		}
	}
	for _, v := range fn.live[to] {
		values = append(values, a.fr.env[v])
	}
	a.ways = append(a.ways, Way{WayID: WayID{a.block, i, a.round}, To: to, edge: edge{g, mem, values}})
}

// call enters the callee; false if the run does not go on.
func (p *Path) call(s *step, d *ir.Def, v ir.Value) bool {
	u, a := p.u, p.top
	st := u.st
	a.fr.callPos, a.fr.at = d.Pos, v
	args := d.Args
	var f *ir.Func
	if d.Sym != "" {
		f = u.byName[d.Sym]
	} else {
		args = args[1:]
		f = p.callee(s, d, v)
		if f == nil || st.IsFalse(s.g.all) {
			return false
		}
	}
	if f == nil || len(f.Blocks) == 0 {
		name := d.Sym
		if f != nil {
			name = f.Name
		}
		u.obstacle(a.fr, s.g, st.True(), false, verdict.CauseMissingBody, v, "call of %s, which has no body", name)
		return false
	}
	if len(args) < len(f.Params) {
		u.obstacle(a.fr, s.g, st.True(), false, verdict.CauseUnsupported, v, "call of %s with too few arguments", f.Name)
		return false
	}
	if p.Depth > maxFreeNesting {
		u.obstacle(a.fr, s.g, st.True(), false, verdict.CauseUnwinding, v, "the recursion goes on after %d activations", p.Depth)
		return false
	}
	values := make([]memory.Value, len(args))
	types := make([]ir.Type, len(args))
	for i, x := range args {
		values[i] = u.operand(a.fr, x)
		types[i] = a.fr.fn.f.Values[x].Type
	}
	p.enter(f, values, types, edge{g: s.g, mem: s.mem})
	a.mem = nil // it comes back with the result
	return true
}

// callee is the one function to which the pointer of a call points; nil if there is none, or it
// is not known. What else the pointer may be is recorded, and the guard excludes it.
func (p *Path) callee(s *step, d *ir.Def, v ir.Value) *ir.Func {
	u, st, fr := p.u, p.u.st, s.fr
	var f *ir.Func
	none, other, several, is := st.False(), st.False(), st.False(), st.False()
	s.mem.Excludes = s.excludes
	s.mem.TargetsWithFunctions(s.arg(d, 0), s.g.all, func(o memory.ObjectID, cond, offset term.ID) {
		ob := u.sp.Object(o)
		ok := st.False()
		if o != 0 && ob.Kind == memory.FunctionObject {
			ok = st.And(cond, st.Eq(offset, st.ConstU(u.m.PointerBits, 0)))
		}
		none = st.Or(none, st.And(cond, st.Not(ok)))
		switch {
		case st.IsFalse(ok) || s.excludes(ok):
		case !u.compatible(fr.fn.f, d, d.Args[1:], ob.Func):
			other = st.Or(other, ok)
		case f == nil:
			f, is = ob.Func, ok
		default:
			several = st.Or(several, ok)
		}
	})
	s.gaveUp(v)
	s.event(none, ir.InvalidDeref, "call through a pointer that points to no function", v)
	s.event(other, ir.Incompatible, ir.MistypedCall, v)
	if !s.ends(ir.InvalidDeref) {
		u.obstacle(fr, s.g, none, false, verdict.CauseInexact, v, "a call through a pointer that points to no function")
	}
	if !s.ends(ir.Incompatible) {
		u.obstacle(fr, s.g, other, false, verdict.CauseInexact, v, "a "+ir.MistypedCall)
	}
	u.obstacle(fr, s.g, several, false, verdict.CauseInexact, v, "a call through a pointer to one of several functions")
	s.g = s.g.and(st, is)
	return f
}

// Mergeable says whether two ways into one block can be joined such that little is lost:
// what differs between them is no pointer, is no object that only one of them has, and is
// no pair of constants, which tell where in its input a program is, unless the caller says that neither of these tells anything.
func (p *Path) Mergeable(a, b *Way, freely bool) bool {
	st := p.u.st
	alike := func(x, y memory.Value) bool {
		if x == y || x == (memory.Value{}) || y == (memory.Value{}) {
			return true
		}
		if x.IsPointer() || y.IsPointer() {
			return freely && x.IsPointer() && y.IsPointer()
		}
		return freely || st.Width(x.Bits) == 1 || !st.IsConst(x.Bits) || !st.IsConst(y.Bits)
	}
	for i := range a.values {
		if !alike(a.values[i], b.values[i]) {
			return false
		}
	}
	if a.mem == b.mem {
		return true
	}
	same := true
	a.mem.Differences(b.mem, func(o memory.ObjectID, d memory.Difference) {
		if !same {
			return
		}
		if d.Born || d.Gone || d.Dead || d.Alive || d.Whole {
			same = false
			return
		}
		for _, r := range d.Cells {
			x, okx := a.mem.Cell(o, r)
			y, oky := b.mem.Cell(o, r)
			if !okx || !oky || !alike(x, y) {
				same = false
				return
			}
		}
	})
	return same
}

// postdominators computes, for each block, the immediate postdominator on ways to a return: 0
// is the return, -1 is for blocks without such a way. By Cooper, Harvey and Kennedy on
// the reversed graph.
func postdominators(fn *function) []ir.BlockID {
	f := fn.f
	n := len(f.Blocks)
	// Postorder of the reversed graph from the returns.
	order := make([]int, n) // 1 for the first to be finished; the return is last
	var post []ir.BlockID
	seen := make([]bool, n)
	var visit func(b ir.BlockID)
	visit = func(b ir.BlockID) {
		seen[b] = true
		for _, q := range f.Blocks[b].Preds {
			if !seen[q] && fn.order[q] >= 0 {
				visit(q)
			}
		}
		post = append(post, b)
		order[b] = len(post)
	}
	for b := 1; b < n; b++ {
		if fn.order[b] >= 0 && !seen[b] && f.Terminator(ir.BlockID(b)).Op == ir.Ret {
			visit(ir.BlockID(b))
		}
	}
	order[0] = len(post) + 1
	d := make([]ir.BlockID, n)
	for i := range d {
		d[i] = -1
	}
	d[0] = 0
	meet := func(a, b ir.BlockID) ir.BlockID {
		for a != b {
			if order[a] < order[b] {
				a = d[a]
			} else {
				b = d[b]
			}
		}
		return a
	}
	for changed := true; changed; {
		changed = false
		for i := len(post) - 1; i >= 0; i-- {
			b := post[i]
			at := ir.BlockID(-1)
			if f.Terminator(b).Op == ir.Ret {
				at = 0
			}
			for _, s := range f.Succs(b) {
				if !fn.returns[s] || d[s] < 0 {
					continue
				}
				if at < 0 {
					at = s
				} else {
					at = meet(at, s)
				}
			}
			if at >= 0 && d[b] != at {
				d[b], changed = at, true
			}
		}
	}
	return d
}
