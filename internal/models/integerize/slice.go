package integerize

// Which values may decide where a run goes: those that conditions depend on,
// through any number of operations, calls and cells of memory. The others need no
// variables. The slice is closed under data dependence; every branch counts.

import "assay/internal/program/ir"

type slicing struct {
	t       *translation
	work    []needed
	callers map[string][]needed // by callee: call instructions
	address []needed            // calls of unknown functions
	loads   bool                // some load is needed: all stores are
}

type needed struct {
	fn *function
	v  ir.Value
}

func (t *translation) slice() {
	s := &slicing{t: t, callers: map[string][]needed{}, loads: t.o.Observed != nil}
	for _, fn := range t.funcs {
		for _, b := range fn.f.Blocks {
			for _, v := range b.Instrs {
				d := fn.f.Def(v)
				switch {
				case d.Op == ir.CondBr, d.Op == ir.Switch, d.Op == ir.Assume, t.assumesCheck(d):
					s.need(fn, d.Args[0])
				case t.pays(d) != 0:
					s.need(fn, t.pays(d))
					if d.Op == ir.Call {
						s.callers[d.Sym] = append(s.callers[d.Sym], needed{fn, v})
					}
				case d.Op == ir.Store && t.o.Observed != nil:
					s.need(fn, d.Args[0])
					s.need(fn, d.Args[1])
				case d.Op == ir.Call && d.Sym != "":
					s.callers[d.Sym] = append(s.callers[d.Sym], needed{fn, v})
				case d.Op == ir.Call:
					s.address = append(s.address, needed{fn, v})
				}
			}
		}
	}
	for len(s.work) > 0 {
		n := s.work[len(s.work)-1]
		s.work = s.work[:len(s.work)-1]
		s.follow(n.fn, n.v)
	}
	t.reads = s.loads
}

// assumesCheck says whether a failed check ends the run.
func (t *translation) assumesCheck(d *ir.Def) bool {
	return d.Op == ir.Check && t.o.Semantics == NoOverflow && ir.CheckKind(d.Aux) == ir.Overflow
}

func (s *slicing) need(fn *function, v ir.Value) {
	if !fn.needed[v] {
		fn.needed[v] = true
		s.work = append(s.work, needed{fn, v})
	}
}

func (s *slicing) follow(fn *function, v ir.Value) {
	d := fn.f.Def(v)
	switch d.Op {
	case ir.Param:
		for i, p := range fn.f.Params {
			if p != v {
				continue
			}
			for _, c := range append(s.callers[fn.f.Name], s.address...) {
				if a := arguments(c.fn.f.Def(c.v)); i < len(a) {
					s.need(c.fn, a[i])
				}
			}
		}
	case ir.Call:
		for _, g := range s.t.funcs {
			if d.Sym == "" || g.f.Name == d.Sym {
				s.results(g, 0)
			}
		}
	case ir.Extract:
		if c := fn.f.Def(d.Args[0]); c.Op == ir.Call {
			for _, g := range s.t.funcs {
				if c.Sym == "" || g.f.Name == c.Sym {
					s.results(g, int(d.Aux))
				}
			}
		}
		s.need(fn, d.Args[0])
	case ir.Load:
		s.need(fn, d.Args[0])
		if s.loads {
			return
		}
		s.loads = true
		for _, g := range s.t.funcs {
			for _, b := range g.f.Blocks {
				for _, w := range b.Instrs {
					switch d := g.f.Def(w); d.Op {
					case ir.Store, ir.MemSet:
						s.need(g, d.Args[0])
						s.need(g, d.Args[1])
					}
				}
			}
		}
	default:
		for _, a := range d.Args {
			s.need(fn, a)
		}
	}
}

// results makes the returned values of a function needed.
func (s *slicing) results(fn *function, i int) {
	for _, b := range fn.f.Blocks {
		for _, v := range b.Instrs {
			if d := fn.f.Def(v); d.Op == ir.Ret && i < len(d.Args) {
				s.need(fn, d.Args[i])
			}
		}
	}
}
