package frontend

import (
	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file converts scalars that keep their bits: between integers, pointers
// and floating-point numbers of one width, and between one wide integer and
// the scalars that lie one after another in it. Memory is little-endian: the
// first scalar has the lowest bits.

// reinterpret imports conversions that keep the bits.
func (f *function) reinterpret(op llvm.Opcode, list []ir.Value, to *flat) []ir.Value {
	if len(list) != len(to.scalars) {
		return f.splitBits(f.joinBits(list), to)
	}
	out := make([]ir.Value, len(list))
	for k, v := range list {
		out[k] = f.convert(v, to.scalars[k].Type)
	}
	return out
}

// convert changes a scalar's type: integers change their width by truncation
// or zero-extension, everything else keeps the bits.
func (f *function) convert(v ir.Value, to ir.Type) ir.Value {
	from := f.b.Func.Type(v)
	switch {
	case from == to:
		return v
	case from.Kind == ir.Ptr:
		return f.convertBits(f.b.Op(ir.PtrToInt, ir.IntType(to.Bits), v), to)
	case to.Kind == ir.Ptr:
		word := f.im.m.WordType()
		if from.Kind == ir.Float {
			v = f.b.Op(ir.BitCast, ir.IntType(from.Bits), v)
		}
		return f.b.Op(ir.IntToPtr, to, f.resize(v, word.Bits))
	}
	return f.convertBits(v, to)
}

// convertBits converts between Int and Float.
func (f *function) convertBits(v ir.Value, to ir.Type) ir.Value {
	from := f.b.Func.Type(v)
	switch {
	case from == to:
		return v
	case from.Kind == ir.Int && to.Kind == ir.Int:
		return f.resize(v, to.Bits)
	case from.Bits == to.Bits:
		return f.b.Op(ir.BitCast, to, v)
	case from.Kind == ir.Float:
		return f.convertBits(f.b.Op(ir.BitCast, ir.IntType(from.Bits), v), to)
	}
	return f.b.Op(ir.BitCast, to, f.resize(v, to.Bits))
}

// resize truncates or zero-extends an integer.
func (f *function) resize(v ir.Value, bits uint32) ir.Value {
	if c, ok := f.isConst(v); ok {
		if c.Width() < bits {
			return f.b.ConstBV(ir.IntType(bits), c.ZExt(bits))
		}
		return f.b.ConstBV(ir.IntType(bits), c.Trunc(bits))
	}
	switch from := f.b.Func.Type(v).Bits; {
	case from > bits:
		return f.b.Op(ir.Trunc, ir.IntType(bits), v)
	case from < bits:
		return f.b.Op(ir.ZExt, ir.IntType(bits), v)
	}
	return v
}

// joinBits concatenates scalars as they lie in memory, the first one lowest.
func (f *function) joinBits(list []ir.Value) ir.Value {
	total := uint32(0)
	for _, v := range list {
		total += f.b.Func.Type(v).Bits
	}
	var result ir.Value
	shift := uint64(0)
	for _, v := range list {
		bits := f.b.Func.Type(v).Bits
		part := f.resize(f.convert(v, ir.IntType(bits)), total)
		if shift > 0 {
			part = f.b.Bin(ir.Or, result, f.b.Bin(ir.Shl, part, f.b.Const(total, shift)))
		}
		result = part
		shift += uint64(bits)
	}
	return result
}

// splitBits is the inverse of joinBits.
func (f *function) splitBits(v ir.Value, to *flat) []ir.Value {
	total := f.b.Func.Type(v).Bits
	list := make([]ir.Value, len(to.scalars))
	shift := uint64(0)
	for k, s := range to.scalars {
		part := v
		if shift > 0 {
			part = f.b.Bin(ir.LShr, v, f.b.Const(total, shift))
		}
		list[k] = f.convert(f.resize(part, s.Type.Bits), s.Type)
		shift += uint64(s.Type.Bits)
	}
	return list
}
