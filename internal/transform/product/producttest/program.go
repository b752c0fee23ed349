// Package producttest has random small programs with two meanings: as modules and C, for what is tested, and
// as rows of observations, by exploring all their states. The two share nothing.
package producttest

import (
	"fmt"
	"math/rand/v2"

	"assay/internal/program/ir"
	"assay/internal/temporal/buchi"
	"assay/internal/temporal/ltl"
	"assay/internal/temporal/ltl/ltltest"
)

// kind of an instruction of a small program over the globals x and y, which are below 4.
type kind int

const (
	set    kind = iota // global = number
	add                // global = global + 1 modulo 4
	input              // global = anything
	test               // if global == number goto to
	choose             // perhaps goto to
	jump               // goto to
	assume             // global != number
	assert             // global != number
	exit               // the program ends
	step               // __VERIFIER_ltl_step
	call               // a function that adds 1 to the global, if it is not number
	kinds
)

type instruction struct {
	kind   kind
	global int
	number uint64
	to     int
}

func (i instruction) String() string {
	name := [...]string{"set", "add", "input", "test", "choose", "jump", "assume", "assert", "exit", "step", "call"}[i.kind]
	return fmt.Sprintf("%s %c %d to %d", name, "xy"[i.global], i.number, i.to)
}

// Program is a small program over two variables, x and y, which are 0 at first and below 4. It ends behind its
// last instruction.
type Program []instruction

// Random is a program of at most seven instructions, with marked points of observation or without.
func Random(r *rand.Rand, steps bool) Program {
	p := make(Program, 2+r.IntN(6))
	for k := range p {
		for {
			p[k] = instruction{kind(r.IntN(int(kinds))), r.IntN(2), r.Uint64N(4), r.IntN(len(p) + 1)}
			if p[k].kind == exit && r.IntN(3) > 0 || p[k].kind == step && !steps {
				continue
			}
			break
		}
	}
	if steps {
		p[r.IntN(len(p))].kind = step
	}
	return p
}

// StepLabel marks points of observation in Module.
const StepLabel = "step"

// Module is the program as a module, with observers of a: x == 1 and b: y == 2.
func (p Program) Module() *ir.Module {
	m := &ir.Module{PointerBits: 64, Files: []string{"p.c"}, Entry: "entry"}
	for _, name := range []string{"x", "y"} {
		m.Globals = append(m.Globals, &ir.Global{Name: name, CName: name, Size: 1, Align: 1, Init: []byte{0}, Layout: ir.Layout{Cell: 1}})
	}
	byte8 := ir.IntType(8)
	names := []string{"x", "y"}
	e := ir.NewFunc(m, "entry")
	e.At(e.Block("entry"))
	e.Call(ir.Type{}, "main")
	e.Halt(ir.HaltExit)
	e.Done()
	for g, name := range names {
		// f(k): if (g != k) g = (g + 1) % 4
		b := ir.NewFunc(m, "f"+name)
		b.SetPos(ir.Pos{Line: 100})
		k := b.Param(byte8)
		from, on, to := b.Block("entry"), b.Block("on"), b.Block("to")
		b.At(from)
		v := b.Load(byte8, b.GlobalAddr(names[g]))
		b.CondBr(b.Cmp(ir.Eq, v, k), to, on)
		b.At(on)
		b.Store(b.Bin(ir.And, b.Bin(ir.Add, v, b.Const(8, 1)), b.Const(8, 3)), b.GlobalAddr(names[g]))
		b.Br(to)
		b.At(to)
		b.Ret()
		b.Done()
	}
	for g, k := range []uint64{1, 2} {
		b := ir.NewFunc(m, "observe"+names[g], ir.IntType(32))
		b.At(b.Block("entry"))
		is := b.Cmp(ir.Eq, b.Load(byte8, b.GlobalAddr(names[g])), b.Const(8, k))
		b.Ret(b.Op(ir.ZExt, ir.IntType(32), is))
		b.Done()
	}
	b := ir.NewFunc(m, "main")
	b.SetPos(ir.Pos{Line: 1})
	start := b.Block("entry")
	blocks := make([]ir.BlockID, len(p)+1)
	for k := range blocks {
		blocks[k] = b.Block(fmt.Sprint("at", k))
	}
	b.At(start)
	b.Br(blocks[0])
	for k, i := range p {
		b.At(blocks[k])
		b.SetPos(ir.Pos{Line: int32(k + 1)})
		address := b.GlobalAddr(names[i.global])
		number := b.Const(8, i.number)
		switch i.kind {
		case set:
			b.Store(number, address)
		case add:
			b.Store(b.Bin(ir.And, b.Bin(ir.Add, b.Load(byte8, address), b.Const(8, 1)), b.Const(8, 3)), address)
		case input:
			b.Store(b.Nondet(byte8, ir.NondetInput, "input"), address)
		case test:
			b.CondBr(b.Cmp(ir.Eq, b.Load(byte8, address), number), blocks[i.to], blocks[k+1])
			continue
		case choose:
			b.CondBr(b.Nondet(ir.BoolType, ir.NondetInput, "choice"), blocks[i.to], blocks[k+1])
			continue
		case jump:
			b.Br(blocks[i.to])
			continue
		case assume:
			b.Assume(b.Cmp(ir.Ne, b.Load(byte8, address), number))
		case assert:
			b.Check(ir.Assertion, b.Cmp(ir.Ne, b.Load(byte8, address), number), "assertion")
		case exit:
			b.Halt(ir.HaltExit)
			continue
		case step:
			b.Emit(ir.Def{Op: ir.Label, Sym: StepLabel})
		case call:
			b.Call(ir.Type{}, "f"+names[i.global], number)
		}
		b.Br(blocks[k+1])
	}
	b.At(blocks[len(p)])
	b.Ret()
	b.Done()
	return m
}

// configuration is a state of the program.
type configuration struct {
	pc int
	g  [2]uint64
}

func (c configuration) letter() buchi.Letter {
	var l buchi.Letter
	if c.g[0] == 1 {
		l |= 1
	}
	if c.g[1] == 2 {
		l |= 2
	}
	return l
}

// next are the configurations after an instruction; observed says that the last one is
// observed, ended that the program ends there.
func (p Program) next(c configuration, steps bool) (to []configuration, observed, ended bool) {
	if c.pc == len(p) {
		return nil, false, true
	}
	i := p[c.pc]
	on := c
	on.pc++
	switch i.kind {
	case set, add, input:
		for v := range uint64(4) {
			d := on
			d.g[i.global] = v
			if i.kind == input || i.kind == set && v == i.number || i.kind == add && v == (c.g[i.global]+1)%4 {
				to = append(to, d)
			}
		}
		return to, !steps, false
	case call:
		if c.g[i.global] == i.number {
			return []configuration{on}, false, false
		}
		on.g[i.global] = (c.g[i.global] + 1) % 4
		return []configuration{on}, !steps, false
	case test:
		if c.g[i.global] == i.number {
			on.pc = i.to
		}
	case choose:
		other := on
		other.pc = i.to
		return []configuration{on, other}, false, false
	case jump:
		on.pc = i.to
	case assume:
		if c.g[i.global] == i.number {
			return nil, false, false
		}
	case assert:
		if c.g[i.global] == i.number {
			return nil, false, true
		}
	case exit:
		return nil, false, true
	case step:
		return []configuration{on}, true, false
	}
	return []configuration{on}, false, false
}

// Rows is an automaton that accepts the rows of observations of the program's runs: a state
// is a configuration that is observed next.
func (p Program) Rows(steps bool) *buchi.Automaton {
	atoms := []ltl.Atom{ltltest.Prop(0).(ltl.Prop).Atom, ltltest.Prop(1).(ltl.Prop).Atom}
	a := &buchi.Automaton{Atoms: atoms}
	type state struct {
		c      configuration
		letter buchi.Letter
		ever   bool // the letter repeats
	}
	number := map[state]int{}
	var list []state
	get := func(s state) int {
		n, ok := number[s]
		if !ok {
			n = len(list)
			number[s] = n
			list = append(list, s)
		}
		return n
	}
	get(state{c: configuration{}, letter: configuration{}.letter()})
	for k := 0; k < len(list); k++ {
		s := list[k]
		label := buchi.Cube{Pos: uint64(s.letter), Neg: 3 &^ uint64(s.letter)}
		targets := map[int]bool{}
		if s.ever {
			targets[k] = true
		} else {
			const open, done = 1, 2
			seen := map[configuration]int{}
			var visit func(c configuration)
			visit = func(c configuration) {
				switch seen[c] {
				case open: // a loop without observations
					targets[get(state{letter: s.letter, ever: true})] = true
					return
				case done:
					return
				}
				seen[c] = open
				to, observed, ended := p.next(c, steps)
				if ended {
					targets[get(state{letter: c.letter(), ever: true})] = true
				}
				for _, d := range to {
					if observed {
						targets[get(state{c: d, letter: d.letter()})] = true
					} else {
						visit(d)
					}
				}
				seen[c] = done
			}
			visit(s.c)
		}
		var edges []buchi.Edge
		for t := range targets {
			edges = append(edges, buchi.Edge{Label: label, To: t})
		}
		a.Edges = append(a.Edges, edges)
		a.Accepting = append(a.Accepting, true)
	}
	return a
}
