package frontend

import "assay/internal/program/ir"

// This file cleans up an imported function. The importer emits more than is
// needed: blocks behind calls that do not return, trap blocks, values that
// clang computes for checks that were split, arbitrary contents that are
// overwritten before they are read. Here
//
//   - blocks that the entry does not reach disappear,
//   - phis with one distinct argument are replaced by it,
//   - a block whose only predecessor has no other successor is merged into it,
//   - values without use disappear, if computing them neither can fail nor is
//     an input, and so do objects that are only made alive, arbitrary and dead
//     again (the padding of structs that were promoted),
//
// and what remains is renumbered. None of this changes what a run can do. A
// debug record keeps its value alive, except arbitrary content that nothing
// else uses, so no engine needs to know it.

func prune(f *ir.Func) {
	if f.IsDecl() {
		return
	}
	p := &pruner{f: f, order: ir.RPO(f)}
	p.reachable = make([]bool, len(f.Blocks))
	for _, b := range p.order {
		p.reachable[b] = true
	}
	p.dropEdges()
	p.replacePhis()
	p.merge()
	p.markLive()
	p.renumber()
}

type pruner struct {
	f         *ir.Func
	order     []ir.BlockID
	reachable []bool
	replace   []ir.Value   // of trivial phis, 0 for others
	into      []ir.BlockID // the block that a merged one became a part of
	live      []bool
}

// dropEdges removes the edges from unreachable blocks, and the arguments of
// phis with them.
func (p *pruner) dropEdges() {
	for _, b := range p.order {
		blk := &p.f.Blocks[b]
		var preds []ir.BlockID
		var keep []int
		for i, from := range blk.Preds {
			if p.reachable[from] {
				preds = append(preds, from)
				keep = append(keep, i)
			}
		}
		if len(keep) == len(blk.Preds) {
			continue
		}
		blk.Preds = preds
		for _, v := range blk.Instrs {
			d := p.f.Def(v)
			if d.Op != ir.Phi {
				break
			}
			args := make([]ir.Value, len(keep))
			for i, k := range keep {
				args[i] = d.Args[k]
			}
			d.Args = args
		}
	}
}

// resolve follows replacements.
func (p *pruner) resolve(v ir.Value) ir.Value {
	for p.replace[v] != 0 {
		v = p.replace[v]
	}
	return v
}

// replacePhis finds the phis whose arguments are all one value, or the phi
// itself. Replacing one may make others trivial.
func (p *pruner) replacePhis() {
	p.replace = make([]ir.Value, len(p.f.Values))
	for changed := true; changed; {
		changed = false
		for _, b := range p.order {
			for _, v := range p.f.Blocks[b].Instrs {
				d := p.f.Def(v)
				if d.Op != ir.Phi {
					break
				}
				if p.replace[v] != 0 {
					continue
				}
				var only ir.Value
				trivial := true
				for _, a := range d.Args {
					a = p.resolve(a)
					if a == v || a == only {
						continue
					}
					trivial = trivial && only == 0
					only = a
				}
				if trivial && only != 0 {
					p.replace[v] = only
					changed = true
				}
			}
		}
	}
}

// merge joins blocks that always follow one another.
func (p *pruner) merge() {
	f := p.f
	p.into = make([]ir.BlockID, len(f.Blocks))
	for _, b := range p.order {
		if p.into[b] != 0 {
			continue
		}
		for {
			last := f.Terminator(b)
			if last.Op != ir.Br {
				break
			}
			next := last.Succs[0]
			if next == b || next == 1 || len(f.Blocks[next].Preds) != 1 {
				break
			}
			instrs := f.Blocks[b].Instrs[:len(f.Blocks[b].Instrs)-1]
			for _, v := range f.Blocks[next].Instrs {
				if p.replace[v] == 0 {
					f.Def(v).Block = b
					instrs = append(instrs, v)
				}
			}
			f.Blocks[b].Instrs = instrs
			p.into[next] = b
			for _, to := range f.Succs(b) {
				preds := f.Blocks[to].Preds
				for i := range preds {
					if preds[i] == next {
						preds[i] = b
					}
				}
			}
		}
	}
}

// pure says that an unused value of the operation can be dropped: nothing
// depends on computing it.
func pure(d *ir.Def) bool {
	switch {
	case d.Op >= ir.Const && d.Op <= ir.FUno:
		return true
	}
	switch d.Op {
	case ir.SIToF, ir.UIToF, ir.FToF, ir.PtrAdd, ir.PtrDiff, ir.Alloca, ir.ObjectSize, ir.ObjectOffset, ir.ValidRange, ir.IsHeapStart,
		ir.SameObject, ir.Extract:
		return true
	case ir.Nondet:
		return d.Aux != int64(ir.NondetInput)
	}
	return false
}

func (p *pruner) markLive() {
	f := p.f
	p.live = make([]bool, len(f.Values))
	var work []ir.Value
	mark := func(v ir.Value) {
		if !p.live[v] {
			p.live[v] = true
			work = append(work, v)
		}
	}
	flush := func() {
		for len(work) > 0 {
			d := f.Def(work[len(work)-1])
			work = work[:len(work)-1]
			for i, a := range d.Args {
				d.Args[i] = p.resolve(a)
				mark(d.Args[i])
			}
		}
	}
	for _, v := range f.Params {
		mark(v)
	}
	idle := p.idleObjects()
	var records []ir.Value
	for _, b := range p.order {
		if p.into[b] != 0 {
			continue
		}
		for _, v := range f.Blocks[b].Instrs {
			switch d := f.Def(v); {
			case len(d.Args) > 0 && idle[p.resolve(d.Args[0])]:
			case d.Op == ir.Dbg:
				records = append(records, v)
			case p.replace[v] == 0 && !pure(d) || d.Op == ir.Alloca && d.Sym != "":
				mark(v)
			}
		}
	}
	flush()
	for _, v := range records {
		if d := f.Def(v); len(d.Args) == 1 {
			a := p.resolve(d.Args[0])
			if x := f.Def(a); !p.live[a] && x.Op == ir.Nondet && x.Aux == int64(ir.NondetUninit) {
				continue
			}
		}
		mark(v)
	}
	flush()
}

// idleObjects are the stack objects that nothing reads, writes or passes on.
func (p *pruner) idleObjects() map[ir.Value]bool {
	f := p.f
	idle := map[ir.Value]bool{}
	for _, b := range p.order {
		for _, v := range f.Blocks[b].Instrs {
			if d := f.Def(v); d.Op == ir.Alloca && d.Sym == "" { // an atom reads what has a name
				idle[v] = true
			}
		}
	}
	if len(idle) == 0 {
		return nil
	}
	constant := func(v ir.Value) (uint64, bool) {
		d := f.Def(v)
		return d.Const.Uint64(), d.Op == ir.Const
	}
	for _, b := range p.order {
		for _, v := range f.Blocks[b].Instrs {
			d := f.Def(v)
			for i, a := range d.Args {
				a = p.resolve(a)
				if !idle[a] {
					continue
				}
				switch {
				case d.Op == ir.LifetimeStart || d.Op == ir.LifetimeEnd:
					continue
				case d.Op == ir.Havoc && i == 0:
					size, ok1 := constant(f.Def(a).Args[0])
					n, ok2 := constant(d.Args[1])
					if ok1 && ok2 && n <= size {
						continue
					}
				}
				delete(idle, a)
			}
		}
	}
	return idle
}

// renumber makes values and blocks dense again, in their old order.
func (p *pruner) renumber() {
	f := p.f
	values := make([]ir.Value, len(f.Values))
	defs := make([]ir.Def, 1, len(f.Values))
	for v := 1; v < len(f.Values); v++ {
		if p.live[v] {
			values[v] = ir.Value(len(defs))
			defs = append(defs, f.Values[v])
		}
	}
	blocks := make([]ir.BlockID, len(f.Blocks))
	kept := make([]ir.Block, 1, len(f.Blocks))
	for b := 1; b < len(f.Blocks); b++ {
		if p.reachable[b] && p.into[b] == 0 {
			blocks[b] = ir.BlockID(len(kept))
			kept = append(kept, f.Blocks[b])
		}
	}
	for i := range defs[1:] {
		d := &defs[i+1]
		for k, a := range d.Args {
			d.Args[k] = values[a]
		}
		d.Block = blocks[d.Block]
		for k, s := range d.Succs {
			d.Succs[k] = blocks[s]
		}
	}
	for i := range kept[1:] {
		b := &kept[i+1]
		instrs := b.Instrs[:0]
		for _, v := range b.Instrs {
			if values[v] != 0 {
				instrs = append(instrs, values[v])
			}
		}
		b.Instrs = instrs
		for k, from := range b.Preds {
			b.Preds[k] = blocks[from]
		}
	}
	for i, v := range f.Params {
		f.Params[i] = values[v]
	}
	f.Values, f.Blocks = defs, kept
}
