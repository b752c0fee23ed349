package acceleration

import (
	"maps"
	"slices"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// This file puts jumps into a program.

// add gives a loop of the function f, of the new module, its gate.
func (p *Program) add(f *ir.Func, a *accelerable) {
	head := a.l.head
	block := func(name string) ir.BlockID {
		f.Blocks = append(f.Blocks, ir.Block{Name: name})
		return ir.BlockID(len(f.Blocks) - 1)
	}
	at := block("")
	g := &gate{f: f, head: head}
	p.gates[gateKey{f.Name, head}] = g
	e := &emitter{Editor: ir.Editor{Module: a.l.m, Func: f, At: at}, l: a.l}

	// All edges to the head go to the gate, and its phis get what those of the head got.
	h := &f.Blocks[head]
	f.Blocks[at].Preds = h.Preds
	done := map[ir.BlockID]bool{}
	for _, b := range h.Preds {
		if done[b] {
			continue
		}
		done[b] = true
		t := f.Terminator(b)
		for i, s := range t.Succs {
			if s == head {
				t.Succs[i] = at
			}
		}
	}
	var phis []ir.Value
	start := map[ir.Value]ir.Value{}
	for _, v := range h.Instrs {
		d := *f.Def(v)
		if d.Op != ir.Phi {
			break
		}
		phis = append(phis, v)
		start[v] = e.Emit(ir.Def{Op: ir.Phi, Type: d.Type, Args: d.Args, Pos: d.Pos})
	}
	incoming := map[ir.Value][]ir.Value{}
	for _, v := range phis {
		incoming[v] = []ir.Value{start[v]}
	}
	which := e.Emit(ir.Def{Op: ir.Nondet, Type: ir.IntType(8), Aux: int64(ir.NondetInput), Sym: chooseName})
	succs, cases, preds := []ir.BlockID{head}, []bv.BV{}, []ir.BlockID{at}
	for _, i := range slices.Sorted(maps.Keys(a.paths)) {
		c := a.paths[i]
		to := block("")
		j := &jump{id: jumpID{f.Name, head, i}, loop: a.l, path: c.path}
		e := &emitter{Editor: ir.Editor{Module: a.l.m, Func: f, At: to}, l: a.l, c: c, start: start, cells: map[int32]ir.Value{}, choices: map[int32]ir.Value{}}
		after := e.jump(j)
		f.Blocks[to].Preds = []ir.BlockID{at}
		for _, v := range phis {
			x, changes := after[v]
			if !changes {
				x = start[v]
			}
			incoming[v] = append(incoming[v], x)
		}
		e.Emit(ir.Def{Op: ir.Br, Succs: []ir.BlockID{head}})
		succs, cases, preds = append(succs, to), append(cases, bv.New(8, uint64(len(cases)+1))), append(preds, to)
		g.jumps = append(g.jumps, j)
		p.jumps[gateKey{f.Name, to}] = j
	}
	e.Emit(ir.Def{Op: ir.Switch, Args: []ir.Value{which}, Cases: cases, Succs: succs})
	for _, v := range phis {
		f.Def(v).Args = incoming[v]
	}
	f.Blocks[head].Preds = preds
	f.OrderPreds()
}

// jump writes a jump, and gives what the phis of the head that change become.
func (e *emitter) jump(j *jump) map[ir.Value]ir.Value {
	c := e.c
	t := ir.IntType(c.width)
	e.count = e.Emit(ir.Def{Op: ir.Nondet, Type: t, Aux: int64(ir.NondetInput), Sym: countName})
	e.assume(e.cmp(ir.ULt, e.Number(c.width, 1), e.count))
	e.last = e.bin(ir.Sub, e.count, e.Number(c.width, 1))
	e.first = &substitution{memo: map[expr]ir.Value{}}
	e.end = &substitution{memo: map[expr]ir.Value{}, at: e.last}
	for _, i := range c.path.choices {
		if _, ok := e.choices[i]; !ok {
			s := e.l.choices[i]
			d := s.f.Def(s.v)
			e.choices[i] = e.Emit(ir.Def{Op: ir.Nondet, Type: d.Type, Aux: d.Aux, Sym: d.Sym})
		}
	}
	for i := range c.requirements {
		e.require(&c.requirements[i])
	}
	after := map[ir.Value]ir.Value{}
	for _, v := range c.vars {
		x := e.after(v)
		j.changes = append(j.changes, x)
		if n := e.l.at(v.leaf); n.kind == phi {
			after[ir.Value(n.id)] = x.end
		}
	}
	for _, x := range j.changes {
		if n := e.l.at(x.v.leaf); n.kind == cell {
			e.Op(ir.Store, ir.Type{}, x.end, e.address(n.id))
		}
	}
	j.count, j.choices = e.count, e.choices
	return after
}
