package ir

import "slices"

// This file gives functions the addresses of globals that only their callees use.

// WithGlobals is the module in which each function with a loop that calls something has
// the addresses of the scalar globals that its callees, and theirs, use: so that engines
// can say in the terms of the function what is in them. Nothing else changes, and values
// keep their numbers; m itself if there is nothing to add.
func WithGlobals(m *Module) *Module {
	used := globalsUsed(m)
	var out *Module
	for i, f := range m.Funcs {
		if f.IsDecl() {
			continue
		}
		own := used[f].own
		var missing []string
		for _, name := range callsInLoops(m, f) {
			if g := m.Func(name); g != nil {
				for _, s := range used[g].all {
					if !slices.Contains(own, s) && !slices.Contains(missing, s) && m.Global(s).IsScalar() {
						missing = append(missing, s)
					}
				}
			}
		}
		if len(missing) == 0 || len(missing) > maxGlobals {
			continue
		}
		if out == nil {
			c := *m
			c.Funcs = slices.Clone(m.Funcs)
			out = &c
		}
		g := *f
		g.Values = slices.Clone(f.Values)
		for _, s := range missing {
			g.Values = append(g.Values, Def{Op: GlobalAddr, Type: m.PtrType(), Sym: s})
		}
		out.Funcs[i] = &g
	}
	if out == nil {
		return m
	}
	return out
}

// maxGlobals bounds what one function is given: of more, little would come.
const maxGlobals = 16

// IsScalar says whether a global is one integer that the program may change.
func (g *Global) IsScalar() bool {
	return g != nil && !g.Constant && g.Size <= 8 && g.Size&(g.Size-1) == 0 && g.Layout.Stride == 0 && !g.Layout.Pointers && g.Layout.Cell == g.Size
}

// globalUse are the globals of which a function has the address, and those of which it or
// what it calls has.
type globalUse struct{ own, all []string }

func globalsUsed(m *Module) map[*Func]*globalUse {
	used := map[*Func]*globalUse{}
	for _, f := range m.Funcs {
		u := &globalUse{}
		used[f] = u
		for v := 1; v < len(f.Values); v++ {
			if d := f.Def(Value(v)); d.Op == GlobalAddr && !slices.Contains(u.own, d.Sym) {
				u.own = append(u.own, d.Sym)
			}
		}
		u.all = slices.Clone(u.own)
	}
	for grew := true; grew; {
		grew = false
		for _, f := range m.Funcs {
			u := used[f]
			for v := 1; v < len(f.Values); v++ {
				d := f.Def(Value(v))
				if d.Op != Call {
					continue
				}
				if g := m.Func(d.Sym); g != nil && g != f {
					for _, s := range used[g].all {
						if !slices.Contains(u.all, s) {
							u.all, grew = append(u.all, s), true
						}
					}
				}
			}
		}
	}
	return used
}

// callsInLoops are the functions that are called from loops of f.
func callsInLoops(m *Module, f *Func) (out []string) {
	calls := slices.ContainsFunc(f.Values, func(d Def) bool { return d.Op == Call })
	if !calls {
		return nil
	}
	w := NewWTO(f)
	for b := BlockID(1); int(b) < len(f.Blocks); b++ {
		if len(w.Heads[b]) == 0 {
			continue
		}
		for _, v := range f.Blocks[b].Instrs {
			if d := f.Def(v); d.Op == Call && !slices.Contains(out, d.Sym) {
				out = append(out, d.Sym)
			}
		}
	}
	return out
}
