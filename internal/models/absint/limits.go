package absint

// Where widening stops on its way up: first at the constants of the whole module, then,
// where a value still grows after some rounds, at those with which the loop compares for
// equality. A counter that is set back when it is equal to 64 stays below 64, which no
// descent finds again once it was more: !(x == 64) bounds nothing. A bound by < comes
// back in the descent.

import (
	"assay/internal/logic/absdomain"
	"assay/internal/program/ir"
)

// constants is a list of numbers, without repetitions, of at most a length.
type constants struct {
	seen map[int64]bool
	list []int64
}

const mostConstants = 256

func (c *constants) add(n int64) {
	if !c.seen[n] && len(c.list) < mostConstants {
		c.seen[n] = true
		c.list = append(c.list, n)
	}
}

// operands adds the operands of d that are numbers.
func (c *constants) operands(f *ir.Func, d *ir.Def) {
	for _, x := range d.Args {
		if d := &f.Values[x]; d.Op == ir.Const && d.Type.Kind == ir.Int && d.Type.Bits > 1 && d.Type.Bits <= 64 {
			c.add(d.Const.Int64())
		}
	}
}

// thresholds collects the constants of the module that comparisons, masks,
// remainders and sizes of objects use.
func thresholds(m *ir.Module) *absdomain.Thresholds {
	c := constants{seen: map[int64]bool{}}
	for _, f := range m.Funcs {
		for v := range f.Values {
			switch d := &f.Values[v]; d.Op {
			case ir.Eq, ir.Ne, ir.ULt, ir.ULe, ir.SLt, ir.SLe, ir.And, ir.URem, ir.SRem, ir.Alloca, ir.Malloc:
				c.operands(f, d)
			}
		}
	}
	for _, g := range m.Globals {
		c.add(int64(g.Size))
	}
	return absdomain.NewThresholds(c.list)
}

// near are the constants with which the loop of head h, or what it calls, compares for equality.
func (a *analysis) near(fn *function, h ir.BlockID) *absdomain.Thresholds {
	if t := fn.near[h]; t != nil {
		return t
	}
	c := constants{seen: map[int64]bool{}}
	called := map[int]bool{}
	var collect func(f *ir.Func, blocks []ir.BlockID)
	collect = func(f *ir.Func, blocks []ir.BlockID) {
		for _, b := range blocks {
			for _, v := range f.Blocks[b].Instrs {
				switch d := &f.Values[v]; d.Op {
				case ir.Eq, ir.Ne:
					c.operands(f, d)
				case ir.Call:
					if i, ok := a.index[d.Sym]; ok && !called[i] {
						called[i] = true
						collect(a.m.Funcs[i], all(a.m.Funcs[i]))
					}
				}
			}
		}
	}
	collect(fn.f, fn.wto.Component(h))
	if fn.near == nil {
		fn.near = map[ir.BlockID]*absdomain.Thresholds{}
	}
	t := absdomain.NewThresholds(c.list)
	fn.near[h] = t
	return t
}

// all lists the blocks of f.
func all(f *ir.Func) []ir.BlockID {
	out := make([]ir.BlockID, 0, len(f.Blocks))
	for b := 1; b < len(f.Blocks); b++ {
		out = append(out, ir.BlockID(b))
	}
	return out
}
