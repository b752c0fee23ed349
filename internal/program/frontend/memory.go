package frontend

import (
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file imports memory accesses and address computations.
//
// Accesses to aggregates become accesses to their scalars. Integers occupy
// whole bytes: an i1 or i17 is stored zero-extended and loaded truncated, as
// LLVM's code generator does it. Accesses to @assay.nondet are not accesses:
// a load from it is an arbitrary value, a copy from it makes the destination
// arbitrary (see package llvm, arbitrary.go).

func (f *function) memory(i *llvm.Inst) {
	switch i.Op {
	case llvm.Alloca:
		f.alloca(i)
	case llvm.Load:
		t := f.im.flatten(i.Type)
		switch {
		case t.memory != "":
			f.unsupported(t.memory)
		case isNondet(i.Args[0]):
			for _, s := range t.scalars {
				f.vals[i] = append(f.vals[i], f.b.Nondet(s.Type, ir.NondetUninit, ""))
			}
		default:
			p := f.scalar(i.Args[0])
			f.checkVariadic(i, p)
			f.vals[i] = f.load(p, t, i.Align)
		}
	case llvm.Store:
		t := f.im.flatten(i.Args[0].ValueType())
		if t.memory != "" {
			f.unsupported(t.memory)
			return
		}
		values := f.operand(i.Args[0])
		p := f.scalar(i.Args[1])
		if f.fresh[p] && f.onlyStored(i.Args[0]) {
			return
		}
		f.store(values, p, t, i.Align)
		f.storedVariable(i.Args[1], values)
	case llvm.GetElementPtr:
		f.vals[i] = f.elementPointers(i.Type, i.Elem, i.Args)
	case llvm.AtomicRMW:
		f.atomicUpdate(i)
	case llvm.AtomicCmpXchg:
		f.compareExchange(i)
	}
}

// isNondet recognises pointers into @assay.nondet.
func isNondet(v llvm.Value) bool {
	switch v := v.(type) {
	case *llvm.Global:
		return v.Name == llvm.NondetObject
	case *llvm.Expr:
		return v.Op == llvm.GetElementPtr && isNondet(v.Args[0])
	case *llvm.Inst:
		return v.Op == llvm.GetElementPtr && isNondet(v.Args[0])
	}
	return false
}

// onlyStored says that a value is arbitrary content that is stored in one
// place and not used otherwise.
func (f *function) onlyStored(v llvm.Value) bool {
	i, ok := v.(*llvm.Inst)
	return ok && i.Op == llvm.Load && isNondet(i.Args[0]) && len(f.usersOf(i)) == 1
}

func (f *function) alloca(i *llvm.Inst) {
	if !i.Elem.Sized {
		f.unsupported("a stack object of type " + i.Elem.Text)
		return
	}
	count := f.resize(f.length(i.Args[0]), f.im.p.PointerBits)
	size := f.multiply(count, i.Elem.Size)
	layout := layoutOf(i.Elem, uint64(f.im.p.PointerBits/8))
	if c, ok := f.isConst(count); !ok || !c.Equal(bv.New(c.Width(), 1)) {
		if i.Elem.Kind == llvm.IntType && i.Elem.Bits == 8 {
			layout = ir.Layout{} // alloca(): the type says nothing
		} else if layout.Stride == 0 {
			layout.Stride = i.Elem.Size
		}
	}
	// A variable is where it is declared. What has no name in C has no column.
	at, name := f.pos, ""
	if declare := f.declared[i]; declare == nil {
		at.Col = 0
	} else {
		if p := pos(declare.Pos); p.Line != 0 {
			at = p
		}
		if at.Col != 0 && declare.Var.Name != "" {
			if f.b.Func.Locals == nil {
				f.b.Func.Locals = map[ir.Pos]ir.Var{}
			}
			f.b.Func.Locals[at] = ir.Var{Name: declare.Var.Name, Pos: at, Type: f.im.cType(declare.Var.Type)}
		}
		if f.im.opts.names(Local{f.src.Name, declare.Var.Name}) {
			name = declare.Var.Name
		}
	}
	p := f.b.Emit(ir.Def{Op: ir.Alloca, Type: f.im.m.PtrType(), Args: []ir.Value{size}, Aux: int64(max(i.Align, 1)), Layout: layout, Pos: at, Sym: name})
	f.vals[i] = []ir.Value{p}
	f.fresh[p] = true
}

// touch notes that memory is accessed.
func (f *function) touch() { clear(f.fresh) }

// multiply is v*n, folded if v is constant.
func (f *function) multiply(v ir.Value, n uint64) ir.Value {
	if c, ok := f.isConst(v); ok {
		return f.b.ConstBV(f.b.Func.Type(v), c.Mul(bv.New(c.Width(), n)))
	}
	if n == 1 {
		return v
	}
	return f.b.Bin(ir.Mul, v, f.b.Const(f.b.Func.Type(v).Bits, n))
}

// offset is p+n.
func (f *function) offset(p ir.Value, n uint64) ir.Value {
	if n == 0 {
		return p
	}
	return f.b.PtrAdd(p, f.b.Word(n))
}

// aligned imports the mark of an access that must be aligned (package llvm,
// alignment.go). Where it is not certain that the alignment is asked, a
// misaligned access makes the answer unknown.
func (f *function) aligned(i *llvm.Inst) {
	align, _ := constInt(i.Args[1])
	certain, _ := constInt(i.Args[2])
	word := f.im.m.WordType()
	low := f.b.Bin(ir.And, f.b.Op(ir.PtrToInt, word, f.scalar(i.Args[0])), f.b.Word(align-1))
	fits := f.b.Cmp(ir.Eq, low, f.b.Word(0))
	if certain == 1 {
		f.b.Check(ir.InvalidDeref, fits, "misaligned access")
		return
	}
	misaligned, next := f.b.Block(""), f.b.Block("")
	f.b.CondBr(fits, next, misaligned)
	f.b.At(misaligned)
	f.b.Emit(ir.Def{Op: ir.Unsupported, Sym: "a misaligned access, of which it is not clear which alignment its type asks,"})
	f.b.At(next)
}

func (f *function) load(p ir.Value, t *flat, align uint64) []ir.Value {
	f.touch()
	list := make([]ir.Value, len(t.scalars))
	for k, s := range t.scalars {
		at := f.offset(p, s.Offset)
		f.unlessDisabled(at, f.b.Word(storage(s.Type).Size()))
		v := f.b.Emit(ir.Def{Op: ir.Load, Type: storage(s.Type), Args: []ir.Value{at}, Aux: alignAt(align, s.Offset)})
		list[k] = f.convert(v, s.Type)
	}
	return list
}

func (f *function) store(values []ir.Value, p ir.Value, t *flat, align uint64) {
	f.touch()
	for k, s := range t.scalars {
		v := f.convert(values[k], storage(s.Type))
		at := f.offset(p, s.Offset)
		f.unlessDisabled(at, f.b.Word(storage(s.Type).Size()))
		f.b.Emit(ir.Def{Op: ir.Store, Args: []ir.Value{v, at}, Aux: alignAt(align, s.Offset)})
	}
}

// alignAt is the alignment at an offset from an aligned place.
func alignAt(align, offset uint64) int64 {
	if offset == 0 {
		return int64(align)
	}
	return int64(min(align, offset&-offset))
}

// elementPointers imports a getelementptr; there are several results if it
// works on vectors.
func (f *function) elementPointers(t, elem *llvm.Type, args []llvm.Value) []ir.Value {
	if t.Kind != llvm.VectorType {
		indices := make([]ir.Value, len(args)-1)
		for k, a := range args[1:] {
			indices[k] = f.scalar(a)
		}
		return []ir.Value{f.elementPointer(elem, f.scalar(args[0]), indices)}
	}
	lists := make([][]ir.Value, len(args))
	for k, a := range args {
		lists[k] = f.operand(a)
	}
	out := make([]ir.Value, t.Len)
	lane := make([]ir.Value, len(args))
	for n := range out {
		for k, list := range lists {
			lane[k] = list[0]
			if uint64(len(list)) == t.Len {
				lane[k] = list[n]
			}
		}
		out[n] = f.elementPointer(elem, lane[0], lane[1:])
	}
	return out
}

// elementPointer adds up the offsets: constants into one number, the others by
// instructions, pointer-wide, all wrapping.
func (f *function) elementPointer(t *llvm.Type, base ir.Value, indices []ir.Value) ir.Value {
	constant := uint64(0)
	var variable ir.Value
	for k, index := range indices {
		c, isConst := f.isConst(index)
		if k > 0 {
			if t.Kind == llvm.StructType {
				constant += t.Offsets[c.Uint64()]
				t = t.Fields[c.Uint64()]
				continue
			}
			t = t.Elem
		}
		if isConst {
			constant += uint64(c.Int64()) * t.Size
			continue
		}
		part := f.multiply(f.signedResize(index, f.im.p.PointerBits), t.Size)
		if variable != 0 {
			part = f.b.Bin(ir.Add, variable, part)
		}
		variable = part
	}
	if variable == 0 {
		n := bv.New(f.im.p.PointerBits, constant)
		return f.offset(base, n.Uint64())
	}
	return f.offset(f.b.PtrAdd(base, variable), bv.New(f.im.p.PointerBits, constant).Uint64())
}

// signedResize truncates or sign-extends an integer.
func (f *function) signedResize(v ir.Value, bits uint32) ir.Value {
	if c, ok := f.isConst(v); ok {
		if c.Width() < bits {
			return f.b.ConstBV(ir.IntType(bits), c.SExt(bits))
		}
		return f.b.ConstBV(ir.IntType(bits), c.Trunc(bits))
	}
	switch from := f.b.Func.Type(v).Bits; {
	case from > bits:
		return f.b.Op(ir.Trunc, ir.IntType(bits), v)
	case from < bits:
		return f.b.Op(ir.SExt, ir.IntType(bits), v)
	}
	return v
}

// expression evaluates a constant expression at this place.
func (f *function) expression(e *llvm.Expr) []ir.Value {
	if a, ok := f.im.address(e); ok && !(e.Type.Kind == llvm.PointerType && f.im.pointsElsewhere(a)) && (e.Type.Kind == llvm.PointerType || e.Type.Kind == llvm.IntType && a.symbol == "") {
		return []ir.Value{f.addressValue(a, e.Type)}
	}
	switch e.Op {
	case llvm.GetElementPtr:
		return f.elementPointers(e.Type, e.Elem, e.Args)
	case llvm.PtrToInt, llvm.IntToPtr, llvm.BitCast, llvm.AddrSpaceCast, llvm.Trunc:
		return f.reinterpret(e.Op, f.operand(e.Args[0]), f.im.flatten(e.Type))
	default: // see expressible
		x, y := f.operand(e.Args[0]), f.operand(e.Args[1])
		list := make([]ir.Value, len(x))
		for k := range x {
			list[k] = f.b.Bin(binaryOps[e.Op], x[k], y[k])
		}
		return list
	}
}

// expressible says why a constant cannot be expressed, "" if it can.
func (im *importer) expressible(v llvm.Value) string {
	problem := ""
	walkConstant(v, func(v llvm.Value) {
		switch v := v.(type) {
		case *llvm.Const:
			if v.Kind == llvm.OtherConst {
				problem = "a constant of type " + v.Type.Text
			}
		case *llvm.Asm:
			problem = "inline assembly as a value"
		case *llvm.Global:
			if v.Weak {
				problem = "the weak symbol " + v.Name + ", which may be absent"
			}
			if v.Init == nil {
				if what := im.unsupportedLibrary(v.Name); what != "" {
					problem = what
				}
			}
		case *llvm.Function:
			if v.Weak {
				problem = "the weak symbol " + v.Name + ", which may be absent"
			}
		case *llvm.Expr:
			switch v.Op {
			case llvm.GetElementPtr, llvm.PtrToInt, llvm.IntToPtr, llvm.BitCast, llvm.AddrSpaceCast, llvm.Trunc,
				llvm.Add, llvm.Sub, llvm.Mul, llvm.Xor, llvm.Shl, llvm.BlockAddress:
			default:
				problem = "the constant expression " + v.Op.String()
			}
		}
		if t := v.ValueType(); t != nil && im.flatten(t).problem != "" {
			problem = im.flatten(t).problem
		}
	})
	return problem
}

// addressValue makes the value of an evaluated constant.
func (f *function) addressValue(a address, t *llvm.Type) ir.Value {
	if t.Kind == llvm.IntType {
		return f.b.ConstBV(ir.IntType(t.Bits), bv.NewSigned(t.Bits, a.addend))
	}
	offset := bv.New(f.im.p.PointerBits, uint64(a.addend)).Uint64()
	switch {
	case a.symbol == "" && a.addend == 0:
		return f.b.Null()
	case a.symbol == "":
		return f.b.Op(ir.IntToPtr, f.im.m.PtrType(), f.b.Word(offset))
	}
	return f.offset(f.symbolAddr(a.symbol), offset)
}

func (f *function) symbolAddr(name string) ir.Value {
	if f.im.isFunction[name] {
		return f.b.FuncAddr(name)
	}
	if cell := f.im.cells[name]; cell != "" {
		return f.b.Load(f.im.m.PtrType(), f.b.GlobalAddr(cell))
	}
	return f.b.GlobalAddr(name)
}

// atomicUpdate imports an atomicrmw as a load, an operation and a store.
func (f *function) atomicUpdate(i *llvm.Inst) {
	t := f.im.flatten(i.Type)
	p, operand := f.scalar(i.Args[0]), f.operand(i.Args[1])
	old := f.load(p, t, i.Align)
	updated := make([]ir.Value, len(old))
	for k := range old {
		v, ok := f.atomicOperation(i.Pred, old[k], operand[k])
		if !ok {
			f.unsupported("this atomic operation")
			return
		}
		updated[k] = v
	}
	f.store(updated, p, t, i.Align)
	f.vals[i] = old
}

func (f *function) atomicOperation(op llvm.Predicate, x, y ir.Value) (ir.Value, bool) {
	pick := func(less ir.Op, a, b ir.Value) ir.Value { return f.b.Select(f.b.Cmp(less, a, b), x, y) }
	switch op {
	case llvm.RMWXchg:
		return y, true
	case llvm.RMWAdd:
		return f.b.Bin(ir.Add, x, y), true
	case llvm.RMWSub:
		return f.b.Bin(ir.Sub, x, y), true
	case llvm.RMWAnd:
		return f.b.Bin(ir.And, x, y), true
	case llvm.RMWNand:
		return f.complement(f.b.Bin(ir.And, x, y)), true
	case llvm.RMWOr:
		return f.b.Bin(ir.Or, x, y), true
	case llvm.RMWXor:
		return f.b.Bin(ir.Xor, x, y), true
	case llvm.RMWMax:
		return pick(ir.SLt, y, x), true
	case llvm.RMWMin:
		return pick(ir.SLt, x, y), true
	case llvm.RMWUMax:
		return pick(ir.ULt, y, x), true
	case llvm.RMWUMin:
		return pick(ir.ULt, x, y), true
	case llvm.RMWFAdd:
		return f.b.Bin(ir.FAdd, x, y), true
	case llvm.RMWFSub:
		return f.b.Bin(ir.FSub, x, y), true
	}
	return 0, false
}

func (f *function) complement(v ir.Value) ir.Value {
	t := f.b.Func.Type(v)
	return f.b.Bin(ir.Xor, v, f.b.ConstBV(t, bv.New(t.Bits, 0).Not()))
}

// compareExchange imports a cmpxchg: the old value and whether it was exchanged.
func (f *function) compareExchange(i *llvm.Inst) {
	t := f.im.flatten(i.Args[1].ValueType())
	p, expected, desired := f.scalar(i.Args[0]), f.scalar(i.Args[1]), f.scalar(i.Args[2])
	old := f.load(p, t, i.Align)[0]
	equal := f.b.Cmp(ir.Eq, old, expected)
	f.store([]ir.Value{f.b.Select(equal, desired, old)}, p, t, i.Align)
	f.vals[i] = []ir.Value{old, equal}
}
