package symex

// What is known of a function before it is executed: its loop heads, which values
// are needed, which are live, and whether a value is rather signed or unsigned.

import (
	"slices"

	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// function is a prepared ir.Func.
type function struct {
	f      *ir.Func
	heads  []bool       // by block
	needed []bool       // by value: has to be computed
	live   [][]ir.Value // by block: live after the phis
	signed []bool       // by value: rather signed than unsigned
	in     [][]ir.Value // by block: live at the start, before the phis
	// places are the constants that the function adds to pointers, each once.
	places []placed
}

// placed is an offset from a pointer.
type placed struct {
	base   ir.Value
	offset linear.Form
}

// ignorable says whether an instruction can be left out if its result is unused.
func ignorable(op ir.Op) bool {
	switch op {
	case ir.Load, ir.Call, ir.Phi: // a load is checked; phis are kept with their block
		return op == ir.Phi
	case ir.Alloca, ir.Malloc, ir.StackSave:
		return false
	}
	return true
}

func (x *explorer) prepare(f *ir.Func) *function {
	if p := x.functions[f]; p != nil {
		return p
	}
	p := &function{f: f}
	x.functions[f] = p
	wto := ir.NewWTO(f)
	p.heads = make([]bool, len(f.Blocks))
	for b := range f.Blocks {
		p.heads[b] = wto.End[b] != 0
	}
	for v := range f.Values {
		if d := f.Def(ir.Value(v)); d.Op == ir.PtrAdd {
			if c := f.Def(d.Args[1]); c.Op == ir.Const {
				at := placed{d.Args[0], linear.Constant(linear.FromBigInt(c.Const.Signed()))}
				if !slices.ContainsFunc(p.places, func(q placed) bool { return q.base == at.base && q.offset.Equal(at.offset) }) {
					p.places = append(p.places, at)
				}
			}
		}
	}
	p.neededValues(x)
	p.liveness()
	p.signedness()
	return p
}

func (p *function) neededValues(x *explorer) {
	p.needed = make([]bool, len(p.f.Values))
	var work []ir.Value
	need := func(v ir.Value) {
		if !p.needed[v] {
			p.needed[v] = true
			work = append(work, v)
		}
	}
	for b := 1; b < len(p.f.Blocks); b++ {
		for _, v := range p.f.Blocks[b].Instrs {
			d := p.f.Def(v)
			switch {
			case d.Op == ir.Dbg:
			case d.Op == ir.Check && !x.target[ir.CheckKind(d.Aux)]:
			case x.isGuarded(d.Op):
				need(v)
			case !d.HasResult() || !ignorable(d.Op):
				need(v)
			}
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range p.f.Def(v).Args {
			need(a)
		}
	}
}

// returningFunctions are those that may return: a path leads to a return past calls of such functions. All
// others exit, abort or run for ever.
func returningFunctions(index *ir.Index, m *ir.Module) map[*ir.Func]bool {
	r := map[*ir.Func]bool{}
	returns := func(f *ir.Func) bool {
		seen := make([]bool, len(f.Blocks))
		for work := []ir.BlockID{1}; len(work) > 0; {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			if seen[b] {
				continue
			}
			seen[b] = true
			ends := slices.ContainsFunc(f.Blocks[b].Instrs, func(v ir.Value) bool {
				d := f.Def(v)
				if d.Op != ir.Call || d.Sym == "" {
					return false
				}
				g := index.Funcs[d.Sym]
				return g != nil && !g.IsDecl() && !r[g]
			})
			switch {
			case ends:
			case f.Terminator(b).Op == ir.Ret:
				return true
			default:
				work = append(work, f.Succs(b)...)
			}
		}
		return false
	}
	for changed := true; changed; {
		changed = false
		for _, f := range m.Funcs {
			if !r[f] && (f.IsDecl() || returns(f)) {
				r[f], changed = true, true
			}
		}
	}
	return r
}

// liveness finds what is live at the start of each block, before the phis, and at loop heads behind them. What
// instructions use that are not needed does not live for them.
func (p *function) liveness() {
	p.in = ir.LiveInOf(p.f, func(v ir.Value) bool { return p.needed[v] })
	p.live = make([][]ir.Value, len(p.f.Blocks))
	for _, b := range ir.RPO(p.f) {
		if p.heads[b] {
			p.live[b] = p.liveAt(b, p.phis(b))
		}
	}
}

// phis is the number of phis of a block.
func (p *function) phis(b ir.BlockID) int {
	for i, v := range p.f.Blocks[b].Instrs {
		if p.f.Def(v).Op != ir.Phi {
			return i
		}
	}
	return len(p.f.Blocks[b].Instrs)
}

// liveAt are the values live before instruction i of b.
func (p *function) liveAt(b ir.BlockID, i int) []ir.Value {
	now := p.after(b)
	p.backwards(b, i, now)
	var out []ir.Value
	for v := range now {
		if now[v] {
			out = append(out, ir.Value(v))
		}
	}
	return out
}

// after is what is live at the end of b.
func (p *function) after(b ir.BlockID) []bool {
	f := p.f
	out := make([]bool, len(f.Values))
	for _, s := range f.Succs(b) {
		for _, v := range p.in[s] {
			out[v] = true
		}
		for _, v := range f.Blocks[s].Instrs {
			d := f.Def(v)
			if d.Op != ir.Phi {
				break
			}
			if !p.needed[v] {
				continue
			}
			for k, pred := range f.Blocks[s].Preds {
				if pred == b {
					p.use(out, d.Args[k])
				}
			}
		}
	}
	return out
}

// backwards moves a set from the end of b to before instruction i.
func (p *function) backwards(b ir.BlockID, i int, now []bool) {
	is := p.f.Blocks[b].Instrs
	for k := len(is) - 1; k >= i; k-- {
		d := p.f.Def(is[k])
		now[is[k]] = false
		if !p.needed[is[k]] || d.Op == ir.Phi {
			continue
		}
		for _, a := range d.Args {
			p.use(now, a)
		}
	}
}

func (p *function) use(set []bool, v ir.Value) {
	if !ir.IsConst(p.f.Def(v).Op) {
		set[v] = true
	}
}

// signedness decides by the uses of a value, through phis and sums, whether its
// symbol should have the range of a signed or an unsigned integer. Values for
// which this is wrong are split where they are used [AProVE-BV §2].
func (p *function) signedness() {
	f := p.f
	votes := make([]int, len(f.Values))
	vote := func(v ir.Value, n int) { votes[v] += n }
	for b := 1; b < len(f.Blocks); b++ {
		for _, v := range f.Blocks[b].Instrs {
			d := f.Def(v)
			n := 0
			switch d.Op {
			case ir.SExt, ir.SLt, ir.SLe, ir.SDiv, ir.SRem, ir.AShr:
				n = 4
			case ir.ZExt, ir.ULt, ir.ULe, ir.UDiv, ir.URem, ir.LShr:
				n = -4
			default:
				continue
			}
			for _, a := range d.Args {
				vote(a, n)
			}
		}
	}
	for range 3 {
		next := append([]int{}, votes...)
		for b := 1; b < len(f.Blocks); b++ {
			for _, v := range f.Blocks[b].Instrs {
				d := f.Def(v)
				switch d.Op {
				case ir.Phi, ir.Add, ir.Sub, ir.Mul, ir.Freeze, ir.Trunc:
					for _, a := range d.Args {
						next[a] += sign(votes[v])
						if d.Op != ir.Trunc {
							next[v] += sign(votes[a])
						}
					}
				}
			}
		}
		votes = next
	}
	p.signed = make([]bool, len(votes))
	for v, n := range votes {
		p.signed[v] = n >= 0
	}
}

func sign(n int) int {
	switch {
	case n > 0:
		return 1
	case n < 0:
		return -1
	}
	return 0
}
