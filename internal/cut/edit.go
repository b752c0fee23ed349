package cut

import (
	"assay/internal/bv"
	"assay/internal/ir"
)

// arc is an argument of a phi: the value for an edge from a block.
type arc struct {
	from  ir.BlockID
	value ir.Value
}

// editor changes one function. Phis are lists of arcs until done; of several
// edges from one block the arcs stand in the order of the edges.
type editor struct {
	m   *ir.Module
	f   *ir.Func
	in  map[ir.Value][]arc
	at  ir.BlockID
	pos ir.Pos
}

func edit(m *ir.Module, f *ir.Func) *editor {
	e := &editor{m: m, f: f, in: map[ir.Value][]arc{}}
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
	e.f.ComputePreds()
	for phi, arcs := range e.in {
		d := e.f.Def(phi)
		preds := e.f.Blocks[d.Block].Preds
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

func (e *editor) block(name string) ir.BlockID {
	e.f.Blocks = append(e.f.Blocks, ir.Block{Name: name})
	return ir.BlockID(len(e.f.Blocks) - 1)
}

func (e *editor) define(d ir.Def) ir.Value {
	e.f.Values = append(e.f.Values, d)
	return ir.Value(len(e.f.Values) - 1)
}

// emit appends an instruction to the block e.at.
func (e *editor) emit(d ir.Def) ir.Value {
	d.Block, d.Pos = e.at, e.pos
	v := e.define(d)
	b := &e.f.Blocks[e.at]
	b.Instrs = append(b.Instrs, v)
	return v
}

func (e *editor) op(op ir.Op, t ir.Type, args ...ir.Value) ir.Value {
	return e.emit(ir.Def{Op: op, Type: t, Args: args})
}

func (e *editor) constant(b bv.BV) ir.Value {
	return e.define(ir.Def{Op: ir.Const, Type: ir.IntType(b.Width()), Const: b})
}

func (e *editor) number(bits uint32, n uint64) ir.Value { return e.constant(bv.New(bits, n)) }

func (e *editor) global(name string) ir.Value {
	return e.define(ir.Def{Op: ir.GlobalAddr, Type: e.m.PtrType(), Sym: name})
}

func (e *editor) jump(to ir.BlockID) { e.emit(ir.Def{Op: ir.Br, Succs: []ir.BlockID{to}}) }

// before moves what fill emits to the place before the instruction v.
func (e *editor) before(v ir.Value, fill func()) {
	block := e.f.Def(v).Block
	old := e.f.Blocks[block].Instrs
	i := 0
	for old[i] != v {
		i++
	}
	rest := append([]ir.Value(nil), old[i:]...)
	e.f.Blocks[block].Instrs = old[:i:i]
	e.at, e.pos = block, e.f.Def(v).Pos
	fill()
	e.f.Blocks[block].Instrs = append(e.f.Blocks[block].Instrs, rest...)
}

// afterPhis is the first instruction of a block that is no phi.
func (e *editor) afterPhis(b ir.BlockID) ir.Value {
	for _, v := range e.f.Blocks[b].Instrs {
		if e.f.Def(v).Op != ir.Phi {
			return v
		}
	}
	panic("cut: a block without terminator")
}

// phis lists the phis of a block.
func (e *editor) phis(b ir.BlockID) []ir.Value {
	var out []ir.Value
	for _, v := range e.f.Blocks[b].Instrs {
		if e.f.Def(v).Op != ir.Phi {
			break
		}
		out = append(out, v)
	}
	return out
}

// retarget lets the edges from u to old end at to.
func (e *editor) retarget(u, old, to ir.BlockID) {
	instrs := e.f.Blocks[u].Instrs
	d := e.f.Def(instrs[len(instrs)-1])
	for i, s := range d.Succs {
		if s == old {
			d.Succs[i] = to
		}
	}
}
