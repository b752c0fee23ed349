package program

import (
	"fmt"
	"slices"

	"assay/internal/logic/bv"
	"assay/internal/models/memory"
	"assay/internal/program/ir"
)

// This file makes the step of the transition system as a function without loops:
// it restores the state of a location, goes on to the next one, and returns the
// state there.
//
//	entry:     every object is made; every variable of the state is chosen;
//	           by the location, go to one of
//	restore i: objects get their contents
//	code i:    a copy of what is reached from location i without passing another
//	return:    the values that the next location needs
//
// Locations are the start of the program and, in the large-block encoding, the
// heads of a weak topological order, which cut every cycle [LLUMC §6 asks for
// such an encoding]. In the small-block encoding [LLUMC §3] every edge between
// blocks ends at a location: the pair of current and previous block.

// stepName is the name of the step function.
const stepName = "assay.step"

// location is a place where steps begin and end.
type location struct {
	block ir.BlockID // of the flat function; the entry block for the start
	// pred is the previous block, of the small-block encoding; else 0.
	pred ir.BlockID
	// values are what the state has there: phis of the block (large blocks),
	// arguments of its phis (small blocks), and live values.
	values []ir.Value
}

// cell is a piece of memory that is part of the state.
type cell struct {
	object int // index in layout.objects
	memory.Range
	pointer bool
	term    int // index of the variable
}

// place is an object that belongs to the state: a global, or a stack object.
type place struct {
	global *ir.Global
	object int // index in flat.objects, if global is nil
}

// variable is a variable of the state, as the step function chooses it: a value
// of the flat function, the content of a cell, or whether an object lives.
type variable struct {
	value   ir.Value // of the flat function, 0 for memory
	typ     ir.Type
	pos     ir.Pos
	chosen  ir.Value // the Nondet of the step function: bits, or the offset of a pointer
	target  ir.Value // the Nondet that says what a pointer points to, 0 if there is one candidate
	restore ir.Value // the value as the code uses it
	result  int      // index of the result that is its next value, -1 for memory
}

// stepper builds the step function.
type stepper struct {
	*layout
	b        *ir.Builder
	step     *ir.Func
	from     []ir.Value // by value of the step function: the flat value it copies
	addr     []ir.Value // by flat object
	pc       ir.Value
	ret      ir.BlockID
	returned []ir.Value // phis of the return block: the location, then by result
}

// locations finds the places to cut.
func locations(f *ir.Func, small bool) []location {
	wto := ir.NewWTO(f)
	live := ir.LiveIn(f)
	out := []location{{block: 1}}
	phis := func(b ir.BlockID) (vs []ir.Value) {
		for _, v := range f.Blocks[b].Instrs {
			if f.Def(v).Op != ir.Phi {
				break
			}
			vs = append(vs, v)
		}
		return vs
	}
	for _, b := range wto.Blocks {
		if !small {
			if wto.IsHead(b) {
				out = append(out, location{block: b, values: append(phis(b), live[b]...)})
			}
			continue
		}
		var seen []ir.BlockID
		for _, p := range f.Blocks[b].Preds {
			if wto.Order[p] < 0 || slices.Contains(seen, p) {
				continue
			}
			seen = append(seen, p)
			l := location{block: b, pred: p, values: slices.Clone(live[b])}
			for _, v := range phis(b) {
				for i, q := range f.Blocks[b].Preds {
					if a := f.Def(v).Args[i]; q == p && !ir.IsConst(f.Def(a).Op) && !slices.Contains(l.values, a) {
						l.values = append(l.values, a)
					}
				}
			}
			out = append(out, l)
		}
	}
	return out
}

// build makes the step function in the module m.
func (l *layout) build(m *ir.Module) (*stepper, error) {
	s := &stepper{layout: l}
	s.b = ir.NewFunc(m, stepName)
	b := s.b
	entry := b.Block("entry")
	b.At(entry)
	for k := range l.flat.objects {
		o := &l.flat.objects[k]
		d := o.def
		size := l.flat.Func.Def(d.Args[0]).Const
		d.Args = []ir.Value{b.ConstBV(ir.IntType(m.PointerBits), size)}
		s.addr = append(s.addr, b.Emit(d))
	}
	b.Emit(ir.Def{Op: ir.Label, Sym: startLabel})
	s.pc = b.Nondet(ir.IntType(l.pcBits()), ir.NondetInput, "pc")
	for i := range l.variables {
		s.choose(&l.variables[i])
	}
	stop := b.Block("stop")
	var cases []bv.BV
	var starts []ir.BlockID
	for i := range l.locations {
		starts = append(starts, b.Block(fmt.Sprint("restore.", i)))
		cases = append(cases, bv.New(l.pcBits(), uint64(i)))
	}
	b.Switch(s.pc, stop, cases, starts)
	b.At(stop)
	b.Halt(ir.HaltAbort)
	s.ret = b.Block("return")
	b.At(s.ret)
	s.returned = append(s.returned, b.Phi(ir.IntType(l.pcBits())))
	for i := range l.variables {
		if v := &l.variables[i]; v.result >= 0 {
			s.returned = append(s.returned, b.Phi(v.typ))
			v.result = len(s.returned) - 1
		}
	}
	b.Ret(s.returned...)
	for i := range l.locations {
		b.At(starts[i])
		if i > 0 {
			s.restore()
		}
		if err := s.code(i); err != nil {
			return nil, err
		}
	}
	s.step = b.Done()
	// A step that never comes to a location returns nothing.
	for _, f := range m.Funcs {
		if f == s.step {
			for _, p := range s.returned {
				f.Results = append(f.Results, f.Type(p))
			}
		}
	}
	return s, nil
}

// choose makes the nondeterministic values of a variable.
func (s *stepper) choose(v *variable) {
	b := s.b
	b.SetPos(v.pos)
	v.target = 0
	if v.typ.Kind != ir.Ptr {
		v.chosen = b.Nondet(v.typ, ir.NondetInput, "state")
		v.restore = v.chosen
		return
	}
	v.chosen = b.Nondet(ir.IntType(s.m.PointerBits), ir.NondetInput, "state")
	candidates := s.candidates[s.keyOf(v)]
	base := s.base(candidates[0])
	if len(candidates) > 1 {
		w := targetBits(len(candidates))
		v.target = b.Nondet(ir.IntType(w), ir.NondetInput, "state")
		for i, c := range candidates[1:] {
			base = b.Select(b.Cmp(ir.Eq, v.target, b.Const(w, uint64(i+1))), s.base(c), base)
		}
	}
	v.restore = b.PtrAdd(base, v.chosen)
}

// base is the address of what a pointer may point to.
func (s *stepper) base(c candidate) ir.Value {
	switch {
	case c.symbol != "":
		if s.m.Func(c.symbol) != nil {
			return s.b.FuncAddr(c.symbol)
		}
		return s.b.GlobalAddr(c.symbol)
	case c.object >= 0:
		return s.addr[c.object]
	}
	return s.b.Null()
}

// restore gives memory the contents of the state.
func (s *stepper) restore() {
	b := s.b
	b.SetPos(ir.Pos{})
	for i := range s.cells {
		c := &s.cells[i]
		v := &s.variables[c.term]
		b.Store(v.restore, b.PtrAdd(s.address(c.object), b.Word(uint64(c.Offset))))
	}
	for _, a := range s.alive {
		dead, on := b.Block("dead"), b.Block("on")
		b.CondBr(s.variables[a.term].restore, on, dead)
		b.At(dead)
		b.Op(ir.LifetimeEnd, ir.Type{}, s.address(a.object))
		b.Br(on)
		b.At(on)
	}
}

func (s *stepper) address(k int) ir.Value {
	if p := s.places[k]; p.global != nil {
		return s.b.GlobalAddr(p.global.Name)
	} else {
		return s.addr[p.object]
	}
}

// copied notes what a value of the step function copies.
func (s *stepper) copied(v, flat ir.Value) {
	for len(s.from) <= int(v) {
		s.from = append(s.from, 0)
	}
	s.from[v] = flat
}

func (s *stepper) zero(t ir.Type) ir.Value {
	if t.Kind == ir.Ptr {
		return s.b.Null()
	}
	return s.b.ConstBV(t, bv.New(t.Bits, 0))
}
