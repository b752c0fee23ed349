package lasso

import (
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// This file watches a run: which undefined behaviour it passes through, and whether
// it depends on arbitrary values that no compiled program need have. These are the
// results of undefined operations, and those that library models over-approximate.
// A run depends on one unless the value, and what is computed from it, only goes into
// arithmetic that is defined for all operands, on the blocks that the run executes. The
// run with other such values goes the same way then; what differs is never looked at,
// so it does not end either.

// watcher observes a run.
type watcher struct {
	passes   []verdict.Guard
	guards   map[verdict.Guard]bool
	executed map[*ir.Func][]bool
	sources  []source
	// overflows are the operations that overflowed; v is 0 if it is not known.
	overflows []source
	last      verdict.Guard
}

// overflow notes the operation that overflowed.
func (w *watcher) overflow(e interp.Event, g verdict.Guard) {
	w.overflows = append(w.overflows, source{f: e.Func, v: e.Func.Overflowing(e.Value), guard: g})
}

// source is an instruction that yielded a value that cannot be relied on.
type source struct {
	f     *ir.Func
	v     ir.Value
	guard verdict.Guard
	name  string // of the library function, or the one without body, if that is the reason
	// anywhere says that the value is not followed: every run depends on it.
	anywhere bool
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
			if g.Kind == ir.Overflow {
				w.overflow(e, g)
			}
		}
	case interp.ChoiceMade:
		switch d := e.Func.Def(e.Value); d.Op {
		case ir.Alloca, ir.Malloc, ir.LifetimeStart:
		case ir.Havoc: // what a function without body may leave can be read anywhere
			if d.Approximate() {
				w.source(source{f: e.Func, v: e.Value, name: d.Sym, anywhere: true})
			}
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

// later adds undefined behaviour that the run may pass through when idle values are others: checks of
// them in blocks that it has entered. Whoever counts for ever overflows.
func (w *watcher) later(m *ir.Module) {
	idle := ir.Idle(m)
	for i, f := range m.Funcs {
		for b, entered := range w.executed[f] {
			if !entered {
				continue
			}
			for _, v := range f.Blocks[b].Instrs {
				d := f.Def(v)
				if d.Op != ir.Check || !ir.CheckKind(d.Aux).Undefined() || !idle[i][d.Args[0]] {
					continue
				}
				if g := (verdict.Guard{Kind: ir.CheckKind(d.Aux), Text: d.Sym, Func: f.Name, Pos: d.Pos}); !w.guards[g] {
					w.guards[g] = true
					w.passes = append(w.passes, g)
				}
			}
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

// depends gives the first reason why the run depends on a value, nil if it does not.
func (w *watcher) depends() (g *verdict.Guard, name string) {
	for i := range w.sources {
		s := &w.sources[i]
		if s.anywhere || s.f.Influences(s.v, w.executed[s.f]) {
			return &s.guard, s.name
		}
	}
	return nil, ""
}

// dependsOnOverflow gives the first signed overflow that the run depends on, nil if it does
// not depend on any: then it goes the same way whatever overflow yields.
func (w *watcher) dependsOnOverflow() *verdict.Guard {
	for i := range w.overflows {
		if s := &w.overflows[i]; s.v == 0 || s.f.Influences(s.v, w.executed[s.f]) {
			return &s.guard
		}
	}
	return nil
}
