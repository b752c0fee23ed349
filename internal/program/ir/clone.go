package ir

import "slices"

// Clone copies a module deeply enough for editing functions and blocks; values keep
// their numbers. Globals and what definitions carry beside arguments and successors
// are shared.
func (m *Module) Clone() *Module {
	c := *m
	c.Globals = slices.Clone(m.Globals)
	c.Funcs = make([]*Func, len(m.Funcs))
	for i, f := range m.Funcs {
		c.Funcs[i] = f.Clone()
	}
	return &c
}

// Clone copies a function deeply enough for editing; values keep their numbers.
func (f *Func) Clone() *Func {
	g := *f
	g.Params, g.Results = slices.Clone(f.Params), slices.Clone(f.Results)
	g.Values = slices.Clone(f.Values)
	for v := range g.Values {
		d := &g.Values[v]
		d.Args, d.Succs = slices.Clone(d.Args), slices.Clone(d.Succs)
	}
	g.Blocks = slices.Clone(f.Blocks)
	for b := range g.Blocks {
		g.Blocks[b].Instrs = slices.Clone(g.Blocks[b].Instrs)
		g.Blocks[b].Preds = slices.Clone(g.Blocks[b].Preds)
	}
	return &g
}

// VariableNames gives values the names of the variables of the source that they are
// first assigned to.
func (f *Func) VariableNames() map[Value]string {
	names := map[Value]string{}
	for b := range f.Blocks {
		for _, v := range f.Blocks[b].Instrs {
			if d := f.Def(v); d.Op == Dbg && len(d.Args) > 0 && names[d.Args[0]] == "" {
				names[d.Args[0]] = f.Vars[d.Aux].Name
			}
		}
	}
	return names
}
