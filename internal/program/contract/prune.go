package contract

import (
	"slices"

	"assay/internal/program/ir"
)

// Prune leaves out the functions that the entry does not reach, by calls or addresses.
func Prune(m *ir.Module) {
	reached, objects := map[string]bool{}, map[string]bool{}
	var work []string
	reach := func(name string) {
		if !reached[name] {
			reached[name] = true
			work = append(work, name)
		}
	}
	var object func(name string)
	object = func(name string) {
		if g := m.Global(name); g != nil && !objects[name] {
			objects[name] = true
			for _, r := range g.Relocs {
				object(r.Target)
				reach(r.Target)
			}
		}
	}
	reach(m.Entry)
	for _, name := range m.Constructors {
		reach(name)
	}
	for len(work) > 0 {
		f := m.Func(work[0])
		work = work[1:]
		if f == nil {
			continue
		}
		for i := range f.Values {
			switch d := &f.Values[i]; d.Op {
			case ir.Call, ir.FuncAddr:
				reach(d.Sym)
			case ir.GlobalAddr:
				object(d.Sym)
			}
		}
	}
	m.Funcs = slices.DeleteFunc(slices.Clone(m.Funcs), func(f *ir.Func) bool { return !f.IsDecl() && !reached[f.Name] })
}
