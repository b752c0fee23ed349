package frontend

import (
	"fmt"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file imports functions: parameters, blocks, phis, terminators.
//
// Blocks are visited in reverse postorder, so that definitions come before
// uses, except in phis. The arguments of phis are evaluated at the end of the
// predecessor, before its terminator, because a constant expression or an
// undef among them becomes instructions there.
//
// An LLVM block may end early in ir: at a call that does not come back, or at
// something unsupported. What follows is dropped; blocks that are no longer
// reached are removed by prune.

// function is the state of importing one function.
type function struct {
	im   *importer
	src  *llvm.Function // nil for the entry function and for stubs
	b    *ir.Builder
	vals map[llvm.Value][]ir.Value
	// blocks are the ir blocks by Block.Index.
	blocks []ir.BlockID
	// incoming collects arguments of phis of blocks that may not exist yet.
	incoming []incoming
	// ended says that the current block has its terminator already.
	ended bool
	pos   ir.Pos
	vars  map[varKey]int
	// declared are the variables that live in surviving stack objects.
	declared map[llvm.Value]*llvm.Inst
	checks   *checks
	guarded  guarded
	folded   bool      // a check of constants fails
	users    userTable // made when needed
	// fresh are the stack objects that were made, or made arbitrary, in this
	// block, with no access to memory since: making them arbitrary again
	// changes nothing.
	fresh   map[ir.Value]bool
	current *llvm.Block
	// extra are parameters of a function that is imported for some of its calls; printing is there if it is
	// for one format (printing.go), arguments if it is for one list of types (variadic.go) and reads them.
	extra     []ir.Value
	printing  *printing
	arguments ir.Value
}

type incoming struct {
	phi   *llvm.Inst
	index int // scalar
	value ir.Value
	from  ir.BlockID
}

// function imports a function with a body.
func (im *importer) function(src *llvm.Function) { im.functionFor(src, nil) }

// functionFor imports it for some of its calls, if s is not nil.
func (im *importer) functionFor(src *llvm.Function, s *specialised) {
	f := &function{
		im:       im,
		src:      src,
		vals:     map[llvm.Value][]ir.Value{},
		blocks:   make([]ir.BlockID, len(src.Blocks)),
		vars:     map[varKey]int{},
		declared: map[llvm.Value]*llvm.Inst{},
		checks:   findChecks(src),
		fresh:    map[ir.Value]bool{},
	}
	results := im.flatten(src.Type.Return)
	var types []ir.Type
	for _, s := range results.scalars {
		types = append(types, s.Type)
	}
	name := im.symbol(src)
	if s != nil {
		name = s.symbol
	}
	f.b = ir.NewFunc(im.m, name, types...)
	f.b.Func.Pos = pos(src.Pos)
	f.b.Func.Variadic = src.Type.Variadic && s == nil
	f.b.Func.Model = src.Library
	f.b.SetPos(f.b.Func.Pos)
	problem := results.problem
	for _, p := range src.Params {
		t := im.flatten(p.Type)
		if t.problem != "" {
			problem = t.problem
		}
		var list []ir.Value
		for _, s := range t.scalars {
			list = append(list, f.b.Param(s.Type))
		}
		f.vals[p] = list
	}
	if s != nil {
		for _, t := range s.extra {
			f.extra = append(f.extra, f.b.Param(t))
		}
		if f.printing = s.printing; f.printing != nil {
			f.printing.takes(f.extra)
		}
	}
	for i, b := range src.Blocks {
		f.blocks[i] = f.b.Block(b.Name)
	}
	if problem != "" {
		// The signature cannot be expressed: calls reach the entry only.
		f.at(f.blocks[0])
		f.unsupported(problem)
		for _, b := range f.blocks[1:] {
			f.at(b)
			f.b.Unreachable()
		}
		f.b.Done()
		return
	}
	f.collectDeclared()
	order := reversePostorder(src)
	for _, b := range order {
		f.block(b)
	}
	visited := make([]bool, len(src.Blocks))
	for _, b := range order {
		visited[b.Index] = true
	}
	for i, b := range f.blocks {
		if !visited[i] {
			f.at(b)
			f.b.Unreachable()
		}
	}
	for _, in := range f.incoming {
		f.b.AddIncoming(f.vals[in.phi][in.index], in.value, in.from)
	}
	f.b.Done()
}

func (f *function) at(b ir.BlockID) {
	f.b.At(b)
	f.ended = false
}

// reversePostorder lists the blocks that the entry reaches.
func reversePostorder(src *llvm.Function) []*llvm.Block {
	type visit struct {
		b    *llvm.Block
		next int
	}
	seen := make([]bool, len(src.Blocks))
	var order []*llvm.Block
	stack := []visit{{b: src.Blocks[0]}}
	seen[0] = true
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		succs := successors(top.b)
		if top.next < len(succs) {
			s := succs[top.next]
			top.next++
			if !seen[s.Index] {
				seen[s.Index] = true
				stack = append(stack, visit{b: s})
			}
			continue
		}
		order = append(order, top.b)
		stack = stack[:len(stack)-1]
	}
	for i, j := 0, len(order)-1; i < j; i, j = i+1, j-1 {
		order[i], order[j] = order[j], order[i]
	}
	return order
}

func successors(b *llvm.Block) []*llvm.Block { return b.Instrs[len(b.Instrs)-1].Blocks }

func (f *function) block(b *llvm.Block) {
	f.at(f.blocks[b.Index])
	f.current = b
	f.touch()
	if b.Index == 0 {
		f.copyByValue()
		if f.src.Type.Variadic && !f.b.Func.Variadic && f.printing == nil {
			f.keepArguments()
		}
		if f.im.addressTaken[f.src] { // calls through pointers do not see the name
			f.beforeCall(f.src.Name)
		}
	}
	for _, i := range b.Instrs {
		f.setPos(pos(i.Pos))
		if i.Op == llvm.Phi {
			if f.checks.phis[i] != nil {
				continue
			}
			if problem := f.representable(i); problem != "" {
				f.unsupported(problem)
				return
			}
			for _, s := range f.im.flatten(i.Type).scalars {
				f.vals[i] = append(f.vals[i], f.b.Phi(s.Type))
			}
			continue
		}
		f.instruction(i)
		if f.ended {
			delete(f.vals, i) // it has no value where it is used
			return
		}
	}
}

// setPos sets the position of what is emitted next. Code without a position
// keeps the one before it; library models have none.
func (f *function) setPos(p ir.Pos) {
	if p.Line != 0 {
		f.pos = p
		f.b.SetPos(p)
	}
}

// copyByValue makes the copies of the arguments that are passed by value: the
// callee owns them.
func (f *function) copyByValue() {
	for _, p := range f.src.Params {
		if p.ByVal == nil {
			continue
		}
		object := f.b.Emit(ir.Def{
			Op: ir.Alloca, Type: f.im.m.PtrType(), Args: []ir.Value{f.b.Word(p.ByVal.Size)},
			Aux: int64(p.ByVal.Align), Layout: layoutOf(p.ByVal, uint64(f.im.p.PointerBits/8)),
		})
		f.b.Op(ir.MemCpy, ir.Type{}, object, f.vals[p][0], f.b.Word(p.ByVal.Size))
		f.vals[p] = []ir.Value{object}
	}
}

// end notes that the current block is finished.
func (f *function) end() { f.ended = true }

// unsupported ends the block: reaching this place makes the answer unknown.
func (f *function) unsupported(what string) {
	f.b.Emit(ir.Def{Op: ir.Unsupported, Sym: what})
	f.end()
}

func (f *function) halt(kind ir.HaltKind) {
	f.b.Halt(kind)
	f.end()
}

// operand is the list of values of an operand.
func (f *function) operand(v llvm.Value) []ir.Value {
	switch v := v.(type) {
	case *llvm.Inst, *llvm.Param:
		if list, ok := f.vals[v]; ok {
			return list
		}
		// The definition was dropped with the end of its block, so this place
		// is not reached either; prune removes it.
		var list []ir.Value
		for _, s := range f.im.flatten(v.ValueType()).scalars {
			list = append(list, f.zero(s.Type))
		}
		return list
	case *llvm.Const:
		return f.constant(v)
	case *llvm.Global:
		return []ir.Value{f.symbolAddr(f.im.symbol(v))}
	case *llvm.Function:
		return []ir.Value{f.b.FuncAddr(f.im.functionSymbol(v))}
	case *llvm.Expr:
		return f.expression(v)
	}
	panic(fmt.Sprintf("frontend: operand %T", v))
}

// scalar is the value of an operand that is no aggregate.
func (f *function) scalar(v llvm.Value) ir.Value {
	list := f.operand(v)
	if len(list) != 1 {
		panic(fmt.Sprintf("frontend: operand of type %s in place of a scalar", v.ValueType().Text))
	}
	return list[0]
}

// zero is the null value of a type.
func (f *function) zero(t ir.Type) ir.Value {
	if t.Kind == ir.Ptr {
		return f.b.Null()
	}
	return f.b.ConstBV(t, bv.New(t.Bits, 0))
}

// constant is the list of values of a constant. Undef and poison become fresh
// values at this place.
func (f *function) constant(c *llvm.Const) []ir.Value {
	t := f.im.flatten(c.Type)
	var list []ir.Value
	switch c.Kind {
	case llvm.IntConst, llvm.FloatConst:
		for _, s := range t.scalars { // one, or a splat
			list = append(list, f.number(s.Type, c.Bits))
		}
	case llvm.ZeroConst:
		for _, s := range t.scalars {
			list = append(list, f.zero(s.Type))
		}
	case llvm.AggregateConst:
		for _, e := range c.Elems {
			list = append(list, f.operand(e)...)
		}
	case llvm.BytesConst:
		for _, b := range c.Bytes {
			list = append(list, f.b.Const(8, uint64(b)))
		}
	default:
		for _, s := range t.scalars {
			list = append(list, f.b.Nondet(s.Type, ir.NondetUndef, ""))
		}
	}
	return list
}

// number is a constant. What clang writes for a NaN may be an operation that it has folded, whose sign is
// another where it is not folded; so it is made by one. NAN of math.h cannot be told from that.
func (f *function) number(t ir.Type, bits bv.BV) ir.Value {
	fraction, ok := fractionBits[t.Bits]
	if t.Kind != ir.Float || !ok || f.im.foreign || bits.Uint64()&(1<<(t.Bits-1)-1) != 1<<(t.Bits-1)-1<<(fraction-1) {
		return f.b.ConstBV(t, bits)
	}
	zero := f.zero(t)
	return f.b.Op(ir.FDiv, t, zero, zero)
}
