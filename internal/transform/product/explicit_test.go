package product_test

import (
	"fmt"

	"assay/internal/program/ir"
)

// This file explores the runs of a product, state by state: of programs with globals of few
// values. Nothing is shared with the engines.

// machine is a module whose entry function calls nothing.
type machine struct {
	m    *ir.Module
	f    *ir.Func
	live [][]ir.Value
}

// state is the entry of a block.
type state struct {
	block ir.BlockID
	text  string // values and globals
}

type memory map[string]uint64

// moves are the next states, with whether an Accept was executed on the way.
type move struct {
	to      state
	values  map[ir.Value]uint64
	globals memory
	accepts bool
}

// finish of a walk through a block.
func (x *machine) run(b ir.BlockID, values map[ir.Value]uint64, globals memory, range8 uint64) (moves []move, unsupported bool) {
	type path struct {
		at      int
		values  map[ir.Value]uint64
		globals memory
		accepts bool
	}
	clone := func(p path) path {
		q := path{p.at, map[ir.Value]uint64{}, memory{}, p.accepts}
		for k, v := range p.values {
			q.values[k] = v
		}
		for k, v := range p.globals {
			q.globals[k] = v
		}
		return q
	}
	work := []path{clone(path{0, values, globals, false})}
	for len(work) > 0 {
		p := work[len(work)-1]
		work = work[:len(work)-1]
	steps:
		for ; ; p.at++ {
			v := x.f.Blocks[b].Instrs[p.at]
			d := x.f.Def(v)
			get := func(i int) uint64 {
				a := x.f.Def(d.Args[i])
				if a.Op == ir.Const {
					return a.Const.Uint64()
				}
				n, ok := p.values[d.Args[i]]
				if !ok {
					panic(fmt.Sprintf("value %d is not defined in block %d", d.Args[i], b))
				}
				return n
			}
			mask := uint64(1)<<d.Type.Bits - 1
			truth := func(b bool) uint64 {
				if b {
					return 1
				}
				return 0
			}
			switch d.Op {
			case ir.Phi, ir.Dbg, ir.Label, ir.Check:
			case ir.Accept:
				p.accepts = true
			case ir.Load:
				p.values[v] = p.globals[x.f.Def(d.Args[0]).Sym]
			case ir.Store:
				p.globals[x.f.Def(d.Args[1]).Sym] = get(0)
			case ir.Nondet:
				n := range8
				if d.Type.Bits == 1 {
					n = 2
				}
				for k := uint64(1); k < n; k++ {
					q := clone(p)
					q.values[v] = k
					q.at++
					work = append(work, q)
				}
				p.values[v] = 0
			case ir.Add:
				p.values[v] = (get(0) + get(1)) & mask
			case ir.And:
				p.values[v] = get(0) & get(1)
			case ir.Or:
				p.values[v] = get(0) | get(1)
			case ir.Xor:
				p.values[v] = get(0) ^ get(1)
			case ir.Freeze, ir.ZExt:
				p.values[v] = get(0)
			case ir.Eq:
				p.values[v] = truth(get(0) == get(1))
			case ir.Ne:
				p.values[v] = truth(get(0) != get(1))
			case ir.ULt:
				p.values[v] = truth(get(0) < get(1))
			case ir.Assume:
				if get(0) == 0 {
					break steps
				}
			case ir.Switch:
				slot := 0
				for i, k := range d.Cases {
					if k.Uint64() == get(0) {
						slot = i + 1
					}
				}
				moves = append(moves, x.enter(b, slot, p.values, p.globals, p.accepts))
				break steps
			case ir.Br:
				moves = append(moves, x.enter(b, 0, p.values, p.globals, p.accepts))
				break steps
			case ir.CondBr:
				moves = append(moves, x.enter(b, int(1-get(0)), p.values, p.globals, p.accepts))
				break steps
			case ir.Unreachable: // behind a failed assumption
				break steps
			case ir.Unsupported:
				return nil, true
			default:
				panic("explicit: " + d.Op.String())
			}
		}
	}
	return moves, false
}

// enter takes an edge: phis, and what is live.
func (x *machine) enter(from ir.BlockID, slot int, values map[ir.Value]uint64, globals memory, accepts bool) move {
	to := x.f.Succs(from)[slot]
	nth := 0
	for i := range slot {
		if x.f.Succs(from)[i] == to {
			nth++
		}
	}
	index := -1
	for i, p := range x.f.Blocks[to].Preds {
		if p == from {
			if nth == 0 {
				index = i
				break
			}
			nth--
		}
	}
	out := move{values: map[ir.Value]uint64{}, globals: globals, accepts: accepts}
	text := ""
	for _, v := range x.live[to] {
		out.values[v] = values[v]
		text += fmt.Sprint(v, "=", values[v], " ")
	}
	for _, v := range x.f.Blocks[to].Instrs {
		d := x.f.Def(v)
		if d.Op != ir.Phi {
			break
		}
		a := d.Args[index]
		n := values[a]
		if c := x.f.Def(a); c.Op == ir.Const {
			n = c.Const.Uint64()
		}
		out.values[v] = n
		text += fmt.Sprint(v, "=", n, " ")
	}
	for _, g := range x.m.Globals {
		text += fmt.Sprint(g.Name, "=", globals[g.Name], " ")
	}
	out.to = state{to, text}
	return out
}

// accepted says whether some run executes Accept infinitely often, and whether some
// check fails.
func accepted(m *ir.Module, nondet uint64) (fair, fails bool, states int) {
	x := &machine{m: m, f: m.Func(m.Entry)}
	x.live = ir.LiveIn(x.f)
	globals := memory{}
	for _, g := range m.Globals {
		if g.Init != nil {
			globals[g.Name] = uint64(g.Init[0])
		}
	}
	number := map[state]int{}
	var list []move
	get := func(v move) int {
		n, ok := number[v.to]
		if !ok {
			n = len(list)
			number[v.to] = n
			list = append(list, v)
		}
		return n
	}
	get(move{to: state{1, ""}, globals: globals})
	type arc struct {
		to      int
		accepts bool
	}
	var arcs [][]arc
	for i := 0; i < len(list); i++ {
		s := list[i]
		for _, v := range x.f.Blocks[s.to.block].Instrs {
			if d := x.f.Def(v); d.Op == ir.Check {
				fails = fails || x.failing(s, v, nondet)
			}
		}
		moves, unsupported := x.run(s.to.block, s.values, s.globals, nondet)
		if unsupported {
			panic("unsupported is reached")
		}
		var out []arc
		for _, v := range moves {
			out = append(out, arc{get(v), v.accepts})
		}
		arcs = append(arcs, out)
	}
	// An arc that accepts and lies on a cycle.
	n := len(list)
	reach := func(from, to int) bool {
		seen := make([]bool, n)
		work := []int{from}
		seen[from] = true
		for len(work) > 0 {
			k := work[len(work)-1]
			work = work[:len(work)-1]
			if k == to {
				return true
			}
			for _, a := range arcs[k] {
				if !seen[a.to] {
					seen[a.to] = true
					work = append(work, a.to)
				}
			}
		}
		return false
	}
	for i := range arcs {
		for _, a := range arcs[i] {
			if a.accepts && !fair {
				fair = reach(a.to, i)
			}
		}
	}
	return fair, fails, n
}

// failing says that a check, which is of a constant, is reached in the block.
func (x *machine) failing(s move, check ir.Value, nondet uint64) bool {
	// The block up to the check, as a block that ends there.
	b := s.to.block
	instrs := x.f.Blocks[b].Instrs
	at := 0
	for instrs[at] != check {
		at++
	}
	g := *x.f
	g.Values = append([]ir.Def{}, x.f.Values...)
	g.Values = append(g.Values, ir.Def{Op: ir.Br, Block: b, Succs: []ir.BlockID{1}})
	g.Blocks = append([]ir.Block{}, x.f.Blocks...)
	g.Blocks[b].Instrs = append(append([]ir.Value{}, instrs[:at]...), ir.Value(len(g.Values)-1))
	y := &machine{m: x.m, f: &g, live: x.live}
	moves, _ := y.run(b, s.values, s.globals, nondet)
	return len(moves) > 0
}
