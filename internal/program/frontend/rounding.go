package frontend

import "assay/internal/program/ir"

// This file gives a meaning to programs that call fesetround. The rounding mode is
// a variable of the library models. Functions that round to an integer in the
// current mode (rint and its like) look at it; every other operation that may
// round is that of ir, to nearest: before it the mode is checked, and another than
// to nearest is an obstacle. Programs that do not call fesetround are left as they
// are.

// The variable with the rounding mode, and its values, those of x86.
const (
	roundingName = "__assay_rounding"
	feToNearest  = 0
	feDownward   = 0x400
	feUpward     = 0x800
	feTowardZero = 0xc00
)

// currentMode marks an FRound that rounds in the current mode, until
// roundings has run.
const currentMode = "current"

// rounding names the functions that are added.
const (
	nearestName = "assay.nearest"
	rintName    = "assay.rint"
)

func (im *importer) rounding() {
	set := im.m.Func("fesetround")
	changes := set != nil && set.Model && len(set.Blocks) > 0
	var nearest *ir.Func
	integral := map[uint32]*ir.Func{}
	for _, f := range im.m.Funcs {
		for b := range f.Blocks {
			block := &f.Blocks[b]
			var instrs []ir.Value
			for n, v := range block.Instrs {
				d := f.Def(v)
				current := d.Op == ir.FRound && d.Sym == currentMode
				if d.Op == ir.FRound {
					d.Sym = ""
				}
				switch {
				case !changes:
				case current:
					t := d.Type
					if integral[t.Bits] == nil {
						integral[t.Bits] = im.rint(t)
					}
					*d = ir.Def{Op: ir.Call, Type: t, Args: d.Args, Sym: integral[t.Bits].Name, Block: d.Block, Pos: d.Pos}
				case rounds(f, d):
					if nearest == nil {
						nearest = im.nearest()
					}
					if instrs == nil {
						instrs = append(instrs, block.Instrs[:n]...)
					}
					f.Values = append(f.Values, ir.Def{Op: ir.Call, Sym: nearest.Name, Block: ir.BlockID(b), Pos: d.Pos})
					instrs = append(instrs, ir.Value(len(f.Values)-1))
				}
				if instrs != nil {
					instrs = append(instrs, v)
				}
			}
			if instrs != nil {
				block.Instrs = instrs
			}
		}
	}
}

// rounds says whether the result of an operation may depend on the rounding mode.
func rounds(f *ir.Func, d *ir.Def) bool {
	switch d.Op {
	case ir.FAdd, ir.FSub, ir.FMul, ir.FDiv, ir.FSqrt, ir.FMA:
		return true
	case ir.FToF:
		return f.Type(d.Args[0]).Bits > d.Type.Bits
	case ir.SIToF, ir.UIToF:
		significand := map[uint32]uint32{16: 11, 32: 24, 64: 53}[d.Type.Bits]
		n := f.Type(d.Args[0]).Bits
		if d.Op == ir.SIToF {
			n--
		}
		return n > significand
	}
	return false
}

// mode begins a function that looks at the rounding mode.
func (im *importer) mode(b *ir.Builder) ir.Value {
	b.Func.Model = true
	b.At(b.Block("entry"))
	return b.Load(ir.IntType(32), b.GlobalAddr(roundingName))
}

// nearest is the function that must not be called in another mode.
func (im *importer) nearest() *ir.Func {
	b := ir.NewFunc(im.m, nearestName)
	mode := im.mode(b)
	other, ok := b.Block("other"), b.Block("nearest")
	b.CondBr(b.Cmp(ir.Eq, mode, b.Const(32, feToNearest)), ok, other)
	b.At(other)
	b.Emit(ir.Def{Op: ir.Unsupported, Sym: "floating-point arithmetic in another rounding mode than to nearest"})
	b.At(ok)
	b.Ret()
	return b.Done()
}

// rint is the function that rounds to an integer in the current mode.
func (im *importer) rint(t ir.Type) *ir.Func {
	b := ir.NewFunc(im.m, rintName+map[uint32]string{16: "16", 32: "32", 64: "64"}[t.Bits], t)
	x := b.Param(t)
	mode := im.mode(b)
	result := b.Emit(ir.Def{Op: ir.FRound, Type: t, Args: []ir.Value{x}, Aux: int64(ir.RoundNearestEven)})
	for _, m := range []struct {
		value uint64
		mode  ir.RoundingMode
	}{{feDownward, ir.RoundDown}, {feUpward, ir.RoundUp}, {feTowardZero, ir.RoundTowardZero}} {
		y := b.Emit(ir.Def{Op: ir.FRound, Type: t, Args: []ir.Value{x}, Aux: int64(m.mode)})
		result = b.Select(b.Cmp(ir.Eq, mode, b.Const(32, m.value)), y, result)
	}
	b.Ret(result)
	return b.Done()
}
