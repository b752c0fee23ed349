package ssa

import (
	"slices"

	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/program/ir"
)

// function is what the encoder knows about a function before it runs.
type function struct {
	f *ir.Func
	// order is the position of each block in the weak topological order, nest
	// the heads of the components around it, outermost first (a head is in its
	// own component).
	order []int32
	nest  [][]ir.BlockID
	// live are the values that live at the entry of each block, without
	// parameters and constants.
	live [][]ir.Value
	// phis of each block.
	phis [][]ir.Value
	// constant operands by value; the zero Value elsewhere.
	constants []memory.Value
	// returns says whether a return can be reached from the block.
	returns []bool
	// probes are the values to record at an instruction.
	probes map[ir.Value][]ir.Value
	// postdominator of each block; nil until asked.
	postdominator []ir.BlockID
	// spare are environments that no path uses (path.go).
	spare [][]memory.Value
}

func (u *Unwinder) function(f *ir.Func) *function {
	if fn, ok := u.functions[f]; ok {
		return fn
	}
	wto := ir.NewWTO(f)
	live := ir.LiveIn(f)
	n := len(f.Blocks)
	fn := &function{
		f: f, order: wto.Order, nest: wto.Heads, live: make([][]ir.Value, n),
		phis: make([][]ir.Value, n), constants: make([]memory.Value, len(f.Values)), returns: make([]bool, n), probes: u.opts.Probes[f.Name],
	}
	for b := 1; b < n; b++ {
		id := ir.BlockID(b)
		if wto.Order[b] < 0 {
			continue
		}
		for _, v := range live[b] {
			if d := &f.Values[v]; d.Block != 0 && !(d.Block == id && d.Op == ir.Phi) {
				fn.live[b] = append(fn.live[b], v)
			}
		}
		for _, v := range f.Blocks[b].Instrs {
			if f.Values[v].Op != ir.Phi {
				break
			}
			fn.phis[b] = append(fn.phis[b], v)
		}
	}
	for v := 1; v < len(f.Values); v++ {
		d := &f.Values[v]
		switch d.Op {
		case ir.Const:
			fn.constants[v] = memory.Value{Bits: u.st.Const(d.Const)}
		case ir.Null:
			fn.constants[v] = u.sp.Null()
		case ir.GlobalAddr, ir.FuncAddr:
			o, ok := u.sp.Symbol(d.Sym)
			if !ok {
				panic("ssa: unknown symbol " + d.Sym)
			}
			fn.constants[v] = u.sp.Pointer(o, u.st.ConstU(u.m.PointerBits, 0))
		}
	}
	// Backward reachability of returns.
	var stack []ir.BlockID
	for b := 1; b < n; b++ {
		instrs := f.Blocks[b].Instrs
		if len(instrs) > 0 && f.Values[instrs[len(instrs)-1]].Op == ir.Ret {
			fn.returns[b] = true
			stack = append(stack, ir.BlockID(b))
		}
	}
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, p := range f.Blocks[b].Preds {
			if !fn.returns[p] {
				fn.returns[p] = true
				stack = append(stack, p)
			}
		}
	}
	u.functions[f] = fn
	return fn
}

// edge is one way into an instance.
type edge struct {
	g   *guard
	mem *memory.State
	// values are those of the target's phis, then of its live values.
	values []memory.Value
}

// instance is a block in an iteration of each loop around it.
type instance struct {
	block ir.BlockID
	iters []int32
	// charged counts, for each loop around, the iterations that count against
	// its bound (see free).
	charged []int32
	edges   []edge
}

// level is the iteration of a loop that is being encoded.
type level struct {
	head ir.BlockID
	iter int32
	// constExit: a branch that may leave the loop was decided by a constant;
	// openExit: one was not.
	constExit, openExit bool
}

// frame is one call.
type frame struct {
	fn     *function
	caller *frame
	// context names the call in the unwound program, 0 until needed: it follows
	// from the caller's instance, the call and the way taken there.
	context uint32
	at      ir.Value
	way     int32
	// charged counts the recursive activations that count against the bound.
	charged int
	// nested counts all activations around this one.
	nested  int
	entry   *guard
	env     []memory.Value
	pending []*instance
	levels  []level
	returns []edge
	// objects are the stack objects made by this frame, on any path.
	objects []memory.ObjectID
	// extracts are the results of calls beyond the first.
	extracts map[extractKey]memory.Value
	varargs  []memory.Value
	varTypes []ir.Type
	current  *instance
	// callPos is where the call is that this frame waits for.
	callPos ir.Pos
	// id names the current instance, 0 until needed.
	id uint32
}

// compare orders instances: a topological order of the unwound graph.
func (fn *function) compare(b ir.BlockID, iters []int32, c ir.BlockID, jters []int32) int {
	nb, nc := fn.nest[b], fn.nest[c]
	for i := 0; i < len(nb) && i < len(nc) && nb[i] == nc[i]; i++ {
		if iters[i] != jters[i] {
			return int(iters[i] - jters[i])
		}
	}
	return int(fn.order[b] - fn.order[c])
}

// predecessor is the index, among the predecessors of block to, of the edge
// that is successor number succ of block from: several edges between two blocks
// have one order in both lists.
func (fn *function) predecessor(from, to ir.BlockID, succ int) int {
	skip := 0
	for _, s := range fn.f.Succs(from)[:succ] {
		if s == to {
			skip++
		}
	}
	for p, b := range fn.f.Blocks[to].Preds {
		if b == from {
			if skip == 0 {
				return p
			}
			skip--
		}
	}
	panic("ssa: predecessors do not match successors")
}

// sameEdge says whether two edges between two blocks give the same values to
// the phis.
func (fn *function) sameEdge(from, to ir.BlockID, i, j int) bool {
	if len(fn.phis[to]) == 0 {
		return true
	}
	p, q := fn.predecessor(from, to, i), fn.predecessor(from, to, j)
	for _, v := range fn.phis[to] {
		if a := fn.f.Values[v].Args; a[p] != a[q] {
			return false
		}
	}
	return true
}

// push adds a way into block to, successor number i, from the current instance.
func (u *Unwinder) push(fr *frame, g *guard, mem *memory.State, to ir.BlockID, succ int) {
	fn := fr.fn
	from := fr.current
	nf, nt := fn.nest[from.block], fn.nest[to]
	p := 0
	for p < len(nf) && p < len(nt) && nf[p] == nt[p] {
		p++
	}
	iters := make([]int32, len(nt))
	charged := make([]int32, len(nt))
	copy(iters, from.iters[:p])
	copy(charged, from.charged[:p])
	if p == len(nt) && p > 0 && nt[p-1] == to {
		iters[p-1]++ // a back edge
	}
	values := make([]memory.Value, 0, len(fn.phis[to])+len(fn.live[to]))
	if phis := fn.phis[to]; len(phis) > 0 {
		i := fn.predecessor(from.block, to, succ)
		for _, v := range phis {
			values = append(values, u.operand(fr, fn.f.Values[v].Args[i]))
		}
	}
	for _, v := range fn.live[to] {
		values = append(values, fr.env[v])
	}
	e := edge{g, mem, values}
	at, found := slices.BinarySearchFunc(fr.pending, to, func(x *instance, _ ir.BlockID) int {
		return fn.compare(x.block, x.iters, to, iters)
	})
	if found {
		x := fr.pending[at]
		x.edges = append(x.edges, e)
		for i := range charged {
			x.charged[i] = max(x.charged[i], charged[i])
		}
		return
	}
	fr.pending = slices.Insert(fr.pending, at, &instance{to, iters, charged, []edge{e}})
}

// join makes one of several ways. Pairs that meet deepest are joined first, so
// that conditions cancel where control flow does. Of many ways (the exits of a
// long loop) the deepest come first, which does the same for a chain: each
// step then looks at a short piece of the guard tree only.
func (u *Unwinder) join(edges []edge) edge {
	if len(edges) == 1 {
		return edges[0]
	}
	edges = slices.Clone(edges)
	if len(edges) > maxPairs {
		slices.SortStableFunc(edges, func(a, b edge) int { return int(a.g.depth - b.g.depth) })
		for n := len(edges); n > 1; n-- {
			edges[n-2] = u.join2(edges[n-2], edges[n-1])
			// Keep the order: the joined guard may be less deep than others.
			for k := n - 2; k > 0 && edges[k-1].g.depth > edges[k].g.depth; k-- {
				edges[k-1], edges[k] = edges[k], edges[k-1]
			}
		}
		return edges[0]
	}
	for len(edges) > 1 {
		i, j, best := 0, 1, int32(-1)
		for a := range edges {
			for b := a + 1; b < len(edges); b++ {
				if d := meet(edges[a].g, edges[b].g).depth; d > best {
					best, i, j = d, a, b
				}
			}
		}
		edges[i] = u.join2(edges[i], edges[j])
		edges = slices.Delete(edges, j, j+1)
	}
	return edges[0]
}

// maxPairs bounds the number of ways of which all pairs are looked at.
const maxPairs = 16

func (u *Unwinder) join2(a, b edge) edge {
	g, cond := joinGuards(u.st, a.g, b.g)
	values := make([]memory.Value, len(a.values))
	for k := range values {
		values[k] = u.ite(cond, a.values[k], b.values[k])
	}
	mem := a.mem
	if mem != b.mem {
		mem = memory.Join(cond, a.mem, b.mem)
	}
	return edge{g, mem, values}
}

func (u *Unwinder) ite(cond term.ID, a, b memory.Value) memory.Value {
	if a == b || b == (memory.Value{}) {
		return a
	}
	if a == (memory.Value{}) {
		return b
	}
	return u.sp.Ite(cond, a, b)
}

// instanceID names the current instance; the same in every depth.
func (u *Unwinder) instanceID(fr *frame) uint32 {
	if fr.id == 0 {
		id := u.contextOf(fr)
		for i, h := range fr.fn.nest[fr.current.block] {
			id = u.intern(id, int32(h), fr.current.iters[i])
		}
		fr.id = u.intern(id, int32(fr.current.block), -1)
	}
	return fr.id
}

func (u *Unwinder) contextOf(fr *frame) uint32 {
	if fr.context == 0 {
		if fr.caller == nil {
			fr.context = u.intern(0, 0, 0)
		} else {
			fr.context = u.intern(u.intern(u.instanceID(fr.caller), int32(fr.at), -2), fr.way, -3)
		}
	}
	return fr.context
}

type internKey struct {
	parent uint32
	a, b   int32
}

func (u *Unwinder) intern(parent uint32, a, b int32) uint32 {
	k := internKey{parent, a, b}
	id, ok := u.interned[k]
	if !ok {
		id = uint32(len(u.interned) + 1)
		u.interned[k] = id
	}
	return id
}

func (u *Unwinder) key(fr *frame, v ir.Value) memory.Key {
	return memory.Key{Instance: u.instanceID(fr), Value: v}
}

// operand is the value of an operand in the current state.
func (u *Unwinder) operand(fr *frame, v ir.Value) memory.Value {
	if c := fr.fn.constants[v]; c != (memory.Value{}) {
		return c
	}
	return fr.env[v]
}
