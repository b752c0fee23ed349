package cut

import "assay/internal/program/ir"

// arc is an argument of a phi: the value for an edge from a block.
type arc struct {
	from  ir.BlockID
	value ir.Value
}

// editor changes one function. Phis are lists of arcs until done; of several
// edges from one block the arcs stand in the order of the edges.
type editor struct {
	*ir.Editor
	in map[ir.Value][]arc
}

func edit(m *ir.Module, f *ir.Func) *editor {
	e := &editor{Editor: &ir.Editor{Module: m, Func: f}, in: map[ir.Value][]arc{}}
	for b := 1; b < len(f.Blocks); b++ {
		for _, v := range f.Blocks[b].Instrs {
			d := f.Def(v)
			if d.Op != ir.Phi {
				break
			}
			for i, p := range f.Blocks[b].Preds {
				e.in[v] = append(e.in[v], arc{p, d.Args[i]})
			}
		}
	}
	return e
}

// done puts the arguments of the phis in the order of the predecessors.
func (e *editor) done() {
	e.Func.ComputePreds()
	for phi, arcs := range e.in {
		d := e.Func.Def(phi)
		preds := e.Func.Blocks[d.Block].Preds
		d.Args = make([]ir.Value, len(preds))
		used := make([]bool, len(arcs))
		for i, p := range preds {
			for k, a := range arcs {
				if a.from == p && !used[k] {
					d.Args[i], used[k] = a.value, true
					break
				}
			}
			if d.Args[i] == 0 {
				panic("cut: a phi lacks an argument")
			}
		}
	}
}
