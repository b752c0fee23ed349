package frontend

import (
	"slices"

	"assay/internal/program/ir"
)

// This file finds the escaping stack objects that need no slot (unmodelled.go): those
// that are made once in each activation of a function, at its entry, and that live in no
// call of a function without body but those in the same activation, where they are at
// hand. The loop around such a call then writes an object that induction can name.
// Where such an object may be dead, an object that is never read takes its place.

// reachable are the functions that calls in f lead to.
func (e *escapes) reachable(f *ir.Func) map[*ir.Func]bool {
	seen := map[*ir.Func]bool{}
	work := []*ir.Func{f}
	visit := func(name string) {
		if callee := e.funcs[name]; callee != nil && !seen[callee] {
			seen[callee] = true
			work = append(work, callee)
		}
	}
	for len(work) > 0 {
		g := work[len(work)-1]
		work = work[:len(work)-1]
		for b := range g.Blocks {
			for _, v := range g.Blocks[b].Instrs {
				switch d := g.Def(v); {
				case d.Op == ir.Call && d.Sym != "":
					visit(d.Sym)
				case d.Op == ir.Call:
					for name := range e.pointed {
						visit(name)
					}
				}
			}
		}
	}
	return seen
}

// inFrame says that a stack object is at hand in all calls without body that see it.
func (w *unmodelledWriter) inFrame(s site, e *escapes) bool {
	f := s.f
	d := f.Def(s.v)
	if d.Op != ir.Alloca || d.Block != 1 || f.Def(d.Args[0]).Op != ir.Const {
		return false
	}
	below := w.below[f]
	if below == nil {
		below = e.reachable(f)
		w.below[f] = below
	}
	if below[f] {
		return false
	}
	for _, c := range w.im.unmodelled {
		if below[c.f] {
			return false
		}
	}
	entry := f.Blocks[1].Instrs
	at := slices.Index(entry, s.v)
	for _, v := range entry[:at] {
		if f.Def(v).Op == ir.StackSave {
			return false
		}
	}
	return !slices.ContainsFunc(w.im.unmodelled, func(c unmodelledCall) bool {
		return c.f == f && f.Def(c.call).Block == 1 && slices.Index(entry, c.call) < at
	})
}

// life is whether a stack object lives at a place, as a set.
type life uint8

const (
	alive life = 1 << iota
	dead
)

// lives says of each call of a function without body in an object's function whether the
// object lives there: it does from its creation until its end, and again when it comes to
// life again.
func (w *unmodelledWriter) lives(s site) map[ir.Value]life {
	f := s.f
	calls := map[ir.Value]bool{}
	for _, c := range w.im.unmodelled {
		if c.f == f {
			calls[c.call] = true
		}
	}
	in := make([]life, len(f.Blocks))
	out := map[ir.Value]life{}
	in[1] = alive
	for changed := true; changed; {
		changed = false
		for b := range f.Blocks {
			now := in[b]
			if now == 0 {
				continue
			}
			for _, v := range f.Blocks[b].Instrs {
				switch d := f.Def(v); {
				case calls[v]:
					out[v] |= now
				case d.Op == ir.LifetimeStart && d.Args[0] == s.v:
					now = alive
				case d.Op == ir.LifetimeEnd && d.Args[0] == s.v:
					now = dead
				}
				for _, next := range f.Def(v).Succs {
					if in[next]|now != in[next] {
						in[next] |= now
						changed = true
					}
				}
			}
		}
	}
	return out
}
