package irtest

import (
	"assay/internal/program/ir"
)

// families group operations that are made alike; each is equally likely.
var families = [][]ir.Op{
	{ir.Add, ir.Sub, ir.Mul, ir.And, ir.Or, ir.Xor},
	{ir.UDiv, ir.SDiv, ir.URem, ir.SRem, ir.Shl, ir.LShr, ir.AShr},
	{ir.SAddOvf, ir.UAddOvf, ir.SSubOvf, ir.USubOvf, ir.SMulOvf, ir.UMulOvf, ir.SLt, ir.SLe},
	{ir.Ctpop, ir.Ctlz, ir.Cttz, ir.Bswap, ir.Bitreverse, ir.FShl, ir.FShr},
	{ir.Eq, ir.Ne, ir.ULt, ir.ULe},
	{ir.ZExt, ir.SExt, ir.Trunc, ir.BitCast},
	{ir.PtrToInt, ir.IntToPtr},
	{ir.Select, ir.Freeze},
	{ir.FAdd, ir.FSub, ir.FMul, ir.FDiv, ir.FRem, ir.FMin, ir.FMax, ir.FCopySign, ir.FNeg, ir.FAbs, ir.FSqrt, ir.FMA, ir.FRound},
	{ir.FEq, ir.FLt, ir.FLe, ir.FUno},
	{ir.FToSI, ir.FToUI, ir.SIToF, ir.UIToF, ir.FToF},
	{ir.Alloca, ir.Malloc},
	{ir.Load, ir.Store}, {ir.Load, ir.Store}, {ir.Load, ir.Store},
	{ir.PtrAdd}, {ir.PtrAdd},
	{ir.MemCpy, ir.MemSet, ir.Havoc},
	{ir.LifetimeStart, ir.LifetimeEnd, ir.StackSave, ir.StackRestore, ir.Free},
	{ir.ObjectSize, ir.ObjectOffset, ir.ValidRange, ir.IsHeapStart, ir.SameObject},
	{ir.Call},
	{ir.Nondet},
	{ir.Check, ir.Check, ir.Assume},
	{ir.Dbg, ir.Label, ir.Accept},
	{ir.VaStart},
}

// instr emits an instruction, or a few.
func (g *generator) instr() {
	op := pick(g, pick(g, families))
	if g.o.Only != nil && !g.o.Only(op) {
		return
	}
	g.b.SetPos(g.pos())
	if v := g.emit(op); v != 0 && g.b.Func.Def(v).HasResult() {
		g.available = append(g.available, v)
	}
}

// arity is the number of operands of an operation whose operands have one type.
func arity(op ir.Op) int {
	switch op {
	case ir.Ctpop, ir.Ctlz, ir.Cttz, ir.Bswap, ir.Bitreverse, ir.FNeg, ir.FAbs, ir.FSqrt, ir.FRound, ir.Freeze:
		return 1
	case ir.FShl, ir.FShr, ir.FMA:
		return 3
	}
	return 2
}

func (g *generator) same(op ir.Op, result, operands ir.Type) ir.Value {
	d := ir.Def{Op: op, Type: result}
	for range arity(op) {
		d.Args = append(d.Args, g.value(operands))
	}
	if op == ir.FRound {
		d.Aux = int64(g.IntN(5))
	}
	return g.b.Emit(d)
}

func (g *generator) emit(op ir.Op) ir.Value {
	switch {
	case op == ir.Bswap:
		t := ir.IntType(pick(g, []uint32{8, 16, 32, 64, 128}))
		return g.same(op, t, t)
	case op >= ir.Add && op <= ir.Xor, op >= ir.Ctpop && op <= ir.FShr:
		t := g.intType()
		return g.same(op, t, t)
	case op >= ir.SAddOvf && op <= ir.UMulOvf, op == ir.SLt, op == ir.SLe:
		return g.same(op, ir.BoolType, g.intType())
	case op >= ir.Eq && op <= ir.ULe:
		t := g.intType()
		if g.chance(40) {
			t = g.m.PtrType()
		}
		return g.same(op, ir.BoolType, t)
	case op >= ir.FAdd && op <= ir.FRound:
		t := g.floatType()
		return g.same(op, t, t)
	case op >= ir.FEq && op <= ir.FUno:
		return g.same(op, ir.BoolType, g.floatType())
	}
	switch op {
	case ir.ZExt, ir.SExt, ir.Trunc, ir.BitCast, ir.PtrToInt, ir.IntToPtr, ir.FToSI, ir.FToUI, ir.SIToF, ir.UIToF, ir.FToF:
		return g.conversion(op)
	case ir.Select, ir.Freeze:
		t := pick(g, g.types())
		if op == ir.Freeze {
			return g.b.Op(op, t, g.value(t))
		}
		return g.b.Op(op, t, g.value(ir.BoolType), g.value(t), g.value(t))
	case ir.Call:
		return g.call()
	case ir.Nondet:
		return g.b.Nondet(pick(g, g.types()), ir.NondetKind(g.IntN(5)), pick(g, []string{"", "__VERIFIER_nondet_int"}))
	case ir.Check, ir.Assume, ir.Dbg, ir.Label, ir.Accept:
		return g.observation(op)
	}
	return g.memory(op)
}

// conversion emits one between types; 0 if there is none between those that came up.
func (g *generator) conversion(op ir.Op) ir.Value {
	b, word := g.b, g.m.WordType()
	switch op {
	case ir.ZExt, ir.SExt, ir.Trunc:
		s, t := g.intType(), g.intType()
		if s.Bits > t.Bits {
			s, t = t, s
		}
		if s == t {
			return 0
		}
		if op == ir.Trunc {
			s, t = t, s
		}
		return b.Op(op, t, g.value(s))
	case ir.BitCast:
		f := g.floatType()
		i := ir.IntType(f.Bits)
		if g.chance(50) {
			return b.Op(op, i, g.value(f))
		}
		return b.Op(op, f, g.value(i))
	case ir.PtrToInt:
		return b.Op(op, pick(g, []ir.Type{word, word, ir.IntType(32), ir.IntType(128)}), g.ptr())
	case ir.IntToPtr:
		return b.Op(op, g.m.PtrType(), g.value(pick(g, []ir.Type{word, word, word, ir.IntType(8), ir.IntType(128)})))
	case ir.FToSI, ir.FToUI:
		return b.Op(op, g.intType(), g.value(g.floatType()))
	case ir.SIToF, ir.UIToF:
		return b.Op(op, g.floatType(), g.value(g.intType()))
	case ir.FToF:
		s, t := g.floatType(), g.floatType()
		if s == t {
			return 0
		}
		return b.Op(op, t, g.value(s))
	}
	panic("irtest: " + op.String() + " is no conversion")
}

// memory emits an instruction about objects.
func (g *generator) memory(op ir.Op) ir.Value {
	b, word := g.b, g.m.WordType()
	switch op {
	case ir.Alloca:
		return b.Emit(ir.Def{Op: op, Type: g.m.PtrType(), Args: []ir.Value{g.small()}, Aux: 1 << g.IntN(5), Layout: ir.Layout{Cell: uint64(g.IntN(3))}})
	case ir.Malloc:
		return b.Op(op, g.m.PtrType(), g.small())
	case ir.Load:
		return b.Emit(ir.Def{Op: op, Type: pick(g, g.types()), Args: []ir.Value{g.ptr()}, Aux: int64(g.IntN(3))})
	case ir.Store:
		return b.Op(op, ir.Type{}, g.value(pick(g, g.types())), g.ptr())
	case ir.PtrAdd:
		off := g.small()
		if g.chance(10) {
			off = g.value(word)
		}
		return b.PtrAdd(g.ptr(), off)
	case ir.MemCpy:
		return b.Op(op, ir.Type{}, g.ptr(), g.ptr(), g.small())
	case ir.MemSet:
		return b.Op(op, ir.Type{}, g.ptr(), g.value(ir.IntType(8)), g.small())
	case ir.Havoc:
		return b.Op(op, ir.Type{}, g.ptr(), g.small())
	case ir.LifetimeStart, ir.LifetimeEnd, ir.StackRestore, ir.Free:
		return b.Op(op, ir.Type{}, g.ptr())
	case ir.StackSave:
		return b.Op(op, g.m.PtrType())
	case ir.ObjectSize, ir.ObjectOffset:
		return b.Op(op, word, g.ptr())
	case ir.ValidRange:
		return b.Op(op, ir.BoolType, g.ptr(), g.small())
	case ir.IsHeapStart:
		return b.Op(op, ir.BoolType, g.ptr())
	case ir.SameObject:
		return b.Op(op, ir.BoolType, g.ptr(), g.ptr())
	case ir.VaStart:
		if !b.Func.Variadic {
			return 0
		}
		return b.Op(op, ir.Type{}, g.ptr())
	}
	panic("irtest: " + op.String())
}

// observation emits a check, an assumption, or what only observers see.
func (g *generator) observation(op ir.Op) ir.Value {
	b := g.b
	switch op {
	case ir.Check:
		return b.Check(ir.CheckKind(1+g.IntN(int(ir.Incompatible))), g.value(ir.BoolType), pick(g, []string{"", "x > 0"}))
	case ir.Assume:
		return b.Assume(b.Cmp(ir.Or, g.value(ir.BoolType), g.value(ir.BoolType)))
	case ir.Dbg:
		if g.varCount == 0 {
			return 0
		}
		if g.chance(10) {
			return b.Emit(ir.Def{Op: op, Aux: int64(g.IntN(g.varCount))})
		}
		return b.Dbg(g.IntN(g.varCount), g.value(pick(g, g.types())))
	case ir.Label:
		return b.Emit(ir.Def{Op: op, Sym: pick(g, []string{"ERROR", "L\t1"})})
	case ir.Accept:
		return b.Emit(ir.Def{Op: op})
	}
	panic("irtest: " + op.String() + " observes nothing")
}

// call emits a call and perhaps the extraction of its other results.
func (g *generator) call() ir.Value {
	b := g.b
	callable := g.m.Funcs[:len(g.m.Funcs)-1]
	if g.o.Acyclic {
		callable = g.m.Funcs[:g.index]
	}
	f := pick(g, callable)
	var args []ir.Value
	for _, t := range f.ParamTypes() {
		args = append(args, g.value(t))
	}
	if f.Variadic {
		for range g.IntN(3) {
			args = append(args, g.value(pick(g, g.types())))
		}
	}
	var v ir.Value
	switch {
	case g.chance(80) || g.o.Acyclic:
		v = b.Call(f.Result(0), f.Name, args...)
	case g.chance(80):
		v = b.CallPtr(f.Result(0), b.FuncAddr(f.Name), args...)
	default: // to anything, with any types
		v = b.CallPtr(pick(g, append(g.types(), ir.Type{})), g.ptr(), args...)
	}
	if len(f.Results) > 1 && g.chance(70) && b.Func.Type(v) == f.Result(0) {
		g.available = append(g.available, b.Extract(f.Results[1], v, 1))
	}
	return v
}
