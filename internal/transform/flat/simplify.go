package flat

import (
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// This file removes what hides where addresses lead once arguments are known: branches that constants
// decide, with what only they lead to, and phis that are one value.

// no is what values are that nothing uses.
var no = bv.New(1, 0)

// simplify changes f, which nobody else has.
func simplify(f *ir.Func) {
	for {
		changed := decide(f)
		unreached(f)
		if !single(f) && !changed {
			return
		}
	}
}

// decide makes jumps of branches on constants.
func decide(f *ir.Func) (changed bool) {
	for b := 1; b < len(f.Blocks); b++ {
		list := f.Blocks[b].Instrs
		if len(list) == 0 {
			continue
		}
		d := f.Def(list[len(list)-1])
		if d.Op != ir.CondBr && d.Op != ir.Switch {
			continue
		}
		x := f.Def(d.Args[0])
		if x.Op != ir.Const {
			continue
		}
		way := 0
		if d.Op == ir.CondBr {
			if x.Const.IsZero() {
				way = 1
			}
		} else {
			for i, c := range d.Cases {
				if c.Width() == x.Const.Width() && c.Unsigned().Cmp(x.Const.Unsigned()) == 0 {
					way = i + 1
				}
			}
		}
		arcs := incoming(f)
		// Of several edges to a block, the arguments of phis may differ: only the one that is taken stays.
		to := d.Succs[way]
		nth := 0
		for _, s := range d.Succs[:way] {
			if s == to {
				nth++
			}
		}
		for _, v := range f.Blocks[to].Instrs {
			if f.Def(v).Op != ir.Phi {
				break
			}
			var kept []arrival
			n := 0
			for _, a := range arcs[v] {
				if a.from != ir.BlockID(b) {
					kept = append(kept, a)
					continue
				}
				if n == nth {
					kept = append(kept, a)
				}
				n++
			}
			arcs[v] = kept
		}
		*d = ir.Def{Op: ir.Br, Block: d.Block, Succs: []ir.BlockID{to}, Pos: d.Pos}
		settle(f, arcs)
		changed = true
	}
	return changed
}

// arrival is the argument of a phi for an edge from a block.
type arrival struct {
	from  ir.BlockID
	value ir.Value
}

// incoming are the arguments of all phis.
func incoming(f *ir.Func) map[ir.Value][]arrival {
	out := map[ir.Value][]arrival{}
	for b := range f.Blocks {
		for _, v := range f.Blocks[b].Instrs {
			d := f.Def(v)
			if d.Op != ir.Phi {
				break
			}
			for i, p := range f.Blocks[b].Preds {
				out[v] = append(out[v], arrival{p, d.Args[i]})
			}
		}
	}
	return out
}

// settle computes the predecessors, and takes the arguments of phis from those that there were.
func settle(f *ir.Func, arcs map[ir.Value][]arrival) {
	f.ComputePreds()
	for v, list := range arcs {
		d := f.Def(v)
		if d.Op != ir.Phi {
			continue
		}
		preds := f.Blocks[d.Block].Preds
		d.Args = make([]ir.Value, len(preds))
		used := make([]bool, len(list))
		for i, p := range preds {
			for k, a := range list {
				if a.from == p && !used[k] {
					d.Args[i], used[k] = a.value, true
					break
				}
			}
			if d.Args[i] == 0 {
				panic("flat: a phi lacks an argument")
			}
		}
	}
}

// unreached empties the blocks to which no path leads.
func unreached(f *ir.Func) {
	reached := make([]bool, len(f.Blocks))
	for _, b := range ir.RPO(f) {
		reached[b] = true
	}
	arcs := incoming(f)
	for b := 1; b < len(f.Blocks); b++ {
		if reached[b] || len(f.Blocks[b].Instrs) == 1 && f.Def(f.Blocks[b].Instrs[0]).Op == ir.Unreachable {
			continue
		}
		list := f.Blocks[b].Instrs
		last := list[len(list)-1]
		for _, v := range list[:len(list)-1] {
			delete(arcs, v)
			f.Values[v] = ir.Def{Op: ir.Const, Type: ir.BoolType, Const: no}
		}
		f.Values[last] = ir.Def{Op: ir.Unreachable, Block: ir.BlockID(b), Pos: f.Values[last].Pos}
		f.Blocks[b].Instrs = []ir.Value{last}
	}
	settle(f, arcs)
}

// single replaces phis whose arguments are one value, or the phi itself.
func single(f *ir.Func) (changed bool) {
	same := map[ir.Value]ir.Value{}
	resolve := func(v ir.Value) ir.Value {
		for {
			w, ok := same[v]
			if !ok {
				return v
			}
			v = w
		}
	}
	for again := true; again; {
		again = false
		for b := range f.Blocks {
			for _, v := range f.Blocks[b].Instrs {
				d := f.Def(v)
				if d.Op != ir.Phi {
					break
				}
				if _, gone := same[v]; gone {
					continue
				}
				only, several := ir.Value(0), false
				for _, a := range d.Args {
					if a = resolve(a); a == v || a == only {
						continue
					}
					several = several || only != 0
					only = a
				}
				if !several && only != 0 {
					same[v], again = only, true
				}
			}
		}
	}
	if len(same) == 0 {
		return false
	}
	for v := range f.Values {
		d := &f.Values[v]
		for i, a := range d.Args {
			d.Args[i] = resolve(a)
		}
	}
	for b := range f.Blocks {
		var list []ir.Value
		for _, v := range f.Blocks[b].Instrs {
			if _, gone := same[v]; !gone {
				list = append(list, v)
			}
		}
		f.Blocks[b].Instrs = list
	}
	for v := range same {
		f.Values[v] = ir.Def{Op: ir.Const, Type: ir.BoolType, Const: no}
	}
	return true
}
