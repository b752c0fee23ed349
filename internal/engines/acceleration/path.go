package acceleration

import (
	"slices"

	"assay/internal/program/ir"
)

// This file finds the ways that an iteration can take: from the head of a loop back to it,
// through the functions that are called, as a sequence of conditions, and what is there
// at the end, as expressions over what was there at the head.

// Limits of the search in one loop.
const (
	maxPaths   = 12      // paths back to the head
	maxForks   = 200     // paths looked at
	maxSteps   = 1 << 13 // instructions on a path
	maxDepth   = 8       // of calls
	maxValues  = 1 << 16 // in a function
	maxUnwound = 24      // visits of a block in an iteration
)

// loop is a loop that is looked at.
type loop struct {
	*arena
	m     *ir.Module
	f     *ir.Func
	head  ir.BlockID
	in    []bool
	cells []place
	// choices are the inputs that are read in an iteration.
	choices []source
	paths   []*path
	forks   int
	passes  int // of the paths that are looked for
	orders  map[*ir.Func]*ir.WTO
	budget  *int64 // of instructions, for the whole program
}

// place is a cell: its address and its type.
type place struct {
	root   expr // a symbol or a pointer from outside of the loop
	offset uint64
	bits   uint32
}

// source is an instruction that reads an input.
type source struct {
	f *ir.Func
	v ir.Value
}

// condition is a truth value that must be true, or false.
type condition struct {
	e    expr
	want bool
}

// path is one way through an iteration.
type path struct {
	conditions []condition
	choices    []int32 // in the order in which they are made
	// phis are what the phis of the head get, by phi; cells what the cells of the
	// loop hold in the end, 0 for what they held.
	phis  map[ir.Value]expr
	cells []expr
	steps int64
	// passes is how often the path goes around, unwound how often loops in it do.
	passes  int
	unwound []ir.InnerLoop
}

// walk is the state of a path.
type walk struct {
	frames     []activation
	conditions []condition
	decided    map[expr]bool
	cells      []expr
	choices    []int32
	steps      int64
	passes     int
	branches   int // decisions that are not known
	unwound    []ir.InnerLoop
}

// activation is a function on the path.
type activation struct {
	f   *ir.Func
	env []expr
	// visits counts how often a block was entered, decided how many decisions had been
	// made when it was last.
	visits  []int
	decided []int
	block   ir.BlockID
	next    int // index of the instruction to go on with
	call    ir.Value
	results []expr // of the call that has returned
}

func (w *walk) clone() *walk {
	c := *w
	c.frames = slices.Clone(w.frames)
	for i := range c.frames {
		c.frames[i].env = slices.Clone(c.frames[i].env)
		c.frames[i].visits = slices.Clone(c.frames[i].visits)
		c.frames[i].decided = slices.Clone(c.frames[i].decided)
	}
	c.conditions = slices.Clone(w.conditions)
	c.cells = slices.Clone(w.cells)
	c.choices = slices.Clone(w.choices)
	c.unwound = slices.Clone(w.unwound)
	c.decided = make(map[expr]bool, len(w.decided))
	for k, v := range w.decided {
		c.decided[k] = v
	}
	return &c
}

func (w *walk) top() *activation { return &w.frames[len(w.frames)-1] }

// newActivation is a function that begins at a block.
func newActivation(f *ir.Func, block ir.BlockID) activation {
	a := activation{f: f, env: make([]expr, len(f.Values)), visits: make([]int, len(f.Blocks)), decided: make([]int, len(f.Blocks)), block: block}
	a.visits[block] = 1
	return a
}

// findPaths adds the paths of so many passes to l.paths.
func (l *loop) findPaths(passes int) {
	if len(l.f.Values) > maxValues {
		return
	}
	l.passes, l.forks = passes, 0
	w := &walk{decided: map[expr]bool{}}
	a := newActivation(l.f, l.head)
	for i, v := range l.f.Blocks[l.head].Instrs {
		d := l.f.Def(v)
		if d.Op != ir.Phi {
			a.next = i
			break
		}
		a.env[v] = l.leaf(phi, d.Type, int32(v))
	}
	w.frames = []activation{a}
	l.follow(w)
}

// value is what an operand holds.
func (l *loop) value(a *activation, outer bool, v ir.Value) expr {
	if a.env[v] != 0 {
		return a.env[v]
	}
	d := a.f.Def(v)
	var x expr
	switch {
	case d.Op == ir.Const && d.Type.Kind == ir.Int && d.Type.Bits <= maxWidth:
		x = l.constant(d.Const)
	case d.Op == ir.Const && d.Type.Bits <= maxWidth:
		x = l.intern(node{key: key{kind: constant, t: d.Type, bits: d.Const.Uint64()}, value: d.Const})
	case d.Op == ir.GlobalAddr, d.Op == ir.FuncAddr, d.Op == ir.Null:
		x = l.intern(node{key: key{kind: symbol, op: d.Op, t: d.Type, sym: d.Sym}})
	case outer && (d.Block == 0 || !l.in[d.Block]):
		x = l.leaf(outside, d.Type, int32(v))
	default:
		x = l.fresh(d.Type)
	}
	a.env[v] = x
	return x
}

// follow goes along a path, and along those that fork from it.
func (l *loop) follow(w *walk) {
	if l.forks++; l.forks > maxForks || len(l.paths) >= l.passes*maxPaths {
		return
	}
	for {
		a := w.top()
		outer := len(w.frames) == 1
		v := a.f.Blocks[a.block].Instrs[a.next]
		d := a.f.Def(v)
		*l.budget--
		if w.steps++; w.steps > maxSteps || *l.budget < 0 {
			return
		}
		if !ir.IsTerminator(d.Op) {
			a.next++
			if d.Op == ir.Call && d.Sym != "" && !l.m.Func(d.Sym).IsDecl() {
				if !l.enter(w, v, d) {
					return
				}
			} else if !l.execute(w, a, outer, v, d) {
				return
			}
			continue
		}
		switch d.Op {
		case ir.Br:
			if !l.edge(w, 0) {
				return
			}
		case ir.CondBr:
			c := l.value(a, outer, d.Args[0])
			first, second := l.branches(w, c)
			if first && second {
				w.branches++
				other := w.clone()
				if other.decide(l, c, false) && l.edge(other, 1) {
					l.follow(other)
				}
			}
			if !first && !second {
				return
			}
			s := 0
			if !first {
				s = 1
			}
			if !w.decide(l, c, first) || !l.edge(w, s) {
				return
			}
		case ir.Switch:
			x := l.value(a, outer, d.Args[0])
			for i, k := range d.Cases {
				c := l.make(ir.Eq, ir.BoolType, 0, x, l.constant(k))
				can, not := l.branches(w, c)
				if can && not {
					w.branches++
				}
				other := w.clone()
				if can && other.decide(l, c, true) && l.edge(other, i+1) {
					l.follow(other)
				}
				if !not || !w.decide(l, c, false) {
					return
				}
			}
			if !l.edge(w, 0) {
				return
			}
		case ir.Ret:
			if outer {
				return
			}
			results := make([]expr, len(d.Args))
			for i, r := range d.Args {
				results[i] = l.value(a, false, r)
			}
			call := a.call
			w.frames = w.frames[:len(w.frames)-1]
			a = w.top()
			a.results = results
			if len(results) > 0 && a.f.Def(call).HasResult() {
				a.env[call] = results[0]
			}
		default:
			return
		}
	}
}

// branches says whether a condition can be true, and false, as far as is known.
func (l *loop) branches(w *walk, c expr) (yes, no bool) {
	if x, ok := l.literal(c); ok {
		return x.IsTrue(), !x.IsTrue()
	}
	if known, ok := w.decided[c]; ok {
		return known, !known
	}
	return true, true
}

// decide adds a condition to the path; it says whether the path can go on.
func (w *walk) decide(l *loop, c expr, want bool) bool {
	for l.is(c, ir.Xor) && l.width(c) == 1 {
		n := l.at(c)
		if k, ok := l.literal(n.args[1]); !ok || !k.IsTrue() {
			break
		}
		c, want = n.args[0], !want
	}
	if x, ok := l.literal(c); ok {
		return x.IsTrue() == want
	}
	if known, ok := w.decided[c]; ok {
		return known == want
	}
	w.decided[c] = want
	w.decided[l.not(c)] = !want
	if l.width(c) == 1 && (l.is(c, ir.And) && want || l.is(c, ir.Or) && !want) {
		n := *l.at(c)
		return w.decide(l, n.args[0], want) && w.decide(l, n.args[1], want)
	}
	w.conditions = append(w.conditions, condition{c, want})
	return true
}

// enter goes into a function.
func (l *loop) enter(w *walk, v ir.Value, d *ir.Def) bool {
	f := l.m.Func(d.Sym)
	if len(w.frames) > maxDepth || f.Variadic || len(f.Params) != len(d.Args) || len(f.Values) > maxValues {
		return false
	}
	for i := range w.frames {
		if w.frames[i].f == f {
			return false
		}
	}
	a := newActivation(f, 1)
	a.call = v
	for i, p := range f.Params {
		a.env[p] = l.value(w.top(), len(w.frames) == 1, d.Args[i])
	}
	w.frames = append(w.frames, a)
	return true
}

// edge goes to successor s of the current block; it says whether the path goes on.
func (l *loop) edge(w *walk, s int) bool {
	a := w.top()
	outer := len(w.frames) == 1
	succs := a.f.Succs(a.block)
	to := succs[s]
	k := -1 // the index of the edge
	before := 0
	for _, c := range succs[:s] {
		if c == to {
			before++
		}
	}
	for i, p := range a.f.Blocks[to].Preds {
		if p == a.block {
			if before == 0 {
				k = i
				break
			}
			before--
		}
	}
	again := outer && to == l.head
	if again {
		if w.passes++; w.passes == l.passes {
			l.finish(w, k)
			return false
		}
	}
	if outer && !l.in[to] || !again && !l.revisit(w, a, to) {
		return false
	}
	var values []expr
	instrs := a.f.Blocks[to].Instrs
	for _, v := range instrs {
		d := a.f.Def(v)
		if d.Op != ir.Phi {
			break
		}
		values = append(values, l.value(a, outer, d.Args[k]))
	}
	for i, x := range values {
		a.env[instrs[i]] = x
	}
	if again {
		clear(a.visits)
	}
	a.visits[to]++
	a.decided[to] = w.branches
	a.block, a.next = to, len(values)
	return true
}

// revisit says whether a block may be entered once more: a loop within the iteration is
// followed if it decides nothing that is not known.
func (l *loop) revisit(w *walk, a *activation, to ir.BlockID) bool {
	if a.visits[to] == 0 {
		return true
	}
	if a.visits[to] > maxUnwound || a.decided[to] != w.branches {
		return false
	}
	order := l.orders[a.f]
	if order == nil {
		order = ir.NewWTO(a.f)
		l.orders[a.f] = order
	}
	if !order.IsHead(to) {
		return true
	}
	for i := range w.unwound {
		if u := &w.unwound[i]; u.Func == a.f.Name && u.Head == to {
			u.N = max(u.N, a.visits[to])
			return true
		}
	}
	w.unwound = append(w.unwound, ir.InnerLoop{Func: a.f.Name, Head: to, N: a.visits[to]})
	return true
}

// finish records a path that is back at the head by its k-th edge.
func (l *loop) finish(w *walk, k int) {
	p := &path{
		conditions: w.conditions, choices: w.choices, cells: w.cells, phis: map[ir.Value]expr{}, steps: w.steps, passes: w.passes, unwound: w.unwound,
	}
	for _, v := range l.f.Blocks[l.head].Instrs {
		d := l.f.Def(v)
		if d.Op != ir.Phi {
			break
		}
		p.phis[v] = l.value(w.top(), true, d.Args[k])
	}
	l.paths = append(l.paths, p)
}

// execute follows an instruction; it says whether the path goes on.
func (l *loop) execute(w *walk, a *activation, outer bool, v ir.Value, d *ir.Def) bool {
	arg := func(i int) expr { return l.value(a, outer, d.Args[i]) }
	switch d.Op {
	case ir.Dbg, ir.Label, ir.Accept:
	case ir.Check, ir.Assume:
		return w.decide(l, arg(0), true)
	case ir.Nondet:
		a.env[v] = l.read(w, a.f, v, d)
	case ir.Load:
		a.env[v] = l.load(w, arg(0), d.Type)
	case ir.Store:
		return l.store(w, arg(1), arg(0))
	case ir.UDiv, ir.SDiv, ir.URem, ir.SRem, ir.Shl, ir.LShr, ir.AShr:
		n, ok := l.literal(arg(1))
		if !ok || n.IsZero() && d.Op <= ir.SRem || n.IsOnes() && (d.Op == ir.SDiv || d.Op == ir.SRem) ||
			d.Op >= ir.Shl && n.Uint64() >= uint64(n.Width()) {
			a.env[v] = l.fresh(d.Type)
			return true
		}
		a.env[v] = l.make(d.Op, d.Type, d.Aux, arg(0), arg(1))
	case ir.Extract:
		a.env[v] = l.fresh(d.Type)
		if i := int(d.Aux); i < len(a.results) {
			a.env[v] = a.results[i]
		}
	case ir.Call: // of a function without body, or through a pointer
		if d.Sym == "" {
			return false
		}
		a.env[v] = l.fresh(d.Type)
	case ir.PtrToInt, ir.IntToPtr, ir.PtrDiff, ir.ObjectSize, ir.ObjectOffset, ir.ValidRange, ir.SameObject, ir.FToSI, ir.FToUI:
		a.env[v] = l.fresh(d.Type)
	case ir.Alloca, ir.LifetimeStart, ir.LifetimeEnd:
		if outer {
			return false
		}
		if d.HasResult() {
			a.env[v] = l.fresh(d.Type)
		}
	default:
		if d.Op < ir.Add || d.Op > ir.FToF && d.Op != ir.PtrAdd || len(d.Args) > 3 {
			return false
		}
		args := make([]expr, len(d.Args))
		for i := range args {
			args[i] = arg(i)
		}
		a.env[v] = l.make(d.Op, d.Type, d.Aux, args...)
	}
	if known, ok := w.decided[a.env[v]]; ok && d.Type == ir.BoolType {
		a.env[v] = l.number(1, map[bool]uint64{true: 1}[known])
	}
	return true
}

// read is an input: the same in all iterations, for the path to choose.
func (l *loop) read(w *walk, f *ir.Func, v ir.Value, d *ir.Def) expr {
	k := ir.NondetKind(d.Aux)
	if d.Type.Kind == ir.Ptr || d.Type.Bits > maxWidth || k == ir.NondetApproximate || k == ir.NondetUndef {
		return l.fresh(d.Type)
	}
	s := source{f, v}
	i := slices.Index(l.choices, s)
	if i < 0 {
		i = len(l.choices)
		l.choices = append(l.choices, s)
	}
	w.choices = append(w.choices, int32(i))
	return l.leaf(choice, d.Type, int32(i))
}

// cell is the index of the cell at an address, -1 if it is none.
func (l *loop) cell(p expr, t ir.Type) int {
	if t.Kind != ir.Int || t.Bits%8 != 0 || t.Bits > maxWidth {
		return -1
	}
	c := place{root: p, bits: t.Bits}
	for l.is(c.root, ir.PtrAdd) {
		n := l.at(c.root)
		k, ok := l.literal(n.args[1])
		if !ok {
			return -1
		}
		c.offset += k.Uint64()
		c.root = n.args[0]
	}
	if l.m.PointerBits < 64 {
		c.offset &= 1<<l.m.PointerBits - 1
	}
	if n := l.at(c.root); n.kind != outside && (n.kind != symbol || n.op != ir.GlobalAddr) {
		return -1
	}
	if i := slices.Index(l.cells, c); i >= 0 {
		return i
	}
	for _, o := range l.cells {
		if o.root == c.root && o.offset < c.offset+uint64(c.bits/8) && c.offset < o.offset+uint64(o.bits/8) {
			return -1 // they overlap
		}
	}
	l.cells = append(l.cells, c)
	return len(l.cells) - 1
}

func (l *loop) load(w *walk, p expr, t ir.Type) expr {
	i := l.cell(p, t)
	if i < 0 {
		return l.fresh(t)
	}
	for len(w.cells) <= i {
		w.cells = append(w.cells, 0)
	}
	if w.cells[i] == 0 {
		return l.leaf(cell, t, int32(i))
	}
	return w.cells[i]
}

func (l *loop) store(w *walk, p, x expr) bool {
	i := l.cell(p, l.at(x).t)
	if i < 0 {
		return false
	}
	for len(w.cells) <= i {
		w.cells = append(w.cells, 0)
	}
	w.cells[i] = x
	return true
}
