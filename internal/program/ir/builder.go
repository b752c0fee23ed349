package ir

import (
	"fmt"
	"slices"

	"assay/internal/logic/bv"
)

// Builder makes one function. Blocks and values may be made in any order;
// predecessors and the arguments of phis are filled in by Done.
//
//	b := ir.NewFunc(m, "main", ir.IntType(32))
//	n := b.Param(ir.IntType(32))
//	entry, loop := b.Block("entry"), b.Block("loop")
//	b.At(entry)
//	b.Br(loop)
//	...
//	f := b.Done()
type Builder struct {
	// Func is the function under construction. Its Values and Blocks may be
	// read at any time.
	Func *Func

	m        *Module
	at       BlockID
	pos      Pos
	consts   map[constKey]Value
	incoming map[Value][]edge
}

type edge struct {
	from  BlockID
	value Value
}

// constKey identifies a value outside of blocks, so that it is made once.
type constKey struct {
	op   Op
	t    Type
	text string // the symbol, or the number of a Const wider than 64 bits
	lo   uint64
}

func keyOf(d *Def) constKey {
	k := constKey{op: d.Op, t: d.Type, text: d.Sym}
	if d.Op == Const {
		if d.Const.Width() <= 64 {
			k.lo = d.Const.Uint64()
		} else {
			k.text = d.Const.Unsigned().Text(62)
		}
	}
	return k
}

// NewFunc adds a function without parameters and blocks to m. Without a
// block it stays a declaration.
func NewFunc(m *Module, name string, results ...Type) *Builder {
	f := &Func{Name: name, Results: results, Values: make([]Def, 1, 16)}
	m.Funcs = append(m.Funcs, f)
	return &Builder{Func: f, m: m, consts: map[constKey]Value{}, incoming: map[Value][]edge{}}
}

func (b *Builder) define(d Def) Value {
	b.Func.Values = append(b.Func.Values, d)
	return Value(len(b.Func.Values) - 1)
}

// Param adds a parameter.
func (b *Builder) Param(t Type) Value {
	v := b.define(Def{Op: Param, Type: t, Pos: b.pos})
	b.Func.Params = append(b.Func.Params, v)
	return v
}

func (b *Builder) shared(d Def) Value {
	k := keyOf(&d)
	v, ok := b.consts[k]
	if !ok {
		v = b.define(d)
		b.consts[k] = v
	}
	return v
}

// Const is the integer of the given width with the value v modulo 2^bits.
// Equal constants are one value.
func (b *Builder) Const(bits uint32, v uint64) Value {
	return b.ConstBV(IntType(bits), bv.New(bits, v))
}

// ConstBV is a constant of type Int or Float.
func (b *Builder) ConstBV(t Type, v bv.BV) Value { return b.shared(Def{Op: Const, Type: t, Const: v}) }

// Word is a pointer-wide integer.
func (b *Builder) Word(v uint64) Value { return b.Const(b.m.PointerBits, v) }

// Null is the null pointer.
func (b *Builder) Null() Value { return b.shared(Def{Op: Null, Type: b.m.PtrType()}) }

// GlobalAddr is the address of a global.
func (b *Builder) GlobalAddr(name string) Value {
	return b.shared(Def{Op: GlobalAddr, Type: b.m.PtrType(), Sym: name})
}

// FuncAddr is the address of a function.
func (b *Builder) FuncAddr(name string) Value {
	return b.shared(Def{Op: FuncAddr, Type: b.m.PtrType(), Sym: name})
}

// Var adds a C variable and returns its index, for Dbg.
func (b *Builder) Var(v Var) int {
	b.Func.Vars = append(b.Func.Vars, v)
	return len(b.Func.Vars) - 1
}

// Block adds an empty block. The first one is the entry.
func (b *Builder) Block(name string) BlockID {
	if len(b.Func.Blocks) == 0 {
		b.Func.Blocks = make([]Block, 1, 8)
	}
	b.Func.Blocks = append(b.Func.Blocks, Block{Name: name})
	return BlockID(len(b.Func.Blocks) - 1)
}

// At makes block the place where instructions are appended.
func (b *Builder) At(block BlockID) { b.at = block }

// Current is the block where instructions are appended.
func (b *Builder) Current() BlockID { return b.at }

// SetPos is the position of the definitions that follow.
func (b *Builder) SetPos(p Pos) { b.pos = p }

// Emit appends an instruction to the current block. Its Block is set here, its
// Pos too unless it has one.
func (b *Builder) Emit(d Def) Value {
	d.Block = b.at
	if d.Pos == (Pos{}) {
		d.Pos = b.pos
	}
	v := b.define(d)
	blk := &b.Func.Blocks[b.at]
	blk.Instrs = append(blk.Instrs, v)
	return v
}

// Op appends an instruction that has operands only.
func (b *Builder) Op(op Op, t Type, args ...Value) Value {
	return b.Emit(Def{Op: op, Type: t, Args: args})
}

// Bin appends an operation whose result has the type of its first operand.
func (b *Builder) Bin(op Op, args ...Value) Value { return b.Op(op, b.Func.Type(args[0]), args...) }

// Cmp appends an operation whose result is a truth value.
func (b *Builder) Cmp(op Op, args ...Value) Value { return b.Op(op, BoolType, args...) }

// Select appends a choice between two values.
func (b *Builder) Select(cond, then, els Value) Value {
	return b.Op(Select, b.Func.Type(then), cond, then, els)
}

// Phi appends a phi, which must precede other instructions of the block. Its
// arguments are given by AddIncoming.
func (b *Builder) Phi(t Type) Value { return b.Emit(Def{Op: Phi, Type: t}) }

// AddIncoming says that phi has the value v if its block is entered from
// block from. For several edges from one block, one value serves all, or one
// is given for each in the order of the edges.
func (b *Builder) AddIncoming(phi, v Value, from BlockID) {
	b.incoming[phi] = append(b.incoming[phi], edge{from, v})
}

// Alloca appends a stack object of constant size.
func (b *Builder) Alloca(size, align uint64) Value {
	return b.Emit(Def{Op: Alloca, Type: b.m.PtrType(), Args: []Value{b.Word(size)}, Aux: int64(align)})
}

// Load appends a read of a value of type t.
func (b *Builder) Load(t Type, p Value) Value { return b.Op(Load, t, p) }

// Store appends a write of v to p.
func (b *Builder) Store(v, p Value) Value { return b.Op(Store, Type{}, v, p) }

// PtrAdd appends the addition of off bytes to a pointer.
func (b *Builder) PtrAdd(p, off Value) Value { return b.Op(PtrAdd, b.m.PtrType(), p, off) }

// Call appends a direct call; t is the type of the first result or void.
func (b *Builder) Call(t Type, callee string, args ...Value) Value {
	return b.Emit(Def{Op: Call, Type: t, Sym: callee, Args: args})
}

// CallPtr appends a call through a pointer.
func (b *Builder) CallPtr(t Type, p Value, args ...Value) Value {
	return b.Emit(Def{Op: Call, Type: t, Args: append([]Value{p}, args...)})
}

// Extract appends a further result (index >= 1) of a call.
func (b *Builder) Extract(t Type, call Value, index int) Value {
	return b.Emit(Def{Op: Extract, Type: t, Args: []Value{call}, Aux: int64(index)})
}

// Nondet appends an arbitrary value; sym names its source.
func (b *Builder) Nondet(t Type, kind NondetKind, sym string) Value {
	return b.Emit(Def{Op: Nondet, Type: t, Aux: int64(kind), Sym: sym})
}

// Check appends a check of cond.
func (b *Builder) Check(kind CheckKind, cond Value, text string) Value {
	return b.Emit(Def{Op: Check, Args: []Value{cond}, Aux: int64(kind), Sym: text})
}

// Assume appends an assumption.
func (b *Builder) Assume(cond Value) Value { return b.Op(Assume, Type{}, cond) }

// Dbg appends the assignment of v to the variable of that index.
func (b *Builder) Dbg(index int, v Value) Value {
	return b.Emit(Def{Op: Dbg, Args: []Value{v}, Aux: int64(index)})
}

// Br ends the current block with a jump.
func (b *Builder) Br(to BlockID) { b.Emit(Def{Op: Br, Succs: []BlockID{to}}) }

// CondBr ends the current block with a branch.
func (b *Builder) CondBr(cond Value, then, els BlockID) {
	b.Emit(Def{Op: CondBr, Args: []Value{cond}, Succs: []BlockID{then, els}})
}

// Switch ends the current block; cases[i] goes to succs[i].
func (b *Builder) Switch(v Value, def BlockID, cases []bv.BV, succs []BlockID) {
	b.Emit(Def{Op: Switch, Args: []Value{v}, Cases: cases, Succs: append([]BlockID{def}, succs...)})
}

// Ret ends the current block with a return.
func (b *Builder) Ret(results ...Value) { b.Emit(Def{Op: Ret, Args: results}) }

// Halt ends the current block with the end of the program.
func (b *Builder) Halt(kind HaltKind) { b.Emit(Def{Op: Halt, Aux: int64(kind)}) }

// Unreachable ends the current block.
func (b *Builder) Unreachable() { b.Emit(Def{Op: Unreachable}) }

// Done computes predecessors and arguments of phis and returns the function.
// It panics if a phi lacks the value for an edge: that is a bug of the caller.
func (b *Builder) Done() *Func {
	f := b.Func
	f.ComputePreds()
	from := make([][]Value, len(f.Blocks))
	for phi, in := range b.incoming {
		for _, e := range in {
			from[e.from] = append(from[e.from], e.value)
		}
		d := f.Def(phi)
		preds := f.Blocks[d.Block].Preds
		d.Args = make([]Value, len(preds))
		for i, p := range preds {
			if len(from[p]) == 0 {
				panic(fmt.Sprintf("ir: phi %%%d of %s has no value for block %d", phi, f.Name, p))
			}
			d.Args[i] = from[p][0]
			if len(from[p]) > 1 { // of several edges
				from[p] = from[p][1:]
			}
		}
		for _, e := range in {
			from[e.from] = nil
		}
	}
	return f
}

// ComputePreds sets the predecessors of all blocks from the terminators, in
// the order of the blocks and, within one, of its successors. A function whose
// phis have arguments must keep them in step.
func (f *Func) ComputePreds() {
	for i := range f.Blocks {
		f.Blocks[i].Preds = nil
	}
	for b := 1; b < len(f.Blocks); b++ {
		for _, s := range f.Succs(BlockID(b)) {
			f.Blocks[s].Preds = append(f.Blocks[s].Preds, BlockID(b))
		}
	}
}

// OrderPreds is ComputePreds for a function whose phis have arguments, and whose
// blocks list their predecessors in some order: it keeps them in step.
func (f *Func) OrderPreds() {
	old := make([][]BlockID, len(f.Blocks))
	for b := range f.Blocks {
		old[b] = f.Blocks[b].Preds
	}
	f.ComputePreds()
	for b := range f.Blocks {
		now := f.Blocks[b].Preds
		if slices.Equal(old[b], now) {
			continue
		}
		if len(old[b]) != len(now) {
			panic(fmt.Sprintf("ir: block %d of %s lists %d predecessors, and has %d", b, f.Name, len(old[b]), len(now)))
		}
		from := make([]int, len(now)) // the old place of each edge
		used := make([]bool, len(now))
		for i, u := range now {
			from[i] = -1
			for k, v := range old[b] {
				if u == v && !used[k] {
					from[i], used[k] = k, true
					break
				}
			}
			if from[i] < 0 {
				panic(fmt.Sprintf("ir: block %d of %s does not list its predecessor %d", b, f.Name, u))
			}
		}
		for _, v := range f.Blocks[b].Instrs {
			d := f.Def(v)
			if d.Op != Phi {
				break
			}
			args := make([]Value, len(now))
			for i, k := range from {
				args[i] = d.Args[k]
			}
			d.Args = args
		}
	}
}
