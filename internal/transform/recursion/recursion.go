// Package recursion turns recursive functions into loops, such that a program
// ends if the one with the loops does.
//
// # The loop of a set of functions
//
// Let f call itself, directly or by way of other functions; R are the functions that
// lie with it on cycles of calls. The new f has a loop whose iterations are activations
// of functions of R, each called by the one before. Its head holds the parameters, and
// a number for the function that is active; from there the run goes to a copy of this
// function's body. Where the body calls a function of R, the run chooses:
//
//	(1) to descend: it goes back to the head, with the arguments as parameters,
//	    and never returns;
//	(2) to skip: the call is over, everything that functions of R and those that
//	    they call may write is arbitrary, and so are the results. If it may execute
//	    Accept, it does.
//
// Where the body returns, the run does so if it has not descended, and ends
// otherwise.
//
// # Why this is sound
//
// Suppose the original program has an infinite run. Either the calls are nested to no
// bound; then there is an infinite chain of activations, each made by the one before,
// that do not return. Or some activation makes infinitely many steps of its own. In
// both cases there is a chain of activations to follow: the new program does what they
// do, by (1) where the next one of them is called, and by (2) at calls that return,
// choosing what they wrote and returned. So it has an infinite run, too.
//
// What functions may write is read off their instructions: stores through pointers
// that are made, in this function, from the addresses of globals. Functions that write
// through other pointers, make objects, or call through pointers are left as they are,
// and so are those that take or return pointers: recursions of these stay.
package recursion

import (
	"context"
	"slices"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/run/memo"
	"assay/internal/transform"
)

// maxTogether bounds the functions that call each other, maxValues their size.
const (
	maxTogether = 5
	maxValues   = 8000
)

// Loops is ToLoops; engines of one run get the same program.
func Loops(ctx context.Context, m *ir.Module) *transform.Program {
	type question struct{ m *ir.Module }
	out, err := memo.Of(ctx, question{m}, func() (*transform.Program, error) { return ToLoops(m), nil })
	if err != nil { // the context has ended
		return transform.Unchanged(m)
	}
	return out
}

// ToLoops is the program with loops; it is unchanged if no function could be changed. Its
// infinite runs are those of the program, and more.
func ToLoops(m *ir.Module) *transform.Program {
	g := newGraph(m)
	var out *ir.Module
	accepting := ir.Accepting(m)
	for i, f := range m.Funcs {
		r := g.together(i)
		if len(r) == 0 {
			continue
		}
		written, ok := g.written(r)
		if !ok {
			continue
		}
		if out == nil {
			c := *m
			c.Funcs = slices.Clone(m.Funcs)
			out = &c
		}
		l := newLoop(m, f, r, written)
		l.accepts = slices.ContainsFunc(r, func(g *ir.Func) bool { return accepting[g] })
		out.Funcs[i] = l.build()
	}
	if out == nil {
		return transform.Unchanged(m)
	}
	if err := ir.Verify(out); err != nil {
		panic("recursion: the program with loops is malformed: " + err.Error())
	}
	return &transform.Program{From: m, Module: out, Runs: transform.More}
}

// Is says whether a function of the program calls itself, directly or by way of others,
// perhaps through pointers.
func Is(m *ir.Module) bool { return Left(m) != nil }

// Left is a function that may call itself, nil if there is none: of the result of
// ToLoops, one that could not be changed. A call through a pointer may go to any
// function whose address is taken.
func Left(m *ir.Module) *ir.Func {
	index := map[string]int{}
	for i, f := range m.Funcs {
		index[f.Name] = i
	}
	taken := map[int]bool{}
	for _, g := range m.Globals {
		for _, r := range g.Relocs {
			if k, ok := index[r.Target]; ok {
				taken[k] = true
			}
		}
	}
	callees := make([]map[int]bool, len(m.Funcs))
	indirect := make([]bool, len(m.Funcs))
	for i, f := range m.Funcs {
		callees[i] = map[int]bool{}
		for v := range f.Values {
			d := &f.Values[v]
			k, ok := index[d.Sym]
			switch {
			case d.Op == ir.Call && d.Sym == "":
				indirect[i] = true
			case d.Op == ir.Call && ok:
				callees[i][k] = true
			case d.Op == ir.FuncAddr && ok:
				taken[k] = true
			}
		}
	}
	calls := func(i int) (to []int) {
		for k := range callees[i] {
			to = append(to, k)
		}
		if indirect[i] {
			for k := range taken {
				to = append(to, k)
			}
		}
		return to
	}
	// Depth first from the entry: a function that is called while it is active.
	const active, over = 1, 2
	state := make([]int, len(m.Funcs))
	var visit func(i int) *ir.Func
	visit = func(i int) *ir.Func {
		state[i] = active
		for _, k := range calls(i) {
			if state[k] == active {
				return m.Funcs[k]
			}
			if state[k] == 0 {
				if f := visit(k); f != nil {
					return f
				}
			}
		}
		state[i] = over
		return nil
	}
	entry, ok := index[m.Entry]
	if !ok {
		return nil
	}
	return visit(entry)
}

// IsLoop says whether a block of a function of the program with loops is the head
// of a loop that ToLoops made, m being the program before.
func IsLoop(m *ir.Module, f *ir.Func, b ir.BlockID) bool {
	return b == headBlock && m.Func(f.Name) != f
}

// graph are the direct calls of a module.
type graph struct {
	m     *ir.Module
	index map[string]int
	reach [][]bool // by one call at least
}

func newGraph(m *ir.Module) *graph {
	g := &graph{m: m, index: map[string]int{}, reach: make([][]bool, len(m.Funcs))}
	for i, f := range m.Funcs {
		g.index[f.Name] = i
	}
	callees := make([][]int, len(m.Funcs))
	for i, f := range m.Funcs {
		for v := range f.Values {
			if d := &f.Values[v]; d.Op == ir.Call && d.Sym != "" {
				if k, ok := g.index[d.Sym]; ok && !m.Funcs[k].IsDecl() && !slices.Contains(callees[i], k) {
					callees[i] = append(callees[i], k)
				}
			}
		}
	}
	for i := range m.Funcs {
		g.reach[i] = make([]bool, len(m.Funcs))
		for work := slices.Clone(callees[i]); len(work) > 0; {
			k := work[len(work)-1]
			work = work[:len(work)-1]
			if !g.reach[i][k] {
				g.reach[i][k] = true
				work = append(work, callees[k]...)
			}
		}
	}
	return g
}

// together are the functions on cycles of calls with function i, itself first;
// none if it is on no cycle, or they cannot be changed.
func (g *graph) together(i int) []*ir.Func {
	if !g.reach[i][i] {
		return nil
	}
	out := []*ir.Func{g.m.Funcs[i]}
	for k, f := range g.m.Funcs {
		if k != i && g.reach[i][k] && g.reach[k][i] {
			out = append(out, f)
		}
	}
	size := 0
	for _, f := range out {
		size += len(f.Values)
		if f.Variadic || slices.ContainsFunc(f.Results, func(t ir.Type) bool { return t.Kind == ir.Ptr }) ||
			slices.ContainsFunc(f.Params, func(v ir.Value) bool { return f.Def(v).Type.Kind == ir.Ptr }) {
			return nil
		}
	}
	if len(out) > maxTogether || size > maxValues {
		return nil
	}
	return out
}

// written lists the globals that functions and what they call may write; false
// if that is not all they may write.
func (g *graph) written(r []*ir.Func) ([]*ir.Global, bool) {
	names := map[string]bool{}
	for k, f := range g.m.Funcs {
		if !slices.Contains(r, f) && !slices.ContainsFunc(r, func(x *ir.Func) bool { return g.reach[g.index[x.Name]][k] }) {
			continue
		}
		for b := 1; b < len(f.Blocks); b++ {
			for _, v := range f.Blocks[b].Instrs {
				d := f.Def(v)
				target := ir.Value(0)
				switch d.Op {
				case ir.Store:
					target = d.Args[1]
				case ir.MemCpy, ir.MemSet, ir.Havoc:
					target = d.Args[0]
				case ir.Alloca, ir.Malloc, ir.Free, ir.LifetimeStart, ir.LifetimeEnd, ir.StackSave, ir.StackRestore, ir.VaStart:
					return nil, false
				case ir.Call:
					if d.Sym == "" {
						return nil, false
					}
				}
				if target == 0 {
					continue
				}
				for f.Def(target).Op == ir.PtrAdd {
					target = f.Def(target).Args[0]
				}
				if f.Def(target).Op != ir.GlobalAddr {
					return nil, false
				}
				names[f.Def(target).Sym] = true
			}
		}
	}
	var out []*ir.Global
	for _, x := range g.m.Globals {
		if names[x.Name] && !x.Constant {
			out = append(out, x)
		}
	}
	return out, true
}

// loop is a function under construction.
type loop struct {
	ir.Editor // of the new one
	r         []*ir.Func
	written   []*ir.Global
	// deep says that the run has descended, active which function is active; slots
	// are the phis of parameters. Functions share them, so that what one hands on to
	// the next is one value of the loop; slot gives those of each function.
	deep, active ir.Value
	slots        []ir.Value
	slot         [][]int
	// args are the arguments of the phis of the head, for each way into it.
	args [][]ir.Value
	// accepts says that functions of R may execute Accept.
	accepts bool
}

// Blocks of the new function.
const (
	entryBlock ir.BlockID = 1
	headBlock  ir.BlockID = 2
)

func newLoop(m *ir.Module, f *ir.Func, r []*ir.Func, written []*ir.Global) *loop {
	n := &ir.Func{Name: f.Name, Results: f.Results, Pos: f.Pos, Model: f.Model, Values: make([]ir.Def, 1), Blocks: make([]ir.Block, 3)}
	n.Blocks[entryBlock].Name, n.Blocks[headBlock].Name = "entry", "call"
	return &loop{Editor: ir.Editor{Module: m, Func: n, Pos: f.Pos}, r: r, written: written}
}

const numberBits = 8 // of the number of a function

func (l *loop) build() *ir.Func {
	// The ways in: from the entry, with the parameters.
	first := []ir.Value{l.Number(1, 0), l.Number(numberBits, 0)}
	for _, p := range l.r[0].Params {
		d := l.r[0].Def(p)
		v := l.Define(ir.Def{Op: ir.Param, Type: d.Type, Pos: d.Pos})
		l.Func.Params = append(l.Func.Params, v)
		first = append(first, v)
	}
	l.At = headBlock
	l.deep = l.Emit(ir.Def{Op: ir.Phi, Type: ir.IntType(1)})
	l.active = l.Emit(ir.Def{Op: ir.Phi, Type: ir.IntType(numberBits)})
	for i, g := range l.r {
		var slot []int
		for _, p := range g.Params {
			t := g.Def(p).Type
			k := 0
			for k < len(l.slots) && (l.Func.Def(l.slots[k]).Type != t || slices.Contains(slot, k)) {
				k++
			}
			if k == len(l.slots) {
				l.slots = append(l.slots, l.Emit(ir.Def{Op: ir.Phi, Type: t}))
				if i > 0 {
					first = append(first, l.Define(ir.Def{Op: ir.Const, Type: t, Const: bv.New(t.Bits, 0)}))
				}
			}
			slot = append(slot, k)
		}
		l.slot = append(l.slot, slot)
	}
	l.At = entryBlock
	l.Emit(ir.Def{Op: ir.Br, Succs: []ir.BlockID{headBlock}})
	l.Func.Blocks[headBlock].Preds = []ir.BlockID{entryBlock}
	l.args = [][]ir.Value{first}
	d := ir.Def{Op: ir.Switch, Args: []ir.Value{l.active}, Succs: make([]ir.BlockID, 1)}
	for i := range l.r {
		b := l.copy(i)
		if i == 0 {
			d.Succs[0] = b
			continue
		}
		d.Succs = append(d.Succs, b)
		d.Cases = append(d.Cases, bv.New(numberBits, uint64(i)))
	}
	if len(l.r) == 1 {
		d = ir.Def{Op: ir.Br, Succs: d.Succs}
	}
	l.At = headBlock
	l.Emit(d)
	for i, phi := range l.Func.Blocks[headBlock].Instrs[:len(l.args[0])] {
		for _, args := range l.args {
			l.Func.Values[phi].Args = append(l.Func.Values[phi].Args, args[i])
		}
	}
	// The copies of entry blocks have the head before them.
	for _, b := range d.Succs {
		l.Func.Blocks[b].Preds = []ir.BlockID{headBlock}
	}
	l.Func.OrderPreds()
	return l.Func
}

// copy copies the body of function i and gives its first block.
func (l *loop) copy(i int) ir.BlockID {
	g := l.r[i]
	value := make([]ir.Value, len(g.Values))
	for v := ir.Value(1); int(v) < len(g.Values); v++ {
		d := g.Values[v]
		switch {
		case d.Op == ir.Param:
			value[v] = l.slots[l.slot[i][slices.Index(g.Params, v)]]
		case d.Block == 0:
			value[v] = l.Define(d)
		default:
			value[v] = l.Define(ir.Def{}) // its place, filled below
		}
	}
	vars := len(l.Func.Vars)
	l.Func.Vars = append(l.Func.Vars, g.Vars...)
	first, last := make([]ir.BlockID, len(g.Blocks)), make([]ir.BlockID, len(g.Blocks))
	for b := 1; b < len(g.Blocks); b++ {
		first[b] = l.NewBlock(g.Blocks[b].Name)
	}
	put := func(v ir.Value, d ir.Def) {
		d.Block = l.At
		l.Func.Values[value[v]] = d
		l.Func.Blocks[l.At].Instrs = append(l.Func.Blocks[l.At].Instrs, value[v])
	}
	for b := 1; b < len(g.Blocks); b++ {
		l.At = first[b]
		for _, v := range g.Blocks[b].Instrs {
			d := g.Values[v]
			l.Pos = d.Pos
			args := make([]ir.Value, len(d.Args))
			for k, a := range d.Args {
				args[k] = value[a]
			}
			d.Args = args
			d.Succs = slices.Clone(d.Succs)
			for k, s := range d.Succs {
				d.Succs[k] = first[s]
			}
			switch {
			case d.Op == ir.Dbg:
				d.Aux += int64(vars)
			case d.Op == ir.Call && l.indexOf(d.Sym) >= 0:
				l.call(l.indexOf(d.Sym), args)
				if d.Type.Kind == ir.Void {
					l.Func.Values[value[v]] = ir.Def{Op: ir.Const, Type: ir.IntType(1), Const: bv.New(1, 0)} // unused
					continue
				}
				d = ir.Def{Op: ir.Nondet, Type: d.Type, Aux: int64(ir.NondetInput), Sym: d.Sym, Pos: d.Pos}
			case d.Op == ir.Extract && g.Def(g.Values[v].Args[0]).Op == ir.Call && l.indexOf(g.Def(g.Values[v].Args[0]).Sym) >= 0:
				d = ir.Def{Op: ir.Nondet, Type: d.Type, Aux: int64(ir.NondetInput), Sym: "result", Pos: d.Pos}
			case d.Op == ir.Ret:
				end := l.NewBlock("deep")
				if i == 0 {
					on := l.NewBlock("return")
					l.Emit(ir.Def{Op: ir.CondBr, Args: []ir.Value{l.deep}, Succs: []ir.BlockID{end, on}})
					l.Func.Blocks[end].Preds, l.Func.Blocks[on].Preds = []ir.BlockID{l.At}, []ir.BlockID{l.At}
					l.At = on
				} else {
					l.Emit(ir.Def{Op: ir.Br, Succs: []ir.BlockID{end}})
					l.Func.Blocks[end].Preds = []ir.BlockID{l.At}
					l.At = end
					d = ir.Def{Op: ir.Halt, Aux: int64(ir.HaltAbort), Pos: d.Pos}
					put(v, d)
					continue
				}
				put(v, d)
				l.At = end
				l.Emit(ir.Def{Op: ir.Halt, Aux: int64(ir.HaltAbort)})
				continue
			}
			put(v, d)
		}
		last[b] = l.At
	}
	for b := 1; b < len(g.Blocks); b++ {
		for _, p := range g.Blocks[b].Preds {
			l.Func.Blocks[first[b]].Preds = append(l.Func.Blocks[first[b]].Preds, last[p])
		}
	}
	return first[1]
}

// indexOf is the number of a function of R, -1 for others.
func (l *loop) indexOf(name string) int {
	return slices.IndexFunc(l.r, func(f *ir.Func) bool { return f.Name == name })
}

// call chooses between descending and skipping.
func (l *loop) call(callee int, args []ir.Value) {
	choice := l.Emit(ir.Def{Op: ir.Nondet, Type: ir.IntType(1), Aux: int64(ir.NondetInput), Sym: "descend"})
	down, on := l.NewBlock("descend"), l.NewBlock("skip")
	l.Emit(ir.Def{Op: ir.CondBr, Args: []ir.Value{choice}, Succs: []ir.BlockID{down, on}})
	l.Func.Blocks[down].Preds, l.Func.Blocks[on].Preds = []ir.BlockID{l.At}, []ir.BlockID{l.At}
	l.At = down
	l.Emit(ir.Def{Op: ir.Br, Succs: []ir.BlockID{headBlock}})
	l.Func.Blocks[headBlock].Preds = append(l.Func.Blocks[headBlock].Preds, down)
	in := []ir.Value{l.Number(1, 1), l.Number(numberBits, uint64(callee))}
	in = append(in, l.slots...)
	for k, a := range args {
		in[2+l.slot[callee][k]] = a
	}
	l.args = append(l.args, in)
	l.At = on
	for _, x := range l.written {
		p := l.Define(ir.Def{Op: ir.GlobalAddr, Type: l.Module.PtrType(), Sym: x.Name})
		n := l.Define(ir.Def{Op: ir.Const, Type: l.Module.WordType(), Const: bv.New(l.Module.PointerBits, x.Size)})
		l.Emit(ir.Def{Op: ir.Havoc, Args: []ir.Value{p, n}})
	}
	if l.accepts {
		l.Emit(ir.Def{Op: ir.Accept})
	}
}
