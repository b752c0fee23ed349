package conductor

import (
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/transform/cut"
)

// This file finds the instructions that no run comes to behind an iteration of a loop, or an activation of a
// recursive function. Bounded search has decided them when it has unwound each loop once: of what it
// has not decided, people should see the others.

// straight are those instructions.
type straight struct {
	m *ir.Module
	// loops says of each function whether a call of it may make an iteration of a loop; behind, whether a call may come
	// behind one.
	loops, behind map[*ir.Func]bool
	// first is in each block the position of the first instruction behind a loop.
	first map[*ir.Func][]int
}

func straightOf(m *ir.Module) *straight {
	s := &straight{m: m, loops: map[*ir.Func]bool{}, behind: map[*ir.Func]bool{}, first: map[*ir.Func][]int{}}
	inLoop := map[*ir.Func]func(ir.BlockID) bool{}
	for _, f := range m.Funcs {
		if len(f.Blocks) == 0 {
			continue
		}
		w := ir.NewWTO(f)
		inLoop[f] = func(b ir.BlockID) bool { return len(w.Heads[b]) > 0 }
		for b := range f.Blocks {
			s.loops[f] = s.loops[f] || len(w.Heads[b]) > 0
		}
		for v := range f.Values {
			if d := f.Def(ir.Value(v)); d.Op == ir.FuncAddr {
				s.behind[m.Func(d.Sym)] = true // it may be called from anywhere
			}
		}
	}
	for _, g := range m.Globals {
		for _, x := range g.Relocs {
			s.behind[m.Func(x.Target)] = true
		}
	}
	s.recursion()
	for again := true; again; {
		again = false
		for f := range inLoop {
			again = s.callees(f) || again
		}
	}
	for again := true; again; {
		again = false
		for f, in := range inLoop {
			again = s.follow(f, in) || again
		}
	}
	return s
}

// recursion marks functions that may call themselves: what they do may be behind another activation.
func (s *straight) recursion() {
	const open, done = 1, 2
	state := map[*ir.Func]int{}
	var visit func(f *ir.Func)
	visit = func(f *ir.Func) {
		state[f] = open
		for v := range f.Values {
			g := s.m.Func(f.Def(ir.Value(v)).Sym)
			if f.Def(ir.Value(v)).Op != ir.Call || g == nil {
				continue
			}
			switch state[g] {
			case 0:
				visit(g)
			case open:
				s.loops[g], s.behind[g] = true, true
			}
		}
		state[f] = done
	}
	for _, f := range s.m.Funcs {
		if state[f] == 0 {
			visit(f)
		}
	}
}

// callees adds to the functions with loops those that call one, or an unknown one.
func (s *straight) callees(f *ir.Func) (grew bool) {
	if s.loops[f] {
		return false
	}
	for v := range f.Values {
		if s.goesRound(f.Def(ir.Value(v))) {
			s.loops[f] = true
			return true
		}
	}
	return false
}

// goesRound says whether an instruction may make an iteration of a loop.
func (s *straight) goesRound(d *ir.Def) bool {
	return d.Op == ir.Call && (d.Sym == "" || s.loops[s.m.Func(d.Sym)])
}

// follow finds what is behind loops in a function, and which calls are. It says whether that is more than before.
func (s *straight) follow(f *ir.Func, inLoop func(ir.BlockID) bool) (grew bool) {
	first := s.first[f]
	if first == nil {
		first = make([]int, len(f.Blocks))
		for b := range f.Blocks {
			first[b] = len(f.Blocks[b].Instrs) + 1 // nothing, nor what follows
		}
		s.first[f], grew = first, true
	}
	lower := func(b ir.BlockID, at int) {
		if at < first[b] {
			first[b], grew = at, true
		}
	}
	for again := true; again; {
		again = false
		for b := ir.BlockID(1); int(b) < len(f.Blocks); b++ {
			before := first[b]
			if s.behind[f] || inLoop(b) {
				lower(b, 0)
			}
			for i, v := range f.Blocks[b].Instrs {
				d := f.Def(v)
				if d.Op == ir.Call && i >= first[b] {
					if g := s.m.Func(d.Sym); g != nil && !s.behind[g] {
						s.behind[g], grew = true, true
					}
				}
				if s.goesRound(d) {
					lower(b, i+1)
				}
			}
			if first[b] <= len(f.Blocks[b].Instrs) {
				for _, to := range f.Succs(b) {
					if first[to] > 0 {
						lower(to, 0)
						again = true
					}
				}
			}
			again = again || first[b] != before
		}
	}
	return grew
}

// has says whether no run comes to an instruction behind an iteration.
func (s *straight) has(x verdict.Site) bool {
	f := s.m.Func(x.Func)
	if f == nil || s.first[f] == nil {
		return false
	}
	b := f.Def(x.Value).Block
	for i, v := range f.Blocks[b].Instrs {
		if v == x.Value {
			return i < s.first[f][b]
		}
	}
	return false
}

// besideUnwinding is the share of the engines that search for long beside bounded search where nothing goes round: the first
// unwinding decides, and what they do is mostly wasted.
const besideUnwinding = 1. / 5

// withoutLoops says that a program has neither loops nor recursion.
func withoutLoops(m *ir.Module) bool {
	loops, err := cut.Loops(m)
	if err != nil || len(loops) > 0 {
		return false
	}
	recursive, err := cut.RecursiveComponents(m)
	return err == nil && len(recursive) == 0
}
