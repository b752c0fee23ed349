package certify

import (
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// This file copies an iteration of a loop, and the state of the run that it needs, for
// the proof of a jump (jump.go).

// copyBlocks copies the blocks of the loop; an edge to the head goes to back, one out of
// the loop to left.
func (it *iterating) copyBlocks(order, blocks []ir.BlockID, back, left ir.BlockID) error {
	b, f := it.b, it.f
	target := func(s ir.BlockID) ir.BlockID {
		switch {
		case s == it.j.Head:
			return back
		case it.in[s]:
			return blocks[s]
		}
		return left
	}
	var phis []ir.Value
	for _, x := range order {
		b.At(blocks[x])
		for _, v := range f.Blocks[x].Instrs {
			d := f.Def(v)
			if d.Op == ir.Phi {
				if x != it.j.Head {
					it.values[v] = b.Phi(d.Type)
					phis = append(phis, v)
				}
				continue
			}
			if d.Op == ir.Dbg {
				continue
			}
			b.SetPos(d.Pos)
			if d.Op == ir.Alloca || it.refuses(f, v, true) {
				it.refuse("an iteration does what a jump cannot: " + d.Op.String())
			}
			if x, ok := it.fixed[instruction{f.Name, v}]; ok {
				it.values[v] = b.ConstBV(d.Type, x)
				continue
			}
			e := *d
			e.Args = make([]ir.Value, len(d.Args))
			for k, a := range d.Args {
				y, err := it.operand(a)
				if err != nil {
					return err
				}
				e.Args[k] = y
			}
			if d.Op == ir.Assume {
				b.Check(ir.Invariant, e.Args[0], "an assumption does not hold")
			}
			if d.Op == ir.Ret { // it leaves the loop
				b.Br(left)
				continue
			}
			e.Succs = make([]ir.BlockID, len(d.Succs))
			for k, s := range d.Succs {
				e.Succs[k] = target(s)
			}
			it.values[v] = b.Emit(e)
		}
	}
	b.SetPos(ir.Pos{})
	for _, v := range phis {
		d := f.Def(v)
		for k, p := range f.Blocks[d.Block].Preds {
			if !it.in[p] {
				continue
			}
			x, err := it.operand(d.Args[k])
			if err != nil {
				return err
			}
			b.AddIncoming(it.values[v], x, blocks[p])
		}
	}
	return nil
}

// operand is the copy of a value of f.
func (it *iterating) operand(v ir.Value) (ir.Value, error) {
	if it.values[v] == 0 {
		if d := it.f.Def(v); d.Block != 0 && it.in[d.Block] {
			return 0, incomplete("the loop has several entries")
		}
		x, err := it.constant(v)
		if err != nil {
			return 0, err
		}
		it.values[v] = x
	}
	return it.values[v], nil
}

// constant is a value from outside of the loop: a constant, or what it is in the run.
func (it *iterating) constant(v ir.Value) (ir.Value, error) {
	b, d := it.b, it.f.Def(v)
	switch d.Op {
	case ir.Const:
		return b.ConstBV(d.Type, d.Const), nil
	case ir.Null:
		return b.Null(), nil
	case ir.GlobalAddr:
		return b.GlobalAddr(d.Sym), nil
	case ir.FuncAddr:
		return b.FuncAddr(d.Sym), nil
	}
	if d.Type.Kind != ir.Ptr {
		return b.ConstBV(d.Type, it.state.Value(v)), nil
	}
	return it.pointer(v)
}

// pointer is a pointer of the run: to the same global, or to a copy of the object.
func (it *iterating) pointer(v ir.Value) (ir.Value, error) {
	b := it.b
	o, offset := it.state.Pointer(v)
	var base ir.Value
	switch {
	case o.Func != nil:
		base = b.FuncAddr(o.Func.Name)
	case o.Global != nil:
		base = b.GlobalAddr(o.Global.Name)
	case o.ID == 0:
		if !it.state.Value(v).IsZero() {
			return 0, incomplete("the loop uses a pointer to nothing")
		}
		return b.Null(), nil
	case !o.Alive:
		return 0, incomplete("the loop uses a pointer to a dead object")
	default:
		base = it.objects[o.ID]
		if base == 0 {
			now := b.Current()
			b.At(it.setup)
			base = b.Alloca(o.Size, it.m.HeapAlign())
			it.objects[o.ID] = base
			if bytes, ok := it.state.Memory(it.state.Value(v).Uint64()-offset, o.Size); ok && o.Size <= maxObjectCopy {
				for k, x := range bytes {
					b.Store(b.Const(8, uint64(x)), b.PtrAdd(base, b.Word(uint64(k))))
				}
			}
			b.At(now)
		}
	}
	if offset == 0 {
		return base, nil
	}
	now := b.Current()
	b.At(it.setup)
	p := b.PtrAdd(base, b.Word(offset))
	b.At(now)
	return p, nil
}

// place is where a cell is.
func (it *iterating) place(c *ir.Cell) (ir.Value, error) {
	b := it.b
	var p ir.Value
	if c.Global != "" {
		if it.m.Global(c.Global) == nil {
			return 0, incomplete("there is no global %s", c.Global)
		}
		p = b.GlobalAddr(c.Global)
	} else {
		if c.Pointer < 1 || int(c.Pointer) >= len(it.f.Values) || it.f.Type(c.Pointer).Kind != ir.Ptr || it.in[it.f.Def(c.Pointer).Block] {
			return 0, incomplete("a cell is at no pointer from outside of the loop")
		}
		x, err := it.operand(c.Pointer)
		if err != nil {
			return 0, err
		}
		p = x
	}
	if c.Offset != 0 {
		p = b.PtrAdd(p, b.Word(c.Offset))
	}
	return p, nil
}

// globals gives the globals the content of the run: those that the code refers to as a copy,
// others, which pointers in constant objects may lead to, as arbitrary content.
func (it *iterating) globals() {
	used := map[string]bool{}
	for _, f := range it.m.Funcs {
		for v := range f.Values {
			if d := &f.Values[v]; d.Op == ir.GlobalAddr {
				used[d.Sym] = true
			}
		}
	}
	for i, g := range it.m.Globals {
		if g.Constant && !g.External {
			continue
		}
		now := *g
		now.Init, now.Relocs, now.External = nil, nil, true
		if bytes, ok := it.state.Memory(it.state.Symbol(g.Name), g.Size); ok && used[g.Name] && g.Size <= maxGlobalCopy {
			now.Init, now.External = bytes, false
		}
		it.m.Globals[i] = &now
	}
}

// callees edits the functions that the loop may call: what a jump cannot do becomes a
// violation, inputs that are fixed become constants.
func (it *iterating) callees() {
	seen := map[string]bool{}
	var work []*ir.Func
	call := func(name string) {
		if f := it.m.Func(name); f != nil && !f.IsDecl() && !seen[name] {
			seen[name] = true
			work = append(work, f)
		}
	}
	for b := range it.f.Blocks {
		for _, v := range it.f.Blocks[b].Instrs {
			if d := it.f.Def(v); it.in[b] && d.Op == ir.Call {
				call(d.Sym)
			}
		}
	}
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		if f == it.f { // the loop is copied from it
			g := *f
			for i := range it.m.Funcs {
				if it.m.Funcs[i] == f {
					c := (&ir.Module{Funcs: []*ir.Func{&g}}).Clone()
					it.m.Funcs[i] = c.Funcs[0]
					f = c.Funcs[0]
				}
			}
		}
		for b := range f.Blocks {
			for _, v := range f.Blocks[b].Instrs {
				if d := f.Def(v); d.Op == ir.Call {
					call(d.Sym)
				}
			}
			it.edit(f, ir.BlockID(b))
		}
	}
}

// edit changes a block of a function that the loop calls.
func (it *iterating) edit(f *ir.Func, block ir.BlockID) {
	define := func(d ir.Def) ir.Value {
		f.Values = append(f.Values, d)
		return ir.Value(len(f.Values) - 1)
	}
	var out []ir.Value
	for _, v := range f.Blocks[block].Instrs {
		refused := it.refuses(f, v, false)
		if op := f.Def(v).Op; refused || op == ir.Assume {
			cond, text := ir.Value(0), "an assumption does not hold"
			if refused {
				cond = define(ir.Def{Op: ir.Const, Type: ir.BoolType, Const: bv.New(1, 0)})
				text = "an iteration does what a jump cannot: " + op.String()
			} else {
				cond = f.Def(v).Args[0]
			}
			out = append(out, define(ir.Def{Op: ir.Check, Args: []ir.Value{cond}, Aux: int64(ir.Invariant), Sym: text, Block: block, Pos: f.Def(v).Pos}))
		}
		if x, ok := it.fixed[instruction{f.Name, v}]; ok {
			c := define(ir.Def{Op: ir.Const, Type: f.Type(v), Const: x})
			d := f.Def(v)
			d.Op, d.Args, d.Aux, d.Sym = ir.Freeze, []ir.Value{c}, 0, ""
		}
		out = append(out, v)
	}
	f.Blocks[block].Instrs = out
}

// refuses says that an instruction may do what a jump cannot (4): write other memory than
// the cells, end the run, see addresses, or find pointers in memory.
func (it *iterating) refuses(f *ir.Func, v ir.Value, inLoop bool) bool {
	d := f.Def(v)
	switch d.Op {
	case ir.Store:
		return !it.own(f, d.Args[1], inLoop) && !it.isCell(f, d.Args[1], f.Type(d.Args[0]), inLoop)
	case ir.MemCpy, ir.MemSet, ir.Havoc, ir.LifetimeStart, ir.LifetimeEnd:
		if d.Approximate() {
			return true
		}
		return !it.own(f, d.Args[0], inLoop)
	case ir.Load:
		if d.Type.Kind != ir.Ptr || it.own(f, d.Args[0], inLoop) {
			return false
		}
		root, _, _ := strip(f, d.Args[0])
		g := it.m.Global(f.Def(root).Sym)
		return f.Def(root).Op != ir.GlobalAddr || g == nil || !g.Constant || g.External
	case ir.Nondet, ir.Extract:
		return d.Type.Kind == ir.Ptr
	case ir.Call:
		return d.Sym == "" || d.Type.Kind == ir.Ptr && it.m.Func(d.Sym).IsDecl()
	case ir.ULt, ir.ULe:
		return f.Type(d.Args[0]).Kind == ir.Ptr
	case ir.PtrToInt, ir.IntToPtr, ir.Malloc, ir.Free, ir.IsHeapStart, ir.VaStart, ir.StackSave, ir.StackRestore, ir.PtrDiff,
		ir.Halt, ir.Unreachable, ir.Unsupported:
		return true
	}
	return false
}

// strip takes constant offsets from a pointer.
func strip(f *ir.Func, p ir.Value) (root ir.Value, offset uint64, constant bool) {
	constant = true
	for f.Def(p).Op == ir.PtrAdd {
		d := f.Def(p)
		if k := f.Def(d.Args[1]); k.Op == ir.Const {
			offset += k.Const.Uint64()
		} else {
			constant = false
		}
		p = d.Args[0]
	}
	return p, offset, constant
}

// own says that a pointer is into a stack object of the function itself, which is gone
// after the iteration.
func (it *iterating) own(f *ir.Func, p ir.Value, inLoop bool) bool {
	root, _, _ := strip(f, p)
	return !inLoop && f.Def(root).Op == ir.Alloca
}

// isCell says that a pointer is that of a cell of the jump, and an access of the type one
// to all of it.
func (it *iterating) isCell(f *ir.Func, p ir.Value, t ir.Type, inLoop bool) bool {
	root, offset, constant := strip(f, p)
	if !constant || t.Kind != ir.Int {
		return false
	}
	if it.m.PointerBits < 64 {
		offset &= 1<<it.m.PointerBits - 1
	}
	for i := range it.j.Changes {
		c := &it.j.Changes[i].Cell
		if it.j.Changes[i].Value != 0 || c.Offset != offset || c.Bits != t.Bits {
			continue
		}
		if d := f.Def(root); c.Global != "" && d.Op == ir.GlobalAddr && d.Sym == c.Global || c.Global == "" && inLoop && root == c.Pointer {
			return true
		}
	}
	return false
}
