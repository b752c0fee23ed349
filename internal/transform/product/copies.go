package product

import (
	"fmt"
	"slices"

	"assay/internal/program/ir"
	"assay/internal/temporal/buchi"
	"assay/internal/transform"
)

// This file copies the flat function for the parts of the automaton: its strong components,
// where a sink is one for itself. A block of the function is cut behind each observation: a place is a
// block and the number of observations in it that are behind. A node is a place with a part and a
// phase; the product has a block for each node that can be reached, and further blocks
// where the automaton chooses its edge. Most components are one state, which is a
// matter of control then; of others the state is a value (copier.state), as if the flat function had one.
//
// Phases keep loops such that they are entered at their heads only, which is what engines that
// cut loops ask for. The automaton may enter a part in the middle of loops: then the phase is
// the number of loops around, outermost first, in which the run is without having come
// through the head in this part. A run that comes to the head of one of them, or leaves it, is in
// a smaller phase. Phase 0 is the part's own copy.
//
// Operands are values of the flat function first; values.go replaces them by the values of the
// copies. Whether the automaton accepts the repetition of the last observation (P4) is a
// value that each observation assigns, as if the flat function had one (copier.stay).

// silent is the part of the product in which nothing will be observed any more (P4).
const silent = -1

type node struct {
	block ir.BlockID
	cut   int
	part  int
	phase int
}

type copier struct {
	q          *Question
	flat       *ir.Func
	wto        *ir.WTO
	steps      bool
	automaton  *buchi.Automaton
	sink       []bool
	parts      *buchi.Components
	stuttering [][]buchi.Cube
	silence    []bool           // by block of the flat function: a head of a loop that may observe nothing
	quiet      bool             // some loop may
	lasts      [][][]buchi.Cube // by state and edge: the observations whose repetition is accepted behind the edge
	falls      []bool           // by state: some such observation leads there
	stay       ir.Value
	state      ir.Value // of parts with several states

	b       *ir.Builder
	m       *ir.Module
	blocks  map[node]ir.BlockID
	work    []node
	forever ir.BlockID
	values  *values
	safety  bool
	extends bool
	main    string
}

func newCopier(q *Question, f *flat) *copier {
	c := &copier{
		q: q, flat: f.f, wto: ir.NewWTO(f.f), steps: f.steps, automaton: q.Automaton, sink: sinks(q.Automaton), stuttering: stuttering(q.Automaton),
		main: f.main, silence: make([]bool, len(f.f.Blocks)), blocks: map[node]ir.BlockID{}, safety: true, extends: true,
		stay: ir.Value(len(f.f.Values)), state: ir.Value(len(f.f.Values) + 1),
	}
	c.parts = buchi.Graph{N: len(q.Automaton.Edges), Next: func(k int, visit func(int)) {
		if !c.sink[k] {
			q.Automaton.Graph().Next(k, visit)
		}
	}}.Components()
	c.findSilence()
	c.findLasts()
	return c
}

// build makes the product.
func (c *copier) build() (*Product, error) {
	m := *c.q.Program
	m.Funcs = nil
	c.m = &m
	c.b = ir.NewFunc(c.m, c.q.Program.Entry)
	c.b.Func.Vars = c.flat.Vars
	c.values = newValues(c.flat, c.b)
	// The entry block has no predecessors.
	start := c.b.Block("entry")
	c.b.At(start)
	first := c.automaton.Initial
	if c.quiet {
		// Before the first observation: the repetition of nothing is none.
		c.values.define(c.stay, c.boolean(false))
	}
	if c.sink[first] {
		c.violation(ir.Pos{})
	}
	c.arrive(first)
	c.jump(node{1, 0, c.parts.Of[first], 0}, edge{})
	for len(c.work) > 0 {
		n := c.work[len(c.work)-1]
		c.work = c.work[:len(c.work)-1]
		c.copy(n)
		if len(c.b.Func.Blocks) > maxBlocks || len(c.b.Func.Values) > 10*maxFlat {
			return nil, &Error{Why: fmt.Sprintf("the product of the program and the automaton has more than %d blocks", maxBlocks)}
		}
	}
	c.values.finish()
	c.keep()
	if main := c.q.Program.Func(c.main); main != nil && c.m.Func(c.main) == nil {
		// For people the product is the function that was asked about.
		c.b.Func.Name, c.b.Func.Pos, c.m.Entry = main.Name, main.Pos, main.Name
	}
	c.decides()
	return &Product{Program: transform.Program{From: c.q.Program, Module: c.m, Runs: transform.Same}, Safety: c.safety, Extends: c.extends}, nil
}

// block is the block of a node.
func (c *copier) block(n node) ir.BlockID {
	b, ok := c.blocks[n]
	if !ok {
		name := c.flat.Blocks[n.block].Name
		b = c.b.Block(name)
		c.blocks[n] = b
		c.work = append(c.work, n)
	}
	return b
}

// jump ends the current block; e is the edge of the flat function that is taken, if it is one.
func (c *copier) jump(n node, e edge) {
	to := c.block(n)
	c.b.Br(to)
	c.values.edges(c.b.Current(), e)
}

// states are the states of a part.
func (c *copier) states(part int) []int { return c.parts.States[part] }

// inSink says that a part is a sink.
func (c *copier) inSink(part int) bool { return part != silent && c.sink[c.states(part)[0]] }

// arrive notes the state, in the current block.
func (c *copier) arrive(q int) {
	if len(c.states(c.parts.Of[q])) > 1 {
		c.values.define(c.state, c.b.Const(stateBits, uint64(q)))
	}
}

// stateBits is the width of the value that is the state.
const stateBits = 32

// follow is the phase behind an edge of the flat function.
func (c *copier) follow(from, to ir.BlockID, phase int) int {
	here, there := c.wto.Heads[from], c.wto.Heads[to]
	common := 0
	for common < min(phase, len(here), len(there)) && here[common] == there[common] {
		common++
	}
	if n := len(there); c.wto.IsHead(to) && n <= common {
		common = n - 1
	}
	return common
}

func (c *copier) boolean(v bool) ir.Value {
	if v {
		return c.b.Const(1, 1)
	}
	return c.b.Const(1, 0)
}

// copy appends the instructions of a node.
func (c *copier) copy(n node) {
	b, f := c.b, c.flat
	b.At(c.blocks[n])
	cut := 0
	headed := n.cut > 0 // the head's part is done
	for _, v := range f.Blocks[n.block].Instrs {
		d := f.Def(v)
		if cut < n.cut {
			if d.Op == ir.Label && d.Sym == observeLabel {
				cut++
			}
			continue
		}
		if d.Op == ir.Phi {
			c.values.phi(v)
			continue
		}
		if !headed {
			headed = true
			c.head(n)
		}
		b.SetPos(d.Pos)
		switch {
		case d.Op == ir.Label && d.Sym == observeLabel:
			switch {
			case n.part == silent:
				c.dead()
				return
			case c.inSink(n.part):
				continue
			}
			n.cut = cut + 1
			c.split(n.part, func(q int) { c.step(n, q, d) })
			return
		case d.Op == ir.Label && d.Sym == endLabel:
			if n.part == silent {
				c.dead()
				return
			}
			c.split(n.part, func(q int) { c.end(q, d) })
			return
		case ir.IsTerminator(d.Op):
			c.terminate(n, d)
			return
		}
		c.values.copy(v)
	}
}

// head appends what happens at the head of a loop.
func (c *copier) head(n node) {
	if !c.wto.IsHead(n.block) {
		return
	}
	b := c.b
	switch {
	case n.part == silent || c.inSink(n.part):
		b.Emit(ir.Def{Op: ir.Accept})
	case c.silence[n.block] && slices.ContainsFunc(c.states(n.part), func(q int) bool { return c.falls[q] }):
		on, off, here := b.Block("silent"), b.Block("on"), b.Current()
		b.CondBr(b.Nondet(ir.BoolType, ir.NondetInput, Choice), on, off)
		c.values.edges(here, edge{}, edge{})
		b.At(on)
		b.Emit(ir.Def{Op: ir.Assume, Args: []ir.Value{c.values.read(c.stay)}})
		// The head is not entered anew: what is behind its phis goes on in the copy
		// of the silent state, whose entry takes the values as they are.
		c.jump(node{n.block, 0, silent, len(c.wto.Heads[n.block]) - 1}, edge{again: true})
		b.At(off)
	}
}

// Choice names the choices of the automaton, which are none of the program.
const Choice = "the automaton"

// terminate copies a terminator.
func (c *copier) terminate(n node, d *ir.Def) {
	def := *d
	def.Succs = nil
	var es []edge
	for i, s := range d.Succs {
		def.Succs = append(def.Succs, c.block(node{s, 0, n.part, c.follow(n.block, s, n.phase)}))
		es = append(es, edge{from: n.block, slot: i, real: true})
	}
	c.values.emit(def)
	c.values.edges(c.b.Current(), es...)
}

// keep adds the functions that are still called, or whose address is taken.
func (c *copier) keep() {
	kept := map[string]bool{c.m.Entry: true}
	var visit func(f *ir.Func)
	visit = func(f *ir.Func) {
		for v := range f.Values {
			d := &f.Values[v]
			if d.Op != ir.Call && d.Op != ir.FuncAddr || d.Sym == "" || kept[d.Sym] {
				continue
			}
			kept[d.Sym] = true
			visit(c.q.Program.Func(d.Sym))
		}
	}
	visit(c.b.Func)
	for _, g := range c.m.Globals {
		for _, r := range g.Relocs {
			if f := c.q.Program.Func(r.Target); f != nil && !kept[r.Target] {
				kept[r.Target] = true
				visit(f)
			}
		}
	}
	for _, f := range c.q.Program.Funcs {
		if kept[f.Name] && f.Name != c.m.Entry {
			c.m.Funcs = append(c.m.Funcs, f)
		}
	}
	var constructors []string
	for _, name := range c.m.Constructors {
		if kept[name] {
			constructors = append(constructors, name)
		}
	}
	c.m.Constructors = constructors
}

// decides finds out what the checks of (P5) say.
func (c *copier) decides() {
	// Accepting runs are those that enter a sink, repeat an end, or fall silent, if
	// no other accepting state is on a cycle of the automaton.
	components := c.automaton.Graph().Components()
	for q, accepts := range c.automaton.Accepting {
		if accepts && !c.sink[q] && components.Cyclic[components.Of[q]] {
			c.safety = false
		}
	}
	for n := range c.blocks {
		if n.part == silent {
			c.safety = false
		}
		if !c.inSink(n.part) {
			continue
		}
		for _, v := range c.flat.Blocks[n.block].Instrs {
			switch d := c.flat.Def(v); d.Op {
			case ir.Assume, ir.Unsupported, ir.Unreachable:
				c.extends = false
			case ir.Call:
				c.extends = false // it may assume
			}
		}
	}
}
