package observation

import (
	"slices"

	"assay/internal/program/ir"
)

// This file says where observation begins: where locals that the formula names have their first
// values, as far as main gives them in its first block, before calls. What a local holds before is
// arbitrary against the claim (branching.Problem.Adversary); but if uninitialised variables are to
// be arbitrary inputs (--havoc-uninitialised), observation begins behind the initialisers of declarations only. The
// first store to a local is its initialiser if it stands in the line of the declaration.

// beginning is the number of steps before observation begins: those of the stores in the first block of
// main up to the last first value of a local that the names are about.
func beginning(m *ir.Module, names []string, arbitrary bool) int {
	f := m.Func("main")
	if f == nil {
		return 0
	}
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { // a name is that of a global if there is one
		return slices.ContainsFunc(m.Globals, func(g *ir.Global) bool { return "main::"+g.CName == n })
	})
	steps, last := 0, 0
	calls := false // before here
	given := map[ir.Value]bool{}
	for b := range f.Blocks {
		for i, v := range f.Blocks[b].Instrs {
			d := f.Def(v)
			if d.Op == ir.Call {
				g := m.Func(d.Sym)
				calls = calls || g == nil || !g.IsDecl()
			}
			if d.Op != ir.Store {
				continue
			}
			variable := storedVariable(f, ir.BlockID(b), i)
			if f.Def(d.Args[1]).Op == ir.Alloca && variable == nil {
				continue // it has no name, and is no step
			}
			steps++
			if variable == nil || given[d.Args[1]] || !slices.Contains(names, "main::"+variable.Name) {
				continue
			}
			given[d.Args[1]] = true
			if arbitrary && (variable.Pos.File != d.Pos.File || variable.Pos.Line != d.Pos.Line) {
				continue // an assignment: it was declared without
			}
			if b == 1 && !calls {
				last = steps
			}
		}
	}
	return last
}

// storedVariable is the local that a store gives a value: the debug record behind it says so.
func storedVariable(f *ir.Func, b ir.BlockID, index int) *ir.Var {
	instrs := f.Blocks[b].Instrs
	if f.Def(f.Def(instrs[index]).Args[1]).Op != ir.Alloca || index+1 == len(instrs) {
		return nil
	}
	e := f.Def(instrs[index+1])
	if e.Op != ir.Dbg {
		return nil
	}
	return &f.Vars[e.Aux]
}
