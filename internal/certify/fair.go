package certify

import (
	"slices"

	"assay/internal/bv"
	"assay/internal/ir"
)

// This file finds the loops of a program that may execute ir.Accept, and lets Accept set bytes
// of memory; for certificates of fair termination (ranking.go).

// accepts says whether a block of the loop of a head may execute Accept.
func (r *ranker) accepts(h ir.BlockID, accepting map[*ir.Func]bool) bool {
	for b := ir.BlockID(1); int(b) < len(r.forest.in); b++ {
		if !r.around(h, b) {
			continue
		}
		for _, v := range r.f.Blocks[b].Instrs {
			if r.f.MayAccept(v, func(name string) bool { return accepting[r.m.Func(name)] }) {
				return true
			}
		}
	}
	return false
}

// setBytes lets each Accept of a program set bytes, which become globals of it.
func setBytes(m *ir.Module, bytes []string, accepting map[*ir.Func]bool) {
	if len(bytes) == 0 {
		return
	}
	m.Globals = slices.Clone(m.Globals)
	for _, b := range bytes {
		m.Globals = append(m.Globals, &ir.Global{Name: b, Size: 1, Align: 1})
	}
	names := map[string]bool{} // functions may be copies by now
	for f := range accepting {
		names[f.Name] = true
	}
	for i, f := range m.Funcs {
		if !names[f.Name] {
			continue
		}
		g := *f
		g.Values = slices.Clone(g.Values)
		g.Blocks = slices.Clone(g.Blocks)
		m.Funcs[i] = &g
		add := func(d ir.Def) ir.Value {
			g.Values = append(g.Values, d)
			return ir.Value(len(g.Values) - 1)
		}
		one := add(ir.Def{Op: ir.Const, Type: ir.IntType(8), Const: bv.New(8, 1)})
		var at []ir.Value
		for _, b := range bytes {
			at = append(at, add(ir.Def{Op: ir.GlobalAddr, Type: m.PtrType(), Sym: b}))
		}
		for b := range g.Blocks {
			var list []ir.Value
			for _, v := range g.Blocks[b].Instrs {
				list = append(list, v)
				if g.Values[v].Op != ir.Accept {
					continue
				}
				for _, a := range at {
					list = append(list, add(ir.Def{Op: ir.Store, Args: []ir.Value{one, a}, Aux: 1, Block: ir.BlockID(b), Pos: g.Values[v].Pos}))
				}
			}
			g.Blocks[b].Instrs = list
		}
	}
}
