// Package acceleration finds violations behind very many iterations: it gives loops
// whose iterations add to variables what does not change a way to make n iterations at
// once, for an n that is chosen. It is the under-approximating acceleration of
// [KroeningLewisWeissenbacher13]: paths around a loop are accelerated, each for itself,
// and the program gets a new transition for each; bounded search does the rest. We depart
// from it in what a path may ask: the paper asks a solver for polynomials, and whether
// the condition is monotonous, with a quantifier if it is not; here both are read off
// the expressions (closed.go), which takes microseconds, and comparisons with != are solved
// as congruences, wraps included.
//
// # The program with jumps
//
// Each head H of a loop with a closed form gets a gate, through which all edges
// to H go:
//
//	G:  phis of H; choose one of:   H
//	                              | J1: n = any; assume (requirements); x' = x + n*c; H
//	                              | J2: ...
//
// So a jump can be made in each iteration: one that uses up a range, an iteration that
// wraps or takes another way, and the next jump.
//
// # What must be right
//
//	(J1) Nothing here. The program has more runs than the one asked about if a
//	     closed form is wrong. A violation of it counts only after Confirm: the run is
//	     made by the interpreter on the program itself, with its jumps, and for each jump
//	     package certify shows that the state at hand makes these iterations, with Z3.
//	(J2) Jumps that are short are no jumps: their iterations are made one by one.
//	(J3) Inputs that an iteration reads are the same in all iterations of a jump.
//	(J4) An iteration of a jump may be several of the loop. A loop within the loop is
//	    followed if how often it goes around is known.
package acceleration

import (
	"slices"

	"assay/internal/program/ir"
	"assay/internal/transform"
)

// Names of what is added to a program.
const (
	chooseName = "assay.jump"
	countName  = "assay.iterations"
)

// Program is a program with jumps.
type Program struct {
	// The functions and values of the program with jumps are those of the program, with
	// more behind them. It has the runs of the program, and those that jump: Confirm takes
	// a violation back.
	transform.Program
	gates map[gateKey]*gate
	jumps map[gateKey]*jump // by their blocks
	// refused are jumps that were not confirmed: they are not offered again.
	refused map[jumpID]bool
}

// gateKey is a block of a function.
type gateKey struct {
	function string
	block    ir.BlockID
}

// jumpID names a path of a loop.
type jumpID struct {
	function string
	head     ir.BlockID
	path     int
}

// gate is a loop with jumps.
type gate struct {
	f     *ir.Func // of Module
	head  ir.BlockID
	jumps []*jump
}

// jump is an accelerated path.
type jump struct {
	id      jumpID
	loop    *loop
	path    *path
	count   ir.Value
	changes []change
	// choices are the values of the inputs that the path fixes.
	choices map[int32]ir.Value
}

// Accelerate adds jumps to a program; it is nil if there are none.
func Accelerate(m *ir.Module) *Program { return accelerate(m, map[jumpID]bool{}) }

// Again is the program without the jumps that were not confirmed, nil if none are left.
func (p *Program) Again() *Program { return accelerate(p.From, p.refused) }

// Loops is the number of loops that have jumps.
func (p *Program) Loops() int { return len(p.gates) }

// Jumps is the number of jumps.
func (p *Program) Jumps() int { return len(p.jumps) }

func accelerate(m *ir.Module, refused map[jumpID]bool) *Program {
	p := &Program{Program: transform.Program{From: m, Runs: transform.More}, gates: map[gateKey]*gate{}, jumps: map[gateKey]*jump{}, refused: refused}
	closed := map[*ir.Func][]*accelerable{}
	orders := map[*ir.Func]*ir.WTO{}
	budget := int64(maxWork)
	for _, f := range m.Funcs {
		if f.IsDecl() || f.Model {
			continue
		}
		w := ir.NewWTO(f)
		orders[f] = w
		var dom *ir.DomTree
		for _, h := range w.Blocks {
			if !w.IsHead(h) || h == 1 {
				continue
			}
			if dom == nil {
				dom = ir.Dominators(f)
			}
			l := &loop{arena: newArena(), m: m, f: f, head: h, in: make([]bool, len(f.Blocks)), orders: orders, budget: &budget}
			simple := true
			for _, b := range w.Component(h) {
				l.in[b] = true
				simple = simple && dom.Dominates(h, b)
			}
			if !simple {
				continue
			}
			if a := l.accelerate(refused); a != nil {
				closed[f] = append(closed[f], a)
			}
		}
		closed[f] = withoutShort(closed[f])
		if len(closed[f]) == 0 {
			delete(closed, f)
		}
	}
	if len(closed) == 0 {
		return nil
	}
	p.Module = m.Clone()
	for i, f := range m.Funcs {
		for _, a := range closed[f] {
			p.add(p.Module.Funcs[i], a)
		}
	}
	return p
}

// withoutShort leaves out the loops that an iteration of another one follows: they go around
// a few times, and bounded search needs no jumps for that.
func withoutShort(all []*accelerable) []*accelerable {
	short := map[ir.BlockID]bool{}
	for _, a := range all {
		for _, c := range a.paths {
			for _, u := range c.path.unwound {
				if u.Func == a.l.f.Name {
					short[u.Head] = true
				}
			}
		}
	}
	return slices.DeleteFunc(all, func(a *accelerable) bool { return short[a.l.head] })
}

// accelerable is a loop with the closed forms of its paths, by their number.
type accelerable struct {
	l     *loop
	paths map[int]*closed
}

const (
	// maxWork bounds the instructions on all paths of a program.
	maxWork = 1 << 20
	// maxJumps bounds the jumps of a loop.
	maxJumps = 6
	// maxPasses bounds the iterations of a loop that make one of a jump.
	maxPasses = 4
)

// accelerate finds the closed forms of a loop, nil if there are none. If there is none for
// some ways through the loop, those of several iterations are tried, since
// what alternates has one only together: i % 2, or a flag that toggles.
func (l *loop) accelerate(refused map[jumpID]bool) *accelerable {
	a := &accelerable{l: l, paths: map[int]*closed{}}
	for passes := 1; passes <= maxPasses; passes++ {
		open, known := 0, 0
		first := len(l.paths)
		l.findPaths(passes)
		for i, p := range l.paths[first:] {
			switch c, alternates := l.close(p); {
			case c == nil && alternates:
				open++
			case c != nil && len(a.paths) < maxJumps:
				known++
				if i += first; !refused[jumpID{l.f.Name, l.head, i}] {
					a.paths[i] = c
				}
			}
		}
		if open == 0 || passes > 1 && known > 0 {
			break
		}
	}
	if len(a.paths) == 0 {
		return nil
	}
	return a
}
