// Package cut turns a program into one without unbounded loops and recursion, of which
// bounded model checking can decide whether it violates anything: for k-induction with
// invariants [2LS §2.1, §5.3]. Loops are cut here and in loopcut.go, recursion in contract.go.
//
// On entering a loop, a choice is made [2LS §4.2.1, the loop-select guard]: the
// loop starts as it is, or everything it changes becomes arbitrary, to stand for
// the state after any number of iterations. Then the head is visited at most
// k+1 times; what is left of the run after that is cut off. Let a visit be early
// if the state was made arbitrary and fewer than k iterations were made since.
//
//	(C1) A run that makes N iterations before it leaves the loop, or before it
//	     violates something in it, is covered: for N < k by starting as it is,
//	     else by the arbitrary state of iteration N-k. In both cases what
//	     happens at last does not happen early.
//	(C2) So what is violated early need not count, and where the run goes on it
//	     was not violated; the loop is not left early. Of a program that violates
//	     nothing, early checks hold anyway: they are assumed.
//	(C3) A predicate of the head is assumed at early visits, and checked at all
//	     others. All checks are one conjunction: the first thing that fails on a
//	     run fails in a place that is not early. The program only names the places
//	     of interest (Program.Probes); the formulas are those of package induction.
//	(C4) The arbitrary state agrees with the state on entry in all that the loop
//	     cannot change: values defined outside, and objects that nothing in the
//	     loop writes (written.go).
//
// Being early is a variable of the program, so that it holds in called
// functions, too; a loop that is entered early is early throughout.
package cut

import (
	"assay/internal/evidence/invariant"
	"assay/internal/program/ir"
)

// Names of what is added to a program.
const (
	earlyName  = "assay.early"
	selectName = "assay.loop"
)

// Loop is a loop of the original program, or one side of a contract.
type Loop struct {
	Func *ir.Func
	Head ir.BlockID
	// Blocks are those of the loop.
	Blocks map[ir.BlockID]bool
	// Post says of a contract that it is about returns; see contract.go.
	Post bool
}

// IsContract says that this is no loop, but stands for the calls of a recursive
// function, or its returns: Head is 0.
func (l *Loop) IsContract() bool { return l.Head == 0 }

// In says whether a block is in the loop.
func (l *Loop) In(b ir.BlockID) bool { return l.Blocks[b] }

// Pos is where the loop is in the source.
func (l *Loop) Pos() ir.Pos {
	for _, v := range l.Func.Blocks[l.Head].Instrs {
		if p := l.Func.Def(v).Pos; p.Line != 0 {
			return p
		}
	}
	return l.Func.Pos
}

// Loops lists the loops of the functions that can be reached, outer ones first.
func Loops(m *ir.Module) ([]*Loop, error) {
	var out []*Loop
	for _, f := range m.Funcs {
		if len(f.Blocks) == 0 {
			continue
		}
		w, dom := ir.NewWTO(f), ir.Dominators(f)
		for _, h := range w.Blocks {
			if !w.IsHead(h) {
				continue
			}
			l := &Loop{Func: f, Head: h, Blocks: map[ir.BlockID]bool{}}
			for _, b := range w.Component(h) {
				l.Blocks[b] = true
				if !dom.Dominates(h, b) {
					return nil, &ErrUncut{Func: f.Name, Pos: l.Pos(), Why: "it can be entered in several places"}
				}
			}
			out = append(out, l)
		}
	}
	return out, nil
}

// Candidate is a predicate of a loop head.
type Candidate struct {
	Loop      *Loop
	Predicate invariant.Predicate
}

// Program is a program whose loops are cut.
type Program struct {
	Module *ir.Module
	// Probes are, by function and instruction, the values that formulas need:
	// at a loop head whether the visit is early, then the integers of the
	// loop's places; at what may violate a target, whether it is early.
	Probes map[string]map[ir.Value][]ir.Value
	// Memory are the probes of heads with quantified predicates; there, the values
	// of the loop's bases follow those of its places. Reads are probes whose last
	// value is the pointer that is read through.
	Memory map[string]map[ir.Value]bool
	Reads  map[string]map[ir.Value]bool
	// Heads are the loops of the probes at heads.
	Heads map[Site]*Loop
}

// Site is an instruction.
type Site struct {
	Function string
	Value    ir.Value
}

// cutting is the work on one module.
type cutting struct {
	Program
	m      *ir.Module
	k      int
	writes *Writes
	places map[*Loop][]Place
	bases  map[*Loop][]ir.Value
	kinds  map[ir.CheckKind]bool
	label  string
}

// Cut is the program with its loops cut after k iterations; targets are the
// checks whose places are wanted, places the integers wanted at the heads, bases
// the pointers to arrays wanted there.
func Cut(m *ir.Module, loops []*Loop, k int, places map[*Loop][]Place, bases map[*Loop][]ir.Value, targets []ir.CheckKind, label string) (*Program, error) {
	c := &cutting{m: m.Clone(), k: k, writes: NewWrites(m), places: places, bases: bases, kinds: map[ir.CheckKind]bool{}, label: label}
	c.Program = Program{
		Module: c.m, Probes: map[string]map[ir.Value][]ir.Value{}, Heads: map[Site]*Loop{},
		Memory: map[string]map[ir.Value]bool{}, Reads: map[string]map[ir.Value]bool{},
	}
	for _, t := range targets {
		c.kinds[t] = true
	}
	recursive, err := RecursiveComponents(m)
	if err != nil {
		return nil, err
	}
	for _, r := range recursive {
		c.writes.Complete(r)
	}
	c.m.Globals = append(c.m.Globals, &ir.Global{Name: earlyName, Size: 1, Align: 1})
	for n, f := range c.m.Funcs {
		if len(f.Blocks) == 0 {
			continue
		}
		c.Probes[f.Name] = map[ir.Value][]ir.Value{}
		c.Memory[f.Name], c.Reads[f.Name] = map[ir.Value]bool{}, map[ir.Value]bool{}
		e := edit(c.m, f)
		c.checks(e)
		for _, l := range loops {
			if l.Func == m.Funcs[n] {
				if err := c.loop(e, l); err != nil {
					return nil, err
				}
			}
		}
		e.done()
	}
	for _, r := range recursive {
		if err := c.recursion(r); err != nil {
			return nil, err
		}
	}
	return &c.Program, nil
}

var boolean = ir.IntType(1)

// isEarly loads the variable; it is stored as a byte.
func (c *cutting) isEarly(e *editor) ir.Value {
	b := e.Op(ir.Load, ir.IntType(8), e.Global(earlyName))
	return e.Op(ir.Ne, boolean, b, e.Number(8, 0))
}

func (c *cutting) setEarly(e *editor, early ir.Value) {
	e.Op(ir.Store, ir.Type{}, e.Op(ir.ZExt, ir.IntType(8), early), e.Global(earlyName))
}

// checks has it taken down at what may violate a target whether it is early (C2).
func (c *cutting) checks(e *editor) {
	for b := 1; b < len(e.Func.Blocks); b++ {
		for _, v := range append([]ir.Value(nil), e.Func.Blocks[b].Instrs...) {
			read := len(c.bases) > 0 && e.Func.Def(v).Op == ir.Load && e.Func.Type(v).Kind == ir.Int && e.Func.Def(e.Func.Def(v).Args[0]).Op == ir.PtrAdd
			if !c.mayViolate(e.Func.Def(v)) && !read {
				continue
			}
			e.Before(v, func() {
				b := e.Op(ir.Load, ir.IntType(8), e.Global(earlyName))
				c.Probes[e.Func.Name][v] = []ir.Value{b}
			})
			if read {
				c.Probes[e.Func.Name][v] = append(c.Probes[e.Func.Name][v], e.Func.Def(v).Args[0])
				c.Reads[e.Func.Name][v] = true
			}
		}
	}
}

// mayViolate says whether an instruction may violate a target. What is missing
// here counts as not early.
func (c *cutting) mayViolate(d *ir.Def) bool {
	switch d.Op {
	case ir.Check:
		return c.kinds[ir.CheckKind(d.Aux)]
	case ir.Label:
		return d.Sym == c.label && c.kinds[ir.ErrorLabel]
	case ir.Load, ir.Store, ir.MemCpy, ir.MemSet, ir.Havoc:
		return c.kinds[ir.InvalidDeref]
	case ir.Free:
		return c.kinds[ir.InvalidFree]
	case ir.Halt:
		return c.kinds[ir.MemTrack] || c.kinds[ir.MemCleanup]
	case ir.UDiv, ir.SDiv, ir.URem, ir.SRem:
		return c.kinds[ir.DivByZero]
	case ir.Shl, ir.LShr, ir.AShr:
		return c.kinds[ir.ShiftRange]
	}
	return false
}

// loop cuts one loop.
func (c *cutting) loop(e *editor, l *Loop) error {
	written, asleep, err := c.written(e, l)
	if err != nil {
		return err
	}
	x := &loopCut{cutting: c, e: e, l: l, phis: e.Phis(l.Head), written: written, asleep: asleep, initial: map[ir.Value]ir.Value{}}
	seen := map[ir.BlockID]bool{}
	e.Func.ComputePreds()
	for _, p := range e.Func.Blocks[l.Head].Preds {
		switch {
		case seen[p]:
		case l.Blocks[p]:
			x.latches = append(x.latches, p)
		default:
			x.entries = append(x.entries, p)
		}
		seen[p] = true
	}
	if c.k == 0 {
		return x.once()
	}
	return x.unwound()
}

// moves lists the pointers, from before the loop or phis of its head, that come around to a pointer phi of the
// head, itself among them, moved within their objects; ok is false if something else may.
func moves(phi ir.Value, l *Loop) (bases []ir.Value, ok bool) {
	seen := map[ir.Value]bool{}
	var from func(v ir.Value) bool
	from = func(v ir.Value) bool {
		if seen[v] {
			return true
		}
		seen[v] = true
		d := l.Func.Def(v)
		if !l.Blocks[d.Block] {
			bases = append(bases, v)
			return true
		}
		if d.Op == ir.Phi && d.Block == l.Head {
			bases = append(bases, v)
			for i, p := range l.Func.Blocks[l.Head].Preds {
				if l.Blocks[p] && !from(d.Args[i]) {
					return false
				}
			}
			return true
		}
		switch d.Op {
		case ir.PtrAdd, ir.Freeze:
			return from(d.Args[0])
		case ir.Select:
			return from(d.Args[1]) && from(d.Args[2])
		case ir.Phi:
			for _, a := range d.Args {
				if !from(a) {
					return false
				}
			}
			return true
		}
		return false
	}
	if !from(phi) {
		return nil, false
	}
	return bases, true
}

// written lists pointers to the objects that the loop may write, and the locals
// that come to life and die in it, as values that are defined before the loop.
func (c *cutting) written(ed *editor, l *Loop) (objects, asleep []ir.Value, err error) {
	f := l.Func
	e := &Effects{Globals: map[string]bool{}, Params: map[int]bool{}}
	seen, sleeps := map[ir.Value]bool{}, map[ir.Value]bool{}
	var order []ir.Value
	c.writes.loop, c.writes.bases = l, map[ir.Value]bool{}
	defer func() { c.writes.loop = nil }()
	for b := ir.BlockID(1); int(b) < len(f.Blocks); b++ {
		if !l.Blocks[b] {
			continue
		}
		for _, v := range f.Blocks[b].Instrs {
			c.writes.Instruction(f, v, e, func(r ir.Value) {
				if !seen[r] {
					seen[r] = true
					order = append(order, r)
				}
			})
			switch d := f.Def(v); d.Op {
			case ir.LifetimeStart, ir.LifetimeEnd:
				if f.Def(d.Args[0]).Op != ir.Alloca {
					e.wild = "the lifetime of what a pointer points to ends in it"
				}
				sleeps[d.Args[0]] = true
			case ir.Alloca:
				e.wild = "it makes stack objects"
			}
		}
	}
	if e.wild != "" {
		return nil, nil, &ErrUncut{Func: f.Name, Pos: l.Pos(), Why: e.wild}
	}
	for v := ir.Value(1); int(v) < len(f.Values); v++ {
		if sleeps[v] {
			if l.Blocks[f.Def(v).Block] {
				return nil, nil, &ErrUncut{Func: f.Name, Pos: l.Pos(), Why: "it makes stack objects"}
			}
			asleep = append(asleep, v)
		}
	}
	dom := ir.Dominators(f)
	for _, r := range order {
		switch d := f.Def(r); {
		case c.writes.bases[r]:
			objects = append(objects, r) // it is used in the loop, and defined before: it is there at the head
		case sleeps[r] || d.Op == ir.Null:
		case d.Op == ir.Alloca || d.Op == ir.Malloc || d.Op == ir.Param:
			if d.Block != 0 && (l.Blocks[d.Block] || !dom.Dominates(d.Block, l.Head)) {
				return nil, nil, &ErrUncut{Func: f.Name, Pos: l.Pos(), Why: "it writes an object that is not always there before it"}
			}
			objects = append(objects, r)
		case d.Op == ir.GlobalAddr:
			e.Globals[d.Sym] = true
		}
	}
	for _, g := range c.m.Globals {
		if e.Globals[g.Name] && !g.Constant {
			a := c.writes.Address(f, g.Name)
			if a == 0 {
				a = ed.Global(g.Name)
			}
			objects = append(objects, a)
		}
	}
	return objects, asleep, nil
}

// havoc makes the object that r points into arbitrary, if it can be written.
func (c *cutting) havoc(e *editor, r ir.Value) {
	word := e.Module.WordType()
	n := e.Op(ir.ObjectSize, word, r)
	p := e.Op(ir.PtrAdd, e.Module.PtrType(), r, e.Op(ir.Sub, word, e.Number(word.Bits, 0), e.Op(ir.ObjectOffset, word, r)))
	ok := e.Op(ir.ValidRange, boolean, p, n)
	fill, on := e.NewBlock("cut.any"), e.NewBlock("cut.on")
	e.Emit(ir.Def{Op: ir.CondBr, Args: []ir.Value{ok}, Succs: []ir.BlockID{fill, on}})
	e.At = fill
	e.Op(ir.Havoc, ir.Type{}, p, n)
	e.Jump(on)
	e.At = on
}
