package cut

import "assay/internal/program/ir"

// This file lays out one loop of a cut program: unwound for k >= 1 (cut.go), and
// for k = 0 as one iteration from an arbitrary state, for predicates that are
// inductive by themselves [Floyd67]:
//
//	start    the state in which the loop is entered: a visit that is not early.
//	         The run ends there, or goes on with
//	any      an arbitrary state: an early visit;
//	back     the state after an iteration: a visit that is not early, and an end.
//
// That a run may end where a loop is entered lets the hypotheses about later
// visits say nothing about a run that breaks a predicate, or violates something, before
// (package inference).

// loopCut is the work on one loop.
type loopCut struct {
	*cutting
	e                *editor
	l                *Loop
	phis             []ir.Value
	entries, latches []ir.BlockID
	// written are pointers to what the loop writes, asleep the locals that come to
	// life in it.
	written, asleep []ir.Value
	// start is the block in which the loop is entered, and initial the phis there;
	// last is the end of what makes the state arbitrary.
	start, last ir.BlockID
	initial     map[ir.Value]ir.Value
}

// enter leads the ways into the loop to a new block.
func (x *loopCut) enter() {
	e := x.e
	x.start = e.NewBlock("cut.start")
	e.Pos = x.l.Pos()
	for _, phi := range x.phis {
		in, stay := e.split(phi, func(from ir.BlockID) bool { return !x.l.Blocks[from] })
		e.At = x.start
		x.initial[phi] = e.Emit(ir.Def{Op: ir.Phi, Type: e.Func.Def(phi).Type})
		e.in[x.initial[phi]], e.in[phi] = in, stay
	}
	for _, u := range x.entries {
		e.Retarget(u, x.l.Head, x.start)
	}
	e.At = x.start
}

// split divides the arcs of a phi.
func (e *editor) split(phi ir.Value, first func(from ir.BlockID) bool) (yes, no []arc) {
	for _, a := range e.in[phi] {
		if first(a.from) {
			yes = append(yes, a)
		} else {
			no = append(no, a)
		}
	}
	return yes, no
}

func (x *loopCut) any(t ir.Type) ir.Value {
	return x.e.Emit(ir.Def{Op: ir.Nondet, Type: t, Aux: int64(ir.NondetInput), Sym: selectName})
}

// within is any pointer into the object that p points into.
func (x *loopCut) within(p ir.Value) ir.Value {
	if d := x.e.Func.Def(p); d.Op == ir.Null || d.Op == ir.FuncAddr {
		return p
	}
	return x.e.Op(ir.PtrAdd, x.e.Func.Def(p).Type, p, x.any(x.e.Module.WordType()))
}

// arbitrary goes from the block start to the head, with a state that is arbitrary
// on what the loop changes, if a choice is made; else to another block.
func (x *loopCut) arbitrary(otherwise ir.BlockID) error {
	e := x.e
	havoc := e.NewBlock("cut.any")
	e.At = x.start
	some := x.any(boolean)
	e.Emit(ir.Def{Op: ir.CondBr, Args: []ir.Value{some}, Succs: []ir.BlockID{havoc, otherwise}})
	e.At = havoc
	values := make([]ir.Value, len(x.phis))
	for i, phi := range x.phis {
		t := e.Func.Def(phi).Type
		if t.Kind != ir.Ptr {
			values[i] = x.any(t)
			continue
		}
		bases, known := moves(phi, x.l)
		if !known {
			return &ErrUncut{Func: e.Func.Name, Pos: x.l.Pos(), Why: "a pointer in it changes to another object"}
		}
		values[i] = x.within(x.initial[phi])
		for _, b := range bases {
			if y, ok := x.initial[b]; ok {
				b = y
			}
			if b != x.initial[phi] {
				values[i] = e.Op(ir.Select, t, x.any(boolean), x.within(b), values[i])
			}
		}
	}
	for _, r := range x.written {
		x.havoc(e, r)
	}
	for _, r := range x.asleep {
		// Alive with any content, or dead: whichever it is at a head.
		e.Op(ir.LifetimeStart, ir.Type{}, r)
		dead := x.any(boolean)
		end, on := e.NewBlock("cut.dead"), e.NewBlock("cut.on")
		e.Emit(ir.Def{Op: ir.CondBr, Args: []ir.Value{dead}, Succs: []ir.BlockID{end, on}})
		e.At = end
		e.Op(ir.LifetimeEnd, ir.Type{}, r)
		e.Jump(on)
		e.At = on
	}
	x.last = e.At
	e.Jump(x.l.Head)
	for i, phi := range x.phis {
		if otherwise == x.l.Head {
			e.in[phi] = append(e.in[phi], arc{x.start, x.initial[phi]})
		}
		e.in[phi] = append(e.in[phi], arc{x.last, values[i]})
	}
	return nil
}

// probe takes down, in the block under way, whether a visit is early, and its
// integers and bases; at says what a phi of the head is there.
func (x *loopCut) probe(early ir.Value, at map[ir.Value]ir.Value) (values []ir.Value) {
	e := x.e
	now := func(v ir.Value) ir.Value {
		if y, ok := at[v]; ok {
			return y
		}
		return v
	}
	values = []ir.Value{early}
	for _, p := range x.places[x.l] {
		if p.Cell {
			at := now(p.Value)
			if p.Offset != 0 {
				at = e.Op(ir.PtrAdd, e.Module.PtrType(), at, e.Number(e.Module.PointerBits, p.Offset))
			}
			values = append(values, e.Op(ir.Load, p.kind(), at))
		} else {
			values = append(values, e.Op(ir.Freeze, p.kind(), now(p.Value)))
		}
	}
	for _, b := range x.bases[x.l] {
		values = append(values, e.Op(ir.Freeze, e.Module.PtrType(), now(b)))
	}
	return values
}

// note makes the last instruction of the block under way the place of a probe.
func (x *loopCut) note(values []ir.Value) {
	f := x.e.Func
	instrs := f.Blocks[x.e.At].Instrs
	at := instrs[len(instrs)-1]
	x.Memory[f.Name][at] = len(x.bases[x.l]) > 0
	x.Probes[f.Name][at] = values
	x.Heads[Site{f.Name, at}] = x.l
}

// back leads some of the back edges to a new block, in which phis are what they
// are for the next visit.
func (x *loopCut) back(from ...ir.BlockID) (block ir.BlockID, next map[ir.Value]ir.Value) {
	e := x.e
	block = e.NewBlock("cut.back")
	for _, u := range from {
		e.Retarget(u, x.l.Head, block)
	}
	next = map[ir.Value]ir.Value{}
	e.At = block
	for _, phi := range x.phis {
		in, stay := e.split(phi, func(b ir.BlockID) bool {
			for _, u := range from {
				if u == b {
					return true
				}
			}
			return false
		})
		y := e.Emit(ir.Def{Op: ir.Phi, Type: e.Func.Def(phi).Type})
		e.in[y], e.in[phi], next[phi] = in, stay, y
	}
	return block, next
}

// ends ends the run in the block under way.
func (x *loopCut) ends() {
	x.e.Op(ir.Assume, ir.Type{}, x.e.Number(1, 0))
	x.e.Emit(ir.Def{Op: ir.Unreachable})
}

// once lays out one iteration.
func (x *loopCut) once() error {
	e := x.e
	yes, no := e.Number(1, 1), e.Number(1, 0)
	x.enter()
	values := x.probe(no, x.initial)
	e.Op(ir.Freeze, boolean, no)
	x.note(values)
	nowhere := e.NewBlock("cut.end")
	if err := x.arbitrary(nowhere); err != nil {
		return err
	}
	e.At = nowhere
	x.ends()
	e.Before(e.AfterPhis(x.l.Head), func() {
		values := x.probe(yes, nil)
		e.Op(ir.Freeze, boolean, yes)
		x.note(values)
	})
	_, next := x.back(x.latches...)
	values = x.probe(no, next)
	e.Op(ir.Freeze, boolean, no)
	x.note(values)
	x.ends()
	return nil
}

// unwound lays out k+1 visits.
func (x *loopCut) unwound() error {
	c, e, l, f, head := x.cutting, x.e, x.l, x.e.Func, x.l.Head
	x.enter()
	outer := c.isEarly(e)
	if err := x.arbitrary(head); err != nil {
		return err
	}

	// The head: counting, and the predicates (C3).
	width := uint32(32)
	counter := e.Define(ir.Def{Op: ir.Phi, Type: ir.IntType(width), Block: head, Pos: e.Pos})
	chosen := e.Define(ir.Def{Op: ir.Phi, Type: boolean, Block: head, Pos: e.Pos})
	f.Blocks[head].Instrs = append([]ir.Value{counter, chosen}, f.Blocks[head].Instrs...)
	zero := e.Number(width, 0)
	e.in[counter] = []arc{{x.start, zero}, {x.last, zero}}
	e.in[chosen] = []arc{{x.start, e.Number(1, 0)}, {x.last, e.Number(1, 1)}}
	var own ir.Value
	e.Before(e.AfterPhis(head), func() {
		own = e.Op(ir.And, boolean, chosen, e.Op(ir.ULt, boolean, counter, e.Number(width, uint64(c.k))))
		early := e.Op(ir.Or, boolean, own, outer)
		values := x.probe(early, nil)
		c.setEarly(e, early)
		x.note(values)
	})

	// The ways back, to be taken k times, and the ways out (C2).
	backs := map[ir.BlockID]bool{}
	for _, u := range x.latches {
		back, next := x.back(u)
		backs[back] = true
		for _, phi := range x.phis {
			e.in[phi] = append(e.in[phi], arc{back, next[phi]})
		}
		e.Op(ir.Assume, ir.Type{}, e.Op(ir.ULt, boolean, counter, e.Number(width, uint64(c.k))))
		n := e.Op(ir.Add, ir.IntType(width), counter, e.Number(width, 1))
		e.Jump(head)
		e.in[counter] = append(e.in[counter], arc{back, n})
		e.in[chosen] = append(e.in[chosen], arc{back, chosen})
	}
	type edge struct{ u, v ir.BlockID }
	var exits []edge
	known := map[edge]bool{}
	for u := range ir.BlockID(len(f.Blocks)) {
		if !l.Blocks[u] {
			continue
		}
		for _, v := range f.Succs(u) {
			if !l.Blocks[v] && !known[edge{u, v}] && !backs[v] {
				known[edge{u, v}] = true
				exits = append(exits, edge{u, v})
			}
		}
	}
	for _, x := range exits {
		out := e.NewBlock("cut.out")
		e.Retarget(x.u, x.v, out)
		e.At = out
		for _, phi := range e.Phis(x.v) {
			in, stay := e.split(phi, func(b ir.BlockID) bool { return b == x.u })
			y := e.Emit(ir.Def{Op: ir.Phi, Type: f.Def(phi).Type})
			e.in[y] = in
			e.in[phi] = append(stay, arc{out, y})
		}
		e.Op(ir.Assume, ir.Type{}, e.Not(own))
		c.setEarly(e, outer)
		e.Jump(x.v)
	}
	return nil
}
