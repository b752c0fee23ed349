package frontend

import "assay/internal/program/ir"

// This file imports llvm.is.fpclass, which isnan, isinf and their relatives
// become. The mask has a bit for each class:
//
//	1 signalling NaN   4 -inf      8 -normal    16 -subnormal   32 -0
//	2 quiet NaN      512 +inf    256 +normal   128 +subnormal   64 +0

// fractionBits is the number of stored fraction bits of a format.
var fractionBits = map[uint32]uint32{16: 10, 32: 23, 64: 52}

func (f *function) floatClass(v ir.Value, mask uint64) ir.Value {
	width := f.b.Func.Type(v).Bits
	fraction := fractionBits[width]
	bits := f.b.Op(ir.BitCast, ir.IntType(width), v)
	constant := func(n uint64) ir.Value { return f.b.Const(width, n) }
	magnitude := f.b.Bin(ir.And, bits, constant(1<<(width-1)-1))
	infinity := uint64(1)<<(width-1) - 1<<fraction
	negative := f.b.Cmp(ir.SLt, bits, constant(0))
	quiet := f.b.Cmp(ir.Ne, f.b.Bin(ir.And, bits, constant(1<<(fraction-1))), constant(0))

	nan := f.b.Cmp(ir.ULt, constant(infinity), magnitude)
	normal := f.b.Cmp(ir.And, f.b.Cmp(ir.ULe, constant(1<<fraction), magnitude), f.b.Cmp(ir.ULt, magnitude, constant(infinity)))
	subnormal := f.b.Cmp(ir.And, f.b.Cmp(ir.ULt, constant(0), magnitude), f.b.Cmp(ir.ULt, magnitude, constant(1<<fraction)))

	result := f.b.Const(1, 0)
	// in adds a class of which the mask may ask for both halves or one:
	// yes selects the half where the condition holds.
	in := func(class, half ir.Value, yes, no uint64) {
		switch {
		case mask&yes != 0 && mask&no != 0:
		case mask&yes != 0:
			class = f.b.Cmp(ir.And, class, half)
		case mask&no != 0:
			class = f.b.Cmp(ir.And, class, f.not(half))
		default:
			return
		}
		result = f.b.Cmp(ir.Or, result, class)
	}
	in(nan, quiet, 2, 1)
	in(f.b.Cmp(ir.Eq, magnitude, constant(infinity)), negative, 4, 512)
	in(normal, negative, 8, 256)
	in(subnormal, negative, 16, 128)
	in(f.b.Cmp(ir.Eq, magnitude, constant(0)), negative, 32, 64)
	return result
}
