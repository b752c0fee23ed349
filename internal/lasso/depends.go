package lasso

import (
	"assay/internal/ir"
	"assay/internal/ir/interp"
	"assay/internal/verdict"
)

// This file watches a run: which undefined behaviour it passes through, and whether
// it hangs on arbitrary values that no compiled program need have. These are the
// results of undefined operations, and those that library models over-approximate.
// A run hangs on one unless the value, and what is computed from it, only goes into
// arithmetic that is defined for all operands, on the blocks that the run executes. The
// run with other such values goes the same way then; what differs is never looked at,
// so it does not end either.

// watcher observes a run.
type watcher struct {
	passes   []verdict.Guard
	guards   map[verdict.Guard]bool
	executed map[*ir.Func][]bool
	sources  []source
	last     verdict.Guard
}

// source is an instruction that yielded a value that cannot be relied on.
type source struct {
	f     *ir.Func
	v     ir.Value
	guard verdict.Guard
	name  string // of the library function, if that is the reason
}

func (w *watcher) event(e interp.Event) {
	switch e.Kind {
	case interp.BlockEntered:
		x := w.executed[e.Func]
		if x == nil {
			x = make([]bool, len(e.Func.Blocks))
			w.executed[e.Func] = x
		}
		x[e.Block] = true
	case interp.Violation:
		g := verdict.Guard{Kind: e.Check, Text: e.Text, Func: e.Func.Name, Pos: e.Pos}
		w.last = g
		if !w.guards[g] && g.Kind.Undefined() {
			w.guards[g] = true
			w.passes = append(w.passes, g)
		}
	case interp.ChoiceMade:
		switch d := e.Func.Def(e.Value); d.Op {
		case ir.Alloca, ir.Malloc, ir.LifetimeStart, ir.Havoc:
		case ir.Call, ir.Extract:
			if call := e.Func.Def(callOf(d, e.Value)); call.Sym == "" { // it may have reached no function
				w.source(source{f: e.Func, v: e.Value, guard: w.last})
			}
		case ir.Nondet:
			if ir.NondetKind(d.Aux) == ir.NondetApproximate {
				w.source(source{f: e.Func, v: e.Value, name: d.Sym})
			}
		default:
			w.source(source{f: e.Func, v: e.Value, guard: w.last})
		}
	}
}

// callOf is the call that gives the value v of definition d.
func callOf(d *ir.Def, v ir.Value) ir.Value {
	if d.Op == ir.Extract {
		return d.Args[0]
	}
	return v
}

func (w *watcher) source(s source) {
	for _, x := range w.sources {
		if x.f == s.f && x.v == s.v {
			return
		}
	}
	w.sources = append(w.sources, s)
}

// depends gives the first reason why the run hangs on a value, nil if it does not.
func (w *watcher) depends() (g *verdict.Guard, name string) {
	for i := range w.sources {
		s := &w.sources[i]
		if w.matters(s.f, s.v) {
			return &s.guard, s.name
		}
	}
	return nil, ""
}

// matters follows a value through the executed blocks of its function.
func (w *watcher) matters(f *ir.Func, v ir.Value) bool {
	executed := w.executed[f]
	if !f.Def(v).HasResult() {
		return true // a range of memory
	}
	tainted := make([]bool, len(f.Values))
	tainted[v] = true
	for changed := true; changed; {
		changed = false
		for b := range f.Blocks {
			if executed == nil || !executed[b] {
				continue
			}
			for _, u := range f.Blocks[b].Instrs {
				d := f.Def(u)
				hit := false
				for _, a := range d.Args {
					hit = hit || tainted[a]
				}
				if !hit || tainted[u] {
					continue
				}
				switch {
				case d.Op == ir.Dbg || d.Op == ir.Check:
				case harmless(d.Op):
					tainted[u], changed = true, true
				default:
					return true
				}
			}
		}
	}
	return false
}

// harmless says that an operation is defined for all operands and only computes.
func harmless(op ir.Op) bool {
	switch op {
	case ir.Add, ir.Sub, ir.Mul, ir.And, ir.Or, ir.Xor, ir.SAddOvf, ir.UAddOvf, ir.SSubOvf, ir.USubOvf, ir.SMulOvf, ir.UMulOvf,
		ir.Ctpop, ir.Ctlz, ir.Cttz, ir.Bswap, ir.Bitreverse, ir.FShl, ir.FShr, ir.Eq, ir.Ne, ir.ULt, ir.ULe, ir.SLt, ir.SLe,
		ir.ZExt, ir.SExt, ir.Trunc, ir.BitCast, ir.Select, ir.Phi, ir.Freeze, ir.FAdd, ir.FSub, ir.FMul, ir.FDiv, ir.FRem, ir.FNeg,
		ir.FAbs, ir.FSqrt, ir.FMA, ir.FCopySign, ir.FMin, ir.FMax, ir.FRound, ir.FEq, ir.FLt, ir.FLe, ir.FUno, ir.SIToF, ir.UIToF,
		ir.FToF, ir.PtrAdd:
		return true
	}
	return false
}
