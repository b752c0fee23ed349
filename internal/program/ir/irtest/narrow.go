package irtest

import "assay/internal/program/ir"

// This file has what the modules of Narrow have besides: operations on integers of 8 and 16 bits, which C programs
// convert to 32 and back, and structures { int32 a; int8 b; int16 c; int32 d; } that are written by members,
// and copied.

// members are the offsets and widths of those of a structure.
var members = []struct {
	offset uint64
	bits   uint32
}{{0, 32}, {4, 8}, {6, 16}, {8, 32}}

const recordSize = 12

// record makes a structure in the frame; there is one in each function.
func (g *programmer) record() {
	b := g.b
	x := b.Emit(ir.Def{Op: ir.Alloca, Type: g.m.PtrType(), Args: []ir.Value{b.Word(recordSize)}, Aux: 4})
	b.Op(ir.MemSet, ir.Type{}, x, b.Const(8, uint64(g.IntN(3))), b.Word(recordSize))
	y := b.Emit(ir.Def{Op: ir.Alloca, Type: g.m.PtrType(), Args: []ir.Value{b.Word(recordSize)}, Aux: 4})
	b.Op(ir.MemCpy, ir.Type{}, y, x, b.Word(recordSize))
	g.records = []ir.Value{x, y}
}

// resized is an integer of 32 bits from one of another width, or the other way.
func (g *programmer) resized(v ir.Value, bits uint32) ir.Value {
	switch has := g.b.Func.Type(v).Bits; {
	case has == bits:
		return v
	case has > bits:
		return g.b.Op(ir.Trunc, ir.IntType(bits), v)
	case g.IntN(2) == 0:
		return g.b.Op(ir.SExt, ir.IntType(bits), v)
	}
	return g.b.Op(ir.ZExt, ir.IntType(bits), v)
}

// setMember writes to a member, or copies a structure or a part of one.
func (g *programmer) setMember() {
	b := g.b
	x, y := pickOne(g, g.records), pickOne(g, g.records)
	if g.IntN(5) == 0 {
		from := uint64(g.IntN(8))
		b.Op(ir.MemCpy, ir.Type{}, b.PtrAdd(x, b.Word(from)), b.PtrAdd(y, b.Word(from)), b.Word(recordSize-from))
		return
	}
	m := pickOne(g, members)
	b.Store(g.resized(g.expr(1), m.bits), b.PtrAdd(x, b.Word(m.offset)))
}

// narrowed is an integer of 32 bits that was calculated in another width, or read from a member.
func (g *programmer) narrowed(depth int) ir.Value {
	b := g.b
	bits := []uint32{8, 8, 16, 16, 32, 64}[g.IntN(6)]
	t := ir.IntType(bits)
	x, y := g.resized(g.expr(depth-1), bits), g.resized(g.expr(0), bits)
	switch g.IntN(8) {
	case 0, 1:
		m := pickOne(g, members)
		return g.resized(b.Load(ir.IntType(m.bits), b.PtrAdd(pickOne(g, g.records), b.Word(m.offset))), 32)
	case 2: // by as many bits as there are, or more
		amount := b.Bin(ir.And, y, b.Const(bits, uint64(2*bits-1)))
		return g.resized(b.Bin([]ir.Op{ir.Shl, ir.LShr, ir.AShr}[g.IntN(3)], x, amount), 32)
	case 3:
		return g.resized(b.Bin([]ir.Op{ir.UDiv, ir.SDiv, ir.URem, ir.SRem}[g.IntN(4)], x, y), 32)
	case 4: // by one that is not 0
		return g.resized(b.Bin([]ir.Op{ir.UDiv, ir.SDiv, ir.URem, ir.SRem}[g.IntN(4)], x, b.Bin(ir.Or, y, b.Const(bits, 1))), 32)
	case 5:
		c := b.Cmp([]ir.Op{ir.Eq, ir.ULt, ir.SLt, ir.SLe}[g.IntN(4)], x, y)
		return g.resized(b.Op(ir.Select, t, c, x, y), 32)
	case 6:
		o := b.Op([]ir.Op{ir.SAddOvf, ir.UAddOvf, ir.SSubOvf, ir.USubOvf, ir.SMulOvf, ir.UMulOvf}[g.IntN(6)], ir.BoolType, x, y)
		return b.Op(ir.ZExt, i32, o)
	}
	return g.resized(b.Bin([]ir.Op{ir.Add, ir.Sub, ir.Mul, ir.And, ir.Or, ir.Xor}[g.IntN(6)], x, y), 32)
}
