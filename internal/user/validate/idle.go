package validate

import (
	"slices"

	"assay/internal/logic/components"
	"assay/internal/program/ir"
)

// This file sees to it that a run that goes on for ever is the run that a witness describes. It has to pass the waypoints of the cycle
// again and again. So the program counts what it does without: each head of a loop and each call of a recursive function that it comes to once
// the cycle has begun. A waypoint of the cycle sets the counter back; a run that comes to a limit ends there, and is none.
//
// The first attempts have the limit idleLimit. That all runs end then says nothing of a run whose waypoints are farther apart. So the last
// attempt, which alone rejects, has an arbitrary limit: in a run along the witness the waypoints are some number of heads apart at most,
// and with that limit it goes on.

// idleLimit is the most heads and calls from a waypoint of the cycle to the next in the first attempts.
const idleLimit = 1 << 16

// limitName is a number that is arbitrary and does not change.
const limitName = "__assay_limit"

// busy is the program in which runs end that are idle from the segment first on. The limit is an arbitrary one, or idleLimit.
func busy(m *ir.Module, first int, arbitrary bool) *ir.Module {
	if m.Global(segmentName) == nil || m.Global(idleName) == nil { // no waypoint is in what can be executed
		return m
	}
	entered := again(m)
	if arbitrary {
		limited := *m
		limited.Globals = append(slices.Clip(m.Globals), &ir.Global{Name: limitName, Size: 8, Align: 8, External: true})
		m = &limited
	}
	return ir.Rewrite(m, func(*ir.Func) bool { return true }, func(e *ir.Editor, old *ir.Func) {
		w := ir.NewWTO(old)
		for b := range old.Blocks {
			id := ir.BlockID(b)
			if len(old.Blocks[b].Instrs) == 0 || !w.IsHead(id) && !(b == 0 && entered[old.Name]) {
				continue
			}
			e.Before(e.AfterPhis(id), func() {
				load := func(name string, bytes uint32) ir.Value {
					return e.Emit(ir.Def{Op: ir.Load, Type: ir.IntType(8 * bytes), Args: []ir.Value{e.Global(name)}, Aux: int64(bytes)})
				}
				limit := e.Number(64, idleLimit)
				if arbitrary {
					limit = load(limitName, 8)
				}
				begun := e.Op(ir.SLe, ir.BoolType, e.Number(32, uint64(first)), load(segmentName, 4))
				more := e.Op(ir.Add, ir.IntType(64), load(idleName, 8), e.Number(64, 1))
				idle := e.Op(ir.Select, ir.IntType(64), begun, more, e.Number(64, 0))
				e.Op(ir.Assume, ir.Type{}, e.Op(ir.ULe, ir.BoolType, idle, limit))
				e.Emit(ir.Def{Op: ir.Store, Args: []ir.Value{idle, e.Global(idleName)}, Aux: 8})
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
