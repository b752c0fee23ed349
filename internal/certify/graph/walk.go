package graph

import (
	"math/big"
	"slices"
	"strings"

	"assay/internal/evidence/symgraph"
	"assay/internal/program/ir"
)

// walk follows all paths from a state.
func (c *checkerState) walk(s *state) {
	for c.failure == nil {
		c.steps++
		if c.steps > maxSteps {
			c.reject(s, "more than %d instructions between nodes", maxSteps)
			return
		}
		if c.steps&63 == 0 && c.ctx.Err() != nil {
			c.failure = c.ctx.Err()
			return
		}
		f := s.top()
		v := f.f.Blocks[f.block].Instrs[f.index]
		d := f.f.Def(v)
		if c.unfold(s, d) || c.takeOut(s, d) || c.takeString(s, d) {
			return
		}
		if !c.guarded(s, d) {
			return
		}
		switch d.Op {
		case ir.Br:
			if c.enter(s, 0) {
				return
			}
		case ir.CondBr:
			c.both(s, c.truth(s, d.Args[0]), func(t *state, is bool) {
				edge := 1
				if is {
					edge = 0
				}
				if !c.enter(t, edge) {
					c.walk(t)
				}
			})
			return
		case ir.Switch:
			c.cases(s, d)
			return
		case ir.Select:
			if d.Type.Kind == ir.Int && d.Type.Bits > 1 {
				t := c.truth(s, d.Args[0])
				a, b := c.number(s, d.Args[1]), c.number(s, d.Args[2])
				a, b = c.view(a, d.Type.Bits, true), c.view(b, d.Type.Bits, true)
				f.values[v] = integerValue(c.short(number{"(ite " + t + " " + a.t + " " + b.t + ")", least(a.low, b.low), greatest(a.high, b.high)}))
				f.index++
				continue
			}
			c.both(s, c.truth(s, d.Args[0]), func(t *state, is bool) {
				k := 2
				if is {
					k = 1
				}
				t.top().values[v] = c.operand(t, d.Args[k])
				t.top().index++
				c.walk(t)
			})
			return
		case ir.Check, ir.Assume:
			if d.Op == ir.Check && !c.target[ir.CheckKind(d.Aux)] {
				f.index++
				continue
			}
			t := c.truth(s, d.Args[0])
			if d.Op == ir.Check && !c.valid(t) {
				c.reject(s, "the check may fail: %s", d.Sym)
				return
			}
			if d.Op == ir.Assume && !c.assume(t) {
				return
			}
			f.index++
		case ir.Label:
			if c.target[ir.ErrorLabel] && d.Sym == c.o.Label {
				c.reject(s, "the label %s is reached", d.Sym)
				return
			}
			f.index++
		case ir.Dbg, ir.Accept:
			f.index++
		case ir.Unreachable:
			if c.target[ir.ReachedUnreachable] {
				c.reject(s, "unreachable code is reached")
			}
			return
		case ir.Halt:
			if ir.HaltKind(d.Aux) == ir.HaltExit {
				c.end(s)
			}
			return
		case ir.Ret:
			if c.leave(s, d) {
				return
			}
		case ir.Call:
			if c.call(s, v, d) {
				return
			}
		case ir.Extract:
			f.index++ // given by Ret, or arbitrary
			if f.values[v].kind == symgraph.Unset {
				f.values[v] = c.arbitrary(d.Type)
			}
		default:
			if c.step(s, v, d) {
				return
			}
		}
	}
}

// both goes on under a condition and under its opposite.
func (c *checkerState) both(s *state, t string, then func(*state, bool)) {
	b := c.branches()
	b.under(t, false, func() { then(s.clone(), true) })
	b.under(not(t), true, func() { then(s.clone(), false) })
}

func not(t string) string {
	switch t {
	case "true":
		return "false"
	case "false":
		return "true"
	}
	if inner, ok := strings.CutPrefix(t, "(not "); ok {
		return strings.TrimSuffix(inner, ")")
	}
	return "(not " + t + ")"
}

func (c *checkerState) cases(s *state, d *ir.Def) {
	f := s.top()
	bits := f.f.Type(d.Args[0]).Bits
	x := c.view(c.number(s, d.Args[0]), bits, false)
	b := c.branches()
	var rest []string
	for i := range len(d.Cases) + 1 {
		t, edge := all(rest), 0
		if i < len(d.Cases) {
			t, edge = same(x, num(d.Cases[i].Unsigned())), i+1
			rest = append(rest, not(t))
		}
		b.under(t, i == len(d.Cases), func() {
			u := s.clone()
			if !c.enter(u, edge) {
				c.walk(u)
			}
		})
	}
}

// enter moves to a successor and evaluates its phis; done says that the state
// there is that of a node.
func (c *checkerState) enter(s *state, edge int) (done bool) {
	f := s.top()
	b := f.f.Succs(f.block)[edge]
	block := &f.f.Blocks[b]
	pred := -1
	for i, p := range block.Preds {
		if p == f.block {
			pred = i
		}
	}
	n := 0
	var next []value
	for _, v := range block.Instrs {
		d := f.f.Def(v)
		if d.Op != ir.Phi {
			break
		}
		// Equal edges: their arguments have to agree.
		for i, p := range block.Preds {
			if p == f.block && d.Args[i] != d.Args[pred] && len(f.f.Succs(f.block)) > 1 {
				// Which of them is taken is the index among the equal ones.
				pred = c.nth(f, b, edge)
			}
		}
		next = append(next, c.operand(s, d.Args[pred]))
		n++
	}
	for i, x := range next {
		f.values[block.Instrs[i]] = x
	}
	f.block, f.index = b, n
	if nodes := c.positions[c.positionOf(s)]; nodes != nil {
		c.described(s, nodes)
		return true
	}
	if slices.Contains(f.seen, b) {
		c.reject(s, "a loop without a node")
		return true
	}
	f.seen = append(f.seen[:len(f.seen):len(f.seen)], b)
	return false
}

// nth is the index of the edge among the predecessors of b.
func (c *checkerState) nth(f *frame, b ir.BlockID, edge int) int {
	before := 0
	for _, s := range f.f.Succs(f.block)[:edge] {
		if s == b {
			before++
		}
	}
	for i, p := range f.f.Blocks[b].Preds {
		if p == f.block {
			if before == 0 {
				return i
			}
			before--
		}
	}
	return 0
}

func (c *checkerState) positionOf(s *state) string {
	fs := make([]symgraph.Frame, len(s.frames))
	for i := range s.frames {
		f := &s.frames[i]
		fs[i] = symgraph.Frame{Func: f.f, Block: f.block, Index: f.index}
	}
	return position(fs, s.entry)
}

// call begins an activation; done says that the path has gone on to its end.
func (c *checkerState) call(s *state, v ir.Value, d *ir.Def) (done bool) {
	f := s.top()
	args := d.Args
	callee := c.index.Funcs[d.Sym]
	if d.Sym == "" {
		p := c.operand(s, args[0])
		if p.kind != symgraph.Pointer || p.object < 0 || s.objects[p.object].kind != symgraph.Function || !p.n.isConst() || p.n.low.Sign() != 0 {
			c.reject(s, "a call through an unknown pointer")
			return false
		}
		callee = c.index.Funcs[s.objects[p.object].name]
		args = args[1:]
		types := make([]ir.Type, len(args))
		for i, a := range args {
			types[i] = f.f.Type(a)
		}
		if !callee.Accepts(types) || callee.Result(0) != d.Type {
			c.reject(s, "a call of a function of another type")
			return false
		}
	}
	if callee.IsDecl() {
		if d.HasResult() {
			f.values[v] = c.arbitrary(d.Type)
		}
		f.index++
		return false
	}
	if callee.Variadic || len(s.frames) > 200 {
		c.reject(s, "a call that is not modelled")
		return false
	}
	if entries := c.entries(callee); entries != nil {
		c.summary(s, callee, args, entries)
		return true
	}
	g := frame{f: callee, block: 1, values: make([]value, len(callee.Values))}
	for i, p := range callee.Params {
		g.values[p] = c.operand(s, args[i])
	}
	s.frames = append(s.frames, g)
	return false
}

// leave returns; done says that the program has ended.
func (c *checkerState) leave(s *state, d *ir.Def) (done bool) {
	if len(s.frames) == 1 && s.entry != 0 {
		c.goBack(s)
		return true
	}
	results := make([]value, len(d.Args))
	for i, a := range d.Args {
		results[i] = c.operand(s, a)
	}
	depth := len(s.frames) - 1
	for i := range s.objects {
		if o := &s.objects[i]; o.kind == symgraph.Stack && o.frame == depth {
			c.spill(s, o)
			o.dead, o.cells, o.frame = true, nil, symgraph.NoFrame
		}
	}
	if depth == 0 {
		c.end(s)
		return true
	}
	s.frames = s.frames[:depth]
	resumeCaller(s, results)
	return false
}

// resumeCaller goes on after the call for which the last frame waits, with its results.
func resumeCaller(s *state, results []value) {
	g := s.top()
	is := g.f.Blocks[g.block].Instrs
	call := is[g.index]
	if len(results) > 0 {
		g.values[call] = results[0]
	}
	for _, e := range is {
		if k := g.f.Def(e); k.Op == ir.Extract && k.Args[0] == call {
			g.values[e] = results[k.Aux]
		}
	}
	g.index++
}

// end checks what is allocated at the end.
func (c *checkerState) end(s *state) {
	if !c.target[ir.MemTrack] && !c.target[ir.MemCleanup] {
		return
	}
	alive := s.lost || s.entry != 0 // hidden objects may be alive
	kept := make([]bool, len(s.objects))
	if !c.target[ir.MemCleanup] {
		kept = c.reachable(s)
	}
	for i := range s.objects {
		if kept[i] {
			continue
		}
		alive = alive || c.allocated(&s.objects[i])
	}
	if alive {
		c.reject(s, "a heap object may be allocated at the end")
	}
}

// reachable marks objects into which a pointer in a global points, or one in an
// object that is marked: all nodes of a segment are reached from one of them by links
// onwards, so only pointers to its first node count.
func (c *checkerState) reachable(s *state) []bool {
	marked := make([]bool, len(s.objects))
	var work []int
	for i := range s.objects {
		if s.objects[i].kind == symgraph.Global {
			marked[i] = true
			work = append(work, i)
		}
	}
	follow := func(v value) {
		if v.kind != symgraph.Pointer || v.object < 0 || v.last || marked[v.object] {
			return
		}
		if o := &s.objects[v.object]; v.n.isConst() && o.size.isConst() && v.n.low.Sign() >= 0 && v.n.low.Cmp(o.size.low) < 0 {
			marked[v.object] = true
			work = append(work, int(v.object))
		}
	}
	for len(work) > 0 {
		o := &s.objects[work[0]]
		work = work[1:]
		for _, x := range o.cells {
			follow(x.v)
		}
		if o.list != nil {
			follow(o.list.tail)
		}
	}
	return marked
}

// Operands.

func integerValue(n number) value { return value{kind: symgraph.Int, n: n} }

func (c *checkerState) arbitrary(t ir.Type) value {
	if t.Kind != ir.Int {
		return value{kind: symgraph.Any}
	}
	low, high := bounds(t.Bits, false)
	return integerValue(c.unknown("x", low, high))
}

func (c *checkerState) operand(s *state, v ir.Value) value {
	f := s.top()
	d := f.f.Def(v)
	find := func(kind symgraph.ObjectKind) value {
		for i := range s.objects {
			if s.objects[i].kind == kind && s.objects[i].name == d.Sym {
				return value{kind: symgraph.Pointer, object: int32(i), n: small(0)}
			}
		}
		c.reject(s, "unknown symbol %s", d.Sym)
		return value{kind: symgraph.Any}
	}
	switch d.Op {
	case ir.Const:
		if d.Type.Kind == ir.Float {
			return value{kind: symgraph.Any}
		}
		return integerValue(num(d.Const.Unsigned()))
	case ir.Null:
		return value{kind: symgraph.Pointer, object: symgraph.Null, n: small(0)}
	case ir.GlobalAddr:
		return find(symgraph.Global)
	case ir.FuncAddr:
		return find(symgraph.Function)
	}
	if f.values[v].kind == symgraph.Unset {
		// Not computed on this path, or given up by the node: anything.
		f.values[v] = c.arbitrary(d.Type)
	}
	return f.values[v]
}

// number is an integer operand, modulo 2^bits.
func (c *checkerState) number(s *state, v ir.Value) number {
	x := c.operand(s, v)
	if x.truth != "" {
		return number{"(ite " + x.truth + " 1 0)", new(big.Int), one}
	}
	return x.n
}

// truth is a one-bit operand as a formula.
func (c *checkerState) truth(s *state, v ir.Value) string {
	x := c.operand(s, v)
	if x.truth != "" {
		return x.truth
	}
	n := c.view(x.n, 1, false)
	return same(n, num(one))
}

// guarded says whether the second operand of a division or a shift, and a float that becomes an integer, is
// as it has to be, where that is asked; if it may not be, the graph is rejected. Of floats nothing is known.
func (c *checkerState) guarded(s *state, d *ir.Def) bool {
	switch d.Op {
	case ir.UDiv, ir.URem, ir.SDiv, ir.SRem:
		if c.target[ir.DivByZero] && !c.valid("(not "+c.equal(c.number(s, d.Args[1]), small0, d.Type.Bits)+")") {
			c.reject(s, "the divisor may be 0")
			return false
		}
	case ir.Shl, ir.LShr, ir.AShr:
		if !c.target[ir.ShiftRange] {
			return true
		}
		n := c.view(c.number(s, d.Args[1]), d.Type.Bits, false)
		if !c.valid("(< " + n.t + " " + integer(new(big.Int).SetUint64(uint64(d.Type.Bits))) + ")") {
			c.reject(s, "the shift may be by the width or more")
			return false
		}
	case ir.FToSI, ir.FToUI:
		if c.target[ir.FloatConversion] {
			c.reject(s, "the float may not fit the integer")
			return false
		}
	}
	return true
}
