package ir

// Influences says whether a value of a function can influence what happens next,
// on runs that execute only some of its blocks: whether it, or what is computed from it
// there, goes anywhere but into operations that are defined for all operands and only
// compute. A run with another value in its place goes the same way, if it does not. A
// value without result is a range of memory, and does. Checks and debug records are not counted.
func (f *Func) Influences(v Value, executed []bool) bool {
	if !f.Def(v).HasResult() {
		return true
	}
	tainted := make([]bool, len(f.Values))
	tainted[v] = true
	for changed := true; changed; {
		changed = false
		for b := range f.Blocks {
			if b >= len(executed) || !executed[b] {
				continue
			}
			for _, u := range f.Blocks[b].Instrs {
				d := f.Def(u)
				hit := false
				for _, a := range d.Args {
					hit = hit || tainted[a]
				}
				if !hit || tainted[u] {
					continue
				}
				switch {
				case d.Op == Dbg || d.Op == Check:
				case d.Op.total():
					tainted[u], changed = true, true
				default:
					return true
				}
			}
		}
	}
	return false
}

// total says that an operation is defined for all operands and only computes.
func (op Op) total() bool {
	switch op {
	case Add, Sub, Mul, And, Or, Xor, SAddOvf, UAddOvf, SSubOvf, USubOvf, SMulOvf, UMulOvf,
		Ctpop, Ctlz, Cttz, Bswap, Bitreverse, FShl, FShr, Eq, Ne, ULt, ULe, SLt, SLe,
		ZExt, SExt, Trunc, BitCast, Select, Phi, Freeze, FAdd, FSub, FMul, FDiv, FRem, FNeg,
		FAbs, FSqrt, FMA, FCopySign, FMin, FMax, FRound, FEq, FLt, FLe, FUno, SIToF, UIToF,
		FToF, PtrAdd:
		return true
	}
	return false
}
