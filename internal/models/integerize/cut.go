package integerize

// Where paths are cut: at the heads of loops, so that every cycle is; at the entry
// of recursive functions; and where so many paths meet that following each
// of them would multiply: then the transitions grow with the branches, not with
// the paths. Package its chains what is cheap to chain.

import "assay/internal/program/ir"

// maxPaths is how many paths from cutpoints may meet before another cut is made.
const maxPaths = 8

const (
	cutNone uint8 = iota
	cutActive
	cutDone
)

// cuts chooses the cutpoints of a function and those that it calls.
func (t *translation) cuts(fn *function) {
	if fn.state != cutNone || fn.f.IsDecl() {
		return
	}
	fn.state = cutActive
	f := fn.f
	fn.cut = make([]bool, len(f.Blocks))
	paths := make([]int, len(f.Blocks)) // at the end of the block
	for _, b := range fn.wto.Blocks {
		n := 0
		if b == 1 {
			n = 1
		}
		for _, p := range f.Blocks[b].Preds {
			if fn.wto.Order[p] >= 0 && !fn.wto.IsFeedback(p, b) {
				n += paths[p]
			}
		}
		if fn.wto.IsHead(b) || n > maxPaths {
			fn.cut[b] = true
			n = 1
		}
		for _, v := range f.Blocks[b].Instrs {
			d := f.Def(v)
			switch d.Op {
			case ir.Call:
				g := t.byName[d.Sym]
				if g == nil || g.f.IsDecl() {
					continue
				}
				t.cuts(g)
				if g.state == cutActive { // recursion
					g.cut[1] = true
					n *= 2
				} else {
					n *= max(g.returns, 1)
				}
				if n > maxPaths {
					fn.cutAfter[v] = true
					n = 1
				}
			case ir.Ret:
				fn.returns += n
			}
		}
		paths[b] = n
	}
	fn.state = cutDone
}

// liveAt are the tracked values that are live before instruction index of a block.
func (fn *function) liveAt(b ir.BlockID, index int) []ir.Value {
	if index == 0 {
		return fn.liveIn[b]
	}
	f := fn.f
	at := f.Blocks[b].Instrs[index-1]
	if vs, ok := fn.after[at]; ok {
		return vs
	}
	live := map[ir.Value]bool{}
	var order []ir.Value
	add := func(v ir.Value) {
		if size, ok := fn.sizes[v]; ok {
			v = size
		}
		if fn.tracked(v) && !ir.IsConst(f.Def(v).Op) && !live[v] {
			live[v] = true
			order = append(order, v)
		}
	}
	defined := map[ir.Value]bool{}
	for _, v := range f.Blocks[b].Instrs[index:] {
		for _, a := range f.Def(v).Args {
			if !defined[a] {
				add(a)
			}
		}
		defined[v] = true
	}
	for _, s := range f.Succs(b) {
		for _, v := range fn.liveIn[s] {
			if !defined[v] {
				add(v)
			}
		}
		for i, p := range f.Blocks[s].Preds {
			if p != b {
				continue
			}
			for _, v := range f.Blocks[s].Instrs {
				d := f.Def(v)
				if d.Op != ir.Phi {
					break
				}
				if !defined[d.Args[i]] && fn.tracked(v) {
					add(d.Args[i])
				}
			}
		}
	}
	fn.after[at] = order
	return order
}

// phis of a block that are tracked.
func (fn *function) phis(b ir.BlockID) (out []ir.Value) {
	for _, v := range fn.f.Blocks[b].Instrs {
		if fn.f.Def(v).Op != ir.Phi {
			break
		}
		if fn.tracked(v) {
			out = append(out, v)
		}
	}
	return out
}
