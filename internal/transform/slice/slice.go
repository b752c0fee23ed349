// Package slice leaves out of a program what does not matter for the checks that are open:
// those that abstract interpretation excludes, the branches that it never sees taken, and
// loops that compute only what is used by neither the rest of the program nor an open check.
//
// # What stays
//
//	(1) Blocks that the analysis reaches, and the edges between them.
//	(2) Open guards: checks of the targets that the analysis does not exclude, and
//	    instructions whose guard of a target may be broken.
//	(3) Everything that acts: stores, calls, inputs, assumptions, ends of the program, labels.
//	(4) Branches, unless they are those of a loop that is left out.
//	(5) What (2) to (4) use.
//
// A loop is left out if nothing in it acts, all its exits lead to one block, and no value
// of it is used by what stays. Checks outside of the targets (signed overflow, say) stay
// where they do not keep a loop alive.
//
// # Runs
//
// Up to its first violation of a target, each run of the program is one of the slice without
// the iterations left out, if the analysis is right: the program has no more violations of
// open checks than the slice. The slice may have more: a loop that is left out may
// never end. A violation found in the slice is replayed in the program.
package slice

import (
	"slices"

	"assay/internal/evidence/verdict"
	"assay/internal/models/absint"
	"assay/internal/program/ir"
	"assay/internal/transform"
)

// Slice is a program from which something was left out.
type Slice struct {
	transform.Program
	// Checks and Loops count what was left out.
	Checks, Loops int
}

// Of is the slice of a module for the guards of some kinds, nil if there is neither a check nor
// a loop that can be left out.
func Of(m *ir.Module, facts *absint.Facts, targets []ir.CheckKind) *Slice {
	if facts.Incomplete != "" {
		return nil
	}
	p := &Slice{Program: transform.Program{From: m, Runs: transform.More}}
	index := map[string]int{}
	for i, f := range m.Funcs {
		index[f.Name] = i
	}
	reached := func(f *ir.Func) bool { return facts.Reached(index[f.Name], 1) }
	p.Module = ir.Rewrite(m, reached, func(e *ir.Editor, old *ir.Func) {
		s := &slicer{f: e.Func, old: old, fn: index[old.Name], facts: facts, targets: targets}
		s.branches()
		s.find()
		s.remove()
		p.Checks, p.Loops = p.Checks+s.checks, p.Loops+s.loops
		p.Lost = append(p.Lost, s.lost...)
	})
	if p.Checks+p.Loops == 0 {
		return nil
	}
	return p
}

// slicer works on one function.
type slicer struct {
	f, old  *ir.Func
	fn      int
	facts   *absint.Facts
	targets []ir.CheckKind
	// candidates are the loops that may be left out, outer ones first; of is the outermost
	// candidate around a block.
	candidates []*candidate
	of         []*candidate
	needed     []bool
	work       []ir.Value
	// checks and loops count what is left out; lost are guards of undefined behaviour in it
	// that may be broken.
	checks, loops int
	lost          []verdict.Guard
}

// candidate is a loop that nothing needs so far.
type candidate struct {
	head, exit ir.BlockID
	blocks     []ir.BlockID
	out        bool // no more
}

// open says whether an instruction has a guard of a target that may be broken.
func (s *slicer) open(v ir.Value) bool {
	return slices.ContainsFunc(s.targets, func(k ir.CheckKind) bool { return s.facts.MayViolate(s.fn, v, k) })
}

// branches takes away the edges that the analysis never sees taken, and empties the blocks
// that it does not reach.
func (s *slicer) branches() {
	f := s.f
	for b := 1; b < len(f.Blocks); b++ {
		blk := &f.Blocks[b]
		blk.Preds = slices.Clone(blk.Preds)
		for _, v := range blk.Instrs {
			if d := &f.Values[v]; d.Op == ir.Phi {
				d.Args = slices.Clone(d.Args)
			}
		}
	}
	dead := func(b ir.BlockID) bool { return !s.facts.Reached(s.fn, b) }
	for b := 1; b < len(f.Blocks); b++ {
		id := ir.BlockID(b)
		t := f.Terminator(id)
		switch {
		case dead(id):
			for i := len(t.Succs) - 1; i >= 0; i-- {
				s.cut(id, i)
			}
			s.empty(id)
		case t.Op == ir.CondBr && t.Succs[0] != t.Succs[1] && dead(t.Succs[0]) != dead(t.Succs[1]):
			k := 0
			if dead(t.Succs[0]) {
				k = 1
			}
			s.cut(id, 1-k)
			*t = ir.Def{Op: ir.Br, Block: id, Succs: []ir.BlockID{t.Succs[k]}, Pos: t.Pos}
		}
	}
}

// cut takes the edge that is successor number i of a block from the predecessors of its
// target.
func (s *slicer) cut(from ir.BlockID, i int) {
	succs := s.f.Succs(from)
	to := succs[i]
	nth := 0
	for _, x := range succs[:i] {
		if x == to {
			nth++
		}
	}
	blk := &s.f.Blocks[to]
	for k, p := range blk.Preds {
		if p != from {
			continue
		}
		if nth > 0 {
			nth--
			continue
		}
		blk.Preds = slices.Delete(blk.Preds, k, k+1)
		for _, v := range blk.Instrs {
			if d := &s.f.Values[v]; d.Op == ir.Phi {
				d.Args = slices.Delete(d.Args, k, k+1)
			}
		}
		return
	}
	panic("slice: an edge of " + s.f.Name + " without predecessor")
}

// empty makes a block one without instructions, whose edges are cut. A switch may still lead
// to it.
func (s *slicer) empty(b ir.BlockID) {
	instrs := s.f.Blocks[b].Instrs
	last := instrs[len(instrs)-1]
	for _, v := range instrs {
		s.drop(v)
	}
	s.f.Values[last] = ir.Def{Op: ir.Unreachable, Block: b}
	s.f.Blocks[b].Instrs = []ir.Value{last}
}

// drop takes an instruction out.
func (s *slicer) drop(v ir.Value) {
	d := &s.f.Values[v]
	if d.Op == ir.Check && slices.Contains(s.targets, ir.CheckKind(d.Aux)) {
		s.checks++
	}
	for k := ir.CheckNone + 1; k <= ir.Incompatible; k++ {
		if !k.Undefined() || slices.Contains(s.targets, k) || !s.facts.MayViolate(s.fn, v, k) {
			continue
		}
		text := k.String()
		if d.Op == ir.Check && d.Sym != "" {
			text = d.Sym
		}
		s.lost = append(s.lost, verdict.Guard{Kind: k, Text: text, Func: s.f.Name, Pos: d.Pos})
	}
	*d = ir.Def{}
}

// find decides what stays.
func (s *slicer) find() {
	f := s.f
	s.needed = make([]bool, len(f.Values))
	s.of = make([]*candidate, len(f.Blocks))
	s.loopsWithoutEffect()
	for b := 1; b < len(f.Blocks); b++ {
		s.roots(ir.BlockID(b))
	}
	for len(s.work) > 0 {
		v := s.work[len(s.work)-1]
		s.work = s.work[:len(s.work)-1]
		d := &f.Values[v]
		if c := s.of[d.Block]; d.Block != 0 && c != nil && !c.out {
			s.restore(c)
		}
		for _, a := range d.Args {
			s.need(a)
		}
		if d.Op == ir.Phi {
			s.joined(d)
		}
	}
}

// joined restores the loops whose exits a needed phi tells apart.
func (s *slicer) joined(d *ir.Def) {
	for i, p := range s.f.Blocks[d.Block].Preds {
		c := s.of[p]
		if c == nil || c.out || c.exit != d.Block {
			continue
		}
		for k, q := range s.f.Blocks[d.Block].Preds {
			if s.of[q] == c && d.Args[k] != d.Args[i] {
				s.restore(c)
			}
		}
	}
}

func (s *slicer) need(v ir.Value) {
	if !s.needed[v] {
		s.needed[v] = true
		s.work = append(s.work, v)
	}
}

// restore lets a loop stay.
func (s *slicer) restore(c *candidate) {
	c.out = true
	for _, b := range c.blocks {
		s.roots(b)
	}
	// Loops inside are no candidates by themselves: most loops that matter do so as a whole.
}

// roots needs what acts in a block.
func (s *slicer) roots(b ir.BlockID) {
	c := s.of[b]
	in := c != nil && !c.out
	for _, v := range s.f.Blocks[b].Instrs {
		if d := &s.f.Values[v]; s.acts(v, d) || !in && (d.Op == ir.Check && !s.excluded(v, d) || ir.IsTerminator(d.Op)) {
			s.need(v)
		}
	}
}

// excluded says that a check can be left out.
func (s *slicer) excluded(v ir.Value, d *ir.Def) bool {
	return !s.facts.MayViolate(s.fn, v, ir.CheckKind(d.Aux))
}

// acts says whether an instruction does more than to compute a value.
func (s *slicer) acts(v ir.Value, d *ir.Def) bool {
	switch d.Op {
	case ir.Check:
		return s.open(v)
	case ir.Br, ir.CondBr, ir.Switch, ir.Dbg, ir.Phi, ir.Select, ir.Freeze, ir.Extract:
		return d.Op == ir.Freeze && d.Aux == ir.Cede || s.open(v)
	case ir.Load, ir.PtrAdd, ir.PtrToInt, ir.IntToPtr, ir.ObjectSize, ir.ObjectOffset, ir.ValidRange, ir.IsHeapStart, ir.SameObject:
		return s.open(v)
	}
	if d.Op >= ir.Add && d.Op < ir.Alloca { // arithmetic; a value that is arbitrary is a choice
		return s.open(v) || s.facts.MayViolate(s.fn, v, ir.DivByZero) || s.facts.MayViolate(s.fn, v, ir.ShiftRange) || s.facts.MayViolate(s.fn, v, ir.FloatConversion)
	}
	return true
}

// loopsWithoutEffect lists the outermost loops in which nothing acts, with one exit.
func (s *slicer) loopsWithoutEffect() {
	w := ir.NewWTO(s.f)
	for i := 0; i < len(w.Blocks); i++ {
		h := w.Blocks[i]
		if !w.IsHead(h) || s.of[h] != nil {
			continue
		}
		c := &candidate{head: h, blocks: w.Component(h)}
		if !s.isCandidate(c) {
			continue // those inside may be
		}
		s.candidates = append(s.candidates, c)
		for _, b := range c.blocks {
			s.of[b] = c
		}
	}
}

func (s *slicer) isCandidate(c *candidate) bool {
	for _, b := range c.blocks {
		for _, v := range s.f.Blocks[b].Instrs {
			if s.acts(v, &s.f.Values[v]) {
				return false
			}
		}
		for _, to := range s.f.Succs(b) {
			if slices.Contains(c.blocks, to) {
				continue
			}
			if c.exit != 0 && c.exit != to {
				return false
			}
			c.exit = to
		}
		for _, p := range s.f.Blocks[b].Preds {
			if b != c.head && !slices.Contains(c.blocks, p) {
				return false
			}
		}
	}
	return c.exit != 0
}

// remove takes out what is not needed.
func (s *slicer) remove() {
	f := s.f
	for _, c := range s.candidates {
		if !c.out {
			s.skip(c)
			s.loops++
		}
	}
	for b := 1; b < len(f.Blocks); b++ {
		var left []ir.Value
		for _, v := range f.Blocks[b].Instrs {
			d := &f.Values[v]
			if s.needed[v] || ir.IsTerminator(d.Op) {
				left = append(left, v)
				continue
			}
			s.drop(v)
		}
		f.Blocks[b].Instrs = left
	}
	f.OrderPreds()
}

// skip leads the edges into a loop to its exit.
func (s *slicer) skip(c *candidate) {
	f := s.f
	exit := &f.Blocks[c.exit]
	// What the phis of the exit get from the loop is the same on all ways out.
	k := slices.IndexFunc(exit.Preds, func(p ir.BlockID) bool { return s.of[p] == c })
	given := map[ir.Value]ir.Value{}
	for _, v := range exit.Instrs {
		if d := &f.Values[v]; d.Op == ir.Phi {
			given[v] = d.Args[k]
		}
	}
	var before []ir.BlockID
	for _, p := range f.Blocks[c.head].Preds {
		if s.of[p] != c && !slices.Contains(before, p) {
			before = append(before, p)
		}
	}
	for _, b := range c.blocks {
		for i := len(f.Succs(b)) - 1; i >= 0; i-- {
			s.cut(b, i)
		}
		s.empty(b)
	}
	f.Blocks[c.head].Preds = nil
	for _, p := range before {
		t := f.Terminator(p)
		t.Succs = slices.Clone(t.Succs)
		for i, to := range t.Succs {
			if to != c.head {
				continue
			}
			t.Succs[i] = c.exit
			exit.Preds = append(exit.Preds, p)
			for _, v := range exit.Instrs {
				if d := &f.Values[v]; d.Op == ir.Phi {
					d.Args = append(d.Args, given[v])
				}
			}
		}
	}
}
