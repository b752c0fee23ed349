package flat

import (
	"slices"

	"assay/internal/program/ir"
)

// This file says which objects live where they are used: (M2) of promote.go.

// lives drops objects that may be dead where they are used (M2), and those that share a copy with one.
func (p *promoter) lives() {
	order := ir.RPO(p.f)
	dead := make([]map[ir.Value]bool, len(p.f.Blocks)) // at the end of blocks: may be dead
	step := func(now map[ir.Value]bool, v ir.Value) {
		d := p.f.Def(v)
		switch d.Op {
		case ir.Alloca, ir.Malloc:
			delete(now, v)
		case ir.LifetimeStart:
			if a, ok := p.at[d.Args[0]]; ok {
				delete(now, a.object)
			}
		case ir.LifetimeEnd, ir.Free:
			if a, ok := p.at[d.Args[0]]; ok {
				now[a.object] = true
			}
		case ir.StackRestore:
			for o, x := range p.objects {
				if !x.heap && !p.outlives(o, d.Args[0], v) {
					now[o] = true
				}
			}
		}
	}
	begin := func(b ir.BlockID) map[ir.Value]bool {
		now := map[ir.Value]bool{}
		for _, q := range p.f.Blocks[b].Preds {
			for v := range dead[q] {
				now[v] = true
			}
		}
		return now
	}
	for changed := true; changed; {
		changed = false
		for _, b := range order {
			now := begin(b)
			for _, v := range p.f.Blocks[b].Instrs {
				step(now, v)
			}
			if len(now) != len(dead[b]) || dead[b] == nil {
				dead[b], changed = now, true
			}
		}
	}
	for _, b := range order {
		now := begin(b)
		for _, v := range p.f.Blocks[b].Instrs {
			d := p.f.Def(v)
			switch d.Op {
			case ir.LifetimeStart, ir.LifetimeEnd, ir.Free, ir.IsHeapStart, ir.Dbg, ir.PtrAdd, ir.Freeze:
			default:
				for _, a := range d.Args {
					if x, ok := p.at[a]; ok && now[x.object] {
						if o := p.objects[x.object]; o != nil {
							o.why = true
						}
					}
				}
			}
			step(now, v)
		}
	}
	p.partition()
}

// outlives says that a stack object is older than a token of the stack whenever the stack is given back to it: on all ways
// from where it is made there the token is made, too.
func (p *promoter) outlives(object, token, restore ir.Value) bool {
	if p.f.Def(token).Op != ir.StackSave {
		return false
	}
	type place struct {
		block ir.BlockID
		next  int
	}
	b := p.f.Def(object).Block
	work := []place{{b, slices.Index(p.f.Blocks[b].Instrs, object) + 1}}
	seen := map[ir.BlockID]bool{} // from its begin on
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		list := p.f.Blocks[at.block].Instrs[at.next:]
		end := slices.IndexFunc(list, func(v ir.Value) bool { return v == token || v == restore })
		switch {
		case end < 0:
			for _, to := range p.f.Def(list[len(list)-1]).Succs {
				if !seen[to] {
					seen[to] = true
					work = append(work, place{to, 0})
				}
			}
		case list[end] == restore:
			return false
		}
	}
	return true
}
