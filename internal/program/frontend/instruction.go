package frontend

import (
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file imports the instructions that compute. Vectors are scalarised:
// each of these works on the lists of scalars of its operands, element by
// element. The flags that make results poison (nsw, nuw, exact, inbounds,
// nneg, disjoint, fast-math) are dropped: ir's operations wrap. In a module
// that was compiled elsewhere nsw first becomes a check, for there the source
// had a signed operation (see flagChecks).

var binaryOps = map[llvm.Opcode]ir.Op{
	llvm.Add: ir.Add, llvm.Sub: ir.Sub, llvm.Mul: ir.Mul, llvm.UDiv: ir.UDiv, llvm.SDiv: ir.SDiv, llvm.URem: ir.URem, llvm.SRem: ir.SRem,
	llvm.Shl: ir.Shl, llvm.LShr: ir.LShr, llvm.AShr: ir.AShr, llvm.And: ir.And, llvm.Or: ir.Or, llvm.Xor: ir.Xor,
	llvm.FAdd: ir.FAdd, llvm.FSub: ir.FSub, llvm.FMul: ir.FMul, llvm.FDiv: ir.FDiv, llvm.FRem: ir.FRem,
}

var castOps = map[llvm.Opcode]ir.Op{
	llvm.Trunc: ir.Trunc, llvm.ZExt: ir.ZExt, llvm.SExt: ir.SExt,
	llvm.FPToUI: ir.FToUI, llvm.FPToSI: ir.FToSI, llvm.UIToFP: ir.UIToF, llvm.SIToFP: ir.SIToF,
	llvm.FPTrunc: ir.FToF, llvm.FPExt: ir.FToF,
}

// instruction imports one instruction that is no phi.
func (f *function) instruction(i *llvm.Inst) {
	switch i.Op {
	case llvm.DbgValue, llvm.DbgDeclare, llvm.DbgLabel:
		f.debugRecord(i)
		return
	case llvm.Call:
		f.call(i)
		return
	}
	if problem := f.representable(i); problem != "" {
		f.unsupported(problem)
		return
	}
	from := f.current
	switch i.Op {
	case llvm.Br:
		f.branch(i, from)
	case llvm.Switch:
		f.switchInst(i, from)
	case llvm.IndirectBr:
		f.indirectBranch(i, from)
	case llvm.Ret:
		f.returnInst(i)
	case llvm.Unreachable:
		f.b.Unreachable()
		f.end()
	case llvm.Alloca, llvm.Load, llvm.Store, llvm.GetElementPtr, llvm.AtomicRMW, llvm.AtomicCmpXchg:
		f.memory(i)
	case llvm.Fence: // one thread
	default:
		if list := f.compute(i); !f.ended {
			f.vals[i] = list
		}
	}
}

// representable says why an instruction's types have no counterpart, or "".
func (f *function) representable(i *llvm.Inst) string {
	if p := f.im.flatten(i.Type).problem; p != "" {
		return p
	}
	for _, a := range i.Args {
		if p := f.im.expressible(a); p != "" {
			return p
		}
	}
	if computesExtended(i) {
		return "this operation on long double"
	}
	return ""
}

// computesExtended says that an instruction computes with long double, which package llvm has left: with half precision,
// integers of more than 64 bits, vectors.
func computesExtended(i *llvm.Inst) bool {
	switch i.Op {
	case llvm.FAdd, llvm.FSub, llvm.FMul, llvm.FDiv, llvm.FRem, llvm.FNeg, llvm.FCmp, llvm.FPToSI, llvm.FPToUI, llvm.FPTrunc:
		return isExtended(i.Args[0].ValueType())
	case llvm.SIToFP, llvm.UIToFP, llvm.FPExt:
		return isExtended(i.Type)
	}
	return false
}

func isExtended(t *llvm.Type) bool {
	return t.Kind == llvm.ExtendedType || t.Kind == llvm.VectorType && t.Elem.Kind == llvm.ExtendedType
}

// compute imports an instruction without effect; the result is its values.
func (f *function) compute(i *llvm.Inst) []ir.Value {
	f.vectors(i)
	if op, ok := binaryOps[i.Op]; ok {
		if f.hiddenUndef(i) {
			return []ir.Value{f.zero(ir.IntType(i.Type.Bits))}
		}
		x, y := f.operand(i.Args[0]), f.operand(i.Args[1])
		list := make([]ir.Value, len(x))
		if !f.im.foreign {
			f.leftOut(i, x, y)
		}
		for k := range x {
			if f.im.foreign {
				f.flagChecks(i, x[k], y[k])
			}
			list[k] = f.b.Bin(op, x[k], y[k])
			f.nanCheck(op, list[k], x[k], y[k])
		}
		return list
	}
	if op, ok := castOps[i.Op]; ok {
		return f.cast(op, f.operand(i.Args[0]), f.im.flatten(i.Type))
	}
	switch i.Op {
	case llvm.FNeg:
		return f.each(f.operand(i.Args[0]), func(v ir.Value) ir.Value { return f.b.Bin(ir.FNeg, v) })
	case llvm.Freeze:
		return f.operand(i.Args[0])
	case llvm.PtrToInt, llvm.IntToPtr, llvm.BitCast, llvm.AddrSpaceCast:
		return f.reinterpret(i.Op, f.operand(i.Args[0]), f.im.flatten(i.Type))
	case llvm.ICmp, llvm.FCmp:
		x, y := f.operand(i.Args[0]), f.operand(i.Args[1])
		list := make([]ir.Value, len(x))
		for k := range x {
			if i.Op == llvm.ICmp {
				list[k] = f.compareInts(i.Pred, x[k], y[k])
			} else {
				list[k] = f.compareFloats(i.Pred, x[k], y[k])
			}
		}
		return list
	case llvm.Select:
		c, x, y := f.operand(i.Args[0]), f.operand(i.Args[1]), f.operand(i.Args[2])
		list := make([]ir.Value, len(x))
		for k := range x {
			condition := c[0]
			if len(c) == len(x) {
				condition = c[k]
			}
			list[k] = f.b.Select(condition, x[k], y[k])
		}
		return list
	case llvm.ExtractValue:
		first, n := f.im.element(i.Args[0].ValueType(), i.Indices)
		return f.operand(i.Args[0])[first : first+n]
	case llvm.InsertValue:
		first, _ := f.im.element(i.Args[0].ValueType(), i.Indices)
		list := append([]ir.Value(nil), f.operand(i.Args[0])...)
		copy(list[first:], f.operand(i.Args[1]))
		return list
	case llvm.ExtractElement:
		return []ir.Value{f.extractElement(f.operand(i.Args[0]), f.scalar(i.Args[1]))}
	case llvm.InsertElement:
		return f.insertElement(f.operand(i.Args[0]), f.scalar(i.Args[1]), f.scalar(i.Args[2]))
	case llvm.ShuffleVector:
		return f.shuffle(i)
	}
	f.unsupported("the LLVM instruction " + i.Op.String())
	return nil
}

func (f *function) each(list []ir.Value, op func(ir.Value) ir.Value) []ir.Value {
	out := make([]ir.Value, len(list))
	for k, v := range list {
		out[k] = op(v)
	}
	return out
}

func (f *function) cast(op ir.Op, list []ir.Value, to *flat) []ir.Value {
	out := make([]ir.Value, len(list))
	for k, v := range list {
		out[k] = f.b.Op(op, to.scalars[k].Type, v)
	}
	return out
}

// element finds the scalars of a part of an aggregate.
func (im *importer) element(t *llvm.Type, indices []uint32) (first, n int) {
	for _, index := range indices {
		if t.Kind == llvm.StructType {
			for _, field := range t.Fields[:index] {
				first += len(im.flatten(field).scalars)
			}
			t = t.Fields[index]
			continue
		}
		t = t.Elem
		first += int(index) * len(im.flatten(t).scalars)
	}
	return first, len(im.flatten(t).scalars)
}

// isConst gives the value of a constant integer.
func (f *function) isConst(v ir.Value) (bv.BV, bool) {
	d := f.b.Func.Def(v)
	return d.Const, d.Op == ir.Const && d.Type.Kind == ir.Int
}

// extractElement selects by an index; one outside of the vector gives an
// arbitrary value.
func (f *function) extractElement(list []ir.Value, index ir.Value) ir.Value {
	t := f.b.Func.Type(list[0])
	if c, ok := f.isConst(index); ok {
		if c.IsUint64() && c.Uint64() < uint64(len(list)) {
			return list[c.Uint64()]
		}
		return f.b.Nondet(t, ir.NondetUndef, "")
	}
	result := f.b.Nondet(t, ir.NondetUndef, "")
	for k, v := range list {
		result = f.b.Select(f.indexIs(index, k), v, result)
	}
	return result
}

func (f *function) insertElement(list []ir.Value, v, index ir.Value) []ir.Value {
	out := append([]ir.Value(nil), list...)
	if c, ok := f.isConst(index); ok {
		if c.IsUint64() && c.Uint64() < uint64(len(list)) {
			out[c.Uint64()] = v
		}
		return out
	}
	for k := range out {
		out[k] = f.b.Select(f.indexIs(index, k), v, out[k])
	}
	return out
}

func (f *function) indexIs(index ir.Value, k int) ir.Value {
	return f.b.Cmp(ir.Eq, index, f.b.Const(f.b.Func.Type(index).Bits, uint64(k)))
}

func (f *function) shuffle(i *llvm.Inst) []ir.Value {
	both := append(append([]ir.Value(nil), f.operand(i.Args[0])...), f.operand(i.Args[1])...)
	t := f.im.flatten(i.Type)
	list := make([]ir.Value, len(i.Mask))
	for k, m := range i.Mask {
		if m < 0 || m >= len(both) {
			list[k] = f.b.Nondet(t.scalars[k].Type, ir.NondetUndef, "")
			continue
		}
		list[k] = both[m]
	}
	return list
}

func (f *function) not(v ir.Value) ir.Value {
	return f.b.Cmp(ir.Xor, v, f.b.Const(1, 1))
}

// compareInts compares integers or pointers.
func (f *function) compareInts(p llvm.Predicate, x, y ir.Value) ir.Value {
	if f.b.Func.Type(x).Kind == ir.Ptr && p >= llvm.IntSGT && p <= llvm.IntSLE {
		word := f.im.m.WordType()
		x, y = f.b.Op(ir.PtrToInt, word, x), f.b.Op(ir.PtrToInt, word, y)
	}
	switch p {
	case llvm.IntEQ:
		return f.b.Cmp(ir.Eq, x, y)
	case llvm.IntNE:
		return f.b.Cmp(ir.Ne, x, y)
	case llvm.IntUGT:
		return f.b.Cmp(ir.ULt, y, x)
	case llvm.IntUGE:
		return f.b.Cmp(ir.ULe, y, x)
	case llvm.IntULT:
		return f.b.Cmp(ir.ULt, x, y)
	case llvm.IntULE:
		return f.b.Cmp(ir.ULe, x, y)
	case llvm.IntSGT:
		return f.b.Cmp(ir.SLt, y, x)
	case llvm.IntSGE:
		return f.b.Cmp(ir.SLe, y, x)
	case llvm.IntSLT:
		return f.b.Cmp(ir.SLt, x, y)
	default:
		return f.b.Cmp(ir.SLe, x, y)
	}
}

// compareFloats compares; the unordered predicates are the negations of the
// ordered ones of the opposite relation.
func (f *function) compareFloats(p llvm.Predicate, x, y ir.Value) ir.Value {
	switch p {
	case llvm.RealFalse:
		return f.b.Const(1, 0)
	case llvm.RealOEQ:
		return f.b.Cmp(ir.FEq, x, y)
	case llvm.RealOGT:
		return f.b.Cmp(ir.FLt, y, x)
	case llvm.RealOGE:
		return f.b.Cmp(ir.FLe, y, x)
	case llvm.RealOLT:
		return f.b.Cmp(ir.FLt, x, y)
	case llvm.RealOLE:
		return f.b.Cmp(ir.FLe, x, y)
	case llvm.RealONE:
		return f.b.Cmp(ir.Or, f.b.Cmp(ir.FLt, x, y), f.b.Cmp(ir.FLt, y, x))
	case llvm.RealORD:
		return f.not(f.b.Cmp(ir.FUno, x, y))
	case llvm.RealUNO:
		return f.b.Cmp(ir.FUno, x, y)
	case llvm.RealUEQ:
		return f.b.Cmp(ir.Or, f.b.Cmp(ir.FEq, x, y), f.b.Cmp(ir.FUno, x, y))
	case llvm.RealUGT:
		return f.not(f.b.Cmp(ir.FLe, x, y))
	case llvm.RealUGE:
		return f.not(f.b.Cmp(ir.FLt, x, y))
	case llvm.RealULT:
		return f.not(f.b.Cmp(ir.FLe, y, x))
	case llvm.RealULE:
		return f.not(f.b.Cmp(ir.FLt, y, x))
	case llvm.RealUNE:
		return f.not(f.b.Cmp(ir.FEq, x, y))
	default:
		return f.b.Const(1, 1)
	}
}
