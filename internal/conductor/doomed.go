package conductor

import (
	"slices"

	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// This file finds checks that no run meets but behind another one that has failed. A call of a function that reports an
// error is such a check, one that no run passes; what is asserted in that function is another one, but no other question:
//
//	(D1) a check whose condition is the constant false is passed by no run; what comes behind it in its block is doomed;
//	(D2) a function is doomed if all its calls are, and nothing takes its address.
//
// Where a check is doomed, the one before it stands in the same program, and who proves that proves both.

// doomed are functions that no run enters before a check of some kinds has failed.
type doomed struct {
	m     *ir.Module
	kinds []ir.CheckKind
	funcs map[string]bool
}

func doomedOf(m *ir.Module, kinds []ir.CheckKind) *doomed {
	d := &doomed{m: m, kinds: kinds, funcs: map[string]bool{}}
	spared := map[string]bool{m.Entry: true}
	for _, g := range m.Globals {
		for _, x := range g.Relocs {
			spared[x.Target] = true
		}
	}
	for _, f := range m.Funcs {
		for v := range f.Values {
			if x := f.Def(ir.Value(v)); x.Op == ir.FuncAddr {
				spared[x.Sym] = true
			}
		}
		d.funcs[f.Name] = true
	}
	// The greatest set: it shrinks until each call of one of its functions is doomed.
	for shrinks := true; shrinks; {
		shrinks = false
		for f := range spared {
			shrinks = shrinks || d.funcs[f]
			delete(d.funcs, f)
		}
		for _, f := range m.Funcs {
			if d.funcs[f.Name] {
				continue
			}
			for _, b := range f.Blocks {
				for _, v := range b.Instrs[:d.last(f, b.Instrs)] {
					if x := f.Def(v); x.Op == ir.Call && x.Sym != "" {
						spared[x.Sym] = true
					}
				}
			}
		}
	}
	return d
}

// last is how many instructions of a block there are before one that no run passes.
func (d *doomed) last(f *ir.Func, instrs []ir.Value) int {
	for i, v := range instrs {
		x := f.Def(v)
		if x.Op == ir.Check && slices.Contains(d.kinds, ir.CheckKind(x.Aux)) {
			if c := f.Def(x.Args[0]); c.Op == ir.Const && c.Const.IsZero() {
				return i
			}
		}
	}
	return len(instrs)
}

// has says whether a check is met behind one that has failed only.
func (d *doomed) has(x verdict.Site) bool {
	if d.funcs[x.Func] {
		return true
	}
	f := d.m.Func(x.Func)
	instrs := f.Blocks[f.Def(x.Value).Block].Instrs
	last := d.last(f, instrs)
	return last < len(instrs) && slices.Contains(instrs[last+1:], x.Value)
}
