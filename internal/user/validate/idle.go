package validate

import (
	"assay/internal/logic/components"
	"assay/internal/program/ir"
)

// This file sees to it that a run that goes on for ever is the run that a witness describes. It has to pass the waypoints of the cycle
// again and again. So the program counts what it does without: each head of a loop and each call of a recursive function that it comes to once
// the cycle has begun. A waypoint of the cycle sets the counter back; a run that comes to idleLimit ends there, and is none.

// idleLimit is the most heads and calls from a waypoint of the cycle to the next. A cycle in which they are farther apart is not confirmed.
const idleLimit = 1 << 16

// busy is the program in which runs end that are idle from the segment first on.
func busy(m *ir.Module, first int) *ir.Module {
	if m.Global(segmentName) == nil || m.Global(idleName) == nil { // no waypoint is in what can be executed
		return m
	}
	entered := again(m)
	return ir.Rewrite(m, func(*ir.Func) bool { return true }, func(e *ir.Editor, old *ir.Func) {
		w := ir.NewWTO(old)
		for b := range old.Blocks {
			id := ir.BlockID(b)
			if len(old.Blocks[b].Instrs) == 0 || !w.IsHead(id) && !(b == 0 && entered[old.Name]) {
				continue
			}
			e.Before(e.AfterPhis(id), func() {
				number := func(n int) ir.Value { return e.Number(32, uint64(n)) }
				load := func(name string) ir.Value {
					return e.Emit(ir.Def{Op: ir.Load, Type: ir.IntType(32), Args: []ir.Value{e.Global(name)}, Aux: 4})
				}
				begun := e.Op(ir.SLe, ir.BoolType, number(first), load(segmentName))
				more := e.Op(ir.Add, ir.IntType(32), load(idleName), number(1))
				idle := e.Op(ir.Select, ir.IntType(32), begun, more, number(0))
				e.Op(ir.Assume, ir.Type{}, e.Op(ir.SLe, ir.BoolType, idle, number(idleLimit)))
				e.Emit(ir.Def{Op: ir.Store, Args: []ir.Value{idle, e.Global(idleName)}, Aux: 4})
			})
		}
	})
}

// again are the functions that may be entered while they run. A call through a pointer may lead to any.
func again(m *ir.Module) map[string]bool {
	number := map[string]int{}
	for i, f := range m.Funcs {
		number[f.Name] = i
	}
	g := components.Graph{N: len(m.Funcs), Next: func(i int, visit func(int)) {
		for v := range m.Funcs[i].Values {
			d := &m.Funcs[i].Values[v]
			if d.Op != ir.Call {
				continue
			}
			if to, ok := number[d.Sym]; ok {
				visit(to)
			} else if d.Sym == "" {
				for to := range m.Funcs {
					visit(to)
				}
			}
		}
	}}
	out := map[string]bool{}
	found := components.Of(g, number[m.Entry])
	cyclic := found.Cyclic(g)
	for k, set := range found.Nodes {
		for _, i := range set {
			out[m.Funcs[i].Name] = cyclic[k]
		}
	}
	return out
}
